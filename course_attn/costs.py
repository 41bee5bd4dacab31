"""What attention and training cost: parameters, operations, bytes and seconds.

Plain numbers, the same for NumPy and PyTorch. Sizes are named as everywhere in the course (n_q
queries, n_k keys, widths d_k, d_v and d_model, n_heads heads); `itemsize` is the size of one number
in bytes: 4 for float32, 2 for float16 and bfloat16. How far scores spread is here, too.
"""

from course_attn._contracts import (
    Count,
    Finite,
    Flag,
    NotNegative,
    Positive,
    Size,
    check_arguments,
)

__all__ = [
    "all_reduce_seconds",
    "attention_flops",
    "data_parallel_speedup",
    "expected_score_variance",
    "explicit_bytes",
    "fused_bytes",
    "head_widths",
    "kv_cache_bytes",
    "n_parameters",
    "ring_bytes",
    "ring_flops",
]


@check_arguments
def expected_score_variance(
    d_k: Count, *, mean: Finite = 0.0, shared: Flag = False
) -> float:
    """Predict the variance of an unscaled dot product of two random vectors.

    Components are independent, with mean m and variance 1. Then it is d_k (1 + 2 m^2) if query and
    key are independent, however their components are distributed, and d_k (2 + 4 m^2) if they are
    one Gaussian vector, q = k (`shared`). Divide by d_k for the variance after scaling by
    1/sqrt(d_k). The mean of q . k is d_k m^2, or d_k (1 + m^2) if q = k.
    Source: Vaswani et al. (2017), footnote 4, for mean 0; the rest is derived in the chapter.

    Examples
    --------
    >>> expected_score_variance(64, mean=1.0), expected_score_variance(64, shared=True)
    (192.0, 128.0)
    """
    independent = int(d_k) * (1.0 + 2.0 * float(mean) ** 2)
    return 2.0 * independent if shared else independent


@check_arguments
def head_widths(
    d_model: Count,
    n_heads: Count,
    d_k: Count | None = None,
    d_v: Count | None = None,
) -> tuple[int, int]:
    """Return the widths d_k and d_v of a head, by default d_model divided among the heads.

    Unless both widths are given, n_heads must divide d_model.
    Source: Vaswani et al. (2017), section 3.2.2.

    Examples
    --------
    >>> head_widths(512, 8, d_v=16)
    (64, 16)
    """
    if (d_k is None or d_v is None) and d_model % n_heads:
        raise ValueError(
            f"d_model must be a multiple of n_heads = {n_heads}, got {d_model}"
        )
    equal = d_model // n_heads
    return (equal if d_k is None else d_k), (equal if d_v is None else d_v)


@check_arguments
def n_parameters(
    d_model: Count,
    n_heads: Count,
    d_k: Count | None = None,
    d_v: Count | None = None,
    *,
    biases: Flag = False,
) -> int:
    """Count the parameters of multi-head attention.

    The entries of W_Q, W_K, W_V and W_O, n_heads (2 d_model d_k + 2 d_model d_v); with a bias
    vector for each of the four linear maps n_heads (2 d_k + d_v) + d_model more. With the default
    d_k = d_v = d_model / n_heads this is 4 d_model^2 (+ 4 d_model), whatever n_heads.
    Source: Vaswani et al. (2017), section 3.2.2.

    Examples
    --------
    >>> n_parameters(512, 8), n_parameters(512, 8, d_k=16, biases=True)
    (1048576, 656640)
    """
    d_k, d_v = head_widths(d_model, n_heads, d_k, d_v)
    matrices = n_heads * d_model * 2 * (d_k + d_v)
    vectors = n_heads * (2 * d_k + d_v) + d_model
    return matrices + vectors * biases


@check_arguments
def attention_flops(
    n_q: Size, n_k: Size, d_k: Count, d_v: Count, n_heads: Count
) -> int:
    """Count the floating-point operations of attention's two matrix products.

    2 n_heads n_q n_k (d_k + d_v), for one sequence: each of the n_q n_k scores takes d_k
    multiplications and as many additions, and spreads over d_v outputs by as many again. The
    scale, the exponentials, the sums of the softmax and masks are not counted; nor are projections.
    Where heads share keys, n_heads counts those of the queries.
    Source: Dao (2023), section 4.1.

    Examples
    --------
    >>> attention_flops(4096, 4096, 64, 64, 8)
    34359738368
    """
    return 2 * n_heads * n_q * n_k * (d_k + d_v)


