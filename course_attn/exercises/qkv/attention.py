"""Exercise `attention` of chapter 4."""

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
from course_attn.exercises.qkv._steps import one_hot, same, softmax, unit

__all__ = ["exercise"]


def attention(Q, K, V):
    """Give every query the mixture of the values whose keys it matches (not scaled)."""
    scores = Q @ np.swapaxes(K, -1, -2)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weights @ V


def _attention_cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260402).standard_normal

    def given(
        n_q: int, n_k: int, d_k: int, d_v: int, *batch: int
    ) -> tuple[Any, ...]:
        sizes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
        return tuple(draw((*batch, *size)) for size in sizes)

    Q, K, V = given(5, 7, 3, 11)
    return (
        Case(given(2, 3, 5, 2), "example"),
        Case(given(5, 7, 3, 2)),
        Case(given(7, 3, 5, 11)),
        Case(given(5, 5, 5, 5), "square"),
        Case(given(7, 7, 3, 2), "self"),
        Case(given(5, 7, 11, 13, 2, 3), "batch"),
        Case((60 * Q, 60 * K, V), "large"),
        Case(tuple(array.astype("f4") for array in given(11, 13, 5, 3)), "float32"),
    )


def _dots(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return Q @ np.swapaxes(K, -1, -2)


def _unshifted(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


def _attended(
    Q: np.ndarray,
    K: np.ndarray,
    V: np.ndarray,
    *,
    score: Callable[..., Any] = _dots,
    scale: Callable[..., Any] = lambda scores, Q: scores,
    weigh: Callable[..., Any] = softmax,
    mix: Callable[..., Any] = np.matmul,
) -> np.ndarray:
    return mix(weigh(scale(score(Q, K), Q)), V)


def _squared_distances(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    return ((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(axis=-1)


def _best(c: Context) -> int:
    """Return the key that query 0 scores best with."""
    scores = _dots(c.given["Q"], c.given["K"])
    return int(scores.reshape(-1, scores.shape[-1])[0].argmax())


def _weight_sums(c: Context, axis: int) -> str:
    weights = softmax(_dots(c.given["Q"], c.given["K"]), axis=axis)
    return span(weights.sum(axis=-1))


def _outside(c: Context) -> str | None:
    low = c.given["V"].min(axis=-2, keepdims=True)
    high = c.given["V"].max(axis=-2, keepdims=True)
    beyond = np.maximum(c.got - high, low - c.got)
    if c.got.shape[:-2] != low.shape[:-2] or not (beyond > 1e-3).any():
        return None
    return (
        "Every output is a mixture of the values, so no column of it can leave the range of that "
        f"column of V; yours does, by up to {number(beyond.max())}. Are the weights positive, and "
        "do they sum to 1 in each row?"
    )


def _order_matters(c: Context) -> str | None:
    n_k = c.given["K"].shape[-2]
    turned = np.roll(np.arange(n_k), 1)
    moved = c.call(
        c.given["Q"], c.given["K"][..., turned, :], c.given["V"][..., turned, :]
    )
    if (
        moved is None
        or moved.shape != c.got.shape
        or np.allclose(moved, c.got, 1e-3, 1e-4)
    ):
        return None
    return (
        "Listing the same keys, with their values, in another order changes your output by up to "
        f"{number(np.abs(moved - c.got).max())}. A dictionary does not care in which order it is "
        "written down."
    )


def _queries_interact(c: Context) -> str | None:
    alone = c.call(c.given["Q"][..., :1, :], c.given["K"], c.given["V"])
    if alone is None or alone.shape != c.got[..., :1, :].shape:
        return None
    if np.allclose(alone, c.got[..., :1, :], 1e-3, 1e-4):
        return None
    return (
        f"Your first output is {c.row()}, and it changes when the other queries are left out: "
        "queries must not depend on each other. Along which axis does the softmax run?"
    )


exercise = Exercise(
    solution=attention,
    place=20,
    section="In one line: the matrix form",
    task="""
Write `attention(Q, K, V)`: $Y = \\mathrm{softmax}(Q K^T)\\, V$, **without scaling yet** (that is
chapter 5). Q is (…, n_q, d_k), K (…, n_k, d_k), V (…, n_k, d_v), where n_q and n_k, and d_k and
d_v, may differ; the result is (…, n_q, d_v). Scores may be in the thousands. You may use your own
`softmax` and `dot_scores`.
""",
    cases=_attention_cases,
    variant=_attended,
    kinds={
        "large": Kind(
            "for large scores",
            "They lie thousands apart here: subtract each row's largest before `exp`.",
        ),
        "self": Kind("where there are as many queries as keys"),
    },
    faults=(
        Fault(
            "scaled",
            {"scale": lambda scores, Q: scores / np.sqrt(Q.shape[-1])},
            lambda c: (
                "Right idea, one chapter early: you divide the scores by √d_k = "
                f"√{c.given['Q'].shape[-1]} ≈ {number(np.sqrt(c.given['Q'].shape[-1]))}. Chapter 5 "
                "shows why; here the formula is softmax(Q Kᵀ) V."
            ),
        ),
        Fault(
            "divided-by-d",
            {"scale": lambda scores, Q: scores / Q.shape[-1]},
            lambda c: (
                f"You divide the scores by d_k = {c.given['Q'].shape[-1]}. No scaling yet (and in "
                "chapter 5 it will be by the *root* of d_k)."
            ),
        ),
        Fault(
            "swapped",
            {"score": lambda Q, K: _dots(K, Q)},
            lambda c: (
                "Q and K are swapped: your rows belong to keys, so each *key* asks. With "
                f"n_q = {c.given['Q'].shape[-2]} and n_k = {c.given['K'].shape[-2]} it goes "
                "unnoticed only because they are equal; for others the shapes do not fit. "
                "`Q @ Kᵀ`: rows are queries."
            ),
        ),
        Fault(
            "wrong-axis",
            {"weigh": lambda scores: softmax(scores, axis=-2)},
            lambda c: (
                "The softmax runs down the columns: each key shares itself out among the queries, "
                f"and a query's weights sum to {_weight_sums(c, -2)}. Each *query* has one unit to "
                "share out: use the last axis."
            ),
        ),
        Fault(
            "whole-array",
            {
                "weigh": lambda scores: (
                    np.exp(scores - scores.max())
                    / np.exp(scores - scores.max()).sum()
                )
            },
            "You divide by the sum over all queries (and all sequences) together: all weights sum "
            "to 1, and each query's should. `axis=-1, keepdims=True`.",
        ),
        Fault(
            "root-of-n-k",
            {"scale": lambda scores, Q: scores / np.sqrt(scores.shape[-1])},
            lambda c: (
                f"You divide the scores by √n_k = √{c.given['K'].shape[-2]}, the root of the "
                "number of keys. In this chapter nothing is divided before the softmax, and in "
                "chapter 5 it will be √d_k, the root of the number of features."
            ),
        ),
        Fault(
            "negative-scores",
            {"score": lambda Q, K: -_dots(Q, K)},
            lambda c: (
                "The sign of the scores is wrong: your queries attend most to the keys that match "
                "them least. Query 0 scores best with key "
                f"{_best(c)}, and that is the one to which yours gives the least weight."
            ),
        ),
        Fault(
            "no-transpose",
            {"score": np.matmul},
            lambda c: (
                "`Q @ K` without the transpose: it multiplies rows of Q with *columns* of K, and a "
                "column holds one feature of all keys. It fits only where n_k happens to be d_k, "
                f"as here ({c.given['K'].shape[-2]} keys of {c.given['K'].shape[-1]} features). "
                "A score is row times row: `Q @ np.swapaxes(K, -1, -2)`."
            ),
        ),
        Fault(
            "gaussian",
            {"score": lambda Q, K: -_squared_distances(Q, K) / 2},
            "You score by the distance, −‖q − k‖²/2, as Nadaraya and Watson do with a Gaussian "
            "kernel. Here it is the dot product. The two differ by −‖k‖²/2: the dot product lets a "
            "longer key be heard more. (For keys of one length they give the same weights.)",
        ),
        Fault(
            "distance",
            {"score": lambda Q, K: -_squared_distances(Q, K)},
            "You score by the squared distance, −‖q − k‖². Here the score is the dot product "
            "q · k: a longer key is heard more, however far away it lies.",
        ),
        Fault(
            "no-softmax",
            {"weigh": same},
            lambda c: (
                'You mix with the raw scores: the softmax is missing. A query\'s "weights" sum to '
                f"{span(_dots(c.given['Q'], c.given['K']).sum(axis=-1))}, and some are negative."
            ),
        ),
        Fault(
            "not-normalized",
            {"weigh": np.exp},
            lambda c: (
                "You take the powers but do not divide by their row sums: the outputs are too "
                f"large, {c.row()} instead of {c.row(of='expected')}."
            ),
        ),
        Fault(
            "no-shift",
            {"weigh": _unshifted},
            lambda c: (
                "Right for small scores. Here they reach "
                f"{number(_dots(c.given['Q'], c.given['K']).max())}, exp of which is infinite: "
                f"{int(np.isnan(c.got).any(axis=-1).sum())} of your outputs are NaN. Subtract each "
                "row's largest score first."
            ),
        ),
        Fault(
            "mixed-down-the-columns",
            {"mix": lambda weights, V: np.swapaxes(weights, -1, -2) @ V},
            lambda c: (
                "The weights are right, but V is mixed along the wrong axis: your output i uses "
                "*column* i of the weights (what all queries give to key i). Row i holds the "
                "weights of query i; for other sizes the shapes do not even fit. `weights @ V`."
            ),
        ),
        Fault(
            "elementwise",
            {"mix": np.multiply},
            lambda c: (
                "`weights * V` multiplies entry by entry. Here the shapes happen to fit (both are "
                f"{c.given['V'].shape[-2]} × {c.given['V'].shape[-1]}), elsewhere they do not. "
                "Each query sums *all* values, each times its weight: that is the matrix product, "
                "`weights @ V`."
            ),
        ),
        Fault(
            "keys-for-values",
            lambda Q, K, V: softmax(_dots(Q, K)) @ K,
            lambda c: (
                "You mix the *keys*. They are for finding; what is handed out are the values V. "
                f"Your output has d_k = {c.got.shape[-1]} columns, and V has "
                f"{c.given['V'].shape[-1]}."
            ),
        ),
        Fault(
            "returns-weights",
            lambda Q, K, V: softmax(_dots(Q, K)),
            lambda c: (
                f"You return the weights, shape {c.got.shape}. They are right; the last step is to "
                "mix the values with them."
            ),
        ),
        Fault(
            "hard",
            {"weigh": one_hot},
            lambda c: (
                "Each of your queries takes the value of its best key alone, "
                f"{c.row()} instead of the mixture {c.row(of='expected')}. That is a dictionary, "
                "not a soft one."
            ),
        ),
        Fault(
            "twice",
            {"weigh": lambda scores: softmax(softmax(scores))},
            "The softmax is applied twice: the second takes the weights for scores and makes them "
            "nearly even.",
        ),
        Fault(
            "cosine",
            {"score": lambda Q, K: _dots(unit(Q), unit(K))},
            "You compare by the cosine. Here the score is the plain dot product: a longer key has "
            "a louder voice.",
        ),
        Fault(
            "even",
            {"weigh": lambda scores: np.full_like(scores, 1 / scores.shape[-1])},
            "All your outputs are the mean of the values: the scores play no part.",
        ),
    ),
    properties=(
        Property("outside-the-values", _outside),
        Property("queries-interact", _queries_interact),
        Property("order-of-keys", _order_matters),
    ),
    hints=(
        "Three steps that you know: scores, weights, mixture. What are their shapes?",
        "Q Kᵀ has shape (n_q, n_k). The softmax makes each of its *rows* sum to 1; the rows of V "
        "are then mixed by it.",
        "`scores = Q @ np.swapaxes(K, -1, -2)`, a softmax along `axis=-1`, and `weights @ V`.",
    ),
    built_ins=("course_attn.in_numpy.qkv.attention",),
)
