"""Answers to `masked_softmax`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def msm_minus_1e9(scores, mask):
    s = np.where(mask, scores, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True))
    return (
        e
        / e.sum(-1, keepdims=True)
        * np.broadcast_to(mask, scores.shape).any(-1, keepdims=True)
    )


@right()
def msm_masked_powers(scores, mask):
    low = scores.min(axis=-1, keepdims=True)
    top = np.where(mask, scores, low).max(axis=-1, keepdims=True)
    e = np.exp(np.minimum(scores - top, 0)) * mask
    return e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-30)


@right()
def msm_added_bias(scores, mask):
    s = scores + np.where(mask, 0.0, -np.inf)
    top = s.max(axis=-1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, 0.0))
    total = e.sum(axis=-1, keepdims=True)
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)


@right()
def msm_nan_to_num(scores, mask):
    hidden = np.where(mask, scores, -np.inf)
    e = np.exp(hidden - hidden.max(axis=-1, keepdims=True))
    return np.nan_to_num(e / e.sum(axis=-1, keepdims=True))


@right()
def msm_scipy_step(scores, mask):
    from scipy.special import softmax

    empty = ~np.broadcast_to(mask, scores.shape).any(axis=-1, keepdims=True)
    return np.where(
        empty, 0, softmax(np.where(mask | empty, scores, -np.inf), axis=-1)
    )


@right()
def msm_log_sum_exp(scores, mask):
    hidden = np.where(mask, scores, -np.inf)
    with np.errstate(all="ignore"):
        total = np.logaddexp.reduce(hidden, axis=-1, keepdims=True)
        weights = np.exp(hidden - np.where(np.isinf(total), 0, total))
    return weights


@right()
def msm_small_guard(scores, mask):
    hidden = np.where(mask, scores, -np.inf)
    top = np.nan_to_num(hidden.max(axis=-1, keepdims=True), neginf=0.0)
    powers = np.exp(hidden - top)
    return powers / (powers.sum(axis=-1, keepdims=True) + 1e-9)


@right(author="fresh")
def fresh_ms_row_by_row(scores, mask):
    allowed = np.broadcast_to(mask, scores.shape)
    weights = np.zeros_like(scores)
    for where in np.ndindex(*scores.shape[:-1]):
        chosen = np.flatnonzero(allowed[where])
        if len(chosen) == 0:
            continue
        some = scores[where][chosen]
        e = np.exp(some - some.max())
        weights[where][chosen] = e / e.sum()
    return weights


@right(author="fresh")
def fresh_ms_where_argument(scores, mask):
    top = np.max(scores, axis=-1, keepdims=True, where=mask, initial=-1e30)
    e = np.exp(np.where(mask, scores - top, -np.inf))
    total = np.einsum("...n->...", e)[..., None]
    return np.divide(e, total, out=np.zeros_like(e), where=total > 0)


@wrong()
def msm_no_broadcast(scores, mask):
    s = scores.copy()
    s[~mask] = -1e9
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * mask.any(-1, keepdims=True)


@wrong()
def msm_added_big_number(scores, mask):
    s = scores + (mask - 1) * 1e9
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@wrong()
def msm_no_shift(scores, mask):
    e = np.exp(scores) * mask
    return e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-12)


@wrong()
def msm_global_max(scores, mask):
    s = np.where(mask, scores, -np.inf)
    e = np.exp(s - np.max(s))
    return e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-12)


@wrong()
def msm_fill_minus_ten(scores, mask):
    s = np.where(mask, scores, -10)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@wrong()
def msm_zero_then_where(scores, mask):
    s = np.where(mask, scores, 0)
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.where(mask, e / e.sum(-1, keepdims=True), 0)


# shift only where scores exceed 700: float32
@wrong()
def msm_shift_above_700(scores, mask):
    s = np.where(mask, scores, -np.inf)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(top > 700, top, np.where(top < -700, top, 0)))
    return e / np.where(e.sum(-1, keepdims=True) == 0, 1, e.sum(-1, keepdims=True))


# takes a row for empty if its allowed scores are all 0
@wrong()
def msm_empty_by_scores(scores, mask):
    s = np.where(mask, scores, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * (scores * mask).any(-1, keepdims=True)


# the mask of the first batch entry for all
@wrong()
def msm_first_mask(scores, mask):
    m = mask if mask.ndim < 3 else mask.reshape(-1, *mask.shape[-2:])[0]
    s = np.where(m, scores, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * np.broadcast_to(m, scores.shape)


# a fill of -1000 is not low enough for all scores
@wrong()
def msm_fill_minus_thousand(scores, mask):
    s = np.where(mask, scores, -1000.0)
    e = np.exp(s - s.max(-1, keepdims=True))
    return (
        e
        / e.sum(-1, keepdims=True)
        * np.broadcast_to(mask, scores.shape).any(-1, keepdims=True)
    )


# only the allowed weights, compressed
@wrong()
def msm_compressed(scores, mask):
    s = scores[np.broadcast_to(mask, scores.shape)]
    e = np.exp(s - s.max())
    return e / e.sum()


# handed over to PyTorch's twin
@wrong("built-in")
def msm_torch_built_in(scores, mask):
    import torch

    from course_attn.in_torch.masks import masked_softmax

    return masked_softmax(torch.from_numpy(scores), torch.from_numpy(mask)).numpy()


# sets the forbidden weights to 0 after softmax without normalizing again
@wrong(author="fresh")
def fresh_ms_mask_after(scores, mask):
    shifted = scores - np.amax(scores, axis=-1)[..., None]
    weights = np.exp(shifted) / np.einsum("...n->...", np.exp(shifted))[..., None]
    return np.where(mask, weights, 0)


# hides the keys that the mask allows, the wrong way round AND gives NaN instead of zeros for a row
# with nothing to see
@wrong(author="fresh")
def fresh_ms_flipped_nan(scores, mask):
    s = np.where(mask, -np.inf, scores)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# takes a row for empty if its allowed scores are all 0: it asks whether the scores are true, not
# whether there are any
@wrong(author="unseen")
def second_ma_zero_is_nothing(scores, mask):
    mask = np.broadcast_to(mask, scores.shape)
    weights = np.zeros(scores.shape)
    for row in np.ndindex(scores.shape[:-1]):
        allowed = [s for s, m in zip(scores[row], mask[row]) if m]
        if not any(allowed):
            continue
        top = max(allowed)
        total = sum(np.exp(s - top) for s in allowed)
        for j in range(scores.shape[-1]):
            if mask[row][j]:
                weights[row][j] = np.exp(scores[row][j] - top) / total
    return weights


# leaves the loop over the rows at the first row with nothing allowed (break instead of continue),
# so that all rows after it stay zero too
@wrong(author="unseen")
def third_ma_break(scores, mask):
    n = scores.shape[-1]
    rows = scores.reshape(-1, n)
    allowed = np.broadcast_to(mask, scores.shape).reshape(-1, n)
    weights = np.zeros(rows.shape)
    for r in range(len(rows)):
        if not allowed[r].any():
            break  # nothing to see: zeros
        s = rows[r][allowed[r]]
        e = np.exp(s - s.max())
        weights[r][allowed[r]] = e / e.sum()
    return weights.reshape(scores.shape)


# hides with the finite number -50 instead of minus infinity
@wrong(said="how low may the scores be?", author="unseen")
def fifth_ma_fifty(scores, mask):
    mask = np.broadcast_to(mask, scores.shape)
    hidden = scores.copy()
    hidden[~mask] = -50
    top = hidden.max(axis=-1, keepdims=True)
    e = np.exp(hidden - top)
    a = e / e.sum(axis=-1, keepdims=True)
    return a * mask.any(axis=-1, keepdims=True)


# hidden scores are set to 0 before the softmax
@wrong("fill-zero", author="blind")
def own_masks_1(scores, mask):
    s = np.where(mask, scores, 0.0)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# the shift is the maximum over all scores, forbidden ones included, so the allowed powers underflow
# and the row becomes zeros
@wrong("renormalized-late-guarded", author="blind")
def b7_masks_32(scores, mask):
    shift = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - shift) * mask
    total = powers.sum(axis=-1, keepdims=True)
    return np.where(total > 0, powers / np.where(total > 0, total, 1), 0.0)


# forbidden scores are multiplied by 0, so they become 0 and still get weight e^0
@wrong("fill-zero", author="blind")
def b8_times_mask(scores, mask):
    s = scores * mask
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    w = e / e.sum(axis=-1, keepdims=True)
    return w * np.any(np.broadcast_to(mask, scores.shape), axis=-1, keepdims=True)


# -1e4 for forbidden scores is not low enough: allowed scores may lie near -1e4 too, so forbidden
# ones get weight there
@wrong(said="where all scores lie near −10,000", author="blind")
def b8_minus_1e4(scores, mask):
    allowed = np.broadcast_to(mask, scores.shape)
    filled = np.where(allowed, scores, -1e4)
    filled = filled - filled.max(axis=-1, keepdims=True)
    out = np.exp(filled)
    out /= out.sum(axis=-1, keepdims=True)
    out[~allowed.any(axis=-1)] = 0.0
    return out


# the special case of an empty row is only treated if the WHOLE mask is empty; a single empty row
# gets NaN
@wrong("empty-nan", said="ask each *row*", author="blind")
def b8_whole_mask(scores, mask):
    if not mask.any():
        return np.zeros(scores.shape)
    s = np.where(mask, scores, -np.inf)
    s = np.exp(s - s.max(-1, keepdims=True))
    return s / s.sum(-1, keepdims=True)


# no shift by the maximum, so exp overflows AND an empty row gives 0/0 = NaN
@wrong("no-shift", "empty-nan", author="blind")
def r30_both(scores, mask):
    e = np.exp(scores)
    e = np.where(mask, e, 0.0)
    return e / np.sum(e, axis=-1, keepdims=True)


# True is read as forbidden; and one maximum for the whole array
@wrong("polarity", "global-shift", author="blind")
def c6_polarity_and_max_k47(scores, mask):
    s = np.where(mask, -np.inf, scores)
    m = s.max()
    e = np.exp(s - m) if np.isfinite(m) else np.zeros(s.shape)
    tot = e.sum(axis=-1, keepdims=True)
    tot[tot == 0] = 1
    return e / tot


# no maximum is subtracted, and the mask comes after the division
@wrong("no-shift", "after-softmax", author="blind")
def q46_both(scores, mask):
    e = np.exp(scores)
    p = e / np.sum(e, axis=-1, keepdims=True)
    return np.where(mask, p, 0.0)


# The maximum is taken over scores * mask (at least 0 as soon as one is forbidden: very negative
# rows vanish) AND 1 is added to the sum.
@wrong("shift-with-zeros", "one-more", author="blind")
def blind_zero_max_plus_one(scores, mask):
    mask = np.broadcast_to(mask, scores.shape)
    biggest = np.max(scores * mask, axis=-1)[..., None]
    shifted = np.where(mask, scores - biggest, -np.inf)
    numerator = np.exp(shifted)
    return numerator / (1 + numerator.sum(axis=-1, keepdims=True))


# forbidden scores become 0 instead of -inf AND maximum and sum go over the whole array
@wrong("fill-zero", "over-everything", author="blind")
def q12_ms_times(scores, mask):
    masked = scores * mask
    ex = np.exp(masked - np.max(masked))
    return ex / np.sum(ex)


# forbidden scores become 0 AND the sums run down the columns
@wrong("fill-zero", "sum-down", author="blind")
def b26_zero_and_columns(scores, mask):
    s = np.where(mask, scores, 0.0)
    e = np.exp(s - s.max(-1, keepdims=True))
    t = e.sum(0)
    return e / np.where(t == 0, 1, t)
