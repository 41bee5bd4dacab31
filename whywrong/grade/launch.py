"""Start the process of an answer, here or in a container, and end it."""

import contextlib
import json
import math
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from whywrong.grade.hiding import folder_of
from whywrong.grade.jail import LEVELS, MOST_PROCESSES, Jail, describe_exit
from whywrong.grade.wire import Line, LineBroken

__all__ = ["CannotStart", "Launcher", "Containers", "Processes", "AnswerProcess"]

_STARTS_WITHIN = 120.0  # seconds; PyTorch is loaded meanwhile
_FIRST_UID = 64_000
# An answer computes in one thread: the workers share the machine.
_ENVIRONMENT = {
    "COURSE_ATTN_PROGRESS": "off",
    "MPLBACKEND": "agg",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
}
_KEPT = (
    "LANG",
    "LC_ALL",
    "LD_LIBRARY_PATH",
    "PATH",
    "PYTHONPATH",
    "SYSTEMROOT",
    "VIRTUAL_ENV",
)


class CannotStart(Exception):
    """No answer can be run here; the text says why."""


class AnswerProcess:
    """The process of an answer.

    Parameters
    ----------
    line : Line
        To it.
    version : str
        The version of the package that runs there.
    """

    def __init__(self, line: Line, version: str) -> None:
        self.line, self.version = line, version


class Launcher(ABC):
    """Starts one answer at a time."""

    @abstractmethod
    def start(self, *, torch: bool) -> AnswerProcess:
        """Start the process of an answer; raise `CannotStart` if that fails."""

    @abstractmethod
    def end(self, *, gone: bool = False) -> str:
        """End it with all that it has started; return how it had ended before, if it had.

        Parameters
        ----------
        gone : bool
            Whether it seems to have ended by itself.
        """

    @abstractmethod
    def close(self) -> None:
        """Give back what was needed to start answers."""


def _wait_for_greeting(line: Line) -> AnswerProcess:
    try:
        greeting, _ = line.receive(time.monotonic() + _STARTS_WITHIN)
    except (LineBroken, TimeoutError):
        raise CannotStart("it does not say a word") from None
    return AnswerProcess(line, str(greeting.get("version")))


# --- on this machine ------------------------------------------------------------------------------


class Processes(Launcher):
    """Copies of one process on this machine, each shut in.

    Parameters
    ----------
    package : str
        The course.
    jail : Jail
        The limits; where it may write is chosen here.
    slot : int
        Another number for each worker, so that no answer has the rights of another.
    """

    def __init__(self, package: str, jail: Jail, slot: int = 0) -> None:
        self._package = package
        self._jail = replace(jail, uid=_FIRST_UID + slot)
        self._home: Path | None = None
        self._control: socket.socket | None = None
        self._template: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._work: Path | None = None

    def start(self, *, torch: bool) -> AnswerProcess:
        """Start a copy."""
        self._line, theirs = socket.socketpair()
        try:
            if self._control is None:
                self._begin()
            self._work = Path(tempfile.mkdtemp(dir=self._home))
            if os.getuid() == 0:
                os.chown(self._work, self._jail.uid, self._jail.uid)
            jail = asdict(replace(self._jail, work=str(self._work)))
            order = {"do": "start", "jail": jail, "torch": torch}
            problem = self._send_order(order, [theirs.fileno()])["problem"]
            theirs.close()
            if problem:
                raise CannotStart(str(problem))
            self._line.setblocking(False)
            number = self._line.fileno()
            return _wait_for_greeting(Line(number, number))
        except (OSError, ValueError, CannotStart) as error:
            self.end()
            raise CannotStart(str(error)) from None
        finally:
            theirs.close()

    def end(self, *, gone: bool = False) -> str:
        """End the copy."""
        how = ""
        try:
            how = str(self._send_order({"do": "end", "gone": gone})["how"])
        except (OSError, ValueError):
            self._stop()
        if self._line is not None:
            self._line.close()
            self._line = None
        if self._work is not None:
            shutil.rmtree(self._work, ignore_errors=True)
            self._work = None
        return how

    def close(self) -> None:
        """End the process that is copied."""
        self._stop()

    def _send_order(
        self, order: dict[str, object], descriptors: Sequence[int] = ()
    ) -> dict[str, object]:
        if self._control is None:
            raise ConnectionError("the process that starts answers is gone")
        # One byte takes the descriptors along; the order may be longer than one message.
        socket.send_fds(self._control, [b"\n"], list(descriptors))
        self._control.sendall(json.dumps(order).encode() + b"\n")
        text = b""
        while not text.endswith(b"\n"):
            part = self._control.recv(1 << 16)
            if not part:
                raise ConnectionError("the process that starts answers is gone")
            text += part
        return json.loads(text)

    def _begin(self) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="whywrong-grade-"))
        self._home.chmod(0o711)
        self._control, theirs = socket.socketpair()
        self._control.settimeout(_STARTS_WITHIN)
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        # A course may lie in the folder from which the grader is started.
        known = [
            folder_of("whywrong"),
            folder_of(self._package),
            *kept.get("PYTHONPATH", "").split(os.pathsep),
        ]
        kept["PYTHONPATH"] = os.pathsep.join(filter(None, known))
        number = theirs.fileno()
        command = [
            sys.executable,
            "-P",
            "-m",
            "whywrong.grade.template",
            str(number),
        ]
        self._template = subprocess.Popen(
            [*command, self._package],
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=kept | _ENVIRONMENT | {"HOME": str(self._home)},
        )
        theirs.close()

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._template is not None:
            try:
                self._template.wait(10)
            except subprocess.TimeoutExpired:
                self._template.kill()
                self._template.wait()
            self._template = None
        if self._home is not None:
            shutil.rmtree(self._home, ignore_errors=True)
            self._home = None


