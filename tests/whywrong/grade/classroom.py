"""What the tests of the grader share: code as it is handed in, and processes in which it runs."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import nbformat

from course_attn.exercises import catalog
from tests.exercises.answers import Answer as Given
from whywrong.grade import sandbox
from whywrong.grade.launch import CannotStart, Launcher, Sandboxes
from whywrong.grade.limits import Limits
from whywrong.grade.proxy import Answer, ProcessEnded
from whywrong.grade.verdicts import (
    Code,
    Grader,
    judge_outside,
    with_fresh_cases,
)
from whywrong.result import Result

__all__ = [
    "as_allowed",
    "code_of",
    "graded",
    "imported",
    "notebook",
    "outside",
    "probed",
    "why_no_sandbox",
    "with_fault",
]

ROOT = Path(__file__).resolve().parents[3]
COURSE = "course_attn.exercises"
IMPORTS = "import numpy as np\nimport torch\n"


@cache
def why_no_sandbox() -> str:
    """Return why answers cannot be shut in here; nothing where they can."""
    if why := sandbox.why_no_sandbox():
        return why
    launcher = Sandboxes(COURSE, Limits())
    try:
        launcher.start(torch=False)
    except CannotStart as problem:
        return str(problem)
    finally:
        launcher.close()
    return ""


def as_allowed() -> list[str]:
    """Return what the command must be told where answers cannot be shut in."""
    return ["--trust-answers"] if why_no_sandbox() else []


def code_of(*cells: str) -> Code:
    """Return cells as they are handed in."""
    return Code(tuple(enumerate(cells, 1)))


def imported(given: Given, name: str) -> str:
    """Return a cell that has one of the given answers."""
    function = given.function
    return f"from {function.__module__} import {function.__name__} as {name}"


def with_fault(name: str, number: int) -> str:
    """Return a cell that has a wrong version of a solution."""
    return (
        "from course_attn.exercises import catalog\n"
        f"task = catalog.find({name!r})\n"
        f"wrong = task.wrong_version(task.faults[{number}])\n"
        f"{name} = lambda *args: wrong(*args)"
    )


def graded(
    launcher: Launcher, name: str, *cells: str, seconds: float = 30
) -> Result:
    """Return the verdict on an answer."""
    grader = Grader(launcher, catalog.find, "a seed", seconds)
    return grader.results(code_of(*cells), [name])[name]


def outside(
    launcher: Launcher, name: str, *cells: str, seeds: Sequence[str] = ("a seed",)
) -> Result:
    """Return the verdict by values alone, the first that is not right."""
    task = catalog.find(name)
    answer = Answer(launcher.start(torch=True), 60 * len(seeds))
    try:
        answer.cells(code_of(*cells).cells, lambda number: None)
        seen = answer.look(name)
        for seed in seeds:
            result = judge_outside(with_fresh_cases(task, seed), answer, seen)
            if not result.passed:
                break
        return result
    except ProcessEnded as problem:
        return Result("crashed", str(problem), name, ("ended",))
    finally:
        launcher.finish()


def notebook(chapter: str, answers: Mapping[str, str]) -> nbformat.NotebookNode:
    """Return a chapter's notebook with some stubs replaced, as it is handed in."""
    path = ROOT / f"book/exercises/{chapter}.ipynb"
    document = nbformat.read(path, as_version=4)
    for cell in document.cells:
        grading = cell["metadata"].get("nbgrader", {})
        name = grading.get("grade_id", "").removesuffix("-answer")
        if grading.get("solution") and name in answers:
            cell["source"] = answers[name]
    return document


def probed(
    launcher: Launcher, cell: str, *args: object, seconds: float = 20
) -> object:
    """Return what `probe`, which a cell defines, returns in the process of an answer."""
    answer = Answer(launcher.start(torch=False), seconds)
    try:
        failed = answer.cells([(1, cell)], lambda number: None)
        assert failed == {}, failed
        seen = answer.look("probe")
        call = answer.function(
            "probe", seen["parameters"], seconds=seconds, used=False, torch=False
        )
        return call(*args)
    finally:
        launcher.finish()
