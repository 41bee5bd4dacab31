"""The verdict on an answer."""

import inspect
from typing import Any

import numpy as np

from whywrong.calls import (
    guarded_randomness,
    no_collection,
    one_thread,
    plain_torch,
    safely,
)
from whywrong.context import Finding
from whywrong.declare import Exercise, Question, parameter_names
from whywrong.explain import explained, is_crash
from whywrong.form import entry_problem, is_stub, precision_remark
from whywrong.limits import TimesUp, run_limited
from whywrong.question import judge_question
from whywrong.result import Result
from whywrong.running import Trial, run_trial
from whywrong.stops import raised_by_learner, unwritten_step

__all__ = ["judge"]


def judge(
    task: Exercise | Question, function: Any, *, watched: bool = True
) -> Result:
    """Judge a learner's function; whatever it does, a `Result` comes back.

    function: what the learner calls the answer.
    watched: whether it is looked at which functions do the work. There is nothing to be seen where
        the function only passes on what another process computes.
    """
    with guarded_randomness(), one_thread(), plain_torch():
        return _judged(task, function, watched)


def _judged(task: Exercise | Question, function: Any, watched: bool) -> Result:
    expected = parameter_names(task.solution)
    is_class = inspect.isclass(task.solution)
    problem = safely(
        lambda: entry_problem(function, task.name, expected, may_be_class=is_class),
        _NOT_READABLE,
    )
    if problem:
        return Result("wrong", problem.message, task.name, problem.faults)
    if is_stub(function):
        return _todo(task)
    if isinstance(task, Question):
        return judge_question(task, function)
    trial = run_trial(task, function, watched)
    with no_collection():
        return _verdict(trial)


_NOT_READABLE = Finding(
    ("signature",),
    "What you passed cannot be looked at: asking for its name or arguments stops with an error, "
    "or never ends. Pass an ordinary function.",
)


def _todo(task: Exercise | Question, printed: str = "") -> Result:
    names = ", ".join(parameter_names(task.solution))
    message = (
        f"`{task.name}({names})` has no lines of its own yet. Write them, run that cell, then this "
        f'one. `hint("{task.name}")` helps.'
    )
    return Result("todo", message, task.name, printed=printed)


def _step_to_do(step: str, exercise: Exercise) -> Result:
    message = (
        f"`{step}`, which your function calls, is still to be written: solve that exercise first, "
        "or write the step out here."
    )
    return Result("crashed", message, exercise.name, ("stub",))


def _verdict(trial: Trial) -> Result:
    exercise = trial.exercise
    printed = trial.outcomes[0].printed
    last = trial.outcomes[-1].error
    is_stub = isinstance(last, NotImplementedError)
    if last and is_stub and raised_by_learner(last, trial.function):
        step = unwritten_step(last, trial.function)
        return _step_to_do(step, exercise) if step else _todo(exercise, printed)
    found = _explained_in_time(trial)
    if not found:
        return _right(trial, printed)
    status = "crashed" if is_crash(trial, found) else "wrong"
    return Result(status, found.message, exercise.name, found.faults, printed)


# Seconds that end a search which never would end: the steps of what it tries are counted, but what
# a single step of them does is not.
_PATIENCE = 60.0
_NO_TIME = "Your numbers are not right, but looking for the cause took too long."


def _explained_in_time(trial: Trial) -> Finding | None:
    """Say what is wrong; that time ran out, and no other mistake, where that never ends."""
    try:
        # Sentences compute with whatever came back.
        with np.errstate(all="ignore"):
            return run_limited(lambda: explained(trial), _PATIENCE)
    except TimesUp:
        return Finding(("no-time",), _NO_TIME)


def _right(trial: Trial, printed: str) -> Result:
    noted = (precision_remark(o.value, o.given, trial.side) for o in trial.outcomes)
    remarks = tuple(dict.fromkeys(remark for remark in noted if remark))
    return Result("right", "", trial.exercise.name, (), printed, remarks)
