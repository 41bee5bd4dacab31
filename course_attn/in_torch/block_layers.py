"""The transformer block, its parts and a stack of blocks as modules."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor as Array

from course_attn._contracts import (
    Activation,
    Count,
    Flag,
    NotNegative,
    Probability,
    check_arguments,
)
from course_attn.in_torch.block import post_norm_block, pre_norm_block
from course_attn.in_torch.multi_head_layers import (
    Cache,
    MultiHeadAttention,
    from_torch,
)

__all__ = [
    "FeedForward",
    "LayerNorm",
    "Transformer",
    "TransformerBlock",
    "block_from_torch",
]


class LayerNorm(torch.nn.Module):
    """Normalize every element across its features, with a learned gain and bias.

    y = gain * (x - mean(x)) / sqrt(var(x) + eps) + bias: `layer_norm` as a module.
    Source: Ba, Kiros and Hinton (2016), section 3.

    Examples
    --------
    >>> LayerNorm(2)(torch.tensor([[1.0, 3.0]])).detach().round(decimals=3)
    tensor([[-1.,  1.]])
    """

    @check_arguments
    def __init__(self, d_model: Count, *, eps: NotNegative = 1e-5) -> None:
        super().__init__()
        self.d_model, self.eps = d_model, eps
        self.gain = torch.nn.Parameter(torch.empty(d_model))
        self.bias = torch.nn.Parameter(torch.empty(d_model))
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Start with a gain of 1 and a bias of 0; nothing is drawn."""
        torch.nn.init.ones_(self.gain)
        torch.nn.init.zeros_(self.bias)

    def extra_repr(self) -> str:
        """Say the width and eps."""
        return f"d_model={self.d_model}, eps={self.eps}"

    @check_arguments
    def forward(
        self, X: Float[Array, "*batch d_model"]
    ) -> Float[Array, "*batch d_model"]:
        """Return what `layer_norm` gives, but for rounding, from PyTorch's own kernel."""
        return F.layer_norm(X, (self.d_model,), self.gain, self.bias, self.eps)


