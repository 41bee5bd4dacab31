"""Exercise `cached_step` of chapter 10."""

from typing import Any

import numpy as np

from course_attn.checking import Case, Exercise, Kind
from course_attn.exercises.fast._step_faults import FAULTS, PROPERTIES, stepped

__all__ = ["exercise"]


def cached_step(q, k, v, K_cache, V_cache):
    """Add a position's key and value to the cache, and attend with its query to all of them."""
    K = np.concatenate([K_cache, k], axis=-2)
    V = np.concatenate([V_cache, v], axis=-2)
    scores = q @ np.swapaxes(K, -1, -2) / q.shape[-1] ** 0.5
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    out = powers / powers.sum(axis=-1, keepdims=True) @ V
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
        Case(step(5, 5, 5), "square"),
        Case(step(0, 5, 3), "first-step"),
        Case(step(7, 5, 11, 2, 3), "batch"),
        Case(step(1, 5, 3, 1), "batch"),
        Case(tuple(x.astype("f4") for x in step(13, 11, 7)), "float32"),
    )


exercise = Exercise(
    solution=cached_step,
    place=40,
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
    variant=stepped,
    results=("out", "K", "V"),
    kinds={
        "first-step": Kind(
            "in the first step, where the cache is empty",
            "K_cache has shape (…, 0, d_k) then, and the new position attends to itself.",
        ),
        "square": Kind("where n, d_k and d_v are equal"),
    },
    faults=FAULTS,
    properties=PROPERTIES,
    hints=(
        "Which keys may the new position attend to? How many are there, and where do they come "
        "from?",
        "First append, then attend: one query, n + 1 keys. Positions are axis −2, also in a batch.",
        "`K = np.concatenate([K_cache, k], axis=-2)`, V in the same way; then scaled attention of "
        "q to K and V, without a mask.",
    ),
)
