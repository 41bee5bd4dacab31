"""Exercises of chapter 3, `softmax`: from scores to weights."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import (
    BuiltIn,
    Case,
    Context,
    Exercise,
    Fault,
    Kind,
    Property,
    Question,
    Reason,
    as_letters,
    number,
    span,
)

__all__ = ["EXERCISES"]


def _same(array: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return array


# --- softmax --------------------------------------------------------------------------------------


def softmax(scores):
    """Turn every row of scores into positive weights that sum to 1."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    powers = np.exp(shifted)
    return powers / powers.sum(axis=-1, keepdims=True)


def _softmax_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260301)
    draw = rng.standard_normal
    apart = draw((5, 7)) + np.array([[0.0], [3000.0], [-2500.0], [40.0], [-7000.0]])
    hidden = draw((7, 5))
    hidden[rng.uniform(size=hidden.shape) < 0.4] = -np.inf
    hidden[:, 2] = 1.5
    return (
        Case((np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]]),), "example"),
        Case((draw((5, 7)),)),
        Case((3 * draw((11, 3)),)),
        Case((draw((5, 5)),), "square"),
        Case((draw((2, 3, 5, 7)),), "batch"),
        Case((draw(7),), "vector"),
        Case((apart,), "large"),
        Case((hidden,), "minus-infinity"),
        Case((4 * draw((11, 13)).astype("f4"),), "float32"),
    )


def _row_max(scores: np.ndarray) -> np.ndarray:
    return scores.max(axis=-1, keepdims=True)


def _row_sum(powers: np.ndarray) -> np.ndarray:
    return powers.sum(axis=-1, keepdims=True)


def _columns(array: np.ndarray) -> int:
    return max(-2, -array.ndim)


def _weighed(
    scores: np.ndarray,
    *,
    prepare: Callable[..., Any] = _same,
    shift: Callable[..., Any] = _row_max,
    power: Callable[..., Any] = np.exp,
    total: Callable[..., Any] = _row_sum,
    finish: Callable[..., Any] = _same,
) -> np.ndarray:
    prepared = prepare(scores)
    powers = power(prepared - shift(prepared))
    return finish(powers / total(powers))


def _one_hot(scores: np.ndarray) -> np.ndarray:
    return (scores == _row_max(scores)).astype(scores.dtype)


def _twice(scores: np.ndarray) -> np.ndarray:
    return _weighed(_weighed(scores))


def _by_magnitude(scores: np.ndarray) -> np.ndarray:
    return scores / scores.sum(axis=-1, keepdims=True)


def _nan_rows(c: Context) -> str:
    return str(int(np.isnan(c.got).any(axis=-1).sum()))


_SOFTMAX_KINDS = {
    "large": Kind(
        "for rows that lie thousands apart",
        "`exp` overflows above 709 and vanishes below −745: each row needs a shift of its own.",
    ),
    "minus-infinity": Kind(
        "where some scores are −∞",
        "exp(−∞) is 0, as it should be. Look at what happens to −∞ before and after that.",
    ),
}


