"""Exercises of chapter 1, `weighted_sum`: mixing vectors by weights."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import (
    Case,
    Context,
    Exercise,
    Fault,
    Kind,
    Question,
    Reason,
    as_shape,
    number,
    span,
)

__all__ = ["EXERCISES"]


def _same(array: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return array


def _turned(array: np.ndarray) -> np.ndarray:
    return array if array.ndim < 2 else np.swapaxes(array, -1, -2)


def _rows_to_one(weights: np.ndarray) -> np.ndarray:
    return weights / weights.sum(axis=-1, keepdims=True)


def _softmax_rows(weights: np.ndarray) -> np.ndarray:
    powers = np.exp(weights - weights.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


# --- weighted_sum ---------------------------------------------------------------------------------


def weighted_sum(weights, values):
    """Mix the values by the weights: output i is the sum over j of weights[i, j] * values[j]."""
    return weights @ values


def _weighted_sum_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260101)
    draw = rng.standard_normal
    example = np.array([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]])
    corners = np.array([[1.0, 0.0], [3.0, 4.0], [9.0, 8.0]])
    return (
        Case((example, corners), "example"),
        Case((rng.uniform(0.1, 1.0, (5, 7)), draw((7, 3)))),
        Case((draw((11, 3)), draw((3, 13)))),
        Case((rng.uniform(0.1, 1.0, (5, 5)), draw((5, 5))), "square"),
        Case((draw((2, 3, 5, 7)), draw((2, 3, 7, 11))), "batch"),
        Case((rng.uniform(0.1, 1.0, 7), draw((7, 3))), "vector"),
        Case((draw((11, 13)).astype("f4"), draw((13, 5)).astype("f4")), "float32"),
    )


def _mixed(
    weights: np.ndarray,
    values: np.ndarray,
    *,
    weigh: Callable[..., Any] = _same,
    mix: Callable[..., Any] = np.matmul,
    finish: Callable[..., Any] = _same,
) -> np.ndarray:
    return finish(mix(weigh(weights), values))


def _mean_over_values(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    return weights @ values / values.shape[-2]


def _without_last(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    return weights[..., :-1] @ values[..., :-1, :]


def _without_first(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    return weights[..., 1:] @ values[..., 1:, :]


def _last_term(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    return weights[..., -1:] @ values[..., -1:, :]


def _over_features(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    totals = values.sum(axis=-1)
    return weights * (totals if weights.ndim == 1 else totals[..., None, :])


def _unweighted(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.ones_like(weights) @ values


_WEIGHTED_SUM = Exercise(
    name="weighted_sum",
    chapter="weighted_sum",
    task="""
