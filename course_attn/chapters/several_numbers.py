"""Questions for several numbers: how an answer is read, and what is said of a wrong number."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from whywrong import Reason, number

__all__ = ["Asked", "reader", "reasons_for"]


@dataclass(frozen=True)
class Asked:
    """One of the numbers that a question asks for.

    id, name: how a finding and how a sentence calls it.
    right: the number itself.
    instead: what learners give instead, and why it is not that.
    otherwise: what is said of any other number.
    """

    id: str
    name: str
    right: float
    instead: Mapping[float, str]
    otherwise: str


def reader(count: int, asked: str) -> Callable[[Any], np.ndarray]:
    """Return what reads so many finite numbers, and asks for them where something else came."""

    def read(value: Any) -> np.ndarray:
        try:
            found = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            found = np.empty(())
        if found.size == count and np.isfinite(found).all():
            return found.ravel()
        is_other = found.ndim and found.size != count
        raise ValueError(
            f"{asked} Yours has shape {found.shape}." if is_other else asked
        )

    return read


def reasons_for(
    numbers: tuple[Asked, ...], is_near: Callable[[float, float], bool]
) -> Iterator[Reason]:
    """Yield why an answer with these numbers is not right; ``is_near`` compares two numbers."""
    for i, asked in enumerate(numbers):
        for value, why in asked.instead.items():
            said = f"{asked.name} is not {number(value)}: {why}"
            applies = partial(_is_at, i, value, is_near)
            yield Reason(f"{asked.id}-{number(value)}", applies, said)
        is_other = partial(_is_not_at, i, asked.right, is_near)
        yield Reason(f"{asked.id}-other", is_other, partial(_other, i, asked))


def _is_at(
    i: int, value: float, is_near: Callable[[float, float], bool], found: np.ndarray
) -> bool:
    return is_near(found[i], value)


def _is_not_at(
    i: int, value: float, is_near: Callable[[float, float], bool], found: np.ndarray
) -> bool:
    return not is_near(found[i], value)


def _other(i: int, asked: Asked, found: np.ndarray) -> str:
    return f"{asked.name} is not {number(found[i])}. {asked.otherwise}"
