"""Answers to `sliding_window_mask`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def sw_last_rows(n_q, n_k, window):
    n = max(n_q, n_k)
    square = np.triu(np.tri(n, dtype=bool), 1 - window)
    return square[n - n_q :, n - n_k :]


@right()
def sw_course_step(n_q, n_k, window):
    from course_attn.in_numpy.masks import causal_mask

    i, j = np.indices((n_q, n_k))
    return causal_mask(n_q, n_k) & (j > i + n_k - n_q - window)


@right()
def sw_bands(n_q, n_k, window):
    bands = [
        np.eye(n_q, n_k, n_k - n_q - d, dtype=bool) for d in range(min(window, n_k))
    ]
    return np.any(bands, axis=0)


@right(author="fresh")
def fresh_sw_slices(n_q, n_k, window):
    seen = np.zeros((n_q, n_k), bool)
    for i, p in enumerate(range(n_k - n_q, n_k)):
        seen[i, max(p - window + 1, 0) : max(p + 1, 0)] = True
    return seen


@right(author="fresh")
def fresh_sw_two_triangles(n_q, n_k, window):
    shift = n_k - n_q
    return np.tri(n_q, n_k, shift, bool) ^ np.tri(n_q, n_k, shift - window, bool)


@wrong()
def sw_triu(n_q, n_k, window):
    return np.triu(np.tri(n_q, n_k, n_k - n_q, dtype=bool), -window)


@wrong("centered")
def sw_half_window(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    return np.abs(i + n_k - n_q - j) <= window // 2


@wrong()
def sw_strict(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    p = i + n_k - n_q
    return (p - window < j) & (j < p)


@wrong("float")
def sw_integers(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    p = i + n_k - n_q
    return ((p - window < j) & (j <= p)).astype(int)


@wrong("negative-start", "negative-end")
def sw_negative_slice(n_q, n_k, window):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        at = i + n_k - n_q
        mask[i, at - window + 1 : at + 1] = True
    return mask


@wrong()
def sw_wrong_and(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    p = i + n_k - n_q
    return p - window < j <= p


@wrong("built-in")
def sw_built_in(n_q, n_k, window):
    from course_attn.in_numpy.masks import sliding_window_mask

    return sliding_window_mask(n_q, n_k, window=window)


# hides the window and shows what lies beyond
@wrong()
def sw_inverted_distance(n_q, n_k, window):
    return np.array(
        [[0 <= i + n_k - n_q - j >= window for j in range(n_k)] for i in range(n_q)]
    )


# aligned to the top left: query i stands at key i AND the mask holds integers, not bools
@wrong(author="fresh")
def fresh_sw_top_left_int(n_q, n_k, window):
    return np.array(
        [[1 if i - window < j <= i else 0 for j in range(n_k)] for i in range(n_q)]
    ).reshape(n_q, n_k)


# queries that stand before the first key are moved to it, so they see key 0 where they should see
# nothing
@wrong(author="fresh")
def fresh_sw_clamped(n_q, n_k, window):
    p = np.clip(np.arange(n_q) + n_k - n_q, 0, None)[:, None]
    back = p - np.arange(n_k)[None, :]
    return np.isin(back, range(window))


# aligns only the causal edge to the bottom right, and lets the window's lower edge start from i
# instead of from p = i + n_k - n_q
@wrong(author="unseen")
def second_fst_window_not_shifted(n_q, n_k, window):
    everything = np.ones((n_q, n_k), dtype=bool)
    not_later = np.tril(everything, k=n_k - n_q)
    near = np.triu(everything, k=1 - window)
    return not_later & near


# lets every query see only the last keys of the whole sequence, instead of the last ones up to its
# own position
@wrong(said="The far end of your window stands still", author="unseen")
def fourth_fa_window_at_end(n_q, n_k, window):
    rows = [
        [n_k - window <= j <= i + n_k - n_q for j in range(n_k)] for i in range(n_q)
    ]
    return np.array(rows, dtype=bool).reshape(n_q, n_k)


# aligns the mask to the top left AND lets the window hold one key too many
@wrong(said="aligned to the top left", author="unseen")
def fifth_fa_two_in_window(n_q, n_k, window):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        for back in range(window + 1):
            if 0 <= i - back < n_k:
                mask[i, i - back] = True
    return mask


# every row gets a full window of keys, also near the start, where the window then reaches past the
# query's own position into the future
@wrong(said="Near the start your window still holds `window` keys", author="unseen")
def fifth_fa_always_full(n_q, n_k, window):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        p = i + n_k - n_q
        if p < 0:
            continue
        start = p - window + 1
        if start < 0:
            start = 0
        mask[i, start : start + window] = True
    return mask


# wide window returns all True
@wrong("row", said="where this holds, the result is wrong", author="blind")
def own_fast_114(n_q, n_k, window):
    if window >= n_k:
        return np.ones((n_q, n_k), dtype=bool)
    p = np.arange(n_q)[:, None] + n_k - n_q
    j = np.arange(n_k)
    return (j <= p) & (j > p - window)


# a slice that starts at a negative number counts from the end
@wrong("negative-start", author="blind")
def blind_wrap(n_q, n_k, window):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        p = i + n_k - n_q
        if p < 0:
            continue
        mask[i, p - window + 1 : p + 1] = True
    return mask


# a slice that stops at a negative number counts from the end
@wrong("negative-end", author="blind")
def blind_negative_end(n_q, n_k, window):
    M = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        p = i + (n_k - n_q)
        start = max(0, p + 1 - window)
        M[i, start : p + 1] = True
    return M


# fixed blocks in place of a window that slides
@wrong("blocks", author="blind")
def blind_blocks(n_q, n_k, window):
    j = np.arange(n_k)
    p = np.arange(n_q)[:, None] + n_k - n_q
    return (j <= p) & (j // window == p // window)


# p is clamped to 0: queries before the sequence see key 0
@wrong("clamped", author="blind")
def blind_clamped(n_q, n_k, window):
    p = np.maximum(np.arange(n_q) + n_k - n_q, 0)[:, None]
    j = np.arange(n_k)[None, :]
    return (j <= p) & (j > p - window)


# aligned to the top left, and the query's own position is not counted
@wrong(
    "one-too-far",
    "top-left",
    said="query 2 should see the keys [3, 4]",
    author="blind",
)
def q31_both(n_q, n_k, window):
    rows = []
    for i in range(n_q):
        rows.append([i - window <= j <= i for j in range(n_k)])
    return np.array(rows, dtype=bool).reshape(n_q, n_k)


# the offset has the wrong sign (i + n_q - n_k) AND the window is one key too short
@wrong("one-too-near", "wrong-way", author="blind")
def d52_sign_short(n_q, n_k, window):
    rows = np.arange(n_q).reshape(-1, 1)
    cols = np.arange(n_k)
    pos = rows + n_q - n_k
    lower = pos - window + 1
    return np.logical_and(cols > lower, cols <= pos)


# the window is one too wide (triu one diagonal too low) AND True and False are swapped
@wrong("one-too-far", "inverted", author="blind")
def v11_wide_and_inverted(n_q, n_k, window):
    off = n_k - n_q
    ones = np.ones((n_q, n_k), dtype=bool)
    see = np.tril(ones, k=off) & np.triu(ones, k=off - window)
    return ~see
