"""Exercise `unscaled_attention`; `scaled_attention` and `SelfAttention` share its mistakes."""

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
)
from whywrong.arrays import agree
from whywrong.context import number

__all__ = ["attention_cases", "exercise", "order_of_keys"]


def unscaled_attention(Q, K, V):
    """Give every query the mixture of the values whose keys it matches (not scaled)."""
    scores = Q @ K.swapaxes(-1, -2)
    largest = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - largest)
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / total
    return weights @ V


def attention_cases(seed: int, spread: float) -> tuple[Case, ...]:
    """Make queries, keys and values of all kinds; their entries spread by ``spread``."""
    draw = np.random.default_rng(seed).standard_normal

    def given(
        n_q: int, n_k: int, d_k: int, d_v: int, *batch: int
    ) -> tuple[Any, ...]:
        sizes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
        return tuple(spread * draw((*batch, *size)) for size in sizes)

    Q, K, V = given(5, 8, 3, 11)
    shifted = given(11, 13, 5, 3)
    shifted[0][:, 0], shifted[1][:, 0] = np.resize([0.0, 300.0, -300.0], 11), 1.0
    return (
        Case(given(2, 4, 9, 6), "example"),
        Case(given(5, 7, 11, 3)),
        Case(given(9, 6, 3, 13)),
        Case(given(5, 5, 5, 5), "square"),
        Case(given(7, 7, 3, 2), "self"),
        Case(given(3, 7, 64, 2), "wide"),
        Case(given(5, 7, 11, 13, 2, 3), "batch"),
        Case(given(1, 7, 4, 2), "one"),
        Case(given(4, 1, 6, 9), "one"),
        Case(given(3, 7, 1, 1), "one"),
        Case(shifted, "shifted"),
        Case((60 * Q, 60 * K, V), "large"),
        Case(tuple(a.astype("f4") for a in shifted), "float32"),
    )


def order_of_keys(c: Context) -> str | None:
    """Say so where the order of the keys, with their values, changes the result."""
    if list(c.given) != ["Q", "K", "V"]:
        return None
    Q, K, V = c.given.values()
    turned = c.call(Q, np.flip(K, -2).copy(), np.flip(V, -2).copy())
    if (
        turned is None
        or turned.shape != c.got.shape
        or agree(turned, c.got, 100 * c.rtol)
    ):
        return None
    return (
        "Your result depends on the *order* of the keys: turned around together with their values, "
        "they give another one. Is a key left out, or do some count with another row maximum than "
        "others? (When a larger score turns up, what has been summed so far has to shrink.)"
    )


def _outside(c: Context) -> str | None:
    """Say by how much an output leaves the range of the values."""
    V = c.term("V")
    low, high = V.min(axis=-2, keepdims=True), V.max(axis=-2, keepdims=True)
    beyond = np.maximum(c.got - high, low - c.got).max()
    if beyond <= 1e-3 * np.abs(V).max():
        return None
    return (
        "A mixture of the values cannot leave the range of a column of V; yours does, by up to "
        f"{number(beyond)}. Are the weights positive, and do they sum to 1 in each row?"
    )


_EXP = "There `exp` is infinite above 88 and 0 below −103: subtract each row's largest first."

