"""What is wrong with an answer: one list of explanations, the first that holds is told.

Each is a function of a `Trial` that returns a `Finding`, or None. What is found once in a trial is
not sought again.
"""

import inspect
from collections.abc import Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from whywrong.arrays import Side
from whywrong.behavior import (
    changes_an_argument,
    handed_over,
    not_differentiable,
    not_repeatable,
)
from whywrong.calls import Outcome, call_guarded
from whywrong.context import Finding
from whywrong.declare import WrongForm
from whywrong.form import form_problem
from whywrong.gradients import gradient_besides
from whywrong.limits import TimesUp
from whywrong.mend import as_mended, mended, retyped
from whywrong.mistakes import (
    fault_and_own_change,
    fault_and_slip,
    joined,
    mistake_behind,
    no_error,
    of_result,
    one_fault,
    one_fault_but_for_a_kind,
    one_fault_in_most,
    one_slip,
    other_order,
    shape_and_mistake,
    two_at_once,
    two_close_faults,
    two_faults,
    two_faults_in_most,
    what_is_seen,
)
from whywrong.observe import where_it_fails
from whywrong.running import Explanation, Trial, once, run_trial
from whywrong.stops import crash_finding, tip

__all__ = ["EXPLANATIONS", "explained", "is_crash"]


def explained(trial: Trial) -> Finding | None:
    """Say what is wrong; None if nothing is."""
    found = _first(EXPLANATIONS, trial)
    is_form = found is not None and found is wrong_kind(trial)
    if not found or is_crash(trial, found):
        return found
    changed = changes_an_argument(trial) if is_form or trial.wrong else None
    if not changed or changed.faults[0] in found.faults:
        is_looked_at = _only_rounds(trial, found) if is_form else trial.wrong
        cut = _gradient(trial, found) if is_looked_at else None
        return joined(found, cut) if cut else found
    if any(id.startswith("slip-") and id != "slip-axis" for id in found.faults):
        return changed  # of numbers that come from a changed argument a slip tells nothing
    besides = Finding(changed.faults, f"Besides: {changed.message}")
    return joined(found, besides)


def _only_rounds(trial: Trial, found: Finding) -> bool:
    """Whether what comes back has too few digits, or too many, and is right for the rest."""
    cases = range(len(trial.outcomes))
    return found.faults == ("dtype",) and all(_is_of_kind(trial, i) for i in cases)


def _gradient(trial: Trial, found: Finding) -> Finding | None:
    """Say what is wrong with the gradient, besides known mistakes or a line that can be mended."""
    in_torch = trial.exercise.library == "torch" and trial.exercise.differentiable
    if found.faults in (("no-error",), ("dtype",)):
        return gradient_besides(trial, trial.function) if in_torch else None
    cut = not_differentiable(trial)
    if cut or not in_torch:
        return cut
    known = {fault.id: fault for fault in trial.exercise.faults}
    made = [known[id] for id in found.faults if id in known]
    if found.faults and len(made) == len(found.faults):
        return gradient_besides(trial, trial.function, *made)
    changed = as_mended(trial)
    return gradient_besides(trial, changed) if changed else None


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
    if not found:
        return None
    mistake = _first(_DECLARED, trial) if found.faults == ("dtype",) else None
    if mistake and _gives_this_dtype(trial, mistake):
        return mistake
    is_known = any(
        getattr(outcome.error, "value", None) is not None
        for outcome in trial.outcomes
    )
    is_turnable = found.faults[0] in _TURNABLE and found is not _UNREADABLE
    if not mistake and (is_turnable or is_known):
        seconds = trial.clock.seconds
        asked = call_guarded(_as_asked, (trial,), seconds=seconds).value
        asked = asked or call_guarded(_retyped, (trial,), seconds=seconds).value
        mistake = (
            explained(asked) if asked and asked.wrong + asked.crashed else None
        )
    if not mistake:
        return found
    if not mistake.faults:
        return joined(found, mistake)
    ids = mistake.faults + found.faults
    second = found.message.replace("The numbers are right, but you", "You")
    return two_at_once(ids, mistake.message, second)


_TURNABLE = {"dtype", "not-an-array"}


def _as_asked(trial: Trial) -> Trial | None:
    """Return the trial with its results turned to the kind that is asked for, if they can be."""

    @wraps(trial.function)
    def function(*args: Any) -> Any:
        try:
            value = trial.function(*args)
        except WrongForm as error:
            value = error.value
        return _turned(value, _like(trial, args), trial.side)

    outcomes = tuple(
        replace(outcome, value=_turned(value, right, trial.side), error=error)
        for outcome, right in zip(trial.outcomes, trial.expected, strict=True)
        for value, error in [_put_right(outcome)]
    )
    # Of what came back; and of three mistakes the line of one is not told.
    told = (wrong_kind, not_differentiable, fault_and_own_change)
    kept = dict.fromkeys(map(inspect.unwrap, told))
    asked = replace(trial, function=function, outcomes=outcomes, kept=kept)
    return (
        asked if all(_is_of_kind(asked, i) for i in range(len(outcomes))) else None
    )


def _put_right(outcome: Outcome) -> tuple[Any, BaseException | None]:
    """Return what came back, or would come were the form right, and the error that is left."""
    if isinstance(outcome.error, WrongForm) and outcome.error.value is not None:
        return outcome.error.value, None
    return outcome.value, outcome.error


def _retyped(trial: Trial) -> Trial | None:
    """Return the trial of the answer with real arrays for whole ones, or the other way round."""
    kinds = {e.dtype.kind for e in trial.expected if isinstance(e, np.ndarray)}
    for answer in (
        retyped(trial.function, *kinds) if kinds in ({"f"}, {"i"}) else ()
    ):
        asked = _as_asked(run_trial(trial.exercise, answer))
        if asked and not asked.crashed:
            return asked
    return None


