"""What to say when the learner's function raised: its own line, never our traceback."""

import builtins
import inspect
import linecache
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from course_attn.checking.context import Finding
from course_attn.checking.time_limit import TimesUp
from course_attn.checking.tips import tip_for

__all__ = ["crash_finding", "raised_by_learner"]

_MOST_SAID = 400


def crash_finding(
    error: BaseException,
    function: Callable[..., Any],
    called_with: str,
    seconds: float,
) -> Finding:
    """Say what stopped the function, where, and what it had been given."""
    ids: tuple[str, ...]
    if isinstance(error, TimesUp):
        said, ids = (
            f"did not come back within {seconds:g} seconds (an endless loop?)",
            ("endless",),
        )
    else:
        said, ids = f"stopped with {_quoted(error)}", ()
    place = _own_place(error, function)
    where = f" in line {place[0]}:\n\n    {place[1]}" if place and place[1] else "."
    parts = [f"Your function {said}{where}", f"It was called with {called_with}."]
    tip = _tip(error, function)
    return Finding(ids, "\n\n".join([*parts, tip] if tip else parts))


def raised_by_learner(error: BaseException, function: Callable[..., Any]) -> bool:
    """Whether the exception was raised in the learner's own code, not in a library it calls."""
    frames = _frames(error.__traceback__)
    return bool(frames) and frames[-1][0].f_globals is _globals_of(function)


def _own_place(
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
    return number, source.strip()


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


def _quoted(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # a learner's exception may itself be broken
        text = ""
    text = " ".join(text.replace("`", "'").split())
    text = text[:_MOST_SAID] + "…" if len(text) > _MOST_SAID else text
    return (
        f"`{type(error).__name__}: {text}`" if text else f"`{type(error).__name__}`"
    )


def _tip(error: BaseException, function: Callable[..., Any]) -> str:
    hidden = _hidden_names(function)
    if hidden and isinstance(error, TypeError):
        return (
            f"The name `{hidden[0]}` means something of your own in this notebook, which hides "
            f"Python's `{hidden[0]}`. Run `del {hidden[0]}` and choose another name for yours."
        )
    if isinstance(error, RecursionError):
        name = getattr(function, "__name__", "it")
        return (
            f"It calls itself without end. Inside it, `{name}` means the function that you are "
            "writing, not one that you imported under the same name."
        )
    if isinstance(error, SystemExit):
        return "A function gives its result back with `return`; `exit()` ends the whole program."
    if isinstance(error, NameError) and "'np'" in str(error):
        return "Run the cell with `import numpy as np` first."
    return tip_for(error)


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
