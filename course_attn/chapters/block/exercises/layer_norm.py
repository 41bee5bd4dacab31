"""Exercise `layer_norm`."""

import re
from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    number,
)

__all__ = ["exercise"]


def layer_norm(X, gain, bias):
    """Give every row mean 0 and variance 1, then rescale its features."""
    mean = X.mean(axis=-1, keepdims=True)
    variance = X.var(axis=-1, keepdims=True)
    divisor = np.sqrt(variance + 1e-5)
    normed_rows = (X - mean) / divisor
    return gain * normed_rows + bias


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260901).standard_normal

    def given(*shape: int, spread: float = 2.0, at: float = 0.0) -> tuple[Any, ...]:
        X = at + spread * (draw(shape) + 0.7)
        return X, 1.5 + draw(shape[-1]), draw(shape[-1])

    first = np.array([[1.0, 2.0, 6.0], [10.0, 20.0, 60.0]])
    equal, *rest = given(5, 9)
    equal[[1, 3]] = np.array([[4.0], [0.0]])
    return (
        Case((first, np.array([1.0, 2, 1]), np.array([0.0, -1, 3])), "example"),
        Case(given(5, 8, spread=2e-3), "small"),
        Case(given(5, 8)),
        Case(given(11, 3)),
        Case(given(5, 5), "square"),
        Case(given(2, 3, 5, 8), "batch"),
        Case(given(7, 7, 4), "batch"),
        Case(given(7), "vector"),
        Case(given(1, 6), "one-row"),
        Case(given(4, 1), "one-feature"),
        Case((equal, *rest), "equal"),
        Case(given(5, 8, at=1e8), "far"),
        Case(tuple(array.astype("f4") for array in given(11, 13)), "float32"),
    )


def _statistics(c: Context, wanted: bool = True) -> str | None:
    """Say which mean and variance the first row has with gain 1 and bias 0."""
    gain, bias = np.ones_like(c.given["gain"]), np.zeros_like(c.given["bias"])
    own = c.call(c.given["X"], gain, bias)
    if own is None or own.shape != c.expected.shape:
        return c.worst_row if wanted else None
    row = own.reshape(-1, own.shape[-1])[0]
    mean, variance = row.mean(), row.var()
    if not wanted and abs(mean) < 1e-3 and abs(variance - 1) < 1e-2:
        return None
    is_batch = not wanted and own.ndim > 2
    if is_batch and abs(own[0].mean()) < 1e-3 and abs(own[0].var() - 1) < 1e-2:
        return (
            f"With gain 1 and bias 0, your result for X[0] has mean 0 and variance 1 as a whole, "
            f"all its {own[0].size} numbers together, and its first row has not. Does a loop take "
            f"X[i] for a row? Here it has shape {own[0].shape}."
        )
    m, v = (number(round(float(value), 6) + 0.0) for value in (mean, variance))
    return (
        f"With gain 1 and bias 0 your first row comes out with mean {m} and variance {v}, not 0 "
        "and 1."
    )


def _not_normal(c: Context) -> str | None:
    return None if c.kind in ("small", "one-feature") else _statistics(c, False)


def _other_eps(c: Context) -> str | None:
    """Find out which constant is added to the variances, or to the standard deviations."""
    s, row = np.array([1e-3, 3e-3, 1e3]), np.array([-1.0, 0.0, 1.0]) * 1.5**0.5
    out = c.call(np.outer(s, row), np.ones(3), np.zeros(3))
    if out is None or out.shape != (3, 3) or not np.allclose(out[2], row):
        return None
    divisor = s[:2] * row[2] / out[:2, 2]
    for to, added in (
        ("under", divisor**2 - s[:2] ** 2),
        ("outside", divisor - s[:2]),
    ):
        eps = added.mean()
        right = to == "under" and abs(eps - 1e-5) < 1e-8
        if eps > 1e-13 and np.ptp(added) < 0.01 * eps and not right:
            own = re.sub("e-0", "e-", f"{eps:.1g}")
            return (
                f"Your eps is {own}, added {to} the root; 1e-5 is asked for, added under it. The "
                "smaller the spread of a row, the more that changes."
            )
    return None


def _in_float32(c: Context) -> str | None:
    """See whether two neighbors far from 0 become one number."""
    far = c.call(np.array([[1e8 - 1, 1e8 + 1], [1, 3]]), np.ones(2), np.zeros(2))
    if far is None or far.shape != (2, 2) or far[0].any() or not far[1].all():
        return None
    return (
        "With gain 1 and bias 0 your function makes [0, 0] of the row [99999999, 100000001], which "
        "should be about [-1, 1]. In float32, with 7 digits, the two are one number: is X brought "
        "to another dtype?"
    )


