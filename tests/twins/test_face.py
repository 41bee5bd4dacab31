"""The NumPy and the PyTorch version of every public function have one face, and all are tried.

The calls are listed in `cases/`; without a function that is missing there no test runs: see
`conftest.py`. What the calls give, refuse and pass back is compared in the modules beside.
"""

import inspect
import re
from typing import Any

import pytest
import torch

from tests.support.twin_table import LIBRARIES, chapters, module, public
from tests.twins.cases import (
    BAD_INPUT,
    BY_HAND,
    CASES,
    FUNCTIONS,
    ORACLES,
    TORCH_ONLY,
)

each_function = pytest.mark.parametrize("function", FUNCTIONS)


# --- the same face --------------------------------------------------------------------------------


def test_chapters_are_the_same_in_both_libraries() -> None:
    assert chapters("in_numpy") == chapters("in_torch") != []


@pytest.mark.parametrize("chapter", chapters("in_numpy"))
def test_chapters_export_the_same_names_in_both_libraries(chapter: str) -> None:
    """PyTorch may add `nn.Module`s; all else comes in pairs."""
    in_torch = module("in_torch", chapter)
    modules = {
        name
        for name in in_torch.__all__
        if inspect.isclass(found := getattr(in_torch, name))
        and issubclass(found, torch.nn.Module)
    }
    assert set(module("in_numpy", chapter).__all__) == (
        set(in_torch.__all__) - modules
    )


@each_function
def test_signatures_agree(function: str) -> None:
    """Names, order, kinds, defaults, and annotations apart from the types of array and dtype.

    PyTorch may add the options that TORCH_ONLY lists.
    """

    def face(library: str) -> list[tuple[Any, ...]]:
        parameters = inspect.signature(
            public(library, function)
        ).parameters.values()
        return [
            (
                p.name,
                p.kind,
                # a function of ours is the same if it has the same name
                p.default.__name__ if inspect.isfunction(p.default) else p.default,
                "" if p.name == "dtype" else _plain(str(p.annotation)),
            )
            for p in parameters
            if library == "in_numpy" or p.name not in TORCH_ONLY.get(function, ())
        ]

    assert face("in_numpy") == face("in_torch")


def _plain(annotation: str) -> str:
    home = r"numpy\.random\._generator\.|torch\._C\.|numpy\.|torch\."
    return re.sub(home, "", re.sub(r"ndarray|Tensor", "Array", annotation))


@each_function
def test_docstrings_agree(function: str) -> None:
    """Only the section Examples may differ: it shows each library's own spelling."""
    texts, examples = zip(
        *(_without_examples(library, function) for library in LIBRARIES),
        strict=True,
    )
    assert texts[0] == texts[1]
    assert all(f">>> {function.split('.')[1]}(" in example for example in examples)


def _without_examples(library: str, function: str) -> tuple[str, str]:
    """Split a docstring into all but its Examples, and these."""
    text = inspect.getdoc(public(library, function))
    assert text is not None
    before, examples = text.split("\n\nExamples\n--------\n")
    return before, examples


def test_rows_of_the_tables_name_public_functions() -> None:
    rows = {row.function for row in (*CASES, *BY_HAND, *BAD_INPUT)} | set(ORACLES)
    assert rows == set(FUNCTIONS)
