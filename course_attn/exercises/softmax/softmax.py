"""Exercise `softmax` of chapter 3."""

import numpy as np

from course_attn.checking import (
    Case,
    Context,
    Exercise,
    Fault,
    Kind,
    Property,
    number,
)
from course_attn.exercises.softmax._steps import columns, nan_rows, row_max, weighed

__all__ = ["EXERCISES"]


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


def _one_hot(scores: np.ndarray) -> np.ndarray:
    return (scores == row_max(scores)).astype(scores.dtype)


def _twice(scores: np.ndarray) -> np.ndarray:
    return weighed(weighed(scores))


def _by_magnitude(scores: np.ndarray) -> np.ndarray:
    return scores / scores.sum(axis=-1, keepdims=True)


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
    variant=weighed,
    kinds=_SOFTMAX_KINDS,
    faults=(
        Fault(
            "no-shift",
            {"shift": lambda scores: 0.0},
            lambda c: (
                "For small scores this is right, but exp of "
                f"{number(c.given['scores'].max())} is infinite, and ∞/∞ is NaN: "
                f"{nan_rows(c)} of your rows here. Subtract the row's largest score first; that "
                "changes nothing in the result."
            ),
        ),
        Fault(
            "global-shift",
            {"shift": np.max},
            lambda c: (
                "You subtract one maximum, that of the whole array. A row that lies 800 below it "
                f"underflows to 0/0: {nan_rows(c)} of your rows here are NaN. Each row needs its "
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
                    axis=columns(scores), keepdims=True
                )
            },
            "You subtract the maximum of each *column*. That changes the proportions inside a row; "
            "the shift has to be the same for all entries of a row.",
        ),
        Fault(
            "wrong-axis",
            {
                "shift": lambda scores: scores.max(
                    axis=columns(scores), keepdims=True
                ),
                "total": lambda powers: powers.sum(
                    axis=columns(powers), keepdims=True
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
                    axis=columns(powers), keepdims=True
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


EXERCISES = (_SOFTMAX,)
