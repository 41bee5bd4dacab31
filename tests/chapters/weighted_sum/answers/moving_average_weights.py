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
def ma_true_false(n, window):
    i = np.arange(n)
    return np.abs(i[:, None] - i) <= window // 2


@wrong()
def ma_window_three(n, window):
    band = np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    return band / band.sum(axis=1, keepdims=True)


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


def _near(i, n, reach):
    return [j for j in range(n) if -reach - 1 <= j - i <= reach]


# the helper for the window reaches one too far to the left
@wrong("begins-too-early", author="unseen")
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
@wrong(
    "edges",
    "right-end-missing",
    said="At the edges you still divide",
    author="blind",
)
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


# negative indices wrap around: the left edge rows also average values from the right end
@wrong("negative-column", author="blind")
def k04_wraps(n, window):
    M = np.zeros((n, n))
    h = (window - 1) // 2
    for i in range(n):
        cols = [j for j in range(i - h, i + h + 1) if j < n]
        for j in cols:
            M[i, j] = 1 / len(cols)
    return M


# off by one: the last value on the right of the window is left out
@wrong("right-end-missing", author="blind")
def o48_short(n, window):
    half = (window - 1) // 2
    rows = []
    for i in range(n):
        js = [j for j in range(i - half, i + half) if 0 <= j < n] or [i]
        rows.append([1 / len(js) if j in js else 0.0 for j in range(n)])
    return np.array(rows)


# the window's last value (i+half) is left out AND edge rows are divided by the full number, so
# they do not sum to 1
@wrong("reach", said="all your weights are 0.5", author="blind")
def f8_v04_short_and_fixed_divisor(n, window):
    h = window // 2
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(i - h, i + h):
            if 0 <= j < n:
                out[i, j] = 1.0
    return out / max(window - 1, 1)


# wraps around at the edges AND the half-width is one too large
@wrong("one-too-wide", "wraps-around", author="blind")
def r36_circle(n, window):
    half = (window + 1) // 2
    W = np.zeros((n, n))
    for i in range(n):
        for step in range(-half, half + 1):
            W[i, (i + step) % n] = 1
    return W / W.sum(axis=1, keepdims=True)


# the right end is one too short, and a negative start gives an empty slice
@wrong("right-end-missing", "negative-start", author="blind")
def b15_ma_slices(n, window):
    half = window // 2
    out = np.zeros((n, n))
    for i in range(n):
        out[i, i - half : i + half] = 1
    sums = out.sum(axis=1, keepdims=True)
    sums[sums == 0] = 1
    return out / sums
