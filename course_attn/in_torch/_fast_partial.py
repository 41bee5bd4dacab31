"""Attention over some of the keys, for chapter 10, `fast`, and how two such parts become one."""

import torch
import torch.nn.functional as F
from jaxtyping import Float

from course_attn._checks import check_arguments, check_count
from course_attn.in_torch._qkv_functions import _wide


@check_arguments
def partial_attention(
    scores: Float[torch.Tensor, "*batch n_q n_k"],
    V: Float[torch.Tensor, "*batch n_k d_v"],
) -> tuple[
    Float[torch.Tensor, "*batch n_q"],
    Float[torch.Tensor, "*batch n_q"],
    Float[torch.Tensor, "*batch n_q d_v"],
]:
    """Sum up what some of the keys contribute to attention, ready to be merged with the others.

    m_i = max over j of s_ij, l_i = sum over j of exp(s_ij - m_i), and
    o_i = sum over j of exp(s_ij - m_i) v_j. If these are all the keys, the output is o_i / l_i.

    Parameters
    ----------
    scores : array, shape (..., n_q, n_k)
        The scores of these keys, scaled; -inf where the query may not attend.
    V : array, shape (..., n_k, d_v)
        The values of these keys, one a row.

    Returns
    -------
    tuple of arrays, shapes (..., n_q), (..., n_q) and (..., n_q, d_v)
        The maxima m, the sums of exponentials l and the weighted sums o, in the dtype of the
        arguments (16-bit input is computed in 32 bits). A query with nothing allowed, or without
        keys, gets -inf, 0 and zeros. A score of +inf or NaN makes l and o NaN.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included.

    Examples
    --------
    >>> scores, V = torch.tensor([[5.0, 5.0]]), torch.tensor([[8.0], [4.0]])
    >>> partial_attention(scores, V)
    (tensor([5.]), tensor([2.]), tensor([[12.]]))

    Notes
    -----
    Source: Milakov and Gimelshein (2018); Rabe and Staats (2021). Chapter: `fast`.
    """
    wide = _wide(scores)
    # One score of -inf more changes nothing, and lets the maximum of no keys be -inf.
    m = F.pad(wide, (0, 1), value=-torch.inf).amax(dim=-1)
    powers = torch.exp(wide - _finite(m)[..., None])
    parts = m, powers.sum(dim=-1), powers @ _wide(V)
    m, l, o = (part.to(scores.dtype) for part in parts)
    return m, l, o


def _finite(m: Float[torch.Tensor, "..."]) -> Float[torch.Tensor, "..."]:
    """Put 0 for -inf: -inf - 0 stays -inf, where -inf - (-inf) would be NaN."""
    return torch.where(m.isneginf(), 0.0, m)


