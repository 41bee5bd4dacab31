"""How an exercise is declared: a solution, its known mistakes as patches of it, and sentences."""

import ast
import dataclasses
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from course_attn.checking.context import Context, unknown_words
from course_attn.checking.form import parameter_names
from course_attn.checking.patches import (
    BadDeclaration,
    Patch,
    apart,
    compiled,
    in_torch,
    in_torch_words,
    patched,
    source_of,
    with_body,
)
from course_attn.checking.slips import Slip, slips_in

__all__ = [
    "BuiltIn",
    "Case",
    "Exercise",
    "Fault",
    "Kind",
    "Property",
    "Question",
    "Reason",
    "WrongForm",
    "fault",
    "fault_list",
    "put_to_use",
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
    apart : bool
        Whether a mistake that explains all other cases is named although it does not explain these.
    """

    phrase: str
    advice: str = ""
    apart: bool = False


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
    does: tuple[Patch, ...] | str | Callable[..., Any]
    message: str | Callable[[Any], str] | None = None
    where: str = ""

    @property
    def patches(self) -> tuple[Patch, ...]:
        """Its patches; none where it is another function altogether."""
        return self.does if isinstance(self.does, tuple) else ()

    def sentence(self, context: Context) -> str:
        """Return the sentence for this case."""
        if callable(self.message):
            return self.message(context)
        assert self.message is not None
        return context.filled(self.message)


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


def fault_list(text: str) -> tuple[Fault, ...]:
    """Declare known mistakes, each on a line of its own with the sentence below it.

    An entry reads ``id: what stands in the solution → what a learner types instead``; more such
    pairs stand on lines that begin with ``and``; a long line may be broken before its arrow.
    Without an arrow it is another body of the function. ``⏎`` breaks a line of code, and
    ``(nothing)`` stands for no text at all. The indented lines below are the sentence, a template;
    a PyTorch twin may leave it out.

    Parameters
    ----------
    text : str
        The entries.
    """
    frame = sys._getframe(1)
    found, file, first = [], frame.f_code.co_filename, frame.f_lineno
    for match in _ENTRY.finditer(text):
        where = f"{file}:{first + text.count(chr(10), 0, match.start())}"
        head, *more = re.split(r"\n +and ", match["change"])
        says = " ".join(match["says"].split()) or None
        if "→" not in head:
            found.append(Fault(match["id"], _lines(head), says, where))
            continue
        pairs = [tuple(map(_lines, part.split("→"))) for part in (head, *more)]
        if any(len(pair) != 2 for pair in pairs):
            raise BadDeclaration(
                f"{where}: fault {match['id']!r} has more than one arrow in a line"
            )
        found.append(Fault(match["id"], tuple(pairs), says, where))  # type: ignore[arg-type]
    rest = _ENTRY.sub("", text).strip()
    if rest:
        raise BadDeclaration(
            f"{file}:{first}: this is no fault: {rest.splitlines()[0]!r}"
        )
    return tuple(found)


_ENTRY = re.compile(
    r"^(?P<id>[\w-]+): +(?P<change>.+(?:\n +(?:and |→).*)*)\n(?P<says>(?:[ ]+.*\n|\n(?=[ ]))*)",
    re.M,
)


def _lines(code: str) -> str:
    code = code.strip()
    return "" if code == "(nothing)" else re.sub(r" ?⏎ ?", "\n", code)


@dataclass(frozen=True)
class Property:
    """Something that holds for every right answer, tried when no fault fits.

    Parameters
    ----------
    id : str
        A short name, unique in the exercise.
    message : callable
        Takes a `Context`; returns the sentence, or None where the property holds.
    any_shape : bool
        Whether it is looked at before the shape of the result is: it may say what made that.
    """

    id: str
    message: Callable[[Any], str | None]
    any_shape: bool = False


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
                if isinstance(known.message, str):
                    unknown = unknown_words(known.message, words)
                    if unknown:
                        raise ValueError(f"its sentence has no word {unknown[0]!r}")
                self.wrong_source(known)
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
    def values_with_faults(self) -> dict[tuple[tuple[str, ...], int], Any]:
        """What wrong versions, by their names, give in a case; filled as answers are diagnosed."""
        return {}

    @cached_property
    def versions(self) -> dict[tuple[str, ...], Callable[..., Any]]:
        """The wrong versions themselves, by their names."""
        return {}

    @cached_property
    def _slips(self) -> dict[str, tuple[ast.Module, list[Slip]]]:
        return {}

    def slips(self, source: str) -> list[Slip]:
        """Return every small slip that can be made in the solution, or in a version of it."""
        if source not in self._slips:
            tree = ast.parse(source)
            self._slips[source] = (
                tree,
                slips_in(tree, torch=self.library == "torch"),
            )
        return self._slips[source][1]

    def slipped(self, source: str, slip: Slip) -> Callable[..., Any]:
        """Return the solution, or this version of it, with one of its slips."""
        slip.put()
        try:
            label = f"{self.name}: {slip.kind}"
            return compiled(self._slips[source][0], self.solution, label)
        finally:
            slip.take_back()

    def used(self, answer: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function of a case's arguments whose result is judged."""
        return put_to_use(answer, self.use, self.results)

    def wrong_version(self, *faults: Fault) -> Callable[..., Any]:
        """Return the solution that makes these mistakes, and no other."""
        if len(faults) == 1 and callable(faults[0].does):
            return faults[0].does
        label = f"{self.name}: {', '.join(known.id for known in faults)}"
        return compiled(self.wrong_source(*faults), self.solution, label)

    def wrong_source(self, *faults: Fault) -> str:
        """Return the source of that."""
        if isinstance(faults[0].does, str):
            return with_body(self.source, faults[0].does)
        return patched(
            self.source, [pair for known in faults for pair in known.patches]
        )

    def pairs(self) -> Iterator[tuple[Fault, Fault]]:
        """Yield every two faults that touch different text."""
        composable = [known for known in self.faults if known.patches]
        for first, second in combinations(composable, 2):
            if apart(self.source, first.patches, second.patches):
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


_COUNTS = {2: "two", 3: "three", 4: "four"}


class WrongForm(Exception):
    """The answer cannot be put to use; the text is for the learner.

    Parameters
    ----------
    message : str
        What to return instead.
    fault : str
        A short name of what is wrong.
    """

    def __init__(self, message: str, fault: str = "form") -> None:
        super().__init__(message)
        self.fault = fault


def put_to_use(
    answer: Callable[..., Any],
    use: Callable[..., Any] | None,
    results: Sequence[str],
) -> Callable[..., Any]:
    """Return the function of a case's arguments whose result is judged."""
    if use is None and not results:
        return answer

    def used(*args: Any) -> Any:
        if use is not None:
            return use(answer, *args)
        return _picked(answer(*args[:-1]), args[-1], results)

    # Whoever asks where the learner's own code is finds it behind this.
    used.__wrapped__ = answer  # type: ignore[attr-defined]
    used.__name__ = getattr(answer, "__name__", used.__name__)
    return used


def _picked(values: Any, result: str, results: Sequence[str]) -> Any:
    listed = ", ".join(results)
    wanted = f"return {_COUNTS.get(len(results), len(results))}: `return {listed}`."
    if values is None:
        return None
    if not isinstance(values, tuple | list):
        noun = "array" if hasattr(values, "shape") else f"`{type(values).__name__}`"
        raise WrongForm(f"You return one {noun}; {wanted}", "one-result")
    if len(values) != len(results):
        raise WrongForm(f"You return {len(values)} results; {wanted}", "results")
    return values[results.index(result)]
