import numpy as np


def masked_softmax__1(scores, mask):
    # mistake: a row with nothing allowed becomes NaN
    s = np.where(mask, scores, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def masked_softmax__2(scores, mask):
    # mistake: -1e9, so a row with nothing allowed gets equal weights
    s = np.where(mask, scores, -1e9)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def masked_softmax__3(scores, mask):
    # mistake: True is read as forbidden
    s = np.where(mask, -1e9, scores)
    e = np.exp(s - s.max(axis=-1, keepdims=True)) * ~mask
    z = e.sum(axis=-1, keepdims=True)
    return e / np.where(z == 0, 1, z)


def masked_softmax__4(scores, mask):
    # mistake: forbidden scores are multiplied to 0, and still have weight
    s = scores * mask
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) * mask.any(axis=-1, keepdims=True)


def masked_softmax__8(scores, mask):
    # mistakes: forbidden scores get -1000 only; normalized along axis 0
    s = np.where(mask, scores, -1000.0)
    e = np.exp(s - s.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)
