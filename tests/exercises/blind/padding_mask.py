import numpy as np


def padding_mask__1(lengths, n_k):
    # mistake: <= lets one padding key through
    j = np.arange(n_k)
    return j[None, None, :] <= lengths[:, None, None]


def padding_mask__2(lengths, n_k):
    # mistake: True where the key is padding
    return np.arange(n_k) >= lengths[:, None, None]


def padding_mask__10(lengths, n_k):
    # mistake: the first sequence's length is used for all
    mask = np.zeros((len(lengths), 1, n_k), dtype=bool)
    mask[:, 0, : lengths[0]] = True
    return mask


def padding_mask__13(lengths, n_k):
    # mistake: only the key at j = length is marked as padding
    j = np.arange(n_k)
    return j[None, None, :] != lengths[:, None, None]


def padding_mask__14(lengths, n_k):
    # mistakes: True means padding; no axis for the queries
    return np.arange(n_k) >= lengths[:, None]
