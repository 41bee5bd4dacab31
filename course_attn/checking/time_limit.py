"""Ending a call that would never end, wherever Python runs."""

import dis
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["KeyPressed", "TimesUp", "run_limited"]

# Seconds between two rings, should the learner's `except:` swallow the first; the rings until one
# raises again wherever it is; seconds for which the tracer waits for a place outside any `except:`.
_AGAIN = 0.02
_RINGS_BEFORE_RAISING = 25
_PATIENCE = 0.5


class TimesUp(BaseException):
    """The learner's code ran out of time. Not an Exception: `except Exception` must not hide it.

    Parameters
    ----------
    frame : frame, optional
        What was running then; its callers and their lines are kept in ``places``, outermost first.
    """

    def __init__(self, frame: FrameType | None = None) -> None:
        super().__init__()
        self.places: list[tuple[FrameType, int]] = []
        while frame is not None:
            self.places.insert(0, (frame, frame.f_lineno))
            frame = frame.f_back


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
    running, rings = True, 0
    late: TimesUp | None = None

    def ring(signum: int, frame: FrameType | None) -> None:
        nonlocal late, rings
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
    started = time.monotonic()
    old_timer = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        try:
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


def _trace_from(frame: FrameType | None, tracer: Callable[..., Any]) -> None:
    """Trace every instruction of the frames that are running already, and of all new ones."""
    while frame is not None and frame.f_code not in _OUR_OWN:
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
    while frame is not None and frame.f_code not in _OUR_OWN:
        for entry in dis._parse_exception_table(frame.f_code):  # type: ignore[attr-defined]
            if entry.start <= frame.f_lasti < entry.end:
                return True
        frame = frame.f_back
    return False


_OUR_OWN = (_with_alarm.__code__, _with_tracer.__code__)
