"""Wrong answers to the exercises of `fast` as learners write them. Each must be refused."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()

# merge_partial


@wrong("merge_partial", "not-rescaled")
def mp_added(m1, l1, o1, m2, l2, o2):
    return np.maximum(m1, m2), l1 + l2, o1 + o2


@wrong("merge_partial", "second-not-rescaled", "infinity-minus-infinity")
def mp_one_side(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f = np.exp(m1 - m)
    return m, f * l1 + l2, f[..., None] * o1 + o2


@wrong("merge_partial", "infinity-minus-infinity")
def mp_no_guard(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, f1 * l1 + f2 * l2, f1[..., None] * o1 + f2[..., None] * o2


@wrong("merge_partial", "m1-for-the-maximum")
def mp_m1_kept(m1, l1, o1, m2, l2, o2):
    f = np.exp(m2 - m1)
    return m1, l1 + f * l2, o1 + f[..., None] * o2


@wrong("merge_partial", "down-the-columns")
def mp_no_new_axis(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, f1 * l1 + f2 * l2, f1 * o1 + f2 * o2


@wrong("merge_partial")
def mp_python_max(m1, l1, o1, m2, l2, o2):
    m = max(m1, m2)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, f1 * l1 + f2 * l2, f1[..., None] * o1 + f2[..., None] * o2


@wrong("merge_partial", "one-maximum-for-all")
def mp_overall_maximum(m1, l1, o1, m2, l2, o2):
    m = np.max([m1, m2])
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, f1 * l1 + f2 * l2, f1[..., None] * o1 + f2[..., None] * o2


@wrong("merge_partial", "infinity-minus-infinity", "divided")
def mp_divided_at_the_end(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    l = f1 * l1 + f2 * l2
    return m, l, (f1[..., None] * o1 + f2[..., None] * o2) / l[..., None]


@wrong("merge_partial", "in-place")
def mp_in_place(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    safe = np.where(np.isinf(m), 0, m)
    l1 *= np.exp(m1 - safe)
    o1 *= np.exp(m1 - safe)[..., None]
    return (
        m,
        l1 + np.exp(m2 - safe) * l2,
        o1 + np.exp(m2 - safe)[..., None] * o2,
    )


@wrong("merge_partial", "fails-empty", "not-empty")
def mp_finite_in_place_of_infinity(m1, l1, o1, m2, l2, o2):
    m = np.maximum(np.maximum(m1, m2), -1e30)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, f1 * l1 + f2 * l2, f1[..., None] * o1 + f2[..., None] * o2


@wrong("merge_partial", "one-result")
def mp_only_the_output(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return (f1[..., None] * o1 + f2[..., None] * o2) / (f1 * l1 + f2 * l2)[
        ..., None
    ]


@wrong(
    "merge_partial",
    "first-by-the-factor-of-the-second",
    "infinity-minus-infinity",
)
def mp_running_wrong_side(m1, l1, o1, m2, l2, o2):
    """The old sum is rescaled although its maximum stayed, the new one is not."""
    m = np.maximum(m1, m2)
    f = np.exp(m2 - m)
    return m, f * l1 + l2, f[..., None] * o1 + o2


# online_softmax


@wrong("online_softmax", "not-rescaled", "infinity-minus-infinity")
def os_no_rescaling(scores, tile):
    m = np.full((*scores.shape[:-1], 1), -np.inf)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        m = np.maximum(m, part.max(-1, keepdims=True))
        l += np.exp(part - m).sum(-1, keepdims=True)
    return np.exp(scores - m) / l


@wrong("online_softmax", "infinity-minus-infinity")
def os_natural(scores, tile):
    m = np.full((*scores.shape[:-1], 1), -np.inf)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        new = np.maximum(m, part.max(-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l


@wrong("online_softmax", "tail-not-summed", "empty-row")
def os_full_blocks(scores, tile):
    m = np.full((*scores.shape[:-1], 1), np.finfo(scores.dtype).min)
    l = np.zeros_like(m)
    for b in range(scores.shape[-1] // tile):
        part = scores[..., b * tile : (b + 1) * tile]
        new = np.maximum(m, part.max(-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l


@wrong("online_softmax", "unshifted", "block-by-block")
def os_each_block(scores, tile):
    out = np.empty_like(scores)
    for i in range(0, scores.shape[-1], tile):
        e = np.exp(scores[..., i : i + tile])
        out[..., i : i + tile] = e / e.sum(-1, keepdims=True)
    return out


@wrong("online_softmax", "unshifted", "empty-row")
def os_no_maximum(scores, tile):
    l = 0
    for i in range(0, scores.shape[-1], tile):
        l = l + np.exp(scores[..., i : i + tile]).sum(-1, keepdims=True)
    return np.exp(scores) / l


@wrong("online_softmax", "maximum-from-0", "empty-row")
def os_from_zero(scores, tile):
    m, l = 0, 0
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        new = np.maximum(m, part.max(-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l


@wrong("online_softmax", "maximum-of-the-block", "infinity-minus-infinity")
def os_last_block_maximum(scores, tile):
    m = np.full((*scores.shape[:-1], 1), -np.inf)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        new = part.max(-1, keepdims=True)
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l


@wrong("online_softmax", "built-in")
def os_handed_over(scores, tile):
    from scipy.special import softmax

    with np.errstate(all="ignore"):
        return np.nan_to_num(softmax(scores, axis=-1))


@wrong("online_softmax", "whole-rows")
def os_handed_over_to_the_course(scores, tile):
    from course_attn.in_numpy.masks import masked_softmax

    return masked_softmax(scores)


@wrong("online_softmax")
def os_first_axis(scores, tile):
    m = np.full((*scores.shape[:-1], 1), -1e30)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[0], tile):
        part = scores[i : i + tile]
        new = np.maximum(m[i : i + tile], part.max(-1, keepdims=True))
        l[i : i + tile] += np.exp(part - new).sum(-1, keepdims=True)
        m[i : i + tile] = new
    return np.exp(scores - m) / l


@wrong("online_softmax", "one-maximum-for-all-rows", "empty-row")
def os_global_maximum_in_block(scores, tile):
    m, l = -np.inf, 0
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        new = max(m, part.max())
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l


# not declared: what a tutor would say of each


@wrong("merge_partial", mistake="l counts each part once: l1 and l2 are missing")
def mp_factors_only(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    safe = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(m1 - safe), np.exp(m2 - safe)
    return m, a + b, a[..., None] * o1 + b[..., None] * o2


@wrong("merge_partial", mistake="an empty query gets m = 0 instead of −∞")
def mp_safe_returned(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    m = np.where(np.isneginf(m), 0.0, m)
    a, b = np.exp(m1 - m), np.exp(m2 - m)
    return m, a * l1 + b * l2, a[..., None] * o1 + b[..., None] * o2


@wrong(
    "merge_partial",
    mistake="the factor of the second part has the sign of its exponent wrong",
)
def mp_where_sign(m1, l1, o1, m2, l2, o2):
    m = np.where(m1 > m2, m1, m2)
    a = np.where(m1 > m2, 1.0, np.exp(m1 - m2))
    b = np.where(m2 > m1, 1.0, np.exp(m1 - m2))
    return m, a * l1 + b * l2, a[..., None] * o1 + b[..., None] * o2


@wrong(
    "merge_partial",
    mistake="loops over the first axis only: with a batch, m1[i] is not one number",
)
def mp_loop_without_batch(m1, l1, o1, m2, l2, o2):
    m, l, o = np.empty_like(m1), np.empty_like(l1), np.empty_like(o1)
    for i in range(len(m1)):
        m[i] = max(m1[i], m2[i])
        top = 0.0 if m[i] == -np.inf else m[i]
        a, b = np.exp(m1[i] - top), np.exp(m2[i] - top)
        l[i], o[i] = a * l1[i] + b * l2[i], a * o1[i] + b * o2[i]
    return m, l, o


@wrong(
    "merge_partial", mistake="divides o by l; and 0/0 for queries without any key"
)
def mp_divided_unguarded(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    safe = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(m1 - safe), np.exp(m2 - safe)
    l = a * l1 + b * l2
    return m, l, (a[..., None] * o1 + b[..., None] * o2) / l[..., None]


@wrong(
    "merge_partial",
    mistake="goes through exp(m), which overflows in float32 from 89 on",
)
def mp_shift_above_700(m1, l1, o1, m2, l2, o2):
    big = np.maximum(np.abs(m1), np.abs(m2)).max() > 700
    m = np.maximum(m1, m2)
    t = np.where(np.isneginf(m), 0, m) if big or np.isinf(m1).any() else 0 * m
    a, b = np.exp(m1 - t), np.exp(m2 - t)
    scale = np.exp(t - np.where(np.isneginf(m), 0, m))
    l = (a * l1 + b * l2) * scale
    return m, l, (a[..., None] * o1 + b[..., None] * o2) * scale[..., None]


@wrong("merge_partial", "built-in", mistake="hands it over to the course's PyTorch")
def mp_through_torch(m1, l1, o1, m2, l2, o2):
    import torch

    from course_attn.in_torch.fast import merge_partial

    given = (torch.from_numpy(x) for x in (m1, l1, o1, m2, l2, o2))
    return tuple(x.numpy() for x in merge_partial(*given))


@wrong(
    "online_softmax", mistake="the second pass uses the maximum of the last tile"
)
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


@wrong("online_softmax", mistake="subtracts l instead of log l in the exponent")
def os_no_log(scores, tile):
    m = np.full((*scores.shape[:-1], 1), -1e300 if scores.itemsize > 4 else -1e38)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        new = np.maximum(m, part.max(-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - (m + l))


@wrong("online_softmax", mistake="m is overwritten before the old sum is rescaled")
def os_overwritten_first(scores, tile):
    out = np.zeros_like(scores)
    for where in np.ndindex(scores.shape[:-1]):
        m, l = -np.inf, 0.0
        for i in range(0, scores.shape[-1], tile):
            part = scores[where][i : i + tile]
            m = max(m, part.max())
            if m == -np.inf:
                continue
            l = l * np.exp(m - m) + np.exp(part - m).sum()
        if l:
            out[where] = np.exp(scores[where] - m) / l
    return out


@wrong(
    "online_softmax",
    mistake="averages the softmaxes of the tiles instead of sharing one maximum and sum",
)
def os_mean_of_tiles(scores, tile):
    starts = range(0, scores.shape[-1], tile)
    parts = [np.nan_to_num(scores[..., i : i + tile], neginf=-1e30) for i in starts]
    e = [np.exp(p - p.max(-1, keepdims=True)) for p in parts]
    return np.concatenate([p / p.sum(-1, keepdims=True) for p in e], -1) / len(e)


@wrong("online_softmax", "built-in", mistake="hands it over to torch.softmax")
def os_through_torch(scores, tile):
    import torch

    return np.nan_to_num(torch.softmax(torch.from_numpy(scores), -1).numpy())


@wrong(
    "online_softmax",
    mistake="starts the maximum at −10000, so that rows far below vanish",
)
def os_low_start(scores, tile):
    m = np.full((*scores.shape[:-1], 1), -1e4, scores.dtype)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        new = np.maximum(m, part.max(-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / np.where(l == 0, 1, l)


@wrong(
    "online_softmax",
    "whole-rows",
    mistake="a plain softmax that never looks at tiles",
)
def os_plain(scores, tile):
    top = np.max(scores, axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isneginf(top), 0.0, top))
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1.0, total)


@wrong(
    "online_softmax", "whole-rows", mistake="finds the maximum of whole rows first"
)
def os_maximum_first(scores, tile):
    top = scores.max(-1, keepdims=True)
    top = np.where(np.isneginf(top), 0.0, top)
    total = 0.0
    for i in range(0, scores.shape[-1], tile):
        total = total + np.exp(scores[..., i : i + tile] - top).sum(
            -1, keepdims=True
        )
    return np.exp(scores - top) / np.where(total == 0, 1.0, total)
