"""Who may see whom."""

from typing import Annotated

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor as Array

from course_attn._contracts import Count, Finite, Size, check_arguments
from course_attn._rules import UpTo
from course_attn.in_torch._numerics import DType, relative_positions, safe_softmax
from course_attn.in_torch.qkv import attention

__all__ = [
    "causal_attention",
    "causal_mask",
    "mask_to_bias",
    "masked_softmax",
    "padding_mask",
    "sliding_window_mask",
]


@check_arguments
def causal_mask(n_q: Size, n_k: Size | None = None) -> Bool[Array, "n_q n_k"]:
    """Let every query see the keys up to its own position, and none after it.

    m_ij is True if j <= i + n_k - n_q; n_k is n_q unless it is given. The last query stands at the
    last key and sees all of them, so that the n_q queries are the last ones of a sequence of n_k
    (aligned to the bottom right). With fewer keys than queries, the first n_q - n_k queries see
    nothing. In PyTorch the mask is on the default device; take it to the queries with
    ``mask.to(Q.device)``. Source: Vaswani et al. (2017), section 3.2.3, for n_q = n_k.

    Examples
    --------
    >>> causal_mask(2, 4).int()
    tensor([[1, 1, 1, 0],
            [1, 1, 1, 1]], dtype=torch.int32)
    """
    return relative_positions(n_q, n_k) >= 0


@check_arguments
def sliding_window_mask(
    n_q: Size, n_k: Size | None = None, *, window: Count
) -> Bool[Array, "n_q n_k"]:
    """Let every query see the last few keys up to its own position, itself included.

    m_ij is True if 0 <= i + n_k - n_q - j < window: a causal mask that forgets. A window of 1 lets
    a query see its own position only. As with `causal_mask`, the last query stands at the last key,
    and in PyTorch the mask is on the default device.
    Source: Jiang et al. (2023), section 2, after Beltagy, Peters and Cohan (2020), section 3.1,
    whose window reaches to both sides.

    Examples
    --------
    >>> sliding_window_mask(4, window=2).int()
    tensor([[1, 0, 0, 0],
            [1, 1, 0, 0],
            [0, 1, 1, 0],
            [0, 0, 1, 1]], dtype=torch.int32)
    """
    positions = relative_positions(n_q, n_k)
    return (positions >= 0) & (positions < window)


@check_arguments
def padding_mask(
    lengths: Annotated[Int[Array, "batch"], UpTo("n_k")], n_k: Size
) -> Bool[Array, "batch 1 n_k"]:
    """Hide the padding, which fills a short sequence up to the length of its batch.

    m_b1j is True if j < length_b: of the n_k keys of a sequence, padding included, the real ones
    come first, and all its queries share the row. For scores of shape (batch, n_heads, n_q, n_k),
    insert an axis: ``mask[:, None]``.
    Source: Rush (2018), "Batches and Masking".

    Examples
    --------
    >>> padding_mask(torch.tensor([3, 1]), 4)[:, 0].int()
    tensor([[1, 1, 1, 0],
            [1, 0, 0, 0]], dtype=torch.int32)
    """
    return torch.arange(n_k, device=lengths.device) < lengths[:, None, None]


@check_arguments
def mask_to_bias(
    mask: Bool[Array, "*batch n"], *, dtype: DType
) -> Float[Array, "*batch n"]:
    """Write a mask as numbers to add to the scores, in their dtype.

    b_ij = 0 where m_ij is True, -inf where it is False.
    Source: Vaswani et al. (2017), section 3.2.3.

    Examples
    --------
    >>> mask_to_bias(torch.tensor([[True, False]]), dtype=torch.float32)
    tensor([[0., -inf]])
    """
    return torch.where(mask, 0.0, -torch.inf).to(dtype)


@check_arguments
def masked_softmax(
    scores: Float[Array, "*batch n"],
    mask: Bool[Array, "*#batch #n"] | None = None,
) -> Float[Array, "*batch n"]:
    """Turn the allowed scores of each row into weights that sum to 1; the others get 0.

    a_j = exp(s_j) / sum over allowed m of exp(s_m) if j is allowed, else 0: the softmax of the
    scores with -inf where the mask is False. A score of -inf counts as not allowed. A row with
    nothing allowed gets zeros, never NaN; where an allowed score is +inf or NaN the row is NaN.
    Source: Vaswani et al. (2017), section 3.2.3.

    Examples
    --------
    >>> scores = torch.tensor([[0.0, 1.0986, 99.0], [1.0, 2.0, 3.0]])
    >>> masked_softmax(scores, torch.tensor([[True, True, False], [False, False, False]]))
    tensor([[0.2500, 0.7500, 0.0000],
            [0.0000, 0.0000, 0.0000]])
    """
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    return safe_softmax(scores)


@check_arguments
def causal_attention(
    Q: Float[Array, "*batch n_q d_k"],
    K: Float[Array, "*batch n_k d_k"],
    V: Float[Array, "*batch n_k d_v"],
    *,
    scale: Finite | None = None,
) -> Float[Array, "*batch n_q d_v"]:
    """Give every query the mixture of the values up to its own position.

    Y = softmax(scale * Q K^T with -inf where j > i + n_k - n_q) V: `attention` with `causal_mask`.
    The queries are the last n_q positions of the sequence; one that sees no key gets zeros.
    Source: Vaswani et al. (2017), eq. 1 and section 3.2.3.

    Examples
    --------
    >>> Q = K = torch.zeros(3, 1)
    >>> causal_attention(Q, K, torch.tensor([[2.0], [4.0], [9.0]])).T
    tensor([[2., 3., 5.]])
    """
    mask = causal_mask(Q.shape[-2], K.shape[-2]).to(Q.device)
    return attention(Q, K, V, mask=mask, scale=scale)
