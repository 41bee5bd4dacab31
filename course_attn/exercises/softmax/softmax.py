"""Exercise `softmax`."""

import numpy as np

from course_attn.checking import Case, Context, Exercise, Kind, Property, fault
from course_attn.checking.context import listed

__all__ = ["exercise"]


def softmax(scores):
    """Turn every row of scores into positive weights that sum to 1."""
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - largest)
    total = powers.sum(axis=-1, keepdims=True)
    weights = powers / total
    return weights


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260301)
    draw = rng.standard_normal
    apart = draw((5, 7)) + np.array([[0.0], [3000.0], [-2500.0], [40.0], [-7000.0]])
    apart[1, 4] += 2000.0
    hidden = draw((7, 5))
    hidden[rng.uniform(size=hidden.shape) < 0.4] = -np.inf
    hidden[:, 2] = 1.5
    float32 = 4 * draw((11, 13)) + np.resize([0.0, 150.0, -150.0], (11, 1))
    return (
        Case((np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]]),), "example"),
        Case((draw((5, 7)),)),
        Case((3 * draw((11, 3)),)),
        Case((draw((5, 5)),), "square"),
        Case((draw((2, 3, 5, 7)),), "batch"),
        Case((draw(7),), "vector"),
        Case((apart,), "large"),
        Case((hidden,), "minus-infinity"),
        Case((float32.astype("f4"),), "float32"),
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
        f"{listed(alone[0])}: the rows must not depend on each other."
    )


def _not_shift_invariant(c: Context) -> str | None:
    moved = c.call(c.given["scores"] + 1.0)
    if moved is None or moved.shape != c.got.shape:
        return None
    if np.allclose(moved, c.got, 1e-3, 1e-4):
        return None
    return "Adding 1 to all scores changes your weights; in a softmax it changes nothing."


def _row_sums(c: Context) -> str | None:
    if not c.got.ndim or np.allclose(c.got.sum(axis=-1), 1, atol=1e-3):
        return None
    return f"Your rows sum to {c.sums()}, and each should sum to 1."


def _negative(c: Context) -> str | None:
    if not (c.got < 0).any():
        return None
    return c.filled(
        "Some of your weights are negative (down to {your.min}); powers of e never are."
    )


_TO_LARGEST = ("scores.max(axis=-1, keepdims=True)",)
_TO_TOTAL = ("powers.sum(axis=-1, keepdims=True)",)
_COLUMNS = "axis=max(-2, -scores.ndim), keepdims=True"

