"""Measuring how relevant a key is to a query."""

from typing import Annotated

import torch
from jaxtyping import Float
from torch import Tensor as Array

from course_attn._contracts import NonEmpty, Positive, check_arguments
from course_attn.in_torch.weighted_sum import weighted_sum

__all__ = [
    "additive_scores",
    "cosine_scores",
    "dot_scores",
    "gaussian_scores",
    "general_scores",
    "nadaraya_watson",
]


@check_arguments
def dot_scores(
    Q: Float[Array, "*batch n_q d_k"], K: Float[Array, "*batch n_k d_k"]
) -> Float[Array, "*batch n_q n_k"]:
    """Score every query against every key by their dot product.

    S = Q K^T: s_ij = q_i . k_j.
    Source: Luong, Pham and Manning (2015), section 3.1, "dot".

    Examples
    --------
    >>> Q = torch.tensor([[1.0, -1.0]])
    >>> K = torch.tensor([[2.0, 0.0], [0.0, 3.0], [1.0, -1.0]])
    >>> dot_scores(Q, K)
    tensor([[ 2., -3.,  2.]])
    """
    return Q @ K.mT


@check_arguments
def cosine_scores(
    Q: Float[Array, "*batch n_q d_k"], K: Float[Array, "*batch n_k d_k"]
) -> Float[Array, "*batch n_q n_k"]:
    """Score every query against every key by the cosine of the angle between them.

    s_ij = q_i . k_j / (|q_i| |k_j|): direction counts, length does not. A zero vector has no
    direction; it scores 0 against everything. So does, but for rounding, one whose squared length
    is too small or too large for its dtype (in float16, one whose length is too large).
    Source: Graves, Wayne and Danihelka (2014), eq. 6.

    Examples
    --------
    >>> Q = torch.tensor([[3.0, 4.0]])
    >>> K = torch.tensor([[100.0, 0.0], [0.3, 0.4], [0.0, 0.0]])
    >>> cosine_scores(Q, K)
    tensor([[0.6000, 1.0000, 0.0000]])
    """
    return _directions(Q) @ _directions(K).mT


def _directions(X: Array) -> Array:
    """Divide every row by its length; a zero row stays zero."""
    lengths = torch.linalg.vector_norm(X, dim=-1, keepdim=True)
    return X / torch.where(lengths == 0, 1.0, lengths)


@check_arguments
def general_scores(
    Q: Float[Array, "*batch n_q d_q"],
    K: Float[Array, "*batch n_k d_k"],
    W: Float[Array, "d_q d_k"],
) -> Float[Array, "*batch n_q n_k"]:
    """Score every query against every key through a learned matrix.

    S = Q W K^T: s_ij = q_i W k_j^T, a bilinear form. Entry (a, b) of W says how much feature a of
    a query matches feature b of a key; queries and keys may differ in width.
    Source: Luong, Pham and Manning (2015), section 3.1, "general".

    Examples
    --------
    >>> Q, K = torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
    >>> W = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 3.0]])
    >>> general_scores(Q, K, W)
    tensor([[1., 8.]])
    """
    return Q @ W @ K.mT


@check_arguments
def additive_scores(
    Q: Float[Array, "*batch n_q d_q"],
    K: Float[Array, "*batch n_k d_k"],
    W_Q: Float[Array, "d_q d_hidden"],
    W_K: Float[Array, "d_k d_hidden"],
    v: Float[Array, "d_hidden"],
) -> Float[Array, "*batch n_q n_k"]:
    """Score every query against every key by a small neural network.

    s_ij = tanh(q_i W_Q + k_j W_K) . v, with one hidden layer of d_hidden units, weighted by v.
    Source: Bahdanau, Cho and Bengio (2015), appendix A.1.2.

    Examples
    --------
    >>> Q, K = torch.tensor([[1.0]]), torch.tensor([[-1.0], [1.0]])
    >>> W_Q, W_K, v = torch.tensor([[0.5]]), torch.tensor([[0.5]]), torch.tensor([2.0])
    >>> additive_scores(Q, K, W_Q, W_K, v)  # 2 tanh(0) and 2 tanh(1)
    tensor([[0.0000, 1.5232]])
    """
    hidden = (Q @ W_Q)[..., :, None, :] + (K @ W_K)[..., None, :, :]
    return torch.tanh(hidden) @ v


@check_arguments
def gaussian_scores(
    Q: Float[Array, "*batch n_q d_k"],
    K: Float[Array, "*batch n_k d_k"],
    *,
    bandwidth: Positive = 1.0,
) -> Float[Array, "*batch n_q n_k"]:
    """Score every query against every key by how near they are.

    s_ij = -|q_i - k_j|^2 / (2 h^2), the logarithm of a Gaussian kernel with bandwidth h, in the
    unit of the features. Scores are at most 0, where query and key coincide, and -1/2 at distance
    h; h must not round to 0 in the dtype of Q.
    Source: Nadaraya (1964) and Watson (1964), with a Gaussian kernel.

    Examples
    --------
    >>> gaussian_scores(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0], [0.0, 2.0]]))
    tensor([[-12.5000,  -2.0000]])
    """
    differences = (Q[..., :, None, :] - K[..., None, :, :]) / float(bandwidth)
    return -0.5 * (differences**2).sum(dim=-1)


@check_arguments
def nadaraya_watson(
    x_query: Float[Array, "n_q"],
    x: Annotated[Float[Array, "n"], NonEmpty("n")],
    y: Float[Array, "n"],
    *,
    bandwidth: Positive = 1.0,
) -> Float[Array, "n_q"]:
    """Predict y at new points as a weighted average of the y seen nearby.

    f(x_query_i) = sum over j of a_ij y_j, where a_ij is proportional to
    exp(-(x_query_i - x_j)^2 / (2 h^2)) and each row of weights sums to 1. The bandwidth h, in the
    unit of x, says how far a known point reaches. Far from all data the nearest point decides (NaN,
    though, where the squared distance, in bandwidths, is too large for the dtype).
    Source: Nadaraya (1964) and Watson (1964).

    Examples
    --------
    >>> x, y = torch.tensor([0.0, 1.0, 10.0]), torch.tensor([2.0, 4.0, 7.0])
    >>> nadaraya_watson(torch.tensor([0.5, 1000.0]), x, y)
    tensor([3., 7.])
    """
    scores = gaussian_scores(x_query[:, None], x[:, None], bandwidth=bandwidth)
    # The nearest point gets 1, so that nothing is divided by 0.
    kernel = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = kernel / kernel.sum(dim=-1, keepdim=True)
    return weighted_sum(weights, y[:, None])[:, 0]
