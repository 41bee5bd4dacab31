"""Exercise `multi_head_attention`."""

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
    number,
)

__all__ = ["exercise"]


def multi_head_attention(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    """Let several heads attend side by side, and mix what they found."""
    *batch, n, d_model = X.shape
    d_k = d_model // n_heads
    projections = X @ W_Q, X @ W_K, X @ W_V
    Q, K, V = (
        A.reshape(*batch, n, n_heads, d_k).swapaxes(-2, -3) for A in projections
    )
    scores = Q @ K.swapaxes(-1, -2)
    scores = scores / d_k**0.5
    scores = np.where(mask, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    heads = weights @ V
    joined = heads.swapaxes(-2, -3).reshape(*batch, n, d_model)
    return joined @ W_O


def _mask(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a mask in which every row and every column has a True and a False."""
    while True:
        mask = rng.uniform(size=(n, n)) < 0.6
        mixed = [mask.any(axis) & ~mask.all(axis) for axis in (0, 1)]
        if np.all(mixed) and (mask != mask.T).any():
            return mask


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260703)

    def given(n: int, d_model: int, n_heads: int, *batch: int) -> tuple[Any, ...]:
        X = rng.standard_normal((*batch, n, d_model))
        W = 1.5 * rng.standard_normal((4, d_model, d_model)) / np.sqrt(d_model)
        return X, *W, n_heads, _mask(n, rng)

    # Two sentences in one sequence: each word sees itself and its own sentence's earlier words.
    two_sentences = np.kron(np.eye(2), np.tri(2)).astype(bool)
    example = (*given(4, 6, 3)[:-1], two_sentences)
    in_float32 = (*(array.astype("f4") for array in example[:5]), *example[5:])
    return (
        Case(example, "example"),
        Case(given(5, 14, 2)),
        Case(given(7, 15, 5)),
        Case(given(6, 6, 3), "square"),
        Case(given(5, 9, 3), "equal-heads"),
        Case(given(7, 5, 1), "one-head"),
        Case(given(3, 8, 8), "narrow"),
        Case(given(5, 22, 11, 2, 3), "batch"),
        Case(given(4, 6, 2, 1), "batch"),
        Case(in_float32, "float32"),
    )


def _first(here: np.ndarray) -> list[int]:
    return np.argwhere(here)[0].tolist()


def _not_causal(c: Context) -> str:
    """Say where the mask is not causal."""
    mask = c.given["mask"]
    i, j = _first(np.tri(len(mask)) != mask)
    says = "yes and yours says no" if mask[i, j] else "no and yours says yes"
    return f"at query {i} and key {j}, for example, `mask` says {says}"


def _change(c: Context, **others: Any) -> np.ndarray:
    got = c.call(*{**c.given, **others}.values())
    fits = got is not None and got.shape == c.got.shape
    return np.abs(got - c.got) if fits else np.full_like(c.got, np.nan)


def _heads_not_once(c: Context) -> str | None:
    """Write the output as a sum of what each head contributes, if it is one."""
    n_heads, W_O = c.given["n_heads"], c.given["W_O"].astype(float)
    owner = np.arange(len(W_O)) * n_heads // len(W_O)
    joined = multi_head_attention(**{**c.given, "W_O": np.eye(len(W_O))})
    alone = [(joined * (owner == h) @ W_O).ravel() for h in range(n_heads)]
    times = np.linalg.lstsq(np.stack(alone, 1), c.got.ravel(), rcond=None)[0]
    wrong = np.abs(times @ alone - c.got.ravel()).max() > 1e-3 * np.abs(c.got).max()
    missing = ", ".join(str(h) for h in range(n_heads) if abs(times[h]) < 1e-3)
    if wrong or not missing:
        return None
    return (
        f"Of your {n_heads} heads, counted from 0, nothing of {missing} reaches the output. "
        "Was it overwritten in a loop, or does a `return` inside the loop end it too early?"
    )


def _unused(c: Context) -> str | None:
    """Find a matrix, or a head's block of one, that could be anything."""
    n_heads, width = c.given["n_heads"], c.term("d_k")
    names = ("W_Q", "W_K", "W_V", "W_O")
    idle = [n for n in names if _change(c, **{n: -0.1 * c.given[n]}).max() < 1e-9]
    if idle:
        if idle == ["W_O"]:
            return "W_O plays no part in your output: is the last product missing?"
        plays, their = ("play", "their") if idle[1:] else ("plays", "its")
        return (
            f"{' and '.join(idle)} {plays} no part in your output: does something else stand in "
            f"{their} place?"
        )
    for name in names:
        for h in range(n_heads):
            W, block = c.given[name].copy(), slice(h * width, (h + 1) * width)
            W[(block,) if name == "W_O" else (slice(None), block)] *= -0.1
            if _change(c, **{name: W}).max() < 1e-9:
                lines = "Rows" if name == "W_O" else "Columns"
                return (
                    f"{lines} {block.start} to {block.stop - 1} of {name} play no part in your "
                    f"output: those of head {h}, counted from 0."
                    f"{f' Does head {h} use the {lines.lower()} of another head?' * (h > 0)}"
                )
    return None


def _sees_hidden(c: Context) -> str | None:
    for i, j in np.argwhere(~c.given["mask"]):
        X = c.given["X"].copy()
        X[..., j, :] *= -2
        if (move := _change(c, X=X)[..., i, :].max()) > 1e-3:
            return (
                f"mask[{i}, {j}] is False, so element {i} may not attend to element {j}. But "
                f"changing row {j} of X moves row {i} of your output by {number(move)}."
            )
    return None


exercise = Exercise(
    multi_head_attention,
    place=30,
    minutes=20,
    level="hard",
    prepares=("MultiHeadAttention",),
    section="With the heads as a batch axis",
    task="""
Write `multi_head_attention(X, W_Q, W_K, W_V, W_O, n_heads, mask)`, self-attention
with several heads: X has shape (…, n, d_model), all four matrices are (d_model,
d_model) and used as $X W_Q$, and n_heads divides d_model. Head h gets the h-th
block of $d_k = d_\\text{model} / n_\\text{heads}$ columns of $X W_Q$, $X W_K$ and
$X W_V$ (its queries, keys and values) and computes attention with them, scaled by
$1/\\sqrt{d_k}$. The heads' results stand side by side, the first head's first, and
are multiplied by $W_O$: the result has shape (…, n, d_model).

`mask` is an array of bool of shape (n, n), the same for every head and every
sequence of a batch: True where element i may attend to element j. Every row
of it has a True. You may use your own functions of this and earlier chapters.
""",
    cases=_cases,
    kinds={
        "one-head": Kind("for a single head", "Then d_k is d_model."),
        "narrow": Kind("where every head has a single feature", "Then d_k is 1."),
        "equal-heads": Kind("where n_heads = d_k"),
    },
    terms={
        "d_model": lambda c: c.given["X"].shape[-1],
        "d_k": lambda c: c.given["X"].shape[-1] // c.given["n_heads"],
        "not_causal": _not_causal,
    },
    points=2,
    faults=fault_list("""
one-head-for-all: d_k = d_model // n_heads → n_heads, d_k = 1, d_model
    You attend once with all {d_model} features, as if n_heads were 1; it is {n_heads}. Each head
    has a softmax of its own: cut Q, K and V before the scores. {worst_row}
cut-by-reshape: A.reshape(*batch, n, n_heads, d_k).swapaxes(-2, -3)
            → A.reshape(*batch, n_heads, n, d_k)
    You cut Q, K and V into heads by a `reshape` (or `view`) alone: your first head gets the *first
    elements*, cut up, in place of a part of every element. Reshape to (…, n, n_heads, d_k), then
    swap axes −2, −3.
cut-in-turn: A.reshape(*batch, n, n_heads, d_k).swapaxes(-2, -3)
            → A.reshape(*batch, n, d_k, n_heads).swapaxes(-1, -2).swapaxes(-2, -3)
    You deal the features to the heads in turn: the first gets columns 0, {n_heads}, … of X W_Q. It
    should get a *block*, the first {d_k} columns. Does a slice have n_heads as its step, or
    does d_k come before n_heads in a `reshape`?
cut-and-joined-in-turn: A.reshape(*batch, n, n_heads, d_k).swapaxes(-2, -3)
            → A.reshape(*batch, n, d_k, n_heads).swapaxes(-1, -2).swapaxes(-2, -3)
        and heads.swapaxes(-2, -3).reshape → np.moveaxis(heads, -3, -1).reshape
    You deal the features to the heads in turn, columns 0, {n_heads}, … of X W_Q to the first, and
    gather them in turn at the end. A head has a *block* of {d_k}: where you cut the last axis in
    two, which of n_heads and d_k comes first?
same-block-for-all: A.reshape(*batch, n, n_heads, d_k).swapaxes(-2, -3)
            → np.stack(n_heads * [A[..., :d_k]], axis=-3)
    All your heads use the first {d_k} columns of X W_Q, X W_K and X W_V. Head h, counted
    from 0, has a block of its own, the {d_k} columns from {d_k}·h on. {worst_row}
overlapping-blocks: A.reshape(*batch, n, n_heads, d_k).swapaxes(-2, -3)
            → np.stack([A[..., h : h + d_k] for h in range(n_heads)], axis=-3)
    The blocks of your heads overlap: that of head h (counted from 0) begins at column h, and should
    begin at column {d_k}·h, where head h − 1 ends. {worst_row}
within-each-element: A.reshape(*batch, n, n_heads, d_k).swapaxes(-2, -3)
            → A.reshape(*batch, n, n_heads, d_k)
        and np.where(mask, scores, -np.inf) → scores
        and heads.swapaxes(-2, -3) → heads
    Your Q has positions before heads, so `Q @ Kᵀ` compares the {n_heads} heads of *one* element,
    and none attends to another. Swap the axes −2 and −3 before the scores, and back at the end.
slices-of-x: X @ W_Q, X @ W_K, X @ W_V
            → (X @ (W * np.kron(np.eye(n_heads), np.ones((d_k, d_k)))) for W in (W_Q, W_K, W_V))
    Each of your heads sees only its own {d_k} of the {d_model} features of X. A head projects
    *all* of X: what is cut are the columns of W_Q, not those of X. {worst_row}
transposed-projections: X @ W_Q, X @ W_K, X @ W_V → X @ W_Q.T, X @ W_K.T, X @ W_V.T
    You multiply by the *transposed* W_Q, W_K and W_V. `nn.Linear` stores them so; here it is
    `X @ W_Q`. They are square, so no error tells you. {worst_row}
keys-from-W_Q: X @ W_K → X @ W_Q
    Your keys are made with W_Q, as the queries are, and W_K plays no part. {worst_row}
values-from-W_K: X @ W_V → X @ W_K
    Your values are made with W_K, as the keys are, and W_V plays no part. {worst_row}
keys-and-values-swapped: X @ W_K, X @ W_V → X @ W_V, X @ W_K
    Keys and values are exchanged: queries are compared with X W_V, X W_K is mixed. {worst_row}
keys-ask: Q @ K.swapaxes(-1, -2) → K @ Q.swapaxes(-1, -2)
    Queries and keys are exchanged: row i of your scores holds what *key* i scores with all queries.
    Do you take K Qᵀ, or W_Q for the keys? They are square, so no error tells you. {worst_row}
no-scale: scores / d_k**0.5 → scores
    The scale is missing: divide the scores by √d_k = √{d_k}. {worst_row}
root-of-d-model: scores / d_k**0.5 → scores / d_model**0.5
    You divide the scores by √d_model = √{d_model}. A head's scores are sums of d_k = {d_k}
    products, so √{d_k} is right: how many features does one head's query have?
divided-by-d: scores / d_k**0.5 → scores / d_k
    Your scores are divided by d_k = {d_k} in all; √d_k is asked for. Is the root missing, or do you
    divide by it twice (a function that does it for you counts)? {worst_row}
scaled-after: scores / d_k**0.5 → scores
        and weights @ V → weights / d_k**0.5 @ V
    You divide by √d_k after the softmax: the weights no longer sum to 1. Divide the scores.
no-mask: np.where(mask, scores, -np.inf) → scores
    The mask plays no part: set the scores to −∞ where it is False, before the softmax.
mask-inverted: np.where(mask, scores, -np.inf) → np.where(mask, -np.inf, scores)
    The mask is turned around: you hide what is True. Here True means *may attend*. (In
    `nn.MultiheadAttention` and `masked_fill` it is the other way around.)
always-causal: np.where(mask, scores, -np.inf)
            → np.where(np.tril(np.ones((n, n), dtype=bool)), scores, -np.inf)
    Your attention is causal, whatever `mask` says: {not_causal}.
    Where does `mask` enter?
masked-after: np.where(mask, scores, -np.inf) → scores
        and weights @ V → (weights * mask) @ V
    You mask *after* the softmax: what was hidden has already taken its share, and a query's
    weights sum to less than 1. Set the hidden scores to −∞ before the softmax.
fill-zero: np.where(mask, scores, -np.inf) → np.where(mask, scores, 0.0)
    Hidden scores are 0 in yours (is `scores * mask` what hides them?), but exp(0) is 1: what is
    hidden keeps weight. Which score has the exponential 0? {worst_row}
mask-added: np.where(mask, scores, -np.inf) → scores + mask
    You add the mask to the scores, where True counts 1 and False 0: what is hidden keeps weight.
    Which score has the exponential 0? {worst_row}
down-the-columns: scores.max(axis=-1, keepdims=True) → scores.max(axis=-2, keepdims=True)
        and exps.sum(axis=-1, keepdims=True) → exps.sum(axis=-2, keepdims=True)
    Your softmax runs down the columns. Each key's *column* sums to 1 in yours; each query's *row*
    should: the last axis, `axis=-1`. {worst_row}
over-the-heads: scores.max(axis=-1, keepdims=True) → scores.max(axis=-3, keepdims=True)
        and exps.sum(axis=-1, keepdims=True) → exps.sum(axis=-3, keepdims=True)
        and -np.inf → -1e9
    Your softmax runs over the heads: for each pair of elements they share one unit. Each *query*
    has one unit to share out among the keys in every head: the last axis, `axis=-1`. {worst_row}
softmax-after-mixing: exps / exps.sum(axis=-1, keepdims=True) → np.where(mask, scores, 0.0)
        and weights @ V → np.exp(weights @ V) / np.exp(weights @ V).sum(axis=-1, keepdims=True)
    You mix the values with the raw scores and take the softmax of the *mixtures*. It belongs
    before: it makes weights from a query's scores, and those mix the values. {worst_row}
nothing-but-nan: return np.nan * X
    All your numbers are NaN. With −∞ among the scores, a softmax along another axis than the
    last, no softmax at all, or a mask made as `mask * -np.inf` does that: 0·∞ is NaN.
cut-and-joined-by-reshape: A.reshape(*batch, n, n_heads, d_k).swapaxes(-2, -3)
            → A.reshape(*batch, n_heads, n, d_k)
        and heads.swapaxes(-2, -3) → heads
    You cut Q, K and V into heads by a `reshape` (or `view`) alone, and join them likewise: your
    first head gets the *first elements*, cut up, in place of a part of every element. Reshape to
    (…, n, n_heads, d_k) and swap axes −2, −3; swap them back at the end.
joined-by-reshape: heads.swapaxes(-2, -3) → heads
    You bring the heads together by a `reshape` alone: row 0 then holds what *one* head found for
    several elements. Swap the axes −2 and −3 *back*, before this reshape. {worst_row}
heads-reversed: heads.swapaxes(-2, -3) → heads[..., ::-1, :, :].swapaxes(-2, -3)
    Your heads' results stand side by side in reverse, the last head's first. W_O expects them as
    they were cut: does something turn them around, `insert(0, …)` or `[::-1]`? {worst_row}
no-output-matrix: joined @ W_O → joined
    The product with W_O is missing at the end; without it the heads never mix. {worst_row}
output-matrix-transposed: joined @ W_O → joined @ W_O.T
    You multiply by the transposed W_O, as `nn.Linear` stores it; here it is `… @ W_O`. {worst_row}
heads-averaged: joined @ W_O → joined @ W_O / n_heads
    All your numbers are 1/{n_heads} of the right ones, as if the heads were averaged. Each
    contributes fully: is there a division by the number of heads? {worst_row}
heads-not-joined: joined @ W_O → heads
    You return the heads, shape {your.shape}. Join them, {right.shape}, and multiply by W_O.
mask-transposed: np.where(mask, → np.where(mask.T,
    Your mask is transposed: you read mask[j, i] where element i attends to element j. {worst_row}
input-added: joined @ W_O → X + joined @ W_O
    You add X to the result, the residual connection of a whole block. Is it asked for here?
    {worst_row}
"""),
    properties=(
        Property("heads-not-once", _heads_not_once),
        Property("unused-block", _unused),
        Property("sees-what-is-hidden", _sees_hidden),
    ),
    hints=(
        "Once the heads are a batch axis, everything between is the masked, scaled attention that "
        "you know. What comes before it, and what after?",
        "Project all of X, split into heads, attend (the mask (n, n) broadcasts over the heads, "
        "the scale is that of one head), merge, multiply by W_O.",
        "`Q = split_heads(X @ W_Q, n_heads)`, the same for K and V; the scores are divided by "
        "`Q.shape[-1] ** 0.5`; and at the end `merge_heads(weights @ V) @ W_O`.",
    ),
    built_ins=(
        *twins(
            "multi_head.multi_head_attention",
            "multi_head.multi_head_attention_loop",
        ),
        "course_attn.in_torch.multi_head_layers.MultiHeadAttention",
        "torch.nn.MultiheadAttention",
        "torch.nn.functional.multi_head_attention_forward",
    ),
)
