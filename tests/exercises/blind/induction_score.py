import numpy as np


def induction_score__1(weights, period):
    # mistake: the last occurrence itself, not the token behind it
    n = weights.shape[-1]
    i = np.arange(period, n)
    return weights[..., i, i - period].mean(axis=-1)


def induction_score__2(weights, period):
    # mistake: the diagonal begins one row too early, at i = period - 1
    d = np.diagonal(weights, offset=-(period - 1), axis1=-2, axis2=-1)
    return d.mean(axis=-1)


def induction_score__3(weights, period):
    # mistake: divided by n, not by the number of tokens that count
    n = weights.shape[-1]
    i = np.arange(period, n)
    return weights[..., i, i - period + 1].sum(axis=-1) / n


def induction_score__4(weights, period):
    # mistake: one mean over all heads
    n = weights.shape[-1]
    rows = np.arange(period, n)
    return weights[..., rows, rows - period + 1].mean()


def induction_score__8(weights, period):
    # mistakes: sum instead of mean; begins after period, at period + 1
    n = weights.shape[-1]
    s = np.zeros(weights.shape[:-2])
    for i in range(period + 1, n):
        s = s + weights[..., i, i - period + 1]
    return s
