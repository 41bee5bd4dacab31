import numpy as np


def split_heads__1(X, n_heads):
    # mistake: reshaped only, no swap
    *b, n, d = X.shape
    if d % n_heads:
        raise ValueError("n_heads does not divide d")
    return X.reshape(*b, n_heads, n, d // n_heads)


def split_heads__2(X, n_heads):
    # mistake: every n_heads-th feature (interleaved parts)
    *b, n, d = X.shape
    if d % n_heads != 0:
        raise ValueError("does not divide")
    Y = X.reshape(*b, n, d // n_heads, n_heads)
    return np.moveaxis(Y, -1, -3)


def split_heads__3(X, n_heads):
    # mistake: three axes only, crashes with a batch
    n, d = X.shape
    if d % n_heads != 0:
        raise ValueError("does not divide")
    return X.reshape(n, n_heads, d // n_heads).transpose(1, 0, 2)


def split_heads__13(X, n_heads):
    # mistake: windows overlap: head h starts at feature h
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError("d % n_heads")
    dk = d // n_heads
    return np.stack([X[..., h : h + dk] for h in range(n_heads)], axis=-3)


def split_heads__14(X, n_heads):
    # mistakes: reshape without swap; no ValueError (rest cut off)
    *b, n, d = X.shape
    dk = d // n_heads
    return X[..., : dk * n_heads].reshape(*b, n_heads, n, dk)
