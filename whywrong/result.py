"""What a learner sees, and what is remembered: verdicts, hints, solutions and progress.

Passes are kept in one small JSON file that nothing can make the learner pay for. Writes are atomic
(a temporary file, then a rename) and happen under a lock of the operating system, which two
notebooks can share and which vanishes with its process. A file that cannot be read is set aside,
never overwritten. Nothing here raises: trouble comes back as a sentence.
"""

import json
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

from whywrong.declare import Exercise, Question
from whywrong.files import write_whole
from whywrong.picture import picture
from whywrong.source import Source, show_source

__all__ = [
    "Hints",
    "NotRight",
    "Overview",
    "Result",
    "card",
    "passed_exercises",
    "record_pass",
    "rich_text",
    "show_hints",
    "show_solution",
    "store_path",
    "take_over",
]


# --- verdicts -------------------------------------------------------------------------------------


_HEADINGS = {
    "right": ("✓", "Right", "#1a7f37"),
    "wrong": ("✗", "Not yet", "#bf5a00"),
    "crashed": ("⚠", "Stopped by an error", "#c4314b"),
    "todo": ("○", "Not attempted yet", "#6e7781"),
}
_MOST_PRINTED = 4000


class NotRight(Exception):
    """Raised in strict mode by every answer that is not right."""

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows: the verdict without the engine's own lines."""
        return [f"NotRight: {self}"]


@dataclass(frozen=True, repr=False)
class Result:
    """The verdict on one exercise.

    Parameters
    ----------
    status : str
        ``"right"``, ``"wrong"``, ``"crashed"`` or ``"todo"``.
    message : str
        What to say to the learner.
    name : str
        The exercise.
    faults : tuple of str
        The ids of the mistakes that were recognized.
    printed : str
        What the learner's function printed.
    remarks : tuple of str
        Notes that do not change the verdict.
    """

    status: str
    message: str
    name: str = ""
    faults: tuple[str, ...] = ()
    printed: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.status == "right"

    def __repr__(self) -> str:
        """Give the verdict as plain text."""
        symbol, word, _ = _HEADINGS[self.status]
        lines = [
            f"{symbol} {word}: {self.name}" if self.name else f"{symbol} {word}"
        ]
        lines += [self.message] if self.message else []
        lines += [f"Note: {remark}" for remark in self.remarks]
        if self.printed:
            lines.append(f"Your function printed:\n{_shortened(self.printed)}")
        return "\n".join(lines)

    def _ipython_display_(self) -> None:
        """Display the verdict; as a cell's result, nbgrader would read a partial grade from it."""
        from IPython.display import display

        display(
            {"text/plain": repr(self), "text/html": self._repr_html_()}, raw=True
        )

    def _repr_html_(self) -> str:
        symbol, word, color = _HEADINGS[self.status]
        name = f": <code>{escape(self.name)}</code>" if self.name else ""
        heading = f'<strong><span aria-hidden="true">{symbol}</span> {word}</strong>{name}'
        parts = [rich_text(self.message)]
        parts += [
            f"<p style='margin:.4em 0'>Note: {_inline(remark)}</p>"
            for remark in self.remarks
        ]
        if self.printed:
            parts.append(_folded("Your function printed", self.printed))
        return card(heading, "".join(parts), color)


def card(heading: str, body: str, color: str = "#6e7781") -> str:
    """Return an HTML card that is legible on light and dark pages; both texts are HTML."""
    style = (
        f"border-left:.35em solid {color};padding:.4em .9em;margin:.4em 0;"
        "background:transparent;color:inherit;line-height:1.45"
    )
    return f'<div role="status" style="{style}"><div>{heading}</div>{body}</div>'


