"""The fast kernel of chapter 10, `fast`: what `tiled_attention` runs in NumPy.

Work is cut into blocks of queries, and threads take one block after the other. A block goes over
the keys tile by tile and keeps, of all scores, one running maximum, sum and weighted sum a query.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import product
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

# A block of queries against a tile of 256 keys is 1 MB of float32 scores, about what the second
# level of a core's cache holds. Blocks half as long took 7 % more time.
_BLOCK = 1024

# Powers between exp(-30) = 1e-13 and exp(30) = 1e13 need no shift; see `_without_shift`.
_SAFE_SCORE = 30.0
_SAFE_VALUE = 1e20

# Whoever limits the threads of BLAS resets them afterward. Two at once might reset to each
# other's, and would get in each other's way.
_BLAS_IS_LIMITED = Lock()


class Inputs(NamedTuple):
    """The arguments of `tiled_attention`, checked: mask and bias of full shape or None."""

    Q: np.ndarray
    K: np.ndarray
    V: np.ndarray
    mask: np.ndarray | None
    bias: np.ndarray | None
    causal: bool
    scale: float
    tile: int

    def at(self, index: tuple[int, ...], start: int) -> "Inputs":
        """Return views of one batch element, cut to the block of queries from `start` on."""
        rows = slice(start, start + _BLOCK)
        mask, bias = (
            None if x is None else x[index][rows] for x in (self.mask, self.bias)
        )
        return self._replace(
            Q=self.Q[index][rows],
            K=self.K[index],
            V=self.V[index],
            mask=mask,
            bias=bias,
        )


def attend(inputs: Inputs) -> np.ndarray:
    """Compute attention block by block, several blocks at once."""
    Q, K, V = (np.ascontiguousarray(X) for X in inputs[:3])  # else matmul is slow
    inputs = inputs._replace(Q=Q, K=K, V=V)
    out = np.empty((*Q.shape[:-1], V.shape[-1]), Q.dtype)
    # Under a causal mask later blocks take longer. Long ones first: no thread ends long after.
    starts = range(0, Q.shape[-2], _BLOCK)[::-1]
    blocks = product(starts, np.ndindex(Q.shape[:-2]))
    _in_parallel(partial(_fill_block, out, inputs), list(blocks))
    return out


def _fill_block(
    out: np.ndarray, inputs: Inputs, block: tuple[int, tuple[int, ...]]
) -> None:
    """Compute the outputs of one block of queries."""
    start, index = block
    rows = slice(start, start + _BLOCK)
    last = start + inputs.K.shape[-2] - inputs.Q.shape[-2]  # key of the first query
    with np.errstate(invalid="ignore", over="ignore"):  # as in `attention`
        out[index][rows] = _attend_block(inputs.at(index, start), last)


def _attend_block(block: Inputs, last: int) -> np.ndarray:
    """Go over the keys for one block of queries, whose first one stands at key `last`."""
    Q = block.Q * block.Q.dtype.type(block.scale)
    shifted = not _without_shift(block, Q)
    n_q, d_v = len(Q), block.V.shape[-1]
    m = np.full((n_q, 1), np.finfo(Q.dtype).min if shifted else 0, Q.dtype)
    l, o = np.zeros((n_q, 1), Q.dtype), np.zeros((n_q, d_v), Q.dtype)
    tile = min(block.tile, len(block.K))
    buffers = np.empty((2, n_q * max(tile, d_v)), Q.dtype)
    ones = np.ones((tile, 1), Q.dtype)
    for rows, keys in _tiles(block, n_q, last):
        S = _view(buffers[0], n_q - rows.start, keys.stop - keys.start)
        np.matmul(Q[rows], block.K[keys].T, out=S)
        _hide(S, block, rows, keys, last)
        if shifted:
            _shift(S, m[rows], l[rows], o[rows])
        np.exp(S, out=S)
        l[rows] += S @ ones[: S.shape[1]]  # 4 times as quick as S.sum(axis=-1)
        o[rows] += np.matmul(S, block.V[keys], out=_view(buffers[1], len(S), d_v))
    return np.divide(o, np.where(l == 0, 1, l), out=o)


def _view(buffer: np.ndarray, n_rows: int, n_columns: int) -> np.ndarray:
    """Use the start of a buffer as a matrix: memory that is in the cache already."""
    return buffer[: n_rows * n_columns].reshape(n_rows, n_columns)


def _tiles(block: Inputs, n_q: int, last: int) -> Iterator[tuple[slice, slice]]:
    """Give the tiles of keys, each with the queries that may see one of them."""
    n_k = len(block.K)
    if block.causal:
        n_k = min(n_k, last + n_q)  # nobody sees beyond the last query's own key
    for start in range(0, n_k, block.tile):
        first = max(0, start - last) if block.causal else 0
        yield slice(first, n_q), slice(start, min(start + block.tile, n_k))


def _hide(
    S: np.ndarray, block: Inputs, rows: slice, keys: slice, last: int
) -> None:
    """Add the bias, and put -inf where a query may not attend."""
    if block.bias is not None:
        S += block.bias[rows, keys]
    if block.mask is not None:
        np.copyto(S, -np.inf, where=~block.mask[rows, keys])
    if block.causal:  # only in the first rows does the diagonal cross the tile
        own = np.arange(rows.start, min(rows.stop, keys.stop - last)) + last
        later = np.arange(keys.start, keys.stop) > own[:, None]
        np.copyto(S[: len(own)], -np.inf, where=later)


def _shift(S: np.ndarray, m: np.ndarray, l: np.ndarray, o: np.ndarray) -> None:
    """Raise the running maximum to that of the tile; shrink what was summed with the old one."""
    largest = np.maximum(m, S.max(axis=-1, keepdims=True))
    S -= largest
    shrink = np.exp(m - largest)
    l *= shrink
    o *= shrink
    m[:] = largest


def _without_shift(block: Inputs, Q: np.ndarray) -> bool:
    """Tell whether all scores are so small that exp can take them as they are.

    No dot product exceeds the product of the lengths (Cauchy and Schwarz). Where that is small,
    looking for the maximum and subtracting it can be left out: a seventh of the time.
    """
    if block.bias is not None:
        return False
    longest = [np.einsum("nd,nd->n", X, X).max(initial=0.0) for X in (Q, block.K)]
    largest = max(block.V.max(initial=0.0), -block.V.min(initial=0.0))
    return bool(longest[0] * longest[1] < _SAFE_SCORE**2 and largest < _SAFE_VALUE)


def _in_parallel(work: Callable[[Any], None], items: list[Any]) -> None:
    """Do all the work, in as many threads as BLAS would use for one product.

    BLAS and exp release Python's lock. While they run side by side, each BLAS call must do with
    its own thread. Only threadpoolctl can see to that: where it is not installed there is one
    thread here, and BLAS uses its own.
    """
    with _BLAS_IS_LIMITED:
        blas = _blas()
        n_threads = min(_n_threads(blas), len(items))
        if n_threads < 2:
            for item in items:
                work(item)
            return
        with blas.limit(limits=1), ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(work, items))


@cache
def _blas() -> Any:
    """Return threadpoolctl's handle on NumPy's BLAS, or None where there is none."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController().select(user_api="blas")


def _n_threads(blas: Any) -> int:
    """Return how many threads BLAS would use."""
    found = (
        [] if blas is None else [library["num_threads"] for library in blas.info()]
    )
    return max(found, default=1)
