"""The process of an answer: it runs what was handed in, and does what the judge asks of it.

Nothing here is trusted. Whatever this process says, a point needs values that only an answer which
computes them can give.
"""

import argparse
import builtins
import contextlib
import ctypes
import gc
import importlib
import inspect
import linecache
import os
import re
import signal
import sys
import time
import types
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

import whywrong
from whywrong.calls import Outcome, call_guarded, safely
from whywrong.catalog import Catalog, Unavailable
from whywrong.declare import WrongForm
from whywrong.grade.limits import Limits, describe_exit
from whywrong.grade.wire import KNOWN_ERRORS, Line, LineBroken, Packer, unpack
from whywrong.judge import judge
from whywrong.learner import names_used
from whywrong.limits import TimesUp
from whywrong.stops import quoted

__all__ = ["main"]

_CELL_SECONDS = 10.0
_GOES_WITHIN = 0.5
_SET_CHILD_SUBREAPER = 36  # of Linux's prctl
_MOST_SAID = 10_000
_CHANGEABLE = {"array", "generator", "tensor"}  # kinds of packed arguments
_MAGIC = re.compile(r"^(\s*)([%!?].*|.*\?)$", re.M)


class _Answer:
    """What was handed in, as it runs here."""

    def __init__(self, line: Line, catalog: Catalog) -> None:
        self._line, self._catalog = line, catalog
        self._module = types.ModuleType("__main__")
        self._function: Any = None
        self._name = ""
        self._calls = 0
        self._graphs: list[tuple[list[Any], list[Any]]] = []

    def cells(self, cells: list[tuple[int, str]]) -> dict[str, Any]:
        """Run cells in the order of the notebook; one that fails does not stop the next."""
        sys.modules["__main__"] = self._module
        builtins.__import__ = _import  # type: ignore[assignment]
        names = vars(self._module)
        failed = {}
        for i, source in cells:
            self._line.send({"cell": i})
            outcome = _run(source, f"<cell {i}>", names)
            if outcome.error is not None:
                failed[str(i)] = _describe_stop(outcome.error)
        return {"failed": failed}

    def look(self, name: str) -> dict[str, Any]:
        """Find the function that an exercise asks for, and say what it looks like."""
        names = vars(self._module)
        if name not in names:
            return {"found": False}
        self._function, self._name = names[name], name
        try:
            signature = inspect.signature(self._function)
        except (TypeError, ValueError):
            parameters = None
        else:
            parameters = [
                [one.name, int(one.kind), one.default is not one.empty]
                for one in signature.parameters.values()
            ]
        if "torch" in safely(partial(names_used, self._function), frozenset()):
            # Or the first call would wait for it.
            safely(_load_torch, None, seconds=_CELL_SECONDS)
        is_function, torch = callable(self._function), "torch" in sys.modules
        seen = {"found": True, "callable": is_function, "parameters": parameters}
        return seen | {"torch": torch}

    def tutor(self, name: str) -> dict[str, Any]:
        """Check the answer as its author did, and return what the check says."""
        result = judge(self._catalog.find(name), self._function)
        return {
            "status": result.status,
            "message": result.message[:_MOST_SAID],
            "faults": list(result.faults),
            "printed": result.printed[:_MOST_SAID],
            "remarks": [remark[:_MOST_SAID] for remark in result.remarks],
        }

    def call(
        self, message: Mapping[str, Any], blob: bytes
    ) -> tuple[dict[str, Any], bytes]:
        """Call the function with the judge's arguments; return what comes out."""
        leaves: list[Any] = []
        remote = partial(_remote, self._line)
        given = unpack(message["args"], blob, function=remote, tensors=leaves)
        before = [_fingerprint(value) for value in given]
        function = self._function
        if message["used"]:
            function = self._catalog.find(self._name).used(function)  # type: ignore[union-attr]
        self._calls, most = self._calls + 1, message["seconds"]
        outcome = call_guarded(function, given, seconds=most, seed=self._calls)
        packer = Packer()
        reply: dict[str, Any] = {"printed": outcome.printed[:_MOST_SAID]}
        if outcome.error is not None:
            reply["error"] = _error_data(outcome.error)
        else:
            reply["value"] = packer.pack(outcome.value)
            if leaves and packer.tensors:
                reply["graph"] = len(self._graphs)
                self._graphs.append((list(packer.tensors), leaves))
        reply["changed"] = [
            [i, packer.pack(after)]
            for i, (was, after) in enumerate(zip(before, given, strict=True))
            if was is not None and _fingerprint(after) != was
        ]
        return reply, packer.blob

    def back(
        self, message: Mapping[str, Any], blob: bytes
    ) -> tuple[dict[str, Any], bytes]:
        """Return the gradients of a result with respect to the arguments that asked for one."""
        import torch

        outputs, leaves = self._graphs[message["graph"]]
        weights = [unpack(weight, blob) for weight in message["weights"]]
        asked = zip(outputs, weights, strict=True)
        # Of a number: given the weights apart, PyTorch would load SymPy to compare their sizes.
        total = sum((o * w.conj()).real.sum() for o, w in asked if w is not None)
        grads = torch.autograd.grad(
            total, leaves, allow_unused=True, retain_graph=True
        )
        packer = Packer()
        return {"gradients": [packer.pack(grad) for grad in grads]}, packer.blob


