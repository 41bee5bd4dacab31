import numpy as np


def unscaled_attention__1(Q, K, V):
    # mistake: scaled by sqrt(d_k) in spite of the text
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True) @ V


def unscaled_attention__2(Q, K, V):
    # mistake: softmax over the queries
    S = Q @ np.swapaxes(K, -1, -2)
    E = np.exp(S - S.max(axis=-2, keepdims=True))
    return E / E.sum(axis=-2, keepdims=True) @ V


def unscaled_attention__6(Q, K, V):
    # mistake: scores divided by their sum, no exp
    S = Q @ np.swapaxes(K, -1, -2)
    return S / S.sum(axis=-1, keepdims=True) @ V


def unscaled_attention__14(Q, K, V):
    # mistakes: scaled; no shift
    w = np.exp(Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5)
    return w / w.sum(-1, keepdims=True) @ V


def unscaled_attention__15(Q, K, V):
    # mistakes: softmax over the queries; maximum over everything
    S = Q @ np.swapaxes(K, -1, -2)
    w = np.exp(S - S.max())
    return w / w.sum(-2, keepdims=True) @ V