_SOFTMAX = Exercise(
    name="softmax",
    chapter="softmax",
    task="""
Write `softmax(scores)`: every row (last axis) becomes positive weights that sum to 1,
$a_j = e^{s_j} / \\sum_m e^{s_m}$. Shape (…, n) in and out; a single row (n,) too. It has to work
for scores of any size: rows may lie thousands apart, and entries may be −∞ (weight 0), with at
least one finite entry in each row.
""",
    reference=softmax,
    cases=_softmax_cases,
    variant=_weighed,
    kinds=_SOFTMAX_KINDS,
    faults=(
        Fault(
            "no-shift",
            {"shift": lambda scores: 0.0},
            lambda c: (
                "For small scores this is right, but exp of "
                f"{number(c.given['scores'].max())} is infinite, and ∞/∞ is NaN: "
                f"{_nan_rows(c)} of your rows here. Subtract the row's largest score first; that "
                "changes nothing in the result."
            ),
        ),
        Fault(
            "global-shift",
            {"shift": np.max},
            lambda c: (
                "You subtract one maximum, that of the whole array. A row that lies 800 below it "
                f"underflows to 0/0: {_nan_rows(c)} of your rows here are NaN. Each row needs its "
                "own maximum."
            ),
        ),
        Fault(
            "mean-shift",
            {"shift": lambda scores: scores.mean(axis=-1, keepdims=True)},
            "You subtract each row's *mean*. Where one score is −∞ the mean is −∞ too, and the row "
            "becomes NaN; and a score far above the mean still overflows. Subtract the maximum.",
        ),
        Fault(
            "column-shift",
            {
                "shift": lambda scores: scores.max(
                    axis=_columns(scores), keepdims=True
                )
            },
            "You subtract the maximum of each *column*. That changes the proportions inside a row; "
            "the shift has to be the same for all entries of a row.",
        ),
        Fault(
            "wrong-axis",
            {
                "shift": lambda scores: scores.max(
                    axis=_columns(scores), keepdims=True
                ),
                "total": lambda powers: powers.sum(
                    axis=_columns(powers), keepdims=True
                ),
            },
            lambda c: (
                f"Your columns sum to 1, and your rows to {c.sums()}. Each row holds the scores of "
                "one query: the sum runs along the last axis."
            ),
        ),
        Fault(
            "column-sum",
            {
                "total": lambda powers: powers.sum(
                    axis=_columns(powers), keepdims=True
                )
            },
            lambda c: (
                "The powers are divided by the sums of the columns: your rows sum to "
                f"{c.sums()}, not to 1."
            ),
        ),
        Fault(
            "whole-array",
            {"total": np.sum},
            lambda c: (
                "You divide by the sum over the whole array: all rows together sum to 1, and "
                f"single rows to {c.sums()}. Each row needs its own sum."
            ),
        ),
        Fault(
            "not-normalized",
            {"total": lambda powers: 1.0},
            lambda c: (
                f"The powers are not divided by their sum yet: your rows sum to {c.sums()}."
            ),
        ),
        Fault(
            "no-keepdims",
            {"total": lambda powers: powers.sum(axis=-1)},
            lambda c: (
                "The row sums are right, but laid out as a row: column j is divided by the sum of "
                f"row j, and your rows sum to {c.sums()}. `keepdims=True` keeps them a column."
            ),
        ),
        Fault(
            "sign",
            {"power": lambda shifted: np.exp(-shifted)},
            lambda c: (
                "The sign in the exponent is wrong: the smallest score gets the largest weight. "
                f"{c.row(of='scores')} became {c.row()}."
            ),
        ),
        Fault(
            "base-2",
            {"power": np.exp2},
            lambda c: (
                "You raise 2 to the scores, where e is asked for: your weights are too even, "
                f"{c.row()} instead of {c.row(of='expected')}."
            ),
        ),
        Fault(
            "no-exp",
            _by_magnitude,
            lambda c: (
                "You divide the scores by their sum without exponentiating: negative scores give "
                f"negative weights, and the first row becomes {c.row()}."
            ),
        ),
        Fault(
            "one-hot",
            _one_hot,
            "You put the whole weight on the largest score. Softmax is the *soft* version: every "
            "finite score gets some weight.",
        ),
        Fault(
            "twice",
            _twice,
            lambda c: (
                "The softmax is applied twice: weights are taken for scores again, which makes "
                f"them nearly even, {c.row()} instead of {c.row(of='expected')}."
            ),
        ),
        Fault(
            "log",
            {"finish": np.log},
            "You return the logarithms of the weights (that is log-softmax): they are negative, "
            "and it is their powers that sum to 1.",
        ),
        Fault(
            "sigmoid",
            lambda scores: 1 / (1 + np.exp(-scores)),
            lambda c: (
                "You apply the sigmoid to each score by itself: your rows sum to "
                f"{c.sums()}. In a softmax the entries of a row compete."
            ),
        ),
        Fault(
            "scaled",
            {"prepare": lambda scores: scores / np.sqrt(scores.shape[-1])},
            "You divide the scores by √n first. Scaling comes in chapter 5, and not by n.",
        ),
        Fault(
            "standardized",
            {
                "prepare": lambda s: (
                    (s - s.mean(axis=-1, keepdims=True)) / s.std(-1, keepdims=True)
                )
            },
            "You divide by the standard deviation of each row. A shift changes nothing, but such a "
            "scale changes how sharp the weights are.",
        ),
    ),
    properties=(
        Property(
            "row-sums",
            lambda c: (
                f"Your rows sum to {c.sums()}, and each should sum to 1."
                if c.got.ndim and not np.allclose(c.got.sum(axis=-1), 1, atol=1e-3)
                else None
            ),
        ),
        Property(
            "negative",
            lambda c: (
                f"Some of your weights are negative (down to {number(c.got.min())}); powers of e "
                "never are."
                if (c.got < 0).any()
                else None
            ),
        ),
        Property("rows-depend", lambda c: _rows_depend(c)),
        Property("not-shift-invariant", lambda c: _not_shift_invariant(c)),
    ),
    hints=(
        "Try scores of 1000 in your function. What is `np.exp(1000.)`? And what do you get if you "
        "add the same number to all scores of a row before softmax?",
        "Adding a constant to a row changes nothing in its weights. So choose the constant that "
        "makes the largest score 0: then no power exceeds 1, and their sum is at least 1.",
        "`scores.max(axis=-1, keepdims=True)` is one number for each row, kept as a column. "
        "Subtract it, take `np.exp`, divide by the sum along the same axis, also kept.",
    ),
    built_ins=(
        "scipy.special.softmax",
        "sklearn.utils.extmath.softmax",
        "course_attn.in_numpy.softmax.softmax",
    ),
)


