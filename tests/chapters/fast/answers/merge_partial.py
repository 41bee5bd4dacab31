"""Answers to `merge_partial`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def mp_where(m1, l1, o1, m2, l2, o2):
    m = np.where(m1 > m2, m1, m2)
    f1 = np.where(np.isneginf(m1), 0, np.exp(m1 - m))
    f2 = np.where(np.isneginf(m2), 0, np.exp(m2 - m))
    return m, f1 * l1 + f2 * l2, np.expand_dims(f1, -1) * o1 + f2[..., None] * o2


@right()
def mp_nan_to_num(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f1, f2 = np.nan_to_num(np.exp(m1 - m)), np.nan_to_num(np.exp(m2 - m))
    return [m, l1 * f1 + l2 * f2, (o1.T * f1.T + o2.T * f2.T).T]


@right()
def mp_larger_and_smaller(m1, l1, o1, m2, l2, o2):
    swap = m2 > m1
    a, b = np.where(swap, m2, m1), np.where(swap, m1, m2)
    la, lb = np.where(swap, l2, l1), np.where(swap, l1, l2)
    oa = np.where(swap[..., None], o2, o1)
    ob = np.where(swap[..., None], o1, o2)
    f = np.exp(np.where(np.isinf(b), -np.inf, b - a))
    return a, la + f * lb, oa + np.einsum("...i,...id->...id", f, ob)


@right()
def mp_sum_as_a_column(m1, l1, o1, m2, l2, o2):
    """Carry l as one more column of o."""
    both = [np.concatenate([o, l[..., None]], -1) for o, l in ((o1, l1), (o2, l2))]
    m = np.max([m1, m2], axis=0)
    safe = np.maximum(m, np.finfo(m.dtype).min)
    out = sum(
        np.exp(part - safe)[..., None] * x
        for part, x in zip((m1, m2), both, strict=True)
    )
    return m, out[..., -1], out[..., :-1]


@right()
def mp_logarithms(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    safe = np.where(np.isfinite(m), m, 0)
    l = np.exp(np.logaddexp(m1 + np.log(l1), m2 + np.log(l2)) - safe)
    o = np.exp(m1 - safe)[..., None] * o1 + np.exp(m2 - safe)[..., None] * o2
    return m, l, o


@right()
def mp_case_by_case(m1, l1, o1, m2, l2, o2):
    """The smaller part shrinks by exp of the distance, and an infinite distance counts as 0."""
    gap = np.where(np.isneginf(np.maximum(m1, m2)), 0.0, m1 - m2)
    a, b = np.exp(np.minimum(gap, 0)), np.exp(np.minimum(-gap, 0))
    o = a[..., np.newaxis] * o1 + b[..., np.newaxis] * o2
    return np.fmax(m1, m2), a * l1 + b * l2, o


@right(author="fresh")
def fresh_mp_loops(m1, l1, o1, m2, l2, o2):
    m, l, o = m1.copy(), l1.copy(), o1.copy()
    for i in np.ndindex(*m.shape):
        if m2[i] == -np.inf:
            continue
        if m1[i] >= m2[i]:
            small = np.exp(m2[i] - m1[i])
            l[i] += small * l2[i]
            o[i] += small * o2[i]
        else:
            small = np.exp(m1[i] - m2[i])
            m[i] = m2[i]
            l[i] = small * l1[i] + l2[i]
            o[i] = small * o1[i] + o2[i]
    return m, l, o


@right(author="fresh")
def fresh_mp_stacked(m1, l1, o1, m2, l2, o2):
    M, L, O = np.stack([m1, m2]), np.stack([l1, l2]), np.stack([o1, o2])
    m = M.max(axis=0)
    alive = M > -np.inf
    C = np.exp(np.subtract(M, m, out=np.full_like(M, -np.inf), where=alive))
    return (
        m,
        np.einsum("p...,p...->...", C, L),
        np.einsum("p...i,p...iv->...iv", C, O),
    )


@wrong("second-not-rescaled", "infinity-minus-infinity")
def mp_one_side(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f = np.exp(m1 - m)
    return m, f * l1 + l2, f[..., None] * o1 + o2


@wrong("m1-for-the-maximum")
def mp_m1_kept(m1, l1, o1, m2, l2, o2):
    f = np.exp(m2 - m1)
    return m1, l1 + f * l2, o1 + f[..., None] * o2


@wrong("down-the-columns")
def mp_no_new_axis(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, f1 * l1 + f2 * l2, f1 * o1 + f2 * o2


@wrong()
def mp_python_max(m1, l1, o1, m2, l2, o2):
    m = max(m1, m2)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, f1 * l1 + f2 * l2, f1[..., None] * o1 + f2[..., None] * o2


@wrong("one-maximum-for-all")
def mp_overall_maximum(m1, l1, o1, m2, l2, o2):
    m = np.max([m1, m2])
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, f1 * l1 + f2 * l2, f1[..., None] * o1 + f2[..., None] * o2


@wrong("infinity-minus-infinity", "divided")
def mp_divided_at_the_end(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f1, f2 = np.exp(m1 - m), np.exp(m2 - m)
    l = f1 * l1 + f2 * l2
    return m, l, (f1[..., None] * o1 + f2[..., None] * o2) / l[..., None]


@wrong("first-by-the-factor-of-the-second", "infinity-minus-infinity")
def mp_running_wrong_side(m1, l1, o1, m2, l2, o2):
    """The old sum is rescaled although its maximum stayed, the new one is not."""
    m = np.maximum(m1, m2)
    f = np.exp(m2 - m)
    return m, f * l1 + l2, f[..., None] * o1 + o2


# l counts each part once: l1 and l2 are missing
@wrong()
def mp_factors_only(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    safe = np.where(np.isneginf(m), 0, m)
    a, b = np.exp(m1 - safe), np.exp(m2 - safe)
    return m, a + b, a[..., None] * o1 + b[..., None] * o2


# an empty query gets m = 0 instead of −∞
@wrong()
def mp_safe_returned(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    m = np.where(np.isneginf(m), 0.0, m)
    a, b = np.exp(m1 - m), np.exp(m2 - m)
    return m, a * l1 + b * l2, a[..., None] * o1 + b[..., None] * o2


# the factor of the second part has the sign of its exponent wrong
@wrong()
def mp_where_sign(m1, l1, o1, m2, l2, o2):
    m = np.where(m1 > m2, m1, m2)
    a = np.where(m1 > m2, 1.0, np.exp(m1 - m2))
    b = np.where(m2 > m1, 1.0, np.exp(m1 - m2))
    return m, a * l1 + b * l2, a[..., None] * o1 + b[..., None] * o2


# goes through exp(m), which overflows in float32 from 89 on
@wrong()
def mp_shift_above_700(m1, l1, o1, m2, l2, o2):
    big = np.maximum(np.abs(m1), np.abs(m2)).max() > 700
    m = np.maximum(m1, m2)
    t = np.where(np.isneginf(m), 0, m) if big or np.isinf(m1).any() else 0 * m
    a, b = np.exp(m1 - t), np.exp(m2 - t)
    scale = np.exp(t - np.where(np.isneginf(m), 0, m))
    l = (a * l1 + b * l2) * scale
    return m, l, (a[..., None] * o1 + b[..., None] * o2) * scale[..., None]


# hands it over to the course's PyTorch
@wrong("built-in")
def mp_through_torch(m1, l1, o1, m2, l2, o2):
    import torch

    from course_attn.in_torch.fast import merge_partial

    given = (torch.from_numpy(x) for x in (m1, l1, o1, m2, l2, o2))
    return tuple(x.numpy() for x in merge_partial(*given))


# a query that sees no key gets a finite m, the lowest number
@wrong("lowest-number", author="fresh")
def fresh_mp_nan_to_num(m1, l1, o1, m2, l2, o2):
    m1, m2 = np.nan_to_num(m1), np.nan_to_num(m2)  # no infinities, no trouble
    top = np.where(m1 > m2, m1, m2)
    with np.errstate(over="ignore"):
        shrink = [np.exp(m - top) for m in (m1, m2)]
    l = sum(s * l for s, l in zip(shrink, (l1, l2)))
    o = sum(s[..., None] * o for s, o in zip(shrink, (o1, o2)))
    return top, l, o


# decides once for all queries which part has the larger maximum, instead of taking the larger one
# for each query
@wrong(author="unseen")
def third_fa_one_winner(m1, l1, o1, m2, l2, o2):
    def shrink(old, new):
        return np.where(old == -np.inf, 0.0, np.exp(old - new))

    with np.errstate(all="ignore"):
        if np.max(m1) >= np.max(m2):
            m, w1, w2 = m1, np.ones_like(m1), shrink(m2, m1)
        else:
            m, w1, w2 = m2, shrink(m1, m2), np.ones_like(m2)
        return m, w1 * l1 + w2 * l2, w1[..., None] * o1 + w2[..., None] * o2


# returns as m the logarithm of the sum of both exponentials instead of the larger of the two maxima
@wrong("sum-for-the-maximum", author="unseen")
def fourth_fa_logaddexp(m1, l1, o1, m2, l2, o2):
    m = np.logaddexp(m1, m2)
    finite = np.where(np.isneginf(m), 0.0, m)
    c1, c2 = np.exp(m1 - finite), np.exp(m2 - finite)
    return m, c1 * l1 + c2 * l2, c1[..., None] * o1 + c2[..., None] * o2


# if any query saw no key in a part, that part is dropped for all queries, also for those that did
# see keys in it
@wrong(said="you drop that part for *all* queries", author="unseen")
def fifth_fa_all_or_nothing(m1, l1, o1, m2, l2, o2):
    if np.isneginf(m1).any():
        return m2, l2, o2
    if np.isneginf(m2).any():
        return m1, l1, o1
    m = np.maximum(m1, m2)
    shrink_1, shrink_2 = np.exp(m1 - m), np.exp(m2 - m)
    return (
        m,
        l1 * shrink_1 + l2 * shrink_2,
        o1 * shrink_1[..., None] + o2 * shrink_2[..., None],
    )


# the sums l are shrunk to the new maximum, the sums of values o are not
@wrong("o-not-rescaled", author="blind")
def b6_fast_2(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    safe = np.where(np.isinf(m), 0.0, m)
    l = l1 * np.exp(m1 - safe) + l2 * np.exp(m2 - safe)
    o = o1 + o2
    return m, l, o


# divides o by l already
@wrong("divided-safely", author="blind")
def own_fast_2(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    a = np.where(np.isneginf(m1), 0.0, np.exp(m1 - m))
    b = np.where(np.isneginf(m2), 0.0, np.exp(m2 - m))
    l = l1 * a + l2 * b
    o = (o1 * a[..., None] + o2 * b[..., None]) / np.where(l > 0, l, 1)[..., None]
    return m, l, o


# shortcut where any is empty
@wrong("down-the-columns", "one-empty-query-for-all", author="blind")
def own_fast_108(m1, l1, o1, m2, l2, o2):
    if np.isneginf(m1).any():
        return m2, l2, o2
    if np.isneginf(m2).any():
        return m1, l1, o1
    m = np.maximum(m1, m2)
    a, b = np.exp(m1 - m), np.exp(m2 - m)
    return m, l1 * a + l2 * b, o1 * a + o2 * b


# l1 and l2 are added as they are
@wrong("l-not-rescaled", author="blind")
def blind_l_plain(m1, l1, o1, m2, l2, o2):
    m = np.where(m1 > m2, m1, m2)
    with np.errstate(invalid="ignore"):
        f1 = np.where(np.isneginf(m1), 0.0, np.exp(m1 - m))
        f2 = np.where(np.isneginf(m2), 0.0, np.exp(m2 - m))
    o = np.expand_dims(f1, -1) * o1 + np.expand_dims(f2, -1) * o2
    return m, l1 + l2, o


# the factors are exchanged, and o is divided by l
@wrong("factors-swapped", "divided-safely", author="blind")
def blind_swapped_divided(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    m0 = np.where(m == -np.inf, 0.0, m)
    e1, e2 = np.exp(m1 - m0), np.exp(m2 - m0)
    l = e2 * l1 + e1 * l2
    o = e2[..., None] * o1 + e1[..., None] * o2
    return m, l, o / np.where(l == 0, 1.0, l)[..., None]


# powers of 2, and one maximum over all queries
@wrong("powers-of-2", "same-maximum-for-all", author="blind")
def t21_exp2_global(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    m = np.full_like(m, m.max())
    shift = np.where(np.isfinite(m), m, 0)
    f1 = np.exp2(m1 - shift)
    f2 = np.exp2(m2 - shift)
    return m, f1 * l1 + f2 * l2, f1[..., None] * o1 + f2[..., None] * o2


# the partial sums o are multiplied with their l as well, as if they had been divided by it
@wrong("o-times-l", author="blind")
def a22_o_times_l(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    ref = np.where(m == -np.inf, 0.0, m)
    w1 = l1 * np.exp(m1 - ref)
    w2 = l2 * np.exp(m2 - ref)
    l = w1 + w2
    o = w1[..., None] * o1 + w2[..., None] * o2
    return m, l, o


# m is logaddexp(m1, m2) instead of the maximum, and l2 is not rescaled
@wrong("l2-not-rescaled", "sum-for-the-maximum", author="blind")
def t10_h20_logaddexp_l2(m1, l1, o1, m2, l2, o2):
    m = np.logaddexp(m1, m2)
    safe = np.where(m == -np.inf, 0, m)
    f1 = np.exp(m1 - safe)
    f2 = np.exp(m2 - safe)
    l = f1 * l1 + l2
    o = f1[..., None] * o1 + f2[..., None] * o2
    return m, l, o


# in o the two factors are swapped, and -inf minus -inf gives NaN where neither part has a key
@wrong("factors-swapped-in-o", "infinity-minus-infinity", author="blind")
def t10_h21_swap_nan(m1, l1, o1, m2, l2, o2):
    new_m = np.where(m1 > m2, m1, m2)
    a = np.exp(m1 - new_m)
    b = np.exp(m2 - new_m)
    new_l = a * l1 + b * l2
    new_o = o1 * np.expand_dims(b, -1) + o2 * np.expand_dims(a, -1)
    return new_m, new_l, new_o


# exp(m - m1), guarded for -inf AND o is divided by l
@wrong("sign-guarded", "divided-safely", author="blind")
def d73_mp(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    safe = np.where(np.isneginf(m), 0.0, m)
    f1, f2 = np.exp(safe - m1), np.exp(safe - m2)
    f1 = np.where(np.isneginf(m1), 0, f1)
    f2 = np.where(np.isneginf(m2), 0, f2)
    l = l1 * f1 + l2 * f2
    o = o1 * f1[..., None] + o2 * f2[..., None]
    return m, l, o / np.where(l == 0, 1, l)[..., None]
