"""What to say where an exception stopped the learner's code: where, and what to do.

It names the learner's own line, never our traceback.
"""

import builtins
import inspect
import linecache
import re
import sys
from collections.abc import Callable
from importlib import import_module
from traceback import walk_tb
from types import FrameType
from typing import Any

from whywrong.calls import safely
from whywrong.catalog import HOMES
from whywrong.context import Finding, Sentences
from whywrong.learner import codes_of, home_of, names_used
from whywrong.limits import Clock, TimesUp

__all__ = ["crash_finding", "own_place", "quoted", "raised_by_learner", "tip"]
__all__ += ["stop_in_short", "unwritten_step"]

_MOST_SAID = 400


def crash_finding(
    error: BaseException,
    function: Callable[..., Any],
    called_with: str,
    clock: Clock,
    *,
    advise: bool = True,
) -> Finding:
    """Say what stopped the function, where, and what it had been given; advise what to do."""
    is_late = isinstance(error, TimesUp)
    limit, ids = f"did not come back within {_limit(clock)}", ("endless",)
    said = limit if is_late else f"stopped with {quoted(error)}"
    place = own_place(error, function)
    where = f" in line {place[0]}:\n\n    {place[1]}" if place and place[1] else "."
    is_class = inspect.isclass(inspect.unwrap(function))
    who, done = ("class", "made and called") if is_class else ("function", "called")
    called = f"It was {done} with {called_with}."
    advice = tip(error, function) if advise else ""
    parts = (f"Your {who} {said}{where}", called, advice)
    return Finding(ids * is_late, "\n\n".join(filter(None, parts)))


def stop_in_short(error: BaseException | None, function: Callable[..., Any]) -> str:
    """Say in one or two sentences what stopped the function and where, if something did."""
    place = own_place(error, function) if error else None
    if error is None or isinstance(error, TimesUp) or not (place and place[1]):
        return ""
    said = f"It stops with {quoted(error)} in line {place[0]}, `{place[1]}`."
    return f"{said} {tip(error, function)}".strip()


def _limit(clock: Clock) -> str:
    if clock.is_over:
        return f"{2 * clock.seconds:g} seconds, all calls of the check together (is it so slow?)"
    return f"{clock.seconds:g} seconds (an endless loop?)"


def own_place(
    error: BaseException, function: Callable[..., Any]
) -> tuple[int, str] | None:
    """Return the last line of the learner's own that was running, and its source."""
    raised, namespace = walk_tb(error.__traceback__), home_of(function)
    places = error.places if isinstance(error, TimesUp) else raised
    own = [place for place in places if place[0].f_globals is namespace]
    if not own:
        return None
    frame, number = own[-1]
    source = linecache.getline(frame.f_code.co_filename, number, frame.f_globals)
    return number, _readable(source.strip())[:_MOST_SAID]


def quoted(error: BaseException) -> str:
    """Return an exception as code: its kind and, where it has one, its text."""
    text = " ".join(_readable(_text_of(error)).replace("`", "'").split())
    text = text[:_MOST_SAID] + "…" * (len(text) > _MOST_SAID)
    return f"`{type(error).__name__}{': ' * bool(text)}{text}`"


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
    frames = _frames(error)
    return bool(frames) and frames[-1].f_globals is home_of(function)


def _frames(error: BaseException) -> list[FrameType]:
    return [frame for frame, _ in walk_tb(error.__traceback__)]


def unwritten_step(
    error: BaseException, function: Callable[..., Any]
) -> str | None:
    """Return the name of another function of the learner's that is still a stub, or None."""
    if not raised_by_learner(error, function):
        return None
    code = _frames(error)[-1].f_code
    is_other = code not in codes_of(inspect.unwrap(function))
    known = home_of(function) or {}
    return code.co_name if is_other and code.co_name in known else None


# --- what to do -----------------------------------------------------------------------------------


