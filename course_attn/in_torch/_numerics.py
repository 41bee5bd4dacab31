"""What several chapters need of floating point and of positions."""

from typing import Annotated

import torch
from torch import Tensor as Array

from course_attn._rules import FloatDtypeOf

__all__ = [
    "DType",
    "default_scale",
    "relative_positions",
    "safe_softmax",
    "subtract_largest",
    "upcast",
]

DType = Annotated[torch.dtype, FloatDtypeOf("torch")]


def upcast(X: Array) -> Array:
    """Take 16-bit numbers to 32 bits: their products soon exceed 65504, float16's largest."""
    return X.to(torch.promote_types(X.dtype, torch.float32))


def default_scale(scale: float | None, Q: Array) -> float:
    """Return the scale, by default 1/sqrt(d_k)."""
    return Q.shape[-1] ** -0.5 if scale is None else float(scale)


def subtract_largest(scores: Array, axis: int) -> Array:
    """Subtract the largest score along the axis, in 32 bits or more."""
    wide = upcast(scores)
    return wide - wide.amax(dim=axis, keepdim=True)


def safe_softmax(scores: Array) -> Array:
    """Take the softmax of each row; a row whose scores are all -inf gets zeros.

    The largest score contributes exp(0) = 1 to the sum. A sum below 1 is therefore 0, that of a
    row without a score above -inf, and is then replaced by 1.
    """
    if scores.shape[-1] == 0:
        return scores.clone()
    wide = upcast(scores)
    # Not -inf: -inf - (-inf) would be NaN.
    lowest = torch.finfo(wide.dtype).min
    # The shift cancels when the exponentials are divided by their sum: it needs no gradient.
    largest = wide.detach().amax(dim=-1, keepdim=True).clamp(min=lowest)
    exps = torch.exp(wide - largest)
    total = exps.sum(dim=-1, keepdim=True)
    return (exps / total.clamp(min=1.0)).to(scores.dtype)


def relative_positions(
    n_q: int, n_k: int | None = None, *, device: torch.device | None = None
) -> Array:
    """Count how many positions key j lies before query i: i + n_k - n_q - j."""
    n_k = n_q if n_k is None else n_k
    queries = torch.arange(n_k - n_q, n_k, device=device)
    return queries[:, None] - torch.arange(n_k, device=device)
