"""What was handed in: find the files of a class, and read the cells of each."""

import hashlib
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import nbformat
import nbformat.reader

from whywrong.catalog import Catalog
from whywrong.grade.results import plain_text
from whywrong.grade.verdicts import Code

__all__ = [
    "PointScheme",
    "Submission",
    "CannotGrade",
    "scheme_of",
    "scheme_of_release",
    "cut",
    "find_submissions",
    "read_bytes",
    "read_code",
    "safe_name",
]

_MOST_BYTES = 20 << 20
_ENDINGS = (".ipynb", ".py")
_NOT_HANDED_IN = ("__MACOSX", "__pycache__", "__init__.py")
_OF_PROGRAMS = (".git", ".ipynb_checkpoints", ".Trash", ".vscode")
_HIDDEN = "is left out: its name begins with a dot"
_NO_ANSWER = "is neither a notebook nor a .py file"
_MOST_NOTES = 20
_CHECK = re.compile(r"^(?:\w+\.)*(?:check|require)\(\s*([A-Za-z_]\w*)", re.M)
_NO_CALL = re.compile(r"#|(import|from) |\s*$")
_DEFINED = re.compile(r"^(?:def|class) (\w+)", re.M)
_TEXT = re.compile(r"[\w.@+ -]")


class CannotGrade(Exception):
    """Something that was handed in cannot be graded as it is; the text says why."""


@dataclass(frozen=True)
class Submission:
    """One file that a student handed in.

    Where the place names neither assignment nor notebook, as for ``STUDENT.ipynb``, they are empty.
    """

    path: Path
    student: str
    assignment: str
    notebook: str  # its name without the ending

    @property
    def key(self) -> str:
        """A name for the files of its results, which no other submission has."""
        parts = (self.student, self.assignment, self.notebook)
        shown = "-".join(
            filter(None, ("".join(_TEXT.findall(part)) for part in parts))
        )
        digest = hashlib.sha256(_bytes("\0".join(parts))).hexdigest()
        return f"{cut(shown, 80).replace(' ', '_')}-{digest[:10]}"

    @property
    def ending(self) -> str:
        """``".ipynb"`` or ``".py"``, also where the file's name has capitals."""
        return self.path.suffix.lower()


def safe_name(name: str) -> str:
    """Return a name for a file that no other name gives, on no system.

    Where a name cannot be kept as it is, the result has a ``~``, which no name has that is kept.
    """
    kept = cut("".join(c if c.isalnum() or c in "-_.@+" else "_" for c in name), 80)
    # Some file systems take capitals for small letters.
    if kept == name == name.casefold() and kept.strip("."):
        return name
    return f"{kept.strip('.')}~{hashlib.sha256(_bytes(name)).hexdigest()[:10]}"


def cut(text: str, most: int) -> str:
    """Return what of a text takes no more than some bytes, as a file's name is measured."""
    return _bytes(text)[:most].decode("utf-8", "ignore")


def _bytes(text: str) -> bytes:
    # A file's name may have bytes that are not text; names that differ in them stay apart.
    return text.encode("utf-8", "surrogatepass")


def find_submissions(
    places: Sequence[Path], assignment: str = "", notebook: str = ""
) -> tuple[list[Submission], list[tuple[Path, str]]]:
    """Return the submissions in some files and folders, and what is left out, with the reason.

    A folder is laid out as nbgrader has it, ``STUDENT/ASSIGNMENT/NOTEBOOK.ipynb``, or
    ``STUDENT/NOTEBOOK.ipynb``, or ``STUDENT.ipynb``. Beside a student's notebook no ``.py`` file is
    an answer. An assignment, or a notebook's name, is the only one that is wanted, and that of
    files whose place names none.
    """
    found: dict[str, Submission] = {}
    left_out: list[tuple[Path, str]] = []
    for place in places:
        for path, parts in _files(place, left_out):
            one = _submission_at(path, parts)
            why = _unwanted(one, assignment, notebook)
            if why is not None:
                left_out += [(path, f"is left out: it {why}")] if why else []
                continue
            one = replace(
                one,
                assignment=one.assignment or assignment,
                notebook=one.notebook or notebook,
            )
            other = found.setdefault(one.key, one)
            if other.path != path:
                same = f"{other.path} is of the same student and name"
                left_out.append((path, f"is left out: {same}"))
    return sorted(found.values(), key=lambda one: one.key), left_out


