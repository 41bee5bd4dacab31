"""What small change of the learner's own code would make it right, where no known mistake fits."""

import ast
import inspect
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any

import numpy as np

from course_attn.checking.arrays import agree
from course_attn.checking.context import Finding
from course_attn.checking.guard import TimesUp, run_limited
from course_attn.checking.slips import Slip, slips_in
from course_attn.checking.trial import Trial

__all__ = ["repair"]

# Seconds for the whole search, and for one call; the likeliest changes that are tried in pairs.
SECONDS = 0.25
_SECONDS_A_CALL = 0.1
_IN_PAIRS = 40

# Code that reaches out of itself is not run hundreds of times.
_REACHING_OUT = {
    "open", "input", "exec", "eval", "breakpoint", "plt", "display", "os", "sys", "subprocess",
    "time",
}  # fmt: skip


@dataclass(frozen=True)
class _Code:
    """A learner's function or class as a tree that can be changed and made anew."""

    tree: ast.Module
    name: str
    names: dict[str, Any]
    first_line: int
    lines: list[str]

    def made(self) -> Any:
        """Return what the code defines now."""
        names = dict(self.names)
        exec(compile(self.tree, "<changed>", "exec"), names)
        return names[self.name]

    def line(self, number: int) -> str:
        """Return a line of the code, counted as in the cell."""
        return self.lines[number - self.first_line].strip()


def repair(trial: Trial) -> Finding | None:
    """Name the line where one small change, or two, makes every case right; None if none does."""
    failing = [
        i for i in range(len(trial.outcomes)) if i in {*trial.wrong, *trial.crashed}
    ]
    code = _code_of(inspect.unwrap(trial.function))
    if code is None or not failing or _asks_for_error(trial, failing):
        return None
    search = _Search(trial, code, failing)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            found = search.run()
    return _said(code, found) if found else None


def _asks_for_error(trial: Trial, failing: list[int]) -> bool:
    """Whether an exception is asked for in a failing case: no small change makes one."""
    return any(isinstance(trial.expected[i], Exception) for i in failing)


class _Search:
    """The changes that are tried, one at a time and then in pairs, on one failing case first."""

    def __init__(self, trial: Trial, code: _Code, failing: list[int]) -> None:
        self.trial, self.code, self.failing = trial, code, failing
        self.rest = [i for i in range(len(trial.outcomes)) if i != failing[0]]
        self.until = time.monotonic() + SECONDS

    def run(self) -> list[tuple[Slip, ...]]:
        """Return the changes that make every case right, the likeliest first."""
        torch = self.trial.exercise.library == "torch"
        slips = slips_in(self.code.tree, torch=torch)
        found: list[tuple[Slip, ...]] = []
        partly: list[Slip] = []
        for slip in slips:
            if time.monotonic() > self.until:
                return found
            first, all_right = self._with((slip,))
            if all_right:
                found.append((slip,))
            elif first:
                partly.append(slip)
        for several in (
            () if found else (*_everywhere(slips), *_pairs(slips, partly))
        ):
            if time.monotonic() > self.until or found:
                break
            if self._with(several)[1]:
                found.append(several)
        return found

    def _with(self, slips: tuple[Slip, ...]) -> tuple[bool, bool]:
        """Return whether the changed code is right in the failing case, and in all cases."""
        for slip in slips:
            slip.put()
        try:
            answer = self.trial.exercise.used(self.code.made())
            first = self._is_right(answer, self.failing[0])
            return first, first and all(
                self._is_right(answer, i) for i in self.rest
            )
        except TimesUp:
            raise
        except Exception:
            return False, False
        finally:
            for slip in reversed(slips):
                slip.take_back()

    def _is_right(self, answer: Callable[..., Any], i: int) -> bool:
        trial, expected = self.trial, self.trial.expected[i]
        given, left = trial.given(i), self.until - time.monotonic()
        if left < 0.01:
            return False
        try:
            value = run_limited(lambda: answer(*given), min(left, _SECONDS_A_CALL))
        except TimesUp:
            return False
        except Exception as error:
            return isinstance(expected, Exception) and isinstance(
                error, type(expected)
            )
        if isinstance(expected, Exception):
            return False
        is_number = not expected.ndim and isinstance(value, bool | int | float)
        if not (is_number or trial.side.is_native(value)):
            return False
        return agree(trial.side.as_numpy(value), expected, trial.tolerance(i))