@check_arguments
def fused_bytes(
    n_q: Size,
    n_k: Size,
    d_k: Count,
    d_v: Count,
    n_heads: Count,
    *,
    itemsize: Count = 4,
) -> int:
    """Count the bytes that attention must move from and to memory, however it is computed.

    itemsize n_heads (n_q d_k + n_k d_k + n_k d_v + n_q d_v), for one sequence: Q, K and V are read
    once and Y is written once. Scores and weights live and die in the cache. A tiled kernel moves
    more where the keys and values of a head do not fit into the cache: it reads them once for each
    group of queries taken at once. Source: Dao et al. (2022), section 3.1.

    Examples
    --------
    >>> fused_bytes(4096, 4096, 64, 64, 8) / attention_flops(4096, 4096, 64, 64, 8)
    0.0009765625
    """
    return itemsize * n_heads * (n_q + n_k) * (d_k + d_v)


@check_arguments
def explicit_bytes(
    n_q: Size,
    n_k: Size,
    d_k: Count,
    d_v: Count,
    n_heads: Count,
    *,
    itemsize: Count = 4,
) -> int:
    """Count the bytes that explicit attention moves from and to memory, at least.

    itemsize n_heads (n_q d_k + n_k d_k + n_k d_v + n_q d_v + 4 n_q n_k), for one sequence: Q, K and
    V are read and Y is written once; the scores are written, read, written again as weights, and
    read again. This holds if nothing but a tile stays in the cache, and the softmax reads its
    scores once and writes its weights once; code that takes more steps moves more.
    Source: Dao et al. (2022), algorithm 0 and theorem 2.

    Examples
    --------
    >>> explicit_bytes(4096, 4096, 64, 64, 8) / attention_flops(4096, 4096, 64, 64, 8)
    0.0634765625
    """
    once = fused_bytes(n_q, n_k, d_k, d_v, n_heads, itemsize=itemsize)
    return once + 4 * itemsize * n_heads * n_q * n_k


@check_arguments
def kv_cache_bytes(
    n: Size,
    d_k: Count,
    d_v: Count,
    n_kv_heads: Count,
    *,
    n_layers: Count = 1,
    itemsize: Count = 4,
) -> int:
    """Count the bytes of the keys and values of n positions that decoding keeps.

    itemsize n_layers n_kv_heads n (d_k + d_v), for one sequence, with a cache of its own for each
    layer. Each step of decoding reads all of them. Source: Shazeer (2019), section 2.4.1.

    Examples
    --------
    >>> kv_cache_bytes(4096, 128, 128, 32, n_layers=32, itemsize=2) / 2**30
    2.0
    """
    return itemsize * n_layers * n_kv_heads * n * (d_k + d_v)


@check_arguments
def all_reduce_seconds(
    n_bytes: Size,
    n_processes: Count,
    *,
    bandwidth: Positive,
    latency: NotNegative = 0.0,
) -> float:
    """Predict how long R processes take to add up an array of G bytes and share the sum, in a ring.

    2 (R - 1) (latency + G / (R bandwidth)): in 2 (R - 1) rounds each process sends an Rth of the
    array to its neighbor, all at the same time. So one sends 2 G (R - 1) / R bytes, hardly more
    among many, while the rounds grow with R. `bandwidth` is what one process can send, in bytes per
    second, and `latency` what each message costs besides, in seconds; adding itself costs nothing.
    Source: Patarasuk and Yuan (2009).

    Examples
    --------
    >>> all_reduce_seconds(4_000_000, 4, bandwidth=1e9)
    0.006
    """
    return 2 * (n_processes - 1) * (latency + n_bytes / (n_processes * bandwidth))


