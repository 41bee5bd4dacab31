"""Exercise `scaled_attention`: it shares most mistakes with `unscaled_attention`."""

from dataclasses import replace

import numpy as np

from course_attn.chapters.qkv.exercises.unscaled_attention import (
    attention_cases,
    order_of_keys,
)
from course_attn.chapters.qkv.exercises.unscaled_attention import (
    exercise as unscaled,
)
from whywrong import Context, Exercise, Property, fault_list
from whywrong.arrays import agree
from whywrong.context import number

__all__ = ["exercise"]


def scaled_attention(Q, K, V):
    """Give every query the mixture of the values whose keys it matches."""
    divisor = Q.shape[-1] ** 0.5
    scores = Q @ K.swapaxes(-1, -2) / divisor
    largest = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - largest)
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / total
    return weights @ V


def _other_divisor(c: Context) -> str | None:
    """Find the number by which the learner divides, if it is one."""
    Q, K, V = c.given.values()
    dots, (low, high) = Q @ K.swapaxes(-1, -2), (1e-3, 1e4)

    def mixed(divisor: float) -> np.ndarray:
        exps = np.exp((dots - dots.max(axis=-1, keepdims=True)) / divisor)
        return exps / exps.sum(axis=-1, keepdims=True) @ V

    for _ in range(8):
        tried = np.geomspace(low, high, 60)
        best = int(np.nanargmin([np.abs(mixed(t) - c.got).max() for t in tried]))
        low, high = tried[max(best - 1, 0)], tried[min(best + 1, 59)]
    found = 0.01 < tried[best] < 1000  # beyond, all weights are 0 and 1, or even
    if not found or not agree(mixed(tried[best]), c.got, 10 * c.rtol):
        return None
    return c.filled(
        f"Your weights are those of scores divided by {number(tried[best])}. At d_k = {{Q.last}} "
        "it should be √d_k = {Q.root}. Where does your number come from? `Q.shape[-1] ** 0.5` fits "
        "every width."
    )


def _order_and_divisor(c: Context) -> str | None:
    """Say that the order of the keys counts; and the divisor that shows where it does not."""
    said = order_of_keys(c)
    Q, K, V = c.given.values()
    if not said or Q.ndim != 2:
        return said
    # With the best key first, a running maximum is right from the start.
    best = np.argsort(-(K @ Q[0]))
    given = {"Q": Q[:1], "K": K[best], "V": V[best]}
    got = c.call(*given.values())
    if got is None or got.shape != c.got[:1].shape:
        return said
    if agree(got, scaled_attention(**given), 10 * c.rtol):
        return said
    other = _other_divisor(replace(c, given=given, got=got))
    return f"{said}\n\nBesides: {other}" if other else said


_NOT_HERE = {"scaled", "gaussian", "absolute", "divided-by-n", "causal", "hard"}
_NOT_HERE |= {"last-key-missing"}
_OWN = {"root-of-n-k"}

