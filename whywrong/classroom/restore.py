"""Put the checks of a source notebook back into one that was handed in, and mend copied cells."""

from pathlib import Path
from typing import Any

import nbformat

from whywrong.classroom.copies import ClassroomError
from whywrong.files import write_whole

__all__ = ["mend", "read", "restore_checks"]

_HIDDEN = "### BEGIN HIDDEN TESTS"


def read(path: Path) -> Any:
    """Return the notebook of a file."""
    try:
        return nbformat.read(path, as_version=4)
    except OSError as error:
        raise ClassroomError(f"{path}: {error.strerror or error}") from None
    # nbformat lets through whatever a file that is not a notebook makes it raise.
    except Exception as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise ClassroomError(f"{path}: it is not a notebook ({said[0]})") from None


def mend(path: Path) -> list[str]:
    """Let the copies of graded cells in a file be ordinary cells; return a line for each.

    Where a learner copies a cell, nbgrader's name for it is there twice, and nbgrader ends, also
    for all who come after. The first cell keeps the name. No code is lost.
    """
    if path.is_symlink():
        raise ClassroomError(f"{path}: it is a link")
    notebook = read(path)
    copied = _strip_copies(notebook)
    if copied:
        write_whole(path, nbformat.writes(notebook) + "\n")
    return [
        f"a copy of the cell {name!r} is an ordinary cell now" for name in copied
    ]


def _strip_copies(notebook: Any) -> list[str]:
    """Take nbgrader's metadata from each cell whose name an earlier one has; return the names."""
    seen, copied = set(), []
    for name, cell in _named_cells(notebook):
        if name in seen:
            del cell.metadata["nbgrader"]
            copied.append(name)
        seen.add(name)
    return copied


def restore_checks(source: Any, handed_in: Any) -> Any:
    """Return what was handed in, with the checks of the source, hidden tests included.

    A check that was changed is written over; one that is missing is added at the end; a copy is an
    ordinary cell. The kernel is that of the source. Everything else stays as the learner left it,
    without outputs.
    """
    checks = _checks_of(source)
    _strip_copies(handed_in)
    known = {name for name, _ in _named_cells(source)}
    found = {name for name, _ in _named_cells(handed_in)}
    if not known & found:
        raise ClassroomError("it has none of the exercises of the source")
    for name in sorted(found - known):
        raise ClassroomError(f"its cell {name!r} is not one of the source's")
    cells = [checks.get(_name(cell), cell) for cell in handed_in.cells]
    cells += [cell for name, cell in checks.items() if name not in found]
    for cell in cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return nbformat.v4.new_notebook(cells=cells, metadata=source.metadata)


def _checks_of(source: Any) -> dict[str, Any]:
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
    return checks


def _name(cell: Any) -> str:
    """Return the name that nbgrader knows a cell by; nothing for a cell of the learner's own."""
    grading = cell.metadata.get("nbgrader")
    return str(grading.get("grade_id", "")) if isinstance(grading, dict) else ""


def _named_cells(notebook: Any) -> list[tuple[str, Any]]:
    return [(_name(cell), cell) for cell in notebook.cells if _name(cell)]
