"""Chapter 1, `weighted_sum`: mixing vectors by weights."""

import numpy as np
from jaxtyping import Float

from course_attn._checks import check_arguments

__all__ = ["weighted_sum", "weighted_sum_loop"]


@check_arguments
def weighted_sum(
    weights: Float[np.ndarray, "*batch n_q n_k"] | Float[np.ndarray, "n_k"],
    values: Float[np.ndarray, "*batch n_k d"],
) -> Float[np.ndarray, "*batch n_q d"] | Float[np.ndarray, "*batch d"]:
    """Mix the values by the weights, all outputs at once.

    Y = A X: output i is the sum over j of weight a_ij times value x_j.

    Parameters
    ----------
    weights : array, shape (..., n_q, n_k) or (n_k,)
        One row of weights for each output, or a single row. They are used as given: rows that do
        not sum to 1 are not normalized.
    values : array, shape (..., n_k, d)
        The vectors to mix, one a row. With no values (n_k = 0) the sum is empty: zeros.

    Returns
    -------
    array, shape (..., n_q, d) or (..., d)
        The mixtures, one a row, in the dtype of the arguments. NaN and infinite entries spread to
        every output of their row (weights) or column (values), even through a weight of 0.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included.

    Examples
    --------
    >>> weights = np.array([[0.5, 0.5, 0.0]])
    >>> values = np.array([[1.0, 0.0], [3.0, 4.0], [9.0, 9.0]])
    >>> weighted_sum(weights, values)
    array([[2., 2.]])

    Notes
    -----
    Source: Bahdanau, Cho and Bengio (2015), eq. 5. Chapter: `weighted_sum`.
    """
    return weights @ values


@check_arguments
def weighted_sum_loop(
    weights: Float[np.ndarray, "n_q n_k"],
    values: Float[np.ndarray, "n_k d"],
) -> Float[np.ndarray, "n_q d"]:
    """Mix the values by the weights, one term at a time.

    The definition of `weighted_sum`, index by index: y_i = sum over j of a_ij x_j.

    Parameters
    ----------
    weights : array, shape (n_q, n_k)
        One row of weights for each output, used as given.
    values : array, shape (n_k, d)
        The vectors to mix, one a row. With no values (n_k = 0) the sum is empty: zeros.

    Returns
    -------
    array, shape (n_q, d)
        The mixtures, one a row, in the dtype of the arguments.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included.

    Examples
    --------
    >>> weights = np.array([[0.5, 0.5, 0.0]])
    >>> values = np.array([[1.0, 0.0], [3.0, 4.0], [9.0, 9.0]])
    >>> weighted_sum_loop(weights, values)
    array([[2., 2.]])

    Notes
    -----
    Source: Bahdanau, Cho and Bengio (2015), eq. 5. Chapter: `weighted_sum`.
    """
    n_q, n_k = weights.shape
    out = np.zeros((n_q, values.shape[1]), dtype=values.dtype)
    for i in range(n_q):
        for j in range(n_k):
            out[i] += weights[i, j] * values[j]
    return out
