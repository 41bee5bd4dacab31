"""The checks of arrays: what `check_arguments` lets through, and the words of every refusal."""

# ruff: noqa: F821 - one-word shapes are not undefined names

import inspect
from typing import Any

import numpy as np
import pytest
import torch
from jaxtyping import Bool, Float, Int

from course_attn._checks import check_arguments


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
