"""Chapter 6, `masks`: who may see whom."""

import torch
from jaxtyping import Bool, Float, Int

from course_attn._checks import (
    check_arguments,
    check_count,
    check_float_dtype,
    check_lengths,
)
from course_attn.in_torch._qkv_functions import _softmax_or_zero
from course_attn.in_torch.qkv import attention

__all__ = [
    "causal_attention",
    "causal_mask",
    "mask_to_bias",
    "masked_softmax",
    "padding_mask",
    "sliding_window_mask",
]


def causal_mask(n_q: int, n_k: int | None = None) -> Bool[torch.Tensor, "n_q n_k"]:
    """Let every query see the keys up to its own position, and none after it.

    m_ij is True if j <= i + n_k - n_q: the last query stands at the last key and sees all of them,
    so that the n_q queries are the last ones of a sequence of n_k (aligned to the bottom right).

    Parameters
    ----------
    n_q : int
        The number of queries, 0 or more.
    n_k : int or None
        The number of keys, 0 or more; None means n_q. With fewer keys than queries, the first
        n_q - n_k queries see nothing.

    Returns
    -------
    array of bool, shape (n_q, n_k)
        True where the query may attend to the key. (In PyTorch it is on the default device; take
        it to the queries with ``mask.to(Q.device)``.)

    Raises
    ------
    TypeError
        If a size is no whole number.
    ValueError
        If a size is negative.

    Examples
    --------
    >>> causal_mask(3).int()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    >>> causal_mask(2, 4).int()
    tensor([[1, 1, 1, 0],
            [1, 1, 1, 1]], dtype=torch.int32)

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2.3, for n_q = n_k. Chapter: `masks`.
    """
    return _steps_back(n_q, n_k) >= 0


def _steps_back(n_q: int, n_k: int | None) -> Int[torch.Tensor, "n_q n_k"]:
    """Count how many positions key j lies before query i: i + n_k - n_q - j."""
    n_k = n_q if n_k is None else n_k
    check_count(0, n_q=n_q)
    check_count(0, n_k=n_k)
    return torch.arange(n_k - n_q, n_k)[:, None] - torch.arange(n_k)


def sliding_window_mask(
    n_q: int, n_k: int | None = None, *, window: int
) -> Bool[torch.Tensor, "n_q n_k"]:
    """Let every query see the last few keys up to its own position, itself included.

    m_ij is True if 0 <= i + n_k - n_q - j < window: a causal mask that forgets.

    Parameters
    ----------
    n_q : int
        The number of queries, 0 or more.
    n_k : int or None
        The number of keys, 0 or more; None means n_q. The last query stands at the last key.
    window : int
        How many keys a query sees at most, 1 or more: 1 lets it see its own position only.

    Returns
    -------
    array of bool, shape (n_q, n_k)
        True where the query may attend to the key. (In PyTorch it is on the default device; take
        it to the queries with ``mask.to(Q.device)``.)

    Raises
    ------
    TypeError
        If a size or the window is no whole number.
    ValueError
        If a size is negative; if the window is below 1.

    Examples
    --------
    >>> sliding_window_mask(4, window=2).int()
    tensor([[1, 0, 0, 0],
            [1, 1, 0, 0],
            [0, 1, 1, 0],
            [0, 0, 1, 1]], dtype=torch.int32)

    Notes
    -----
    Source: Jiang et al. (2023), section 2, after Beltagy, Peters and Cohan (2020), section 3.1,
    whose window reaches to both sides. Chapter: `masks`.
    """
    check_count(1, window=window)
    steps_back = _steps_back(n_q, n_k)
    return (steps_back >= 0) & (steps_back < window)


@check_arguments
def padding_mask(
    lengths: Int[torch.Tensor, "batch"], n_k: int
) -> Bool[torch.Tensor, "batch 1 n_k"]:
    """Hide the keys that only fill a short sequence up to the length of its batch.

    m_b1j is True if j < length_b, whatever the query: all queries of a sequence share the row.

    Parameters
    ----------
    lengths : array of int, shape (batch,)
        How many keys of each sequence are real, from 0 to n_k. They come first.
    n_k : int
        The number of keys, filling included.

    Returns
    -------
    array of bool, shape (batch, 1, n_k)
        True where the key is real. For scores of shape (batch, n_heads, n_q, n_k), insert an axis:
        ``mask[:, None]``.

    Raises
    ------
    TypeError
        If `lengths` is no array of integers, or `n_k` no whole number.
    ValueError
        If `lengths` has not one axis; if `n_k` is negative; if a length is negative or greater
        than n_k.

    Examples
    --------
    >>> padding_mask(torch.tensor([3, 1]), 4).int()
    tensor([[[1, 1, 1, 0]],
    <BLANKLINE>
            [[1, 0, 0, 0]]], dtype=torch.int32)

    Notes
    -----
    Source: Rush (2018), "Batches and Masking". Chapter: `masks`.
    """
    check_count(0, n_k=n_k)
    check_lengths(lengths, n_k=n_k)
    return torch.arange(n_k, device=lengths.device) < lengths[:, None, None]


