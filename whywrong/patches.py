"""Wrong versions of a solution: patches of its source, compiled beside it."""

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from typing import Any

__all__ = ["BadDeclaration", "Patch", "apart", "compiled", "patched", "with_body"]
__all__ += ["woven"]

Patch = tuple[str, str]


class BadDeclaration(ValueError):
    """An exercise is declared wrongly; the text names the file and the line."""


def patched(source: str, patches: Iterable[Patch]) -> str:
    """Return a source with each of these texts replaced; raise ``ValueError`` if that fails.

    Each text must occur exactly once, and no two may touch.
    """
    places = sorted((*_place(source, find), replace) for find, replace in patches)
    return _changed(source, places)


def woven(source: str, *faults: Iterable[Patch]) -> str | None:
    """Return a source with several sets of patches, of which only the words that change count.

    None where two of them change the same, or where no code comes out.
    """
    edits = sorted(
        edit for each in faults for patch in each for edit in _edits(source, patch)
    )
    if any(one[:2] == other[:2] for one, other in pairwise(edits)):
        return None
    try:
        changed = _changed(source, edits)
        ast.parse(changed)
    except (ValueError, SyntaxError):
        return None
    return changed


def _changed(source: str, places: list[tuple[int, int, str]]) -> str:
    if any(end > start for (_, end, _), (start, _, _) in pairwise(places)):
        raise ValueError("two patches touch the same text")
    for start, end, replace in reversed(places):
        source = source[:start] + _indented(source, start, replace) + source[end:]
    return source


def _edits(source: str, patch: Patch) -> Iterator[tuple[int, int, str]]:
    """Yield the places of the words that a patch changes, and what stands there then."""
    start, end = _place(source, patch[0])
    if "\n" in patch[1]:
        yield start, end, patch[1]
        return
    old, new = (
        re.findall(r"\w+|.", t, re.S) for t in (source[start:end], patch[1])
    )
    places = [*accumulate(map(len, old), initial=start)]
    for tag, i, j, k, n in SequenceMatcher(None, old, new, False).get_opcodes():
        if tag != "equal":
            yield places[i], places[j], "".join(new[k:n])


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
