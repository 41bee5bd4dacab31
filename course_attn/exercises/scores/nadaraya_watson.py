"""Exercise `nadaraya_watson` of chapter 2."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Exercise, Fault, number

__all__ = ["exercise"]


def nadaraya_watson(x_query, x, y, bandwidth):
    """Predict y at each query as an average of the data, near points weighing most."""
    distances = x_query[:, None] - x[None, :]
    kernel = np.exp(-(distances**2) / (2 * bandwidth**2))
    weights = kernel / kernel.sum(axis=1, keepdims=True)
    return weights @ y


def _regression_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260205)

    def draw(n_q: int, n: int, bandwidth: float) -> tuple[Any, ...]:
        x = np.sort(rng.uniform(0.0, 6.0, n))
        return (
            rng.uniform(0.5, 5.5, n_q),
            x,
            np.sin(x) + 0.1 * rng.standard_normal(n),
            bandwidth,
        )

    singles = tuple(
        a.astype("f4") if isinstance(a, np.ndarray) else a for a in draw(3, 11, 0.8)
    )
    example = (
        np.array([1.0, 1.5]),
        np.array([0.0, 1.0, 2.0]),
        np.array([4.0, 5.0, 9.0]),
        0.5,
    )
    return (
        Case(example, "example"),
        Case(draw(5, 13, 0.7)),
        Case(draw(11, 7, 2.0)),
        Case(draw(7, 7, 1.3), "square"),
        Case(singles, "float32"),
    )


def _regressed(
    x_query: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    bandwidth: float,
    *,
    kernel: Callable[..., Any] = lambda distance, h: np.exp(
        -(distance**2) / (2 * h**2)
    ),
    total: Callable[..., Any] = lambda kernel: kernel.sum(axis=1, keepdims=True),
) -> np.ndarray:
    values = kernel(x_query[:, None] - x[None, :], bandwidth)
    return values / total(values) @ y


exercise = Exercise(
    solution=nadaraya_watson,
    place=40,
    section="An old friend: kernel regression",
    task="""
Attention from 1964: predict y at a new x by averaging the data, near points weighing most. Write
`nadaraya_watson(x_query, x, y, bandwidth)`. The weight of point j for query i is proportional to
exp(−(x_query_i − x_j)² / (2 · bandwidth²)), and the weights of a query sum to 1. `x_query` (n_q,),
`x` and `y` (n,), `bandwidth` a number; the result is (n_q,).
""",
    cases=_regression_cases,
    variant=_regressed,
    faults=(
        Fault(
            "bandwidth-not-squared",
            {"kernel": lambda distance, h: np.exp(-(distance**2) / (2 * h))},
            "The bandwidth is not squared: distance²/(2·bandwidth) changes with the unit in which "
            "x is measured. Divide the distance by the bandwidth, then square.",
        ),
        Fault(
            "two-missing",
            {"kernel": lambda distance, h: np.exp(-(distance**2) / h**2)},
            "The factor 2 in front of bandwidth² is missing: your kernel is narrower by √2.",
        ),
        Fault(
            "bandwidth-unused",
            {"kernel": lambda distance, h: np.exp(-(distance**2) / 2)},
            lambda c: (
                f"The bandwidth ({number(c.given['bandwidth'])} here) plays no part in your "
                "result: it stays the same for any other."
            ),
        ),
        Fault(
            "distance-not-squared",
            {"kernel": lambda distance, h: np.exp(-np.abs(distance) / (2 * h**2))},
            "The distance is not squared: the kernel has a peak where a Gaussian is round.",
        ),
        Fault(
            "halved-inside",
            {"kernel": lambda distance, h: np.exp(-(distance**2) / 2 * h**2)},
            "You multiply by bandwidth²: `a / 2 * h**2` divides by 2 only. It needs parentheses, "
            "`a / (2 * h**2)`.",
        ),
        Fault(
            "sign",
            {"kernel": lambda distance, h: np.exp(distance**2 / (2 * h**2))},
            "The minus sign in the exponent is missing: the *farthest* points weigh most.",
        ),
        Fault(
            "not-normalized",
            {"total": lambda kernel: 1.0},
            lambda c: (
                "The weights are not divided by their sum. Where data are dense you get more than "
                f"where they are sparse: {c.row()} instead of {c.row(of='expected')}."
            ),
        ),
        Fault(
            "columns",
            {"total": lambda kernel: kernel.sum(axis=0, keepdims=True)},
            "You normalize over the queries (axis 0), so a prediction depends on which other "
            "queries are asked. The weights of *one* query sum to 1.",
        ),
        Fault(
            "whole-array",
            {"total": lambda kernel: kernel.sum()},
            lambda c: (
                "You divide by the sum over all queries and points together; each query has a sum "
                f"of its own. Your predictions are too small: {c.row()} instead of "
                f"{c.row(of='expected')}."
            ),
        ),
        Fault(
            "maximum",
            {"total": lambda kernel: kernel.max(axis=1, keepdims=True)},
            "You divide by the largest weight of each query; then the weights do not sum to 1.",
        ),
        Fault(
            "density",
            {
                "total": lambda kernel: 1.0,
                "kernel": lambda distance, h: (
                    np.exp(-(distance**2) / (2 * h**2)) / (h * np.sqrt(2 * np.pi))
                ),
            },
            "You use the Gaussian's density, 1/(√(2π)·bandwidth) included, instead of weights that "
            "sum to 1: divide each query's weights by their own sum.",
        ),
        Fault(
            "count",
            {"total": lambda kernel: kernel.shape[1]},
            "You divide by the number of points, not by the sum of the query's weights.",
        ),
        Fault(
            "exponential",
            {"kernel": lambda distance, h: np.exp(-np.abs(distance) / h)},
            "Your kernel is e^(−|distance|/bandwidth). A Gaussian squares the ratio and halves it: "
            "exp(−(distance/bandwidth)²/2).",
        ),
        Fault(
            "box",
            {"kernel": lambda distance, h: (np.abs(distance) <= h).astype(float)},
            "You average all points within one bandwidth with equal weights; the weight should "
            "fall off smoothly with the distance.",
        ),
        Fault(
            "x-averaged",
            lambda x_query, x, y, bandwidth: _regressed(x_query, x, x, bandwidth),
            lambda c: (
                f"You average the x of the data, not their y: {c.row()} instead of "
                f"{c.row(of='expected')}. x decides the weights, y is what they mix."
            ),
        ),
        Fault(
            "nearest",
            lambda x_query, x, y, bandwidth: y[
                np.abs(x_query[:, None] - x[None, :]).argmin(axis=1)
            ],
            "You copy the nearest point's y. That is the limit of a tiny bandwidth; here all "
            "points have a say.",
        ),
    ),
    hints=(
        "Start with all distances at once: a matrix with one row for each query and one column for "
        "each data point.",
        "From distances to the kernel's values, from there to weights (each row divided by its "
        "sum), and from weights to predictions: the last step is chapter 1.",
        "`x_query[:, None] - x` has shape (n_q, n). The exponent is "
        "`-(distance / bandwidth)**2 / 2`; after dividing by the row sums, `weights @ y`.",
    ),
    built_ins=("course_attn.in_numpy.scores.nadaraya_watson",),
)
