"""What attention makes of its numbers: 16 bits, other kinds and devices, and their gradients."""

from typing import Any

import numpy as np
import pytest
import torch

from course_attn import costs
from course_attn.in_torch.masks import mask_to_bias
from course_attn.in_torch.qkv import attention, fused_attention
from tests.support.attention_inputs import (
    N_K,
    N_Q,
    inputs,
    normal,
)
from tests.support.comparison import HALF, assert_close, each_of_16_bits
from tests.support.oracles import tensors
from tests.support.twin_table import convert, in_numpy, public, twin

# --- numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1.0, 60.0])
@each_of_16_bits
def test_attention_weights_in_16_bits_are_the_exact_ones_rounded_once(
    library: str, dtype: str, size: float
) -> None:
    """The scores too are computed in 32 bits; at size 60, products exceed 65504 in float16."""
    Q, K = (size * normal(n, 64, seed=s) for n, s in ((N_Q, 0), (N_K, 1)))
    coarse = {"Q": convert(library, Q, dtype), "K": convert(library, K, dtype)}
    exact = {name: in_numpy(x).astype(float) for name, x in coarse.items()}
    assert size == 1 or np.abs(exact["Q"] @ exact["K"].T).max() > 65504
    wanted = twin("in_numpy", "qkv.attention_weights")(**exact)
    found = in_numpy(public(library, "qkv.attention_weights")(**coarse))
    # Scores of size s are rounded to s 2**-24 in float32, and weights by that factor more.
    largest = np.abs(exact["Q"] @ exact["K"].T).max() / 8
    rtol = HALF[dtype] + 8 * largest * 2.0**-24
    atol = 2.0**-25 if dtype == "float16" else 1e-38
    np.testing.assert_allclose(
        found.astype(float), wanted, rtol=1.01 * rtol, atol=1.01 * atol
    )


@pytest.mark.parametrize("kind", ["attention", "causal_attention"])
def test_attention_without_a_key_gives_no_warning_of_numpy(
    kind: str,
) -> None:
    """Warnings from our modules are errors in this test run: see pyproject.toml."""
    Q, K, V = inputs(n_q=3, n_k=2)
    if kind == "attention":
        out = twin("in_numpy", "qkv.attention")(
            Q, K, V, mask=np.zeros((3, 2), bool)
        )
    else:
        out = public("in_numpy", "masks.causal_attention")(Q, K, V)[:1]
    assert (out == 0).all()


@pytest.mark.without_hook
def test_attention_and_masks_take_integers_and_numpy_numbers_as_options(
    library: str,
) -> None:
    """A scale of 1 is one of 1.0, and a length may come out of a NumPy array."""
    Q, K = (convert(library, x) for x in inputs()[:2])
    weights = public(library, "qkv.attention_weights")
    assert_close(weights(Q, K, scale=1), weights(Q, K, scale=1.0), 0.0)
    assert_close(
        weights(Q, K, scale=np.float32(0.5)), weights(Q, K, scale=0.5), 0.0
    )
    causal = public(library, "masks.causal_mask")
    assert_close(causal(np.int64(3), np.int32(5)), causal(3, 5), 0.0)
    window = public(library, "masks.sliding_window_mask")
    assert_close(window(3, window=np.int64(2)), window(3, window=2), 0.0)
    variance = costs.expected_score_variance
    assert variance(np.int64(4), mean=1, shared=True) == 24.0
    assert type(variance(np.int64(4), mean=np.float32(1))) is float


# --- gradients through masks ----------------------------------------------------------------------


@pytest.mark.parametrize("about", ["empty by mask", "empty by bias", "no keys"])
@pytest.mark.parametrize("function", [attention, fused_attention])
def test_attention_gives_an_empty_row_no_gradient(
    function: Any, about: str
) -> None:
    """Zero, not NaN, in every step of the backward pass."""
    n_k = 0 if about == "no keys" else 3
    Q, K, V = tensors(normal(2, 5), normal(n_k, 5, seed=1), normal(n_k, 2, seed=2))
    for x in (Q, K, V):
        x.requires_grad_()
    empty = torch.tensor([[False] * n_k, [True] * n_k], dtype=torch.bool)
    given: dict[str, Any] = {
        "empty by mask": {"mask": empty},
        "empty by bias": {"bias": mask_to_bias(empty, dtype=torch.float64)},
        "no keys": {},
    }[about]
    with pytest.warns(UserWarning, match="Anomaly Detection"):
        # PyTorch's own kernels may pass through NaN; ours do not.
        with torch.autograd.detect_anomaly(check_nan=function is attention):
            function(Q, K, V, **given)[0].sum().backward()
    for x in (Q, K, V):
        assert x.grad is not None and (x.grad == 0).all()