def _everywhere(slips: list[Slip]) -> Iterator[tuple[Slip, ...]]:
    """Yield the same change of an axis, made in every call that has one."""
    groups: dict[str, list[Slip]] = {}
    for slip in slips:
        if slip.kind in ("axis", "kept-axis") and isinstance(slip.new, ast.Call):
            options = sorted(
                f"{k.arg}={ast.unparse(k.value)}" for k in slip.new.keywords
            )
            groups.setdefault(f"{slip.kind} {options}", []).append(slip)
    for group in groups.values():
        apart = [
            s
            for i, s in enumerate(group)
            if not any(s.touches(o) for o in group[:i])
        ]
        if len(apart) > 1:
            yield tuple(apart)


def _pairs(slips: list[Slip], partly: list[Slip]) -> Iterator[tuple[Slip, ...]]:
    """Yield a second change after one that mends some cases, then two of the likeliest."""
    likely = slips[:_IN_PAIRS]
    firsts = [(first, slips) for first in partly[:8]]
    firsts += [(first, likely[i + 1 :]) for i, first in enumerate(likely)]
    for first, others in firsts:
        yield from ((first, other) for other in others if not first.touches(other))


def _code_of(answer: Any) -> _Code | None:
    """Return the learner's code as a tree; None where it cannot be had or should not be rerun."""
    answer = getattr(answer, "__func__", answer)
    if not (inspect.isfunction(answer) or inspect.isclass(answer)):
        return None
    try:
        lines, first = inspect.getsourcelines(answer)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):
        return None
    top = tree.body[0]
    if not isinstance(top, ast.FunctionDef | ast.ClassDef) or len(tree.body) > 1:
        return None
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    if used & _REACHING_OUT or any(
        isinstance(n, ast.Global) for n in ast.walk(tree)
    ):
        return None
    top.decorator_list = []
    first = max(first, 1)
    ast.increment_lineno(tree, first - 1)
    return _Code(tree, top.name, _names_of(answer), first, lines)


def _names_of(answer: Any) -> dict[str, Any]:
    """Return the names that the code can see, those around it included."""
    functions = [answer] if inspect.isfunction(answer) else [
        f for f in vars(answer).values() if inspect.isfunction(f)
    ]  # fmt: skip
    names: dict[str, Any] = {}
    for function in functions:
        names.update(function.__globals__)
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=False
        ):
            if name != "__class__":
                names[name] = cell.cell_contents
    return names


def _said(code: _Code, found: list[tuple[Slip, ...]]) -> Finding:
    """Say where to look, without giving the correction away."""
    best = sorted(found[0], key=lambda slip: slip.line)
    ids = tuple(f"mend-{slip.kind}" for slip in best)
    places = [_place(code, slip) for slip in best]
    others = [slips[0] for slips in found[1:] if not slips[0].touches(best[0])]
    if len(best) == 1 and others:
        head = "Either of two small changes would make every case right."
        places.append(f"Or: {_place(code, others[0])}")
    else:
        head = f"{_COUNTS[min(len(best), 3)]} would make every case right."
    return Finding(ids, "\n\n".join([head, *dict.fromkeys(places)]))


_COUNTS = (
    "",
    "One small change",
    "Two small changes",
    "The same small change, at every place,",
)


def _place(code: _Code, slip: Slip) -> str:
    end = "" if slip.look.endswith("?") else "."
    return f"Look at line {slip.line}, `{code.line(slip.line)}`: {slip.look}{end}"
