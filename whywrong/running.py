"""All calls of a check, beside what was expected of each."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any

import numpy as np

from whywrong.arrays import Side, agree, relative_tolerance, side_of
from whywrong.calls import (
    Outcome,
    call_guarded,
    safely,
)
from whywrong.context import Context, Finding
from whywrong.declare import Case, Exercise
from whywrong.learner import names_used
from whywrong.limits import Clock, TimesUp

__all__ = ["Explanation", "Trial", "once", "run_trial"]


@dataclass(frozen=True)
class Trial:
    """The outcome of every case for one function, and what should have come.

    function: the learner's.
    outcomes: one for each case; fewer where a call ran out of time.
    clock: the time that is left for more calls.
    watched: whether it is looked at which functions do the work.
    kept: what was found out once about this answer.
    """

    exercise: Exercise
    function: Callable[..., Any]
    outcomes: tuple[Outcome, ...]
    clock: Clock
    watched: bool = True
    kept: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def side(self) -> Side:
        """What is known about the exercise's kind of arrays."""
        return side_of(self.exercise.library)

    @property
    def cases(self) -> tuple[Case, ...]:
        """The cases that were run."""
        return self.exercise.made_cases[: len(self.outcomes)]

    @cached_property
    def names(self) -> list[str]:
        """The names of the arguments."""
        return self.exercise.argument_names[: -1 if self.exercise.results else None]

    def given(self, i: int) -> tuple[Any, ...]:
        """Return fresh copies of a case's arguments."""
        return self._native(self.exercise.made_cases[i].args)

    def _native(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(self.side.native(self.side.copy(value)) for value in args)

    def got(self, i: int) -> np.ndarray:
        """Return what came back, as a NumPy array."""
        return self.side.as_numpy(self.outcomes[i].value)

    def tolerance(self, i: int) -> float:
        """Return the tolerance that the coarsest dtype in play asks for."""
        if self.exercise.tolerance is not None:
            return self.exercise.tolerance
        values = [*self.outcomes[i].given, self.outcomes[i].value]
        return relative_tolerance(map(self.side.precision, values))

    @cached_property
    def expected(self) -> list[np.ndarray | Exception]:
        """What the reference gives in float64, or the exception that it raises."""
        return [_expected(self, i) for i in range(len(self.outcomes))]

    @cached_property
    def wrong(self) -> list[int]:
        """The cases in which something came back that is not right."""
        return [i for i in self._not_right if self.outcomes[i].error is None]

    @cached_property
    def crashed(self) -> list[int]:
        """The cases in which the function raised although it should not have."""
        return [i for i in self._not_right if self.outcomes[i].error is not None]

    @cached_property
    def right(self) -> list[int]:
        """The cases in which all is well."""
        return [i for i in range(len(self.outcomes)) if i not in self._not_right]

    @cached_property
    def _not_right(self) -> list[int]:
        return [i for i in range(len(self.outcomes)) if not self._is_right(i)]

    def _is_right(self, i: int) -> bool:
        expected, error = self.expected[i], self.outcomes[i].error
        if isinstance(expected, Exception):
            return isinstance(error, type(expected))
        return error is None and agree(self.got(i), expected, self.tolerance(i))

    @cached_property
    def uses(self) -> frozenset[str]:
        """The names that the learner's code uses, its own helpers' included."""
        return safely(lambda: names_used(self.function), frozenset())

    def called_with(self, i: int) -> str:
        """Return the arguments' shapes and dtypes in words."""
        values = map(self.side.native, self.cases[i].args)
        shown = zip(self.names, values, strict=False)
        said = (
            f"{name} {self.side.describe(value)}"
            for name, value in shown
            if name[0] != "_"  # those are the check's own
        )
        return ", ".join(said) or "no arguments"

    def context(self, i: int) -> Context:
        """Return what a message about this case may quote from."""
        case, exercise = self.cases[i], self.exercise
        given = dict(zip(self.names, case.args, strict=False))
        if exercise.results:
            given["result"] = case.args[-1]
        got, expected, near = self.got(i), self.expected[i], self.tolerance(i)
        terms = exercise.terms
        return Context(given, got, expected, case.kind, self._call, terms, near)

    def call_again(self, given: tuple[Any, ...], seed: int = 0) -> Outcome:
        """Call the function once more, whatever the cases and the searches have taken."""
        seconds = self.clock.seconds
        return call_guarded(self.function, given, seconds=seconds, seed=seed)

    def _call(self, *args: Any) -> np.ndarray | None:
        outcome = self.call_again(self._native(args))
        if isinstance(outcome.error, TimesUp):
            raise outcome.error  # what it would have told is not known
        value = outcome.value
        is_number = isinstance(value, bool | int | float)
        native = is_number or self.side.is_native(value)
        return self.side.as_numpy(value) if native else None


def _expected(trial: Trial, i: int) -> np.ndarray | Exception:
    right = trial.exercise.used(trial.exercise.solution)
    try:
        with np.errstate(all="ignore"):
            return trial.side.as_numpy(
                right(*map(trial.side.widen, trial.given(i)))
            )
    except ValueError as error:
        return error


Explanation = Callable[[Trial], Finding | None]


def once(explanation: Explanation) -> Explanation:
    """Let an explanation be sought once in a trial, however often it is asked for."""

    @wraps(explanation)
    def sought(trial: Trial) -> Finding | None:
        if explanation not in trial.kept:
            trial.kept[explanation] = explanation(trial)
        return trial.kept[explanation]

    return sought


def run_trial(
    exercise: Exercise, function: Callable[..., Any], watched: bool = True
) -> Trial:
    """Call the function on every case; stop at a call that does not end."""
    function = exercise.used(function)
    clock = Clock(exercise.seconds)
    cases = range(len(exercise.made_cases))
    trial = Trial(exercise, function, tuple(Outcome() for _ in cases), clock)
    inputs = [trial.given(i) for i in cases]
    outcomes: list[Outcome] = []
    for i, given in enumerate(inputs):
        outcomes.append(call_guarded(function, given, seconds=clock.left, seed=i))
        if isinstance(outcomes[-1].error, TimesUp | NotImplementedError):
            break
    return Trial(exercise, function, tuple(outcomes), clock, watched)
