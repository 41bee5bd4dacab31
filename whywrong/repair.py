"""What small change of the learner's own code would make it right, where no known mistake fits."""

import ast
import inspect
import textwrap
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cached_property, partial
from io import StringIO
from itertools import combinations
from typing import Any

import numpy as np

from whywrong.arrays import agree, different
from whywrong.context import Finding, number
from whywrong.observe import kind_of, listed
from whywrong.running import Budget, TimesUp, Trial, run_limited
from whywrong.slips import CERTAIN, FAR_FETCHED, Slip, slips_in

__all__ = [
    "Branch",
    "adding_up",
    "one_of_a_kind",
    "repair",
    "small_number",
    "tree_of",
    "wrong_branch",
]

# Seconds for the whole search, and for one change; the likeliest changes that are tried in pairs.
SECONDS = 0.25
_SECONDS_A_CHANGE = 0.1
_IN_PAIRS = 40
# At how many places at most the same change is made.
_PLACES = 12
# Of how many kinds cases may be wrong that a change leaves as they are, if it is named.
_KINDS_LEFT = 2

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
    def may_run_on(self) -> bool:
        """Whether a change might make it run without end: it has a loop, or calls itself."""
        nodes = list(ast.walk(self.tree))
        return any(
            isinstance(n, ast.For | ast.While | ast.comprehension) for n in nodes
        ) or any(
            isinstance(n, ast.Call) and getattr(n.func, "id", "") == made.name
            for made in nodes
            if isinstance(made, ast.FunctionDef)
            for n in ast.walk(made)
        )

    def made(self) -> Any:
        """Return what the code defines now."""
        names = dict(self.names)
        exec(compile(self.tree, "<changed>", "exec"), names)
        return names[self.name]


def repair(trial: Trial, only: Collection[str] = ()) -> Finding | None:
    """Name the line where one small change, or two, makes every case right; None if none does.

    With ``only``, changes of these kinds are tried, one at a time.
    """
    failing = [
        i for i in range(len(trial.outcomes)) if i in {*trial.wrong, *trial.crashed}
    ]
    code = _code_of(inspect.unwrap(trial.function))
    if code is None or not failing or _asks_for_error(trial, failing):
        return None
    search = _Search(trial, code, failing)
    with _quiet():
        found = search.run(only)
        if found or only:
            return _said(code, found) if found else None
        most, rest = search.most() if not trial.crashed else ([], [])
    if not most:
        return None
    said = _said(code, most, "most cases")
    phrases = {
        kind_of(trial.exercise, trial.cases[i].kind).phrase: None for i in rest
    }
    again = (
        f"Once that is right, look again at what happens {listed(list(phrases))}."
    )
    return Finding((*said.faults, "mend-most"), f"{said.message}\n\n{again}")


@contextmanager
def _quiet() -> Iterator[None]:
    """Let changed code warn and print nothing."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            yield


def tree_of(trial: Trial) -> ast.Module | None:
    """Return the learner's code, with its helpers, as a tree; None where it cannot be had."""
    code = _code_of(inspect.unwrap(trial.function))
    return code.tree if code else None


# Numbers that are added only so that something is not 0.
_SMALL = 1e-2
_SMALLER = 1e-3
_AS_A_FLOOR = ("maximum", "clip", "clamp", "fmax", "clamp_min")
_LOGARITHMS = ("log", "log2", "log10", "ln")


