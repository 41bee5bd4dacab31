"""All calls of one learner's function, beside what was expected of each."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from course_attn.checking.arrays import agree, relative_tolerance
from course_attn.checking.context import Context, Finding
from course_attn.checking.declare import Case, Exercise
from course_attn.checking.form import parameter_names
from course_attn.checking.guard import Clock, Outcome, TimesUp, call_guarded

__all__ = ["Trial", "run_trial", "side_of"]

_SECONDS_FOR_A_FAULT = 2.0


def side_of(library: str) -> ModuleType:
    """Return the module that knows this library's arrays; PyTorch's only when it is asked for."""
    if library == "torch":
        from course_attn.checking import torch_side

        return torch_side
    from course_attn.checking import arrays

    return arrays


@dataclass(frozen=True)
class Trial:
    """The outcome of every case for one function.

    Parameters
    ----------
    exercise : Exercise
    function : callable
        The learner's.
    outcomes : tuple of Outcome
        One for each case; fewer where a call ran out of time.
    clock : Clock
        The time that is left for more calls.
    known : dict
        The mistakes that were recognized, with slips and without.
    """

    exercise: Exercise
    function: Callable[..., Any]
    outcomes: tuple[Outcome, ...]
    clock: Clock
    known: dict[bool, Finding | None] = field(default_factory=dict)

    @cached_property
    def side(self) -> ModuleType:
        """The module that knows the exercise's kind of arrays."""
        return side_of(self.exercise.library)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases that were run."""
        return self.exercise.made_cases[: len(self.outcomes)]

    @cached_property
    def names(self) -> list[str]:
        """The names of the arguments."""
        return list(self.exercise.arguments) or parameter_names(
            self.exercise.solution
        )

    @cached_property
    def expected(self) -> list[np.ndarray | Exception]:
        """What the reference gives in float64, or the exception that it raises."""
        return [self.expect(self.given(i)) for i in range(len(self.outcomes))]

    @cached_property
    def wrong(self) -> list[int]:
        """The cases in which something came back that is not right."""
        return [i for i in self._valued if not self._is_right(i)]

    @cached_property
    def crashed(self) -> list[int]:
        """The cases in which the function raised although it should not have."""
        raised = set(range(len(self.outcomes))) - set(self._valued)
        return [i for i in sorted(raised) if not self._raises_rightly(i)]

    @cached_property
    def right(self) -> list[int]:
        """The cases in which all is well."""
        return [
            i
            for i in range(len(self.outcomes))
            if i not in self.wrong + self.crashed
        ]

    @property
    def _valued(self) -> list[int]:
        return [
            i for i, outcome in enumerate(self.outcomes) if outcome.error is None
        ]

    def given(self, i: int) -> tuple[Any, ...]:
        """Return fresh copies of a case's arguments."""
        return tuple(
            self.side.native(self.side.copy(value)) for value in self.cases[i].args
        )

    def got(self, i: int) -> np.ndarray:
        """Return what came back, as a NumPy array."""
        return self.side.as_numpy(self.outcomes[i].value)

    def tolerance(self, i: int) -> float:
        """Return the tolerance that the coarsest dtype in play asks for."""
        if self.exercise.tolerance is not None:
            return self.exercise.tolerance
        values = [*self.outcomes[i].given, self.outcomes[i].value]
        return relative_tolerance(map(self.side.precision, values))

    def expect(self, given: tuple[Any, ...]) -> np.ndarray | Exception:
        """Return the reference's answer, computed in float64."""
        try:
            with np.errstate(all="ignore"):
                right = self.exercise.used(self.exercise.solution)
                return self.side.as_numpy(right(*map(self.side.widen, given)))
        except ValueError as error:
            return error

    def called_with(self, i: int) -> str:
        """Return the arguments' shapes and dtypes in words."""
        shown = zip(self.names, self.cases[i].args, strict=False)
        described = ", ".join(
            f"{name} {self.side.describe(self.side.native(value))}"
            for name, value in shown
        )
        return described or "no arguments"

    def of_result(self, i: int, message: str) -> str:
        """Say of which result a message speaks, where there are several."""
        if not self.exercise.results:
            return message
        return f"About the result `{self.cases[i].args[-1]}`: {message}"

    def quoted(self, i: int) -> str:
        """Return the arguments with their numbers where they are few, else their shapes."""
        shown_args = self.cases[i].args[: len(self.names)]
        values = [np.asarray(value) for value in shown_args]
        if sum(value.size for value in values) > 12:
            return self.called_with(i)
        shown = (
            value.round(2).tolist() if value.dtype.kind == "f" else value
            for value in values
        )
        return ", ".join(
            f"{n} = {value}" for n, value in zip(self.names, shown, strict=False)
        )

    def context(self, i: int) -> Context:
        """Return what a message about this case may quote from."""
        given = dict(zip(self.names, self.cases[i].args, strict=False))
        if self.exercise.results:
            given["result"] = self.cases[i].args[-1]
        return Context(
            given,
            self.got(i),
            self.expected[i],
            self.cases[i].kind,
            self._call,
            self.exercise.terms,
            self.tolerance(i),
        )

    def _call(self, *args: Any) -> np.ndarray | None:
        given = tuple(self.side.native(self.side.copy(value)) for value in args)
        outcome = call_guarded(self.function, given, seconds=self.clock.left)
        is_number = isinstance(outcome.value, bool | int | float)
        native = outcome.error is None and (
            is_number or self.side.is_native(outcome.value)
        )
        return self.side.as_numpy(outcome.value) if native else None

    def _is_right(self, i: int) -> bool:
        expected = self.expected[i]
        if isinstance(expected, Exception):
            return False
        return agree(self.got(i), expected, self.tolerance(i))

    def _raises_rightly(self, i: int) -> bool:
        expected = self.expected[i]
        return isinstance(expected, Exception) and isinstance(
            self.outcomes[i].error, type(expected)
        )


def run_trial(exercise: Exercise, function: Callable[..., Any]) -> Trial:
    """Call the function on every case; stop at a call that does not end."""
    function = exercise.used(function)
    clock = Clock(exercise.seconds)
    trial = Trial(
        exercise, function, (Outcome(),) * len(exercise.made_cases), clock
    )
    inputs = [trial.given(i) for i in range(len(exercise.made_cases))]
    outcomes: list[Outcome] = []
    for i, given in enumerate(inputs):
        outcomes.append(call_guarded(function, given, seconds=clock.left, seed=i))
        if isinstance(outcomes[-1].error, TimesUp | NotImplementedError):
            break
    return Trial(exercise, function, tuple(outcomes), clock)
