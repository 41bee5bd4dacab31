"""Learned positions as a module."""

import torch
from jaxtyping import Float
from torch import Tensor as Array

from course_attn._contracts import Count, Size, check_arguments

__all__ = ["LearnedPositions"]


class LearnedPositions(torch.nn.Module):
    """Add to each element a learned vector that belongs to its position.

    X + P, row by row: row i of the learned matrix P is added to the element at position i. P has
    n_max rows; a sequence that goes beyond them is refused.
    Source: Gehring et al. (2017), section 3.1.

    Examples
    --------
    >>> layer = LearnedPositions(7, 3)
    >>> layer
    LearnedPositions(n_max=7, d_model=3)
    >>> layer(torch.zeros(2, 5, 3)).shape
    torch.Size([2, 5, 3])
    """

    @check_arguments
    def __init__(self, n_max: Count, d_model: Count) -> None:
        super().__init__()
        self.n_max, self.d_model = n_max, d_model
        self.P = torch.nn.Parameter(torch.empty(n_max, d_model))
        self.reset_parameters()

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the rows anew, with unit variance, like those of `nn.Embedding`."""
        torch.nn.init.normal_(self.P, generator=generator)

    def extra_repr(self) -> str:
        """Say the sizes."""
        return f"n_max={self.n_max}, d_model={self.d_model}"

    @check_arguments
    def forward(
        self, X: Float[Array, "*batch n d_model"], *, offset: Size = 0
    ) -> Float[Array, "*batch n d_model"]:
        """Return the elements, each with the vector of its position added.

        The first row is at position `offset`: with a cache, the number of elements before it.
        """
        end = offset + X.shape[-2]
        if end > self.n_max:
            raise ValueError(
                f"X must end within n_max = {self.n_max} positions, got {X.shape[-2]} rows "
                f"from position {offset} on; there are no learned vectors beyond"
            )
        return X + self.P[offset:end]
