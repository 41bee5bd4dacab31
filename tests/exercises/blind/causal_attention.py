import numpy as np


def causal_attention__1(Q, K, V):
    # mistake: the mask is aligned to the top left
    from course_attn.in_numpy import softmax

    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    m = np.tri(S.shape[-2], S.shape[-1], dtype=bool)
    return softmax(np.where(m, S, -np.inf)) @ V


def causal_attention__2(Q, K, V):
    # mistake: -1e9 gives equal weights, not zeros, to a query that sees nothing
    n_q, n_k = Q.shape[-2], K.shape[-2]
    S = np.einsum("...id,...jd->...ij", Q, K) / np.sqrt(Q.shape[-1])
    S = np.where(np.tri(n_q, n_k, n_k - n_q) > 0, S, -1e9)
    E = np.exp(S - S.max(-1, keepdims=True))
    return E / E.sum(-1, keepdims=True) @ V


def causal_attention__3(Q, K, V):
    # mistake: mask after the softmax, weights not divided by their new sum
    n_q, n_k = Q.shape[-2], K.shape[-2]
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    return (A * np.tri(n_q, n_k, n_k - n_q)) @ V


def causal_attention__4(Q, K, V):
    # mistake: the maximum is taken over the future too, so allowed weights underflow to 0
    n_q, n_k = Q.shape[-2], K.shape[-2]
    M = np.tri(n_q, n_k, n_k - n_q)
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    E = np.exp(S - S.max(axis=-1, keepdims=True)) * M
    total = E.sum(axis=-1, keepdims=True)
    return E / np.where(total == 0, 1, total) @ V


def causal_attention__8(Q, K, V):
    # mistakes: no scaling; offset of the mask with the wrong sign
    nq, nk = Q.shape[-2], K.shape[-2]
    S = Q @ np.swapaxes(K, -1, -2)
    M = np.tri(nq, nk, nq - nk, dtype=bool)
    S = np.where(M, S, -np.inf)
    E = np.exp(S - np.maximum(S.max(-1, keepdims=True), -1e300))
    return np.nan_to_num(E / E.sum(-1, keepdims=True)) @ V
