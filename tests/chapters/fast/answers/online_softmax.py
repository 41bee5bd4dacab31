"""Answers to `online_softmax`."""

import math
from functools import reduce

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def os_lowest(scores, tile):
    low = np.finfo(scores.dtype).min
    m = np.full(scores.shape[:-1], low, scores.dtype)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        new = np.maximum(m, part.max(-1))
        l = l * np.exp(m - new) + np.exp(part - new[..., None]).sum(-1)
        m = new
    weights = np.exp(scores - m[..., None])
    return weights / np.where(l > 0, l, 1)[..., None]


@right()
def os_rescaled_along(scores, tile):
    """One pass: the powers of earlier blocks are rescaled with the sum."""
    powers = np.zeros_like(scores)
    m = np.full((*scores.shape[:-1], 1), -1e30, scores.dtype)
    i = 0
    while i < scores.shape[-1]:
        part = scores[..., i : i + tile]
        new = np.maximum(m, np.max(part, axis=-1, keepdims=True))
        powers *= np.exp(m - new)
        powers[..., i : i + tile] = np.exp(part - new)
        m, i = new, i + tile
    total = powers.sum(-1, keepdims=True)
    return np.divide(powers, total, out=np.zeros_like(powers), where=total > 0)


@right()
def os_array_split(scores, tile):
    """Take all blocks' maxima and sums, and merge them afterward."""
    n = scores.shape[-1]
    parts = [scores[..., i : i + tile] for i in range(0, n, tile)]
    tops = np.stack([part.max(-1) for part in parts], -1)
    safe = np.where(np.isinf(tops), 0, tops)
    sums = np.stack(
        [np.exp(part - safe[..., i, None]).sum(-1) for i, part in enumerate(parts)],
        -1,
    )
    m = safe.max(-1, keepdims=True) if np.isfinite(tops).all() else None
    if m is None:
        m = np.nan_to_num(tops.max(-1, keepdims=True), neginf=0.0)
    l = (sums * np.where(np.isinf(tops), 0, np.exp(tops - m))).sum(
        -1, keepdims=True
    )
    weights = [np.exp(part - m) / np.where(l == 0, 1, l) for part in parts]
    return np.concatenate(weights, -1)


@right()
def os_logarithm(scores, tile):
    """Keep one number, m + log l."""
    both = np.full((*scores.shape[:-1], 1), -np.inf)
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        both = np.logaddexp(both, np.logaddexp.reduce(part, axis=-1, keepdims=True))
    return np.nan_to_num(np.exp(scores - both))


@right()
def os_with_softmax_of_blocks(scores, tile):
    from course_attn.in_numpy.masks import masked_softmax

    n = scores.shape[-1]
    parts = [scores[..., i : i + tile] for i in range(0, n, tile)]
    sums = np.stack([np.logaddexp.reduce(part, axis=-1) for part in parts], -1)
    top = np.nan_to_num(sums.max(-1, keepdims=True), neginf=0.0)
    shares = np.exp(sums - top)
    total = shares.sum(-1, keepdims=True)
    shares = shares / np.where(total == 0, 1, total)
    out = [
        masked_softmax(np.ascontiguousarray(p)) * shares[..., i, None]
        for i, p in enumerate(parts)
    ]
    return np.concatenate(out, -1)


@right()
def os_merged(scores, tile):
    from course_attn.in_numpy.fast import merge_partial

    rows = np.atleast_2d(scores).astype(float)
    m = np.full(rows.shape[:-1], -np.inf)
    one = m, np.zeros_like(m), np.zeros((*m.shape, 1))
    for i in range(0, rows.shape[-1], tile):
        part = rows[..., i : i + tile]
        m = part.max(-1)
        powers = np.exp(part - np.where(np.isinf(m), 0, m)[..., None])
        one = merge_partial(*one, m, powers.sum(-1), np.zeros((*m.shape, 1)))
    m, l, _ = one
    safe = np.where(np.isinf(m), 0, m)[..., None]
    weights = np.exp(rows - safe) / np.where(l == 0, 1, l)[..., None]
    return weights.reshape(scores.shape)


