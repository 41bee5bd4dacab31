"""How an exercise is declared: a solution, its known mistakes as patches of it, and sentences."""

import dataclasses
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np

from course_attn.checking.context import Context, unknown_words
from course_attn.checking.entry import parameter_names
from course_attn.checking.patches import (
    BadDeclaration,
    apart,
    compiled,
    in_torch,
    in_torch_words,
    patched,
    source_of,
    with_body,
)
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
    "fault",
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
    """One known mistake and what a good tutor says about it; `fault` makes one.

    Parameters
    ----------
    id : str
        A short name, unique in the exercise.
    does : tuple, str or callable
        Patches of the solution, each a pair of texts: what stands there, and what a learner would
        have typed instead; such faults compose with every fault that touches other text. A text is
        another body of the function. A callable is a whole wrong solution.
    message : str, callable or None
        The sentence, a template over the words of `Context`, or a function of a `Context` that
        returns it. None: that of the fault of this name of the NumPy exercise.
    where : str
        File and line of the declaration.
    """

    id: str
    does: Mapping[str, Any] | tuple[tuple[str, str], ...] | str | Callable[..., Any]
    message: str | Callable[[Any], str] | None = None
    where: str = ""

    @property
    def composes(self) -> bool:
        """Whether it leaves the rest of the solution to other mistakes."""
        return isinstance(self.does, tuple | Mapping)

    def sentence(self, context: Context) -> str:
        """Return the sentence for this case."""
        if callable(self.message):
            return self.message(context)
        assert self.message is not None
        return context.filled(self.message) if self.where else self.message


def fault(
    id: str, *change: Any, says: str | Callable[[Any], str] | None = None
) -> Fault:
    """Declare a known mistake.

    Parameters
    ----------
    id : str
        A short name, unique in the exercise.
    *change : str, tuple or callable
        Two texts, one that stands in the solution and what a learner types instead; or several
        such pairs; or one text, another body of the function; or a whole wrong solution.
    says : str or callable
        What a good tutor says: a template, ``"Your rows sum to {your.sums}."``, or a function of a
        `Context`. A PyTorch twin may leave it out where the NumPy exercise has said it.
    """
    frame = sys._getframe(1)
    where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    if len(change) == 1 and not isinstance(change[0], tuple):
        return Fault(id, change[0], says, where)
    pairs = (change,) if all(isinstance(part, str) for part in change) else change
    if not pairs or not all(
        isinstance(pair, tuple) and len(pair) == 2 for pair in pairs
    ):
        raise BadDeclaration(
            f"{where}: fault {id!r} needs a text and its replacement, several such pairs, another "
            "body, or a function"
        )
    return Fault(id, tuple(pairs), says, where)


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
class Task:
    """What exercises and questions have in common.

    Parameters
    ----------
    solution : callable
        The solution as the learner may see it: self-contained but for its module's imports. Its
        name is the exercise's.
    place : int
        Where the exercise stands in its chapter: they are sorted by this number.
    section : str
        The heading of the chapter's section that it practices.
    task : str
        What the learner reads, in Markdown.
    hints : tuple of str
        Where to look; the idea; nearly the line.
    points, seconds : int, float
        Points under nbgrader; time that all calls of a check together may take.
    library : str
        ``"numpy"`` or ``"torch"``.
    """

    solution: Callable[..., Any]
    place: int
    section: str
    task: str
    hints: tuple[str, str, str]
    points: int = field(default=1, kw_only=True)
    seconds: float = field(default=4.0, kw_only=True)
    library: str = field(default="numpy", kw_only=True)

    @property
    def name(self) -> str:
        """The exercise's name, unique in the course."""
        return self.solution.__name__

    @property
    def chapter(self) -> str:
        """The slug of its chapter: the folder of its file."""
        return self.solution.__module__.split(".")[-2]


