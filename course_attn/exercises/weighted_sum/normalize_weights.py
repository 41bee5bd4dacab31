"""Exercise `normalize_weights` of chapter 1."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Exercise, Fault
from course_attn.exercises.weighted_sum._steps import same

__all__ = ["exercise"]


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
    prepare: Callable[..., Any] = same,
    total: Callable[..., Any] = lambda weights: weights.sum(axis=-1, keepdims=True),
) -> np.ndarray:
    prepared = prepare(weights)
    return prepared / total(prepared)


exercise = Exercise(
    solution=normalize_weights,
    place=20,
    section="Weights that make an average",
    task="""
Write `normalize_weights(weights)`. It takes an array (…, n_q, n_k) of non-negative weights and
returns an array of the same shape in which every row (last axis) sums to 1, with the proportions
inside a row unchanged. Every row has a positive sum. Leave the argument itself as it was.
""",
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
