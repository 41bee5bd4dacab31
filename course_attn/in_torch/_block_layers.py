"""Chapter 9, `block`: its parts as modules, the block, and a stack of blocks."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float

from course_attn._check_options import (
    check_choice,
    check_function,
    check_not_negative,
    check_share,
)
from course_attn._checks import check_arguments, check_count
from course_attn.in_torch.multi_head import MultiHeadAttention

_Activation = Callable[[Any], Any]


class LayerNorm(torch.nn.Module):
    """Normalize every element across its features, with a learned gain and bias.

    y = gain * (x - mean(x)) / sqrt(var(x) + eps) + bias: `layer_norm` as a module.

    Parameters
    ----------
    d_model : int
        The width of the elements, at least 1.
    eps : float
        Added to the variance, inside the root; 0 or more.

    Examples
    --------
    >>> LayerNorm(2)(torch.tensor([[1.0, 3.0]])).detach().round(decimals=3)
    tensor([[-1.,  1.]])

    Notes
    -----
    Source: Ba, Kiros and Hinton (2016), section 3. Chapter: `block`.
    """

    def __init__(self, d_model: int, *, eps: float = 1e-5) -> None:
        super().__init__()
        check_count(1, d_model=d_model)
        check_not_negative(eps=eps)
        self.d_model, self.eps = d_model, eps
        self.gain = torch.nn.Parameter(torch.empty(d_model))
        self.bias = torch.nn.Parameter(torch.empty(d_model))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Start with a gain of 1 and a bias of 0."""
        torch.nn.init.ones_(self.gain)
        torch.nn.init.zeros_(self.bias)

    def extra_repr(self) -> str:
        """Say the width and eps."""
        return f"d_model={self.d_model}, eps={self.eps}"

    def forward(
        self, X: Float[torch.Tensor, "*batch d_model"]
    ) -> Float[torch.Tensor, "*batch d_model"]:
        """Return the normalized elements.

        Parameters
        ----------
        X : array, shape (..., d_model)
            The elements, one a row.

        Returns
        -------
        array, shape of `X`
            What `layer_norm` gives, but for rounding, from PyTorch's own kernel.
        """
        return F.layer_norm(X, (self.d_model,), self.gain, self.bias, self.eps)


