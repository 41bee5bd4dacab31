"""Exercise `init_projection` of chapter 5."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import (
    Case,
    Context,
    Exercise,
    Fault,
    Property,
    WrongForm,
    number,
)

__all__ = ["exercise"]


def init_projection(rng, d_in, d_out):
    """Draw a matrix that keeps the variance of what it projects."""
    return rng.standard_normal((d_in, d_out)) / np.sqrt(d_in)


def _init_cases() -> tuple[Case, ...]:
    sizes = ((300, 500), (701, 211), (400, 400))
    kinds = ("example", "plain", "square")
    return tuple(
        Case((np.random.default_rng(20260510 + d), d, e), kind)
        for (d, e), kind in zip(sizes, kinds, strict=True)
    )


def _measured(
    draw: Callable[..., Any], rng: Any, d_in: int, d_out: int
) -> np.ndarray:
    """Measure matrices that the answer draws: what should be [1, 0, 1, 0, 1].

    Their variance times d_in; their mean in units of 1/sqrt(d_in); whether rows and columns are
    independent of each other; whether a second call gives the same, and an equal generator.
    """
    twin = copy.deepcopy(rng)
    W, again, same = (
        draw(rng, d_in, d_out),
        draw(rng, d_in, d_out),
        draw(twin, d_in, d_out),
    )
    if not isinstance(W, np.ndarray) or W.dtype.kind != "f":
        what = "None" if W is None else f"a `{type(W).__name__}`"
        raise WrongForm(
            f"You return {what}; return an array of real numbers.", "no-array"
        )
    if W.shape != (d_in, d_out):
        raise WrongForm(
            f"For d_in = {d_in} and d_out = {d_out} you return shape {W.shape}; as it is used in "
            f"`X @ W`, the matrix has shape {(d_in, d_out)}.",
            "matrix-shape",
        )
    unit = (W - W.mean()) / W.std() if W.std() > 0 else W
    return np.array(
        [
            W.var() * d_in,
            W.mean() * np.sqrt(d_in),
            float(max(_overlap(unit), _overlap(unit.T)) < 1.2),
            float((W == again).mean() > 0.9),
            float((W == same).mean() > 0.9),
        ]
    )


def _overlap(unit: np.ndarray) -> float:
    """Measure how much rows have in common: 1 on average if all entries are independent."""
    part = unit[:, :100]
    products = part @ part.T
    shared = (products**2).sum() - (np.diag(products) ** 2).sum()
    return float(shared / (len(part) * (len(part) - 1) * part.shape[1]))


def _drawn(
    rng: Any,
    d_in: int,
    d_out: int,
    *,
    entries: Callable[..., Any] = lambda rng, *size: rng.standard_normal(size),
    spread: Callable[..., Any] = lambda d_in, d_out: d_in**-0.5,
) -> np.ndarray:
    return entries(rng, d_in, d_out) * spread(d_in, d_out)


def _variance_out(c: Context) -> str:
    return (
        f"at d_in = {c.given['d_in']} the entries of X @ W have "
        f"{number(c.got[0] + c.got[1] ** 2)} times the variance of those of X"
    )


_DEPENDENT = (
    "The entries are not independent: your matrix repeats itself (whole rows or columns are copies "
    "of each other, or multiples), and so do the features of X @ W. Draw all d_in × d_out numbers."
)


exercise = Exercise(
    solution=init_projection,
    place=20,
    section="Matrices that keep the variance",
    task="""
