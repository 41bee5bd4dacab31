"""The verdict on an answer."""

import inspect
import sys
from collections.abc import Callable
from dataclasses import replace
from types import CodeType, FrameType
from typing import Any

import numpy as np

from whywrong.arrays import agree
from whywrong.context import Finding
from whywrong.declare import (
    BuiltIn,
    Exercise,
    Question,
    Reason,
    WrongForm,
    parameter_names,
)
from whywrong.diagnose import (
    gives_this_dtype,
    known_fault,
    unknown_fault,
)
from whywrong.observe import (
    entry_problem,
    form_problem,
    gradient_problem,
    is_stub,
    nothing_returned,
    precision_remark,
    where_it_fails,
)
from whywrong.repair import repair
from whywrong.result import Result
from whywrong.running import (
    Clock,
    TimesUp,
    Trial,
    call_guarded,
    crash_finding,
    guarded_randomness,
    no_collection,
    one_thread,
    plain_torch,
    raised_by_learner,
    run_trial,
    unwritten_step,
)

__all__ = [
    "as_letters",
    "as_number",
    "as_shape",
    "contains",
    "handed_over_to",
    "judge",
    "judge_question",
    "lacks",
]


def judge(
    task: Exercise | Question, function: Any, *, watched: bool = True
) -> Result:
    """Judge a learner's function; whatever it does, a `Result` comes back.

    Parameters
    ----------
    task : Exercise or Question
    function : object
        What the learner calls the answer.
    watched : bool
        Whether it is looked at which functions do the work. There is nothing to be seen where the
        function only passes on what another process computes.
    """
    expected = parameter_names(task.solution)
    is_class = inspect.isclass(task.solution)
    problem = entry_problem(function, task.name, expected, may_be_class=is_class)
    if problem:
        return Result("wrong", problem.message, task.name, problem.faults)
    if is_stub(function):
        return _todo(task)
    with guarded_randomness(), one_thread(), plain_torch():
        if isinstance(task, Question):
            return judge_question(task, function)
        trial = run_trial(task, function)
        with no_collection():
            return _verdict(trial, watched)


def _todo(task: Exercise | Question, printed: str = "") -> Result:
    names = ", ".join(parameter_names(task.solution))
    message = (
        f"Replace `raise NotImplementedError` in `{task.name}({names})` with your own lines, run "
        f'that cell, then this one. `hint("{task.name}")` helps.'
    )
    return Result("todo", message, task.name, printed=printed)


def _known_with_its_dtype(trial: Trial, found: Finding) -> Finding | None:
    """Name a known mistake, and the dtype as well where that is not of its making."""
    mistake = known_fault(trial, declared=True)
    if mistake is None or gives_this_dtype(trial, mistake):
        return mistake
    return _both(mistake, found)


# Beyond this relative error numbers are wrong, not rounded.
_NOT_ROUNDED = 0.05


def _in_its_own_dtype(trial: Trial, found: Finding) -> Finding | None:
    """Add to real numbers of too few or too many digits what else is wrong with them."""
    for i in trial.wrong:
        got, right = trial.got(i), trial.expected[i]
        if (
            isinstance(right, Exception)
            or got.dtype.kind + right.dtype.kind != "ff"
        ):
            return None
        if not agree(got, right, _NOT_ROUNDED):
            break
    else:
        return None
    return _both(known_fault(trial) or unknown_fault(trial), found)


def _both(first: Finding, second: Finding) -> Finding:
    two = "There are two mistakes at once.\n\n"
    message = f"{two}First: {first.message}\n\nSecond: {second.message}"
    if first.message.startswith(two):
        message = (
            f"{first.message.replace('two', 'three', 1)}\n\nThird: {second.message}"
        )
    return Finding(first.faults + second.faults, message)


