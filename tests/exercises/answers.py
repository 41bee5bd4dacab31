"""Answers as learners write them, right and wrong: ``tests/chapters/*/answers/<exercise>.py``.

Each is written in another way and without looking at the declared faults. None of the right ones
may be refused, each of the wrong ones must be::

    @right()
    def cm_tri(n_q, n_k):
        return np.tri(n_q, n_k, n_k - n_q, dtype=bool)

    # aligned to the top left
    @wrong("top-left", author="blind")
    def cm_no_offset(n_q, n_k):
        return np.tri(n_q, n_k, dtype=bool)

The comment is what a good tutor would point at. ``python -m tests.exercises masks qkv``
prints what each wrong one is told.
"""

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_attn.exercises import catalog
from tests import chapters

__all__ = ["CHAPTERS", "Answer", "answers_that_are", "file_of", "right", "wrong"]

CHAPTERS = Path(*chapters.__path__)
_GIVEN: dict[str, dict[str, "Answer"]] = {}


@dataclass(frozen=True)
class Answer:
    """A learner's function, and the diagnosis that a wrong one has to get.

    Parameters
    ----------
    function : callable
    kind : str
        "right" or "wrong".
    expected_faults : tuple of str
        The ids of the faults, all of them in this order; empty where any will do.
    expected_words : str
        Words that the message must contain.
    author : str
        Who wrote it: empty for those who wrote the exercise; "fresh" and "unseen" had not seen the
        known mistakes, "blind" had seen the task alone.
    """

    function: Callable[..., Any]
    kind: str
    expected_faults: tuple[str, ...] = ()
    expected_words: str = ""
    author: str = ""

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    @property
    def mistake(self) -> str:
        """What a good tutor would point at: the comment above the function."""
        lines = (inspect.getcomments(self.function) or "").splitlines()
        return " ".join(line.removeprefix("# ") for line in lines)


def right(*, author: str = "") -> Callable[..., Any]:
    """Return a decorator that notes a right answer to the exercise of its file."""
    return _noting("right", (), "", author)


def wrong(*faults: str, said: str = "", author: str = "") -> Callable[..., Any]:
    """Return a decorator that notes a wrong answer, and the faults and words it has to get."""
    assert all(isinstance(fault, str) for fault in faults), "write `@wrong()`"
    return _noting("wrong", faults, said, author)


def _noting(kind: str, *expected: Any) -> Callable[..., Any]:
    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        answers = _GIVEN.setdefault(function.__module__, {})
        answer = Answer(function, kind, *expected)
        if answer.name in answers:
            raise ValueError(f"{function.__module__} has two {answer.name}")
        answers[answer.name] = answer
        return function

    return note


def file_of(exercise: str) -> Path:
    """Return the file where the answers to an exercise belong."""
    *_, chapter, _, name = catalog.modules[exercise].split(".")
    return CHAPTERS / chapter / "answers" / f"{name}.py"


def answers_that_are(kind: str) -> Mapping[str, Mapping[str, Answer]]:
    """Return the "right" or the "wrong" answers: by exercise, then by their names."""
    return {
        exercise: {n: a for n, a in _given_to(exercise).items() if a.kind == kind}
        for exercise in catalog.modules
    }


def _given_to(exercise: str) -> Mapping[str, Answer]:
    file = file_of(exercise)
    if not file.exists():
        return {}
    chapter = file.parents[1].name
    module = f"tests.chapters.{chapter}.answers.{file.stem}"
    importlib.import_module(module)
    return _GIVEN.get(module, {})