def rich_text(text: str) -> str:
    """Return a message as HTML: paragraphs, indented blocks as code, `` `code` `` in line."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    return "".join(_block(block) for block in blocks)


def _block(text: str) -> str:
    if all(line.startswith("    ") for line in text.splitlines()):
        lines = "\n".join(line[4:] for line in text.splitlines())
        return f"<pre style='{_PRE}'>{escape(lines)}</pre>"
    return f"<p style='margin:.4em 0'>{_inline(text)}</p>"


def _inline(text: str) -> str:
    parts = re.split(r"`([^`\n]+)`", escape(text))
    parts[1::2] = [f"<code>{code}</code>" for code in parts[1::2]]
    parts[::2] = [
        re.sub(r"\*(\w[^*\n]*)\*", r"<em>\1</em>", words) for words in parts[::2]
    ]
    return "".join(parts).replace("\n", "<br>")


def _folded(summary: str, text: str) -> str:
    shown = escape(_shortened(text))
    return f"<details><summary>{summary}</summary><pre style='{_PRE}'>{shown}</pre></details>"


def _shortened(text: str) -> str:
    text = text.encode(
        "utf-8", "replace"
    ).decode()  # a lone surrogate cannot be shown
    if len(text) <= _MOST_PRINTED:
        return text.rstrip("\n")
    return (
        text[:_MOST_PRINTED]
        + f"\n… and {len(text) - _MOST_PRINTED} characters more"
    )


_PRE = "margin:.4em 0;padding:0 0 0 1.5em;background:transparent;color:inherit;white-space:pre-wrap"


# --- hints and solutions --------------------------------------------------------------------------


_asked: dict[str, int] = {}


@dataclass(frozen=True, repr=False)
class Hints:
    """The hints of one exercise that have been asked for so far.

    Parameters
    ----------
    name : str
        The exercise.
    shown : tuple of str
        The hints, from the first on.
    total : int
        How many there are.
    leads_to_solution : bool
        Whether the last one names `solution`.
    """

    name: str
    shown: tuple[str, ...]
    total: int
    leads_to_solution: bool = True

    def __repr__(self) -> str:
        """Give the hints as plain text."""
        lines = [
            f"Hint {i} of {self.total}: {hint}"
            for i, hint in enumerate(self.shown, 1)
        ]
        return "\n".join([*lines, self._next().replace("`", "")])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{rich_text(hint)}</li>" for hint in self.shown)
        heading = f"<strong>Hints for <code>{self.name}</code></strong>"
        return card(
            heading,
            f"<ol style='margin:.4em 0'>{items}</ol>{rich_text(self._next())}",
        )

    def _next(self) -> str:
        if len(self.shown) < self.total:
            return f'Call `hint("{self.name}")` again for the next one.'
        last = "That was the last one."
        if not self.leads_to_solution:
            return last
        return f'{last} `solution("{self.name}")` shows a solution.'


def show_hints(
    task: Exercise | Question, *, leads_to_solution: bool = True
) -> Hints:
    """Return one hint more than the last time."""
    _asked[task.name] = min(_asked.get(task.name, 0) + 1, len(task.hints))
    shown = task.hints[: _asked[task.name]]
    return Hints(task.name, shown, len(task.hints), leads_to_solution)


def show_solution(task: Exercise | Question) -> Source:
    """Return the source of the reference, which a notebook shows highlighted."""
    return show_source(task.solution)


# --- progress, as a picture and a table -----------------------------------------------------------


_WIDTH = 20


@dataclass(frozen=True, repr=False)
class Overview:
    """The progress of a learner.

    Parameters
    ----------
    chapters : mapping
        The exercises of each chapter.
    passed : mapping
        The passed exercises and when they were first passed.
    message : str, optional
        What went wrong with reading them.
    """

    chapters: Mapping[str, Sequence[str]]
    passed: Mapping[str, str]
    message: str | None = None

    @property
    def done(self) -> int:
        """How many exercises are passed."""
        return sum(
            name in self.passed
            for names in self.chapters.values()
            for name in names
        )

    @property
    def total(self) -> int:
        """How many exercises there are."""
        return sum(map(len, self.chapters.values()))

    def __repr__(self) -> str:
        """Give the table as plain text."""
        lines = [
            self._line(chapter, names) for chapter, names in self.chapters.items()
        ]
        lines.append(f"{self.done} of {self.total} exercises done.")
        return "\n".join(
            lines + ([self.message.replace("`", "")] if self.message else [])
        )

    def _line(self, chapter: str, names: Sequence[str]) -> str:
        done = [name in self.passed for name in names]
        filled = round(_WIDTH * sum(done) / max(len(done), 1))
        bar = "█" * filled + "░" * (_WIDTH - filled)
        marks = "  ".join(
            f"{'✓' if yes else '·'} {name}"
            for yes, name in zip(done, names, strict=True)
        )
        return f"{chapter:<14} {bar} {sum(done)}/{len(done)}  {marks}"

    def _repr_html_(self) -> str:
        rows = "".join(
            self._row(chapter, names) for chapter, names in self.chapters.items()
        )
        head = "".join(
            f"<th scope='col' style='{_CELL}'>{title}</th>" for title in _TITLES
        )
        caption = f"<caption>{self.done} of {self.total} exercises done</caption>"
        note = rich_text(self.message) if self.message else ""
        body = f"{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody>"
        table = f"<table style='color:inherit'>{body}</table>"
        return (
            f"<div>{picture(self.chapters, self.passed)}"
            f"<details><summary>{self.done} of {self.total} exercises done, as a table"
            f"</summary>{table}</details>{note}</div>"
        )

    def _row(self, chapter: str, names: Sequence[str]) -> str:
        done = sum(name in self.passed for name in names)
        label = f"{escape(chapter)}: {done} of {len(names)}"
        bar = f"<progress value='{done}' max='{len(names)}' aria-label='{label}'></progress>"
        marks = " ".join(self._mark(name) for name in names)
        cells = (f"{bar} {done}/{len(names)}", marks)
        shown = "".join(f"<td style='{_CELL}'>{cell}</td>" for cell in cells)
        return f"<tr><th scope='row' style='{_CELL}'>{escape(chapter)}</th>{shown}</tr>"

    def _mark(self, name: str) -> str:
        symbol, word = ("✓", "done") if name in self.passed else ("○", "open")
        sign = f"<span role='img' aria-label='{word}'>{symbol}</span>"
        return f"<span style='white-space:nowrap'>{sign} <code>{escape(name)}</code></span>"


_TITLES = ("Chapter", "Done", "Exercises")
_CELL = "text-align:left;color:inherit;background:transparent"


# --- progress, in a file --------------------------------------------------------------------------


_PATIENCE = 2.0  # seconds to wait for another notebook
# What the book's pages write into their files: the name of the book, and the files' editions.
_BOOK = "course_attn"
_VERSIONS = (1, 2)


def record_pass(name: str) -> str | None:
    """Remember that an exercise was passed; return a sentence where that did not work."""
    path: Path | None = None
    try:
        path = store_path()
        if path is None:
            return None
        path.parent.mkdir(parents=True, exist_ok=True)
        with _lock(path):
            passed, trouble = _read(path)
            if name not in passed:
                passed[name] = datetime.now(UTC).isoformat(timespec="seconds")
                _write(path, passed)
            return trouble
    except (
        OSError,
        RuntimeError,
    ) as error:  # RuntimeError: there is no home folder
        return f"Your progress could not be saved{_in(path)} ({_reason(error)})."


def take_over(file: str | os.PathLike[str]) -> str:
    """Take over what a file from a page of the book says was passed; return what to say of it.

    What was passed here already keeps its time. Nothing changes where the file is not one of ours.
    """
    try:
        saved = json.loads(Path(file).expanduser().read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):
        return (
            f"{file} cannot be read: it is damaged, or not a file of this course."
        )
    except (OSError, RuntimeError) as error:  # RuntimeError: nobody of this name
        return f"{file} could not be read ({_reason(error)})."
    if not isinstance(saved, dict) or not isinstance(saved.get("passed"), dict):
        return f"{file} is not a file of this course."
    if saved.get("book", _BOOK) != _BOOK:
        return f"{file} belongs to another book, {str(saved['book'])[:80]!r}."
    if saved.get("version") not in _VERSIONS:
        return f"{file} was saved by a newer edition of the course, which this one cannot read."
    path: Path | None = None
    try:
        path = store_path()
        if path is None:
            return "Progress is switched off (`COURSE_ATTN_PROGRESS=off`): nothing was taken over."
        path.parent.mkdir(parents=True, exist_ok=True)
        with _lock(path):
            passed, trouble = _read(path)
            new = {
                str(name): str(when)
                for name, when in saved["passed"].items()
                if name not in passed
            }
            _write(path, passed | new)
    except (OSError, RuntimeError) as error:
        return f"Your progress could not be saved{_in(path)} ({_reason(error)})."
    which = "exercise that was" if len(new) == 1 else "exercises that were"
    said = f"Taken over from {file}: {len(new)} {which} not here yet."
    return f"{said} {trouble}" if trouble else said


def passed_exercises() -> tuple[dict[str, str], str | None]:
    """Return the passed exercises with their times, and a sentence where there was trouble."""
    path: Path | None = None
    try:
        path = store_path()
        if path is None:
            return {}, "Progress is switched off (`COURSE_ATTN_PROGRESS=off`)."
        return _read(path)
    except (OSError, RuntimeError) as error:
        return {}, f"Your progress could not be read{_in(path)} ({_reason(error)})."


def store_path() -> Path | None:
    """Return the progress file; None where ``COURSE_ATTN_PROGRESS=off``."""
    wanted = os.environ.get("COURSE_ATTN_PROGRESS", "")
    if wanted.lower() == "off":
        return None
    path = (
        Path(wanted).expanduser()
        if wanted
        else _data_folder() / "course_attn/progress.json"
    )
    # Of a link, the file that it leads to is written: the folder may be synchronized.
    return Path(os.path.realpath(path))


def _data_folder() -> Path:
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")


def _in(path: Path | None) -> str:
    return f" in {path}" if path else ""


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _read(path: Path) -> tuple[dict[str, str], str | None]:
    try:
        text = path.read_text(
            encoding="utf-8-sig"
        )  # an editor may have put a mark there
    except FileNotFoundError:
        return {}, None
    except UnicodeDecodeError:
        return {}, _set_aside(path)
    try:
        passed = json.loads(text)["passed"]
        return {str(name): str(when) for name, when in passed.items()}, None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}, _set_aside(path)


def _set_aside(path: Path) -> str:
    aside = path.with_name(f"{path.name}.broken-{time.time_ns()}")
    os.replace(path, aside)
    return f"Your progress file could not be understood; it was kept as {aside} and begun anew."


def _write(path: Path, passed: dict[str, str]) -> None:
    text = json.dumps({"version": 1, "passed": passed}, indent=1, sort_keys=True)
    write_whole(path, text, 0o600)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold the lock file beside ``path``; the system releases it when the process ends."""
    with open(path.with_name(f"{path.name}.lock"), "a+b") as file:
        give_up = time.monotonic() + _PATIENCE
        while not _locked(file):
            if time.monotonic() > give_up:
                raise TimeoutError("another program holds its lock")
            time.sleep(0.01)
        yield  # closing the file gives the lock back


def _locked(file: Any) -> bool:
    """Try to lock an open file; True also where the system has no locks (in a browser)."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        return True
    except (BlockingIOError, PermissionError):
        return False
    return True
