"""How an exercise is declared: a solution, its known mistakes as patches of it, and sentences.

A known mistake is what a learner would have typed instead. `Catalog` finds the declarations of a
course by the exercises' names, importing only the module that holds the one that is asked for.
"""

import ast
import dataclasses
import difflib
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from whywrong.arrays import in_torch, in_torch_words
from whywrong.context import Context, unknown_words
from whywrong.slips import Slip, slips_in
from whywrong.steps import Steps, counting, put_in

__all__ = [
    "BadDeclaration",
    "BuiltIn",
    "Case",
    "Catalog",
    "Exercise",
    "Fault",
    "Kind",
    "Property",
    "Question",
    "Reason",
    "Unavailable",
    "WrongForm",
    "apart",
    "fault",
    "fault_list",
    "parameter_names",
    "patched",
    "put_to_use",
]


class BadDeclaration(ValueError):
    """An exercise is declared wrongly; the text names the file and the line."""


# --- cases, and known mistakes --------------------------------------------------------------------


# Where a chapter has more than exercises, this subpackage of it has them.
_INSIDE = "exercises"


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


Patch = tuple[str, str]


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
            f"{file}:{first}: this is not a fault: {rest.splitlines()[0]!r}"
        )
    return tuple(found)


_ENTRY = re.compile(
    r"^(?P<id>[\w-]+): +(?P<change>.+(?:\n +(?:and |→).*)*)\n(?P<says>(?:[ ]+.*\n|\n(?=[ ]))*)",
    re.M,
)


def _lines(code: str) -> str:
    code = code.strip()
    return "" if code == "(nothing)" else re.sub(r" ?⏎ ?", "\n", code)


# --- exercises ------------------------------------------------------------------------------------


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
    tells_all : bool
        Whether it says all there is to say, so that no two mistakes are guessed at.
    """

    id: str
    message: Callable[[Any], str | None]
    any_shape: bool = False
    tells_all: bool = False


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


_LEVELS = ("easy", "medium", "hard")
_MOST_MINUTES = 60


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
    minutes : int
        How long it takes someone who has read the chapter, with time to think.
    level : str
        ``"easy"``, ``"medium"`` or ``"hard"``.
    prepares : tuple of str
        The names of later exercises that build on it.
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
    minutes: int = field(kw_only=True)
    level: str = field(kw_only=True)
    prepares: tuple[str, ...] = field(default=(), kw_only=True)
    points: int = field(default=1, kw_only=True)
    seconds: float = field(default=4.0, kw_only=True)
    library: str = field(default="numpy", kw_only=True)

    @cached_property
    def source(self) -> str:
        """The solution's source, without the indentation around it."""
        return textwrap.dedent(inspect.getsource(self.solution))

    def __post_init__(self) -> None:
        """Refuse a time, a level or names that cannot be meant."""
        problem = None
        if type(self.minutes) is not int or not 1 <= self.minutes <= _MOST_MINUTES:
            problem = f"minutes={self.minutes!r} is not a whole number from 1 to {_MOST_MINUTES}"
        elif self.level not in _LEVELS:
            problem = f"level={self.level!r} is not one of {', '.join(_LEVELS)}"
        elif type(self.prepares) is not tuple:
            problem = (
                f'prepares={self.prepares!r} is not a tuple of names: ("name",)'
            )
        elif len({*self.prepares, self.name}) <= len(self.prepares):
            problem = (
                f"prepares={self.prepares!r} names an exercise twice, or itself"
            )
        if problem:
            raise BadDeclaration(
                f"{self.solution.__module__}: {self.name!r}: {problem}"
            )

    @property
    def name(self) -> str:
        """The exercise's name, unique in the course."""
        return self.solution.__name__

    @property
    def chapter(self) -> str:
        """The slug of its chapter: the folder of its file, or the one around ``exercises``."""
        *_, outer, folder, _ = self.solution.__module__.split(".")
        return outer if folder == _INSIDE else folder


