"""Running what a learner wrote: caught, quiet, and ended where it would never end.

One call, and all calls of a check beside what was expected of each; then what to say when one was
stopped by an exception: the learner's own line, never our traceback.
"""

import builtins
import dis
import gc
import inspect
import io
import linecache
import logging
import random
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from types import CodeType, FrameType, TracebackType
from typing import Any

import numpy as np

from whywrong.arrays import Side, agree, relative_tolerance, side_of
from whywrong.context import Context, Finding
from whywrong.declare import HOMES, Case, Exercise, parameter_names

__all__ = [
    "Budget",
    "Clock",
    "KeyPressed",
    "Outcome",
    "TimesUp",
    "Trial",
    "call_guarded",
    "crash_finding",
    "guarded_randomness",
    "names_used",
    "no_collection",
    "one_thread",
    "own_place",
    "plain_torch",
    "quoted",
    "raised_by_learner",
    "run_limited",
    "run_trial",
    "safely",
    "tip",
    "unwritten_step",
]


# --- one call -------------------------------------------------------------------------------------


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


_MOST_PRINTED = 100_000


class _Printed(io.StringIO):
    """What is printed, as far as anybody would read it."""

    def write(self, text: str) -> int:
        """Keep the text while there is room."""
        room = _MOST_PRINTED - self.tell()
        super().write(text[: max(room, 0)])
        return len(text)

    def close(self) -> None:
        """Stay open: an answer may close its ``sys.stdout``, and what it printed is read later."""


@contextmanager
def _no_logging() -> Iterator[None]:
    """Let nothing be logged: a handler holds the real stderr, where a line costs the points."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


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


def safely(call: Callable[[], Any], otherwise: Any, seconds: float = 1.0) -> Any:
    """Return ``call()``, which touches an object of the learner's; ``otherwise`` if that fails."""
    outcome = call_guarded(call, (), seconds=seconds)
    return otherwise if outcome.error is not None else outcome.value


# --- what holds during a check --------------------------------------------------------------------


@contextmanager
def plain_torch() -> Iterator[None]:
    """Judge with gradients and on the CPU, whatever an earlier cell has switched on or off."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    with ExitStack() as stack:
        stack.enter_context(torch.enable_grad())
        # Only where it is needed: a device as a context handles every call of PyTorch, and breaks
        # if the time limit cuts it there.
        if torch.get_default_device().type != "cpu":
            stack.enter_context(torch.device("cpu"))
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


@contextmanager
def no_collection() -> Iterator[None]:
    """Let no garbage be collected: syntax trees are many objects to look through, and none is."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


# --- the time that it may take --------------------------------------------------------------------


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


# How much slower Python is in a browser: what is limited by computing gets so much more there.
_SLOWNESS = 3.0 if sys.platform == "emscripten" else 1.0
# A machine that has more to do is waited for, this many times as long.
_WAITED = 20
_processor_time = (
    time.monotonic if sys.platform == "emscripten" else time.process_time
)


