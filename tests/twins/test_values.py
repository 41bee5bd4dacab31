"""The NumPy and the PyTorch version of every public function give the same right values."""

import inspect
from typing import Any

import numpy as np
import pytest
import torch

from tests.support.comparison import TOLERANCE, assert_close, each_of_16_bits
from tests.support.twin_table import (
    LIBRARIES,
    Case,
    dtype_promised,
    in_numpy,
    parts,
    public,
    result_kind,
    twin,
)
from tests.twins.cases import BY_HAND, CASES, FUNCTIONS, ORACLES, READS_NUMBERS

each_case = pytest.mark.parametrize("case", CASES, ids=str)
WITH_ARRAYS = [case for case in CASES if case.arrays]
WITH_FLOATS = [case for case in CASES if result_kind(case.function) == "float"]


def each_function_of(cases: list[Case]) -> Any:
    """Run a test once for each function that has such a case."""
    found = [
        path for path in FUNCTIONS if path in {case.function for case in cases}
    ]
    return pytest.mark.parametrize("function", found)


def of(function: str, cases: list[Case]) -> list[Case]:
    """Return the cases of one function."""
    return [case for case in cases if case.function == function]


# --- the same values ------------------------------------------------------------------------------


@each_case
def test_twins_agree(case: Case, subtests: pytest.Subtests) -> None:
    """Same numbers in, same numbers out; dtype in = dtype out; float32 is as good as it can be."""
    for dtype in TOLERANCE:
        with subtests.test(dtype=dtype):
            assert_twins_agree(case, dtype)


def assert_twins_agree(case: Case, dtype: str) -> None:
    """Compare types, dtypes and numbers, and what NumPy gives with what it gives in float64."""
    by_numpy = public("in_numpy", case.function)(
        **case.arguments("in_numpy", dtype)
    )
    by_torch = public("in_torch", case.function)(
        **case.arguments("in_torch", dtype)
    )
    if result_kind(case.function) == "number":
        promised = inspect.signature(public("in_numpy", case.function))
        kind = promised.return_annotation
        assert type(by_numpy) is type(by_torch) is kind
    else:
        for part in parts(by_numpy):
            assert isinstance(part, np.ndarray | np.floating)
            assert str(part.dtype) == dtype_promised(case.function, part, dtype)
        for part in parts(by_torch):
            assert isinstance(part, torch.Tensor)
            wanted = dtype_promised(case.function, part, dtype)
            assert part.dtype == getattr(torch, wanted)
    assert_close(by_torch, by_numpy, TOLERANCE[dtype])

    exact = {
        name: array.astype(dtype).astype(float) if array.dtype == float else array
        for name, array in case.arrays.items()
    }
    in_float64 = twin("in_numpy", case.function)(**exact, **case.options)
    assert_close(by_numpy, in_float64, TOLERANCE[dtype])


@each_function_of(WITH_ARRAYS)
def test_inputs_are_left_alone(
    function: str, library: str, subtests: pytest.Subtests
) -> None:
    """They are unchanged, and writing into a result would not reach back into them."""
    for case in of(function, WITH_ARRAYS):
        with subtests.test(str(case)):
            arguments = case.arguments(library)
            result = in_numpy(public(library, function)(**arguments))
            for name, array in case.arrays.items():
                after = in_numpy(arguments[name])
                assert after.tobytes() == array.tobytes(), name
                shared = [np.shares_memory(part, after) for part in parts(result)]
                assert not any(shared), name


@each_function_of(WITH_ARRAYS)
def test_layout_in_memory_does_not_matter(
    function: str, library: str, subtests: pytest.Subtests
) -> None:
    """Transposed views and every second entry of a larger array are arrays like any other."""
    call = public(library, function)
    for case in of(function, WITH_ARRAYS):
        with subtests.test(str(case)):
            arguments = case.arguments(library)
            wanted = call(**arguments)
            for spread in (_transposed_twice, _every_second):
                arrays = {name: spread(arguments[name]) for name in case.arrays}
                assert_close(call(**arguments | arrays), wanted, 1e-12)


def _transposed_twice(array: Any) -> Any:
    if isinstance(array, np.ndarray):
        return np.ascontiguousarray(array.T).T
    axes = tuple(reversed(range(array.ndim)))
    return array.permute(axes).contiguous().permute(axes)


def _every_second(array: Any) -> Any:
    doubled = (
        np.repeat(array, 2, -1)
        if isinstance(array, np.ndarray)
        else array.repeat_interleave(2, -1)
    )
    return doubled[..., ::2]


@each_of_16_bits
@each_function_of(WITH_FLOATS)
def test_16_bit_input_gives_16_bit_output(
    function: str, library: str, dtype: str, subtests: pytest.Subtests
) -> None:
    for case in of(function, WITH_FLOATS):
        # Squares above 65504 are inf in float16.
        with (
            subtests.test(str(case)),
            np.errstate(over="ignore", invalid="ignore"),
        ):
            result = public(library, function)(**case.arguments(library, dtype))
            for part in parts(result):
                assert str(part.dtype).removeprefix("torch.") == dtype


@pytest.mark.slow
@each_function_of([c for c in WITH_ARRAYS if c.function not in READS_NUMBERS])
def test_torch_functions_follow_their_inputs_to_any_device(
    function: str, subtests: pytest.Subtests
) -> None:
    """On the device `meta`, which has shapes but no numbers, a tensor from elsewhere is refused."""
    call = public("in_torch", function)
    for case in of(function, WITH_ARRAYS):
        with subtests.test(str(case)):
            on_meta = parts(call(**case.arguments("in_torch", device="meta")))
            on_cpu = parts(call(**case.arguments("in_torch")))
            assert {part.device.type for part in on_meta} == {"meta"}
            assert [part.shape for part in on_meta] == [
                part.shape for part in on_cpu
            ]


# --- third oracles and hand-worked cases: an error in both twins at once --------------------------


@each_function_of(CASES)
def test_code_of_others_agrees(function: str, subtests: pytest.Subtests) -> None:
    """For every case, whatever PyTorch, SciPy or the formula of a paper gives."""
    for case in of(function, CASES):
        for oracle, by_others in ORACLES[function].items():
            wanted = by_others(**case.arrays, **case.options)
            for library in LIBRARIES:
                with subtests.test(str(case), oracle=oracle, library=library):
                    found = twin(library, function)(**case.arrays, **case.options)
                    assert_close(found, wanted, 1e-12)


@pytest.mark.parametrize("case", BY_HAND, ids=str)
def test_values_worked_out_by_hand(case: Case, library: str) -> None:
    found = twin(library, case.function)(**case.arrays, **case.options)
    assert_close(found, case.expected, 1e-12)
