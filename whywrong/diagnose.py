"""From wrong numbers to the mistake: known faults, pairs of them, properties, then the numbers."""

import ast
import dataclasses
import math
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import permutations
from typing import Any, TypeVar

import numpy as np

from whywrong.arrays import agree, different
from whywrong.context import Finding, first_difference
from whywrong.declare import Exercise, Fault
from whywrong.observe import (
    kind_of,
    listed,
    not_finite,
    pattern,
    shape_problem,
    where_it_fails,
)
from whywrong.repair import (
    adding_up,
    one_of_a_kind,
    repair,
    small_number,
    tree_of,
    wrong_branch,
)
from whywrong.running import Budget, TimesUp, Trial, run_limited
from whywrong.slips import CERTAIN, FAR_FETCHED, Slip, step_of

__all__ = ["gives_this_dtype", "known_fault", "unknown_fault"]

_Known = TypeVar("_Known")

# What one check spends on pairs of faults and on slips; what it leaves, and a part as large as
# `_FOR_TWO`, is for a fault with a slip, or two slips. What it has computed, the next one finds
# done. And the likeliest slips, which are tried with faults.
SECONDS = 0.45
_FOR_TWO = 1 / 3
# PyTorch is slower, and its exercises are not checked in a browser.
_FOR_TORCH = 2
_WITH_FAULTS = 150
_SECONDS_A_SLIP = 0.1
# In how many cases faults and slips are looked at that explain a part of the wrong numbers, and
# how many faults, and slips with each, are then tried together.
_PROBES = 4
# Of how many exercises wrong versions are kept.
_EXERCISES = 4
_PARTS = 5

_recent: list[Exercise] = []
_OWN_AXES = (
    "batch",
    "vector",
)  # code that fails in these may show a known fault in the others


def known_fault(trial: Trial, *, declared: bool = False) -> Finding | None:
    """Name the faults or slips that give the same outcomes; None if none do.

    With ``declared``, slips, which nobody has declared, are not tried.
    """
    if declared not in trial.known:
        _let_go_of_others(trial.exercise)
        trial.known[declared] = _known(trial, declared)
    return trial.known[declared]


def _let_go_of_others(exercise: Exercise) -> None:
    """Keep the wrong versions of the exercises diagnosed last; of others, the numbers suffice.

    A version is some objects, and all of them are looked through when garbage is collected.
    """
    _recent[:] = [*(other for other in _recent if other is not exercise), exercise]
    if len(_recent) > _EXERCISES:
        _recent.pop(0).versions.clear()


def gives_this_dtype(trial: Trial, found: Finding) -> bool:
    """Whether a recognized mistake makes the dtype, too: its own is the learner's, or as wrong.

    Whole numbers come from other mistakes by themselves.
    """
    values, same = trial.exercise.values_with_faults, True
    for i, outcome in enumerate(trial.outcomes):
        value, right = values.get((found.faults, i)), trial.expected[i]
        if outcome.error is None and value is not None:
            mine = trial.got(i).dtype
            kinds = {
                mine.kind,
                value.dtype.kind,
                getattr(right, "dtype", mine).kind,
            }
            if kinds != {"f"}:
                return True
            same = same and value.dtype == mine
    return same


def _known(trial: Trial, declared: bool) -> Finding | None:
    torch = trial.exercise.library == "torch"
    budget = Budget(SECONDS * (_FOR_TORCH if torch else 1))
    try:
        return _within(trial, declared, budget)
    finally:
        trial.spared.append(max(budget.left, 0.0))


def _within(trial: Trial, declared: bool, budget: Budget) -> Finding | None:
    everything = list(range(len(trial.outcomes)))
    core = [i for i in everything if not _stands_apart(trial, i)]
    for find, cases in (
        (_single, everything),
        (_permuted, everything),
        (_pair, everything),
        (_single, core),
        (_slip, everything),
        (_pair, core),
        (_slip, core),
    ):
        if declared and find is _slip:
            continue
        if cases is everything or len(core) < len(everything):
            # The slips have their turn, too, where there are very many pairs.
            mine = budget.part(0.9) if find is _pair else budget
            found = find(trial, cases, mine)
            if found:
                return found
    return None


def _stands_apart(trial: Trial, i: int) -> bool:
    """Whether a case has axes of its own, or asks for an error that many forget."""
    asks_for_error = isinstance(trial.expected[i], Exception)
    kind = trial.exercise.kinds.get(trial.cases[i].kind)
    apart = kind.apart if kind else trial.cases[i].kind in _OWN_AXES
    return asks_for_error or apart


def _wrong_first(trial: Trial, cases: Sequence[int]) -> list[int]:
    """Return the cases in the order in which they tell most; none if none of them is wrong."""
    wrong = [i for i in trial.wrong if i in cases]
    return wrong + [i for i in cases if i not in wrong] if wrong else []