class Budget:
    """The computing that a search may spend, whatever else the machine has to do meanwhile.

    Parameters
    ----------
    seconds : float
        Of the processor's time on an ordinary machine.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds * _SLOWNESS
        self._begun = _processor_time(), time.monotonic()

    @property
    def left(self) -> float:
        """Seconds that may still be spent; below 0 where too many were."""
        computed = _processor_time() - self._begun[0]
        waited = (time.monotonic() - self._begun[1]) / _WAITED
        return self._seconds - max(computed, waited)

    @property
    def is_over(self) -> bool:
        """Whether all of it is spent."""
        return self.left < 0

    def part(self, share: float) -> "Budget":
        """Return a share of what is left, to be spent from now on."""
        return Budget(share * self.left / _SLOWNESS)


# Seconds between two rings, should the learner's `except:` swallow the first; the rings until one
# raises again wherever it is; seconds for which the tracer waits for a place outside any `except:`.
_AGAIN = 0.02
_RINGS_BEFORE_RAISING = 25
_PATIENCE = 0.5
# An import that is cut in two leaves half a module behind, and the next one may crash Python: it
# may run on, this many times as long as the limit.
_IMPORT_MAY_TAKE = 15
_MOST_PLACES = 100


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
    watched = _with_tracer if _MONITORING is None else _with_monitor
    if threading.current_thread() is not threading.main_thread():
        return watched(call, seconds)
    limited = _with_alarm if _has_alarm() else watched
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
    """Raise where the call that is watched has had its time; nothing of an import is cut in two."""
    if not _watches:
        return
    watch = _watches[-1]
    watch.events += 1
    if watch.events % _LOOKS and not watch.late:
        return
    over = time.monotonic() - watch.deadline
    is_elsewhere = watch.thread != threading.get_ident()
    if over < 0 or is_elsewhere or code.co_filename.startswith(_IMPORTS):
        return
    frame = sys._getframe(1)
    if over > _PATIENCE or not _would_be_caught(frame):
        watch.late = watch.late or TimesUp(frame)
        raise watch.late


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


_OUR_OWN = (
    _with_alarm.__code__,
    _with_tracer.__code__,
    _with_monitor.__code__,
)


# --- all calls of a check -------------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """The outcome of every case for one function.

    Parameters
    ----------
    exercise : Exercise
    function : callable
        The learner's.
    outcomes : tuple of Outcome
        One for each case; fewer where a call ran out of time.
    clock : Clock
        The time that is left for more calls.
    known : dict
        The mistakes that were recognized, with slips and without.
    spared : list
        Seconds of computing that a search did not need, for the next one.
    spoils : dict
        Whether wrong versions of the solution, by their names, break what is right here.
    """

    exercise: Exercise
    function: Callable[..., Any]
    outcomes: tuple[Outcome, ...]
    clock: Clock
    known: dict[bool, Finding | None] = field(default_factory=dict)
    spared: list[float] = field(default_factory=list)
    spoils: dict[tuple[str, ...], bool] = field(default_factory=dict)

    @cached_property
    def side(self) -> Side:
        """What is known about the exercise's kind of arrays."""
        return side_of(self.exercise.library)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases that were run."""
        return self.exercise.made_cases[: len(self.outcomes)]

    @cached_property
    def names(self) -> list[str]:
        """The names of the arguments."""
        return list(self.exercise.arguments) or parameter_names(
            self.exercise.solution
        )

    @cached_property
    def expected(self) -> list[np.ndarray | Exception]:
        """What the reference gives in float64, or the exception that it raises."""
        return [self.expect(self.given(i)) for i in range(len(self.outcomes))]

    @cached_property
    def wrong(self) -> list[int]:
        """The cases in which something came back that is not right."""
        return [i for i in self._valued if not self._is_right(i)]

    @cached_property
    def crashed(self) -> list[int]:
        """The cases in which the function raised although it should not have."""
        raised = set(range(len(self.outcomes))) - set(self._valued)
        return [i for i in sorted(raised) if not self._raises_rightly(i)]

    @cached_property
    def right(self) -> list[int]:
        """The cases in which all is well."""
        return [
            i
            for i in range(len(self.outcomes))
            if i not in self.wrong + self.crashed
        ]

    @property
    def _valued(self) -> list[int]:
        return [
            i for i, outcome in enumerate(self.outcomes) if outcome.error is None
        ]

    @cached_property
    def uses(self) -> frozenset[str]:
        """The names that the learner's code uses, its own helpers' included."""
        nothing: frozenset[str] = frozenset()
        return safely(lambda: names_used(self.function), nothing)

    def given(self, i: int) -> tuple[Any, ...]:
        """Return fresh copies of a case's arguments."""
        return tuple(
            self.side.native(self.side.copy(value)) for value in self.cases[i].args
        )

    def got(self, i: int) -> np.ndarray:
        """Return what came back, as a NumPy array."""
        return self.side.as_numpy(self.outcomes[i].value)

    def tolerance(self, i: int) -> float:
        """Return the tolerance that the coarsest dtype in play asks for."""
        if self.exercise.tolerance is not None:
            return self.exercise.tolerance
        values = [*self.outcomes[i].given, self.outcomes[i].value]
        return relative_tolerance(map(self.side.precision, values))

    def expect(self, given: tuple[Any, ...]) -> np.ndarray | Exception:
        """Return the reference's answer, computed in float64."""
        try:
            with np.errstate(all="ignore"):
                right = self.exercise.used(self.exercise.solution)
                return self.side.as_numpy(right(*map(self.side.widen, given)))
        except ValueError as error:
            return error

    def called_with(self, i: int) -> str:
        """Return the arguments' shapes and dtypes in words."""
        shown = zip(self.names, self.cases[i].args, strict=False)
        described = ", ".join(
            f"{name} {self.side.describe(self.side.native(value))}"
            for name, value in shown
        )
        return described or "no arguments"

    def of_result(self, i: int, message: str) -> str:
        """Say of which result a message speaks, where there are several."""
        if not self.exercise.results:
            return message
        return f"About the result `{self.cases[i].args[-1]}`: {message}"

    def quoted(self, i: int) -> str:
        """Return the arguments with their numbers where they are few, else their shapes."""
        shown_args = self.cases[i].args[: len(self.names)]
        values = [np.asarray(value) for value in shown_args]
        if sum(value.size for value in values) > 12:
            return self.called_with(i)
        shown = (
            value.round(2).tolist() if value.dtype.kind == "f" else value
            for value in values
        )
        return ", ".join(
            f"{n} = {value}" for n, value in zip(self.names, shown, strict=False)
        )

    def context(self, i: int) -> Context:
        """Return what a message about this case may quote from."""
        given = dict(zip(self.names, self.cases[i].args, strict=False))
        if self.exercise.results:
            given["result"] = self.cases[i].args[-1]
        return Context(
            given,
            self.got(i),
            self.expected[i],
            self.cases[i].kind,
            self._call,
            self.exercise.terms,
            self.tolerance(i),
        )

    def _call(self, *args: Any) -> np.ndarray | None:
        given = tuple(self.side.native(self.side.copy(value)) for value in args)
        outcome = call_guarded(self.function, given, seconds=self.clock.left)
        is_number = isinstance(outcome.value, bool | int | float)
        native = outcome.error is None and (
            is_number or self.side.is_native(outcome.value)
        )
        return self.side.as_numpy(outcome.value) if native else None

    def _is_right(self, i: int) -> bool:
        expected = self.expected[i]
        if isinstance(expected, Exception):
            return False
        return agree(self.got(i), expected, self.tolerance(i))

    def _raises_rightly(self, i: int) -> bool:
        expected = self.expected[i]
        return isinstance(expected, Exception) and isinstance(
            self.outcomes[i].error, type(expected)
        )


