"""Exercise `causal_attention`."""

from operator import itemgetter

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import (
    BuiltIn,
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    number,
)

__all__ = ["exercise"]


def causal_attention(Q, K, V):
    """Give every query the mixture of the values up to its own position."""
    n_q, n_k = Q.shape[-2], K.shape[-2]
    position = np.arange(n_q)[:, None] + (n_k - n_q)
    mask = np.arange(n_k) <= position
    scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
    masked_scores = np.where(mask, scores, -np.inf)
    row_maximum = masked_scores.max(axis=-1, keepdims=True)
    shift = np.where(np.isneginf(row_maximum), 0.0, row_maximum)
    exps = np.exp(masked_scores - shift)
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total == 0, 1.0, total)
    return weights @ V


def _cases() -> tuple[Case, ...]:
    def drawn(seed: int, *lengths: int) -> list[np.ndarray]:
        n_q, n_k, d_k, d_v, *batch = lengths
        draw = np.random.default_rng(seed).standard_normal
        sizes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
        return [1.5 * draw((*batch, *size)) for size in sizes]

    def case(kind: str, *sizes: int) -> Case:
        return Case(tuple(drawn(20260602 + sum(sizes), *sizes)), kind)

    # Scores around 120, whose exponentials are infinite in float32, which holds these halves
    # exactly.
    high = [np.round(2 * array) / 2 for array in drawn(20260602, 11, 13, 16, 3)]
    high[0][:, 0], high[1][:, 0] = 24.0, 20.0
    # Every query has an allowed score above 709, whose exponential is infinite; in two of five rows
    # one of the future lies so far above the allowed ones that their exponentials, shifted by it,
    # are all 0 (in one of them also after a division by d_k).
    Q, K, V = drawn(55, 5, 7, 4, 2)
    large = np.round(24 * Q), np.round(24 * K), V
    # And scores around -3000, below which no timid fill lies.
    low = [np.round(array) for array in drawn(20260603, 5, 7, 4, 2)]
    low[0][:, 0], low[1][:, 0] = 60.0, -100.0
    zeros = drawn(20260604, 5, 7, 4, 2)
    zeros[0][3], zeros[1][1] = 0.0, 0.0
    return (
        case("example", 3, 3, 5, 2),
        case("square", 7, 7, 11, 3),
        case("plain", 5, 7, 3, 2),
        case("batch", 5, 7, 11, 13, 2, 3),
        case("narrow", 4, 6, 1, 1),
        case("one-query", 1, 7, 5, 3),
        case("square", 1, 1, 4, 2),
        Case(large, "large"),
        Case(tuple(low), "low"),
        Case(tuple(zeros), "zeros"),
        case("more-queries", 7, 3, 5, 2),
        case("more-queries", 3, 1, 4, 2),
        Case(tuple(array.astype("f4") for array in high), "float32"),
    )


def _moved(c: Context) -> str:
    """Say how far the first output moves when only the last key's value changes."""
    Q, K, V = (c.given[name].copy() for name in "QKV")
    V[..., -1, :] += 10.0
    moved = c.call(Q, K, V) if 1 < Q.shape[-2] == K.shape[-2] else None
    if moved is None or moved.shape != c.got.shape:
        return ""
    by = np.abs(moved - c.got)[..., 0, :].max()
    says = f"Adding 10 to the *last* value moves your first output by {number(by)}."
    return f"{says} It sees the future." if by > 1e-6 else ""


