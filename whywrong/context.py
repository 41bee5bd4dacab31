"""What a message may look at: one case, what came back and what was expected."""

import string
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from whywrong.arrays import different

__all__ = ["Context", "Finding", "number", "span", "told_apart", "unknown_words"]


@dataclass(frozen=True)
class Finding:
    """What is wrong: the ids of the recognized mistakes and the sentence for the learner."""

    faults: tuple[str, ...]
    message: str


class Quoted:
    """An argument or a result, as sentences may quote it: ``{scores.row}``, ``{X.shape}``."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __str__(self) -> str:
        """Return a number or a short row of them as it is read, else the text of the value."""
        if not isinstance(self._value, np.ndarray | np.generic | int | float):
            return str(self._value)
        array = self._array
        if array.ndim > 1 or array.dtype.kind not in "biuf":
            return str(self._value)
        return listed(array) if array.ndim else number(array)

    @property
    def row(self) -> str:
        """The first row."""
        return listed(self._rows()[0])

    @property
    def second(self) -> str:
        """The second row, or the only one."""
        return listed(self._rows()[:2][-1])

    @property
    def sums(self) -> str:
        """Between which numbers the sums of the rows lie."""
        return span(self._array.sum(axis=-1))

    @property
    def shape(self) -> str:
        """The shape, as Python writes it."""
        return str(tuple(int(size) for size in self._array.shape))

    @property
    def last(self) -> str:
        """The length of the last axis: d, or the number of keys."""
        return str(self._array.shape[-1]) if self._array.ndim else "no axis"

    @property
    def rows(self) -> str:
        """The length of the last axis but one."""
        return str(self._array.shape[-2]) if self._array.ndim > 1 else "1"

    @property
    def max(self) -> str:
        """The largest number."""
        return number(self._array.max())

    @property
    def min(self) -> str:
        """The smallest number."""
        return number(self._array.min())

    @property
    def root(self) -> str:
        """The square root of a number, or of the length of the last axis."""
        array = self._array
        return number(np.sqrt(array.shape[-1] if array.ndim else array))

    @property
    def nan_rows(self) -> str:
        """How many rows have a NaN."""
        return str(int(np.isnan(self._array).any(axis=-1).sum()))

    @property
    def dtype(self) -> str:
        """The kind of numbers."""
        return str(self._array.dtype)

    @property
    def _array(self) -> np.ndarray:
        return np.asarray(self._value)

    def _rows(self) -> Any:
        array = self._array
        return array.reshape(-1, array.shape[-1]) if array.ndim else [[array]]


@dataclass(frozen=True)
class Context:
    """One case on which the learner's answer is wrong, for the messages to quote from.

    A template may have these words: the arguments by name, ``your`` and ``right`` (the result),
    each with the attributes of `Quoted`; ``worst_row``, which is a sentence; and the exercise's own
    terms.

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
    terms : mapping
        Words of the exercise's own: functions of a context.
    rtol : float
        The tolerance of this case.
    """

    given: Mapping[str, Any]
    got: np.ndarray
    expected: Any
    kind: str
    call: Callable[..., np.ndarray | None]
    terms: Mapping[str, Callable[["Context"], Any]] = field(default_factory=dict)
    rtol: float = 1e-6

    def filled(self, template: str) -> str:
        """Return a sentence with its words put in."""
        return template.format_map(_Words(self))

    def term(self, name: str) -> Any:
        """Return one of the exercise's own terms."""
        return self.terms[name](self)

    @property
    def worst_row(self) -> str:
        """A sentence: the row of the result that is farthest from the right one."""
        got, expected = np.asarray(self.got), np.asarray(self.expected)
        if got.shape != expected.shape:
            return f"You return shape {got.shape}; shape {expected.shape} is asked for."
        if not got.ndim:
            return f"You return {number(got)}; {number(expected)} is right."
        error = np.abs(np.nan_to_num(got, nan=np.inf) - expected.astype(float))
        error = np.nan_to_num(error, nan=0.0, posinf=np.inf).max(axis=-1)
        worst = int(error.argmax())
        place = [int(i) for i in np.unravel_index(worst, error.shape)]
        where = f" {place[0] if len(place) == 1 else place}" if place else ""
        mine, right = self.rows(worst)
        return f"Your row{where} is {mine}; {right} is right."

    def sums(self, of: str = "got", axis: int = -1) -> str:
        """Return between which numbers the row sums of ``got`` or of an argument lie."""
        return span(self._array(of).sum(axis=axis))

    def row(self, i: int = 0, of: str = "got") -> str:
        """Return a row of ``got``, ``expected`` or an argument, as it may be quoted."""
        array = self._array(of)
        return listed(
            array.reshape(-1, array.shape[-1])[i] if array.ndim else [array]
        )

    def rows(self, i: int = 0) -> tuple[str, str]:
        """Return a row of ``got`` and of ``expected``, quoted so that they look different."""
        mine, right = self.row(i), self.row(i, "expected")
        if mine != right:
            return mine, right
        got, expected = (
            np.atleast_1d(array).reshape(-1, array.shape[-1] if array.ndim else 1)[
                i
            ]
            for array in (np.asarray(self.got), np.asarray(self.expected))
        )
        error = np.abs(np.subtract(got, expected, dtype=float))
        # Where it differs most is the third of the entries that are shown.
        start = max(0, min(int(error.argmax()) - 2, len(got) - _SHOWN))
        for digits in _DIGITS:
            mine = listed(got, digits, start)
            right = listed(expected, digits, start)
            if mine != right:
                break
        return mine, right

    def _array(self, of: str) -> np.ndarray:
        arrays: dict[str, Any] = {
            **self.given,
            "got": self.got,
            "expected": self.expected,
        }
        return np.asarray(arrays[of])


