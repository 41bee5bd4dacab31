"""The same answer with less memory."""

from collections.abc import Iterator
from typing import Annotated

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor as Array

from course_attn._contracts import Count, Finite, Flag, NonEmpty, check_arguments
from course_attn.in_torch._numerics import default_scale, upcast

__all__ = [
    "linear_attention",
    "merge_partial",
    "online_softmax",
    "partial_attention",
    "repeat_kv",
    "tiled_attention",
]


# --- the softmax, a few scores at a time ----------------------------------------------------------


@check_arguments
def online_softmax(
    scores: Float[Array, "*batch n"], tile: Count
) -> Float[Array, "*batch n"]:
    """Take the softmax of each row while looking at a few scores at a time.

    First m and l = sum of exp(s_j - m) run along: at every tile of scores, m grows to m', l shrinks
    by exp(m - m') and the tile's exp(s_j - m') are added. Then a_j = exp(s_j - m) / l, tile by
    tile. The size of a tile does not change the result. A score of -inf counts as not allowed; a
    row of -inf gets zeros. Where a score is +inf or NaN the row is NaN.
    Source: Milakov and Gimelshein (2018), algorithm 3.

    Examples
    --------
    >>> online_softmax(torch.tensor([1.0, 4.0, 2.0, 1.0]).log(), 2)
    tensor([0.1250, 0.5000, 0.2500, 0.1250])
    """
    if scores.shape[-1] == 0:
        return scores.clone()
    wide = upcast(scores)
    lowest = torch.finfo(wide.dtype).min
    parts = wide.split(int(tile), dim=-1)
    m = wide.new_full((*wide.shape[:-1], 1), lowest)
    l = torch.zeros_like(m)
    for part in parts:
        # The shift cancels in the end: it needs no gradient.
        largest = part.detach().amax(dim=-1, keepdim=True)
        larger = torch.maximum(m, largest)
        exps = torch.exp(part - larger)
        l = l * torch.exp(m - larger) + exps.sum(dim=-1, keepdim=True)
        m = larger
    weights = [torch.exp(part - m) / l.clamp(min=1.0) for part in parts]
    return torch.cat(weights, dim=-1).to(scores.dtype)


# --- attention over some of the keys --------------------------------------------------------------


@check_arguments
def partial_attention(
    scores: Float[Array, "*batch n_q n_k"], V: Float[Array, "*batch n_k d_v"]
) -> tuple[
    Float[Array, "*batch n_q"],
    Float[Array, "*batch n_q"],
    Float[Array, "*batch n_q d_v"],
]:
    """Sum up what some of the keys contribute to attention, ready to be merged with the others.

    m_i = max over j of s_ij, l_i = sum over j of exp(s_ij - m_i), and
    o_i = sum over j of exp(s_ij - m_i) v_j. If these are all the keys, the output is o_i / l_i.
    The scores are scaled already, and -inf where the query may not attend. A query with nothing
    allowed, or without keys, gets -inf, 0 and zeros. A score of +inf or NaN makes l and o NaN.
    Source: Milakov and Gimelshein (2018); Rabe and Staats (2021).

    Examples
    --------
    >>> scores, V = torch.tensor([[5.0, 5.0]]), torch.tensor([[8.0], [4.0]])
    >>> partial_attention(scores, V)
    (tensor([5.]), tensor([2.]), tensor([[12.]]))
    """
    wide = upcast(scores)
    # One score of -inf more changes nothing, and lets the maximum of no keys be -inf.
    m = F.pad(wide, (0, 1), value=-torch.inf).amax(dim=-1)
    exps = torch.exp(wide - _finite(m)[..., None])
    parts = m, exps.sum(dim=-1), exps @ upcast(V)
    m, l, o = (part.to(scores.dtype) for part in parts)
    return m, l, o


