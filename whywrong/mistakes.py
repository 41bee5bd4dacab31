"""From wrong numbers to the mistake.

Nothing here looks at a clock: what is tried, and in which order, depends on the answer and on the
exercise alone.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from whywrong.arrays import agree, different
from whywrong.context import Finding, first_difference
from whywrong.declare import Fault
from whywrong.mend import in_own_code, mended
from whywrong.observe import (
    kind_of,
    listed,
    not_finite,
    pattern,
    shape_problem,
    where_it_fails,
)
from whywrong.running import Trial, once
from whywrong.slips import Slip
from whywrong.versions import (
    Version,
    breaks_what_is_right,
    gives_the_same,
    gives_the_same_in,
    is_wrong_in,
    value_of,
    with_fault_and_slip,
    with_faults,
    with_slip,
)

__all__ = [
    "fault_and_slip",
    "joined",
    "no_error",
    "one_fault",
    "one_fault_in_most",
    "one_slip",
    "other_order",
    "two_faults",
    "what_is_seen",
]

# How many pairs of declared faults, how many slips, and how many faults with slips are tried.
_PAIRS = 500
_SLIPS = 1500
_FAULTS_WITH_SLIPS = 1000
# Which of the slips are tried with faults: the likeliest.
_WITH_FAULTS = 500
# Where answers are compared as coarsely as this, slips are not told apart.
_COARSE = 0.01
_OWN_AXES = (
    "batch",
    "vector",
)  # code that fails in these may show a known fault in the others


# --- declared faults ------------------------------------------------------------------------------


@once
def one_fault(trial: Trial) -> Finding | None:
    """Name the declared fault that gives the same in every case."""
    return _fault_in(trial, range(len(trial.outcomes)))


@once
def one_fault_in_most(trial: Trial) -> Finding | None:
    """Name the declared fault that gives the same in all cases that do not stand apart."""
    apart = [i for i in range(len(trial.outcomes)) if _stands_apart(trial, i)]
    rest = [i for i in range(len(trial.outcomes)) if i not in apart]
    return _fault_in(trial, rest) if apart else None


@once
def other_order(trial: Trial) -> Finding | None:
    """Say that the results are right, but stand in another order than is asked for."""
    results, n = trial.exercise.results, len(trial.exercise.results)
    if n < 2 or not trial.wrong or any(o.error for o in trial.outcomes):
        return None

    def is_right(i: int, other: int) -> bool:
        right = trial.expected[other]
        near = trial.tolerance(i)
        return isinstance(right, np.ndarray) and agree(trial.got(i), right, near)

    cases = range(len(trial.outcomes))
    found = [
        order
        for order in permutations(range(n))
        if all(is_right(i, i - i % n + order[i % n]) for i in cases)
    ]
    if len(found) != 1:
        return None
    words = ", ".join(results[k] for k in found[0])
    return Finding(
        ("results-order",),
        f"Your results are right, but stand in another order: {words}. Asked for is "
        f"`return {', '.join(results)}`.",
    )


@once
def two_faults(trial: Trial) -> Finding | None:
    """Name two declared faults that together give the same in every case."""
    order = _wrong_first(trial, range(len(trial.outcomes)))
    if not order:
        return None
    pairs = sorted(trial.exercise.pairs(), key=lambda pair: _spoiling(trial, *pair))
    for pair in pairs[:_PAIRS]:
        if gives_the_same(trial, with_faults(trial.exercise, *pair), order):
            return _two_at_once(trial, pair, trial.wrong or order)
    return None


def _fault_in(trial: Trial, cases: Sequence[int]) -> Finding | None:
    order = _wrong_first(trial, cases)
    for fault in trial.exercise.faults if order else ():
        version = with_faults(trial.exercise, fault)
        if gives_the_same(trial, version, order):
            shown = _showing(trial, order)
            found = Finding((fault.id,), fault.sentence(trial.context(shown)))
            return _with_the_rest(trial, version, cases, found)
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


def _with_the_rest(
    trial: Trial, version: Version, cases: Sequence[int], found: Finding
) -> Finding:
    """Add to a mistake, seen in some cases, that others fail for another reason."""
    phrases = {
        kind_of(trial.exercise, trial.cases[i].kind).phrase
        for i in trial.crashed + trial.wrong
        if i not in cases and not gives_the_same_in(trial, version, i)
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


def _spoiling(trial: Trial, *faults: Fault) -> int:
    """Return how many of the faults would break what the learner has right."""
    return sum(_breaks(trial, fault) for fault in faults)


def _breaks(trial: Trial, fault: Fault) -> bool:
    kept = trial.kept.setdefault("breaks", {})
    if fault.id not in kept:
        version = with_faults(trial.exercise, fault)
        kept[fault.id] = breaks_what_is_right(trial, version)
    return kept[fault.id]


# --- slips ----------------------------------------------------------------------------------------


@once
def one_slip(trial: Trial) -> Finding | None:
    """Name the slips in the solution, two at most, each of which gives the same in every case."""
    order = _wrong_first(trial, range(len(trial.outcomes)))
    if not order or _tells_little(trial):
        return None
    exercise = trial.exercise
    found = [
        slip
        for n, slip in enumerate(exercise.slips(exercise.source)[:_SLIPS])
        if gives_the_same(trial, with_slip(exercise, n), order)
        and is_wrong_in(trial, with_slip(exercise, n), order[0])
    ]
    if not found:
        return None
    seen = _seen(trial, order[0])
    message = (
        f"{_said_of(trial, found)}\n\n{trial.of_result(order[0], seen.message)}"
    )
    return Finding((f"slip-{found[0].kind}", *seen.faults), message)


def _said_of(trial: Trial, found: Sequence[Slip]) -> str:
    """Say what slips of the solution are, or which line of the learner's own has to change."""
    first = found[0]
    said = f"Your numbers are what comes out {_words_of(trial, first)}."
    others = (_words_of(trial, slip) for slip in found if not slip.touches(first))
    other = next((words for words in others if words not in said), None)
    if other:
        said += f" Or {other}: here that gives the same."
    there = in_own_code(trial)
    if not there:
        return said
    words = re.findall(r"`([^`]+)`", _words_of(trial, first))
    tree = ast.parse(trial.exercise.source)
    own = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {*trial.names}
    # Names of the solution say nothing to those who have other ones.
    is_foreign = any(name in own and name not in trial.uses for name in words)
    return there if is_foreign else f"{said}\n\n{there}"


