"""Answers to `softmax`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def sm_logsumexp(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    return np.exp(
        scores - (top + np.log(np.exp(scores - top).sum(axis=-1, keepdims=True)))
    )


@right()
def sm_scipy_logsumexp(scores):
    from scipy.special import logsumexp

    return np.exp(scores - logsumexp(scores, axis=-1, keepdims=True))


@right()
def sm_loops(scores):
    if scores.ndim > 1:
        return np.array([sm_loops(row) for row in scores])
    powers = [np.exp(s - max(scores)) for s in scores]
    return np.array([p / sum(powers) for p in powers])


@right()
def sm_pairwise(scores):
    with np.errstate(all="ignore"):
        differences = scores[..., None, :] - scores[..., :, None]
    differences[np.isnan(differences)] = 0  # -inf - -inf
    with np.errstate(over="ignore"):
        return np.where(
            np.isneginf(scores), 0, 1 / np.exp(differences).sum(axis=-1)
        )


@right()
def sm_own_copy(scores):
    out = np.array(scores)
    out -= out.max(-1)[..., None]
    np.exp(out, out)
    out /= out.sum(-1)[..., None]
    return out


@right()
def sm_float64_inside(scores):
    s = scores.astype(np.float64)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@right()
def sm_apply_along_axis(scores):
    def one(row):
        e = np.exp(row - row.max())
        return e / e.sum()

    return np.apply_along_axis(one, -1, scores)


@right()
def sm_base_two(scores):
    s = (scores - scores.max(axis=-1, keepdims=True)) * np.log2(np.e)
    return np.exp2(s) / np.exp2(s).sum(axis=-1, keepdims=True)


@right()
def sm_log_softmax_as_a_step(scores):
    from scipy.special import log_softmax

    return np.exp(log_softmax(scores, axis=-1))


@right()
def sm_flattened_rows(scores):
    rows = scores.reshape(-1, scores.shape[-1])
    e = np.exp(rows - rows.max(axis=1).reshape(-1, 1))
    return (e / e.sum(axis=1).reshape(-1, 1)).reshape(scores.shape)


@right(author="fresh")
def fresh_sm_row_by_row(scores):
    result = np.zeros(scores.shape, dtype=scores.dtype)
    for where in np.ndindex(scores.shape[:-1]):
        row = [float(s) for s in scores[where]]
        top = max(row)
        powers = [math.exp(s - top) for s in row]
        total = math.fsum(powers)
        result[where] = [p / total for p in powers]
    return result


@right(author="fresh")
def fresh_sm_sorted(scores):
    p = np.exp(scores - np.sort(scores, axis=-1)[..., -1:])
    return np.einsum("...j,...->...j", p, 1 / np.einsum("...j->...", p))


@wrong()
def sm_book_1d(scores):
    e = np.exp(scores - np.max(scores))
    return e / e.sum()


@wrong()
def sm_adds_the_max(scores):
    e = np.exp(scores + scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong()
def sm_divides_by_max(scores):
    e = np.exp(scores / np.abs(scores).max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong()
def sm_sum_before_exp(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.exp(shifted) / np.exp(shifted.sum(axis=-1, keepdims=True))


@wrong()
def sm_random(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) + 1e-3 * np.random.rand(  # noqa: NPY002
        *scores.shape
    )
    return e / e.sum(axis=-1, keepdims=True)


@wrong()
def sm_imports_it(scores):
    from scipy.special import softmax

    return softmax(scores, axis=-1)


@wrong()
def sm_squares(scores):
    e = scores**2
    return e / e.sum(axis=-1, keepdims=True)


@wrong()
def sm_shift_after_exp(scores):
    e = np.exp(scores)
    e = e - e.max(axis=-1, keepdims=True)
    return e / e.sum(axis=-1, keepdims=True)


# a float32 overflows at 89, not at 709
@wrong()
def sm_shift_above_700(scores):
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.abs(top) > 700, top, 0))
    return e / e.sum(axis=-1, keepdims=True)


# subtracts the smallest score
@wrong(said="`min` stands where `max` belongs")
def sm_min(scores):
    e = np.exp(scores - np.min(scores, -1)[..., None])
    return e / e.sum(-1)[..., None]


# subtracts the index of the maximum
@wrong("argmax-shift")
def sm_argmax(scores):
    e = np.exp(scores - np.argmax(scores, axis=-1)[..., None])
    return e / e.sum(-1)[..., None]


# the denominator is not shifted
@wrong("sum-not-shifted")
def sm_half_shifted(scores):
    m = scores.max(axis=-1, keepdims=True)
    return np.exp(scores - m) / np.exp(scores).sum(axis=-1, keepdims=True)


# divides by the largest power
@wrong(said="is `max` the right function here")
def sm_by_largest(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.max(axis=-1, keepdims=True)


# divides by the mean
@wrong("by-the-mean")
def sm_by_mean(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.mean(axis=-1, keepdims=True)


# divides by the norm
@wrong("by-the-norm")
def sm_by_norm(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / np.linalg.norm(e, axis=-1, keepdims=True)


# squeeze drops an axis of length 1
@wrong()
def sm_squeeze(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.squeeze(e / e.sum(axis=-1, keepdims=True))


# .T turns all axes around
@wrong(said="fails with leading batch axes")
def sm_with_t(scores):
    e = np.exp(scores.T - scores.max(axis=-1))
    return (e / e.sum(axis=0)).T


# a score of minus infinity is replaced by 0 and so gets a weight above 0
@wrong(author="fresh")
def fresh_sm_infinity_becomes_zero(scores):
    cleaned = np.where(np.isinf(scores), 0, scores).astype(scores.dtype)
    cleaned = cleaned - np.max(cleaned, axis=-1, keepdims=True)
    e = np.exp(cleaned)
    return e / np.sum(e, axis=-1, keepdims=True)


def _powers(x):
    return np.exp(x - x.max(axis=0, keepdims=True))


# its helper takes the largest of each column, not of each row
@wrong("column-shift", author="unseen")
def fourth_sm_helper_axis(scores):
    e = _powers(scores)
    return e / e.sum(axis=-1, keepdims=True)


def _row_softmax(row):
    total = 0.0
    powers = []
    for s in row:
        p = np.exp(s - max(row))
        powers.append(p)
        total = total + p * p
    return [p / total for p in powers]


# its helper adds the squares of the powers of e instead of the powers
@wrong(said="of `_row_softmax`, `total = total + p * p`", author="unseen")
def fourth_sm_squares_in_helper(scores):
    flat = scores.reshape(-1, scores.shape[-1])
    return np.array([_row_softmax(r) for r in flat]).reshape(scores.shape)


# clips the scores against overflow instead of subtracting the row's maximum
@wrong(
    "flattened", said="all numbers beyond a bound become alike here", author="blind"
)
def b6_softmax_1(scores):
    s = np.clip(scores, -700, 700)
    e = np.exp(s)
    return e / e.sum(axis=-1, keepdims=True)


# an entry of -inf is replaced by a score of 0, and the sum goes over the whole array
@wrong("infinity-as-0", "sum-of-all", author="blind")
def b6_softmax_7(scores):
    s = np.where(np.isinf(scores), 0.0, scores)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum()


# no shift and a sum over everything
@wrong("no-shift", "sum-of-all", author="blind")
def own_softmax_1(scores):
    return np.exp(scores) / np.exp(scores).sum()


# clip against overflow
@wrong(
    "flattened",
    said="all numbers beyond a bound become alike here, however far apart they are. Which step keeps exponents small and leaves the differences as they are",
    author="blind",
)
def own_softmax_105(scores):
    e = np.exp(np.clip(scores, -100, 100))
    return e / e.sum(axis=-1, keepdims=True)


# rows of one sequence only where two axes
@wrong(
    "fails-vector",
    "row-sums",
    said="where this holds, the result is wrong",
    author="blind",
)
def own_softmax_112(scores):
    if scores.ndim == 1:
        e = np.exp(scores - scores.max())
        return e / e.max()
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# maximum with initial=0
@wrong(
    "nan",
    said="is 0 right here, where all that is compared may be below 0",
    author="blind",
)
def own_softmax_115(scores):
    m = np.max(scores, axis=-1, keepdims=True, initial=0.0)
    e = np.exp(scores - m)
    return e / e.sum(axis=-1, keepdims=True)


# axis=1 is the last axis of two only
@wrong(
    said="`max` and `sum` run along axis 1 instead of along axis -1", author="blind"
)
def k07_axis_one(scores):
    shifted = scores - scores.max(axis=1, keepdims=True)
    num = np.exp(shifted)
    den = np.sum(num, axis=1, keepdims=True)
    return num / den


# shifts by the largest absolute value
@wrong("shift-by-size", author="blind")
def m05_abs_max(scores):
    largest = np.max(np.abs(scores), axis=-1, keepdims=True)
    e = np.exp(scores - largest)
    return e / np.sum(e, axis=-1, keepdims=True)


# shifts by the row's mean instead of its maximum
@wrong("mean-shift", author="blind")
def u40_mean(scores):
    shifted = scores - scores.mean(axis=-1, keepdims=True)
    z = np.exp(shifted)
    return z / np.sum(z, axis=-1, keepdims=True)


# base 2 instead of e AND divided by the sum of the whole array instead of the row's
@wrong("powers-of-2", "sum-of-all", author="blind")
def d04_base2_and_total(scores):
    top = scores.max(axis=-1)[..., None]
    powers = np.power(2.0, scores - top)
    return powers / np.sum(powers)


# divides by the root of n AND subtracts the largest of each column
@wrong("column-shift", "root-of-n", author="blind")
def d05_sqrtn(scores):
    z = scores / np.sqrt(scores.shape[-1])
    e = np.exp(z - z.max(axis=0))
    return e / e.sum(axis=-1, keepdims=True)