def _rows_depend(c: Context) -> str | None:
    scores = c.given["scores"]
    if scores.ndim != 2 or len(scores) < 2:
        return None
    alone = c.call(scores[:1])
    if alone is None or alone.shape != (1, scores.shape[1]):
        return None
    if np.allclose(alone[0], c.got[0], rtol=1e-3, atol=1e-4):
        return None
    return (
        f"Row 0 comes out as {c.row()}, but without the other rows it would be "
        f"{_quoted(alone[0])}: the rows must not depend on each other."
    )


def _not_shift_invariant(c: Context) -> str | None:
    moved = c.call(c.given["scores"] + 1.0)
    if (
        moved is None
        or moved.shape != c.got.shape
        or np.allclose(moved, c.got, 1e-3, 1e-4)
    ):
        return None
    return "Adding 1 to all scores changes your weights; in a softmax it changes nothing."


def _quoted(row: np.ndarray) -> str:
    return f"[{', '.join(number(entry) for entry in row[:6])}{', …' if len(row) > 6 else ''}]"


# --- softmax_with_temperature ---------------------------------------------------------------------


def softmax_with_temperature(scores, temperature):
    """Turn every row of scores into weights; a low temperature sharpens them."""
    scaled = scores / temperature
    powers = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _temperature_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260302)
    draw = rng.standard_normal
    apart = draw((5, 7)) + np.array([[0.0], [1e4], [-9e3], [40.0], [-2e4]])
    return (
        Case((np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]]), 0.5), "example"),
        Case((draw((5, 7)), 0.7)),
        Case((draw((11, 3)), 3.0)),
        Case((draw((5, 5)), 1.7), "square"),
        Case((draw((2, 3, 5, 7)), 0.4), "batch"),
        Case((apart, 0.1), "large"),
        Case((draw((11, 13)).astype("f4"), 2.5), "float32"),
    )


def _tempered(
    scores: np.ndarray,
    temperature: float,
    *,
    scale: Callable[..., Any] = np.divide,
    shift: Callable[..., Any] = _row_max,
    total: Callable[..., Any] = _row_sum,
    finish: Callable[..., Any] = lambda weights, temperature: weights,
) -> np.ndarray:
    scaled = scale(scores, temperature)
    powers = np.exp(scaled - shift(scaled))
    return finish(powers / total(powers), temperature)


