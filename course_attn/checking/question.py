"""Judging the answer to a question."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking.crash import crash_finding, raised_by_learner
from course_attn.checking.declare import Question
from course_attn.checking.form import nothing_returned
from course_attn.checking.outcome import call_guarded
from course_attn.checking.result import Result

__all__ = ["as_letters", "as_number", "as_shape", "judge_question"]


def judge_question(question: Question, function: Callable[..., Any]) -> Result:
    """Judge the answer that the learner's function returns."""
    outcome = call_guarded(function, (), seconds=question.seconds)
    error, name = outcome.error, question.name
    if isinstance(error, NotImplementedError) and raised_by_learner(
        error, function
    ):
        message = f'Return your answer from `{name}()`. `hint("{name}")` helps.'
        return Result("todo", message, name)
    if error is not None:
        found = crash_finding(error, function, "no arguments", question.seconds)
        return Result("crashed", found.message, name, found.faults, outcome.printed)
    if outcome.value is None:
        found = nothing_returned(outcome.printed)
        return Result("wrong", found.message, name, found.faults, outcome.printed)
    try:
        answer = question.read(outcome.value)
    except ValueError as unreadable:
        return Result("wrong", str(unreadable), name, ("form",), outcome.printed)
    return _judged(question, answer, outcome.printed)


def _judged(question: Question, answer: Any, printed: str) -> Result:
    for reason in question.reasons:
        if reason.applies(answer):
            said = (
                reason.message
                if isinstance(reason.message, str)
                else reason.message(answer)
            )
            return Result("wrong", said, question.name, (reason.id,), printed)
    return Result("right", "", question.name, (), printed)


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
    """Read a choice among lettered statements: a set, list or text of letters."""
    try:
        letters = {str(item).strip(" ,").lower() for item in value} - {""}
    except TypeError:
        letters = {"not letters"}
    if not all(len(letter) == 1 and letter.isalpha() for letter in letters):
        raise ValueError(
            'Return the letters of your choice as a set such as `{"a", "c"}`.'
        )
    return frozenset(letters)


def as_number(value: Any) -> float:
    """Read one number."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(2)
    if array.size != 1:
        raise ValueError("Return one number, for example `2.5`.")
    return float(array.reshape(()))
