"""What learners call: `check`, `hint`, `solution` and `progress`, for the exercises of one course.

A course of your own is a package with a `Catalog` and a `Course`; README.md, beside this file,
shows one from its first file to its grades.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from whywrong.calls import safely
from whywrong.catalog import Catalog, Unavailable
from whywrong.inputs import with_other_inputs
from whywrong.judge import judge
from whywrong.result import Hints, NotRight, Overview, Result, show_hints
from whywrong.source import Source, show_source
from whywrong.store import passed_exercises, record_pass, take_over

__all__ = ["Course"]


class Course:
    """The exercises of a course, as its learners and its graders use them.

    catalog: the exercises.
    prefix: what stands before an exercise's name in the progress file, which all courses share; by
        default the package's name and a colon.
    former_names: what exercises were called earlier, and are called now: what was passed stays
        passed.
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

        fn: your function.
        name: the exercise; by default the function's own name.
        Returns the verdict, with what to do next.
        Raises `NotRight` in strict mode only (under nbgrader, or with ``COURSE_ATTN_STRICT=1``),
        unless right.
        """
        strict = _is_strict()
        result = self._judge(fn, name, strict)
        if strict:
            return _raise_unless_right(result)
        trouble = result.passed and record_pass(f"{self._prefix}{result.name}")
        remarks = (*result.remarks, trouble) if trouble else result.remarks
        return replace(result, remarks=remarks)

    def require(
        self, fn: Any, name: str | None = None, *, seed: int | str | None = None
    ) -> None:
        """Raise `NotRight` unless an answer is right, wherever and however this runs.

        fn, name: as for `check`.
        seed: tries the answer on other inputs, too, which are drawn with this seed. Sizes, and
            cases that are written out, stay as they are.
        """
        _raise_unless_right(self._judge(fn, name, True, seed))

    def hint(self, name: Any) -> Hints | Result:
        """Show one more hint for an exercise at each call."""
        shown = partial(show_hints, leads_to_solution=_shows_solutions())
        return self._shown(name, shown)

    def solution(self, name: Any) -> Source | Result:
        """Show a solution of an exercise."""
        if _shows_solutions():
            return self._shown(name, lambda task: show_source(task.solution))
        off = "`COURSE_ATTN_SOLUTIONS=off`"
        said = f"Solutions are switched off here ({off}). The hints help."
        return Result("wrong", said)

    def _shown(self, name: Any, show: Callable[[Any], Any]) -> Any:
        try:
            return show(self.catalog.find(self.catalog.name_of(name, None)))
        except Unavailable as problem:
            return Result("wrong", str(problem))

    def progress(self, file: str | os.PathLike[str] | None = None) -> Overview:
        """Show which exercises are done, by chapter.

        file: a file that was saved on a page of the book: what was solved there counts from now on.
        Returns a table; what is wrong with the file, or with the progress file, is said below it.
        """
        taken_over = None if file is None else take_over(file)
        passed, trouble = passed_exercises()
        own = {
            name.removeprefix(self._prefix): when
            for name, when in passed.items()
            if name.startswith(self._prefix)
        }
        now = {
            self._former_names.get(name, name): when for name, when in own.items()
        }
        message = " ".join(filter(None, (taken_over, trouble)))
        return Overview(self.catalog.chapters, now, message or None)

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
        # An object of the learner's may raise anything.
        except BaseException as error:
            if strict:
                raise
            said = f"{type(error).__name__}: {safely(partial(str, error), '')}"
            failed = "The checker itself failed, which is not your fault"
            return Result("crashed", f"{failed} ({said}).")


def _is_strict() -> bool:
    strict = os.environ.get("COURSE_ATTN_STRICT") == "1"
    return strict or bool(os.environ.get("NBGRADER_EXECUTION"))


def _shows_solutions() -> bool:
    return os.environ.get("COURSE_ATTN_SOLUTIONS", "").lower() != "off"


def _raise_unless_right(result: Result) -> Result:
    if not result.passed:
        raise NotRight(repr(result)) from None
    return result
