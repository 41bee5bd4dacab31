"""From scores to weights."""

from typing import Annotated

import numpy as np
from jaxtyping import Float
from numpy import ndarray as Array

from course_attn._contracts import Axis, NonEmpty, Positive, check_arguments
from course_attn.in_numpy._numerics import subtract_largest

__all__ = ["entropy", "log_softmax", "softmax", "softmax_jacobian"]


@check_arguments
def softmax(
    scores: Float[Array, "*batch n"],
    *,
    axis: Axis = -1,
    temperature: Positive = 1.0,
) -> Float[Array, "*batch n"]:
    """Turn scores into positive weights that sum to 1 along an axis.

    a_j = exp(s_j / T) / sum over m of exp(s_m / T), computed with the largest score subtracted
    first, which changes nothing in the result and keeps exp from overflowing. T below 1 sharpens
    the weights, above 1 evens them out; it must not round to 0 in the dtype of the scores. A score
    of -inf gives the weight 0. Where no score is finite, or one is +inf or NaN, the weights are
    NaN: no distribution exists. Source: Bridle (1990); Bahdanau, Cho and Bengio (2015), eq. 6.

    Examples
    --------
    >>> softmax(np.array([0.0, np.log(3.0), -np.inf])).round(2)
    array([0.25, 0.75, 0.  ])
    """
    exps = np.exp(subtract_largest(scores, axis) / float(temperature))
    weights = exps / exps.sum(axis=axis, keepdims=True)
    return weights.astype(scores.dtype, copy=False)


@check_arguments
def log_softmax(
    scores: Float[Array, "*batch n"], *, axis: Axis = -1
) -> Float[Array, "*batch n"]:
    """Give the logarithms of the softmax weights, exact even where a weight rounds to 0.

    log a_j = s_j - log(sum over m of exp(s_m)), in nats, at most 0. A score of -inf gives -inf.
    Where no score is finite, or one is +inf or NaN, they are NaN.
    Source: Blanchard, Higham and Higham (2021).

    Examples
    --------
    >>> log_softmax(np.array([0.0, 1000.0]))
    array([-1000.,     0.])
    """
    shifted = subtract_largest(scores, axis)
    log_total = np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
    return (shifted - log_total).astype(scores.dtype, copy=False)


@check_arguments
def entropy(
    weights: Float[Array, "*batch n"], *, axis: Axis = -1
) -> Float[Array, "..."] | np.floating:
    """Measure in nats how spread out the weights are.

    H = -sum over j of a_j log a_j, where 0 log 0 counts as 0: from 0 (one weight is 1) to log n
    (all weights equal). The weights should be non-negative and sum to 1, which is not checked. NaN
    if a weight is negative or NaN. Source: Shannon (1948), section 6.

    Examples
    --------
    >>> entropy(np.array([[1.0, 0.0], [0.5, 0.5]])).round(4)
    array([0.    , 0.6931])
    """
    # The logarithm of a negative weight is NaN, as documented.
    with np.errstate(invalid="ignore"):
        surprise = 0.0 - np.log(np.where(weights == 0, 1.0, weights))
    return (weights * surprise).sum(axis=axis)


@check_arguments
def softmax_jacobian(
    weights: Annotated[Float[Array, "*batch n"], NonEmpty("n")],
) -> Float[Array, "*batch n n"]:
    """Give the derivative of every softmax weight with respect to every score.

    J = diag(a) - a^T a, from the weights that softmax gave (not from the scores): entry (j, m) is
    the derivative of a_j with respect to s_m. Each row sums to 0. NaN weights give NaN rows and
    columns. Source: Bishop (2006), eq. 4.106.

    Examples
    --------
    >>> softmax_jacobian(np.array([0.5, 0.5]))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    a = weights[..., None, :]
    identity = np.eye(weights.shape[-1], dtype=a.dtype)
    return identity * a - weights[..., :, None] * a
