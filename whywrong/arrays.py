"""What the engine needs to know about arrays, NumPy's and PyTorch's.

When two are the same answer, how each library handles its own, and how code for the one reads when
it is written for the other.
"""

import copy
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

__all__ = ["Side", "agree", "different", "in_torch", "in_torch_words"]
__all__ += ["relative_tolerance", "side_of"]

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
    if expected.dtype.kind not in "fc" or got.dtype.kind not in "biufc":
        return np.asarray(got != expected)
    finite = np.abs(expected[np.isfinite(expected)])
    near = rtol * (finite.max(initial=0) or 1.0)
    with np.errstate(all="ignore"):
        return ~np.isclose(got, expected, rtol=rtol, atol=near, equal_nan=True)


class Side:
    """What is to be known about one library's arrays: here NumPy's; `side_of` returns it.

    name, noun: the library, as exercises name it, and what its arrays are called.
    """

    name = "numpy"
    noun = "a NumPy array"

    def native(self, value: Any) -> Any:
        """Return a case's argument as this library's own kind; cases are declared in NumPy."""
        return value

    def copy(self, value: Any) -> Any:
        """Return an independent copy of an argument."""
        is_array = isinstance(value, np.ndarray)
        return value.copy() if is_array else copy.deepcopy(value)

    def widen(self, value: Any) -> Any:
        """Return an argument in float64 where it is a floating-point array."""
        is_float = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        return value.astype(np.float64) if is_float else value

    def is_native(self, value: Any) -> bool:
        """Whether a result is of the library's own kind."""
        return isinstance(value, np.ndarray | np.generic)

    def as_numpy(self, value: Any) -> np.ndarray:
        """Return a native result as a plain array, to be compared."""
        # Of a larger integer NumPy would make an object.
        is_large = isinstance(value, int) and abs(value) >= 2**63
        return np.asarray(float(value) if is_large else value)

    def precision(self, value: Any) -> int | None:
        """Return the bytes of one number of a floating-point array; None for everything else."""
        is_float = self.is_native(value) and value.dtype.kind == "f"
        return value.dtype.itemsize if is_float else None

    def describe(self, value: Any) -> str:
        """Return an argument's shape and dtype, or the value itself where that is short."""
        if isinstance(value, np.ndarray):
            return f"{value.shape} {value.dtype}"
        return getattr(value, "__name__", repr(value))[:40]


@cache
def side_of(library: str) -> Side:
    """Return what is known about this library's arrays; PyTorch is imported when asked for."""
    return _PyTorch() if library == "torch" else Side()


class _PyTorch(Side):
    name = "torch"
    noun = "a PyTorch tensor"

    def __init__(self) -> None:
        import torch

        self._torch = torch

    def native(self, value: Any) -> Any:
        is_array = isinstance(value, np.ndarray)
        return self._torch.from_numpy(value.copy()) if is_array else value

    def copy(self, value: Any) -> Any:
        if self.is_native(value):
            return value.detach().clone().requires_grad_(value.requires_grad)
        return copy.deepcopy(value)

    def widen(self, value: Any) -> Any:
        return value.double() if self.precision(value) else value

    def is_native(self, value: Any) -> bool:
        return isinstance(value, self._torch.Tensor)

    def as_numpy(self, value: Any) -> np.ndarray:
        if not self.is_native(value):
            return np.asarray(value)
        plain = value.detach().cpu()
        is_short = plain.dtype == self._torch.bfloat16
        return (plain.float() if is_short else plain).numpy()

    def precision(self, value: Any) -> int | None:
        is_float = self.is_native(value) and value.is_floating_point()
        return value.element_size() if is_float else None

    def describe(self, value: Any) -> str:
        if self.is_native(value):
            return f"{tuple(value.shape)} {value.dtype}".replace("torch.", "")
        return repr(value)[:40]


def in_torch_words(message: str) -> str:
    """Return a sentence about NumPy code, its code spans written for PyTorch."""
    return re.sub(r"`[^`\n]+`", lambda span: in_torch(span[0]), message)


def in_torch(code: str) -> str:
    """Return code written for NumPy as it would be written for PyTorch."""
    for numpy, torch in _IN_TORCH:
        code = numpy.sub(torch, code)
    return code


# What NumPy writes so is written so in PyTorch: enough for the steps of the solutions. Where a
# patch does not come out right, the twin says its own.
_IN_TORCH = tuple(
    (re.compile(numpy), torch)
    for numpy, torch in (
        (r"\bnp\.concatenate\b", "torch.cat"),
        (r"\bnp\.swapaxes\b", "torch.transpose"),
        (r"\bnp\.(float|int|bool)", r"torch.\1"),
        (r"\bdtype=bool\b", "dtype=torch.bool"),
        (r"\bnp\.", "torch."),
        (r"\.swapaxes\(", ".transpose("),
        (r"\.astype\(", ".to("),
        (r"\.copy\(\)", ".clone()"),
        (r"\baxis=", "dim="),
        (r"\bkeepdims=", "keepdim="),
        (r"\.(max|min)\((?=dim=)", r".a\1("),
        (r"\bNumPy array", "PyTorch tensor"),
    )
)
