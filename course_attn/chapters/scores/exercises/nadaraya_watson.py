"""Exercise `nadaraya_watson`."""

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
    span,
)

__all__ = ["exercise"]


def nadaraya_watson(x_query, x, y, bandwidth):
    """Predict y at each query as an average of the data, near points weighing most."""
    distances = x_query[:, None] - x[None, :]
    kernel = np.exp(-(distances**2) / (2 * bandwidth**2))
    total = kernel.sum(axis=1, keepdims=True)
    weights = kernel / total
    return weights @ y


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260205)

    def given(n_q: int, n: int, width: float, unit: float = 1.0) -> tuple[Any, ...]:
        # Neither queries nor data are sorted; queries come from among the data.
        x = unit * rng.permutation(np.linspace(-2, 4, n) + rng.uniform(0, 0.4, n))
        x_query = rng.choice(x, n_q) + 0.3 * width * rng.uniform(-1, 1, n_q)
        return x_query, x, 3 + np.sin(x / unit) + rng.standard_normal(n), width

    *narrow, width = given(3, 11, 0.8)
    example = np.array([2.5, 1.5]), np.array([1.0, 0, 3]), np.array([5.0, 4, 9])
    x_query, x, y, _ = given(5, 11, 0.6)
    single = np.array([1.5, 0.5, 1.6]), np.array([1.0]), np.array([5.0])
    return (
        Case((*example, 0.8), "example"),
        Case(given(5, 13, 0.7)),
        Case(given(11, 7, 2.0)),
        Case(given(5, 11, 60.0, unit=100.0)),
        Case(given(3, 13, 0.05, unit=0.1)),
        Case((x_query, x, 1e-6 * y, 0.6), "small"),
        Case(given(7, 7, 1.3), "square"),
        Case(given(1, 5, 0.7), "vector"),
        Case((*single, 0.7), "vector"),
        Case((*(array.astype("f4") for array in narrow), width), "float32"),
        Case((np.array([-0.7, 0.9]), 0.1 * example[1], example[2], 0.08), "far"),
    )


def _outside(c: Context) -> str | None:
    low, high = c.given["y"].min(), c.given["y"].max()
    if not (c.got.min() < low - 1e-3 or c.got.max() > high + 1e-3):
        return None
    far = " All exponentials are tiny here: is anything added to their sum?"
    return (
        f"A weighted mean of y lies between {number(low)} and {number(high)}; yours are "
        f"{span(c.got)}: the weights of a query do not sum to 1."
        + far
        * (c.kind == "far")
    )


