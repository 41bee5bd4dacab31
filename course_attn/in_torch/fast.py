"""Chapter 10, `fast`: the same answer with less memory."""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float

from course_attn._checks import check_arguments, check_count, check_flag
from course_attn.in_torch._fast_cache import KVCache, repeat_kv
from course_attn.in_torch._fast_costs import (
    attention_flops,
    explicit_bytes,
    fused_bytes,
    kv_cache_bytes,
)
from course_attn.in_torch._fast_partial import (
    merge_partial,
    online_softmax,
    partial_attention,
)
from course_attn.in_torch._qkv_functions import _scale_or_default, _wide

__all__ = [
    "KVCache",
    "attention_flops",
    "explicit_bytes",
    "fused_bytes",
    "kv_cache_bytes",
    "linear_attention",
    "merge_partial",
    "online_softmax",
    "partial_attention",
    "repeat_kv",
    "tiled_attention",
]

_CHUNK = 64  # queries that causal linear attention handles at once


@check_arguments
def tiled_attention(
    Q: Float[torch.Tensor, "*batch n_q d_k"],
    K: Float[torch.Tensor, "*batch n_k d_k"],
    V: Float[torch.Tensor, "*batch n_k d_v"],
    *,
    mask: Bool[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
    bias: Float[torch.Tensor, "*#batch #n_q #n_k"] | None = None,
    causal: bool = False,
    scale: float | None = None,
    tile: int = 256,
) -> Float[torch.Tensor, "*batch n_q d_v"]:
    """Compute `attention` without ever holding all its weights.

    Y = softmax(scale * Q K^T + bias) V. The keys are taken tile by tile, and a running maximum,
    sum of exponentials and weighted sum of values are kept for every query. But for rounding, the
    result is that of `attention`. Gradients in PyTorch do need the weights of all tiles.

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
    causal : bool
        Whether to hide the keys after a query's own position, as `causal_mask` does (aligned to
        the bottom right), on top of `mask`. Tiles that nobody may see are skipped.
    scale : float or None
        What the dot products are multiplied by, any finite number; None means 1/sqrt(d_k).
    tile : int
        How many keys are looked at at once, at least 1. It changes time and memory, not the
        result.

    Returns
    -------
    array, shape (..., n_q, d_v)
        The outputs, one a row, in the dtype of the arguments (16-bit input is computed in 32
        bits). A query with nothing allowed, or without keys, gets zeros. Where an allowed score is
        +inf or NaN the row is NaN; what NaN and infinite entries in a value do depends on the
        tiles.

    Raises
    ------
    TypeError
        If an argument is no array or has the wrong dtype (`mask` must be bool, the others
        floating-point), or if the floating dtypes differ; if `scale` is no real number, `tile` no
        whole number, or `causal` not True or False.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included (but in `mask`
        and `bias`, which broadcast); if there are no features (d_k = 0); if `scale` is infinite
        or NaN; if `tile` is below 1.

    Examples
    --------
    >>> Q, K = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 5.0], [0.0, 7.0]])
    >>> V = torch.tensor([[8.0, 0.0], [0.0, 4.0]])
    >>> tiled_attention(Q, K, V, tile=1)
    tensor([[4., 2.]])

    Notes
    -----
    Source: Rabe and Staats (2021); Dao et al. (2022), algorithm 1. Chapter: `fast`.
    """
    check_flag(causal=causal)
    check_count(1, tile=tile)
    q, k, v = _wide(Q) * _scale_or_default(scale, Q), _wide(K), _wide(V)
    n_q, n_k = q.shape[-2], k.shape[-2]
    mask, bias = (
        None if x is None else x.expand(*q.shape[:-1], n_k) for x in (mask, bias)
    )
    so_far = partial_attention(q @ k[..., :0, :].mT, v[..., :0, :])  # of no keys
    for start in range(0, n_k, tile):
        keys = slice(start, min(start + tile, n_k))
        # The first query that may see a key of this tile.
        rows = slice(max(0, start + n_q - n_k) if causal else 0, n_q)
        scores = q[..., rows, :] @ k[..., keys, :].mT
        scores = _hide(scores, mask, bias, rows, keys, n_k - n_q if causal else n_k)
        part = partial_attention(scores, v[..., keys, :])
        so_far = _merge_rows(so_far, part, rows.start)
    _, l, o = so_far
    return (o / torch.where(l == 0, 1, l)[..., None]).to(Q.dtype)


def _hide(
    scores: Float[torch.Tensor, "*batch n_rows n_keys"],
    mask: Bool[torch.Tensor, "*batch n_q n_k"] | None,
    bias: Float[torch.Tensor, "*batch n_q n_k"] | None,
    rows: slice,
    keys: slice,
    ahead: int,
) -> Float[torch.Tensor, "*batch n_rows n_keys"]:
    """Add the bias, and put -inf where a query may not attend: after key i + ahead for query i."""
    if bias is not None:
        scores = scores + bias[..., rows, keys]
    if mask is not None:
        scores = torch.where(mask[..., rows, keys], scores, -torch.inf)
    if keys.stop - 1 > rows.start + ahead:  # the diagonal crosses this tile
        own = torch.arange(rows.start, rows.stop, device=scores.device) + ahead
        places = torch.arange(keys.start, keys.stop, device=scores.device)
        scores = torch.where(places <= own[:, None], scores, -torch.inf)
    return scores


_Partial = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def _merge_rows(so_far: _Partial, part: _Partial, first: int) -> _Partial:
    """Merge what a tile gives to the queries from `first` on; the others keep what they have."""
    if first == 0:
        return merge_partial(*so_far, *part)
    axes = (-1, -1, -2)  # of the queries, in m, l and o
    before = [
        x.narrow(axis, 0, first) for x, axis in zip(so_far, axes, strict=True)
    ]
    after = [
        x.narrow(axis, first, x.shape[axis] - first)
        for x, axis in zip(so_far, axes, strict=True)
    ]
    pairs = zip(before, merge_partial(*after, *part), axes, strict=True)
    m, l, o = (torch.cat([old, new], dim=axis) for old, new, axis in pairs)
    return m, l, o


@check_arguments
def linear_attention(
    Q: Float[torch.Tensor, "*batch n_q d_k"],
    K: Float[torch.Tensor, "*batch n_k d_k"],
    V: Float[torch.Tensor, "*batch n_k d_v"],
    *,
    causal: bool = False,
) -> Float[torch.Tensor, "*batch n_q d_v"]:
    """Mix values with weights that need no softmax, in time and memory linear in the length.

    y_i = f(q_i) (sum over j of f(k_j)^T v_j) / (f(q_i) sum over j of f(k_j)^T), where
    f(x) = elu(x) + 1 is positive, entry by entry. The weights are f(q_i) f(k_j)^T, normalized; they
    are never computed, since the sums over j are the same for all queries. This is not
    `attention`: the weights are others, and cannot get as sharp.

    Parameters
    ----------
    Q : array, shape (..., n_q, d_k)
        The queries, one a row; not scaled.
    K : array, shape (..., n_k, d_k)
        The keys, one a row.
    V : array, shape (..., n_k, d_v)
        The values, one a row: value j belongs to key j.
    causal : bool
        Whether a query sees the keys up to its own position only, as with `causal_mask` (aligned
        to the bottom right): the sums over j grow from query to query.

    Returns
    -------
    array, shape (..., n_q, d_v)
        The outputs, one a row, in the dtype of the arguments (16-bit input is computed in 32
        bits). A query that sees no key gets zeros. NaN and infinite entries follow the rules of
        floating-point arithmetic.

    Raises
    ------
    TypeError
        If an argument is no array, is not floating-point, or if the dtypes differ; if `causal` is
        not True or False.
    ValueError
        If the shapes do not fit, an axis of length 1 against a longer one included.

    Examples
    --------
    >>> Q, K = torch.tensor([[0.0]]), torch.tensor([[0.0], [2.0]])
    >>> linear_attention(Q, K, torch.tensor([[8.0], [4.0]]))  # weights 1/4 and 3/4
    tensor([[5.]])

    Notes
    -----
    Source: Katharopoulos et al. (2020), sections 3.2 and 3.3. Chapter: `fast`.
    """
    check_flag(causal=causal)
    # A column of ones beside the values collects the sum of the weights.
    values = _wide(F.pad(V, (0, 1), value=1.0))
    f_q, f_k = _positive(_wide(Q)), _positive(_wide(K))
    sums = _causal_sums(f_q, f_k, values) if causal else f_q @ (f_k.mT @ values)
    total = sums[..., -1:]
    return (sums[..., :-1] / torch.where(total == 0, 1, total)).to(Q.dtype)


def _positive(X: Float[torch.Tensor, "..."]) -> Float[torch.Tensor, "..."]:
    """Return elu(x) + 1: x + 1 above 0, exp(x) below."""
    return torch.where(X > 0, X + 1, torch.exp(X.clamp(max=0)))


def _causal_sums(
    f_q: Float[torch.Tensor, "*batch n_q d_k"],
    f_k: Float[torch.Tensor, "*batch n_k d_k"],
    values: Float[torch.Tensor, "*batch n_k d"],
) -> Float[torch.Tensor, "*batch n_q d"]:
    """Sum over the keys up to each query's own; all earlier chunks are in one matrix."""
    n_q, before = f_q.shape[-2], f_k.shape[-2] - f_q.shape[-2]
    blind = slice(0, max(-before, 0))  # queries that see no key
    out = [values.new_zeros(*f_q[..., blind, 0].shape, values.shape[-1])]
    seen = slice(0, max(before, 0))  # keys that all queries see
    state = f_k[..., seen, :].mT @ values[..., seen, :]
    for start in range(blind.stop, n_q, _CHUNK):
        rows = slice(start, min(start + _CHUNK, n_q))
        keys = slice(rows.start + before, rows.stop + before)
        q, k, v = f_q[..., rows, :], f_k[..., keys, :], values[..., keys, :]
        out.append(q @ state + (q @ k.mT).tril() @ v)
        state = state + k.mT @ v
    return torch.cat(out, dim=-2)