def _unwanted(one: Submission, assignment: str, notebook: str) -> str | None:
    """Return why a submission is not wanted, or "" where that needs no word; None if it is."""
    if assignment and one.assignment not in ("", assignment):
        is_deeper = assignment in one.assignment.split("/")
        return f"does not lie in {one.student}/{assignment}" if is_deeper else ""
    if notebook and one.notebook not in ("", notebook):
        return f"is not called {notebook}"
    return None


def _files(
    place: Path, left_out: list[tuple[Path, str]]
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Yield the files of a place, each with its names from there on."""
    try:
        is_folder = stat.S_ISDIR(os.stat(place).st_mode)
    except OSError as error:
        left_out.append((place, f"cannot be read ({error.strerror})"))
        return
    if is_folder:
        yield from _files_below(place, left_out)
    elif _is_answer(place.name):
        yield place, (place.name,)
    else:
        left_out.append((place, _NO_ANSWER))


def _is_answer(name: str) -> bool:
    return name.lower().endswith(_ENDINGS)


def _files_below(
    top: Path, left_out: list[tuple[Path, str]]
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    def refused(error: OSError) -> None:
        left_out.append(
            (Path(error.filename), f"cannot be read ({error.strerror})")
        )

    for folder, folders, names in os.walk(top, onerror=refused):
        if folder == str(top):
            hidden = (name for name in sorted(folders) if _is_hidden_student(name))
            left_out.extend((Path(folder, name), _HIDDEN) for name in hidden)
        folders[:] = _without_clutter(folders)
        names = _without_clutter(names)
        here = [name for name in names if _is_answer(name)]
        notebooks = [name for name in here if name.lower().endswith(".ipynb")]
        inside = Path(folder).relative_to(top).parts
        for name in folders:  # which os.walk does not follow
            if os.path.islink(os.path.join(folder, name)):
                left_out.append((Path(folder, name), "is a link"))
        if not inside:
            others = (name for name in names if name not in here)
            left_out.extend((Path(folder, name), _NO_ANSWER) for name in others)
        elif not here and not folders:
            left_out.append(
                (Path(folder), "holds neither a notebook nor a .py file")
            )
        for name in notebooks if notebooks and inside else here:
            yield Path(folder, name), (*inside, name)


def _is_hidden_student(name: str) -> bool:
    return name[0] == "." and name not in _OF_PROGRAMS


def _without_clutter(names: Iterable[str]) -> list[str]:
    """Return names in order, less those that a computer has put there."""
    return sorted(n for n in names if n[0] != "." and n not in _NOT_HANDED_IN)


def _submission_at(path: Path, parts: tuple[str, ...]) -> Submission:
    if len(parts) == 1:
        return Submission(path, path.stem, "", "")
    return Submission(path, parts[0], "/".join(parts[1:-1]), path.stem)


def read_bytes(path: Path) -> bytes:
    """Return what a file holds; raise `CannotGrade` where it is not an ordinary file."""
    try:
        handle = os.open(
            path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0)
        )
        with open(handle, "rb") as file:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode):
                raise CannotGrade("is not an ordinary file")
            if about.st_size > _MOST_BYTES:
                raise CannotGrade(f"has {about.st_size:,} bytes, more than is read")
            return file.read(_MOST_BYTES)
    except OSError as error:
        if os.path.islink(path):  # unlike Path.is_symlink, no error without rights
            raise CannotGrade("is a link") from None
        said = f"cannot be read ({error.strerror})"
        raise CannotGrade("is a folder" if os.path.isdir(path) else said) from None


# --- cells ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cell:
    number: int
    source: str
    id: str = ""
    is_check: bool = False
    points: float | None = None


PointScheme = dict[str, float]  # what an assignment asks for, and its points


def read_code(
    content: bytes, ending: str, scheme: PointScheme, catalog: Catalog
) -> tuple[Code, PointScheme, list[str]]:
    """Return what is to be run, what is asked for, and what is wrong with the file.

    What the scheme does not say, the file's own checks do. Raises `CannotGrade` if it is neither a
    notebook nor text, or nothing in it can be graded.
    """
    is_notebook = ending == ".ipynb"
    cells = _cells(content) if is_notebook else [_Cell(1, _decode(content))]
    notes = _notes(cells, scheme, catalog) if is_notebook else []
    if not scheme:
        scheme = scheme_of(_exercises_in(cells, catalog), catalog)
    if not scheme:
        names = sorted(_checked_exercises(cells)) if is_notebook else []
        of = f": it checks {', '.join(names[:3])}"[:200] if names else ""
        raise CannotGrade(f"has no exercise of this course{of}")
    code = Code(tuple((c.number, c.source) for c in cells if not c.is_check))
    return code, scheme, notes


def scheme_of(names: Iterable[str], catalog: Catalog) -> PointScheme:
    """Return some exercises with the points that they have by themselves."""
    return {name: float(catalog.find(name).points) for name in names}


def scheme_of_release(content: bytes, catalog: Catalog) -> PointScheme:
    """Return what a released notebook asks for, with its points."""
    own = _exercises_in(_cells(content), catalog)
    said = {name: points for name, points in own.items() if points is not None}
    return scheme_of(own, catalog) | said


def _exercises_in(
    cells: Sequence[_Cell], catalog: Catalog
) -> dict[str, float | None]:
    """Return the exercises of the course that cells check or, if they check none, define."""
    defined = (name for cell in cells for name in _DEFINED.findall(cell.source))
    names = _checked_exercises(cells) or dict.fromkeys(defined)
    return {name: of for name, of in names.items() if name in catalog.modules}


def _checked_exercises(cells: Sequence[_Cell]) -> dict[str, float | None]:
    """Return the exercises that are checked, by the cells' ids or by the calls in them."""
    found: dict[str, float | None] = {}
    for cell in cells:
        if cell.is_check:
            call = _CHECK.search(cell.source)
            if name := cell.id.removesuffix("-check") or (call and call[1]):
                found.setdefault(name, cell.points)
    return found


def _notes(
    cells: Sequence[_Cell], scheme: PointScheme, catalog: Catalog
) -> list[str]:
    """Say what is missing, twice there, or of another course."""
    ids = Counter(cell.id for cell in cells if cell.id)
    notes = [f"the cell `{id}` is there {times} times; all of them are run"
             for id, times in ids.items() if times > 1]  # fmt: skip
    if any(id.endswith(("-answer", "-check")) for id in ids):
        missing = (name for name in scheme if f"{name}-answer" not in ids)
        notes += [f"the cell `{name}-answer` is missing" for name in missing]
    checked = _checked_exercises(cells)
    unknown = [f"`{name}`" for name in checked if name not in catalog.modules]
    if unknown:
        named = ", ".join(unknown[:5])
        notes.append(f"not in this course, or of another version of it: {named}")
    return [plain_text(note)[:200] for note in notes[:_MOST_NOTES]]


def _cells(content: bytes) -> list[_Cell]:
    """Return the code cells of a notebook, numbered from 1."""
    try:
        # nbformat.reads would also hold it against the format's schema and print what it finds,
        # cell ids for example, which change nothing here.
        notebook = nbformat.convert(nbformat.reader.reads(_decode(content)), 4)
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        return [
            _Cell(number, str(cell.source), *_role(cell.metadata, str(cell.source)))
            for number, cell in enumerate(code, 1)
        ]
    except CannotGrade:
        raise
    # nbformat lets through whatever a broken file makes it raise.
    except Exception as error:
        said = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        raise CannotGrade(f"is not a notebook ({said})") from None


def _role(
    metadata: Mapping[str, object], source: str
) -> tuple[str, bool, float | None]:
    """Return a cell's id of nbgrader's, whether it is a check, and its points."""
    grading = metadata.get("nbgrader")
    grading = grading if isinstance(grading, Mapping) else {}
    id, points = str(grading.get("grade_id", "")), grading.get("points")
    tags = metadata.get("tags")
    is_check = isinstance(tags, list) and "check" in tags
    is_check |= bool(grading.get("grade")) and not grading.get("solution")
    calls = [line for line in source.splitlines() if not _NO_CALL.match(line)]
    is_check |= bool(calls) and all(map(_CHECK.match, calls))
    return id, is_check, float(points) if isinstance(points, int | float) else None


def _decode(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CannotGrade(
            f"is not a text (byte {error.start} is not UTF-8)"
        ) from None
