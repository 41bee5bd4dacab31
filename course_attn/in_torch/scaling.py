"""Chapter 5, `scaling`: why the scores are divided by the root of d_k."""

from typing import NamedTuple

import torch
from jaxtyping import Float

from course_attn._checks import (
    check_arguments,
    check_axis,
    check_count,
    check_finite,
    check_flag,
)
from course_attn.in_torch._qkv_functions import _scale_or_default
from course_attn.in_torch.scores import dot_scores
from course_attn.in_torch.softmax import entropy, softmax

__all__ = [
    "ScoreStatistics",
    "expected_score_variance",
    "scaled_scores",
    "score_statistics",
]


@check_arguments
def scaled_scores(
    Q: Float[torch.Tensor, "*batch n_q d_k"],
    K: Float[torch.Tensor, "*batch n_k d_k"],
    *,
    scale: float | None = None,
) -> Float[torch.Tensor, "*batch n_q n_k"]:
    """Score every query against every key by their dot product, in a unit that fits its width.

    S = scale * Q K^T, by default Q K^T / sqrt(d_k).

    Parameters
    ----------
    Q : array, shape (..., n_q, d_k)
        The queries, one a row; at least one feature.
    K : array, shape (..., n_k, d_k)
        The keys, one a row.
    scale : float or None
        What the dot products are multiplied by, any finite number; None means 1/sqrt(d_k).

    Returns
    -------
    array, shape (..., n_q, n_k)
        The scores, in the dtype of the arguments; empty if there are no queries or no keys. A NaN
        in a query or key makes every score that uses it NaN; an infinity follows the rules of
        floating-point arithmetic.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ; if `scale` is
        no real number.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included; if there are
        no features (d_k = 0); if `scale` is infinite or NaN.

    Examples
    --------
    >>> Q, K = torch.tensor([[1.0, 2.0, 3.0, 4.0]]), torch.tensor([[1.0, 1.0, 1.0, 1.0]])
    >>> scaled_scores(Q, K)
    tensor([[5.]])
    >>> scaled_scores(Q, K, scale=1.0)
    tensor([[10.]])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2.1. Chapter: `scaling`.
    """
    return dot_scores(Q, K) * _scale_or_default(scale, Q)


class ScoreStatistics(NamedTuple):
    """What `score_statistics` finds; each an array of shape (...), one number for each matrix."""

    mean: Float[torch.Tensor, "*batch"]
    variance: Float[torch.Tensor, "*batch"]
    entropy: Float[torch.Tensor, "*batch"]
    largest_weight: Float[torch.Tensor, "*batch"]


@check_arguments
def score_statistics(
    scores: Float[torch.Tensor, "*batch n_q n_k"],
) -> ScoreStatistics:
    """Describe how far scores spread, and how sharp that makes the attention weights.

    The mean and the variance of the n_q * n_k scores of a matrix; then, of the weights
    a_i = softmax(s_i) of each row, the entropy and the largest one, both averaged over the rows.

    Parameters
    ----------
    scores : array, shape (..., n_q, n_k)
        The scores, finite; at least one query and one key.

    Returns
    -------
    ScoreStatistics, four arrays of shape (...)
        `mean`; `variance` (with divisor n_q * n_k); `entropy` in nats, from 0 (every row attends
        to one key) to log n_k (to all alike); `largest_weight`, from 1/n_k to 1. In the dtype of
        the scores. NaN where a score is NaN or infinite (but -inf leaves the weights defined).

    Raises
    ------
    TypeError
        If `scores` is no array or not floating-point.
    ValueError
        If `scores` has fewer than two axes, or no element along one of the last two.

    Examples
    --------
    >>> score_statistics(torch.tensor([[0.0, 0.0], [2.0, 2.0]])).variance
    tensor(1.)
    >>> score_statistics(torch.tensor([[9.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).entropy
    tensor(0.5505)

    Notes
    -----
    Source: Vaswani et al. (2017), footnote 4, for the variance; Shannon (1948), section 6, for the
    entropy. Chapter: `scaling`.
    """
    check_axis(-2, scores=scores)
    weights = softmax(scores)
    return ScoreStatistics(
        mean=scores.mean(dim=(-2, -1)),
        variance=scores.var(dim=(-2, -1), correction=0),
        entropy=entropy(weights).mean(dim=-1),
        largest_weight=weights.amax(dim=-1).mean(dim=-1),
    )


def expected_score_variance(
    d_k: int, *, mean: float = 0.0, shared: bool = False
) -> float:
    """Predict the variance of an unscaled dot product of two random vectors.

    With m the mean: d_k (1 + 2 m^2) if query and key are independent, d_k (2 + 4 m^2) if they are
    one vector, q = k. Divide by d_k for the variance after scaling by 1/sqrt(d_k).

    Parameters
    ----------
    d_k : int
        The number of components, at least 1.
    mean : float
        The mean of each component. Components are independent, with variance 1.
    shared : bool
        Whether the key is the query itself; components are then taken to be Gaussian. Without it,
        no matter how they are distributed.

    Returns
    -------
    float, shape ()
        The variance of q . k. Its mean is d_k m^2, or d_k (1 + m^2) if q = k.

    Raises
    ------
    TypeError
        If `d_k` is no whole number, `mean` no real number or `shared` neither True nor False.
    ValueError
        If `d_k` is below 1; if `mean` is infinite or NaN.

    Examples
    --------
    >>> expected_score_variance(64)
    64.0
    >>> expected_score_variance(64, mean=1.0), expected_score_variance(64, shared=True)
    (192.0, 128.0)

    Notes
    -----
    Source: Vaswani et al. (2017), footnote 4, for mean 0; the rest is derived in the chapter.
    Chapter: `scaling`.
    """
    check_count(1, d_k=d_k)
    check_finite(mean=mean)
    check_flag(shared=shared)
    independent = int(d_k) * (1.0 + 2.0 * float(mean) ** 2)
    return 2.0 * independent if shared else independent