def run_trial(exercise: Exercise, function: Callable[..., Any]) -> Trial:
    """Call the function on every case; stop at a call that does not end."""
    function = exercise.used(function)
    clock = Clock(exercise.seconds)
    trial = Trial(
        exercise, function, (Outcome(),) * len(exercise.made_cases), clock
    )
    inputs = [trial.given(i) for i in range(len(exercise.made_cases))]
    outcomes: list[Outcome] = []
    for i, given in enumerate(inputs):
        outcomes.append(call_guarded(function, given, seconds=clock.left, seed=i))
        if isinstance(outcomes[-1].error, TimesUp | NotImplementedError):
            break
    return Trial(exercise, function, tuple(outcomes), clock)


# --- what stopped it ------------------------------------------------------------------------------


_MOST_SAID = 400


def crash_finding(
    error: BaseException,
    function: Callable[..., Any],
    called_with: str,
    clock: Clock,
) -> Finding:
    """Say what stopped the function, where, and what it had been given."""
    ids: tuple[str, ...]
    if isinstance(error, TimesUp):
        said, ids = f"did not come back within {_limit(clock)}", ("endless",)
    else:
        said, ids = f"stopped with {quoted(error)}", ()
    place = own_place(error, function)
    where = f" in line {place[0]}:\n\n    {place[1]}" if place and place[1] else "."
    parts = [f"Your function {said}{where}", f"It was called with {called_with}."]
    advice = tip(error, function)
    return Finding(ids, "\n\n".join([*parts, advice] if advice else parts))


def _limit(clock: Clock) -> str:
    if clock.is_over:
        return f"{2 * clock.seconds:g} seconds, all calls of the check together (is it so slow?)"
    return f"{clock.seconds:g} seconds (an endless loop?)"


def own_place(
    error: BaseException, function: Callable[..., Any]
) -> tuple[int, str] | None:
    """Return the last line of the learner's own that was running, and its source."""
    namespace = _globals_of(function)
    places = (
        error.places if isinstance(error, TimesUp) else _frames(error.__traceback__)
    )
    own = [place for place in places if place[0].f_globals is namespace]
    if namespace is None or not own:
        return None
    frame, number = own[-1]
    source = linecache.getline(frame.f_code.co_filename, number, frame.f_globals)
    return number, _readable(source.strip())[:_MOST_SAID]


def _frames(traceback: TracebackType | None) -> list[tuple[FrameType, int]]:
    found = []
    while traceback is not None:
        found.append((traceback.tb_frame, traceback.tb_lineno))
        traceback = traceback.tb_next
    return found


def _globals_of(function: Any) -> dict[str, Any] | None:
    inner = inspect.unwrap(getattr(function, "func", function))
    inner = getattr(inner, "__func__", inner)
    if inspect.isclass(inner):
        inner = next(
            (f for f in vars(inner).values() if inspect.isfunction(f)), None
        )
    elif not hasattr(inner, "__globals__"):  # an object that can be called
        inner = vars(type(inner)).get("__call__")
    return getattr(inner, "__globals__", None)


