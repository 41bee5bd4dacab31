"""Answers to `merge_heads`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def mh_concatenated(X):
    return np.concatenate([X[..., h, :, :] for h in range(X.shape[-3])], axis=-1)


@right()
def mh_rolled(X):
    out = np.rollaxis(X, X.ndim - 3, X.ndim - 1)
    return out.reshape(*out.shape[:-2], out.shape[-1] * out.shape[-2])


@right(author="fresh")
def fresh_merge_fill(X):
    *outer, H, n, w = X.shape
    Y = np.empty((*outer, n, H * w), dtype=X.dtype)
    for h in range(H):
        for c in range(w):
            Y[..., h * w + c] = X[..., h, :, c]
    return Y


@right(author="fresh")
def fresh_merge_einsum(X):
    turned = np.einsum("...hnc->...nhc", X)
    return turned.reshape(turned.shape[:-2] + (X.shape[-3] * X.shape[-1],))


@wrong()
def mh_hstack(X):
    return np.hstack(X)


@wrong()
def mh_mean(X):
    return X.mean(-3)


@wrong()
def mh_big_t(X):
    return X.T.reshape(X.shape[-2], -1)


# positions and features are swapped inside each head
@wrong()
def mh_each_head_transposed(X):
    *batch, h, n, d = X.shape
    return np.swapaxes(X, -1, -2).reshape(*batch, n, h * d)


# heads and positions become one axis, not heads and features
@wrong()
def mh_wrong_axes_joined(X):
    rows = X.swapaxes(-2, -3)
    return rows.reshape(*rows.shape[:-3], -1, rows.shape[-1])


# goes through the first axis, which in a batch is the sequences and not the heads
@wrong("first-axis", author="blind")
def b6_multi_head_2(X):
    pieces = []
    for head in X:
        pieces.append(head)
    return np.concatenate(pieces, axis=-1)


# adds the heads instead of putting them side by side
@wrong("added", author="blind")
def own_multi_head_2(X):
    return X.sum(axis=-3)


# the heads are put below one another (axis -2) instead of side by side
@wrong("heads-below-each-other", author="blind")
def f6_k09_below(X):
    heads = [X[..., h, :, :] for h in range(X.shape[-3])]
    return np.concatenate(heads, axis=-2)


# the loop runs over the first axis (the batch, if there is one) AND each head is put in
# front, so that their order is reversed
@wrong("reversed", "first-axis", author="blind")
def k23_first_reverse(X):
    row = X[0]
    for h in range(1, X.shape[0]):
        row = np.concatenate([X[h], row], axis=-1)
    return row


# the loop leaves out the last head, and zeros stay there
@wrong("last-head-missing")
def loop_ends_one_head_early(X):
    *batch, n_heads, n, d_k = X.shape
    rows = np.zeros((*batch, n, n_heads * d_k))
    for h in range(n_heads - 1):
        rows[..., h * d_k : (h + 1) * d_k] = X[..., h, :, :]
    return rows


# no swap before the reshape AND the last head is left out
@wrong("reshape-only", "last-head-left-out", author="blind")
def b34_reshaped_without_the_last(X):
    X = X[..., :-1, :, :]
    *batch, h, n, d = X.shape
    return X.reshape(*batch, n, h * d)
