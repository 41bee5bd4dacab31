"""Exercises and lines of Python in a browser: text comes in, plain data go back to the page.

There is no notebook there. Each check runs the answer's text anew, in a namespace of its own that
has what the notebook's first cell imports, and what the reader has already solved on the same page.
"""

import ast
import builtins
import json
import linecache
import re
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite
from types import FunctionType
from typing import Any

import numpy as np

import course_attn.exercises as learners_own
from course_attn import in_numpy
from whywrong.calls import Outcome, call_guarded, safely
from whywrong.declare import Exercise, Question, parameter_names
from whywrong.limits import TimesUp
from whywrong.result import Result
from whywrong.stops import own_place, quoted, tip

__all__ = ["answered", "checked", "ran"]

# Seconds for the lines of an answer themselves, most of which only define, and for lines of the
# reader's own; and the longest text that is looked at.
_SECONDS = 4.0
_SCRATCH_SECONDS = 20.0
_MOST_TEXT = 100_000


def checked(
    name: str, code: str, earlier: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Run the text of an answer and judge the function that it defines.

    Parameters
    ----------
    name : str
        The exercise.
    code : str
        What the reader wrote.
    earlier : mapping, optional
        Answers that were right before, by exercise: this one may call them.

    Returns
    -------
    dict
        ``status``, ``faults``, the verdict as ``text`` and as ``html``, and what the text itself
        ``printed``; nothing but text, lists and numbers.
    """
    task = learners_own.catalog.find(name)
    namespace = _namespace()
    for other, text in (earlier or {}).items():
        if other != name:
            _run(text, f"<{other}>", namespace, _SECONDS)
    namespace.pop(name, None)
    result, printed = _judged(task, code, namespace)
    return {
        "status": result.status,
        "faults": list(result.faults),
        "text": repr(result),
        "html": result._repr_html_(),
        "printed": printed,
    }


def _namespace() -> dict[str, Any]:
    """Return what the first cells of a notebook leave behind."""
    known = {
        word: getattr(learners_own, word) for word in ("check", "hint", "progress")
    }
    return {"__name__": "__main__", "__builtins__": _BUILTINS, "np": np, **known}


def _no_input(*_: object) -> str:
    raise EOFError(
        "nobody can be asked here: what the function needs comes as its arguments"
    )


_BUILTINS = vars(builtins) | {"input": _no_input}


def _judged(
    task: Exercise | Question, code: str, namespace: dict[str, Any]
) -> tuple[Result, str]:
    """Return the verdict on a text, and what its lines printed."""
    name = task.name
    signature = f"def {name}({', '.join(parameter_names(task.solution))}):"
    if len(code) > _MOST_TEXT:
        said = f"This text has {len(code):,} characters, and an answer at most {_MOST_TEXT:,}."
        return Result("wrong", said, name, ("too-long",)), ""
    if not _says_something(code):
        said = f"There is nothing to check yet: write the function, from `{signature}` on."
        return Result("todo", said, name), ""
    outcome = _run(code, f"<{name}>", namespace, _SECONDS)
    if outcome.error is not None:
        message = _stopped(outcome.error, code, f"<{name}>", namespace, _SECONDS)
        return Result("crashed", message, name), outcome.printed
    if name not in namespace:
        said = f"Your text defines no `{name}`. Keep the line `{signature}` as it was given."
        return Result("wrong", said, name, ("no-function",)), outcome.printed
    result = learners_own.check(namespace[name], name)
    return replace(result, message=_of_pages(result.message)), outcome.printed


# What a notebook's reader is told that makes no sense where there are no cells.
_SAID_OF_CELLS = (
    (
        "If it is a function of an earlier cell, run that cell again: after a restart nothing is "
        "known.",
        "Is it misspelled? What you wrote for another exercise of this page is known here once it "
        "is solved.",
    ),
    (
        "If you mean your own, of an earlier cell, run that cell again: after a restart nothing is "
        "known.",
        "If you mean your own, of another exercise of this page: it is known here once it is "
        "solved.",
    ),
    (", run that cell, then this one.", ", then check again."),
)
_SAID_OF_HINTS = re.compile(r'`hint\("\w+"\)` helps\.')


def _of_pages(message: str) -> str:
    """Return what is said in a notebook as it is said on a page."""
    for cells, page in _SAID_OF_CELLS:
        message = message.replace(cells, page)
    return _SAID_OF_HINTS.sub("The hints help.", message)


def _says_something(code: str) -> bool:
    lines = [line.split("#")[0].strip() for line in code.splitlines()]
    written = [line for line in lines if line]
    is_head = len(written) == 1 and written[0].startswith("def ")
    return bool(written) and not (is_head and written[0].endswith(":"))


def _run(
    code: str, where: str, namespace: dict[str, Any], seconds: float
) -> Outcome:
    """Run lines, so that their functions can show their source."""
    lines = code.splitlines(keepends=True)
    linecache.cache[where] = (len(code), None, lines, where)
    return call_guarded(
        lambda: exec(compile(code, where, "exec"), namespace), (), seconds=seconds
    )


def _stopped(
    error: BaseException,
    code: str,
    where: str,
    namespace: dict[str, Any],
    seconds: float,
) -> str:
    """Say what stopped the lines themselves, before any function was called."""
    if isinstance(error, SyntaxError) and error.filename == where:
        return _not_python(error)
    # Never called: it stands for the lines, with their names and their namespace.
    lines = FunctionType(compile(code, where, "exec"), namespace)
    place = own_place(error, lines)
    at = f" in line {place[0]}:\n\n    {place[1]}" if place and place[1] else "."
    if isinstance(error, TimesUp):
        ended = f"did not come to an end within {seconds:g} seconds"
        return f"Your lines {ended} (an endless loop?){at}"
    advice = tip(error, lines)
    said = f"Your lines stopped with {quoted(error)}{at}"
    return f"{said}\n\n{_of_pages(advice)}" if advice else said


def _not_python(error: SyntaxError) -> str:
    what = "is not Python yet"
    if isinstance(error, IndentationError):
        what = "is not indented as Python needs it"
    if isinstance(error, TabError):
        what = "mixes tabs and spaces; use four spaces for each level"
    shown = (error.text or "").strip()
    place = f":\n\n    {shown}" if shown else "."
    return f"Line {error.lineno or 1} {what} ({error.msg}){place}"


# --- lines of the reader's own --------------------------------------------------------------------


_scratch: dict[str, Any] = {}
_SCRATCH = "<your lines>"
_MOST_SHOWN = 10_000  # characters
_MOST_ENTRIES = 400  # of an array that is drawn


def ran(code: str) -> dict[str, Any]:
    """Run lines that the reader wrote beside a chapter; what they define stays for the next ones.

    Parameters
    ----------
    code : str
        Lines of Python. NumPy is there as ``np``, and so is every function of
        ``course_attn.in_numpy``.

    Returns
    -------
    dict
        What the lines ``printed``; ``error``, a sentence or None; and the ``values`` of the last
        line: each ``{"text": …}``, or ``{"shape": …, "rows": …}`` for a small array.
    """
    if not _scratch:
        _scratch.update(_namespace())
        _scratch.update(
            {name: getattr(in_numpy, name) for name in in_numpy.__all__}
        )
    if len(code) > _MOST_TEXT:
        return {
            "printed": "",
            "error": "These lines are too long to run.",
            "values": [],
        }
    found: list[Any] = []
    outcome = call_guarded(
        lambda: found.extend(_values_of(code)), (), seconds=_SCRATCH_SECONDS
    )
    error = None
    if outcome.error is not None:
        seconds = _SCRATCH_SECONDS
        error = _stopped(outcome.error, code, _SCRATCH, _scratch, seconds)
    printed = outcome.printed
    if len(printed) > _MOST_SHOWN:
        printed = f"{printed[:_MOST_SHOWN]}\n… and more, which is not shown"
    return {
        "printed": printed,
        "error": error,
        "values": [_shown(value) for value in found],
    }


def _values_of(code: str) -> list[Any]:
    """Run lines; return the value of the last one, or the parts of a tuple; nothing for None."""
    linecache.cache[_SCRATCH] = (
        len(code),
        None,
        code.splitlines(keepends=True),
        _SCRATCH,
    )
    lines = ast.parse(code, _SCRATCH)
    last = lines.body.pop() if lines.body else None
    if last is not None and not isinstance(last, ast.Expr):
        lines.body.append(last)
    exec(compile(lines, _SCRATCH, "exec"), _scratch)
    if not isinstance(last, ast.Expr):
        return []
    value = eval(compile(ast.Expression(last.value), _SCRATCH, "eval"), _scratch)
    if type(value) is tuple:
        return list(value[:8])
    return [] if value is None else [value]


def _shown(value: Any) -> dict[str, Any]:
    """Return how a value is shown: a small array by its numbers, anything else by its text."""
    is_array = type(value) is np.ndarray and value.dtype.kind in "biuf"
    if is_array and value.ndim and 0 < value.size <= _MOST_ENTRIES:
        rows = value.reshape(-1, value.shape[-1]).astype(float)
        return {
            "shape": list(value.shape),
            "rows": [[_plain(entry) for entry in row] for row in rows.tolist()],
            "truth": value.dtype.kind == "b",
        }
    text = safely(lambda: str(repr(value)), "a value that cannot be written")
    return {"text": text[:_MOST_SHOWN]}


def _plain(entry: float) -> float | str:
    """Return a number that JSON can hold."""
    if isfinite(entry):
        return entry
    return "NaN" if entry != entry else "∞" if entry > 0 else "−∞"


def answered(asked: str) -> str:
    """Answer what the page's script asks, both as JSON."""
    question = json.loads(asked)
    if question["task"] == "check":
        answer = checked(question["name"], question["code"], question["earlier"])
    else:
        answer = ran(question["code"])
    return json.dumps(answer)