def _like(trial: Trial, args: tuple[Any, ...]) -> Any:
    """Return a right result of the kind that is asked for with these arguments."""
    made = zip(trial.cases, trial.expected, strict=True)
    names = trial.exercise.results
    return next(
        (r for case, r in made if not names or case.args[-1] == args[-1]), None
    )


def _is_of_kind(trial: Trial, i: int) -> bool:
    right, value = trial.expected[i], trial.outcomes[i].value
    if trial.outcomes[i].error or not isinstance(right, np.ndarray):
        return True
    return (
        trial.side.is_native(value) and trial.got(i).dtype.kind == right.dtype.kind
    )


def _turned(value: Any, right: Any, side: Side) -> Any:
    """Return what came back as the kind of array that is asked for; its numbers stay."""
    if value is None or not isinstance(right, np.ndarray):
        return value
    if isinstance(value, tuple):  # the result is asked for, and more comes with it
        return value[0] if value and side.is_native(value[0]) else value
    if (
        side.is_native(value)
        and side.as_numpy(value).dtype.kind == right.dtype.kind
    ):
        return value
    array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)
    if right.dtype.kind == "b" and set(np.unique(array)) <= {0, 1}:
        array = array.astype(bool)
    elif right.dtype.kind == "b" and array.dtype.kind == "f":
        array = _as_truths(array)
    elif right.dtype.kind == "i" and np.array_equal(array, np.trunc(array)):
        array = array.astype(right.dtype)
    return side.native(array)


def _form(trial: Trial) -> Finding | None:
    for i, outcome in enumerate(trial.outcomes):
        expected, error = trial.expected[i], outcome.error
        if isinstance(error, WrongForm):
            return Finding((error.fault,), str(error))
        if _is_empty(outcome.value) and trial.wrong:
            continue  # of nothing NumPy makes real numbers
        if error is None and isinstance(expected, np.ndarray):
            given = (outcome, expected, outcome.given, trial.side)
            looked = call_guarded(form_problem, given, seconds=trial.clock.seconds)
            found = _UNREADABLE if looked.error else looked.value
            if found:
                return of_result(trial, i, found)
    return None


def _is_empty(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not value.size


_UNREADABLE = Finding(
    ("not-an-array",),
    "What you return cannot be read as an array: looking at it takes for ever or stops with an "
    "error. Return an ordinary array of numbers.",
)


def _as_truths(mask: np.ndarray) -> np.ndarray:
    """Return a mask that is to be added, of 0 and −∞ or nearly, as truth values, else itself."""
    is_open = mask == 0
    return is_open if (is_open | (mask <= _HIDES)).all() else mask


_HIDES = -1e4


def _gives_this_dtype(trial: Trial, found: Finding) -> bool:
    """Whether a recognized mistake makes the dtype, too: its own is the learner's, or as wrong.

    Whole numbers come from other mistakes by themselves.
    """
    values = trial.exercise.values_with_faults
    for i, outcome in enumerate(trial.outcomes):
        value, right = values.get((found.faults, i, False)), trial.expected[i]
        if outcome.error or value is None or not isinstance(right, np.ndarray):
            continue
        mine, own, kind = trial.got(i).dtype, value.dtype, right.dtype.kind
        if mine.kind == own.kind == "f" and mine != own:
            return False
        if own.kind == kind != mine.kind and mine.kind not in "iu":
            return False
    return True


# --- what stopped it ---


@once
def crash(trial: Trial) -> Finding | None:
    """Say which exception stopped it, where, and which change would let it go on."""
    if not trial.crashed or _numbers_tell_more(trial):
        return None
    i = trial.crashed[0]
    error = trial.outcomes[i].error
    assert error is not None
    is_late = isinstance(error, TimesUp)
    change = None if is_late else mended(trial)
    advice = tip(error, trial.function)
    if change and len({*change.faults}) > 1 and "mend-axis" not in change.faults:
        change = None if advice else change
    given = error, trial.function, trial.called_with(i), trial.clock
    only_asks = change is not None and advice.endswith("?")
    found = crash_finding(*given, advise=not only_asks)
    if not is_late and not change and (behind := mistake_behind(trial)):
        ids = behind[1].faults + behind[0].faults
        stop = found if advice else joined(found, behind[0])
        return two_at_once(ids, stop.message, behind[1].message)
    where = where_it_fails(trial, advise=not change)
    return found if is_late else joined(where, found, change)


def _numbers_tell_more(trial: Trial) -> bool:
    """Whether wrong numbers in other cases tell more than the exception does."""
    first = trial.crashed[0]
    if not trial.wrong or isinstance(trial.outcomes[first].error, TimesUp):
        return False
    is_first = trial.wrong[0] < first
    return is_first or bool(_first((*_DECLARED, one_slip), trial))


# --- in this order ---

_DECLARED: tuple[Explanation, ...] = (
    one_fault,
    two_faults,
    one_fault_in_most,
    other_order,
)
EXPLANATIONS: tuple[Explanation, ...] = (
    wrong_kind,
    crash,
    *_DECLARED,
    one_slip,
    not_repeatable,
    no_error,
    two_close_faults,
    fault_and_slip,
    shape_and_mistake,
    one_fault_but_for_a_kind,
    two_faults_in_most,
    fault_and_own_change,
    what_is_seen,
    changes_an_argument,
    not_repeatable,
    handed_over,
    not_differentiable,
)
