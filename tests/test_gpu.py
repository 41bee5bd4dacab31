"""The PyTorch functions on a GPU: same results, on the same device."""

import pytest
import torch
from twin_cases import BY_HAND, CASES
from twin_comparison import TOLERANCE, assert_close
from twin_table import Case, convert, in_numpy, parts, raw, result_kind


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("case", [c for c in CASES if c.arrays], ids=str)
def test_the_gpu_agrees_with_the_cpu(case: Case, dtype: str) -> None:
    """PyTorch's default is full float32 products; TF32, if switched on, keeps three digits."""
    assert not torch.backends.cuda.matmul.allow_tf32
    function = raw("in_torch", case.function)
    on_gpu = function(**case.arguments("in_torch", dtype, device="cuda"))
    assert {part.device.type for part in parts(on_gpu)} == {"cuda"}
    wanted = "bool" if result_kind(case.function) == "bool" else dtype
    assert {part.dtype for part in parts(on_gpu)} == {getattr(torch, wanted)}
    assert_close(
        on_gpu, function(**case.arguments("in_torch", dtype)), TOLERANCE[dtype]
    )


@pytest.mark.gpu
@pytest.mark.parametrize("case", BY_HAND, ids=str)
def test_the_gpu_agrees_with_hand_worked_cases(case: Case) -> None:
    result = raw("in_torch", case.function)(
        **case.arguments("in_torch", device="cuda")
    )
    assert_close(result, case.expected, 1e-12)


@pytest.mark.gpu
@pytest.mark.parametrize("function", ["softmax.softmax", "masks.masked_softmax"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bit_softmax_on_the_gpu_rounds_only_once(
    dtype: str, function: str
) -> None:
    scores = torch.randn(11, 1009, generator=torch.Generator().manual_seed(0)).mul(
        3
    )
    coarse = scores.to(getattr(torch, dtype))
    found = raw("in_torch", function)(coarse.to("cuda"))
    exact = torch.softmax(coarse.double(), dim=-1)
    assert found.dtype == coarse.dtype
    error = (found.cpu().double() - exact).abs()
    assert (
        error <= 1.01 * (torch.finfo(coarse.dtype).eps / 2 * exact + 2.0**-25)
    ).all()


@pytest.mark.gpu
def test_gradients_reach_tensors_on_the_gpu() -> None:
    case = next(case for case in CASES if case.function == "softmax.softmax")
    scores = convert(
        "in_torch", case.arrays["scores"], device="cuda"
    ).requires_grad_()
    raw("in_torch", "softmax.softmax")(scores)[..., 0].sum().backward()
    assert scores.grad is not None
    assert scores.grad.device.type == "cuda"
    jacobian = raw("in_torch", "softmax.softmax_jacobian")
    weights = raw("in_torch", "softmax.softmax")(scores.detach())
    assert_close(scores.grad, in_numpy(jacobian(weights))[..., 0], 1e-12)
