"""What the engine needs to know about NumPy arrays; `torch_side` answers the same for tensors."""

import copy as _copy
from typing import Any

import numpy as np

__all__ = [
    "NOUN",
    "as_numpy",
    "copy",
    "describe",
    "is_native",
    "native",
    "precision",
    "widen",
]

NOUN = "a NumPy array"


def native(value: Any) -> Any:
    """Return a case's argument as this library's own kind; cases are declared in NumPy."""
    return value


def copy(value: Any) -> Any:
    """Return an independent copy of an argument."""
    return value.copy() if isinstance(value, np.ndarray) else _copy.deepcopy(value)


def widen(value: Any) -> Any:
    """Return an argument in float64 where it is a floating-point array."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(np.float64)
    return value


def is_native(value: Any) -> bool:
    """Whether a result is of the library's own kind."""
    return isinstance(value, np.ndarray | np.generic)


def as_numpy(value: Any) -> np.ndarray:
    """Return a native result as a plain array, to be compared."""
    return np.asarray(value)


def precision(value: Any) -> int | None:
    """Return the bytes of one number of a floating-point array; None for everything else."""
    is_float = (
        isinstance(value, np.ndarray | np.floating) and value.dtype.kind == "f"
    )
    return value.dtype.itemsize if is_float else None


def describe(value: Any) -> str:
    """Return an argument's shape and dtype, or the value itself where that is short."""
    if isinstance(value, np.ndarray):
        shape = (
            "("
            + ", ".join(map(str, value.shape))
            + ("," if value.ndim == 1 else "")
            + ")"
        )
        return f"{shape} {value.dtype}"
    return getattr(value, "__name__", repr(value))[:40]