_TEMPERATURE = Exercise(
    name="softmax_with_temperature",
    chapter="softmax",
    task="""
Write `softmax_with_temperature(scores, temperature)`: the softmax of `scores / temperature` along
the last axis. A temperature (a number above 0) below 1 sharpens the weights, one above 1 evens them
out. Shape (…, n) in and out; you may use your own `softmax`.
""",
    reference=softmax_with_temperature,
    cases=_temperature_cases,
    variant=_tempered,
    kinds={
        "large": Kind(
            "for large scores at a low temperature",
            "Dividing by 0.1 makes scores ten times larger: shift *after* dividing.",
        ),
    },
    faults=(
        Fault(
            "multiplied",
            {"scale": np.multiply},
            lambda c: (
                "You multiply by the temperature where you should divide: at temperature "
                f"{number(c.given['temperature'])} your weights get "
                f"{'flatter' if c.given['temperature'] < 1 else 'sharper'}, and they should get "
                f"{'sharper' if c.given['temperature'] < 1 else 'flatter'}."
            ),
        ),
        Fault(
            "unused",
            {"scale": lambda scores, temperature: scores},
            "The temperature plays no part: your weights are those of temperature 1.",
        ),
        Fault(
            "after-softmax",
            {
                "scale": lambda scores, temperature: scores,
                "finish": lambda weights, temperature: weights / temperature,
            },
            lambda c: (
                "You divide the finished weights by the temperature, so your rows sum to "
                f"{c.sums()}. Divide the *scores*, before exp."
            ),
        ),
        Fault(
            "squared",
            {"scale": lambda scores, temperature: scores / temperature**2},
            "You divide by the temperature twice (or by its square): once is enough.",
        ),
        Fault(
            "root",
            {"scale": lambda scores, temperature: scores / np.sqrt(temperature)},
            "You divide by the square root of the temperature; divide by the temperature itself.",
        ),
        Fault(
            "no-shift",
            {"shift": lambda scaled: 0.0},
            lambda c: (
                "exp of a large score is infinite, and ∞/∞ is NaN: "
                f"{_nan_rows(c)} of your rows here. Subtract each row's largest score first."
            ),
        ),
        Fault(
            "global-shift",
            {"shift": np.max},
            lambda c: (
                "You subtract one maximum for the whole array; rows far below it become 0/0: "
                f"{_nan_rows(c)} of your rows here are NaN."
            ),
        ),
        Fault(
            "not-normalized",
            {"total": lambda powers: 1.0},
            lambda c: (
                f"The powers are not divided by their sum: your rows sum to {c.sums()}."
            ),
        ),
        Fault(
            "wrong-axis",
            {
                "shift": lambda scaled: scaled.max(axis=-2, keepdims=True),
                "total": lambda powers: powers.sum(axis=-2, keepdims=True),
            },
            lambda c: (
                f"Your columns sum to 1, and your rows to {c.sums()}: the axis is wrong."
            ),
        ),
        Fault(
            "whole-array",
            {"total": np.sum},
            lambda c: (
                f"You divide by the sum of the whole array: your rows sum to {c.sums()}."
            ),
        ),
    ),
    hints=(
        "At temperature 0.5, should the scores 1 and 2 end up closer together or farther apart "
        "before the softmax?",
        "Only the scores change; then everything is as before.",
        "`softmax(scores / temperature)`, with a softmax that subtracts each row's maximum.",
    ),
    built_ins=(
        BuiltIn(
            "course_attn.in_numpy.softmax.softmax",
            when=lambda given: given.get("temperature", 1.0) != 1.0,
        ),
    ),
)


# --- entropy --------------------------------------------------------------------------------------


def entropy(weights):
    """Give the entropy of every row of weights, in nats."""
    safe = np.where(
        weights > 0, weights, 1
    )  # log 1 = 0: an absent weight adds nothing
    return -(weights * np.log(safe)).sum(axis=-1)


def _entropy_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260303)

    def draw(*shape: int) -> np.ndarray:
        return rng.dirichlet(np.full(shape[-1], 0.8), shape[:-1])

    with_zeros = draw(5, 7) * (rng.uniform(size=(5, 7)) < 0.6)
    with_zeros[:, 3] += 0.2
    with_zeros[2] = np.eye(7)[3]
    with_zeros /= with_zeros.sum(axis=-1, keepdims=True)
    return (
        Case((np.array([[0.5, 0.5], [0.25, 0.75]]),), "example"),
        Case((draw(5, 7),)),
        Case((draw(11, 3),)),
        Case((draw(5, 5),), "square"),
        Case((draw(2, 3, 5, 7),), "batch"),
        Case((draw(7),), "vector"),
        Case((with_zeros,), "zeros"),
        Case((draw(7, 13).astype("f4"),), "float32"),
    )


def _safe_log(weights: np.ndarray) -> np.ndarray:
    return np.log(np.where(weights > 0, weights, 1))


def _entropies(
    weights: np.ndarray,
    *,
    log: Callable[..., Any] = _safe_log,
    gather: Callable[..., Any] = lambda terms: terms.sum(axis=-1),
    sign: float = -1.0,
    finish: Callable[..., Any] = lambda total, weights: total,
) -> np.ndarray:
    return finish(sign * gather(weights * log(weights)), weights)


def _in_bits(c: Context) -> str | None:
    if c.got.shape != c.expected.shape or not np.allclose(
        c.got * np.log(2), c.expected
    ):
        return None
    return (
        f"Your numbers are {number(1 / np.log(2))} times the right ones: the factor between bits "
        "(log to base 2) and nats. Take the natural logarithm, then check again for the rest."
    )


