import numpy as np


def attention_backward__1(Q, K, V, d_out, mask):
    # mistake: the factor 1/sqrt(d_k) is forgotten on the way back
    from course_attn.in_numpy import softmax, softmax_backward

    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    A = softmax(np.where(mask, S, -np.inf))
    dV = np.swapaxes(A, -1, -2) @ d_out
    dS = softmax_backward(A, d_out @ np.swapaxes(V, -1, -2))
    return dS @ K, np.swapaxes(dS, -1, -2) @ Q, dV


def attention_backward__2(Q, K, V, d_out, mask):
    # mistake: the mask is not used at all
    T = lambda M: np.swapaxes(M, -1, -2)
    c = 1 / np.sqrt(Q.shape[-1])
    S = Q @ T(K) * c
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    dA = d_out @ T(V)
    dS = A * (dA - (A * dA).sum(axis=-1, keepdims=True))
    return dS @ K * c, T(dS) @ Q * c, T(A) @ d_out


def attention_backward__3(Q, K, V, d_out, mask):
    # mistake: softmax backward without the row term
    from course_attn.in_numpy import softmax

    d = Q.shape[-1]
    A = softmax(np.where(mask, Q @ K.swapaxes(-1, -2) / d**0.5, -np.inf))
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * dA / d**0.5
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


def attention_backward__4(Q, K, V, d_out, mask):
    # mistake: .T on arrays that may have batch axes
    from course_attn.in_numpy import softmax, softmax_backward

    root = np.sqrt(Q.shape[-1])
    A = softmax(np.where(mask, Q @ K.T / root, -np.inf))
    dS = softmax_backward(A, d_out @ V.T) / root
    return dS @ K, dS.T @ Q, A.T @ d_out


def attention_backward__8(Q, K, V, d_out, mask):
    # mistakes: mask the wrong way round; the gradients come back in the order dV, dK, dQ
    from course_attn.in_numpy import softmax, softmax_backward

    T = lambda M: np.swapaxes(M, -1, -2)
    r = np.sqrt(Q.shape[-1])
    A = softmax(np.where(mask, -1e9, Q @ T(K) / r))
    dS = softmax_backward(A, d_out @ T(V)) / r
    return T(A) @ d_out, T(dS) @ Q, dS @ K
