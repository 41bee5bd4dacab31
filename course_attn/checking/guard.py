"""Running what a learner wrote: caught, quiet, and ended where it would never end."""

import dis
import io
import logging
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

__all__ = [
    "KeyPressed",
    "Outcome",
    "TimesUp",
    "call_guarded",
    "guarded_randomness",
    "one_thread",
    "run_limited",
    "Clock",
    "plain_torch",
    "safely",
]


@dataclass(frozen=True)
class Outcome:
    """What one call gave.

    Parameters
    ----------
    value : object
        What was returned; None where the call raised.
    error : BaseException, optional
        What was raised instead.
    printed : str
        What was printed meanwhile.
    given : tuple
        The arguments as the call left them.
    """

    value: Any = None
    error: BaseException | None = None
    printed: str = ""
    given: tuple[Any, ...] = ()


def call_guarded(
    function: Callable[..., Any],
    given: tuple[Any, ...],
    *,
    seconds: float,
    seed: int = 0,
) -> Outcome:
    """Call ``function(*given)`` so that nothing it does reaches the notebook.

    Every exception but a real key press is caught. ``given`` should be copies: what the call does
    to them is in the outcome. Another seed gives other random numbers.
    """
    printed = _Printed()
    _seed_all(seed)
    value, error = None, None
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter(
            "ignore"
        )  # they would go to stderr, which nbgrader marks as a failure
        stack.enter_context(
            np.errstate(over="warn", divide="warn", invalid="warn", under="ignore")
        )
        stack.enter_context(redirect_stdout(printed))
        stack.enter_context(redirect_stderr(_Printed()))
        stack.enter_context(_no_logging())
        try:
            value = run_limited(lambda: function(*given), seconds)
        except KeyPressed:
            raise
        except (
            BaseException
        ) as caught:  # SystemExit, TimesUp and the learner's own are results
            error = caught
    return Outcome(value, error, printed.getvalue(), given)


class _Printed(io.StringIO):
    """What is printed, as far as anybody would read it."""

    def write(self, text: str) -> int:
        """Keep the text while there is room."""
        room = _MOST_PRINTED - self.tell()
        super().write(text[: max(room, 0)])
        return len(text)


@contextmanager
def _no_logging() -> Iterator[None]:
    """Let nothing be logged: a handler holds the real stderr, where a line costs the points."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def safely(call: Callable[[], Any], otherwise: Any, seconds: float = 1.0) -> Any:
    """Return ``call()``, which touches an object of the learner's; ``otherwise`` if that fails."""
    outcome = call_guarded(call, (), seconds=seconds)
    return otherwise if outcome.error is not None else outcome.value


class Clock:
    """The time that a check has: a limit for each call, and twice that for all together.

    Parameters
    ----------
    seconds : float
        The limit of one call.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = time.monotonic() + 2 * seconds

    @property
    def left(self) -> float:
        """Seconds that the next call may take."""
        return max(min(self.seconds, self._until - time.monotonic()), 0.01)

    @property
    def is_over(self) -> bool:
        """Whether the calls together have used up their time."""
        return time.monotonic() > self._until


@contextmanager
def plain_torch() -> Iterator[None]:
    """Judge with gradients and on the CPU, whatever an earlier cell has switched on or off."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    with torch.enable_grad(), torch.device("cpu"):
        yield


@contextmanager
def guarded_randomness() -> Iterator[None]:
    """Give the global random generators back as they were."""
    states = random.getstate(), np.random.get_state()  # noqa: NPY002
    torch = sys.modules.get("torch")
    torch_state = torch.get_rng_state() if torch else None
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])  # noqa: NPY002
        if torch:
            torch.set_rng_state(torch_state)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let PyTorch compute in one thread: on inputs this small, more only wait for each other."""
    torch = sys.modules.get("torch")
    threads = torch.get_num_threads() if torch else None
    try:
        if torch:
            torch.set_num_threads(1)
        yield
    finally:
        if torch:
            torch.set_num_threads(threads)


def _seed_all(seed: int) -> None:
    """Seed the generators that a learner may use, the legacy ones included."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    torch = sys.modules.get("torch")
    if torch:
        # torch.manual_seed writes down where it was called, for a CUDA that never starts: 1 ms.
        torch.default_generator.manual_seed(seed)
        if torch.cuda.is_initialized():
            torch.cuda.manual_seed_all(seed)


# Seconds between two rings, should the learner's `except:` swallow the first; the rings until one
# raises again wherever it is; seconds for which the tracer waits for a place outside any `except:`.
_AGAIN = 0.02
_RINGS_BEFORE_RAISING = 25
_PATIENCE = 0.5
# An import that is cut in two leaves half a module behind, and the next one may crash Python: it
# may run on, this many times as long as the limit.
_IMPORT_MAY_TAKE = 15
_MOST_PLACES = 100
_MOST_PRINTED = 100_000


class TimesUp(BaseException):
    """The learner's code ran out of time. Not an Exception: `except Exception` must not hide it.

    Parameters
    ----------
    frame : frame, optional
        What was running then; its nearest callers and their lines are kept in ``places``,
        outermost first.
    """

    def __init__(self, frame: FrameType | None = None) -> None:
        super().__init__()
        self.places: list[tuple[FrameType, int]] = []
        while frame is not None and len(self.places) < _MOST_PLACES:
            self.places.append((frame, frame.f_lineno))
            frame = frame.f_back
        self.places.reverse()