def best_level(package: str, jail: Jail, *, namespaces: bool = True) -> str:
    """Return the best way to shut answers in that works here; raise `CannotStart` if none does.

    Parameters
    ----------
    package : str
        The course.
    jail : Jail
        The limits, and what is hidden.
    namespaces : bool
        Whether they are tried.
    """
    reasons = []
    for level in LEVELS:
        if level.endswith("nobody's rights") and os.getuid() != 0:
            continue
        is_possible = namespaces and sys.platform == "linux"
        if level.startswith("namespaces") and not is_possible:
            continue
        launcher = Processes(package, replace(jail, level=level))
        try:
            if _can_run(launcher):
                return level
            reasons.append(f"{level}: it cannot read Python's files")
        except CannotStart as problem:
            reasons.append(f"{level}: {problem}")
        finally:
            launcher.close()
    raise CannotStart("; ".join(reasons))


# It loads what nothing else has loaded: where nobody may read Python's files, that fails.
_TRY = "import colorsys, numpy.polynomial\nopen('here', 'w').close()"


def _can_run(launcher: Launcher) -> bool:
    line = launcher.start(torch=False).line
    try:
        until = time.monotonic() + _STARTS_WITHIN
        line.send({"do": "cells", "cells": [[0, _TRY]]}, until=until)
        line.receive(until)
        reply, _ = line.receive(until)
        return reply.get("failed") == {}
    except (LineBroken, TimeoutError):
        return False
    finally:
        launcher.end()


# --- in a container -------------------------------------------------------------------------------


class Containers(Launcher):
    """Containers of an image that has this package: one for each answer.

    Parameters
    ----------
    engine : str
        ``"docker"`` or ``"podman"``.
    image : str
        The image's name.
    package : str
        The course.
    jail : Jail
        The limits.
    seconds : float
        All the time that an answer may get, after which its container ends by itself.
    """

    def __init__(
        self, engine: str, image: str, package: str, jail: Jail, seconds: float
    ) -> None:
        self._engine, self._image, self._package = engine, image, package
        self._jail, self._seconds = jail, math.ceil(seconds + _STARTS_WITHIN)
        self._running: subprocess.Popen[bytes] | None = None
        self._name = ""

    def start(self, *, torch: bool) -> AnswerProcess:
        """Start a container."""
        self._name = f"whywrong-{uuid.uuid4().hex[:12]}"
        try:
            self._running = subprocess.Popen(
                self.command(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise CannotStart(f"{self._engine}: {error.strerror}") from None
        process = self._running
        assert process.stdin and process.stdout and process.stderr
        for stream in (process.stdin, process.stdout, process.stderr):
            os.set_blocking(stream.fileno(), False)
        try:
            return _wait_for_greeting(
                Line(process.stdout.fileno(), process.stdin.fileno())
            )
        except CannotStart:
            self.end()
            said = process.stderr.read() if not process.stderr.closed else None
            lines = (said or b"").decode(errors="replace").strip().splitlines()
            raise CannotStart(
                f"{self._engine}: {lines[-1] if lines else 'no word'}"
            ) from None

    def command(self) -> list[str]:
        """Return the command that starts a container."""
        jail = self._jail
        space = f"size={4 * jail.files}m"
        return [
            *(self._engine, "run", "--rm", "--interactive", "--name", self._name),
            *("--label", "whywrong-grade"),
            *("--network", "none", "--read-only", "--user", "65534:65534"),
            *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
            *(
                "--memory",
                f"{2 * jail.memory}m",
                "--memory-swap",
                f"{2 * jail.memory}m",
            ),
            *("--pids-limit", str(MOST_PROCESSES), "--cpus", "1"),
            *("--tmpfs", f"/work:rw,noexec,nosuid,nodev,{space},mode=1777"),
            *("--workdir", "/work", "--env", "HOME=/work"),
            *(
                part
                for item in _ENVIRONMENT.items()
                for part in ("--env", "=".join(item))
            ),
            # Whatever becomes of the judge, a container ends.
            *(self._image, "timeout", "-s", "KILL", str(self._seconds)),
            *("python", "-P", "-m", "whywrong.grade.answer"),
            *("--course", self._package),
            *("--memory", str(jail.memory), "--files", str(jail.files)),
        ]

    def end(self, *, gone: bool = False) -> str:
        """Remove the container."""
        process, self._running = self._running, None
        if process is None:
            return ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1 if gone else 0)
        status = process.poll()
        if status is None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                remove = [self._engine, "rm", "--force", self._name]
                subprocess.run(remove, capture_output=True, timeout=60)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for stream in (process.stdin, process.stdout):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()
        return "" if status is None else describe_exit(status)

    def close(self) -> None:
        """Leave nothing behind."""
        self.end()
