"""Exercise `softmax_torch` of chapter 3, in PyTorch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from course_attn.checking import Case, Exercise, Fault, Kind, number

__all__ = ["EXERCISES"]


def softmax_torch(scores):
    """Turn every row of scores into positive weights that sum to 1."""
    shifted = scores - scores.max(dim=-1, keepdim=True).values
    powers = torch.exp(shifted)
    return powers / powers.sum(dim=-1, keepdim=True)


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260311)

    def draw(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32)

    apart = draw(5, 7).astype(float) + np.array(
        [[0.0], [3000.0], [-2500.0], [40.0], [-7000.0]]
    )
    return (
        Case((draw(2, 3),), "example"),
        Case((draw(5, 7),)),
        Case((draw(5, 5),), "square"),
        Case((draw(2, 3, 5, 7),), "batch"),
        Case((draw(7),), "vector"),
        Case((draw(11, 3).astype(float),), "float64"),
        Case((apart,), "large"),
    )


def _row_max(scores: torch.Tensor) -> torch.Tensor:
    return scores.amax(dim=-1, keepdim=True)


def _row_sum(powers: torch.Tensor) -> torch.Tensor:
    return powers.sum(dim=-1, keepdim=True)


def _columns(tensor: torch.Tensor) -> int:
    return max(-2, -tensor.ndim)


def _same(tensor: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return tensor


def _weighed(
    scores: torch.Tensor,
    *,
    shift: Callable[..., Any] = _row_max,
    power: Callable[..., Any] = torch.exp,
    total: Callable[..., Any] = _row_sum,
    finish: Callable[..., Any] = _same,
) -> torch.Tensor:
    powers = power(scores - shift(scores))
    return finish(powers / total(powers))


_SOFTMAX = Exercise(
    name="softmax_torch",
    chapter="softmax",
    library="torch",
    task="""
The same in PyTorch: `softmax_torch(scores)` takes a tensor (…, n) and returns the weights along the
last axis, differentiable, in the dtype of its argument, for rows that may lie thousands apart.
Build it from `exp`, a sum and a maximum.
""",
    reference=softmax_torch,
    cases=_cases,
    variant=_weighed,
    kinds={
        "large": Kind(
            "for rows that lie thousands apart",
            "`exp` overflows above 709 (88 in float32): each row needs a shift of its own.",
        ),
        "float64": Kind(
            "for float64 tensors", "A new tensor made without `dtype=`?"
        ),
    },
    faults=(
        Fault(
            "no-shift",
            {"shift": lambda scores: 0.0},
            lambda c: (
                f"exp of {number(c.given['scores'].max())} is infinite, and ∞/∞ is NaN: "
                f"{int(np.isnan(c.got).any(axis=-1).sum())} of your rows here. Subtract each row's "
                "largest score first."
            ),
        ),
        Fault(
            "global-shift",
            {"shift": torch.max},
            lambda c: (
                "You subtract the maximum of the whole tensor; rows far below it become 0/0: "
                f"{int(np.isnan(c.got).any(axis=-1).sum())} of your rows here are NaN."
            ),
        ),
        Fault(
            "wrong-axis",
            {
                "shift": lambda scores: scores.amax(
                    dim=_columns(scores), keepdim=True
                ),
                "total": lambda powers: powers.sum(
                    dim=_columns(powers), keepdim=True
                ),
            },
            lambda c: (
                f"Your columns sum to 1, and your rows to {c.sums()}: use `dim=-1`."
            ),
        ),
        Fault(
            "whole-tensor",
            {"total": torch.sum},
            lambda c: (
                f"You divide by the sum of the whole tensor: your rows sum to {c.sums()}."
            ),
        ),
        Fault(
            "not-normalized",
            {"total": lambda powers: 1.0},
            lambda c: (
                f"The powers are not divided by their sum: your rows sum to {c.sums()}."
            ),
        ),
        Fault(
            "sign",
            {"power": lambda shifted: torch.exp(-shifted)},
            "The sign in the exponent is wrong: the smallest score gets the largest weight.",
        ),
        Fault(
            "log",
            {"finish": torch.log},
            "You return the logarithms of the weights (log-softmax).",
        ),
        Fault(
            "sigmoid",
            torch.sigmoid,
            lambda c: (
                f"You apply a sigmoid to each score by itself: your rows sum to {c.sums()}."
            ),
        ),
    ),
    hints=(
        "What does `scores.max(dim=-1)` return? It is not just a tensor.",
        "In PyTorch it is `dim` and `keepdim` (without s) that NumPy calls `axis` and `keepdims`.",
        "`scores.amax(dim=-1, keepdim=True)` is the maximum of each row as a column: subtract it, "
        "`.exp()`, divide by `.sum(dim=-1, keepdim=True)`.",
    ),
    built_ins=(
        "torch.softmax",
        "torch.Tensor.softmax",
        "torch.nn.functional.softmax",
        "torch.special.softmax",
        "course_attn.in_torch.softmax.softmax",
    ),
)

EXERCISES = (_SOFTMAX,)
