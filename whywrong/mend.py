"""What small change of the learner's own code would make it right, where no known mistake fits."""

import ast
import inspect
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from itertools import combinations
from typing import Any

import numpy as np

from whywrong.arrays import agree
from whywrong.context import Finding
from whywrong.running import Trial
from whywrong.slips import CERTAIN, FAR_FETCHED, Slip, slips_in
from whywrong.steps import (
    MOST_STEPS,
    NOT_ITS_OWN,
    Steps,
    TooManySteps,
    counting,
    put_in,
)
from whywrong.versions import one_of_a_kind

__all__ = ["in_own_code", "mended"]

# What the search may do: each change that is tried is one piece of work, and so are this many of
# its steps. And which changes are tried in pairs: the likeliest.
_WORK = 1000
_STEPS = 100
# How many steps a change may take: these, and several times those of the code as it is.
_FEW, _TIMES = 300, 4
_IN_PAIRS = 40
# At how many places at most the same change is made.
_PLACES = 12
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

    def made(self, steps: Steps) -> Any:
        """Return what the code defines now; its steps are counted."""
        names = self.names | steps.names
        with counting(self.tree):
            exec(compile(self.tree, "<changed>", "exec"), names)
        return names[self.name]


_Change = tuple[Slip, ...]


def mended(trial: Trial) -> Finding | None:
    """Name the line where one small change, or two, makes every case right; None if none does."""
    if "mended" not in trial.kept:
        trial.kept["mended"] = _mended(trial)
    return trial.kept["mended"]


def in_own_code(trial: Trial) -> str:
    """Return which line of the learner's own code one change would make right, if there is one."""
    found = mended(trial)
    return found.message if found and len({*found.faults}) == 1 else ""


def _mended(trial: Trial) -> Finding | None:
    failing = sorted({*trial.wrong, *trial.crashed})
    code = _code_of(inspect.unwrap(trial.function))
    if code is None or not failing or _asks_for_error(trial, failing):
        return None
    with _quiet():
        found = _Search(trial, code, failing).run()
    return _said(code, found) if found else None


def _asks_for_error(trial: Trial, failing: list[int]) -> bool:
    """Whether an exception is asked for in a failing case: no small change makes one."""
    return any(isinstance(trial.expected[i], Exception) for i in failing)


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
        self.work = float(_WORK)
        self.endless = _holding_themselves(code.tree)
        self.most = self._steps_now()
        self.partly: list[Slip] = []

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
        torch = self.trial.exercise.library == "torch"
        slips = slips_in(self.code.tree, torch=torch)
        likely = [slip for slip in slips if slip.kind not in FAR_FETCHED]
        others = [slip for slip in slips if slip.kind in FAR_FETCHED]
        found = self._right((slip,) for slip in likely)
        # The same mistake at every place is more likely than a far-fetched one.
        found = found or self._right(_everywhere(slips), first=True)
        if not found or len(found[0]) == 1:
            found += self._right((slip,) for slip in others)
        return found or self._right(self._pairs(likely), first=True)

    def _pairs(self, slips: list[Slip]) -> Iterator[_Change]:
        """Yield two of the likeliest changes, those first that mend a part by themselves."""
        first = {id(slip): slip for slip in (*self.partly, *slips)}
        for one, other in combinations(list(first.values())[:_IN_PAIRS], 2):
            if not one.touches(other):
                yield one, other

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
                if _holding_themselves(self.code.tree) > self.endless:
                    return False
                return self._is_right(change)
        except (Exception, TooManySteps):
            return False
        finally:
            self.work -= 1 + (self.most - max(self.steps.left, 0)) / _STEPS

    def _is_right(self, change: _Change) -> bool:
        answer = self.trial.exercise.used(self.code.made(self.steps))
        value = _value_of(self.trial, answer, self.probes[0])
        mends = [self._is(value, self.probes[0])]
        if not mends[0] and self._has_moved(value):
            return False
        mends += [self._gives(answer, i) for i in self.probes[1:]]
        if any(mends) and not all(mends) and len(change) == 1:
            self.partly.append(change[0])
        return all(mends) and all(self._gives(answer, i) for i in self.rest)

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
            return isinstance(value, type(expected)) and not isinstance(
                value, np.ndarray
            )
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


def _holding_themselves(tree: ast.AST) -> int:
    """Count lists that are put into themselves: NumPy unpacks one in a step that nothing ends."""
    return sum(map(_holds_itself, ast.walk(tree)))


def _holds_itself(node: ast.AST) -> bool:
    owner = node.func if isinstance(node, ast.Call) else None
    name = getattr(getattr(owner, "value", None), "id", None)
    parts = node.args if isinstance(node, ast.Call) else ()
    return name is not None and name in {getattr(part, "id", "") for part in parts}


# --- the learner's code ---------------------------------------------------------------------------


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


# --- what is said ---------------------------------------------------------------------------------


def _said(code: _Code, found: list[_Change]) -> Finding:
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
        head = "Either of two small changes would make every case right."
        places.append(f"Or: {_place(code, others[0])}")
    else:
        head = f"{_how_many(best)} would make every case right."
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