def _remote(line: Line, number: int) -> Callable[..., Any]:
    """Return a function of the judge's, which is called over there."""

    def remote(*args: Any, **options: Any) -> Any:
        packer = Packer()
        asked = {
            "callback": number,
            "args": packer.pack(args),
            "options": {key: packer.pack(value) for key, value in options.items()},
        }
        with _without_alarms():
            line.send(asked, packer.blob)
            reply, blob = line.receive()
        if "error" in reply:
            kind, text = reply["error"]
            raise KNOWN_ERRORS.get(kind, RuntimeError)(text)
        return unpack(reply["value"], blob)

    return remote


@contextlib.contextmanager
def _without_alarms() -> Iterator[None]:
    """Let no alarm ring between the halves of a message."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})


def _fingerprint(value: Any) -> Any:
    """Return what tells whether an argument was changed; None where it may be."""
    packer = Packer()
    packed = packer.pack(value)
    can_change = isinstance(packed, dict) and packed.keys() & _CHANGEABLE
    return (packed, packer.blob) if can_change else None


_import_now = builtins.__import__


def _import(name: str, scope: Any = None, *more: Any, **named: Any) -> Any:
    """Import a module; PyTorch not before a cell uses it, for that takes a second.

    A notebook imports it for the sake of some of its exercises, and others are asked for, too.
    """
    is_cell = isinstance(scope, dict) and scope.get("__name__") == "__main__"
    is_whole = name == "torch" and not any(more[1:2]) and not named
    if is_cell and is_whole and name not in sys.modules and find_spec(name):
        return _Later(name)
    return _import_now(name, scope, *more, **named)


class _Later(types.ModuleType):
    """A module that is loaded when something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)


def _run(source: str, where: str, names: dict[str, Any]) -> Outcome:
    """Run a cell, so that its functions can show their source."""
    lines = source.splitlines(keepends=True)
    linecache.cache[where] = (len(source), None, lines, where)

    def run() -> None:
        try:
            code = compile(source, where, "exec")
        except SyntaxError:  # lines that only IPython understands are left out
            code = compile(_MAGIC.sub(r"\1pass", source), where, "exec")
        exec(code, names)

    return call_guarded(run, (), seconds=_CELL_SECONDS)


def _describe_stop(error: BaseException) -> str:
    if isinstance(error, TimesUp):
        return f"did not come to an end within {_CELL_SECONDS:g} seconds"
    return f"stopped with {quoted(error)}"


