"""What small change of the learner's own code would make it right, where no known mistake fits."""

import ast
import inspect
import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from itertools import combinations
from typing import Any

import numpy as np

from whywrong.arrays import agree
from whywrong.context import Finding
from whywrong.learner import functions_of, names_of, with_helpers
from whywrong.running import Trial, once
from whywrong.slips import FAR_FETCHED, Slip, slips_in
from whywrong.steps import (
    MOST_STEPS,
    NOT_ITS_OWN,
    Steps,
    TooManySteps,
    countable,
    counting,
    holds_itself,
    put_in,
)
from whywrong.versions import one_of_a_kind

__all__ = [
    "as_mended",
    "changed_to",
    "going_on",
    "in_own_code",
    "is_one_line",
    "mended",
    "retyped",
]

# What the search may do: each change that is tried is one piece of work, and so are this many of
# its steps. And which changes are tried in pairs: the likeliest.
_WORK = 1000
_STEPS = 100
# How many steps a change may take: these, and several times those of the code as it is.
_FEW, _TIMES = 300, 4
_IN_PAIRS = 40
# How many changes with which code that stops goes on are tried with all cases.
_GOING_ON = 10
# Of how many failing cases, each of another kind, the first are tried before all others.
_PROBES = 3

# Code that reaches out of itself is not run hundreds of times.
_REACHING_OUT = {
    "open", "input", "exec", "eval", "breakpoint", "plt", "display", "os", "sys", "subprocess",
    "time",
}  # fmt: skip


@dataclass(frozen=True)
class _Line:
    """A line of the learner's code: its number in its cell, and the helper that it belongs to."""

    text: str
    number: int
    helper: str


@dataclass(frozen=True)
class _Code:
    """A learner's function or class, and its helpers, as a tree that can be changed and made anew.

    The tree counts the lines of all of them together, from 1.
    """

    tree: ast.Module
    name: str
    names: dict[str, Any]
    lines: list[_Line]

    @cached_property
    def _countable(self) -> list[ast.AST]:
        return countable(self.tree)

    @cached_property
    def _calls(self) -> list[ast.AST]:
        return [n for n in ast.walk(self.tree) if isinstance(n, ast.Call)]

    def holding_themselves(self, *slips: Slip) -> int:
        """Count lists put into themselves: NumPy unpacks one in a step that nothing ends."""
        new = (node for slip in slips for node in ast.walk(slip.new))
        return sum(map(holds_itself, [*self._calls, *new]))

    def made(self, steps: Steps, *slips: Slip) -> Any:
        """Return what the code defines with these slips in it; its steps are counted."""
        names = self.names | steps.names
        with counting(self._countable, *slips):
            exec(compile(self.tree, "<changed>", "exec"), names)
        return names[self.name]


_Change = tuple[Slip, ...]


@once
def mended(trial: Trial) -> Finding | None:
    """Name the line where one small change, or two, makes every case right; None if none does."""
    failing = sorted(trial.wrong + trial.crashed)
    code = _code_of(inspect.unwrap(trial.function))
    # Where an exception is asked for, no small change makes one.
    errors = [i for i in failing if isinstance(trial.expected[i], Exception)]
    if code is None or not failing or errors:
        return None
    search = trial.kept["search"] = _Search(trial, code, failing)
    with _quiet():
        search.found = search.run()
    return _said(code, search.found) if search.found else None


def in_own_code(trial: Trial) -> str:
    """Return which line of the learner's own code one change would make right, if there is one."""
    found = mended(trial)
    one = found and len({*found.faults}) == 1
    return found.message.removeprefix(f"{_ONE} ") if found and one else ""


def as_mended(trial: Trial) -> Callable[..., Any] | None:
    """Return the code with the change that makes every case right, if `mended` has found one."""
    search: _Search | None = trial.kept.get("search")
    if search is None or not search.found:
        return None
    with put_in(*search.found[0]):
        made = search.code.made(Steps(_ALL), *search.found[0])
    return trial.exercise.used(made)


def is_one_line(change: Finding) -> bool:
    """Whether a change is one, and no other would do."""
    return change.message.startswith(_ONE)


def changed_to(
    trial: Trial, given: Callable[[int], np.ndarray | None]
) -> Finding | None:
    """Name the line where one change makes the code give this, case by case; None: it raises.

    The changes are those that `mended` has tried, which comes first.
    """
    search: _Search | None = trial.kept.get("search")
    if search is None:
        return None
    with _quiet():
        slip = next(search.giving(given), None)
    return _said(search.code, [(slip,)]) if slip else None


