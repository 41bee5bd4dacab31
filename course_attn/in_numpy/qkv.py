"""Chapter 4, `qkv`: queries, keys and values."""

import numpy as np
from jaxtyping import Bool, Float

from course_attn._checks import check_arguments, check_axis, check_finite
from course_attn.in_numpy.scores import dot_scores
from course_attn.in_numpy.softmax import softmax
from course_attn.in_numpy.weighted_sum import weighted_sum

__all__ = ["attention", "attention_weights", "project_qkv", "soft_lookup"]


@check_arguments
def project_qkv(
    X: Float[np.ndarray, "*batch n_q d_model"],
    W_Q: Float[np.ndarray, "d_model d_k"],
    W_K: Float[np.ndarray, "d_model d_k"],
    W_V: Float[np.ndarray, "d_model d_v"],
    *,
    Z: Float[np.ndarray, "*batch n_k d_model"] | None = None,
) -> tuple[
    Float[np.ndarray, "*batch n_q d_k"],
    Float[np.ndarray, "*batch n_k d_k"],
    Float[np.ndarray, "*batch n_k d_v"],
]:
    """Make queries, keys and values from the elements by three learned matrices.

    Q = X W_Q, K = Z W_K, V = Z W_V. Self-attention has Z = X; in cross-attention the queries come
    from one sequence and the keys and values from another.

    Parameters
    ----------
    X : array, shape (..., n_q, d_model)
        The elements that ask, one a row.
    W_Q : array, shape (d_model, d_k)
        Takes an element to its query: what it looks for.
    W_K : array, shape (d_model, d_k)
        Takes an element to its key: what it offers to be found by.
    W_V : array, shape (d_model, d_v)
        Takes an element to its value: what it gives.
    Z : array, shape (..., n_k, d_model), or None
        The elements that answer, one a row; None means X (self-attention).

    Returns
    -------
    tuple of arrays, shapes (..., n_q, d_k), (..., n_k, d_k) and (..., n_k, d_v)
        Q, K and V, in the dtype of the arguments. NaN and infinite entries follow the rules of
        floating-point arithmetic.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> swap, add = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0], [1.0]])
    >>> Q, K, V = project_qkv(X, np.eye(2), swap, add)
    >>> K
    array([[2., 1.],
           [4., 3.]])
    >>> project_qkv(X, np.eye(2), swap, add, Z=X[:1])[2]
    array([[3.]])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2.2. Chapter: `qkv`.
    """
    Z = X if Z is None else Z
    return X @ W_Q, Z @ W_K, Z @ W_V


@check_arguments
def attention_weights(
    Q: Float[np.ndarray, "*batch n_q d_k"],
    K: Float[np.ndarray, "*batch n_k d_k"],
    *,
    mask: Bool[np.ndarray, "*#batch #n_q #n_k"] | None = None,
    bias: Float[np.ndarray, "*#batch #n_q #n_k"] | None = None,
    scale: float | None = None,
) -> Float[np.ndarray, "*batch n_q n_k"]:
    """Decide how much every query attends to every key.

    A = softmax(scale * Q K^T + bias), row by row, over the keys that the mask allows. A score of
    -inf counts as not allowed. A row with nothing allowed, or without keys, gets zeros, never NaN.

    Parameters
    ----------
    Q : array, shape (..., n_q, d_k)
        The queries, one a row; at least one feature.
    K : array, shape (..., n_k, d_k)
        The keys, one a row.
    mask : array of bool, shape that broadcasts to (..., n_q, n_k), or None
        True where the query may attend to the key; None allows everything.
    bias : array, shape that broadcasts to (..., n_q, n_k), or None
        Added to the scores after scaling; -inf excludes a key.
    scale : float or None
        What the dot products are multiplied by, any finite number: 0 gives equal weights, a
        negative number prefers what is least alike. None means 1/sqrt(d_k).

    Returns
    -------
    array, shape (..., n_q, n_k)
        The weights, in the dtype of the arguments (16-bit input is computed in 32 bits). Each row
        sums to 1, or to 0 if it has nothing allowed. Where an allowed score is +inf or NaN the row
        is NaN; what stands at a masked key has no effect.

    Raises
    ------
    TypeError
        If an argument is no array or has the wrong dtype (`mask` must be bool, the others
        floating-point), or if the floating dtypes differ; if `scale` is no real number.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included (but in `mask`
        and `bias`, which broadcast); if there are no features (d_k = 0); if `scale` is infinite
        or NaN.

    Examples
    --------
    >>> Q, K = np.array([[1.0, 0.0]]), np.array([[np.log(3.0), 5.0], [0.0, 5.0], [9.0, 9.0]])
    >>> allowed = np.array([[True, True, False]])
    >>> attention_weights(Q, K, mask=allowed, scale=1.0).round(2)
    array([[0.75, 0.25, 0.  ]])

    Notes
    -----
    Source: Vaswani et al. (2017), eq. 1, without V. Chapter: `qkv`.
    """
    scores = dot_scores(_wide(Q), _wide(K)) * _scale_or_default(scale, Q)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    return _softmax_or_zero(scores).astype(Q.dtype, copy=False)


