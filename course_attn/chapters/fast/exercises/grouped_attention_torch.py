"""Exercise `grouped_attention_torch`, in PyTorch."""

from typing import Any

import numpy as np
import torch

from whywrong import Case, Context, Exercise, Kind, fault_list

__all__ = ["exercise"]


def grouped_attention_torch(Q, K, V):
    """Attend in every head of Q to the head of K and V that its group shares."""
    n_rep = Q.shape[-3] // K.shape[-3]
    keys = K.repeat_interleave(n_rep, dim=-3)
    values = V.repeat_interleave(n_rep, dim=-3)
    scores = Q @ keys.mT / Q.shape[-1] ** 0.5
    weights = torch.softmax(scores, dim=-1)
    outputs = weights @ values
    return outputs


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261207)

    def triple(
        heads: tuple[int, int], n_q: int, n_k: int, d_k: int, d_v: int, *batch: int
    ) -> tuple[Any, ...]:
        n_heads, n_kv = heads
        sizes = ((n_heads, n_q, d_k), (n_kv, n_k, d_k), (n_kv, n_k, d_v))
        drawn = (1.5 * rng.standard_normal((*batch, *size)) for size in sizes)
        return tuple(array.astype(np.float32) for array in drawn)

    in_float64 = tuple(x.astype(float) for x in triple((10, 5), 3, 7, 2, 11))
    return (
        Case(triple((6, 3), 1, 4, 5, 2), "example"),
        Case(triple((6, 3), 5, 7, 11, 2)),
        Case(triple((6, 2), 3, 5, 7, 11)),
        Case(triple((8, 2), 7, 3, 5, 9)),
        Case(triple((6, 3), 6, 6, 6, 6), "square"),
        Case(triple((3, 1), 5, 7, 2, 11), "one-head"),
        Case(triple((3, 3), 5, 7, 11, 2), "as-many"),
        Case(triple((1, 1), 4, 6, 3, 2), "as-many"),
        Case(triple((4, 2), 5, 7, 13, 11, 3), "batch"),
        Case(triple((6, 2), 4, 5, 3, 7, 2, 3), "batch"),
        Case(in_float64, "float64"),
    )


