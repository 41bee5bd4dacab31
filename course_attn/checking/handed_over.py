"""Noticing that a right answer was not built but handed over to a function that does it all.

Only the calls themselves are looked at, so neither an alias nor an import inside the function hides
them, and a learner's own function of the same name is not mistaken for the library's.
"""

import inspect
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from course_attn.checking.declare import BuiltIn, Exercise
from course_attn.checking.outcome import call_guarded
from course_attn.checking.trial import Trial

__all__ = ["handed_over_to"]


def handed_over_to(trial: Trial) -> str | None:
    """Return the name of the function that did the whole exercise; None if there is none."""
    for i in range(len(trial.outcomes)):
        watch = _Watch(trial.exercise)
        call_guarded(
            watch.around(trial.function),
            trial.given(i),
            seconds=trial.exercise.seconds,
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