@check_arguments
def data_parallel_speedup(
    n_processes: Count,
    *,
    compute_seconds: Positive,
    n_bytes: Size,
    bandwidth: Positive,
    latency: NotNegative = 0.0,
    hidden_seconds: NotNegative = 0.0,
) -> float:
    """Predict how many times the sequences per second of one process R processes train on.

    R c / (c + max(0, a - h)): each computes for c seconds on its own share of the batch, then all
    average their gradients, n_bytes in all, in the a seconds of `all_reduce_seconds`, of which at
    most h are hidden behind the backward pass. With a share that stays the same, c does too; where
    a batch is divided among more and more processes, c falls, and the speedup ends.
    Source: Patarasuk and Yuan (2009) for a; Li et al. (2020), section 3.2.3, for what is hidden.

    Examples
    --------
    >>> network = {"n_bytes": 4_000_000, "bandwidth": 1e9}
    >>> round(data_parallel_speedup(4, compute_seconds=0.014, **network), 3)  # 0.006 s more
    2.8
    """
    told = all_reduce_seconds(
        n_bytes, n_processes, bandwidth=bandwidth, latency=latency
    )
    waited = max(0.0, told - hidden_seconds)
    return n_processes * compute_seconds / (compute_seconds + waited)


@check_arguments
def ring_bytes(
    n: Size,
    d_k: Count,
    d_v: Count,
    n_kv_heads: Count,
    n_processes: Count,
    *,
    backward: Flag = False,
    itemsize: Count = 4,
) -> int:
    """Count the bytes that one of P processes sends in ring attention over n positions.

    itemsize n_kv_heads (P - 1) (n / P) (d_k + d_v), for one sequence: in P - 1 exchanges each sends
    on the keys and values of a process. `backward`, it does so again, and sends on their gradients,
    which go one exchange further, home: P of n_kv_heads (n / P) (d_k + d_v) numbers, of 4 bytes
    where itemsize is less, since they are sums. n must be a multiple of P.
    Source: Liu, Zaharia and Abbeel (2023), section 3, for the keys and values.

    Examples
    --------
    >>> ring_bytes(2**20, 128, 128, 8, 64, itemsize=2) / 63  # in an exchange
    67108864.0
    """
    block = n_kv_heads * _chunk(n, n_processes) * (d_k + d_v)
    visits = itemsize * (n_processes - 1) * block
    home = max(itemsize, 4) * n_processes * block if n_processes > 1 else 0
    return visits + home * backward


@check_arguments
def ring_flops(
    n: Size,
    d_k: Count,
    d_v: Count,
    n_heads: Count,
    n_processes: Count,
    *,
    causal: Flag = False,
    backward: Flag = False,
) -> int:
    """Count the floating-point operations of one of P processes in ring attention's products.

    Those of `attention_flops`, 2 n_heads (d_k + d_v) for a pair of a query and a key, or, on the
    way `backward`, 2 n_heads (3 d_k + 2 d_v): scores are computed anew. There are n^2 / P pairs.
    Under `causal` there are 2P + 1 pairs of chunks of n / 2P positions, whatever the process: two
    with each of the P - 1 other processes, and three of its own. So this is half, and a (2P)th of
    the half more, and n must be a multiple of 2P, else of P.
    Source: Zhu (2024), issue 2 of ring-flash-attention, for the chunks; Dao (2023), section 3.1.

    Examples
    --------
    >>> ring_flops(2**20, 128, 128, 64, 64, causal=True) / ring_flops(2**20, 128, 128, 64, 64)
    0.50390625
    """
    n_chunks = 2 * n_processes if causal else n_processes
    n_pairs = n_chunks + 1 if causal else n_processes
    chunk = _chunk(n, n_chunks)
    of_pair = attention_flops(chunk, chunk, d_k, d_v, n_heads)
    if backward:
        of_pair += attention_flops(chunk, chunk, 2 * d_k, d_v, n_heads)
    return n_pairs * of_pair


def _chunk(n: int, n_chunks: int) -> int:
    """Divide the positions into equal chunks."""
    if n % n_chunks:
        raise ValueError(f"n must be a multiple of {n_chunks}, got {n}")
    return n // n_chunks
