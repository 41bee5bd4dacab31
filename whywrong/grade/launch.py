"""Start the processes in which answers run, and end them.

Each submission has a sandbox, a container or a process of its own, in which every exercise has a
copy of Python that begins anew. Starting one takes 0.14 s of the processor's time, and importing
PyTorch, where an exercise needs it, 0.8 s more. So the next one is started while the answers of
this one are judged, and waits with all loaded: that hides the time where a core is idle, and does
not save it.
"""

import contextlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import psutil

from whywrong.grade.limits import MOST_PROCESSES, Limits, describe_exit
from whywrong.grade.sandbox import (
    folders_to_read,
    import_path,
    open_rules,
    sandboxed,
)
from whywrong.grade.wire import Line, LineBroken

__all__ = [
    "AnswerProcess",
    "CannotStart",
    "Containers",
    "Launcher",
    "Sandboxes",
    "Trusted",
]

_STARTS_WITHIN = 120.0  # seconds; PyTorch is loaded meanwhile
_ENDS_WITHIN = 5.0
_LOOKS_EVERY = 0.5
_ALONE = 2  # processes of a sandbox: the one that copies itself, and the answer
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
_KEPT = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "VIRTUAL_ENV")


class CannotStart(Exception):
    """No answer can be run here; the text says why."""


