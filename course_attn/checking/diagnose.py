"""From wrong numbers to the mistake: known faults, pairs of them, properties, then the numbers."""

from collections.abc import Sequence

import numpy as np

from course_attn.checking.compare import agree
from course_attn.checking.context import Finding, first_difference
from course_attn.checking.declare import Fault
from course_attn.checking.kinds import kind_of, where_it_fails
from course_attn.checking.patterns import not_finite, pattern
from course_attn.checking.shapes import shape_problem
from course_attn.checking.trial import Trial

__all__ = ["known_fault", "same_outcomes", "unknown_fault"]

_OWN_AXES = (
    "batch",
    "vector",
)  # code that fails in these may show a known fault in the others


def known_fault(trial: Trial) -> Finding | None:
    """Name the declared fault or pair of faults that gives the same outcomes; None if none does."""
    everything = range(len(trial.outcomes))
    core = [i for i in everything if not _stands_apart(trial, i)]
    for cases in (
        (everything, core) if len(core) < len(everything) else (everything,)
    ):
        found = _matching(trial, cases)
        if found:
            return (
                found
                if cases is everything
                else _with_other_axes(trial, core, found)
            )
    return None


def _stands_apart(trial: Trial, i: int) -> bool:
    """Whether a case has axes of its own, or asks for an error that many forget."""
    asks_for_error = isinstance(trial.expected[i], Exception)
    return asks_for_error or trial.cases[i].kind in _OWN_AXES


def _matching(trial: Trial, cases: Sequence[int]) -> Finding | None:
    wrong = [i for i in trial.wrong if i in cases]
    if not wrong:
        return None
    context = trial.context(wrong[0])
    for fault in trial.exercise.faults:
        if same_outcomes(trial, (fault,), cases):
            return Finding((fault.id,), fault.sentence(context))
    for pair in trial.exercise.pairs():
        if same_outcomes(trial, pair, cases):
            return _two_at_once(trial, pair, wrong)
    return None


def same_outcomes(
    trial: Trial, faults: tuple[Fault, ...], cases: Sequence[int]
) -> bool:
    """Whether these faults give what the learner's function gave, in all these cases."""
    first_wrong = [i for i in cases if i in trial.wrong]
    rest = [i for i in cases if i not in trial.wrong]
    return all(_same_outcome(trial, faults, i) for i in first_wrong + rest)


def _same_outcome(trial: Trial, faults: tuple[Fault, ...], i: int) -> bool:
    value = _value_with(trial, faults, i)
    crashed = trial.outcomes[i].error is not None
    if value is None or crashed:
        return value is None and crashed
    return agree(trial.got(i), value, trial.tolerance(i))


def _value_with(
    trial: Trial, faults: tuple[Fault, ...], i: int
) -> np.ndarray | None:
    """Return what the solution with these faults gives in a case, None where it raises.

    It is computed once for an exercise, however often that is checked.
    """
    exercise = trial.exercise
    key = tuple(fault.id for fault in faults), i
    if key not in exercise.values_with_faults:
        version = exercise.used(exercise.wrong_version(*faults))
        try:
            with np.errstate(all="ignore"):
                value = trial.side.as_numpy(version(*trial.given(i)))
        except (
            Exception
        ):  # a wrong version may stop where the learner's function stops
            value = None
        exercise.values_with_faults[key] = value
    return exercise.values_with_faults[key]


def _two_at_once(
    trial: Trial, pair: tuple[Fault, Fault], wrong: Sequence[int]
) -> Finding:
    first, second = (
        fault.sentence(trial.context(_telling_case(trial, fault, wrong)))
        for fault in pair
    )
    message = (
        f"There are two mistakes at once.\n\nFirst: {first}\n\nSecond: {second}"
    )
    return Finding((pair[0].id, pair[1].id), message)


def _telling_case(trial: Trial, fault: Fault, wrong: Sequence[int]) -> int:
    """Return the first case in which this fault alone would show."""
    for i in wrong:
        value = _value_with(trial, (fault,), i)
        if value is None:  # it shows by raising
            continue
        expected = trial.expected[i]
        if isinstance(expected, Exception):
            return i
        if not agree(value, expected, trial.tolerance(i)):
            return i
    return wrong[0]


def _with_other_axes(trial: Trial, core: Sequence[int], found: Finding) -> Finding:
    """Add to a fault, seen on the plain cases, that the others do not work either."""
    phrases = {
        kind_of(trial.exercise, trial.cases[i].kind).phrase
        for i in trial.crashed + trial.wrong
        if i not in core
    }
    if not phrases:
        return found
    also = f"Once that is right, look again at what happens {' and '.join(sorted(phrases))}."
    return Finding(found.faults, f"{found.message}\n\n{also}")


def unknown_fault(trial: Trial) -> Finding:
    """Say what can be said of a wrong value without knowing the mistake."""
    shown = trial.wrong[0]
    expected = trial.expected[shown]
    if isinstance(expected, Exception):
        return _should_raise(trial, shown)
    found = _observed(trial, shown)
    found = Finding(found.faults, trial.of_result(shown, found.message))
    where = where_it_fails(trial)
    if where is None:
        return found
    return Finding(
        where.faults + found.faults, f"{where.message}\n\n{found.message}"
    )


def _observed(trial: Trial, i: int) -> Finding:
    context, rtol = trial.context(i), trial.tolerance(i)
    got, expected = context.got, context.expected
    found = shape_problem(got, expected) or not_finite(got, expected)
    if found:
        return found
    for law in trial.exercise.properties:
        message = law.message(context)
        if message:
            return Finding((law.id,), message)
    difference = first_difference(got, expected, rtol)
    if not got.ndim:
        difference = f"Called with {trial.quoted(i)}: {difference}"
    found = pattern(got, expected, rtol)
    if found:
        return Finding(found.faults, f"{found.message} {difference}")
    return Finding((), difference)


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
        did = "your function returns something."
    return Finding(
        ("no-error",),
        f"For {trial.called_with(i)} there is no right answer: the task asks for a `{name}` here, "
        f"but {did}",
    )
