"""Answers to `split_heads`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def sh_stacked_slices(X, n_heads):
    d = X.shape[-1]
    if d % n_heads != 0:
        raise ValueError("not divisible")
    w = d // n_heads
    return np.stack([X[..., h * w : (h + 1) * w] for h in range(n_heads)], axis=-3)


@right()
def sh_np_split(X, n_heads):
    return np.stack(
        np.split(X, n_heads, axis=-1), axis=-3
    )  # raises ValueError itself


@right()
def sh_minus_one_for_the_width(X, n_heads):
    # reshape raises a ValueError of its own where nothing fits
    return np.moveaxis(X.reshape(X.shape[:-1] + (n_heads, -1)), -2, -3)


@right()
def sh_transposed_first(X, n_heads):
    *batch, n, d = X.shape
    columns = np.swapaxes(X, -1, -2).reshape(*batch, n_heads, d // n_heads, n)
    return np.swapaxes(columns, -1, -2)


@right()
def sh_index_by_index(X, n_heads):
    *batch, n, d = X.shape
    width, rest = divmod(d, n_heads)
    if rest:
        raise ValueError
    out = np.zeros((*batch, n_heads, n, width), dtype=X.dtype)
    for h in range(n_heads):
        for c in range(width):
            out[..., h, :, c] = X[..., h * width + c]
    return out


@right()
def sh_the_course_s_own_error(X, n_heads):
    class TooWide(ValueError):
        pass

    if X.shape[-1] / n_heads != X.shape[-1] // n_heads:
        raise TooWide("n_heads must divide d")
    order = list(range(X.ndim + 1))
    order[-2], order[-3] = order[-3], order[-2]
    return X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads).transpose(
        order
    )


@right()
def sh_one_sequence_at_a_time(X, n_heads):
    if X.ndim > 2:
        return np.stack([sh_one_sequence_at_a_time(x, n_heads) for x in X])
    if X.shape[1] % n_heads:
        raise ValueError("n_heads must divide d")
    return X.reshape(len(X), n_heads, -1).transpose(1, 0, 2)


@right(author="fresh")
def fresh_split_by_index(X, n_heads):
    d = X.shape[-1]
    if n_heads < 1 or d % n_heads:
        raise ValueError(f"{d} features cannot be cut into {n_heads} equal parts")
    which = np.arange(d).reshape(n_heads, d // n_heads)
    return np.moveaxis(X[..., which], -2, -3)


@right(author="fresh")
def fresh_split_recursive(X, n_heads):
    def peel(rest, left):
        if left == 0:
            return []
        return [rest[..., :width], *peel(rest[..., width:], left - 1)]

    width, over = divmod(X.shape[-1], n_heads)
    if over != 0:
        raise ValueError("n_heads does not divide d")
    return np.stack(peel(X, n_heads), axis=X.ndim - 2)


@wrong("reshape-only")
def sh_only_reshape(X, n_heads):
    *batch, n, d = X.shape
    return X.reshape(*batch, n_heads, n, d // n_heads)


@wrong("heads-before-the-batch", "not-an-array")
def sh_list(X, n_heads):
    return np.split(X, n_heads, axis=-1)


@wrong("fails-indivisible")
def sh_assert(X, n_heads):
    *batch, n, d = X.shape
    assert d % n_heads == 0, "n_heads must divide d"
    return X.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


@wrong("no-error")
def sh_error_returned(X, n_heads):
    *batch, n, d = X.shape
    if d % n_heads:
        return ValueError("n_heads must divide d")
    return X.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


@wrong("no-error")
def sh_error_printed(X, n_heads):
    *batch, n, d = X.shape
    if d % n_heads:
        print("n_heads must divide d")
        return None
    return X.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


@wrong()
def sh_true_division(X, n_heads):
    *batch, n, d = X.shape
    return X.reshape(*batch, n, n_heads, d / n_heads).swapaxes(-2, -3)


@wrong("reshape-only", "error-missing")
def sh_reshape_and_no_error(X, n_heads):
    *batch, n, d = X.shape
    w = d // n_heads
    return X[..., : w * n_heads].reshape(*batch, n_heads, n, w)


@wrong("columns-reshaped")
def sh_transposed_reshape(X, n_heads):
    *batch, n, d = X.shape
    return X.swapaxes(-1, -2).reshape(*batch, n_heads, n, d // n_heads)


@wrong()
def sh_in_place(X, n_heads):
    if X.shape[-1] % n_heads:
        raise ValueError
    X.shape = (*X.shape[:-1], n_heads, X.shape[-1] // n_heads)
    return X.swapaxes(-2, -3)


# it splits the axis that comes first, not the features
@wrong()
def sh_split_along_the_first_axis(X, n_heads):
    if X.shape[-1] % n_heads:
        raise ValueError("not divisible")
    return np.stack(np.array_split(X, n_heads, axis=0))


# the course's function in PyTorch does it all
@wrong("built-in")
def sh_in_torch(X, n_heads):
    import torch

    from course_attn.in_torch.multi_head import split_heads

    return split_heads(torch.from_numpy(X), n_heads).numpy()


# does not check that n_heads divides d: the features left over are dropped
@wrong(author="fresh")
def fresh_split_drop_rest(X, n_heads):
    d_k = X.shape[-1] // n_heads
    return np.stack(
        [X[..., h * d_k : h * d_k + d_k] for h in range(n_heads)], axis=-3
    )


# swaps the first two axes to bring the heads forward, which is right only without batch axes
@wrong(author="fresh")
def fresh_split_swap_first(X, n_heads):
    if X.shape[-1] % n_heads:
        raise ValueError(f"{n_heads} heads do not divide {X.shape[-1]} features")
    cut = X.reshape(X.shape[:-1] + (n_heads, X.shape[-1] // n_heads))
    return cut.swapaxes(0, 1)


# leaves the axis of heads behind that of the elements: (n, n_heads, d_k) AND checks with an assert,
# so that it raises an AssertionError, not a ValueError
@wrong(author="fresh")
def fresh_split_assert_no_swap(X, n_heads):
    def pieces(row_block, left):
        if left == 0:
            return []
        w = row_block.shape[-1] // left
        return [row_block[..., :w], *pieces(row_block[..., w:], left - 1)]

    assert X.shape[-1] % n_heads == 0
    return np.stack(pieces(X, n_heads), axis=-2)


# checks whether n_heads divides the number of elements n, not the number of features d, and so
# refuses inputs that are fine
@wrong("elements-divided", said="not the n = 4 elements", author="unseen")
def second_mh_checks_elements(X, n_heads):
    *batch, n, d = X.shape
    if n % n_heads != 0:
        raise ValueError(f"{n_heads} heads do not divide {n}")
    return X.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


# puts the axis of the heads first of all, before the axes of the batch, instead of just before the
# elements
@wrong(author="unseen")
def third_mh_heads_in_front(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError("n_heads must divide d")
    w = d // n_heads
    return np.array([X[..., h * w : (h + 1) * w] for h in range(n_heads)])


# deals the features out in turn, feature c to head c mod n_heads, instead of cutting the row into
# blocks
@wrong(said="like cards", author="unseen")
def fifth_mh_dealt_out(X, n_heads):
    if X.shape[-1] % n_heads != 0:
        raise ValueError("n_heads must divide d")
    return np.stack([X[..., h::n_heads] for h in range(n_heads)], axis=-3)


# the part of head h begins at feature h, so that the parts overlap
@wrong("parts-overlap", author="blind")
def bl_split_start(X, n_heads):
    d = X.shape[-1]
    if d % n_heads != 0:
        raise ValueError
    size = d // n_heads
    out = np.zeros(X.shape[:-2] + (n_heads, X.shape[-2], size), X.dtype)
    for h in range(n_heads):
        out[..., h, :, :] = X[..., h : h + size]
    return out


# features in turn; heads behind the elements
@wrong("not-moved", "in-turn", said="out in turn, like cards", author="blind")
def bl_split_both(X, n_heads):
    *b, n, d = X.shape
    if d % n_heads:
        raise ValueError("cannot split")
    return X.reshape(*b, n, d // n_heads, n_heads).swapaxes(-1, -2)


# d/n_heads heads of n_heads features each AND an AssertionError instead of a ValueError
@wrong("sizes-exchanged", said="yours is `AssertionError`", author="blind")
def r09_swapped(X, n_heads):
    d = X.shape[-1]
    assert d % n_heads == 0, "n_heads does not divide d"
    X = X.reshape(X.shape[:-1] + (d // n_heads, n_heads))
    return X.swapaxes(-2, -3)


# the heads are stacked before the batch AND each is transposed
@wrong("heads-before-the-batch", "heads-transposed", author="blind")
def b12_front(X, n_heads):
    if X.shape[-1] % n_heads:
        raise ValueError
    return np.array([p.swapaxes(-1, -2) for p in np.split(X, n_heads, axis=-1)])
