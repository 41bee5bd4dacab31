"""Write points into a gradebook of nbgrader's."""

import contextlib
import importlib.util
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from whywrong.grade.results import GradedSubmission, Mark

__all__ = ["write_to_gradebook"]


def write_to_gradebook(
    url: str, graded: Sequence[GradedSubmission], release: str
) -> list[str]:
    """Write the points of some submissions, and return a line for each that could not be.

    An assignment that the gradebook lacks is added. To one that it has, exercises are added only
    from the released notebook: what a student hands in besides is not asked of the class. Where
    there is a cell, its points are the gradebook's. Manual scores and comments stay.
    """
    if importlib.util.find_spec("nbgrader") is None:
        return [f"{url}: nbgrader is not installed here: `pip install nbgrader`"]
    from nbgrader.api import Gradebook, InvalidEntry, MissingEntry
    from sqlalchemy.exc import SQLAlchemyError

    foreseen = (SQLAlchemyError, InvalidEntry, MissingEntry, OSError, ValueError)
    try:
        with _own_programs_on_path():
            book = Gradebook(url)
        known = {one.name for one in book.assignments if one.notebooks}
    except foreseen as error:
        return [f"{url}: {_reason(error)}"]
    with book, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbgrader's own, of its database
        tried = [
            _try_to_write(book, one, _may_add(one, known, release), foreseen)
            for one in graded
            if one.marks
        ]
        return [f"{url}: {trouble}" for trouble in tried if trouble]


def _may_add(one: GradedSubmission, known: set[str], release: str) -> bool:
    """Whether exercises that the assignment lacks are added to it."""
    return one.assignment not in known or "" != release == one.notebook


def _try_to_write(
    book: Any,
    one: GradedSubmission,
    may_add: bool,
    foreseen: tuple[type[Exception], ...],
) -> str:
    """Write the points of a submission; return its file and why they could not be written."""
    try:
        _write(book, one, may_add)
        book.db.commit()
        return ""
    except foreseen as error:
        book.db.rollback()
        return f"{one.path}: {_reason(error)}"


@contextlib.contextmanager
def _own_programs_on_path() -> Iterator[None]:
    """Let nbgrader find its own programs, also where their environment is not activated."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = f"{os.path.dirname(sys.executable)}{os.pathsep}{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before


def _reason(error: Exception) -> str:
    said = str(getattr(error, "orig", None) or error)
    return said.splitlines()[0][:200] if said else type(error).__name__


def _write(book: Any, one: GradedSubmission, may_add: bool) -> None:
    if not one.assignment:
        raise ValueError("its folder names no assignment: pass --assignment")
    # A file that is called as its student is the one of its assignment.
    name = one.notebook or one.assignment
    found = [
        (mark, _grade_cell(book, mark, name, one.assignment, may_add))
        for mark in one.marks
    ]
    book.update_or_create_student(one.student)
    submission = book.update_or_create_submission(one.assignment, one.student)
    notebook = _notebook(book, submission, name, one.assignment)
    for mark, cell in found:
        grade = _grade(book, notebook, cell)
        grade.needs_manual_grade = (
            bool(one.trouble) or grade.manual_score is not None
        )
        if not one.trouble:  # else points of another time stay
            share = mark.points / mark.of if mark.of else 0.0
            grade.auto_score = share * cell.max_score


def _grade_cell(
    book: Any, mark: Mark, notebook: str, assignment: str, may_add: bool
) -> Any:
    """Return the cell that a mark belongs to, added where it is missing and may be."""
    from nbgrader.api import MissingEntry

    name = f"{mark.exercise}-check"
    try:
        return book.find_grade_cell(name, notebook, assignment)
    except MissingEntry:
        if not may_add:
            raise ValueError(
                f"{assignment} has no {name} in {notebook}; with --release it is added"
            ) from None
        book.update_or_create_assignment(assignment)
        book.update_or_create_notebook(notebook, assignment)
        return book.add_grade_cell(
            name, notebook, assignment, max_score=mark.of, cell_type="code"
        )


def _notebook(book: Any, submission: Any, name: str, assignment: str) -> Any:
    from nbgrader.api import SubmittedNotebook

    for notebook in submission.notebooks:
        if notebook.name == name:
            return notebook
    of_class = book.find_notebook(name, assignment)
    return _added(book, SubmittedNotebook(notebook=of_class, assignment=submission))


def _grade(book: Any, notebook: Any, cell: Any) -> Any:
    from nbgrader.api import Grade

    for grade in notebook.grades:
        if grade.cell_id == cell.id:
            return grade
    return _added(book, Grade(cell_id=cell.id, notebook=notebook))


def _added(book: Any, made: Any) -> Any:
    book.db.add(made)
    book.db.flush()
    return made
