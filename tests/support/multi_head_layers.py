"""Our multi-head layer and PyTorch's, what both are given, and how far apart results are."""

from typing import Any

import torch

from course_attn.in_torch import MultiHeadAttention
from course_attn.in_torch.masks import causal_mask, mask_to_bias, padding_mask
from tests.support.attention_inputs import normal_tensor as normal

# Distinct primes, and d_model a multiple of the number of heads.
BATCH, HEADS, N_Q, N_K, D_HEAD, D_Z = 2, 3, 7, 11, 5, 13
D_MODEL = HEADS * D_HEAD
# To 1e-13 in float64 and 2e-6 in float32; the largest deviations found are 8e-16 and 6e-7.
TOLERANCE = {torch.float64: 1e-13, torch.float32: 2e-6}
DTYPES = list(TOLERANCE)


def pytorchs(dtype: torch.dtype = torch.float64, **options: Any) -> Any:
    """Return PyTorch's layer with random weights, biases included."""
    torch.manual_seed(0)
    mha = torch.nn.MultiheadAttention(D_MODEL, HEADS, dtype=dtype, **options)
    for bias in (mha.in_proj_bias, mha.out_proj.bias):
        if bias is not None:
            torch.nn.init.normal_(bias)  # PyTorch starts with zeros
    return mha.eval()


def ours(dtype: torch.dtype = torch.float64, **options: Any) -> MultiHeadAttention:
    """Return our layer with random weights, biases included."""
    torch.manual_seed(1)
    module = MultiHeadAttention(D_MODEL, HEADS, **options).to(dtype)
    for name, parameter in module.named_parameters():
        if name.startswith("b_"):
            torch.nn.init.normal_(parameter)
    return module.eval()


def limits(n_k: int, dtype: torch.dtype) -> dict[str, dict[str, Any]]:
    """Return what may limit attention, for two sequences; no query is left without a key.

    "ours" are our arguments, "theirs" those of PyTorch's layer, where True = drop.
    """
    causal, padding = (
        causal_mask(N_Q, n_k),
        padding_mask(torch.tensor([n_k, 3]), n_k),
    )
    bias = normal(BATCH, HEADS, N_Q, n_k, seed=7, dtype=dtype)
    both = mask_to_bias(causal, dtype=dtype) + bias
    return {
        "nothing": {"ours": {}, "theirs": {}},
        "a mask": {"ours": {"mask": causal}, "theirs": {"attn_mask": ~causal}},
        "padding": {
            "ours": {"mask": padding},
            "theirs": {"key_padding_mask": ~padding[:, 0]},
        },
        "a mask and padding": {
            "ours": {"mask": causal & padding},
            "theirs": {"attn_mask": ~causal, "key_padding_mask": ~padding[:, 0]},
        },
        "a bias for each head": {
            "ours": {"bias": bias},
            "theirs": {"attn_mask": bias.flatten(0, 1)},
        },
        "a mask and a bias": {
            "ours": {"mask": causal, "bias": bias},
            "theirs": {"attn_mask": both.flatten(0, 1)},
        },
    }


LIMITS = list(limits(N_K, torch.float64))
WIDTHS = {
    "self": {},
    "kdim = vdim": {"kdim": D_Z, "vdim": D_Z},
    "kdim only": {"kdim": D_Z},
    "vdim only": {"vdim": D_Z},
    "kdim and vdim": {"kdim": D_Z, "vdim": 17},
}


def inputs(mha: Any, widths: str, dtype: torch.dtype) -> tuple[Any, Any, Any, Any]:
    """Return query, key and value for PyTorch, batch first, and our Z."""
    X = normal(BATCH, N_Q, D_MODEL, dtype=dtype)
    if widths == "self":
        return X, X, X, None
    key = normal(BATCH, N_K, mha.kdim, seed=1, dtype=dtype)
    if mha.kdim == mha.vdim:
        return X, key, key, key
    value = normal(BATCH, N_K, mha.vdim, seed=2, dtype=dtype)
    return X, key, value, torch.cat([key, value], dim=-1)


def call(mha: Any, *given: torch.Tensor, **options: Any) -> Any:
    """Call PyTorch's layer with the batch first, wherever it wants it."""
    if not mha.batch_first:
        given = tuple(x.transpose(0, 1) for x in given)
    out, weights = mha(*given, **options)
    return (out if mha.batch_first else out.transpose(0, 1)), weights


def deviation(found: torch.Tensor, wanted: torch.Tensor) -> float:
    """Return the largest difference, relative to the largest number; bfloat16 as float64."""
    assert found.shape == wanted.shape
    found, wanted = found.detach().double(), wanted.detach().double()
    return float((found - wanted).abs().max() / wanted.abs().max())
