import numpy as np


def normalize_weights__1(weights):
    # mistake: sums over the first axis
    return weights / weights.sum(axis=0, keepdims=True)


def normalize_weights__2(weights):
    # mistake: columns are normalized (axis -2)
    s = weights.sum(axis=-2, keepdims=True)
    return weights / s


def normalize_weights__3(weights):
    # mistake: one sum over the whole array
    return weights / np.sum(weights)


def normalize_weights__14(weights):
    # mistakes: axis -2; in place
    weights /= weights.sum(axis=-2, keepdims=True)
    return weights


def normalize_weights__15(weights):
    # mistakes: mean instead of sum; first axis
    m = weights.mean(axis=0, keepdims=True)
    return weights / m