_MOST_HELPERS = 8


def names_used(function: Any) -> frozenset[str]:
    """Return the names in the code of a function or class, and of the helpers it calls.

    They are those of functions, of attributes, of keywords and of its own variables.
    """
    home = _globals_of(function) or {}
    used: set[str] = set()
    parts, seen = [function], 0
    while parts and seen < _MOST_HELPERS:
        part, seen = parts.pop(), seen + 1
        for code in _codes_of(part):
            names = {*code.co_names, *code.co_varnames, *code.co_freevars}
            for const in code.co_consts:
                if isinstance(const, tuple):  # the names of keywords
                    names |= {word for word in const if isinstance(word, str)}
            helpers = [home.get(name) for name in sorted(names - used)]
            parts += [
                h
                for h in helpers
                if (inspect.isfunction(h) or inspect.isclass(h))
                and _globals_of(h) is home
            ]
            used |= names
    return frozenset(used)


def _codes_of(part: Any) -> list[CodeType]:
    inner = inspect.unwrap(getattr(part, "func", part))
    inner = getattr(inner, "__func__", inner)
    functions = list(vars(inner).values()) if inspect.isclass(inner) else [inner]
    codes = [f.__code__ for f in functions if hasattr(f, "__code__")]
    return [code for own in codes for code in (own, *_nested(own))]


def quoted(error: BaseException) -> str:
    """Return an exception as code: its kind and, where it has one, its text."""
    text = " ".join(_readable(_text_of(error)).replace("`", "'").split())
    text = text[:_MOST_SAID] + "…" if len(text) > _MOST_SAID else text
    return (
        f"`{type(error).__name__}: {text}`" if text else f"`{type(error).__name__}`"
    )


def _text_of(error: BaseException) -> str:
    """Return an exception's text; nothing where that itself fails."""
    text = safely(lambda: str(error), "")
    return text if type(text) is str else ""


def _readable(text: str) -> str:
    """Return a text without what a terminal or a page would obey instead of showing."""
    shown = text[: 10 * _MOST_SAID].encode("utf-8", "replace").decode()
    return "".join(c if c.isprintable() or c in "\n\t" else "�" for c in shown)


def raised_by_learner(error: BaseException, function: Callable[..., Any]) -> bool:
    """Whether the exception was raised in the learner's own code, not in a library it calls."""
    frames = _frames(error.__traceback__)
    return bool(frames) and frames[-1][0].f_globals is _globals_of(function)


def unwritten_step(
    error: BaseException, function: Callable[..., Any]
) -> str | None:
    """Return the name of another function of the learner's that is still a stub, or None."""
    frames = _frames(error.__traceback__)
    inner = inspect.unwrap(function)
    own = [inner] if not inspect.isclass(inner) else list(vars(inner).values())
    codes = [f.__code__ for f in own if hasattr(f, "__code__")]
    inside = [code for code in codes for code in (code, *_nested(code))]
    code = frames[-1][0].f_code if frames else None
    if not raised_by_learner(error, function) or code is None or code in inside:
        return None
    known = _globals_of(function) or {}
    return code.co_name if code.co_name in known else None


def _nested(code: CodeType) -> list[CodeType]:
    inside = [const for const in code.co_consts if isinstance(const, CodeType)]
    return inside + [deeper for part in inside for deeper in _nested(part)]


def tip(error: BaseException, function: Callable[..., Any]) -> str:
    """Return what an exception suggests to do, if anything."""
    hidden = _hidden_names(function)
    if hidden and isinstance(error, TypeError):
        return (
            f"The name `{hidden[0]}` means something of your own in this notebook, which hides "
            f"Python's `{hidden[0]}`. Run `del {hidden[0]}` and choose another name for yours."
        )
    library = _hidden_library(function)
    if library and isinstance(error, AttributeError):
        return (
            f"The name `{library}` means something of your own here. Choose another name for it, "
            f"and import the library again: `{_IMPORTED[library]}`."
        )
    if isinstance(error, RecursionError):
        name = getattr(function, "__name__", "it")
        return (
            f"It calls itself without end. Inside it, `{name}` means the function that you are "
            "writing, not one that you imported under the same name."
        )
    if isinstance(error, SystemExit):
        return "A function gives its result back with `return`; `exit()` ends the whole program."
    if isinstance(error, NameError):
        return _unknown_name(str(error.name or ""), function)
    return _tip_for(error)


