"""A public function without a twin or a case stops the tests, with its file and line."""

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.support.completeness import complaints
from tests.support.twin_table import Case, module
from tests.twins import cases
from tests.twins.conftest import found_complaints, pytest_collect_file


@pytest.fixture(autouse=True)
def complaints_are_looked_for_anew() -> Iterator[None]:
    """Forget what the collection of these tests found, and afterward what a test found."""
    found_complaints.cache_clear()
    yield
    found_complaints.cache_clear()


def line_of(function: str) -> int:
    """Return the line where a function of the NumPy side begins."""
    found = getattr(module("in_numpy", "softmax"), function)
    return inspect.getsourcelines(inspect.unwrap(found))[1]


@pytest.mark.parametrize("table", ["CASES", "BY_HAND", "BAD_INPUT", "ORACLES"])
def test_complaints_name_a_function_without_rows(
    table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = getattr(cases, table)
    fewer = (
        rows | {"softmax.entropy": {}}
        if table == "ORACLES"
        else [row for row in rows if row.function != "softmax.entropy"]
    )
    monkeypatch.setattr(cases, table, fewer)
    wanted = (
        f"course_attn/in_numpy/softmax.py:{line_of('entropy')}: softmax.entropy "
        f"is missing in {table} of tests/chapters/softmax/cases.py"
    )
    assert complaints(cases) == [wanted]
    with pytest.raises(
        pytest.Collector.CollectError, match="softmax.entropy is missing in"
    ):
        pytest_collect_file()


@pytest.mark.parametrize(
    ("table", "hit", "problem"),
    [
        ("CASES", lambda row: "temperature" in row.options, "no case gives"),
        (
            "BAD_INPUT",
            lambda row: row.names == "temperature",
            "no call must refuse",
        ),
    ],
)
def test_complaints_name_an_option_that_is_not_tried(
    table: str, hit: Any, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = getattr(cases, table)
    fewer = [r for r in rows if not (r.function == "softmax.softmax" and hit(r))]
    monkeypatch.setattr(cases, table, fewer)
    where = f"course_attn/in_numpy/softmax.py:{line_of('softmax')}"
    assert complaints(cases) == [f"{where}: softmax.softmax: {problem} temperature"]


def test_complaints_name_an_argument_that_there_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = Case("softmax.softmax", "wrong", {"logits": np.ones(3)})
    monkeypatch.setattr(cases, "CASES", [*cases.CASES, wrong])
    (found,) = complaints(cases)
    assert found.endswith(": softmax.softmax: no such argument as logits")


def test_complaints_name_a_function_without_a_twin(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_torch = module("in_torch", "softmax")
    fewer = [name for name in in_torch.__all__ if name != "entropy"]
    monkeypatch.setattr(in_torch, "__all__", fewer)
    where = f"course_attn/in_numpy/softmax.py:{line_of('entropy')}"
    assert complaints(cases) == [
        f"{where}: softmax.entropy has no twin in in_torch"
    ]


def test_complaints_name_what_only_torch_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    in_numpy = module("in_numpy", "qkv")
    fewer = [name for name in in_numpy.__all__ if name != "fused_attention"]
    monkeypatch.setattr(in_numpy, "__all__", fewer)
    (found,) = complaints(cases)
    assert found.startswith("course_attn/in_torch/")
    assert found.endswith(": qkv.fused_attention has no twin in in_numpy")


def test_complaints_name_a_name_that_two_chapters_claim(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scaling, softmax = module("in_numpy", "scaling"), module("in_numpy", "softmax")
    monkeypatch.setattr(scaling, "entropy", softmax.entropy)
    monkeypatch.setattr(scaling, "__all__", [*scaling.__all__, "entropy"])
    (found, *_) = complaints(cases)
    assert found == (
        f"course_attn/in_numpy/softmax.py:{line_of('entropy')}: entropy is a name of "
        "in_numpy.scaling, too; `from course_attn.in_numpy import entropy` can find one "
        "of them only"
    )


def test_complaints_are_none_and_the_tests_run() -> None:
    assert complaints(cases) == []
    pytest_collect_file()
