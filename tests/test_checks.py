"""The checks of arguments: what they let through, and the words of every refusal."""

# ruff: noqa: F821 - one-word shapes are not undefined names

import inspect
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from jaxtyping import Bool, Float, Int
from twin_table import INSTALLED

# Without the hook of the test run: see twin_table.py.
_checks = INSTALLED["course_attn._checks"]
_options = INSTALLED["course_attn._check_options"]
check_arguments, check_axis = _checks.check_arguments, _checks.check_axis
check_count, check_finite = _checks.check_count, _checks.check_finite
check_flag, check_float_dtype = _checks.check_flag, _checks.check_float_dtype
check_lengths, check_positive = _checks.check_lengths, _checks.check_positive
check_share, check_split = _options.check_share, _options.check_split
widths_of_heads = _options.widths_of_heads


@check_arguments
def scores(
    Q: Float[np.ndarray, "*batch n_q d_k"],
    K: Float[np.ndarray, "*batch n_k d_k"],
    *,
    mask: Bool[np.ndarray, "n_q n_k"] | None = None,
    scale: float | None = None,
) -> str:
    """Say that the call came through."""
    return f"ran with scale {scale}"


@check_arguments
def scores_in_torch(
    Q: Float[torch.Tensor, "n_q d_k"], K: Float[torch.Tensor, "n_k d_k"]
) -> str:
    """Say that the call came through."""
    return "ran"


@check_arguments
def row_or_matrix(
    weights: Float[np.ndarray, "*batch n_q n_k"] | Float[np.ndarray, "n_k"],
    values: Float[np.ndarray, "*batch n_k d"],
) -> str:
    """Say that the call came through."""
    return "ran"


@check_arguments
def masked(
    scores: Float[np.ndarray, "*batch n_q n_k"],
    mask: Bool[np.ndarray, "*#batch #n_q #n_k"] | None = None,
) -> str:
    """Say that the call came through."""
    return "ran"


@check_arguments
def lookup(table: Float[np.ndarray, "n d"], indices: Int[np.ndarray, "m"]) -> str:
    """Say that the call came through."""
    return "ran"


def message(kind: type[Exception], function: Any, *args: Any, **kwargs: Any) -> str:
    """Return the words of the error of exactly this type that the call must raise."""
    with pytest.raises(kind) as caught:
        function(*args, **kwargs)
    assert type(caught.value) is kind
    return str(caught.value)


Q, K = np.ones((3, 5)), np.ones((7, 5))


# --- what passes ----------------------------------------------------------------------------------


def test_a_call_that_fits_runs() -> None:
    assert scores(Q, K) == "ran with scale None"
    assert (
        scores(Q=Q, K=K, mask=np.ones((3, 7), bool), scale=2.0)
        == "ran with scale 2.0"
    )
    assert (
        scores(np.ones((2, 11, 3, 5)), np.ones((2, 11, 7, 5)))
        == "ran with scale None"
    )
    assert scores(Q[:0], K[:, :5]) == "ran with scale None"
    assert (
        scores_in_torch(torch.ones(3, 5), torch.nn.Parameter(torch.ones(7, 5)))
        == "ran"
    )
    assert lookup(np.ones((3, 5)), np.array([0, 2])) == "ran"


def test_an_argument_whose_default_is_none_may_be_none() -> None:
    assert scores(Q, K, mask=None) == "ran with scale None"


@pytest.mark.parametrize("weights", [(3, 7), (7,)])
def test_either_part_of_a_union_will_do(weights: tuple[int, ...]) -> None:
    assert row_or_matrix(np.ones(weights), np.ones((7, 2))) == "ran"


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_any_float_dtype_will_do_if_all_are_the_same(dtype: type) -> None:
    assert scores(Q.astype(dtype), K.astype(dtype)) == "ran with scale None"


def test_an_integer_argument_does_not_count_as_a_second_float_dtype() -> None:
    assert lookup(np.ones((3, 5), np.float32), np.array([0], np.int32)) == "ran"


