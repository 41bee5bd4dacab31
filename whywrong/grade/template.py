"""The process that answers are copies of: Python and the libraries, loaded once.

It runs nothing that was handed in. For each answer it makes a copy of itself (a fork), which is
shut in before it hears of the answer, and it ends whatever that copy has started.
"""

import contextlib
import importlib
import json
import os
import resource
import select
import shutil
import signal
import socket
import sys
import time
import traceback
from typing import Any

import psutil

from whywrong.grade.answer import serve, settle
from whywrong.grade.jail import MOST_PROCESSES, Jail, adopt_orphans, describe_exit
from whywrong.grade.wire import Line

__all__ = ["main"]

_LOOKS_EVERY = 0.5  # seconds
_KILLS_FOR = 5.0  # seconds to wait for the end of what was killed


def main() -> None:
    """Wait for orders on the socket whose number is the first argument."""
    control = socket.socket(fileno=int(sys.argv[1]))
    package = sys.argv[2]
    importlib.import_module(package)
    resource.setrlimit(
        resource.RLIMIT_DATA, (resource.getrlimit(resource.RLIMIT_DATA)[1],) * 2
    )
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the grader's affair
    adopt_orphans()
    running: _Child | None = None
    while True:
        while running and not select.select([control], [], [], _LOOKS_EVERY)[0]:
            running.look_at_use()
        text, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        while text and not text.endswith(b"}\n"):
            part = control.recv(1 << 16)
            text = text + part if part else b""
        if not text:
            break
        order = json.loads(text)
        if order["do"] == "start":
            if order["torch"]:
                _load_torch()
            jail = Jail(**order["jail"])
            running = _start(jail, descriptors[0], package, control)
            reply: dict[str, Any] = {"problem": running.problem}
        else:
            reply = {"how": running.end(order["gone"]) if running else ""}
            running = None
        control.sendall(json.dumps(reply).encode() + b"\n")
    if running:
        running.end(gone=False)
    shutil.rmtree(
        os.environ["HOME"], ignore_errors=True
    )  # the launcher made it for this process


def _load_torch() -> None:
    """Load PyTorch where it is installed, and what its first steps load."""
    if "torch" in sys.modules:
        return
    with contextlib.suppress(ImportError):
        import torch

        torch.set_num_threads(1)
        x = torch.zeros(1, requires_grad=True)
        torch.func.functional_call(torch.nn.Linear(1, 1), {}, (x,))
        torch.autograd.grad(x * x, x, torch.ones(1))


class _Child:
    """A copy that runs.

    Parameters
    ----------
    outer : int
        The process that left the system's namespaces.
    inner : int
        The one that serves, which it started there; 0 if it could not.
    problem : str
        Why it could not.
    memory : int
        MB that all its processes may use together.
    """

    def __init__(self, outer: int, inner: int, problem: str, memory: int) -> None:
        self.outer, self.inner, self.problem = outer, inner, problem
        self._memory, self._too_much = memory, ""

    def look_at_use(self) -> None:
        """End it if all that it has started is too much, which no limit of one process tells."""
        own = psutil.Process().children(recursive=True)
        if len(own) > MOST_PROCESSES + 2:
            self._too_much = (
                f"it was ended, for it started more than {MOST_PROCESSES} others"
            )
        elif len(own) > 2:
            used = 0
            for process in own:
                with contextlib.suppress(psutil.Error):
                    took = process.memory_full_info()
                    # Of what processes share, each is counted a part where the system tells it.
                    used += getattr(took, "pss", took.uss)
            if used > self._memory << 20:
                self._too_much = f"it was ended, for its processes took more than {self._memory} MB"
        if self._too_much:
            self._kill()

    def end(self, gone: bool) -> str:
        """End it and everything that it has started; return how it had ended before.

        Parameters
        ----------
        gone : bool
            Whether it seems to have ended by itself.
        """
        how = self._too_much or (self._own_exit() if gone else "")
        self._kill()
        return how

    def _kill(self) -> None:
        for pid in (self.inner, self.outer):
            if pid:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        until = time.monotonic() + _KILLS_FOR
        while time.monotonic() < until:
            for child in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.kill()
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    time.sleep(0.002)
            except ChildProcessError:
                break

    def _own_exit(self) -> str:
        """Return how it ended by itself; nothing if it still runs."""
        # The line breaks a moment before the process is gone.
        for _ in range(20):
            pid, status = os.waitpid(self.outer, os.WNOHANG)
            if pid:
                self.outer = 0
                return describe_exit(os.waitstatus_to_exitcode(status))
            time.sleep(0.005)
        return ""


def _start(jail: Jail, line: int, package: str, control: socket.socket) -> _Child:
    said, tell = os.pipe()
    outer = os.fork()
    if outer == 0:
        os.close(said)
        control.close()
        _copy(jail, line, package, tell)
    os.close(tell)
    os.close(line)
    with open(said, "rb") as file:
        number, *problem = file.read().split(b"\n", 1)
    inner = int(number) if number.isdigit() else 0
    said_so = b"".join(problem).decode(errors="replace")
    return _Child(outer, inner, said_so, 2 * jail.memory)


def _copy(jail: Jail, line: int, package: str, tell: int) -> None:
    """Be the copy: shut in, then serve. Never returns."""
    try:
        os.setsid()
        jail.leave()
        inner = os.fork()
        if inner:
            os.write(tell, b"%d" % inner)
            os.close(tell)
            os.close(line)
            code = os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1])
            os._exit(128 - code if code < 0 else code)
        settle()
        jail.enter()
        os.close(tell)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.write(tell, f"\n{type(error).__name__}: {error}".encode())
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        serve(Line(line, line), package)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()
