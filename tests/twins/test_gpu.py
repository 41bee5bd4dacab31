"""The PyTorch functions on a GPU: same results, on the same device."""

import pytest
import torch

from tests.support.comparison import TOLERANCE, assert_close
from tests.support.twin_table import (
    Case,
    convert,
    dtype_promised,
    in_numpy,
    parts,
    public,
)
from tests.twins.cases import BY_HAND, CASES, FUNCTIONS

pytestmark = pytest.mark.gpu
if not torch.cuda.is_available():
    pytest.skip(
        "needs a CUDA device, and torch.cuda.is_available() is False here",
        allow_module_level=True,
    )

each_function = pytest.mark.parametrize("function", FUNCTIONS)


@each_function
def test_gpu_agrees_with_the_cpu(function: str, subtests: pytest.Subtests) -> None:
    """PyTorch's default is full float32 products; TF32, if switched on, keeps three digits."""
    assert not torch.backends.cuda.matmul.allow_tf32
    for case in CASES:
        if case.function == function and case.arrays:
            for dtype in TOLERANCE:
                with subtests.test(str(case), dtype=dtype):
                    assert_same_on_gpu(case, dtype)


def assert_same_on_gpu(case: Case, dtype: str) -> None:
    """Compare device, dtype and numbers with those of the CPU."""
    function = public("in_torch", case.function)
    on_gpu = function(**case.arguments("in_torch", dtype, device="cuda"))
    assert {part.device.type for part in parts(on_gpu)} == {"cuda"}
    for part in parts(on_gpu):
        wanted = dtype_promised(case.function, part, dtype)
        assert part.dtype == getattr(torch, wanted)
    on_cpu = function(**case.arguments("in_torch", dtype))
    assert_close(on_gpu, on_cpu, TOLERANCE[dtype])


@each_function
def test_gpu_agrees_with_hand_worked_cases(
    function: str, subtests: pytest.Subtests
) -> None:
    for case in BY_HAND:
        if case.function == function:
            with subtests.test(str(case)):
                arguments = case.arguments("in_torch", device="cuda")
                assert_close(
                    public("in_torch", function)(**arguments), case.expected, 1e-12
                )


@pytest.mark.parametrize("function", ["softmax.softmax", "masks.masked_softmax"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_softmax_in_16_bits_on_the_gpu_rounds_only_once(
    function: str, dtype: torch.dtype
) -> None:
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(11, 1009, generator=generator).mul(3)
    coarse = scores.to(dtype)
    found = public("in_torch", function)(coarse.to("cuda"))
    exact = torch.softmax(coarse.double(), dim=-1)
    error = (found.cpu().double() - exact).abs()
    allowed = 1.01 * (torch.finfo(dtype).eps / 2 * exact + 2.0**-25)
    assert found.dtype == dtype
    assert (error <= allowed).all()


def test_softmax_gradients_reach_tensors_on_the_gpu() -> None:
    case = next(case for case in CASES if case.function == "softmax.softmax")
    scores = convert(
        "in_torch", case.arrays["scores"], device="cuda"
    ).requires_grad_()
    public("in_torch", "softmax.softmax")(scores)[..., 0].sum().backward()
    assert scores.grad is not None
    assert scores.grad.device.type == "cuda"
    jacobian = public("in_torch", "softmax.softmax_jacobian")
    weights = public("in_torch", "softmax.softmax")(scores.detach())
    assert_close(scores.grad, in_numpy(jacobian(weights))[..., 0], 1e-12)
