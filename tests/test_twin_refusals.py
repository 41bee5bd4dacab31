"""The NumPy and the PyTorch version of every public function refuse the same, in the same words."""

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from twin_cases import BAD_INPUT, FUNCTIONS, arguments_of, fullest
from twin_comparison import assert_close, assert_refused_alike, refusal
from twin_table import LIBRARIES, Bad, convert, installed, raw

EVERY_ARRAY = [
    (function, name) for function in FUNCTIONS for name in arguments_of(function)
]
each_array = pytest.mark.parametrize(("function", "name"), EVERY_ARRAY)


@pytest.mark.parametrize("bad", BAD_INPUT, ids=str)
def test_bad_input_is_refused(bad: Bad) -> None:
    errors = [
        refusal(library, bad.function, convert(library, bad.arguments))
        for library in LIBRARIES
    ]
    assert_refused_alike(errors, bad.error, bad.names, *bad.says)


NO_ARRAYS = {
    "a list": (lambda array: array.tolist(), "builtins.list"),
    "a tuple": (lambda array: tuple(array.tolist()), "builtins.tuple"),
    "a number": (lambda array: 1.0, "builtins.float"),
    "a string": (lambda array: "array", "builtins.str"),
    "None": (lambda array: None, "builtins.NoneType"),
}


def good_call(library: str, function: str) -> dict[str, Any]:
    """Return the arguments of a call with all the arrays, which must pass."""
    assert_passes(library, function)
    return fullest(function).arguments(library)


@cache
def assert_passes(library: str, function: str) -> None:
    """Call a function once with the arguments that `good_call` returns."""
    installed(library, function)(**fullest(function).arguments(library))


def refusals(
    function: str, name: str, spoiled: Callable[[str], Any]
) -> list[Exception]:
    """Return both libraries' errors in a call that is good but for this argument."""
    return [
        refusal(
            library,
            function,
            good_call(library, function) | {name: spoiled(library)},
        )
        for library in LIBRARIES
    ]


def may_be_none(function: str, name: str) -> bool:
    """Tell whether an argument can be left out."""
    return (
        inspect.signature(raw("in_numpy", function)).parameters[name].default
        is None
    )


@pytest.mark.parametrize("kind", NO_ARRAYS)
@each_array
def test_what_is_no_array_is_refused(function: str, name: str, kind: str) -> None:
    spoil, got = NO_ARRAYS[kind]
    if kind == "None" and may_be_none(function, name):
        for library in LIBRARIES:
            installed(library, function)(
                **good_call(library, function) | {name: None}
            )
        return
    array = arguments_of(function)[name]
    errors = refusals(function, name, lambda library: spoil(array))
    assert_refused_alike(errors, TypeError, name, f"got {got}", f"({name})")


@each_array
def test_the_other_librarys_array_is_refused(function: str, name: str) -> None:
    others = dict(zip(LIBRARIES, reversed(LIBRARIES), strict=True))
    array = arguments_of(function)[name]
    errors = refusals(
        function, name, lambda library: convert(others[library], array)
    )
    assert_refused_alike(errors, TypeError, name)
    assert "got torch.Tensor; convert it with np.asarray" in str(errors[0])
    assert "got numpy.ndarray; convert it with torch.as_tensor" in str(errors[1])


KINDS = {"f": "floating-point", "b": "of dtype bool", "i": "integer"}


@pytest.mark.parametrize(
    "dtype",
    ["int64", "int32", "uint8", "bool", "complex128", "complex64", "float64"],
)
@each_array
def test_other_dtypes_are_refused(function: str, name: str, dtype: str) -> None:
    """Integers are not promoted: 0 and 1 as weights and 1 // 2 are too easily confused.

    A mask must be bool: numbers might be a bias, or a mask of the opposite meaning.
    """
    array = arguments_of(function)[name]
    kind = array.dtype.kind
    if kind == np.dtype(dtype).kind:
        return
    ones = np.ones(array.shape)
    errors = refusals(function, name, lambda library: convert(library, ones, dtype))
    assert_refused_alike(errors, TypeError, name, KINDS[kind], f"got dtype {dtype}")


@each_array
def test_an_array_without_axes_is_refused(function: str, name: str) -> None:
    one = np.array(1, arguments_of(function)[name].dtype)
    errors = refusals(function, name, lambda library: convert(library, one))
    assert_refused_alike(
        errors, ValueError, name, "must have shape", "got 0 axes: ()"
    )


@each_array
def test_a_second_float_dtype_is_refused(function: str, name: str) -> None:
    arrays = {k: a for k, a in arguments_of(function).items() if a.dtype == float}
    if name not in arrays:
        return  # a mask goes with any floating dtype
    if any(isinstance(o, dict) for o in fullest(function).options.values()):
        return  # arrays in a mapping must have this dtype: see BAD_INPUT
    if len(arrays) == 1:
        for library in LIBRARIES:  # one array alone may have any floating dtype
            narrow = {name: convert(library, arrays[name], "float32")}
            installed(library, function)(**good_call(library, function) | narrow)
        return
    errors = refusals(
        function, name, lambda library: convert(library, arrays[name], "float32")
    )
    other = next(k for k in arrays if k != name)
    assert_refused_alike(
        errors,
        TypeError,
        name,
        f"{name} is float32",
        f"{other} is float64",
        "one dtype",
    )


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_forgotten_argument_is_named(function: str, library: str) -> None:
    error = refusal(library, function, {})
    assert type(error) is TypeError
    first = next(iter(inspect.signature(raw(library, function)).parameters))
    assert re.search(rf"\b{first}\b", str(error))


def test_whole_numbers_and_numpy_numbers_are_numbers(library: str) -> None:
    """A temperature of 2 is one of 2.0, and an axis may come out of a NumPy array."""
    softmax = installed(library, "softmax.softmax")
    scores = convert(library, np.array([[0.0, 2.0], [4.0, 0.0]]))
    wanted = softmax(scores, axis=0, temperature=2.0)
    assert_close(softmax(scores, axis=np.int64(0), temperature=2), wanted, 0.0)
    assert_close(softmax(scores, axis=0, temperature=np.float32(2.0)), wanted, 0.0)
