"""The modules of chapter 4, `qkv`."""

import torch
from jaxtyping import Bool, Float

from course_attn._checks import check_count
from course_attn.in_torch._qkv_functions import attention_weights, project_qkv
from course_attn.in_torch.weighted_sum import weighted_sum


class _Attention(torch.nn.Module):
    """What self- and cross-attention share: three learned matrices, and what is done with them."""

    def __init__(
        self, d_model: int, d_k: int | None = None, d_v: int | None = None
    ) -> None:
        super().__init__()
        self.d_model = d_model
        self.d_k = d_model if d_k is None else d_k
        self.d_v = d_model if d_v is None else d_v
        check_count(1, d_model=self.d_model)
        check_count(1, d_k=self.d_k)
        check_count(1, d_v=self.d_v)
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

    def _attend(
        self,
        X: torch.Tensor,
        Z: torch.Tensor | None,
        mask: torch.Tensor | None,
        need_weights: bool,
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """Let the elements of X attend to those of Z."""
        Q, K, V = project_qkv(X, self.W_Q, self.W_K, self.W_V, Z=Z)
        weights = attention_weights(Q, K, mask=mask)
        out = weighted_sum(weights, V)
        return (out, weights) if need_weights else out


class SelfAttention(_Attention):
    """Let the elements of one sequence attend to each other.

    Y = softmax(Q K^T / sqrt(d_k)) V with Q = X W_Q, K = X W_K, V = X W_V. The three matrices are
    learned; nothing else is.

    Parameters
    ----------
    d_model : int
        The width of the elements, at least 1.
    d_k : int or None
        The width of queries and keys; None means d_model.
    d_v : int or None
        The width of values and outputs; None means d_model.

    Examples
    --------
    >>> layer = SelfAttention(5, d_k=2, d_v=3)
    >>> layer
    SelfAttention(d_model=5, d_k=2, d_v=3)
    >>> out, weights = layer(torch.ones(7, 5), need_weights=True)
    >>> out.shape, weights.shape
    (torch.Size([7, 3]), torch.Size([7, 7]))

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2, with one head and without W_O. Chapter: `qkv`.
    """

    def forward(
        self,
        X: Float[torch.Tensor, "*batch n d_model"],
        *,
        mask: Bool[torch.Tensor, "*#batch #n #n"] | None = None,
        need_weights: bool = False,
    ) -> (
        Float[torch.Tensor, "*batch n d_v"]
        | tuple[
            Float[torch.Tensor, "*batch n d_v"], Float[torch.Tensor, "*batch n n"]
        ]
    ):
        """Return the outputs, one for each element, and if asked the weights that made them.

        Parameters
        ----------
        X : array, shape (..., n, d_model)
            The elements, one a row.
        mask : array of bool, shape that broadcasts to (..., n, n), or None
            True where element i may attend to element j.
        need_weights : bool
            Whether to return the weights too.

        Returns
        -------
        array, shape (..., n, d_v), or a tuple of it and the weights, shape (..., n, n)
            What `attention` and `attention_weights` give for the projected elements.
        """
        return self._attend(X, None, mask, need_weights)


class CrossAttention(_Attention):
    """Let the elements of one sequence attend to those of another.

    Y = softmax(Q K^T / sqrt(d_k)) V with Q = X W_Q, K = Z W_K, V = Z W_V. The three matrices are
    learned; nothing else is.

    Parameters
    ----------
    d_model : int
        The width of the elements of both sequences, at least 1.
    d_k : int or None
        The width of queries and keys; None means d_model.
    d_v : int or None
        The width of values and outputs; None means d_model.

    Examples
    --------
    >>> layer = CrossAttention(5, d_k=2, d_v=3)
    >>> out, weights = layer(torch.ones(7, 5), torch.ones(11, 5), need_weights=True)
    >>> out.shape, weights.shape
    (torch.Size([7, 3]), torch.Size([7, 11]))

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2, with one head and without W_O. Chapter: `qkv`.
    """

    def forward(
        self,
        X: Float[torch.Tensor, "*batch n_q d_model"],
        Z: Float[torch.Tensor, "*batch n_k d_model"],
        *,
        mask: Bool[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
        need_weights: bool = False,
    ) -> (
        Float[torch.Tensor, "*batch n_q d_v"]
        | tuple[
            Float[torch.Tensor, "*batch n_q d_v"],
            Float[torch.Tensor, "*batch n_q n_k"],
        ]
    ):
        """Return the outputs, one for each element of X, and if asked the weights.

        Parameters
        ----------
        X : array, shape (..., n_q, d_model)
            The elements that ask, one a row.
        Z : array, shape (..., n_k, d_model)
            The elements that answer, one a row.
        mask : array of bool, shape that broadcasts to (..., n_q, n_k), or None
            True where element i of X may attend to element j of Z.
        need_weights : bool
            Whether to return the weights too.

        Returns
        -------
        array, shape (..., n_q, d_v), or a tuple of it and the weights, shape (..., n_q, n_k)
            What `attention` and `attention_weights` give for the projected elements.
        """
        return self._attend(X, Z, mask, need_weights)