def _unknown_name(name: str, function: Callable[..., Any]) -> str:
    if name in _IMPORTED:
        return f"Run the cell with `{_IMPORTED[name]}` first."
    if home := _home_of(name, function):
        return (
            f"`{name}` is not imported here: write `from {home} import {name}` above your "
            "function. If you mean your own, of an earlier cell, run that cell again: after a "
            "restart nothing is known."
        )
    return (
        f"`{name}` is not defined here. If it is a function of an earlier cell, run that "
        "cell again: after a restart nothing is known."
        if name
        else ""
    )


def _home_of(name: str, function: Callable[..., Any]) -> str:
    """Return the part of the course's package that has a function; "" if none has it.

    That of the library which the learner's function uses comes first.
    """
    used = names_used(function)
    loaded = [library for library in HOMES if library in sys.modules]
    homes = [
        HOMES[library] for library in sorted(loaded, key=lambda n: n not in used)
    ]
    found = (home for home in homes if name in import_module(home).__all__)
    return next(found, "")


def _hidden_names(function: Callable[..., Any]) -> list[str]:
    """Return Python's own names that the learner overwrote with something not callable."""
    namespace = _globals_of(function) or {}
    code = getattr(inspect.unwrap(function), "__code__", None)
    used = code.co_names if code else ()
    return [
        name
        for name in used
        if hasattr(builtins, name)
        and name in namespace
        and not callable(namespace[name])
    ]


def _hidden_library(function: Callable[..., Any]) -> str:
    """Return the name of a library that the learner's code uses and has given to something else."""
    namespace = _globals_of(function) or {}
    code = getattr(inspect.unwrap(function), "__code__", None)
    for name in code.co_names if code else ():
        if name in _IMPORTED and not inspect.ismodule(namespace.get(name)):
            return name
    return ""


_IMPORTED = {"np": "import numpy as np", "torch": "import torch"}

_Tip = Callable[[re.Match[str]], str]


def _tip_for(error: BaseException) -> str:
    """Return what an exception's text suggests; nothing where it suggests nothing certain."""
    text = _text_of(error)
    for expression, advice in _TIPS:
        match = re.search(expression, text)
        if match:
            return advice(match)
    return ""


def _broadcast(match: re.Match[str]) -> str:
    shapes = [_sizes(shape) for shape in re.findall(r"\(([\d,]*)\)", match[1])]
    if len(shapes) != 2:
        return ""
    long, short = sorted(shapes, key=len, reverse=True)
    if short and short == long[:-1]:
        return (
            f"Shapes are lined up from the right, so that {short[-1]} meets {long[-1]} here. A sum "
            "or maximum along an axis keeps that axis, with length 1, by `keepdims=True`: the "
            f"shape {long} then meets {(*short, 1)}."
        )
    first, second = shapes
    if len(first) > 1 and len(second) > 1 and first[-1] == second[-2]:
        return (
            "`*` multiplies entry by entry. If a matrix product is meant, rows times columns, it "
            "is `A @ B`."
        )
    return ""


def _product(first: str, second: str) -> str:
    return (
        "In `A @ B` the last axis of A is as long as the last but one of B (its only one, if B is "
        f"a vector). Here their lengths are {first} and {second}: is a transpose missing, or one "
        "too many, or does another matrix belong here?"
    )


def _truth(library: str) -> str:
    return (
        "`not`, `and`, `or` and `if` ask for one truth value, and an array has many. Entry by "
        f'entry, "not" is `~mask`, which is short for `{library}.logical_not(…)`; `&` is "and", '
        '`|` is "or".'
    )


def _minus(library: str) -> str:
    return (
        f'`-` is not made for truth values. "Not", entry by entry, is `~`: `~mask`, which is '
        f"short for `{library}.logical_not(…)`."
    )


def _sizes(shape: str) -> tuple[int, ...]:
    return tuple(int(size) for size in shape.split(",") if size)


_TIPS: tuple[tuple[str, _Tip], ...] = (
    (r"could not be broadcast together with shapes (.*)", _broadcast),
    (
        r"matmul: .*\(size (\d+) is different from (\d+)\)",
        lambda m: _product(m[2], m[1]),
    ),
    (
        r"shapes cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)",
        lambda m: _product(m[1], m[2]),
    ),
    (r"truth value of an array .* is ambiguous", lambda m: _truth("np")),
    (r"Boolean value of Tensor .* is ambiguous", lambda m: _truth("torch")),
    (
        r"torch.return_types.(max|min)",
        lambda m: (
            f"`x.{m[1]}(dim=…)` gives two tensors, values and indices: take `.values`, "
            f"or `x.a{m[1]}(dim=…)`."
        ),
    ),
    (r"numpy boolean (negative|subtract)", lambda m: _minus("np")),
    (r"`-` operator, (on|with) .*bool tensor", lambda m: _minus("torch")),
)