@dataclass(frozen=True)
class Exercise(Task):
    """A function to write, with all that is needed to judge it.

    Parameters
    ----------
    solution, place, section, task, hints, minutes, level, prepares, points, seconds, library
        As in `Task`.
    cases : callable
        Makes the inputs; the first, of the kind "example", are small and the easiest to read.
    drawn : callable, optional
        Where cases are written out, without random numbers: ``drawn(rng)`` makes others like them.
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
    wrong_lines : tuple of str
        The ids of the faults whose lines are mixed into the Parsons problem, where those that
        would be chosen are not the best.
    """

    cases: Callable[[], tuple[Case, ...]] = field(kw_only=True)
    drawn: Callable[[Any], tuple[Case, ...]] | None = field(
        default=None, kw_only=True
    )
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
    wrong_lines: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        """Refuse patches that do not fit the solution and templates with unknown words."""
        super().__post_init__()
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
    def values_with_faults(self) -> dict[Any, Any]:
        """What wrong versions, by their names, give in a case; filled as answers are diagnosed."""
        return {}

    def slips(self, source: str) -> list[Slip]:
        """Return every small slip that can be made in the solution, or in a version of it."""
        return _with_slips(source, self.library == "torch")[1]

    def slipped(self, source: str, n: int, steps: Steps) -> Callable[..., Any]:
        """Return the solution, or this version of it, with one of its slips."""
        tree, slips = _with_slips(source, self.library == "torch")
        return self.compiled(tree, steps, slips[n])

    def compiled(
        self, tree: ast.Module, steps: Steps, *slips: Slip
    ) -> Callable[..., Any]:
        """Return what the tree of a solution defines with these slips; its steps are counted."""
        with put_in(*slips), counting(tree):
            return _compiled(tree, self.solution, self.name, steps.names)

    def used(self, answer: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function of a case's arguments whose result is judged."""
        return put_to_use(answer, self.use, self.results)

    def wrong_version(self, *faults: Fault) -> Callable[..., Any]:
        """Return the solution that makes these mistakes, and no other."""
        if len(faults) == 1 and callable(faults[0].does):
            return faults[0].does
        label = f"{self.name}: {', '.join(known.id for known in faults)}"
        return _compiled(self.wrong_source(*faults), self.solution, label)

    def made_of(self, source: str | ast.Module, label: str) -> Callable[..., Any]:
        """Return what another source of the solution defines, with the names of its module."""
        return _compiled(source, self.solution, label)

    def wrong_source(self, *faults: Fault) -> str:
        """Return the source of that."""
        if isinstance(faults[0].does, str):
            return _with_body(self.source, faults[0].does)
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
        minutes: int,
        level: str,
        faults: tuple[Fault, ...] = (),
        without: tuple[str, ...] = (),
        without_cases: tuple[str, ...] = (),
        in_float64: tuple[str, ...] = (),
        **changes: Any,
    ) -> "Exercise":
        """Return the same exercise in PyTorch: it shares the cases, mistakes and sentences.

        Parameters
        ----------
        solution, place, section, task, hints, minutes, level
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
            shared.append(_fault_in_torch(known, other))
        missing = {*without} - {known.id for known in self.faults}
        if missing:
            raise BadDeclaration(
                f"{solution.__module__}: without={missing} are not faults of {self.name!r}"
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
            minutes=minutes,
            level=level,
            library="torch",
            faults=(*shared, *own.values()),
            **settings,
        )


def parameter_names(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's positional parameters."""
    positional = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    parameters = inspect.signature(function).parameters.values()
    return [
        parameter.name for parameter in parameters if parameter.kind in positional
    ]


# --- twins in PyTorch -----------------------------------------------------------------------------


_FLOAT64 = Kind("for float64 tensors", "A new tensor made without `dtype=`?")


def _fault_in_torch(known: Fault, other: Fault | None) -> Fault:
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


# --- questions ------------------------------------------------------------------------------------


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
    solution, place, section, task, hints, minutes, level, prepares, points, seconds, library
        As in `Task`; ``solution()`` returns one right answer.
    read : callable
        Turns what came back into the form that the reasons expect; raises ``ValueError`` with a
        sentence for the learner where that is impossible.
    reasons : tuple of Reason
        The first that applies is said; an answer to which none applies is right.
    """

    read: Callable[[Any], Any] = field(kw_only=True)
    reasons: tuple[Reason, ...] = field(kw_only=True)


# --- answers that are not judged by what one call returns -----------------------------------------


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

    # This leads those who look for the learner's own code to it.
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


_COUNTS = {2: "two", 3: "three", 4: "four"}


# --- patches of a solution ------------------------------------------------------------------------


def patched(source: str, patches: Iterable[Patch]) -> str:
    """Return a source with each of these texts replaced; raise ``ValueError`` if that fails.

    Each text must occur exactly once, and no two may touch.
    """
    places = sorted((*_place(source, find), replace) for find, replace in patches)
    for (_, end, _), (start, _, _) in zip(places, places[1:], strict=False):
        if start < end:
            raise ValueError("two patches touch the same text")
    for start, end, replace in reversed(places):
        source = source[:start] + _indented(source, start, replace) + source[end:]
    return source


def _indented(source: str, place: int, code: str) -> str:
    """Return code of several lines, the later ones indented at least like the line of its place."""
    line = source[source.rfind("\n", 0, place) + 1 : place]
    indent = line[: len(line) - len(line.lstrip())]
    first, *rest = code.split("\n")
    return "\n".join(
        [
            first,
            *(
                part if part.startswith(indent or " ") else indent + part
                for part in rest
            ),
        ]
    )


def apart(source: str, one: Iterable[Patch], other: Iterable[Patch]) -> bool:
    """Whether two sets of patches touch different text."""
    return all(
        _place(source, a)[0] >= _place(source, b)[1]
        or _place(source, b)[0] >= _place(source, a)[1]
        for a, _ in one
        for b, _ in other
    )


def _place(source: str, find: str) -> tuple[int, int]:
    """Return where a text stands; the lines of several may be indented in any way."""
    lines = r"\n\s*".join(
        re.escape(line.strip() if i else line)
        for i, line in enumerate(find.split("\n"))
    )
    places = [match.span() for match in re.finditer(lines, source)]
    if len(places) != 1 or not find:
        raise ValueError(
            f"{find!r} occurs {len(places)} times in the solution, not once"
        )
    return places[0]


def _with_body(source: str, body: str) -> str:
    """Return a function's source with other lines for a body."""
    head = re.match(r"def .*?\):\n", source, re.S)
    if head is None:
        raise ValueError("only a function, not a class, can be given another body")
    return head[0] + textwrap.indent(
        textwrap.dedent(body).strip("\n") + "\n", "    "
    )


