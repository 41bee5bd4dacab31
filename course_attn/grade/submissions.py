"""What was handed in: find the files of a class, and read the cells of each."""

import ast
import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import nbformat

from course_attn.checking.declare import Catalog
from course_attn.grade.verdicts import Code

__all__ = [
    "Asked",
    "Submission",
    "Trouble",
    "asked_by",
    "asked_of_chapter",
    "found_in",
    "read_code",
    "read_bytes",
]

_MOST_BYTES = 20 << 20
_ENDINGS = (".ipynb", ".py")
_CHECK = re.compile(r"^(?:\w+\.)*(?:check|require)\(\s*([A-Za-z_]\w*)", re.M)
_IMPORT = re.compile(r"(import|from) ")
_TEXT = re.compile(r"[\w.@+ -]")


class Trouble(Exception):
    """Something that was handed in cannot be graded as it is; the text says why."""


@dataclass(frozen=True)
class Submission:
    """One file that a student handed in.

    Parameters
    ----------
    path : Path
        Where it lies.
    student, assignment, notebook : str
        Whose it is, of which assignment (may be empty), and its name without the ending.
    """

    path: Path
    student: str
    assignment: str
    notebook: str

    @property
    def key(self) -> str:
        """A name for the files of its results, which no other submission has."""
        parts = (self.student, self.assignment, self.notebook)
        shown = "-".join(
            filter(None, ("".join(_TEXT.findall(part)) for part in parts))
        )
        digest = hashlib.sha256(
            "\0".join(parts).encode("utf-8", "replace")
        ).hexdigest()
        return f"{shown[:80].replace(' ', '_')}-{digest[:10]}"


def found_in(
    places: Sequence[Path],
) -> tuple[list[Submission], list[tuple[Path, str]]]:
    """Return the submissions in some files and folders, and what could not be looked at.

    A folder is laid out as nbgrader has it, ``STUDENT/ASSIGNMENT/NOTEBOOK.ipynb``, or
    ``STUDENT/NOTEBOOK.ipynb``, or ``STUDENT.ipynb``. Beside a student's notebook no ``.py`` file is
    an answer.

    Parameters
    ----------
    places : sequence of Path
        Files and folders.
    """
    found: dict[str, Submission] = {}
    troubles: list[tuple[Path, str]] = []
    for place in places:
        if not place.is_dir():
            if place.suffix not in _ENDINGS:
                said = (
                    "is neither a notebook nor a .py file"
                    if place.exists()
                    else "does not exist"
                )
                troubles.append((place, said))
                continue
            files: Iterable[tuple[Path, tuple[str, ...]]] = [(place, (place.name,))]
        else:
            files = _files(place, troubles)
        for path, parts in files:
            submission = _named(path, parts)
            other = found.setdefault(submission.key, submission)
            if other.path != path:
                troubles.append(
                    (
                        path,
                        f"is left out: {other.path} is of the same student and name",
                    )
                )
    return sorted(found.values(), key=lambda one: one.key), troubles


def _files(
    top: Path, troubles: list[tuple[Path, str]]
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    def refused(error: OSError) -> None:
        troubles.append(
            (Path(error.filename), f"cannot be read ({error.strerror})")
        )

    for folder, folders, names in os.walk(top, onerror=refused):
        folders[:] = sorted(name for name in folders if name[0] not in "._")
        here = [
            name
            for name in sorted(names)
            if name[0] not in "._" and name.endswith(_ENDINGS)
        ]
        notebooks = [name for name in here if name.endswith(".ipynb")]
        inside = Path(folder).relative_to(top).parts
        if not here and not folders and inside:
            troubles.append(
                (Path(folder), "holds neither a notebook nor a .py file")
            )
        for name in notebooks if notebooks and inside else here:
            yield Path(folder, name), (*inside, name)


def _named(path: Path, parts: tuple[str, ...]) -> Submission:
    stem = path.stem
    if len(parts) == 1:
        return Submission(path, stem, "", stem)
    return Submission(path, parts[0], "/".join(parts[1:-1]), stem)


def read_bytes(path: Path) -> bytes:
    """Return what a file holds; raise `Trouble` where it is no ordinary file."""
    try:
        handle = os.open(
            path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0)
        )
        with open(handle, "rb") as file:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode):
                raise Trouble("is not an ordinary file")
            if about.st_size > _MOST_BYTES:
                raise Trouble(f"has {about.st_size:,} bytes, more than is read")
            return file.read(_MOST_BYTES)
    except OSError as error:
        said = f"cannot be read ({error.strerror})"
        said = "is a link" if path.is_symlink() else said
        raise Trouble("is a folder" if path.is_dir() else said) from None


# --- cells ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cell:
    number: int
    source: str
    id: str = ""
    is_check: bool = False
    points: float | None = None


@dataclass(frozen=True)
class Asked:
    """What an assignment asks for.

    Parameters
    ----------
    points : mapping
        The points of each exercise.
    """

    points: Mapping[str, float] = field(default_factory=dict)


