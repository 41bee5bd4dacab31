"""Parameters of which every run tries some, and `make exhaustive` all."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

__all__ = ["every", "sampled"]


def sampled(values: Iterable[Any], ordinary: Callable[[Any], bool]) -> list[Any]:
    """Leave what is not ordinary to `make exhaustive`; a tuple has several arguments."""
    return [value if ordinary(value) else _at_night(value) for value in values]


def every(n: int, values: Iterable[Any]) -> list[Any]:
    """Leave all but every n-th value, the first included, to `make exhaustive`."""
    return [
        value if k % n == 0 else _at_night(value) for k, value in enumerate(values)
    ]


def _at_night(value: Any) -> Any:
    arguments = value if isinstance(value, tuple) else (value,)
    return pytest.param(*arguments, marks=pytest.mark.exhaustive)