@right(author="fresh")
def fresh_os_row_by_row(scores, tile):
    out = np.zeros_like(scores)
    starts = range(0, scores.shape[-1], tile)
    for row in np.ndindex(*scores.shape[:-1]):
        m, l = -math.inf, 0.0
        for start in starts:
            for s in scores[(*row, slice(start, start + tile))].tolist():
                if s > m:
                    m, l = s, l * math.exp(m - s) + 1.0
                elif s > -math.inf:
                    l += math.exp(s - m)
        if m == -math.inf:
            continue
        for start in starts:
            place = (*row, slice(start, start + tile))
            out[place] = [math.exp(s - m) / l for s in scores[place].tolist()]
    return out


@right(author="fresh")
def fresh_os_reduce(scores, tile):
    n = scores.shape[-1]
    lowest = np.finfo(scores.dtype).min

    def cut(start):
        return scores[..., start : start + tile]

    def look(state, start):
        m, l = state
        part = cut(start)
        new = np.maximum(m, part.max(axis=-1))
        with np.errstate(over="ignore"):
            shrink = np.exp(m - new)
        return new, l * shrink + np.exp(part - new[..., None]).sum(axis=-1)

    blank = np.full(scores.shape[:-1], lowest, scores.dtype)
    m, l = reduce(look, range(0, n, tile), (blank, np.zeros_like(blank)))
    l = np.where(l > 0, l, 1).astype(scores.dtype)
    weights = np.empty_like(scores)
    for start in range(0, n, tile):
        exps = np.exp(cut(start) - m[..., None])
        weights[..., start : start + tile] = exps / l[..., None]
    return weights


@wrong("not-rescaled", "infinity-minus-infinity")
def os_no_rescaling(scores, tile):
    m = np.full((*scores.shape[:-1], 1), -np.inf)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        m = np.maximum(m, part.max(-1, keepdims=True))
        l += np.exp(part - m).sum(-1, keepdims=True)
    return np.exp(scores - m) / l


