"""Exercise `cached_step`."""

from typing import Any

import numpy as np

from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def cached_step(q, k, v, K_cache, V_cache):
    """Add a position's key and value to the cache, and attend with its query to all of them."""
    K = np.concatenate([K_cache, k], axis=-2)
    V = np.concatenate([V_cache, v], axis=-2)
    scores = q @ np.swapaxes(K, -1, -2) / q.shape[-1] ** 0.5
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    out = weights @ V
    return out, K, V


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20261203).standard_normal

    def step(n: int, d_k: int, d_v: int, *batch: int) -> tuple[Any, ...]:
        sizes = ((1, d_k), (1, d_k), (1, d_v), (n, d_k), (n, d_v))
        return tuple(1.5 * draw((*batch, *size)) for size in sizes)

    keys = np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    values = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    query, key, value = np.array([[1.0, 0.0]]), keys[2:], values[2:]
    return (
        Case((query, key, value, keys[:2], values[:2]), "example"),
        Case(step(7, 5, 3)),
        Case(step(11, 3, 2)),
        Case(step(1, 4, 1)),
        Case(step(5, 5, 5), "square"),
        Case(step(0, 5, 3), "first-step"),
        Case(step(7, 5, 11, 2, 3), "batch"),
        Case(step(1, 5, 3, 1), "batch"),
        Case(step(0, 3, 7, 4), "first-step"),
        Case(tuple(x.astype("f4") for x in step(13, 11, 7)), "float32"),
    )


def _cache_lost(c: Context) -> str | None:
    """Say what became of the rows of the cache, or of the new one."""
    result = c.given["result"]
    if result == "out":
        return None
    cache = c.given[f"{result}_cache"]
    if np.allclose(c.got[..., :-1, :], cache, rtol=1e-4):
        wrong = (
            f"The last row of your `{result}` should be the new `{result.lower()}`."
        )
    else:
        rows = f"The first {cache.shape[-2]} rows of your `{result}`"
        wrong = f"{rows} should be those of `{result}_cache`, unchanged."
    return f"{wrong} {c.worst_row}"


_RESULTS = ("out", "K", "V")