exercise = Exercise(
    softmax,
    place=10,
    section="Why it works in a computer: the shift",
    task="""
Write `softmax(scores)`: every row (last axis) becomes positive weights that sum to 1,
$a_j = e^{s_j} / \\sum_m e^{s_m}$. Shape (…, n) in and out; a single row (n,) too. It has to work
for scores of any size: rows may lie thousands apart, and entries may be −∞ (weight 0), with at
least one finite entry in each row.
""",
    cases=_cases,
    kinds={
        "large": Kind(
            "for rows that lie thousands apart",
            "`exp` overflows above 709 and vanishes below −745: each row needs a shift of its own.",
        ),
        "minus-infinity": Kind(
            "where some scores are −∞",
            "exp(−∞) is 0, as it should be. Look at what happens to −∞ before and after that.",
        ),
    },
    faults=(
        fault(
            "no-shift",
            *_TO_LARGEST,
            "0.0",
            says="For small scores this is right, but exp of {scores.max} is infinite, and ∞/∞ is "
            "NaN: {your.nan_rows} of your rows here. Subtract the row's largest score first; that "
            "changes nothing in the result.",
        ),
        fault(
            "global-shift",
            *_TO_LARGEST,
            "scores.max()",
            says="You subtract one maximum, that of the whole array. A row that lies 800 below it "
            "underflows to 0/0: {your.nan_rows} of your rows here are NaN. Each row needs its own "
            "maximum.",
        ),
        fault(
            "mean-shift",
            *_TO_LARGEST,
            "scores.mean(axis=-1, keepdims=True)",
            says="You subtract each row's *mean*. Where one score is −∞ the mean is −∞ too, and "
            "the row becomes NaN; and a score far above the mean still overflows. Subtract the "
            "maximum.",
        ),
        fault(
            "column-shift",
            *_TO_LARGEST,
            f"scores.max({_COLUMNS})",
            says="You subtract the maximum of each *column*. That changes the proportions inside "
            "a row; the shift has to be the same for all entries of a row.",
        ),
        fault(
            "wrong-axis",
            (*_TO_LARGEST, f"scores.max({_COLUMNS})"),
            (*_TO_TOTAL, f"powers.sum({_COLUMNS})"),
            says="Your columns sum to 1, and your rows to {your.sums}. Each row holds the scores "
            "of one query: the sum runs along the last axis, `axis=-1`.",
        ),
        fault(
            "column-sum",
            *_TO_TOTAL,
            f"powers.sum({_COLUMNS})",
            says="The powers are divided by the sums of the columns: your rows sum to "
            "{your.sums}, not to 1.",
        ),
        fault(
            "whole-array",
            *_TO_TOTAL,
            "powers.sum()",
            says="You divide by the sum over the whole array: all rows together sum to 1, and "
            "single rows to {your.sums}. Each row needs its own sum.",
        ),
        fault(
            "not-normalized",
            "powers / total",
            "powers",
            says="The powers are not divided by their sum yet: your rows sum to {your.sums}.",
        ),
        fault(
            "no-keepdims",
            *_TO_TOTAL,
            "powers.sum(axis=-1)",
            says="The row sums are right, but laid out as a row: column j is divided by the sum of "
            "row j, and your rows sum to {your.sums}. `keepdims=True` keeps them a column.",
        ),
        fault(
            "sign",
            "np.exp(scores - largest)",
            "np.exp(largest - scores)",
            says="The sign in the exponent is wrong: the smallest score gets the largest weight. "
            "{scores.row} became {your.row}.",
        ),
        fault(
            "base-2",
            "np.exp(",
            "np.exp2(",
            says="You raise 2 to the scores, where e is asked for: your weights are too even, "
            "{your.row} instead of {right.row}.",
        ),
        fault(
            "no-exp",
            "return scores / scores.sum(axis=-1, keepdims=True)",
            says="You divide the scores by their sum without exponentiating: negative scores give "
            "negative weights, and the first row becomes {your.row}.",
        ),
        fault(
            "one-hot",
            "return 1.0 * (scores == scores.max(axis=-1, keepdims=True))",
            says="You put the whole weight on the largest score. Softmax is the *soft* version: "
            "every finite score gets some weight.",
        ),
        fault(
            "twice",
            "return weights",
            "return np.exp(weights) / np.exp(weights).sum(axis=-1, keepdims=True)",
            says="The softmax is applied twice: weights are taken for scores again, which makes "
            "them nearly even, {your.row} instead of {right.row}.",
        ),
        fault(
            "log",
            "return weights",
            "return np.log(weights)",
            says="You return the logarithms of the weights (that is log-softmax): they are "
            "negative, and it is their powers that sum to 1.",
        ),
        fault(
            "sigmoid",
            "return 1 / (1 + np.exp(-scores))",
            says="You apply the sigmoid to each score by itself: your rows sum to {your.sums}. "
            "In a softmax the entries of a row compete.",
        ),
        fault(
            "scaled",
            "np.exp(scores - largest)",
            "np.exp((scores - largest) / scores.shape[-1] ** 0.5)",
            says="You divide the scores by √n first. Scaling comes later, and not by n.",
        ),
        fault(
            "standardized",
            "np.exp(scores - largest)",
            "np.exp((scores - largest) / scores.std(axis=-1, keepdims=True))",
            says="You divide by the standard deviation of each row. A shift changes nothing, but "
            "such a scale changes how sharp the weights are.",
        ),
    ),
    properties=(
        Property("row-sums", _row_sums),
        Property("negative", _negative),
        Property("rows-depend", _rows_depend),
        Property("not-shift-invariant", _not_shift_invariant),
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
