"""`fused_attention` in PyTorch beyond what the twins are compared in: gradients and 16 bits."""

import inspect
import itertools
from typing import Any

import numpy as np
import pytest
import torch

from course_attn.in_torch.qkv import attention, fused_attention
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
