"""The time that an answer may take: it is ended where it would never end.

What counts is the processor's time, so that a busy machine ends nothing sooner than an idle one.
"""

import dis
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

__all__ = ["Clock", "KeyPressed", "TimesUp", "run_limited"]


class Clock:
    """The time that a check has: a limit of ``seconds`` a call, twice that for all together."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._until = time.process_time() + 2 * seconds

    @property
    def left(self) -> float:
        """Seconds that the next call may take."""
        return max(min(self.seconds, self._until - time.process_time()), 0.01)

    @property
    def is_over(self) -> bool:
        """Whether the calls together have used up their time."""
        return time.process_time() > self._until


# Seconds between two rings, should the learner's `except:` swallow the first; the rings until one
# raises again wherever it is; seconds for which the tracer waits for a place outside any `except:`.
_AGAIN = 0.02
_RINGS_BEFORE_RAISING = 25
_PATIENCE = 0.5
# What waits for the processor, or for nothing, is ended after this many times the limit. So is an
# import: one that is cut in two leaves half a module behind, and the next may crash Python.
_MAY_TAKE = 15
_IMPORTS = "<frozen importlib"
_MOST_PLACES = 100


class TimesUp(BaseException):
    """The learner's code ran out of time. Not an Exception: `except Exception` must not hide it.

    frame: what was running then; its nearest callers and their lines are kept in ``places``,
        outermost first.
    """

    def __init__(self, frame: FrameType | None = None) -> None:
        super().__init__()
        self.places: list[tuple[FrameType, int]] = []
        while frame is not None and len(self.places) < _MOST_PLACES:
            self.places.insert(0, (frame, frame.f_lineno))
            frame = frame.f_back


class KeyPressed(KeyboardInterrupt):
    """Somebody really pressed Ctrl-C or the stop button; the learner's code did not raise it."""


def run_limited(call: Callable[[], Any], seconds: float) -> Any:
    """Return ``call()``; raise `TimesUp` when it takes longer than ``seconds``.

    A key press gets through as `KeyPressed`, even where the called code catches it.
    """
    watched = _with_tracer if _MONITORING is None else _with_monitor
    if threading.current_thread() is not threading.main_thread():
        return watched(call, seconds)
    # A timer cannot interrupt Python on Windows, nor in a browser.
    has_alarm = hasattr(signal, "setitimer") and sys.platform != "emscripten"
    presses: list[int] = []

    def press(signum: int, frame: FrameType | None) -> None:
        presses.append(signum)
        raise KeyPressed

    old = _handle(signal.SIGINT, press)
    try:
        return (_with_alarm if has_alarm else watched)(call, seconds)
    finally:
        _handle(signal.SIGINT, old)
        if presses:
            raise KeyPressed


def _handle(signum: int, handler: Any) -> Any:
    """Install a handler; one that was not installed from Python (None) cannot be put back."""
    return signal.signal(signum, signal.SIG_DFL if handler is None else handler)