def going_on(trial: Trial) -> Iterator[tuple[Finding, Callable[..., Any]]]:
    """Yield the changes, a few, with which code that stops goes on, and the code so changed.

    The changes are those that `mended` has tried, which comes first.
    """
    search: _Search | None = trial.kept.get("search")
    if search is None:
        return
    slips = [slip for slip, _ in search.moved if slip.kind in _TELLING]
    for slip in slips[:_GOING_ON]:
        with put_in(slip):
            made = search.code.made(Steps(search.most), slip)
        yield _said(search.code, [(slip,)]), made


@contextmanager
def _quiet() -> Iterator[None]:
    """Let changed code warn and print nothing."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            yield


# --- the search -----------------------------------------------------------------------------------


class _Search:
    """The changes that are tried, one at a time and then in pairs, on a few failing cases first."""

    def __init__(self, trial: Trial, code: _Code, failing: list[int]) -> None:
        self.trial, self.code = trial, code
        self.probes = one_of_a_kind(trial, failing)[:_PROBES]
        self.rest = [i for i in range(len(trial.outcomes)) if i not in self.probes]
        self.steps = Steps()
        self.endless = code.holding_themselves()
        self.work = float(_WORK)
        self.most = self._steps_now()
        self.partly: list[Slip] = []
        self.found: list[_Change] = []
        self.moved: list[tuple[Slip, np.ndarray]] = []

    def _steps_now(self) -> int:
        """Return how many steps a change may take: several times those of the code as it is."""
        self.steps.left = MOST_STEPS
        try:
            answer = self.trial.exercise.used(self.code.made(self.steps))
            for i in range(len(self.trial.outcomes)):
                _value_of(self.trial, answer, i)
        except (Exception, TooManySteps):  # the code as it is may stop
            pass
        return _FEW + _TIMES * (MOST_STEPS - max(self.steps.left, 0))

    def run(self) -> list[_Change]:
        """Return the changes that make every case right, the likeliest first."""
        slips = slips_in(self.code.tree, torch=self.trial.side.name == "torch")
        likely = [slip for slip in slips if slip.kind not in FAR_FETCHED]
        others = [slip for slip in slips if slip.kind in FAR_FETCHED]
        found = self._right((slip,) for slip in likely + others)
        return found or self._right(self._pairs(likely), first=True)

    def _pairs(self, slips: list[Slip]) -> Iterator[_Change]:
        """Yield two of the likeliest changes, those first that mend a part by themselves."""
        first = {id(slip): slip for slip in (*self.partly, *slips)}
        yield from combinations(list(first.values())[:_IN_PAIRS], 2)

    def _right(
        self, changes: Iterable[_Change], *, first: bool = False
    ) -> list[_Change]:
        found: list[_Change] = []
        for change in changes:
            if self.work < 0 or found and first:
                break
            if self._mends(change):
                found.append(change)
        return found

    def _mends(self, change: _Change) -> bool:
        """Whether the changed code is right in all cases."""
        self.steps.left = self.most
        try:
            with put_in(*change):
                if self.code.holding_themselves(*change) > self.endless:
                    return False
                return self._is_right(change)
        except (Exception, TooManySteps):
            return False
        finally:
            self.work -= 1 + (self.most - max(self.steps.left, 0)) / _STEPS

    def _is_right(self, change: _Change) -> bool:
        answer = self.trial.exercise.used(self.code.made(self.steps, *change))
        value = _value_of(self.trial, answer, self.probes[0])
        if len(change) == 1 and isinstance(value, np.ndarray):
            self.moved.append((change[0], value))
        mends = [self._is(value, self.probes[0])]
        if not mends[0] and self._has_moved(value):
            return False
        mends += [self._gives(answer, i) for i in self.probes[1:]]
        start = self.trial.outcomes[self.probes[0]]
        goes_on = start.error is not None and isinstance(value, np.ndarray)
        if (any(mends) or goes_on) and not all(mends) and len(change) == 1:
            self.partly.append(change[0])
        return all(mends) and all(self._gives(answer, i) for i in self.rest)

    def giving(self, given: Callable[[int], np.ndarray | None]) -> Iterator[Slip]:
        """Yield the changes that give this in every case."""
        first = self.probes[0]
        wanted, cases = given(first), range(len(self.trial.outcomes))
        is_finite = wanted is not None and np.isfinite(wanted).all()
        for slip, value in self.moved if is_finite else ():
            if slip.kind in _TELLING and self._same(value, wanted, first):
                values = self._values_with(slip)
                if all(map(self._same, values, map(given, cases), cases)):
                    yield slip

    def _values_with(self, slip: Slip) -> Iterator[Any]:
        self.steps.left = self.most
        try:
            with put_in(slip):
                answer = self.code.made(self.steps, slip)
            used = self.trial.exercise.used(answer)
            for i in range(len(self.trial.outcomes)):
                yield _value_of(self.trial, used, i)
        except (Exception, TooManySteps) as error:
            yield error

    def _same(self, value: Any, wanted: np.ndarray | None, i: int) -> bool:
        if wanted is None or not isinstance(value, np.ndarray):
            return wanted is None and isinstance(value, BaseException)
        return agree(value, wanted, self.trial.tolerance(i))

    def _gives(self, answer: Callable[..., Any], i: int) -> bool:
        return self._is(_value_of(self.trial, answer, i), i)

    def _has_moved(self, value: Any) -> bool:
        """Whether a change acts on the first failing case."""
        start = self.trial.outcomes[self.probes[0]]
        if start.error is not None or not isinstance(value, np.ndarray):
            return start.error is None
        return not np.array_equal(value, self.trial.got(self.probes[0]))

    def _is(self, value: Any, i: int) -> bool:
        expected = self.trial.expected[i]
        if isinstance(expected, Exception) or not isinstance(value, np.ndarray):
            return isinstance(value, type(expected))
        return agree(value, expected, self.trial.tolerance(i))


def _value_of(trial: Trial, answer: Callable[..., Any], i: int) -> Any:
    """Return what comes out, as a NumPy array; else the error, or None."""
    try:
        value = answer(*trial.given(i))
    except NOT_ITS_OWN:
        raise
    except BaseException as error:  # SystemExit, too
        return error
    is_number = isinstance(value, bool | int | float) and not getattr(
        trial.expected[i], "ndim", 0
    )
    native = is_number or trial.side.is_native(value)
    return trial.side.as_numpy(value) if native else None


# --- numbers of another kind ----------------------------------------------------------------------


def retyped(answer: Callable[..., Any], kind: str) -> Iterator[Callable[..., Any]]:
    """Yield an answer with its arrays, then its divisions, too, made real ("f") or whole ("i")."""
    for with_divisions in (False, True):
        code = _code_of(inspect.unwrap(answer))
        if code is None:
            return
        retyping = _Retyping(kind, with_divisions)
        retyping.visit(code.tree)
        if retyping.has_changed:
            yield code.made(Steps(_ALL))


_ALL = 10**9
_KINDS = {"f": ("float", "float64", ast.Div), "i": ("int", "int64", ast.FloorDiv)}


class _Retyping(ast.NodeTransformer):
    """Makes all arrays real or whole, and perhaps all divisions."""

    def __init__(self, kind: str, with_divisions: bool) -> None:
        self.with_divisions = with_divisions
        self.plain, self.wide, self.division = _KINDS[kind]
        self.others = re.compile("u?int|long" if kind == "f" else "float|double")
        self.has_changed = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Change the dtype that is named in a call."""
        is_cast = getattr(node.func, "attr", "") == "astype"
        keywords = [k for k in node.keywords if k.arg == "dtype"]
        for place in [*keywords, *([node] if is_cast else [])]:
            for name in ast.walk(place if place is not node else node.args[0]):
                field = "id" if isinstance(name, ast.Name) else "attr"
                if self.others.match(getattr(name, field, "")):
                    new = self.plain if field == "id" else self.wide
                    setattr(name, field, new)
                    self.has_changed = True
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Let a division round, or not."""
        if self.with_divisions and isinstance(node.op, ast.Div | ast.FloorDiv):
            self.has_changed |= not isinstance(node.op, self.division)
            node.op = self.division()
        return self.generic_visit(node)


# --- the learner's code ---------------------------------------------------------------------------


def _code_of(answer: Any) -> _Code | None:
    """Return the learner's code as a tree; None where it cannot be had or should not be rerun."""
    answer = getattr(answer, "__func__", answer)
    if not (inspect.isfunction(answer) or inspect.isclass(answer)):
        return None
    names: dict[str, Any] = {}
    lines: list[_Line] = []
    source = ""
    for part in reversed(with_helpers(answer)):
        try:
            own, first = _source_of(part)
            text = textwrap.dedent("".join(own)).rstrip("\n") + "\n"
            ast.parse(text)
        except (OSError, SyntaxError, TypeError):
            if part is answer:
                return None
            continue
        helper, source = "" if part is answer else part.__name__, source + text
        names |= names_of(part)
        lines += [_Line(t, max(first, 1) + n, helper) for n, t in enumerate(own)]
    tree = ast.parse(source)
    ours = _Code(tree, answer.__name__, names, lines)
    return ours if _may_be_rerun(tree) else None