exercise = Exercise(
    unscaled_attention,
    place=30,
    minutes=8,
    level="easy",
    prepares=("soft_lookup", "SelfAttention", "scaled_attention"),
    section="In one line: the matrix form",
    task="""
Write `unscaled_attention(Q, K, V)`: $Y = \\mathrm{softmax}(Q K^\\top)\\, V$, **without scaling
yet**, so no $\\sqrt{d_k}$. Q is (…, n_q, d_k), K (…, n_k, d_k), V (…, n_k, d_v), where n_q and n_k,
and d_k and d_v, may differ; the result is (…, n_q, d_v). Scores may be in the thousands. You may
use your own `softmax` and `dot_scores`.
""",
    cases=lambda: attention_cases(20260402, 1.0),
    kinds={
        "self": Kind("where there are as many queries as keys"),
        "wide": Kind("for vectors of 64 features"),
        "one": Kind(
            "for a single query, key or feature",
            "Axes of length 1 have to stay: `squeeze` and `[0]` drop them.",
        ),
        "shifted": Kind("for rows of scores far from 0", _EXP),
        "large": Kind(
            "for large scores",
            "They lie thousands apart: subtract each row's largest before `exp`.",
            apart=True,
        ),
        "float32": Kind("for float32 input", _EXP, apart=True),
    },
    terms={"V": lambda c: c.given["V"]},
    faults=fault_list("""
scaled: scores = → scores = Q.shape[-1] ** -0.5 *
    The idea is right, but comes too early: you divide the scores by √d_k = √{Q.last}.
    Here the formula is softmax(Q Kᵀ) V, without scaling.
root-of-n-k: scores = → scores = K.shape[-2] ** -0.5 *
    You divide the scores by √n_k, from the number of keys. Nothing is divided here.
swapped: Q @ K.swapaxes(-1, -2) → K @ Q.swapaxes(-1, -2)
    Q and K are swapped: each *key* asks. It fits only where n_q = n_k, as here. `Q @ Kᵀ`: rows are
    queries.
no-transpose: Q @ K.swapaxes(-1, -2) → Q @ K
    `Q @ K` multiplies rows of Q with *columns* of K, and fits only where n_k happens to be d_k, as
    here. A score is row times row: transpose K, its last two axes.
reshaped: K.swapaxes(-1, -2) → K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])
    You *reshape* K to (…, d_k, n_k). The shape fits, but the numbers keep their order and only
    fill other rows: a column is no key any more. *Transpose* K, so that column j is key j.
negative-scores: = Q @ → = -Q @
    The sign of the scores is wrong: your queries attend most to the keys that match them least.
gaussian: Q @ K.swapaxes(-1, -2)
            → -((Q[..., :, None, :] - K[..., None, :, :]) ** 2).sum(axis=-1) / 2
    You score by −‖q − k‖²/2, as Nadaraya and Watson do with a Gaussian kernel. Here the score is
    the dot product: a longer key is heard more.
wrong-axis: scores.max(axis=-1, keepdims=True) → scores.max(axis=-2, keepdims=True)
        and exps.sum(axis=-1, keepdims=True) → exps.sum(axis=-2, keepdims=True)
    The softmax runs down the columns. Each key's *column* sums to 1 in yours; each query's *row*
    should: use the last axis, `axis=-1`.
causal: exps = np.exp(scores - largest) → exps = np.tril(np.exp(scores - largest))
    Query i does not see the keys behind position i, as with a causal mask, which nobody asked for:
    each query may attend to every key.
hard: exps = np.exp(scores - largest) → exps = np.exp(scores - largest) * (scores == largest)
    Each query hears its best key alone (`argmax`?). A softmax gives *every* key a weight: how does
    it come from the score?
column-sums: exps.sum(axis=-1, keepdims=True) → exps.sum(axis=-2, keepdims=True)
    You divide the exponentials by the sums of their *columns*. The weights of one query stand in a
    row and should sum to 1: along which axis do you add up?
transposed-weights: weights @ V → weights.swapaxes(-1, -2) @ V
    The weights are transposed: output i is mixed with column i of them, but query i's weights are
    row i. It fits only where n_q = n_k, as here.
whole-array: scores.max(axis=-1, keepdims=True) → scores.max()
        and exps.sum(axis=-1, keepdims=True) → exps.sum()
    You divide by the sum over all queries together, so that all weights sum to 1, and each
    query's should: `axis=-1, keepdims=True`.
no-keepdims: exps.sum(axis=-1, keepdims=True) → exps.sum(axis=-1)
    The row sums lose their axis: column j is divided by the sum of row j, and where n_q is not
    n_k, nothing fits. `keepdims=True` keeps the sums a column.
no-softmax: exps / total → scores
    You mix with the raw scores: the softmax is missing.
softmax-twice: return weights
            → exps = np.exp(weights) ⏎ return exps / exps.sum(axis=-1, keepdims=True)
    You apply the softmax twice. Weights lie between 0 and 1, so that the second one makes them
    nearly even: how many steps lead from the scores to the weights?
absolute: np.exp(scores - largest) → np.abs(scores)
    You make weights from the absolute values of the scores: the key that points the opposite way
    counts as much as the one that matches. Take exponentials, which grow with the score.
no-exponential: np.exp(scores - largest) → scores
    You divide the scores themselves by their sum, which can make weights negative and huge. What
    makes each score positive first?
not-normalized: exps / total → exps
    You take the exponentials, but do not divide by their row sums: each query's weights should sum
    to 1.
no-shift: scores.max(axis=-1, keepdims=True) → 0.0
    Right for small scores. But `exp` is infinite above 709 (88 in float32) and 0 far below zero:
    ∞/∞ and 0/0 are NaN. Subtract each row's largest score first.
global-shift: scores.max(axis=-1, keepdims=True) → scores.max()
    You subtract one maximum, that of all scores. A row that lies far below it becomes 0/0, which
    is NaN. Each row needs its own maximum: `axis=-1, keepdims=True`.
mean-shift: scores.max(axis=-1, keepdims=True) → scores.mean(axis=-1, keepdims=True)
    You subtract the mean of each row of scores. An entry far above it still overflows, and ∞/∞ is
    NaN. After which shift is no entry above 0?
softmax-last: weights @ V → weights
        and (-1, -2) → (-1, -2) @ V
    You take the softmax last: the rows of your *output* sum to {your.sums}. The softmax makes
    weights out of the scores; the values are mixed after that.
divided-by-output: weights @ V → weights @ V / (weights @ V).sum(axis=-1, keepdims=True)
    You divide each row of the output by the sum of its own features: your rows sum to {your.sums}.
    The sum of each query's *weights* is to be 1: by what do you divide for that?
divided-by-n: weights @ V → weights @ V / K.shape[-2]
    You divide the mixture by the number of keys. The weights sum to 1 already: the weighted sum is
    the mean.
last-key-missing: largest = → scores = scores[..., :-1] ⏎ largest =
        and weights @ V → weights @ V[..., :-1, :]
    The last key is left out, with its value: no query sees it. Does a loop or a slice of yours end
    one too early?
weights-alone: return weights @ V → return weights
    You return the weights, shape {your.shape}. What is to be mixed with them?
keys-mixed: weights @ V → weights @ K
    You mix the *keys*. They say where to look; what is found there stands in another argument.
"""),
    properties=(
        Property("outside-the-values", _outside),
        Property("order-of-keys", order_of_keys),
    ),
    hints=(
        "Three steps that you know: scores, weights, mixture. What are their shapes?",
        "Q Kᵀ has shape (n_q, n_k). The softmax makes each of its *rows* sum to 1.",
        "`scores = Q @ K.swapaxes(-1, -2)`, a softmax along `axis=-1`, and `weights @ V`.",
    ),
    built_ins=(
        *twins("qkv.attention", "qkv.fused_attention"),
        "torch.nn.functional.scaled_dot_product_attention",
    ),
)
