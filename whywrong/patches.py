"""Wrong versions of a solution: patches of its source, compiled beside it."""

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

__all__ = ["BadDeclaration", "Patch", "apart", "compiled", "patched", "with_body"]

Patch = tuple[str, str]


class BadDeclaration(ValueError):
    """An exercise is declared wrongly; the text names the file and the line."""


def patched(source: str, patches: Iterable[Patch]) -> str:
    """Return a source with each of these texts replaced; raise ``ValueError`` if that fails.

    Each text must occur exactly once, and no two may touch.
    """
    places = sorted((*_place(source, find), replace) for find, replace in patches)
    if any(end > start for (_, end, _), (start, _, _) in pairwise(places)):
        raise ValueError("two patches touch the same text")
    for start, end, replace in reversed(places):
        source = source[:start] + _indented(source, start, replace) + source[end:]
    return source


def _indented(source: str, place: int, code: str) -> str:
    """Return code of several lines, the later ones indented at least like the line of its place."""
    line = source[source.rfind("\n", 0, place) + 1 : place]
    indent = line[: len(line) - len(line.lstrip())]
    first, *rest = code.split("\n")
    fits = indent or " "
    later = (x if x.startswith(fits) else indent + x for x in rest)
    return "\n".join([first, *later])


def apart(source: str, one: Iterable[Patch], other: Iterable[Patch]) -> bool:
    """Whether two sets of patches touch different text."""
    ours = [_place(source, find) for find, _ in one]
    theirs = [_place(source, find) for find, _ in other]
    return all(a[0] >= b[1] or b[0] >= a[1] for a in ours for b in theirs)


def _place(source: str, find: str) -> tuple[int, int]:
    """Return where a text stands; the lines of several may be indented in any way."""
    first, *rest = find.split("\n")
    lines = r"\n\s*".join(map(re.escape, [first, *map(str.strip, rest)]))
    places = [match.span() for match in re.finditer(lines, source)]
    if len(places) != 1 or not find:
        n = len(places)
        raise ValueError(f"{find!r} occurs {n} times in the solution, not once")
    return places[0]


def with_body(source: str, body: str) -> str:
    """Return a function's source with other lines for a body."""
    head = re.match(r"def .*?\):\n", source, re.S)
    if head is None:
        raise ValueError("only a function, not a class, can be given another body")
    lines = textwrap.dedent(body).strip("\n")
    return head[0] + textwrap.indent(f"{lines}\n", "    ")


def compiled(
    source: str | ast.Module,
    like: Callable[..., Any],
    label: str,
    more: Mapping[str, Any] | None = None,
) -> Callable[..., Any]:
    """Return what a source defines, with the names of the module that holds ``like``, and more."""
    libraries = {"np": sys.modules.get("numpy"), "torch": sys.modules.get("torch")}
    names = {**libraries, **vars(inspect.getmodule(like)), **(more or {})}
    exec(compile(source, f"<{label}>", "exec"), names)
    return names[like.__name__]