def _source_of(part: Any) -> tuple[list[str], int]:
    """Return the lines and the first line's number; raise ``OSError`` where they cannot be had."""
    if inspect.isfunction(part):
        return inspect.getsourcelines(part)
    # A notebook's class has no file of its own.
    for function in functions_of(part):
        lines, number = inspect.findsource(function)
        for node in ast.walk(ast.parse("".join(lines))):
            if isinstance(node, ast.ClassDef) and node.name == part.__name__:
                end = node.end_lineno or 0
                if node.lineno <= number <= end:
                    return lines[node.lineno - 1 : end], node.lineno
    raise OSError


def _may_be_rerun(tree: ast.Module) -> bool:
    for top in tree.body:
        if not isinstance(top, ast.FunctionDef | ast.ClassDef):
            return False
        top.decorator_list = []
    nodes = list(ast.walk(tree))
    reaches_out = {getattr(n, "id", "") for n in nodes} & _REACHING_OUT
    return not reaches_out and not any(isinstance(n, ast.Global) for n in nodes)


# --- what is said ---------------------------------------------------------------------------------


# Those that may only make up for what is wrong elsewhere.
_MAKING_UP = ("scale", "factor", "missing", "elsewhere")
# Of which the one is often right where the other is told.
_ALIKE = {"name", "constant"}
# Those that may mend one of two mistakes; others only turn one mistake into another.
_TELLING = {
    "axis",
    "comparison",
    "constant",
    "function",
    "kept-axis",
    "left-out",
    "name",
}
_TELLING |= {"shift", "swapped", "transposition"}
_ONE = "One small change would make every case right."
_TWO = "Two small changes would make every case right."
_TWICE = "One small change, made twice, would make every case right."
_EITHER = "Either of two small changes would make every case right."


