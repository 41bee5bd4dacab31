"""Scores in a unit that fits their width."""

from typing import Annotated, NamedTuple

from jaxtyping import Float
from torch import Tensor as Array

from course_attn._contracts import Finite, NonEmpty, check_arguments
from course_attn.in_torch._numerics import default_scale
from course_attn.in_torch.scores import dot_scores
from course_attn.in_torch.softmax import entropy, softmax

__all__ = [
    "ScoreStatistics",
    "scaled_scores",
    "score_statistics",
]


@check_arguments
def scaled_scores(
    Q: Annotated[Float[Array, "*batch n_q d_k"], NonEmpty("d_k")],
    K: Float[Array, "*batch n_k d_k"],
    *,
    scale: Finite | None = None,
) -> Float[Array, "*batch n_q n_k"]:
    """Score every query against every key by their dot product, in a unit that fits its width.

    S = scale * Q K^T, by default Q K^T / sqrt(d_k).
    Source: Vaswani et al. (2017), section 3.2.1.

    Examples
    --------
    >>> Q, K = torch.tensor([[1.0, 2.0, 3.0, 4.0]]), torch.tensor([[1.0, 1.0, 1.0, 1.0]])
    >>> scaled_scores(Q, K)
    tensor([[5.]])
    """
    return dot_scores(Q, K) * default_scale(scale, Q)


class ScoreStatistics(NamedTuple):
    """What `score_statistics` finds: each an array of shape (...), one number for each matrix."""

    mean: Float[Array, "*batch"]
    variance: Float[Array, "*batch"]
    entropy: Float[Array, "*batch"]
    largest_weight: Float[Array, "*batch"]


@check_arguments
def score_statistics(
    scores: Annotated[Float[Array, "*batch n_q n_k"], NonEmpty("n_q", "n_k")],
) -> ScoreStatistics:
    """Describe how far scores spread, and how sharp that makes the attention weights.

    The mean and the variance (with divisor n_q * n_k) of the scores of a matrix; then, of the
    weights a_i = softmax(s_i) of each row, the entropy in nats, from 0 (every row attends to one
    key) to log n_k (to all alike), and the largest weight, from 1/n_k to 1, both averaged over the
    rows. A score of NaN makes all four NaN. An infinite one makes the mean infinite and the
    variance NaN; +inf makes the other two NaN as well, -inf leaves the weights defined.
    Source: Vaswani et al. (2017), footnote 4, for the variance; Shannon (1948), section 6, for the
    entropy.

    Examples
    --------
    >>> score_statistics(torch.tensor([[9.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).entropy
    tensor(0.5505)
    """
    weights = softmax(scores)
    return ScoreStatistics(
        mean=scores.mean(dim=(-2, -1)),
        variance=scores.var(dim=(-2, -1), correction=0),
        entropy=entropy(weights).mean(dim=-1),
        largest_weight=weights.amax(dim=-1).mean(dim=-1),
    )
