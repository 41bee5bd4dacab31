"""The lines of a solution, and which of them must come before which."""

import ast
import io
import tokenize
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

__all__ = [
    "Line",
    "Need",
    "in_order",
    "lines_of",
    "needs_of",
    "orders",
    "solution_steps",
    "written",
]


@dataclass(frozen=True)
class Line:
    """A line of a solution: a statement, or the head of a block.

    Parameters
    ----------
    number : int
        Where it stands in the solution, from 0.
    text : str
        The code, without comments and without the indentation before it; several lines of text
        where the statement is broken.
    indent : int
        How many spaces stand before it.
    parent : int or None
        The number of the head of its block.
    fixed : bool
        Whether it is given: the heads of functions and classes, and ``super().__init__()``.
    rows : tuple of int
        Its first and its last line of text in the source, from 1.
    node : ast.stmt
        What it says.
    """

    number: int
    text: str
    indent: int
    parent: int | None
    fixed: bool
    rows: tuple[int, int] = field(compare=False, repr=False)
    node: ast.stmt = field(compare=False, repr=False)

    @property
    def is_head(self) -> bool:
        """Whether a block stands below it."""
        return hasattr(self.node, "body")


@dataclass(frozen=True)
class Need:
    """One line must come before another of the same block.

    Parameters
    ----------
    first, then : int
        Their numbers; a head stands for its whole block.
    says : str
        What is wrong with the other order, a sentence.
    lacks : str
        What is wrong where the first is missing, a sentence; empty where nothing need be.
    """

    first: int
    then: int
    says: str
    lacks: str = ""


# --- from the source to its lines -----------------------------------------------------------------


def lines_of(source: str) -> tuple[Line, ...]:
    """Return the lines of a function or a class, without its docstrings and comments.

    Parameters
    ----------
    source : str
        The source, beginning in the first column.

    Raises
    ------
    ValueError
        For a block that stands beside its head, not below it, and for an ``else``.
    """
    plain = _without_comments(source)
    found: list[Line] = []
    for node in ast.parse(plain).body:
        _add(node, None, plain, found)
    return tuple(found)


def _add(
    node: ast.stmt, parent: int | None, source: str, found: list[Line]
) -> None:
    block = getattr(node, "body", None)
    if getattr(node, "orelse", None) or (block and block[0].lineno == node.lineno):
        raise ValueError(f"line {node.lineno}: a head has one block below it")
    number = len(found)
    end = block[0].lineno - 1 if block else node.end_lineno
    rows = source.split("\n")[node.lineno - 1 : end]
    while not rows[-1]:
        rows.pop()
    text = "\n".join(row[node.col_offset :] for row in rows)
    given = isinstance(node, ast.FunctionDef | ast.ClassDef)
    given = given or text == "super().__init__()"
    place = (node.lineno, node.lineno + len(rows) - 1)
    found.append(Line(number, text, node.col_offset, parent, given, place, node))
    for part in block or ():
        if not _is_docstring(part):
            _add(part, number, source, found)


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _without_comments(source: str) -> str:
    rows = source.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            rows[row - 1] = rows[row - 1][:column]
    return "\n".join(row.rstrip() for row in rows)


def written(lines: Iterable[Line]) -> str:
    """Return lines as source."""
    rows = [
        " " * line.indent + row if row else row
        for line in lines
        for row in line.text.split("\n")
    ]
    return "\n".join(rows) + "\n"


def solution_steps(source: str) -> list[str]:
    """Return the source of a solution step by step: each statement with its comments.

    A step may have several lines of text. Docstrings are left out.

    Parameters
    ----------
    source : str
        The source of a function or a class, as for `lines_of`.
    """
    rows = source.split("\n")
    steps = []
    for line in lines_of(source):
        first, last = line.rows
        while first > 1 and rows[first - 2].lstrip().startswith("#"):
            first -= 1
        if line.parent is not None and line.parent < line.number - 1:
            first -= not rows[
                first - 2
            ].strip()  # the empty line between two methods
        steps.append("\n".join(rows[first - 1 : last]))
    return steps


# --- which must come before which -----------------------------------------------------------------


def needs_of(lines: Sequence[Line]) -> tuple[Need, ...]:
    """Return which lines must come before which, by the names that they read and assign.

    Who keeps these orders, and every block together below its head, has a function that
    computes the same. Some may be stricter than they need be: of two lines that change one name,
    either may come first sometimes.

    Parameters
    ----------
    lines : sequence of Line
        All lines, in the order of the solution.
    """
    found = []
    for one, other in combinations(lines, 2):
        if one.parent == other.parent and not (one.fixed and other.fixed):
            reasons = _reasons(_block(lines, one), _block(lines, other))
            if reasons:
                found.append(Need(one.number, other.number, *reasons))
    return tuple(found)


