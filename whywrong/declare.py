"""How an exercise is declared: a solution, its inputs, its known mistakes, and sentences."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, combinations, product
from typing import Any

import numpy as np

from whywrong.catalog import INSIDE
from whywrong.context import unknown_words
from whywrong.faults import Fault, as_in_torch
from whywrong.patches import (
    BadDeclaration,
    apart,
    compiled,
    patched,
    with_body,
    woven,
)
from whywrong.slips import Slip, slips_in
from whywrong.steps import Steps, countable, counting, holds_itself, put_in

__all__ = ["BuiltIn", "Case", "Exercise", "Kind", "Property", "Question", "Reason"]
__all__ += ["Task", "WrongForm", "parameter_names", "put_to_use"]

_Ids = tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """One call of the learner's function.

    args: the arguments, in the order of the signature.
    kind: what is special about the case; cases of one kind are spoken of together.
    """

    args: tuple[Any, ...]
    kind: str = "plain"


@dataclass(frozen=True)
class Kind:
    """How the messages speak of all cases of one kind.

    phrase: completes "It is wrong …", for example "with leading batch axes".
    advice: what to look at when only these cases fail.
    apart: whether a mistake that explains all other cases is named although it does not explain
        these.
    """

    phrase: str
    advice: str = ""
    apart: bool = False


@dataclass(frozen=True)
class Property:
    """Something that holds for every right answer, tried when no fault fits.

    id: a short name, unique in the exercise.
    message: takes a `Context`; returns the sentence, or None where the property holds.
    any_shape: whether it is looked at before the shape of the result is: it may say what made that.
    tells_all: whether it says all there is to say, so that no two mistakes are guessed at.
    """

    id: str
    message: Callable[[Any], str | None]
    any_shape: bool = False
    tells_all: bool = False


@dataclass(frozen=True)
class BuiltIn:
    """A function to which the whole exercise could be handed over.

    name: its dotted name; its module is never imported for this.
    when: takes the arguments of the call by name; tells whether this call does the whole exercise.
        Only looked at for functions written in Python.
    """

    name: str
    when: Callable[[Mapping[str, Any]], bool] = lambda given: True


@dataclass(frozen=True)
class Task:
    """What exercises and questions have in common.

    solution: the solution as the learner may see it: self-contained but for its module's imports.
        Its name is the exercise's.
    place: where the exercise stands in its chapter: they are sorted by this number.
    section: the heading of the chapter's section that it practices.
    task: what the learner reads, in Markdown.
    hints: where to look; the idea; nearly the line.
    minutes: how long it takes someone who has read the chapter, with time to think.
    level: ``"easy"``, ``"medium"`` or ``"hard"``.
    prepares: the names of later exercises that build on it.
    points, seconds: points under nbgrader; time that all calls of a check together may take.
    library: ``"numpy"`` or ``"torch"``.
    """

    solution: Callable[..., Any]
    place: int
    section: str
    task: str
    hints: tuple[str, str, str]
    _: KW_ONLY
    minutes: int
    level: str
    prepares: tuple[str, ...] = ()
    points: int = 1
    seconds: float = 4.0
    library: str = "numpy"

    def __post_init__(self) -> None:
        """Refuse a time, a level or names that cannot be meant."""
        names = f"prepares={self.prepares!r}"
        problem = None
        if type(self.minutes) is not int or not 1 <= self.minutes <= 60:
            problem = f"minutes={self.minutes!r} is not a whole number from 1 to 60"
        elif self.level not in ("easy", "medium", "hard"):
            problem = f"level={self.level!r} is not one of easy, medium, hard"
        elif type(self.prepares) is not tuple:
            problem = f'{names} is not a tuple of names: ("name",)'
        elif len({*self.prepares, self.name}) <= len(self.prepares):
            problem = f"{names} names an exercise twice, or itself"
        if problem:
            where = self.solution.__module__
            raise BadDeclaration(f"{where}: {self.name!r}: {problem}")

    @cached_property
    def source(self) -> str:
        """The solution's source, without the indentation around it."""
        return textwrap.dedent(inspect.getsource(self.solution))

    @property
    def name(self) -> str:
        """The exercise's name, unique in the course."""
        return self.solution.__name__

    @property
    def chapter(self) -> str:
        """The slug of its chapter: the folder of its file, or the one around ``exercises``."""
        *_, outer, folder, _ = self.solution.__module__.split(".")
        return outer if folder == INSIDE else folder


def _own_dict() -> Any:
    return field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True)
