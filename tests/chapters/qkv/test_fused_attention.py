"""`fused_attention` in PyTorch beyond what the twins are compared in: gradients and 16 bits."""

import inspect
import itertools
import re
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from course_attn.in_torch import qkv
from course_attn.in_torch.qkv import _kernels, attention, fused_attention
from tests.support.comparison import (
    HALF,
    assert_close,
)
from tests.support.twin_table import Case, in_numpy, twin
from tests.twins.cases import CASES

ATTENTION_CASES = [case for case in CASES if case.function == "qkv.attention"]
each_case = pytest.mark.parametrize("case", ATTENTION_CASES, ids=str)


def test_fused_attention_has_the_face_of_attention() -> None:
    ours, theirs = (
        [
            (p.name, p.kind, p.default)
            for p in inspect.signature(f).parameters.values()
        ]
        for f in (attention, fused_attention)
    )
    dropout = ("dropout", inspect.Parameter.KEYWORD_ONLY, 0.0)
    assert theirs == [*ours, dropout]


def assert_as_exact_as_16_bits_allow(case: Case, dtype: str, device: str) -> None:
    """Assert that both are the exact result but for two roundings to 16 bits.

    A weight is rounded by at most HALF of itself, which moves the output by HALF times the mixture
    of the absolute values; the output is rounded once more. In float16, what is below 2**-14 has a
    fixed spacing. One part in ten is for the sums in float32.
    """
    coarse = case.arguments("in_torch", dtype, device)
    exact = {
        name: in_numpy(x).astype(float) if isinstance(x, torch.Tensor) else x
        for name, x in coarse.items()
    }
    if "mask" in exact:
        exact["mask"] = exact["mask"].astype(bool)
    call = twin("in_numpy", "qkv.attention")
    wanted, size = call(**exact), call(**exact | {"V": np.abs(exact["V"])})
    smallest = 2.0**-25 if dtype == "float16" else 0.0
    allowed = 1.1 * (
        2 * HALF[dtype] * size + smallest * (1 + np.abs(exact["V"]).max())
    )
    for function in (attention, fused_attention):
        found = function(**coarse)
        assert found.dtype == getattr(torch, dtype)
        assert found.device.type == device
        assert (np.abs(in_numpy(found).astype(float) - wanted) <= allowed).all()


@each_case
def test_attention_in_16_bits_is_as_exact_as_16_bits_allow(
    case: Case, subtests: pytest.Subtests
) -> None:
    for dtype in ("float16", "bfloat16"):
        with subtests.test(dtype=dtype):
            assert_as_exact_as_16_bits_allow(case, dtype, "cpu")


@pytest.mark.gpu
def test_attention_in_16_bits_on_the_gpu_is_as_exact_as_16_bits_allow(
    subtests: pytest.Subtests,
) -> None:
    for case, dtype in itertools.product(ATTENTION_CASES, ("float16", "bfloat16")):
        with subtests.test(str(case), dtype=dtype):
            assert_as_exact_as_16_bits_allow(case, dtype, "cuda")


# --- which kernel ---------------------------------------------------------------------------------

Inputs = dict[str, torch.Tensor]
NO_KERNEL = "No available kernel|No viable backend"


def with_an_empty_row(
    dtype: torch.dtype, device: str
) -> tuple[Inputs, torch.Tensor]:
    """Return four axes and widths of 64, which all kernels take; row 1 of the mask is empty."""
    generator = torch.Generator().manual_seed(0)
    Q, K, V = torch.randn(3, 2, 3, 16, 64, generator=generator).to(device, dtype)
    mask = torch.rand(16, 16, generator=generator).to(device) < 0.7
    mask[1] = False
    return {"Q": Q, "K": K, "V": V}, mask


def assert_zeros_for_an_empty_row(
    kernel: SDPBackend, dtype: torch.dtype, device: str, tolerance: float
) -> None:
    """Compare outputs and gradients with those of `attention`, where the kernel is forced."""
    given, mask = with_an_empty_row(dtype, device)
    bias = torch.zeros(16, 16, dtype=dtype, device=device)
    for limits in ({"mask": mask}, {"mask": mask, "bias": bias}):
        found = []
        for function in (fused_attention, attention):
            leaves = [x.clone().requires_grad_() for x in given.values()]
            with sdpa_kernel(kernel):
                out = function(*leaves, **limits)
                out.square().sum().backward()
            found.append([out, *(x.grad for x in leaves)])
        assert not found[0][0][..., 1, :].any() and not found[0][1][..., 1, :].any()
        for ours, wanted in zip(*found, strict=True):
            assert_close(ours, wanted, tolerance)