_SENTENCES = ("worst_row",)


class _Words(dict[str, Any]):
    """The words of a case's sentences, made as they are asked for."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context

    def __missing__(self, word: str) -> Any:
        c = self._context
        if word in c.terms:
            value = c.term(word)
            return Quoted(value) if isinstance(value, np.ndarray) else value
        if word in _SENTENCES:
            return getattr(c, word)
        results = {"your": c.got, "right": c.expected}
        return Quoted(results[word] if word in results else c.given[word])


def unknown_words(template: str, known: Collection[str]) -> list[str]:
    """Return the words of a template that neither `Context` nor the exercise has."""
    unknown = []
    for _, word, _, _ in string.Formatter().parse(template):
        if word is None:
            continue
        name, _, attribute = word.partition(".")
        fits = name in known or name in (*_SENTENCES, "your", "right")
        if attribute:
            fits = fits and isinstance(vars(Quoted).get(attribute), property)
        if not fits:
            unknown.append(word)
    return unknown


def first_difference(got: np.ndarray, expected: np.ndarray, rtol: float) -> str:
    """Say where the first wrong number stands."""
    if got.shape != expected.shape:
        return f"You return shape {got.shape}; shape {expected.shape} is asked for."
    wrong = different(got, expected, rtol)
    place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    have, want = told_apart(got[place], expected[place])
    if not got.ndim:
        return f"you have {have}; {want} is right."
    right = f"{wrong.size - int(wrong.sum())} of {wrong.size} numbers are right."
    index = tuple(int(axis) for axis in place)
    return (
        f"It differs from the reference, first at index {index}: you have {have}, "
        f"{want} is right. {right}"
    )


# How many entries of a row are quoted, and with how many digits: more where four look the same.
_SHOWN = 6
_DIGITS = (4, 6, 8, 10)


def listed(entries: Any, digits: int = 4, start: int = 0) -> str:
    """Return some numbers as they may be quoted, six at most."""
    shown = [number(entry, digits) for entry in entries[start : start + _SHOWN]]
    before, after = ["…"] * (start > 0), ["…"] * (len(entries) > start + _SHOWN)
    return f"[{', '.join([*before, *shown, *after])}]"


def told_apart(one: Any, other: Any) -> tuple[str, str]:
    """Return two numbers with four digits, or with as many more as tell them apart."""
    texts = [(number(one, digits), number(other, digits)) for digits in _DIGITS]
    return next((pair for pair in texts if len({*pair}) > 1), texts[0])


def number(value: Any, digits: int = 4) -> str:
    """Return a number with four digits at most; whole numbers with all of theirs."""
    if isinstance(value, bool | np.bool_):
        return str(value)
    if isinstance(value, int | np.integer):
        return str(value)
    value = np.asarray(value).item()
    if isinstance(value, bool | int):
        return str(value)
    return f"{value:.{digits}g}"


def span(values: Any) -> str:
    """Return the smallest and the largest of some numbers: "0.52 … 1.53"; NaN is said."""
    flat = np.asarray(values, dtype=float).ravel()
    if np.isnan(flat).any():
        return "NaN"
    low, high = number(flat.min()), number(flat.max())
    return low if low == high else f"{low} … {high}"