Write `weighted_sum(weights, values)`. Row $i$ of the result is the mixture
$y_i = \\sum_j a_{ij} x_j$ of the rows of `values`, with the weights exactly as they are given (they
need not sum to 1). Shapes: `weights` (…, n_q, n_k), `values` (…, n_k, d), result (…, n_q, d); the
dots stand for any number of equal leading batch axes. A single row of weights (n_k,) gives a single
vector (d,).
""",
    reference=weighted_sum,
    cases=_weighted_sum_cases,
    variant=_mixed,
    faults=(
        Fault(
            "transposed-weights",
            {"weigh": _turned},
            "The weights are transposed: your output i uses column i of `weights`, but row i holds "
            "the weights of output i. Where n_q and n_k differ, the shapes do not even fit.",
        ),
        Fault(
            "renormalized",
            {"weigh": _rows_to_one},
            lambda c: (
                "You divide the weights by their row sums first. Take them as they are: here the "
                f"rows of `weights` sum to {c.sums('weights')}, and that scales the outputs."
            ),
        ),
        Fault(
            "softmaxed",
            {"weigh": _softmax_rows},
            lambda c: (
                "You apply a softmax to the weights. They are weights already, not scores: your "
                f"first output would be mixed with {_softmaxed_row(c)} instead of "
                f"{c.row(of='weights')}."
            ),
        ),
        Fault(
            "mean",
            {"mix": _mean_over_values},
            lambda c: (
                f"You average where you should sum: every number is {_n_values(c)} times too "
                "small, because it is divided by n_k. The weights already say how much each value "
                "counts."
            ),
        ),
        Fault(
            "last-value-missing",
            {"mix": _without_last},
            lambda c: (
                f"The last value never enters the sum: j has to run from 0 to {_n_values(c) - 1}, "
                f"and yours stops at {_n_values(c) - 2}."
            ),
        ),
        Fault(
            "first-value-missing",
            {"mix": _without_first},
            "The first value never enters the sum: Python counts from 0, so j starts at 0.",
        ),
        Fault(
            "only-last-term",
            {"mix": _last_term},
            "Your output holds the last term of the sum only: inside the loop each term replaces "
            "the one before. Add it with `+=`, to a row that starts at zero.",
        ),
        Fault(
            "over-features",
            {"mix": _over_features},
            lambda c: (
                "You multiply the right pairs and then sum over the wrong axis: the features are "
                "added up and j is left over, hence "
                f"shape {c.got.shape} and not {c.expected.shape}. The axis to sum over is j."
            ),
        ),
        Fault(
            "weights-unused",
            {"mix": _unweighted},
            "All your outputs are the plain sum of the values: the weights play no part.",
        ),
        Fault(
            "largest-copied",
            lambda weights, values: np.take_along_axis(
                values, weights.argmax(axis=-1)[..., None], axis=-2
            ),
            "You copy the value with the largest weight. All values count, each as much as its "
            "weight says.",
        ),
        Fault(
            "signs-lost",
            {"weigh": np.abs},
            "The signs of the weights are lost: negative ones are allowed here. Use them as given.",
        ),
        Fault(
            "transposed-result",
            {"finish": _turned},
            lambda c: (
                f"Your result is transposed: it has shape {c.got.shape}, one *column* for each "
                "query. One *row* for each query is asked for."
            ),
        ),
        Fault(
            "swapped-factors",
            lambda weights, values: values @ weights,
            "You multiply in the wrong order: `values @ weights` mixes the columns of `values`. It "
            "only shows where all sizes are equal.",
        ),
        Fault(
            "elementwise",
            lambda weights, values: weights * values,
            "`*` multiplies entry by entry and sums nothing. A sum of products over j is a matrix "
            "product, which is written `@`.",
        ),
    ),
    hints=(
        "Take one output, say number 0. Which row of which array says how much of each value it "
        "gets? Over which index does the sum run, and which axis is that in each of the two "
        "arrays?",
        "Multiplying along a row of one array and down a column of another, then adding: that is "
        "what a matrix product does, for all rows and columns at once.",
        "`@` sums over the last axis of its left side and the second-to-last of its right side. "
        "Weights (n_q, n_k) and values (n_k, d) fit in just one order.",
    ),
    built_ins=(
        "course_attn.in_numpy.weighted_sum.weighted_sum",
        "course_attn.in_numpy.weighted_sum.weighted_sum_loop",
    ),
)


def _n_values(c: Context) -> int:
    return c.given["values"].shape[-2]


def _softmaxed_row(c: Context) -> str:
    row = _softmax_rows(c.given["weights"]).reshape(
        -1, c.given["weights"].shape[-1]
    )[0]
    return f"[{', '.join(number(entry) for entry in row[:6])}{', …' if len(row) > 6 else ''}]"


# --- normalize_weights ----------------------------------------------------------------------------


def normalize_weights(weights):
    """Scale every row of non-negative weights so that it sums to 1."""
    return weights / weights.sum(axis=-1, keepdims=True)


def _normalize_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260102)
    draw = rng.uniform
    with_zeros = draw(0.1, 4.0, (5, 11)) * (draw(size=(5, 11)) < 0.6)
    with_zeros[:, 0] = 1.5
    return (
        Case((np.array([[2.0, 6.0, 0.0], [1.0, 1.0, 2.0]]),), "example"),
        Case((draw(0.1, 3.0, (5, 7)),)),
        Case((with_zeros,)),
        Case((draw(0.1, 3.0, (5, 5)),), "square"),
        Case((draw(0.1, 3.0, (2, 3, 5, 7)),), "batch"),
        Case((draw(0.1, 3.0, (11, 13)).astype("f4"),), "float32"),
    )


def _divided(
    weights: np.ndarray,
    *,
    prepare: Callable[..., Any] = _same,
    total: Callable[..., Any] = lambda weights: weights.sum(axis=-1, keepdims=True),
) -> np.ndarray:
    prepared = prepare(weights)
    return prepared / total(prepared)


_NORMALIZE = Exercise(
    name="normalize_weights",
    chapter="weighted_sum",
    task="""
