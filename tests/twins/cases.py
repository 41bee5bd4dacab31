"""The tables that the tests of the twins work through.

A chapter's rows are in `tests/chapters/<slug>/cases.py`; a new public function needs some. Of long
tables parts lie in modules beside it.

- `CASES`: calls with random arrays, in which both twins must agree with each other.
- `ORACLES`: what each function must equal, computed by code that is not ours: NumPy arrays in, a
  NumPy array or a tensor out, by PyTorch's or SciPy's functions or by the formula.
- `BY_HAND`: calls whose results were worked out on paper with small numbers, and what the
  docstrings promise for empty, NaN and infinite input.
- `BAD_INPUT`: calls that must be refused, and the argument that the message must name. Wrong
  kinds and dtypes need no rows: they are tried on every array argument of every function.
- `TORCH_ONLY`, where a chapter has one: options of functions that NumPy's twin does not have.
- `READS_NUMBERS`, where a chapter has one: functions that look at the numbers in an argument to
  check them, which `meta` tensors have not.
"""

import importlib
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from tests.support.twin_table import Bad, Case, chapters, functions

FUNCTIONS = functions("in_numpy")

# A chapter without a table is met by `complaints`, as its functions are.
_TABLES = [
    importlib.import_module(f"tests.chapters.{name}.cases")
    for name in chapters("in_numpy")
    if find_spec(f"tests.chapters.{name}.cases")
]

CASES: list[Case] = [case for table in _TABLES for case in table.CASES]
ORACLES: dict[str, dict[str, Callable[..., Any]]] = {
    function: oracles
    for table in _TABLES
    for function, oracles in table.ORACLES.items()
}
BY_HAND: list[Case] = [case for table in _TABLES for case in table.BY_HAND]
BAD_INPUT: list[Bad] = [bad for table in _TABLES for bad in table.BAD_INPUT]
TORCH_ONLY: dict[str, set[str]] = {
    function: options
    for table in _TABLES
    for function, options in getattr(table, "TORCH_ONLY", {}).items()
}
READS_NUMBERS: set[str] = {
    function
    for table in _TABLES
    for function in getattr(table, "READS_NUMBERS", ())
}


def fullest(function: str) -> Case:
    """Return the case of a function with the most arrays, a call that is known to be good."""
    cases = [case for case in CASES if case.function == function]
    return max(cases, key=lambda case: len(case.arrays))


def arguments_of(function: str) -> dict[str, np.ndarray]:
    """Return all the arrays that a function takes, as they are in one good call."""
    return (
        fullest(function).arrays if function in {c.function for c in CASES} else {}
    )
