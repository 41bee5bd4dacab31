"""Exercise `weighted_sum` of chapter 1."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Context, Exercise, Fault, number
from course_attn.exercises.weighted_sum._steps import same

__all__ = ["exercise"]


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


def _turned(array: np.ndarray) -> np.ndarray:
    return array if array.ndim < 2 else np.swapaxes(array, -1, -2)


def _rows_to_one(weights: np.ndarray) -> np.ndarray:
    return weights / weights.sum(axis=-1, keepdims=True)


def _softmax_rows(weights: np.ndarray) -> np.ndarray:
    powers = np.exp(weights - weights.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _mixed(
    weights: np.ndarray,
    values: np.ndarray,
    *,
    weigh: Callable[..., Any] = same,
    mix: Callable[..., Any] = np.matmul,
    finish: Callable[..., Any] = same,
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


exercise = Exercise(
    solution=weighted_sum,
    place=10,
    section="In one line: a matrix product",
    task="""
Write `weighted_sum(weights, values)`. Row $i$ of the result is the mixture
$y_i = \\sum_j a_{ij} x_j$ of the rows of `values`, with the weights exactly as they are given (they
need not sum to 1). Shapes: `weights` (…, n_q, n_k), `values` (…, n_k, d), result (…, n_q, d); the
dots stand for any number of equal leading batch axes. A single row of weights (n_k,) gives a single
vector (d,).
""",
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
