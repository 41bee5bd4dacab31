"""What heads do."""

import torch
from jaxtyping import Float
from torch import Tensor as Array

from course_attn._contracts import Count, check_arguments

__all__ = [
    "induction_score",
    "previous_token_score",
]


@check_arguments
def previous_token_score(
    weights: Float[Array, "*batch n n"],
) -> Float[Array, "*batch"]:
    """Measure how much each head looks at the token before.

    The mean over i >= 1 of the weight a_(i, i-1): 1 if every token attends to the one before only.
    A sequence of a single token has none: NaN.
    Source: Elhage et al. (2021), section "Induction heads"; Olsson et al. (2022).

    Examples
    --------
    >>> weights = torch.tensor([[1.0, 0.0], [0.75, 0.25]])
    >>> previous_token_score(weights)
    tensor(0.7500)
    """
    before = weights.diagonal(offset=-1, dim1=-2, dim2=-1)
    return _mean_of_last(before)


@check_arguments
def induction_score(
    weights: Float[Array, "*batch n n"], period: Count
) -> Float[Array, "*batch"]:
    """Measure how much each head looks at what came after its token one period ago.

    In a text that repeats after `period` tokens, token i stood at i - period, too, and the token
    after that is what comes next: the mean over i >= period of the weight a_(i, i - period + 1).
    A sequence no longer than the period has none: NaN.
    Source: Olsson et al. (2022), section "Defining induction heads".

    Examples
    --------
    >>> weights = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.1, 0.7, 0.2]])
    >>> induction_score(weights, 2)  # token 2 is token 0 again: does it look at token 1?
    tensor(0.7000)
    """
    after = weights.diagonal(offset=1 - period, dim1=-2, dim2=-1)
    return _mean_of_last(after[..., 1:])


def _mean_of_last(entries: Array) -> Array:
    """Take the mean along the last axis; that of no entries is NaN."""
    total, n = entries.sum(dim=-1), entries.shape[-1]
    return total / n if n else torch.full_like(total, torch.nan)
