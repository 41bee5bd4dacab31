"""`fused_attention`: the fastest attention that NumPy has been brought to here.

This is engineering, not teaching: blocks that fit a core's cache, buffers that are used again, and
several threads. Read `tiled_attention` for how it works; this computes the same.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock
from typing import Annotated, Any

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from course_attn._contracts import Finite, Flag, NonEmpty, check_arguments
from course_attn.in_numpy._numerics import default_scale, upcast

__all__ = ["fused_attention"]

# So many queries against so many keys are 1 MB of float32 scores, about what the second level of a
# core's cache holds. Half as many queries took 7 % more time.
_QUERIES_AT_ONCE, _KEYS_AT_ONCE = 1024, 256

# Exps between exp(-30) = 1e-13 and exp(30) = 1e13 need no maximum subtracted.
_SAFE_SCORE = 30.0
_SAFE_VALUE = 1e20

# BLAS thread limits are process-global: overlapping contexts would restore each other's value.
_BLAS_IS_LIMITED = Lock()

# the place of some queries among all, and that of their keys
_Share = tuple[tuple[int | slice, ...], tuple[int | slice, ...]]


@check_arguments
def fused_attention(
    Q: Annotated[Float[Array, "*batch n_q d_k"], NonEmpty("d_k")],
    K: Float[Array, "*batch n_k d_k"],
    V: Float[Array, "*batch n_k d_v"],
    *,
    mask: Bool[Array, "*#batch #n_q #n_k"] | None = None,
    bias: Float[Array, "*#batch #n_q #n_k"] | None = None,
    causal: Flag = False,
    scale: Finite | None = None,
) -> Float[Array, "*batch n_q d_v"]:
    """Compute `attention` at the library's best speed, without storing its weights.

    Y = softmax(scale * Q K^T + bias) V: the same result as `attention`, but for rounding; a query
    with nothing allowed, or without keys, gets zeros. In NumPy, this is `tiled_attention` made
    quick, in several threads if threadpoolctl is installed. In PyTorch, it is PyTorch's own
    function, which picks the fastest of its kernels that fits device and dtype; where `causal` is
    all there is to hide, and n_q = n_k, the kernel skips the later keys. Only PyTorch has
    `dropout`, the probability with which a weight is set to 0, at every call, in training or not;
    the others grow by 1 / (1 - dropout). What NaN and infinite entries do, even at masked keys,
    depends on the kernel. Source: Vaswani et al. (2017), eq. 1; among PyTorch's kernels is that of
    Dao et al. (2022).

    Examples
    --------
    >>> Q, K = np.array([[1.0, 0.0]]), np.array([[0.0, 5.0], [0.0, 7.0]])
    >>> fused_attention(Q, K, np.array([[8.0, 0.0], [0.0, 4.0]]))
    array([[4., 2.]])
    """
    scale, shape = default_scale(scale, Q), (*Q.shape[:-1], K.shape[-2])
    mask, bias = (
        None if x is None else np.broadcast_to(x, shape) for x in (mask, bias)
    )
    # Contiguous: else matmul is slow.
    q, k, v = (np.ascontiguousarray(upcast(X)) for X in (Q, K, V))
    out = np.empty((*Q.shape[:-1], V.shape[-1]), q.dtype)

    def attend(share: _Share) -> None:
        queries, keys = share
        own_mask = None if mask is None else mask[queries]
        own_bias = None if bias is None else bias[queries]
        # Each thread has its own setting; infinities give NaN, as in `attention`.
        with np.errstate(invalid="ignore", over="ignore"):
            own_q = q[queries] * scale
            out[queries] = _attend_in_tiles(
                own_q, k[keys], v[keys], own_mask, own_bias, causal
            )

    _work_in_parallel(attend, _shares(shape, causal))
    return out.astype(Q.dtype, copy=False)


def _attend_in_tiles(
    Q: Array,
    K: Array,
    V: Array,
    mask: Array | None,
    bias: Array | None,
    causal: bool,
) -> Array:
    """Go over the keys tile by tile, for one share of the queries, scaled already."""
    n_q, n_k, d_v = len(Q), *V.shape
    needs_maximum = bias is not None or not _fits_exp(Q, K, V)
    lowest = np.finfo(Q.dtype).min if needs_maximum else 0
    m, l = np.full((n_q, 1), lowest, Q.dtype), np.zeros((n_q, 1), Q.dtype)
    o = np.zeros((n_q, d_v), Q.dtype)
    width = min(_KEYS_AT_ONCE, n_k)
    ones = np.ones((width, 1), Q.dtype)
    buffers = np.empty((2, n_q * max(width, d_v)), Q.dtype)
    for rows, keys in _tiles(n_q, n_k, causal):
        S = _matrix_in(buffers[0], n_q - rows.start, keys.stop - keys.start)
        np.matmul(Q[rows], K[keys].T, out=S)
        _hide(S, mask, bias, rows, keys, n_k - n_q if causal else n_k)
        if needs_maximum:
            _raise_maximum(S, m[rows], l[rows], o[rows])
        np.exp(S, out=S)
        # 4 times as quick as S.sum(axis=-1)
        l[rows] += S @ ones[: S.shape[1]]
        o[rows] += np.matmul(S, V[keys], out=_matrix_in(buffers[1], len(S), d_v))
    return np.divide(o, np.where(l == 0, 1, l), out=o)


def _tiles(n_q: int, n_k: int, causal: bool) -> Iterator[tuple[slice, slice]]:
    """Give the tiles: which queries may see one of the keys, and which keys."""
    for start in range(0, n_k, _KEYS_AT_ONCE):
        first = max(0, start + n_q - n_k) if causal else 0
        yield slice(first, n_q), slice(start, min(start + _KEYS_AT_ONCE, n_k))


def _hide(
    S: Array,
    mask: Array | None,
    bias: Array | None,
    rows: slice,
    keys: slice,
    ahead: int,
) -> None:
    """Add the bias, and put -inf where a query may not attend: after key i + ahead for query i."""
    if bias is not None:
        S += bias[rows, keys]
    if mask is not None:
        np.copyto(S, -np.inf, where=~mask[rows, keys])
    # Does the diagonal cross this tile? If so, only in the first rows.
    if keys.stop - 1 > rows.start + ahead:
        own = np.arange(rows.start, min(rows.stop, keys.stop - ahead)) + ahead
        later = np.arange(keys.start, keys.stop) > own[:, None]
        np.copyto(S[: len(own)], -np.inf, where=later)


def _raise_maximum(S: Array, m: Array, l: Array, o: Array) -> None:
    """Raise the running maximum to that of the tile; shrink what was summed with the old one."""
    largest = np.maximum(m, S.max(axis=-1, keepdims=True))
    S -= largest
    shrink = np.exp(m - largest)
    l *= shrink
    o *= shrink
    m[:] = largest


def _fits_exp(Q: Array, K: Array, V: Array) -> bool:
    """Tell whether all scores are so small that exp can take them as they are.

    No dot product exceeds the product of the lengths (Cauchy and Schwarz). Where that is small,
    looking for the maximum and subtracting it can be left out: a seventh of the time.
    """
    longest = [np.einsum("nd,nd->n", X, X).max(initial=0.0) for X in (Q, K)]
    largest = max(V.max(initial=0.0), -V.min(initial=0.0))
    return bool(longest[0] * longest[1] < _SAFE_SCORE**2 and largest < _SAFE_VALUE)


def _matrix_in(buffer: Array, n_rows: int, n_columns: int) -> Array:
    """Use the start of a buffer as a matrix: memory that is in the cache already."""
    return buffer[: n_rows * n_columns].reshape(n_rows, n_columns)


def _shares(shape: tuple[int, ...], causal: bool) -> Iterator[_Share]:
    """Cut the scores, an array of this shape, into shares of the work.

    Under a causal mask, keys that no query of the share may see are left out. What remains is
    causal attention of its own, aligned to the bottom right like the whole. Later shares have more
    keys. They come first, so that no thread ends long after the others.
    """
    *batch, n_q, n_k = shape
    for start in range(0, n_q, _QUERIES_AT_ONCE)[::-1]:
        stop = min(start + _QUERIES_AT_ONCE, n_q)
        n_seen = max(0, stop + n_k - n_q) if causal else n_k
        for index in np.ndindex(*batch):
            yield (*index, slice(start, stop)), (*index, slice(0, n_seen))


def _work_in_parallel(work: Callable[[Any], None], items: Iterable[Any]) -> None:
    """Do all the work, in as many threads as BLAS would use for one product.

    BLAS and exp release Python's lock. While they run side by side, each BLAS call must do with
    its own thread. Only threadpoolctl can see to that: where it is not installed there is one
    thread here, and BLAS uses its own.
    """
    items = list(items)
    with _BLAS_IS_LIMITED:
        n = min(_n_threads(), len(items))
        if n < 2:
            for item in items:
                work(item)
            return
        with _blas().limit(limits=1), ThreadPoolExecutor(n) as pool:
            list(pool.map(work, items))


@cache
def _blas() -> Any:
    """Return threadpoolctl's handle on NumPy's BLAS, or None where there is none."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController().select(user_api="blas")


def _n_threads() -> int:
    """Return how many threads BLAS would use; 1 where nothing can limit them."""
    libraries = [] if _blas() is None else _blas().info()
    return max((library["num_threads"] for library in libraries), default=1)
