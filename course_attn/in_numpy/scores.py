"""Chapter 2, `scores`: measuring how relevant a key is to a query."""

import numpy as np
from jaxtyping import Float

from course_attn._checks import check_arguments, check_axis, check_positive
from course_attn.in_numpy.weighted_sum import weighted_sum

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
    Q: Float[np.ndarray, "*batch n_q d_k"], K: Float[np.ndarray, "*batch n_k d_k"]
) -> Float[np.ndarray, "*batch n_q n_k"]:
    """Score every query against every key by their dot product.

    S = Q K^T: s_ij = q_i . k_j.

    Parameters
    ----------
    Q : array, shape (..., n_q, d_k)
        The queries, one a row.
    K : array, shape (..., n_k, d_k)
        The keys, one a row.

    Returns
    -------
    array, shape (..., n_q, n_k)
        The scores, in the dtype of the arguments; empty if there are no queries or no keys. A NaN
        in a query or key makes every score that uses it NaN; an infinity follows the rules of
        floating-point arithmetic.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included.

    Examples
    --------
    >>> Q = np.array([[1.0, -1.0]])
    >>> K = np.array([[2.0, 0.0], [0.0, 3.0], [1.0, -1.0]])
    >>> dot_scores(Q, K)
    array([[ 2., -3.,  2.]])

    Notes
    -----
    Source: Luong, Pham and Manning (2015), section 3.1, "dot". Chapter: `scores`.
    """
    return Q @ K.mT


@check_arguments
def cosine_scores(
    Q: Float[np.ndarray, "*batch n_q d_k"], K: Float[np.ndarray, "*batch n_k d_k"]
) -> Float[np.ndarray, "*batch n_q n_k"]:
    """Score every query against every key by the cosine of the angle between them.

    s_ij = q_i . k_j / (|q_i| |k_j|): direction counts, length does not. A zero vector has no
    direction; it scores 0 against everything, and so does one whose squared length is too small
    or too large for its dtype.

    Parameters
    ----------
    Q : array, shape (..., n_q, d_k)
        The queries, one a row.
    K : array, shape (..., n_k, d_k)
        The keys, one a row.

    Returns
    -------
    array, shape (..., n_q, n_k)
        The scores, in the dtype of the arguments; empty if there are no queries or no keys. A NaN
        in a query or key makes every score that uses it NaN; an infinity follows the rules of
        floating-point arithmetic.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included.

    Examples
    --------
    >>> Q = np.array([[3.0, 4.0]])
    >>> K = np.array([[100.0, 0.0], [0.3, 0.4], [0.0, 0.0]])
    >>> cosine_scores(Q, K)
    array([[0.6, 1. , 0. ]])

    Notes
    -----
    Source: Graves, Wayne and Danihelka (2014), eq. 6. Chapter: `scores`.
    """
    return _directions(Q) @ _directions(K).mT


def _directions(
    X: Float[np.ndarray, "*batch n d_k"],
) -> Float[np.ndarray, "*batch n d_k"]:
    """Divide every row by its length; a zero row stays zero."""
    wide = X.astype(np.promote_types(X.dtype, np.float32), copy=False)
    lengths = np.linalg.norm(wide, axis=-1, keepdims=True).astype(X.dtype)
    return X / np.where(lengths == 0, 1.0, lengths)


@check_arguments
def general_scores(
    Q: Float[np.ndarray, "*batch n_q d_q"],
    K: Float[np.ndarray, "*batch n_k d_k"],
    W: Float[np.ndarray, "d_q d_k"],
) -> Float[np.ndarray, "*batch n_q n_k"]:
    """Score every query against every key through a learned matrix.

    S = Q W K^T: s_ij = q_i W k_j^T, a bilinear form. Queries and keys may differ in width.

    Parameters
    ----------
    Q : array, shape (..., n_q, d_q)
        The queries, one a row.
    K : array, shape (..., n_k, d_k)
        The keys, one a row.
    W : array, shape (d_q, d_k)
        Entry (a, b) says how much feature a of a query matches feature b of a key.

    Returns
    -------
    array, shape (..., n_q, n_k)
        The scores, in the dtype of the arguments; empty if there are no queries or no keys. A NaN
        in a query or key makes every score that uses it NaN; an infinity follows the rules of
        floating-point arithmetic.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included.

    Examples
    --------
    >>> Q, K = np.array([[1.0, 2.0]]), np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
    >>> W = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 3.0]])
    >>> general_scores(Q, K, W)
    array([[1., 8.]])

    Notes
    -----
    Source: Luong, Pham and Manning (2015), section 3.1, "general". Chapter: `scores`.
    """
    return Q @ W @ K.mT


