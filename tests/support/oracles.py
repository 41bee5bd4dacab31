"""What the oracles of the tables share: NumPy arrays in, tensors out, by PyTorch's own code."""

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from tests.support.twin_table import INF


def tensors(*arrays: Any) -> list[Any]:
    """Copy NumPy arrays to tensors; None stays None."""
    return [None if a is None else torch.from_numpy(a.copy()) for a in arrays]


def pairs(Q: np.ndarray, K: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """Return every query beside every key: two tensors of shape (..., n_q, n_k, width)."""
    queries = np.repeat(Q[..., :, None, :], K.shape[-2], axis=-2)
    keys = np.repeat(K[..., None, :, :], Q.shape[-2], axis=-3)
    return torch.from_numpy(queries), torch.from_numpy(keys)


def and_causal(mask: Any, n_q: int, n_k: int, causal: bool) -> Any:
    """Return the mask, with later keys hidden too if wanted; the last query sees all keys."""
    if not causal:
        return mask
    lower = np.tri(n_q, n_k, n_k - n_q, dtype=bool)
    return lower if mask is None else mask & lower


def attention_by_torch(
    Q: Any,
    K: Any,
    V: Any,
    mask: Any = None,
    bias: Any = None,
    scale: Any = None,
    causal: bool = False,
) -> torch.Tensor:
    """Hand a bool mask over as it is (True = keep in this function of PyTorch's), else a float."""
    mask = and_causal(mask, Q.shape[-2], K.shape[-2], causal)
    q, k, v, m, b = tensors(Q, K, V, mask, bias)
    if m is not None and b is not None:
        m = b.expand(torch.broadcast_shapes(b.shape, m.shape)).masked_fill(~m, -INF)
    m = b if m is None else m
    return F.scaled_dot_product_attention(q, k, v, attn_mask=m, scale=scale)


def identity_mha(
    width: int, dtype: torch.dtype = torch.float32
) -> torch.nn.MultiheadAttention:
    """Return PyTorch's layer with one head and projections that change nothing."""
    mha = torch.nn.MultiheadAttention(
        width, 1, bias=False, batch_first=True, dtype=dtype
    )
    with torch.no_grad():
        mha.in_proj_weight.copy_(torch.eye(width).repeat(3, 1))
        mha.out_proj.weight.copy_(torch.eye(width))
    return mha.eval()