def small_number(trial: Trial) -> Finding | None:
    """Say that a small number, added so that something is not 0, shows in the wrong numbers."""
    i = trial.wrong[0]
    code, right = _code_of(inspect.unwrap(trial.function)), trial.expected[i]
    if code is None or isinstance(right, Exception):
        return None
    got = trial.got(i)
    if got.shape != right.shape or got.dtype.kind + right.dtype.kind != "ff":
        return None
    known = {
        n.value
        for n in ast.walk(ast.parse(trial.exercise.source))
        if isinstance(n, ast.Constant) and isinstance(n.value, float)
    }
    if any(0 < abs(value) <= _SMALL for value in known):
        return None  # a small number is asked for here
    search = _Search(trial, code, [i])
    for constant, around in _small_numbers(code.tree):
        value = constant.value
        if not isinstance(value, float):
            continue
        constant.value = value * _SMALLER
        try:
            with _quiet():
                answer = trial.exercise.used(code.made())
                call = partial(search._value, answer, i)
                other = run_limited(call, _SECONDS_A_CHANGE)
        except (Exception, TimesUp):
            continue
        finally:
            constant.value = value
        if isinstance(other, np.ndarray) and _is_nearer(
            other, got, right, trial.tolerance(i)
        ):
            message = f"{_line(code, constant.lineno)}{_shows(value, around)}"
            return Finding(("small-number",), message)
    return None


def _small_numbers(tree: ast.Module) -> Iterator[tuple[ast.Constant, list[str]]]:
    """Yield small numbers that are added or bound something, and what is done around each."""

    def below(
        node: ast.AST, around: list[str]
    ) -> Iterator[tuple[ast.Constant, list[str]]]:
        for child in ast.iter_child_nodes(node):
            outer = around
            if isinstance(node, ast.Call):
                func = node.func
                outer = [getattr(func, "attr", getattr(func, "id", "")), *around]
                if child is func:
                    outer = [outer[0], *around]
            elif isinstance(node, ast.BinOp):
                op = type(node.op).__name__
                divisor = op == "Div" and child is node.right
                outer = ["divisor" if divisor else op, *around]
            elif isinstance(node, ast.stmt):
                outer = []
            if isinstance(child, ast.Constant) and isinstance(child.value, float):
                is_small = 0 < abs(child.value) <= _SMALL
                if is_small and outer and outer[0] in ("Add", *_AS_A_FLOOR):
                    yield child, outer
            yield from below(child, outer)

    yield from below(tree, [])


def _is_nearer(
    other: np.ndarray, got: np.ndarray, right: np.ndarray, rtol: float
) -> bool:
    """Whether nearly all wrong numbers come nearer to the right ones."""
    if other.shape != got.shape:
        return False
    wrong = different(got, right, rtol) & np.isfinite(got) & np.isfinite(right)
    before, after = np.abs(got - right)[wrong], np.abs(other - right)[wrong]
    with np.errstate(all="ignore"):
        nearer = after < before * (1 - 1e-6)
    return bool(wrong.any() and nearer.mean() > 0.9)


def _shows(value: float, around: list[str]) -> str:
    small = f"`{value:g}`"
    if any(word in _LOGARITHMS for word in around):
        floor = number(np.log(value))
        return (
            f"the small number {small} inside the logarithm shows in the result. However small "
            f"the rest is, no logarithm falls below log({value:g}) = {floor} then. Do not "
            "change the number: find a way that never takes the logarithm of 0, or leave those "
            "places out."
        )
    if "divisor" in around:
        return (
            f"the small number {small} in the divisor shows in the result: a/(b + {value:g}) is "
            "not a/b, and where b is small, too, it is far from it. Treat the places where b is 0 "
            "by themselves."
        )
    return f"the small number {small} shows in the result. Is it needed?"


def _asks_for_error(trial: Trial, failing: list[int]) -> bool:
    """Whether an exception is asked for in a failing case: no small change makes one."""
    return any(isinstance(trial.expected[i], Exception) for i in failing)


@dataclass(frozen=True)
class Branch:
    """A branch of the learner's code that every wrong case takes, and no right one.

    Parameters
    ----------
    finding : Finding
    answers_for_all : bool
        Whether the wrong numbers would be right without it, and others would not.
    """

    finding: Finding
    answers_for_all: bool


