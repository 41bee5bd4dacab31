"""Wrong versions of a solution, and whether one gives what the learner's function gave."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from whywrong.arrays import agree, different
from whywrong.declare import Exercise
from whywrong.faults import Fault
from whywrong.running import Trial
from whywrong.slips import Slip
from whywrong.steps import MOST_STEPS, NOT_ITS_OWN, Steps, TooManySteps

__all__ = ["Version", "breaks_what_is_right", "explains_what_is_wrong_in"]
__all__ += ["gives_the_same"]
__all__ += ["gives_the_same_in", "is_wrong_in", "one_of_a_kind", "value_of"]
__all__ += ["with_fault_and_slip", "with_faults", "with_slip"]

# In how many right cases at most it is looked whether a version would break them.
_PROBES = 4


@dataclass(frozen=True)
class Version:
    """A wrong version of the solution, compiled when it is first needed.

    key: its name, by which its values are kept.
    make: takes a counter of steps; returns the function.
    """

    key: tuple[str, ...]
    make: Callable[[Steps], Callable[..., Any]]


def with_faults(exercise: Exercise, *faults: Fault) -> Version:
    """Return the version that makes these declared mistakes."""
    ids = tuple(fault.id for fault in faults)
    return Version(ids, lambda steps: exercise.wrong_version(*faults))


def with_slip(exercise: Exercise, n: int) -> Version:
    """Return the solution with one of its slips."""
    return Version(("slip", str(n)), partial(exercise.slipped, exercise.source, n))


def with_fault_and_slip(
    exercise: Exercise, fault: Fault, slip: Slip
) -> Iterator[Version]:
    """Yield the versions that make a declared mistake and a slip like that of the solution."""
    source = exercise.wrong_source(fault)
    for n in exercise.slips_like(slip, source):
        yield Version((), partial(exercise.slipped, source, n))


# --- what a version gives -------------------------------------------------------------------------


def value_of(
    trial: Trial, version: Version, i: int, *, wide: bool = False
) -> np.ndarray | None:
    """Return what a version gives in a case, None where it raises or does not end.

    What a named version gives is computed once for an exercise, however often that is checked.
    With ``wide``, the arguments are given in float64.
    """
    kept = trial.exercise.values_with_faults if version.key else trial.kept
    key = (version.key or version, i, wide)
    if key not in kept:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kept[key] = _computed(trial, version, i, wide)
    return kept[key]


def _computed(
    trial: Trial, version: Version, i: int, wide: bool
) -> np.ndarray | None:
    made = trial.kept.setdefault("versions", {})
    steps = trial.kept.setdefault("steps", Steps())
    steps.left = MOST_STEPS
    try:
        if version not in made:
            made[version] = trial.exercise.used(version.make(steps))
        given = trial.given(i)
        given = tuple(map(trial.side.widen, given)) if wide else given
        return trial.side.as_numpy(made[version](*given))
    except TooManySteps:
        return None
    except NOT_ITS_OWN:
        raise
    except BaseException:  # it may stop where the learner's function stops
        return None


def gives_the_same(trial: Trial, version: Version, cases: Sequence[int]) -> bool:
    """Whether a version gives what the learner's function gave, in all these cases."""
    return all(gives_the_same_in(trial, version, i) for i in cases)


def gives_the_same_in(trial: Trial, version: Version, i: int) -> bool:
    """Whether a version gives what the learner's function gave in a case, or both raise."""
    value = value_of(trial, version, i)
    crashed = trial.outcomes[i].error is not None
    if value is None or crashed:
        return value is None and crashed
    got, near = trial.got(i), trial.tolerance(i)
    if agree(got, value, near):
        return True
    if got.dtype != np.float64 or value.dtype != np.float32:
        return False
    # It computes in float64 what it is given in float32: so does the version then.
    value = value_of(trial, version, i, wide=True)
    return value is not None and agree(got, value, near)


def explains_what_is_wrong_in(trial: Trial, version: Version, i: int) -> bool:
    """Whether a version gives what the learner's function gave wherever that is wrong."""
    if gives_the_same_in(trial, version, i):
        return True
    value, right = value_of(trial, version, i), trial.expected[i]
    if value is None or i in trial.crashed or isinstance(right, Exception):
        return False
    got, near = trial.got(i), trial.tolerance(i)
    if not got.shape == right.shape == value.shape:
        return False
    wrong = different(got, right, near)
    return not (wrong & different(got, value, near)).any()


def is_wrong_in(trial: Trial, version: Version, i: int) -> bool:
    """Whether a version's numbers are wrong, and not only their kind."""
    value, expected = value_of(trial, version, i), trial.expected[i]
    if value is None or isinstance(expected, Exception):
        return True
    if value.dtype.kind == "f" and np.isnan(value).all():
        return False  # many mistakes end in NaN, and nothing tells them apart
    numbers = value.astype(float), expected.astype(float)
    return not agree(*numbers, trial.tolerance(i))


# --- whether it can be a part of what is wrong ----------------------------------------------------


def breaks_what_is_right(trial: Trial, version: Version) -> bool:
    """Whether a version is wrong in a case, or in a number, in which the learner is right."""
    cases = one_of_a_kind(trial, trial.right)[:_PROBES]
    breaks = any(_breaks(trial, version, i) for i in cases)
    return breaks or _spoils_a_number(trial, version)


def _breaks(trial: Trial, version: Version, i: int) -> bool:
    value, expected = value_of(trial, version, i), trial.expected[i]
    if isinstance(expected, Exception):
        return value is not None
    return value is None or not agree(value, expected, trial.tolerance(i))


def _spoils_a_number(trial: Trial, version: Version) -> bool:
    i = trial.wrong[0]
    right, got = trial.expected[i], trial.got(i)
    if isinstance(right, Exception) or right.shape != got.shape or not got.ndim:
        return False
    value = value_of(trial, version, i)
    if value is None or value.shape != got.shape:
        return True
    near = trial.tolerance(i)
    is_right = ~different(got, right, near)
    return bool((is_right & different(value, right, near)).any())


def one_of_a_kind(trial: Trial, cases: Sequence[int]) -> list[int]:
    """Return the first of some cases of each kind, and of each result."""
    found: dict[Any, int] = {}
    for i in cases:
        result = trial.cases[i].args[-1] if trial.exercise.results else ""
        found.setdefault((trial.cases[i].kind, result), i)
    return list(found.values())
