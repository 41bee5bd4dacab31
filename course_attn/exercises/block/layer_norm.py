"""Exercise `layer_norm` of chapter 9."""

from typing import Any

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
from course_attn.exercises.block._layer_norm_steps import (
    EPS,
    along,
    mean,
    normed,
    squares_first,
    with_eps,
)
from course_attn.exercises.block._steps import wrong_row

__all__ = ["exercise"]


def layer_norm(X, gain, bias):
    """Give every row mean 0 and variance 1, then rescale its features."""
    centered = X - X.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    return gain * centered / np.sqrt(variance + 1e-5) + bias


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260901).standard_normal

    def given(*shape: int, spread: float = 2.0, at: float = 0.0) -> tuple[Any, ...]:
        X = at + spread * (draw(shape) + 0.7)
        return X, 1.5 + draw(shape[-1]), draw(shape[-1])

    first = np.array([[1.0, 2.0, 6.0], [10.0, 20.0, 60.0]])
    equal, gain, bias = given(5, 7)
    equal[[1, 3]] = np.array([[4.0], [0.0]])
    return (
        Case(
            (first, np.array([1.0, 2.0, 1.0]), np.array([0.0, -1.0, 3.0])),
            "example",
        ),
        Case(given(5, 7, spread=2e-3), "small"),
        Case(given(5, 7)),
        Case(given(11, 3)),
        Case(given(5, 5), "square"),
        Case(given(2, 3, 5, 7), "batch"),
        Case(given(7, 7, 5), "batch"),
        Case(given(7), "vector"),
        Case((equal, gain, bias), "equal"),
        Case(given(5, 7, at=1e8), "far"),
        Case(tuple(array.astype("f4") for array in given(11, 13)), "float32"),
    )


def _before(c: Context) -> np.ndarray | None:
    """Return the result with gain and bias taken off again."""
    if c.got.shape != c.expected.shape:
        return None
    return (c.got - c.given["bias"]) / c.given["gain"]


def _statistics(c: Context) -> str:
    """Say which mean and variance the first row of the result has before gain and bias."""
    own = _before(c)
    if own is None or not np.isfinite(own).all():
        return ""
    row = own.reshape(-1, own.shape[-1])[0]
    return (
        f"Before gain and bias, your first row has mean {_tidy(row.mean())} and variance "
        f"{_tidy(row.var())}; they should be 0 and 1."
    )


def _tidy(value: float) -> str:
    return "0" if abs(value) < 1e-6 else number(value)


def _spread(c: Context) -> str:
    """Say how large the variance of the input is."""
    return number(np.median(c.given["X"].var(axis=-1)))


def _other_eps(c: Context) -> str | None:
    own, X = _before(c), c.given["X"]
    if own is None or not np.isfinite(own).all():
        return None
    centered = X - mean(X)
    with np.errstate(all="ignore"):
        eps = float(np.median((centered / own) ** 2 - mean(centered**2)))
    if not eps > -1e-5 or abs(eps - EPS) < 1e-8:
        return None
    if not np.allclose(with_eps(eps)(**c.given), c.got, rtol=1e-5, atol=1e-5):
        return None
    return (
        f"Your eps seems to be {number(max(eps, 0))}; asked for is 1e-5. The smaller the variance "
        "of a row, the more that changes."
    )


def _rows_mix(c: Context) -> str | None:
    X = c.given["X"]
    if X.ndim < 2:
        return None
    alone = c.call(X[..., :1, :], c.given["gain"], c.given["bias"])
    if alone is None or alone.shape != c.got[..., :1, :].shape:
        return None
    if np.allclose(alone, c.got[..., :1, :], 1e-3, 1e-4, equal_nan=True):
        return None
    return (
        f"Your first row is {c.row()}, and it changes when the other rows are left out. Each "
        "element is normalized by itself: mean and variance run over its features, `axis=-1`."
    )


def _not_normal(c: Context) -> str | None:
    own = _before(c)
    if own is None or not np.isfinite(own).all() or c.kind in ("small", "equal"):
        return None
    if (
        np.abs(own.mean(axis=-1)).max() < 1e-3
        and np.abs(own.var(axis=-1) - 1).max() < 1e-2
    ):
        return None
    return _statistics(c)