def _variance(c: Context) -> float:
    return float(np.median(c.given["X"].var(axis=-1)))


exercise = Exercise(
    layer_norm,
    place=10,
    minutes=8,
    level="easy",
    prepares=("matrix_before_rms", "masked_block", "TransformerBlock"),
    section="Layer norm and RMS norm",
    task="""
Write `layer_norm(X, gain, bias)`: X has shape (…, d_model), and each row x of it (last axis)
becomes $g \\circ (x - \\mu) / \\sqrt{\\sigma^2 + \\varepsilon} + b$. Here μ and σ² are mean and
variance of that row alone, over its d_model features; the variance divides by d_model, and
$\\varepsilon = 10^{-5}$ is added inside the square root. `gain` (g) and `bias` (b) have shape
(d_model,). All features of a row may be equal, and rows may lie far from 0: at $10^8$, with a
spread of 2.
""",
    cases=_cases,
    terms={
        "statistics": _statistics,
        "variance": lambda c: number(_variance(c)),
        "outside": lambda c: number(_variance(c) ** 0.5 + 1e-5),
        "inside": lambda c: number((_variance(c) + 1e-5) ** 0.5),
    },
    kinds={
        "small": Kind(
            "for rows with a variance far below eps",
            "There eps decides: it is 1e-5, added to the variance inside the square root.",
        ),
        "equal": Kind(
            "for rows whose features are all equal",
            "Their variance is 0: without eps you divide 0 by 0.",
        ),
        "far": Kind(
            "for rows far from 0",
            "They lie at 10⁸: subtract the mean before you square. Squares of 10⁸ have no "
            "digits left for a variance of 4.",
        ),
        "one-row": Kind("for a single row", "Does a `squeeze` remove its axis?"),
        "one-feature": Kind("for rows with a single feature"),
    },
    faults=fault_list("""
wrong-axis: X.mean(axis=-1, keepdims=True) → X.mean(axis=-2, keepdims=True)
        and X.var(axis=-1, keepdims=True) → X.var(axis=-2, keepdims=True)
    You normalize each *feature* over the positions, so that every output depends on all elements,
    later ones included. Mean and variance run over the features of one element: `axis=-1`.
    {statistics}
whole-array: X.mean(axis=-1, keepdims=True) → X.mean()
        and X.var(axis=-1, keepdims=True) → X.var()
    Mean and variance run over the whole array, all elements together. Each element has its own:
    `axis=-1, keepdims=True`. {statistics}
axis-0: X.mean(axis=-1, keepdims=True) → X.mean(axis=0, keepdims=True)
        and X.var(axis=-1, keepdims=True) → X.var(axis=0, keepdims=True)
    `axis=0` counts from the front. In a batch these are the texts, which you mix; in a single text
    the positions, so that the future leaks in. Count from the end: `axis=-1`. {statistics}
axis-1: X.mean(axis=-1, keepdims=True) → X.mean(axis=1, keepdims=True)
        and X.var(axis=-1, keepdims=True) → X.var(axis=1, keepdims=True)
    `axis=1` counts from the front: the features of a single sequence, but the positions in a batch,
    and a single row has no such axis. Count from the end: `axis=-1`.
no-keepdims: X.mean(axis=-1, keepdims=True) → X.mean(axis=-1)
        and X.var(axis=-1, keepdims=True) → X.var(axis=-1)
    Your means and variances are laid out as a row: column j is normalized with those of row j, if
    NumPy can line them up at all. `keepdims=True` keeps them as a column.
sample-variance: X.var(axis=-1, keepdims=True) → X.var(axis=-1, keepdims=True, ddof=1)
    Your variance divides the sum of the squares by d_model − 1, as for a sample of a larger
    population. Here the {X.last} features of a row are all there are: divide by d_model.
    {statistics}
eps-outside: np.sqrt(variance + 1e-5) → np.sqrt(variance) + 1e-5
    You add eps outside the square root, to the standard deviation. It is added to the variance,
    inside: for a variance of {variance}, √σ² + ε would be {outside}; {inside} is right.
eps-small: variance + 1e-5 → variance + 1e-8
    Your eps is 1e-8, and 1e-5 is asked for. The smaller the spread of a row, the more that changes.
eps-large: variance + 1e-5 → variance + 1e-3
    Your eps is 1e-3, and 1e-5 is asked for. The smaller the spread of a row, the more that changes.
eps-clamped: variance + 1e-5 → np.maximum(variance, 1e-5)
    You replace variances below 1e-5 by 1e-5. eps is *added*, to every variance: for one of
    {variance} the divisor should be {inside}.
no-eps: variance + 1e-5 → variance
    eps is missing: equal features give 0/0 (NaN), and where the variance is tiny, such as
    {variance}, noise is blown up to 1. Add 1e-5 inside the square root.
no-root: np.sqrt( → (
    You divide by the variance itself, σ² + ε. In the formula it stands under a square root: for a
    variance of {variance} the divisor should be {inside}.
rms: X - mean → X
        and X.var(axis=-1, keepdims=True) → (X**2).mean(axis=-1, keepdims=True)
    You never subtract the mean: this is RMSNorm, which divides by the square root of the mean
    square. Layer normalization centers first. {statistics}
square-not-centered: X.var(axis=-1, keepdims=True) → (X**2).mean(axis=-1, keepdims=True)
    You divide by the root of the mean square of x as it came. σ² is the mean square of x − μ: which
    of the two do you square? {statistics}
precedence: (X - mean) / divisor → X - mean / divisor
    Only the mean is divided, x − μ/σ, since `/` comes before `-`: put the difference in
    parentheses, (x − μ)/σ. {statistics}
squares-first: X.var(axis=-1, keepdims=True) → (X**2).mean(axis=-1, keepdims=True) - mean**2
    mean(x²) − mean(x)² is the variance on paper. These rows lie at 10⁸: x² has 17 digits, float64
    keeps 16, and nothing is left of a variance of 4. Subtract the mean first, then square.
no-gain: gain * → (nothing)
    The gain is missing: each feature is multiplied by its own, and `gain` is {gain.row} here.
one-plus-gain: gain * → (1 + gain) *
    You multiply by 1 + gain, as models do whose gain starts at 0. Here a gain of 1 changes nothing,
    and one of 0 leaves only the bias: what do you multiply by, then?
no-bias: + bias → (nothing)
    The bias is missing: it is added at the end, and `bias` is {bias.row} here.
bias-subtracted: + bias → - bias
    You subtract the bias. With a gain of 0, what should come out?
bias-first: gain * normed_rows + bias → gain * (normed_rows + bias)
    You add the bias before you multiply by the gain, so that the gain multiplies the bias, too.
    Multiply first, add the bias last. {worst_row}
bias-divided: gain * normed_rows + bias → gain * normed_rows + bias / divisor
    The bias is divided by √(σ² + ε), too. In the formula it comes after the fraction: does your
    division take in the whole sum? {worst_row}
exchanged: gain * normed_rows + bias → bias * normed_rows + gain
    Gain and bias are exchanged: which of the two is multiplied in the formula? With gain 1 and bias
    0, every number of your result would be 1.
columns: gain * normed_rows + bias → gain[:, None] * normed_rows + bias[:, None]
    As columns, gain and bias belong to rows; each *feature* has its own. Their shape (d_model,)
    lines up with the last axis without `[:, None]`.
not-centered: X - mean → X
    You divide x itself by √(σ² + ε): the mean is not subtracted. What stands above the line in the
    formula? {statistics}
not-divided: (X - mean) / divisor → (X - mean)
    You subtract the mean and do not divide: what brings the variance of a row to 1? {statistics}
absolute-deviation: np.sqrt(variance + 1e-5)
            → 1e-5 + np.abs(X - mean).mean(axis=-1, keepdims=True)
    You divide by the mean of |x − μ|. What is averaged in a variance, and what is done with it?
    {statistics}
gain-added: gain * → gain +
    You add the gain. What should a gain of 1 change?
length: X.var(axis=-1, keepdims=True) → X.var(axis=-1, keepdims=True) * X.shape[-1]
    You divide by the root of the *sum* of the squares, the length of the row (`np.linalg.norm`?).
    By what is that sum divided in a variance? {statistics}
"""),
    properties=(
        Property("eps", _other_eps),
        Property("in-float32", _in_float32),
        Property("not-normal", _not_normal),
    ),
    hints=(
        "What does one row become, if you do it by hand for [1, 2, 6]? Its mean is 3.",
        "Subtract the mean of each row, divide by the square root of (variance + 1e-5); gain and "
        "bias come last, and broadcasting gives each feature its own.",
        "`X.mean(axis=-1, keepdims=True)`, `X.var` in the same way, then "
        "`gain * (X - mean) / np.sqrt(… + 1e-5) + bias`.",
    ),
    built_ins=(
        *twins("block.layer_norm"),
        "torch.nn.functional.layer_norm",
        "torch.layer_norm",
        "torch.nn.LayerNorm",
    ),
)