def _error_data(error: BaseException) -> dict[str, Any]:
    """Return an exception as plain data."""
    if isinstance(error, TimesUp):
        return {"kind": "TimesUp", "text": ""}
    if isinstance(error, WrongForm):
        return {
            "kind": "WrongForm",
            "fault": error.fault,
            "text": str(error)[:_MOST_SAID],
        }
    kinds = [kind.__name__ for kind in type(error).__mro__]
    text = quoted(error).strip("`").partition(": ")[2]
    return {"kind": kinds[0], "kinds": kinds, "text": text}


def _serve(line: Line, catalog: Catalog) -> None:
    """Do what the judge asks, until it asks no more."""
    answer = _Answer(line, catalog)
    line.send({"version": whywrong.__version__})
    while True:
        message, blob = line.receive()
        if message["do"] == "end":
            return
        try:
            do = getattr(answer, message["do"])
            reply = (
                (do(message["of"]), b"") if "of" in message else do(message, blob)
            )
        except (LineBroken, Unavailable) as problem:
            reply = {"failed": str(problem)}, b""
        # An object of the answer's may raise anything.
        except BaseException as error:
            reply = {"failed": quoted(error)}, b""
        line.send(*reply)


def main() -> None:
    """Serve answers over standard input and output, each in a copy of this process.

    This process itself runs nothing that was handed in: it has loaded what answers need, makes a
    copy of itself (a fork) for each, and says how that has ended.
    """
    parser = argparse.ArgumentParser(prog="whywrong.grade.answer")
    parser.add_argument("--course", required=True)
    parser.add_argument("--torch", action="store_true")
    for name, number in vars(Limits()).items():
        parser.add_argument(f"--{name}", type=int, default=number)
    options = vars(parser.parse_args())
    line = Line(os.dup(0), os.dup(1))
    _point_to_nothing(0, 1)
    sys.argv = ["answer"]
    gc.disable()  # what is loaded stays: looking for garbage among it takes a quarter of the time
    catalog = importlib.import_module(options.pop("course")).course.catalog
    if options.pop("torch"):
        _load_torch()
    gc.enable()
    _adopt_orphans()
    is_empty = True
    with contextlib.suppress(LineBroken):
        while is_empty:
            order, _ = line.receive()
            if order["torch"]:
                _load_torch()
            how, is_empty = _run_copy(line, catalog, Limits(**options))
            line.send({"over": how})


def _run_copy(line: Line, catalog: Catalog, limits: Limits) -> tuple[str, bool]:
    """Let a copy of this process serve an answer; return how it ended, and if nothing is left."""
    copy = os.fork()
    if copy == 0:
        code = 1
        try:
            os.setsid()
            _point_to_nothing(2)
            np.random.seed(0)  # noqa: NPY002
            limits.enforce()
            _serve(line, catalog)
            code = 0
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
    with contextlib.suppress(OSError):
        os.killpg(copy, signal.SIGKILL)
    return describe_exit(code), _has_no_child()


def _has_no_child() -> bool:
    """Return whether all that an answer has started is gone, or goes within a moment."""
    until = time.monotonic() + _GOES_WITHIN
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < until:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.002)
        return False
    return True


def _point_to_nothing(*descriptors: int) -> None:
    """Let nothing be read from some descriptors, and nothing come of what is written there."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(nothing, descriptor)
    os.close(nothing)


def _load_torch() -> None:
    """Load PyTorch where it is installed, and what its first steps load."""
    if "torch" in sys.modules:
        return
    with contextlib.suppress(ImportError):
        import torch

        torch.set_num_threads(1)
        x = torch.zeros(1, requires_grad=True)
        torch.func.functional_call(torch.nn.Linear(1, 1), {}, (x,))
        torch.autograd.grad((x * x).sum(), x)


def _adopt_orphans() -> None:
    """Let this process be the parent of whatever answers leave behind, so that it is found."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


if __name__ == "__main__":
    importlib.import_module(
        "whywrong.grade.answer"
    ).main()  # the module by its own name
