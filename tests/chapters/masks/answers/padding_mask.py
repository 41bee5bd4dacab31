"""Answers to `padding_mask`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def pm_reshape(lengths, n_k):
    return np.arange(n_k).reshape(1, 1, -1) < lengths.reshape(-1, 1, 1)


@right()
def pm_stacked(lengths, n_k):
    return np.array([[[j < length for j in range(n_k)]] for length in lengths])


@right()
def pm_tri_rows(lengths, n_k):
    return np.tri(n_k + 1, n_k, -1, dtype=bool)[lengths][:, None]


@right()
def pm_cumulative(lengths, n_k):
    return np.cumsum(np.ones((len(lengths), 1, n_k)), axis=-1) <= lengths.reshape(
        -1, 1, 1
    )


@right(author="fresh")
def fresh_pm_slices(lengths, n_k):
    real = np.zeros((len(lengths), 1, n_k), dtype=bool)
    for row, length in zip(real, lengths):
        row[0, : int(length)] = True
    return real


@right(author="fresh")
def fresh_pm_rows_of_triangle(lengths, n_k):
    """Look the rows up in a table with a row for every possible length."""
    table = np.tri(n_k + 1, n_k, k=-1, dtype=bool)
    return table[np.asarray(lengths)][:, np.newaxis]


@wrong()
def pm_two_axes_off(lengths, n_k):
    return np.arange(n_k) <= lengths[:, None]


@wrong()
def pm_first_axis(lengths, n_k):
    return (np.arange(n_k) < lengths[:, None])[None]


@wrong("longest")
def pm_longest(lengths, n_k):
    return np.arange(lengths.max()) < lengths[:, None, None]


@wrong("one-too-few")
def pm_last_index(lengths, n_k):
    return np.arange(n_k) < lengths[:, None, None] - 1


# polarity flipped and off by one: > for <
@wrong()
def pm_greater(lengths, n_k):
    return np.arange(n_k) > lengths[:, None, None]


# one row per query, as many as keys
@wrong()
def pm_square(lengths, n_k):
    return np.broadcast_to(
        np.arange(n_k) < lengths[:, None, None], (len(lengths), n_k, n_k)
    )


# cuts the filling off from the end with a negative slice, which for a sequence without filling (-0)
# is the whole row
@wrong(author="fresh")
def fresh_pm_minus_zero(lengths, n_k):
    real = np.ones((len(lengths), 1, n_k), dtype=bool)
    for b, length in enumerate(lengths):
        filling = n_k - length
        real[b, 0, -filling:] = False
    return real


# puts the axis of length 1 last instead of in the middle AND is as wide as the longest sequence
# instead of n_k
@wrong(author="fresh")
def fresh_pm_axis_last_longest(lengths, n_k):
    longest = max(lengths)
    real = np.array([[j < n for j in range(longest)] for n in lengths], dtype=bool)
    return np.expand_dims(real, -1)


# takes the padding to come first (real keys at the end)
@wrong("filled-in-front", author="blind")
def b6_masks_3(lengths, n_k):
    cols = np.arange(n_k)
    real = cols[None, :] >= n_k - np.asarray(lengths)[:, None]
    return real[:, None, :]


# one mask for all (the longest length)
@wrong("one-for-all", author="blind")
def own_masks_2(lengths, n_k):
    lengths = np.asarray(lengths)
    m = np.arange(n_k) < lengths.max()
    return np.broadcast_to(m, (len(lengths), 1, n_k)).copy()


# marks the last length keys as real instead of the first (and for length 0, -0: marks all)
@wrong("last-by-slice", author="blind")
def fb_padding_mask_1(lengths, n_k):
    m = np.zeros((len(lengths), 1, n_k), dtype=bool)
    for b, L in enumerate(lengths):
        m[b, 0, -L:] = True
    return m


# counts the keys from 1 with <, so one real key too few; returns ints, not bool
@wrong("one-too-few", "numbers", author="blind")
def fb_padding_mask_2(lengths, n_k):
    positions = np.arange(1, n_k + 1)
    return (positions[None, None, :] < lengths[:, None, None]).astype(int)


# a length of 0 is treated as 1 so that no row is empty
@wrong("at-least-one", author="blind")
def b8_atleast1(lengths, n_k):
    lengths = np.maximum(lengths, 1)
    return np.arange(n_k)[None, None, :] < lengths[:, None, None]


# cuts off the padding by a negative slice, which is empty if there is no padding
@wrong("negative-slice", said="`:-0` none of it", author="blind")
def c6_negative_slice_i03(lengths, n_k):
    m = np.zeros((len(lengths), 1, n_k), dtype=bool)
    for b, L in enumerate(lengths):
        n_pad = n_k - L
        m[b, 0, :-n_pad] = True
    return m


# the new axis comes last
@wrong("query-axis-last", author="blind")
def r46_axis_last(lengths, n_k):
    real = np.array([[j < l for j in range(n_k)] for l in lengths], dtype=bool)
    return real.reshape(len(lengths), n_k, 1)


# the padding's own query rows are switched off, too
@wrong("queries-too", author="blind")
def u23_square(lengths, n_k):
    real = np.arange(n_k)[None, :] < np.asarray(lengths)[:, None]
    return real[:, :, None] & real[:, None, :]


# `<=`, and True for the padding
@wrong("turned", author="blind")
def b15_masks_not_up_to(lengths, n_k):
    pos = np.arange(n_k)
    return ~(pos[None, None, :] <= np.asarray(lengths)[:, None, None])
