"""Steps that several exercises of `scores` share."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case

__all__ = [
    "all_pairs",
    "cosine_variant",
    "no_zero",
    "pair_cases",
    "same",
    "softmax_rows",
    "turned",
]


def same(array: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return array


def turned(array: np.ndarray) -> np.ndarray:
    """Exchange the last two axes."""
    return np.swapaxes(array, -1, -2)


def all_pairs(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Return the dot product of every query with every key."""
    return Q @ turned(K)


def softmax_rows(scores: np.ndarray) -> np.ndarray:
    """Return the softmax of each row."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def pair_cases(seed: int) -> tuple[Case, ...]:
    """Make queries and keys on which mistakes separate."""
    rng = np.random.default_rng(seed)
    draw = rng.standard_normal
    queries = np.array([[1.0, 2.0], [0.0, -1.0]])
    keys = np.array([[3.0, 4.0], [1.0, 0.0], [-2.0, 1.0]])
    return (
        Case((queries, keys), "example"),
        Case((draw((5, 7)), draw((11, 7)))),
        Case((draw((13, 3)), draw((2, 3)))),
        Case((draw((5, 5)), draw((5, 5))), "square"),
        Case((draw((2, 3, 5, 7)), draw((2, 3, 11, 7))), "batch"),
        Case((draw((5, 13)).astype("f4"), draw((7, 13)).astype("f4")), "float32"),
    )


def _length(X: np.ndarray) -> np.ndarray:
    return np.linalg.norm(X, axis=-1, keepdims=True)


def no_zero(length: np.ndarray) -> np.ndarray:
    """Put 1 for a length of 0, so that nothing is divided by 0."""
    return np.where(length == 0, 1, length)


def cosine_variant(
    Q: np.ndarray,
    K: np.ndarray,
    *,
    prepare: Callable[..., Any] = same,
    length_q: Callable[..., Any] = _length,
    length_k: Callable[..., Any] = _length,
    guard: Callable[..., Any] = no_zero,
    pair: Callable[..., Any] = all_pairs,
    finish: Callable[..., Any] = same,
) -> np.ndarray:
    """Compute the cosines, in steps that a mistake may replace."""
    Q, K = prepare(Q), prepare(K)
    directions_q = Q / guard(length_q(Q))
    return finish(pair(directions_q, K / guard(length_k(K))))