def _single(trial: Trial, cases: Sequence[int], budget: Budget) -> Finding | None:
    order = _wrong_first(trial, cases)
    for fault in trial.exercise.faults if order else ():
        version = _with_faults(trial.exercise, fault)
        if _same_outcomes(trial, version, order):
            shown = _showing(trial, order)
            found = Finding((fault.id,), fault.sentence(trial.context(shown)))
            return _with_the_rest(
                trial, version, cases, _with_rounding(trial, found)
            )
    return None


# What is below this share of the largest number does not show in the digits that are quoted.
_SHOWS = 1e-4


def _showing(trial: Trial, order: Sequence[int]) -> int:
    """Return the first case in which the wrong numbers look wrong, too, as they are quoted."""
    for i in order:
        right = trial.expected[i]
        if i not in trial.wrong or isinstance(right, Exception):
            break
        got = trial.got(i)
        if got.shape != right.shape or got.dtype.kind + right.dtype.kind != "ff":
            break
        if different(got, right, _SHOWS).any():
            return i
    return order[0]


def _permuted(trial: Trial, cases: Sequence[int], budget: Budget) -> Finding | None:
    """Say that the results are right, but stand in another order than is asked for."""

    def is_right(i: int, other: int) -> bool:
        right = trial.expected[other]
        near = trial.tolerance(i)
        return isinstance(right, np.ndarray) and agree(trial.got(i), right, near)

    found = _order_of_results(trial, is_right)
    if not found:
        return None
    words, wanted = ", ".join(found), ", ".join(trial.exercise.results)
    return Finding(
        ("results-order",),
        f"Your results are right, but stand in another order: {words}. Asked for is "
        f"`return {wanted}`.",
    )


def _order_of_results(
    trial: Trial, fits: Callable[[int, int], bool]
) -> list[str] | None:
    """Return the names of the results in the one other order in which they fit everywhere."""
    results, n = trial.exercise.results, len(trial.exercise.results)
    if n < 2 or not trial.wrong or any(o.error for o in trial.outcomes):
        return None
    found = [
        order
        for order in permutations(range(n))
        if all(
            fits(i, i - i % n + order[i % n]) for i in range(len(trial.outcomes))
        )
    ]
    if len(found) != 1 or found[0] == tuple(range(n)):
        return None
    return [results[k] for k in found[0]]


def _shapes_of_others(trial: Trial) -> str:
    """Say which shapes the results have, where they are those of another order."""

    def has_shape(i: int, other: int) -> bool:
        right = trial.expected[other]
        return isinstance(right, np.ndarray) and trial.got(i).shape == right.shape

    found = _order_of_results(trial, has_shape)
    if not found:
        return ""
    words = ", ".join(f"`{name}`" for name in found)
    wanted = ", ".join(trial.exercise.results)
    return (
        f" Your results have the shapes of {words}, in this order; asked for is "
        f"`return {wanted}`."
    )


def _with_rounding(trial: Trial, found: Finding) -> Finding:
    """Add where the learner's code rounds a quotient, if that alone makes the known mistake."""
    tree = None if "//" in trial.exercise.source else tree_of(trial)
    if tree is None or "FloorDiv" not in _does(tree):
        return found
    mended = repair(trial, only=("rounding",))
    if mended is None:
        return found
    message = f"{found.message}\n\n{mended.message}"
    return Finding(found.faults + mended.faults, message)


def _pair(trial: Trial, cases: Sequence[int], budget: Budget) -> Finding | None:
    order = _wrong_first(trial, cases)
    for pair in _likely_first(trial, trial.exercise.pairs()) if order else ():
        if budget.is_over:
            break
        version = _with_faults(trial.exercise, *pair)
        if _same_outcomes(trial, version, order):
            wrong = [i for i in order if i in trial.wrong]
            found = _two_at_once(trial, pair, wrong)
            return _with_the_rest(trial, version, cases, found)
    return None