_ENTROPY = Exercise(
    name="entropy",
    chapter="softmax",
    task="""
Write `entropy(weights)`: for every row, $-\\sum_j a_j \\log a_j$ in nats (natural logarithm). It is
0 when one weight is 1, and log n when all n weights are equal. A weight of 0 adds nothing: 0 · log
0 counts as 0. Shape (…, n) in, (…) out.
""",
    reference=entropy,
    cases=_entropy_cases,
    variant=_entropies,
    kinds={
        "zeros": Kind(
            "where some weights are 0",
            "0 · log 0 is 0 · (−∞) = NaN in floating point, but counts as 0 here.",
        ),
    },
    faults=(
        Fault(
            "zeros",
            {"log": np.log},
            lambda c: (
                f"{int(np.isnan(c.got).sum())} of your entropies are NaN: log 0 is −∞, and "
                "0 · (−∞) is NaN. A weight of 0 should add nothing."
            ),
        ),
        Fault(
            "base-2",
            {"log": lambda weights: _safe_log(weights) / np.log(2)},
            lambda c: (
                "You measure in bits (log to base 2); nats are asked for, the natural logarithm. "
                f"Your numbers are {number(1 / np.log(2))} times too large."
            ),
        ),
        Fault(
            "base-10",
            {"log": lambda weights: _safe_log(weights) / np.log(10)},
            "You take the logarithm to base 10; the natural logarithm is `np.log`.",
        ),
        Fault(
            "sign",
            {"sign": 1.0},
            lambda c: (
                "The minus sign is missing: logarithms of weights are negative, so your entropies "
                f"are too ({span(c.got)})."
            ),
        ),
        Fault(
            "mean",
            {"gather": lambda terms: terms.mean(axis=-1)},
            "You take the mean over the row where the sum is asked for: your entropies are n times "
            "too small.",
        ),
        Fault(
            "columns",
            {"gather": lambda terms: terms.sum(axis=_columns(terms))},
            lambda c: (
                f"You sum down the columns: your result has shape {c.got.shape}. One number for "
                "each row is asked for, so sum along the last axis."
            ),
        ),
        Fault(
            "total",
            {"gather": np.sum},
            lambda c: (
                "You add up the entropies of all rows; one number for each row is asked for, shape "
                f"{c.expected.shape}."
            ),
        ),
        Fault(
            "keepdims",
            {"gather": lambda terms: terms.sum(axis=-1, keepdims=True)},
            lambda c: (
                f"The numbers are right, but in shape {c.got.shape}: leave out `keepdims=True`, "
                "the summed axis is to go."
            ),
        ),
        Fault(
            "normalized",
            {"finish": lambda total, weights: total / np.log(weights.shape[-1])},
            "You divide by log n, so that equal weights give 1. The entropy itself is asked for: "
            "log n there.",
        ),
        Fault(
            "log-of-1-plus",
            {"log": np.log1p},
            "You take log(1 + a), to avoid log 0 perhaps: that changes every other term as well. "
            "Replace only the zeros.",
        ),
        Fault(
            "perplexity",
            {"finish": lambda total, weights: np.exp(total)},
            "You return e to the power of the entropy (the perplexity), not the entropy.",
        ),
        Fault(
            "not-weighted",
            lambda weights: -_safe_log(weights).sum(axis=-1),
            "You add up the logarithms alone: each is multiplied by its weight.",
        ),
        Fault(
            "terms",
            lambda weights: -weights * _safe_log(weights),
            "You return the single terms −a log a; they still have to be added up along each row.",
        ),
        Fault(
            "gini",
            lambda weights: 1 - (weights**2).sum(axis=-1),
            "You return 1 − Σa², the Gini impurity: a relative of the entropy without a logarithm.",
        ),
    ),
    hints=(
        "What does your function give for `[[1., 0.]]`? It should be 0. What is `np.log(0.)`, and "
        "what is 0 times that?",
        "Give the logarithm something harmless wherever the weight is 0: the product with the "
        "weight is 0 there anyway.",
        "`np.where(weights > 0, weights, 1)` inside the logarithm, times the weights, summed along "
        "the last axis, with a minus sign.",
    ),
    properties=(Property("bits", _in_bits),),
    built_ins=("scipy.stats.entropy", "course_attn.in_numpy.softmax.entropy"),
)


# --- softmax_jacobian -----------------------------------------------------------------------------


def softmax_jacobian(weights):
    """Give the derivative of every softmax weight with respect to every score of its row."""
    identity = np.eye(weights.shape[-1], dtype=weights.dtype)
    outer = weights[..., :, None] * weights[..., None, :]
    return weights[..., :, None] * identity - outer


