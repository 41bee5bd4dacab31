"""What attention costs, for chapter 10, `fast`: operations and bytes."""

from course_attn._checks import check_count


def attention_flops(n_q: int, n_k: int, d_k: int, d_v: int, n_heads: int) -> int:
    """Count the floating-point operations of attention's two matrix products.

    2 n_heads n_q n_k (d_k + d_v): each of the n_q n_k scores takes d_k multiplications and as many
    additions, and spreads over d_v outputs by as many again. The scale, the exponentials, the
    sums of the softmax and masks are not counted; nor are projections.

    Parameters
    ----------
    n_q : int
        The number of queries, 0 or more.
    n_k : int
        The number of keys, 0 or more.
    d_k : int
        The width of a head's queries and keys, at least 1.
    d_v : int
        The width of a head's values, at least 1.
    n_heads : int
        The number of heads, at least 1; of queries, if they share keys.

    Returns
    -------
    int
        Additions plus multiplications, for one sequence.

    Raises
    ------
    TypeError
        If a size is no whole number.
    ValueError
        If a size is too small.

    Examples
    --------
    >>> attention_flops(4096, 4096, 64, 64, 8)
    34359738368

    Notes
    -----
    Source: Dao (2023), section 4.1. Chapter: `fast`.
    """
    _check_sizes(n_q, n_k, d_k, d_v, n_heads)
    return 2 * n_heads * n_q * n_k * (d_k + d_v)


def explicit_bytes(
    n_q: int, n_k: int, d_k: int, d_v: int, n_heads: int, *, itemsize: int = 4
) -> int:
    """Count the bytes that explicit attention moves from and to memory, at least.

    itemsize n_heads (n_q d_k + n_k d_k + n_k d_v + n_q d_v + 4 n_q n_k): Q, K and V are read and Y
    is written once; the scores are written, read, written again as weights, and read again.

    Parameters
    ----------
    n_q : int
        The number of queries, 0 or more.
    n_k : int
        The number of keys, 0 or more.
    d_k : int
        The width of a head's queries and keys, at least 1.
    d_v : int
        The width of a head's values, at least 1.
    n_heads : int
        The number of heads, at least 1.
    itemsize : int
        The bytes of a number: 4 for float32, 2 for float16 and bfloat16.

    Returns
    -------
    int
        Bytes, for one sequence, if nothing but a tile stays in the cache, and the softmax reads
        its scores once and writes its weights once. Code that takes more steps moves more.

    Raises
    ------
    TypeError
        If a size is no whole number.
    ValueError
        If a size is too small.

    Examples
    --------
    >>> explicit_bytes(4096, 4096, 64, 64, 8) / attention_flops(4096, 4096, 64, 64, 8)
    0.0634765625

    Notes
    -----
    Source: Dao et al. (2022), algorithm 0 and theorem 2. Chapter: `fast`.
    """
    check_count(1, itemsize=itemsize)
    once = fused_bytes(n_q, n_k, d_k, d_v, n_heads, itemsize=itemsize)
    return once + 4 * itemsize * n_heads * n_q * n_k


def fused_bytes(
    n_q: int, n_k: int, d_k: int, d_v: int, n_heads: int, *, itemsize: int = 4
) -> int:
    """Count the bytes that attention must move from and to memory, however it is computed.

    itemsize n_heads (n_q d_k + n_k d_k + n_k d_v + n_q d_v): Q, K and V are read once and Y is
    written once. Scores and weights live and die in the cache.

    Parameters
    ----------
    n_q : int
        The number of queries, 0 or more.
    n_k : int
        The number of keys, 0 or more.
    d_k : int
        The width of a head's queries and keys, at least 1.
    d_v : int
        The width of a head's values, at least 1.
    n_heads : int
        The number of heads, at least 1.
    itemsize : int
        The bytes of a number: 4 for float32, 2 for float16 and bfloat16.

    Returns
    -------
    int
        Bytes, for one sequence. A tiled kernel moves more where the keys and values of a head do
        not fit into the cache: it reads them once for each block of queries.

    Raises
    ------
    TypeError
        If a size is no whole number.
    ValueError
        If a size is too small.

    Examples
    --------
    >>> fused_bytes(4096, 4096, 64, 64, 8) / attention_flops(4096, 4096, 64, 64, 8)
    0.0009765625

    Notes
    -----
    Source: Dao et al. (2022), section 3.1. Chapter: `fast`.
    """
    _check_sizes(n_q, n_k, d_k, d_v, n_heads)
    check_count(1, itemsize=itemsize)
    return itemsize * n_heads * (n_q + n_k) * (d_k + d_v)


def kv_cache_bytes(
    n: int,
    d_k: int,
    d_v: int,
    n_kv_heads: int,
    *,
    n_layers: int = 1,
    itemsize: int = 4,
) -> int:
    """Count the bytes of the keys and values that decoding keeps.

    itemsize n_layers n_kv_heads n (d_k + d_v). Each step of decoding reads all of them.

    Parameters
    ----------
    n : int
        The number of positions so far, 0 or more.
    d_k : int
        The width of a head's keys, at least 1.
    d_v : int
        The width of a head's values, at least 1.
    n_kv_heads : int
        The number of heads of keys and values, at least 1.
    n_layers : int
        The number of layers, each with a cache of its own, at least 1.
    itemsize : int
        The bytes of a number: 4 for float32, 2 for float16 and bfloat16.

    Returns
    -------
    int
        Bytes, for one sequence.

    Raises
    ------
    TypeError
        If a size is no whole number.
    ValueError
        If a size is too small.

    Examples
    --------
    >>> kv_cache_bytes(4096, 128, 128, 32, n_layers=32, itemsize=2) / 2**30
    2.0
    >>> kv_cache_bytes(4096, 128, 128, 8, n_layers=32, itemsize=2) / 2**30
    0.5

    Notes
    -----
    Source: Shazeer (2019), section 2.4.1. Chapter: `fast`.
    """
    check_count(1, n_layers=n_layers)
    check_count(1, itemsize=itemsize)
    check_count(0, n=n)
    for name, size in (("d_k", d_k), ("d_v", d_v), ("n_kv_heads", n_kv_heads)):
        check_count(1, **{name: size})
    return itemsize * n_layers * n_kv_heads * n * (d_k + d_v)


def _check_sizes(n_q: int, n_k: int, d_k: int, d_v: int, n_heads: int) -> None:
    """Check the sizes that all counts share."""
    check_count(0, n_q=n_q)
    check_count(0, n_k=n_k)
    for name, size in (("d_k", d_k), ("d_v", d_v), ("n_heads", n_heads)):
        check_count(1, **{name: size})