def _words_of(trial: Trial, slip: Slip) -> str:
    # Names of the solution say nothing to those who have other ones.
    is_known = {*re.findall(r"`(\w+)`", slip.step)} <= trial.uses
    where = (
        f", in the step that gives {slip.step}," if slip.step and is_known else ""
    )
    return f"if{where} {slip.mistake}"


def _tells_little(trial: Trial) -> bool:
    """Whether too little is asked for to recognize a slip by: a truth value, a rough number."""
    truths = all(
        isinstance(value, np.ndarray) and value.dtype.kind == "b" and not value.ndim
        for value in trial.expected
    )
    given = trial.cases[0].args
    is_random = any(isinstance(value, np.random.Generator) for value in given)
    return truths or is_random or (trial.exercise.tolerance or 0) > _COARSE


# --- two mistakes at once -------------------------------------------------------------------------


@once
def fault_and_slip(trial: Trial) -> Finding | None:
    """Name a declared fault and a slip that together give the same in every case."""
    order = _wrong_first(trial, range(len(trial.outcomes)))
    if not order or _tells_little(trial) or _explained(trial):
        return None
    for fault, slip in _likely_both(trial):
        both = with_fault_and_slip(trial.exercise, fault, slip)
        if gives_the_same(trial, both, order) and is_wrong_in(
            trial, both, order[0]
        ):
            case = _telling_case(trial, fault, trial.wrong)
            first = _alone(fault.sentence(trial.context(case)))
            message = (
                f"There are two mistakes at once.\n\nFirst: {first}\n\n"
                f"Second: your numbers are then what comes out {_words_of(trial, slip)}."
            )
            return Finding((fault.id, f"slip-{slip.kind}"), message)
    return None


