"""The NumPy and the PyTorch version of every public function refuse the same, in the same words."""

import inspect
import re
from collections.abc import Callable
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np
import pytest

from tests.support.comparison import assert_refused_alike, refusal
from tests.support.twin_table import LIBRARIES, Bad, convert, public
from tests.twins.cases import (
    BAD_INPUT,
    BY_HAND,
    CASES,
    FUNCTIONS,
    arguments_of,
    fullest,
)

pytestmark = pytest.mark.without_hook

EVERY_ARRAY = [
    (function, name) for function in FUNCTIONS for name in arguments_of(function)
]


# A single number is an array of a shape, too.
ANY_SHAPE = {("gradients.numerical_gradient", "x")}


def _about(bad: Bad) -> tuple[str, str]:
    return bad.function, bad.names


ROWS = {
    about: list(rows)
    for about, rows in groupby(sorted(BAD_INPUT, key=_about), _about)
}


@pytest.mark.parametrize(("function", "name"), ROWS)
def test_bad_input_is_refused(
    function: str, name: str, subtests: pytest.Subtests
) -> None:
    """Every row of the tables that must be refused because of this argument.

    Also after a call that passed and differs in one argument: what is remembered of it must not
    let the bad one pass.
    """
    for bad in ROWS[function, name]:
        with subtests.test(str(bad)):
            errors = [
                refusal(l, function, convert(l, bad.arguments)) for l in LIBRARIES
            ]
            assert_refused_alike(errors, bad.error, name, *bad.says)
            good = mended(bad)
            for library, error in zip(LIBRARIES, errors, strict=True):
                public(library, function)(**convert(library, good))
                again = refusal(library, function, convert(library, bad.arguments))
                assert repr(again) == repr(error)


def mended(bad: Bad) -> dict[str, Any]:
    """Return the bad call with one argument as in a good one; if no such passes, a good call."""
    cases = [case for case in (*CASES, *BY_HAND) if case.function == bad.function]
    for name in sorted(bad.arguments, key=lambda name: name != bad.names):
        others = {n: value for n, value in bad.arguments.items() if n != name}
        values = [
            {name: v}
            for c in cases
            for n, v in (c.arrays | c.options).items()
            if n == name
        ]
        for value in ({}, *values):
            try:
                public("in_numpy", bad.function)(
                    **convert("in_numpy", others | value)
                )
            except (TypeError, ValueError):
                continue
            return others | value
    # Arrays of the cases seldom have the sizes of a row.
    assert isinstance(bad.arguments[bad.names], np.ndarray | dict), "no good call"
    return fullest(bad.function).arguments("in_numpy")


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
def test_array_argument_refuses_anything_else(
    function: str, name: str, subtests: pytest.Subtests
) -> None:
    """What is no array, the other library's arrays, other dtypes, and an array without axes."""
    assert_only_arrays(function, name, subtests)
    with subtests.test("an array of the other library"):
        assert_not_from_the_other_library(function, name)
    assert_only_its_dtype(function, name, subtests)
    if (function, name) not in ANY_SHAPE:
        with subtests.test("an array without axes"):
            assert_not_without_axes(function, name)


def assert_only_arrays(function: str, name: str, subtests: pytest.Subtests) -> None:
    """Try lists and the like; None only where it is not the default."""
    array = arguments_of(function)[name]
    for kind, (spoil, got) in NO_ARRAYS.items():
        with subtests.test(kind=kind):
            if kind == "None" and may_be_none(function, name):
                for library in LIBRARIES:
                    arguments = good_call(library, function)
                    public(library, function)(**arguments | {name: None})
                continue
            wrong = spoil(array)
            errors = refusals(function, name, lambda library, wrong=wrong: wrong)
            assert_refused_alike(errors, TypeError, name, f"got {got}", f"({name})")


def assert_not_from_the_other_library(function: str, name: str) -> None:
    """The message says how to convert it."""
    others = dict(zip(LIBRARIES, reversed(LIBRARIES), strict=True))
    array = arguments_of(function)[name]
    errors = refusals(
        function, name, lambda library: convert(others[library], array)
    )
    assert_refused_alike(errors, TypeError, name)
    assert "got torch.Tensor; convert it with np.asarray" in str(errors[0])
    assert "got numpy.ndarray; convert it with torch.as_tensor" in str(errors[1])


KINDS = {"f": "floating-point", "b": "of dtype bool", "i": "integer"}
DTYPES = ["int64", "int32", "uint8", "bool", "complex128", "complex64", "float64"]


def assert_only_its_dtype(
    function: str, name: str, subtests: pytest.Subtests
) -> None:
    """Integers are not promoted: 0 and 1 as weights and 1 // 2 are too easily confused.

    A mask must be bool: numbers might be a bias, or a mask of the opposite meaning.
    """
    array = arguments_of(function)[name]
    ones, kind = np.ones(array.shape), array.dtype.kind
    for dtype in DTYPES:
        if kind != np.dtype(dtype).kind:
            with subtests.test(dtype=dtype):
                errors = refusals(
                    function,
                    name,
                    lambda library, d=dtype: convert(library, ones, d),
                )
                says = (KINDS[kind], f"got dtype {dtype}")
                assert_refused_alike(errors, TypeError, name, *says)


def assert_not_without_axes(function: str, name: str) -> None:
    """Try a single number in an array."""
    one = np.array(1, arguments_of(function)[name].dtype)
    errors = refusals(function, name, lambda library: convert(library, one))
    says = ("must have shape", "got 0 axes: ()")
    assert_refused_alike(errors, ValueError, name, *says)


def float_arrays(function: str) -> list[str]:
    """Return the names of the floating-point arrays, which must share one dtype.

    None where an option is a mapping: its arrays must have the dtype, too; see BAD_INPUT.
    """
    if any(isinstance(o, dict) for o in fullest(function).options.values()):
        return []
    return [name for name, a in arguments_of(function).items() if a.dtype == float]


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if float_arrays(f)])
def test_float_arrays_must_have_one_dtype(
    function: str, subtests: pytest.Subtests
) -> None:
    """Which one does not matter: one array alone may have any."""
    names = float_arrays(function)
    for name in names:
        array = arguments_of(function)[name]
        if len(names) == 1:
            for library in LIBRARIES:
                with subtests.test(library=library):
                    narrow = {name: convert(library, array, "float32")}
                    public(library, function)(
                        **good_call(library, function) | narrow
                    )
            continue
        other = next(k for k in names if k != name)
        says = (f"{name} is float32", f"{other} is float64", "one dtype")
        with subtests.test(name=name):
            errors = refusals(
                function,
                name,
                lambda library, a=array: convert(library, a, "float32"),
            )
            assert_refused_alike(errors, TypeError, name, *says)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_forgotten_argument_is_named(function: str, library: str) -> None:
    error = refusal(library, function, {})
    assert type(error) is TypeError
    first = next(iter(inspect.signature(public(library, function)).parameters))
    assert re.search(rf"\b{first}\b", str(error))