@dataclass(frozen=True)
class Exercise(Task):
    """A function to write, with all that is needed to judge it.

    Parameters
    ----------
    solution, place, section, task, hints, points, seconds, library
        As in `Task`.
    cases : callable
        Makes the inputs; the first, of the kind "example", are small and the easiest to read.
    faults : tuple of Fault
        Known mistakes, in the order in which they are tried.
    terms : mapping
        Words of this exercise's own for its sentences: functions of a `Context`.
    properties : tuple of Property
        Tried in this order when no fault fits.
    kinds : mapping
        Sentences for kinds of cases that are this exercise's own.
    built_ins : tuple of BuiltIn or str
        Functions that do the whole exercise.
    results : tuple of str
        The names of the results where the function returns several; each is judged by itself.
    use : callable, optional
        How a case puts the answer to use, if not by calling it: ``use(answer, *case.args)`` returns
        what is judged; raises `WrongForm` where the answer cannot be used so.
    arguments : tuple of str
        The names of a case's arguments where they are not those of the solution.
    tolerance : float, optional
        The relative tolerance, where the precision of the arguments does not settle it.
    differentiable : bool
        Whether gradients must reach the arguments; looked at in PyTorch exercises only.
    """

    cases: Callable[[], tuple[Case, ...]] = field(kw_only=True)
    faults: tuple[Fault, ...] = field(default=(), kw_only=True)
    terms: Mapping[str, Callable[[Any], Any]] = field(
        default_factory=dict, kw_only=True
    )
    variant: Callable[..., Any] | None = field(default=None, kw_only=True)
    properties: tuple[Property, ...] = field(default=(), kw_only=True)
    kinds: Mapping[str, Kind] = field(default_factory=dict, kw_only=True)
    built_ins: tuple[BuiltIn | str, ...] = field(default=(), kw_only=True)
    results: tuple[str, ...] = field(default=(), kw_only=True)
    use: Callable[..., Any] | None = field(default=None, kw_only=True)
    arguments: tuple[str, ...] = field(default=(), kw_only=True)
    tolerance: float | None = field(default=None, kw_only=True)
    differentiable: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse patches that do not fit the solution and templates with unknown words."""
        seen = set()
        words = {*self.argument_names, *self.terms}
        for known in self.faults:
            try:
                if known.id in seen:
                    raise ValueError("another fault has this name")
                if known.message is None:
                    raise ValueError("it needs a sentence: says=…")
                if isinstance(known.message, str) and known.where:
                    unknown = unknown_words(known.message, words)
                    if unknown:
                        raise ValueError(f"its sentence has no word {unknown[0]!r}")
                self._wrong_source(known)
            except ValueError as problem:
                raise BadDeclaration(
                    f"{known.where or self.solution.__module__}: fault {known.id!r} of "
                    f"{self.name!r}: {problem}"
                ) from None
            seen.add(known.id)

    @cached_property
    def source(self) -> str:
        """The solution's source, which faults patch."""
        return source_of(self.solution)

    @cached_property
    def argument_names(self) -> list[str]:
        """The names of a case's arguments."""
        own = list(self.arguments) or parameter_names(self.solution)
        return [*own, "result"] if self.results else own

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
        if isinstance(faults[0].does, Mapping):
            steps: dict[str, Any] = {}
            for known in faults:
                steps.update(known.does)  # type: ignore[arg-type]
            assert self.variant is not None
            return partial(self.variant, **steps)
        label = f"{self.name}: {', '.join(known.id for known in faults)}"
        return compiled(self._wrong_source(*faults), self.solution, label)

    def _wrong_source(self, *faults: Fault) -> str:
        if isinstance(faults[0].does, str):
            return with_body(self.source, faults[0].does)
        if not all(isinstance(known.does, tuple) for known in faults):
            return self.source
        return patched(
            self.source,
            (pair for known in faults for pair in known.does),
        )

    def pairs(self) -> Iterator[tuple[Fault, Fault]]:
        """Yield every two faults that touch different text."""
        composable = [known for known in self.faults if known.composes]
        for first, second in combinations(composable, 2):
            if isinstance(first.does, Mapping) or isinstance(second.does, Mapping):
                if not set(first.does) & set(second.does):  # type: ignore[arg-type]
                    yield first, second
            elif apart(self.source, first.does, second.does):  # type: ignore[arg-type]
                yield first, second

    def twin(
        self,
        solution: Callable[..., Any],
        *,
        place: int,
        section: str,
        task: str,
        hints: tuple[str, str, str],
        faults: tuple[Fault, ...] = (),
        without: tuple[str, ...] = (),
        without_cases: tuple[str, ...] = (),
        in_float64: tuple[str, ...] = (),
        **changes: Any,
    ) -> "Exercise":
        """Return the same exercise in PyTorch: it shares the cases, mistakes and sentences.

        Parameters
        ----------
        solution, place, section, task, hints
            The twin's own.
        faults : tuple of Fault
            Mistakes of the twin's own, and those of NumPy's whose patch reads otherwise here.
        without : tuple of str
            The ids of NumPy's mistakes that nobody can make here.
        without_cases : tuple of str
            The kinds of NumPy's cases that are not asked for here.
        in_float64 : tuple of str
            The kinds of cases that stay in float64, where float32 rounds too much. All others are
            float32, and the one called "float32" is float64.
        **changes
            What else differs, by the names of `Exercise`.
        """
        own = {known.id: known for known in faults}
        shared = []
        for known in self.faults:
            if known.id in without:
                continue
            other = own.pop(known.id, None)
            shared.append(_in_torch(known, other))
        missing = {*without} - {known.id for known in self.faults}
        if missing:
            raise BadDeclaration(
                f"{solution.__module__}: without={missing} are no faults of {self.name!r}"
            )
        settings: dict[str, Any] = {
            "cases": lambda: tuple(
                case if case.kind in in_float64 else _in_float32(case)
                for case in self.cases()
                if case.kind not in without_cases
            ),
            "terms": self.terms,
            "properties": self.properties,
            "kinds": {"float64": _FLOAT64, **self.kinds},
            "results": self.results,
            "points": self.points,
            "tolerance": self.tolerance,
        } | changes
        return Exercise(
            solution,
            place,
            section,
            task,
            hints,
            library="torch",
            faults=(*shared, *own.values()),
            **settings,
        )


