"""Attention whose gradient is the one derived by hand."""

from typing import Any

import torch
from torch import Tensor as Array

from course_attn.in_torch.gradients import attention_backward
from course_attn.in_torch.qkv import attention

__all__ = ["AttentionByHand"]


class AttentionByHand(torch.autograd.Function):
    """Compute `attention`, and give autograd `attention_backward` for the way back.

    ``AttentionByHand.apply(Q, K, V, mask, causal, scale)``; the last three as for `attention`,
    which it equals in its outputs and, but for rounding, in its gradients. Only Q, K, V and the
    mask are kept for the way back, not the weights: these are computed anew. Gradients of gradients
    work.
    Source: Dao et al. (2022), section 3.1, for computing the weights anew.

    Examples
    --------
    >>> X = torch.tensor([[1.0], [3.0]], requires_grad=True)
    >>> AttentionByHand.apply(X, X, X, None, False, 0.0).sum().backward()
    >>> X.grad
    tensor([[1.],
            [1.]])
    """

    @staticmethod
    def forward(
        ctx: Any,
        Q: Array,
        K: Array,
        V: Array,
        mask: Array | None,
        causal: bool,
        scale: float | None,
    ) -> Array:
        """Return the outputs, and keep what the way back needs."""
        ctx.save_for_backward(Q, K, V, mask)
        ctx.options = {"causal": causal, "scale": scale}
        return attention(Q, K, V, mask=mask, causal=causal, scale=scale)

    @staticmethod
    def backward(ctx: Any, d_out: Array) -> tuple[Array | None, ...]:
        """Return dQ, dK and dV; mask, causal and scale have no gradient."""
        Q, K, V, mask = ctx.saved_tensors
        back = attention_backward(Q, K, V, d_out, mask=mask, **ctx.options)
        return *back, None, None, None