class FeedForward(torch.nn.Module):
    """Process every element on its own: expand, apply the nonlinearity, project back.

    y = activation(x W_1 + b_1) W_2 + b_2: `feed_forward` as a module, with d_ff hidden features.
    While training, each of these is set to 0 with the probability `dropout`, from 0 to 1, and the
    others grow by 1 / (1 - dropout). Source: Vaswani et al. (2017), eq. 2; dropout as in
    `torch.nn.TransformerEncoderLayer`.

    Examples
    --------
    >>> FeedForward(5, 7)(torch.ones(2, 3, 5)).shape
    torch.Size([2, 3, 5])
    """

    @check_arguments
    def __init__(
        self,
        d_model: Count,
        d_ff: Count,
        *,
        activation: Activation = torch.relu,
        dropout: Probability = 0.0,
    ) -> None:
        super().__init__()
        self.d_model, self.d_ff, self.activation = d_model, d_ff, activation
        self.W_1 = torch.nn.Parameter(torch.empty(d_model, d_ff))
        self.b_1 = torch.nn.Parameter(torch.empty(d_ff))
        self.W_2 = torch.nn.Parameter(torch.empty(d_ff, d_model))
        self.b_2 = torch.nn.Parameter(torch.empty(d_model))
        self.dropout = torch.nn.Dropout(dropout)
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the matrices with variance 1 over the number of their rows; set the biases to 0."""
        for W in (self.W_1, self.W_2):
            torch.nn.init.normal_(W, std=W.shape[0] ** -0.5, generator=generator)
        for b in (self.b_1, self.b_2):
            torch.nn.init.zeros_(b)

    def extra_repr(self) -> str:
        """Say the widths and the activation."""
        name = getattr(self.activation, "__name__", repr(self.activation))
        return f"d_model={self.d_model}, d_ff={self.d_ff}, activation={name}"

    @check_arguments
    def forward(
        self, X: Float[Array, "*batch d_model"]
    ) -> Float[Array, "*batch d_model"]:
        """Return what `feed_forward` gives; while training, with dropout."""
        hidden = F.linear(X, self.W_1.T, self.b_1)  # X @ W_1 + b_1, in one pass
        hidden = self.dropout(self.activation(hidden))
        return F.linear(hidden, self.W_2.T, self.b_2)


class TransformerBlock(torch.nn.Module):
    """Let the elements exchange information, then process each on its own; add both to them.

    With norm="pre", H = X + attention(norm_1(X)) and Y = H + feed_forward(norm_2(H)). With
    norm="post", H = norm_1(X + attention(X)) and Y = norm_2(H + feed_forward(H)). The feed-forward
    network has d_ff hidden features, by default 4 d_model. `biases` says whether the attention has
    biases. While training, `dropout`, a probability from 0 to 1, acts on the attention weights, on
    the hidden features, and on what is added to X and H. Source: Xiong et al. (2020), section 3,
    for "pre"; Vaswani et al. (2017), section 3.1, for "post".

    Examples
    --------
    >>> block = TransformerBlock(8, n_heads=2)
    >>> block(torch.ones(3, 5, 8)).shape
    torch.Size([3, 5, 8])
    """

    @check_arguments
    def __init__(
        self,
        d_model: Count,
        n_heads: Count,
        d_ff: Count | None = None,
        *,
        norm: Literal["pre", "post"] = "pre",
        biases: Flag = True,
        dropout: Probability = 0.0,
        activation: Activation = torch.relu,
        eps: NotNegative = 1e-5,
    ) -> None:
        super().__init__()
        self.norm = norm
        d_ff = 4 * d_model if d_ff is None else d_ff
        self.attention = MultiHeadAttention(
            d_model, n_heads, biases=biases, dropout=dropout
        )
        self.norm_1 = LayerNorm(d_model, eps=eps)
        self.feed_forward = FeedForward(
            d_model, d_ff, activation=activation, dropout=dropout
        )
        self.norm_2 = LayerNorm(d_model, eps=eps)
        self.dropout = torch.nn.Dropout(dropout)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the parameters of all parts anew."""
        for part in (self.attention, self.norm_1, self.feed_forward, self.norm_2):
            part.reset_parameters(generator)

    def extra_repr(self) -> str:
        """Say where the norms stand."""
        return f"norm={self.norm!r}"

    # Checked by the parts: the attention alone knows how many positions a cache keeps.
    def forward(
        self,
        X: Float[Array, "*batch n d_model"],
        *,
        mask: Bool[Array, "*#batch #n #n_k"] | None = None,
        bias: Float[Array, "*#batch #n_heads #n #n_k"] | None = None,
        causal: bool = False,
        cache: Cache | None = None,
    ) -> Array:
        """Return the elements after the block.

        What `transformer_block` gives, where there are no `biases`. The arguments are those of
        `MultiHeadAttention`, and n_k is n, or with a cache the number of all positions so far.
        """
        options = {"mask": mask, "bias": bias, "causal": causal, "cache": cache}
        return self._join(X, lambda H: self.attention(H, **options))

    def forward_with_weights(
        self,
        X: Float[Array, "*batch n d_model"],
        *,
        mask: Bool[Array, "*#batch #n #n_k"] | None = None,
        bias: Float[Array, "*#batch #n_heads #n #n_k"] | None = None,
        causal: bool = False,
        cache: Cache | None = None,
    ) -> tuple[Array, Array]:
        """Return what `forward` does, and the weights (..., n_heads, n, n_k)."""
        options: dict[str, Any] = {"mask": mask, "bias": bias}
        options |= {"causal": causal, "cache": cache}
        weights: list[Array] = []

        def attend(H: Array) -> Array:
            mixed, of_heads = self.attention.forward_with_weights(H, **options)
            weights.append(of_heads)
            return mixed

        return self._join(X, attend), weights[0]

    def _join(self, X: Array, attend: Callable[[Array], Array]) -> Array:
        """Join attention, feed-forward network and norms in the order of `norm`."""
        block = pre_norm_block if self.norm == "pre" else post_norm_block
        return block(
            X,
            lambda H: self.dropout(attend(H)),
            lambda H: self.dropout(self.feed_forward(H)),
            self.norm_1,
            self.norm_2,
        )


