"""Chapter 7, `multi_head`: several attentions side by side."""

import torch
from jaxtyping import Bool, Float

from course_attn._check_options import check_split, widths_of_heads
from course_attn._checks import check_arguments, check_axis, check_flag
from course_attn.in_torch._multi_head_conversion import (
    from_torch,
    head_weights,
    to_torch,
)
from course_attn.in_torch._multi_head_layers import (
    AttentionHead,
    MultiHeadAttention,
)
from course_attn.in_torch.qkv import attention

__all__ = [
    "AttentionHead",
    "MultiHeadAttention",
    "from_torch",
    "head_weights",
    "merge_heads",
    "multi_head_attention",
    "multi_head_attention_loop",
    "n_parameters",
    "split_heads",
    "to_torch",
]


@check_arguments
def split_heads(
    X: Float[torch.Tensor, "*batch n d"], n_heads: int
) -> Float[torch.Tensor, "*batch {n_heads} n d_head"]:
    """Cut the features of every element into equal parts, one for each head.

    X_hic = x_i,(h d_head + c), with h, i and c counted from 0: head h gets the h-th block of
    d_head = d / n_heads features of every element, and the heads become a batch axis.

    Parameters
    ----------
    X : array, shape (..., n, d)
        The elements, one a row; d is a multiple of n_heads.
    n_heads : int
        The number of heads, at least 1.

    Returns
    -------
    array, shape (..., n_heads, n, d / n_heads)
        The parts, in the dtype of X; a copy.

    Raises
    ------
    TypeError
        If `X` is no array or not floating-point; if `n_heads` is no whole number.
    ValueError
        If `X` has fewer than two axes; if `n_heads` is below 1 or does not divide d.

    Examples
    --------
    >>> X = torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    >>> split_heads(X, 2)
    tensor([[[1., 2.],
             [5., 6.]],
    <BLANKLINE>
            [[3., 4.],
             [7., 8.]]])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2.2. Chapter: `multi_head`.
    """
    check_split(n_heads, X=X)
    parts = X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads)
    return parts.transpose(-2, -3).clone(memory_format=torch.contiguous_format)


@check_arguments
def merge_heads(
    X: Float[torch.Tensor, "*batch n_heads n d_head"],
) -> Float[torch.Tensor, "*batch n d"]:
    """Write the heads' vectors side by side: what `split_heads` did, undone.

    x_i = (x_1i, x_2i, ..., x_n_heads,i): one row for each element.

    Parameters
    ----------
    X : array, shape (..., n_heads, n, d_head)
        For every head, one row for each element.

    Returns
    -------
    array, shape (..., n, n_heads * d_head)
        The elements, in the dtype of X; a copy.

    Raises
    ------
    TypeError
        If `X` is no array or not floating-point.
    ValueError
        If `X` has fewer than three axes.

    Examples
    --------
    >>> merge_heads(torch.tensor([[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]))
    tensor([[1., 2., 3., 4.],
            [5., 6., 7., 8.]])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2.2, "Concat". Chapter: `multi_head`.
    """
    *batch, n_heads, n, d_head = X.shape
    return (
        X.transpose(-2, -3)
        .clone(memory_format=torch.contiguous_format)
        .reshape(*batch, n, n_heads * d_head)
    )