def _jacobian_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260304)

    def draw(*shape: int) -> np.ndarray:
        return rng.dirichlet(np.full(shape[-1], 2.0), shape[:-1])

    return (
        Case((np.array([0.5, 0.3, 0.2]),), "example"),
        Case((draw(7),)),
        Case((draw(3),)),
        Case((draw(5, 7),), "batch"),
        Case((draw(5, 5),), "batch"),
        Case((draw(2, 3, 11),), "batch"),
        Case((np.eye(5)[2],), "saturated"),
        Case((draw(13).astype("f4"),), "float32"),
    )


def _diagonal(weights: np.ndarray) -> np.ndarray:
    return weights[..., :, None] * np.eye(weights.shape[-1])


def _outer(weights: np.ndarray) -> np.ndarray:
    return weights[..., :, None] * weights[..., None, :]


def _derived(
    weights: np.ndarray,
    *,
    diagonal: Callable[..., Any] = _diagonal,
    outer: Callable[..., Any] = _outer,
    join: Callable[..., Any] = np.subtract,
) -> np.ndarray:
    return join(diagonal(weights), outer(weights))


def _off_diagonal(weights: np.ndarray) -> np.ndarray:
    return _outer(weights) * (1 - np.eye(weights.shape[-1]))


_JACOBIAN = Exercise(
    name="softmax_jacobian",
    chapter="softmax",
    task="""
Write `softmax_jacobian(weights)`. Given the weights a = softmax(s) (not the scores), entry (j, m)
of the result is $\\partial a_j / \\partial s_m = a_j (\\delta_{jm} - a_m)$: what weight j gains
when score m grows. Shape (…, n) in, (…, n, n) out, one matrix for each row of weights.
""",
    reference=softmax_jacobian,
    cases=_jacobian_cases,
    variant=_derived,
    kinds={
        "saturated": Kind(
            "where one weight is 1",
            "All derivatives are 0 there: a saturated softmax does not learn.",
        ),
        "batch": Kind(
            "with leading batch axes",
            "`np.diag` and `np.outer` know no batches: insert axes with `[..., :, None]` and "
            "`[..., None, :]`, and multiply by `np.eye(n)`.",
        ),
    },
    faults=(
        Fault(
            "diagonal-only",
            {"outer": lambda weights: 0.0},
            lambda c: (
                "Only the diagonal is there: a score changes the *other* weights too, since all "
                f"share one sum. Your rows sum to {c.sums()}; they should sum to 0. Subtract a aᵀ."
            ),
        ),
        Fault(
            "outer-only",
            {"diagonal": lambda weights: 0.0},
            lambda c: (
                "Only −a aᵀ is there. A weight grows with its *own* score: add a on the diagonal. "
                f"Your rows sum to {c.sums()}; they should sum to 0."
            ),
        ),
        Fault(
            "plus",
            {"join": np.add},
            lambda c: (
                "The sign between the two parts is wrong: you add a aᵀ. When one score grows the "
                f"other weights must shrink. Your rows sum to {c.sums()}; they should sum to 0."
            ),
        ),
        Fault(
            "sign",
            {"join": lambda diagonal, outer: outer - diagonal},
            "All signs are turned around: it is diag(a) − a aᵀ, with a positive diagonal (a weight "
            "grows with its own score).",
        ),
        Fault(
            "diagonal-without-square",
            {"outer": _off_diagonal},
            lambda c: (
                "Off the diagonal all is right; on it you have a_i instead of a_i (1 − a_i), such "
                f"as {number(c.got[..., 0, 0].flat[0])} for "
                f"{number(c.expected[..., 0, 0].flat[0])}: a aᵀ is subtracted there too."
            ),
        ),
        Fault(
            "sigmoid-like",
            lambda weights: _diagonal(weights * (1 - weights)),
            "You have the diagonal a (1 − a), and zeros elsewhere: that is the derivative of a "
            "sigmoid, where entries do not compete. Here ∂a_i/∂s_j = −a_i a_j.",
        ),
        Fault(
            "identity",
            {"diagonal": lambda weights: np.eye(weights.shape[-1])},
            lambda c: (
                "You subtract a aᵀ from the identity; the diagonal holds the weights themselves, "
                f"diag(a). Your rows sum to {c.sums()}; they should sum to 0."
            ),
        ),
        Fault(
            "off-diagonal-sign",
            {
                "outer": lambda weights: (
                    _diagonal(weights**2) - _off_diagonal(weights)
                )
            },
            lambda c: (
                "The diagonal is right, but off it the sign is wrong: when score j grows, every "
                f"*other* weight shrinks. Your rows sum to {c.sums()}; they should sum to 0."
            ),
        ),
        Fault(
            "upper-half",
            lambda weights: np.triu(_derived(weights)),
            "The lower half is empty: i and j both run over all n. (The matrix is symmetric, so it "
            "is enough to mirror the upper half.)",
        ),
        Fault(
            "own-weight-twice",
            {
                "outer": lambda weights: np.repeat(
                    (weights**2)[..., None], weights.shape[-1], axis=-1
                )
            },
            "Off the diagonal you have −a_i², the own weight twice: it is −a_i a_j. One factor "
            "counts rows, the other columns (`[..., :, None]` and `[..., None, :]`).",
        ),
        Fault(
            "diagonal-swapped",
            {
                "diagonal": lambda weights: (
                    weights[..., :, None] * (1 - np.eye(weights.shape[-1]))
                )
            },
            "δ_ij is the wrong way around: it is 1 *on* the diagonal and 0 off it.",
        ),
        Fault(
            "vector",
            lambda weights: weights * (1 - weights),
            lambda c: (
                f"You return a (1 − a), shape {c.got.shape}: the diagonal only. Every weight "
                f"depends on every score, hence a matrix of shape {c.expected.shape}."
            ),
        ),
        Fault(
            "softmaxed-again",
            lambda weights: _derived(_weighed(weights)),
            "You apply a softmax to the argument first: it holds the weights already, not the "
            "scores.",
        ),
        Fault(
            "row-factor-missing",
            lambda weights: np.eye(weights.shape[-1]) - weights[..., None, :],
            "The factor a_i is missing: you have δ_ij − a_j, the derivative of log a_i.",
        ),
        Fault(
            "batch-summed",
            {
                "outer": lambda weights: (
                    weights.reshape(-1, weights.shape[-1]).T
                    @ weights.reshape(-1, weights.shape[-1])
                )
            },
            "In a batch your a aᵀ is summed over all rows: each row of weights has its own.",
        ),
    ),
    properties=(
        Property(
            "row-sums",
            lambda c: (
                f"The weights always sum to 1, so a score can only move weight around: the rows of "
                f"the Jacobian sum to 0. Yours sum to {c.sums()}."
                if np.abs(c.got.sum(axis=-1)).max() > 1e-3
                else None
            ),
        ),
    ),
    hints=(
        "If score j grows a little, what happens to weight j, and what to all the others? Which "
        "signs do you expect on and off the diagonal?",
        "Two matrices: one has the weights on its diagonal, the other has a_i a_j at (i, j).",
        "`weights[..., :, None] * np.eye(n)` is the first for any batch; "
        "`weights[..., :, None] * weights[..., None, :]` the second. Subtract.",
    ),
    built_ins=("course_attn.in_numpy.softmax.softmax_jacobian",),
)