def test_a_subclass_of_an_array_is_an_array() -> None:
    class Named(np.ndarray):
        """An array class that a user wrote."""

    assert scores(Q.view(Named), K) == "ran with scale None"


def test_the_checked_function_keeps_its_face() -> None:
    assert scores.__name__ == "scores"
    assert scores.__doc__ == "Say that the call came through."
    assert list(inspect.signature(scores).parameters) == ["Q", "K", "mask", "scale"]


# --- what is refused, in which words --------------------------------------------------------------


def test_a_list_is_told_how_to_become_an_array() -> None:
    assert message(TypeError, scores, Q.tolist(), K) == (
        "Q must be a numpy.ndarray, got builtins.list; convert it with np.asarray(Q)"
    )
    assert message(TypeError, scores_in_torch, torch.ones(3, 5), [[1.0]]) == (
        "K must be a torch.Tensor, got builtins.list; convert it with torch.as_tensor(K)"
    )


def test_the_other_librarys_array_is_told_where_it_came_from() -> None:
    assert message(TypeError, scores, Q, torch.ones(7, 5)) == (
        "K must be a numpy.ndarray, got torch.Tensor; convert it with np.asarray(K)"
    )
    assert message(TypeError, scores_in_torch, Q, torch.ones(7, 5)) == (
        "Q must be a torch.Tensor, got numpy.ndarray; convert it with torch.as_tensor(Q)"
    )


def test_none_is_refused_where_an_array_is_required() -> None:
    assert message(TypeError, scores, None, K) == (
        "Q must be a numpy.ndarray, got builtins.NoneType; convert it with np.asarray(Q)"
    )


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex128", "object"])
def test_a_wrong_dtype_is_named(dtype: str) -> None:
    assert message(TypeError, scores, Q, K.astype(dtype)) == (
        "K must be floating-point (float32, float64, float16, bfloat16), "
        f"got dtype {dtype}; convert it first"
    )


def test_a_mask_must_be_bool() -> None:
    """Otherwise an additive mask of 0 and -inf, or 0 and 1, would be taken for True and False."""
    assert message(TypeError, scores, Q, K, mask=np.zeros((3, 7))) == (
        "mask must be of dtype bool, got dtype float64; convert it first"
    )


def test_two_float_dtypes_are_both_named() -> None:
    assert message(TypeError, scores, Q, K.astype(np.float32)) == (
        "all arguments must have one dtype, but Q is float64, K is float32; "
        "convert them to the same"
    )


def test_a_misfit_names_the_axis_and_where_its_length_came_from() -> None:
    assert message(ValueError, scores, Q, np.ones((7, 2))) == (
        "K must have shape (*batch, n_k, d_k) with d_k = 5 from Q, got (7, 2); "
        "axes of length 1 are not broadcast"
    )


def test_two_misfits_are_both_named() -> None:
    assert message(ValueError, scores, Q, K, mask=np.ones((2, 4), bool)) == (
        "mask must have shape (n_q, n_k) with n_q = 3 from Q and n_k = 7 from K, got (2, 4); "
        "axes of length 1 are not broadcast"
    )


@pytest.mark.parametrize(("d_q", "d_k"), [(1, 5), (5, 1)])
def test_a_length_of_one_is_not_broadcast(d_q: int, d_k: int) -> None:
    text = message(ValueError, scores, np.ones((3, d_q)), np.ones((7, d_k)))
    assert f"with d_k = {d_q} from Q, got (7, {d_k})" in text


def test_leading_axes_must_all_be_equal() -> None:
    assert message(
        ValueError, scores, np.ones((2, 11, 3, 5)), np.ones((2, 1, 7, 5))
    ) == (
        "K must have shape (*batch, n_k, d_k) with batch = (2, 11) from Q, got (2, 1, 7, 5); "
        "axes of length 1 are not broadcast"
    )


def test_a_wrong_number_of_axes_is_counted() -> None:
    assert message(ValueError, scores, np.ones(5), K) == (
        "Q must have shape (*batch, n_q, d_k), got 1 axes: (5,)"
    )
    assert message(ValueError, lookup, np.ones((2, 3, 5)), np.array([0])) == (
        "table must have shape (n, d), got 3 axes: (2, 3, 5)"
    )
    assert message(ValueError, lookup, np.ones((3, 5)), np.array([[0]])) == (
        "indices must have shape (m,), got 2 axes: (1, 1)"
    )


