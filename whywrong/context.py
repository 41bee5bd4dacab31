"""What a message may look at: one case, what came back and what was expected."""

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

import numpy as np

from whywrong.arrays import different

__all__ = ["Context", "Finding", "QUOTES", "Sentences", "first_difference"]
__all__ += ["listed", "number", "place_of_largest", "span", "told_apart"]
__all__ += ["unknown_words"]


@dataclass(frozen=True)
class Finding:
    """What is wrong: the ids of the recognized mistakes and the sentence for the learner."""

    faults: tuple[str, ...]
    message: str


class Sentences(dict[str, str]):
    """Sentences by name, read from a text: ``name: sentence``, its later lines indented.

    A name is the id of what the sentence says, and, where several have one id, a word more.
    """

    def __init__(self, text: str) -> None:
        entries = re.findall(r"^([\w -]+): (.+(?:\n +.+)*)", text, re.M)
        super().__init__((name, " ".join(said.split())) for name, said in entries)

    def say(self, name: str, /, **words: Any) -> str:
        """Return a sentence with its words put in."""
        return self[name].format(**words)

    def find(self, name: str, /, **words: Any) -> Finding:
        """Return what a sentence says as a finding."""
        return Finding((name.split()[0],), self.say(name, **words))


def _rows(array: np.ndarray) -> np.ndarray:
    array = np.atleast_1d(array)
    return array.reshape(math.prod(array.shape[:-1]), array.shape[-1])


# What sentences may quote of an argument or a result: ``{scores.row}``, ``{X.shape}``.
QUOTES: dict[str, Callable[[np.ndarray], str]] = {
    "row": lambda array: listed(_rows(array)[0]),
    "second": lambda array: listed(_rows(array)[:2][-1]),
    "sums": lambda array: span(array.sum(axis=-1)),
    "shape": lambda array: str(array.shape),
    "last": lambda array: str(array.shape[-1]) if array.ndim else "no axis",
    "rows": lambda array: str(array.shape[-2]) if array.ndim > 1 else "1",
    "max": lambda array: number(array.max()),
    "min": lambda array: number(array.min()),
    "root": lambda array: number(np.sqrt(array.shape[-1] if array.ndim else array)),
    "nan_rows": lambda array: str(np.isnan(array).any(axis=-1).sum()),
    "dtype": lambda array: str(array.dtype),
}


class _Quoted:
    """An argument or a result: itself as a number or a short row of them, or its `QUOTES`."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __str__(self) -> str:
        array = np.asarray(self._value)
        is_number = isinstance(self._value, np.ndarray | np.generic | int | float)
        if not is_number or array.ndim > 1 or array.dtype.kind not in "biuf":
            return str(self._value)
        return listed(array) if array.ndim else number(array)

    def __getattr__(self, name: str) -> str:
        return QUOTES[name](np.asarray(self._value))


@dataclass(frozen=True)
class Context:
    """One case on which the learner's answer is wrong, for the messages to quote from.

    A template may have these words: the arguments by name, ``your`` and ``right`` (the result),
    each alone or with one of `QUOTES`; ``worst_row``, which is a sentence; and the exercise's own
    terms.

    given: the arguments by name, as NumPy arrays.
    got: what came back.
    expected: what was expected: an exception where the task asks for one.
    kind: the kind of the case.
    call: calls the learner's function on other arguments (guarded); None where that raises.
    terms: words of the exercise's own: functions of a context.
    rtol: the tolerance of this case.
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
        place = [*place_of_largest(error)]
        where = f" {place[0] if len(place) == 1 else place}" if place else ""
        mine, right = self.rows(int(error.argmax()))
        return f"Your row{where} is {mine}; {right} is right."

    def sums(self, of: str = "got", axis: int = -1) -> str:
        """Return between which numbers the row sums of ``got`` or of an argument lie."""
        return span(self._array(of).sum(axis=axis))

    def row(self, i: int = 0, of: str = "got") -> str:
        """Return a row of ``got``, ``expected`` or an argument, as it may be quoted."""
        return listed(_rows(self._array(of))[i])

    def rows(self, i: int = 0) -> tuple[str, str]:
        """Return a row of ``got`` and of ``expected``, quoted so that they look different."""
        mine, right = self.row(i), self.row(i, "expected")
        if mine != right:
            return mine, right
        got, expected = (_rows(self._array(of))[i] for of in ("got", "expected"))
        error = np.abs(np.subtract(got, expected, dtype=float))
        # Where it differs most is the third of the entries that are shown.
        start = max(0, min(int(error.argmax()) - 2, len(got) - _SHOWN))
        for digits in _DIGITS:
            mine, right = (listed(row, digits, start) for row in (got, expected))
            if mine != right:
                break
        return mine, right

    def _array(self, of: str) -> np.ndarray:
        own = {"got": self.got, "expected": self.expected}
        return np.asarray({**self.given, **own}[of])


class _Words(dict[str, Any]):
    """The words of a case's sentences, made as they are asked for."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context

    def __missing__(self, word: str) -> Any:
        c = self._context
        if word in c.terms:
            value = c.term(word)
            return _Quoted(value) if isinstance(value, np.ndarray) else value
        if word == "worst_row":
            return c.worst_row
        return _Quoted({**c.given, "your": c.got, "right": c.expected}[word])


def unknown_words(template: str, known: Collection[str]) -> list[str]:
    """Return the words of a template that neither `Context` nor the exercise has."""
    known = {*known, "worst_row", "your", "right"}
    words = [
        word for _, word, _, _ in Formatter().parse(template) if word is not None
    ]
    parts = [(word, *word.partition(".")) for word in words]
    return [
        w
        for w, name, dot, of in parts
        if name not in known or dot and of not in QUOTES
    ]


def place_of_largest(array: np.ndarray) -> tuple[int, ...]:
    """Return the index of the largest entry; of a mask, that of the first that is true."""
    return tuple(map(int, np.unravel_index(array.argmax(), array.shape)))


def first_difference(got: np.ndarray, expected: np.ndarray, rtol: float) -> str:
    """Say where the first wrong number stands."""
    wrong = different(got, expected, rtol)
    place = place_of_largest(wrong)
    have, want = told_apart(got[place], expected[place])
    if not got.ndim:
        return f"you have {have}; {want} is right."
    n_right = wrong.size - int(wrong.sum())
    are = "is" if n_right == 1 else "are"
    right = f" {n_right} of {wrong.size} numbers {are} right." if n_right else ""
    return (
        f"Your result differs from the right one, first at index {place}: you have {have}, "
        f"{want} is right.{right}"
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
    value = np.asarray(value).item()
    return str(value) if isinstance(value, bool | int) else f"{value:.{digits}g}"


def span(values: Any) -> str:
    """Return the smallest and the largest of some numbers: "0.52 … 1.53"; NaN is said."""
    flat = np.asarray(values, dtype=float).ravel()
    if np.isnan(flat).any():
        return "NaN"
    low, high = number(flat.min()), number(flat.max())
    return low if low == high else f"{low} … {high}"
