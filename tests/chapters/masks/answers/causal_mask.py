"""Answers to `causal_mask`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def cm_tri(n_q, n_k):
    return np.tri(n_q, n_k, n_k - n_q, dtype=bool)


@right()
def cm_tril(n_q, n_k):
    return np.tril(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q)


@right()
def cm_not_triu(n_q, n_k):
    return ~np.triu(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q + 1)


@right()
def cm_loops(n_q, n_k):
    mask = np.full((n_q, n_k), False)
    for i in range(n_q):
        for j in range(n_k):
            if n_q - i <= n_k - j:
                mask[i, j] = True
    return mask


@right()
def cm_last_rows(n_q, n_k):
    n = max(n_q, n_k)
    return np.tri(n).astype(bool)[n - n_q :, n - n_k :]


@right()
def cm_row_by_row(n_q, n_k):
    rows = [
        [True] * max(i + n_k - n_q + 1, 0) + [False] * (n_q - i - 1)
        for i in range(n_q)
    ]
    return np.array([row[-n_k:] for row in rows])


@right(author="fresh")
def fresh_cm_positions(n_q, n_k):
    """Compare the position of every query with that of every key."""
    place_of_query = np.arange(n_q) + (n_k - n_q)
    return np.greater_equal.outer(place_of_query, np.arange(n_k))


@right(author="fresh")
def fresh_cm_fill_row_by_row(n_q, n_k):
    m = np.zeros((n_q, n_k), dtype=bool)
    for back in range(min(n_q, n_k)):
        m[n_q - 1 - back, : n_k - back] = True
    return m


@wrong()
def cm_triu_bool(n_q, n_k):
    return np.triu(np.ones((n_q, n_k)), k=1).astype(bool)


@wrong()
def cm_tril_times_inf(n_q, n_k):
    return np.tril(np.ones((n_q, n_k)), k=n_k - n_q) * -np.inf


@wrong()
def cm_minus_1e9(n_q, n_k):
    return np.triu(np.full((n_q, n_k), -1e9), k=n_k - n_q + 1)


@wrong()
def cm_n_k_square(n_q, n_k):
    return np.tri(n_k, dtype=bool)


@wrong(said="`abs`")
def cm_absolute_shift(n_q, n_k):
    return np.arange(n_k) <= np.arange(n_q)[:, None] + abs(n_k - n_q)


@wrong()
def cm_list(n_q, n_k):
    return [[j <= i + n_k - n_q for j in range(n_k)] for i in range(n_q)]


@wrong()
def cm_inverted_lower_off(n_q, n_k):
    return ~np.tril(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q - 1)


# handed over to PyTorch's twin
@wrong("built-in")
def cm_torch_built_in(n_q, n_k):
    from course_attn.in_torch.masks import causal_mask

    return causal_mask(n_q, n_k).numpy()


# is True where the key must not be seen, the wrong way round AND returns floats instead of bool
@wrong(author="fresh")
def fresh_cm_upper_floats(n_q, n_k):
    m = np.zeros((n_q, n_k))
    for i in range(n_q):
        for j in range(n_k):
            if j > i + n_k - n_q:
                m[i, j] = 1.0
    return m


# shifts the diagonal the wrong way, by n_q - n_k instead of n_k - n_q AND returns floats of 0 and 1
# instead of bool
@wrong(author="unseen")
def third_ma_tri_shift_float(n_q, n_k):
    return np.tri(n_q, n_k, n_q - n_k)


# counts the hidden keys by i from the end, so that the first query sees all and the last the
# fewest: the rows are turned round
@wrong(said="opposite order", author="unseen")
def fifth_ma_counted_from_end(n_q, n_k):
    mask = np.ones((n_q, n_k), dtype=bool)
    for i in range(n_q):
        if i > 0:
            mask[i, max(n_k - i, 0) :] = False
    return mask


# the offset has the wrong sign (n_q - n_k)
@wrong("offset-sign", author="blind")
def b6_masks_1(n_q, n_k):
    mask = np.zeros((n_q, n_k), dtype=bool)
    offset = n_q - n_k
    for i in range(n_q):
        for j in range(n_k):
            mask[i, j] = j <= i + offset
    return mask


# the offset is cut off at 0, so that with more queries than keys the first queries see keys
@wrong("shift-cut-at-0", author="blind")
def b7_masks_31(n_q, n_k):
    offset = max(0, n_k - n_q)
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        mask[i, : i + offset + 1] = True
    return mask


# Returns 0 and -inf to be added, not bool AND is aligned to the top left.
@wrong("top-left", "bias", author="blind")
def blind_additive_top_left(n_q, n_k):
    m = np.full((n_q, n_k), -np.inf)
    m[np.tril_indices(n_q, 0, n_k)] = 0
    return m


# own position is excluded (< instead of <=) AND the dtype is int, not bool
@wrong(
    "not-itself", "float", said="numbers 0 and 1 where truth values", author="blind"
)
def t20_strict_int(n_q, n_k):
    m = np.zeros((n_q, n_k), dtype=int)
    for i in range(n_q):
        for j in range(n_k):
            if j < i + n_k - n_q:
                m[i, j] = 1
    return m
