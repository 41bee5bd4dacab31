"""Finding an exercise by its name, importing only the module that holds it."""

import difflib
import importlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from course_attn.checking.declare import Exercise, Question

__all__ = ["Catalog", "Unavailable"]


class Unavailable(Exception):
    """There is no such exercise, or it cannot be loaded; the text is for the learner."""


class Catalog:
    """All exercises of a course, loaded when they are asked for.

    Parameters
    ----------
    chapters : mapping
        For each chapter, its modules and the exercises that each of them declares in its
        ``EXERCISES``.
    """

    def __init__(self, chapters: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        self.chapters = {
            chapter: tuple(name for names in modules.values() for name in names)
            for chapter, modules in chapters.items()
        }
        self._modules = {
            name: module
            for modules in chapters.values()
            for module, names in modules.items()
            for name in names
        }

    def find(self, name: str) -> Exercise | Question:
        """Return an exercise; raise `Unavailable` with a sentence where that is impossible."""
        if name not in self._modules:
            raise Unavailable(self._unknown(name))
        try:
            module = importlib.import_module(self._modules[name])
        except ModuleNotFoundError as error:
            raise Unavailable(
                f"`{name}` needs `{error.name}`, which is not installed here: "
                f"`pip install {error.name}`."
            ) from error
        return next(task for task in module.EXERCISES if task.name == name)

    def name_of(self, value: Any, name: str | None) -> str:
        """Return the name of the exercise that a learner means."""
        if isinstance(name, str):
            return name
        if name is not None:
            raise Unavailable(
                'The second argument is the exercise\'s name, in quotes: `check(fn, "softmax")`.'
            )
        own = getattr(value, "__name__", None)
        if own is None and type(value).__name__ in self._modules:
            return type(value).__name__  # an exercise's class, called by mistake
        if isinstance(value, str) or own is None:
            return value if isinstance(value, str) else self._overwritten(value)
        if own == "<lambda>":
            raise Unavailable(
                "A `lambda` has no name: say which exercise it is for, "
                'for example `check(lambda scores: …, "softmax")`.'
            )
        return own

    def _overwritten(self, value: Any) -> str:
        """Return the exercise whose name the learner gave to this value in the notebook."""
        namespace = vars(sys.modules["__main__"])
        for name in self._modules:
            if value is not None and namespace.get(name) is value:
                return name
        noun = type(value).__name__
        raise Unavailable(
            f"`check` takes the function itself, but was given a value of type `{noun}`: write "
            "`check(softmax)`, without parentheses or arguments after the name. If the name was "
            "overwritten, run the cell that defines the function again."
        )

    def _unknown(self, name: str) -> str:
        close = difflib.get_close_matches(name, self._modules, n=3, cutoff=0.5)
        message = f"There is no exercise called `{name}`."
        if not close:
            return f'{message} Pass its name as well: `check(fn, "…")`; `progress()` lists them.'
        meant = " or ".join(f"`{other}`" for other in close)
        return (
            f'{message} Did you mean {meant}? Then `check({name}, "{close[0]}")`.'
        )
