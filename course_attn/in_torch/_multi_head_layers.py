"""The modules of chapter 7, `multi_head`."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float

from course_attn._check_options import check_share, widths_of_heads
from course_attn._checks import check_arguments, check_count, check_flag
from course_attn.in_torch.masks import causal_mask
from course_attn.in_torch.qkv import attention, attention_weights, project_qkv
from course_attn.in_torch.weighted_sum import weighted_sum


class AttentionHead(torch.nn.Module):
    """One head: project the elements to a small width, and attend there.

    head = softmax(Q K^T / sqrt(d_k)) V with Q = X W_Q, K = Z W_K, V = Z W_V. The head reads all
    d_model features of every element, through matrices of its own.

    Parameters
    ----------
    d_model : int
        The width of the elements, at least 1.
    d_k : int
        The width of queries and keys.
    d_v : int
        The width of values and outputs.

    Examples
    --------
    >>> AttentionHead(7, d_k=2, d_v=3)(torch.ones(5, 7)).shape
    torch.Size([5, 3])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2.2, "head_i". Chapter: `multi_head`.
    """

    def __init__(self, d_model: int, d_k: int, d_v: int) -> None:
        super().__init__()
        check_count(1, d_model=d_model)
        check_count(1, d_k=d_k)
        check_count(1, d_v=d_v)
        self.W_Q = torch.nn.Parameter(torch.empty(d_model, d_k))
        self.W_K = torch.nn.Parameter(torch.empty(d_model, d_k))
        self.W_V = torch.nn.Parameter(torch.empty(d_model, d_v))
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the matrices anew, with variance 1/d_model, so that projections keep theirs."""
        for W in (self.W_Q, self.W_K, self.W_V):
            torch.nn.init.normal_(W, std=W.shape[0] ** -0.5, generator=generator)

    def extra_repr(self) -> str:
        """Say the widths."""
        (d_model, d_k), d_v = self.W_Q.shape, self.W_V.shape[1]
        return f"d_model={d_model}, d_k={d_k}, d_v={d_v}"

    def forward(
        self,
        X: Float[torch.Tensor, "*batch n_q d_model"],
        Z: Float[torch.Tensor, "*batch n_k d_model"] | None = None,
        *,
        mask: Bool[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
    ) -> Float[torch.Tensor, "*batch n_q d_v"]:
        """Return what this head finds for each element of X in Z, by default in X itself."""
        Q, K, V = project_qkv(X, self.W_Q, self.W_K, self.W_V, Z=Z)
        return attention(Q, K, V, mask=mask)


class MultiHeadAttention(torch.nn.Module):
    """Let several heads attend side by side, and mix what they found.

    Y = concat(head_1, ..., head_n_heads) W_O + b_O, where head_h attends with the h-th block of
    columns of Q = X W_Q + b_Q, K = Z W_K + b_K and V = Z W_V + b_V.

    Parameters
    ----------
    d_model : int
        The width of the elements and of the outputs, at least 1.
    n_heads : int
        The number of heads, at least 1.
    d_k : int or None
        The width of a head's queries and keys; None means d_model / n_heads.
    d_v : int or None
        The width of a head's values; None means d_model / n_heads.
    d_z : int or None
        The width of the elements that answer; None means d_model.
    bias : bool
        Whether each of the four linear maps adds a vector of its own.
    dropout : float
        The share of the weights that is dropped in training, from 0 to 1; the others grow by
        1 / (1 - dropout).

    Examples
    --------
    >>> layer = MultiHeadAttention(6, n_heads=2)
    >>> layer
    MultiHeadAttention(d_model=6, n_heads=2, d_k=3, d_v=3, d_z=6, bias=True, dropout=0.0)
    >>> out, weights = layer(torch.ones(5, 6), need_weights=True)
    >>> out.shape, weights.shape
    (torch.Size([5, 6]), torch.Size([2, 5, 5]))

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2.2. Chapter: `multi_head`.
    """

    b_Q: torch.nn.Parameter | None
    b_K: torch.nn.Parameter | None
    b_V: torch.nn.Parameter | None
    b_O: torch.nn.Parameter | None

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        *,
        d_k: int | None = None,
        d_v: int | None = None,
        d_z: int | None = None,
        bias: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.d_k, self.d_v = widths_of_heads(d_model, n_heads, d_k, d_v)
        self.d_model, self.n_heads, self.dropout = d_model, n_heads, dropout
        self.d_z = d_model if d_z is None else d_z
        check_count(1, d_z=self.d_z)
        check_flag(bias=bias)
        check_share(dropout=dropout)
        shapes = {
            "Q": (d_model, n_heads * self.d_k),
            "K": (self.d_z, n_heads * self.d_k),
            "V": (self.d_z, n_heads * self.d_v),
            "O": (n_heads * self.d_v, d_model),
        }
        for name, shape in shapes.items():
            W = torch.nn.Parameter(torch.empty(shape))
            b = torch.nn.Parameter(torch.empty(shape[1])) if bias else None
            self.register_parameter(f"W_{name}", W)
            self.register_parameter(f"b_{name}", b)
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the matrices anew, with variance 1/rows, so that they keep that of their input.

        The biases become 0.
        """
        for parameter in self.parameters():
            if parameter.ndim == 2:
                std = parameter.shape[0] ** -0.5
                torch.nn.init.normal_(parameter, std=std, generator=generator)
            else:
                torch.nn.init.zeros_(parameter)

    def extra_repr(self) -> str:
        """Say the sizes and the options."""
        names = ("d_model", "n_heads", "d_k", "d_v", "d_z")
        sizes = ", ".join(f"{name}={getattr(self, name)}" for name in names)
        return f"{sizes}, bias={self.b_O is not None}, dropout={self.dropout}"

    def forward(
        self,
        X: Float[torch.Tensor, "*batch n_q d_model"],
        Z: Float[torch.Tensor, "*batch n_k d_z"] | None = None,
        *,
        mask: Bool[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
        bias: Float[torch.Tensor, "*#batch #n_heads #n_q #n_k"] | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> (
        Float[torch.Tensor, "*batch n_q d_model"]
        | tuple[
            Float[torch.Tensor, "*batch n_q d_model"],
            Float[torch.Tensor, "*batch n_heads n_q n_k"],
        ]
    ):
        """Return the outputs, one for each element of X, and if asked the weights of every head.

        Parameters
        ----------
        X : array, shape (..., n_q, d_model)
            The elements that ask, one a row.
        Z : array, shape (..., n_k, d_z), or None
            The elements that answer, one a row; None means X (self-attention).
        mask : array of bool, shape that broadcasts to (..., n_q, n_k), or None
            True where element i of X may attend to element j of Z, in all heads.
        bias : array, shape that broadcasts to (..., n_heads, n_q, n_k), or None
            Added to the scores after scaling; at least these three axes, each of which may be 1.
        causal : bool
            Whether to hide later elements, as `causal_mask(n_q, n_k)` does, besides those that
            `mask` hides. Where there is no more than this to hide, the kernel skips them.
        need_weights : bool
            Whether to return the weights too. Without them a fused kernel does the work.

        Returns
        -------
        array, shape (..., n_q, d_model), or a tuple of it and the weights
            The weights have shape (..., n_heads, n_q, n_k): a matrix for each head, no mean. In
            training they are those after dropout, which the outputs were computed with.
        """
        check_flag(causal=causal)
        check_flag(need_weights=need_weights)
        Z = X if Z is None else Z
        of_heads = self.W_Q.unflatten(-1, (self.n_heads, self.d_k))
        _check_input(of_heads, self.W_K, X, Z, mask, bias)
        Q = self._to_heads(F.linear(X, self.W_Q.T, self.b_Q))
        K = self._to_heads(F.linear(Z, self.W_K.T, self.b_K))
        V = self._to_heads(F.linear(Z, self.W_V.T, self.b_V))
        square = (
            Q.shape[-2] == K.shape[-2]
        )  # else the kernel's own mask is another one
        skips = causal and square and mask is bias is None and not need_weights
        if causal and not skips:
            earlier = causal_mask(Q.shape[-2], K.shape[-2]).to(Q.device)
            mask = earlier if mask is None else mask & earlier
        if mask is not None and mask.ndim > 2:
            mask = mask.unsqueeze(-3)  # the same for all heads
        dropout = self.dropout if self.training else 0.0
        if need_weights:
            bias = None if bias is None else bias.to(Q.dtype)  # autocast narrows Q
            weights = attention_weights(Q, K, mask=mask, bias=bias)
            weights = F.dropout(weights, dropout)
            heads = weighted_sum(weights, V)
        else:
            if mask is not None and bias is not None:
                mask = torch.where(mask, bias, -torch.inf)  # the kernel takes one
            attn_mask = bias if mask is None else mask
            heads = F.scaled_dot_product_attention(
                Q, K, V, attn_mask, dropout, is_causal=skips
            )
        out = F.linear(heads.transpose(-2, -3).flatten(-2), self.W_O.T, self.b_O)
        return (out, weights) if need_weights else out

    def _to_heads(self, X: torch.Tensor) -> torch.Tensor:
        """Do what `split_heads` does, without a copy and without checks."""
        return X.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)


@check_arguments
def _check_input(
    W_Q: Float[torch.Tensor, "d_model n_heads d_k"],
    W_K: Float[torch.Tensor, "d_z heads_d_k"],
    X: Float[torch.Tensor, "*batch n_q d_model"],
    Z: Float[torch.Tensor, "*batch n_k d_z"],
    mask: Bool[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
    bias: Float[torch.Tensor, "*#batch #n_heads #n_q #n_k"] | None = None,
) -> None:
    """Check that the inputs of a module fit its matrices, and each other."""
