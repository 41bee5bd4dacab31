"""Write points into a gradebook of nbgrader's."""

import contextlib
import importlib.util
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from course_attn.grade.results import Graded, Mark

__all__ = ["into_gradebook"]


def into_gradebook(
    url: str, graded: Sequence[Graded], assignment: str
) -> list[str]:
    """Write the points of some submissions, and return a line for each that could not be.

    What the gradebook lacks of an assignment is added; where it has a cell, its points are the
    gradebook's. Manual scores and comments stay.

    Parameters
    ----------
    url : str
        The database, such as ``sqlite:///gradebook.db``.
    graded : sequence of Graded
        What was found.
    assignment : str
        The assignment of submissions whose folders do not name one.
    """
    if importlib.util.find_spec("nbgrader") is None:
        return [f"{url}: nbgrader is not installed here: `pip install nbgrader`"]
    from nbgrader.api import Gradebook, InvalidEntry, MissingEntry
    from sqlalchemy.exc import SQLAlchemyError

    foreseen = (SQLAlchemyError, InvalidEntry, MissingEntry, OSError, ValueError)
    try:
        with _programs_in_reach():
            book = Gradebook(url)
    except foreseen as error:
        return [f"{url}: {_reason(error)}"]
    troubles = []
    with book, warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # those of nbgrader's own use of its database
        for one in graded:
            if not one.marks:
                continue
            try:
                _write(book, one, one.assignment or assignment)
                book.db.commit()
            except foreseen as error:
                book.db.rollback()
                troubles.append(f"{url}: {one.path}: {_reason(error)}")
    return troubles


@contextlib.contextmanager
def _programs_in_reach() -> Iterator[None]:
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


def _write(book: Any, one: Graded, assignment: str) -> None:
    if not assignment:
        raise ValueError("its folder names no assignment: pass --assignment")
    found = [
        (mark, _cell(book, mark, one.notebook, assignment)) for mark in one.marks
    ]
    book.update_or_create_student(one.student)
    submission = book.update_or_create_submission(assignment, one.student)
    notebook = _notebook(book, submission, one.notebook, assignment)
    for mark, cell in found:
        grade = _grade(book, notebook, cell)
        share = mark.points / mark.of if mark.of else 0.0
        grade.auto_score = share * cell.max_score
        grade.needs_manual_grade = grade.manual_score is not None


def _cell(book: Any, mark: Mark, notebook: str, assignment: str) -> Any:
    """Return the cell that a mark belongs to, added where it is missing."""
    from nbgrader.api import MissingEntry

    name = f"{mark.exercise}-check"
    try:
        return book.find_grade_cell(name, notebook, assignment)
    except MissingEntry:
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
    added = SubmittedNotebook(notebook=of_class, assignment=submission)
    book.db.add(added)
    book.db.flush()
    return added


def _grade(book: Any, notebook: Any, cell: Any) -> Any:
    from nbgrader.api import Grade

    for grade in notebook.grades:
        if grade.cell_id == cell.id:
            return grade
    added = Grade(cell_id=cell.id, notebook=notebook)
    book.db.add(added)
    book.db.flush()
    return added
