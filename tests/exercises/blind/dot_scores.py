import numpy as np


def dot_scores__1(Q, K):
    # mistake: K.T reverses all axes, batch included
    return Q @ K.T


def dot_scores__2(Q, K):
    # mistake: only query i with key i
    return (Q * K).sum(axis=-1)


def dot_scores__3(Q, K):
    # mistake: rows are keys, columns are queries
    return K @ np.swapaxes(Q, -1, -2)


def dot_scores__4(Q, K):
    # mistake: divides by sqrt(d)
    return Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])


def dot_scores__8(Q, K):
    # mistakes: absolute values of the scores; scores come out keys by queries
    return np.abs(np.einsum("...id,...jd->...ji", Q, K))