exercise = Exercise(
    solution=layer_norm,
    place=10,
    section="Layer norm and RMS norm",
    task="""
Write `layer_norm(X, gain, bias)`: X has shape (…, d_model), and each row x of it (last axis)
becomes $g \\odot (x - \\mu) / \\sqrt{\\sigma^2 + \\varepsilon} + b$. Here μ and σ² are mean and
variance of that row alone, over its d_model features; the variance divides by d_model, and
$\\varepsilon = 10^{-5}$ stands inside the root. `gain` (g) and `bias` (b) have shape (d_model,).
All features of a row may be equal, and rows may lie far from 0: at $10^8$, with a spread of 1.
""",
    cases=_cases,
    variant=normed,
    kinds={
        "small": Kind(
            "for rows with a variance far below eps",
            "There eps decides: it is 1e-5, added to the variance inside the root.",
        ),
        "equal": Kind(
            "for rows whose features are all equal",
            "Their variance is 0: without eps you divide 0 by 0.",
        ),
        "far": Kind(
            "for rows far from 0",
            "They lie at 10⁸ with a spread of 1. Subtract the mean before you square: squares of "
            "10⁸ have no digits left for a variance of 1.",
        ),
        "square": Kind("where there are as many rows as features"),
    },
    faults=(
        Fault(
            "wrong-axis",
            along(-2),
            lambda c: (
                "You normalize each *feature* over the positions. Then every output depends on "
                "all elements, the later ones too. Mean and variance run over the features of "
                f"one element: `axis=-1`. {_statistics(c)}"
            ),
        ),
        Fault(
            "whole-array",
            along(None),
            lambda c: (
                "Mean and variance run over the whole array, all elements together. Each element "
                f"has its own: `axis=-1, keepdims=True`. {_statistics(c)}"
            ),
        ),
        Fault(
            "all-but-batch",
            lambda X, gain, bias: along((-2, -1) if X.ndim > 2 else -1)(
                X, gain, bias
            ),
            "Right for a single sequence. In a batch you take mean and variance over positions "
            "*and* features of a sequence; each element has its own, over the last axis only.",
        ),
        Fault(
            "sample-variance",
            {
                "variance": lambda centered, X: (
                    (centered**2).sum(axis=-1, keepdims=True) / (X.shape[-1] - 1)
                )
            },
            lambda c: (
                f"You divide the sum of squares by d_model − 1 = {c.given['X'].shape[-1] - 1}, as "
                "for a sample from a larger population. Here these features are all there are: "
                f"divide by d_model (`ddof=0`; in PyTorch `unbiased=False`). {_statistics(c)}"
            ),
        ),
        Fault(
            "eps-outside",
            {"spread": lambda variance: np.sqrt(variance) + EPS},
            lambda c: (
                "You add eps to the standard deviation, outside the root. It belongs to the "
                f"variance, inside: for a variance of {_spread(c)} your divisor is "
                f"{number(np.median(c.given['X'].std(axis=-1)) + EPS)}, and should be "
                f"{number(np.sqrt(np.median(c.given['X'].var(axis=-1)) + EPS))}."
            ),
        ),
        Fault(
            "eps-squared",
            {"spread": lambda variance: np.sqrt(variance + EPS**2)},
            lambda c: (
                "Inside the root you add eps² = 1e-10, not eps = 1e-5. For a variance of "
                f"{_spread(c)} that makes all the difference. {wrong_row(c)}"
            ),
        ),
        Fault(
            "no-eps",
            {"spread": np.sqrt},
            lambda c: (
                "Right, but for eps, which is missing. Where all features of a row are equal you "
                "divide 0 by 0 (NaN), and where the variance is tiny, such as "
                f"{_spread(c)}, noise is blown up to 1: add 1e-5 inside the root."
            ),
        ),
        Fault(
            "no-root",
            {"spread": lambda variance: variance + EPS},
            lambda c: (
                "You divide by the variance; divide by its root, the standard deviation. "
                f"{_statistics(c)}"
            ),
        ),
        Fault(
            "absolute",
            {
                "variance": lambda centered, X: mean(np.abs(centered)),
                "spread": lambda deviation: deviation + EPS,
            },
            lambda c: (
                "You divide by the mean *absolute* deviation. Square, take the mean, then the "
                f"root. {_statistics(c)}"
            ),
        ),
        Fault(
            "length",
            {
                "variance": lambda centered, X: (centered**2).sum(
                    axis=-1, keepdims=True
                )
            },
            lambda c: (
                "You divide by the *length* of the centered row: the sum of squares is not yet "
                f"divided by d_model = {c.given['X'].shape[-1]}. {_statistics(c)}"
            ),
        ),
        Fault(
            "rms",
            {
                "center": lambda X: X,
                "variance": lambda centered, X: mean(X**2),
            },
            lambda c: (
                "You never subtract the mean: this is RMSNorm, which divides by the root of the "
                f"mean square. Layer normalization centers first. {_statistics(c)}"
            ),
        ),
        Fault(
            "not-centered",
            {"center": lambda X: X},
            lambda c: (
                "The divisor is right, but above the fraction stands x instead of x − μ: the mean "
                f"is not subtracted. {_statistics(c)}"
            ),
        ),
        Fault(
            "centered-only",
            {"spread": np.ones_like},
            lambda c: (
                "You subtract the mean and do not divide by the standard deviation. "
                f"{_statistics(c)}"
            ),
        ),
        Fault(
            "squares-first",
            {"variance": squares_first},
            lambda c: (
                "You take the variance as mean(x²) − mean(x)². On paper that is the same, and for "
                "rows near 0 it works. These rows lie at 10⁸: x² has 17 digits, float64 keeps 16, "
                "and nothing is left of a variance of about 4. Subtract the mean first, then "
                "square."
            ),
        ),
        Fault(
            "no-gain",
            {"rescale": lambda unit, gain, bias: unit + bias},
            lambda c: (
                f"The gain is missing: each feature is multiplied by its own, {_listed(c, 'gain')}."
            ),
        ),
        Fault(
            "no-bias",
            {"rescale": lambda unit, gain, bias: gain * unit},
            lambda c: (
                f"The bias is missing: it is added at the end, {_listed(c, 'bias')}."
            ),
        ),
        Fault(
            "bare",
            {"rescale": lambda unit, gain, bias: unit},
            lambda c: (
                "Rightly normalized. What is missing are gain and bias: multiply by the one and "
                f"add the other. {wrong_row(c)}"
            ),
        ),
        Fault(
            "swapped",
            {"rescale": lambda unit, gain, bias: bias * unit + gain},
            lambda c: (
                "Gain and bias are swapped: multiply by `gain`, add `bias`. "
                f"{wrong_row(c)}"
            ),
        ),
        Fault(
            "bias-first",
            {"rescale": lambda unit, gain, bias: gain * (unit + bias)},
            lambda c: (
                "You add the bias before you multiply by the gain, so that it is multiplied too: "
                f"g · x + b, not g · (x + b). {wrong_row(c)}"
            ),
        ),
        Fault(
            "gain-plus-one",
            {"rescale": lambda unit, gain, bias: (1 + gain) * unit + bias},
            lambda c: (
                "You multiply by 1 + gain. Some models store their gains like that; here it is "
                f"`gain` itself. {wrong_row(c)}"
            ),
        ),
        Fault(
            "gain-divides",
            {"rescale": lambda unit, gain, bias: unit / gain + bias},
            lambda c: f"You divide by the gain; multiply by it. {wrong_row(c)}",
        ),
        Fault(
            "rescaled-first",
            lambda X, gain, bias: normed(
                gain * X + bias, np.ones_like(gain), np.zeros_like(bias)
            ),
            lambda c: (
                "You apply gain and bias first and normalize afterward, which takes most of "
                f"their effect away again. They come last. {wrong_row(c)}"
            ),
        ),
    ),
    properties=(
        Property("rows-mix", _rows_mix),
        Property("eps", _other_eps),
        Property("not-normal", _not_normal),
    ),
    hints=(
        "What does one row become, if you do it by hand for [1, 2, 6]? Its mean is 3.",
        "Subtract the mean of each row, then divide by the root of (variance + 1e-5); gain and "
        "bias come last, and broadcasting gives each feature its own.",
        "`centered = X - X.mean(axis=-1, keepdims=True)`, then the mean of `centered**2` in the "
        "same way, then `gain * centered / np.sqrt(… + 1e-5) + bias`.",
    ),
    built_ins=("course_attn.in_numpy.block.layer_norm",),
)


def _listed(c: Context, name: str) -> str:
    shown = ", ".join(number(value) for value in c.given[name][:4])
    return f"here `{name}` is [{shown}{', …' if len(c.given[name]) > 4 else ''}]"
