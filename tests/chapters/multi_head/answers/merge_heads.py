"""Answers to `merge_heads`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def mh_concatenated(X):
    return np.concatenate([X[..., h, :, :] for h in range(X.shape[-3])], axis=-1)


@right()
def mh_einsum(X):
    out = np.einsum("...hic->...ihc", X)
    return out.reshape(out.shape[:-2] + (-1,))


@right()
def mh_rolled(X):
    out = np.rollaxis(X, X.ndim - 3, X.ndim - 1)
    return out.reshape(*out.shape[:-2], out.shape[-1] * out.shape[-2])


@right()
def mh_filled(X):
    *batch, n_heads, n, d_k = X.shape
    out = np.empty((*batch, n, n_heads * d_k), dtype=X.dtype)
    for h in range(n_heads):
        out[..., h * d_k : (h + 1) * d_k] = X[..., h, :, :]
    return out


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


@wrong("reshape-only")
def mh_only_reshape(X):
    *batch, h, n, d = X.shape
    return X.reshape(*batch, n, h * d)


@wrong("first-axis")
def mh_iterated(X):
    return np.concatenate(list(X), axis=-1)


@wrong()
def mh_hstack(X):
    return np.hstack(X)


@wrong()
def mh_mean(X):
    return X.mean(-3)


@wrong()
def mh_big_t(X):
    return X.T.reshape(X.shape[-2], -1)


@wrong()
def mh_batch_lost(X):
    return X.swapaxes(-2, -3).reshape(X.shape[-2], -1)


@wrong("in-turn")
def mh_moved_last(X):
    return np.moveaxis(X, -3, -1).reshape(*X.shape[:-3], X.shape[-2], -1)


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


# the positions vanish where there is only one
@wrong()
def mh_squeezed(X):
    return np.concatenate(np.moveaxis(X, -3, 0), axis=-1).squeeze()


# the last head is put first
@wrong()
def mh_from_the_last(X):
    return np.concatenate(
        [X[..., h, :, :] for h in range(X.shape[-3] - 1, -1, -1)], axis=-1
    )


# puts the heads below each other (more rows) where they belong side by side
@wrong(author="fresh")
def fresh_merge_below(X):
    heads = [X[..., h, :, :] for h in range(X.shape[-3])]
    return np.concatenate(heads, axis=-2)


# interleaves the heads: first the feature 0 of every head, then the feature 1
@wrong(author="fresh")
def fresh_merge_interleave(X):
    by_element = np.moveaxis(X, -3, -1)
    *batch, n, d_k, n_heads = by_element.shape
    return by_element.reshape(*batch, n, d_k * n_heads)


# goes through the first axis as if it were that of the heads; with a batch it joins sequences
@wrong(author="fresh")
def fresh_merge_first_axis(X):
    return np.concatenate([head for head in X], axis=-1)


# puts the heads in reversed order, the last one first AND swaps the axes of elements and features,
# so that the result has one row a feature
@wrong(author="fresh")
def fresh_merge_recursive(X):
    def collect(h):
        here = np.einsum("...nc->...cn", X[..., h, :, :])
        if h == 0:
            return here
        return np.concatenate([here, collect(h - 1)], axis=-2)

    return collect(X.shape[-3] - 1)


# puts the heads side by side in the opposite order, the last head first
@wrong(author="unseen")
def second_mh_last_head_first(X):
    first = X[..., 0, :, :]
    if X.shape[-3] == 1:
        return first
    rest = second_mh_last_head_first(X[..., 1:, :, :])
    return np.concatenate([rest, first], axis=-1)


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