class Transformer(torch.nn.Module):
    """Stack blocks, each with parameters of its own.

    Each of the n_layers blocks takes what the one before returns. The last pre-norm block, whose
    result no norm has seen, is followed by a final norm; a post-norm block ends with one. The other
    arguments are those of each `TransformerBlock`. Source: Vaswani et al. (2017), section 3.1; the
    final norm, Radford et al. (2019), section 2.3.

    Examples
    --------
    >>> stack = Transformer(3, 8, n_heads=2)
    >>> out, weights = stack.forward_with_weights(torch.ones(5, 8), causal=True)
    >>> out.shape, len(weights), weights[0].shape
    (torch.Size([5, 8]), 3, torch.Size([2, 5, 5]))
    """

    @check_arguments
    def __init__(
        self,
        n_layers: Count,
        d_model: Count,
        n_heads: Count,
        d_ff: Count | None = None,
        *,
        norm: Literal["pre", "post"] = "pre",
        biases: Flag = True,
        dropout: Probability = 0.0,
        activation: Activation = torch.relu,
        eps: NotNegative = 1e-5,
    ) -> None:
        super().__init__()
        options: dict[str, Any] = {"norm": norm, "activation": activation}
        options |= {"biases": biases, "dropout": dropout, "eps": eps}
        self.blocks = torch.nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, **options)
            for _ in range(n_layers)
        )
        last = LayerNorm(d_model, eps=eps) if norm == "pre" else torch.nn.Identity()
        self.final_norm = last

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the parameters of all blocks anew, and reset the final norm."""
        for part in (*self.blocks, self.final_norm):
            if isinstance(part, TransformerBlock | LayerNorm):
                part.reset_parameters(generator)

    # Checked by the parts, but for the number of caches.
    def forward(
        self,
        X: Float[Array, "*batch n d_model"],
        *,
        mask: Bool[Array, "*#batch #n #n_k"] | None = None,
        bias: Float[Array, "*#batch #n_heads #n #n_k"] | None = None,
        causal: bool = False,
        caches: Sequence[Cache] | None = None,
    ) -> Array:
        """Return the elements after all blocks.

        Every block gets the same `mask`, `bias` and `causal`. With `caches`, one `KVCache` for each
        block, X holds only the new elements; the caches keep the keys and values of earlier calls.
        """
        each = one_each(caches, len(self.blocks))
        for block, cache in zip(self.blocks, each, strict=True):
            X = block(X, mask=mask, bias=bias, causal=causal, cache=cache)
        return self.final_norm(X)

    def forward_with_weights(
        self,
        X: Float[Array, "*batch n d_model"],
        *,
        mask: Bool[Array, "*#batch #n #n_k"] | None = None,
        bias: Float[Array, "*#batch #n_heads #n #n_k"] | None = None,
        causal: bool = False,
        caches: Sequence[Cache] | None = None,
    ) -> tuple[Array, tuple[Array, ...]]:
        """Return what `forward` does, and the weights of each block, in a tuple."""
        weights: list[Array] = []
        block: Any  # A ModuleList does not say what its modules are.
        each = one_each(caches, len(self.blocks))
        for block, cache in zip(self.blocks, each, strict=True):
            X, of_block = block.forward_with_weights(
                X, mask=mask, bias=bias, causal=causal, cache=cache
            )
            weights.append(of_block)
        return self.final_norm(X), tuple(weights)


_C = TypeVar("_C")


def one_each(caches: Sequence[_C] | None, n: int) -> Sequence[_C | None]:
    """Return a cache, or None, for each of n blocks.

    Raises
    ------
    ValueError
        If there are more or fewer caches than blocks, or if two of them are the same.
    """
    if caches is None:
        return [None] * n
    n_different = len({id(cache) for cache in caches})
    if not len(caches) == n_different == n:
        raise ValueError(
            f"caches must be {n} different caches, one for each block, "
            f"got {len(caches)}, {n_different} of them different"
        )
    return caches


@check_arguments
@torch.no_grad()
def block_from_torch(layer: torch.nn.TransformerEncoderLayer) -> TransformerBlock:
    """Copy one of PyTorch's encoder layers into a block that computes the same.

    The layer may have any widths, norm order, activation, dropout, dtype and device, and either
    mode (training or not): the block has the same. PyTorch keeps the transposes of our matrices,
    and calls the gain of a norm its ``weight``. If the layer has no biases, the block has none in
    the attention, and zeros elsewhere. The block's input has the batch first, whatever
    `batch_first` of the layer says. An attention that appends a key (`add_bias_kv`,
    `add_zero_attn`) cannot be copied.
    Source: Vaswani et al. (2017), section 3.1, as `torch.nn` has it.

    Examples
    --------
    >>> layer = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
    >>> X = torch.ones(3, 5, 8)
    >>> torch.allclose(block_from_torch(layer)(X), layer(X), atol=1e-5)
    True
    """
    W = layer.linear1.weight
    block = TransformerBlock(
        layer.linear1.in_features,
        layer.self_attn.num_heads,
        layer.linear1.out_features,
        norm="pre" if layer.norm_first else "post",
        dropout=layer.dropout1.p,
        activation=layer.activation,
        eps=layer.norm1.eps,
    ).to(device=W.device, dtype=W.dtype)
    block.attention = from_torch(layer.self_attn)
    ours = block.feed_forward
    for W_ours, b_ours, linear in (
        (ours.W_1.T, ours.b_1, layer.linear1),
        (ours.W_2.T, ours.b_2, layer.linear2),
        (block.norm_1.gain, block.norm_1.bias, layer.norm1),
        (block.norm_2.gain, block.norm_2.bias, layer.norm2),
    ):
        W_ours.copy_(linear.weight)
        if linear.bias is not None:
            b_ours.copy_(linear.bias)
    return block.train(layer.training)