_SAID = Sentences("""
hidden: The name `{name}` means something of your own in this notebook, which hides Python's
    `{name}`. Run `del {name}` and choose another name for yours.
library: The name `{name}` means something of your own here. Choose another name for it, and import
    the library again: `{imported}`.
recursion: It calls itself without end. Inside it, `{name}` means the function that you are writing,
    not one that you imported under the same name.
exit: A function gives its result back with `return`; `exit()` ends the whole program.
import: Run the cell with `{imported}` first.
home: `{name}` is not imported here: write `from {home} import {name}` above your function. If you
    mean your own, of an earlier cell, run that cell again: after a restart nothing is known.
member: `{name}` alone is not defined here. Do you mean `{library}.{name}`?
missing: There is no `{name}` here, and this exercise does not need it.
unknown: `{name}` is not defined here. If it is a function of an earlier cell, run that cell again:
    after a restart nothing is known.
axis: Shapes are lined up from the right, so that {short} meets {long} here. A sum or maximum along
    an axis keeps that axis, with length 1, by `keepdims=True`: the shape {shape} then meets {kept}.
entries: `*` multiplies entry by entry. If a matrix product is meant, rows times columns, it is
    `A @ B`.
product: In `A @ B` the last axis of A is as long as the last but one of B (its only one, if B is a
    vector). Here their lengths are {first} and {second}: is a transpose missing, or one too many,
    or does another matrix belong here?
truth: `not`, `and`, `or` and `if` ask for one truth value, and an array has many. Entry by entry,
    "not" is `~mask`, which is short for `{library}.logical_not(…)`; `&` is "and", `|` is "or".
minus: `-` is not made for truth values. "Not", entry by entry, is `~`: `~mask`, which is short for
    `{library}.logical_not(…)`.
sizes: A shape may have more or fewer sizes than there are names on the left: where "…" stands in
    the task, there may be any number of leading axes. Take the last ones only, as in
    `n, d = x.shape[-2:]`, and count axes from the end.
indices: The array has fewer axes than that line counts: where "…" stands in the task, there may be
    none, one or several. `[..., None, :]` puts a new axis last but one, however many there are.
axes: The array has fewer axes than your code counts: where "…" stands in the task, there may be
    none, one or several. Count axes from the end: -1 is the last.
einsum: That array has other axes than its letters say. In `einsum`, `...` stands for any number of
    leading axes: where "…" stands in the task, there may be none, one or several.
length: Places are counted from 0, and that axis has length {n}. Is it the axis that you mean (in a
    batch, the first axes are those of the batch), and how was the number computed?
two: `x.{name}(dim=…)` gives two tensors, values and indices: take `.values`, or `x.a{name}(dim=…)`.
""")
_say = _SAID.say
_IMPORTED = {"np": "import numpy as np", "torch": "import torch"}
# By what an exception's text says; the second word of a name is the library.
_TIPS = {
    r"not enough values to unpack": "sizes",
    r"too many values to unpack": "sizes",
    r"too many indices for (array|tensor)": "indices",
    r"axis -?\d+ is out of bounds for array|Dimension out of range": "axes",
    r"einstein sum subscripts|einsum\(\): the number of subscripts": "einsum",
    r"is out of bounds for (axis|dimension) \d+ with size (?P<n>\d+)": "length",
    r"matmul: .*\(size (?P<second>\d+) is different from (?P<first>\d+)\)": "product",
    r"shapes cannot be multiplied \(\d+x(?P<first>\d+) and (?P<second>\d+)x\d+\)": "product",
    r"truth value of an array .* is ambiguous": "truth np",
    r"Boolean value of Tensor .* is ambiguous": "truth torch",
    r"torch.return_types.(?P<name>max|min)": "two",
    r"numpy boolean (negative|subtract)": "minus np",
    r"`-` operator, (on|with) .*bool tensor": "minus torch",
}


def tip(error: BaseException, function: Callable[..., Any]) -> str:
    """Return what an exception suggests to do, if anything."""
    namespace = home_of(function) or {}
    code = getattr(inspect.unwrap(function), "__code__", None)
    own = {name: namespace.get(name) for name in (code.co_names if code else ())}
    for name, value in own.items():
        hides = (
            hasattr(builtins, name) and name in namespace and not callable(value)
        )
        if isinstance(error, TypeError) and hides:
            return _say("hidden", name=name)
        is_library = name in _IMPORTED and not inspect.ismodule(value)
        if isinstance(error, AttributeError) and is_library:
            return _say("library", name=name, imported=_IMPORTED[name])
    if isinstance(error, RecursionError):
        return _say("recursion", name=getattr(function, "__name__", "it"))
    if isinstance(error, SystemExit):
        return _SAID["exit"]
    if isinstance(error, ModuleNotFoundError):
        return _say("missing", name=error.name) if error.name else ""
    if isinstance(error, NameError):
        return _unknown_name(str(error.name or ""), function)
    return _of_text(_text_of(error))


def _unknown_name(name: str, function: Callable[..., Any]) -> str:
    if name in _IMPORTED:
        return _say("import", imported=_IMPORTED[name])
    # That of the library which the learner's function uses comes first.
    used = names_used(function)
    loaded = [library for library in HOMES if library in sys.modules]
    loaded.sort(key=lambda library: library not in used)
    homes = (HOMES[library] for library in loaded)
    home = next((home for home in homes if name in import_module(home).__all__), "")
    if not home and (library := _library_with(name, used)):
        return _say("member", name=name, library=library)
    return _say("home" if home else "unknown", name=name, home=home) if name else ""


def _library_with(name: str, used: frozenset[str]) -> str:
    """Return the short name of the library that has a function of this name, or nothing."""
    short = sorted(_IMPORTED, key=lambda library: library not in used)
    modules = {"np": sys.modules.get("numpy"), "torch": sys.modules.get("torch")}
    return next(
        (one for one in short if callable(getattr(modules[one], name, None))), ""
    )


def _of_text(text: str) -> str:
    """Return what an exception's text suggests; nothing where it suggests nothing certain."""
    shapes = re.search(r"could not be broadcast together with shapes (.*)", text)
    if shapes:
        return _of_shapes(re.findall(r"\(([\d,]*)\)", shapes[1]))
    for expression, name in _TIPS.items():
        match = re.search(expression, text)
        if match:
            sentence, _, library = name.partition(" ")
            return _say(sentence, library=library, **match.groupdict())
    return ""


def _of_shapes(texts: list[str]) -> str:
    shapes = [tuple(map(int, filter(None, text.split(",")))) for text in texts]
    if len(shapes) != 2:
        return ""
    first, second = shapes
    long, short = sorted(shapes, key=len, reverse=True)
    if short and short == long[:-1]:
        words = {"shape": long, "kept": (*short, 1)}
        return _say("axis", short=short[-1], long=long[-1], **words)
    is_product = min(map(len, shapes)) > 1 and first[-1] == second[-2]
    return _SAID["entries"] if is_product else ""