class FeedForward(torch.nn.Module):
    """Process every element on its own by two learned matrices with a bend between them.

    y = activation(x W_1 + b_1) W_2 + b_2: `feed_forward` as a module, with dropout of the hidden
    features while training.

    Parameters
    ----------
    d_model : int
        The width of the elements, at least 1.
    d_ff : int
        How many hidden features each gets, at least 1.
    activation : function
        Such as `relu` or `gelu`.
    dropout : float
        The probability with which a hidden feature is set to 0 while training, below 1.

    Examples
    --------
    >>> FeedForward(5, 7)(torch.ones(2, 3, 5)).shape
    torch.Size([2, 3, 5])

    Notes
    -----
    Source: Vaswani et al. (2017), eq. 2; dropout as in `torch.nn.TransformerEncoderLayer`.
    Chapter: `block`.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: _Activation = torch.relu,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        check_count(1, d_model=d_model)
        check_count(1, d_ff=d_ff)
        check_function(activation=activation)
        check_share(dropout=dropout)
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

    def forward(
        self, X: Float[torch.Tensor, "*batch d_model"]
    ) -> Float[torch.Tensor, "*batch d_model"]:
        """Return the processed elements.

        Parameters
        ----------
        X : array, shape (..., d_model)
            The elements, one a row.

        Returns
        -------
        array, shape of `X`
            What `feed_forward` gives; while training, with dropout.
        """
        _check_width(self.W_1, X)
        hidden = self.dropout(self.activation(X @ self.W_1 + self.b_1))
        return hidden @ self.W_2 + self.b_2


@check_arguments
def _check_width(
    W_1: Float[torch.Tensor, "d_model d_ff"],
    X: Float[torch.Tensor, "*batch d_model"],
) -> None:
    """Check that the elements have the width of the module."""


class TransformerBlock(torch.nn.Module):
    """Let the elements exchange information, then process each on its own; add both to them.

    With norm="pre", H = X + attention(norm_1(X)) and Y = H + feed_forward(norm_2(H)). With
    norm="post", H = norm_1(X + attention(X)) and Y = norm_2(H + feed_forward(H)). While training,
    dropout acts on the attention weights, on the hidden features, and on what is added to X and H.

    Parameters
    ----------
    d_model : int
        The width of the elements, a multiple of n_heads.
    n_heads : int
        The number of heads, at least 1.
    d_ff : int or None
        The number of hidden features of the feed-forward network; None means 4 * d_model.
    norm : str
        Where the norms stand: "pre", before each part, or "post", after each sum.
    dropout : float
        The probability with which an entry is set to 0 while training, below 1.
    activation : function
        The activation of the feed-forward network, such as `relu` or `gelu`.
    eps : float
        What the norms add to the variance; 0 or more.

    Examples
    --------
    >>> block = TransformerBlock(8, n_heads=2)
    >>> block(torch.ones(3, 5, 8)).shape
    torch.Size([3, 5, 8])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.1, for "post"; Xiong et al. (2020), section 3, for
    "pre". Chapter: `block`.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_ff: int | None = None,
        *,
        norm: str = "pre",
        dropout: float = 0.0,
        activation: _Activation = torch.relu,
        eps: float = 1e-5,
    ) -> None:
        super().__init__()
        check_choice(("pre", "post"), norm=norm)
        self.norm = norm
        self.attention = MultiHeadAttention(d_model, n_heads, dropout=dropout)
        self.norm_1 = LayerNorm(d_model, eps=eps)
        self.feed_forward = FeedForward(
            d_model,
            4 * d_model if d_ff is None else d_ff,
            activation=activation,
            dropout=dropout,
        )
        self.norm_2 = LayerNorm(d_model, eps=eps)
        self.dropout = torch.nn.Dropout(dropout)

    def extra_repr(self) -> str:
        """Say where the norms stand."""
        return f"norm={self.norm!r}"

    def forward(
        self,
        X: Float[torch.Tensor, "*batch n d_model"],
        *,
        mask: Bool[torch.Tensor, "..."] | None = None,
        bias: Float[torch.Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> (
        Float[torch.Tensor, "*batch n d_model"]
        | tuple[
            Float[torch.Tensor, "*batch n d_model"],
            Float[torch.Tensor, "*batch n_heads n n"],
        ]
    ):
        """Return the elements after the block, and if asked the attention weights.

        Parameters
        ----------
        X : array, shape (..., n, d_model)
            The elements, one a row.
        mask : array of bool, shape that broadcasts to (..., n, n), or None
            True where element i may attend to element j, in all heads; None allows everything.
        bias : array, shape that broadcasts to (..., n_heads, n, n), or None
            Added to the scores after scaling; at least its last three axes are given.
        need_weights : bool
            Whether to return the weights too.

        Returns
        -------
        array, shape of `X`, or a tuple of it and the weights, shape (..., n_heads, n, n)
            What `transformer_block` gives, but with biases in the attention.
        """
        pre = self.norm == "pre"
        found = self.attention(
            self.norm_1(X) if pre else X,
            mask=mask,
            bias=bias,
            need_weights=need_weights,
        )
        mixed, weights = found if need_weights else (found, None)
        H = X + self.dropout(mixed)
        H = H if pre else self.norm_1(H)
        Y = H + self.dropout(self.feed_forward(self.norm_2(H) if pre else H))
        Y = Y if pre else self.norm_2(Y)
        return (Y, weights) if need_weights else Y


class Transformer(torch.nn.Module):
    """Stack blocks, each with parameters of its own.

    Each block takes what the one before returns. After the last pre-norm block, whose result no
    norm has seen, stands a final norm; a post-norm block ends with one.

    Parameters
    ----------
    n_layers : int
        The number of blocks, at least 1.
    d_model : int
        The width of the elements, a multiple of n_heads.
    n_heads : int
        The number of heads of each block, at least 1.
    d_ff : int or None
        The number of hidden features of each feed-forward network; None means 4 * d_model.
    norm : str
        Where the norms stand: "pre" or "post".
    dropout : float
        The probability with which an entry is set to 0 while training, below 1.
    activation : function
        The activation of the feed-forward networks, such as `relu` or `gelu`.
    eps : float
        What the norms add to the variance; 0 or more.

    Examples
    --------
    >>> stack = Transformer(3, 8, n_heads=2)
    >>> out, weights = stack(torch.ones(5, 8), need_weights=True)
    >>> out.shape, len(weights), weights[0].shape
    (torch.Size([5, 8]), 3, torch.Size([2, 5, 5]))

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.1; the final norm, Radford et al. (2019), section 2.3.
    Chapter: `block`.
    """

    def __init__(
        self,
        n_layers: int,
        d_model: int,
        n_heads: int,
        d_ff: int | None = None,
        *,
        norm: str = "pre",
        dropout: float = 0.0,
        activation: _Activation = torch.relu,
        eps: float = 1e-5,
    ) -> None:
        super().__init__()
        check_count(1, n_layers=n_layers)
        options = {"norm": norm, "dropout": dropout, "activation": activation}
        self.blocks = torch.nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, **options, eps=eps)
            for _ in range(n_layers)
        )
        last = LayerNorm(d_model, eps=eps) if norm == "pre" else torch.nn.Identity()
        self.final_norm = last

    def forward(
        self,
        X: Float[torch.Tensor, "*batch n d_model"],
        *,
        mask: Bool[torch.Tensor, "..."] | None = None,
        bias: Float[torch.Tensor, "..."] | None = None,
        need_weights: bool = False,
    ) -> (
        Float[torch.Tensor, "*batch n d_model"]
        | tuple[
            Float[torch.Tensor, "*batch n d_model"],
            tuple[Float[torch.Tensor, "*batch n_heads n n"], ...],
        ]
    ):
        """Return the elements after all blocks, and if asked the attention weights of each.

        Parameters
        ----------
        X : array, shape (..., n, d_model)
            The elements, one a row.
        mask : array of bool, shape that broadcasts to (..., n, n), or None
            Given to every block: True where element i may attend to element j.
        bias : array, shape that broadcasts to (..., n_heads, n, n), or None
            Given to every block: added to the scores after scaling.
        need_weights : bool
            Whether to return the weights too.

        Returns
        -------
        array, shape of `X`, or a tuple of it and a tuple of weights, (..., n_heads, n, n) each
            The result, and the weights of the blocks from the first to the last.
        """
        weights = []
        for block in self.blocks:
            X = block(X, mask=mask, bias=bias, need_weights=need_weights)
            if need_weights:
                X, found = X
                weights.append(found)
        Y = self.final_norm(X)
        return (Y, tuple(weights)) if need_weights else Y