def test_a_union_names_all_its_parts() -> None:
    assert message(ValueError, row_or_matrix, np.array(1.0), np.ones((7, 2))) == (
        "weights must have shape (*batch, n_q, n_k) or (n_k,), got 0 axes: ()"
    )


def test_dtypes_come_before_shapes() -> None:
    """An array of the wrong dtype is often the wrong array: its shape is the lesser trouble."""
    wrong_shape = np.ones((7, 2))
    assert "must be floating-point" in message(
        TypeError, scores, Q, wrong_shape.astype(int)
    )
    assert "must have one dtype" in message(
        TypeError, scores, Q, wrong_shape.astype(np.float32)
    )


def test_a_refused_call_does_not_run() -> None:
    ran = []

    @check_arguments
    def record(x: Float[np.ndarray, "n"]) -> None:
        ran.append(x)

    message(ValueError, record, np.ones((2, 2)))
    assert not ran
    record(np.ones(2))
    assert len(ran) == 1


def test_one_call_does_not_bind_the_next() -> None:
    assert scores(Q, K) == scores(np.ones((2, 3)), np.ones((4, 3)))


# --- what may be broadcast ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shape",
    [
        (7, 11),
        (1, 11),
        (7, 1),
        (1, 1),
        (3, 7, 11),
        (1, 7, 11),
        (2, 3, 7, 11),
        (2, 1, 1, 11),
        (1, 3, 7, 1),
        (1, 1, 1, 1),
    ],
)
def test_a_shape_with_hash_signs_may_be_stretched(shape: tuple[int, ...]) -> None:
    """As NumPy and PyTorch would do it; so the sum has the shape of the scores."""
    scores = np.ones((2, 3, 7, 11))
    assert masked(scores, np.ones(shape, bool)) == "ran"
    assert (scores * np.ones(shape)).shape == scores.shape


@pytest.mark.parametrize(
    ("shape", "says"),
    [
        ((11, 7), "n_q = 7 from scores and n_k = 11 from scores"),
        ((7, 2), "n_k = 11 from scores"),
        ((2, 11), "n_q = 7 from scores"),
        ((0, 11), "n_q = 7 from scores"),
        ((2, 7, 11), "batch = (2, 3) from scores"),
        ((3, 1, 7, 11), "batch = (2, 3) from scores"),
        ((1, 2, 3, 7, 11), "batch = (2, 3) from scores"),
        ((5, 2, 3, 7, 11), "batch = (2, 3) from scores"),
    ],
)
def test_what_cannot_be_stretched_is_refused(
    shape: tuple[int, ...], says: str
) -> None:
    """Leading axes beyond those of the scores too: the result would have more than they."""
    text = message(ValueError, masked, np.ones((2, 3, 7, 11)), np.ones(shape, bool))
    assert text == (
        f"mask must broadcast to shape (*batch, n_q, n_k) with {says}, got {shape}"
    )


def test_an_axis_of_length_one_is_not_stretched_by_the_mask() -> None:
    """The scores say the shape; a mask must not make them larger."""
    text = message(ValueError, masked, np.ones((7, 1)), np.ones((7, 11), bool))
    assert "with n_k = 1 from scores, got (7, 11)" in text


def test_a_mask_needs_both_its_axes() -> None:
    """One row could be meant for the queries or for the keys."""
    assert message(ValueError, masked, np.ones((7, 11)), np.ones(11, bool)) == (
        "mask must have shape (*batch, n_q, n_k), got 1 axes: (11,)"
    )


def test_whole_numbers_are_asked_for_by_their_kind() -> None:
    assert message(TypeError, lookup, np.ones((3, 5)), np.ones(2)) == (
        "indices must be of an integer dtype (int64), got dtype float64; convert it first"
    )
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        assert lookup(np.ones((3, 5)), np.array([0], dtype)) == "ran"


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
