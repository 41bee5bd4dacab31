"""The checks of options: axes, numbers, counts, flags, widths, lengths, dtypes."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from course_attn import _check_options as _options
from course_attn import _checks
from tests.test_checks import message

check_axis, check_count = _checks.check_axis, _checks.check_count
check_finite, check_flag = _checks.check_finite, _checks.check_flag
check_float_dtype, check_lengths = _checks.check_float_dtype, _checks.check_lengths
check_positive = _checks.check_positive
check_share, check_split = _options.check_share, _options.check_split
widths_of_heads = _options.widths_of_heads


# --- check_axis -----------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1, -2, np.int64(1)])
def test_an_axis_that_exists_is_accepted(axis: int) -> None:
    check_axis(axis, scores=np.ones((2, 3)))
    check_axis(axis, scores=torch.ones(2, 3))


@pytest.mark.parametrize("axis", [2, -3, 100])
def test_an_axis_that_does_not_exist_is_refused(axis: int) -> None:
    assert message(ValueError, check_axis, axis, scores=np.ones((2, 3))) == (
        f"axis must be one of scores's, whose shape is (2, 3), got {axis}"
    )


@pytest.mark.parametrize(
    ("axis", "got"),
    [
        (1.0, "float 1.0"),
        ("0", "str '0'"),
        (None, "NoneType None"),
        (True, "bool True"),
        ((0, 1), "tuple (0, 1)"),
    ],
)
def test_what_is_no_whole_number_is_no_axis(axis: Any, got: str) -> None:
    text = message(TypeError, check_axis, axis, scores=np.ones((2, 3)))
    assert text == f"axis must be a whole number, got {got}"


def test_an_axis_must_have_an_element_and_other_axes_need_none() -> None:
    check_axis(1, scores=np.ones((0, 3)))
    assert message(ValueError, check_axis, 0, scores=np.ones((0, 3))) == (
        "scores must have at least one element along axis 0, got (0, 3)"
    )


# --- check_positive -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", [1e-300, 0.5, 2, 1e300, np.float32(2), np.int64(3), Fraction(1, 3)]
)
def test_a_positive_number_is_accepted(value: Any) -> None:
    check_positive(temperature=value)


@pytest.mark.parametrize(
    "value", [0, 0.0, -1, -1e-9, np.inf, -np.inf, np.nan, np.float32(-1)]
)
def test_zero_negative_infinite_and_nan_are_refused(value: Any) -> None:
    text = message(ValueError, check_positive, temperature=value)
    assert (
        text == f"temperature must be a finite number greater than 0, got {value}"
    )


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("1", "str"),
        (True, "bool"),
        (np.True_, "bool"),
        (None, "NoneType"),
        (1j, "complex"),
        ([1.0], "list"),
        (np.array(1.0), "ndarray"),
        (torch.tensor(1.0), "Tensor"),
    ],
)
def test_what_is_no_real_number_is_refused(value: Any, kind: str) -> None:
    text = message(TypeError, check_positive, bandwidth=value)
    assert text == f"bandwidth must be a real number, got {kind}"


# --- check_finite, check_count, check_flag --------------------------------------------------------


@pytest.mark.parametrize(
    "value", [-2, 0, -1e300, 0.5, np.float32(-2), np.int64(3), Fraction(-1, 3)]
)
def test_a_finite_number_is_accepted(value: Any) -> None:
    check_finite(scale=value)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, np.float32(np.nan)])
def test_an_infinite_number_is_refused(value: Any) -> None:
    text = message(ValueError, check_finite, scale=value)
    assert text == f"scale must be a finite number, got {value}"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("1", "str"),
        (True, "bool"),
        (None, "NoneType"),
        (torch.tensor(1.0), "Tensor"),
    ],
)
def test_what_is_no_real_number_is_not_finite(value: Any, kind: str) -> None:
    text = message(TypeError, check_finite, scale=value)
    assert text == f"scale must be a real number, got {kind}"


@pytest.mark.parametrize("value", [1, 7, np.int64(1), np.uint8(3)])
def test_a_count_is_accepted(value: Any) -> None:
    check_count(1, window=value)


def test_a_count_that_is_too_small_is_refused() -> None:
    check_count(0, n_q=0)
    text = message(ValueError, check_count, 1, window=0)
    assert text == "window must be at least 1, got 0"
    text = message(ValueError, check_count, 0, n_q=-1)
    assert text == "n_q must be at least 0, got -1"


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (2.0, "float 2.0"),
        ("2", "str '2'"),
        (True, "bool True"),
        (None, "NoneType None"),
    ],
)
def test_what_is_no_whole_number_is_no_count(value: Any, got: str) -> None:
    text = message(TypeError, check_count, 0, n_q=value)
    assert text == f"n_q must be a whole number, got {got}"


def test_a_flag_is_true_or_false() -> None:
    check_flag(shared=True)
    check_flag(shared=False)
    text = message(TypeError, check_flag, shared=1)
    assert text == "shared must be True or False, got int 1"


# --- check_share, check_split, widths_of_heads ----------------------------------------------------


@pytest.mark.parametrize("value", [0, 1, 0.0, 0.5, np.float32(1.0)])
def test_a_share_lies_between_zero_and_one(value: Any) -> None:
    check_share(dropout=value)


@pytest.mark.parametrize("value", [-0.1, 1.5])
def test_what_lies_outside_is_no_share(value: float) -> None:
    text = message(ValueError, check_share, dropout=value)
    assert text == f"dropout must lie between 0 and 1, got {value}"


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_what_is_not_finite_is_no_share(value: float) -> None:
    text = message(ValueError, check_share, dropout=value)
    assert text == f"dropout must be a finite number, got {value}"


@pytest.mark.parametrize("value", ["0.1", True, None])
def test_what_is_no_number_is_no_share(value: Any) -> None:
    text = message(TypeError, check_share, dropout=value)
    assert text == f"dropout must be a real number, got {type(value).__name__}"


def test_arrays_and_numbers_split_into_equal_parts() -> None:
    for n_heads in (1, 2, 5, 10):
        check_split(n_heads, X=np.ones((3, 10)))
        check_split(n_heads, X=torch.ones(3, 10))
        check_split(n_heads, d_model=10)
    text = message(ValueError, check_split, 3, X=np.ones((6, 10)))
    wanted = "X must have a width that is a multiple of n_heads = 3, got (6, 10)"
    assert text == wanted
    text = message(ValueError, check_split, 3, d_model=10)
    assert text == "d_model must be a multiple of n_heads = 3, got 10"
    text = message(ValueError, check_split, 0, d_model=10)
    assert text == "n_heads must be at least 1, got 0"
    text = message(TypeError, check_split, 2.0, d_model=10)
    assert text == "n_heads must be a whole number, got float 2.0"


def test_widths_of_heads_are_given_or_a_share_of_the_whole() -> None:
    assert widths_of_heads(12, 3, None, None) == (4, 4)
    assert widths_of_heads(12, 3, 5, None) == (5, 4)
    assert widths_of_heads(12, 3, None, 7) == (4, 7)
    assert widths_of_heads(10, 3, 5, 7) == (5, 7)  # nothing to divide
    text = message(ValueError, widths_of_heads, 10, 3, 5, None)
    assert text == "d_model must be a multiple of n_heads = 3, got 10"
    text = message(ValueError, widths_of_heads, 12, 3, 0, 4)
    assert text == "d_k must be at least 1, got 0"
    text = message(TypeError, widths_of_heads, 12, 3, 4, "4")
    assert text == "d_v must be a whole number, got str '4'"


# --- check_lengths, check_float_dtype -------------------------------------------------------------


def test_lengths_lie_between_zero_and_the_number_of_keys() -> None:
    for array in (np.array([0, 5, 3]), torch.tensor([0, 5, 3]), np.array([], int)):
        check_lengths(array, n_k=5)
    for array in (np.array([0, 6, -1]), torch.tensor([0, 6, -1])):
        text = message(ValueError, check_lengths, array, n_k=5)
        assert text == "lengths must lie between 0 and n_k = 5, got 6"
    text = message(ValueError, check_lengths, np.array([-1]), n_k=5)
    assert text == "lengths must lie between 0 and n_k = 5, got -1"


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_a_dtype_of_the_arrays_library_is_accepted(name: str) -> None:
    check_float_dtype(np.ones(1), dtype=np.dtype(name))
    check_float_dtype(np.ones(1), dtype=getattr(np, name))
    check_float_dtype(torch.ones(1), dtype=getattr(torch, name))
    check_float_dtype(torch.ones(1), dtype=torch.bfloat16)


@pytest.mark.parametrize(
    ("dtype", "got"),
    [
        (np.int64, "numpy.int64"),
        (np.dtype("bool"), "numpy.bool"),
        (torch.float32, "torch.float32"),
        ("float32", "'float32'"),
        (float, "<class 'float'>"),
        (None, "None"),
        (32, "32"),
    ],
)
def test_another_dtype_is_refused(dtype: Any, got: str) -> None:
    text = message(TypeError, check_float_dtype, np.ones(1), dtype=dtype)
    assert text == f"dtype must be a floating-point dtype of numpy, got {got}"


def test_numpys_dtype_is_refused_for_a_tensor() -> None:
    text = message(TypeError, check_float_dtype, torch.ones(1), dtype=np.float32)
    assert (
        text == "dtype must be a floating-point dtype of torch, got numpy.float32"
    )
