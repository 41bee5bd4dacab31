"""How wrong numbers relate to the right ones when no known mistake explains them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking.compare import agree, different
from course_attn.checking.context import Finding, number, span
from course_attn.checking.shapes import shape_words

__all__ = ["not_finite", "pattern"]

_Pattern = Callable[[np.ndarray, np.ndarray, float], str | None]


def not_finite(got: np.ndarray, expected: np.ndarray) -> Finding | None:
    """Say where NaN or infinity came back in place of a number."""
    if got.dtype.kind != "f":
        return None
    for name, test in (("NaN", np.isnan), ("infinity", np.isinf)):
        bad = test(got) & ~test(expected)
        if bad.any():
            where = f"first at index {_index(bad)}" if got.ndim else "as the result"
            message = f"{bad.sum()} of {bad.size} numbers are {name}, {where}. {_CAUSES[name]}"
            return Finding(("nan" if name == "NaN" else "inf",), message)
    return None


def pattern(got: np.ndarray, expected: np.ndarray, rtol: float) -> Finding | None:
    """Say how the numbers relate, where there is a simple relation; None if there is none."""
    if (
        got.dtype.kind != "f"
        or expected.dtype.kind != "f"
        or not np.isfinite(got).all()
    ):
        return None
    for name, relation in _RELATIONS:
        with np.errstate(all="ignore"):
            message = relation(got, expected, rtol)
        if message:
            return Finding((name,), message)
    return None


def _index(mask: np.ndarray) -> str:
    place = np.unravel_index(int(np.argmax(mask)), mask.shape)
    return shape_words(tuple(int(axis) for axis in place))


def _transposed(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    if got.ndim < 2 or got.shape[-1] != got.shape[-2]:
        return None
    turned = agree(np.swapaxes(got, -1, -2), expected, rtol)
    return (
        "You return the transpose of the right answer: rows and columns swapped."
        * turned
    )


def _factor(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    large = np.abs(expected) > 1e-3 * np.abs(expected).max(initial=0)
    ratio = float(np.median(got[large] / expected[large])) if large.any() else 1.0
    if (
        not np.isfinite(ratio)
        or ratio == 0
        or not agree(got, ratio * expected, rtol)
    ):
        return None
    if np.isclose(ratio, -1, rtol=1e-4):
        return (
            "Every number has the wrong sign."
            if got.size > 1
            else "The sign is wrong."
        )
    if got.size == 1:  # one number is some multiple of any other
        return None
    times = (
        f"{number(ratio)} times" if abs(ratio) >= 1 else f"1/{number(1 / ratio)} of"
    )
    return f"Every number is {times} the right one: a factor is missing or one too many."


def _offset(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    shift = float(np.median(got - expected))
    if got.size < 2 or not agree(got - shift, expected, rtol):
        return None
    more = "too large" if shift > 0 else "too small"
    return f"Every number is {more} by the same {number(abs(shift))}."


def _empty_rows(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    if got.ndim < 2:
        return None
    empty = ~got.any(axis=-1) & expected.any(axis=-1)
    if not empty.any() or empty.all():
        return None
    return (
        f"{empty.sum()} of {empty.size} rows are all zeros: were they ever filled? A `return` "
        "inside a loop ends it too early."
    )


def _row_factors(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    if got.ndim < 2 or got.shape[-1] < 2:
        return None
    ratios = (got * expected).sum(-1, keepdims=True) / (expected**2).sum(
        -1, keepdims=True
    )
    if not np.isfinite(ratios).all() or np.ptp(ratios) == 0 or ratios.min() <= 1e-9:
        return None
    if not agree(got, ratios * expected, rtol):
        return None
    return (
        f"Within each row the proportions are right, but the rows are {span(ratios)} times the "
        "right ones: what a row is divided by is wrong."
    )


def _reordered(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    for axis in range(got.ndim):
        if agree(np.flip(got, axis), expected, rtol):
            return f"The right numbers, but axis {axis} runs backwards."
    if agree(np.sort(got, axis=None), np.sort(expected, axis=None), rtol):
        return "The right numbers in the wrong places: a `reshape` or an axis order is off."
    return None


def _some_rows(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    if got.ndim < 2:
        return None
    wrong = different(got, expected, rtol)
    # For the stubs, `any` may give a single truth value even along an axis.
    cells: Any = wrong.reshape(-1, *wrong.shape[-2:]).any(axis=0)
    return _some(cells.any(axis=1), "row") or _some(cells.any(axis=0), "column")


def _some(wrong: np.ndarray, noun: str) -> str | None:
    if 2 * wrong.sum() > len(wrong):
        return None
    which = np.flatnonzero(wrong)
    listed = ", ".join(map(str, which[:4])) + (", …" if len(which) > 4 else "")
    if len(which) == 1:
        return f"Only {noun} {listed} (of {len(wrong)}) is wrong. What is special about it?"
    return f"Only {noun}s {listed} (of {len(wrong)}) are wrong. What do they have in common?"


def _nearly(got: np.ndarray, expected: np.ndarray, rtol: float) -> str | None:
    scale = np.abs(expected).max(initial=0)
    error = np.abs(got - expected).max(initial=0)
    if not 0 < error < 1e-2 * scale:
        return None
    return (
        f"It is nearly right: the largest error is {number(error)}. Rounding does not explain "
        "that; a constant such as `+ 1e-3` in a denominator, or a rounded intermediate step, would."
    )


_CAUSES = {
    "NaN": "0/0, ∞ − ∞, ∞/∞ and 0·∞ give NaN; which of them can happen here?",
    "infinity": "A division by 0, or `exp` of something above 709 (88 in float32), gives it.",
}
_RELATIONS: tuple[tuple[str, _Pattern], ...] = (
    ("transposed", _transposed),
    ("factor", _factor),
    ("offset", _offset),
    ("empty-rows", _empty_rows),
    ("row-factors", _row_factors),
    ("order", _reordered),
    ("nearly", _nearly),
    ("some-rows", _some_rows),
)
