"""What an exercise notebook is made of, be it the book's own or that of a class."""

import ast
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from whywrong.declare import Exercise, Question
from whywrong.question import Letters

__all__ = ["NOTEBOOK_ONLY", "Settings", "cell", "exercise_notebook", "stub"]

Task = Exercise | Question
Cell = dict[str, Any]

# Paragraphs that begin so are left out of the pages of the book.
NOTEBOOK_ONLY = "In this notebook"

_TEXTS = {
    "introduction": """\
# Exercises: {title}

These exercises go with {chapter}. Write your own code in place \
of `raise NotImplementedError`. The check says whether the answer is right, and if not, what is \
wrong with it. You can try as often as you like, and there are three hints for each exercise.
""",
    "how-to": """\
{notebook_only}, run the cell with your code, then the cell below it, which checks it. Stuck? Run \
`hint("{first}")`, with the name of the exercise, in a new cell: every call shows one more. \
{solution}`progress()` {shows}what you have done so far.
""",
    "imports": """\
import numpy as np
{torch}
from {package} import {functions}
""",
    "ending": """\
## Done so far

{notebook_only}, `progress()` in a new cell shows which exercises of the course you have solved.

{onward}
""",
}
_TO_DO = """\
{indent}# BEGIN SOLUTION
{indent}raise NotImplementedError
{indent}# END SOLUTION
"""


@dataclass(frozen=True)
class Settings:
    """How one notebook differs from others."""

    title: str
    chapter: str  # in Markdown, as it is named within a sentence
    practices: Callable[[Task], str]  # says which section an exercise practices
    check: Callable[[Task], str]  # the source of the cell that checks it
    setup: str  # the source of the first cell
    package: str  # has `check`, `hint`, `progress`, `solution`
    solutions: bool = True  # whether the notebook tells of `solution`
    onward: str = ""  # what to read next
    points: Callable[[Task], int] = lambda task: task.points
    setup_tags: Sequence[str] = field(default=("remove-cell",))


def exercise_notebook(tasks: Sequence[Task], settings: Settings) -> dict[str, Any]:
    """Return the notebook of some exercises of one chapter."""
    texts = _texts(tasks, settings)
    cells = [
        cell("code", "setup", settings.setup, tags=[*settings.setup_tags]),
        cell("markdown", "introduction", texts["introduction"]),
        cell("markdown", "how-to", texts["how-to"]),
        cell("code", "imports", texts["imports"], tags=["imports"]),
        *(part for task in tasks for part in _cells_of(task, settings)),
        cell("markdown", "ending", texts["ending"]),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {
        "cells": cells,
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _texts(tasks: Sequence[Task], settings: Settings) -> dict[str, str]:
    """Return the texts of the cells around the exercises."""
    first, has_solutions = tasks[0].name, settings.solutions
    functions = ["check", "hint", "progress"] + ["solution"] * has_solutions
    words = vars(settings) | {
        "notebook_only": NOTEBOOK_ONLY,
        "first": first,
        "solution": f'`solution("{first}")` shows a solution, and ' * has_solutions,
        "shows": "" if has_solutions else "shows ",
        "torch": "import torch\n" * any(task.library == "torch" for task in tasks),
        "functions": ", ".join(functions),
    }
    return {name: text.format(**words) for name, text in _TEXTS.items()}


def cell(kind: str, name: str, source: str, **metadata: Any) -> Cell:
    """Return a notebook cell; its id is its name, so that it stays the same."""
    code: Cell = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {
        "cell_type": kind,
        "id": name,
        "metadata": metadata,
        "source": source.strip(),
        **code,
    }


def stub(reference: Any) -> str:
    """Return a function, or a class with its methods, whose bodies are left to the learner."""
    source = inspect.getsource(reference)
    if not inspect.isclass(reference):
        signature = inspect.signature(reference)
        to_do = _TO_DO.format(indent=" " * 4)
        return f"def {reference.__name__}{signature}:\n{to_do}"
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.ClassDef)
    methods = []
    for method in definition.body:
        if isinstance(method, ast.FunctionDef):
            head = f"    def {method.name}({ast.unparse(method.args)}):\n"
            begin = (
                " " * 8 + "super().__init__()\n"
                if method.name == "__init__"
                else ""
            )
            methods.append(head + begin + _TO_DO.format(indent=" " * 8))
    return source.splitlines()[0] + "\n" + "\n".join(methods)


def _cells_of(task: Task, settings: Settings) -> list[Cell]:
    """Return the cells of one exercise: the task, the answer, the check."""
    parts = (
        f"## {task.name}",
        task.task.strip(),
        _to_return(task),
        settings.practices(task),
    )
    said = "\n\n".join(part for part in parts if part)
    answer = {"solution": True, "grade": False, "locked": False}
    check = {"solution": False, "grade": True, "locked": True}
    worth = {"points": settings.points(task)}
    return [
        cell("markdown", f"{task.name}-task", said),
        _graded(f"{task.name}-answer", stub(task.solution), "exercise", answer),
        _graded(f"{task.name}-check", settings.check(task), "check", check | worth),
    ]


def _to_return(task: Task) -> str:
    """Say what a function returns whose answer a page asks for by boxes or fields."""
    if not isinstance(task, Question):
        return ""
    its_function = f"{NOTEBOOK_ONLY}, let `{task.name}()` return"
    if isinstance(task.read, Letters):
        return f'{its_function} the set of the letters, for example `{{"a", "d"}}`.'
    them = "it" if len(task.fields) == 1 else "them as a list, in this order"
    return f"{its_function} {them}." if task.fields else ""


def _graded(name: str, source: str, tag: str, role: dict[str, Any]) -> Cell:
    """Return a cell that nbgrader knows by its name."""
    known = {"schema_version": 3, "grade_id": name, "task": False} | role
    return cell("code", name, source, tags=[tag], nbgrader=known)
