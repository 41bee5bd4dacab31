"""What to say when the learner's function raised: its own line, never our traceback."""

import builtins
import inspect
import linecache
import re
from collections.abc import Callable
from types import CodeType, FrameType, TracebackType
from typing import Any

from course_attn.checking.context import Finding
from course_attn.checking.guard import Clock, TimesUp, safely

__all__ = ["crash_finding", "raised_by_learner", "unwritten_step", "tip_for"]


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
        said, ids = f"stopped with {_quoted(error)}", ()
    place = _own_place(error, function)
    where = f" in line {place[0]}:\n\n    {place[1]}" if place and place[1] else "."
    parts = [f"Your function {said}{where}", f"It was called with {called_with}."]
    tip = _tip(error, function)
    return Finding(ids, "\n\n".join([*parts, tip] if tip else parts))


def _text_of(error: BaseException) -> str:
    """Return an exception's text; nothing where that itself fails."""
    text = safely(lambda: str(error), "")
    return text if type(text) is str else ""


def _readable(text: str) -> str:
    """Return a text without what a terminal or a page would obey instead of showing."""
    shown = text[: 10 * _MOST_SAID].encode("utf-8", "replace").decode()
    return "".join(c if c.isprintable() or c in "\n\t" else "�" for c in shown)


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


def _limit(clock: Clock) -> str:
    if clock.is_over:
        return f"{2 * clock.seconds:g} seconds, all calls of the check together (is it so slow?)"
    return f"{clock.seconds:g} seconds (an endless loop?)"


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


def _quoted(error: BaseException) -> str:
    text = " ".join(_readable(_text_of(error)).replace("`", "'").split())
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
    if isinstance(error, NameError):
        return _unknown_name(str(error.name or ""))
    return tip_for(error)


def _unknown_name(name: str) -> str:
    imports = {"np": "import numpy as np", "torch": "import torch"}
    if name in imports:
        return f"Run the cell with `{imports[name]}` first."
    return (
        f"`{name}` is not defined here. If it is a function of an earlier cell, run that "
        "cell again: after a restart nothing is known."
        if name
        else ""
    )


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


_Tip = Callable[[re.Match[str]], str]


def tip_for(error: BaseException) -> str:
    """Return what an exception's text suggests; nothing where it suggests nothing certain."""
    text = _text_of(error)
    for expression, tip in _TIPS:
        match = re.search(expression, text)
        if match:
            return tip(match)
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
        "too many?"
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
