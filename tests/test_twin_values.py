"""The NumPy and the PyTorch version of every public function give the same right values."""

import inspect
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from twin_cases import BY_HAND, CASES, ORACLES, READS_NUMBERS
from twin_comparison import HALF, TOLERANCE, assert_close, each_16_bit_dtype
from twin_table import Case, convert, in_numpy, parts, raw, result_kind, twin

each_case = pytest.mark.parametrize("case", CASES, ids=str)


# --- the same values ------------------------------------------------------------------------------


@each_case
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_twins_agree(case: Case, dtype: str) -> None:
    """Same numbers in, same numbers out; dtype in = dtype out; float32 is as good as it can be."""
    by_numpy = raw("in_numpy", case.function)(**case.arguments("in_numpy", dtype))
    by_torch = raw("in_torch", case.function)(**case.arguments("in_torch", dtype))
    if (result := result_kind(case.function)) == "number":
        promised = inspect.signature(raw("in_numpy", case.function))
        kind = promised.return_annotation
        assert type(by_numpy) is type(by_torch) is kind
    else:
        wanted = {"bool": "bool", "float": dtype}[result]
        for part in parts(by_numpy):
            assert isinstance(part, np.ndarray | np.floating)
            assert str(part.dtype) == wanted
        for part in parts(by_torch):
            assert isinstance(part, torch.Tensor)
            assert part.dtype == getattr(torch, wanted)
    assert_close(by_torch, by_numpy, TOLERANCE[dtype])

    exact = {
        name: array.astype(dtype).astype(float) if array.dtype == float else array
        for name, array in case.arrays.items()
    }
    in_float64 = twin("in_numpy", case.function)(**exact, **case.options)
    assert_close(by_numpy, in_float64, TOLERANCE[dtype])


@each_case
def test_inputs_are_left_unchanged(case: Case, library: str) -> None:
    arguments = case.arguments(library)
    raw(library, case.function)(**arguments)
    for name, array in case.arrays.items():
        assert in_numpy(arguments[name]).tobytes() == array.tobytes(), name


@each_case
def test_results_share_no_memory_with_inputs(case: Case, library: str) -> None:
    """Writing into a result must not reach back into an argument."""
    arguments = case.arguments(library)
    result = in_numpy(raw(library, case.function)(**arguments))
    assert not any(
        np.shares_memory(part, in_numpy(arguments[name]))
        for name in case.arrays
        for part in parts(result)
    )


@each_case
def test_the_layout_in_memory_does_not_matter(case: Case, library: str) -> None:
    """Transposed views and every second entry of a larger array are arrays like any other."""
    wanted = twin(library, case.function)(**case.arrays, **case.options)
    for spread in (_transposed_twice, _every_second):
        arrays = {
            name: spread(convert(library, a)) for name, a in case.arrays.items()
        }
        found = raw(library, case.function)(**case.arguments(library) | arrays)
        assert_close(found, wanted, 1e-12)


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


@each_16_bit_dtype
@each_case
def test_16_bit_input_gives_16_bit_output(
    case: Case, library: str, dtype: str
) -> None:
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # squares above 65504 are inf in float16
        result = raw(library, case.function)(**case.arguments(library, dtype))
    if result_kind(case.function) == "float":
        for part in parts(result):
            assert str(part.dtype).removeprefix("torch.") == dtype


@each_16_bit_dtype
@pytest.mark.parametrize(
    "function", ["softmax.softmax", "softmax.log_softmax", "masks.masked_softmax"]
)
def test_16_bit_softmax_rounds_only_once(
    function: str, library: str, dtype: str
) -> None:
    """Computed in 32 bits, the result is the exact one rounded: half a unit in the last place."""
    scores = np.random.default_rng(5).normal(scale=3.0, size=(11, 1009))
    coarse = convert(library, scores, dtype)
    exact = twin("in_numpy", function)(in_numpy(coarse).astype(float))
    found = in_numpy(raw(library, function)(coarse)).astype(float)
    # A float16 below 2**-14 has a fixed spacing of 2**-24. The factor is for the float32 part.
    atol = 2.0**-25 if dtype == "float16" else 0.0
    np.testing.assert_allclose(
        found, exact, rtol=1.01 * HALF[dtype], atol=1.01 * atol
    )


@pytest.mark.parametrize(
    "case",
    [c for c in CASES if c.arrays and c.function not in READS_NUMBERS],
    ids=str,
)
def test_torch_functions_follow_their_inputs_to_any_device(case: Case) -> None:
    """On the device `meta`, which has shapes but no numbers, a tensor from elsewhere is refused."""
    function = raw("in_torch", case.function)
    on_meta = parts(function(**case.arguments("in_torch", device="meta")))
    on_cpu = parts(function(**case.arguments("in_torch")))
    assert {part.device.type for part in on_meta} == {"meta"}
    assert [part.shape for part in on_meta] == [part.shape for part in on_cpu]


# --- third oracles and hand-worked cases: an error in both twins at once --------------------------


@pytest.mark.parametrize(
    ("case", "oracle"),
    [(case, oracle) for case in CASES for oracle in ORACLES.get(case.function, {})],
    ids=str,
)
def test_others_code_agrees(case: Case, oracle: str, library: str) -> None:
    wanted = ORACLES[case.function][oracle](**case.arrays, **case.options)
    found = twin(library, case.function)(**case.arrays, **case.options)
    assert_close(found, wanted, 1e-12)


@pytest.mark.parametrize("batch", [(), (2, 3)])
def test_the_three_chapters_together_are_torchs_attention(
    batch: tuple[int, ...], library: str
) -> None:
    """Mix by the softmax of dot products: `scaled_dot_product_attention` without its scale."""
    rng = np.random.default_rng(3)
    Q, K, V = (
        rng.normal(size=(*batch, *shape)) for shape in [(7, 5), (11, 5), (11, 13)]
    )
    scores = twin(library, "scores.dot_scores")(Q, K)
    weights = twin(library, "softmax.softmax")(scores)
    out = twin(library, "weighted_sum.weighted_sum")(weights, V)
    wanted = F.scaled_dot_product_attention(
        *(torch.from_numpy(x) for x in (Q, K, V)), scale=1.0
    )
    assert_close(out, wanted, 1e-12)


def test_general_scores_are_torchs_bilinear_layer() -> None:
    """With `nn.Bilinear`'s own weight, which it keeps as (out, d_q, d_k)."""
    torch.manual_seed(0)
    layer = torch.nn.Bilinear(3, 5, 1, bias=False, dtype=torch.float64)
    Q, K = (
        torch.randn(7, 3, dtype=torch.float64),
        torch.randn(7, 5, dtype=torch.float64),
    )
    scores = raw("in_torch", "scores.general_scores")(Q, K, layer.weight[0])
    assert_close(scores.diagonal(), layer(Q, K)[:, 0], 1e-12)


@pytest.mark.parametrize("case", BY_HAND, ids=str)
def test_worked_out_by_hand(case: Case, library: str) -> None:
    found = twin(library, case.function)(**case.arrays, **case.options)
    assert_close(found, case.expected, 1e-12)
