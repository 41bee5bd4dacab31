"""What is wrong with an answer: one list of explanations, the first that holds is told.

Each is a function of a `Trial` that returns a `Finding`, or None. What is found once in a trial is
not sought again.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from whywrong.arrays import agree
from whywrong.behavior import (
    changes_an_argument,
    handed_over,
    not_differentiable,
    not_repeatable,
)
from whywrong.context import Finding
from whywrong.declare import WrongForm
from whywrong.mend import mended
from whywrong.mistakes import (
    fault_and_slip,
    joined,
    no_error,
    one_fault,
    one_fault_in_most,
    one_slip,
    other_order,
    two_faults,
    what_is_seen,
)
from whywrong.observe import form_problem, where_it_fails
from whywrong.running import (
    Explanation,
    TimesUp,
    Trial,
    call_guarded,
    crash_finding,
    once,
)
from whywrong.versions import Version

__all__ = ["EXPLANATIONS", "explained", "is_crash"]


def explained(trial: Trial) -> Finding | None:
    """Say what is wrong; None if nothing is."""
    found = _first(EXPLANATIONS, trial)
    if not found or found is wrong_kind(trial) or found is crash(trial):
        return found
    if not trial.wrong:
        return found
    changed = changes_an_argument(trial)
    if not changed or changed.faults[0] in found.faults:
        return found
    if any(id.startswith("slip-") for id in found.faults):
        return changed  # of numbers that come from a changed argument a slip tells nothing
    message = f"{found.message}\n\nBesides: {changed.message}"
    return Finding(found.faults + changed.faults, message)


def is_crash(trial: Trial, found: Finding) -> bool:
    """Whether what was found is that the answer was stopped."""
    return found is not wrong_kind(trial) and found is crash(trial)


def _first(explanations: Sequence[Explanation], trial: Trial) -> Finding | None:
    found = (explanation(trial) for explanation in explanations)
    return next((finding for finding in found if finding), None)


# --- what kind of thing comes back ---


@once
def wrong_kind(trial: Trial) -> Finding | None:
    """Say that something else came back than numbers of the kind that is asked for."""
    found = _form(trial)
    return (
        _behind_the_dtype(trial, found)
        if found and found.faults == ("dtype",)
        else found
    )


def _form(trial: Trial) -> Finding | None:
    for i, outcome in enumerate(trial.outcomes):
        expected, error = trial.expected[i], outcome.error
        if isinstance(error, WrongForm):
            return Finding((error.fault,), str(error))
        if error is None and isinstance(expected, np.ndarray):
            looked = call_guarded(
                form_problem,
                (outcome, expected, outcome.given, trial.side, trial.uses),
                seconds=max(trial.clock.left, _LOOKING),
            )
            found = _UNREADABLE if looked.error else looked.value
            if found:
                return Finding(found.faults, trial.of_result(i, found.message))
    return None


_UNREADABLE = Finding(
    ("not-an-array",),
    "What you return cannot be read as an array: looking at it takes for ever or stops with an "
    "error. Return an ordinary array of numbers.",
)


# Seconds that it may take at least to look at what came back, however long its making took.
_LOOKING = 1.0


def _behind_the_dtype(trial: Trial, found: Finding) -> Finding:
    """Add to numbers of another kind what else is wrong with them, or what made them so."""
    mistake = _first(_DECLARED, trial)
    if mistake and _gives_this_dtype(trial, mistake):
        return mistake
    if not mistake:
        as_asked = _as_asked(trial)
        mistake = (
            _first(_NUMBERS, as_asked) if as_asked and _is_off(as_asked) else None
        )
    return _both(mistake, found) if mistake else found


def _gives_this_dtype(trial: Trial, found: Finding) -> bool:
    """Whether a recognized mistake makes the dtype, too: its own is the learner's, or as wrong.

    Whole numbers come from other mistakes by themselves.
    """
    same, version = (
        True,
        Version(found.faults, lambda steps: trial.exercise.solution),
    )
    for i, outcome in enumerate(trial.outcomes):
        value = trial.exercise.values_with_faults.get((version.key, i, False))
        if outcome.error is None and value is not None:
            mine, right = trial.got(i).dtype, trial.expected[i]
            kinds = {
                mine.kind,
                value.dtype.kind,
                getattr(right, "dtype", mine).kind,
            }
            if kinds != {"f"}:
                return True
            same = same and value.dtype == mine
    return same


def _as_asked(trial: Trial) -> Trial | None:
    """Return the trial with numbers of the kind that is asked for; None if that changes them."""
    outcomes = []
    for outcome, right in zip(trial.outcomes, trial.expected, strict=True):
        if outcome.error is None and isinstance(right, np.ndarray):
            cast = _cast(trial.side.as_numpy(outcome.value), right)
            if cast is None:
                return None
            outcome = replace(outcome, value=trial.side.native(cast))
        outcomes.append(outcome)
    return replace(trial, outcomes=tuple(outcomes), kept={})


def _cast(array: np.ndarray, like: np.ndarray) -> np.ndarray | None:
    """Return numbers in the kind of others; None where that is impossible or changes them."""
    kinds = array.dtype.kind + like.dtype.kind
    if kinds[0] == kinds[1]:
        return array
    if kinds not in ("fb", "ib", "ub", "fi"):
        return None
    with np.errstate(invalid="ignore"):
        cast = array.astype(like.dtype)
    return cast if np.array_equal(cast, array) else None


# Beyond this relative error numbers are wrong, not rounded.
_NOT_ROUNDED = 0.05


def _is_off(trial: Trial) -> bool:
    """Whether some numbers are wrong by more than a dtype rounds."""
    for i in trial.wrong:
        right = trial.expected[i]
        if isinstance(right, Exception):
            return False
        if not agree(trial.got(i), right, _NOT_ROUNDED):
            return True
    return False


def _both(first: Finding, second: Finding) -> Finding:
    two = "There are two mistakes at once.\n\n"
    message = f"{two}First: {first.message}\n\nSecond: {second.message}"
    if first.message.startswith(two):
        message = (
            f"{first.message.replace('two', 'three', 1)}\n\nThird: {second.message}"
        )
    return Finding(first.faults + second.faults, message)


# --- what stopped it ---


@once
def crash(trial: Trial) -> Finding | None:
    """Say which exception stopped it, where, and which change would let it go on."""
    if not trial.crashed or _numbers_tell_more(trial):
        return None
    i = trial.crashed[0]
    error = trial.outcomes[i].error
    assert error is not None
    found = crash_finding(error, trial.function, trial.called_with(i), trial.clock)
    if found.faults:
        return found
    return joined(where_it_fails(trial), found, mended(trial))


def _numbers_tell_more(trial: Trial) -> bool:
    """Whether wrong numbers in other cases tell more than the exception does."""
    stopped = isinstance(trial.outcomes[trial.crashed[0]].error, TimesUp)
    if not trial.wrong or stopped:
        return False
    return trial.wrong[0] < trial.crashed[0] or bool(
        _first((*_DECLARED, one_slip), trial)
    )


# --- in this order ---

_DECLARED: tuple[Explanation, ...] = (
    one_fault,
    other_order,
    two_faults,
    one_fault_in_most,
)
_NUMBERS: tuple[Explanation, ...] = (
    *_DECLARED,
    one_slip,
    not_repeatable,
    no_error,
    fault_and_slip,
    what_is_seen,
)
EXPLANATIONS: tuple[Explanation, ...] = (
    wrong_kind,
    crash,
    *_NUMBERS,
    changes_an_argument,
    not_repeatable,
    handed_over,
    not_differentiable,
)
