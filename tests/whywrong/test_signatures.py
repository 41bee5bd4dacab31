"""What may be handed in: functions that take the arguments, and whatever behaves like them."""

import numpy as np
import pytest

from tests.whywrong.cells import written
from whywrong import judge


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def scaled(x):\n    return x", "has no argument `factor`"),
        ("def scaled():\n    return 1", "has no argument `x` or `factor`"),
        ("def scaled(x, factor, extra):\n    return x", "asks for `extra`"),
        ("def scaled(x, factor, *, extra):\n    return x", "asks for `extra`"),
        ("def scaled(a, b, c, d):\n    return a", "asks for"),
    ],
)
def test_signature_that_does_not_fit_is_named(toy, source, said):
    result = judge(toy, written(source))
    assert result.faults == ("signature",) and said in result.message
    assert "def scaled(x, factor)" in result.message


@pytest.mark.parametrize(
    "head",
    [
        "(x, factor, extra=1)",
        "(*args)",
        "(a, b)",
        "(x, *rest)",
        "(x, factor, **options)",
        "(x, /, factor)",
    ],
)
def test_signature_that_fits_is_accepted(toy, head):
    body = "return args[0] * args[1]" if "args" in head else "return x * factor"
    body = "return a * b" if head == "(a, b)" else body
    body = "return x * rest[0]" if "rest" in head else body
    assert judge(toy, written(f"def scaled{head}:\n    {body}")).passed


def test_method_and_callable_object_are_accepted(toy):
    class Scaler:
        def __call__(self, x, factor):
            return x * factor

        def method(self, x, factor):
            return x * factor

    assert judge(toy, Scaler()).passed and judge(toy, Scaler().method).passed


def test_ufunc_without_a_signature_is_accepted(toy):
    assert judge(toy, np.multiply).passed


def test_class_instead_of_a_function_is_named(toy):
    class Scaled:
        pass

    result = judge(toy, Scaled)
    assert result.faults == ("class",) and "asks for a function" in result.message


@pytest.mark.parametrize("value", [3, np.ones(2), None, "scaled", [1]])
def test_value_that_cannot_be_called_is_named(toy, value):
    result = judge(toy, value)
    assert result.faults == ("not-callable",) and "check(scaled)" in result.message
