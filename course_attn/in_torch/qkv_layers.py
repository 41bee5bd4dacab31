"""Queries, keys and values as modules with learned matrices."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor as Array

from course_attn._contracts import Count, Flag, check_arguments
from course_attn.in_torch.qkv import attention_weights, fused_attention, project_qkv
from course_attn.in_torch.weighted_sum import weighted_sum

__all__ = ["CrossAttention", "SelfAttention"]


class _Attention(torch.nn.Module):
    """What self- and cross-attention share: three learned matrices."""

    @check_arguments
    def __init__(
        self, d_model: Count, d_k: Count | None = None, d_v: Count | None = None
    ) -> None:
        super().__init__()
        self.d_model = d_model
        self.d_k = d_model if d_k is None else d_k
        self.d_v = d_model if d_v is None else d_v
        self.W_Q = torch.nn.Parameter(torch.empty(self.d_model, self.d_k))
        self.W_K = torch.nn.Parameter(torch.empty(self.d_model, self.d_k))
        self.W_V = torch.nn.Parameter(torch.empty(self.d_model, self.d_v))
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the matrices anew, with variance 1/d_model, so that projections keep theirs."""
        for W in (self.W_Q, self.W_K, self.W_V):
            torch.nn.init.normal_(W, std=self.d_model**-0.5, generator=generator)

    def extra_repr(self) -> str:
        """Say the widths."""
        return f"d_model={self.d_model}, d_k={self.d_k}, d_v={self.d_v}"


class SelfAttention(_Attention):
    """Let the elements of one sequence attend to each other.

    Y = softmax(Q K^T / sqrt(d_k)) V with Q = X W_Q, K = X W_K, V = X W_V. The three matrices are
    learned; nothing else is. The widths d_k and d_v are d_model unless they are given.
    Source: Vaswani et al. (2017), section 3.2, with one head and without W_O.

    Examples
    --------
    >>> layer = SelfAttention(5, d_k=2, d_v=3)
    >>> layer
    SelfAttention(d_model=5, d_k=2, d_v=3)
    >>> out, weights = layer.forward_with_weights(torch.ones(7, 5))
    >>> out.shape, weights.shape
    (torch.Size([7, 3]), torch.Size([7, 7]))
    """

    @check_arguments
    def forward(
        self,
        X: Float[Array, "*batch n d_model"],
        *,
        mask: Bool[Array, "*#batch #n #n"] | None = None,
        causal: Flag = False,
    ) -> Float[Array, "*batch n d_v"]:
        """Return the outputs (..., n, d_v); `fused_attention` does the work.

        In `mask`, True means that element i may attend to element j.
        """
        Q, K, V = project_qkv(X, self.W_Q, self.W_K, self.W_V)
        return fused_attention(Q, K, V, mask=mask, causal=causal)

    @check_arguments
    def forward_with_weights(
        self,
        X: Float[Array, "*batch n d_model"],
        *,
        mask: Bool[Array, "*#batch #n #n"] | None = None,
        causal: Flag = False,
    ) -> tuple[Float[Array, "*batch n d_v"], Float[Array, "*batch n n"]]:
        """Return what `forward` does, and the weights (..., n, n)."""
        Q, K, V = project_qkv(X, self.W_Q, self.W_K, self.W_V)
        weights = attention_weights(Q, K, mask=mask, causal=causal)
        return weighted_sum(weights, V), weights


class CrossAttention(_Attention):
    """Let the elements of one sequence attend to those of another.

    Y = softmax(Q K^T / sqrt(d_k)) V with Q = X W_Q, K = Z W_K, V = Z W_V. The three matrices are
    learned; nothing else is. Both sequences have the width d_model, and d_k and d_v are d_model
    unless they are given.
    Source: Vaswani et al. (2017), section 3.2, with one head and without W_O.

    Examples
    --------
    >>> layer = CrossAttention(5, d_k=2, d_v=3)
    >>> out, weights = layer.forward_with_weights(torch.ones(7, 5), torch.ones(11, 5))
    >>> out.shape, weights.shape
    (torch.Size([7, 3]), torch.Size([7, 11]))
    """

    @check_arguments
    def forward(
        self,
        X: Float[Array, "*batch n_q d_model"],
        Z: Float[Array, "*batch n_k d_model"],
        *,
        mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    ) -> Float[Array, "*batch n_q d_v"]:
        """Return the outputs (..., n_q, d_v); `fused_attention` does the work.

        In `mask`, True means that element i of X may attend to element j of Z.
        """
        Q, K, V = project_qkv(X, self.W_Q, self.W_K, self.W_V, Z=Z)
        return fused_attention(Q, K, V, mask=mask)

    @check_arguments
    def forward_with_weights(
        self,
        X: Float[Array, "*batch n_q d_model"],
        Z: Float[Array, "*batch n_k d_model"],
        *,
        mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    ) -> tuple[Float[Array, "*batch n_q d_v"], Float[Array, "*batch n_q n_k"]]:
        """Return what `forward` does, and the weights (..., n_q, n_k)."""
        Q, K, V = project_qkv(X, self.W_Q, self.W_K, self.W_V, Z=Z)
        weights = attention_weights(Q, K, mask=mask)
        return weighted_sum(weights, V), weights
