"""How an exercise is declared: a table of plain functions and sentences."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from typing import Any

from course_attn.checking.use import put_to_use

__all__ = [
    "BuiltIn",
    "Case",
    "Exercise",
    "Fault",
    "Kind",
    "Property",
    "Question",
    "Reason",
]


@dataclass(frozen=True)
class Case:
    """One call of the learner's function.

    Parameters
    ----------
    args : tuple
        The arguments, in the order of the signature.
    kind : str
        What is special about the case; cases of one kind are spoken of together.
    """

    args: tuple[Any, ...]
    kind: str = "plain"


@dataclass(frozen=True)
class Kind:
    """How the messages speak of all cases of one kind.

    Parameters
    ----------
    phrase : str
        Completes "It is wrong …", for example "with leading batch axes".
    advice : str
        What to look at when only these cases fail.
    """

    phrase: str
    advice: str = ""


@dataclass(frozen=True)
class Fault:
    """One known mistake and what a good tutor says about it.

    Parameters
    ----------
    id : str
        A short name, unique in the exercise.
    does : mapping or callable
        A mapping replaces named steps of the exercise's ``variant``; such faults compose with
        every fault that replaces other steps. A callable is a whole wrong solution.
    message : str or callable
        The sentence, or a function of a `Context` that returns it.
    """

    id: str
    does: Mapping[str, Any] | Callable[..., Any]
    message: str | Callable[[Any], str]


@dataclass(frozen=True)
class Property:
    """Something that holds for every right answer, tried when no fault fits.

    Parameters
    ----------
    id : str
        A short name, unique in the exercise.
    message : callable
        Takes a `Context`; returns the sentence, or None where the property holds.
    """

    id: str
    message: Callable[[Any], str | None]


@dataclass(frozen=True)
class BuiltIn:
    """A function to which the whole exercise could be handed over.

    Parameters
    ----------
    name : str
        Its dotted name; its module is never imported for this.
    when : callable
        Takes the arguments of the call by name; tells whether this call does the whole exercise.
        Only looked at for functions written in Python.
    """

    name: str
    when: Callable[[Mapping[str, Any]], bool] = lambda given: True


@dataclass(frozen=True)
class Exercise:
    """A function to write, with all that is needed to judge it.

    Parameters
    ----------
    name, chapter : str
        The function's name, unique in the course, and the chapter's slug.
    task : str
        What the learner reads, in Markdown.
    reference : callable
        The solution as the learner may see it: self-contained but for its module's imports.
    cases : callable
        Makes the inputs; the first, of the kind "example", are small and the easiest to read.
    hints : tuple of str
        Where to look; the idea; nearly the line.
    faults : tuple of Fault
        Known mistakes, in the order in which they are tried.
    variant : callable, optional
        The reference with its steps as keyword-only parameters; what faults replace.
    properties : tuple of Property
        Tried in this order when no fault fits.
    kinds : mapping
        Sentences for kinds of cases that are this exercise's own.
    built_ins : tuple of BuiltIn or str
        Functions that do the whole exercise.
    library : str
        ``"numpy"`` or ``"torch"``.
    results : tuple of str
        The names of the results where the function returns several; each is judged by itself.
    use : callable, optional
        How a case puts the answer to use, if not by calling it: ``use(answer, *case.args)`` returns
        what is judged; raises `WrongForm` where the answer cannot be used so.
    arguments : tuple of str
        The names of a case's arguments where they are not those of the reference.
    tolerance : float, optional
        The relative tolerance, where the precision of the arguments does not settle it.
    differentiable : bool
        Whether gradients must reach the arguments; looked at in PyTorch exercises only.
    points, seconds : int, float
        Points under nbgrader; time that all calls together may take.
    """

    name: str
    chapter: str
    task: str
    reference: Callable[..., Any]
    cases: Callable[[], tuple[Case, ...]]
    hints: tuple[str, str, str]
    faults: tuple[Fault, ...] = ()
    variant: Callable[..., Any] | None = None
    properties: tuple[Property, ...] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    built_ins: tuple[BuiltIn | str, ...] = ()
    library: str = "numpy"
    results: tuple[str, ...] = ()
    use: Callable[..., Any] | None = None
    arguments: tuple[str, ...] = ()
    tolerance: float | None = None
    differentiable: bool = True
    points: int = 1
    seconds: float = 4.0

    @cached_property
    def made_cases(self) -> tuple[Case, ...]:
        """The inputs, made once; of several results each has a case, its name the last argument."""
        if not self.results:
            return self.cases()
        return tuple(
            Case((*case.args, result), case.kind)
            for case in self.cases()
            for result in self.results
        )

    @cached_property
    def values_with_faults(
        self,
    ) -> dict[tuple[tuple[str, ...], int], Any]:
        """What faults, by their ids, give in a case; filled as answers are diagnosed."""
        return {}

    def used(self, answer: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function of a case's arguments whose result is judged."""
        return put_to_use(answer, self.use, self.results)

    def wrong_version(self, *faults: Fault) -> Callable[..., Any]:
        """Return the solution that makes these mistakes, and no other."""
        if len(faults) == 1 and callable(faults[0].does):
            return faults[0].does
        if self.variant is None:
            raise ValueError(
                f"exercise {self.name!r}: faults that replace steps need a `variant`"
            )
        steps: dict[str, Any] = {}
        for fault in faults:
            steps.update(fault.does)  # type: ignore[arg-type]
        return partial(self.variant, **steps)

    def pairs(self) -> Iterator[tuple[Fault, Fault]]:
        """Yield every two faults that replace different steps."""
        composable = [fault for fault in self.faults if not callable(fault.does)]
        for first, second in combinations(composable, 2):
            if not set(first.does) & set(second.does):  # type: ignore[arg-type]
                yield first, second


@dataclass(frozen=True)
class Reason:
    """Why an answer to a question is not right.

    Parameters
    ----------
    id : str
        A short name, unique in the question.
    applies : callable
        Takes the learner's answer.
    message : str or callable
        The sentence, or a function of the answer that returns it.
    """

    id: str
    applies: Callable[[Any], bool]
    message: str | Callable[[Any], str]


@dataclass(frozen=True)
class Question:
    """A question whose answer the learner returns from a function without arguments.

    Parameters
    ----------
    name, chapter, task, reference, hints, points
        As in `Exercise`; ``reference()`` returns one right answer.
    read : callable
        Turns what came back into the form that the reasons expect; raises ``ValueError`` with a
        sentence for the learner where that is impossible.
    reasons : tuple of Reason
        The first that applies is said; an answer to which none applies is right.
    """

    name: str
    chapter: str
    task: str
    reference: Callable[[], Any]
    hints: tuple[str, str, str]
    read: Callable[[Any], Any]
    reasons: tuple[Reason, ...]
    points: int = 1
    seconds: float = 4.0
    library: str = "numpy"
