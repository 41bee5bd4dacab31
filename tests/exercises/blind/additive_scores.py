import numpy as np


def additive_scores__1(Q, K, W_Q, W_K, v):
    # mistake: the tanh is forgotten
    a = Q @ W_Q
    b = K @ W_K
    return (a[..., :, None, :] + b[..., None, :, :]) @ v


def additive_scores__2(Q, K, W_Q, W_K, v):
    # mistake: the two new axes are in each other's place, so the result is (..., n_k, n_q)
    qq = (Q @ W_Q)[..., None, :, :]
    kk = (K @ W_K)[..., :, None, :]
    return np.tanh(qq + kk) @ v


def additive_scores__3(Q, K, W_Q, W_K, v):
    # mistake: new axes are put from the front, which is only right without batch axes
    q = Q @ W_Q
    k = K @ W_K
    h = np.tanh(q[:, None] + k[None, :])
    return np.einsum("...h,h->...", h, v)


def additive_scores__4(Q, K, W_Q, W_K, v):
    # mistake: v is multiplied inside the tanh
    summe = (Q @ W_Q)[..., :, None, :] + (K @ W_K)[..., None, :, :]
    return np.tanh(summe @ v)


def additive_scores__8(Q, K, W_Q, W_K, v):
    # mistakes: relu instead of tanh; divided by the square root of d_hidden
    h = np.maximum((Q @ W_Q)[..., :, None, :] + (K @ W_K)[..., None, :, :], 0)
    return h @ v / np.sqrt(len(v))
