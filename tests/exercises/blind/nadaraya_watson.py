import numpy as np


def nadaraya_watson__1(x_query, x, y, bandwidth):
    # mistake: bandwidth is not squared
    D = x_query[:, None] - x[None, :]
    w = np.exp(-(D**2) / (2 * bandwidth))
    return (w / w.sum(axis=1, keepdims=True)) @ y


def nadaraya_watson__2(x_query, x, y, bandwidth):
    # mistake: the 2 in the denominator is missing
    D = np.subtract.outer(x_query, x)
    K = np.exp(-((D / bandwidth) ** 2))
    K = K / K.sum(axis=1, keepdims=True)
    return K @ y


def nadaraya_watson__3(x_query, x, y, bandwidth):
    # mistake: weights are not normalized
    w = np.exp(-((x_query[:, None] - x) ** 2) / (2 * bandwidth**2))
    return w @ y


def nadaraya_watson__7(x_query, x, y, bandwidth):
    # mistake: rows and columns exchanged: one result for each data point
    d = x[:, None] - x_query[None, :]
    w = np.exp(-(d**2) / (2 * bandwidth**2))
    w = w / w.sum(axis=1, keepdims=True)
    return w @ y[: len(x_query)]


def nadaraya_watson__12(x_query, x, y, bandwidth):
    # mistakes: bandwidth not squared; weights not normalized
    w = np.exp(-((x_query[:, None] - x) ** 2) / (2 * bandwidth))
    return (w * y).sum(axis=1)
