"""Put the checks of a source notebook back into one that was handed in."""

from collections import Counter
from pathlib import Path
from typing import Any

import nbformat

from whywrong.classroom.copies import ClassroomError

__all__ = ["read", "restore_checks"]

_HIDDEN = "### BEGIN HIDDEN TESTS"


def read(path: Path) -> Any:
    """Return the notebook of a file."""
    try:
        return nbformat.read(path, as_version=4)
    except OSError as error:
        raise ClassroomError(f"{path}: {error.strerror or error}") from None
    except (
        Exception
    ) as error:  # whatever a file that is not a notebook makes nbformat raise
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise ClassroomError(f"{path}: it is not a notebook ({said[0]})") from None


def restore_checks(source: Any, handed_in: Any) -> Any:
    """Return what was handed in, with the checks of the source, hidden tests included.

    A check that was changed is written over; one that is missing is added at the end. The kernel
    is that of the source. Everything else stays as the learner left it, without outputs.

    Parameters
    ----------
    source, handed_in : notebook
        As `read` gives them.
    """
    checks = {
        name: cell
        for name, cell in _named_cells(source)
        if cell.metadata.nbgrader.get("grade")
    }
    if not checks or any(_HIDDEN not in cell.source for cell in checks.values()):
        raise ClassroomError(
            "the source has checks without hidden tests: name the notebook that "
            "`write` made, not the one that nbgrader released"
        )
    known = {name for name, _ in _named_cells(source)}
    found = Counter(name for name, _ in _named_cells(handed_in))
    if not known & found.keys():
        raise ClassroomError("it has none of the exercises of the source")
    for name, times in found.items():
        if name not in known:
            raise ClassroomError(f"its cell {name!r} is not one of the source's")
        if times > 1:
            raise ClassroomError(f"its cell {name!r} is there {times} times")
    cells = [checks.get(_name(cell), cell) for cell in handed_in.cells]
    cells += [cell for name, cell in checks.items() if name not in found]
    for cell in cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return nbformat.v4.new_notebook(cells=cells, metadata=source.metadata)


def _name(cell: Any) -> str:
    """Return the name that nbgrader knows a cell by; nothing for a cell of the learner's own."""
    grading = cell.metadata.get("nbgrader")
    return str(grading.get("grade_id", "")) if isinstance(grading, dict) else ""


def _named_cells(notebook: Any) -> list[tuple[str, Any]]:
    return [(_name(cell), cell) for cell in notebook.cells if _name(cell)]
