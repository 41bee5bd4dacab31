"""What an answer does besides giving numbers: to its arguments, to gradients, by whose hands."""

import inspect
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import numpy as np

from whywrong.arrays import agree
from whywrong.context import Finding
from whywrong.declare import BuiltIn, Exercise
from whywrong.observe import gradient_problem
from whywrong.running import TimesUp, Trial, call_guarded, once

__all__ = [
    "changes_an_argument",
    "handed_over",
    "handed_over_to",
    "not_differentiable",
    "not_repeatable",
]


@once
def changes_an_argument(trial: Trial) -> Finding | None:
    """Name an argument that is another one after the call."""
    for i, outcome in enumerate(trial.outcomes):
        for name, before, after in zip(
            trial.names, trial.given(i), outcome.given, strict=False
        ):
            if not _untouched(
                trial.side.as_numpy(before), trial.side.as_numpy(after)
            ):
                return Finding(
                    ("in-place",),
                    f"Your function changes its argument `{name}` in place: the caller "
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


@once
def not_repeatable(trial: Trial) -> Finding | None:
    """Say that a second call with the same arguments gives something else."""
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


def not_differentiable(trial: Trial) -> Finding | None:
    """Say that no gradients reach the arguments of an exercise in PyTorch."""
    if trial.exercise.library != "torch" or not trial.exercise.differentiable:
        return None
    return gradient_problem(trial)


def handed_over(trial: Trial) -> Finding | None:
    """Say which ready-made function did the whole exercise."""
    built_in = handed_over_to(trial) if trial.watched else None
    if not built_in:
        return None
    return Finding(
        ("built-in",),
        f"The numbers are right, but `{built_in}` made them. You know now what to expect: build it "
        "yourself from smaller steps.",
    )


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
