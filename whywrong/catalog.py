"""The exercises of a course, found in its files by their names."""

import ast
import difflib
import importlib
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whywrong.context import Sentences
from whywrong.patches import BadDeclaration

if TYPE_CHECKING:
    from whywrong.declare import Exercise, Question

__all__ = ["HOMES", "INSIDE", "Catalog", "Unavailable"]

# Where a chapter has more than exercises, this subpackage of it has them.
INSIDE = "exercises"
# Where a course has functions that a learner may forget to import, by the library that they are
# written with; a catalog says so.
HOMES: dict[str, str] = {}


class Unavailable(Exception):
    """There is no such exercise, or it cannot be loaded; the text is for the learner."""


_SAID = Sentences("""
missing: `{name}` needs `{needs}`, which is not installed here: `pip install {needs}`.
quotes: The second argument is the exercise's name, in quotes: `check(fn, "{any}")`.
lambda: A `lambda` has no name: say which exercise it is for, for example `check(lambda …: …,
    "{any}")`.
value: `check` takes the function itself, but was given a value of type `{kind}`: write
    `check({any})`, without parentheses or arguments after the name. If the name was overwritten,
    run the cell that defines the function again.
unknown: There is no exercise called `{name}`. Pass its name as well: `check(fn, "…")`;
    `progress()` lists them.
close: There is no exercise called `{name}`. Did you mean {meant}? Then `check({name}, "{best}")`.
""")


class Catalog:
    """All exercises of a course, loaded when they are asked for.

    Each is declared in a file of its own: ``exercise = Exercise(solution, place=…, …)``. The files
    are read, not imported, to see which there are: PyTorch is loaded only where it is needed.

    package: the package that has a subpackage for each chapter. It holds the exercises, or a
        subpackage ``exercises`` of it does.
    folder: where it lies.
    chapters: the chapters' slugs in their order.
    homes: where the course has functions that a learner may forget to import, by the library that
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
        tree = ast.parse(file.read_text("utf-8") if file.exists() else "")
        said = ast.get_docstring(tree)
        return said.splitlines()[0].rstrip(".") if said else slug

    @cached_property
    def chapters(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the exercises of each chapter, in their order."""
        modules = self.modules.items()
        return {
            slug: tuple(name for name, module in modules if f".{slug}." in module)
            for slug in self._slugs
        }

    @cached_property
    def modules(self) -> Mapping[str, str]:
        """The module of each exercise."""
        found: dict[str, str] = {}
        for slug in self._slugs:
            folder = self._folder_of(slug)
            files = [file for file in folder.glob("*.py") if file.name[0] != "_"]
            if not files:
                raise BadDeclaration(f"{folder}: no exercise is declared here")
            for _, name, file, line in sorted(map(_declared, files)):
                if name in found:
                    raise BadDeclaration(
                        f"{file}:{line}: another exercise is called {name!r}: {found[name]}"
                    )
                found[name] = self._module_of(file)
        return found

    def _folder_of(self, slug: str) -> Path:
        chapter = self._folder / slug
        inside = chapter / INSIDE
        return inside if inside.is_dir() else chapter

    def _module_of(self, file: Path) -> str:
        place = file.with_suffix("").relative_to(self._folder)
        return ".".join((self.package, *place.parts))

    def find(self, name: str) -> "Exercise | Question":
        """Return an exercise; raise `Unavailable` with a sentence where that is impossible."""
        # Not all files are read where a file's name tells.
        files = [self._folder_of(slug) / f"{name}.py" for slug in self._slugs]
        own = [file for file in files if name.isidentifier() and file.exists()]
        where = self._module_of(own[0]) if own else self.modules.get(name)
        if where is None:
            raise self._unknown(name)
        try:
            return importlib.import_module(where).exercise
        except ModuleNotFoundError as error:
            said = _SAID.say("missing", name=name, needs=error.name)
            raise Unavailable(said) from error

    def name_of(self, value: Any, name: str | None) -> str:
        """Return the name of the exercise that a learner means."""
        if isinstance(name, str):
            return name
        if name is not None:
            raise self._unavailable("quotes")
        if isinstance(value, str):
            return value
        own = getattr(value, "__name__", None)
        if own is None and type(value).__name__ in self.modules:
            return type(value).__name__  # an exercise's class, called by mistake
        if own == "<lambda>":
            raise self._unavailable("lambda")
        return self._overwritten(value) if own is None else own

    def _overwritten(self, value: Any) -> str:
        """Return the exercise whose name the learner gave to this value in the notebook."""
        namespace = vars(sys.modules["__main__"])
        for name in self.modules:
            if value is not None and namespace.get(name) is value:
                return name
        raise self._unavailable("value", kind=type(value).__name__)

    def _unavailable(self, sentence: str, **words: Any) -> Unavailable:
        example = next(iter(self.modules))
        return Unavailable(_SAID.say(sentence, any=example, **words))

    def _unknown(self, name: str) -> Unavailable:
        close = difflib.get_close_matches(name, self.modules, n=3, cutoff=0.5)
        if not close:
            return self._unavailable("unknown", name=name)
        meant = " or ".join(f"`{other}`" for other in close)
        return self._unavailable("close", name=name, meant=meant, best=close[0])


def _declared(file: Path) -> tuple[int, str, Path, int]:
    """Return the place and the name of a file's exercise, the file, and the line."""
    line = 1
    try:
        body = ast.parse(file.read_text("utf-8")).body
    except SyntaxError as error:
        raise BadDeclaration(f"{file}:{error.lineno}: {error.msg}") from None
    for statement in body:
        match statement:
            case ast.Assign([ast.Name("exercise")], ast.Call(_, args, keywords)):
                line, given = statement.lineno, {k.arg: k.value for k in keywords}
                match [*args[:1], given.get("solution")][0], given.get("place"):
                    case ast.Name(name), ast.Constant(int(place)):
                        return place, name, file, line
    raise BadDeclaration(
        f"{file}:{line}: no `exercise = Exercise(…)` with the name of its solution and `place=` "
        "with a number"
    )