Write `normalize_weights(weights)`. It takes an array (…, n_q, n_k) of non-negative weights and
returns an array of the same shape in which every row (last axis) sums to 1, with the proportions
inside a row unchanged. Every row has a positive sum. Leave the argument itself as it was.
""",
    reference=normalize_weights,
    cases=_normalize_cases,
    variant=_divided,
    faults=(
        Fault(
            "whole-array",
            {"total": lambda weights: weights.sum()},
            lambda c: (
                "You divide by the sum of the whole array, so all rows together sum to 1: your "
                f"rows sum to {c.sums()}. Each row needs a sum of its own."
            ),
        ),
        Fault(
            "columns",
            {"total": lambda weights: weights.sum(axis=-2, keepdims=True)},
            lambda c: (
                "Your columns sum to 1 and your rows do not: they sum to "
                f"{c.sums()}. The sum runs along the wrong axis."
            ),
        ),
        Fault(
            "no-keepdims",
            {"total": lambda weights: weights.sum(axis=-1)},
            lambda c: (
                "The row sums are right, but they are laid out as a row: column j is divided by "
                f"the sum of row j, so your rows sum to {c.sums()}. Keep them as a column: "
                "`keepdims=True`."
            ),
        ),
        Fault(
            "maximum",
            {"total": lambda weights: weights.max(axis=-1, keepdims=True)},
            lambda c: (
                "You divide by the largest weight of each row: that makes the largest 1, but the "
                f"rows sum to {c.sums()}. Divide by the sum."
            ),
        ),
        Fault(
            "length",
            {
                "total": lambda weights: np.sqrt(
                    (weights**2).sum(axis=-1, keepdims=True)
                )
            },
            lambda c: (
                "You divide by the Euclidean length of each row: then the *squares* sum to 1, and "
                f"the rows to {c.sums()}. Divide by the sum of the weights."
            ),
        ),
        Fault(
            "count",
            {"total": lambda weights: weights.shape[-1]},
            lambda c: (
                f"You divide by the number of weights in a row ({c.got.shape[-1]}), not by their "
                f"sum: your rows sum to {c.sums()}."
            ),
        ),
        Fault(
            "exponentials",
            {"prepare": np.exp},
            lambda c: (
                "You apply a softmax: it makes rows sum to 1, but changes the proportions. "
                f"{c.row(of='weights')} became {c.row()}; {c.row(of='expected')} is right."
            ),
        ),
        Fault(
            "shifted",
            {
                "prepare": lambda weights: (
                    weights - weights.min(axis=-1, keepdims=True)
                )
            },
            lambda c: (
                "You subtract the smallest weight of each row before dividing, which changes the "
                f"proportions: {c.row(of='weights')} became {c.row()}."
            ),
        ),
    ),
    hints=(
        "What should the first row of `[[2., 6., 0.], [1., 1., 2.]]` become? And by which number "
        "was it divided? The second row needs another number.",
        "Sum along the last axis: that gives one number for each row. Divide every row by its own.",
        "A sum drops its axis, and then the division lines up wrongly: `keepdims=True` keeps the "
        "axis, so that (…, n_q, n_k) is divided by (…, n_q, 1).",
    ),
    built_ins=("sklearn.preprocessing.normalize",),
)


# --- moving_average_weights -----------------------------------------------------------------------


def moving_average_weights(n, window):
    """Give the weights of a centered moving average; at the edges, of what is there."""
    i, j = np.arange(n)[:, None], np.arange(n)
    inside = np.abs(i - j) <= window // 2
    return inside / inside.sum(axis=1, keepdims=True)


def _average_cases() -> tuple[Case, ...]:
    sizes = [(5, 3), (11, 5), (13, 3), (7, 7), (23, 11)]
    cases = [
        Case(size, "plain" if i else "example") for i, size in enumerate(sizes)
    ]
    return (*cases, Case((11, 1), "window-1"))


def _averaging(
    n: int,
    window: int,
    *,
    near: Callable[..., Any] = lambda i, j, n, window: np.abs(i - j) <= window // 2,
    total: Callable[..., Any] = lambda inside, window: inside.sum(
        axis=1, keepdims=True
    ),
) -> np.ndarray:
    i, j = np.arange(n)[:, None], np.arange(n)
    inside = near(i, j, n, window).astype(float)
    return inside / np.maximum(total(inside, window), 1)


def _end_missing(i: np.ndarray, j: np.ndarray, n: int, window: int) -> np.ndarray:
    half = window // 2
    return (j >= i - half) & (j < np.minimum(n - 1, i + half))


def _negative_start(
    i: np.ndarray, j: np.ndarray, n: int, window: int
) -> np.ndarray:
    half = window // 2
    start = np.where(i < half, n + i - half, i - half)
    return (j >= start) & (j <= i + half)


def _full_windows_only(
    i: np.ndarray, j: np.ndarray, n: int, window: int
) -> np.ndarray:
    half = window // 2
    return (np.abs(i - j) <= half) & (i >= half) & (i < n - half)


_MOVING_AVERAGE = Exercise(
    name="moving_average_weights",
    chapter="weighted_sum",
    task="""
