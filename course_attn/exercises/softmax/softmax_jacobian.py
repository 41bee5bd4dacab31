"""Exercise `softmax_jacobian` of chapter 3."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Exercise, Fault, Kind, Property, number
from course_attn.exercises.softmax._steps import weighed

__all__ = ["exercise"]


def softmax_jacobian(weights):
    """Give the derivative of every softmax weight with respect to every score of its row."""
    identity = np.eye(weights.shape[-1], dtype=weights.dtype)
    outer = weights[..., :, None] * weights[..., None, :]
    return weights[..., :, None] * identity - outer


def _jacobian_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260304)

    def draw(*shape: int) -> np.ndarray:
        return rng.dirichlet(np.full(shape[-1], 2.0), shape[:-1])

    return (
        Case((np.array([0.5, 0.3, 0.2]),), "example"),
        Case((draw(7),)),
        Case((draw(3),)),
        Case((draw(5, 7),), "batch"),
        Case((draw(5, 5),), "batch"),
        Case((draw(2, 3, 11),), "batch"),
        Case((np.eye(5)[2],), "saturated"),
        Case((draw(13).astype("f4"),), "float32"),
    )


def _diagonal(weights: np.ndarray) -> np.ndarray:
    return weights[..., :, None] * np.eye(weights.shape[-1])


def _outer(weights: np.ndarray) -> np.ndarray:
    return weights[..., :, None] * weights[..., None, :]


def _derived(
    weights: np.ndarray,
    *,
    diagonal: Callable[..., Any] = _diagonal,
    outer: Callable[..., Any] = _outer,
    join: Callable[..., Any] = np.subtract,
) -> np.ndarray:
    return join(diagonal(weights), outer(weights))


def _off_diagonal(weights: np.ndarray) -> np.ndarray:
    return _outer(weights) * (1 - np.eye(weights.shape[-1]))


exercise = Exercise(
    solution=softmax_jacobian,
    place=40,
    section="How weights respond to scores: the Jacobian",
    task="""