_FLOAT64 = Kind("for float64 tensors", "A new tensor made without `dtype=`?")


def _in_torch(known: Fault, other: Fault | None) -> Fault:
    """Return a fault of a NumPy exercise as its PyTorch twin has it."""
    says = known.message
    if other is not None:
        if other.message is not None:
            return other
        where, does = other.where, other.does
    elif isinstance(known.does, tuple):
        where = known.where
        does = tuple((in_torch(find), in_torch(new)) for find, new in known.does)
    elif isinstance(known.does, str):
        where, does = known.where, in_torch(known.does)
    else:
        raise BadDeclaration(
            f"{known.where}: fault {known.id!r} is a function of NumPy's: its twin needs one of "
            "its own, or to leave it out"
        )
    if isinstance(says, str):
        return dataclasses.replace(
            known, does=does, message=in_torch_words(says), where=where
        )
    assert says is not None
    speaks = says
    return dataclasses.replace(
        known, does=does, message=lambda c: in_torch_words(speaks(c)), where=where
    )


def _in_float32(case: Case) -> Case:
    """Return a case for tensors, which are float32 unless something is said."""
    other, kind = ("f8", "float64") if case.kind == "float32" else ("f4", case.kind)
    args = tuple(
        value.astype(other)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f"
        else value
        for value in case.args
    )
    return Case(args, kind)


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
class Question(Task):
    """A question whose answer the learner returns from a function without arguments.

    Parameters
    ----------
    solution, place, section, task, hints, points, seconds, library
        As in `Task`; ``solution()`` returns one right answer.
    read : callable
        Turns what came back into the form that the reasons expect; raises ``ValueError`` with a
        sentence for the learner where that is impossible.
    reasons : tuple of Reason
        The first that applies is said; an answer to which none applies is right.
    """

    read: Callable[[Any], Any] = field(kw_only=True)
    reasons: tuple[Reason, ...] = field(kw_only=True)