def _block(lines: Sequence[Line], head: Line) -> list[Line]:
    """Return a line with all that stands below it."""
    found = [head]
    for line in lines[head.number + 1 :]:
        if line.parent in {known.number for known in found}:
            found.append(line)
    return found


def _reasons(first: list[Line], then: list[Line]) -> tuple[str, ...]:
    """Say why one block must come before another; nothing if it need not."""
    makes, uses = _effects(first), _effects(then)
    made = {name for line, effect in makes for name in effect.writes}
    lacking = sorted(
        name
        for line, effect in uses
        for name in effect.reads & made
        if any(_creates(other, name) for other in first)
    )
    lacks = f"`{lacking[0]}` is used, and no line computes it." if lacking else ""
    says = _reason(makes, uses)
    return (says, lacks) if says else ()


def _reason(
    makes: list[tuple[Line, "_Effect"]], uses: list[tuple[Line, "_Effect"]]
) -> str:
    first, then = [line for line, _ in makes], [line for line, _ in uses]
    if isinstance(then[0].node, ast.Return | ast.Raise):
        return f"Nothing below `{_short(then[0])}` is run: it comes last."
    for line, effect in uses:
        for name in sorted(effect.reads):
            changer = next(
                (line for line, made in reversed(makes) if name in made.writes),
                None,
            )
            if changer and not _apart(changer, line):
                if _creates(changer, name):
                    return f"{_tick(name)} is used before it is computed."
                return f"{_tick(name)} is used before `{_short(changer)}` has changed it."
    for line, effect in makes:
        for name in sorted(effect.reads):
            changer = next(
                (line for line, made in uses if name in made.writes), None
            )
            if changer and not _apart(line, changer):
                return (
                    f"`{_short(changer)}` gives {_tick(name)} another value before "
                    f"`{_short(line)}` has used it."
                )
    twice = {
        name
        for line, effect in makes
        for other, made in uses
        if not _apart(line, other)
        for name in effect.writes & made.writes
    }
    if twice:
        return f"{_tick(min(twice))} is overwritten here before it is used."
    if any(isinstance(line.node, ast.Return | ast.Raise) for line in first):
        return f"`{_short(first[0])}` comes first: what stands below is not for such input."
    return ""


def _tick(name: str) -> str:
    return f"`{name}`"


def _short(line: Line) -> str:
    rows = line.text.split("\n")
    return rows[0] if len(rows) == 1 else f"{rows[0]} …"


@dataclass
class _Effect:
    """What a statement reads and what it assigns or changes."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)


def _effects(block: list[Line]) -> list[tuple[Line, _Effect]]:
    return [(line, _effect(line.node)) for line in block]


# Methods that change what they are called on.
_CHANGES = frozenset(
    "add append clear discard extend fill insert pop remove reverse shuffle sort update".split()
)


_LIBRARIES = {"np", "torch", ""}


def _effect(node: ast.stmt) -> _Effect:
    """Return what a statement does, that of a head without its block."""
    found = _Effect()
    parts: Iterable[ast.AST] = [node]
    if hasattr(node, "body"):
        parts = [
            part
            for name, value in ast.iter_fields(node)
            if name != "body"
            for part in (value if isinstance(value, list) else [value])
            if isinstance(part, ast.AST)
        ]
    for part in parts:
        _look(part, found)
    own = {
        name.id
        for part in parts
        for inner in ast.walk(part)
        if isinstance(inner, ast.comprehension)
        for name in ast.walk(inner.target)
        if isinstance(name, ast.Name)
    }
    found.reads -= own | _LIBRARIES
    found.writes -= own | _LIBRARIES
    return found


def _look(node: ast.AST, found: _Effect) -> None:
    if isinstance(node, ast.Name):
        (found.reads if isinstance(node.ctx, ast.Load) else found.writes).add(
            node.id
        )
        return
    if isinstance(node, ast.Attribute) and _name(node):
        if isinstance(node.ctx, ast.Store):
            found.writes.add(_name(node))
        else:
            found.reads.add(_name(node))
        return
    if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(
        node.ctx, ast.Load
    ):
        found.writes.add(_name(node.value))
    if isinstance(node, ast.AugAssign):
        found.reads.add(_name(node.target))
        found.writes.add(_name(node.target))
    if isinstance(node, ast.Call):
        method = node.func
        if isinstance(method, ast.Attribute) and (
            method.attr in _CHANGES or _is_in_place(method.attr)
        ):
            found.writes.add(_name(method.value))
        for keyword in node.keywords:
            if keyword.arg == "out":
                found.writes.add(_name(keyword.value))
    for part in ast.iter_child_nodes(node):
        _look(part, found)


def _is_in_place(method: str) -> bool:
    """Whether PyTorch's name of a method says that it works in place."""
    return method.endswith("_") and not method.endswith("__")