@check_arguments
def merge_partial(
    m1: Float[Array, "*batch n_q"],
    l1: Float[Array, "*batch n_q"],
    o1: Float[Array, "*batch n_q d_v"],
    m2: Float[Array, "*batch n_q"],
    l2: Float[Array, "*batch n_q"],
    o2: Float[Array, "*batch n_q d_v"],
) -> tuple[
    Float[Array, "*batch n_q"],
    Float[Array, "*batch n_q"],
    Float[Array, "*batch n_q d_v"],
]:
    """Merge two partial results of attention, over different keys, into one.

    m = max(m1, m2), l = exp(m1 - m) l1 + exp(m2 - m) l2, o = exp(m1 - m) o1 + exp(m2 - m) o2, with
    m, l and o as `partial_attention` gives them: sums that are not divided by anything yet. The
    output of attention is o / l. In which order and grouping parts are merged does not matter, and
    (-inf, 0, zeros), no keys at all, changes nothing, on either side or on both. A maximum of +inf
    makes l and o NaN. Source: Milakov and Gimelshein (2018), section 3.1, extended to o by Rabe and
    Staats (2021).

    Examples
    --------
    >>> one = torch.tensor([5.0]), torch.tensor([2.0]), torch.tensor([[12.0]])
    >>> two = torch.tensor([5.0]), torch.tensor([1.0]), torch.tensor([[3.0]])
    >>> merge_partial(*one, *two)
    (tensor([5.]), tensor([3.]), tensor([[15.]]))
    """
    m = torch.maximum(m1, m2)
    shrink1, shrink2 = torch.exp(m1 - _finite(m)), torch.exp(m2 - _finite(m))
    l = shrink1 * l1 + shrink2 * l2
    o = shrink1[..., None] * o1 + shrink2[..., None] * o2
    return m, l, o


def _finite(m: Array) -> Array:
    """Put 0 for -inf: -inf - 0 stays -inf, where -inf - (-inf) would be NaN."""
    return torch.where(torch.isneginf(m), 0.0, m)


# --- attention in tiles ---------------------------------------------------------------------------


@check_arguments
def tiled_attention(
    Q: Annotated[Float[Array, "*batch n_q d_k"], NonEmpty("d_k")],
    K: Float[Array, "*batch n_k d_k"],
    V: Float[Array, "*batch n_k d_v"],
    *,
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Float[Array, "*#batch #n_q #n_k"] | None = None,
    causal: Flag = False,
    scale: Finite | None = None,
    tile: Count = 256,
) -> Float[Array, "*batch n_q d_v"]:
    """Compute `attention` without ever holding all its weights.

    Y = softmax(scale * Q K^T + bias) V. The keys are taken `tile` at a time, and a running maximum,
    sum of exponentials and weighted sum of values are kept for every query. But for rounding, the
    result is that of `attention`: a query with nothing allowed, or without keys, gets zeros, and
    where an allowed score is +inf or NaN the row is NaN. What NaN and infinite entries in a value
    do depends on the tiles. Under `causal`, queries skip the tiles whose keys all come after them.
    Gradients in PyTorch do need the weights of all tiles.
    Source: Rabe and Staats (2021); Dao et al. (2022), algorithm 1.

    Examples
    --------
    >>> Q, K = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 5.0], [0.0, 7.0]])
    >>> V = torch.tensor([[8.0, 0.0], [0.0, 4.0]])
    >>> tiled_attention(Q, K, V, tile=1)
    tensor([[4., 2.]])
    """
    scale, shape = default_scale(scale, Q), (*Q.shape[:-1], K.shape[-2])
    mask, bias = (None if x is None else x.expand(shape) for x in (mask, bias))
    q, k, v = upcast(Q) * scale, upcast(K), upcast(V)
    n_q, n_k = shape[-2:]
    # What no keys at all contribute.
    so_far = partial_attention(q @ k[..., :0, :].mT, v[..., :0, :])
    for rows, keys in _tiles(n_q, n_k, tile, causal):
        S = q[..., rows, :] @ k[..., keys, :].mT
        S = _hide(S, mask, bias, rows, keys, n_k - n_q if causal else n_k)
        part = partial_attention(S, v[..., keys, :])
        so_far = _merge_rows(so_far, part, rows.start)
    _, l, o = so_far
    return (o / torch.where(l == 0, 1, l)[..., None]).to(Q.dtype)


def _tiles(
    n_q: int, n_k: int, tile: int, causal: bool
) -> Iterator[tuple[slice, slice]]:
    """Give the tiles: which keys, and which queries may see one of them."""
    for start in range(0, n_k, tile):
        first = max(0, start + n_q - n_k) if causal else 0
        yield slice(first, n_q), slice(start, min(start + tile, n_k))


def _hide(
    S: Array,
    mask: Array | None,
    bias: Array | None,
    rows: slice,
    keys: slice,
    ahead: int,
) -> Array:
    """Add the bias, and put -inf where a query may not attend: after key i + ahead for query i."""
    if bias is not None:
        S = S + bias[..., rows, keys]
    if mask is not None:
        S = torch.where(mask[..., rows, keys], S, -torch.inf)
    # Does the diagonal cross this tile?
    if keys.stop - 1 > rows.start + ahead:
        own = torch.arange(rows.start, rows.stop, device=S.device) + ahead
        later = torch.arange(keys.start, keys.stop, device=S.device) > own[:, None]
        S = torch.where(later, -torch.inf, S)
    return S


