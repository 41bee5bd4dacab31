"""The results: a file for each submission, which a second run finds done, and the tables."""

import contextlib
import csv
import errno
import io
import json
import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from whywrong.files import write_whole
from whywrong.result import Result

__all__ = [
    "GradedSubmission",
    "Mark",
    "Store",
    "plain_text",
    "write_file",
]

_COLUMNS = (
    "student", "assignment", "notebook", "exercise", "status", "points", "of", "faults", "note"
)  # fmt: skip
# What a mark and a verdict call by the same names.
_SAID = ("status", "message", "faults", "printed", "remarks")
# Control characters, those that turn the direction of the text after them, ends of lines other than
# the ordinary one, and halves of characters, which cannot be written at all.
_NOT_SHOWN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SEED_WITHIN = 10.0  # seconds
_SEED_MODE = 0o660  # for who grades together, and nobody else


def plain_text(text: str, *, lines: bool = False) -> str:
    """Return a text that does nothing but be read, no matter who wrote it.

    With ``lines`` it may have several lines, and tabs.
    """
    shown = _NOT_SHOWN.sub("�", text)
    return shown if lines else shown.replace("\n", " ").replace("\t", " ")


@dataclass(frozen=True)
class Mark:
    """The verdict on one exercise, with its points."""

    exercise: str
    status: str
    points: float
    of: float
    message: str = ""
    faults: tuple[str, ...] = ()
    printed: str = ""
    remarks: tuple[str, ...] = ()

    @classmethod
    def of_result(cls, result: Result, of: float) -> "Mark":
        """Give a verdict its points."""
        points = of if result.passed else 0.0
        said = {name: getattr(result, name) for name in _SAID}
        return cls(exercise=result.name, points=points, of=of, **said)

    @property
    def result(self) -> Result:
        """The verdict, as a learner sees it."""
        said = {name: getattr(self, name) for name in _SAID}
        return Result(name=self.exercise, **said)


@dataclass(frozen=True)
class GradedSubmission:
    """What came out for one submission."""

    key: str
    path: str
    student: str
    assignment: str
    notebook: str
    digest: str  # of its content and of how it was graded
    marks: tuple[Mark, ...] = ()  # none where it could not be graded
    notes: tuple[str, ...] = ()  # what is wrong with the file
    trouble: str = ""  # why it could not be graded
    seconds: float = 0.0

    @property
    def points(self) -> float:
        """All its points."""
        return sum(mark.points for mark in self.marks)

    @property
    def of(self) -> float:
        """The points that can be had."""
        return sum(mark.of for mark in self.marks)

    @property
    def messages(self) -> tuple[str, ...]:
        """What its teacher is to be told."""
        return (self.trouble, *self.notes) if self.trouble else self.notes

    def after(self, earlier: "GradedSubmission | None") -> "GradedSubmission":
        """Return what counts: where this could not be graded, what was found earlier."""
        if not self.trouble or earlier is None or earlier.trouble:
            return self
        note = f"{self.trouble}; the points are those of an earlier time"
        notes = tuple(dict.fromkeys((*earlier.notes, note)))
        return replace(earlier, digest="", notes=notes)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "GradedSubmission":
        """Take back what was made ready for JSON; raise ``ValueError`` if it is something else."""
        try:
            marks: Any = tuple(
                Mark(**{k: _as_tuple(v) for k, v in mark.items()})
                for mark in data["marks"]
            )
            return cls(**{**data, "marks": marks, "notes": tuple(data["notes"])})
        except (TypeError, LookupError, AttributeError) as error:
            raise ValueError(f"these are not results: {error}") from None


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all, in a folder that is made where it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)


def _open_for_tutors(path: str, flags: int) -> int:
    return os.open(path, flags, _SEED_MODE)


class Store:
    """The folder of the results."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def seed(self, wanted: str | None) -> str:
        """Return the seed of the other inputs: that of the first run in this folder.

        Another one that a teacher wants makes everything be graded anew.
        """
        path = self.folder / "seed.txt"
        self.folder.mkdir(parents=True, exist_ok=True)
        if wanted is not None:
            write_whole(path, f"{wanted}\n", _SEED_MODE)
            return wanted
        # Several machines may begin at once: the first of them makes it, the others wait for it.
        with (
            contextlib.suppress(FileExistsError),
            open(path, "x", encoding="ascii", opener=_open_for_tutors) as file,
        ):
            file.write(f"{os.urandom(8).hex()}\n")
        until = time.monotonic() + _SEED_WITHIN
        while not (seed := path.read_text("utf-8", "replace").strip()):
            if time.monotonic() > until:
                raise OSError(errno.EIO, "seed.txt is empty: remove it")
            time.sleep(0.05)
        return seed

    def read(self, key: str) -> GradedSubmission | None:
        """Return what was found earlier; None where there is nothing, or nothing of use."""
        try:
            text = self._path(key).read_text("utf-8")
            return GradedSubmission.from_data(json.loads(text))
        except (OSError, ValueError, RecursionError):
            return None

    def write(self, graded: GradedSubmission) -> None:
        """Keep what was found."""
        write_file(self._path(graded.key), json.dumps(asdict(graded), indent=1))

    def drop(self, key: str) -> None:
        """Forget what was found."""
        self._path(key).unlink(missing_ok=True)

    def all(self) -> list[GradedSubmission]:
        """Return everything that was found, by all runs and all machines."""
        files = sorted((self.folder / "submissions").glob("*.json"))
        read = (self.read(file.stem) for file in files)
        return [graded for graded in read if graded is not None]

    def write_tables(self, graded: Sequence[GradedSubmission]) -> None:
        """Write the tables of all results."""
        data = [asdict(one) for one in graded]
        write_file(self.folder / "grades.json", json.dumps(data, indent=1))
        write_file(self.folder / "grades.csv", _table(graded))

    def _path(self, key: str) -> Path:
        return self.folder / "submissions" / f"{key}.json"


def _table(graded: Iterable[GradedSubmission]) -> str:
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(_COLUMNS)
    for one in graded:
        whose, note = (
            (one.student, one.assignment, one.notebook),
            " | ".join(one.notes),
        )
        rows = [
            (
                m.exercise,
                m.status,
                f"{m.points:g}",
                f"{m.of:g}",
                " ".join(m.faults),
                note,
            )
            for m in one.marks
        ]
        if one.trouble:
            rows.insert(0, ("", "not graded", "", "", "", one.trouble))
        table.writerows(map(_cell, (*whose, *row)) for row in rows)
    return text.getvalue()


def _cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula, or cuts at a semicolon."""
    clean = plain_text(text).replace(";", ",")
    return f"'{clean}" if clean[:1] in ("=", "+", "-", "@") else clean
