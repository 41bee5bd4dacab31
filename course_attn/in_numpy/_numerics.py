"""What several chapters need of floating point and of positions."""

from typing import Annotated

import numpy as np
from numpy import ndarray as Array

from course_attn._rules import FloatDtypeOf

__all__ = [
    "DType",
    "default_scale",
    "relative_positions",
    "safe_softmax",
    "subtract_largest",
    "upcast",
]

# np.float32, and np.dtype("float32") as well
DType = Annotated[type[np.floating] | np.dtype, FloatDtypeOf("numpy")]


def upcast(X: Array) -> Array:
    """Take 16-bit numbers to 32 bits: their products soon exceed 65504, float16's largest."""
    return X.astype(np.promote_types(X.dtype, np.float32), copy=False)


def default_scale(scale: float | None, Q: Array) -> float:
    """Return the scale, by default 1/sqrt(d_k)."""
    return Q.shape[-1] ** -0.5 if scale is None else float(scale)


def subtract_largest(scores: Array, axis: int) -> Array:
    """Subtract the largest score along the axis, in 32 bits or more."""
    wide = upcast(scores)
    # Where an infinity meets an infinity, the weights are NaN, as documented.
    with np.errstate(invalid="ignore"):
        return wide - wide.max(axis=axis, keepdims=True)


def safe_softmax(scores: Array) -> Array:
    """Take the softmax of each row; a row whose scores are all -inf gets zeros.

    The largest score contributes exp(0) = 1 to the sum. A sum below 1 is therefore 0, that of a
    row without a score above -inf, and is then replaced by 1.
    """
    wide = upcast(scores)
    # Not -inf: -inf - (-inf) would be NaN.
    lowest = np.finfo(wide.dtype).min
    largest = wide.max(axis=-1, keepdims=True, initial=lowest)
    # Where an infinity meets an infinity, the weights are NaN, as documented.
    with np.errstate(invalid="ignore", over="ignore"):
        exps = np.exp(wide - largest)
    total = exps.sum(axis=-1, keepdims=True)
    return (exps / np.maximum(total, 1.0)).astype(scores.dtype, copy=False)


def relative_positions(n_q: int, n_k: int | None = None) -> Array:
    """Count how many positions key j lies before query i: i + n_k - n_q - j."""
    n_k = n_q if n_k is None else n_k
    return np.arange(n_k - n_q, n_k)[:, None] - np.arange(n_k)
