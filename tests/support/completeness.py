"""What is missing among the twins: a function without its twin, or without its rows in a table."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.twin_table import LIBRARIES, functions, module, public

ROOT = Path(__file__).parents[2]
TABLES = ("CASES", "ORACLES", "BY_HAND", "BAD_INPUT")


def complaints(tables: Any) -> list[str]:
    """Return a line for each public function that lacks a twin, or rows in one of the tables.

    `tables` is `tests.twins.cases`. A function in its TORCH_ONLY needs neither.
    """
    return [*_without_twin(tables.TORCH_ONLY), *_without_rows(tables)]


def _without_twin(alone: Any) -> Iterator[str]:
    for library, other in zip(LIBRARIES, reversed(LIBRARIES), strict=True):
        for path in functions(library):
            if path not in alone and not _is_in(other, path):
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
            file = f"tests/twins/cases/{path.split('.')[0]}.py"
            where = _where("in_numpy", path)
            yield f"{where}: {path} is missing in {', '.join(missing)} of {file}"


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
