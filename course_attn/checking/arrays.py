"""What the engine needs to know about NumPy arrays, and when two are the same answer."""

import copy as _copy
from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = [
    "NOUN",
    "agree",
    "as_numpy",
    "copy",
    "describe",
    "different",
    "is_native",
    "native",
    "precision",
    "relative_tolerance",
    "widen",
]


# Generous on purpose: right answers differ by rounding and by guards such as `+ 1e-8` in a
# denominator, wrong ones by far more. The keys are the bytes of one number.
_TOLERANCES = {2: 2e-2, 4: 1e-4, 8: 2e-6}


def relative_tolerance(precisions: Iterable[int | None]) -> float:
    """Return the tolerance that the coarsest of these precisions (in bytes) asks for."""
    known = [size for size in precisions if size is not None]
    return _TOLERANCES.get(min(known, default=8), _TOLERANCES[8])


def agree(got: np.ndarray, expected: np.ndarray, rtol: float) -> bool:
    """Whether both have one shape and equal numbers; NaN equals NaN, True is not 1."""
    if (got.dtype.kind == "b") != (expected.dtype.kind == "b"):
        return False
    return got.shape == expected.shape and not different(got, expected, rtol).any()


def different(got: np.ndarray, expected: np.ndarray, rtol: float) -> np.ndarray:
    """Return where two arrays of one shape differ, judged at the scale of the expected one."""
    if expected.dtype.kind not in "fc":
        return np.asarray(got != expected)
    finite = np.abs(expected[np.isfinite(expected)])
    scale = finite.max() if finite.size and finite.max() > 0 else 1.0
    with np.errstate(all="ignore"):
        return ~np.isclose(
            got, expected, rtol=rtol, atol=rtol * scale, equal_nan=True
        )


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
    if isinstance(value, int) and abs(value) >= 2**63:
        return np.asarray(
            float(value)
        )  # of a larger integer NumPy would make an object
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
