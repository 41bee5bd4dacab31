"""Steps that several exercises of `multi_head` share."""

from typing import Any

import numpy as np

from course_attn.checking import Context, number

__all__ = ["merged", "same", "split", "traced", "worst_row"]


def same(array: Any, *unused: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return array


def split(X: np.ndarray, n_heads: int) -> np.ndarray:
    """Cut (..., n, d) into (..., n_heads, n, d / n_heads)."""
    parts = X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads)
    return parts.swapaxes(-2, -3)


def merged(heads: np.ndarray) -> np.ndarray:
    """Write (..., n_heads, n, d_k) side by side, (..., n, n_heads d_k)."""
    rows = heads.swapaxes(-2, -3)
    return rows.reshape(*rows.shape[:-2], rows.shape[-2] * rows.shape[-1])


def index(place: Any) -> str:
    """Return an index as Python writes it: "[0, 1]"."""
    return f"[{', '.join(str(int(i)) for i in place)}]"


def traced(c: Context) -> str:
    """Say which entry of X stands at the first wrong place, and which belongs there."""
    X, expected = c.given["X"], c.expected
    if c.got.shape != expected.shape:
        return f"You return shape {c.got.shape}; asked for is {expected.shape}."
    place = np.argwhere(~np.isclose(c.got, expected, rtol=1e-6, atol=0))[0]
    got, want = c.got[tuple(place)], expected[tuple(place)]
    source = np.argwhere(np.isclose(X, got, rtol=1e-6, atol=0))
    own = f"X{index(source[0])} = {number(got)}" if len(source) else number(got)
    right = np.argwhere(X == want)[0]
    return (
        f"At {index(place)} you have {own}; "
        f"X{index(right)} = {number(want)} belongs there."
    )


def worst_row(c: Context) -> str:
    """Quote the row of the result that is farthest from the right one."""
    if c.got.shape != c.expected.shape:
        return (
            f"Your result has shape {c.got.shape}; asked for is {c.expected.shape}."
        )
    error = np.abs(np.nan_to_num(c.got, nan=np.inf) - c.expected).max(axis=-1)
    worst = int(error.argmax())
    place = np.unravel_index(worst, error.shape)
    where = place[0] if len(place) == 1 else index(place)
    right = c.row(worst, "expected")
    return f"Your row {where} is {c.row(worst)}; {right} is right."