@check_arguments
def mask_to_bias(
    mask: Bool[torch.Tensor, "*batch n"], *, dtype: torch.dtype
) -> Float[torch.Tensor, "*batch n"]:
    """Write a mask as numbers to add to the scores.

    b_ij = 0 where m_ij is True, -inf where it is False.

    Parameters
    ----------
    mask : array of bool, shape (..., n)
        True where the query may attend to the key.
    dtype : dtype
        The floating-point dtype of the scores.

    Returns
    -------
    array, shape of `mask`
        The bias, in this dtype.

    Raises
    ------
    TypeError
        If `mask` is no array of bool; if `dtype` is no floating-point dtype.
    ValueError
        If `mask` has no axis at all.

    Examples
    --------
    >>> mask_to_bias(torch.tensor([[True, False]]), dtype=torch.float32)
    tensor([[0., -inf]])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2.3. Chapter: `masks`.
    """
    check_float_dtype(mask, dtype=dtype)
    return torch.where(mask, 0.0, -torch.inf).to(dtype)


@check_arguments
def masked_softmax(
    scores: Float[torch.Tensor, "*batch n"],
    mask: Bool[torch.Tensor, "*#batch #n"] | None = None,
) -> Float[torch.Tensor, "*batch n"]:
    """Turn the allowed scores of each row into weights that sum to 1; the others get 0.

    a_j = exp(s_j) / sum over allowed m of exp(s_m) if j is allowed, else 0: the softmax of the
    scores with -inf where the mask is False. A row with nothing allowed gets zeros, never NaN.

    Parameters
    ----------
    scores : array, shape (..., n)
        Any real numbers, such as scores of shape (..., n_q, n_k). -inf counts as not allowed.
    mask : array of bool, shape that broadcasts to (..., n), or None
        True where a score counts; None means everywhere.

    Returns
    -------
    array, shape of `scores`
        The weights, in the dtype of the scores (16-bit input is computed in 32 bits). Where an
        allowed score is +inf or NaN the row is NaN; what stands at a masked place has no effect.

    Raises
    ------
    TypeError
        If `scores` is no array or not floating-point; if `mask` is no array of bool.
    ValueError
        If `scores` has no axis at all; if `mask` does not broadcast to its shape.

    Examples
    --------
    >>> scores = torch.tensor([[0.0, 1.0986, 99.0], [1.0, 2.0, 3.0]])
    >>> mask = torch.tensor([[True, True, False], [False, False, False]])
    >>> masked_softmax(scores, mask)
    tensor([[0.2500, 0.7500, 0.0000],
            [0.0000, 0.0000, 0.0000]])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2.3. Chapter: `masks`.
    """
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    return _softmax_or_zero(scores)


@check_arguments
def causal_attention(
    Q: Float[torch.Tensor, "*batch n_q d_k"],
    K: Float[torch.Tensor, "*batch n_k d_k"],
    V: Float[torch.Tensor, "*batch n_k d_v"],
    *,
    scale: float | None = None,
) -> Float[torch.Tensor, "*batch n_q d_v"]:
    """Give every query the mixture of the values up to its own position.

    Y = softmax(scale * Q K^T with -inf where j > i + n_k - n_q) V: `attention` with `causal_mask`.

    Parameters
    ----------
    Q : array, shape (..., n_q, d_k)
        The queries, one a row: the last n_q positions of the sequence; at least one feature.
    K : array, shape (..., n_k, d_k)
        The keys, one a row.
    V : array, shape (..., n_k, d_v)
        The values, one a row: value j belongs to key j.
    scale : float or None
        What the dot products are multiplied by, any finite number; None means 1/sqrt(d_k).

    Returns
    -------
    array, shape (..., n_q, d_v)
        The outputs, one a row, in the dtype of the arguments. A query that sees no key gets zeros.
        NaN and infinite entries in a value spread to every output of their column, even through a
        weight of 0.

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
    >>> Q = K = torch.zeros(3, 1)
    >>> causal_attention(Q, K, torch.tensor([[2.0], [4.0], [9.0]]))
    tensor([[2.],
            [3.],
            [5.]])

    Notes
    -----
    Source: Vaswani et al. (2017), eq. 1 and section 3.2.3. Chapter: `masks`.
    """
    mask = causal_mask(Q.shape[-2], K.shape[-2]).to(Q.device)
    return attention(Q, K, V, mask=mask, scale=scale)
