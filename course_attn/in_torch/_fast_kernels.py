"""Attention and its gradients as kernels in Triton, which `triton_attention` launches.

A launch runs as many programs as there are tiles of queries, or of keys, in all heads, each for one
tile. None stores scores or weights. Exponentials are to base 2: exp(x) = 2^(x log2 e).
"""

import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)
LOWEST = tl.constexpr(-3.4028234663852886e38)  # of float32
# Triton reads TRITON_INTERPRET when a function is defined: its own ones, when it is imported.
INTERPRETED = tl.constexpr(not isinstance(tl.sum, triton.JITFunction))


@triton.jit
def forward(
    Q, K, V, Y, L, n_q, n_k, n_rep, scale,
    d: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    """Give a tile of queries their outputs, and L = m + log2(l) for the way back."""
    head, first = place(n_q, ROWS)
    rows = first + tl.arange(0, ROWS)
    q = load(Q + head * n_q * d, rows, n_q, d, D, True)
    # What no keys at all contribute. Not -inf: -inf - (-inf) would be NaN.
    m = tl.full((ROWS,), LOWEST, tl.float32)
    l = tl.zeros((ROWS,), tl.float32)
    o = tl.zeros((ROWS, D), tl.float32)
    # First the tiles of keys that all these queries see, then those that some see in part.
    inner, end = keys_seen(first, n_q, n_k, CAUSAL, ROWS, KEYS)
    for EDGE in tl.static_range(2):
        lo, hi = (inner, end) if EDGE else (0, inner)
        for start in range(lo, hi, KEYS):
            keys = start + tl.arange(0, KEYS)
            k = load(K + head // n_rep * n_k * d, keys, n_k, d, D, EDGE)
            v = load(V + head // n_rep * n_k * d, keys, n_k, d, D, EDGE)
            s = product(q, tl.trans(k)) * (scale * LOG2_E)
            if EDGE:
                s = hide(s, rows[:, None], keys[None, :], n_q, n_k, CAUSAL)
            larger = tl.maximum(m, tl.max(s, 1))
            exps, shrink = tl.exp2(s - larger[:, None]), tl.exp2(m - larger)
            l = l * shrink + tl.sum(exps, 1)
            o = o * shrink[:, None] + product(exps.to(v.dtype), v)
            m = larger
    l = tl.where(l == 0, 1.0, l)
    store(Y + head * n_q * d, o / l[:, None], rows, n_q, d, D)
    tl.store(L + head * n_q + rows, m + tl.log2(l), mask=rows < n_q)


@triton.jit
def backward_queries(
    Q, K, V, dY, L, MEAN, dQ, n_q, n_k, n_rep, scale,
    d: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    """Give a tile of queries their gradients: dq_i = scale * sum over j of ds_ij k_j."""
    head, first = place(n_q, ROWS)
    rows = first + tl.arange(0, ROWS)
    q = load(Q + head * n_q * d, rows, n_q, d, D, True)
    dy = load(dY + head * n_q * d, rows, n_q, d, D, True)
    log_l = tl.load(L + head * n_q + rows, mask=rows < n_q, other=0.0)
    mean = tl.load(MEAN + head * n_q + rows, mask=rows < n_q, other=0.0)
    dq = tl.zeros((ROWS, D), tl.float32)
    inner, end = keys_seen(first, n_q, n_k, CAUSAL, ROWS, KEYS)
    for EDGE in tl.static_range(2):
        lo, hi = (inner, end) if EDGE else (0, inner)
        for start in range(lo, hi, KEYS):
            keys = start + tl.arange(0, KEYS)
            k = load(K + head // n_rep * n_k * d, keys, n_k, d, D, EDGE)
            v = load(V + head // n_rep * n_k * d, keys, n_k, d, D, EDGE)
            s = product(q, tl.trans(k)) * (scale * LOG2_E)
            if EDGE:
                s = hide(s, rows[:, None], keys[None, :], n_q, n_k, CAUSAL)
            weights = tl.exp2(s - log_l[:, None])
            ds = weights * (product(dy, tl.trans(v)) - mean[:, None])
            dq += product(ds.to(k.dtype), k)
    store(dQ + head * n_q * d, dq * scale, rows, n_q, d, D)


@triton.jit
def backward_keys(
    Q, K, V, dY, L, MEAN, dK, dV, n_q, n_k, n_rep, scale,
    d: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    """Give a tile of keys and values theirs, from all queries of all heads that read them.

    dv_j = sum over i of a_ij dy_i, and dk_j = scale * sum over i of ds_ij q_i.
    """
    head_k, first = place(n_k, KEYS)
    keys = first + tl.arange(0, KEYS)
    k = load(K + head_k * n_k * d, keys, n_k, d, D, True)
    v = load(V + head_k * n_k * d, keys, n_k, d, D, True)
    dk = tl.zeros((KEYS, D), tl.float32)
    dv = tl.zeros((KEYS, D), tl.float32)
    # From `begin` on, queries see some of these keys; from `inner` on, all of them.
    begin, inner = queries_seeing(first, n_q, n_k, CAUSAL, ROWS, KEYS)
    for head in range(head_k * n_rep, (head_k + 1) * n_rep):
        for EDGE in tl.static_range(2):
            lo, hi = (begin, inner) if EDGE else (inner, n_q)
            for start in range(lo, hi, ROWS):
                rows = start + tl.arange(0, ROWS)
                # A row behind the last query is all zeros and adds nothing.
                q = load(Q + head * n_q * d, rows, n_q, d, D, True)
                dy = load(dY + head * n_q * d, rows, n_q, d, D, True)
                log_l = tl.load(L + head * n_q + rows, mask=rows < n_q, other=0.0)
                mean = tl.load(MEAN + head * n_q + rows, mask=rows < n_q, other=0.0)
                # transposed: one row per key
                s = product(k, tl.trans(q)) * (scale * LOG2_E)
                if EDGE:
                    s = hide(s, rows[None, :], keys[:, None], n_q, n_k, CAUSAL)
                weights = tl.exp2(s - log_l[None, :])
                dv += product(weights.to(dy.dtype), dy)
                ds = weights * (product(v, tl.trans(dy)) - mean[None, :])
                dk += product(ds.to(q.dtype), q)
    store(dK + head_k * n_k * d, dk * scale, keys, n_k, d, D)
    store(dV + head_k * n_k * d, dv, keys, n_k, d, D)


# --- what the kernels share -----------------------------------------------------------------------


@triton.jit
def place(n, TILE: tl.constexpr):
    """Return which head this program works for, and the first row of its tile of that head's n."""
    program, n_tiles = tl.program_id(0), tl.cdiv(n, TILE)
    # A head times n times d may exceed 32 bits.
    return (program // n_tiles).to(tl.int64), program % n_tiles * TILE


@triton.jit
def keys_seen(
    first, n_q, n_k, CAUSAL: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr
):
    """Return where the tiles of keys end that all queries of a tile see, and the keys any sees."""
    inner, end = n_k, n_k
    if CAUSAL:
        inner = tl.maximum(first + n_k - n_q + 1, 0)
        end = tl.minimum(tl.maximum(first + n_k - n_q + ROWS, 0), n_k)
    return inner // KEYS * KEYS, end


@triton.jit
def queries_seeing(
    first, n_q, n_k, CAUSAL: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr
):
    """Return the first query that sees a key of a tile and, in tiles from it, one that sees all."""
    begin, inner = 0, 0
    if CAUSAL:
        begin = tl.maximum(first + n_q - n_k, 0)
        inner = tl.minimum(tl.maximum(first + n_q - n_k + KEYS - 1, 0), n_q)
    return begin, begin + tl.cdiv(inner - begin, ROWS) * ROWS


@triton.jit
def hide(s, rows, keys, n_q, n_k, CAUSAL: tl.constexpr):
    """Put -inf behind the last key and, under CAUSAL, after a query's own position."""
    seen = keys < n_k
    if CAUSAL:
        seen = seen & (keys <= rows + n_k - n_q)
    return tl.where(seen, s, float("-inf"))


@triton.jit
def product(a, b):
    """Multiply with sums in float32; float32 factors are not rounded to TF32."""
    if INTERPRETED:  # The interpreter cannot multiply bfloat16.
        a, b = a.to(tl.float32), b.to(tl.float32)
    return tl.dot(a, b, input_precision="ieee")


@triton.jit
def load(X, rows, n, d: tl.constexpr, D: tl.constexpr, EDGE: tl.constexpr):
    """Load rows of an (n, d) matrix, with zeros up to D columns and, at an edge, behind row n."""
    columns = tl.arange(0, D)
    places = X + rows[:, None] * d + columns[None, :]
    if EDGE or d != D:
        inside = (rows[:, None] < n) & (columns[None, :] < d)
        x = tl.load(places, mask=inside, other=0.0)
    else:
        x = tl.load(places)
    return x


@triton.jit
def store(X, x, rows, n, d: tl.constexpr, D: tl.constexpr):
    """Store rows of an (n, d) matrix in its dtype."""
    columns = tl.arange(0, D)
    places = X + rows[:, None] * d + columns[None, :]
    inside = (rows[:, None] < n) & (columns[None, :] < d)
    tl.store(places, x, mask=inside)
