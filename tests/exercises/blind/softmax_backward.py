import numpy as np


def softmax_backward__1(weights, d_weights):
    # mistake: the row term is missing
    return weights * d_weights


def softmax_backward__2(weights, d_weights):
    # mistake: mean instead of sum in the row term
    r = (weights * d_weights).mean(axis=-1, keepdims=True)
    return weights * (d_weights - r)


def softmax_backward__3(weights, d_weights):
    # mistake: no keepdims
    r = np.sum(weights * d_weights, axis=-1)
    return weights * (d_weights - r)


def softmax_backward__4(weights, d_weights):
    # mistake: row term summed along axis 0
    inner = (weights * d_weights).sum(axis=0, keepdims=True)
    return weights * (d_weights - inner)


def softmax_backward__15(weights, d_weights):
    # mistakes: mean instead of sum; axis 0
    return weights * (d_weights - (weights * d_weights).mean(axis=0))
