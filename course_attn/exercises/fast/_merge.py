"""The steps of `merge_partial`, one by one, for its known mistakes to replace."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.exercises.fast._steps import finite

__all__ = ["across", "divided", "merged", "mix_means", "ones", "through_powers"]

_Triple = tuple[np.ndarray, np.ndarray, np.ndarray]


def _shrink_both(m1: np.ndarray, m2: np.ndarray, m: np.ndarray) -> tuple[Any, Any]:
    return np.exp(m1 - m), np.exp(m2 - m)


def _sum(f1: Any, l1: np.ndarray, f2: Any, l2: np.ndarray) -> np.ndarray:
    return f1 * l1 + f2 * l2


def _mix(f1: Any, f2: Any, one: _Triple, two: _Triple, l: np.ndarray) -> np.ndarray:
    return f1[..., None] * one[2] + f2[..., None] * two[2]


def mix_means(
    f1: Any, f2: Any, one: _Triple, two: _Triple, l: np.ndarray
) -> np.ndarray:
    """Treat the weighted sums as if they had been divided by l, as outputs are."""
    weighted = (f1 * one[1])[..., None] * one[2] + (f2 * two[1])[..., None] * two[2]
    return weighted / np.where(l == 0, 1, l)[..., None]


def divided(
    f1: Any, f2: Any, one: _Triple, two: _Triple, l: np.ndarray
) -> np.ndarray:
    return _mix(f1, f2, one, two, l) / np.where(l == 0, 1, l)[..., None]


def merged(
    m1: np.ndarray,
    l1: np.ndarray,
    o1: np.ndarray,
    m2: np.ndarray,
    l2: np.ndarray,
    o2: np.ndarray,
    *,
    largest: Callable[..., Any] = np.maximum,
    guard: Callable[..., Any] = finite,
    factors: Callable[..., Any] = _shrink_both,
    add: Callable[..., Any] = _sum,
    mix: Callable[..., Any] = _mix,
    order: Callable[..., Any] = lambda m, l, o: (m, l, o),
) -> tuple[np.ndarray, ...]:
    m = largest(m1, m2)
    f1, f2 = factors(m1, m2, guard(m))
    l = add(f1, l1, f2, l2)
    return order(m, l, mix(f1, f2, (m1, l1, o1), (m2, l2, o2), l))


def through_powers(
    m1: np.ndarray,
    l1: np.ndarray,
    o1: np.ndarray,
    m2: np.ndarray,
    l2: np.ndarray,
    o2: np.ndarray,
) -> tuple[np.ndarray, ...]:
    m, e1, e2 = np.maximum(m1, m2), np.exp(m1), np.exp(m2)
    unit = np.where(np.isneginf(m), 1.0, np.exp(m))
    o = e1[..., None] * o1 + e2[..., None] * o2
    return m, (e1 * l1 + e2 * l2) / unit, o / unit[..., None]


def across(
    f1: Any, f2: Any, one: _Triple, two: _Triple, l: np.ndarray
) -> np.ndarray:
    return f1 * one[2] + f2 * two[2]


def ones(m1: np.ndarray, m2: np.ndarray, m: np.ndarray) -> tuple[Any, Any]:
    return np.ones_like(m1), np.ones_like(m2)