_Partial = tuple[Array, Array, Array]


def _merge_rows(so_far: _Partial, part: _Partial, first: int) -> _Partial:
    """Merge what a tile gives to the queries from `first` on; the others keep what they have."""
    if first == 0:
        return merge_partial(*so_far, *part)
    m, l, o = so_far
    rest = m[..., first:], l[..., first:], o[..., first:, :]
    new_m, new_l, new_o = merge_partial(*rest, *part)
    return (
        torch.cat([m[..., :first], new_m], dim=-1),
        torch.cat([l[..., :first], new_l], dim=-1),
        torch.cat([o[..., :first, :], new_o], dim=-2),
    )


# --- decoding -------------------------------------------------------------------------------------


@check_arguments
def repeat_kv(
    K: Float[Array, "*batch n_kv_heads n d"], n_rep: Count
) -> Float[Array, "*batch n_heads n d"]:
    """Give every head of keys, or of values, to the next n_rep heads of queries.

    Head h of the n_kv_heads * n_rep heads of the result is head floor(h / n_rep) of K, counted from
    0: each head comes n_rep times in a row, as a copy. This is grouped-query attention; with a
    single head in K, multi-query attention.
    Source: Shazeer (2019), section 3; Ainslie et al. (2023), section 2.2.

    Examples
    --------
    >>> repeat_kv(torch.tensor([[[1.0]], [[2.0]]]), 2).ravel()
    tensor([1., 1., 2., 2.])
    """
    return K.repeat_interleave(int(n_rep), dim=-3)


# --- attention without softmax --------------------------------------------------------------------

# queries that causal linear attention takes at once
_LINEAR_TILE = 64


@check_arguments
def linear_attention(
    Q: Float[Array, "*batch n_q d_k"],
    K: Float[Array, "*batch n_k d_k"],
    V: Float[Array, "*batch n_k d_v"],
    *,
    causal: Flag = False,
) -> Float[Array, "*batch n_q d_v"]:
    """Mix values with weights that need no softmax, in time and memory linear in the length.

    y_i = f(q_i) (sum over j of f(k_j)^T v_j) / (f(q_i) sum over j of f(k_j)^T), where the feature
    map f(x) = elu(x) + 1 is positive, entry by entry. The weights f(q_i) f(k_j)^T, normalized, are
    never computed, since the sums over j are the same for all queries; under `causal` they grow
    from query to query. Queries are not scaled. This is not `attention`: its weights are different,
    and without `causal` their rank is at most d_k. A query that sees no key gets zeros.
    Source: Katharopoulos et al. (2020), sections 3.2 and 3.3.

    Examples
    --------
    >>> Q, K = torch.tensor([[0.0]]), torch.tensor([[0.0], [2.0]])
    >>> linear_attention(Q, K, torch.tensor([[8.0], [4.0]]))  # weights 1/4 and 3/4
    tensor([[5.]])
    """
    # A column of ones beside the values collects the sum of the weights.
    ones = V.new_ones((*V.shape[:-1], 1))
    values = upcast(torch.cat([V, ones], dim=-1))
    f_q, f_k = _feature_map(upcast(Q)), _feature_map(upcast(K))
    sums = _causal_sums(f_q, f_k, values) if causal else f_q @ (f_k.mT @ values)
    total = sums[..., -1:]
    return (sums[..., :-1] / torch.where(total == 0, 1, total)).to(Q.dtype)


def _feature_map(X: Array) -> Array:
    """Return elu(x) + 1: x + 1 above 0, exp(x) below."""
    return torch.where(X > 0, X + 1, torch.exp(X.clamp(max=0)))


def _causal_sums(f_q: Array, f_k: Array, values: Array) -> Array:
    """Sum over the keys up to each query's own; all earlier tiles are in one matrix."""
    n_q, before = f_q.shape[-2], f_k.shape[-2] - f_q.shape[-2]
    # queries that see no key, and keys that all queries see
    n_blind, seen = max(-before, 0), slice(0, max(before, 0))
    state = f_k[..., seen, :].mT @ values[..., seen, :]
    parts = [values.new_zeros((*f_q.shape[:-2], n_blind, values.shape[-1]))]
    for start in range(n_blind, n_q, _LINEAR_TILE):
        rows = slice(start, min(start + _LINEAR_TILE, n_q))
        keys = slice(rows.start + before, rows.stop + before)
        q, k, v = f_q[..., rows, :], f_k[..., keys, :], values[..., keys, :]
        parts.append(q @ state + torch.tril(q @ k.mT) @ v)
        state = state + k.mT @ v
    return torch.cat(parts, dim=-2)
