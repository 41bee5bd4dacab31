"""Questions whose answer is a value: letters, a number, a shape."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from whywrong.declare import Question, Reason
from whywrong.observe import nothing_returned
from whywrong.result import Result
from whywrong.running import (
    Clock,
    call_guarded,
    crash_finding,
    raised_by_learner,
)

__all__ = [
    "as_letters",
    "as_number",
    "as_shape",
    "contains",
    "judge_question",
    "lacks",
]


def judge_question(question: Question, function: Callable[..., Any]) -> Result:
    """Judge the answer that the learner's function returns."""
    clock = Clock(question.seconds)
    outcome = call_guarded(function, (), seconds=clock.left)
    error, name = outcome.error, question.name
    if isinstance(error, NotImplementedError) and raised_by_learner(
        error, function
    ):
        message = f'Return your answer from `{name}()`. `hint("{name}")` helps.'
        return Result("todo", message, name)
    if error is not None:
        found = crash_finding(error, function, "no arguments", clock)
        return Result("crashed", found.message, name, found.faults, outcome.printed)
    if outcome.value is None:
        found = nothing_returned(outcome.printed)
        return Result("wrong", found.message, name, found.faults, outcome.printed)
    read = call_guarded(
        question.read, (outcome.value,), seconds=max(clock.left, _LOOKING)
    )
    if read.error is not None:
        said = str(read.error) if type(read.error) is ValueError else _NO_ANSWER
        return Result("wrong", said, name, ("form",), outcome.printed)
    wrong = [reason for reason in question.reasons if reason.applies(read.value)]
    if not wrong:
        return Result("right", "", name, (), outcome.printed)
    said = _told(question, wrong, read.value)
    return Result("wrong", said, name, (wrong[0].id,), outcome.printed)


_NO_ANSWER = (
    "What you return cannot be read as an answer: return plain numbers or letters."
)


# Seconds that it may take at least to look at what came back, however long its making took.
_LOOKING = 1.0


def _told(question: Question, found: list[Reason], answer: Any) -> str:
    """Say what is wrong; of several letters or numbers, each."""
    first, right = found[0], question.read(question.solution())
    letters = {_letter(reason) for reason in question.reasons} - {""}
    if (
        _letter(first)
        and isinstance(right, frozenset)
        and answer == letters - right
    ):
        return _OPPOSITE
    said = [_sentence(first, answer)]
    for other in found[1:]:
        if _letter(first) and _letter(other) not in ("", _letter(first)):
            said.append(_sentence(other, answer))
    if first is question.reasons[-1] and isinstance(answer, float):
        said.insert(0, _relation(answer, right))
    return "\n\n".join(filter(None, dict.fromkeys(said)))


_OPPOSITE = "You chose exactly the others: read once more which ones are asked for."


def _sentence(reason: Reason, answer: Any) -> str:
    says = reason.message
    return says if isinstance(says, str) else says(answer)


def _letter(reason: Reason) -> str:
    """Return the letter of the part that a reason is about; "" if it is about the whole."""
    part = reason.id.partition("-")[0]
    return part if len(part) == 1 else ""


# From a logarithm of one base to another.
_BASES = (float(np.log(2)), float(np.log(10)), float(np.log2(10)))
# How a wrong number may come from the right one, and what to ask then.
_RELATIONS: tuple[tuple[str, Callable[[float], Iterable[float]]], ...] = (
    ("Your number has the wrong sign.", lambda r: (-r,)),
    (
        "Your number is the reciprocal of the right one: what is divided by what?",
        lambda r: (1 / r,),
    ),
    (
        "Your number comes from a logarithm of another base.",
        lambda r: (r * b for n in _BASES for b in (n, 1 / n)),
    ),
    (
        "Your number is off by a power of ten. Is it a percentage?",
        lambda r: (r * 10.0**k for k in (-3, -2, -1, 1, 2, 3)),
    ),
    (
        "Your number is off by a factor that is a whole number: is something counted several "
        "times, or a sum taken for a mean?",
        lambda r: (r * f for k in range(2, 13) for f in (k, 1 / k)),
    ),
    (
        "Your number is the square of the right one, or its root.",
        lambda r: (r * r, abs(r) ** 0.5),
    ),
)
_CLOSE, _ROUNDED = 1e-3, 0.02


def _relation(answer: float, right: float) -> str:
    """Return how a wrong number comes from the right one; "" where that is not seen."""
    if not right or answer == right or not np.isfinite(answer):
        return ""
    for said, others in _RELATIONS:
        if any(
            abs(answer - other) <= _CLOSE * abs(other) for other in others(right)
        ):
            return said
    if abs(answer - right) <= _ROUNDED * abs(right):
        return "Your number is nearly right: compute it with more digits."
    return ""


def as_shape(value: Any) -> tuple[int, ...]:
    """Read a shape: a tuple or list of whole numbers."""
    try:
        sizes = tuple(value)
        if all(isinstance(size, int | np.integer) for size in sizes):
            return tuple(int(size) for size in sizes)
    except TypeError:
        pass
    raise ValueError("Return a shape: a tuple of whole numbers such as `(5, 3)`.")


def as_letters(value: Any) -> frozenset[str]:
    """Read a choice among lettered statements: a set, list or text of letters.

    A dictionary of verdicts, ``{"a": True, "b": False}``, is the set of those that are true.
    """
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