def wrong_branch(trial: Trial) -> Branch | None:
    """Return the branch that all wrong cases take and no right one does; None if there is none."""
    code = _code_of(inspect.unwrap(trial.function))
    if code is None or len(trial.right) < 2 or trial.crashed:
        return None
    tests = [n for n in ast.walk(code.tree) if isinstance(n, ast.If | ast.IfExp)]
    if not tests:
        return None
    try:
        with _quiet():
            taken = run_limited(lambda: _taken(trial, code, tests), SECONDS)
    except (Exception, TimesUp):
        return None
    wrong = set.intersection(*(taken[i] for i in trial.wrong))
    wrong -= set.union(*(taken[i] for i in trial.right))
    found = [
        (tests[k], holds) for k, holds in sorted(wrong) if holds or tests[k].orelse
    ]
    if not found:
        return None
    for node, holds in found:
        if _would_be_right(trial, code, node, not holds):
            once, other = "as soon as", "without it"
            if not holds:
                once, other = "unless", "in the other"
            message = (
                f"{_line(code, node.lineno)}{once} this holds, all numbers come from one branch. "
                f"Those that are wrong now would be right {other}: which of them is it meant for?"
            )
            return Branch(Finding(("branch",), message), answers_for_all=True)
    node, holds = max(found, key=lambda one: one[0].lineno)
    which = "holds" if holds else "does not hold"
    message = (
        f"{_line(code, node.lineno)}in every case that is wrong this {which} somewhere, and in "
        "none that is right. What is done then?"
    )
    return Branch(Finding(("branch",), message), answers_for_all=False)


def _taken(
    trial: Trial, code: _Code, tests: list[Any]
) -> dict[int, set[tuple[int, bool]]]:
    """Return, for every case, which tests of the code held in it, and which did not."""
    seen: set[tuple[int, bool]] = set()

    def noted(k: int, value: Any) -> Any:
        seen.add((k, bool(value)))
        return value

    old = [node.test for node in tests]
    for k, node in enumerate(tests):
        call = ast.Call(
            ast.Name("_noted", ast.Load()), [ast.Constant(k), node.test], []
        )
        node.test = ast.fix_missing_locations(ast.copy_location(call, node.test))
    code.names["_noted"] = noted
    try:
        answer = trial.exercise.used(code.made())
        found = {}
        for i in range(len(trial.outcomes)):
            seen.clear()
            _value_of(trial, answer, i)
            found[i] = set(seen)
        return found
    finally:
        for node, test in zip(tests, old, strict=True):
            node.test = test


def _would_be_right(trial: Trial, code: _Code, node: Any, holds: bool) -> bool:
    """Whether all wrong numbers, of arrays, would be right if a test always held, or never."""
    old = node.test
    node.test = ast.copy_location(ast.Constant(holds), old)
    try:
        with _quiet():
            answer = trial.exercise.used(code.made())
            for i in trial.wrong:
                right, got = trial.expected[i], trial.got(i)
                call = partial(_value_of, trial, answer, i)
                value = run_limited(call, _SECONDS_A_CHANGE)
                if not isinstance(value, np.ndarray) or not isinstance(
                    right, np.ndarray
                ):
                    return False
                if not right.ndim or not value.shape == right.shape == got.shape:
                    return False
                near = trial.tolerance(i)
                bad = different(got, right, near)
                if bad.all() or (different(value, right, near) & bad).any():
                    return False
        return True
    except (Exception, TimesUp):
        return False
    finally:
        node.test = old


_Change = tuple[Slip, ...]


