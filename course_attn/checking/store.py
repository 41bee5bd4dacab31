"""Where passes are remembered: one small JSON file that nothing can make the learner pay for.

Writes are atomic (a temporary file, then a rename) and happen under a lock of the operating
system, which two notebooks can share and which vanishes with its process. A file that cannot be
read is set aside, never overwritten. Nothing here raises: trouble comes back as a sentence.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

__all__ = ["passed_exercises", "record_pass", "store_path"]

_PATIENCE = 2.0  # seconds to wait for another notebook


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


def _in(path: Path | None) -> str:
    return f" in {path}" if path else ""


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _data_folder() -> Path:
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")


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
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


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
