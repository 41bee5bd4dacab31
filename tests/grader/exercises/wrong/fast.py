"""Wrong answers to the exercises of `fast` as learners write them. Each must be refused."""

import numpy as np

from tests.grader.exercises.answers import Answers

answers = Answers()

# merge_partial


@answers("merge_partial", "not-rescaled")
def mp_added(m1, l1, o1, m2, l2, o2):
    return np.maximum(m1, m2), l1 + l2, o1 + o2


@answers("merge_partial", "second-not-rescaled", "infinity-minus-infinity")
def mp_one_side(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f = np.exp(m1 - m)
    return m, f * l1 + l2, f[..., None] * o1 + o2


@answers("merge_partial", "infinity-minus-infinity")
def mp_no_guard(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, f1 * l1 + f2 * l2, f1[..., None] * o1 + f2[..., None] * o2


@answers("merge_partial", "known-here")
def mp_m1_kept(m1, l1, o1, m2, l2, o2):
    f = np.exp(m2 - m1)
    return m1, l1 + f * l2, o1 + f[..., None] * o2


@answers("merge_partial", "down-the-columns")
def mp_no_new_axis(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, f1 * l1 + f2 * l2, f1 * o1 + f2 * o2


@answers("merge_partial")
def mp_python_max(m1, l1, o1, m2, l2, o2):
    m = max(m1, m2)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, f1 * l1 + f2 * l2, f1[..., None] * o1 + f2[..., None] * o2


@answers("merge_partial", "one-maximum-for-all")
def mp_overall_maximum(m1, l1, o1, m2, l2, o2):
    m = np.max([m1, m2])
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, f1 * l1 + f2 * l2, f1[..., None] * o1 + f2[..., None] * o2


@answers("merge_partial", "infinity-minus-infinity", "divided")
def mp_divided_at_the_end(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    l = f1 * l1 + f2 * l2
    return m, l, (f1[..., None] * o1 + f2[..., None] * o2) / l[..., None]


@answers("merge_partial", "in-place")
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


@answers("merge_partial", "fails-empty", "not-empty")
def mp_finite_in_place_of_infinity(m1, l1, o1, m2, l2, o2):
    m = np.maximum(np.maximum(m1, m2), -1e30)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, f1 * l1 + f2 * l2, f1[..., None] * o1 + f2[..., None] * o2


@answers("merge_partial", "one-result")
def mp_only_the_output(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return (f1[..., None] * o1 + f2[..., None] * o2) / (f1 * l1 + f2 * l2)[
        ..., None
    ]


@answers("merge_partial", "by-hand")
def mp_running_wrong_side(m1, l1, o1, m2, l2, o2):
    """The old sum is rescaled although its maximum stayed, the new one is not."""
    m = np.maximum(m1, m2)
    f = np.exp(m2 - m)
    return m, f * l1 + l2, f[..., None] * o1 + o2


# online_softmax


@answers("online_softmax", "not-rescaled", "infinity-minus-infinity")
def os_no_rescaling(scores, block):
    m = np.full((*scores.shape[:-1], 1), -np.inf)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], block):
        part = scores[..., i : i + block]
        m = np.maximum(m, part.max(-1, keepdims=True))
        l += np.exp(part - m).sum(-1, keepdims=True)
    return np.exp(scores - m) / l


@answers("online_softmax", "infinity-minus-infinity")
def os_natural(scores, block):
    m = np.full((*scores.shape[:-1], 1), -np.inf)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], block):
        part = scores[..., i : i + block]
        new = np.maximum(m, part.max(-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l


@answers("online_softmax", "tail-not-summed", "empty-row")
def os_full_blocks(scores, block):
    m = np.full((*scores.shape[:-1], 1), np.finfo(scores.dtype).min)
    l = np.zeros_like(m)
    for b in range(scores.shape[-1] // block):
        part = scores[..., b * block : (b + 1) * block]
        new = np.maximum(m, part.max(-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l


@answers("online_softmax", "known-here")
def os_each_block(scores, block):
    out = np.empty_like(scores)
    for i in range(0, scores.shape[-1], block):
        e = np.exp(scores[..., i : i + block])
        out[..., i : i + block] = e / e.sum(-1, keepdims=True)
    return out


@answers("online_softmax", "unshifted", "empty-row")
def os_no_maximum(scores, block):
    l = 0
    for i in range(0, scores.shape[-1], block):
        l = l + np.exp(scores[..., i : i + block]).sum(-1, keepdims=True)
    return np.exp(scores) / l


@answers("online_softmax", "maximum-from-0", "empty-row")
def os_from_zero(scores, block):
    m, l = 0, 0
    for i in range(0, scores.shape[-1], block):
        part = scores[..., i : i + block]
        new = np.maximum(m, part.max(-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l


@answers("online_softmax", "maximum-of-the-block", "infinity-minus-infinity")
def os_last_block_maximum(scores, block):
    m = np.full((*scores.shape[:-1], 1), -np.inf)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], block):
        part = scores[..., i : i + block]
        new = part.max(-1, keepdims=True)
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l


@answers("online_softmax", "built-in")
def os_handed_over(scores, block):
    from scipy.special import softmax

    with np.errstate(all="ignore"):
        return np.nan_to_num(softmax(scores, axis=-1))


@answers("online_softmax", "built-in")
def os_handed_over_to_the_course(scores, block):
    from course_attn.in_numpy.masks import masked_softmax

    return masked_softmax(scores)


@answers("online_softmax")
def os_first_axis(scores, block):
    m = np.full((*scores.shape[:-1], 1), -1e30)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[0], block):
        part = scores[i : i + block]
        new = np.maximum(m[i : i + block], part.max(-1, keepdims=True))
        l[i : i + block] += np.exp(part - new).sum(-1, keepdims=True)
        m[i : i + block] = new
    return np.exp(scores - m) / l


@answers("online_softmax", "one-maximum-for-all-rows", "empty-row")
def os_global_maximum_in_block(scores, block):
    m, l = -np.inf, 0
    for i in range(0, scores.shape[-1], block):
        part = scores[..., i : i + block]
        new = max(m, part.max())
        l = l * np.exp(m - new) + np.exp(part - new).sum(-1, keepdims=True)
        m = new
    return np.exp(scores - m) / l
