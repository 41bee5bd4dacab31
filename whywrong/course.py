"""What learners call: `check`, `hint`, `solution` and `progress`, for the exercises of one course.

A course of your own is a package with a `Catalog` and a `Course`; README.md, beside this file,
shows one from its first file to its grades.
"""

import os
from collections.abc import Mapping
from functools import partial
from typing import Any

from whywrong.declare import Catalog, Unavailable
from whywrong.inputs import with_other_inputs
from whywrong.judge import judge
from whywrong.result import (
    Hints,
    NotRight,
    Overview,
    Result,
    passed_exercises,
    record_pass,
    show_hints,
    show_solution,
    take_over,
)
from whywrong.running import safely
from whywrong.source import Source

__all__ = ["Course"]


class Course:
    """The exercises of a course, as its learners and its graders use them.

    Parameters
    ----------
    catalog : Catalog
        The exercises.
    prefix : str, optional
        What stands before an exercise's name in the progress file, which all courses share; by
        default the package's name and a colon.
    former_names : mapping, optional
        What exercises were called earlier, and are called now: what was passed stays passed.
    """

    def __init__(
        self,
        catalog: Catalog,
        *,
        prefix: str | None = None,
        former_names: Mapping[str, str] | None = None,
    ) -> None:
        self.catalog = catalog
        self._prefix = f"{catalog.package}:" if prefix is None else prefix
        self._former_names = former_names or {}

    def check(self, fn: Any, name: str | None = None) -> Result:
        """Check an answer to an exercise.

        Parameters
        ----------
        fn : callable
            Your function.
        name : str, optional
            The exercise; by default the function's own name.

        Returns
        -------
        Result
            The verdict, with what to do next.

        Raises
        ------
        NotRight
            In strict mode only (under nbgrader, or with ``COURSE_ATTN_STRICT=1``), unless right.
        """
        strict = _is_strict()
        result = self._judge(fn, name, strict)
        if strict:
            return _raise_unless_right(result)
        return self._record(result) if result.passed else result

    def require(
        self, fn: Any, name: str | None = None, *, seed: int | str | None = None
    ) -> None:
        """Raise `NotRight` unless an answer is right, wherever and however this runs.

        Parameters
        ----------
        fn, name
            As for `check`.
        seed : int or str, optional
            Tries the answer on other inputs, too, which are drawn with this seed. Sizes, and cases
            that are written out, stay as they are.

        Raises
        ------
        NotRight
            With the verdict, if the answer is not right.
        """
        _raise_unless_right(self._judge(fn, name, True, seed))

    def hint(self, name: Any) -> Hints | Result:
        """Show one more hint for an exercise at each call."""
        try:
            task = self.catalog.find(self.catalog.name_of(name, None))
        except Unavailable as problem:
            return Result("wrong", str(problem))
        return show_hints(task, leads_to_solution=_shows_solutions())

    def solution(self, name: Any) -> Source | Result:
        """Show a solution of an exercise."""
        if not _shows_solutions():
            return Result("wrong", _NO_SOLUTIONS)
        try:
            return show_solution(
                self.catalog.find(self.catalog.name_of(name, None))
            )
        except Unavailable as problem:
            return Result("wrong", str(problem))

    def progress(self, file: str | os.PathLike[str] | None = None) -> Overview:
        """Show which exercises are done, by chapter.

        Parameters
        ----------
        file : path, optional
            A file that was saved on a page of the book: what was solved there counts from now on.

        Returns
        -------
        Overview
            A table; what is wrong with the file, or with the progress file, is said below it.
        """
        taken_over = None if file is None else take_over(file)
        passed, message = passed_exercises()
        message = " ".join(filter(None, (taken_over, message))) or None
        own = {
            name.removeprefix(self._prefix): when
            for name, when in passed.items()
            if name.startswith(self._prefix)
        }
        now = {
            self._former_names.get(name, name): when for name, when in own.items()
        }
        return Overview(self.catalog.chapters, now, message)

    def _judge(
        self, fn: Any, name: str | None, strict: bool, seed: int | str | None = None
    ) -> Result:
        try:
            task = self.catalog.find(self.catalog.name_of(fn, name))
            result = judge(task, fn)
            # Only the inputs of the declaration are chosen so that they show every known mistake.
            if result.passed and seed is not None:
                return judge(with_other_inputs(task, seed), fn)
            return result
        except Unavailable as problem:
            return Result("wrong", str(problem), faults=("unknown-exercise",))
        except KeyboardInterrupt:
            raise
        except (
            BaseException
        ) as error:  # an object of the learner's may raise anything
            if strict:
                raise
            said = f"{type(error).__name__}: {safely(partial(str, error), '')}"
            return Result(
                "crashed",
                f"The checker itself failed, which is not your fault ({said}).",
            )

    def _record(self, result: Result) -> Result:
        trouble = record_pass(f"{self._prefix}{result.name}")
        if trouble is None:
            return result
        return Result(
            "right", "", result.name, (), result.printed, (*result.remarks, trouble)
        )


def _is_strict() -> bool:
    return (
        bool(os.environ.get("NBGRADER_EXECUTION"))
        or os.environ.get("COURSE_ATTN_STRICT") == "1"
    )


_NO_SOLUTIONS = (
    "Solutions are switched off here (`COURSE_ATTN_SOLUTIONS=off`). The hints help."
)


def _shows_solutions() -> bool:
    return os.environ.get("COURSE_ATTN_SOLUTIONS", "").lower() != "off"


def _raise_unless_right(result: Result) -> Result:
    if not result.passed:
        raise NotRight(repr(result)) from None
    return result
