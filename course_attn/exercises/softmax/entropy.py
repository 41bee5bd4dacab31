"""Exercise `entropy` of chapter 3."""

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
    span,
)
from course_attn.exercises.softmax._steps import columns

__all__ = ["exercise"]


def entropy(weights):
    """Give the entropy of every row of weights, in nats."""
    safe = np.where(
        weights > 0, weights, 1
    )  # log 1 = 0: an absent weight adds nothing
    return -(weights * np.log(safe)).sum(axis=-1)


def _entropy_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260303)

    def draw(*shape: int) -> np.ndarray:
        return rng.dirichlet(np.full(shape[-1], 0.8), shape[:-1])

    with_zeros = draw(5, 7) * (rng.uniform(size=(5, 7)) < 0.6)
    with_zeros[:, 3] += 0.2
    with_zeros[2] = np.eye(7)[3]
    with_zeros /= with_zeros.sum(axis=-1, keepdims=True)
    return (
        Case((np.array([[0.5, 0.5], [0.25, 0.75]]),), "example"),
        Case((draw(5, 7),)),
        Case((draw(11, 3),)),
        Case((draw(5, 5),), "square"),
        Case((draw(2, 3, 5, 7),), "batch"),
        Case((draw(7),), "vector"),
        Case((with_zeros,), "zeros"),
        Case((draw(7, 13).astype("f4"),), "float32"),
    )


def _safe_log(weights: np.ndarray) -> np.ndarray:
    return np.log(np.where(weights > 0, weights, 1))


def _entropies(
    weights: np.ndarray,
    *,
    log: Callable[..., Any] = _safe_log,
    gather: Callable[..., Any] = lambda terms: terms.sum(axis=-1),
    sign: float = -1.0,
    finish: Callable[..., Any] = lambda total, weights: total,
) -> np.ndarray:
    return finish(sign * gather(weights * log(weights)), weights)


def _in_bits(c: Context) -> str | None:
    if c.got.shape != c.expected.shape or not np.allclose(
        c.got * np.log(2), c.expected
    ):
        return None
    return (
        f"Your numbers are {number(1 / np.log(2))} times the right ones: the factor between bits "
        "(log to base 2) and nats. Take the natural logarithm, then check again for the rest."
    )


exercise = Exercise(
    solution=entropy,
    place=30,
    section="Measuring sharpness: entropy",
    task="""
Write `entropy(weights)`: for every row, $-\\sum_j a_j \\log a_j$ in nats (natural logarithm). It is
0 when one weight is 1, and log n when all n weights are equal. A weight of 0 adds nothing: 0 · log
0 counts as 0. Shape (…, n) in, (…) out.
""",
    cases=_entropy_cases,
    variant=_entropies,
    kinds={
        "zeros": Kind(
            "where some weights are 0",
            "0 · log 0 is 0 · (−∞) = NaN in floating point, but counts as 0 here.",
        ),
    },
    faults=(
        Fault(
            "zeros",
            {"log": np.log},
            lambda c: (
                f"{int(np.isnan(c.got).sum())} of your entropies are NaN: log 0 is −∞, and "
                "0 · (−∞) is NaN. A weight of 0 should add nothing."
            ),
        ),
        Fault(
            "base-2",
            {"log": lambda weights: _safe_log(weights) / np.log(2)},
            lambda c: (
                "You measure in bits (log to base 2); nats are asked for, the natural logarithm. "
                f"Your numbers are {number(1 / np.log(2))} times too large."
            ),
        ),
        Fault(
            "base-10",
            {"log": lambda weights: _safe_log(weights) / np.log(10)},
            "You take the logarithm to base 10; the natural logarithm is `np.log`.",
        ),
        Fault(
            "sign",
            {"sign": 1.0},
            lambda c: (
                "The minus sign is missing: logarithms of weights are negative, so your entropies "
                f"are too ({span(c.got)})."
            ),
        ),
        Fault(
            "mean",
            {"gather": lambda terms: terms.mean(axis=-1)},
            "You take the mean over the row where the sum is asked for: your entropies are n times "
            "too small.",
        ),
        Fault(
            "columns",
            {"gather": lambda terms: terms.sum(axis=columns(terms))},
            lambda c: (
                f"You sum down the columns: your result has shape {c.got.shape}. One number for "
                "each row is asked for, so sum along the last axis."
            ),
        ),
        Fault(
            "total",
            {"gather": np.sum},
            lambda c: (
                "You add up the entropies of all rows; one number for each row is asked for, shape "
                f"{c.expected.shape}."
            ),
        ),
        Fault(
            "keepdims",
            {"gather": lambda terms: terms.sum(axis=-1, keepdims=True)},
            lambda c: (
                f"The numbers are right, but in shape {c.got.shape}: leave out `keepdims=True`, "
                "the summed axis is to go."
            ),
        ),
        Fault(
            "normalized",
            {"finish": lambda total, weights: total / np.log(weights.shape[-1])},
            "You divide by log n, so that equal weights give 1. The entropy itself is asked for: "
            "log n there.",
        ),
        Fault(
            "log-of-1-plus",
            {"log": np.log1p},
            "You take log(1 + a), to avoid log 0 perhaps: that changes every other term as well. "
            "Replace only the zeros.",
        ),
        Fault(
            "perplexity",
            {"finish": lambda total, weights: np.exp(total)},
            "You return e to the power of the entropy (the perplexity), not the entropy.",
        ),
        Fault(
            "not-weighted",
            lambda weights: -_safe_log(weights).sum(axis=-1),
            "You add up the logarithms alone: each is multiplied by its weight.",
        ),
        Fault(
            "terms",
            lambda weights: -weights * _safe_log(weights),
            "You return the single terms −a log a; they still have to be added up along each row.",
        ),
        Fault(
            "gini",
            lambda weights: 1 - (weights**2).sum(axis=-1),
            "You return 1 − Σa², the Gini impurity: a relative of the entropy without a logarithm.",
        ),
    ),
    hints=(
        "What does your function give for `[[1., 0.]]`? It should be 0. What is `np.log(0.)`, and "
        "what is 0 times that?",
        "Give the logarithm something harmless wherever the weight is 0: the product with the "
        "weight is 0 there anyway.",
        "`np.where(weights > 0, weights, 1)` inside the logarithm, times the weights, summed along "
        "the last axis, with a minus sign.",
    ),
    properties=(Property("bits", _in_bits),),
    built_ins=("scipy.stats.entropy", "course_attn.in_numpy.softmax.entropy"),
)
