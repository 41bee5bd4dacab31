"""Steps that several exercises of `masks` share."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Context

__all__ = [
    "allows_too_little",
    "allows_too_much",
    "drawn",
    "minus_infinity",
    "nan_rows",
    "same",
    "seen_by",
    "softmax",
    "softmax_or_zero",
    "uniform_where_empty",
]


def same(array: Any, *unused: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return array


def seen_by(row: np.ndarray) -> str:
    """Name the keys that a row of a mask allows."""
    seen = [str(j) for j in np.flatnonzero(row)]
    if not seen:
        return "no key"
    return f"key {seen[0]}" if len(seen) == 1 else f"keys {', '.join(seen)}"


def allows_too_much(c: Context) -> str | None:
    """Say where a mask is True and should not be."""
    if c.got.dtype.kind != "b" or not (c.got & ~c.expected).any():
        return None
    *batch, i, j = map(int, np.argwhere(c.got & ~c.expected)[0])
    return f"Your mask is True at {(*batch, i, j)}, where it should be False."


def allows_too_little(c: Context) -> str | None:
    """Say where a mask is False and should not be."""
    if c.got.dtype.kind != "b" or not (~c.got & c.expected).any():
        return None
    *batch, i, j = map(int, np.argwhere(~c.got & c.expected)[0])
    return f"Your mask is False at {(*batch, i, j)}, where it should be True."


def drawn(
    n_q: int,
    n_k: int,
    *,
    shift: Callable[..., Any] = lambda n_q, n_k: n_k - n_q,
    compare: Callable[..., Any] = np.less_equal,
    finish: Callable[..., Any] = same,
) -> np.ndarray:
    """Draw the causal mask, in steps that a mistake may replace."""
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    return finish(compare(j, i + shift(n_q, n_k)))


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Weigh without a thought for empty rows: they become NaN."""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def softmax_or_zero(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return the softmax, and zeros for an empty row."""
    empty = np.isneginf(scores).all(axis=axis, keepdims=True)
    weights = softmax(np.where(empty, 0.0, scores), axis)
    return np.where(empty, 0.0, weights).astype(scores.dtype)


def minus_infinity(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Hide what is not allowed, as it should be."""
    return np.where(mask, scores, scores.dtype.type(-np.inf))


def uniform_where_empty(scores: np.ndarray) -> np.ndarray:
    """Return the softmax, and equal weights for an empty row."""
    empty = np.isneginf(scores).all(axis=-1, keepdims=True)
    return softmax(np.where(empty, 0.0, scores))


def nan_rows(c: Context) -> str:
    """Count the rows with a NaN."""
    bad = np.isnan(c.got).any(axis=-1)
    return f"{int(bad.sum())} of {bad.size} rows here are NaN"