def _name(node: ast.AST) -> str:
    """Return what a value is part of: a name, or an attribute of ``self``."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _name(node.value)
        return f"self.{node.attr}" if base == "self" else ""
    return _name(node.value) if isinstance(node, ast.Subscript) else ""


def _creates(line: Line, name: str) -> bool:
    """Whether a line gives a name its value, and does not change the one it has."""
    targets = getattr(line.node, "targets", None) or [
        getattr(line.node, "target", None)
    ]
    names = [part for target in targets if target for part in _unpacked(target)]
    return (
        any(
            isinstance(part, ast.Name | ast.Attribute) and _name(part) == name
            for part in names
        )
        and name not in _effect(line.node).reads
    )


def _unpacked(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from _unpacked(part)
    else:
        yield target.value if isinstance(target, ast.Starred) else target


def _apart(one: Line, other: Line) -> bool:
    """Whether two lines fill parts of one array that share no element, as even and odd columns."""
    targets = [_filled(line.node) for line in (one, other)]
    if None in targets or targets[0].value.id != targets[1].value.id:  # type: ignore[union-attr]
        return False
    ranges = [_axes(target.slice) for target in targets if target]
    return any(
        a and b and a[1] == b[1] and a[0] % a[1] != b[0] % b[1]
        for a, b in zip(*ranges, strict=False)
    )


def _filled(node: ast.stmt) -> ast.Subscript | None:
    """Return ``name[…]`` of ``name[…] = value``, where the value does not read the name."""
    if not isinstance(node, ast.Assign) or len(node.targets) > 1:
        return None
    target = node.targets[0]
    if not isinstance(target, ast.Subscript) or not isinstance(
        target.value, ast.Name
    ):
        return None
    value = _Effect()
    _look(node.value, value)
    return None if target.value.id in value.reads else target


def _axes(index: ast.expr) -> list[tuple[int, int] | None]:
    """Return start and step of each slice that runs to the end."""
    axes = index.elts if isinstance(index, ast.Tuple) else [index]
    return [
        (_number(axis.lower, 0), _number(axis.step, 1))
        if isinstance(axis, ast.Slice) and axis.upper is None
        else None
        for axis in axes
    ]


def _number(node: ast.expr | None, default: int) -> int:
    value = node.value if isinstance(node, ast.Constant) else default
    return value if isinstance(value, int) and value > 0 else default


# --- all right orders -----------------------------------------------------------------------------


def orders(
    lines: Sequence[Line], needs: Iterable[Need], rng: Random | None = None
) -> Iterator[tuple[Line, ...]]:
    """Yield every order of the lines that keeps all needs, and every block below its head.

    Parameters
    ----------
    lines, needs
        As `lines_of` and `needs_of` give them.
    rng : random.Random, optional
        Shuffles the orders; the first is then one at random.
    """
    before: dict[int, set[int]] = {line.number: set() for line in lines}
    for need in needs:
        before[need.then].add(need.first)
    top = [line for line in lines if line.parent is None]
    yield from _ordered(lines, top, before, rng)


def _ordered(
    lines: Sequence[Line],
    block: list[Line],
    before: dict[int, set[int]],
    rng: Random | None,
) -> Iterator[tuple[Line, ...]]:
    if not block:
        yield ()
        return
    left = {line.number for line in block}
    # Heads of methods, and `super().__init__()`, come first and in their order.
    given = [line for line in block if line.fixed][:1]
    ready = given or [line for line in block if not before[line.number] & left]
    if rng:
        rng.shuffle(ready)
    for line in ready:
        inner = [other for other in lines if other.parent == line.number]
        rest = [other for other in block if other is not line]
        for below in _ordered(lines, inner, before, rng):
            for others in _ordered(lines, rest, before, rng):
                yield (line, *below, *others)


def in_order(
    lines: Sequence[Line],
    needs: Sequence[Need],
    passes: Callable[[tuple[Line, ...]], bool],
) -> tuple[Need, ...]:
    """Return the needs without those that can be left out: the other order is right as well.

    Parameters
    ----------
    lines, needs
        As `lines_of` and `needs_of` give them.
    passes : callable
        Tries the lines in another order.
    """
    kept = list(needs)
    for need in needs:
        others = [other for other in kept if other is not need]
        ends = isinstance(lines[need.then].node, ast.Return | ast.Raise)
        if ends or _follows(need, others):
            continue
        swapped = Need(need.then, need.first, "")
        if passes(next(orders(lines, [*others, swapped]))):
            kept = others
    return tuple(kept)


def _follows(need: Need, others: Iterable[Need]) -> bool:
    """Whether a need follows from others."""
    after, todo = {need.first}, [need.first]
    while todo:
        now = todo.pop()
        new = {other.then for other in others if other.first == now} - after
        after |= new
        todo += new
    return need.then in after
