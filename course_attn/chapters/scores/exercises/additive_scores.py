"""Exercise `additive_scores`."""

from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Exercise, Kind, fault_list

__all__ = ["exercise"]


def additive_scores(Q, K, W_Q, W_K, v):
    """Give v · tanh(q W_Q + k W_K) for every query q and every key k."""
    queries = Q @ W_Q
    keys = K @ W_K
    pairs = queries[..., :, None, :] + keys[..., None, :, :]
    hidden_units = np.tanh(pairs)
    scores = hidden_units @ v
    return scores


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260204).standard_normal

    def given(
        n_q: int, n_k: int, d_q: int, d_k: int, units: int, *batch: int
    ) -> tuple[Any, ...]:
        vectors = draw((*batch, n_q, d_q)), draw((*batch, n_k, d_k))
        return *vectors, draw((d_q, units)), draw((d_k, units)), draw(units)

    *others, v = given(5, 3, 7, 2, 13)
    return (
        Case(given(2, 3, 5, 7, 11), "example"),
        Case(given(7, 5, 3, 2, 13)),
        # Widths may agree, as they mostly do; a mistake may only run then.
        Case(given(7, 3, 5, 5, 11), "equal-widths"),
        Case(given(5, 5, 5, 5, 5), "square"),
        Case(given(5, 7, 3, 11, 13, 2, 3), "batch"),
        Case(given(4, 4, 3, 5, 7, 4), "batch"),
        Case(given(1, 1, 3, 5, 7), "vector"),
        Case(given(5, 3, 2, 7, 1), "vector"),
        Case((*others, 1e-6 * v), "small"),
        Case(tuple(a.astype("f4") for a in given(3, 5, 7, 2, 11)), "float32"),
    )