@wrong("infinity-minus-infinity")
def os_natural(scores, tile):
    m = np.full((*scores.shape[:-1], 1), -np.inf)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        new = np.maximum(m, part.max(-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l


@wrong("tail-not-summed", "empty-row")
def os_full_blocks(scores, tile):
    m = np.full((*scores.shape[:-1], 1), np.finfo(scores.dtype).min)
    l = np.zeros_like(m)
    for b in range(scores.shape[-1] // tile):
        part = scores[..., b * tile : (b + 1) * tile]
        new = np.maximum(m, part.max(-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l


@wrong("unshifted", "block-by-block")
def os_each_block(scores, tile):
    out = np.empty_like(scores)
    for i in range(0, scores.shape[-1], tile):
        e = np.exp(scores[..., i : i + tile])
        out[..., i : i + tile] = e / e.sum(-1, keepdims=True)
    return out


@wrong("unshifted", "empty-row")
def os_no_maximum(scores, tile):
    l = 0
    for i in range(0, scores.shape[-1], tile):
        l = l + np.exp(scores[..., i : i + tile]).sum(-1, keepdims=True)
    return np.exp(scores) / l


@wrong("maximum-from-0", "empty-row")
def os_from_zero(scores, tile):
    m, l = 0, 0
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        new = np.maximum(m, part.max(-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l


@wrong("maximum-of-the-block", "infinity-minus-infinity")
def os_last_block_maximum(scores, tile):
    m = np.full((*scores.shape[:-1], 1), -np.inf)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        new = part.max(-1, keepdims=True)
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l


@wrong("built-in")
def os_handed_over(scores, tile):
    from scipy.special import softmax

    with np.errstate(all="ignore"):
        return np.nan_to_num(softmax(scores, axis=-1))


@wrong("whole-rows")
def os_handed_over_to_the_course(scores, tile):
    from course_attn.in_numpy.masks import masked_softmax

    return masked_softmax(scores)


# the second pass uses the maximum of the last tile
@wrong()
def os_stale_maximum(scores, tile):
    m = np.full((*scores.shape[:-1], 1), np.finfo(scores.dtype).min, scores.dtype)
    l = np.zeros_like(m)
    top = m
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        top = np.maximum(part.max(-1, keepdims=True), np.finfo(scores.dtype).min)
        new = np.maximum(m, top)
        l, m = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True), new
    return np.exp(scores - top) / np.where(l == 0, 1, l)


# subtracts l instead of log l in the exponent
@wrong()
def os_no_log(scores, tile):
    m = np.full((*scores.shape[:-1], 1), -1e300 if scores.itemsize > 4 else -1e38)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        new = np.maximum(m, part.max(-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - (m + l))


# averages the softmaxes of the tiles instead of sharing one maximum and sum
@wrong()
def os_mean_of_tiles(scores, tile):
    starts = range(0, scores.shape[-1], tile)
    parts = [np.nan_to_num(scores[..., i : i + tile], neginf=-1e30) for i in starts]
    e = [np.exp(p - p.max(-1, keepdims=True)) for p in parts]
    return np.concatenate([p / p.sum(-1, keepdims=True) for p in e], -1) / len(e)


# when the maximum grows, l is multiplied by exp(new - old), so it grows where it should shrink
@wrong(author="fresh")
def fresh_os_grows(scores, tile):
    n = scores.shape[-1]
    m = np.full(scores.shape[:-1] + (1,), -np.inf, scores.dtype)
    l = np.zeros_like(m)
    for start in range(0, n, tile):
        part = scores[..., start : start + tile]
        new = np.maximum(m, part.max(axis=-1, keepdims=True))
        base = np.where(np.isneginf(new), 0, new)
        old = np.where(np.isneginf(m), base, m)
        with np.errstate(over="ignore", invalid="ignore"):
            l = l * np.exp(base - old) + np.exp(part - base).sum(-1, keepdims=True)
        m = new
    base = np.where(np.isneginf(m), 0, m)
    out = np.empty_like(scores)
    for start in range(0, n, tile):
        part = scores[..., start : start + tile]
        out[..., start : start + tile] = np.exp(part - base) / np.where(
            l == 0, 1, l
        )
    return out


# takes one maximum for all rows together, so rows far below it vanish AND rows or tiles of minus
# infinity alone give NaN
@wrong(author="fresh")
def fresh_os_global_max(scores, tile):
    m = -np.inf
    l = np.zeros((*scores.shape[:-1], 1), scores.dtype)
    cuts = range(tile, scores.shape[-1], tile)
    parts = np.split(scores, cuts, axis=-1)
    with np.errstate(all="ignore"):
        for part in parts:
            bigger = max(m, part.max())
            l = l * np.exp(m - bigger) + np.exp(part - bigger).sum(
                -1, keepdims=True
            )
            m = bigger
        weights = [np.exp(part - m) / l for part in parts]
    return np.concatenate(weights, axis=-1).astype(scores.dtype)


# writes the weights in the first pass already, with the largest score so far, and does not shrink
# them when a later tile has a larger one
@wrong(author="unseen")
def second_fst_weights_too_early(scores, tile):
    scores = np.asarray(scores, dtype=float)
    out = np.zeros(scores.shape)
    m = np.full(scores.shape[:-1] + (1,), -np.inf)
    total = np.zeros(scores.shape[:-1] + (1,))
    for start in range(0, scores.shape[-1], tile):
        part = scores[..., start : start + tile]
        m_new = np.maximum(m, part.max(axis=-1, keepdims=True))
        safe = np.where(np.isneginf(m_new), 0.0, m_new)
        e = np.exp(part - safe)
        total = total * np.exp(m - safe) + e.sum(axis=-1, keepdims=True)
        out[..., start : start + tile] = e
        m = m_new
    return out / np.where(total == 0, 1.0, total)


# starts the running maximum at -1000 instead of minus infinity: rows that lie below it become zeros
# or NaN
@wrong(said="how low may the scores be?", author="unseen")
def fifth_fa_starts_at_minus_thousand(scores, tile):
    n = scores.shape[-1]
    m = np.full(scores.shape[:-1], -1000.0)
    l = np.zeros(scores.shape[:-1])
    for start in range(0, n, tile):
        part = scores[..., start : start + tile]
        new = np.maximum(m, part.max(axis=-1))
        l = l * np.exp(m - new) + np.exp(part - new[..., None]).sum(axis=-1)
        m = new
    out = np.empty(scores.shape)
    for start in range(0, n, tile):
        part = scores[..., start : start + tile]
        out[..., start : start + tile] = np.exp(part - m[..., None])
    return out / np.where(l > 0, l, 1.0)[..., None]


# when the maximum grows, the sum is corrected only after the new tile has been added, so that the
# new tile is shrunk too
@wrong(said="The sum is rescaled too late", author="unseen")
def fifth_fa_late_correction(scores, tile):
    lowest = np.finfo(float).min
    pieces = [scores[..., s : s + tile] for s in range(0, scores.shape[-1], tile)]

    def look(rest, m, l):
        if not rest:
            return m, l
        new_m = np.maximum(m, rest[0].max(axis=-1, keepdims=True))
        l = l + np.exp(rest[0] - new_m).sum(axis=-1, keepdims=True)
        # nothing is to be corrected as long as no score has been seen
        l = l * np.where(m == lowest, 1.0, np.exp(np.maximum(m - new_m, -1e5)))
        return look(rest[1:], new_m, l)

    shape = (*scores.shape[:-1], 1)
    m, l = look(pieces, np.full(shape, lowest), np.zeros(shape))
    l = np.where(l == 0, 1.0, l)
    return np.concatenate([np.exp(piece - m) / l for piece in pieces], axis=-1)


# the loop over tiles leaves out a last tile that is shorter than the others
@wrong("last-tile", author="blind")
def b6_fast_3(scores, tile):
    n = scores.shape[-1]
    tile = min(tile, n)
    m = np.full(scores.shape[:-1] + (1,), -np.inf)
    l = np.zeros(scores.shape[:-1] + (1,))
    for t in range(n // tile):
        part = scores[..., t * tile : (t + 1) * tile]
        m_new = np.maximum(m, part.max(axis=-1, keepdims=True))
        ref = np.where(np.isneginf(m_new), 0.0, m_new)
        l = l * np.exp(m - ref) + np.exp(part - ref).sum(axis=-1, keepdims=True)
        m = m_new
    out = np.zeros(scores.shape)
    ref = np.where(np.isneginf(m), 0.0, m)
    for t in range(n // tile):
        sl = slice(t * tile, (t + 1) * tile)
        out[..., sl] = np.exp(scores[..., sl] - ref) / np.where(l > 0, l, 1.0)
    return out


# m starts at zeros_like, in the dtype of the scores
@wrong("maximum-from-0", author="blind")
def own_fast_107(scores, tile):
    n = scores.shape[-1]
    m = np.zeros(scores.shape[:-1] + (1,), dtype=scores.dtype)
    l = np.zeros_like(m)
    for a in range(0, n, tile):
        b = scores[..., a : a + tile]
        new = np.maximum(m, b.max(axis=-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(b - new).sum(axis=-1, keepdims=True)
        m = new
    out = np.empty_like(scores)
    for a in range(0, n, tile):
        out[..., a : a + tile] = np.exp(scores[..., a : a + tile] - m) / np.where(
            l == 0, 1, l
        )
    return out


# the second pass subtracts each tile's own maximum
@wrong("tile-maximum-at-last", author="blind")
def blind_tile_maximum(scores, tile):
    def finite(x):
        return np.where(np.isneginf(x), 0.0, x)

    spans = [slice(i, i + tile) for i in range(0, scores.shape[-1], tile)]
    m = np.full((*scores.shape[:-1], 1), -np.inf)
    l = np.zeros((*scores.shape[:-1], 1))
    for span in spans:
        s = scores[..., span]
        top = np.maximum(m, s.max(-1, keepdims=True))
        l = l * np.exp(m - finite(top)) + np.exp(s - finite(top)).sum(
            -1, keepdims=True
        )
        m = top
    out = np.zeros(scores.shape)
    for span in spans:
        s = scores[..., span]
        top = finite(s.max(-1, keepdims=True))
        out[..., span] = np.exp(s - top) / np.where(l > 0, l, 1)
    return out


# the correction factor is upside down, exp(new - old) AND a row of -inf alone (or a first tile
# of -inf) gives NaN
@wrong("upside-down", "infinity-minus-infinity", author="blind")
def v47_upside_down_and_nan(scores, tile):
    n = scores.shape[-1]
    first = scores[..., :tile]
    m = first.max(-1, keepdims=True)
    l = np.exp(first - m).sum(-1, keepdims=True)
    for a in range(tile, n, tile):
        t = scores[..., a : a + tile]
        new = np.maximum(m, t.max(-1, keepdims=True))
        l = l * np.exp(new - m) + np.exp(t - new).sum(-1, keepdims=True)
        m = new
    out = np.zeros_like(scores)
    for a in range(0, n, tile):
        out[..., a : a + tile] = np.exp(scores[..., a : a + tile] - m) / l
    return out


# the shrink factor is exp(new - old), growing, instead of exp(old - new) AND both loops run over
# n // tile tiles, so a shorter last tile is left out
@wrong("upside-down", "last-tile", author="blind")
def o08_sign_and_last(scores, tile):
    n = scores.shape[-1]
    m = np.full(scores.shape[:-1], -np.inf)
    l = np.zeros(scores.shape[:-1])
    for b in range(n // tile):
        s = scores[..., b * tile : (b + 1) * tile]
        m_new = np.maximum(m, s.max(axis=-1))
        ref = np.where(m_new == -np.inf, 0.0, m_new)
        old = np.where(m == -np.inf, ref, m)
        l = l * np.exp(ref - old) + np.exp(s - ref[..., None]).sum(axis=-1)
        m = m_new
    out = np.zeros(scores.shape)
    ref = np.where(m == -np.inf, 0.0, m)[..., None]
    for b in range(n // tile):
        s = scores[..., b * tile : (b + 1) * tile]
        out[..., b * tile : (b + 1) * tile] = (
            np.exp(s - ref) / np.where(l == 0, 1, l)[..., None]
        )
    return out


# the factor is exp(new - old), upside down AND the second pass starts at the second tile as the
# first does
@wrong("upside-down", "first-not-written", author="blind")
def f27_upside_down(scores, tile):
    scores = np.asarray(scores, dtype=float)
    n = scores.shape[-1]

    def finite(x):
        return np.where(np.isinf(x), 0.0, x)

    first = scores[..., :tile]
    m = first.max(axis=-1, keepdims=True)
    l = np.exp(first - finite(m)).sum(axis=-1, keepdims=True)
    for start in range(tile, n, tile):
        block = scores[..., start : start + tile]
        m_new = np.maximum(m, block.max(axis=-1, keepdims=True))
        factor = np.exp(finite(m_new) - finite(m))
        l = l * factor + np.exp(block - finite(m_new)).sum(axis=-1, keepdims=True)
        m = m_new
    weights = np.zeros_like(scores)
    for start in range(tile, n, tile):
        block = scores[..., start : start + tile]
        weights[..., start : start + tile] = np.exp(block - finite(m)) / np.where(
            l == 0, 1, l
        )
    return weights


# m starts at 0 instead of minus infinity AND the second pass does not subtract m
@wrong("maximum-from-0", "unshifted-at-last", author="blind")
def f28_zero_start(scores, tile):
    scores = np.asarray(scores, dtype=float)
    m = np.zeros(scores.shape[:-1])
    l = np.zeros(scores.shape[:-1])
    for a in range(0, scores.shape[-1], tile):
        chunk = scores[..., a : a + tile]
        bigger = np.maximum(m, chunk.max(axis=-1))
        l = l * np.exp(m - bigger) + np.exp(chunk - bigger[..., None]).sum(axis=-1)
        m = bigger
    denominator = np.where(l > 0, l, 1.0)[..., None]
    pieces = []
    for a in range(0, scores.shape[-1], tile):
        pieces.append(np.exp(scores[..., a : a + tile]) / denominator)
    return np.concatenate(pieces, axis=-1)


# m becomes the maximum of the latest tile, not of all so far (overflows) AND the division by l is
# forgotten
@wrong("maximum-of-the-block", "not-divided", author="blind")
def s09_latest_max_no_division(scores, tile):
    n = scores.shape[-1]
    m = np.full(scores.shape[:-1] + (1,), -np.inf)
    l = np.zeros(scores.shape[:-1] + (1,))
    start = 0
    while start < n:
        block = scores[..., start : start + tile]
        mx = block.max(axis=-1, keepdims=True)
        mx = np.where(np.isneginf(mx), 0.0, mx)
        l = np.exp(m - mx) * l + np.sum(np.exp(block - mx), axis=-1, keepdims=True)
        m = mx
        start += tile
    weights = np.empty(scores.shape)
    for start in range(0, n, tile):
        weights[..., start : start + tile] = np.exp(
            scores[..., start : start + tile] - m
        )
    return weights
