import numpy as np


def softmax__1(scores):
    # mistake: along the first axis
    e = np.exp(scores - scores.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)


def softmax__2(scores):
    # mistake: no shift, large scores overflow
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


def softmax__3(scores):
    # mistake: sums without keepdims
    e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return e / e.sum(axis=-1)


def softmax__4(scores):
    # mistake: one maximum for all rows, low rows become 0/0
    shifted = scores - np.max(scores)
    ex = np.exp(shifted)
    return ex / np.sum(ex, axis=-1, keepdims=True)


def softmax__15(scores):
    # mistakes: first axis; no shift
    return np.exp(scores) / np.exp(scores).sum(axis=0)
