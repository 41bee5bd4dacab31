"""Attention by kernels of one's own, in Triton. It has no twin: NumPy runs on no GPU."""

from math import ceil, gcd
from types import ModuleType
from typing import Annotated, Any

import torch
from jaxtyping import Float
from torch import Tensor as Array

from course_attn._contracts import (
    Finite,
    Flag,
    Must,
    NonEmpty,
    OfAxes,
    check_arguments,
)
from course_attn.in_torch._numerics import default_scale, upcast

__all__ = ["triton_attention"]

_NARROW = Must(
    "be float32, float16 or bfloat16",
    lambda X: X.dtype in (torch.float32, torch.float16, torch.bfloat16),
    got="{value.dtype}",
    error=TypeError,
)
_NOT_WIDE = OfAxes(
    "{name} must have a width of at most 128, got {shape}",
    lambda _, d: d <= 128,
    "d",
)


@check_arguments
def triton_attention(
    Q: Annotated[Float[Array, "*batch n_q d"], _NARROW, NonEmpty("d"), _NOT_WIDE],
    K: Float[Array, "*batch_k n_k d"],
    V: Float[Array, "*batch_k n_k d"],
    *,
    causal: Flag = False,
    scale: Finite | None = None,
) -> Float[Array, "*batch n_q d"]:
    """Compute `attention` by a kernel of one's own, and its gradients by two more, in Triton.

    Y = softmax(scale * Q K^T) V, tile by tile as in `tiled_attention`, on a GPU. The way back
    computes the weights anew, from Q, K and L_i = log2(sum over j of exp(s_ij)), one number per
    query. K and V may have fewer heads than Q, on the axis before the last two, by a factor n_rep:
    head h of Q reads head floor(h / n_rep), as with `repeat_kv`. A query that sees no key gets
    zeros. Widths up to 128; float32, float16 and bfloat16, with sums in float32: in 16 bits,
    weights are rounded before they meet values. No gradients of gradients. Without a GPU, Triton's
    interpreter runs the kernels, slowly, if TRITON_INTERPRET=1 is in Python's environment.
    Source: Dao (2024), algorithms 1 and 2.

    Examples
    --------
    >>> Q, K = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 5.0], [0.0, 7.0]])
    >>> V = torch.tensor([[8.0, 0.0], [0.0, 4.0]])
    >>> triton_attention(Q, K, V)  # doctest: +SKIP
    tensor([[4., 2.]])
    """
    _check_heads_and_devices(Q, K, V)
    return _Attention.apply(Q, K, V, causal, default_scale(scale, Q))


def _check_heads_and_devices(Q: Array, K: Array, V: Array) -> None:
    """Let K and V have fewer heads than Q by a whole factor, and no other device."""
    # Without an axis of heads there is one head.
    *batch, n_heads = 1, *Q.shape[:-2]
    *batch_k, n_kv_heads = 1, *K.shape[:-2]
    if batch_k != batch or gcd(n_heads, n_kv_heads) != n_kv_heads:
        raise ValueError(
            f"K must have the leading axes of Q, {tuple(Q.shape[:-2])}, or instead of the last "
            f"a number of heads that divides it, got {tuple(K.shape[:-2])}"
        )
    for name, X in {"K": K, "V": V}.items():
        if X.device != Q.device:
            raise ValueError(
                f"{name} must be on {Q.device} as Q is, got {X.device}"
            )


class _Attention(torch.autograd.Function):
    """Let autograd call the kernels."""

    @staticmethod
    def forward(
        ctx: Any, Q: Array, K: Array, V: Array, causal: bool, scale: float
    ) -> Array:
        Q, K, V = Q.contiguous(), K.contiguous(), V.contiguous()
        out, L = torch.empty_like(Q), Q.new_empty(Q.shape[:-1], dtype=torch.float32)
        ctx.save_for_backward(Q, K, V, out, L)
        ctx.options = {"causal": causal, "scale": scale}
        _launch("forward", Q, K, V, out, L, causal=causal, scale=scale)
        return out

    @staticmethod
    def backward(ctx: Any, d_out: Array) -> tuple[Array | None, ...]:
        if torch.is_grad_enabled():
            raise RuntimeError(
                "triton_attention has no gradients of gradients; leave create_graph out"
            )
        Q, K, V, out, L = ctx.saved_tensors
        d_out = d_out.contiguous()
        # the mean of d_weights under the weights, as in `softmax_backward`, one per query
        mean = (upcast(out) * upcast(d_out)).sum(dim=-1)
        dQ, dK, dV = torch.empty_like(Q), torch.empty_like(K), torch.empty_like(V)
        known = Q, K, V, d_out, L, mean
        _launch("backward_queries", *known, dQ, **ctx.options)
        _launch("backward_keys", *known, dK, dV, **ctx.options)
        return dQ, dK, dV, None, None


def _launch(name: str, *arrays: Array, causal: bool, scale: float) -> None:
    """Run a kernel, in one program for each tile of queries, or of keys, of each head."""
    Q, K = arrays[:2]
    (n_q, d), n_k = Q.shape[-2:], K.shape[-2]
    n_heads, n_kv_heads = Q.shape[:-2].numel(), K.shape[:-2].numel()
    D = _padded(d)
    tiles = _tiles(name, D, Q.dtype)
    n_programs = n_heads * ceil(n_q / tiles["ROWS"])
    if name == "backward_keys":
        n_programs = n_kv_heads * ceil(n_k / tiles["KEYS"])
    n_rep = n_heads // max(n_kv_heads, 1)
    kernel = getattr(_kernels(Q.device), name)
    with torch.cuda.device_of(Q):
        kernel[(n_programs,)](
            *arrays, n_q, n_k, n_rep, scale, d=d, D=D, CAUSAL=causal, **tiles
        )


def _padded(d: int) -> int:
    """Return a width that the kernels can hold: a power of two, and at least 16 for products."""
    return max(16, 1 << (d - 1).bit_length())


def _tiles(name: str, D: int, dtype: torch.dtype) -> dict[str, int]:
    """Return the sizes of a kernel's tiles, the warps that share one, and the stages of its loads.

    One tile stays while tiles of the other kind go by. At any width all fit 99 KB of shared memory,
    as much as a program can have on a GPU of compute capability 8.6.
    """
    rows, keys, warps, stages = {
        "forward": (128, 64, 4 if D <= 64 else 8, 3),
        "backward_queries": (128, 32, 8, 2),
        "backward_keys": (32, 128, 8, 2),
    }[name]
    if dtype == torch.float32:  # which no tensor core multiplies
        rows, keys, warps, stages = 32, 32, 4, 2
    return {"ROWS": rows, "KEYS": keys, "num_warps": warps, "num_stages": stages}


def _kernels(device: torch.device) -> ModuleType:
    """Import the kernels, or say what is missing."""
    try:
        from course_attn.in_torch import _fast_kernels
    except ImportError as error:
        raise ImportError(
            "triton_attention needs Triton, on Linux: pip install 'course_attn[triton]'"
        ) from error
    if device.type != "cuda" and not _fast_kernels.INTERPRETED:
        raise ValueError(
            f"Q must be on a GPU, got one on {device}; without a GPU, set TRITON_INTERPRET=1 "
            "in the environment and start Python anew"
        )
    return _fast_kernels