class _Breakable(Task):
    """A task whose solution has wrong versions: with its known faults, and with small slips."""

    _: KW_ONLY
    faults: tuple[Fault, ...] = ()

    # What wrong versions, by their names, give in a case; filled as answers are diagnosed.
    values_with_faults: dict[Any, Any] = _own_dict()

    def slips(self, source: str) -> list[Slip]:
        """Return every small slip that can be made in the solution, or in a version of it."""
        return _with_slips(source, self.library == "torch")[1]

    def slips_like(self, slip: Slip, source: str) -> list[int]:
        """Return the numbers of the slips in another version that read like this one."""
        places = _places_of(source, self.library == "torch")
        return places.get(slip.reads, [])

    def slipped(self, source: str, n: int, steps: Steps) -> Callable[..., Any]:
        """Return the solution, or this version of it, with one of its slips."""
        tree, slips, nodes = _with_slips(source, self.library == "torch")
        with put_in(slips[n]), counting(nodes, slips[n]):
            may_hold = isinstance(slips[n].new, ast.Name)
            if may_hold and any(map(holds_itself, ast.walk(tree))):
                raise ValueError("a list in itself")
            return compiled(tree, self.solution, self.name, steps.names)

    def made_of(self, source: str, label: str) -> Callable[..., Any]:
        """Return what another source of the solution defines, with the names of its module."""
        return compiled(source, self.solution, label)

    def wrong_version(self, *faults: Fault) -> Callable[..., Any]:
        """Return the solution that makes these mistakes, and no other."""
        if len(faults) == 1 and callable(faults[0].does):
            return faults[0].does
        ids = ", ".join(known.id for known in faults)
        return self.made_of(self.wrong_source(*faults), f"{self.name}: {ids}")

    def wrong_source(self, *faults: Fault) -> str:
        """Return the source of that."""
        if isinstance(faults[0].does, str):
            return with_body(self.source, faults[0].does)
        patches = [known.patches for known in faults]
        together = woven(self.source, *patches) if faults[1:] else None
        return together or patched(self.source, [*chain(*patches)])

    def pairs(self, *, close: bool = False) -> Iterator[tuple[Fault, Fault]]:
        """Yield every two faults that touch different text; or with `close`, parts of the same."""
        composable = [known for known in self.faults if known.patches]
        for first, second in combinations(composable, 2):
            patches = first.patches, second.patches
            are_apart = apart(self.source, *patches)
            if not close and are_apart:
                yield first, second
            elif close and not are_apart and woven(self.source, *patches):
                yield first, second


# More than one for each fault of an exercise; a tree with its slips is thousands of objects.
@lru_cache(maxsize=64)
def _with_slips(
    source: str, torch: bool
) -> tuple[ast.Module, list[Slip], list[ast.AST]]:
    """Return a source's tree, its slips, and the nodes whose steps are counted."""
    tree = ast.parse(source)
    return tree, slips_in(tree, torch=torch), countable(tree)


@lru_cache(maxsize=64)
def _places_of(source: str, torch: bool) -> dict[Any, list[int]]:
    found: dict[Any, list[int]] = {}
    for n, slip in enumerate(_with_slips(source, torch)[1]):
        found.setdefault(slip.reads, []).append(n)
    return found


@dataclass(frozen=True)
class Exercise(_Breakable):
    """A function to write, with all that is needed to judge it.

    solution, place, section, task, hints, minutes, level, prepares, points, seconds, library: as in
        `Task`.
    cases: makes the inputs; the first, of the kind "example", are small and the easiest to read.
    drawn: where cases are written out, without random numbers: ``drawn(rng)`` makes others like
        them.
    faults: known mistakes, in the order in which they are tried.
    terms: words of this exercise's own for its sentences: functions of a `Context`.
    properties: tried in this order when no fault fits.
    kinds: sentences for kinds of cases that are this exercise's own.
    built_ins: functions that do the whole exercise.
    results: the names of the results where the function returns several; each is judged by itself.
    use: how a case puts the answer to use, if not by calling it: ``use(answer, *case.args)``
        returns what is judged; raises `WrongForm` where the answer cannot be used so.
    arguments: the names of a case's arguments where they are not those of the solution.
    tolerance: the relative tolerance, where the precision of the arguments does not settle it.
    differentiable: whether gradients must reach the arguments; looked at in PyTorch exercises only.
    wrong_lines: the ids of the faults whose lines are mixed into the Parsons problem, where those
        that would be chosen are not the best.
    """

    _: KW_ONLY
    cases: Callable[[], tuple[Case, ...]]
    drawn: Callable[[Any], tuple[Case, ...]] | None = None
    terms: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    properties: tuple[Property, ...] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    built_ins: tuple[BuiltIn | str, ...] = ()
    results: tuple[str, ...] = ()
    use: Callable[..., Any] | None = None
    arguments: tuple[str, ...] = ()
    tolerance: float | None = None
    differentiable: bool = True
    wrong_lines: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse patches that do not fit the solution and templates with unknown words."""
        super().__post_init__()
        seen: set[str] = set()
        for known in self.faults:
            try:
                self._refuse(known, seen)
            except ValueError as problem:
                where = known.where or self.solution.__module__
                raise BadDeclaration(
                    f"{where}: fault {known.id!r} of {self.name!r}: {problem}"
                ) from None
            seen.add(known.id)

    def _refuse(self, known: Fault, seen: set[str]) -> None:
        if known.id in seen:
            raise ValueError("another fault has this name")
        if known.message is None:
            raise ValueError("it needs a sentence: says=…")
        template = known.message if isinstance(known.message, str) else ""
        unknown = unknown_words(template, {*self.argument_names, *self.terms})
        if unknown:
            raise ValueError(f"its sentence has no word {unknown[0]!r}")
        self.wrong_source(known)

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
        both = product(self.cases(), self.results)
        return tuple(Case((*case.args, result), case.kind) for case, result in both)

    def used(self, answer: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function of a case's arguments whose result is judged."""
        return put_to_use(answer, self.use, self.results)

    def twin(
        self,
        solution: Callable[..., Any],
        *,
        faults: tuple[Fault, ...] = (),
        without: _Ids = (),
        without_cases: _Ids = (),
        in_float64: _Ids = (),
        **own: Any,
    ) -> "Exercise":
        """Return the same exercise in PyTorch: it shares the cases, mistakes and sentences.

        faults: mistakes of the twin's own, and those of NumPy's whose patch reads otherwise here.
        without: the ids of NumPy's mistakes that nobody can make here.
        without_cases: the kinds of NumPy's cases that are not asked for here.
        in_float64: the kinds of cases that stay in float64, where float32 rounds too much. All
            others are float32, and the one called "float32" is float64.
        **own: its place, section, task, hints, minutes and level, and what else differs.
        """
        shared = ("terms", "properties", "results", "points", "tolerance")
        settings = {name: getattr(self, name) for name in shared} | {
            "cases": lambda: _cases_in_torch(
                self.cases(), without_cases, in_float64
            ),
            "faults": _faults_in_torch(self, solution, faults, without),
            "kinds": {"float64": _FLOAT64, **self.kinds},
            "library": "torch",
        }
        return Exercise(solution, **settings | own)