class KeyPressed(KeyboardInterrupt):
    """Somebody really pressed Ctrl-C or the stop button; the learner's code did not raise it."""


def run_limited(call: Callable[[], Any], seconds: float) -> Any:
    """Return ``call()``; raise `TimesUp` when it takes longer than ``seconds``.

    A key press gets through as `KeyPressed`, even where the called code catches it.
    """
    if threading.current_thread() is not threading.main_thread():
        return _with_tracer(call, seconds)
    limited = _with_alarm if _has_alarm() else _with_tracer
    presses: list[int] = []

    def press(signum: int, frame: FrameType | None) -> None:
        presses.append(signum)
        raise KeyPressed

    old = _handle(signal.SIGINT, press)
    try:
        return limited(call, seconds)
    finally:
        _handle(signal.SIGINT, old)
        if presses:
            raise KeyPressed


def _has_alarm() -> bool:
    """Whether a timer can interrupt Python here: not on Windows, nor in a browser."""
    return hasattr(signal, "setitimer") and sys.platform != "emscripten"


def _handle(signum: int, handler: Any) -> Any:
    """Install a handler; one that was not installed from Python (None) cannot be put back."""
    return signal.signal(signum, signal.SIG_DFL if handler is None else handler)


def _with_alarm(call: Callable[[], Any], seconds: float) -> Any:
    running, rings, imports = True, 0, 0
    late: TimesUp | None = None

    def ring(signum: int, frame: FrameType | None) -> None:
        nonlocal late, rings, imports
        if not late and imports < _IMPORT_MAY_TAKE and _imports(frame):
            imports += 1
            signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
            return
        late, rings = late or TimesUp(frame), rings + 1
        if running and rings % _RINGS_BEFORE_RAISING == 1:
            raise late
        if (
            running
        ):  # the learner's `except:` swallowed it: wait for a place outside
            _trace_from(frame, tracer)

    def tracer(frame: FrameType, event: str, arg: Any) -> Any:
        frame.f_trace_opcodes = True
        if late and running and not _would_be_caught(frame):
            raise late
        return tracer

    old_handler, old_tracer = _handle(signal.SIGALRM, ring), sys.gettrace()
    started, old_timer = time.monotonic(), signal.getitimer(signal.ITIMER_REAL)
    try:
        try:
            signal.setitimer(
                signal.ITIMER_REAL, seconds, _AGAIN
            )  # it may ring at once
            return call()
        finally:
            running = False
    finally:
        running = False  # again: a ring may have hit the line above
        sys.settrace(old_tracer)
        _restore_timer(old_timer, time.monotonic() - started)
        _handle(signal.SIGALRM, old_handler)
        if late:
            raise late


def _imports(frame: FrameType | None) -> bool:
    """Whether an import is going on."""
    for _ in range(_MOST_PLACES):
        if frame is None or frame.f_code in _OUR_OWN:
            break
        if frame.f_code.co_filename.startswith(_IMPORTS):
            return True
        frame = frame.f_back
    return False


_IMPORTS = "<frozen importlib"


def _trace_from(frame: FrameType | None, tracer: Callable[..., Any]) -> None:
    """Trace every instruction of the nearest frames that are running, and of all new ones."""
    for _ in range(_MOST_PLACES):
        if frame is None or frame.f_code in _OUR_OWN:
            break
        frame.f_trace, frame.f_trace_opcodes = tracer, True
        frame = frame.f_back
    sys.settrace(tracer)


def _restore_timer(old: tuple[float, float], elapsed: float) -> None:
    delay, interval = old
    signal.setitimer(
        signal.ITIMER_REAL, max(delay - elapsed, 0.001) if delay else 0, interval
    )


def _with_tracer(call: Callable[[], Any], seconds: float) -> Any:
    deadline = time.monotonic() + seconds
    late: TimesUp | None = None

    def tracer(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal late
        if frame.f_code.co_filename.startswith(_IMPORTS):
            return None  # nothing of an import is traced: it is not cut in two
        frame.f_trace_opcodes = True
        over = time.monotonic() - deadline
        if over > _PATIENCE or (over > 0 and not _would_be_caught(frame)):
            late = TimesUp(frame)
            raise late
        return tracer

    old = sys.gettrace()
    sys.settrace(tracer)
    try:
        return call()
    finally:
        sys.settrace(old)
        if late:
            raise late


def _would_be_caught(frame: FrameType | None) -> bool:
    """Whether an exception raised here meets an `except` before it reaches this module.

    Python switches a tracer off once it has raised: it has one shot and must not waste it.
    """
    for _ in range(_MOST_PLACES):
        if frame is None or frame.f_code in _OUR_OWN:
            break
        for entry in dis._parse_exception_table(frame.f_code):  # type: ignore[attr-defined]
            if entry.start <= frame.f_lasti < entry.end:
                return True
        frame = frame.f_back
    return False


_OUR_OWN = (_with_alarm.__code__, _with_tracer.__code__)
