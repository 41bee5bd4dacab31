"""The exercises of the book: check an answer, ask for a hint or a solution, see what is done."""

import os
from functools import partial
from pathlib import Path
from typing import Any

from course_attn.checking.declare import Catalog, Unavailable
from course_attn.checking.judge import judge
from course_attn.checking.result import (
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
from course_attn.checking.running import safely
from course_attn.source import Source

__all__ = ["catalog", "check", "hint", "progress", "solution"]

catalog = Catalog(
    __name__,
    Path(__file__).parent,
    (
        "weighted_sum",
        "scores",
        "softmax",
        "qkv",
        "scaling",
        "masks",
        "multi_head",
        "order",
        "block",
        "language_model",
        "gradients",
        "fast",
        "perspective",
    ),
)


_FORMER_NAMES = {
    "attention": "unscaled_attention",
    "transformer_block": "masked_block",
}


def check(fn: Any, name: str | None = None) -> Result:
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
    result = _judged(fn, name, strict)
    if strict:
        if not result.passed:
            raise NotRight(repr(result)) from None
        return result
    return _recorded(result) if result.passed else result


def hint(name: Any) -> Hints | Result:
    """Show one more hint for an exercise at each call."""
    try:
        return show_hints(catalog.find(catalog.name_of(name, None)))
    except Unavailable as problem:
        return Result("wrong", str(problem))


def solution(name: Any) -> Source | Result:
    """Show a solution of an exercise."""
    try:
        return show_solution(catalog.find(catalog.name_of(name, None)))
    except Unavailable as problem:
        return Result("wrong", str(problem))


def progress(file: str | os.PathLike[str] | None = None) -> Overview:
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
    now = {_FORMER_NAMES.get(name, name): when for name, when in passed.items()}
    return Overview(catalog.chapters, now, message)


def _is_strict() -> bool:
    return (
        bool(os.environ.get("NBGRADER_EXECUTION"))
        or os.environ.get("COURSE_ATTN_STRICT") == "1"
    )


def _judged(fn: Any, name: str | None, strict: bool) -> Result:
    try:
        return judge(catalog.find(catalog.name_of(fn, name)), fn)
    except Unavailable as problem:
        return Result("wrong", str(problem), faults=("unknown-exercise",))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an object of the learner's may raise anything
        if strict:
            raise
        said = f"{type(error).__name__}: {safely(partial(str, error), '')}"
        return Result(
            "crashed",
            f"The checker itself failed, which is not your fault ({said}).",
        )


def _recorded(result: Result) -> Result:
    trouble = record_pass(result.name)
    if trouble is None:
        return result
    return Result(
        "right", "", result.name, (), result.printed, (*result.remarks, trouble)
    )
