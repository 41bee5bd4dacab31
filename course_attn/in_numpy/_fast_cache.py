"""What decoding keeps, for chapter 10, `fast`: keys and values, and fewer of them than queries."""

import numpy as np
from jaxtyping import Float

from course_attn._checks import check_arguments, check_count


class KVCache:
    """Keep the keys and values of all positions so far, so that each is computed only once.

    A cache starts empty. Every call of `append` adds the keys and values of the next positions
    and gives all of them so far. The position of the next token, which rotary encoding needs, is
    ``len(cache)``. The room grows by doubling, so that an entry is copied less than twice on
    average.

    Examples
    --------
    >>> cache = KVCache()
    >>> K, V = cache.append(np.ones((2, 5, 3)), np.ones((2, 5, 7)))
    >>> K, V = cache.append(np.zeros((2, 1, 3)), np.zeros((2, 1, 7)))
    >>> K.shape, V.shape, len(cache)
    ((2, 6, 3), (2, 6, 7), 6)

    Notes
    -----
    Source: Shazeer (2019), section 2.4.1. Chapter: `fast`.
    """

    def __init__(self) -> None:
        self._length = 0
        self._K: np.ndarray | None = None
        self._V: np.ndarray | None = None

    def __len__(self) -> int:
        """Return how many positions are kept."""
        return self._length

    def __repr__(self) -> str:
        """Say how many positions are kept."""
        return f"KVCache of {self._length} positions"

    def append(
        self,
        K: Float[np.ndarray, "*batch n d_k"],
        V: Float[np.ndarray, "*batch n d_v"],
    ) -> tuple[
        Float[np.ndarray, "*batch n_all d_k"], Float[np.ndarray, "*batch n_all d_v"]
    ]:
        """Add the keys and values of the next n positions; return those of all positions.

        Parameters
        ----------
        K : array, shape (..., n, d_k)
            The new keys, one a row.
        V : array, shape (..., n, d_v)
            The new values, one a row.

        Returns
        -------
        tuple of arrays, shapes (..., n_all, d_k) and (..., n_all, d_v)
            All keys and all values in the order they came, as views: later calls do not change
            them, but writing into them changes the cache. No gradient flows through a cache.

        Raises
        ------
        TypeError
            If an argument is no array, is not floating-point, or if the dtypes differ, from each
            other or from those before.
        ValueError
            If the shapes do not fit each other, or those before.
        """
        _check_append(keys=self._K, values=self._V, K=K, V=V)
        end = self._length + K.shape[-2]
        self._K, self._V = _with_room(self._K, end, K), _with_room(self._V, end, V)
        self._K[..., self._length : end, :] = K
        self._V[..., self._length : end, :] = V
        self._length = end
        return self._K[..., :end, :], self._V[..., :end, :]


@check_arguments
def _check_append(
    *,
    keys: Float[np.ndarray, "*batch room d_k"] | None = None,
    values: Float[np.ndarray, "*batch room d_v"] | None = None,
    K: Float[np.ndarray, "*batch n d_k"],
    V: Float[np.ndarray, "*batch n d_v"],
) -> None:
    """Check that new keys and values fit each other and those that are kept."""


def _with_room(
    kept: Float[np.ndarray, "*batch room d"] | None,
    n: int,
    new: Float[np.ndarray, "*batch n_new d"],
) -> Float[np.ndarray, "*batch more d"]:
    """Return the array itself if n rows fit, else a copy with twice the room or more."""
    kept = new[..., :0, :] if kept is None else kept
    room = kept.shape[-2]
    if n <= room:
        return kept
    shape = (*kept.shape[:-2], max(n, 2 * room), kept.shape[-1])
    more = np.empty(shape, kept.dtype)
    more[..., :room, :] = kept
    return more


@check_arguments
def repeat_kv(
    K: Float[np.ndarray, "*batch n_kv_heads n d"], n_rep: int
) -> Float[np.ndarray, "*batch n_heads n d"]:
    """Give every head of keys, or of values, to the next n_rep heads of queries.

    Head h of the result is head floor(h / n_rep) of K, counted from 0: each head comes n_rep times
    in a row. This is grouped-query attention; with a single head in K, multi-query attention.

    Parameters
    ----------
    K : array, shape (..., n_kv_heads, n, d)
        The keys or the values of each head.
    n_rep : int
        How many heads of queries share one of K, at least 1.

    Returns
    -------
    array, shape (..., n_kv_heads * n_rep, n, d)
        A copy, in the dtype of K.

    Raises
    ------
    TypeError
        If `K` is no array or not floating-point; if `n_rep` is no whole number.
    ValueError
        If `K` has fewer than three axes; if `n_rep` is below 1.

    Examples
    --------
    >>> repeat_kv(np.array([[[1.0]], [[2.0]]]), 2).ravel()
    array([1., 1., 2., 2.])

    Notes
    -----
    Source: Shazeer (2019), section 3; Ainslie et al. (2023), section 2.2. Chapter: `fast`.
    """
    check_count(1, n_rep=n_rep)
    return np.repeat(K, n_rep, axis=-3)