def _said(code: _Code, found: list[_Change]) -> Finding:
    """Say where to look, without giving the correction away."""
    best = sorted(found[0], key=lambda slip: slip.line)
    kind, places = best[0].kind, [_place(code, slip) for slip in best]
    others = [
        _place(code, other) for (other,) in found[1:] if _rivals(other, best[0])
    ]
    other = next((place for place in others if place not in places), None)
    ids = tuple(f"mend-{slip.kind}" for slip in best)
    if other and kind not in _MAKING_UP:
        return Finding(ids, f"{_EITHER}\n\n{places[0]}\n\nOr: {other}")
    if not best[1:]:
        return Finding(ids, f"{_ONE} {places[0]}")
    said = [*dict.fromkeys(places)]
    return Finding(ids, "\n\n".join([_TWO if said[1:] else _TWICE, *said]))


def _rivals(other: Slip, best: Slip) -> bool:
    """Whether another change is as likely, and stands elsewhere."""
    return (
        (other.kind == best.kind or {other.kind, best.kind} == _ALIKE)
        and not other.touches(best)
        and not _is_misread(other)
    )


def _is_misread(slip: Slip) -> bool:
    """Whether a change is another than its sentence brings to mind: it scales what was added up."""
    return isinstance(slip.old, ast.AugAssign) and isinstance(slip.new, ast.Assign)


def _place(code: _Code, slip: Slip) -> str:
    if isinstance(slip.holder, ast.Module):  # it changes the whole function
        return slip.look[0].upper() + slip.look[1:]
    line = code.lines[slip.line - 1]
    of = f" of `{line.helper}`" if line.helper else ""
    end = "" if slip.look.endswith(("?", ".")) else "."
    said = f"{_of_several(code, slip)}{end}"
    return f"Look at line {line.number}{of}, `{line.text.strip()}`: {said}"


_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")


def _of_several(code: _Code, slip: Slip) -> str:
    """Return the sentence of a change, with the place of a name that its line has several times."""
    name, nodes = getattr(slip.old, "id", None), ast.walk(code.tree)
    begins = f"is `{name}` the"
    same: list[Any] = [n for n in nodes if getattr(n, "id", "") == name]
    same = [n for n in same if n.lineno == slip.line]
    same.sort(key=lambda n: n.col_offset)
    where = [n is slip.old for n in same]
    is_one_of_several = 1 < len(same) <= len(_PLACES) and True in where
    if not slip.look.startswith(begins) or not is_one_of_several:
        return slip.look
    place = "last" if where[-1] else _PLACES[where.index(True)]
    return slip.look.replace(begins, f"is the {place} `{name}` of this line the")
