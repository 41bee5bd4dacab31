import numpy as np


def causal_mask__1(n_q, n_k):
    # mistake: aligned to the top left
    return np.tri(n_q, n_k, dtype=bool)


def causal_mask__2(n_q, n_k):
    # mistake: own position is not seen (< instead of <=)
    i = np.arange(n_q)[:, None]
    j = np.arange(n_k)[None, :]
    return j < i + n_k - n_q


def causal_mask__3(n_q, n_k):
    # mistake: True where it is forbidden
    return np.triu(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q + 1)


def causal_mask__4(n_q, n_k):
    # mistake: zeros and ones of dtype float instead of bool
    return np.tril(np.ones((n_q, n_k)), n_k - n_q)


def causal_mask__8(n_q, n_k):
    # mistakes: offset left out; upper triangle instead of the lower
    return np.triu(np.ones((n_q, n_k))).astype(bool)
