"""When two arrays are the same answer."""

from collections.abc import Iterable

import numpy as np

__all__ = ["agree", "different", "relative_tolerance"]

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
