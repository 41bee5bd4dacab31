"""What the engine needs to know about PyTorch tensors; imported for PyTorch exercises only."""

import copy as _copy
from typing import Any

import numpy as np
import torch

__all__ = [
    "NOUN",
    "as_numpy",
    "copy",
    "describe",
    "gradients",
    "is_native",
    "native",
    "precision",
    "widen",
]

NOUN = "a PyTorch tensor"


def native(value: Any) -> Any:
    """Return a case's argument as a tensor; cases are declared in NumPy."""
    return (
        torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value
    )


def copy(value: Any) -> Any:
    """Return an independent copy of an argument."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return _copy.deepcopy(value)


def widen(value: Any) -> Any:
    """Return an argument in float64 where it is a floating-point tensor."""
    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.to(torch.float64) if is_float else value


def is_native(value: Any) -> bool:
    """Whether a result is of the library's own kind."""
    return isinstance(value, torch.Tensor)


def as_numpy(value: Any) -> np.ndarray:
    """Return a native result as a plain array, to be compared."""
    if not isinstance(value, torch.Tensor):
        return np.asarray(value)
    plain = value.detach().cpu()
    return (plain.float() if plain.dtype == torch.bfloat16 else plain).numpy()


def precision(value: Any) -> int | None:
    """Return the bytes of one number of a floating-point tensor; None for everything else."""
    is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.element_size() if is_float else None


def describe(value: Any) -> str:
    """Return an argument's shape and dtype, or the value itself where that is short."""
    if isinstance(value, torch.Tensor):
        shape = (
            "("
            + ", ".join(map(str, value.shape))
            + ("," if value.ndim == 1 else "")
            + ")"
        )
        return f"{shape} {str(value.dtype).removeprefix('torch.')}"
    return repr(value)[:40]


def gradients(
    output: torch.Tensor, given: tuple[Any, ...]
) -> list[np.ndarray | None]:
    """Return the gradient of one fixed weighting of the output, by argument; None if there is none.

    Asked for are the gradients of the arguments that require one.
    """
    weighting = torch.linspace(-1.0, 2.0, output.numel(), dtype=torch.float64)
    total = (output.double() * weighting.reshape(output.shape)).sum()
    asked = [
        isinstance(value, torch.Tensor) and value.requires_grad for value in given
    ]
    leaves = [
        value for value, is_asked in zip(given, asked, strict=True) if is_asked
    ]
    grads = iter(torch.autograd.grad(total, leaves, allow_unused=True))
    found = [next(grads) if is_asked else None for is_asked in asked]
    return [None if grad is None else grad.numpy() for grad in found]