def growing_steps(tree: ast.AST) -> int:
    """Count what may grow beyond all bounds within a few steps, none of which can be interrupted.

    A list that is put into itself, which NumPy unpacks to the depth of 64; and a power or a square
    that is handed on, from call to call or from round to round, whose whole numbers have no end.
    """
    nodes = list(ast.walk(tree))
    holders = [
        node
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in {getattr(part, "id", "") for part in node.args}
    ]
    recursive = [
        part
        for function in nodes
        if isinstance(function, ast.FunctionDef)
        for part in ast.walk(function)
        if isinstance(part, ast.Call)
        and getattr(part.func, "id", "") == function.name
    ]
    loops = [node for node in nodes if isinstance(node, ast.For | ast.While)]
    powers = {id(part) for step in recursive for part in _powers_in(step)} | {
        id(part)
        for loop in loops
        for step in ast.walk(loop)
        if isinstance(step, ast.Assign | ast.AugAssign)
        for part in _powers_in(step)
        if _names_in(part) & _fed_by(step, loop)
    }
    return len(holders) + len(powers)


def _powers_in(step: ast.AST) -> list[ast.AST]:
    return [
        part
        for part in ast.walk(step)
        if isinstance(getattr(part, "op", None), ast.Pow) or _is_square(part)
    ]


