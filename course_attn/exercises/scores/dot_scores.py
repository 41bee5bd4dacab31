"""Exercise `dot_scores` of chapter 2."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Exercise, Fault, number
from course_attn.exercises.scores._steps import (
    all_pairs,
    cosine_variant,
    pair_cases,
    same,
    softmax_rows,
    turned,
)

__all__ = ["exercise"]


def dot_scores(Q, K):
    """Give the dot product of every query with every key."""
    return Q @ np.swapaxes(K, -1, -2)


def _dotted(
    Q: np.ndarray,
    K: np.ndarray,
    *,
    pair: Callable[..., Any] = all_pairs,
    scale: Callable[..., Any] = lambda Q: 1.0,
    finish: Callable[..., Any] = same,
) -> np.ndarray:
    return finish(pair(Q, K) * scale(Q))


exercise = Exercise(
    solution=dot_scores,
    place=10,
    section="In one line: all pairs at once",
    task="""
Write `dot_scores(Q, K)` without a loop: entry (i, j) of the result is the dot product of query i
with key j. Shapes: `Q` (…, n_q, d), `K` (…, n_k, d), result (…, n_q, n_k); the dots stand for any
number of equal leading batch axes.
""",
    cases=lambda: pair_cases(20260201),
    variant=_dotted,
    faults=(
        Fault(
            "transposed-result",
            {"finish": turned},
            lambda c: (
                f"Your result has shape {c.got.shape}, one row for each *key*. Queries are counted "
                "by i and stand in the rows: swap the two factors."
            ),
        ),
        Fault(
            "keys-not-transposed",
            {"pair": lambda Q, K: Q @ K},
            "You multiply `Q @ K`: that pairs the features of a query with *different keys*. The "
            "features, the last axis of both, are what has to be summed over.",
        ),
        Fault(
            "row-by-row",
            {"pair": lambda Q, K: (Q * K).sum(axis=-1)},
            "You pair query i with key i only. Every query meets every key: the result has a row "
            "for each query and a column for each key.",
        ),
        Fault(
            "scaled",
            {"scale": lambda Q: 1 / np.sqrt(Q.shape[-1])},
            lambda c: (
                f"You divide by √d = {number(np.sqrt(c.given['Q'].shape[-1]))}. That comes in "
                "chapter 5; the plain dot product is asked for here."
            ),
        ),
        Fault(
            "mean",
            {"scale": lambda Q: 1 / Q.shape[-1]},
            lambda c: (
                "You average the products over the features; a dot product adds them up. Your "
                f"scores are {c.given['Q'].shape[-1]} times too small."
            ),
        ),
        Fault(
            "distance",
            {
                "pair": lambda Q, K: np.linalg.norm(
                    Q[..., :, None, :] - K[..., None, :, :], axis=-1
                )
            },
            "You measure the distance between query and key. It is small where they agree; a score "
            "is large there.",
        ),
        Fault(
            "absolute",
            {"finish": np.abs},
            "The signs are lost: a query and a key that point in opposite directions have a "
            "negative score.",
        ),
        Fault(
            "wrong-one-transposed",
            {"pair": lambda Q, K: turned(Q) @ K},
            "You turn Q where K has to be turned: `Q.T @ K` sums over the *vectors* and leaves the "
            "features. Where n_q and n_k differ, the shapes do not even fit.",
        ),
        Fault(
            "reshaped",
            {"pair": lambda Q, K: Q @ K.reshape(turned(K).shape)},
            "`reshape` does not transpose: it refills the new shape in reading order, so numbers "
            "of different keys get mixed. Swap the axes instead.",
        ),
        Fault(
            "cosines",
            {"pair": lambda Q, K: cosine_variant(Q, K)},
            lambda c: (
                "You divide by the vectors' lengths: that is the cosine, of the next exercise. "
                f"Here {number(c.expected.flat[0])} is asked for; you have {number(c.got.flat[0])}."
            ),
        ),
        Fault(
            "softmaxed",
            {"finish": softmax_rows},
            "You apply a softmax: those are weights already. Return the scores themselves.",
        ),
        Fault(
            "self-scores",
            lambda Q, K: Q @ turned(Q),
            "You compare the queries with each other; the keys `K` play no part.",
        ),
    ),
    hints=(
        "The feature axis is the last one of both arrays. Which axis does `@` sum over in its "
        "right factor?",
        "All dot products at once are one matrix product, of Q with K turned by a quarter: "
        "features downwards, keys from left to right.",
        "Swap the last two axes of K, and only these, so that a batch stays a batch: "
        "`np.swapaxes(K, -1, -2)`.",
    ),
    built_ins=("course_attn.in_numpy.scores.dot_scores",),
)