@pytest.mark.parametrize(
    "kernel", [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION], ids=str
)
def test_fused_attention_gives_an_empty_row_zeros_by_every_kernel(
    kernel: SDPBackend,
) -> None:
    assert_zeros_for_an_empty_row(kernel, torch.float64, "cpu", 1e-11)


@pytest.mark.gpu
@pytest.mark.parametrize(
    "kernel",
    [SDPBackend.MATH, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION],
    ids=str,
)
def test_fused_attention_gives_an_empty_row_zeros_by_every_kernel_on_the_gpu(
    kernel: SDPBackend,
) -> None:
    try:
        assert_zeros_for_an_empty_row(kernel, torch.bfloat16, "cuda", 0.05)
    except RuntimeError as error:
        if not re.search(NO_KERNEL, str(error)):
            raise
        pytest.skip(f"this device has no {kernel}: {error}")


def test_fused_attention_shows_no_kernel_of_a_gpu_an_empty_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By construction: whatever a kernel does with one, as cuDNN's does."""
    monkeypatch.setattr(qkv, "_may_see_empty_rows", lambda device: False)
    given, mask = with_an_empty_row(torch.float64, "cpu")
    kernel = F.scaled_dot_product_attention

    def strict(
        Q: Any, K: Any, V: Any, seen: Any, *args: Any, **options: Any
    ) -> Any:
        allowed = seen if seen.dtype == torch.bool else seen > -torch.inf
        assert allowed.any(dim=-1).all()
        return kernel(Q, K, V, seen, *args, **options)

    with patch.object(F, "scaled_dot_product_attention", strict):
        bias = torch.zeros(3, 16, 16, dtype=torch.float64)
        for options in ({}, {"bias": bias}, {"causal": True}):
            out = fused_attention(**given, mask=mask, **options)
            assert_close(out, attention(**given, mask=mask, **options), 1e-12)


def test_fused_attention_leaves_cudnn_out_where_it_errs_or_plans_anew() -> None:
    """Needs no GPU: PyTorch's switches are the same everywhere."""
    one = torch.ones(1, 1)
    cuda, cudnn_is_on = torch.device("cuda"), torch.backends.cuda.cudnn_sdp_enabled
    assert cudnn_is_on()
    for device, n_q, mask, bias, stays in (
        (cuda, 7, None, None, True),
        (cuda, 1, one > 0, None, True),
        (cuda, 1, None, None, False),
        (cuda, 7, None, one, False),
        (cuda, 7, one > 0, one, False),
        (torch.device("cpu"), 1, None, one, True),
    ):
        with _kernels(device, n_q, mask, bias):
            assert cudnn_is_on() == stays
        assert cudnn_is_on()
    with sdpa_kernel(SDPBackend.MATH), _kernels(cuda, 1, None, None):
        assert not torch.backends.cuda.flash_sdp_enabled()
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION), _kernels(cuda, 1, None, None):
        assert cudnn_is_on()


# --- gradients ------------------------------------------------------------------------------------


def gradients(
    function: Any, case: Case, dtype: str, device: str
) -> list[torch.Tensor]:
    """Return the gradients by Q, K and V, and by the bias if there is one."""
    arguments = case.arguments("in_torch", dtype, device)
    leaves = [
        x.requires_grad_()
        for x in arguments.values()
        if isinstance(x, torch.Tensor) and x.is_floating_point()
    ]
    out = function(**arguments)
    upstream = torch.arange(
        1.0, out.numel() + 1, dtype=out.dtype, device=device
    ).cos()
    return list(torch.autograd.grad(out, leaves, upstream.reshape(out.shape)))


@each_case
def test_fused_attention_has_the_gradients_of_attention(case: Case) -> None:
    """Also where a row is empty: finite, and the same."""
    for found, wanted in zip(
        gradients(fused_attention, case, "float64", "cpu"),
        gradients(attention, case, "float64", "cpu"),
        strict=True,
    ):
        assert torch.isfinite(wanted).all()
        assert_close(found, wanted, 1e-11)


@pytest.mark.gpu
def test_fused_attention_has_the_gradients_of_attention_on_the_gpu(
    subtests: pytest.Subtests,
) -> None:
    for case in ATTENTION_CASES:
        with subtests.test(str(case)):
            on_gpu = gradients(fused_attention, case, "float32", "cuda")
            on_cpu = gradients(attention, case, "float64", "cpu")
            for found, wanted in zip(on_gpu, on_cpu, strict=True):
                assert_close(found, wanted, 1e-4)