A moving average is a weighted sum too. Write `moving_average_weights(n, window)`: the (n, n) matrix
whose row i averages the `window` values centered on i (`window` is odd and at most n), all with
equal weights. Near the edges, average over those values that exist, so that every row still sums to
1: `moving_average_weights(5, 3)` starts with `[1/2, 1/2, 0, 0, 0]`, `[1/3, 1/3, 1/3, 0, 0]`.
""",
    reference=moving_average_weights,
    cases=_average_cases,
    variant=_averaging,
    kinds={
        "window-1": Kind(
            "for a window of 1", "That window holds i alone: copy each value."
        )
    },
    faults=(
        Fault(
            "edges",
            {"total": lambda inside, window: window},
            lambda c: (
                f"The middle is right, but at the edges you still divide by {c.given['window']}, "
                f"although fewer values are there: your rows sum to {c.sums()}."
            ),
        ),
        Fault(
            "not-divided",
            {"total": lambda inside, window: 1.0},
            lambda c: (
                "You mark the right values, but with weight 1 each: that is a moving *sum*. Your "
                f"rows sum to {c.sums()}; an average's sum to 1."
            ),
        ),
        Fault(
            "too-wide",
            {"near": lambda i, j, n, window: np.abs(i - j) <= window},
            lambda c: (
                f"Your window reaches {c.given['window']} to each side, so it holds "
                f"{2 * c.given['window'] + 1} values. A window of {c.given['window']} reaches "
                f"{c.given['window'] // 2} to each side."
            ),
        ),
        Fault(
            "too-narrow",
            {
                "near": lambda i, j, n, window: (
                    np.abs(i - j) < np.maximum(window // 2, 1)
                )
            },
            lambda c: (
                "Your window is one short on each side: the value at distance "
                f"{c.given['window'] // 2} belongs to it (`<=`, not `<`)."
            ),
        ),
        Fault(
            "right-end-missing",
            {
                "near": lambda i, j, n, window: (
                    (j >= i - window // 2) & (j < i + max(window // 2, 1))
                )
            },
            "Your window misses its last value: `range(a, b)` and `[a:b]` stop before b, so the "
            "right end has to be `i + window // 2 + 1`.",
        ),
        Fault(
            "end-missing",
            {"near": _end_missing},
            "The end of your window is cut off: `range(a, b)` and `[a:b]` stop before b. The "
            "largest allowed end is n, not n − 1.",
        ),
        Fault(
            "negative-start",
            {"near": _negative_start},
            "Near the beginning `i - window // 2` is negative, and a slice that starts at −1 "
            "starts at the *last* entry, so it is empty and the row stays zero. Use `max(0, …)`.",
        ),
        Fault(
            "window-of-3",
            lambda n, window: _averaging(n, 3),
            lambda c: (
                "Your window always holds 3 values, one to each side; here it should hold "
                f"{c.given['window']}."
            ),
        ),
        Fault(
            "not-centered",
            {"near": lambda i, j, n, window: (j <= i) & (j > i - window)},
            lambda c: (
                "Your window ends at i: it looks only backwards. Centered means as many values "
                f"after i as before it, here {c.given['window'] // 2}."
            ),
        ),
        Fault(
            "looks-ahead",
            {"near": lambda i, j, n, window: (j >= i) & (j < i + window)},
            lambda c: (
                "Your window starts at i: it looks only forwards. Centered means as many values "
                f"before i as after it, here {c.given['window'] // 2}."
            ),
        ),
        Fault(
            "wraps-around",
            {"near": lambda i, j, n, window: (j - i + window // 2) % n < window},
            lambda c: (
                "At the edges your window wraps around: row 0 gives weight to the last value, "
                f"{number(c.got[0, -1])}. A negative index means the other end in Python; "
                "`np.roll` wraps too."
            ),
        ),
        Fault(
            "edges-empty",
            {"near": _full_windows_only, "total": lambda inside, window: window},
            "The first and the last rows are all zero: where the window sticks out, average over "
            "the values that exist.",
        ),
        Fault(
            "columns",
            {"total": lambda inside, window: inside.sum(axis=0, keepdims=True)},
            lambda c: (
                "You divide by the sums of the columns: they sum to 1, and your rows to "
                f"{c.sums()}. A row holds the weights of one output."
            ),
        ),
    ),
    hints=(
        "Write down row 0, row 1 and row 2 for n = 5 and window = 3. Which entries are not zero, "
        "and what do they have in common?",
        "Entry (i, j) belongs to the window when j is at most `window // 2` away from i. First "
        "mark those entries, then make every row sum to 1, as in the exercise before.",
        "With `i` as a column and `j` as a row, `abs(i - j) <= window // 2` is the whole matrix of "
        "marks. Divide it by its own row sums, kept as a column.",
    ),
)


# --- in_convex_hull -------------------------------------------------------------------------------


def in_convex_hull(point, triangle):
    """Say whether the point is a weighted average of the triangle's corners."""
    equations = np.vstack(
        [triangle.T, np.ones(3)]
    )  # the mixture is the point; weights sum to 1
    weights = np.linalg.solve(equations, np.append(point, 1.0))
    return bool(np.all(weights >= 0))


