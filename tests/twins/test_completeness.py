"""A public function without a twin or a case stops the tests, with its file and line."""

import inspect

import pytest

from tests.support.completeness import complaints
from tests.support.twin_table import module
from tests.twins import cases
from tests.twins.conftest import pytest_collection_modifyitems


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
        f"is missing in {table} of tests/twins/cases/softmax.py"
    )
    assert complaints(cases) == [wanted]
    with pytest.raises(pytest.UsageError, match="softmax.entropy is missing in"):
        pytest_collection_modifyitems()


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


def test_complaints_name_what_only_torch_has_unless_it_is_declared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone = {
        k: v for k, v in cases.TORCH_ONLY.items() if k != "multi_head.to_torch"
    }
    monkeypatch.setattr(cases, "TORCH_ONLY", alone)
    (found,) = complaints(cases)
    assert found.startswith("course_attn/in_torch/")
    assert found.endswith(": multi_head.to_torch has no twin in in_numpy")


def test_complaints_are_none_and_the_tests_run() -> None:
    assert complaints(cases) == []
    pytest_collection_modifyitems()
