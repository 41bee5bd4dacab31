"""Answers as learners write them, right and wrong, in the modules of `given`.

Each is written in another way and without looking at the declared faults. None of the right ones
may be refused, each of the wrong ones must be. ``python -m tests.exercises masks qkv``
prints what each wrong one is told.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from course_attn.exercises import catalog
from tests.exercises import given

__all__ = ["Answer", "Answers", "answers_that_are"]


@dataclass(frozen=True)
class Answer:
    """A learner's function, and the diagnosis that a wrong one has to get.

    Parameters
    ----------
    function : callable
    expected_faults : tuple of str
        The ids of the faults, all of them in this order; empty where any will do.
    expected_words : str
        Words that the message must contain.
    mistake : str
        What a good tutor would point at, in the words of whoever wrote the answer.
    """

    function: Callable[..., Any]
    expected_faults: tuple[str, ...] = ()
    expected_words: str = ""
    mistake: str = ""

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__


class Answers:
    """The right, or the wrong, answers of a module, which decorates each with its exercise."""

    def __init__(self) -> None:
        self.given: list[tuple[str, Answer]] = []

    def __call__(
        self, exercise: str, *faults: str, said: str = "", mistake: str = ""
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def note(function: Callable[..., Any]) -> Callable[..., Any]:
            self.given.append((exercise, Answer(function, faults, said, mistake)))
            return function

        return note


def answers_that_are(kind: str) -> Mapping[str, Mapping[str, Answer]]:
    """Return the "right" or the "wrong" answers: by exercise, then by their names."""
    found: dict[str, dict[str, Answer]] = {name: {} for name in catalog.modules}
    for module in pkgutil.iter_modules(given.__path__, f"{given.__name__}."):
        answers = getattr(importlib.import_module(module.name), kind, Answers())
        for exercise, answer in answers.given:
            where = f"{module.name}.{answer.name}"
            if exercise not in found:
                raise ValueError(f"{where}: there is no exercise {exercise!r}")
            if answer.name in found[exercise]:
                raise ValueError(
                    f"{where}: {exercise!r} has an answer of this name"
                )
            found[exercise][answer.name] = answer
    for exercise, named in found.items():
        if not named:
            raise ValueError(f"there is no {kind} answer to {exercise!r}")
    return found