def _slip(trial: Trial, cases: Sequence[int], budget: Budget) -> Finding | None:
    """Name the slips in the solution, two at most, each of which gives the same outcomes."""
    exercise, order, found = trial.exercise, _wrong_first(trial, cases), []
    versions: list[_Version] = []
    if _is_truth(trial):
        return None
    for n, slip in enumerate(exercise.slips(exercise.source) if order else ()):
        if budget.is_over:
            break
        version = _slipped(exercise, exercise.source, ("slip", str(n)), slip)
        if _same_outcomes(trial, version, order) and _is_wrong(
            trial, version, order[0]
        ):
            found.append(slip)
            versions.append(version)
    if not found:
        return None
    found, versions = _as_written(trial, found, versions)
    first = found[0]
    said = f"Your numbers are what comes out {_slip_words(first)}."
    other = next((slip for slip in found if not slip.touches(first)), None)
    if other:
        said += f" Or {_slip_words(other)}: here that gives the same."
    seen = _observed(trial, order[0])
    there = _in_their_code(trial)
    if there:
        words = re.findall(r"`([^`]+)`", _slip_words(first))
        own = {*_names_in(ast.parse(exercise.source)), *trial.names}
        # Names of the solution say nothing to those who have other ones.
        is_foreign = any(name in own and name not in trial.uses for name in words)
        said = there if is_foreign else f"{said}\n\n{there}"
    message = f"{said}\n\n{trial.of_result(order[0], seen.message)}"
    named = Finding((f"slip-{first.kind}", *seen.faults), message)
    return _with_the_rest(trial, versions[0], cases, named)