# --- true_of_softmax ------------------------------------------------------------------------------


def true_of_softmax():
    """Name the true statements."""
    return {"b", "d", "e"}


_TRUE = Question(
    name="true_of_softmax",
    chapter="softmax",
    task="""
Which of these are true for every finite row of scores (n ≥ 2)? Return their letters as a set, such
as `{"a", "c"}`, from `true_of_softmax()`.

- **a** Multiplying all scores by 2 leaves the weights as they are.
- **b** Adding 2 to all scores leaves the weights as they are.
- **c** In exact arithmetic, a score that is low enough gets exactly the weight 0.
- **d** The higher the temperature, the higher (or equal) the entropy.
- **e** The weights' order is the scores' order.
- **f** A weight of 0.9 means that the model is right with probability 0.9.
""",
    reference=true_of_softmax,
    read=as_letters,
    reasons=(
        Reason(
            "unknown",
            lambda picked: bool(picked - set("abcdef")),
            lambda picked: (
                f"There is no statement {', '.join(sorted(picked - set('abcdef')))}: the letters "
                "run from a to f."
            ),
        ),
        Reason("none", lambda picked: not picked, "At least one of them is true."),
        Reason(
            "all",
            lambda picked: len(picked) == 6,
            "Not all of them are true: try each.",
        ),
        Reason(
            "a",
            lambda picked: "a" in picked,
            "Look at a again with the scores (0, 1), whose weights are 0.27 and 0.73. Twice these "
            "scores, (0, 2), give 0.12 and 0.88.",
        ),
        Reason(
            "c",
            lambda picked: "c" in picked,
            "Look at c again: is there a finite s with e^s = 0? (A computer rounds e^−1000 to 0; "
            "mathematics does not.)",
        ),
        Reason(
            "f",
            lambda picked: "f" in picked,
            "Look at f again: nothing in the formula knows what is right. The weights sum to 1, "
            "but double all scores and they get surer without any new evidence.",
        ),
        Reason(
            "b-missing",
            lambda picked: "b" not in picked,
            "Nothing that you chose is false, but something is missing. Which factor does e^(s+2) "
            "share with every other power in the row?",
        ),
        Reason(
            "e-missing",
            lambda picked: "e" not in picked,
            "Nothing that you chose is false, but something is missing. Can a larger score ever "
            "get a smaller weight?",
        ),
        Reason(
            "d-missing",
            lambda picked: "d" not in picked,
            "Nothing that you chose is false, but something is missing. At a very high temperature "
            "all weights are 1/n: how large is the entropy there, and on the way?",
        ),
    ),
    hints=(
        "Try each one on the scores (0, 1), where the weights are about 0.27 and 0.73.",
        "Write the weights as e^(s_j) over a sum: which changes of the scores cancel?",
        "Three of the six are true.",
    ),
)