def _hull_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260103)
    example = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    cases = [
        Case((np.array([1.0, 1.0]), example), "example"),
        Case((np.array([3.0, 3.0]), example), "example"),
    ]
    while len(cases) < 42:
        triangle = rng.uniform(-5.0, 5.0, (3, 2))
        (ax, ay), (bx, by) = triangle[1:] - triangle[0]
        weights = rng.uniform(-0.7, 1.2, 3)
        weights[2] = 1.0 - weights[:2].sum()
        if abs(ax * by - ay * bx) > 4.0 and np.abs(weights).min() > 0.08:
            turn = "counterclockwise" if ax * by > ay * bx else "clockwise"
            cases.append(Case((weights @ triangle, triangle), turn))
    return tuple(cases)


def _corner_weights(point: np.ndarray, triangle: np.ndarray) -> np.ndarray:
    equations = np.vstack([triangle.T, np.ones(3)])
    return np.linalg.solve(equations, np.append(point, 1.0))


def _in_box(point: np.ndarray, triangle: np.ndarray) -> bool:
    return bool(
        np.all((triangle.min(axis=0) <= point) & (point <= triangle.max(axis=0)))
    )


def _left_of_all_edges(point: np.ndarray, triangle: np.ndarray) -> bool:
    edges, arms = np.roll(triangle, -1, axis=0) - triangle, point - triangle
    return bool(np.all(edges[:, 0] * arms[:, 1] - edges[:, 1] * arms[:, 0] >= 0))