class AnswerProcess:
    """The process in which the answers of a submission run, which a command starts.

    Its ``line`` leads to it; ``version`` is that of the package that runs there, and ``how`` says
    how the answer ended, if it has. What it runs in may need another command for its ``removal``,
    and have a folder, its ``home``, which goes with it.
    """

    def __init__(
        self,
        command: list[str],
        *,
        removal: Sequence[str] = (),
        home: str = "",
        **options: Any,
    ) -> None:
        self._removal, self._home = removal, home
        pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        try:
            self._process = subprocess.Popen(
                command, start_new_session=True, **pipes, **options
            )
            self._family = psutil.Process(self._process.pid)
        except (OSError, psutil.Error) as error:
            said = getattr(error, "strerror", None) or "it is gone at once"
            raise CannotStart(f"{command[0]}: {said}") from None
        process = self._process
        assert process.stdin and process.stdout and process.stderr
        for stream in (process.stdin, process.stdout, process.stderr):
            os.set_blocking(stream.fileno(), False)
        self.line = Line(process.stdout.fileno(), process.stdin.fileno())
        self.version = self.how = ""

    def begin(self, *, torch: bool) -> None:
        """Let it begin anew with an answer; raise `CannotStart` if it does not."""
        until = time.monotonic() + _STARTS_WITHIN
        try:
            self.line.send({"do": "begin", "torch": torch}, until=until)
            greeting, _ = self.line.receive(until)
            self.version, self.how = str(greeting["version"]), ""
        except (LineBroken, TimeoutError, KeyError):
            self.kill()
            raise CannotStart(self._last_words()) from None

    def end(self) -> bool:
        """Tell the answer to end; return whether another one can begin here."""
        until = time.monotonic() + _ENDS_WITHIN
        try:
            self.line.send({"do": "end"}, until=until)
            return "over" in self.line.receive(until)[0]
        except (LineBroken, TimeoutError):
            return False

    def look_at_use(self, most: int) -> None:
        """End it if all that it has started takes too many MB, which no limit of one tells."""
        with contextlib.suppress(psutil.Error):
            own = self._family.children(recursive=True)
            why = ""
            if len(own) > MOST_PROCESSES + _ALONE:
                why = f"it started more than {MOST_PROCESSES} others"
            elif len(own) > _ALONE and sum(map(_bytes_of, own)) > most << 20:
                why = f"its processes took more than {most} MB"
            if why:
                self.how = f"it was ended, for {why}"
                self.kill()

    def own_exit(self) -> str:
        """Return how it has ended by itself; nothing if it still runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.how or describe_exit(self._process.wait(0.1))
        return ""

    def kill(self) -> None:
        """End it, and everything that it has started."""
        if self._removal and self._process.poll() is None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(self._removal, capture_output=True, timeout=60)
        family: list[psutil.Process] = []
        with contextlib.suppress(psutil.Error):
            family = self._family.children(recursive=True)
        for one in family:
            with contextlib.suppress(psutil.Error):
                one.kill()
        if family:  # bubblewrap takes leave of the processes that were its own
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_ENDS_WITHIN / 10)
        self._process.kill()
        self._process.wait()
        until = time.monotonic() + _ENDS_WITHIN
        while any(map(_is_alive, family)) and time.monotonic() < until:
            time.sleep(0.002)

    def close(self) -> None:
        """End it, and take away what it had."""
        self.kill()
        for stream in (
            self._process.stdin,
            self._process.stdout,
            self._process.stderr,
        ):
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        if self._home:
            shutil.rmtree(self._home, ignore_errors=True)

    def _last_words(self) -> str:
        said = self._process.stderr.read() or b""  # type: ignore[union-attr]
        words = said.decode(errors="replace").strip().splitlines()
        last = words[-1] if words else "it does not say a word"
        return f"{self._removal[0]}: {last}" if self._removal else last


def _is_alive(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _bytes_of(process: psutil.Process) -> int:
    """Return what memory a process holds; of what is shared, its part where the system tells."""
    with contextlib.suppress(psutil.NoSuchProcess):
        try:
            took = process.memory_full_info()
            return getattr(took, "pss", took.uss)
        except psutil.AccessDenied:
            return process.memory_info().rss
    return 0


class Launcher(ABC):
    """Starts the processes of one submission after the other, each ahead of time."""

    def __init__(self, package: str, limits: Limits) -> None:
        self._package, self._limits = package, limits
        self._now: AnswerProcess | None = None
        self._ahead: AnswerProcess | None = None
        self._closed = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def start(self, *, torch: bool) -> AnswerProcess:
        """Return where the next answer of the submission runs; raise `CannotStart` if nowhere."""
        if self._now is not None:
            with contextlib.suppress(CannotStart):
                self._now.begin(torch=torch)
                return self._now
        for waiting in (self._ahead, None):
            self.finish()
            self._now, self._ahead = waiting or self._spawn(torch), None
            try:
                self._now.begin(torch=torch)
                break
            except CannotStart:
                if waiting is None:  # else it has waited for too long
                    self.finish()
                    raise
        with contextlib.suppress(CannotStart):
            self._ahead = self._spawn(torch)
        assert self._now is not None
        return self._now

    def end(self, *, gone: bool = False) -> str:
        """End an answer; return how it had ended before, if it is gone."""
        if self._now is None or (not gone and self._now.end()):
            return ""
        # Where the copy that ran it is gone, the next one is made of the same process.
        if gone and (how := self._now.how):
            return how
        how = self._now.own_exit() if gone else ""
        self.finish()
        return how

    def finish(self) -> None:
        """End what the answers of a submission ran in: the next one has its own."""
        if self._now is not None:
            self._now.close()
        self._now = None

    def close(self) -> None:
        """Give back what was needed to start answers."""
        self._closed.set()
        self.finish()
        if self._ahead is not None:
            self._ahead.close()
        self._ahead = None

    def _program(self, torch: bool) -> list[str]:
        """Return the program of an answer's process."""
        program = ["-P", "-m", "whywrong.grade.answer", "--course", self._package]
        return [*program, *self._limits.options, *["--torch"] * torch]

    def _watch(self) -> None:
        while not self._closed.wait(_LOOKS_EVERY):
            if (now := self._now) is not None:
                now.look_at_use(2 * self._limits.memory)

    @abstractmethod
    def _spawn(self, torch: bool) -> AnswerProcess:
        """Start a process."""


