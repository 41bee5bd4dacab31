"""`fused_attention`, which has no twin in NumPy: `attention` by PyTorch's own kernel."""

import inspect
import itertools
from typing import Any

import numpy as np
import pytest
import torch

from course_attn.in_torch.qkv import attention, fused_attention
from tests.support.comparison import (
    HALF,
    TOLERANCE,
    assert_close,
    assert_refused_alike,
    refusal,
)
from tests.support.twin_table import Case, convert, in_numpy, twin
from tests.twins.cases import BAD_INPUT, BY_HAND, CASES

ATTENTION_CASES = [case for case in CASES if case.function == "qkv.attention"]
ATTENTION_REFUSALS = [bad for bad in BAD_INPUT if bad.function == "qkv.attention"]
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


@each_case
def test_fused_attention_is_attention(
    case: Case, subtests: pytest.Subtests
) -> None:
    """To 1e-12 in float64 and 2e-5 in float32, like the twins."""
    for dtype in TOLERANCE:
        with subtests.test(dtype=dtype):
            found = fused_attention(**case.arguments("in_torch", dtype))
            assert found.dtype == getattr(torch, dtype)
            wanted = attention(**case.arguments("in_torch", dtype))
            assert_close(found, wanted, TOLERANCE[dtype])


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in BY_HAND
        if case.function == "qkv.attention"
        and not any(np.isnan(array).any() for array in case.arrays.values())
    ],
    ids=str,
)
def test_fused_attention_passes_the_cases_by_hand(case: Case) -> None:
    """Those without NaN, for which its docstring makes no promise."""
    found = fused_attention(**case.arguments("in_torch"))
    assert_close(found, case.expected, 1e-12)


@pytest.mark.without_hook
@pytest.mark.parametrize("name", sorted({bad.names for bad in ATTENTION_REFUSALS}))
def test_fused_attention_refuses_what_attention_refuses(
    name: str, subtests: pytest.Subtests
) -> None:
    for bad in ATTENTION_REFUSALS:
        if bad.names == name:
            with subtests.test(str(bad)):
                arguments = convert("in_torch", bad.arguments)
                errors = [
                    refusal("in_torch", f"qkv.{function}", arguments)
                    for function in ("attention", "fused_attention")
                ]
                assert_refused_alike(errors, bad.error, name, *bad.says)


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
def test_fused_attention_is_attention_on_the_gpu(subtests: pytest.Subtests) -> None:
    for case, dtype in itertools.product(ATTENTION_CASES, TOLERANCE):
        with subtests.test(str(case), dtype=dtype):
            found = fused_attention(**case.arguments("in_torch", dtype, "cuda"))
            assert found.device.type == "cuda"
            wanted = attention(**case.arguments("in_torch", dtype))
            assert_close(found, wanted, TOLERANCE[dtype])


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
