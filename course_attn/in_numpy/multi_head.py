"""Several attentions side by side."""

from typing import Annotated

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from course_attn._contracts import (
    Count,
    Default,
    Divides,
    Flag,
    NonEmpty,
    check_arguments,
)
from course_attn.in_numpy.qkv import attention

__all__ = [
    "merge_heads",
    "multi_head_attention",
    "multi_head_attention_loop",
    "split_heads",
]


@check_arguments
def split_heads(
    X: Float[Array, "*batch n d"], n_heads: Annotated[Count, Divides("d")]
) -> Float[Array, "*batch {n_heads} n d_head"]:
    """Cut the features of every element into equal parts, one for each head.

    X_hic = x_i,(h d_head + c), with h, i and c counted from 0: head h gets the h-th block of
    d_head = d / n_heads features of every element, and the heads become a batch axis. A copy.
    Source: Vaswani et al. (2017), section 3.2.2.

    Examples
    --------
    >>> split_heads(np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]), 2)[1]
    array([[3., 4.],
           [7., 8.]])
    """
    *batch, n, d = X.shape
    parts = X.reshape(*batch, n, n_heads, d // n_heads)
    return parts.swapaxes(-2, -3).copy()


@check_arguments
def merge_heads(
    X: Float[Array, "*batch n_heads n d_head"],
) -> Float[Array, "*batch n d"]:
    """Write the heads' vectors side by side: what `split_heads` did, undone.

    x_i = (x_1i, x_2i, ..., x_n_heads,i): one row for each element, of d = n_heads d_head features.
    A copy. Source: Vaswani et al. (2017), section 3.2.2, "Concat".

    Examples
    --------
    >>> merge_heads(np.array([[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]))
    array([[1., 2., 3., 4.],
           [5., 6., 7., 8.]])
    """
    *batch, n_heads, n, d_head = X.shape
    rows = X.swapaxes(-2, -3).copy()
    return rows.reshape(*batch, n, n_heads * d_head)


@check_arguments
def multi_head_attention(
    X: Float[Array, "*batch n_q d_model"],
    W_Q: Annotated[Float[Array, "d_model heads_d_k"], NonEmpty("heads_d_k")],
    W_K: Float[Array, "d_z heads_d_k"],
    W_V: Float[Array, "d_z heads_d_v"],
    W_O: Float[Array, "heads_d_v d_out"],
    *,
    n_heads: Annotated[Count, Divides("heads_d_k", "heads_d_v")],
    Z: Annotated[Float[Array, "*batch n_k d_z"] | None, Default("X")] = None,
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Float[Array, "*#batch #n_heads #n_q #n_k"] | None = None,
    causal: Flag = False,
) -> Float[Array, "*batch n_q d_out"]:
    """Let several heads attend side by side, and mix what they found.

    Y = concat(head_1, ..., head_n_heads) W_O with head_h = attention(X W_Q^h, Z W_K^h, Z W_V^h),
    where W_Q^h is the h-th of n_heads blocks of columns of W_Q, and head h meets the h-th block of
    rows of W_O. Here the heads are a batch axis. `mask` and `causal` hold for all heads, `bias` has
    an axis for them. A query with nothing allowed in any head, or without keys, gets zeros.
    Source: Vaswani et al. (2017), section 3.2.2.

    Examples
    --------
    >>> X, ones = np.array([[1.0, 0.0], [3.0, 0.0]]), np.ones((2, 2))
    >>> multi_head_attention(X, 0 * ones, ones, ones, np.eye(2), n_heads=2)
    array([[2., 2.],
           [2., 2.]])
    """
    Z = X if Z is None else Z
    Q, K, V = (split_heads(x, n_heads) for x in (X @ W_Q, Z @ W_K, Z @ W_V))
    # The same mask for all heads.
    mask = None if mask is None else mask[..., None, :, :]
    heads = attention(Q, K, V, mask=mask, bias=bias, causal=causal)
    return merge_heads(heads) @ W_O


@check_arguments
def multi_head_attention_loop(
    X: Float[Array, "*batch n_q d_model"],
    W_Q: Annotated[Float[Array, "d_model heads_d_k"], NonEmpty("heads_d_k")],
    W_K: Float[Array, "d_z heads_d_k"],
    W_V: Float[Array, "d_z heads_d_v"],
    W_O: Float[Array, "heads_d_v d_out"],
    *,
    n_heads: Annotated[Count, Divides("heads_d_k", "heads_d_v")],
    Z: Annotated[Float[Array, "*batch n_k d_z"] | None, Default("X")] = None,
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Float[Array, "*#batch #n_heads #n_q #n_k"] | None = None,
    causal: Flag = False,
) -> Float[Array, "*batch n_q d_out"]:
    """Compute `multi_head_attention` head by head, as it is defined.

    Y = concat(head_1, ..., head_n_heads) W_O with head_h = attention(X W_Q^h, Z W_K^h, Z W_V^h),
    where W_Q^h is the h-th of n_heads blocks of columns of W_Q.
    Source: Vaswani et al. (2017), section 3.2.2.

    Examples
    --------
    >>> X, ones = np.array([[1.0, 0.0], [3.0, 0.0]]), np.ones((2, 2))
    >>> multi_head_attention_loop(X, 0 * ones, ones, ones, np.eye(2), n_heads=2)
    array([[2., 2.],
           [2., 2.]])
    """
    Z = X if Z is None else Z
    blocks = [np.split(W, n_heads, axis=-1) for W in (W_Q, W_K, W_V)]
    heads = []
    for h, (W_Qh, W_Kh, W_Vh) in enumerate(zip(*blocks, strict=True)):
        Q, K, V = X @ W_Qh, Z @ W_Kh, Z @ W_Vh
        # An axis of length 1 is the same bias for all heads.
        bias_h = None if bias is None else bias[..., h % bias.shape[-3], :, :]
        heads.append(attention(Q, K, V, mask=mask, bias=bias_h, causal=causal))
    return np.concatenate(heads, axis=-1) @ W_O
