import numpy as np


def repeat_kv__1(K, n_rep):
    # mistake: heads as 0, 1, 0, 1 instead of 0, 0, 1, 1
    return np.concatenate([K] * n_rep, axis=-3)


def repeat_kv__2(K, n_rep):
    # mistake: repeats the rows of each head (axis -2)
    return np.repeat(K, n_rep, axis=-2)


def repeat_kv__13(K, n_rep):
    # mistake: copy axis put before the rows and features merged wrongly by reshape
    *b, g, n, d = K.shape
    big = np.repeat(K[..., None], n_rep, axis=-1)
    return big.reshape(*b, g * n_rep, n, d)


def repeat_kv__14(K, n_rep):
    # mistakes: order 0, 1, 0, 1; along the first axis
    return np.concatenate([K for _ in range(n_rep)], axis=0)


def repeat_kv__15(K, n_rep):
    # mistakes: rows repeated; each copy divided by n_rep
    return np.repeat(K, n_rep, axis=-2) / n_rep