def _behind_the_dtype(trial: Trial, found: Finding) -> Finding | None:
    """Add to numbers 0 and 1, where truth values are asked for, what else is wrong with them."""
    arrays = [
        trial.side.as_numpy(o.value) for o in trial.outcomes if o.error is None
    ]
    wanted = [value for value in trial.expected if isinstance(value, np.ndarray)]
    if any(value.dtype.kind != "b" for value in wanted) or not all(
        value.dtype.kind in "biuf" and np.isin(value, (0, 1)).all()
        for value in arrays
    ):
        return None
    outcomes = tuple(
        o
        if o.error
        else replace(o, value=trial.side.native(trial.side.as_numpy(o.value) == 1))
        for o in trial.outcomes
    )
    as_truths = replace(trial, outcomes=outcomes, known={}, spoils={})
    mistake = known_fault(as_truths) if as_truths.wrong else None
    return _both(mistake, found) if mistake else None


def _step_to_do(step: str, exercise: Exercise) -> Result:
    message = (
        f"`{step}`, which your function calls, is still to be written: solve that exercise first, "
        "or write the step out here."
    )
    return Result("crashed", message, exercise.name, ("stub",))


def _verdict(trial: Trial, watched: bool) -> Result:
    exercise = trial.exercise
    printed = trial.outcomes[0].printed
    last = trial.outcomes[-1].error
    if isinstance(last, NotImplementedError) and raised_by_learner(
        last, trial.function
    ):
        step = unwritten_step(last, trial.function)
        return _step_to_do(step, exercise) if step else _todo(exercise, printed)
    found = _form(trial)
    if found and found.faults == ("dtype",):
        found = (
            _known_with_its_dtype(trial, found)
            or _behind_the_dtype(trial, found)
            or _in_its_own_dtype(trial, found)
            or found
        )
    if found:
        return Result("wrong", found.message, exercise.name, found.faults, printed)
    if trial.crashed and not _numbers_tell_more(trial):
        found = _crash(trial)
        return Result(
            "crashed", found.message, exercise.name, found.faults, printed
        )
    found = (
        _wrong_numbers(trial)
        or _not_pure(trial)
        or (_handed_over(trial) if watched else None)
        or _not_differentiable(trial)
    )
    if found:
        return Result("wrong", found.message, exercise.name, found.faults, printed)
    return _right(trial, printed)


