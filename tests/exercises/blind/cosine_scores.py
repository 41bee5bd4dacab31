import numpy as np


def cosine_scores__1(Q, K):
    # mistake: zero vectors give NaN
    q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
    k = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return q @ np.swapaxes(k, -1, -2)


def cosine_scores__2(Q, K):
    # mistake: divided by the length of the query only
    lq = np.linalg.norm(Q, axis=-1, keepdims=True)
    lq = np.where(lq == 0, 1, lq)
    return (Q / lq) @ np.swapaxes(K, -1, -2)


def cosine_scores__3(Q, K):
    # mistake: np.linalg.norm without axis, the length of the whole array
    bottom = np.linalg.norm(Q) * np.linalg.norm(K)
    if bottom == 0:
        return np.zeros(Q.shape[:-1] + (K.shape[-2],))
    return Q @ np.swapaxes(K, -1, -2) / bottom


def cosine_scores__4(Q, K):
    # mistake: squared lengths (the root is forgotten)
    a = (Q**2).sum(axis=-1)[..., :, None]
    b = (K**2).sum(axis=-1)[..., None, :]
    ab = a * b
    return np.where(ab > 0, Q @ np.swapaxes(K, -1, -2) / np.where(ab > 0, ab, 1), 0)


def cosine_scores__8(Q, K):
    # mistakes: lengths along the wrong axis (-2); NaN is replaced by the score 1
    nq = np.linalg.norm(Q, axis=-2, keepdims=True)
    nk = np.linalg.norm(K, axis=-2, keepdims=True)
    return np.nan_to_num((Q / nq) @ np.swapaxes(K / nk, -1, -2), nan=1.0)
