import numpy as np


def scaled_attention__1(Q, K, V):
    # mistake: divided by d_k, no root
    S = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1]
    S = S - S.max(axis=-1, keepdims=True)
    A = np.exp(S)
    return A / A.sum(axis=-1, keepdims=True) @ V


def scaled_attention__2(Q, K, V):
    # mistake: root of d_v
    d = V.shape[-1]
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(d)
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return (E / E.sum(axis=-1, keepdims=True)) @ V


def scaled_attention__3(Q, K, V):
    # mistake: root of the number of keys
    def softmax(s):
        e = np.exp(s - np.max(s, axis=-1, keepdims=True))
        return e / np.sum(e, axis=-1, keepdims=True)

    return softmax(np.einsum("...id,...jd->...ij", Q, K) / np.sqrt(K.shape[-2])) @ V


def scaled_attention__4(Q, K, V):
    # mistake: no scaling
    def softmax(s):
        e = np.exp(s - np.max(s, axis=-1, keepdims=True))
        return e / np.sum(e, axis=-1, keepdims=True)

    scores = Q @ np.moveaxis(K, -1, -2)
    return softmax(scores) @ V


def scaled_attention__14(Q, K, V):
    # mistakes: no scaling; no shift before exp
    E = np.exp(np.einsum("...qd,...kd->...qk", Q, K))
    return np.einsum("...qk,...kv->...qv", E / E.sum(-1, keepdims=True), V)
