"""Chapter 3, `softmax`: from scores to weights."""

import numpy as np
from jaxtyping import Float

from course_attn._checks import check_arguments, check_axis, check_positive

__all__ = ["entropy", "log_softmax", "softmax", "softmax_jacobian"]


@check_arguments
def softmax(
    scores: Float[np.ndarray, "*batch n"],
    *,
    axis: int = -1,
    temperature: float = 1.0,
) -> Float[np.ndarray, "*batch n"]:
    """Turn scores into positive weights that sum to 1 along an axis.

    a_j = exp(s_j / T) / sum over m of exp(s_m / T), computed with the largest score subtracted
    first, which changes nothing in the result and keeps exp from overflowing.

    Parameters
    ----------
    scores : array, shape (..., n)
        Any real numbers. A score of -inf gives the weight 0.
    axis : int
        The axis along which the weights sum to 1.
    temperature : float
        T, greater than 0 also in the dtype of the scores: below 1 sharpens the weights, above 1
        evens them out.

    Returns
    -------
    array, shape of `scores`
        The weights, in the dtype of the scores (16-bit input is computed in 32 bits). Where no
        score is finite, or one is +inf or NaN, the weights are NaN: no distribution exists.

    Raises
    ------
    TypeError
        If `scores` is no array or not floating-point, or if `axis` is no whole number;
        if the temperature is no real number.
    ValueError
        If `scores` has no such axis or no element along it, or if it has no axis at all;
        if the temperature is not a finite number greater than 0.

    Examples
    --------
    >>> softmax(np.array([0.0, np.log(3.0), -np.inf])).round(2)
    array([0.25, 0.75, 0.  ])
    >>> softmax(np.array([1000.0, 1000.0]))
    array([0.5, 0.5])

    Notes
    -----
    Source: Bridle (1990); Bahdanau, Cho and Bengio (2015), eq. 6. Chapter: `softmax`.
    """
    check_axis(axis, scores=scores)
    check_positive(temperature=temperature)
    shifted = _shift(scores, axis) / float(temperature)
    powers = np.exp(shifted)
    return (powers / powers.sum(axis=axis, keepdims=True)).astype(
        scores.dtype, copy=False
    )


def _shift(
    scores: Float[np.ndarray, "*batch n"], axis: int
) -> Float[np.ndarray, "*batch n"]:
    """Subtract the largest score along the axis, in 32 bits or more."""
    wide = scores.astype(np.promote_types(scores.dtype, np.float32), copy=False)
    with np.errstate(
        invalid="ignore"
    ):  # inf - inf: the weights are NaN, as documented
        return wide - wide.max(axis=axis, keepdims=True)


@check_arguments
def log_softmax(
    scores: Float[np.ndarray, "*batch n"], *, axis: int = -1
) -> Float[np.ndarray, "*batch n"]:
    """Give the logarithms of the softmax weights, exact even where a weight rounds to 0.

    log a_j = s_j - log(sum over m of exp(s_m)).

    Parameters
    ----------
    scores : array, shape (..., n)
        Any real numbers. A score of -inf gives -inf.
    axis : int
        The axis along which the weights sum to 1.

    Returns
    -------
    array, shape of `scores`
        The log-weights in nats, at most 0, in the dtype of the scores. Where no score is finite,
        or one is +inf or NaN, they are NaN.

    Raises
    ------
    TypeError
        If `scores` is no array or not floating-point, or if `axis` is no whole number.
    ValueError
        If `scores` has no such axis or no element along it, or if it has no axis at all.

    Examples
    --------
    >>> log_softmax(np.array([0.0, 1000.0]))
    array([-1000.,     0.])

    Notes
    -----
    Source: Blanchard, Higham and Higham (2021). Chapter: `softmax`.
    """
    check_axis(axis, scores=scores)
    shifted = _shift(scores, axis)
    return (shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))).astype(
        scores.dtype, copy=False
    )


@check_arguments
def entropy(
    weights: Float[np.ndarray, "*batch n"], *, axis: int = -1
) -> Float[np.ndarray, "..."] | np.floating:
    """Measure in nats how spread out the weights are.

    H = -sum over j of a_j log a_j, where 0 log 0 counts as 0: from 0 (one weight is 1) to log n
    (all weights equal).

    Parameters
    ----------
    weights : array, shape (..., n)
        Non-negative, with sum 1 along the axis; this is not checked.
    axis : int
        The axis along which the weights sum to 1.

    Returns
    -------
    array, shape of `weights` without the axis
        The entropy in nats, in the dtype of the weights. NaN if a weight is negative or NaN.

    Raises
    ------
    TypeError
        If `weights` is no array or not floating-point, or if `axis` is no whole number.
    ValueError
        If `weights` has no such axis or no element along it, or if it has no axis at all.

    Examples
    --------
    >>> entropy(np.array([[1.0, 0.0], [0.5, 0.5]])).round(4)
    array([0.    , 0.6931])

    Notes
    -----
    Source: Shannon (1948), section 6. Chapter: `softmax`.
    """
    check_axis(axis, weights=weights)
    with np.errstate(
        invalid="ignore"
    ):  # the logarithm of a negative weight is NaN, as documented
        surprise = 0.0 - np.log(np.where(weights == 0, 1.0, weights))
    return (weights * surprise).sum(axis=axis)


@check_arguments
def softmax_jacobian(
    weights: Float[np.ndarray, "*batch n"],
) -> Float[np.ndarray, "*batch n n"]:
    """Give the derivative of every softmax weight by every score.

    J = diag(a) - a a^T: entry (j, m) is the derivative of a_j by s_m. Each row sums to 0.

    Parameters
    ----------
    weights : array, shape (..., n)
        The weights that softmax gave (not the scores); at least one.

    Returns
    -------
    array, shape (..., n, n)
        One matrix for each row of weights, in their dtype. NaN weights give NaN rows and columns.

    Raises
    ------
    TypeError
        If `weights` is no array or not floating-point.
    ValueError
        If `weights` has no axis at all or no element along the last.

    Examples
    --------
    >>> softmax_jacobian(np.array([0.5, 0.5]))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])

    Notes
    -----
    Source: Bishop (2006), eq. 4.106. Chapter: `softmax`.
    """
    check_axis(-1, weights=weights)
    diagonal = (
        np.eye(weights.shape[-1], dtype=weights.dtype) * weights[..., None, :]
    )
    return diagonal - weights[..., :, None] * weights[..., None, :]
