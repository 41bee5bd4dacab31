import numpy as np


def weighted_sum__1(weights, values):
    # mistake: weights are normalized first
    w = weights / weights.sum(axis=-1, keepdims=True)
    return w @ values


def weighted_sum__2(weights, values):
    # mistake: weights transposed
    return np.swapaxes(weights, -1, -2) @ values


def weighted_sum__3(weights, values):
    # mistake: order of the product exchanged
    return values @ weights


def weighted_sum__15(weights, values):
    # mistakes: normalized; transposed
    w = weights / weights.sum(axis=-1, keepdims=True)
    return np.swapaxes(w, -1, -2) @ values


def weighted_sum__16(weights, values):
    # mistakes: no batch axes; mean over the keys
    return np.einsum("qk,kd->qd", weights, values) / len(values)
