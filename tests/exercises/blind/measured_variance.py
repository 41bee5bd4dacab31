import numpy as np


def measured_variance__1(draw):
    # mistake: the score is not scaled
    Q, K = draw(10_000)
    return np.var((Q * K).sum(axis=1))


def measured_variance__2(draw):
    # mistake: the variance is divided by sqrt(d_k), not the score
    Q, K = draw(10000)
    s = np.einsum("nd,nd->n", Q, K)
    return s.var() / np.sqrt(Q.shape[1])


def measured_variance__3(draw):
    # mistake: every query with every key, not the pairs
    Q, K = draw(2000)
    S = Q @ K.T / np.sqrt(Q.shape[1])
    return S.var()


def measured_variance__4(draw):
    # mistake: queries from one call and keys from another, so they do not belong together
    Q, _ = draw(20000)
    _, K = draw(20000)
    return ((Q * K).sum(-1) / np.sqrt(K.shape[-1])).var()


def measured_variance__9(draw):
    # mistakes: divided by d_k without the root; standard deviation for variance
    Q, K = draw(5000)
    return np.std(np.sum(Q * K, axis=1) / Q.shape[1])