def parameter_names(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's positional parameters."""
    parameters = inspect.signature(function).parameters.values()
    kinds = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    return [p.name for p in parameters if p.kind in kinds]


_FLOAT64 = Kind("for float64 tensors", "A new tensor made without `dtype=`?")


def _cases_in_torch(
    cases: tuple[Case, ...], without: _Ids, in_float64: _Ids
) -> tuple[Case, ...]:
    """Return cases for tensors, which are float32 unless something is said."""
    asked = [case for case in cases if case.kind not in without]
    return tuple(c if c.kind in in_float64 else _in_float32(c) for c in asked)


def _in_float32(case: Case) -> Case:
    other, kind = ("f8", "float64") if case.kind == "float32" else ("f4", case.kind)

    def cast(value: Any) -> Any:
        is_float = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        return value.astype(other) if is_float else value

    return Case(tuple(map(cast, case.args)), kind)


def _faults_in_torch(
    numpy: Exercise, twin: Callable[..., Any], own: tuple[Fault, ...], without: _Ids
) -> tuple[Fault, ...]:
    known, new = ({one.id: one for one in two} for two in (numpy.faults, own))
    missing = {*without} - {*known}
    if missing:
        raise BadDeclaration(
            f"{twin.__module__}: without={missing} are not faults of {numpy.name!r}"
        )
    shared = [id for id in known if id not in without]
    both = [as_in_torch(known[id], new.pop(id, None)) for id in shared]
    return (*both, *new.values())


@dataclass(frozen=True)
class Reason:
    """Why an answer to a question is not right.

    id: a short name, unique in the question.
    applies: takes the learner's answer.
    message: the sentence, or a function of the answer that returns it.
    """

    id: str
    applies: Callable[[Any], bool]
    message: str | Callable[[Any], str]


@dataclass(frozen=True)
class Question(Task):
    """A question whose answer the learner returns from a function without arguments.

    solution, place, section, task, hints, minutes, level, prepares, points, seconds, library: as in
        `Task`; ``solution()`` returns one right answer.
    read: turns what came back into the form that the reasons expect; raises ``ValueError`` with a
        sentence for the learner where that is impossible.
    reasons: the first that applies is said; an answer to which none applies is right.
    fields: what the numbers of the answer are called, in their order, or its one number or shape,
        so that a page can ask for them without a function.
    """

    _: KW_ONLY
    read: Callable[[Any], Any]
    reasons: tuple[Reason, ...]
    fields: tuple[str, ...] = ()


class WrongForm(Exception):
    """The answer cannot be put to use; the text is for the learner.

    message: what to return instead.
    fault: a short name of what is wrong.
    value: what comes back once this is put right, if that is known: of it is said what else is
        wrong.
    """

    def __init__(
        self, message: str, fault: str = "form", value: Any = None
    ) -> None:
        super().__init__(message)
        self.fault, self.value = fault, value


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

    # This leads those who look for the learner's own code to it.
    used.__wrapped__ = answer  # type: ignore[attr-defined]
    used.__name__ = getattr(answer, "__name__", used.__name__)
    return used


def _picked(values: Any, result: str, results: Sequence[str]) -> Any:
    count = {2: "two", 3: "three", 4: "four"}.get(len(results), len(results))
    wanted = f"return {count}: `return {', '.join(results)}`."
    if values is None:
        return None
    if not isinstance(values, tuple | list):
        noun = "array" if hasattr(values, "shape") else f"`{type(values).__name__}`"
        raise WrongForm(f"You return one {noun}; {wanted}", "one-result")
    if len(values) != len(results):
        raise WrongForm(f"You return {len(values)} results; {wanted}", "results")
    return values[results.index(result)]
