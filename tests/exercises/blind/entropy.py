import numpy as np


def entropy__1(weights):
    # mistake: a weight of 0 gives NaN
    return -(weights * np.log(weights)).sum(axis=-1)


def entropy__2(weights):
    # mistake: in bits
    w = np.where(weights > 0, weights, 1)
    return -(weights * np.log2(w)).sum(axis=-1)


def entropy__3(weights):
    # mistake: one number for all rows together
    w = weights[weights > 0]
    return -np.sum(w * np.log(w))


def entropy__4(weights):
    # mistake: sum along axis 0
    w = np.where(weights == 0, 1.0, weights)
    return -np.sum(weights * np.log(w), axis=0)


def entropy__8(weights):
    # mistakes: sign forgotten; logarithm with base 10
    w = np.where(weights > 0, weights, 1)
    return np.sum(weights * np.log10(w), axis=-1)
