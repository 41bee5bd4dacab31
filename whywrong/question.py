"""Questions whose answer is a value: letters, a number, a shape."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from whywrong.calls import Outcome, call_guarded
from whywrong.context import Finding
from whywrong.declare import Question, Reason
from whywrong.form import nothing_returned
from whywrong.limits import Clock
from whywrong.result import Result
from whywrong.stops import crash_finding, raised_by_learner

__all__ = [
    "Letters",
    "as_number",
    "as_shape",
    "contains",
    "judge_question",
    "lacks",
]

_NO_ANSWER = (
    "What you return cannot be read as an answer: return plain numbers or letters."
)


def judge_question(question: Question, function: Callable[..., Any]) -> Result:
    """Judge the answer that the learner's function returns."""
    clock, name = Clock(question.seconds), question.name
    outcome = call_guarded(function, (), seconds=clock.left)
    error, printed = outcome.error, outcome.printed
    is_stub = isinstance(error, NotImplementedError)
    if error and is_stub and raised_by_learner(error, function):
        message = f'Return your answer from `{name}()`. `hint("{name}")` helps.'
        return Result("todo", message, name)
    if error is not None:
        found = crash_finding(error, function, "no arguments", clock)
        return Result("crashed", found.message, name, found.faults, printed)
    found = _wrong(question, outcome, question.seconds)
    status = "wrong" if found.faults else "right"
    return Result(status, found.message, name, found.faults, printed)


def _wrong(question: Question, outcome: Outcome, seconds: float) -> Finding:
    """Say what is wrong with an answer; nothing where it is right."""
    if outcome.value is None:
        return nothing_returned(outcome.printed)
    read = call_guarded(question.read, (outcome.value,), seconds=seconds)
    if read.error is not None:
        is_said = type(read.error) is ValueError
        return Finding(("form",), str(read.error) if is_said else _NO_ANSWER)
    wrong = [reason for reason in question.reasons if reason.applies(read.value)]
    said = _told(question, wrong, read.value) if wrong else ""
    return Finding(tuple(reason.id for reason in wrong[:1]), said)


def _told(question: Question, found: list[Reason], answer: Any) -> str:
    """Say what is wrong; of several letters, each."""
    first, read = found[0], question.read
    if _letter(first) and isinstance(read, Letters):
        if answer == set(read.offered) - read(question.solution()):
            return _OPPOSITE
    others = [one for one in found if _letter(one) not in ("", _letter(first))]
    told = [first, *(others if _letter(first) else [])]
    return "\n\n".join(dict.fromkeys(_sentence(one, answer) for one in told))


_OPPOSITE = "You chose exactly the others: read once more which ones are asked for."


def _sentence(reason: Reason, answer: Any) -> str:
    says = reason.message
    return says if isinstance(says, str) else says(answer)


def _letter(reason: Reason) -> str:
    """Return the letter of the part that a reason is about; "" if it is about the whole."""
    part = reason.id.partition("-")[0]
    return part if len(part) == 1 else ""


def as_shape(value: Any) -> tuple[int, ...]:
    """Read a shape: a tuple or list of whole numbers."""
    try:
        sizes = tuple(value)
        if all(isinstance(size, int | np.integer) for size in sizes):
            return tuple(int(size) for size in sizes)
    except TypeError:
        pass
    raise ValueError("Return a shape: a tuple of whole numbers such as `(5, 3)`.")


@dataclass(frozen=True)
class Letters:
    """Reads a choice among lettered statements: a set, list or text of letters.

    A dictionary of verdicts, ``{"a": True, "b": False}``, is the set of those that are true.

    offered: the letters that may be chosen, such as "abcd".
    of: what they stand before, such as "statements".
    """

    offered: str
    of: str

    def __call__(self, value: Any) -> frozenset[str]:
        """Return the letters chosen; a ``ValueError`` says how to give them."""
        letters = _chosen(value)
        if not letters <= set(self.offered):
            first, last = self.offered[0], self.offered[-1]
            raise ValueError(f"The {self.of} have the letters {first} to {last}.")
        return letters


def _chosen(value: Any) -> frozenset[str]:
    if isinstance(value, Mapping):
        if not all(isinstance(holds, bool | np.bool_) for holds in value.values()):
            raise ValueError(
                'Return the letters of your choice as a set such as `{"a", "c"}`; a dictionary '
                "has to say True or False for each."
            )
        value = [letter for letter, holds in value.items() if holds]
    try:
        letters = {str(item).strip(" ,").lower() for item in value} - {""}
    except TypeError:
        letters = {"not letters"}
    if not all(len(letter) == 1 and letter.isalpha() for letter in letters):
        raise ValueError(
            'Return the letters of your choice as a set such as `{"a", "c"}`.'
        )
    return frozenset(letters)


def contains(letter: str) -> Callable[[frozenset[str]], bool]:
    """Return whether a choice has a letter, as a `Reason` asks."""
    return lambda letters: letter in letters


def lacks(letter: str) -> Callable[[frozenset[str]], bool]:
    """Return whether a choice has a letter not, as a `Reason` asks."""
    return lambda letters: letter not in letters


def as_number(value: Any) -> float:
    """Read one number."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(2)
    if array.size != 1:
        raise ValueError("Return one number, for example `2.5`.")
    return float(array.reshape(()))
