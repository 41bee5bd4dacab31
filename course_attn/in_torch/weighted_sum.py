"""Mixing vectors by weights."""

from jaxtyping import Float
from torch import Tensor as Array

from course_attn._contracts import check_arguments

__all__ = ["weighted_sum", "weighted_sum_loop"]


@check_arguments
def weighted_sum(
    weights: Float[Array, "*batch n_q n_k"] | Float[Array, "n_k"],
    values: Float[Array, "*batch n_k d"],
) -> Float[Array, "*batch n_q d"] | Float[Array, "*batch d"]:
    """Mix the values by the weights, all outputs at once.

    Y = A X: output i is the sum over j of weight a_ij times value x_j. Weights are used as given:
    rows that do not sum to 1 are not normalized. With no values (n_k = 0) the sum is empty: zeros.
    NaN and infinite entries spread to every output of their row (weights) or column (values), even
    through a weight of 0. Source: Bahdanau, Cho and Bengio (2015), eq. 5.

    Examples
    --------
    >>> weights = torch.tensor([[0.5, 0.5, 0.0]])
    >>> values = torch.tensor([[1.0, 0.0], [3.0, 4.0], [9.0, 9.0]])
    >>> weighted_sum(weights, values)
    tensor([[2., 2.]])
    """
    return weights @ values


@check_arguments
def weighted_sum_loop(
    weights: Float[Array, "n_q n_k"], values: Float[Array, "n_k d"]
) -> Float[Array, "n_q d"]:
    """Mix the values by the weights, one term at a time.

    The definition of `weighted_sum`, index by index: y_i = sum over j of a_ij x_j.
    Source: Bahdanau, Cho and Bengio (2015), eq. 5.

    Examples
    --------
    >>> weights = torch.tensor([[0.5, 0.5, 0.0]])
    >>> values = torch.tensor([[1.0, 0.0], [3.0, 4.0], [9.0, 9.0]])
    >>> weighted_sum_loop(weights, values)
    tensor([[2., 2.]])
    """
    n_q, n_k = weights.shape
    out = values.new_zeros(n_q, values.shape[1])
    for i in range(n_q):
        for j in range(n_k):
            out[i] += weights[i, j] * values[j]
    return out