def _environment(package: str, home: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    own = {"HOME": home, "TMPDIR": home, "PYTHONPATH": import_path(package)}
    return kept | _ENVIRONMENT | own


class Sandboxes(Launcher):
    """Sandboxes by bubblewrap."""

    def __init__(self, package: str, limits: Limits) -> None:
        super().__init__(package, replace(limits, processes=MOST_PROCESSES))
        self._readable = folders_to_read(package)

    def _spawn(self, torch: bool) -> AnswerProcess:
        rules = open_rules()
        try:
            program = [sys.executable, *self._program(torch)]
            space = 4 * self._limits.files
            command = sandboxed(program, self._readable, space, rules)
            environment = _environment(self._package, "/tmp")
            return AnswerProcess(
                command, pass_fds=[rules], cwd="/", env=environment
            )
        finally:
            os.close(rules)


class Trusted(Launcher):
    """Processes with the rights of who starts them."""

    def _spawn(self, torch: bool) -> AnswerProcess:
        try:
            home = tempfile.mkdtemp(prefix="whywrong-grade-")
        except OSError as error:
            raise CannotStart(str(error)) from None
        environment = _environment(self._package, home)
        program = [sys.executable, *self._program(torch)]
        return AnswerProcess(program, home=home, cwd=home, env=environment)


class Containers(Launcher):
    """Containers of an image that has this package: one for each submission.

    The engine is ``docker``, ``podman`` or, for pods of a Kubernetes cluster, ``kubectl``. A
    container ends by itself after the seconds that a submission may get.
    """

    def __init__(
        self, package: str, limits: Limits, engine: str, image: str, seconds: float
    ) -> None:
        super().__init__(package, limits)
        self._engine, self._image = engine, image
        self._seconds = math.ceil(seconds + _STARTS_WITHIN)

    def _spawn(self, torch: bool) -> AnswerProcess:
        name = f"whywrong-{uuid.uuid4().hex[:12]}"
        # Whatever becomes of the judge, a container ends.
        until = ["timeout", "-s", "KILL", str(self._seconds)]
        program = [*until, "python", *self._program(torch)]
        if self._engine == "kubectl":
            removal = ["kubectl", "delete", "pod", "--now", name]
            return AnswerProcess(self._pod(name, program), removal=removal)
        removal = [self._engine, "rm", "--force", name]
        return AnswerProcess(self._container(name, program), removal=removal)

    def _container(self, name: str, program: list[str]) -> list[str]:
        memory = f"{2 * self._limits.memory}m"
        space = f"size={4 * self._limits.files}m"
        if self._engine == "docker":  # podman knows no such option
            space += ",nr_inodes=10k"
        environment = (_ENVIRONMENT | {"HOME": "/work"}).items()
        return [
            *(self._engine, "run", "--rm", "--interactive", "--name", name),
            *("--label", "whywrong-grade"),
            *("--network", "none", "--read-only", "--user", "65534:65534"),
            *("--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
            *("--memory", memory, "--memory-swap", memory),
            *("--pids-limit", str(MOST_PROCESSES), "--cpus", "1"),
            *("--tmpfs", f"/work:rw,noexec,nosuid,nodev,{space},mode=1777"),
            *("--workdir", "/work"),
            *(f"--env={key}={value}" for key, value in environment),
            *(self._image, *program),
        ]

    def _pod(self, name: str, program: list[str]) -> list[str]:
        changes = json.dumps({"spec": self._pod_spec(program)})
        return [
            *("kubectl", "run", name, "--image", self._image, "--restart", "Never"),
            *("--labels", "app=whywrong-grade", "--rm", "--stdin", "--quiet"),
            *("--pod-running-timeout", f"{_STARTS_WITHIN:g}s"),
            *("--overrides", changes),
        ]

    def _pod_spec(self, program: list[str]) -> dict[str, Any]:
        needs = {"cpu": "1", "memory": f"{2 * self._limits.memory}Mi"}
        env = _ENVIRONMENT | {"HOME": "/work"}
        container = {
            "name": "answer", "image": self._image, "command": program,
            "stdin": True, "stdinOnce": True, "workingDir": "/work",
            "env": [{"name": key, "value": value} for key, value in env.items()],
            "resources": {"requests": needs, "limits": needs},
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            },
            "volumeMounts": [{"name": "work", "mountPath": "/work"}],
        }  # fmt: skip
        work = {"medium": "Memory", "sizeLimit": f"{4 * self._limits.files}Mi"}
        return {
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "restartPolicy": "Never",
            "activeDeadlineSeconds": self._seconds,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": 65534,
                "runAsGroup": 65534,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [container],
            "volumes": [{"name": "work", "emptyDir": work}],
        }
