"""Exercise `additive_scores` of chapter 2."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Exercise, Fault, span
from course_attn.exercises.scores._steps import same, softmax_rows, turned

__all__ = ["exercise"]


def additive_scores(Q, K, W_Q, W_K, v):
    """Give v · tanh(q W_Q + k W_K) for every query q and every key k."""
    projected_q, projected_k = Q @ W_Q, K @ W_K
    hidden = np.tanh(projected_q[..., :, None, :] + projected_k[..., None, :, :])
    return hidden @ v


def _additive_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260204)

    def draw(
        batch: tuple[int, ...], n_q: int, n_k: int, widths: tuple[int, int, int]
    ) -> tuple[Any, ...]:
        d_q, d_k, d_hidden = widths
        shapes = [
            (*batch, n_q, d_q),
            (*batch, n_k, d_k),
            (d_q, d_hidden),
            (d_k, d_hidden),
        ]
        return tuple(rng.standard_normal(shape) for shape in [*shapes, (d_hidden,)])

    singles = tuple(array.astype("f4") for array in draw((), 3, 5, (7, 2, 11)))
    return (
        Case(draw((), 2, 3, (5, 7, 11)), "example"),
        Case(draw((), 7, 5, (3, 2, 13))),
        Case(draw((), 5, 5, (5, 5, 5)), "square"),
        Case(draw((2, 3), 5, 7, (3, 11, 13)), "batch"),
        Case(singles, "float32"),
    )


def _added(
    Q: np.ndarray,
    K: np.ndarray,
    W_Q: np.ndarray,
    W_K: np.ndarray,
    v: np.ndarray,
    *,
    project: Callable[..., Any] = lambda Q, K, W_Q, W_K: (Q @ W_Q, K @ W_K),
    combine: Callable[..., Any] = lambda q, k: (
        q[..., :, None, :] + k[..., None, :, :]
    ),
    bend: Callable[..., Any] = np.tanh,
    weigh: Callable[..., Any] = np.matmul,
    finish: Callable[..., Any] = same,
) -> np.ndarray:
    return finish(weigh(bend(combine(*project(Q, K, W_Q, W_K))), v))


def _sum_units(hidden: np.ndarray, v: np.ndarray) -> np.ndarray:
    return hidden.sum(axis=-1)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


exercise = Exercise(
    solution=additive_scores,
    place=30,
    section="The score is a choice",
    task="""
Bahdanau's score lets a small network judge each pair. Write `additive_scores(Q, K, W_Q, W_K, v)`:
entry (i, j) is `v` · tanh(q_i `W_Q` + k_j `W_K`). Shapes: `Q` (…, n_q, d_q), `K` (…, n_k, d_k),
`W_Q` (d_q, d_hidden), `W_K` (d_k, d_hidden), `v` (d_hidden,), result (…, n_q, n_k). Only `Q` and
`K` have batch axes.
""",
    cases=_additive_cases,
    variant=_added,
    faults=(
        Fault(
            "no-tanh",
            {"bend": same},
            "The tanh is missing. Without it v·(qW_Q + kW_K) splits into a part of the query and a "
            "part of the key: every query would rank the keys in the same order.",
        ),
        Fault(
            "tanh-before-sum",
            {
                "combine": lambda q, k: (
                    np.tanh(q)[..., :, None, :] + np.tanh(k)[..., None, :, :]
                ),
                "bend": same,
            },
            "You apply tanh to the query and to the key separately and add afterward. Add first: "
            "tanh of the sum is what lets the two interact.",
        ),
        Fault(
            "tanh-after-v",
            {"bend": same, "finish": np.tanh},
            lambda c: (
                "You apply tanh to the finished score: yours all lie between −1 and 1 "
                f"({span(c.got)}). It belongs around the sum, before the product with v."
            ),
        ),
        Fault(
            "sigmoid",
            {"bend": _sigmoid},
            "You use the sigmoid, 1/(1+e⁻ˣ), where tanh is asked for.",
        ),
        Fault(
            "relu",
            {"bend": lambda x: np.maximum(x, 0)},
            "You use max(x, 0) where tanh is asked for.",
        ),
        Fault(
            "transposed-result",
            {"finish": turned},
            lambda c: (
                f"Your result has shape {c.got.shape}, one row for each *key*: the axes of queries "
                "and keys got swapped when you inserted an axis into each."
            ),
        ),
        Fault(
            "product",
            {"combine": lambda q, k: q[..., :, None, :] * k[..., None, :, :]},
            "You multiply the two projections; an *additive* score adds them.",
        ),
        Fault(
            "difference",
            {"combine": lambda q, k: q[..., :, None, :] - k[..., None, :, :]},
            "You subtract the key's projection; it is added.",
        ),
        Fault(
            "v-missing",
            {"weigh": _sum_units},
            "You add up the hidden units with equal weights; v says how much each of them counts.",
        ),
        Fault(
            "v-mean",
            {"weigh": lambda hidden, v: (hidden * v).mean(axis=-1)},
            lambda c: (
                "You take the mean over the hidden units where their sum is asked for: your scores "
                f"are {len(c.given['v'])} times too small."
            ),
        ),
        Fault(
            "v-inside",
            lambda Q, K, W_Q, W_K, v: _added(
                Q, K, W_Q, W_K, v, bend=lambda x: np.tanh(x * v), weigh=_sum_units
            ),
            "You multiply by v inside the tanh. v weighs the hidden units *after* the tanh.",
        ),
        Fault(
            "softmaxed",
            {"finish": softmax_rows},
            "You apply a softmax: those are weights already. Return the scores themselves.",
        ),
        Fault(
            "weights-swapped",
            {"project": lambda Q, K, W_Q, W_K: (Q @ W_K, K @ W_Q)},
            "The two projections are swapped: W_Q belongs to the queries and W_K to the keys.",
        ),
        Fault(
            "weights-transposed",
            {"project": lambda Q, K, W_Q, W_K: (Q @ W_Q.T, K @ W_K.T)},
            "You transpose W_Q and W_K. Their shapes are (d_q, d_hidden) and (d_k, d_hidden): rows "
            "fit from the left as they are, `Q @ W_Q`.",
        ),
        Fault(
            "no-new-axes",
            {"combine": np.add},
            "You add the projections without a new axis, so query i meets key i only (where the "
            "shapes fit at all). All pairs need the queries as (…, n_q, 1, d_hidden) and the keys "
            "as (…, 1, n_k, d_hidden).",
        ),
        Fault(
            "keys-along-queries",
            {"combine": lambda q, k: q[..., :, None, :] + k[..., :, None, :]},
            "Query i is added to key i only: both got their new axis in the same place. The "
            "queries need it after their own axis, the keys before theirs.",
        ),
    ),
    hints=(
        "Which shape has q_i W_Q + k_j W_K for all pairs together? It has one axis more than a "
        "matrix.",
        "Insert an axis of length 1 into both projections, so that adding them makes all pairs: "
        "(…, n_q, 1, d_hidden) plus (…, 1, n_k, d_hidden).",
        "`np.tanh(A[..., :, None, :] + B[..., None, :, :])` with A = Q W_Q and B = K W_K; a "
        "product with v removes the last axis.",
    ),
    built_ins=("course_attn.in_numpy.scores.additive_scores",),
)