@check_arguments
def multi_head_attention(
    X: Float[torch.Tensor, "*batch n_q d_model"],
    W_Q: Float[torch.Tensor, "d_model heads_d_k"],
    W_K: Float[torch.Tensor, "d_z heads_d_k"],
    W_V: Float[torch.Tensor, "d_z heads_d_v"],
    W_O: Float[torch.Tensor, "heads_d_v d_out"],
    *,
    n_heads: int,
    Z: Float[torch.Tensor, "*batch n_k d_z"] | None = None,
    mask: Bool[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
    bias: Float[torch.Tensor, "*#batch #n_heads #n_q #n_k"] | None = None,
) -> Float[torch.Tensor, "*batch n_q d_out"]:
    """Let several heads attend side by side, and mix what they found.

    Y = concat(head_1, ..., head_n_heads) W_O with head_h = attention(X W_Q^h, Z W_K^h, Z W_V^h),
    where W_Q^h is the h-th block of columns of W_Q. Here the heads are a batch axis.

    Parameters
    ----------
    X : array, shape (..., n_q, d_model)
        The elements that ask, one a row.
    W_Q : array, shape (d_model, n_heads * d_k)
        The matrices that make the queries of the heads, side by side.
    W_K : array, shape (d_z, n_heads * d_k)
        The matrices that make the keys.
    W_V : array, shape (d_z, n_heads * d_v)
        The matrices that make the values.
    W_O : array, shape (n_heads * d_v, d_out)
        Mixes the heads: head h meets the h-th block of d_v rows.
    n_heads : int
        The number of heads, at least 1.
    Z : array, shape (..., n_k, d_z), or None
        The elements that answer, one a row; None means X (self-attention).
    mask : array of bool, shape that broadcasts to (..., n_q, n_k), or None
        True where the query may attend to the key, in all heads; None allows everything.
    bias : array, shape that broadcasts to (..., n_heads, n_q, n_k), or None
        Added to the scores after scaling; at least these three axes, each of which may be 1.

    Returns
    -------
    array, shape (..., n_q, d_out)
        The outputs, one a row, in the dtype of the arguments. A query with nothing allowed in any
        head, or without keys, gets zeros.

    Raises
    ------
    TypeError
        If an argument is no array or has the wrong dtype (`mask` must be bool, the others
        floating-point), or if the floating dtypes differ; if `n_heads` is no whole number.
    ValueError
        If the shapes do not fit (`mask` and `bias` broadcast, nothing else does); if `n_heads` is
        below 1 or does not divide the widths of queries and values; if that of queries is 0.

    Examples
    --------
    >>> X, ones = torch.tensor([[1.0, 0.0], [3.0, 0.0]]), torch.ones(2, 2)
    >>> multi_head_attention(X, 0 * ones, ones, ones, torch.eye(2), n_heads=2)
    tensor([[2., 2.],
            [2., 2.]])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2.2. Chapter: `multi_head`.
    """
    _check_fit(X, W_Q, W_K, W_V, n_heads, Z, mask, bias)
    Z = X if Z is None else Z
    Q, K, V = (split_heads(x, n_heads) for x in (X @ W_Q, Z @ W_K, Z @ W_V))
    if mask is not None:
        mask = mask[..., None, :, :]  # the same for all heads
    return merge_heads(attention(Q, K, V, mask=mask, bias=bias)) @ W_O


@check_arguments
def multi_head_attention_loop(
    X: Float[torch.Tensor, "*batch n_q d_model"],
    W_Q: Float[torch.Tensor, "d_model heads_d_k"],
    W_K: Float[torch.Tensor, "d_z heads_d_k"],
    W_V: Float[torch.Tensor, "d_z heads_d_v"],
    W_O: Float[torch.Tensor, "heads_d_v d_out"],
    *,
    n_heads: int,
    Z: Float[torch.Tensor, "*batch n_k d_z"] | None = None,
    mask: Bool[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
    bias: Float[torch.Tensor, "*#batch #n_heads #n_q #n_k"] | None = None,
) -> Float[torch.Tensor, "*batch n_q d_out"]:
    """Compute `multi_head_attention` head by head, as it is defined.

    Y = concat(head_1, ..., head_n_heads) W_O with head_h = attention(X W_Q^h, Z W_K^h, Z W_V^h),
    where W_Q^h is the h-th block of columns of W_Q.

    Parameters
    ----------
    X : array, shape (..., n_q, d_model)
        The elements that ask, one a row.
    W_Q : array, shape (d_model, n_heads * d_k)
        The matrices that make the queries of the heads, side by side.
    W_K : array, shape (d_z, n_heads * d_k)
        The matrices that make the keys.
    W_V : array, shape (d_z, n_heads * d_v)
        The matrices that make the values.
    W_O : array, shape (n_heads * d_v, d_out)
        Mixes the heads: head h meets the h-th block of d_v rows.
    n_heads : int
        The number of heads, at least 1.
    Z : array, shape (..., n_k, d_z), or None
        The elements that answer, one a row; None means X (self-attention).
    mask : array of bool, shape that broadcasts to (..., n_q, n_k), or None
        True where the query may attend to the key, in all heads; None allows everything.
    bias : array, shape that broadcasts to (..., n_heads, n_q, n_k), or None
        Added to the scores after scaling; at least these three axes, each of which may be 1.

    Returns
    -------
    array, shape (..., n_q, d_out)
        The outputs, one a row, in the dtype of the arguments. A query with nothing allowed in any
        head, or without keys, gets zeros.

    Raises
    ------
    TypeError
        If an argument is no array or has the wrong dtype (`mask` must be bool, the others
        floating-point), or if the floating dtypes differ; if `n_heads` is no whole number.
    ValueError
        If the shapes do not fit (`mask` and `bias` broadcast, nothing else does); if `n_heads` is
        below 1 or does not divide the widths of queries and values; if that of queries is 0.

    Examples
    --------
    >>> X, ones = torch.tensor([[1.0, 0.0], [3.0, 0.0]]), torch.ones(2, 2)
    >>> multi_head_attention_loop(X, 0 * ones, ones, ones, torch.eye(2), n_heads=2)
    tensor([[2., 2.],
            [2., 2.]])

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2.2. Chapter: `multi_head`.
    """
    _check_fit(X, W_Q, W_K, W_V, n_heads, Z, mask, bias)
    Z = X if Z is None else Z
    of_head = [W.chunk(n_heads, dim=-1) for W in (W_Q, W_K, W_V)]
    heads = []
    for h, (Q_h, K_h, V_h) in enumerate(zip(*of_head, strict=True)):
        b = None if bias is None else bias[..., h % bias.shape[-3], :, :]
        head = attention(X @ Q_h, Z @ K_h, Z @ V_h, mask=mask, bias=b)
        heads.append(head)
    return torch.cat(heads, dim=-1) @ W_O


def _check_fit(
    X: Float[torch.Tensor, "..."],
    W_Q: Float[torch.Tensor, "..."],
    W_K: Float[torch.Tensor, "..."],
    W_V: Float[torch.Tensor, "..."],
    n_heads: int,
    Z: Float[torch.Tensor, "..."] | None,
    mask: Bool[torch.Tensor, "..."] | None,
    bias: Float[torch.Tensor, "..."] | None,
) -> None:
    """Check what the annotations alone cannot say: the heads, and what None for Z means."""
    check_split(n_heads, W_Q=W_Q)
    check_split(n_heads, W_V=W_V)
    check_axis(-1, W_Q=W_Q)
    if Z is None:
        _check_own(X, W_K)
    of_heads = W_Q.reshape(W_Q.shape[0], n_heads, W_Q.shape[1] // n_heads)
    _check_masks(of_heads, X, X if Z is None else Z, mask, bias)


@check_arguments
def _check_own(
    X: Float[torch.Tensor, "*batch n d_model"],
    W_K: Float[torch.Tensor, "d_model heads_d_k"],
) -> None:
    """Check that keys and values can be made of X itself."""


@check_arguments
def _check_masks(
    W_Q: Float[torch.Tensor, "d_model n_heads d_k"],
    X: Float[torch.Tensor, "*batch n_q d_model"],
    Z: Float[torch.Tensor, "*batch n_k d_z"],
    mask: Bool[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
    bias: Float[torch.Tensor, "*#batch #n_heads #n_q #n_k"] | None = None,
) -> None:
    """Check that a mask fits the pairs, and a bias the pairs of every head."""


def n_parameters(
    d_model: int,
    n_heads: int,
    d_k: int | None = None,
    d_v: int | None = None,
    *,
    bias: bool = False,
) -> int:
    """Count the learned numbers of multi-head attention.

    n_heads (2 d_model d_k + 2 d_model d_v), and with biases n_heads (2 d_k + d_v) + d_model more.
    With d_k = d_v = d_model / n_heads this is 4 d_model^2 (+ 4 d_model), whatever n_heads.

    Parameters
    ----------
    d_model : int
        The width of the elements and of the outputs, at least 1.
    n_heads : int
        The number of heads, at least 1.
    d_k : int or None
        The width of a head's queries and keys; None means d_model / n_heads.
    d_v : int or None
        The width of a head's values; None means d_model / n_heads.
    bias : bool
        Whether each of the four linear maps adds a vector of its own.

    Returns
    -------
    int
        The number of entries of W_Q, W_K, W_V and W_O, and of their biases.

    Raises
    ------
    TypeError
        If a size is no whole number, or `bias` not True or False.
    ValueError
        If a size is below 1; if `n_heads` does not divide d_model where it must.

    Examples
    --------
    >>> n_parameters(512, 8)
    1048576
    >>> n_parameters(512, 8, d_k=16, bias=True)
    656640

    Notes
    -----
    Source: Vaswani et al. (2017), section 3.2.2. Chapter: `multi_head`.
    """
    check_flag(bias=bias)
    d_k, d_v = widths_of_heads(d_model, n_heads, d_k, d_v)
    matrices = n_heads * d_model * 2 * (d_k + d_v)
    biases = n_heads * (2 * d_k + d_v) + d_model
    return matrices + biases * bias
