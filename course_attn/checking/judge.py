"""The verdict on one learner's function."""

import inspect
from typing import Any

import numpy as np

from course_attn.checking.compare import agree
from course_attn.checking.context import Finding
from course_attn.checking.crash import crash_finding, raised_by_learner
from course_attn.checking.declare import Exercise, Question
from course_attn.checking.diagnose import known_fault, unknown_fault
from course_attn.checking.entry import entry_problem, is_stub, parameter_names
from course_attn.checking.form import form_problem, precision_remark
from course_attn.checking.handed_over import handed_over_to
from course_attn.checking.kinds import where_it_fails
from course_attn.checking.outcome import (
    call_guarded,
    guarded_randomness,
    one_thread,
)
from course_attn.checking.question import judge_question
from course_attn.checking.result import Result
from course_attn.checking.trial import Trial, run_trial
from course_attn.checking.use import WrongForm

__all__ = ["judge"]


def judge(task: Exercise | Question, function: Any) -> Result:
    """Judge a learner's function; whatever it does, a `Result` comes back."""
    expected = parameter_names(task.solution)
    is_class = inspect.isclass(task.solution)
    problem = entry_problem(function, task.name, expected, may_be_class=is_class)
    if problem:
        return Result("wrong", problem.message, task.name, problem.faults)
    if is_stub(function):
        return _todo(task)
    with guarded_randomness(), one_thread():
        if isinstance(task, Question):
            return judge_question(task, function)
        return _verdict(run_trial(task, function))


def _todo(task: Exercise | Question, printed: str = "") -> Result:
    names = ", ".join(parameter_names(task.solution))
    message = (
        f"Replace `raise NotImplementedError` in `{task.name}({names})` with your own lines, run "
        f'that cell, then this one. `hint("{task.name}")` helps.'
    )
    return Result("todo", message, task.name, printed=printed)


def _verdict(trial: Trial) -> Result:
    exercise = trial.exercise
    printed = trial.outcomes[0].printed
    last = trial.outcomes[-1].error
    if isinstance(last, NotImplementedError) and raised_by_learner(
        last, trial.function
    ):
        return _todo(exercise, printed)
    found = _form(trial)
    if found and found.faults == ("dtype",):
        found = known_fault(trial) or found
    if found:
        return Result("wrong", found.message, exercise.name, found.faults, printed)
    if trial.crashed and not _numbers_tell_more(trial):
        found = _crash(trial)
        return Result(
            "crashed", found.message, exercise.name, found.faults, printed
        )
    found = _wrong_numbers(trial) or _not_pure(trial) or _not_differentiable(trial)
    if found:
        return Result("wrong", found.message, exercise.name, found.faults, printed)
    return _right(trial, printed)


def _form(trial: Trial) -> Finding | None:
    for i, outcome in enumerate(trial.outcomes):
        expected, error = trial.expected[i], outcome.error
        if isinstance(error, WrongForm):
            return Finding((error.fault,), str(error))
        if error is None and isinstance(expected, np.ndarray):
            found = form_problem(outcome, expected, outcome.given, trial.side)
            if found:
                return Finding(found.faults, trial.of_result(i, found.message))
    return None


def _numbers_tell_more(trial: Trial) -> bool:
    """Whether wrong numbers in other cases tell more than the exception does."""
    if not trial.wrong or "endless" in _crash(trial).faults:
        return False
    return trial.wrong[0] < trial.crashed[0] or known_fault(trial) is not None


def _crash(trial: Trial) -> Finding:
    i = trial.crashed[0]
    error = trial.outcomes[i].error
    assert error is not None
    seconds = trial.exercise.seconds
    found = crash_finding(error, trial.function, trial.called_with(i), seconds)
    where = where_it_fails(trial)
    if where is None or found.faults:
        return found
    return Finding(where.faults, f"{where.message}\n\n{found.message}")


def _wrong_numbers(trial: Trial) -> Finding | None:
    if not trial.wrong:
        return None
    found = known_fault(trial) or _not_repeatable(trial) or unknown_fault(trial)
    changed = _changed(trial)
    if not changed or changed.faults[0] in found.faults:
        return found
    return Finding(
        found.faults + changed.faults,
        f"{found.message}\n\nBesides: {changed.message}",
    )


def _not_pure(trial: Trial) -> Finding | None:
    return _changed(trial) or _not_repeatable(trial)


def _changed(trial: Trial) -> Finding | None:
    for i, outcome in enumerate(trial.outcomes):
        for name, before, after in zip(
            trial.names, trial.given(i), outcome.given, strict=False
        ):
            if not _untouched(
                trial.side.as_numpy(before), trial.side.as_numpy(after)
            ):
                return Finding(
                    ("in-place",),
                    f"Your function changes its argument `{name}` in place: whoever passed it "
                    f"finds other numbers there afterward. `/=`, `+=`, `{name}[…] = …` and "
                    "`out=` write into the array itself: make a new one instead, or start from "
                    f"a copy.",
                )
    return None


def _untouched(before: np.ndarray, after: np.ndarray) -> bool:
    if (
        before.dtype.kind == "O"
    ):  # a function or a random generator, made to be used
        return True
    same_form = before.shape == after.shape and before.dtype == after.dtype
    return same_form and before.tobytes() == after.tobytes()


def _not_repeatable(trial: Trial) -> Finding | None:
    seconds, again = trial.exercise.seconds, len(trial.outcomes)
    outcome = call_guarded(
        trial.function, trial.given(0), seconds=seconds, seed=again
    )
    first = trial.outcomes[0]
    if first.error is not None and outcome.error is not None:
        return None
    if first.error is None and outcome.error is None:
        same = agree(
            trial.side.as_numpy(outcome.value),
            trial.got(0),
            trial.tolerance(0) / 100,
        )
        if same:
            return None
    return Finding(
        ("not-repeatable",),
        "Called twice with the same arguments, your function gives two different results: it uses "
        "random numbers, or keeps something from an earlier call (a global variable, a default "
        "argument that is a list or an array).",
    )


def _not_differentiable(trial: Trial) -> Finding | None:
    if trial.exercise.library != "torch" or not trial.exercise.differentiable:
        return None
    from course_attn.checking.differentiable import gradient_problem

    return gradient_problem(trial)


def _right(trial: Trial, printed: str) -> Result:
    name = trial.exercise.name
    built_in = handed_over_to(trial)
    if built_in:
        message = (
            f"The numbers are right, but `{built_in}` made them. You know now what to expect: "
            "build it yourself from smaller steps."
        )
        return Result("wrong", message, name, ("built-in",), printed)
    noted = (precision_remark(o.value, o.given, trial.side) for o in trial.outcomes)
    remarks = tuple(dict.fromkeys(remark for remark in noted if remark))
    return Result("right", "", name, (), printed, remarks)
