"""Exercise `score_variance` of chapter 5."""

from collections.abc import Callable
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

__all__ = ["exercise"]


def score_variance(d_k, mean, shared):
    """Predict the variance of the dot product of two random vectors."""
    independent = d_k * (1 + 2 * mean**2)
    return 2 * independent if shared else independent


def _variance_cases() -> tuple[Case, ...]:
    return (
        Case((64, 0.0, False), "example"),
        Case((7, 0.5, False), "mean"),
        Case((64, 0.0, True), "shared"),
        Case((11, 1.5, True), "both"),
        Case((3, -2.0, False), "mean"),
        Case((5, -0.7, True), "both"),
    )


def _predicted(
    d_k: int,
    mean: float,
    shared: bool,
    *,
    square: Callable[..., Any] = lambda mean: mean**2,
    alone: Callable[..., Any] = lambda m: 1 + 2 * m,
    twin: Callable[..., Any] = lambda m, one: 2 * one,
    total: Callable[..., Any] = lambda one, d_k: d_k * one,
    finish: Callable[..., Any] = lambda variance: variance,
) -> float:
    one = alone(square(mean))
    return finish(total(twin(square(mean), one) if shared else one, d_k))


def _asked(c: Context) -> str:
    return (
        f"d_k = {c.given['d_k']}, mean {number(c.given['mean'])}, "
        f"{'q = k' if c.given['shared'] else 'q and k independent'}: you have {number(c.got)}, "
        f"and {number(c.expected)} is right"
    )


exercise = Exercise(
    solution=score_variance,
    place=30,
    section="When an assumption fails",
    task="""
Write `score_variance(d_k, mean, shared)`: the variance of the *unscaled* score $q \\cdot k$, as one
number, by a formula and not by drawing. The d_k components are independent normal numbers with the
given mean $\\mu$ and variance 1. `shared` is False for q and k independent of each other, and True
for $k = q$. (For a normal z with mean 0 and variance 1, $E[z^3] = 0$ and $E[z^4] = 3$.)
""",
    cases=_variance_cases,
    variant=_predicted,
    kinds={
        "mean": Kind("where the mean is not 0", "E[(qk)²] is no longer 1 then."),
        "example": Kind("for mean 0 and independent vectors"),
        "shared": Kind(
            "where k = q with mean 0", "The score is a sum of squares then."
        ),
        "both": Kind(
            "where k = q with another mean", "Var[(μ + z)²] = Var[2μz + z²]."
        ),
    },
    faults=(
        Fault(
            "mean-ignored",
            {"square": lambda mean: 0.0},
            lambda c: (
                f"The mean plays no part in your formula, but it widens the spread. {_asked(c)}."
            ),
        ),
        Fault(
            "shared-ignored",
            {"twin": lambda m, one: one},
            lambda c: (
                "You treat k = q as if the two were independent. Then the score is a sum of "
                f"squares, which spread more. {_asked(c)}."
            ),
        ),
        Fault(
            "mean-of-the-score",
            lambda d_k, mean, shared: (
                d_k * (1 + mean**2) if shared else d_k * (1 + 2 * mean**2)
            ),
            lambda c: (
                "For k = q you return the *mean* of the score, E[q · q] = d_k (1 + μ²). How far "
                f"does it spread around that? {_asked(c)}."
            ),
        ),
        Fault(
            "mean-not-squared",
            {"square": abs},
            lambda c: (
                f"The mean has to be squared (a variance has squared units). {_asked(c)}."
            ),
        ),
        Fault(
            "mean-once",
            {"square": lambda mean: mean**2 / 2},
            lambda c: (
                "The mean enters twice, once through q and once through k: Var[q k] = "
                f"(1 + μ²)² − μ⁴ = 1 + 2μ². {_asked(c)}."
            ),
        ),
        Fault(
            "kurtosis",
            {"twin": lambda m, one: 3 + 4 * m},
            lambda c: (
                "For k = q one square z² has variance E[z⁴] − E[z²]² = 3 − 1 = 2; you take 3, as "
                f"if nothing were subtracted. {_asked(c)}."
            ),
        ),
        Fault(
            "second-moment-shared",
            {"twin": lambda m, one: 3 + 6 * m + m**2},
            lambda c: (
                "For k = q you return E[q⁴] = 3 + 6μ² + μ⁴, once for each component. The variance "
                f"of q² is E[q⁴] − E[q²]²: subtract (1 + μ²)². {_asked(c)}."
            ),
        ),
        Fault(
            "second-moment-alone",
            {
                "alone": lambda m: (1 + m) ** 2,
                "twin": lambda m, one: 2 + 4 * m,
            },
            lambda c: (
                "For independent q and k you return E[(q k)²] = (1 + μ²)², once for each "
                "component. The variance is E[(q k)²] − E[q k]²: subtract μ⁴. "
                f"{_asked(c)}."
            ),
        ),
        Fault(
            "doubled-second-moment-shared",
            {"twin": lambda m, one: 2 * (1 + m) ** 2},
            lambda c: (
                "For k = q you take 2 (1 + μ²)² for each component, which is right only for μ = 0. "
                "Expand the square: (μ + z)² = μ² + 2μz + z², of which the last two terms vary. "
                f"{_asked(c)}."
            ),
        ),
        Fault(
            "second-moment-doubled",
            {"alone": lambda m: (1 + m) ** 2},
            lambda c: (
                "You take E[(q k)²] = (1 + μ²)² for each component, and twice that for k = q. From "
                "a second moment the squared mean has to be subtracted: "
                f"E[(q k)²] − E[q k]² = (1 + μ²)² − μ⁴. {_asked(c)}."
            ),
        ),
        Fault(
            "second-moment",
            lambda d_k, mean, shared: (
                d_k * (3 + 6 * mean**2 + mean**4)
                if shared
                else d_k * (1 + mean**2) ** 2
            ),
            lambda c: (
                "You forgot to subtract the squared mean: E[(q k)²] is not yet the variance, "
                f"E[(q k)²] − E[q k]² is. {_asked(c)}."
            ),
        ),
        Fault(
            "scaled",
            {"total": lambda one, d_k: one},
            lambda c: (
                "That is the variance after dividing by √d_k (or of one component). Asked for is "
                f"the unscaled sum of d_k components. {_asked(c)}."
            ),
        ),
        Fault(
            "standard-deviation",
            {"finish": np.sqrt},
            lambda c: (
                f"You return the standard deviation, the root of the variance. {_asked(c)}."
            ),
        ),
        Fault(
            "d-squared",
            {"total": lambda one, d_k: d_k**2 * one},
            lambda c: (
                "The components are independent, so their variances add up: d_k of them, not d_k². "
                f"{_asked(c)}."
            ),
        ),
    ),
    properties=(
        Property(
            "nearly",
            lambda c: (
                f"Near, but not exact: {_asked(c)}. Drawing and measuring gives only an estimate; "
                "asked for is the formula."
                if abs(c.got / c.expected - 1) < 0.1
                else None
            ),
        ),
    ),
    hints=(
        "The components are independent, so the variances of the d_k products add up. What is the "
        "variance of *one* product?",
        "Var[ab] = E[a²]E[b²] − (E[a]E[b])² for independent a and b, with E[a²] = 1 + μ². For k = "
        "q write the component as μ + z and expand its square.",
        "1 + 2μ² for one product of independent components; Var[2μz + z²] = 4μ² + 2 for a square.",
    ),
    built_ins=("course_attn.costs.expected_score_variance",),
)