exercise = Exercise(
    nadaraya_watson,
    place=60,
    minutes=10,
    level="medium",
    prepares=("soft_lookup", "unscaled_attention"),
    section="Kernel regression: attention before its name",
    task="""
Attention from 1964: predict y at a new x by averaging the data, near points weighing most. Write
`nadaraya_watson(x_query, x, y, bandwidth)`. The weight of point j for query i is proportional to
$\\exp\\left(-(x_i^{\\text{query}} - x_j)^2 / (2 h^2)\\right)$, where $h$ is the bandwidth, and the
weights of a query sum to 1. `x_query` (n_q,), `x` and `y` (n,), `bandwidth` a number; the result is
(n_q,). No query is further than ten bandwidths from the nearest point.
""",
    cases=_cases,
    kinds={
        "small": Kind("for very small y", "Is something rounded, or added?"),
        "vector": Kind(
            "for a single query or a single data point",
            "`squeeze` removes an axis of length 1, and broadcasting stretches it.",
        ),
        "far": Kind(
            "for a query eight bandwidths from the nearest point", apart=True
        ),
    },
    faults=fault_list("""
bandwidth-not-squared: (2 * bandwidth**2) → (2 * bandwidth)
    The bandwidth is not squared: distance²/(2·bandwidth) changes with the unit in which x is
    measured. Divide the distance by the bandwidth, then square.
two-missing: (2 * bandwidth**2) → bandwidth**2
    The exponent is −u²/2 with u = distance/bandwidth; your 2 is missing, which makes the kernel
    narrower by a factor of √2.
two-squared: (2 * bandwidth**2) → (2 * bandwidth) ** 2
    The factor 2 is squared, too: (2·bandwidth)² is 4·bandwidth², and 2·bandwidth² is asked for.
halved-inside: (2 * bandwidth**2) → 2 * bandwidth**2
    You multiply by bandwidth²: `a / 2 * h**2` divides by 2 only. Write `a / (2 * h**2)`.
exponential: (distances**2) / (2 * bandwidth**2) → np.abs(distances) / bandwidth
    Your kernel is e^(−|distance|/bandwidth). A Gaussian squares the ratio and halves it:
    exp(−(distance/bandwidth)²/2).
distance-not-squared: (distances**2) → np.abs(distances)
    The distance is not squared: your kernel has a sharp peak where a Gaussian is round.
box: np.exp(-(distances**2) / (2 * bandwidth**2)) → 1.0 * (np.abs(distances) <= bandwidth)
    You average all points within one bandwidth with equal weights; the weight should fall off
    smoothly with the distance.
not-normalized: kernel / total → kernel
    The weights are not divided by their sum. Where data are dense you get more than where they
    are sparse: {your.row} instead of {right.row}.
columns: kernel.sum(axis=1, keepdims=True) → kernel.sum(axis=0, keepdims=True)
    You normalize over the queries (axis 0), so a prediction depends on which other queries are
    asked. The weights of *one* query sum to 1.
count: kernel.sum(axis=1, keepdims=True) → kernel.shape[1]
    You divide by the number of points, {x.last} here, not by the sum of the query's weights, so
    these do not sum to 1.
density: kernel / total → kernel / (bandwidth * np.sqrt(2 * np.pi))
    You use the Gaussian's density, 1/(√(2π)·bandwidth) included, instead of weights that sum to
    1: divide each query's weights by their own sum.
density-averaged: kernel / total → kernel / (bandwidth * np.sqrt(2 * np.pi)) / kernel.shape[1]
    You multiply each y by the Gaussian's density and take the mean of the products. A query's
    weights, the densities divided by {x.last}, do not sum to 1: you predict {your.row}, and
    {right.row} is right. Divide them by their own sum.
averaged: weights @ y → weights @ y / len(x)
    You divide by the number of points, {x.last} here, once too often: do you take the mean of the
    weighted values? The weights of a query sum to 1 already, so that their *sum* is the mean of y.
running: kernel / total → np.cumsum(kernel, axis=0) / np.cumsum(total, axis=0)
    Each of your predictions after the first also contains the sums of the queries before it. Do
    numerator and denominator begin at 0 again for each query?
x-sorted: x_query[:, None] - x[None, :] → x_query[:, None] - np.sort(x)[None, :]
    You sort x and leave y as it was: point j is the pair (x_j, y_j), and sorting one of the two
    tears the pairs apart. No order is needed at all.
nearest: weights @ y → y[weights.argmax(axis=1)]
    You take the y of the nearest point alone. How much do the other points count? {your.row}
    instead of {right.row}.
first-point-missing: total = → kernel = kernel * (np.arange(len(x)) > 0) ⏎ total =
    The first point has no say. The {x.last} points are counted from 0: does a loop or a slice of
    yours begin at 1?
x-averaged: weights @ y → weights @ x
    You average the x of the data, not their y: {your.row} instead of {right.row}.
y-centered: weights @ y → weights @ (y - y.mean())
    You average y less its mean, and the mean never comes back: {your.row} instead of {right.row}.
    Which values are to be averaged?
one-query: weights @ y → (weights @ y)[0]
    You predict for the first query only. There are {x_query.last} queries: make the distances a
    matrix, with one row for each query.
interpolated: return np.interp(x_query, x, y)
    `np.interp` joins neighboring points by straight lines (and needs x in order). Here *all*
    points have a say, each by its distance.
minus-missing: np.exp(-( → np.exp((
    The minus in the exponent is missing: your kernel grows with the distance, so that the points
    *farthest* from a query weigh most.
over-everything: kernel.sum(axis=1, keepdims=True) → kernel.sum()
    You divide by the sum of the kernel over all queries together. The weights of *each* query sum
    to 1: along which axis do you add up?
softmaxed: kernel / total → np.exp(kernel) / np.exp(kernel).sum(axis=1, keepdims=True)
    You take `exp` of the kernel once more (a softmax?), and a far point, whose kernel is 0, still
    counts as 1. The kernel is an exponential already: what is left to do?
"""),
    properties=(Property("outside", _outside),),
    hints=(
        "Start with all distances at once: a row for each query, a column for each data point.",
        "From distances to the kernel's values, from there to weights (each row divided by its "
        "sum), and from weights to predictions: the last step is a weighted sum.",
        "`x_query[:, None] - x` has shape (n_q, n). The exponent is "
        "`-(distance / bandwidth)**2 / 2`; after dividing by the row sums, `weights @ y`.",
    ),
    built_ins=twins("scores.nadaraya_watson"),
)