def _wide(X: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Take 16-bit numbers to 32 bits: products of theirs soon exceed 65504, float16's largest."""
    return X.astype(np.promote_types(X.dtype, np.float32), copy=False)


def _scale_or_default(
    scale: float | None, Q: Float[np.ndarray, "*batch n_q d_k"]
) -> float:
    """Return the scale, by default 1/sqrt(d_k)."""
    check_axis(-1, Q=Q)
    if scale is None:
        return Q.shape[-1] ** -0.5
    check_finite(scale=scale)
    return float(scale)


def _softmax_or_zero(
    scores: Float[np.ndarray, "*batch n"],
) -> Float[np.ndarray, "*batch n"]:
    """Take the softmax of each row; a row whose scores are all -inf gets zeros.

    The largest score contributes exp(0) = 1 to the sum, so that below 1 there is only 0: the sum
    of such a row, which is then divided by 1.
    """
    wide = _wide(scores)
    lowest = np.finfo(wide.dtype).min  # not -inf: -inf - (-inf) would be NaN
    largest = wide.max(axis=-1, keepdims=True, initial=lowest)
    # Where an infinity meets an infinity, the weights are NaN, as documented.
    with np.errstate(invalid="ignore", over="ignore"):
        powers = np.exp(wide - largest)
    total = powers.sum(axis=-1, keepdims=True)
    return (powers / np.maximum(total, 1.0)).astype(scores.dtype, copy=False)


@check_arguments
def attention(
    Q: Float[np.ndarray, "*batch n_q d_k"],
    K: Float[np.ndarray, "*batch n_k d_k"],
    V: Float[np.ndarray, "*batch n_k d_v"],
    *,
    mask: Bool[np.ndarray, "*#batch #n_q #n_k"] | None = None,
    bias: Float[np.ndarray, "*#batch #n_q #n_k"] | None = None,
    scale: float | None = None,
) -> Float[np.ndarray, "*batch n_q d_v"]:
    """Give every query the mixture of the values whose keys it matches.

    Y = softmax(scale * Q K^T + bias) V, with the weights that `attention_weights` gives.

    Parameters
    ----------
    Q : array, shape (..., n_q, d_k)
        The queries, one a row; at least one feature.
    K : array, shape (..., n_k, d_k)
        The keys, one a row.
    V : array, shape (..., n_k, d_v)
        The values, one a row: value j belongs to key j.
    mask : array of bool, shape that broadcasts to (..., n_q, n_k), or None
        True where the query may attend to the key; None allows everything.
    bias : array, shape that broadcasts to (..., n_q, n_k), or None
        Added to the scores after scaling; -inf excludes a key.
    scale : float or None
        What the dot products are multiplied by, any finite number: 0 gives equal weights, a
        negative number prefers what is least alike. None means 1/sqrt(d_k).

    Returns
    -------
    array, shape (..., n_q, d_v)
        The outputs, one a row, in the dtype of the arguments. A query with nothing allowed, or
        without keys, gets zeros. NaN and infinite entries in a value spread to every output of
        their column, even through a weight of 0.

    Raises
    ------
    TypeError
        If an argument is no array or has the wrong dtype (`mask` must be bool, the others
        floating-point), or if the floating dtypes differ; if `scale` is no real number.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included (but in `mask`
        and `bias`, which broadcast); if there are no features (d_k = 0); if `scale` is infinite
        or NaN.

    Examples
    --------
    >>> Q, K = np.array([[1.0, 0.0]]), np.array([[np.log(3.0), 5.0], [0.0, 5.0]])
    >>> V = np.array([[8.0, 0.0], [0.0, 4.0]])
    >>> attention(Q, K, V, scale=1.0)
    array([[6., 1.]])

    Notes
    -----
    Source: Vaswani et al. (2017), eq. 1. Chapter: `qkv`.
    """
    weights = attention_weights(Q, K, mask=mask, bias=bias, scale=scale)
    return weighted_sum(weights, V)


@check_arguments
def soft_lookup(
    query: Float[np.ndarray, "d_k"],
    keys: Float[np.ndarray, "n_k d_k"],
    values: Float[np.ndarray, "n_k d_v"],
    *,
    temperature: float = 1.0,
) -> Float[np.ndarray, "d_v"]:
    """Look a query up in a dictionary that answers with a mixture of its values.

    y = sum over j of a_j v_j, where a = softmax(K q / T): the value of the key with the largest
    dot product for T -> 0, the mean of all values for T -> infinity.

    Parameters
    ----------
    query : array, shape (d_k,)
        What is looked for.
    keys : array, shape (n_k, d_k)
        The keys of the dictionary, one a row; at least one.
    values : array, shape (n_k, d_v)
        The values of the dictionary: row j belongs to key j.
    temperature : float
        T, greater than 0 also in the dtype of the arrays: how soft the lookup is.

    Returns
    -------
    array, shape (d_v,)
        The mixture, in the dtype of the arguments. NaN where a score is NaN or +inf.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ; if the
        temperature is no real number.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included; if
        there are no keys (n_k = 0); if the temperature is not a finite number greater than 0.

    Examples
    --------
    >>> keys, values = np.eye(2), np.array([[10.0], [20.0]])
    >>> soft_lookup(np.array([0.0, 1.0]), keys, values, temperature=0.01)
    array([20.])
    >>> soft_lookup(np.array([0.0, 1.0]), keys, values).round(2)
    array([17.31])

    Notes
    -----
    Source: Miller et al. (2016); Graves, Wayne and Danihelka (2014), eq. 2 and 5. Chapter: `qkv`.
    """
    check_axis(0, keys=keys)
    scores = dot_scores(query[None], keys)[0]
    return weighted_sum(softmax(scores, temperature=temperature), values)
