import numpy as np


def log_softmax__1(scores):
    # mistake: log of the softmax, -inf where a weight underflows
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.log(e / e.sum(axis=-1, keepdims=True))


def log_softmax__2(scores):
    # mistake: no shift by the maximum, exp overflows
    return scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))


def log_softmax__3(scores):
    # mistake: the maximum is not added to the logarithm of the sum
    m = scores.max(axis=-1, keepdims=True)
    return scores - np.log(np.exp(scores - m).sum(axis=-1, keepdims=True))


def log_softmax__4(scores):
    # mistake: one maximum for all rows
    z = scores - scores.max()
    return z - np.log(np.exp(z).sum(axis=-1, keepdims=True))


def log_softmax__8(scores):
    # mistakes: sign turned; the log of the mean instead of the sum of the exponentials
    z = scores - scores.max(axis=-1, keepdims=True)
    return np.log(np.exp(z).mean(axis=-1, keepdims=True)) - z