def _names_in(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _fed_by(step: ast.Assign | ast.AugAssign, loop: ast.AST) -> set[str]:
    """Find the names whose values in a later round come from this assignment's."""
    flows: list[tuple[set[str], set[str]]] = []
    for part in ast.walk(loop):
        if isinstance(part, ast.Assign):
            into = set().union(*map(_names_in, part.targets))
            flows.append((_names_in(part.value), into))
        elif isinstance(part, ast.AugAssign):
            flows.append((_names_in(part.value), _names_in(part.target)))
        elif isinstance(part, ast.For | ast.comprehension):
            flows.append((_names_in(part.iter), _names_in(part.target)))
    targets = step.targets if isinstance(step, ast.Assign) else [step.target]
    fed = set().union(*map(_names_in, targets))
    for _ in flows:
        fed = fed.union(*(into for read, into in flows if read & fed))
    return fed


def _is_square(node: ast.AST) -> bool:
    if isinstance(node, ast.AugAssign):
        left, right = ast.unparse(node.target), ast.unparse(node.value)
    elif isinstance(node, ast.BinOp):
        left, right = ast.unparse(node.left), ast.unparse(node.right)
    else:
        return False
    return isinstance(node.op, ast.Mult) and left == right


class _Search:
    """The changes that are tried, one at a time and then in pairs, on a few failing cases first."""

    def __init__(self, trial: Trial, code: _Code, failing: list[int]) -> None:
        self.trial, self.code = trial, code
        self.probes = one_of_a_kind(trial, failing)[:3]
        self.rest = [i for i in range(len(trial.outcomes)) if i not in self.probes]
        self.budget = Budget(SECONDS)
        self.failing = failing
        self.growing = growing_steps(code.tree)
        self.partly: list[tuple[_Change, list[bool]]] = []
        self.mending: list[_Change] = []
        self.values: list[tuple[_Change, Any]] = []

    def run(self, only: Collection[str] = ()) -> list[_Change]:
        """Return the changes that make every case right, the likeliest first."""
        slips = self._slips()
        if only:
            return self._right([(slip,) for slip in slips if slip.kind in only])
        likely = [(slip,) for slip in slips if slip.kind not in FAR_FETCHED]
        others = [(slip,) for slip in slips if slip.kind in FAR_FETCHED]
        found = self._right(likely)
        # The same mistake at every place is more likely than a far-fetched one.
        found = found or self._right(_everywhere(slips), first=True)
        if not found or len(found[0]) == 1:
            found += self._right(others)
        if found:
            return found
        for several in (
            self._completing(),
            self._unambiguous(self._summed()),
            self._after(),
        ):
            found = self._right(several, first=True)
            if found:
                return found
        return self._right(_pairs(slips), first=True)

    def most(self) -> tuple[list[_Change], list[int]]:
        """Return the changes that mend all but a few kinds of cases, and which cases are left."""
        found: list[tuple[_Change, list[int]]] = []
        for change in self.mending[:_IN_PAIRS]:
            left = self._left(change)
            if left is not None and len(left) <= min(
                (len(other) for _, other in found), default=len(left)
            ):
                found.append((change, left))
        fewest = min((len(left) for _, left in found), default=0)
        best = [(change, left) for change, left in found if len(left) == fewest]
        return [change for change, _ in best], best[0][1] if best else []

    def _now(self, i: int) -> Any:
        """Return what the unchanged code gives."""
        outcome = self.trial.outcomes[i]
        return outcome.error if outcome.error else self.trial.got(i)

    def _left(self, change: _Change) -> list[int] | None:
        """Return the cases that a change leaves wrong; None if it is not worth naming."""
        failing = self.failing
        for slip in change:
            slip.put()
        try:
            answer = self.trial.exercise.used(self.code.made())

            def wrong() -> list[int]:
                everything = range(len(self.trial.outcomes))
                return [
                    i for i in everything if not self._is(self._value(answer, i), i)
                ]

            left = run_limited(wrong, 2 * _SECONDS_A_CHANGE)
            for i in left:  # it may have been a guard that this takes away
                value = self._value(answer, i)
                if not _is_finite(value) and _is_finite(self._now(i)):
                    return None
        except (Exception, TimesUp):
            return None
        finally:
            for slip in reversed(change):
                slip.take_back()
        kinds = {self.trial.cases[i].kind for i in left}
        mended = len(failing) - len(left)
        breaks = any(i not in failing for i in left)
        if breaks or failing[0] in left or len(kinds) > _KINDS_LEFT:
            return None
        enough = 2 if getattr(self.trial.expected[failing[0]], "ndim", 0) else 4
        return left if mended >= enough and mended > len(left) else None

    def _slips(self) -> list[Slip]:
        torch = self.trial.exercise.library == "torch"
        return slips_in(self.code.tree, torch=torch)

    def _right(
        self, changes: Iterable[_Change], *, first: bool = False
    ) -> list[_Change]:
        found: list[_Change] = []
        for change in changes:
            if self.budget.is_over or found and first:
                break
            if self._mends(change):
                found.append(change)
        return found

    def _completing(self) -> Iterator[_Change]:
        """Yield two changes of which one mends what the other does not."""
        for (first, mended), (second, others) in combinations(
            self.partly[:_IN_PAIRS], 2
        ):
            if all(map(max, mended, others)):
                yield from _apart(first, second)

    def _summed(self) -> Iterator[_Change]:
        """Yield two changes whose effects, each made alone, add up to what is missing."""
        probe = self.probes[0]
        start, right = self.trial.outcomes[probe], self.trial.expected[probe]
        if start.error is not None or not isinstance(right, np.ndarray):
            return
        known = [
            (change, value)
            for change, value in self.values
            if not any(slip.kind in FAR_FETCHED for slip in change)
        ]
        effects = [value for _, value in known]
        for i, j in adding_up(self.trial.got(probe), right, effects):
            yield from _apart(known[i][0], known[j][0])

    def _unambiguous(self, changes: Iterator[_Change]) -> Iterable[_Change]:
        """Return what is right; of a single number, nothing if there are several ways to it."""
        if getattr(self.trial.expected[self.probes[0]], "ndim", 0):
            return changes
        found = self._right(changes)
        lines = {frozenset(slip.line for slip in change) for change in found}
        return found if len(lines) == 1 else ()

    def _after(self) -> Iterator[_Change]:
        """Yield a second change after one that mends some of the failing cases."""
        likely = sorted(self.partly, key=lambda one: -sum(one[1]))[:8]
        for first, _ in likely:
            for slip in first:
                slip.put()
            others = self._slips()
            for slip in reversed(first):
                slip.take_back()
            mine = {id(slip.new) for slip in first}
            yield from (
                (*first, other) for other in others if id(other.old) not in mine
            )

    def _mends(self, change: _Change) -> bool:
        """Whether the changed code is right in all cases."""
        for slip in change:
            slip.put()
        try:
            if growing_steps(self.code.tree) > self.growing:
                return False  # one of its steps might take for ever, and nothing could end it
            if not self.code.may_run_on:
                return self._is_right(change)
            seconds = min(self.budget.left, _SECONDS_A_CHANGE)
            return seconds > 0.01 and bool(
                run_limited(lambda: self._is_right(change), seconds)
            )
        except (Exception, TimesUp):
            return False
        finally:
            for slip in reversed(change):
                slip.take_back()

    def _is_right(self, change: _Change) -> bool:
        answer = self.trial.exercise.used(self.code.made())
        value = self._value(answer, self.probes[0])
        self.values.append((change, value))
        mended = [self._is(value, self.probes[0])]
        if not mended[0] and self._has_moved(value):
            return False
        mended += [self._is(self._value(answer, i), i) for i in self.probes[1:]]
        if any(mended) and not all(mended):
            self.partly.append((change, mended))
        right = all(mended) and all(
            self._is(self._value(answer, i), i) for i in self.rest
        )
        if mended[0] and not right and len(change) == 1:
            self.mending.append(change)
        return right

    def _has_moved(self, value: Any) -> bool:
        """Whether a change acts on the first failing case."""
        start = self.trial.outcomes[self.probes[0]]
        if start.error is not None or not isinstance(value, np.ndarray):
            return start.error is None
        return not np.array_equal(value, self.trial.got(self.probes[0]))

    def _value(self, answer: Callable[..., Any], i: int) -> Any:
        return _value_of(self.trial, answer, i)

    def _is(self, value: Any, i: int) -> bool:
        expected = self.trial.expected[i]
        if isinstance(expected, Exception) or not isinstance(value, np.ndarray):
            return isinstance(value, type(expected)) and not isinstance(
                value, np.ndarray
            )
        return agree(value, expected, self.trial.tolerance(i))


def _value_of(trial: Trial, answer: Callable[..., Any], i: int) -> Any:
    """Return what comes out, as a NumPy array; else the error, or None."""
    try:
        value = answer(*trial.given(i))
    except Exception as error:
        return error
    is_number = isinstance(value, bool | int | float) and not getattr(
        trial.expected[i], "ndim", 0
    )
    native = is_number or trial.side.is_native(value)
    return trial.side.as_numpy(value) if native else None


def _is_finite(value: Any) -> bool:
    is_array = isinstance(value, np.ndarray)
    return is_array and (value.dtype.kind != "f" or bool(np.isfinite(value).all()))


def one_of_a_kind(trial: Trial, failing: list[int]) -> list[int]:
    """Return the first failing case of each kind, and of each result."""
    found: dict[Any, int] = {}
    for i in failing:
        result = trial.cases[i].args[-1] if trial.exercise.results else ""
        found.setdefault((trial.cases[i].kind, result), i)
    return list(found.values())


def adding_up(
    start: np.ndarray, right: np.ndarray, values: Sequence[Any]
) -> Iterator[tuple[int, int]]:
    """Yield two values, by their places, whose differences from the start add up to the right one.

    Or whose quotients multiply to it: so do two mistakes that do not act on each other. The first
    of the values come first.
    """

    def fits(value: Any) -> bool:
        is_array = isinstance(value, np.ndarray) and value.dtype.kind in "biuf"
        return is_array and value.shape == start.shape

    fit = [i for i, value in enumerate(values) if fits(value)]
    if not (fits(start) and fits(right) and fit):
        return
    stack = np.stack([start, right, *(values[i] for i in fit)]).reshape(
        len(fit) + 2, -1
    )
    key = np.random.default_rng(0).uniform(1, 2, stack.shape[1])
    with np.errstate(all="ignore"):
        sums = stack.astype(float) @ key
        logs = np.log(np.abs(stack.astype(float))) @ key
    for measured in (sums, logs):
        yield from ((fit[i], fit[j]) for i, j in _meeting(measured))


def _meeting(measured: np.ndarray) -> list[tuple[int, int]]:
    """Return which two of the others, from the third on, lead from the first to the second."""
    start, right, *others = measured
    with np.errstate(all="ignore"):
        effects = np.array(others) - start
        near = 1e-7 * (max(abs(start), abs(right)) + np.abs(effects)) + 1e-12
        effects[np.abs(effects) <= near] = np.nan
        missed = np.abs(effects[:, None] + effects - (right - start))
        pairs = np.argwhere(missed <= near)
    return sorted(((i, j) for i, j in pairs.tolist() if i < j), key=sum)


def _everywhere(slips: list[Slip]) -> Iterator[_Change]:
    """Yield the same change, made at every place where it can be made."""
    groups: dict[tuple[str, str], list[Slip]] = {}
    for slip in slips:
        for words in {slip.mistake, slip.look}:
            groups.setdefault((slip.kind, _same(slip, words)), []).append(slip)
    for group in groups.values():
        if len(group) > _PLACES:
            continue
        apart: list[Slip] = []
        for slip in group:
            if not any(slip.touches(other) for other in apart):
                apart.append(slip)
        if len(apart) > 1:
            yield tuple(apart)


def _same(slip: Slip, words: str) -> str:
    """Return by which words two changes count as the same: of an axis, whatever runs along it."""
    if slip.kind in ("axis", "kept-axis") and isinstance(slip.new, ast.Call):
        options = (f"{k.arg}={ast.unparse(k.value)}" for k in slip.new.keywords)
        return " ".join(sorted(options))
    return words


def _apart(first: _Change, second: _Change) -> Iterator[_Change]:
    if not any(one.touches(other) for one in first for other in second):
        yield (*first, *second)


def _pairs(slips: list[Slip]) -> Iterator[_Change]:
    """Yield two of the likeliest changes."""
    for first, second in combinations(slips[:_IN_PAIRS], 2):
        yield from _apart((first,), (second,))


def _code_of(answer: Any) -> _Code | None:
    """Return the learner's code as a tree; None where it cannot be had or should not be rerun."""
    answer = getattr(answer, "__func__", answer)
    if not (inspect.isfunction(answer) or inspect.isclass(answer)):
        return None
    names: dict[str, Any] = {}
    lines: list[_Line] = []
    source = ""
    for part in reversed(_with_helpers(answer)):
        try:
            own, first = _source_of(part)
            text = textwrap.dedent("".join(own)).rstrip("\n") + "\n"
            ast.parse(text)
        except (OSError, SyntaxError, TypeError):
            if part is answer:
                return None
            continue
        helper = "" if part is answer else part.__name__
        source += text
        names |= _names_of(part)
        lines += [
            _Line(line, max(first, 1) + n, helper) for n, line in enumerate(own)
        ]
    tree = ast.parse(source)
    if not _may_be_rerun(tree):
        return None
    return _Code(tree, answer.__name__, names, lines)


def _source_of(part: Any) -> tuple[list[str], int]:
    """Return the lines and the first line's number; raise ``OSError`` where they cannot be had."""
    if inspect.isfunction(part):
        return inspect.getsourcelines(part)
    for function in _functions_of(
        part
    ):  # a notebook's class has no file of its own
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
    used = {n.id for n in nodes if isinstance(n, ast.Name)}
    return not used & _REACHING_OUT and not any(
        isinstance(n, ast.Global) for n in nodes
    )


def _with_helpers(answer: Any) -> list[Any]:
    """Return the answer and the functions and classes of the same notebook that it calls."""
    found = [answer]
    home = _home(answer)
    for part in found:
        names = _names_of(part)
        for used in _used_in(part):
            helper = names.get(used)
            is_code = inspect.isfunction(helper) or inspect.isclass(helper)
            if (
                is_code
                and helper not in found
                and _home(helper) is home
                and len(found) < 8
            ):
                found.append(helper)
    return found


def _functions_of(part: Any) -> list[Any]:
    functions = [part] if inspect.isfunction(part) else vars(part).values()
    return [inspect.unwrap(f) for f in functions if inspect.isfunction(f)]


def _home(part: Any) -> Any:
    """Return the namespace in which code was defined."""
    return next((f.__globals__ for f in _functions_of(part)), None)


def _used_in(part: Any) -> list[str]:
    """Return the names that code and the functions in it use."""
    codes = [f.__code__ for f in _functions_of(part)]
    for code in codes:
        codes.extend(c for c in code.co_consts if inspect.iscode(c))
    return [name for code in codes for name in (*code.co_names, *code.co_freevars)]


def _names_of(answer: Any) -> dict[str, Any]:
    """Return the names that the code can see, those around it included."""
    names: dict[str, Any] = {}
    for function in _functions_of(answer):
        names.update(function.__globals__)
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=False
        ):
            if name != "__class__":
                names[name] = cell.cell_contents
    return names