def _names_in(tree: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


def _in_their_code(trial: Trial) -> str:
    """Return which line of the learner's own code one change would make right, if there is one."""
    mended = repair(trial)
    single = mended and len({*mended.faults}) == 1
    return mended.message if mended and single else ""


def _as_written(
    trial: Trial, found: list[Slip], versions: list["_Version"]
) -> tuple[list[Slip], list["_Version"]]:
    """Return the slips, those first that the learner's own code looks like.

    One that would need an operator which the code does not have is left out if another remains.
    """
    tree = tree_of(trial) if len(found) > 1 else None
    if tree is None:
        return found, versions
    mine, solution = _does(tree), _does(ast.parse(trial.exercise.source))

    def distance(slip: Slip) -> int:
        theirs = Counter(solution)
        theirs.subtract(_does(slip.old))
        theirs.update(_does(slip.new))
        return sum(abs(mine[word] - theirs[word]) for word in {*mine, *theirs})

    def needs_another(slip: Slip) -> bool:
        added = _does(slip.new) - _does(slip.old)
        return any(not mine[word] for word in added)

    both = list(zip(found, versions, strict=True))
    fit = [pair for pair in both if not needs_another(pair[0])] or both
    if all(slip.kind == "constant" for slip, _ in fit):
        fit = both  # which number it is tells little
    fit.sort(key=lambda pair: (pair[0].kind == "constant", distance(pair[0])))
    return [slip for slip, _ in fit], [version for _, version in fit]


def _does(tree: ast.AST) -> Counter[str]:
    """Return how often each operator stands in some code."""
    return Counter(
        type(n.op).__name__
        for n in ast.walk(tree)
        if isinstance(n, ast.BinOp | ast.AugAssign | ast.UnaryOp)
    )


def _fault_and_slip(
    trial: Trial, cases: Sequence[int], budget: Budget, *, inside: bool
) -> Finding | None:
    """Name a declared fault and a slip that together give the same outcomes.

    With ``inside``, slips of the text that a fault puts in are tried, too.
    """
    exercise, order = trial.exercise, _wrong_first(trial, cases)
    if _is_truth(trial) or _is_random(trial) or not order:
        return None
    faults = [known for known in exercise.faults if known.patches]
    likely = [known for known in faults if not _contradicts(trial, known)]
    slips = exercise.slips(exercise.source)[:_WITH_FAULTS]
    for n, slip in enumerate(slips):
        version = _slipped(exercise, exercise.source, ("slip", str(n)), slip)
        if _breaks_what_is_right(trial, version):
            continue
        for known in likely:
            if budget.is_over:
                return None
            both = _Version(
                (known.id, "slip", str(n)), partial(_merged, exercise, known, slip)
            )
            if _same_outcomes(trial, both, order) and _is_wrong(
                trial, both, order[0]
            ):
                return _both_said(trial, known, slip, order)
    # What can only be slipped where the fault has changed the text.
    for known in likely if inside else ():
        if budget.is_over:
            break
        source = exercise.wrong_source(known)
        for n, slip in enumerate(exercise.slips(source)[:_WITH_FAULTS]):
            if budget.is_over:
                break
            both = _slipped(exercise, source, (known.id, "own slip", str(n)), slip)
            if _same_outcomes(trial, both, order) and _is_wrong(
                trial, both, order[0]
            ):
                return _both_said(trial, known, slip, order)
    return None


def _merged(exercise: Exercise, known: Fault, slip: Slip) -> Callable[..., Any]:
    """Return the solution with a fault and a slip of the solution's own text.

    It is quicker than to seek all slips of the text that the fault has changed.
    """
    there = _moved(exercise, known, slip)
    if there is None:
        raise LookupError("the fault has changed this text")
    there.put()
    try:
        tree, _ = _places_in(exercise.wrong_source(known))
        return exercise.made_of(tree, f"{exercise.name}: {known.id}, {slip.kind}")
    finally:
        there.take_back()


def _moved(exercise: Exercise, known: Fault, slip: Slip) -> Slip | None:
    """Return a slip of the solution as one of the version with a fault; None if it has no place."""
    name = slip.step, ast.dump(slip.old)
    _, here = _places_in(exercise.source)
    _, there = _places_in(exercise.wrong_source(known))
    where = [_position(place[-1]) for place in here.get(name, ())]
    position = _position(slip.old)
    n = where.index(position) if position in where else len(where)
    if n >= len(there.get(name, ())):
        return None
    holder, field, index, old = there[name][n]
    return dataclasses.replace(
        slip, holder=holder, field=field, index=index, old=old
    )


_Place = tuple[ast.AST, str, int | None, ast.AST]


@lru_cache(maxsize=64)
def _places_in(
    source: str,
) -> tuple[ast.Module, dict[tuple[str, str], list[_Place]]]:
    """Return a source as a tree, and where everything stands in it, by its step and its text."""
    tree = ast.parse(source)
    places: dict[tuple[str, str], list[_Place]] = {}

    def below(node: ast.AST, step: str) -> None:
        for field, value in ast.iter_fields(node):
            several = value if isinstance(value, list) else [value]
            for n, child in enumerate(several):
                if isinstance(child, ast.AST):
                    index = n if isinstance(value, list) else None
                    own = step_of(child) if isinstance(child, ast.stmt) else step
                    place = node, field, index, child
                    places.setdefault((own, ast.dump(child)), []).append(place)
                    below(child, own)

    below(tree, "")
    return tree, places


def _position(node: ast.AST) -> tuple[int, int, int]:
    names = "lineno", "col_offset", "end_col_offset"
    line, begin, end = (getattr(node, name, 0) for name in names)
    return line, begin, end


def _likely_first(
    trial: Trial, pairs: Iterator[tuple[Fault, Fault]]
) -> list[tuple[Fault, Fault]]:
    """Return the pairs, those last of which a part would spoil what the learner has right."""

    def spoils(pair: tuple[Fault, Fault]) -> int:
        return sum(_contradicts(trial, known) for known in pair)

    return sorted(pairs, key=spoils)


def _contradicts(trial: Trial, known: Fault) -> bool:
    return _breaks_what_is_right(trial, _with_faults(trial.exercise, known))


def _breaks_what_is_right(trial: Trial, version: "_Version") -> bool:
    """Whether a version is wrong in a case, or in a number, in which the learner is right."""
    if version.key not in trial.spoils:
        cases = one_of_a_kind(trial, trial.right)[:_PROBES]
        spoilt = any(_is_wrong_at(trial, version, i) for i in cases)
        trial.spoils[version.key] = spoilt or _spoils_a_number(trial, version)
    return trial.spoils[version.key]


def _is_wrong_at(trial: Trial, version: "_Version", i: int) -> bool:
    value, expected = _value_with(trial, version, i), trial.expected[i]
    if isinstance(expected, Exception):
        return value is not None
    return value is None or not agree(value, expected, trial.tolerance(i))


def _spoils_a_number(trial: Trial, version: "_Version") -> bool:
    i = trial.wrong[0]
    right, got = trial.expected[i], trial.got(i)
    if isinstance(right, Exception) or right.shape != got.shape or not got.ndim:
        return False
    value = _value_with(trial, version, i)
    if value is None or value.shape != got.shape:
        return True
    near = trial.tolerance(i)
    is_right = ~different(got, right, near)
    return bool((is_right & different(value, right, near)).any())


def _completing(
    trial: Trial, cases: Sequence[int], budget: Budget
) -> Finding | None:
    """Name a fault and a slip, of which each explains a part of the numbers and both explain all.

    Where the one does not show, in a square mask perhaps, the numbers are what the other gives.
    """
    exercise, order = trial.exercise, _wrong_first(trial, cases)
    if _is_truth(trial) or _is_random(trial) or not order:
        return None
    faults = [
        (fault, _with_faults(exercise, fault))
        for fault in exercise.faults
        if fault.patches
    ]
    parts: list[tuple[Fault | Slip, np.ndarray]] = []
    parts += _explained(trial, faults, budget)[:_PARTS]
    slips = [
        (slip, _slipped(exercise, exercise.source, ("slip", str(n)), slip))
        for n, slip in enumerate(exercise.slips(exercise.source))
        if slip.kind not in FAR_FETCHED
    ]
    others = _explained(trial, slips, budget)
    if trial.got(order[0]).ndim:  # of single numbers two slips explain much
        parts += others[:_PARTS]
    for known, mine in parts:
        likely = sorted(others, key=lambda one: -(one[1] & ~mine).sum())
        for slip, theirs in likely[:_PARTS]:
            if budget.is_over or not (theirs & ~mine).any():
                break
            both = _together(trial, known, slip, order)
            if both:
                return both
    return None


def _together(
    trial: Trial, known: Fault | Slip, slip: Slip, order: Sequence[int]
) -> Finding | None:
    if isinstance(known, Fault):
        return _fault_with(trial, known, slip, order)
    if known.step and slip.step and not known.touches(slip):
        return _slip_with(trial, known, slip, order)
    return None


def _explained(
    trial: Trial, versions: Sequence[tuple[_Known, "_Version"]], budget: Budget
) -> list[tuple[_Known, np.ndarray]]:
    """Return what explains a part of the wrong numbers, and which; the largest part first."""
    found = []
    for known, version in versions:
        if budget.is_over:
            break
        part = _part(trial, version)
        if part.any():
            found.append((known, part))
    return sorted(found, key=lambda one: -one[1].sum())


def _part(trial: Trial, version: "_Version") -> np.ndarray:
    """Return which numbers, wrong in the first cases of their kinds, a version gives, too."""
    parts = [np.zeros(1, dtype=bool)]
    for i in one_of_a_kind(trial, trial.wrong)[:_PROBES]:
        right, got = trial.expected[i], trial.got(i)
        value = _value_with(trial, version, i)
        if isinstance(right, Exception) or right.shape != got.shape:
            continue
        same = np.zeros(got.shape, dtype=bool)
        if value is not None and value.shape == got.shape:
            near = trial.tolerance(i)
            same = different(got, right, near) & ~different(value, got, near)
        parts.append(same.ravel())
    return np.concatenate(parts)


def _two_slips(
    trial: Trial, cases: Sequence[int], budget: Budget
) -> Finding | None:
    """Name two slips, or a fault and a slip, whose effects add up to the learner's numbers.

    A single number tells little: slips are named only where no others would do.
    """
    order = _wrong_first(trial, cases)
    found: dict[frozenset[str], Finding] = {}
    if _is_truth(trial) or _is_random(trial) or not order:
        return None
    for first, second in _adding_up(trial, order[0]):
        if budget.is_over or found and trial.got(order[0]).ndim:
            break
        both = _together(trial, first, second, order)
        if both and not isinstance(first, Slip):
            return both
        if both and isinstance(first, Slip):
            found[frozenset((first.step, second.step))] = both
    return next(iter(found.values())) if len(found) == 1 else None


def _adding_up(trial: Trial, i: int) -> Iterator[tuple[Fault | Slip, Slip]]:
    """Yield a fault or slip, and a slip, that in this case add up to what the learner's gives."""
    exercise, right = trial.exercise, trial.expected[i]
    if isinstance(right, Exception):
        return
    slips = exercise.slips(exercise.source)
    known: list[Fault | Slip] = [
        fault for fault in exercise.faults if fault.patches
    ]
    known += [slip for slip in slips if slip.kind not in FAR_FETCHED]
    numbers = {id(slip): n for n, slip in enumerate(slips)}
    keys = [
        (k.id,) if isinstance(k, Fault) else ("slip", str(numbers[id(k)]))
        for k in known
    ]
    values = [exercise.values_with_faults.get((key, i)) for key in keys]
    for one, other in adding_up(right, trial.got(i), values):
        second = known[other]
        if isinstance(second, Slip):
            yield known[one], second


def _slipped(
    exercise: Exercise, source: str, key: tuple[str, ...], *slips: Slip
) -> "_Version":
    return _Version(key, partial(exercise.slipped, source, *slips))


def _fault_with(
    trial: Trial, fault: Fault, slip: Slip, order: Sequence[int]
) -> Finding | None:
    """Name both where the slip, made in the version with the fault, gives the same outcomes."""
    exercise = trial.exercise
    if _moved(exercise, fault, slip):
        n = exercise.slips(exercise.source).index(slip)
        key = fault.id, "slip", str(n)
        both = _Version(key, partial(_merged, exercise, fault, slip))
        if _same_outcomes(trial, both, order):
            return _both_said(trial, fault, slip, order)
        return None
    said, source = (
        (slip.kind, slip.mistake, slip.step),
        exercise.wrong_source(fault),
    )
    for n, same in enumerate(exercise.slips(source)):
        if (same.kind, same.mistake, same.step) == said:
            key = fault.id, "own slip", str(n)
            both = _slipped(exercise, source, key, same)
            if _same_outcomes(trial, both, order):
                return _both_said(trial, fault, same, order)
    return None


def _slip_with(
    trial: Trial, first: Slip, second: Slip, order: Sequence[int]
) -> Finding | None:
    exercise = trial.exercise
    key = ("slips", _slip_words(first), _slip_words(second))
    version = _slipped(exercise, exercise.source, key, first, second)
    if not _same_outcomes(trial, version, order):
        return None
    message = (
        "There are two mistakes at once. Your numbers are what comes out "
        f"{_slip_words(first)}, and {_slip_words(second)}."
    )
    return Finding((f"slip-{first.kind}", f"slip-{second.kind}"), message)


def _is_random(trial: Trial) -> bool:
    """Whether random numbers are asked for: of them only a few properties are compared."""
    return any(
        isinstance(value, np.random.Generator) for value in trial.cases[0].args
    )


def _both_said(
    trial: Trial, fault: Fault, slip: Slip, order: Sequence[int]
) -> Finding:
    case = _telling_case(trial, fault, [i for i in order if i in trial.wrong])
    first = _alone(fault.sentence(trial.context(case)))
    message = (
        f"There are two mistakes at once.\n\nFirst: {first}\n\n"
        f"Second: your numbers are then what comes out {_slip_words(slip)}."
    )
    return Finding((fault.id, f"slip-{slip.kind}"), message)


def _is_truth(trial: Trial) -> bool:
    """Whether single truth values are asked for: too little to recognize a slip by."""
    return all(
        isinstance(value, np.ndarray) and value.dtype.kind == "b" and not value.ndim
        for value in trial.expected
    )


def _is_wrong(trial: Trial, version: "_Version", i: int) -> bool:
    """Whether a version's numbers are wrong, and not only their kind."""
    value, expected = _value_with(trial, version, i), trial.expected[i]
    if value is None or isinstance(expected, Exception):
        return True
    if value.dtype.kind == "f" and np.isnan(value).all():
        return False  # many mistakes end in NaN, and nothing tells them apart
    if value.shape != expected.shape:
        return True
    return not agree(
        value.astype(float), expected.astype(float), trial.tolerance(i)
    )


def _slip_words(slip: Slip) -> str:
    where = f", in the step that gives {slip.step}," if slip.step else ""
    return f"if{where} {slip.mistake}"


@dataclass(frozen=True)
class _Version:
    """A wrong version of the solution, compiled when it is first needed."""

    key: tuple[str, ...]
    make: Callable[[], Callable[..., Any]]

    @property
    def may_be_slipped(self) -> bool:
        """Whether it has a slip."""
        return bool({"slip", "own slip", "slips"} & {*self.key})


@lru_cache
def _has_loops(source: str) -> bool:
    return any(
        isinstance(n, ast.For | ast.While | ast.comprehension)
        for n in ast.walk(ast.parse(source))
    )


def _with_faults(exercise: Exercise, *faults: Fault) -> _Version:
    ids = tuple(fault.id for fault in faults)
    return _Version(ids, partial(exercise.wrong_version, *faults))


def _same_outcomes(trial: Trial, version: _Version, cases: Sequence[int]) -> bool:
    """Whether a version gives what the learner's function gave, in all these cases."""
    return all(_same_outcome(trial, version, i) for i in cases)


def _same_outcome(trial: Trial, version: _Version, i: int) -> bool:
    value = _value_with(trial, version, i)
    crashed = trial.outcomes[i].error is not None
    if value is None or crashed:
        return value is None and crashed
    got, near = trial.got(i), trial.tolerance(i)
    if not _differs_at_once(got, value, near) and agree(got, value, near):
        return True
    if got.dtype != np.float64 or value.dtype != np.float32:
        return False
    # It computes in float64 what it is given in float32: so does the version then.
    value = _value_with(trial, version, i, wide=True)
    return value is not None and agree(got, value, near)


def _differs_at_once(got: np.ndarray, value: np.ndarray, rtol: float) -> bool:
    """Whether a look at one or two numbers shows that two arrays are not the same: most are not."""
    if got.shape != value.shape:
        return True
    if got.dtype.kind + value.dtype.kind != "ff" or not got.size:
        return False
    scale = float(np.abs(value).max()) or 1.0
    for k in (0, got.size - 1):
        mine, other = got.item(k), value.item(k)
        near = 1.1 * rtol * (abs(other) + scale)
        if math.isfinite(near) and not abs(mine - other) <= near:
            return True
    return False


def _value_with(
    trial: Trial, version: _Version, i: int, *, wide: bool = False
) -> np.ndarray | None:
    """Return what a version gives in a case, None where it raises.

    It is computed once for an exercise, however often that is checked. With ``wide``, the
    arguments are given in float64.
    """
    exercise, key = (
        trial.exercise,
        ((*version.key, "wide") * wide or version.key, i),
    )
    if key not in exercise.values_with_faults:
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if version.key not in exercise.versions:
                    exercise.versions[version.key] = exercise.used(version.make())
                wrong = exercise.versions[version.key]
                given = trial.given(i)
                if wide:
                    given = tuple(map(trial.side.widen, given))
                call = partial(wrong, *given)
                # A fault has been declared by somebody who looked; a slip may run for ever.
                endless = version.may_be_slipped and _has_loops(exercise.source)
                value = run_limited(call, _SECONDS_A_SLIP) if endless else call()
                value = trial.side.as_numpy(value)
        except (
            Exception,
            TimesUp,
        ):  # it may stop where the learner's function stops
            value = None
        exercise.values_with_faults[key] = value
    return exercise.values_with_faults[key]


# What a sentence says of the rest of an answer, which is not true where there are two mistakes.
_PRAISE = re.compile(
    r"^(?:Nearly\. |(?:This is )?[Rr]ight for [^.,;:]*(?:\. (?:But )?|, but |: )"
    r"|The idea is right, but comes too early: |The [a-z ]+ (?:is|are) right, (?:but|and) )"
)


def _alone(sentence: str) -> str:
    """Return the sentence for a mistake that is not the only one."""
    praise = _PRAISE.match(sentence)
    rest = sentence[praise.end() :] if praise else sentence
    return rest[0].upper() + rest[1:] if praise and rest else sentence


def _two_at_once(
    trial: Trial, pair: tuple[Fault, Fault], wrong: Sequence[int]
) -> Finding:
    first, second = (
        _alone(fault.sentence(trial.context(_telling_case(trial, fault, wrong))))
        for fault in pair
    )
    first, second, both = _shared(first, second)
    message = (
        f"There are two mistakes at once.\n\nFirst: {first}\n\nSecond: {second}"
    )
    if both:
        message += f"\n\nBoth together: {both[0].lower() + both[1:]}"
    return Finding((pair[0].id, pair[1].id), message)


def _shared(first: str, second: str) -> tuple[str, str, str]:
    """Return two texts, and the sentences apart with which both end."""
    one, other = (
        re.split(r"(?<=[.?!]) (?=[A-Z])", text) for text in (first, second)
    )
    n = 0
    while n < min(len(one), len(other)) - 1 and one[-1 - n] == other[-1 - n]:
        n += 1
    if not n:
        return first, second, ""
    return " ".join(one[:-n]), " ".join(other[:-n]), " ".join(one[-n:])


def _telling_case(trial: Trial, fault: Fault, wrong: Sequence[int]) -> int:
    """Return the first case in which this fault alone would show."""
    for i in wrong:
        version = _with_faults(trial.exercise, fault)
        value = _value_with(trial, version, i)
        if value is None:  # it shows by raising
            continue
        expected = trial.expected[i]
        if isinstance(expected, Exception):
            return i
        if not agree(value, expected, trial.tolerance(i)):
            return i
    return wrong[0]


def _with_the_rest(
    trial: Trial, version: _Version, cases: Sequence[int], found: Finding
) -> Finding:
    """Add to a mistake, seen in some cases, that others fail for another reason."""
    phrases = {
        kind_of(trial.exercise, trial.cases[i].kind).phrase
        for i in trial.crashed + trial.wrong
        if i not in cases and not _same_outcome(trial, version, i)
    }
    if not phrases:
        return found
    also = (
        f"Once that is right, look again at what happens {listed(sorted(phrases))}."
    )
    library = "torch" if trial.exercise.library == "torch" else "np"
    crossing = [name for name in ("inner", "dot") if name in trial.uses]
    if crossing and kind_of(trial.exercise, "batch").phrase in phrases:
        also += f" (`{library}.{crossing[0]}` does with leading axes something else than `@`.)"
    return Finding(found.faults, f"{found.message}\n\n{also}")


def unknown_fault(trial: Trial) -> Finding:
    """Say what can be said of a wrong value without knowing the mistake."""
    shown = trial.wrong[0]
    expected = trial.expected[shown]
    if isinstance(expected, Exception):
        return _should_raise(trial, shown)
    found = _observed(trial, shown)
    found = Finding(found.faults, trial.of_result(shown, found.message))
    mended = None if _is_truth(trial) else repair(trial)
    told = any(
        law.tells_all and law.id in found.faults
        for law in trial.exercise.properties
    )
    if told and mended and len(mended.faults) > 1:
        mended = None
    certain = {f"mend-{kind}" for kind in CERTAIN}
    branch = (
        None if told or mended and len(mended.faults) == 1 else wrong_branch(trial)
    )
    if branch and branch.answers_for_all:
        got = trial.got(shown)
        first = first_difference(got, expected, trial.tolerance(shown))
        where = where_it_fails(trial, advise=False)
        difference = Finding((), trial.of_result(shown, first))
        return _joined([where, branch.finding, difference])
    if not told and (mended is None or len(mended.faults) > 1):
        # One change that mends everything would explain more than two mistakes.
        everything = list(range(len(trial.outcomes)))
        budget = Budget(SECONDS * _FOR_TWO + sum(trial.spared))
        both = _completing(trial, everything, budget.part(0.6))
        both = both or _two_slips(trial, everything, budget.part(0.6))
        laws = {law.id for law in trial.exercise.properties}
        both = both or _fault_and_slip(
            trial, everything, budget, inside=not laws & {*found.faults}
        )
        both = both or _in_most_cases(trial)
        if both:
            return both
    small = None if mended or told else small_number(trial)
    # What most often goes wrong in such cases is something else.
    is_said = mended and certain & {*mended.faults}
    advise = not is_said and not small and not branch
    localized = branch.finding if branch and not mended and not small else None
    return _joined(
        [where_it_fails(trial, advise=advise), found, mended, small, localized]
    )


def _joined(parts: Sequence[Finding | None]) -> Finding:
    return Finding(
        tuple(id for part in parts if part for id in part.faults),
        "\n\n".join(part.message for part in parts if part),
    )


# How many kinds of cases at most may be wrong for another reason.
_KINDS_LEFT = 2


def _in_most_cases(trial: Trial) -> Finding | None:
    """Name a fault, or two, that give the numbers of most cases, where the others are wrong, too.

    Only what has been computed is looked at again.
    """
    if _is_truth(trial) or _is_random(trial) or not trial.got(trial.wrong[0]).ndim:
        return None
    exercise, wrong = trial.exercise, trial.wrong + trial.crashed
    singles = [(known,) for known in exercise.faults]
    for known in (*singles, *_likely_first(trial, exercise.pairs())):
        version = _with_faults(exercise, *known)
        first = trial.wrong[0]
        if (version.key, first) not in exercise.values_with_faults:
            continue
        if not _same_outcome(trial, version, first):
            continue
        left = [i for i in wrong if not _same_outcome(trial, version, i)]
        kinds = {trial.cases[i].kind for i in left if not _stands_apart(trial, i)}
        if len(kinds) > _KINDS_LEFT or 2 * len(left) > len(wrong):
            continue
        # Where it stops and the learner's does not, it is something else.
        stops = any(_value_with(trial, version, i) is None for i in left)
        if stops or any(not _same_outcome(trial, version, i) for i in trial.right):
            continue
        if len(known) == 1:
            found = Finding((known[0].id,), known[0].sentence(trial.context(first)))
        else:
            seen = [i for i in trial.wrong if i not in left]
            found = _two_at_once(trial, (known[0], known[1]), seen)
        same = [i for i in range(len(trial.outcomes)) if i not in left]
        return _with_the_rest(trial, version, same, found)
    return None


def _observed(trial: Trial, i: int) -> Finding:
    context, rtol = trial.context(i), trial.tolerance(i)
    got, expected = context.got, context.expected
    for law in trial.exercise.properties:
        message = law.message(context) if law.any_shape else None
        if message:
            return Finding((law.id,), message)
    found = shape_problem(got, expected)
    if found:
        return Finding(found.faults, f"{found.message}{_shapes_of_others(trial)}")
    found = not_finite(got, expected, trial.uses)
    if found:
        return found
    tells = got.size < 2 or not _is_negated(trial)
    for law in trial.exercise.properties:
        message = law.message(context) if tells and not law.any_shape else None
        if message:
            return Finding((law.id,), message)
    difference = first_difference(got, expected, rtol)
    if not got.ndim:
        difference = f"Called with {trial.quoted(i)}: {difference}"
    found = pattern(got, expected, rtol)
    if found:
        return Finding(found.faults, f"{found.message} {difference}")
    return Finding((), difference)


def _is_negated(trial: Trial) -> bool:
    """Whether everything that comes back is right but for its sign."""
    return all(
        outcome.error is None
        and isinstance(right, np.ndarray)
        and trial.got(i).dtype.kind == "f"
        and agree(-trial.got(i), right, trial.tolerance(i))
        for i, (outcome, right) in enumerate(
            zip(trial.outcomes, trial.expected, strict=True)
        )
    )


def _should_raise(trial: Trial, i: int) -> Finding:
    name = type(trial.expected[i]).__name__
    value = trial.outcomes[i].value
    if isinstance(value, Exception):
        did = f"your function *returns* one: write `raise {name}(…)`, not `return`."
    elif value is None:
        did = (
            f"your function goes on and returns `None`: `raise {name}(…)` stops it (and the "
            "program that called it, which `print` does not)."
        )
    else:
        shape = getattr(value, "shape", None)
        what = "something" if shape is None else f"an array of shape {tuple(shape)}"
        did = f"your function returns {what}."
    return Finding(
        ("no-error",),
        f"For {trial.called_with(i)} there is no right answer: the task asks for a `{name}` here, "
        f"but {did}",
    )