def _form(trial: Trial) -> Finding | None:
    for i, outcome in enumerate(trial.outcomes):
        expected, error = trial.expected[i], outcome.error
        if isinstance(error, WrongForm):
            return Finding((error.fault,), str(error))
        if error is None and isinstance(expected, np.ndarray):
            looked = call_guarded(
                form_problem,
                (outcome, expected, outcome.given, trial.side, trial.uses),
                seconds=trial.clock.left,
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


def _numbers_tell_more(trial: Trial) -> bool:
    """Whether wrong numbers in other cases tell more than the exception does."""
    stopped = isinstance(trial.outcomes[trial.crashed[0]].error, TimesUp)
    if not trial.wrong or stopped:
        return False
    return trial.wrong[0] < trial.crashed[0] or known_fault(trial) is not None


def _crash(trial: Trial) -> Finding:
    i = trial.crashed[0]
    error = trial.outcomes[i].error
    assert error is not None
    found = crash_finding(error, trial.function, trial.called_with(i), trial.clock)
    if found.faults:
        return found
    parts = [where_it_fails(trial), found, repair(trial)]
    return Finding(
        tuple(id for part in parts if part for id in part.faults),
        "\n\n".join(part.message for part in parts if part),
    )


def _wrong_numbers(trial: Trial) -> Finding | None:
    if not trial.wrong:
        return None
    found = known_fault(trial) or _not_repeatable(trial) or unknown_fault(trial)
    changed = _changed(trial)
    if not changed or changed.faults[0] in found.faults:
        return found
    if any(id.startswith("slip-") for id in found.faults):
        return changed  # of numbers that come from a changed argument a slip tells nothing
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
                if _put_back(trial, before, after):
                    return Finding(("in-place",), _ROUNDED.format(name=name))
                return Finding(
                    ("in-place",),
                    f"Your function changes its argument `{name}` in place: the caller "
                    f"finds other numbers there afterward. `/=`, `+=`, `{name}[…] = …` and "
                    "`out=` write into the array itself: make a new one instead, or start from "
                    f"a copy.",
                )
    return None


_ROUNDED = (
    "Your function changes its argument `{name}` in place and puts it back, but not exactly: "
    "adding and subtracting rounds, so that the caller finds other last digits there. Keep the old "
    "number (`old = {name}[i]`, and in the end `{name}[i] = old`), or work on a copy."
)
# Beyond this relative change it is not rounding that is left.
_ROUNDING = {4: 1e-5, 8: 1e-12}


def _put_back(trial: Trial, before: Any, after: Any) -> bool:
    """Whether an argument that was changed differs by rounding only from what it was."""
    size = trial.side.precision(before)
    near = _ROUNDING.get(size or 0)
    if near is None or trial.side.precision(after) != size:
        return False
    return agree(trial.side.as_numpy(after), trial.side.as_numpy(before), near)


def _untouched(before: np.ndarray, after: np.ndarray) -> bool:
    if (
        before.dtype.kind == "O"
    ):  # a function or a random generator, made to be used
        return True
    same_form = before.shape == after.shape and before.dtype == after.dtype
    return same_form and before.tobytes() == after.tobytes()


def _not_repeatable(trial: Trial) -> Finding | None:
    outcome = call_guarded(
        trial.function,
        trial.given(0),
        seconds=trial.clock.left,
        seed=len(trial.outcomes),
    )
    first = trial.outcomes[0]
    if isinstance(outcome.error, TimesUp):
        return None
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
    return gradient_problem(trial)


def _handed_over(trial: Trial) -> Finding | None:
    built_in = handed_over_to(trial)
    if not built_in:
        return None
    return Finding(
        ("built-in",),
        f"The numbers are right, but `{built_in}` made them. You know now what to expect: build it "
        "yourself from smaller steps.",
    )


def _right(trial: Trial, printed: str) -> Result:
    noted = (precision_remark(o.value, o.given, trial.side) for o in trial.outcomes)
    remarks = tuple(dict.fromkeys(remark for remark in noted if remark))
    return Result("right", "", trial.exercise.name, (), printed, remarks)


def judge_question(question: Question, function: Callable[..., Any]) -> Result:
    """Judge the answer that the learner's function returns."""
    clock = Clock(question.seconds)
    outcome = call_guarded(function, (), seconds=clock.left)
    error, name = outcome.error, question.name
    if isinstance(error, NotImplementedError) and raised_by_learner(
        error, function
    ):
        message = f'Return your answer from `{name}()`. `hint("{name}")` helps.'
        return Result("todo", message, name)
    if error is not None:
        found = crash_finding(error, function, "no arguments", clock)
        return Result("crashed", found.message, name, found.faults, outcome.printed)
    if outcome.value is None:
        found = nothing_returned(outcome.printed)
        return Result("wrong", found.message, name, found.faults, outcome.printed)
    read = call_guarded(question.read, (outcome.value,), seconds=clock.left)
    if read.error is not None:
        said = str(read.error) if type(read.error) is ValueError else _NO_ANSWER
        return Result("wrong", said, name, ("form",), outcome.printed)
    return _judged(question, read.value, outcome.printed)


_NO_ANSWER = (
    "What you return cannot be read as an answer: return plain numbers or letters."
)


def _judged(question: Question, answer: Any, printed: str) -> Result:
    for reason in question.reasons:
        if reason.applies(answer):
            said = (
                reason.message
                if isinstance(reason.message, str)
                else reason.message(answer)
            )
            others = _others(question, reason, answer)
            return Result(
                "wrong", said + others, question.name, (reason.id,), printed
            )
    return Result("right", "", question.name, (), printed)


def _others(question: Question, said: Reason, answer: Any) -> str:
    """Say which other parts of an answer are wrong, where its parts have letters."""
    mine = said.id.partition("-")[0]
    wrong = {r.id.partition("-")[0] for r in question.reasons if r.applies(answer)}
    letters = sorted(letter for letter in wrong - {mine} if len(letter) == 1)
    if len(mine) > 1 or not letters:
        return ""
    most, last = ", ".join(letters[:-1]), letters[-1]
    return f" Then look again at {f'{most} and {last}' if most else last}."


def as_shape(value: Any) -> tuple[int, ...]:
    """Read a shape: a tuple or list of whole numbers."""
    try:
        sizes = tuple(value)
        if all(isinstance(size, int | np.integer) for size in sizes):
            return tuple(int(size) for size in sizes)
    except TypeError:
        pass
    raise ValueError("Return a shape: a tuple of whole numbers such as `(5, 3)`.")


def as_letters(value: Any) -> frozenset[str]:
    """Read a choice among lettered statements: a set, list or text of letters."""
    try:
        letters = {str(item).strip(" ,").lower() for item in value} - {""}
    except TypeError:
        letters = {"not letters"}
    if not all(len(letter) == 1 and letter.isalpha() for letter in letters):
        raise ValueError(
            'Return the letters of your choice as a set such as `{"a", "c"}`.'
        )
    return frozenset(letters)


def contains(letter: str) -> Callable[[frozenset[str]], bool]:
    """Return whether a choice has a letter, as a `Reason` asks."""
    return lambda letters: letter in letters


def lacks(letter: str) -> Callable[[frozenset[str]], bool]:
    """Return whether a choice has a letter not, as a `Reason` asks."""
    return lambda letters: letter not in letters


def as_number(value: Any) -> float:
    """Read one number."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(2)
    if array.size != 1:
        raise ValueError("Return one number, for example `2.5`.")
    return float(array.reshape(()))


def handed_over_to(trial: Trial) -> str | None:
    """Return the name of the function that did the whole exercise; None if there is none."""
    for i in range(len(trial.outcomes)):
        watch = _Watch(trial.exercise)
        call_guarded(
            watch.around(trial.function),
            trial.given(i),
            seconds=trial.clock.left,
        )
        if watch.seen:
            return watch.seen[0]
    return None


class _Watch:
    """A profiler that waits for calls of an exercise's built-ins."""

    def __init__(self, exercise: Exercise) -> None:
        self.seen: list[str] = []
        self._python: dict[CodeType, BuiltIn] = {}
        self._compiled: dict[str, list[tuple[Any, BuiltIn]]] = {}
        self._add(exercise.solution, BuiltIn(f"the course's own {exercise.name}"))
        for entry in exercise.built_ins:
            built_in = BuiltIn(entry) if isinstance(entry, str) else entry
            self._add(_imported(built_in.name), built_in)

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, watched while it runs."""

        def watched(*args: Any) -> Any:
            old = sys.getprofile()
            sys.setprofile(self._notice)
            try:
                return function(*args)
            finally:
                sys.setprofile(old)

        return watched

    def _add(self, function: Any, built_in: BuiltIn) -> None:
        if inspect.isclass(function):
            for method in vars(function).values():
                if inspect.isfunction(method):
                    self._python[inspect.unwrap(method).__code__] = built_in
            return
        code = (
            getattr(inspect.unwrap(function), "__code__", None)
            if function
            else None
        )
        if code is not None:
            self._python[code] = built_in
        elif function is not None:
            self._compiled.setdefault(function.__name__, []).append(
                (function, built_in)
            )

    def _notice(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "call" and frame.f_code in self._python:
            built_in = self._python[frame.f_code]
            if built_in.when(frame.f_locals):
                self.seen.append(built_in.name)
        elif event == "c_call":
            for function, built_in in self._compiled.get(
                getattr(arg, "__name__", ""), ()
            ):
                if _same_compiled(arg, function):
                    self.seen.append(built_in.name)


def _imported(name: str) -> Any:
    """Return an object by its dotted name if its module is loaded; else nobody can have called it.

    The longest loaded prefix is the module.
    """
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        found: Any = sys.modules.get(".".join(parts[:cut]))
        if found is not None:
            for part in parts[cut:]:
                found = getattr(found, part, None)
            return found
    return None


def _same_compiled(called: Any, known: Any) -> bool:
    owner = getattr(known, "__objclass__", None)
    if owner is not None:  # a method, such as torch.Tensor.softmax
        return isinstance(getattr(called, "__self__", None), owner)
    return called is known or called == known
