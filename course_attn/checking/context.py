"""What a message may look at: one case, what came back and what was expected."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Context", "Finding", "number", "span"]


@dataclass(frozen=True)
class Finding:
    """What is wrong: the ids of the recognized mistakes and the sentence for the learner."""

    faults: tuple[str, ...]
    message: str


@dataclass(frozen=True)
class Context:
    """One case on which the learner's answer is wrong, for the messages to quote from.

    Parameters
    ----------
    given : mapping
        The arguments by name, as NumPy arrays.
    got : np.ndarray
        What came back.
    expected : np.ndarray or Exception
        What was expected: an exception where the task asks for one.
    kind : str
        The kind of the case.
    call : callable
        Calls the learner's function on other arguments (guarded); None where that raises.
    """

    given: Mapping[str, Any]
    got: np.ndarray
    expected: Any
    kind: str
    call: Callable[..., np.ndarray | None]

    def sums(self, of: str = "got", axis: int = -1) -> str:
        """Return between which numbers the row sums of ``got`` or of an argument lie."""
        return span(self._array(of).sum(axis=axis))

    def row(self, i: int = 0, of: str = "got") -> str:
        """Return a row of ``got``, ``expected`` or an argument, as it may be quoted."""
        array = self._array(of)
        entries = array.reshape(-1, array.shape[-1])[i] if array.ndim else [array]
        shown = ", ".join(number(entry) for entry in entries[:6])
        return f"[{shown}{', …' if len(entries) > 6 else ''}]"

    def _array(self, of: str) -> np.ndarray:
        arrays: dict[str, Any] = {
            **self.given,
            "got": self.got,
            "expected": self.expected,
        }
        return arrays[of]


def number(value: Any) -> str:
    """Return a number with four digits at most."""
    return (
        str(value) if isinstance(value, bool | np.bool_) else f"{float(value):.4g}"
    )


def span(values: Any) -> str:
    """Return the smallest and the largest of some numbers: "0.52 … 1.53"; NaN is said."""
    flat = np.asarray(values, dtype=float).ravel()
    if np.isnan(flat).any():
        return "NaN"
    low, high = number(flat.min()), number(flat.max())
    return low if low == high else f"{low} … {high}"
