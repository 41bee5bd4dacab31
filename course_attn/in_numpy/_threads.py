"""How `tiled_attention` uses the machine: what a core's cache holds, and several cores at once."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock
from typing import Any

import numpy as np

__all__ = ["Share", "blas", "in_parallel", "n_threads", "shares"]

# So many queries against a tile of 256 keys are 1 MB of float32 scores, about what the second level
# of a core's cache holds. Half as many took 7 % more time.
_QUERIES_AT_ONCE = 1024

# BLAS thread limits are process-global: overlapping contexts would restore each other's value.
_BLAS_IS_LIMITED = Lock()

# the place of some queries among all, and that of their keys
Share = tuple[tuple[int | slice, ...], tuple[int | slice, ...]]


def shares(shape: tuple[int, ...], causal: bool) -> Iterator[Share]:
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


def in_parallel(work: Callable[[Any], None], items: Iterable[Any]) -> None:
    """Do all the work, in as many threads as BLAS would use for one product.

    BLAS and exp release Python's lock. While they run side by side, each BLAS call must do with
    its own thread. Only threadpoolctl can see to that: where it is not installed there is one
    thread here, and BLAS uses its own.
    """
    items = list(items)
    with _BLAS_IS_LIMITED:
        n = min(n_threads(), len(items))
        if n < 2:
            for item in items:
                work(item)
            return
        with blas().limit(limits=1), ThreadPoolExecutor(n) as pool:
            list(pool.map(work, items))


@cache
def blas() -> Any:
    """Return threadpoolctl's handle on NumPy's BLAS, or None where there is none."""
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController().select(user_api="blas")


def n_threads() -> int:
    """Return how many threads BLAS would use; 1 where nothing can limit them."""
    libraries = [] if blas() is None else blas().info()
    return max((library["num_threads"] for library in libraries), default=1)
