"""Finding an exercise by its name, importing only the module that holds it."""

import difflib
import importlib
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from course_attn.checking.declare import Exercise, Question
from course_attn.checking.patches import BadDeclaration

__all__ = ["Catalog", "Unavailable"]


class Unavailable(Exception):
    """There is no such exercise, or it cannot be loaded; the text is for the learner."""


class Catalog:
    """All exercises of a course, loaded when they are asked for.

    Each is declared in a file of its own: ``exercise = Exercise(solution, place=…, …)``. The files
    are read, not imported, to see which there are: PyTorch is loaded only where it is needed.

    Parameters
    ----------
    package : str
        The package that has a subpackage for each chapter.
    folder : Path
        Where it lies.
    chapters : sequence of str
        The chapters' slugs in their order.
    """

    def __init__(self, package: str, folder: Path, chapters: Sequence[str]) -> None:
        self._package, self._folder, self._slugs = package, folder, chapters

    @cached_property
    def chapters(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the exercises of each chapter, in their order."""
        return {
            slug: tuple(
                name
                for name, module in self.modules.items()
                if f".{slug}." in module
            )
            for slug in self._slugs
        }

    @cached_property
    def modules(self) -> Mapping[str, str]:
        """The module of each exercise."""
        found: dict[str, str] = {}
        for slug in self._slugs:
            declared = sorted(map(_declared, self._files(slug)))
            if not declared:
                raise BadDeclaration(
                    f"{self._folder / slug}: no exercise is declared here"
                )
            for _, name, file in declared:
                if name in found:
                    raise BadDeclaration(
                        f"{file}:{_line(file)}: another exercise is called {name!r}: {found[name]}"
                    )
                found[name] = f"{self._package}.{slug}.{file.stem}"
        return found

    def _files(self, slug: str) -> list[Path]:
        return [
            file
            for file in (self._folder / slug).glob("*.py")
            if file.name[0] != "_"
        ]

    def _module(self, name: str) -> str | None:
        """Return the module of an exercise, without reading all files where its name tells it."""
        for slug in self._slugs:
            if (
                name.isidentifier()
                and (self._folder / slug / f"{name}.py").exists()
            ):
                return f"{self._package}.{slug}.{name}"
        return self.modules.get(name)

    def find(self, name: str) -> Exercise | Question:
        """Return an exercise; raise `Unavailable` with a sentence where that is impossible."""
        where = self._module(name)
        if where is None:
            raise Unavailable(self._unknown(name))
        try:
            module = importlib.import_module(where)
        except ModuleNotFoundError as error:
            raise Unavailable(
                f"`{name}` needs `{error.name}`, which is not installed here: "
                f"`pip install {error.name}`."
            ) from error
        return module.exercise

    def name_of(self, value: Any, name: str | None) -> str:
        """Return the name of the exercise that a learner means."""
        if isinstance(name, str):
            return name
        if name is not None:
            raise Unavailable(
                'The second argument is the exercise\'s name, in quotes: `check(fn, "softmax")`.'
            )
        own = getattr(value, "__name__", None)
        if own is None and type(value).__name__ in self.modules:
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
        for name in self.modules:
            if value is not None and namespace.get(name) is value:
                return name
        noun = type(value).__name__
        raise Unavailable(
            f"`check` takes the function itself, but was given a value of type `{noun}`: write "
            "`check(softmax)`, without parentheses or arguments after the name. If the name was "
            "overwritten, run the cell that defines the function again."
        )

    def _unknown(self, name: str) -> str:
        close = difflib.get_close_matches(name, self.modules, n=3, cutoff=0.5)
        message = f"There is no exercise called `{name}`."
        if not close:
            return f'{message} Pass its name as well: `check(fn, "…")`; `progress()` lists them.'
        meant = " or ".join(f"`{other}`" for other in close)
        return (
            f'{message} Did you mean {meant}? Then `check({name}, "{close[0]}")`.'
        )


_EXERCISE = re.compile(r"^exercise = .*$", re.M)
_SOLUTION = re.compile(r"^    (?:solution=)?(\w+),$", re.M)
_PLACE = re.compile(r"^    place=(\d+),$", re.M)


def _declared(file: Path) -> tuple[int, str, Path]:
    """Return the place and the name of the exercise that a file declares."""
    text = file.read_text("utf-8")
    start = _EXERCISE.search(text)
    parts = start and [
        part.search(text, start.end()) for part in (_PLACE, _SOLUTION)
    ]
    if not parts or None in parts:
        raise BadDeclaration(
            f"{file}:{_line(file) if start else 1}: no `exercise = Exercise(` with its solution "
            "and `place=` on the next lines"
        )
    place, name = (part[1] for part in parts if part)
    return int(place), name, file


def _line(file: Path) -> int:
    """Return the line of a file's declaration."""
    text = file.read_text("utf-8")
    start = _EXERCISE.search(text)
    return text.count("\n", 0, start.start()) + 1 if start else 1