def _likely_both(trial: Trial) -> Iterator[tuple[Fault, Slip]]:
    """Yield the faults and the slips of which neither breaks what the learner has right."""
    exercise, left = trial.exercise, _FAULTS_WITH_SLIPS
    likely = [f for f in exercise.faults if f.patches and not _breaks(trial, f)]
    for n, slip in enumerate(exercise.slips(exercise.source)[:_WITH_FAULTS]):
        if breaks_what_is_right(trial, with_slip(exercise, n)):
            continue
        for fault in likely:
            left -= 1
            if left < 0:
                return
            yield fault, slip


def _explained(trial: Trial) -> bool:
    """Whether one change of the learner's code, or a property, says all there is to say."""
    single = mended(trial)
    laws = [law.id for law in trial.exercise.properties if law.tells_all]
    found = _seen(trial, trial.wrong[0])
    told = any(law in found.faults for law in laws)
    return told or bool(single and len(single.faults) == 1)


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
    version = with_faults(trial.exercise, fault)
    for i in wrong:
        value, expected = value_of(trial, version, i), trial.expected[i]
        if value is None:  # it shows by raising
            continue
        if isinstance(expected, Exception):
            return i
        if not agree(value, expected, trial.tolerance(i)):
            return i
    return wrong[0]


# --- what can be seen without knowing the mistake -------------------------------------------------


@once
def no_error(trial: Trial) -> Finding | None:
    """Say that an exception is asked for where something is returned."""
    if not trial.wrong or not isinstance(trial.expected[trial.wrong[0]], Exception):
        return None
    i = trial.wrong[0]
    name, value = type(trial.expected[i]).__name__, trial.outcomes[i].value
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


@once
def what_is_seen(trial: Trial) -> Finding | None:
    """Say where it fails, what is wrong with the numbers, and which change would mend them."""
    if not trial.wrong:
        return None
    i = trial.wrong[0]
    seen = _seen(trial, i)
    change = None if _tells_little(trial) else mended(trial)
    told = {law.id for law in trial.exercise.properties if law.tells_all}
    if change and len(change.faults) > 1 and told & {*seen.faults}:
        change = None
    where = where_it_fails(trial, advise=not change)
    found = Finding(seen.faults, trial.of_result(i, seen.message))
    return joined(where, found, change)


def joined(*parts: Finding | None) -> Finding:
    """Return several findings as one."""
    return Finding(
        tuple(id for part in parts if part for id in part.faults),
        "\n\n".join(part.message for part in parts if part),
    )


def _seen(trial: Trial, i: int) -> Finding:
    """Say what is wrong in a case: a broken property, the shape, NaN, or the first number."""
    context = trial.context(i)
    got, expected = context.got, context.expected
    found = (
        _broken_law(trial, context, any_shape=True)
        or shape_problem(got, expected)
        or not_finite(got, expected, trial.uses)
        or _broken_law(trial, context, any_shape=False)
    )
    if found:
        return found
    difference = first_difference(got, expected, context.rtol)
    if not got.ndim:
        difference = f"Called with {trial.quoted(i)}: {difference}"
    found = pattern(got, expected, context.rtol)
    if found:
        return Finding(found.faults, f"{found.message} {difference}")
    return Finding((), difference)


def _broken_law(trial: Trial, context: Any, *, any_shape: bool) -> Finding | None:
    if not any_shape and context.got.size > 1 and _is_negated(trial):
        return None
    for law in trial.exercise.properties:
        message = law.message(context) if law.any_shape == any_shape else None
        if message:
            return Finding((law.id,), message)
    return None


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
