"""What is missing among the twins: a function without its twin, or without its rows in a table."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.twin_table import (
    LIBRARIES,
    everything,
    functions,
    module,
    public,
)

ROOT = Path(__file__).parents[2]
TABLES = ("CASES", "ORACLES", "BY_HAND", "BAD_INPUT")


def complaints(tables: Any) -> list[str]:
    """Return a line for each name of two chapters, and each function without twin or rows.

    `tables` is `tests.twins.cases`. Every argument must be given in some case, and every option
    must be refused in some call.
    """
    without_rows = list(_without_rows(tables))
    return [
        *_claimed_twice(),
        *_without_twin(),
        *(without_rows or _with_arguments_not_tried(tables)),
    ]


def _claimed_twice() -> Iterator[str]:
    """Name each name of two modules: the flat face of the library can show only one."""
    for library in LIBRARIES:
        first: dict[str, str] = {}
        for path in everything(library):
            chapter, name = path.split(".")
            if first.setdefault(name, chapter) != chapter:
                yield (
                    f"{_where(library, path)}: {name} is a name of "
                    f"{library}.{first[name]}, too; `from course_attn.{library} import "
                    f"{name}` can find one of them only"
                )


def _without_twin() -> Iterator[str]:
    for library, other in zip(LIBRARIES, reversed(LIBRARIES), strict=True):
        for path in functions(library):
            if not _is_in(other, path):
                yield f"{_where(library, path)}: {path} has no twin in {other}"


def _is_in(library: str, path: str) -> bool:
    chapter, name = path.split(".")
    try:
        return name in module(library, chapter).__all__
    except ModuleNotFoundError:
        return False


def _without_rows(tables: Any) -> Iterator[str]:
    for path in functions("in_numpy"):
        missing = [
            name for name in TABLES if path not in _functions_in(tables, name)
        ]
        if missing:
            file = f"tests/chapters/{path.split('.')[0]}/cases.py"
            where = _where("in_numpy", path)
            yield f"{where}: {path} is missing in {', '.join(missing)} of {file}"


def _with_arguments_not_tried(tables: Any) -> Iterator[str]:
    for path in functions("in_numpy"):
        arguments = set(inspect.signature(public("in_numpy", path)).parameters)
        cases = [case for case in tables.CASES if case.function == path]
        given = {name for case in cases for name in (*case.arrays, *case.options)}
        refused = {bad.names for bad in tables.BAD_INPUT if bad.function == path}
        options = arguments - set(tables.arguments_of(path))
        for problem, names in {
            "no case gives": arguments - given,
            "no such argument as": given - arguments,
            "no call must refuse": options - refused,
        }.items():
            if names:
                where = _where("in_numpy", path)
                yield f"{where}: {path}: {problem} {', '.join(sorted(names))}"


def _functions_in(tables: Any, name: str) -> set[str]:
    rows = getattr(tables, name)
    if name == "ORACLES":
        return {path for path, oracles in rows.items() if oracles}
    return {row.function for row in rows}


def _where(library: str, path: str) -> str:
    """Return file and line of a function, as editors understand them."""
    function = inspect.unwrap(public(library, path))
    file = Path(inspect.getsourcefile(function) or "?").resolve()
    shown = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
    return f"{shown}:{inspect.getsourcelines(function)[1]}"
