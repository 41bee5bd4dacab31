"""Known mistakes, as patches of a solution with the sentences of a good tutor."""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from whywrong.arrays import in_torch, in_torch_words
from whywrong.context import Context
from whywrong.patches import BadDeclaration, Patch

__all__ = ["Fault", "as_in_torch", "fault", "fault_list"]

Says = str | Callable[[Any], str]


@dataclass(frozen=True)
class Fault:
    """One known mistake and what a good tutor says about it; `fault` makes one.

    id: a short name, unique in the exercise.
    does: patches of the solution, each a pair of texts: what stands there, and what a learner would
        have typed instead; such faults compose with every fault that touches other text. A text is
        another body of the function. A callable is a whole wrong solution.
    message: the sentence, a template over the words of `Context`, or a function of a `Context` that
        returns it. None: that of the fault of this name of the NumPy exercise.
    where: file and line of the declaration.
    """

    id: str
    does: tuple[Patch, ...] | str | Callable[..., Any]
    message: Says | None = None
    where: str = ""

    @property
    def patches(self) -> tuple[Patch, ...]:
        """Its patches; none where it is another function altogether."""
        return self.does if isinstance(self.does, tuple) else ()

    def sentence(self, context: Context) -> str:
        """Return the sentence for this case."""
        if callable(self.message):
            return self.message(context)
        return context.filled(self.message or "")


def fault(id: str, *change: Any, says: Says | None = None) -> Fault:
    """Declare a known mistake.

    id: a short name, unique in the exercise.
    *change: two texts, one that stands in the solution and what a learner types instead; or several
        such pairs; or one text, another body of the function; or a whole wrong solution.
    says: what a good tutor says: a template, ``"Your rows sum to {your.sums}."``, or a function of
        a `Context`. A PyTorch twin may leave it out where the NumPy exercise has said it.
    """
    frame = sys._getframe(1)
    where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    if len(change) == 1 and not isinstance(change[0], tuple):
        return Fault(id, change[0], says, where)
    pairs = (change,) if all(isinstance(part, str) for part in change) else change
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise BadDeclaration(
            f"{where}: fault {id!r} needs a text and its replacement, several such pairs, another "
            "body, or a function"
        )
    return Fault(id, tuple(pairs), says, where)


_ENTRY = re.compile(
    r"^(?P<id>[\w-]+): +(?P<change>.+(?:\n +(?:and |→).*)*)\n(?P<says>(?:[ ]+.*\n|\n(?=[ ]))*)",
    re.M,
)


def fault_list(text: str) -> tuple[Fault, ...]:
    """Declare known mistakes, each on a line of its own with the sentence below it.

    An entry reads ``id: what stands in the solution → what a learner types instead``; more such
    pairs stand on lines that begin with ``and``; a long line may be broken before its arrow.
    Without an arrow it is another body of the function. ``⏎`` breaks a line of code, and
    ``(nothing)`` stands for no text at all. The indented lines below are the sentence, a template;
    a PyTorch twin may leave it out.
    """
    frame = sys._getframe(1)
    file, first = frame.f_code.co_filename, frame.f_lineno
    rest = _ENTRY.sub("", text).strip()
    if rest:
        line = rest.splitlines()[0]
        raise BadDeclaration(f"{file}:{first}: this is not a fault: {line!r}")
    return tuple(
        _entry(match, f"{file}:{first + text.count(chr(10), 0, match.start())}")
        for match in _ENTRY.finditer(text)
    )


def _entry(match: re.Match[str], where: str) -> Fault:
    changes = re.split(r"\n +and ", match["change"])
    pairs = tuple(tuple(map(_lines, part.split("→"))) for part in changes)
    is_body = len(pairs[0]) == 1
    says = " ".join(match["says"].split()) or None
    problem = ""
    if not is_body and any(len(pair) != 2 for pair in pairs):
        problem = " has more than one arrow in a line"
    elif says and (says[0] in "+-*/@)]" or "⏎" in says):
        problem = ": a line of code is broken before its arrow only"
    if problem:
        raise BadDeclaration(f"{where}: fault {match['id']!r}{problem}")
    does: Any = pairs[0][0] if is_body else pairs
    return Fault(match["id"], does, says, where)


def _lines(code: str) -> str:
    code = code.strip()
    return "" if code == "(nothing)" else re.sub(r" ?⏎ ?", "\n", code)


def as_in_torch(known: Fault, other: Fault | None) -> Fault:
    """Return a fault of a NumPy exercise as its PyTorch twin has it, with a patch of its own."""
    if other and other.message is not None:
        return other
    does, says = (other or known).does, known.message
    if not other and callable(does):
        raise BadDeclaration(
            f"{known.where}: fault {known.id!r} is a function of NumPy's: its twin needs one of "
            "its own, or to leave it out"
        )
    if not other and isinstance(does, str):
        does = in_torch(does)
    elif not other:
        does = tuple((in_torch(find), in_torch(new)) for find, new in known.patches)

    def speaks(context: Context) -> str:
        return in_torch_words(known.sentence(context))

    message = in_torch_words(says) if isinstance(says, str) else speaks
    return replace(other or known, does=does, message=message)