exercise = Exercise(
    causal_attention,
    place=40,
    minutes=12,
    level="medium",
    prepares=("causal_attention_torch", "multi_head_attention"),
    section="New queries, old keys: the rectangular mask",
    task="""
Write `causal_attention(Q, K, V)`: $Y = \\mathrm{softmax}(Q K^\\top / \\sqrt{d_k})\\, V$ in which
query i sees only the keys $j \\le i + n_k - n_q$ (the last query stands at the last key). Q is (…,
n_q, d_k), K (…, n_k, d_k), V (…, n_k, d_v); the result is (…, n_q, d_v). A query that sees no key,
as the first ones do where n_q > n_k, gets zeros. Scores may be in the thousands, those of the
future far larger than the allowed ones. You may use your own functions from before.
""",
    cases=_cases,
    terms={"moved": _moved},
    kinds={
        "one-query": Kind(
            "for a single query, as in generating word by word",
            "It stands at the last key and sees them all: shift the mask by n_k − n_q.",
        ),
        "more-queries": Kind(
            "where there are more queries than keys",
            "The first n_q − n_k queries see nothing: their outputs are zeros.",
        ),
        "narrow": Kind(
            "where d_k and d_v are 1", "`squeeze` takes away such axes."
        ),
        "zeros": Kind(
            "where a query and a key are all zeros",
            "0 is a score like any other: what is hidden, only positions can tell.",
        ),
        "plain": Kind(
            "where n_q and n_k differ", "The queries are the *last* n_q positions."
        ),
        "large": Kind(
            "for large scores",
            "Is the future hidden by −∞, *before* the shift by each row's largest allowed score?",
        ),
        "low": Kind(
            "where all scores lie below −2000",
            "−1000 in place of a hidden score is the *largest* there: hide the future with −∞.",
        ),
    },
    faults=fault_list("""
future-only: <= position → > position
    The polarity is flipped somewhere: your queries see *only* the future. `np.where(mask,
    scores, -np.inf)` keeps the scores where the mask is True. {moved}
not-itself: <= position → < position
    Off by one: no query sees its own position. With n_q = n_k the first query sees nothing at
    all then; it is allowed to see key 0.
transposed: <= position → >= position
    Your mask is transposed: each query sees the keys from its own position *on*. Which triangle is
    to be kept? {moved}
one-ahead: <= position → <= position + 1
    Off by one: every query sees one key of the future, the very one that it has to guess. The first
    output should be the first value, {V.row}, and is {your.row}.
top-left: (n_k - n_q) → 0
    Right for n_q = n_k, but your mask is aligned to the top left: of {K.rows} keys, your last of
    {Q.rows} queries sees {Q.rows} at most, and should see all. Shift by n_k − n_q.
offset-sign: (n_k - n_q) → (n_q - n_k)
    Right for n_q = n_k, but your mask is shifted the wrong way: by n_q − n_k = {Q.rows} − {K.rows}.
    The last query is to see the last key.
shift-cut-at-0: (n_k - n_q) → max(0, n_k - n_q)
    With more queries than keys the shift of the mask, n_k − n_q, is negative and should stay so;
    you cut it at 0. The first queries stand before the first key and get zeros.
negative-slice: <= position → < np.where(position < -1, position + 1 + n_k, position + 1)
    With more queries than keys, a slice such as `: i + n_k - n_q + 1` ends at a negative number for
    the first queries, which Python counts from the right. Cut the end at 0 with `max(0, …)`.
unscaled: Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5 → Q @ np.swapaxes(K, -1, -2)
    The mask is right, and the scores are not divided by √d_k = √{Q.last}.
divided-by-d: Q.shape[-1] ** 0.5 → Q.shape[-1]
    You divide by d_k = {Q.last}; divide by its square root, {Q.root}.
multiplied: / Q.shape[-1] ** 0.5 → * Q.shape[-1] ** 0.5
    You *multiply* the scores by √d_k = {Q.root}, and they spread more widely still. Which way has
    the scale to go?
root-of-n: Q.shape[-1] ** 0.5 → n_k ** 0.5
    You divide by √n_k = √{K.rows}, from the number of keys. The scores are sums of d_k = {Q.last}
    products: divide by √d_k.
root-of-d_v: Q.shape[-1] ** 0.5 → V.shape[-1] ** 0.5
    You divide by √d_v = √{V.last}, the width of the values. A score is a sum of d_k = {Q.last}
    products of features of a query and a key: divide by √d_k.
scaled-late: Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5 → Q @ np.swapaxes(K, -1, -2)
        and weights @ V → weights / Q.shape[-1] ** 0.5 @ V
    You divide by √d_k = √{Q.last} after the softmax: the weights of a row no longer sum to 1. It is
    the *scores* that are divided.
no-shift: np.exp(masked_scores - shift) → np.exp(masked_scores)
    Right for small scores. Here exp of some is infinite: {your.nan_rows} of your outputs are NaN.
    Subtract each row's largest allowed score before `exp`.
no-shift-nan: np.exp(masked_scores - shift) → np.exp(masked_scores)
        and np.where(total == 0, 1.0, total)
        → np.where(mask.any(axis=-1, keepdims=True), total, 1.0)
    `exp` of a large score is infinite, that of a very low one 0, and ∞/∞ and 0/0 are NaN:
    {your.nan_rows} of your outputs. Subtract each row's largest allowed score first.
empty-nan: np.where(total == 0, 1.0, total) → total
    Nearly. Queries that see no key become NaN (−∞ − (−∞), or 0/0): {your.nan_rows} of your outputs
    here. They should be zeros.
after-softmax: np.where(mask, scores, -np.inf) → scores
        and weights @ V → (weights * mask) @ V
    You mask *after* the softmax: the future no longer enters the mixture, but it has taken its
    share, and the rest sums to less than 1. Hide the scores before the softmax.
renormalized-late: masked_scores.max(axis=-1, keepdims=True) → scores.max(axis=-1, keepdims=True)
        and np.where(total == 0, 1.0, total) → total
    Masking after the softmax and dividing again is right on paper. But here a score of the future
    towers over the allowed ones, whose weights are rounded to 0, and 0/0 is NaN; so it is where a
    query sees no key. Hide the future *before* the softmax.
renormalized-late-guarded: masked_scores.max(axis=-1, keepdims=True)
        → scores.max(axis=-1, keepdims=True)
    You let the future take part in the softmax, and remove it afterward. But here
    one of its scores towers over the allowed ones, whose exponentials are then all rounded to 0.
    {worst_row} Set the future's scores to −∞ *before* the softmax.
global-shift: masked_scores.max(axis=-1, keepdims=True) → masked_scores.max()
    You subtract one maximum, that of the whole array. All exponentials of a row that lies thousands
    below it are rounded to 0. {worst_row} Each row needs its own maximum.
fill-zero: np.where(mask, scores, -np.inf) → np.where(mask, scores, 0.0)
    You set the future's scores to 0, but exp(0) is 1: the future keeps weight. Use −∞.
    {moved}
fill-zero-guarded: np.where(mask, scores, -np.inf) → np.where(mask, scores, 0.0)
        and weights @ V → np.where(mask.any(axis=-1, keepdims=True), weights, 0.0) @ V
    The future's scores are 0 in yours (is `scores * mask` what hides them?), but exp(0) is 1: the
    future keeps weight. Use −∞. {moved}
fill-zero-cleared: np.where(mask, scores, -np.inf) → np.where(mask, scores, 0.0)
        and weights @ V → (weights * mask) @ V
    You set the future's scores to 0 and clear its weights afterward. But exp(0) is 1: it has taken
    its share by then, and the rest sums to less than 1. Use −∞.
zero-hidden: np.where(mask, scores, -np.inf) → np.where(mask & (scores != 0), scores, -np.inf)
    A key of the past whose score is exactly 0 gets no weight: do you find the future by asking
    where a score is 0? 0 is a score like any other, and only positions tell what is hidden.
uniform: np.where(mask, scores, -np.inf) → np.where(mask, 0.0, -np.inf)
    All allowed keys get the same weight, and the scores play no part: your outputs are plain means
    of the values up to each position.
empty-uniform: np.where(mask, scores, -np.inf) → np.where(mask, scores, -1e9)
    Nearly. A query that sees no key gets the mean of all values, {your.row}: if all scores
    of a row are the same large negative number, its weights are equal. It should get zeros.
empty-unmasked: np.where(mask, scores, -np.inf) → np.where(mask, scores, scores - 1e9)
    Nearly. Where a query sees no key, you lower all its scores by the same amount, which changes
    nothing: it gets {your.row}, as if nothing were hidden, and should get zeros.
masks-output: np.where(mask, scores, -np.inf) → scores
        and weights @ V → np.tril(weights @ V)
    The outputs themselves are masked, and the weights are not: every query sees the whole future.
    The mask has an entry for each query and *key*, and acts on the scores.
wrong-axis: masked_scores.max(axis=-1, keepdims=True) → masked_scores.max(axis=-2, keepdims=True)
        and exps.sum(axis=-1, keepdims=True) → exps.sum(axis=-2, keepdims=True)
    The softmax runs down the columns. Each *query* (row) shares out one unit of weight among the
    keys: use the last axis, `axis=-1`.
not-normalized: exps / np.where(total == 0, 1.0, total) → exps
    You mix with the exponentials themselves. Each query's weights should sum to 1: by what does
    each row have to be divided?
one-sum: exps.sum(axis=-1, keepdims=True) → exps.sum()
    You divide by one sum over all queries. Each query's weights should sum to 1: along which axis
    is to be summed?
"""),
    properties=(Property("sees-the-future", _moved),),
    hints=(
        "You have every part: scores, their scale, a mask, a softmax, a mixture. In which order?",
        "The mask needs n_q = `Q.shape[-2]` and n_k = `K.shape[-2]`, and acts on the scores.",
        "`scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5`, then "
        "`masked_softmax(scores, causal_mask(n_q, n_k)) @ V`.",
    ),
    built_ins=(
        *twins("masks.causal_attention", "qkv.fused_attention"),
        BuiltIn("course_attn.in_numpy.qkv.attention", itemgetter("causal")),
        BuiltIn("course_attn.in_torch.qkv.attention", itemgetter("causal")),
        "torch.nn.functional.scaled_dot_product_attention",
    ),
)