# --- hide_the_axis_bug ----------------------------------------------------------------------------


def hide_the_axis_bug():
    """Give scores for which a softmax over the wrong axis goes unnoticed."""
    return np.array([[2.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 1.0]])


def _read_scores(value: Any) -> np.ndarray:
    try:
        scores = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError("Return a 3 × 3 array of scores.") from None
    if scores.shape != (3, 3):
        raise ValueError(
            f"Return a 3 × 3 array of scores; yours has shape {scores.shape}."
        )
    if not np.isfinite(scores).all():
        raise ValueError("Use finite scores only.")
    return scores


def _off_by(scores: np.ndarray) -> float:
    """Return the largest difference between the softmax over the wrong and the right axis."""
    right = _weighed(scores)
    return float(np.abs(_weighed(scores.T).T - right).max())


_HIDE = Question(
    name="hide_the_axis_bug",
    chapter="softmax",
    task="""
A colleague wrote this, and their test passes:

```python
def weights_from(scores):
    powers = np.exp(scores - scores.max(axis=0, keepdims=True))
    return powers / powers.sum(axis=0, keepdims=True)   # should be axis=-1
```

How could a test miss that? Return from `hide_the_axis_bug()` a 3 × 3 array of scores, not constant
along any row or column, for which the wrong axis gives exactly the same weights as the right one.
""",
    reference=hide_the_axis_bug,
    read=_read_scores,
    reasons=(
        Reason(
            "constant",
            lambda scores: np.ptp(scores) < 1e-3,
            "With all scores equal every weight is 1/3, whichever axis: true, but too easy. Let "
            "the scores differ in every row and column.",
        ),
        Reason(
            "constant-line",
            lambda scores: (
                min(np.ptp(scores, axis=0).min(), np.ptp(scores, axis=1).min())
                < 1e-3
            ),
            "One of your rows or columns holds the same number three times. Let the scores differ "
            "in every row and in every column.",
        ),
        Reason(
            "symmetric",
            lambda scores: np.allclose(scores, scores.T) and _off_by(scores) > 1e-6,
            lambda scores: (
                "Close: with symmetric scores the wrong result is the *transpose* of the right "
                f"one, which is still another matrix (here by up to {number(_off_by(scores))}). "
                "What must hold for the sums of the powers in addition?"
            ),
        ),
        Reason(
            "visible",
            lambda scores: _off_by(scores) > 1e-6,
            lambda scores: (
                "The bug shows on your scores: the two results differ by up to "
                f"{number(_off_by(scores))}. Where do the two formulas differ at all? Only in what "
                "they divide by."
            ),
        ),
    ),
    hints=(
        "Both versions divide e^s by a sum: one by the sum of its row, the other by the sum of its "
        "column. When do these agree for every entry?",
        "All six sums, of three rows and three columns, have to be the same number.",
        "Use the same three numbers in every row, in another order each time, so that every column "
        "holds all three as well (as in a sudoku).",
    ),
)

EXERCISES = (_SOFTMAX, _TEMPERATURE, _ENTROPY, _JACOBIAN, _TRUE, _HIDE)
