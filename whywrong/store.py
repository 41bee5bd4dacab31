"""Which exercises were passed, in one small JSON file that nothing can make the learner pay for.

Writes are atomic (a temporary file, then a rename) and happen under a lock of the operating system,
which two notebooks can share and which vanishes with its process. A file that cannot be read is set
aside, never overwritten. Nothing here raises: trouble comes back as a sentence.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from whywrong.files import write_whole

__all__ = ["passed_exercises", "record_pass", "store_path", "take_over"]

_PATIENCE = 2.0  # seconds to wait for another notebook
# What the book's pages write into their files: the name of the book, and the files' editions.
_BOOK = "course_attn"
_VERSIONS = (1, 2)


def record_pass(name: str) -> str | None:
    """Remember that an exercise was passed; return a sentence where that did not work."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return _with_file("saved", lambda path: _add(path, {name: now})[1], None)


def take_over(file: str | os.PathLike[str]) -> str:
    """Take over what a file from a page of the book says was passed; return what to say of it.

    What was passed here already keeps its time. Nothing changes where the file is not one of ours.
    """
    try:
        saved = json.loads(Path(file).expanduser().read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):
        return f"{file} cannot be read: {_NOT_OURS}."
    except (OSError, RuntimeError) as error:  # RuntimeError: nobody of this name
        return f"{file} could not be read ({_reason(error)})."
    problem = _problem_of(saved)
    if problem:
        return f"{file} {problem}."

    def added(path: Path) -> str:
        n, trouble = _add(path, saved["passed"])
        which = "exercise that was" if n == 1 else "exercises that were"
        said = f"Taken over from {file}: {n} {which} not here yet."
        return f"{said} {trouble}" if trouble else said

    return _with_file("saved", added, f"{_OFF}: nothing was taken over.")


_NOT_OURS = "it is damaged, or not a file of this course"


def _problem_of(saved: Any) -> str:
    """Say why a file is not one that can be taken over; nothing if it is."""
    if not isinstance(saved, dict) or not isinstance(saved.get("passed"), dict):
        return "is not a file of this course"
    if saved.get("book", _BOOK) != _BOOK:
        return f"belongs to another book, {str(saved['book'])[:80]!r}"
    if "version" not in saved:
        return f"names no edition: {_NOT_OURS}"
    newer = "was saved by a newer edition of the course, which this one cannot read"
    return "" if saved["version"] in _VERSIONS else newer


def passed_exercises() -> tuple[dict[str, str], str | None]:
    """Return the passed exercises with their times, and a sentence where there was trouble."""
    found = _with_file("read", _read, f"{_OFF}.")
    return found if isinstance(found, tuple) else ({}, found)


_OFF = "Progress is switched off (`COURSE_ATTN_PROGRESS=off`)"


def _with_file(done: str, use: Callable[[Path], Any], off: Any) -> Any:
    """Return what a use of the file gives, or a sentence of what went wrong, or ``off``."""
    path: Path | None = None
    try:
        path = store_path()
        return off if path is None else use(path)
    # RuntimeError: there is no home folder.
    except (OSError, RuntimeError) as error:
        where = f" in {path}" if path else ""
        return f"Your progress could not be {done}{where} ({_reason(error)})."


def store_path() -> Path | None:
    """Return the progress file; None where ``COURSE_ATTN_PROGRESS=off``."""
    wanted = os.environ.get("COURSE_ATTN_PROGRESS", "")
    if wanted.lower() == "off":
        return None
    default = "" if wanted else _data_folder() / "course_attn/progress.json"
    # Of a link, the file that it leads to is written: the folder may be synchronized.
    return Path(os.path.realpath(Path(wanted or default).expanduser()))


def _data_folder() -> Path:
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _read(path: Path) -> tuple[dict[str, str], str | None]:
    try:
        # An editor may have put a mark at its beginning.
        passed = json.loads(path.read_text(encoding="utf-8-sig"))["passed"]
        return {str(name): str(when) for name, when in passed.items()}, None
    except FileNotFoundError:
        return {}, None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        aside = path.with_name(f"{path.name}.broken-{time.time_ns()}")
        os.replace(path, aside)
        kept = f"it was kept as {aside} and begun anew."
        return {}, f"Your progress file could not be understood; {kept}"


def _add(path: Path, more: Mapping[Any, Any]) -> tuple[int, str | None]:
    """Add exercises to the file; return how many were new, and a sentence where it was broken."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _lock(path):
        passed, trouble = _read(path)
        if _is_newer(path):
            raise RuntimeError(
                "a newer edition of the course wrote it; it stays as it is"
            )
        new = {str(k): str(when) for k, when in more.items() if k not in passed}
        if new:
            content = {"version": 1, "passed": passed | new}
            write_whole(path, json.dumps(content, indent=1, sort_keys=True), 0o600)
        return len(new), trouble


def _is_newer(path: Path) -> bool:
    """Say whether a file, if there is one that can be read, has what this edition does not know."""
    if not path.exists():
        return False
    found = json.loads(path.read_text(encoding="utf-8-sig"))
    return found.get("version", 1) not in _VERSIONS


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
