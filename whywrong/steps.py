"""Changed code: slips that stand in a syntax tree for a while, and code whose steps are counted.

What a search tries may run without end. Seconds would end it sooner on a slow machine, and another
mistake would be named there; so the rounds of its loops and its calls are counted instead.
"""

import ast
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from whywrong.limits import KeyPressed, TimesUp
from whywrong.slips import Slip

__all__ = ["MOST_STEPS", "NOT_ITS_OWN", "Steps", "TooManySteps"]
__all__ += ["countable", "counting", "holds_itself", "put_in"]

# Of the calls of one version. On the small inputs of an exercise a solution takes fewer than 100.
MOST_STEPS = 3000
# Bytes, or entries, that a name may stand for.
_LARGE = 10_000_000
# A bit of a whole number counts as so many: squares of large ones take long.
_BITS = 100


class TooManySteps(BaseException):
    """Code has used up its steps, or what it holds grows without end.

    Not an Exception: `except Exception` must not hide it.
    """


# What ends a search, and is not what the code that it tries has raised.
NOT_ITS_OWN = (TooManySteps, TimesUp, KeyPressed)


class Steps:
    """Counts the steps of code that was compiled within `counting`; ``left`` may still be made."""

    def __init__(self, left: int = MOST_STEPS) -> None:
        self.left = left

    def step(self, callers: int = 1) -> bool:
        """Count one; raise `TooManySteps` from then on where none is left."""
        self.left -= 1
        if self.left < 0:
            raise TooManySteps
        values = list(sys._getframe(callers).f_locals.values())
        if any(_size(value) > _LARGE for value in values):
            raise TooManySteps
        return True

    def rounds(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield the values, each of them a step."""
        for value in values:
            self.step(callers=2)
            yield value

    @property
    def names(self) -> dict[str, Any]:
        """What the compiled code has to know."""
        return {"_step": self.step, "_rounds": self.rounds}


def _size(value: Any) -> int:
    """Return the bytes or entries of a value that could grow from step to step."""
    if isinstance(value, int):
        return _BITS * value.bit_length()
    if isinstance(value, list | str | dict):
        return len(value)
    is_array = type(value).__module__ in ("numpy", "torch")
    return getattr(value, "nbytes", 0) if is_array else 0


def holds_itself(node: ast.AST) -> bool:
    """Whether a list is put into itself here: NumPy unpacks one in a step that nothing ends."""
    owner = node.func if isinstance(node, ast.Call) else None
    name = getattr(getattr(owner, "value", None), "id", None)
    parts = node.args if isinstance(node, ast.Call) else ()
    return name is not None and any(name in _held(part) for part in parts)


def _held(part: ast.AST) -> set[str]:
    """Return the names that stand in an expression as they are, also in a tuple or list."""
    parts = getattr(part, "elts", ())
    return {getattr(part, "id", ""), *(name for p in parts for name in _held(p))}


@contextmanager
def put_in(*slips: Slip) -> Iterator[None]:
    """Let these slips stand in their tree; whatever happens, they are taken back."""
    try:
        for slip in slips:
            slip.put()
        yield
    finally:
        for slip in reversed(slips):
            slip.take_back()


def countable(tree: ast.AST) -> list[ast.AST]:
    """Return the loops and the functions of a tree."""
    return [node for node in ast.walk(tree) if isinstance(node, _COUNTABLE)]


@contextmanager
def counting(nodes: Iterable[ast.AST], *slips: Slip) -> Iterator[None]:
    """Let the steps of these nodes be counted, and of what stands in a tree with these slips.

    They are the rounds of its loops and the calls of its functions.
    """
    undo: list[tuple[Any, str, Any]] = []
    new = (node for slip in slips for node in countable(slip.new))
    for node in {id(n): n for n in (*nodes, *new)}.values():
        for field, counted in _counted(node):
            undo.append((node, field, getattr(node, field)))
            setattr(node, field, counted)
    try:
        yield
    finally:
        for node, field, value in undo:
            setattr(node, field, value)


_COUNTABLE = (ast.For, ast.comprehension, ast.While, ast.FunctionDef)


def _counted(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """Yield which part of a node is another one where its steps are counted, and which."""
    if isinstance(node, ast.For | ast.comprehension):
        yield "iter", _call("_rounds", node.iter, node.iter)
    elif isinstance(node, ast.While):
        both = ast.BoolOp(ast.And(), [_call("_step", node.test), node.test])
        yield "test", ast.copy_location(both, node.test)
    elif isinstance(node, ast.FunctionDef):
        step = ast.Expr(_call("_step", node.body[0]))
        yield "body", [ast.copy_location(step, node.body[0]), *node.body]


def _call(name: str, where: ast.AST, *args: ast.expr) -> ast.Call:
    function = ast.copy_location(ast.Name(name, ast.Load()), where)
    return ast.copy_location(ast.Call(function, [*args], []), where)
