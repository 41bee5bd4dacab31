"""The projections and the attention of chapter 4, `qkv`."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float

from course_attn._checks import check_arguments, check_axis, check_finite
from course_attn.in_torch.scores import dot_scores
from course_attn.in_torch.weighted_sum import weighted_sum


@check_arguments
def project_qkv(
    X: Float[torch.Tensor, "*batch n_q d_model"],
    W_Q: Float[torch.Tensor, "d_model d_k"],
    W_K: Float[torch.Tensor, "d_model d_k"],
    W_V: Float[torch.Tensor, "d_model d_v"],
    *,
    Z: Float[torch.Tensor, "*batch n_k d_model"] | None = None,
) -> tuple[
    Float[torch.Tensor, "*batch n_q d_k"],
    Float[torch.Tensor, "*batch n_k d_k"],
    Float[torch.Tensor, "*batch n_k d_v"],
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
    >>> X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> swap, add = torch.tensor([[0.0, 1.0], [1.0, 0.0]]), torch.tensor([[1.0], [1.0]])
    >>> Q, K, V = project_qkv(X, torch.eye(2), swap, add)
    >>> K
    tensor([[2., 1.],
            [4., 3.]])
    >>> project_qkv(X, torch.eye(2), swap, add, Z=X[:1])[2]
    tensor([[3.]])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2.2. Chapter: `qkv`.
    """
    Z = X if Z is None else Z
    return X @ W_Q, Z @ W_K, Z @ W_V


@check_arguments
def attention_weights(
    Q: Float[torch.Tensor, "*batch n_q d_k"],
    K: Float[torch.Tensor, "*batch n_k d_k"],
    *,
    mask: Bool[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
    bias: Float[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
    scale: float | None = None,
) -> Float[torch.Tensor, "*batch n_q n_k"]:
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
    >>> Q, K = torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0986, 5.0], [0.0, 5.0], [9.0, 9.0]])
    >>> allowed = torch.tensor([[True, True, False]])
    >>> attention_weights(Q, K, mask=allowed, scale=1.0)
    tensor([[0.7500, 0.2500, 0.0000]])

    Notes
    -----
    Source: Vaswani et al. (2017), eq. 1, without V. Chapter: `qkv`.
    """
    scores = dot_scores(_wide(Q), _wide(K)) * _scale_or_default(scale, Q)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    return _softmax_or_zero(scores).to(Q.dtype)


def _wide(X: Float[torch.Tensor, "..."]) -> Float[torch.Tensor, "..."]:
    """Take 16-bit numbers to 32 bits: products of theirs soon exceed 65504, float16's largest."""
    return X.to(torch.promote_types(X.dtype, torch.float32))


def _scale_or_default(
    scale: float | None, Q: Float[torch.Tensor, "*batch n_q d_k"]
) -> float:
    """Return the scale, by default 1/sqrt(d_k)."""
    check_axis(-1, Q=Q)
    if scale is None:
        return Q.shape[-1] ** -0.5
    check_finite(scale=scale)
    return float(scale)


def _softmax_or_zero(
    scores: Float[torch.Tensor, "*batch n"],
) -> Float[torch.Tensor, "*batch n"]:
    """Take the softmax of each row; a row whose scores are all -inf gets zeros.

    The largest score contributes exp(0) = 1 to the sum, so that below 1 there is only 0: the sum
    of such a row, which is then divided by 1.
    """
    if scores.shape[-1] == 0:
        return scores.clone()
    wide = _wide(scores)
    lowest = torch.finfo(wide.dtype).min  # not -inf: -inf - (-inf) would be NaN
    # The shift cancels when the powers are divided by their sum: it needs no gradient.
    largest = wide.detach().amax(dim=-1, keepdim=True).clamp(min=lowest)
    powers = torch.exp(wide - largest)
    total = powers.sum(dim=-1, keepdim=True)
    return (powers / total.clamp(min=1.0)).to(scores.dtype)


@check_arguments
def attention(
    Q: Float[torch.Tensor, "*batch n_q d_k"],
    K: Float[torch.Tensor, "*batch n_k d_k"],
    V: Float[torch.Tensor, "*batch n_k d_v"],
    *,
    mask: Bool[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
    bias: Float[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
    scale: float | None = None,
) -> Float[torch.Tensor, "*batch n_q d_v"]:
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
    >>> Q, K = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 5.0], [0.0, 7.0]])
    >>> V = torch.tensor([[8.0, 0.0], [0.0, 4.0]])
    >>> attention(Q, K, V)
    tensor([[4., 2.]])

    Notes
    -----
    Source: Vaswani et al. (2017), eq. 1. Chapter: `qkv`.
    """
    weights = attention_weights(Q, K, mask=mask, bias=bias, scale=scale)
    return weighted_sum(weights, V)


@check_arguments
def fused_attention(
    Q: Float[torch.Tensor, "*batch n_q d_k"],
    K: Float[torch.Tensor, "*batch n_k d_k"],
    V: Float[torch.Tensor, "*batch n_k d_v"],
    *,
    mask: Bool[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
    bias: Float[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
    scale: float | None = None,
) -> Float[torch.Tensor, "*batch n_q d_v"]:
    """Compute `attention` by PyTorch's own function, which need not store the weights.

    Y = softmax(scale * Q K^T + bias) V, with the same arguments and, but for rounding, the same
    result as `attention`. PyTorch picks the fastest of its kernels that fits device and dtype.

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
        without keys, gets zeros. What NaN and infinite entries do depends on the kernel.

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
    >>> Q, K = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 5.0], [0.0, 7.0]])
    >>> V = torch.tensor([[8.0, 0.0], [0.0, 4.0]])
    >>> fused_attention(Q, K, V)
    tensor([[4., 2.]])

    Notes
    -----
    Source: Vaswani et al. (2017), eq. 1; among PyTorch's kernels is that of Dao et al. (2022).
    Chapter: `qkv`.
    """
    scale = _scale_or_default(scale, Q)
    if mask is not None and bias is not None:
        mask = torch.where(mask, bias, -torch.inf)  # PyTorch takes one of the two
    attn_mask = bias if mask is None else mask
    return F.scaled_dot_product_attention(Q, K, V, attn_mask=attn_mask, scale=scale)
