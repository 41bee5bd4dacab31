"""The steps of `online_softmax`, one by one, for its known mistakes to replace."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.exercises.fast._steps import finite

__all__ = [
    "full_starts",
    "in_blocks",
    "stepwise",
]


def all_starts(n: int, block: int) -> range:
    """Return where the blocks begin, the last, incomplete one included."""
    return range(0, n, block)


def full_starts(n: int, block: int) -> range:
    """Return where the complete blocks begin."""
    return range(0, n // block * block, block)


def add(l: Any, shrink: Any, powers: np.ndarray) -> Any:
    """Shrink the old sum and add the block's powers."""
    return l * shrink + powers.sum(axis=-1, keepdims=True)


def weigh(part: np.ndarray, m: Any, l: Any, then: tuple[Any, Any]) -> np.ndarray:
    """Weigh one block; m and l are the final ones, `then` those after this block."""
    return np.exp(part - m) / l


def stepwise(
    scores: np.ndarray,
    block: int,
    *,
    lowest: float = -np.inf,
    starts: Callable[..., Any] = all_starts,
    weighed: Callable[..., Any] = all_starts,
    top: Callable[..., Any] = lambda part: part.max(axis=-1, keepdims=True),
    larger: Callable[..., Any] = np.maximum,
    guard: Callable[..., Any] = finite,
    shrink: Callable[..., Any] = lambda m, new: np.exp(m - new),
    sum_up: Callable[..., Any] = add,
    nonzero: Callable[..., Any] = lambda l: np.where(l == 0, 1.0, l),
    weight: Callable[..., Any] = weigh,
) -> np.ndarray:
    """Run through the blocks twice: first for m and l, then for the weights."""
    n = scores.shape[-1]
    m = np.full((*scores.shape[:-1], 1), lowest, scores.dtype)
    l, then = np.zeros_like(m), {}
    for start in starts(n, block):
        part = scores[..., start : start + block]
        new = larger(m, top(part))
        l = sum_up(l, shrink(m, guard(new)), np.exp(part - guard(new)))
        m = new
        then[start] = guard(m), l
    weights = np.zeros_like(scores)
    for start in weighed(n, block):
        part = scores[..., start : start + block]
        known = then.get(start, (guard(m), l))
        weights[..., start : start + block] = weight(
            part, guard(m), nonzero(l), known
        )
    return weights


def in_blocks(scores: np.ndarray, block: int) -> np.ndarray:
    """Take the softmax of every block by itself."""
    weights = np.zeros_like(scores)
    for start in all_starts(scores.shape[-1], block):
        part = scores[..., start : start + block]
        powers = np.exp(part - finite(part.max(axis=-1, keepdims=True)))
        total = powers.sum(axis=-1, keepdims=True)
        weights[..., start : start + block] = powers / np.where(
            total == 0, 1, total
        )
    return weights