Write `init_projection(rng, d_in, d_out)`: draw a matrix W of shape (d_in, d_out) such that `X @ W`
has unit variance when X has (independent entries of mean 0 and variance 1). Its entries are
independent, with mean 0 and variance $1/d_{in}$, drawn from the generator `rng`
(`np.random.default_rng(…)`) and nothing else: two calls differ, and two equal generators give equal
matrices. Any such distribution will do; the check measures.
""",
    cases=_init_cases,
    variant=_drawn,
    use=_measured,
    tolerance=0.03,
    faults=(
        Fault(
            "zeros",
            lambda rng, d_in, d_out: np.zeros((d_in, d_out)),
            "Your matrix is all zeros: every projection of everything is 0. Draw its entries from "
            "`rng`.",
        ),
        Fault(
            "variance-1",
            {"spread": lambda d_in, d_out: 1.0},
            lambda c: (
                f"The entries are not scaled by 1/√d_in: {_variance_out(c)}. Query and key both "
                "carry that factor, and √d_k does not save you."
            ),
        ),
        Fault(
            "spread-1-over-d",
            {"spread": lambda d_in, d_out: 1 / d_in},
            lambda c: (
                "You divide by d_in, so that the *spread* is 1/d_in and the variance 1/d_in²: "
                f"{_variance_out(c)}. Divide by its root."
            ),
        ),
        Fault(
            "fan-out",
            {"spread": lambda d_in, d_out: d_out**-0.5},
            lambda c: (
                f"You divide by the root of d_out = {c.given['d_out']}. Each entry of X @ W is a "
                f"sum over d_in = {c.given['d_in']} terms: {_variance_out(c)}."
            ),
        ),
        Fault(
            "xavier",
            {"spread": lambda d_in, d_out: np.sqrt(2 / (d_in + d_out))},
            lambda c: (
                "Variance 2/(d_in + d_out) is Glorot's compromise between the forward and the "
                f"backward pass. Asked for is 1/d_in: with yours {_variance_out(c)}."
            ),
        ),
        Fault(
            "he",
            {"spread": lambda d_in, d_out: np.sqrt(2 / d_in)},
            lambda c: (
                "Variance 2/d_in is right before a ReLU, which drops half. A projection drops "
                f"nothing: {_variance_out(c)}."
            ),
        ),
        Fault(
            "uniform",
            {"entries": lambda rng, *size: rng.uniform(-1, 1, size)},
            lambda c: (
                "A uniform number in [−a, a] has variance a²/3, so yours is three times too small: "
                f"{_variance_out(c)}. Take a = √(3/d_in)."
            ),
        ),
        Fault(
            "positive",
            {"entries": lambda rng, *size: rng.uniform(0, np.sqrt(12), size)},
            lambda c: (
                f"Your entries have mean {number(c.got[1])}/√d_in instead of 0: all projections "
                "would share one common part."
            ),
        ),
        Fault(
            "random",
            {"entries": lambda rng, *size: rng.random(size)},
            lambda c: (
                "`rng.random` draws evenly from [0, 1): those numbers have mean 1/2, not 0, and "
                f"variance 1/12, not 1. So your entries have mean {number(c.got[1])}/√d_in (all "
                f"projections would share one common part), and {_variance_out(c)}. Draw from "
                "`rng.standard_normal`, or shift and stretch."
            ),
        ),
        Fault(
            "repeated",
            {
                "entries": lambda rng, d_in, d_out: np.repeat(
                    rng.standard_normal((d_in, 1)), d_out, axis=1
                )
            },
            _DEPENDENT,
        ),
        Fault(
            "own-seed",
            {
                "entries": lambda rng, *size: np.random.default_rng(
                    0
                ).standard_normal(size)
            },
            "Two calls give the same matrix: you make a generator of your own with a fixed seed. "
            "W_Q and W_K would be equal. Draw from the `rng` that is passed in.",
        ),
        Fault(
            "global-generator",
            {
                "entries": lambda rng, *size: (
                    np.random.default_rng().standard_normal(size)
                )
            },
            "Two equal generators give different matrices: your numbers come from somewhere else "
            "(`np.random.randn`, a new `default_rng()`). Draw from `rng`, or nobody can repeat "
            "your experiment.",
        ),
    ),
    properties=(
        Property(
            "same-again",
            lambda c: (
                "Two calls give the same matrix: nothing is drawn from `rng`."
                if c.got[3] == 1
                else None
            ),
        ),
        Property("repeated", lambda c: None if c.got[2] else _DEPENDENT),
        Property(
            "mean-and-variance",
            lambda c: (
                f"The mean of your entries is {number(c.got[1])}/√d_in and should be 0. And their "
                f"variance is not 1/d_in: it is {number(c.got[0])}/d_in."
                if abs(c.got[1]) > 0.03 and abs(c.got[0] - 1) > 0.03
                else None
            ),
        ),
        Property(
            "variance",
            lambda c: (
                f"The variance is not 1/d_in: {_variance_out(c)}."
                if abs(c.got[0] - 1) > 0.03
                else None
            ),
        ),
        Property(
            "mean",
            lambda c: (
                f"The mean of your entries is {number(c.got[1])}/√d_in; it should be 0."
                if abs(c.got[1]) > 0.03
                else None
            ),
        ),
    ),
    hints=(
        "An entry of X @ W is a sum of d_in products. What is the variance of such a sum?",
        "The variance of the sum is d_in times that of an entry of W; so an entry needs 1/d_in. "
        "What is its standard deviation then?",
        "`rng.standard_normal((d_in, d_out))` has variance 1; multiplied by s it has variance s².",
    ),
)
