import numpy as np


def merge_heads__1(X):
    # mistake: the heads axis is never swapped with the rows, only reshaped
    *rest, H, n, dk = X.shape
    return X.reshape(*rest, n, H * dk)


def merge_heads__2(X):
    # mistake: features of the heads are interleaved instead of head after head
    H, n, dk = X.shape[-3:]
    out = np.moveaxis(X, -3, -1)
    return out.reshape(*X.shape[:-3], n, H * dk)


def merge_heads__6(X):
    # mistake: puts the heads below each other (along the rows) and not side by side
    n_heads = X.shape[-3]
    return np.concatenate([X[..., h, :, :] for h in range(n_heads)], axis=-2)


def merge_heads__10(X):
    # mistakes: heads interleaved; only for three axes, crashes on a batch
    H, n, d = X.shape
    return np.einsum("hnd->ndh", X).reshape(n, d * H)


def merge_heads__11(X):
    # mistakes: last head missing (range one too short); heads added up and not side by side
    tot = np.zeros(X[..., 0, :, :].shape)
    for h in range(X.shape[-3] - 1):
        tot = tot + X[..., h, :, :]
    return tot