exercise = Exercise(
    cached_step,
    place=40,
    minutes=10,
    level="medium",
    section="Decoding: one query at a time",
    task="""
One step of decoding. The cache holds the keys and values of the n positions so far; now the
query, key and value of the next one arrive. Write `cached_step(q, k, v, K_cache, V_cache)`:
q and k have shape (…, 1, d_k), v (…, 1, d_v), K_cache (…, n, d_k) and V_cache (…, n, d_v).
Return three arrays, `out, K, V`: K and V are the caches with the new key and value as their last
rows, (…, n + 1, d_k) and (…, n + 1, d_v), and out, (…, 1, d_v), is the attention of q to all of
K and V, with the scores divided by $\\sqrt{d_k}$. In the first step the cache is empty, n = 0.
Leave K_cache and V_cache as they are. (You may use the course's `attention`.)
""",
    cases=_cases,
    results=_RESULTS,
    terms={
        "said": lambda c: (
            f"In `{c.given['result']}`, {c.worst_row.replace('You', 'you', 1)}"
        )
    },
    kinds={
        "first-step": Kind(
            "in the first step, where the cache is empty",
            "K_cache has shape (…, 0, d_k) then, and the new position attends to itself.",
            apart=True,
        ),
    },
    faults=fault_list("""
does-not-see-itself: np.swapaxes(K, → np.swapaxes(K_cache,
        and weights @ V → weights @ V_cache
    You attend to the old cache alone: the new position does not see itself. Besides the
    {K_cache.rows} positions in the cache, whose key and value may it see? {said}
sees-itself-at-first: np.swapaxes(K, → np.swapaxes(K[..., : K_cache.shape[-2] or 1, :],
        and weights @ V → weights @ V[..., : K_cache.shape[-2] or 1, :]
    The new position sees itself in the first step only; after that you attend to the old cache
    alone. Besides the {K_cache.rows} positions in the cache, whose key and value may it see? {said}
not-kept: return out, K, V → return out, K_cache, V_cache
    You return the old cache, {your.rows} rows: the next step would know nothing of this one.
    Return the {right.rows} rows with the new one.
only-the-new: np.concatenate([K_cache, k], axis=-2) → k
        and np.concatenate([V_cache, v], axis=-2) → v
    Your K and V are the new key and value alone, and the cache is forgotten. Its {K_cache.rows}
    rows come first, then the new one: `np.concatenate([K_cache, k], axis=-2)`.
new-rows-returned: return out, K, V → return out, k, v
    You return the new key and value alone. The next step needs those of all positions: return the
    cache with the new row behind it.
prepended: [K_cache, k] → [k, K_cache]
        and [V_cache, v] → [v, V_cache]
    You put the new position *first*. The output does not notice, but code that asks the cache for
    position 0, or hides what lies outside a window, finds the wrong one. New rows come last. {said}
value-prepended: [V_cache, v] → [v, V_cache]
    In your V the new value stands *first*, and in your K the new key last: the weights of the keys
    meet the values of other positions. New rows come last. {said}
last-overwritten: [K_cache, k] → [K_cache[..., :-1, :], k]
        and [V_cache, v] → [V_cache[..., :-1, :], v]
    You write the new position over the last one of the cache. It is appended to the
    {K_cache.rows} rows there are. {said}
oldest-dropped: [K_cache, k] → [K_cache[..., 1:, :], k]
        and [V_cache, v] → [V_cache[..., 1:, :], v]
    You drop the oldest position, so that the cache keeps its {K_cache.rows} rows. This cache
    forgets nothing: it grows by one row with every step. {said}
new-key-divided: [K_cache, k] → [K_cache, k / q.shape[-1] ** 0.5]
    You divide the new key by √d_k before it is stored; those in the cache have not been. The keys
    are kept as they come: what is to be divided, and how often? {said}
along-axis-0: [K_cache, k], axis=-2 → [K_cache, k], axis=0
        and [V_cache, v], axis=-2 → [V_cache, v], axis=0
    Axis 0 counts the positions only without a batch. In a batch it counts sequences: you append the
    new key as another *sequence*. Positions are axis −2: `np.concatenate([K_cache, k], axis=-2)`.
    {said}
unscaled:  / q.shape[-1] ** 0.5 → (nothing)
    The scores are not divided by √d_k = {q.root}. {said}
divided-by-d: q.shape[-1] ** 0.5 → q.shape[-1]
    Your scores are divided by d_k = {q.last} in all; √d_k = {q.root} is asked for. Is the root
    missing, or do you divide by it twice? {said}
root-of-n: q.shape[-1] ** 0.5 → K.shape[-2] ** 0.5
    You divide by the root of the number of keys. The scale is √d_k, with the number of *features*,
    d_k = {q.last}. {said}
root-of-d_v: q.shape[-1] ** 0.5 → v.shape[-1] ** 0.5
    You divide by √d_v = {v.root}, from the width of the values. A score is a sum of d_k = {q.last}
    products: √d_k. {said}
scaled-after-softmax:  / q.shape[-1] ** 0.5 → (nothing)
        and keepdims=True) ⏎ out → keepdims=True) / q.shape[-1] ** 0.5 ⏎ out
    You divide by √d_k after the softmax, so that the weights sum to 1/√d_k. The *scores* are
    divided, before it. {said}
mask-top-left: weights @ V → V[..., :1, :]
    Your mask is aligned to the top left: the query counts as position 0 and sees the first key
    only. It stands at the *last* key and may see all; there is nothing to mask. {said}
sum-over-the-batch: scores.max(axis=-1, keepdims=True) → scores.max()
        and exps.sum(axis=-1, keepdims=True) → exps.sum()
    You sum over the whole array, which in a batch mixes the sequences: each query needs a maximum
    and a sum of its own, `axis=-1, keepdims=True`. {said}
one-query: exps.sum(axis=-1 → exps.sum(axis=-2
    Your softmax runs over the queries, and there is one: each weight is divided by itself. Which
    axis counts the keys? {said}
itself-only: np.swapaxes(K, → np.swapaxes(k,
        and weights @ V → weights @ v
    You attend to the new position alone. What may q see besides, of the {K_cache.rows} positions in
    the cache? {said}
appended-twice: [K_cache, k] → [K_cache, k, k]
        and [V_cache, v] → [V_cache, v, v]
    You append the new position twice. How many rows longer is a cache after one step? {said}
multiplied:  / q.shape[-1] → * q.shape[-1]
    You multiply the scores by √d_k = {q.root}. Should they become larger or smaller? {said}
"""),
    properties=(Property("cache", _cache_lost),),
    wrong_lines=("unscaled", "root-of-n", "not-kept"),
    hints=(
        "Which keys may the new position attend to, and where do they come from?",
        "First append, then attend: one query, n + 1 keys. Positions are axis −2, also in a batch.",
        "`K = np.concatenate([K_cache, k], axis=-2)`, V in the same way; then scaled attention of "
        "q to K and V, without a mask.",
    ),
)