exercise = Exercise(
    additive_scores,
    place=50,
    minutes=12,
    level="medium",
    section="The score is a choice",
    task="""
Bahdanau's score lets a small network judge each pair. Write `additive_scores(Q, K, W_Q, W_K, v)`:
entry (i, j) is `v` · tanh(q_i `W_Q` + k_j `W_K`). Shapes: `Q` (…, n_q, d_q), `K` (…, n_k, d_k),
`W_Q` (d_q, d_hidden), `W_K` (d_k, d_hidden), `v` (d_hidden,), result (…, n_q, n_k). Only `Q` and
`K` have batch axes.
""",
    cases=_cases,
    kinds={
        "equal-widths": Kind("where queries and keys are equally wide"),
        "vector": Kind("for an axis of length 1", "`squeeze` drops such an axis."),
        "small": Kind("for a very small v", "Is something rounded, or added?"),
    },
    faults=fault_list("""
no-tanh: np.tanh(pairs) → pairs
    The tanh is missing. Without it v·(qW_Q + kW_K) splits into a part of the query and a part
    of the key: every query would rank the keys in the same order.
tanh-before-sum: queries[..., :, None, :] + keys[..., None, :, :]
            → np.tanh(queries)[..., :, None, :] + np.tanh(keys)[..., None, :, :]
        and np.tanh(pairs) → pairs
    You apply tanh to the query and to the key separately and add afterward. Add first: tanh of
    the sum is what lets the two interact.
tanh-after-v: np.tanh(pairs) → pairs
        and hidden_units @ v → np.tanh(hidden_units @ v)
    You apply tanh to the finished score: yours all lie between −1 and 1 (from {your.min} to
    {your.max}). It belongs around q W_Q + k W_K, before the product with v.
tanh-twice: hidden_units @ v → np.tanh(hidden_units @ v)
    You apply a second tanh, to the finished score: yours all lie between −1 and 1. The score
    itself is the product with v.
relu: np.tanh(pairs) → np.maximum(pairs, 0)
    You use max(x, 0), the ReLU, where tanh is asked for: it keeps signs, and stays below 1.
sigmoid: np.tanh(pairs) → 1 / (1 + np.exp(-pairs))
    You use the sigmoid 1/(1 + e^−x), where tanh is asked for: its values lie between 0 and 1, those
    of tanh between −1 and 1.
half: np.tanh(pairs) → np.tanh(pairs / 2)
    Your tanh is that of *half* the sum. (Written out, (e^x − 1)/(e^x + 1) is tanh(x/2), and so is
    2/(1 + e^−x) − 1: by what must x be multiplied there?)
product: queries[..., :, None, :] + → queries[..., :, None, :] *
    You multiply the two projections; an *additive* score adds them, before tanh.
product-of-tanhs: queries[..., :, None, :] + keys[..., None, :, :]
            → np.tanh(queries)[..., :, None, :] * np.tanh(keys)[..., None, :, :]
        and np.tanh(pairs) → pairs
    You take the tanh of the query and that of the key and multiply the two. An *additive* score
    adds the projections first, and takes one tanh, of the sum.
v-inside: np.tanh(pairs) → np.tanh(pairs * v)
        and hidden_units @ v → hidden_units.sum(axis=-1)
    You multiply by v inside the tanh. v weighs the hidden units *after* the tanh.
no-new-axes: queries[..., :, None, :] + keys[..., None, :, :] → queries + keys
    You add the projections without a new axis, so query i meets key i only (where the shapes
    fit at all). For all pairs add (…, n_q, 1, d_hidden) and (…, 1, n_k, d_hidden).
axes-from-the-front: queries[..., :, None, :] + keys[..., None, :, :]
            → queries[:, None] + keys[None, :]
    You insert the new axes counted from the front, `[:, None]` and `[None, :]`: without batch axes
    that is right. Which axes of `Q` and `K` count the queries and the keys in a batch?
mean: return scores → return scores / len(v)
    You take the mean over the {v.last} hidden units, or divide by their number. A score is their
    *sum*, each times its entry of v.
scaled: return scores → return scores / len(v) ** 0.5
    Your scores are divided by √d_hidden = √{v.last}. The root belongs to the product of a
    query with a key. Here the score is v · tanh(…), not divided by anything.
transposed-result: hidden_units = → pairs = np.swapaxes(pairs, -2, -3) ⏎ hidden_units =
    Your result has shape {your.shape}, one row for each *key*: the axes of queries and keys got
    swapped when you inserted an axis into each.
weights-swapped: Q @ W_Q → Q @ W_K
        and K @ W_K → K @ W_Q
    The two projections are swapped: W_Q belongs to the queries and W_K to the keys.
weights-transposed: Q @ W_Q → Q @ W_Q.T
        and K @ W_K → K @ W_K.T
    You transpose W_Q and W_K. Their shapes are (d_q, d_hidden) and (d_k, d_hidden): rows fit
    from the left as they are, `Q @ W_Q`.
no-v: hidden_units @ v → hidden_units.sum(axis=-1)
    You add up the {v.last} hidden units as they are, and v plays no part. How much does each of
    them count in v · tanh(…)?
softmaxed: return scores
            → exps = np.exp(scores) ⏎ return exps / exps.sum(axis=-1, keepdims=True)
    You apply a softmax at the end, which makes weights of the scores. The scores
    themselves are asked for.
keys-from-W_Q: K @ W_K → K @ W_Q
    You project the keys with W_Q, as the queries are, and W_K plays no part. (It runs only where
    queries and keys are equally wide.)
"""),
    hints=(
        "What shape does q_i W_Q + k_j W_K have for all pairs together? It has one axis more than "
        "a matrix.",
        "Insert an axis of length 1 into both projections, so that adding them makes all pairs: "
        "(…, n_q, 1, d_hidden) plus (…, 1, n_k, d_hidden).",
        "`np.tanh(A[..., :, None, :] + B[..., None, :, :])` with A = Q W_Q and B = K W_K; a "
        "product with v removes the last axis.",
    ),
    built_ins=twins("scores.additive_scores"),
)
