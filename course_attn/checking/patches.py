"""A known mistake is a patch of the solution: what a learner would have typed instead."""

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable
from typing import Any

__all__ = [
    "BadDeclaration",
    "Patch",
    "apart",
    "compiled",
    "in_torch",
    "in_torch_words",
    "patched",
    "source_of",
    "with_body",
]

Patch = tuple[str, str]


class BadDeclaration(ValueError):
    """An exercise is declared wrongly; the text names the file and the line."""


def source_of(solution: Callable[..., Any]) -> str:
    """Return the source of a solution, without the indentation around it."""
    return textwrap.dedent(inspect.getsource(solution))


def patched(source: str, patches: Iterable[Patch]) -> str:
    """Return a source with each of these texts replaced; raise ``ValueError`` if that fails.

    Each text must occur exactly once, and no two may touch.
    """
    places = sorted((*_place(source, find), replace) for find, replace in patches)
    for (_, end, _), (start, _, _) in zip(places, places[1:], strict=False):
        if start < end:
            raise ValueError("two patches touch the same text")
    for start, end, replace in reversed(places):
        source = source[:start] + _indented(source, start, replace) + source[end:]
    return source


def _indented(source: str, place: int, code: str) -> str:
    """Return code of several lines, the later ones indented at least like the line of its place."""
    line = source[source.rfind("\n", 0, place) + 1 : place]
    indent = line[: len(line) - len(line.lstrip())]
    first, *rest = code.split("\n")
    return "\n".join(
        [
            first,
            *(
                part if part.startswith(indent or " ") else indent + part
                for part in rest
            ),
        ]
    )


def apart(source: str, one: Iterable[Patch], other: Iterable[Patch]) -> bool:
    """Whether two sets of patches touch different text."""
    return all(
        _place(source, a)[0] >= _place(source, b)[1]
        or _place(source, b)[0] >= _place(source, a)[1]
        for a, _ in one
        for b, _ in other
    )


def _place(source: str, find: str) -> tuple[int, int]:
    """Return where a text stands; the lines of several may be indented in any way."""
    lines = r"\n\s*".join(
        re.escape(line.strip() if i else line)
        for i, line in enumerate(find.split("\n"))
    )
    places = [match.span() for match in re.finditer(lines, source)]
    if len(places) != 1 or not find:
        raise ValueError(
            f"{find!r} occurs {len(places)} times in the solution, not once"
        )
    return places[0]


def with_body(source: str, body: str) -> str:
    """Return a function's source with other lines for a body."""
    head = re.match(r"def .*?\):\n", source, re.S)
    if head is None:
        raise ValueError("only a function, not a class, can be given another body")
    return head[0] + textwrap.indent(
        textwrap.dedent(body).strip("\n") + "\n", "    "
    )


_LIBRARIES = (("np", "numpy"), ("torch", "torch"))


def compiled(
    source: str | ast.Module, like: Callable[..., Any], label: str
) -> Callable[..., Any]:
    """Return what a source defines, with the names of the module that holds ``like``."""
    known = {
        name: sys.modules[module]
        for name, module in _LIBRARIES
        if module in sys.modules
    }
    names = known | vars(inspect.getmodule(like))
    exec(compile(source, f"<{label}>", "exec"), names)
    return names[like.__name__]


# What NumPy writes so is written so in PyTorch: enough for the steps of the solutions. Where a
# patch does not come out right, the twin says its own.
_IN_TORCH = tuple(
    (re.compile(numpy), torch)
    for numpy, torch in (
        (r"\bnp\.concatenate\b", "torch.cat"),
        (r"\bnp\.swapaxes\b", "torch.transpose"),
        (r"\bnp\.(float|int|bool)", r"torch.\1"),
        (r"\bdtype=bool\b", "dtype=torch.bool"),
        (r"\bnp\.", "torch."),
        (r"\.swapaxes\(", ".transpose("),
        (r"\.astype\(", ".to("),
        (r"\.copy\(\)", ".clone()"),
        (r"\baxis=", "dim="),
        (r"\bkeepdims=", "keepdim="),
        (r"\.(max|min)\((?=dim=)", r".a\1("),
        (r"\bNumPy array", "PyTorch tensor"),
    )
)


def in_torch(code: str) -> str:
    """Return code written for NumPy as it would be written for PyTorch."""
    for numpy, torch in _IN_TORCH:
        code = numpy.sub(torch, code)
    return code


def in_torch_words(message: str) -> str:
    """Return a sentence about NumPy code, its code spans written for PyTorch."""
    return re.sub(r"`[^`\n]+`", lambda span: in_torch(span[0]), message)