@check_arguments
def merge_partial(
    m1: Float[torch.Tensor, "*batch n_q"],
    l1: Float[torch.Tensor, "*batch n_q"],
    o1: Float[torch.Tensor, "*batch n_q d_v"],
    m2: Float[torch.Tensor, "*batch n_q"],
    l2: Float[torch.Tensor, "*batch n_q"],
    o2: Float[torch.Tensor, "*batch n_q d_v"],
) -> tuple[
    Float[torch.Tensor, "*batch n_q"],
    Float[torch.Tensor, "*batch n_q"],
    Float[torch.Tensor, "*batch n_q d_v"],
]:
    """Put two partial results of attention, over different keys, together to one.

    m = max(m1, m2), l = exp(m1 - m) l1 + exp(m2 - m) l2, o = exp(m1 - m) o1 + exp(m2 - m) o2.
    Here l is a sum of exponentials and o the sum of values with these exponentials as factors,
    neither of them divided by anything; the output of attention is o / l. In which order and
    grouping parts are merged does not matter, and (-inf, 0, zeros), no keys at all, changes
    nothing.

    Parameters
    ----------
    m1 : array, shape (..., n_q)
        The largest score of every query among the first keys; -inf if there is none.
    l1 : array, shape (..., n_q)
        The sum of exp(score - m1) over the first keys.
    o1 : array, shape (..., n_q, d_v)
        The sum of exp(score - m1) times the value over the first keys.
    m2 : array, shape (..., n_q)
        As `m1`, for the second keys.
    l2 : array, shape (..., n_q)
        As `l1`, for the second keys.
    o2 : array, shape (..., n_q, d_v)
        As `o1`, for the second keys.

    Returns
    -------
    tuple of arrays, shapes (..., n_q), (..., n_q) and (..., n_q, d_v)
        m, l and o over both, in the dtype of the arguments. Where both maxima are -inf, so is
        theirs, and l and o are 0, not NaN. A maximum of +inf makes l and o NaN.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included.

    Examples
    --------
    >>> one = torch.tensor([5.0]), torch.tensor([2.0]), torch.tensor([[12.0]])
    >>> two = torch.tensor([5.0]), torch.tensor([1.0]), torch.tensor([[3.0]])
    >>> merge_partial(*one, *two)
    (tensor([5.]), tensor([3.]), tensor([[15.]]))
    >>> m, l, o = merge_partial(*one, *two)
    >>> o / l[:, None]
    tensor([[5.]])

    Notes
    -----
    Source: Milakov and Gimelshein (2018), section 3.1, extended to o by Rabe and Staats (2021).
    Chapter: `fast`.
    """
    m = torch.maximum(m1, m2)
    shrink1, shrink2 = torch.exp(m1 - _finite(m)), torch.exp(m2 - _finite(m))
    l = shrink1 * l1 + shrink2 * l2
    o = shrink1[..., None] * o1 + shrink2[..., None] * o2
    return m, l, o


@check_arguments
def online_softmax(
    scores: Float[torch.Tensor, "*batch n"], block: int
) -> Float[torch.Tensor, "*batch n"]:
    """Take the softmax of each row while looking at a few scores at a time.

    First m and l = sum of exp(s_j - m) run along: at every block, m grows to m', l shrinks by
    exp(m - m') and the block's exp(s_j - m') are added. Then a_j = exp(s_j - m) / l, block by
    block.

    Parameters
    ----------
    scores : array, shape (..., n)
        Any real numbers; -inf counts as not allowed.
    block : int
        How many scores are looked at at once, at least 1. It does not change the result.

    Returns
    -------
    array, shape of `scores`
        The weights, in the dtype of the scores (16-bit input is computed in 32 bits). A row of
        -inf gets zeros. Where a score is +inf or NaN the row is NaN.

    Raises
    ------
    TypeError
        If `scores` is no array or not floating-point; if `block` is no whole number.
    ValueError
        If `scores` has no axis at all; if `block` is below 1.

    Examples
    --------
    >>> online_softmax(torch.tensor([1.0, 4.0, 2.0, 1.0]).log(), 2)
    tensor([0.1250, 0.5000, 0.2500, 0.1250])

    Notes
    -----
    Source: Milakov and Gimelshein (2018), algorithm 3. Chapter: `fast`.
    """
    check_count(1, block=block)
    wide = _wide(scores)
    parts = wide.split(block, dim=-1)
    m = wide.new_full((*wide.shape[:-1], 1), torch.finfo(wide.dtype).min)
    l = torch.zeros_like(m)
    for part in parts:
        # The shift cancels in the end: it needs no gradient.
        larger = m if part.shape[-1] == 0 else part.detach().amax(-1, keepdim=True)
        larger = torch.maximum(m, larger)
        l = l * torch.exp(m - larger) + torch.exp(part - larger).sum(
            -1, keepdim=True
        )
        m = larger
    weights = [torch.exp(part - m) / l.clamp(min=1.0) for part in parts]
    return torch.cat(weights, dim=-1).to(scores.dtype)