def _said(
    code: _Code, found: list[tuple[Slip, ...]], which: str = "every case"
) -> Finding:
    """Say where to look, without giving the correction away."""
    best = sorted(found[0], key=lambda slip: slip.line)
    ids = tuple(f"mend-{slip.kind}" for slip in best)
    places = [_place(code, slip) for slip in best]
    others = [
        slips[0]
        for slips in found[1:] * (best[0].kind not in CERTAIN)
        if not slips[0].touches(best[0])
        and _place(code, slips[0]) not in places
        and not _is_misread(slips[0])
        and _at(slips[0]) != _at(best[0])
    ]
    if len(best) == 1 and others:
        head = f"Either of two small changes would make {which} right."
        places.append(f"Or: {_place(code, others[0])}")
    else:
        head = f"{_how_many(best)} would make {which} right."
    return Finding(ids, "\n\n".join([head, *dict.fromkeys(places)]))


def _at(slip: Slip) -> tuple[int, str]:
    return slip.line, ast.unparse(slip.old)


def _is_misread(slip: Slip) -> bool:
    """Whether a change is another than its sentence brings to mind: it scales what was added up."""
    return isinstance(slip.old, ast.AugAssign) and isinstance(slip.new, ast.Assign)


def _how_many(best: list[Slip]) -> str:
    if len(best) < 3:
        return "Two small changes" if len(best) == 2 else "One small change"
    is_same = len({slip.kind for slip in best}) == 1
    return (
        "The same small change, at every place,"
        if is_same
        else "A few small changes"
    )


def _place(code: _Code, slip: Slip) -> str:
    end = "" if slip.look.endswith(("?", ".")) else "."
    return f"{_line(code, slip.line)}{_of_several(code, slip)}{end}"


_PLACES_IN_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth")


def _of_several(code: _Code, slip: Slip) -> str:
    """Return the sentence of a change, with the place of a name that its line has several times."""
    name = getattr(slip.old, "id", None)
    if name is None or not slip.look.startswith(f"is `{name}` the right one"):
        return slip.look
    same = [
        n
        for n in ast.walk(code.tree)
        if isinstance(n, ast.Name) and n.id == name and n.lineno == slip.line
    ]
    same.sort(key=lambda n: n.col_offset)
    where = [n is slip.old for n in same]
    if not 1 < len(same) <= len(_PLACES_IN_WORDS) or True not in where:
        return slip.look
    place = "last" if where[-1] else _PLACES_IN_WORDS[where.index(True)]
    return slip.look.replace(
        f"is `{name}` the", f"is the {place} `{name}` of this line the"
    )


def _line(code: _Code, number: int) -> str:
    line = code.lines[number - 1]
    of = f" of `{line.helper}`" if line.helper else ""
    return f"Look at line {line.number}{of}, `{line.text.strip()}`: "
