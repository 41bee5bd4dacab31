"""The NumPy and the PyTorch version of every public function refuse the same, in the same words."""

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np
import pytest

from tests.support.comparison import assert_refused_alike, refusal
from tests.support.twin_table import LIBRARIES, Bad, convert, named, public
from tests.twins.cases import BAD_INPUT, FUNCTIONS, arguments_of, fullest

# In the run with jaxtyping's hook, beartype would refuse before a function can.
pytestmark = pytest.mark.refusal

EVERY_ARRAY = [
    (function, name) for function in FUNCTIONS for name in arguments_of(function)
]


def _about(bad: Bad) -> tuple[str, str]:
    return bad.function, bad.names


ROWS = {
    about: list(rows)
    for about, rows in groupby(sorted(BAD_INPUT, key=_about), _about)
}


@pytest.mark.parametrize(("function", "name"), ROWS)
def test_bad_input_is_refused(function: str, name: str) -> None:
    """Every row of the tables that must be refused because of this argument."""
    for bad in ROWS[function, name]:
        with named(bad):
            errors = [
                refusal(library, function, convert(library, bad.arguments))
                for library in LIBRARIES
            ]
            assert_refused_alike(errors, bad.error, name, *bad.says)


NO_ARRAYS: dict[str, tuple[Callable[[Any], Any], str]] = {
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
    public(library, function)(**fullest(function).arguments(library))


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
    parameters = inspect.signature(public("in_numpy", function)).parameters
    return parameters[name].default is None


each_array = pytest.mark.parametrize(("function", "name"), EVERY_ARRAY)


@each_array
def test_array_argument_must_be_an_array_of_its_library(
    function: str, name: str
) -> None:
    array = arguments_of(function)[name]
    for kind, (spoil, got) in NO_ARRAYS.items():
        with named(kind):
            if kind == "None" and may_be_none(function, name):
                for library in LIBRARIES:
                    arguments = good_call(library, function)
                    public(library, function)(**arguments | {name: None})
                continue
            wrong = spoil(array)
            errors = refusals(function, name, lambda library, wrong=wrong: wrong)
            assert_refused_alike(errors, TypeError, name, f"got {got}", f"({name})")

    others = dict(zip(LIBRARIES, reversed(LIBRARIES), strict=True))
    errors = refusals(
        function, name, lambda library: convert(others[library], array)
    )
    assert_refused_alike(errors, TypeError, name)
    assert "got torch.Tensor; convert it with np.asarray" in str(errors[0])
    assert "got numpy.ndarray; convert it with torch.as_tensor" in str(errors[1])


KINDS = {"f": "floating-point", "b": "of dtype bool", "i": "integer"}
DTYPES = ["int64", "int32", "uint8", "bool", "complex128", "complex64", "float64"]


@each_array
def test_array_argument_must_have_its_dtype(function: str, name: str) -> None:
    """Integers are not promoted: 0 and 1 as weights and 1 // 2 are too easily confused.

    A mask must be bool: numbers might be a bias, or a mask of the opposite meaning.
    """
    array = arguments_of(function)[name]
    ones, kind = np.ones(array.shape), array.dtype.kind
    for dtype in DTYPES:
        if kind != np.dtype(dtype).kind:
            with named(dtype):
                errors = refusals(
                    function,
                    name,
                    lambda library, d=dtype: convert(library, ones, d),
                )
                assert_refused_alike(
                    errors, TypeError, name, KINDS[kind], f"got dtype {dtype}"
                )


@each_array
def test_array_argument_must_have_axes(function: str, name: str) -> None:
    one = np.array(1, arguments_of(function)[name].dtype)
    errors = refusals(function, name, lambda library: convert(library, one))
    assert_refused_alike(
        errors, ValueError, name, "must have shape", "got 0 axes: ()"
    )


def float_arrays(function: str) -> list[str]:
    """Return the names of the floating-point arrays, which must share one dtype."""
    return [name for name, a in arguments_of(function).items() if a.dtype == float]


def takes_mapping(function: str) -> bool:
    """Tell whether an option holds arrays, which have the dtype, too: see BAD_INPUT."""
    return any(isinstance(o, dict) for o in fullest(function).options.values())


def floats_of(several: bool) -> Iterator[tuple[str, str]]:
    """Give each floating-point array of functions that have several, or a single one."""
    for function in FUNCTIONS:
        names = float_arrays(function)
        if not takes_mapping(function) and (len(names) > 1) == several:
            yield from ((function, name) for name in names)


@pytest.mark.parametrize(("function", "name"), list(floats_of(several=True)))
def test_second_float_dtype_is_refused(function: str, name: str) -> None:
    array = arguments_of(function)[name]
    errors = refusals(
        function, name, lambda library: convert(library, array, "float32")
    )
    other = next(k for k in float_arrays(function) if k != name)
    says = (f"{name} is float32", f"{other} is float64", "one dtype")
    assert_refused_alike(errors, TypeError, name, *says)


@pytest.mark.parametrize(("function", "name"), list(floats_of(several=False)))
def test_single_array_may_have_any_float_dtype(function: str, name: str) -> None:
    for library in LIBRARIES:
        narrow = {name: convert(library, arguments_of(function)[name], "float32")}
        with named(library):
            public(library, function)(**good_call(library, function) | narrow)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_forgotten_argument_is_named(function: str, library: str) -> None:
    error = refusal(library, function, {})
    assert type(error) is TypeError
    first = next(iter(inspect.signature(public(library, function)).parameters))
    assert re.search(rf"\b{first}\b", str(error))