def _in_circle(point: np.ndarray, triangle: np.ndarray) -> bool:
    center = triangle.mean(axis=0)
    reach = np.linalg.norm(triangle - center, axis=1).max()
    return bool(np.linalg.norm(point - center) <= reach)


def _where(c: Context) -> str:
    point, triangle = c.given["point"], c.given["triangle"]
    corners = ", ".join(f"({number(x)}, {number(y)})" for x, y in triangle)
    verdict = "inside" if c.expected else "outside"
    return f"({number(point[0])}, {number(point[1])}) is {verdict} the triangle {corners}"


_HULL = Exercise(
    name="in_convex_hull",
    chapter="weighted_sum",
    task="""
A weighted average of three points in the plane lies in the triangle between them. Write
`in_convex_hull(point, triangle)`: `True` if `point`, of shape (2,), is a weighted average of the
three rows of `triangle`, of shape (3, 2), with non-negative weights that sum to 1; else `False`.
The corners may run either way around. No point on the border and no flat triangle is asked for.
""",
    reference=in_convex_hull,
    cases=_hull_cases,
    kinds={
        "clockwise": Kind(
            "for triangles whose corners run clockwise",
            "A cross product changes its sign with the direction: ask whether all have *the same* "
            "sign.",
        ),
        "counterclockwise": Kind(
            "for triangles whose corners run counterclockwise"
        ),
    },
    faults=(
        Fault(
            "bounding-box",
            _in_box,
            lambda c: (
                "You test each coordinate against the corners' smallest and largest: that is the "
                f"box around the triangle, which is larger. {_where(c)}, but inside the box."
            ),
        ),
        Fault(
            "third-weight",
            lambda point, triangle: bool(
                np.all(_corner_weights(point, triangle)[1:] >= 0)
            ),
            lambda c: (
                "Two of the weights are tested, and the first corner's is not: it is 1 minus the "
                f"two others, and negative when they sum to more than 1. {_where(c)}."
            ),
        ),
        Fault(
            "last-weight",
            lambda point, triangle: bool(
                np.all(_corner_weights(point, triangle)[:2] >= 0)
            ),
            lambda c: (
                "Two of the weights are tested, and the last corner's is not: it is 1 minus the "
                f"two others, and negative when they sum to more than 1. {_where(c)}."
            ),
        ),
        Fault(
            "only-counterclockwise",
            _left_of_all_edges,
            lambda c: (
                "You ask that the point lie to the left of every edge. When the corners run "
                f"clockwise, the inside is on the right: {_where(c)}. Ask for the same side."
            ),
        ),
        Fault(
            "only-clockwise",
            lambda point, triangle: _left_of_all_edges(point, triangle[::-1]),
            lambda c: (
                "You ask that the point lie to the right of every edge. When the corners run "
                f"counterclockwise, the inside is on the left: {_where(c)}. Ask for the same side."
            ),
        ),
        Fault(
            "sum-forgotten",
            lambda point, triangle: bool(
                np.all(np.linalg.lstsq(triangle.T, point, rcond=None)[0] >= 0)
            ),
            lambda c: (
                "You solve for weights without asking that they sum to 1; two equations leave a "
                f"whole line of solutions, and `lstsq` picks the shortest. {_where(c)}."
            ),
        ),
        Fault(
            "any-weight",
            lambda point, triangle: bool(
                np.any(_corner_weights(point, triangle) >= 0)
            ),
            lambda c: (
                "One non-negative weight is enough for you; all three have to be. Weights that sum "
                f"to 1 always have a positive one. {_where(c)}."
            ),
        ),
        Fault(
            "at-most-one",
            lambda point, triangle: bool(
                np.all(_corner_weights(point, triangle) <= 1)
            ),
            lambda c: (
                "You test that no weight is above 1. That follows when none is negative, but not "
                f"the other way around: {_where(c)}, with weights "
                f"{span(_corner_weights(*c.given.values()))}."
            ),
        ),
        Fault(
            "negated",
            lambda point, triangle: (
                not np.all(_corner_weights(point, triangle) >= 0)
            ),
            lambda c: f"Your answer is the wrong way around, always: {_where(c)}.",
        ),
        Fault(
            "circle",
            _in_circle,
            lambda c: (
                "You compare distances from the center, which describes a circle around the "
                f"triangle: {_where(c)}, but inside the circle."
            ),
        ),
    ),
    hints=(
        "A point in the triangle is w₀·a + w₁·b + w₂·c. Which three conditions do the weights "
        "fulfill? And how many unknowns are there against how many equations?",
        'Two coordinates and "the weights sum to 1" are three linear equations for three weights. '
        "They always have a solution; what must not happen to it?",
        "Stack `triangle.T` on a row of ones, solve for the right-hand side `(x, y, 1)` with "
        "`np.linalg.solve`, and test that no weight is negative.",
    ),
)


