"""What an answer does besides giving numbers: to its arguments, to gradients, by whose hands."""

import inspect
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import numpy as np

from whywrong.arrays import agree
from whywrong.calls import call_guarded
from whywrong.context import Finding, Sentences
from whywrong.declare import BuiltIn, Exercise
from whywrong.gradients import cut_off, gradient_problem
from whywrong.limits import TimesUp
from whywrong.running import Trial, once

__all__ = ["changes_an_argument", "handed_over", "handed_over_to"]
__all__ += ["not_differentiable", "not_repeatable"]

_SAID = Sentences("""
in-place: Your function changes its argument `{name}` in place: the caller finds other numbers there
    afterward. `/=`, `+=`, `{name}[…] = …` and `out=` write into the array itself: make a new one
    instead, or start from a copy.
not-repeatable: Called twice with the same arguments, your function gives two different results: it
    uses random numbers, or keeps something from an earlier call (a global variable, a default
    argument that is a list or an array).
built-in: The numbers are right, but `{name}` made them. You know now what to expect: build it
    yourself from smaller steps.
""")


@once
def changes_an_argument(trial: Trial) -> Finding | None:
    """Name an argument that is another one after the call."""
    for i, outcome in enumerate(trial.outcomes):
        given = zip(trial.names, trial.given(i), outcome.given, strict=False)
        for name, *both in given:
            before, after = map(trial.side.as_numpy, both)
            if not _untouched(before, after):
                return _SAID.find("in-place", name=name)
    return None


def _untouched(before: np.ndarray, after: np.ndarray) -> bool:
    # A function or a random generator is made to be used.
    if before.dtype.kind == "O":
        return True
    same_form = before.shape == after.shape and before.dtype == after.dtype
    return same_form and before.tobytes() == after.tobytes()


@once
def not_repeatable(trial: Trial) -> Finding | None:
    """Say that a second call with the same arguments gives something else."""
    first, seed = trial.outcomes[0], len(trial.outcomes)
    again = trial.call_again(trial.given(0), seed)
    if isinstance(again.error, TimesUp):
        return None
    if first.error is None and again.error is None:
        values = trial.side.as_numpy(again.value), trial.got(0)
        is_same = agree(*values, trial.tolerance(0) / 100)
    else:
        is_same = first.error is not None and again.error is not None
    return None if is_same else _SAID.find("not-repeatable")


@once
def not_differentiable(trial: Trial) -> Finding | None:
    """Say that no gradients reach the arguments of an exercise in PyTorch, or wrong ones."""
    if trial.exercise.library != "torch" or not trial.exercise.differentiable:
        return None
    return cut_off(trial) if trial.wrong else gradient_problem(trial)


def handed_over(trial: Trial) -> Finding | None:
    """Say which ready-made function did the whole exercise."""
    name = handed_over_to(trial) if trial.watched else None
    return _SAID.find("built-in", name=name) if name else None


def handed_over_to(trial: Trial) -> str | None:
    """Return the name of the function that did the whole exercise; None if there is none."""
    for i in range(len(trial.outcomes)):
        watch = _Watch(trial.exercise)
        watched, seconds = watch.around(trial.function), trial.clock.seconds
        call_guarded(watched, trial.given(i), seconds=seconds)
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
            methods = filter(inspect.isfunction, vars(function).values())
            codes = [inspect.unwrap(method).__code__ for method in methods]
            self._python |= dict.fromkeys(codes, built_in)
        elif hasattr(inspect.unwrap(function), "__code__"):
            self._python[inspect.unwrap(function).__code__] = built_in
        elif function is not None:
            known = self._compiled.setdefault(function.__name__, [])
            known.append((function, built_in))

    def _notice(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "call" and frame.f_code in self._python:
            built_in = self._python[frame.f_code]
            if built_in.when(frame.f_locals):
                self.seen.append(built_in.name)
        elif event == "c_call":
            name = getattr(arg, "__name__", "")
            for function, built_in in self._compiled.get(name, ()):
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