exercise = Exercise(
    scaled_attention,
    place=20,
    minutes=5,
    level="easy",
    prepares=(
        "scaled_attention_torch",
        "causal_attention",
        "multi_head_attention",
        "cached_step",
    ),
    section="In one line: the whole of attention",
    task="""
Write `scaled_attention(Q, K, V)`: $Y = \\mathrm{softmax}\\left(Q K^\\top / \\sqrt{d_k}\\right) V$,
where $d_k$ is the number of features of a query (the last axis of Q). Q is (…, n_q, d_k), K (…,
n_k, d_k), V (…, n_k, d_v); the result is (…, n_q, d_v). Scores may be in the thousands. You may use
your own functions from before.
""",
    cases=lambda: attention_cases(20260501, 1.5),
    kinds=unscaled.kinds,
    faults=(
        *fault_list("""
unscaled: Q.shape[-1] ** 0.5 → 1.0
    The scores that softmax takes are not divided by √d_k = {Q.root} (after `exp`, a division
    cancels). They spread too widely: softmax comes close to one-hot, and a row that is certain
    hardly learns where to look.
multiplied: Q.shape[-1] ** 0.5 → Q.shape[-1] ** -0.5
    You *multiply* the scores by √d_k = {Q.root}, and they spread more widely still. Vectors of more
    features have larger dot products: which way has the scale to go?
divided-by-d: Q.shape[-1] ** 0.5 → Q.shape[-1]
    Your scores are divided by d_k = {Q.last}, not by its square root {Q.root}: the weights come out
    too even. Is the root missing, or do you divide both Q and K by √d_k? The *variance* of a sum of
    d terms grows as d; its spread grows as √d.
twice-d: Q.shape[-1] ** 0.5 → Q.shape[-1] * 2
    You divide by 2 d_k: `scores / d ** 1 / 2` divides by d and then by 2. `scores / d ** 0.5`
    divides by the square root.
root-of-n-k: Q.shape[-1] ** 0.5 → K.shape[-2] ** 0.5
    You divide by √n_k = √{K.rows}, from the number of keys. Each score is a sum over the d_k =
    {Q.last} features; how many keys there are does not matter to its size.
root-of-d-v: Q.shape[-1] ** 0.5 → V.shape[-1] ** 0.5
    You divide by √d_v = √{V.last}, from the width of the values. V plays no part in the scores:
    what counts is d_k = {Q.last}.
root-of-n-q: Q.shape[-1] ** 0.5 → Q.shape[-2] ** 0.5
    You divide by √n_q = √{Q.rows}, from the number of queries, which is what `len(Q)` or
    `Q.shape[0]` gives. It is `Q.shape[-1]` that counts, the {Q.last} features.
shape-1: Q.shape[-1] → Q.shape[1]
    The length of axis 1, `Q.shape[1]` (in PyTorch also `Q.size(1)`), is d_k only where Q is a
    matrix. Here Q has shape {Q.shape}: count from the end, `Q.shape[-1]`.
by-length: Q.shape[-1] ** 0.5 → (Q**2).sum(axis=-1, keepdims=True) ** 0.5
    You divide each row of scores by the length ‖q‖ of its query. √d_k = {Q.root} is a constant,
    from the *number* of features: a longer query may be surer.
root-of-absolute-scores: Q @ K.swapaxes(-1, -2) / divisor → np.abs(Q @ K.swapaxes(-1, -2)) ** 0.5
    You take the square root of the scores themselves. The square root is that of the *number* d_k
    = {Q.last}: divide every score by {Q.root}.
scaled-after-softmax: divisor = Q.shape[-1] ** 0.5 → divisor = 1.0
        and exps / total → exps / total / Q.shape[-1] ** 0.5
    You scale *after* the softmax: the weights are as sharp as without any scaling, and sum to
    1/√d_k = 1/{Q.root}, not to 1. Scale the scores.
scaled-again: exps / total → exps / total / Q.shape[-1] ** 0.5
    You divide after the softmax too, the weights or the output: what do weights sum to then?
cosine: divisor = Q.shape[-1] ** 0.5
            → divisor, (Q, K) = 1.0, (A / np.linalg.norm(A, axis=-1, keepdims=True) for A in (Q, K))
    Your scores are cosines: you divide by the lengths of query and key, and not by √d_k. The
    weights are nearly even then, and a longer query could not be surer.
cosine-scaled: scores =
            → Q, K = (A / np.linalg.norm(A, axis=-1, keepdims=True) for A in (Q, K)); scores =
    You divide by the lengths of query and key *and* by √d_k: a longer query could not be surer.
    Asked for is the plain dot product, divided by √d_k only.
cosine-stretched: scores =
            → Q, K = (A / (A**2).mean(axis=-1, keepdims=True) ** 0.5 for A in (Q, K)); scores =
    Your scores are √d_k times the cosine. Some models do so (QK-norm), but then the lengths of
    queries and keys no longer count. Asked for is the plain dot product, divided by √d_k.
fourth-root: Q.shape[-1] ** 0.5 → Q.shape[-1] ** 0.25
    You divide by the *fourth* root of d_k. That would be half of the way: is only one of Q and K
    divided by it, or is a root taken twice?
"""),
        *(known for known in unscaled.faults if known.id not in _NOT_HERE | _OWN),
    ),
    properties=(
        Property("other-divisor", _other_divisor),
        Property("order-of-keys", _order_and_divisor),
    ),
    hints=(
        "Start from `unscaled_attention`: one division is new. Of what?",
        "Divide the *scores* by the square root of the number of terms in each dot product.",
        "`scores = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5`, and on as without the scale.",
    ),
    built_ins=unscaled.built_ins,
)