def _wanted(c: Context) -> str:
    n_heads, n_kv = c.given["Q"].shape[-3], c.given["K"].shape[-3]
    own = [h // (n_heads // n_kv) for h in range(n_heads)]
    return f"Your {n_heads} heads of queries should use heads {own} of K and V."


exercise = Exercise(
    grouped_attention_torch,
    place=70,
    minutes=12,
    level="medium",
    section="Shared heads: multi-query and grouped-query attention",
    library="torch",
    task="""
Grouped-query attention in PyTorch. Write `grouped_attention_torch(Q, K, V)`: Q is a tensor of
shape (…, n_heads, n_q, d_k), K (…, n_kv_heads, n_k, d_k) and V (…, n_kv_heads, n_k, d_v), where
n_heads is a multiple of n_kv_heads, r·n_kv_heads. Head h of the queries attends to head ⌊h / r⌋
of K and V (counted from 0), with scores divided by $\\sqrt{d_k}$ and without a mask. Return the
outputs, (…, n_heads, n_q, d_v), in the dtype of the arguments. Build it yourself, without
`scaled_dot_product_attention`.
""",
    cases=_cases,
    terms={"wanted": _wanted},
    kinds={
        "one-head": Kind(
            "where K and V have a single head (multi-query attention)",
            "All heads of queries share it.",
        ),
        "as-many": Kind(
            "where r = 1, and each head of queries has its own of keys"
        ),
    },
    faults=fault_list("""
in-turn: K.repeat_interleave(n_rep, dim=-3) → torch.cat([K] * n_rep, dim=-3)
        and V.repeat_interleave(n_rep, dim=-3) → torch.cat([V] * n_rep, dim=-3)
    Your heads of queries take the heads of K and V in turn; r heads in a row should share one.
    {wanted} (If you repeat heads, each comes r times before the next. If you split the axis of the
    heads, n_kv_heads comes first, then r.)
values-in-turn: V.repeat_interleave(n_rep, dim=-3) → torch.cat([V] * n_rep, dim=-3)
    Your heads take the values of V's heads 0, 1, …, but the keys of K's heads 0, 0, …: the weights
    of a head come from one head of K and mix another head of V. {wanted}
keys-of-head-0: K.repeat_interleave(n_rep, dim=-3) → K[..., :1, :, :]
    All your heads of queries meet the keys of K's head 0, whichever group they belong to. {wanted}
first-head-alone: K.repeat_interleave(n_rep, dim=-3) → K[..., :1, :, :]
        and V.repeat_interleave(n_rep, dim=-3) → V[..., :1, :, :]
    All your heads of queries share head 0 of K and V. {wanted}
divided-by-n-kv: K.repeat_interleave(n_rep, dim=-3)
            → K[..., torch.arange(Q.shape[-3]) // K.shape[-3], :, :]
        and V.repeat_interleave(n_rep, dim=-3)
            → V[..., torch.arange(Q.shape[-3]) // K.shape[-3], :, :]
    You give head h of the queries head ⌊h / n_kv_heads⌋ of K and V. It is ⌊h / r⌋ with r =
    n_heads / n_kv_heads, the number of query heads that share one. {wanted}
queries-averaged: n_rep = Q.shape[-3] // K.shape[-3]
            → Q, n_rep = Q.unflatten(-3, (K.shape[-3], -1)).mean(dim=-3), 1
    You average the queries of each group. Every head of queries keeps its own scores and its own
    output; only keys and values are shared. {worst_row}
unscaled:  / Q.shape[-1] ** 0.5 → (nothing)
    The scores are not divided by √d_k = {Q.root}. {worst_row}
root-of-all-heads: Q.shape[-1] ** 0.5 → (Q.shape[-3] * Q.shape[-1]) ** 0.5
    You divide by √(n_heads·d_k), from the width of all heads together. Each head divides by the
    root of its own width, d_k = {Q.last}. {worst_row}
divided-by-d: Q.shape[-1] ** 0.5 → Q.shape[-1]
    Your scores are divided by d_k = {Q.last} in all; √d_k = {Q.root} is asked for. Is the root
    missing, or do you divide by it twice? {worst_row}
multiplied:  / Q.shape[-1] ** 0.5 →  * Q.shape[-1] ** 0.5
    You *multiply* the scores by √d_k. More features make them larger already: which way has the
    scale to go? {worst_row}
root-of-n-k: Q.shape[-1] ** 0.5 → K.shape[-2] ** 0.5
    You divide by √n_k, from the number of keys. Of how many products is a score the sum?
root-of-d-v: Q.shape[-1] ** 0.5 → V.shape[-1] ** 0.5
    You divide by √d_v, from the width of the values. Of how many products is a score the sum?
outputs-averaged: return outputs → return outputs.unflatten(-3, (K.shape[-3], -1)).mean(dim=-3)
    You average the outputs of each group: shape {your.shape}. Which heads keep their own output?
heads-merged: return outputs → return outputs.transpose(-3, -2).flatten(-2)
    You put the outputs of the heads side by side, in rows of {your.last} numbers. Each head keeps
    its own axis here: what is merged after that is another step.
scaled-after-softmax:  / Q.shape[-1] ** 0.5 → (nothing)
        and torch.softmax(scores, dim=-1) → torch.softmax(scores, dim=-1) / Q.shape[-1] ** 0.5
    You divide by √d_k after the softmax, so that the weights sum to 1/√d_k. The *scores* are
    divided, before it. {worst_row}
wrong-axis: scores, dim=-1 → scores, dim=-2
    The softmax runs down the columns, over the queries: each query shares out its weight along
    `dim=-1`. {worst_row}
masked: softmax(scores
        → softmax(scores + torch.full_like(scores, -torch.inf).triu(1 + K.shape[-2] - Q.shape[-2])
    You hide later keys with a causal mask. No mask is asked for: every query attends to all
    {K.rows} keys. {worst_row}
masked-from-the-first: softmax(scores
        → softmax(scores + torch.full_like(scores, -torch.inf).triu(1)
    You hide the keys behind each query's own place with a causal mask. No mask is asked for: every
    query attends to all {K.rows} keys. {worst_row}
"""),
    hints=(
        "For n_heads = 6 and n_kv_heads = 2, which head of K does each of the six heads of queries "
        "use?",
        "Repeat each head of K and of V r times in a row, as `repeat_kv` does; then it is "
        "attention with as many heads of keys as of queries.",
        "`K.repeat_interleave(r, dim=-3)`, the same for V; then `Q @ keys.mT / …`, a softmax along "
        "`dim=-1`, and the product with the values.",
    ),
    built_ins=("torch.nn.functional.scaled_dot_product_attention",),
)
