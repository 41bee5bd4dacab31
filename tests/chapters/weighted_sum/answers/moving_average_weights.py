"""Answers to `moving_average_weights`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ma_loops(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        low, high = max(0, i - window // 2), min(n, i + window // 2 + 1)
        out[i, low:high] = 1 / (high - low)
    return out


@right()
def ma_eyes(n, window):
    half = (window - 1) // 2
    band = sum(np.eye(n, k=k) for k in range(-half, half + 1))
    return band / band.sum(1)[:, None]


@right()
def ma_tri(n, window):
    band = np.tri(n, k=window // 2) - np.tri(n, k=-(window // 2) - 1)
    return band / band.sum(1, keepdims=True)


@right()
def ma_convolve(n, window):
    band = np.stack(
        [np.convolve(row, np.ones(window), mode="same") for row in np.eye(n)]
    )
    return band / band.sum(axis=1, keepdims=True)


@right(author="fresh")
def fresh_ma_convolved(n, window):
    boxes = [np.convolve(e, np.ones(window), "same") for e in np.eye(n)]
    return np.array([box / box.sum() for box in boxes])


@right(author="fresh")
def fresh_ma_plain_lists(n, window):
    reach = (window - 1) // 2
    table = []
    for i in range(n):
        first, last = max(0, i - reach), min(n - 1, i + reach)
        share = 1 / (last - first + 1)
        table.append([share * (first <= j <= last) for j in range(n)])
    return np.array(table)


@wrong()
def ma_negative_slice(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        out[i, i - window // 2 : i + window // 2 + 1] = 1
        out[i] /= max(out[i].sum(), 1)
    return out


@wrong()
def ma_stops_early(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        low, high = max(0, i - window // 2), min(n - 1, i + window // 2)
        out[i, low:high] = 1 / max(high - low, 1)
    return out


@wrong()
def ma_banded(n, window):
    return (
        sum(np.eye(n, k=k) for k in range(-(window // 2), window // 2 + 1)) / window
    )


@wrong()
def ma_true_false(n, window):
    i = np.arange(n)
    return np.abs(i[:, None] - i) <= window // 2


@wrong()
def ma_window_three(n, window):
    band = np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    return band / band.sum(axis=1, keepdims=True)


# the value at the edge is repeated
@wrong()
def ma_padded_with_the_edge(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(i - window // 2, i + window // 2 + 1):
            out[i, min(max(j, 0), n - 1)] += 1 / window
    return out


# at the edges the window is moved inward
@wrong(said="you move the window inward")
def ma_full_windows(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        start = min(max(i - window // 2, 0), n - window)
        out[i, start : start + window] = 1 / window
    return out


# the right end of the slice is excluded
@wrong()
def ma_one_short(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        low, high = max(0, i - window // 2), min(n, i + window // 2)
        out[i, low:high] = 1 / (high - low)
    return out


# rows should be divided as columns: keepdims
@wrong()
def ma_no_keepdims(n, window):
    i = np.arange(n)
    band = np.abs(i[:, None] - i) <= window // 2
    return band / band.sum(axis=1)


# negative start, and NaN from an empty mean
@wrong()
def ma_empty_slices(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        out[i, i - window // 2 : i + window // 2 + 1] = 1
    return out / out.sum(axis=1, keepdims=True)


# the slice starts at a negative index near the left edge, which counts from the end, so those rows
# stay empty or wrong
@wrong(author="fresh")
def fresh_ma_negative_slice(n, window):
    half = window // 2
    A = np.zeros((n, n))
    for i in range(n):
        A[i, i - half : i + half + 1] = 1
        A[i] = A[i] / max(A[i].sum(), 1)
    return A


# wraps around at the edges instead of using the values that exist AND leaves out the last position
# on the right
@wrong(author="fresh")
def fresh_ma_wrap_and_half_open(n, window):
    half = window // 2
    A = np.zeros((n, n))
    steps = range(-half, max(half, 1))
    for i in range(n):
        for step in steps:
            A[i, (i + step) % n] += 1 / len(steps)
    return A


# the window ends at i instead of being centered on i
@wrong(author="fresh")
def fresh_ma_trailing(n, window):
    def row(i):
        seen = [1.0 if i - window < j <= i else 0.0 for j in range(n)]
        return [s / sum(seen) for s in seen]

    return np.array([row(i) for i in range(n)])


# positions beyond the edge are moved onto the edge, so that the first and the last value count
# several times
@wrong(author="fresh")
def fresh_ma_clamped(n, window):
    half = window // 2
    offsets = np.arange(-half, half + 1)
    where = np.clip(np.arange(n)[:, None] + offsets, 0, n - 1)
    A = np.zeros((n, n))
    np.add.at(A, (np.arange(n)[:, None], where), 1 / window)
    return A


# where the window sticks out at an edge it counts the edge value again, instead of averaging over
# the values that exist
@wrong("edges-repeated", author="unseen")
def second_ws_repeats_the_edge(n, window):
    half = window // 2
    W = np.zeros((n, n))
    for i in range(n):
        for step in range(-half, half + 1):
            j = min(max(i + step, 0), n - 1)
            W[i, j] += 1 / window
    return W


# the window stops one short on the right, so it isn't centered AND every weight is 1 / window, so
# rows near the edges do not sum to 1
@wrong(author="unseen")
def second_ws_short_window_and_fixed_weight(n, window):
    half = window // 2
    return np.array(
        [
            [
                1 / window if j in range(i - half, i + half) else 0.0
                for j in range(n)
            ]
            for i in range(n)
        ]
    )


# near the edges it slides the window inward so that it always holds `window` values, instead of
# keeping it centered with fewer values
@wrong(author="unseen")
def third_ws_window_slides_inward(n, window):
    half = window // 2

    def start(i):
        return min(max(i - half, 0), n - window)

    return np.array(
        [
            [
                1 / window if start(i) <= j < start(i) + window else 0.0
                for j in range(n)
            ]
            for i in range(n)
        ]
    )


def _near(i, n, reach):
    return [j for j in range(n) if -reach - 1 <= j - i <= reach]


# the helper for the window reaches one too far to the left
@wrong(said="of `_near`", author="unseen")
def fourth_ws_window_left(n, window):
    W = np.zeros((n, n))
    for i in range(n):
        js = _near(i, n, window // 2)
        for j in js:
            W[i, j] = 1 / len(js)
    return W


# where the window leaves the data the edge value is counted again (clipped indices) instead of
# averaging over the values that exist
@wrong("edges-repeated", author="blind")
def b6_weighted_sum_2(n, window):
    A = np.zeros((n, n))
    half = window // 2
    for i in range(n):
        for k in range(-half, half + 1):
            j = min(max(i + k, 0), n - 1)
            A[i, j] += 1 / window
    return A


# the right end of the window is left out (range stops too early), and edge rows are divided by the
# full window
@wrong("edges", "right-end-missing", said="First: At the edges", author="blind")
def b6_weighted_sum_7(n, window):
    M = np.zeros((n, n))
    r = window // 2
    for row in range(n):
        start = max(0, row - r)
        stop = min(n, row + r)
        M[row, start:stop] = 1 / window
    return M


# forgets that the window is centered, begins at i
@wrong("looks-ahead", author="blind")
def own_weighted_sum_2(n, window):
    A = np.zeros((n, n))
    for i in range(n):
        end = min(n, i + window)
        A[i, i:end] = 1 / (end - i)
    return A


# the band is divided by the sums of its columns instead of those of its rows
@wrong("columns", author="blind")
def b7_weighted_sum_3(n, window):
    idx = np.arange(n)
    distance = np.abs(idx[:, None] - idx[None, :])
    band = (distance <= window // 2).astype(float)
    return band / band.sum(axis=0)