Write `softmax_jacobian(weights)`. Given the weights a = softmax(s) (not the scores), entry (j, m)
of the result is $\\partial a_j / \\partial s_m = a_j (\\delta_{jm} - a_m)$: what weight j gains
when score m grows. Shape (…, n) in, (…, n, n) out, one matrix for each row of weights.
""",
    cases=_jacobian_cases,
    variant=_derived,
    kinds={
        "saturated": Kind(
            "where one weight is 1",
            "All derivatives are 0 there: a saturated softmax does not learn.",
        ),
        "batch": Kind(
            "with leading batch axes",
            "`np.diag` and `np.outer` know no batches: insert axes with `[..., :, None]` and "
            "`[..., None, :]`, and multiply by `np.eye(n)`.",
        ),
    },
    faults=(
        Fault(
            "diagonal-only",
            {"outer": lambda weights: 0.0},
            lambda c: (
                "Only the diagonal is there: a score changes the *other* weights too, since all "
                f"share one sum. Your rows sum to {c.sums()}; they should sum to 0. Subtract a aᵀ."
            ),
        ),
        Fault(
            "outer-only",
            {"diagonal": lambda weights: 0.0},
            lambda c: (
                "Only −a aᵀ is there. A weight grows with its *own* score: add a on the diagonal. "
                f"Your rows sum to {c.sums()}; they should sum to 0."
            ),
        ),
        Fault(
            "plus",
            {"join": np.add},
            lambda c: (
                "The sign between the two parts is wrong: you add a aᵀ. When one score grows the "
                f"other weights must shrink. Your rows sum to {c.sums()}; they should sum to 0."
            ),
        ),
        Fault(
            "sign",
            {"join": lambda diagonal, outer: outer - diagonal},
            "All signs are turned around: it is diag(a) − a aᵀ, with a positive diagonal (a weight "
            "grows with its own score).",
        ),
        Fault(
            "diagonal-without-square",
            {"outer": _off_diagonal},
            lambda c: (
                "Off the diagonal all is right; on it you have a_i instead of a_i (1 − a_i), such "
                f"as {number(c.got[..., 0, 0].flat[0])} for "
                f"{number(c.expected[..., 0, 0].flat[0])}: a aᵀ is subtracted there too."
            ),
        ),
        Fault(
            "sigmoid-like",
            lambda weights: _diagonal(weights * (1 - weights)),
            "You have the diagonal a (1 − a), and zeros elsewhere: that is the derivative of a "
            "sigmoid, where entries do not compete. Here ∂a_i/∂s_j = −a_i a_j.",
        ),
        Fault(
            "identity",
            {"diagonal": lambda weights: np.eye(weights.shape[-1])},
            lambda c: (
                "You subtract a aᵀ from the identity; the diagonal holds the weights themselves, "
                f"diag(a). Your rows sum to {c.sums()}; they should sum to 0."
            ),
        ),
        Fault(
            "off-diagonal-sign",
            {
                "outer": lambda weights: (
                    _diagonal(weights**2) - _off_diagonal(weights)
                )
            },
            lambda c: (
                "The diagonal is right, but off it the sign is wrong: when score j grows, every "
                f"*other* weight shrinks. Your rows sum to {c.sums()}; they should sum to 0."
            ),
        ),
        Fault(
            "upper-half",
            lambda weights: np.triu(_derived(weights)),
            "The lower half is empty: i and j both run over all n. (The matrix is symmetric, so it "
            "is enough to mirror the upper half.)",
        ),
        Fault(
            "own-weight-twice",
            {
                "outer": lambda weights: np.repeat(
                    (weights**2)[..., None], weights.shape[-1], axis=-1
                )
            },
            "Off the diagonal you have −a_i², the own weight twice: it is −a_i a_j. One factor "
            "counts rows, the other columns (`[..., :, None]` and `[..., None, :]`).",
        ),
        Fault(
            "diagonal-swapped",
            {
                "diagonal": lambda weights: (
                    weights[..., :, None] * (1 - np.eye(weights.shape[-1]))
                )
            },
            "δ_ij is the wrong way around: it is 1 *on* the diagonal and 0 off it.",
        ),
        Fault(
            "vector",
            lambda weights: weights * (1 - weights),
            lambda c: (
                f"You return a (1 − a), shape {c.got.shape}: the diagonal only. Every weight "
                f"depends on every score, hence a matrix of shape {c.expected.shape}."
            ),
        ),
        Fault(
            "softmaxed-again",
            lambda weights: _derived(weighed(weights)),
            "You apply a softmax to the argument first: it holds the weights already, not the "
            "scores.",
        ),
        Fault(
            "row-factor-missing",
            lambda weights: np.eye(weights.shape[-1]) - weights[..., None, :],
            "The factor a_i is missing: you have δ_ij − a_j, the derivative of log a_i.",
        ),
        Fault(
            "batch-summed",
            {
                "outer": lambda weights: (
                    weights.reshape(-1, weights.shape[-1]).T
                    @ weights.reshape(-1, weights.shape[-1])
                )
            },
            "In a batch your a aᵀ is summed over all rows: each row of weights has its own.",
        ),
    ),
    properties=(
        Property(
            "row-sums",
            lambda c: (
                f"The weights always sum to 1, so a score can only move weight around: the rows of "
                f"the Jacobian sum to 0. Yours sum to {c.sums()}."
                if np.abs(c.got.sum(axis=-1)).max() > 1e-3
                else None
            ),
        ),
    ),
    hints=(
        "If score j grows a little, what happens to weight j, and what to all the others? Which "
        "signs do you expect on and off the diagonal?",
        "Two matrices: one has the weights on its diagonal, the other has a_i a_j at (i, j).",
        "`weights[..., :, None] * np.eye(n)` is the first for any batch; "
        "`weights[..., :, None] * weights[..., None, :]` the second. Subtract.",
    ),
    built_ins=("course_attn.in_numpy.softmax.softmax_jacobian",),
)
