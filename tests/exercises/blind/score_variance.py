import numpy as np


def score_variance__1(d_k, mean, shared):
    # mistake: the mean is ignored for independent q and k
    if shared:
        return d_k * (2 + 4 * mean**2)
    return d_k


def score_variance__2(d_k, mean, shared):
    # mistake: the mean is ignored for k = q
    if shared:
        return 2 * d_k
    return d_k * (1 + 2 * mean**2)


def score_variance__3(d_k, mean, shared):
    # mistake: divided by d_k once, as for the scaled score
    v = 2 + 4 * mean**2 if shared else 1 + 2 * mean**2
    return v


def score_variance__14(d_k, mean, shared):
    # mistakes: divided by d_k; mean ignored
    return 2.0 if shared else 1.0


def score_variance__15(d_k, mean, shared):
    # mistakes: standard deviation; shared ignored
    return (d_k * (1 + 2 * mean**2)) ** 0.5
