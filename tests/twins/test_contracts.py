"""The contracts: what `check_arguments` lets through, and the words of every refusal."""

# ruff: noqa: F821 - one-word shapes are not undefined names

import gc
import inspect
import weakref
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
import pytest
import torch
from jaxtyping import Bool, Float, Int

from course_attn._contracts import (
    Activation,
    Axis,
    Count,
    Default,
    Divides,
    Finite,
    Flag,
    NonEmpty,
    NotNegative,
    Positive,
    Probability,
    Share,
    Size,
    Whole,
    check_arguments,
)
from course_attn._rules import (
    AtMost,
    Below,
    Entries,
    Even,
    EvenWidth,
    FloatDtypeOf,
    NoLonger,
    Pair,
)


@check_arguments
def scores(
    Q: Float[np.ndarray, "*batch n_q d_k"],
    K: Float[np.ndarray, "*batch n_k d_k"],
    *,
    mask: Bool[np.ndarray, "n_q n_k"] | None = None,
    scale: Finite | None = None,
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


# --- numbers --------------------------------------------------------------------------------------


def taking(annotation: Any) -> Callable[..., Any]:
    """Return a function of one number, which has this annotation."""

    def function(x):
        return x

    function.__annotations__ = {"x": annotation}
    return check_arguments(function)


ACCEPTED = {
    "Count": (Count, [1, 7, np.int64(1), np.uint8(3)]),
    "Size": (Size, [0, 7, np.int64(0)]),
    "Finite": (Finite, [0, -1.5, 1e300, np.float32(2), Fraction(-1, 3)]),
    "Positive": (Positive, [1, 0.5, 1e-300, np.float16(2), Fraction(1, 3)]),
    "NotNegative": (NotNegative, [0, 0.0, 1e-5, np.float32(1)]),
    "Probability": (Probability, [0, 1, 0.0, 0.5, np.float32(1.0)]),
    "Share": (Share, [1e-300, 0.5, 1, 1.0, np.float32(1.0), Fraction(1, 3)]),
    "Whole": (Whole, [-100, 0, 7, np.int64(-1)]),
    "Flag": (Flag, [True, False]),
    "Activation": (Activation, [torch.relu, lambda x: x, torch.nn.ReLU()]),
    "Literal": (Literal["pre", "post"], ["pre", "post"]),
    "Even": (Annotated[Count, Even], [2, np.int64(4)]),
    "Pair": (Pair, [(0, 1), (-2, np.int64(3))]),
    "a dtype": (
        Annotated[Any, FloatDtypeOf("numpy")],
        [np.float32, np.dtype("f2")],
    ),
    "a class": (dict, [{}, {"a": 1}]),
    "a generic class": (Sequence[dict], [(), [{}], [3]]),
}


@pytest.mark.parametrize("kind", ACCEPTED)
def test_an_option_that_fits_is_accepted(kind: str) -> None:
    annotation, values = ACCEPTED[kind]
    for value in values:
        assert taking(annotation)(value) is value
        assert taking(annotation | None)(value) is value
    assert taking(annotation | None)(None) is None


WHOLE = [
    (1.0, "float 1.0"),
    (True, "bool True"),
    ("1", "str '1'"),
    (None, "NoneType None"),
    (Fraction(2), "Fraction Fraction(2, 1)"),
]
REAL = {"1": "str", True: "bool", None: "NoneType", 1j: "complex", (1.0,): "tuple"}
INFINITE = (np.inf, -np.inf, np.nan, np.float32(np.nan))

REFUSED = {
    "Count": (
        Count,
        TypeError,
        [(v, f"whole number, got {g}") for v, g in WHOLE],
    ),
    "Count, small": (
        Count,
        ValueError,
        {v: f"at least 1, got {v}" for v in (0, -3)},
    ),
    "Size": (
        Size,
        TypeError,
        [(v, f"whole number, got {g}") for v, g in WHOLE],
    ),
    "Size, small": (Size, ValueError, {-1: "at least 0, got -1"}),
    "Finite": (
        Finite,
        TypeError,
        {v: f"real number, got {k}" for v, k in REAL.items()},
    ),
    "Finite, infinite": (
        Finite,
        ValueError,
        {v: f"be a finite number, got {v}" for v in INFINITE},
    ),
    "Positive": (
        Positive,
        TypeError,
        {v: f"real number, got {k}" for v, k in REAL.items()},
    ),
    "Positive, not above 0": (
        Positive,
        ValueError,
        {
            v: f"be a finite number greater than 0, got {v}"
            for v in (0, -1.5, np.float32(-1), Fraction(-1, 3), *INFINITE)
        },
    ),
    "NotNegative": (NotNegative, ValueError, {-1e-9: "be at least 0, got -1e-09"}),
    "NotNegative, infinite": (
        NotNegative,
        ValueError,
        {v: f"be a finite number, got {v}" for v in INFINITE},
    ),
    "Probability": (
        Probability,
        ValueError,
        {v: f"lie between 0 and 1, got {v}" for v in (-0.1, 1.5)},
    ),
    "Probability, infinite": (
        Probability,
        ValueError,
        {v: f"be a finite number, got {v}" for v in INFINITE},
    ),
    "Flag": (
        Flag,
        TypeError,
        {0: "be True or False, got int 0", 1.0: "be True or False, got float 1.0"},
    ),
    "Activation": (
        Activation,
        TypeError,
        {
            "relu": "be a function, such as relu or gelu of this module, got str 'relu'"
        },
    ),
    "Literal": (
        Literal["pre", "post"],
        ValueError,
        {"last": "be 'pre' or 'post', got 'last'"},
    ),
    "Literal, no word": (
        Literal["pre", "post"],
        TypeError,
        {1: "be 'pre' or 'post', got int 1"},
    ),
    "Even": (
        Annotated[Count, Even],
        ValueError,
        [
            (n, "be even, since features come in pairs, got 3")
            for n in (3, np.int64(3))
        ],
    ),
    "Pair": (
        Pair,
        TypeError,
        {
            (
                0,
                1,
                2,
            ): "be a pair (down, right) of whole numbers, got tuple (0, 1, 2)",
            (0, (1, 2)): "be a whole number, got tuple (1, 2)",
            (True, 0): "be a whole number, got bool True",
            (0.0, 1.0): "be a whole number, got float 0.0",
        },
    ),
    "a dtype": (
        Annotated[Any, FloatDtypeOf("numpy")],
        TypeError,
        {
            np.int64: "dtype of numpy, got numpy.int64",
            np.dtype("i8"): "dtype of numpy, got numpy.int64",
            float: "dtype of numpy, got <class 'float'>",
            torch.float32: "dtype of numpy, got torch.float32",
            "float32": "dtype of numpy, got 'float32'",
            None: "dtype of numpy, got None",
        },
    ),
    "a class": (dict, TypeError, {(): "be a dict, got builtins.tuple"}),
    "a generic class": (
        Sequence[dict],
        TypeError,
        [
            ({}, "be a Sequence, got builtins.dict"),
            (3, "be a Sequence, got builtins.int"),
            (iter(()), "be a Sequence, got builtins.tuple_iterator"),
        ],
    ),
    "Share": (
        Share,
        ValueError,
        {
            v: f"be greater than 0 and at most 1, got {v}"
            for v in (0, -0.5, 1.5, 50, Fraction(-1, 3))
        },
    ),
    "Share, infinite": (
        Share,
        ValueError,
        {v: f"be a finite number, got {v}" for v in INFINITE},
    ),
    "Share, no number": (
        Share,
        TypeError,
        {v: f"real number, got {k}" for v, k in REAL.items()},
    ),
    "Whole": (
        Whole,
        TypeError,
        [(v, f"whole number, got {g}") for v, g in WHOLE],
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_an_option_that_does_not_fit_is_refused(kind: str) -> None:
    annotation, error, cases = REFUSED[kind]
    for value, says in cases.items() if isinstance(cases, dict) else cases:
        text = message(error, taking(annotation), value)
        assert text.startswith("x must ") and text.endswith(says)


@check_arguments
def summed(a: Float[np.ndarray, "*batch n"], axis: Axis = -1) -> str:
    """Say that the call came through."""
    return "ran"


def test_an_axis_is_a_number_of_any_library_and_others_may_be_empty() -> None:
    assert summed(np.ones((2, 3)), np.int64(1)) == "ran"
    assert summed(np.ones((2, 0)), 0) == "ran"


# --- what else an annotation may demand -----------------------------------------------------------


@check_arguments
def demanding(
    a: Annotated[Float[np.ndarray, "*batch n d"], NonEmpty("d"), EvenWidth("d")],
    n_heads: Annotated[Count, Divides("d")] = 1,
) -> str:
    """Say that the call came through."""
    return "ran"


def test_an_axis_may_have_to_be_filled_even_or_divisible() -> None:
    assert demanding(np.ones((0, 6)), 3) == "ran"
    assert message(ValueError, demanding, np.ones((4, 0))) == (
        "a must have at least one element along axis -1, got (4, 0)"
    )
    assert message(ValueError, demanding, np.ones((4, 5))) == (
        "a must have an even width, since features come in pairs, got (4, 5)"
    )
    assert message(ValueError, demanding, np.ones((4, 6)), 4) == (
        "a must have a width that is a multiple of n_heads = 4, got (4, 6)"
    )
    assert message(TypeError, demanding, np.ones((4, 6)), 2.0) == (
        "n_heads must be a whole number, got float 2.0"
    )


def test_an_axis_without_leading_ones_is_counted_from_the_front() -> None:
    @check_arguments
    def table(keys: Annotated[Float[np.ndarray, "n d"], NonEmpty("n")]) -> None: ...

    assert message(ValueError, table, np.ones((0, 3))) == (
        "keys must have at least one element along axis 0, got (0, 3)"
    )


def test_a_number_that_is_given_binds_the_axis_of_its_name() -> None:
    @check_arguments
    def heads(n_heads: Count, bias: Float[np.ndarray, "#n_heads n"]) -> None: ...

    heads(3, np.ones((1, 7)))
    assert message(ValueError, heads, 3, np.ones((2, 7))) == (
        "bias must broadcast to shape (n_heads, n) with n_heads = 3, got (2, 7)"
    )


@check_arguments
def attended(
    X: Float[np.ndarray, "n_q d_x"],
    W: Float[np.ndarray, "d_z d"],
    *,
    Z: Annotated[Float[np.ndarray, "n_k d_z"] | None, Default("X")] = None,
    mask: Bool[np.ndarray, "n_q n_k"] | None = None,
) -> str:
    """Say that the call came through."""
    return "ran"


def test_none_may_stand_for_another_argument() -> None:
    """Then what would have to fit it has to fit the other, and is told so."""
    assert (
        attended(np.ones((3, 5)), np.ones((5, 2)), mask=np.ones((3, 3), bool))
        == "ran"
    )
    assert attended(np.ones((3, 5)), np.ones((7, 2)), Z=np.ones((4, 7))) == "ran"
    assert message(ValueError, attended, np.ones((3, 5)), np.ones((7, 2))) == (
        "W must have shape (d_x, d) with d_x = 5 from X, got (7, 2); "
        "axes of length 1 are not broadcast"
    )
    misfit = {"mask": np.ones((3, 4), bool)}
    text = message(ValueError, attended, np.ones((3, 5)), np.ones((5, 2)), **misfit)
    assert "n_q = 3 from X, got (3, 4)" in text


@check_arguments
def counted(
    logits: Float[np.ndarray, "n n_vocab"],
    targets: Annotated[Int[np.ndarray, "n"], Below("n_vocab", "ignore")],
    top_k: Annotated[Count, AtMost("n_vocab")] | None = None,
    *,
    ignore: Whole = -100,
) -> str:
    """Say that the call came through."""
    return "ran"


def test_entries_count_from_zero_along_an_axis_each_time() -> None:
    """Or are the number of another argument, which may count too."""
    logits = np.ones((2, 5))
    assert counted(logits, np.array([0, 4])) == "ran"
    assert counted(logits, np.array([-100, 4])) == "ran"
    assert counted(logits, np.array([-1, 3]), ignore=-1) == "ran"
    assert counted(logits, np.array([3, 3]), ignore=3) == "ran"
    assert counted(logits[:0], np.array([], int)) == "ran"
    must = "targets must lie between 0 and n_vocab - 1 = 4, or be ignore ="
    for target in (5, -1, 10**15):
        text = message(ValueError, counted, logits, np.array([0, target]))
        assert text == f"{must} -100, got {target}"
    text = message(ValueError, counted, logits, np.array([-100, 5]), ignore=7)
    assert text == f"{must} 7, got -100"


def test_entries_of_a_narrow_dtype_are_compared_as_numbers() -> None:
    """300 is no int8, and 200 as one is -56, as PyTorch would have it."""

    @check_arguments
    def looked_up(
        E: Float[torch.Tensor, "n_vocab d"],
        tokens: Annotated[Int[torch.Tensor, "n"], Below("n_vocab", "ignore")],
        ignore: Whole = -100,
    ) -> str:
        return "ran"

    tokens = torch.tensor([100, 127], dtype=torch.int8)
    for n_vocab in (128, 156, 200, 300):
        assert looked_up(torch.ones(n_vocab, 1), tokens) == "ran"
    assert "= 126, or be ignore = -100, got 127" in message(
        ValueError, looked_up, torch.ones(127, 1), tokens
    )
    # 156 as int8 is -100.
    assert "got -100" in message(
        ValueError, looked_up, torch.ones(9, 1), tokens - 200, 156
    )


def test_entries_on_another_device_are_not_read() -> None:
    """On the device `meta` they are no numbers at all."""

    @check_arguments
    def looked_up(
        E: Float[torch.Tensor, "n_vocab d"],
        tokens: Annotated[Int[torch.Tensor, "n"], Below("n_vocab")],
    ) -> str:
        return "ran"

    assert (
        looked_up(torch.ones(3, 2), torch.ones(4, dtype=int, device="meta"))
        == "ran"
    )


def test_a_modules_own_length_bounds_entries() -> None:
    class Table(torch.nn.Module):
        def __init__(self, n_vocab: int) -> None:
            super().__init__()
            self.n_vocab = n_vocab

        @check_arguments
        def forward(
            self, tokens: Annotated[Int[torch.Tensor, "n"], Below("n_vocab")]
        ) -> str:
            return "ran"

    assert Table(8)(torch.tensor([7])) == "ran"
    assert message(ValueError, Table(7), torch.tensor([7])) == (
        "tokens must lie between 0 and n_vocab - 1 = 6, got 7"
    )


@check_arguments
def with_layers(
    params: Annotated[
        Mapping[str, np.ndarray],
        Entries(
            Float,
            np.ndarray,
            {"E": "v d"},
            each={"net.layers": {"W.a": "d d"}},
        ),
    ],
    heads: Annotated[Count, Divides("d")] = 1,
) -> str:
    """Say that the call came through."""
    return "ran"


def layers(*numbers: Any, E: Any = 7) -> dict[str, np.ndarray]:
    """Return the entries of layers with these numbers."""
    named = {f"net.layers.{n}.W.a": np.ones((3, 3)) for n in numbers}
    return {"E": np.ones((E, 3))} | named


@pytest.mark.parametrize("n", [1, 2, 12])
def test_a_mapping_has_the_entries_of_any_number_of_layers(n: int) -> None:
    assert with_layers(layers(*range(n))) == "ran"
    assert with_layers(dict(reversed(layers(*range(n)).items())), 3) == "ran"


def test_layers_are_counted_by_whole_numbers_behind_the_prefix() -> None:
    must = "params must have the entries of a model of"
    for given, says in (
        (
            layers(0, "00"),
            "2 layers, but misses net.layers.1.W.a and has unknown net.layers.00.W.a",
        ),
        (layers(0) | {3: 4}, "1 layer, but has unknown 3"),
        (layers(0) | {"net.layersx": 4}, "1 layer, but has unknown net.layersx"),
        (
            {f"module.{k}": a for k, a in layers(0).items()},
            "1 layer, but misses E, net.layers.0.W.a and has unknown module.E, "
            "module.net.layers.0.W.a",
        ),
    ):
        assert message(ValueError, with_layers, given) == f"{must} {says}"


def test_lengths_may_come_from_a_mapping_that_is_given_later() -> None:
    @check_arguments
    def read(
        tokens: Annotated[Int[np.ndarray, "n"], Below("v"), NoLonger("n", "d")],
        params: Annotated[
            Mapping[str, np.ndarray], Entries(Float, np.ndarray, {"E": "v d"})
        ],
    ) -> str:
        return "ran"

    E = {"E": np.ones((7, 3))}
    assert read(np.array([6, 0, 1]), E) == "ran"
    assert message(ValueError, read, np.array([7]), E) == (
        "tokens must lie between 0 and v - 1 = 6, got 7"
    )
    assert message(ValueError, read, np.zeros(4, int), E) == (
        "tokens must have at most d = 3 elements along n, got 4"
    )


def test_of_many_names_a_dozen_are_said() -> None:
    few = {f"x{i}": 1 for i in range(12)}
    names = ", ".join(few)
    assert message(ValueError, with_layers, layers(0) | few).endswith(f" {names}")
    more = layers(0) | few | {"y": 1, "z": 1}
    assert message(ValueError, with_layers, more).endswith(f" {names}, 2 more")


def test_entries_of_all_layers_fit_each_other_and_the_other_arguments() -> None:
    wrong = layers(0, 1) | {"net.layers.1.W.a": np.ones((3, 4))}
    assert message(ValueError, with_layers, wrong) == (
        "net.layers.1.W.a must have shape (d, d) with d = 3 from E, got (3, 4); "
        "axes of length 1 are not broadcast"
    )
    assert message(ValueError, with_layers, layers(0), 2) == (
        "E must have a width that is a multiple of heads = 2, got (7, 3)"
    )
    narrow = layers(0) | {"E": np.ones((7, 3), np.float32)}
    assert "E is float32, net.layers.0.W.a is float64" in message(
        TypeError, with_layers, narrow
    )
    # A call that passed lets none pass that has other layers.
    assert with_layers(layers(0, 1)) == "ran"
    message(ValueError, with_layers, layers(0, 2))


# --- methods of modules ---------------------------------------------------------------------------


class Layer(torch.nn.Module):
    """A module with a width and, if wanted, a parameter."""

    @check_arguments
    def __init__(self, d_model: Count, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        self.d_model = d_model
        if dtype is not None:
            self.W = torch.nn.Parameter(torch.ones(d_model, d_model, dtype=dtype))

    @check_arguments
    def forward(self, X: Float[torch.Tensor, "*batch d_model"]) -> str:
        """Say that the call came through."""
        return "ran"


def test_a_modules_own_numbers_bind_axes_for_each_module() -> None:
    five, seven = Layer(5), Layer(7)
    assert five(torch.ones(3, 5)) == seven(torch.ones(3, 7)) == "ran"
    assert message(ValueError, seven, torch.ones(3, 5)) == (
        "X must have shape (*batch, d_model) with d_model = 7 from the Layer, "
        "got (3, 5); axes of length 1 are not broadcast"
    )
    assert message(ValueError, Layer, 0) == "d_model must be at least 1, got 0"


def test_a_modules_parameters_say_the_dtype() -> None:
    layer = Layer(5, torch.float64)
    assert layer(torch.ones(3, 5, dtype=torch.float64)) == "ran"
    assert message(TypeError, layer, torch.ones(3, 5)) == (
        "all arguments must have one dtype, but the Layer is float64, X is float32; "
        "convert them to the same"
    )
    assert layer.float()(torch.ones(3, 5)) == "ran"


# --- what is remembered ---------------------------------------------------------------------------


def test_a_call_like_one_before_is_not_checked_again(monkeypatch) -> None:
    calls = []
    rule = Count.__metadata__[0]
    monkeypatch.setattr(type(rule), "check", lambda *given: calls.append(given))
    function = taking(Count)
    function(3), function(3), function(4)
    assert [value for of, _, value, _ in calls if of is rule] == [3, 4]


class ShapedLikeAnArray:
    """What has a shape that cannot be a key, and a dtype of none."""

    shape = [1]


@pytest.mark.parametrize("kind", ACCEPTED)
def test_what_passed_lets_nothing_pass_that_is_refused_alone(kind: str) -> None:
    """Each value of the tables is tried alone, and after all the others: 1 equals True and 1.0."""
    values = [v for _, good in ACCEPTED.values() for v in good]
    for _, _, cases in REFUSED.values():
        values += [row if isinstance(cases, dict) else row[0] for row in cases]
    values += [
        np.array(1),
        np.array(1.0),
        np.ones(3),
        torch.tensor(1),
        np.bool_(True),
    ]
    values += [
        np.ndarray,
        np.bool_,
        [0, 1],
        ((0, 1), 2),
        {0, 1},
        ShapedLikeAnArray(),
    ]
    annotation, _ = ACCEPTED[kind]

    def verdict(function: Any, value: Any) -> str:
        try:
            return f"passed {function(value) is value}"
        except (TypeError, ValueError) as error:
            return repr(error)

    alone = [verdict(taking(annotation), value) for value in values]
    function = taking(annotation)
    for _ in range(2):
        assert [verdict(function, value) for value in values] == alone


def test_a_call_that_passed_lets_none_pass_that_differs() -> None:
    assert scores(Q, K) == "ran with scale None"
    for other in (K[:, :4], K.astype("f4"), K.tolist(), torch.tensor(K), None):
        with pytest.raises((TypeError, ValueError)):
            scores(Q, other)
    with pytest.raises(ValueError, match="scale must be a finite number, got nan"):
        scores(Q, K, scale=np.nan)
    with pytest.raises(TypeError, match="scale must be a real number, got bool"):
        scores(Q, K, scale=1.0), scores(Q, K, scale=True)


def test_nothing_that_was_passed_is_kept_alive() -> None:
    class Thing:
        pass

    function, thing = taking(Thing), Thing()
    array = np.ones(3).view(type("Own", (np.ndarray,), {}))
    gone = weakref.ref(thing), weakref.ref(array)
    function(thing), row_or_matrix(array, np.ones((3, 2)))
    del thing, array
    gc.collect()
    assert [reference() for reference in gone] == [None, None]


# --- errors that are Python's or the author's -----------------------------------------------------


@pytest.mark.parametrize(
    ("args", "kwargs", "says"),
    [
        (
            (Q, K),
            {"causal": True},
            "scores() got an unexpected keyword argument 'causal'",
        ),
        ((Q,), {}, "scores() missing 1 required positional argument: 'K'"),
        (
            (Q, K, None),
            {},
            "scores() takes 2 positional arguments but 3 were given",
        ),
        ((Q, K), {"Q": Q}, "scores() got multiple values for argument 'Q'"),
    ],
)
def test_pythons_own_errors_name_the_function(args, kwargs, says: str) -> None:
    assert message(TypeError, scores, *args, **kwargs) == says


@pytest.mark.parametrize(
    "annotation", [int, float, bool, str, Any, object, "Count"]
)
def test_an_annotation_that_says_nothing_is_an_error_with_file_and_line(
    annotation: Any,
) -> None:
    text = message(TypeError, taking, annotation)
    line = inspect.getsourcelines(taking)[1] + 3
    assert text.startswith(f"{__file__}:{line}: in taking.<locals>.function, ")
    assert "the annotation of x says nothing that can be checked" in text