class _Alarm:
    """A timer that rings until what is running has stopped."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.running = seconds, True
        self.started, self.worked = time.monotonic(), time.process_time()
        self.rings = 0
        self.late: TimesUp | None = None

    def ring(self, signum: int, frame: FrameType | None) -> None:
        """Raise, or find a place to raise: the learner's `except:` has swallowed the first one."""
        if not self.late and (wait := self._waits(frame)):
            signal.setitimer(signal.ITIMER_REAL, wait, _AGAIN)
            return
        self.late, self.rings = self.late or TimesUp(frame), self.rings + 1
        if self.running and self.rings % _RINGS_BEFORE_RAISING == 1:
            raise self.late
        if self.running:
            for near in _frames(frame):
                near.f_trace, near.f_trace_opcodes = self.trace, True
            sys.settrace(self.trace)

    def _waits(self, frame: FrameType | None) -> float:
        """Return for how long it may run on; 0 if its time is over."""
        if time.monotonic() - self.started > _MAY_TAKE * self.seconds:
            return 0
        files = [near.f_code.co_filename for near in _frames(frame)]
        if any(file.startswith(_IMPORTS) for file in files):
            return self.seconds
        left = self.seconds - (time.process_time() - self.worked)
        return max(left, _AGAIN) if left > 0 else 0

    def trace(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Raise at the first instruction outside any `except:`."""
        frame.f_trace_opcodes = True
        if self.late and self.running and not _would_be_caught(frame):
            raise self.late
        return self.trace


def _with_alarm(call: Callable[[], Any], seconds: float) -> Any:
    alarm = _Alarm(seconds)
    old_handler, old_tracer = _handle(signal.SIGALRM, alarm.ring), sys.gettrace()
    started = time.monotonic()
    delay, interval = signal.getitimer(signal.ITIMER_REAL)
    try:
        try:  # it may ring at once
            signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
            return call()
        finally:
            alarm.running = False
    finally:
        alarm.running = False  # again: a ring may have hit the line above
        sys.settrace(old_tracer)
        left = max(delay - (time.monotonic() - started), 0.001) if delay else 0
        signal.setitimer(signal.ITIMER_REAL, left, interval)
        _handle(signal.SIGALRM, old_handler)
        if alarm.late:
            raise alarm.late


def _with_tracer(call: Callable[[], Any], seconds: float) -> Any:
    watch, old = _Watch(seconds), sys.gettrace()

    def tracer(frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename.startswith(_IMPORTS):
            return None  # nothing of an import is traced: it is not cut in two
        frame.f_trace_opcodes = True
        watch.look(frame)
        return tracer

    sys.settrace(tracer)
    try:
        return call()
    finally:
        sys.settrace(old)
        if watch.late:
            raise watch.late


# Python 3.12 can tell of every jump and every call, which costs a loop little. A tracer that looks
# at each instruction makes one ten times as slow; where Python is slow, as in a browser, an answer
# that is right would run out of time. The tool's number is one that is free for anybody's use.
_MONITORING: Any = getattr(sys, "monitoring", None)
_TOOL = 4
_LOOKS = 16  # at the clock: at every so many jumps and calls
_watches: list["_Watch"] = []


class _Watch:
    """What is known of a call that is watched."""

    def __init__(self, seconds: float) -> None:
        self.deadline = time.monotonic() + seconds
        self.thread = threading.get_ident()
        self.events = 0
        self.late: TimesUp | None = None

    def look(self, frame: FrameType) -> None:
        """Raise where the call has had its time, if need be where an `except:` swallows it."""
        over = time.monotonic() - self.deadline
        if over > _PATIENCE or (over > 0 and not _would_be_caught(frame)):
            self.late = self.late or TimesUp(frame)
            raise self.late


def _with_monitor(call: Callable[[], Any], seconds: float) -> Any:
    watch = _Watch(seconds)
    _watches.append(watch)
    if len(_watches) == 1:
        _start_monitoring()
    try:
        return call()
    finally:
        _watches.remove(watch)
        if not _watches:
            _MONITORING.set_events(_TOOL, 0)
            _MONITORING.free_tool_id(_TOOL)
        if watch.late:
            raise watch.late


def _start_monitoring() -> None:
    events = _MONITORING.events
    _MONITORING.use_tool_id(_TOOL, __name__)
    for event in (events.JUMP, events.PY_START, events.PY_RESUME):
        _MONITORING.register_callback(_TOOL, event, _look_at_the_clock)
    _MONITORING.set_events(_TOOL, events.JUMP | events.PY_START | events.PY_RESUME)


def _look_at_the_clock(code: CodeType, *_: Any) -> None:
    """Look whether the call that is watched has had its time; no import is cut in two."""
    if not _watches:
        return
    watch = _watches[-1]
    watch.events += 1
    if watch.events % _LOOKS and not watch.late:
        return
    is_elsewhere = watch.thread != threading.get_ident()
    if not is_elsewhere and not code.co_filename.startswith(_IMPORTS):
        watch.look(sys._getframe(1))


def _frames(frame: FrameType | None) -> list[FrameType]:
    """Return the nearest frames, up to this module."""
    frames: list[FrameType] = []
    while frame and frame.f_code not in _OUR_OWN and len(frames) < _MOST_PLACES:
        frames.append(frame)
        frame = frame.f_back
    return frames


def _would_be_caught(frame: FrameType | None) -> bool:
    """Whether an exception raised here meets an `except` before it reaches this module.

    Python switches a tracer off once it has raised: it has one shot and must not waste it.
    """
    return any(
        entry.start <= near.f_lasti < entry.end
        for near in _frames(frame)
        for entry in dis._parse_exception_table(near.f_code)  # type: ignore[attr-defined]
    )


_OUR_OWN = (_with_alarm.__code__, _with_tracer.__code__, _with_monitor.__code__)