@check_arguments
def additive_scores(
    Q: Float[np.ndarray, "*batch n_q d_q"],
    K: Float[np.ndarray, "*batch n_k d_k"],
    W_q: Float[np.ndarray, "d_q d_hidden"],
    W_k: Float[np.ndarray, "d_k d_hidden"],
    v: Float[np.ndarray, "d_hidden"],
) -> Float[np.ndarray, "*batch n_q n_k"]:
    """Score every query against every key by a small neural network.

    s_ij = tanh(q_i W_q + k_j W_k) . v, with one hidden layer of d_hidden units.

    Parameters
    ----------
    Q : array, shape (..., n_q, d_q)
        The queries, one a row.
    K : array, shape (..., n_k, d_k)
        The keys, one a row.
    W_q : array, shape (d_q, d_hidden)
        Takes a query to the hidden layer.
    W_k : array, shape (d_k, d_hidden)
        Takes a key to the hidden layer.
    v : array, shape (d_hidden,)
        Weighs the hidden units.

    Returns
    -------
    array, shape (..., n_q, n_k)
        The scores, in the dtype of the arguments; empty if there are no queries or no keys. A NaN
        in a query or key makes every score that uses it NaN; an infinity follows the rules of
        floating-point arithmetic.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included.

    Examples
    --------
    >>> Q, K = np.array([[1.0]]), np.array([[-1.0], [1.0]])
    >>> W_q, W_k, v = np.array([[0.5]]), np.array([[0.5]]), np.array([2.0])
    >>> additive_scores(Q, K, W_q, W_k, v).round(3)  # 2 tanh(0) and 2 tanh(1)
    array([[0.   , 1.523]])

    Notes
    -----
    Source: Bahdanau, Cho and Bengio (2015), appendix A.1.2. Chapter: `scores`.
    """
    hidden = (Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :]
    return np.tanh(hidden) @ v


@check_arguments
def gaussian_scores(
    Q: Float[np.ndarray, "*batch n_q d_k"],
    K: Float[np.ndarray, "*batch n_k d_k"],
    *,
    bandwidth: float = 1.0,
) -> Float[np.ndarray, "*batch n_q n_k"]:
    """Score every query against every key by how near they are.

    s_ij = -|q_i - k_j|^2 / (2 h^2), with bandwidth h: the logarithm of a Gaussian kernel. Scores
    are at most 0, which is reached where query and key coincide.

    Parameters
    ----------
    Q : array, shape (..., n_q, d_k)
        The queries, one a row.
    K : array, shape (..., n_k, d_k)
        The keys, one a row.
    bandwidth : float
        h, greater than 0 also in the dtype of Q, in the unit of the features: the distance at
        which the score is -1/2.

    Returns
    -------
    array, shape (..., n_q, n_k)
        The scores, in the dtype of the arguments; empty if there are no queries or no keys. A NaN
        in a query or key makes every score that uses it NaN; an infinity follows the rules of
        floating-point arithmetic.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ; if the
        bandwidth is no real number.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included; if
        the bandwidth is not a finite number greater than 0.

    Examples
    --------
    >>> gaussian_scores(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 2.0]]))
    array([[-12.5,  -2. ]])

    Notes
    -----
    Source: Nadaraya (1964) and Watson (1964), with a Gaussian kernel. Chapter: `scores`.
    """
    check_positive(bandwidth=bandwidth)
    differences = (Q[..., :, None, :] - K[..., None, :, :]) / float(bandwidth)
    return -0.5 * (differences**2).sum(axis=-1)


@check_arguments
def nadaraya_watson(
    x_query: Float[np.ndarray, "n_q"],
    x: Float[np.ndarray, "n"],
    y: Float[np.ndarray, "n"],
    *,
    bandwidth: float = 1.0,
) -> Float[np.ndarray, "n_q"]:
    """Predict y at new points as a weighted average of the y seen nearby.

    f(x_query_i) = sum over j of a_ij y_j, where a_ij is proportional to
    exp(-(x_query_i - x_j)^2 / (2 h^2)) and each row of weights sums to 1.

    Parameters
    ----------
    x_query : array, shape (n_q,)
        Where to predict.
    x : array, shape (n,)
        Where y is known; at least one point.
    y : array, shape (n,)
        The known values.
    bandwidth : float
        h, greater than 0, in the unit of x: how far a known point reaches.

    Returns
    -------
    array, shape (n_q,)
        The predictions, in the dtype of the arguments. Far from all data the nearest point decides
        (NaN, though, where the squared distance, in bandwidths, is too large for the dtype).

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ; if the
        bandwidth is no real number.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included; if
        there is no data (n = 0); if the bandwidth is not a finite number greater than 0.

    Examples
    --------
    >>> x, y = np.array([0.0, 1.0, 10.0]), np.array([2.0, 4.0, 7.0])
    >>> nadaraya_watson(np.array([0.5, 1000.0]), x, y)
    array([3., 7.])

    Notes
    -----
    Source: Nadaraya (1964) and Watson (1964). Chapter: `scores`.
    """
    check_axis(0, x=x)
    scores = gaussian_scores(x_query[:, None], x[:, None], bandwidth=bandwidth)
    kernel = np.exp(
        scores - scores.max(axis=-1, keepdims=True)
    )  # 1 for the nearest point: never 0/0
    return weighted_sum(kernel / kernel.sum(axis=-1, keepdims=True), y[:, None])[
        :, 0
    ]