def read_code(
    content: bytes, suffix: str, asked: Asked, catalog: Catalog
) -> tuple[Code, Asked, list[str]]:
    """Return what is to be run, what is asked for, and what is wrong with the file.

    Parameters
    ----------
    content : bytes
        The file's.
    suffix : str
        ``".ipynb"`` or ``".py"``.
    asked : Asked
        What the assignment asks for; if it names nothing, the file's own checks say it.
    catalog : Catalog
        The exercises of the course.

    Raises
    ------
    Trouble
        If it is no notebook and no text, or nothing in it can be graded.
    """
    cells = _cells(content) if suffix == ".ipynb" else [_Cell(1, _text(content))]
    notes = _notes(cells, asked, catalog) if suffix == ".ipynb" else []
    if not asked.points:
        asked = Asked(
            {name: catalog.find(name).points for name in _own(cells, catalog)}
        )
    if not asked.points:
        names = sorted(_checked(cells)) if suffix == ".ipynb" else []
        of = f": it checks {', '.join(names[:3])}" if names else ""
        raise Trouble(f"has no exercise of this course{of}")
    code = Code(tuple((c.number, c.source) for c in cells if not c.is_check))
    return code, asked, notes


def asked_of_chapter(name: str, catalog: Catalog) -> Asked:
    """Return what a notebook asks for that is called like a chapter; nothing for others."""
    names = catalog.chapters.get(name, ())
    return Asked({exercise: catalog.find(exercise).points for exercise in names})


def asked_by(content: bytes, catalog: Catalog) -> Asked:
    """Return what a released notebook asks for, with its points."""
    own = _own(_cells(content), catalog)
    return Asked(
        {n: catalog.find(n).points if p is None else p for n, p in own.items()}
    )


def _own(cells: Sequence[_Cell], catalog: Catalog) -> dict[str, float | None]:
    """Return the exercises of the course that cells check or, if they check none, define."""
    names = _checked(cells)
    if not names:
        for cell in cells:
            names.update(dict.fromkeys(_defined(cell.source)))
    return {
        name: points for name, points in names.items() if name in catalog.modules
    }


def _checked(cells: Sequence[_Cell]) -> dict[str, float | None]:
    """Return the exercises that are checked, by the cells' ids or by the calls in them."""
    found: dict[str, float | None] = {}
    for cell in cells:
        if cell.is_check:
            name = cell.id.removesuffix("-check") or next(
                iter(_CHECK.findall(cell.source)), ""
            )
            if name:
                found.setdefault(name, cell.points)
    return found


def _defined(source: str) -> list[str]:
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return re.findall(r"^(?:def|class) (\w+)", source, re.M)
    kinds = ast.FunctionDef | ast.ClassDef
    return [node.name for node in body if isinstance(node, kinds)]


def _notes(cells: Sequence[_Cell], asked: Asked, catalog: Catalog) -> list[str]:
    """Say what is missing, twice there, or of another course."""
    ids = [cell.id for cell in cells if cell.id]
    notes = [f"the cell `{id}` is there {ids.count(id)} times; all of them are run"
             for id in dict.fromkeys(ids) if ids.count(id) > 1]  # fmt: skip
    for name in asked.points:
        if f"{name}-answer" not in ids and any(
            id.endswith("-answer") for id in ids
        ):
            notes.append(f"the cell `{name}-answer` is missing")
    unknown = [name for name in _checked(cells) if name not in catalog.modules]
    if unknown:
        notes.append(
            f"`{'`, `'.join(unknown[:5])}` is no exercise of this course, or of another version"
        )
    return notes


def _cells(content: bytes) -> list[_Cell]:
    """Return the code cells of a notebook, numbered from 1."""
    try:
        notebook = nbformat.reads(_text(content), as_version=4)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        return [
            _Cell(number, str(cell.source), *_role(cell.metadata, str(cell.source)))
            for number, cell in enumerate(code, 1)
        ]
    except Trouble:
        raise
    except (
        Exception
    ) as error:  # nbformat lets through whatever a broken file makes it raise
        said = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        raise Trouble(f"is not a notebook ({said})") from None


def _role(
    metadata: Mapping[str, object], source: str
) -> tuple[str, bool, float | None]:
    """Return a cell's id of nbgrader's, whether it is a check, and its points."""
    grading = metadata.get("nbgrader")
    points: object = None
    id, is_check = "", "check" in _as_list(metadata.get("tags"))
    if isinstance(grading, Mapping):
        id, points = str(grading.get("grade_id", "")), grading.get("points")
        is_check = is_check or (
            bool(grading.get("grade")) and not grading.get("solution")
        )
    lines = [
        line for line in source.splitlines() if line.strip() and line[0] != "#"
    ]
    calls = [line for line in lines if not _IMPORT.match(line)]
    is_check = is_check or (bool(calls) and all(map(_CHECK.match, calls)))
    return id, is_check, float(points) if isinstance(points, int | float) else None


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Trouble(f"is not a text (byte {error.start} is not UTF-8)") from None