# --- mixture_shape --------------------------------------------------------------------------------


def mixture_shape():
    """Give the shape of `weighted_sum(weights, values)`: batch, queries, features."""
    return (2, 11, 3)


_SHAPE = Question(
    name="mixture_shape",
    chapter="weighted_sum",
    task="""
Before you run anything: `weights` has shape (2, 11, 7) and `values` has shape (2, 7, 3). Which
shape has `weighted_sum(weights, values)`? Return it as a tuple from `mixture_shape()`.
""",
    reference=mixture_shape,
    read=as_shape,
    reasons=(
        Reason(
            "shape-of-values",
            lambda shape: shape == (2, 7, 3),
            "That is the shape of `values`. There is one output for each row of *weights*, and "
            "their number need not be the number of values.",
        ),
        Reason(
            "shape-of-weights",
            lambda shape: shape == (2, 11, 7),
            "That is the shape of `weights`. The sum over j removes the axis of length 7: what "
            "does each output consist of, once the values are added up?",
        ),
        Reason(
            "transposed",
            lambda shape: shape == (2, 3, 11),
            "The right lengths, but rows are vectors in this book: one row an output, one column a "
            "feature.",
        ),
        Reason(
            "batch-missing",
            lambda shape: shape == (11, 3),
            "Right for one pair of matrices. Here there are two pairs, side by side: what becomes "
            "of the leading axis?",
        ),
        Reason(
            "batch-merged",
            lambda shape: shape in ((22, 3), (4, 11, 3), (2, 2, 11, 3)),
            "The leading axis only counts the pairs; pair 0 is mixed with pair 0, pair 1 with pair "
            "1. It comes through unchanged.",
        ),
        Reason(
            "not-summed",
            lambda shape: shape in ((2, 11, 7, 3), (2, 7, 11, 3), (11, 7, 3)),
            "You keep an axis for j, of length 7. The sum runs over j: afterward it is gone.",
        ),
        Reason(
            "axes",
            lambda shape: len(shape) != 3,
            lambda shape: (
                f"Your shape has {len(shape)} axes. Each argument has 3: a batch, rows, columns; "
                "so has the result."
            ),
        ),
        Reason(
            "batch-size",
            lambda shape: shape[0] != 2,
            "The leading axis counts pairs of matrices. There are two pairs.",
        ),
        Reason(
            "summed-axis-left",
            lambda shape: 7 in shape,
            "An axis of length 7 is left. j runs over it, and the sum over j removes it.",
        ),
        Reason(
            "sizes",
            lambda shape: shape != (2, 11, 3),
            "How many outputs are there (one for each row of weights)? And how long is each (as "
            "long as the vectors that are mixed)?",
        ),
    ),
    hints=(
        "Forget the leading 2 for a moment: which shape does (11, 7) times (7, 3) give?",
        "One output for each row of weights; each output is a vector like the values.",
        "The axis over which j runs stands in both shapes, and in the result no more. Leading axes "
        "stay.",
    ),
)

EXERCISES = (_WEIGHTED_SUM, _NORMALIZE, _MOVING_AVERAGE, _HULL, _SHAPE)