_LIBRARIES = (("np", "numpy"), ("torch", "torch"))


# More than one for each fault of an exercise; a tree with its slips is thousands of objects.
@lru_cache(maxsize=64)
def _with_slips(source: str, torch: bool) -> tuple[ast.Module, list[Slip]]:
    tree = ast.parse(source)
    return tree, slips_in(tree, torch=torch)


def _compiled(
    source: str | ast.Module,
    like: Callable[..., Any],
    label: str,
    more: Mapping[str, Any] | None = None,
) -> Callable[..., Any]:
    """Return what a source defines, with the names of the module that holds ``like``."""
    known = {
        name: sys.modules[module]
        for name, module in _LIBRARIES
        if module in sys.modules
    }
    names = {**known, **vars(inspect.getmodule(like)), **(more or {})}
    exec(compile(source, f"<{label}>", "exec"), names)
    return names[like.__name__]


# --- the exercises of a course --------------------------------------------------------------------


# Where a course has functions that a learner may forget to import, by the library that they are
# written with; a catalog says so.
HOMES: dict[str, str] = {}


class Unavailable(Exception):
    """There is no such exercise, or it cannot be loaded; the text is for the learner."""


class Catalog:
    """All exercises of a course, loaded when they are asked for.

    Each is declared in a file of its own: ``exercise = Exercise(solution, place=…, …)``. The files
    are read, not imported, to see which there are: PyTorch is loaded only where it is needed.

    Parameters
    ----------
    package : str
        The package that has a subpackage for each chapter. It holds the exercises, or a subpackage
        ``exercises`` of it does.
    folder : Path
        Where it lies.
    chapters : sequence of str
        The chapters' slugs in their order.
    homes : mapping, optional
        Where the course has functions that a learner may forget to import, by the library that
        they are written with: ``{"numpy": "my_course.functions"}``.
    """

    def __init__(
        self,
        package: str,
        folder: Path,
        chapters: Sequence[str],
        homes: Mapping[str, str] | None = None,
    ) -> None:
        self.package, self._folder, self._slugs = package, folder, chapters
        HOMES.update(homes or {})

    def title(self, slug: str) -> str:
        """Return a chapter's title: the first line of its subpackage's docstring, or its slug."""
        file = self._folder / slug / "__init__.py"
        said = (
            ast.get_docstring(ast.parse(file.read_text("utf-8")))
            if file.exists()
            else None
        )
        return said.splitlines()[0].rstrip(".") if said else slug

    @cached_property
    def chapters(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the exercises of each chapter, in their order."""
        return {
            slug: tuple(
                name
                for name, module in self.modules.items()
                if f".{slug}." in module
            )
            for slug in self._slugs
        }

    @cached_property
    def modules(self) -> Mapping[str, str]:
        """The module of each exercise."""
        found: dict[str, str] = {}
        for slug in self._slugs:
            declared = sorted(map(_declared, self._files(slug)))
            if not declared:
                raise BadDeclaration(
                    f"{self._folder_of(slug)}: no exercise is declared here"
                )
            for _, name, file in declared:
                if name in found:
                    where = f"{file}:{_line_of(file)}"
                    raise BadDeclaration(
                        f"{where}: another exercise is called {name!r}: {found[name]}"
                    )
                found[name] = self._module_of(slug, file.stem)
        return found

    def _folder_of(self, slug: str) -> Path:
        chapter = self._folder / slug
        inside = chapter / _INSIDE
        return inside if inside.is_dir() else chapter

    def _module_of(self, slug: str, file: str) -> str:
        place = (self._folder_of(slug) / file).relative_to(self._folder)
        return ".".join((self.package, *place.parts))

    def _files(self, slug: str) -> list[Path]:
        return [
            file
            for file in self._folder_of(slug).glob("*.py")
            if file.name[0] != "_"
        ]

    def _module(self, name: str) -> str | None:
        """Return the module of an exercise, without reading all files where its name tells it."""
        for slug in self._slugs:
            if (
                name.isidentifier()
                and (self._folder_of(slug) / f"{name}.py").exists()
            ):
                return self._module_of(slug, name)
        return self.modules.get(name)

    def find(self, name: str) -> Exercise | Question:
        """Return an exercise; raise `Unavailable` with a sentence where that is impossible."""
        where = self._module(name)
        if where is None:
            raise Unavailable(self._unknown(name))
        try:
            module = importlib.import_module(where)
        except ModuleNotFoundError as error:
            raise Unavailable(
                f"`{name}` needs `{error.name}`, which is not installed here: "
                f"`pip install {error.name}`."
            ) from error
        return module.exercise

    def name_of(self, value: Any, name: str | None) -> str:
        """Return the name of the exercise that a learner means."""
        if isinstance(name, str):
            return name
        if name is not None:
            raise Unavailable(
                "The second argument is the exercise's name, in quotes: "
                f'`check(fn, "{self._any}")`.'
            )
        own = getattr(value, "__name__", None)
        if own is None and type(value).__name__ in self.modules:
            return type(value).__name__  # an exercise's class, called by mistake
        if isinstance(value, str) or own is None:
            return value if isinstance(value, str) else self._overwritten(value)
        if own == "<lambda>":
            raise Unavailable(
                "A `lambda` has no name: say which exercise it is for, "
                f'for example `check(lambda …: …, "{self._any}")`.'
            )
        return own

    @property
    def _any(self) -> str:
        """The name of an exercise, for examples."""
        return next(iter(self.modules))

    def _overwritten(self, value: Any) -> str:
        """Return the exercise whose name the learner gave to this value in the notebook."""
        namespace = vars(sys.modules["__main__"])
        for name in self.modules:
            if value is not None and namespace.get(name) is value:
                return name
        noun = type(value).__name__
        raise Unavailable(
            f"`check` takes the function itself, but was given a value of type `{noun}`: write "
            f"`check({self._any})`, without parentheses or arguments after the name. If the name "
            "was overwritten, run the cell that defines the function again."
        )

    def _unknown(self, name: str) -> str:
        close = difflib.get_close_matches(name, self.modules, n=3, cutoff=0.5)
        message = f"There is no exercise called `{name}`."
        if not close:
            return f'{message} Pass its name as well: `check(fn, "…")`; `progress()` lists them.'
        meant = " or ".join(f"`{other}`" for other in close)
        return (
            f'{message} Did you mean {meant}? Then `check({name}, "{close[0]}")`.'
        )


_EXERCISE = re.compile(r"^exercise = .*$", re.M)
_SOLUTION = re.compile(r"^    (?:solution=)?(\w+),$", re.M)
_PLACE = re.compile(r"^    place=(\d+),$", re.M)


def _declared(file: Path) -> tuple[int, str, Path]:
    """Return the place and the name of the exercise that a file declares."""
    text = file.read_text("utf-8")
    start = _EXERCISE.search(text)
    parts = start and [
        part.search(text, start.end()) for part in (_PLACE, _SOLUTION)
    ]
    if parts and None not in parts:
        place, name = (part[1] for part in parts if part)
    else:  # written in another form than the book's
        place, name = _parsed(text, file)
    return int(place), name, file


def _parsed(text: str, file: Path) -> tuple[int, str]:
    try:
        body = ast.parse(text).body
    except SyntaxError as error:
        raise BadDeclaration(f"{file}:{error.lineno}: {error.msg}") from None
    for line in body:
        if not isinstance(line, ast.Assign) or not isinstance(line.value, ast.Call):
            continue
        given = {word.arg: word.value for word in line.value.keywords}
        first = [*line.value.args[:1], given.get("solution")][0]
        place = given.get("place")
        if (
            ast.unparse(line.targets[0]) == "exercise"
            and isinstance(first, ast.Name)
            and isinstance(place, ast.Constant)
            and isinstance(place.value, int)
        ):
            return place.value, first.id
    raise BadDeclaration(
        f"{file}:{_line_of(file)}: no `exercise = Exercise(…)` with the name of its solution and "
        "`place=` with a number"
    )


def _line_of(file: Path) -> int:
    """Return the line of a file's declaration."""
    text = file.read_text("utf-8")
    start = _EXERCISE.search(text)
    return text.count("\n", 0, start.start()) + 1 if start else 1
