"""Right answers to the exercises of `fast`, each written in another way. None may be refused."""

import numpy as np

from tests.exercises.answers import Answers

right = Answers()


@right("merge_partial")
def mp_where(m1, l1, o1, m2, l2, o2):
    m = np.where(m1 > m2, m1, m2)
    f1 = np.where(np.isneginf(m1), 0, np.exp(m1 - m))
    f2 = np.where(np.isneginf(m2), 0, np.exp(m2 - m))
    return m, f1 * l1 + f2 * l2, np.expand_dims(f1, -1) * o1 + f2[..., None] * o2


@right("merge_partial")
def mp_nan_to_num(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    f1, f2 = np.nan_to_num(np.exp(m1 - m)), np.nan_to_num(np.exp(m2 - m))
    return [m, l1 * f1 + l2 * f2, (o1.T * f1.T + o2.T * f2.T).T]


@right("merge_partial")
def mp_larger_and_smaller(m1, l1, o1, m2, l2, o2):
    swap = m2 > m1
    a, b = np.where(swap, m2, m1), np.where(swap, m1, m2)
    la, lb = np.where(swap, l2, l1), np.where(swap, l1, l2)
    oa = np.where(swap[..., None], o2, o1)
    ob = np.where(swap[..., None], o1, o2)
    f = np.exp(np.where(np.isinf(b), -np.inf, b - a))
    return a, la + f * lb, oa + np.einsum("...i,...id->...id", f, ob)


@right("merge_partial")
def mp_query_by_query(m1, l1, o1, m2, l2, o2):
    m, l, o = np.array(m1), np.array(l1), np.array(o1)
    for i in np.ndindex(m.shape):
        if m2[i] == -np.inf:
            continue
        if m1[i] == -np.inf:
            m[i], l[i], o[i] = m2[i], l2[i], o2[i]
            continue
        m[i] = max(m1[i], m2[i])
        f1, f2 = np.exp(m1[i] - m[i]), np.exp(m2[i] - m[i])
        l[i] = f1 * l1[i] + f2 * l2[i]
        o[i] = f1 * o1[i] + f2 * o2[i]
    return m, l, o


@right("merge_partial")
def mp_sum_as_a_column(m1, l1, o1, m2, l2, o2):
    """Carry l as one more column of o."""
    both = [np.concatenate([o, l[..., None]], -1) for o, l in ((o1, l1), (o2, l2))]
    m = np.max([m1, m2], axis=0)
    safe = np.maximum(m, np.finfo(m.dtype).min)
    out = sum(
        np.exp(part - safe)[..., None] * x
        for part, x in zip((m1, m2), both, strict=True)
    )
    return m, out[..., -1], out[..., :-1]


@right("merge_partial")
def mp_logarithms(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    safe = np.where(np.isfinite(m), m, 0)
    l = np.exp(np.logaddexp(m1 + np.log(l1), m2 + np.log(l2)) - safe)
    o = np.exp(m1 - safe)[..., None] * o1 + np.exp(m2 - safe)[..., None] * o2
    return m, l, o


@right("online_softmax")
def os_lowest(scores, tile):
    low = np.finfo(scores.dtype).min
    m = np.full(scores.shape[:-1], low, scores.dtype)
    l = np.zeros_like(m)
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        new = np.maximum(m, part.max(-1))
        l = l * np.exp(m - new) + np.exp(part - new[..., None]).sum(-1)
        m = new
    weights = np.exp(scores - m[..., None])
    return weights / np.where(l > 0, l, 1)[..., None]


@right("online_softmax")
def os_rescaled_along(scores, tile):
    """One pass: the powers of earlier blocks are rescaled with the sum."""
    powers = np.zeros_like(scores)
    m = np.full((*scores.shape[:-1], 1), -1e30, scores.dtype)
    i = 0
    while i < scores.shape[-1]:
        part = scores[..., i : i + tile]
        new = np.maximum(m, np.max(part, axis=-1, keepdims=True))
        powers *= np.exp(m - new)
        powers[..., i : i + tile] = np.exp(part - new)
        m, i = new, i + tile
    total = powers.sum(-1, keepdims=True)
    return np.divide(powers, total, out=np.zeros_like(powers), where=total > 0)


@right("online_softmax")
def os_row_by_row(scores, tile):
    import math

    out = np.zeros(scores.shape)
    for where in np.ndindex(scores.shape[:-1]):
        row, m, l = scores[where], -math.inf, 0.0
        for start in range(0, len(row), tile):
            for s in row[start : start + tile]:
                if s == -math.inf:
                    continue
                if s > m:
                    l, m = l * math.exp(m - s), s
                l += math.exp(s - m)
        if l:
            out[where] = [math.exp(s - m) / l for s in row]
    return out


@right("online_softmax")
def os_array_split(scores, tile):
    """Take all blocks' maxima and sums, and merge them afterward."""
    n = scores.shape[-1]
    parts = [scores[..., i : i + tile] for i in range(0, n, tile)]
    tops = np.stack([part.max(-1) for part in parts], -1)
    safe = np.where(np.isinf(tops), 0, tops)
    sums = np.stack(
        [np.exp(part - safe[..., i, None]).sum(-1) for i, part in enumerate(parts)],
        -1,
    )
    m = safe.max(-1, keepdims=True) if np.isfinite(tops).all() else None
    if m is None:
        m = np.nan_to_num(tops.max(-1, keepdims=True), neginf=0.0)
    l = (sums * np.where(np.isinf(tops), 0, np.exp(tops - m))).sum(
        -1, keepdims=True
    )
    weights = [np.exp(part - m) / np.where(l == 0, 1, l) for part in parts]
    return np.concatenate(weights, -1)


@right("online_softmax")
def os_logarithm(scores, tile):
    """Keep one number, m + log l."""
    both = np.full((*scores.shape[:-1], 1), -np.inf)
    for i in range(0, scores.shape[-1], tile):
        part = scores[..., i : i + tile]
        both = np.logaddexp(both, np.logaddexp.reduce(part, axis=-1, keepdims=True))
    return np.nan_to_num(np.exp(scores - both))


@right("online_softmax")
def os_with_softmax_of_blocks(scores, tile):
    from course_attn.in_numpy.masks import masked_softmax

    n = scores.shape[-1]
    parts = [scores[..., i : i + tile] for i in range(0, n, tile)]
    sums = np.stack([np.logaddexp.reduce(part, axis=-1) for part in parts], -1)
    top = np.nan_to_num(sums.max(-1, keepdims=True), neginf=0.0)
    shares = np.exp(sums - top)
    total = shares.sum(-1, keepdims=True)
    shares = shares / np.where(total == 0, 1, total)
    out = [
        masked_softmax(np.ascontiguousarray(p)) * shares[..., i, None]
        for i, p in enumerate(parts)
    ]
    return np.concatenate(out, -1)


@right("online_softmax")
def os_merged(scores, tile):
    from course_attn.in_numpy.fast import merge_partial

    rows = np.atleast_2d(scores).astype(float)
    m = np.full(rows.shape[:-1], -np.inf)
    one = m, np.zeros_like(m), np.zeros((*m.shape, 1))
    for i in range(0, rows.shape[-1], tile):
        part = rows[..., i : i + tile]
        m = part.max(-1)
        powers = np.exp(part - np.where(np.isinf(m), 0, m)[..., None])
        one = merge_partial(*one, m, powers.sum(-1), np.zeros((*m.shape, 1)))
    m, l, _ = one
    safe = np.where(np.isinf(m), 0, m)[..., None]
    weights = np.exp(rows - safe) / np.where(l == 0, 1, l)[..., None]
    return weights.reshape(scores.shape)


@right("cached_step")
def cs_course_attention(q, k, v, K_cache, V_cache):
    from course_attn.in_numpy.qkv import attention

    K, V = np.append(K_cache, k, -2), np.append(V_cache, v, -2)
    return attention(q, K, V), K, V


@right("cached_step")
def cs_einsum(q, k, v, K_cache, V_cache):
    n = K_cache.shape[-2]
    K = np.empty((*k.shape[:-2], n + 1, k.shape[-1]), k.dtype)
    V = np.empty((*v.shape[:-2], n + 1, v.shape[-1]), v.dtype)
    K[..., :n, :], K[..., n:, :] = K_cache, k
    V[..., :n, :], V[..., n:, :] = V_cache, v
    s = np.einsum("...id,...jd->...ij", q, K) * q.shape[-1] ** -0.5
    e = np.exp(s - s.max(-1, keepdims=True))
    return [np.einsum("...ij,...jv->...iv", e / e.sum(-1)[..., None], V), K, V]


@right("cached_step")
def cs_cache_object(q, k, v, K_cache, V_cache):
    from course_attn.in_numpy.fast import tiled_attention
    from course_attn.in_numpy.language_model import KVCache

    cache = KVCache()
    cache.append(K_cache, V_cache)
    K, V = cache.append(k, v)
    return tiled_attention(q, K, V, causal=True), K, V


@right("cached_step")
def cs_padded(q, k, v, K_cache, V_cache):
    wider = [(0, 0)] * (k.ndim - 2) + [(0, 1), (0, 0)]
    K, V = np.pad(K_cache, wider), np.pad(V_cache, wider)
    K[..., -1, :] += k[..., 0, :]
    V[..., -1, :] += v[..., 0, :]
    s = (K * q).sum(-1) / np.sqrt(k.shape[-1])
    w = np.exp(s - s.max(-1, keepdims=True))
    return (
        (w[..., None] * V).sum(-2, keepdims=True) / w.sum(-1)[..., None, None],
        K,
        V,
    )


@right("repeat_kv")
def rk_broadcast(K, n_rep):
    *batch, h, n, d = K.shape
    shape = (*batch, h, n_rep, n, d)
    return np.broadcast_to(K[..., None, :, :], shape).reshape(*batch, -1, n, d)


@right("repeat_kv")
def rk_indices(K, n_rep):
    return K[..., np.arange(K.shape[-3] * n_rep) // n_rep, :, :]


@right("repeat_kv")
def rk_list(K, n_rep):
    heads = [K[..., g, :, :] for g in range(K.shape[-3]) for _ in range(n_rep)]
    return np.stack(heads, axis=-3)


@right("repeat_kv")
def rk_kron(K, n_rep):
    return np.kron(K, np.ones((n_rep, 1, 1), K.dtype))


@right("attention_flops")
def af_one_line(n_q, n_k, d_k, d_v, n_heads):
    return 2 * n_heads * n_q * n_k * (d_k + d_v)


@right("attention_flops")
def af_prod(n_q, n_k, d_k, d_v, n_heads):
    return np.prod([2, n_q, n_k, d_k + d_v, n_heads])


@right("attention_flops")
def af_counted(n_q, n_k, d_k, d_v, n_heads):
    total = 0
    for _ in range(n_heads):
        for a, b, c in ((n_q, d_k, n_k), (n_q, n_k, d_v)):
            total += 2 * a * b * c
    return total


@right("sliding_window_mask")
def sw_two_triangles(n_q, n_k, window):
    shift = n_k - n_q
    lower = np.tri(n_q, n_k, shift, dtype=bool)
    return lower & ~np.tri(n_q, n_k, shift - window, dtype=bool)


@right("sliding_window_mask")
def sw_rows(n_q, n_k, window):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        at = i + n_k - n_q
        mask[i, max(at - window + 1, 0) : max(at + 1, 0)] = True
    return mask


@right("sliding_window_mask")
def sw_last_rows(n_q, n_k, window):
    n = max(n_q, n_k)
    square = np.triu(np.tri(n, dtype=bool), 1 - window)
    return square[n - n_q :, n - n_k :]


@right("sliding_window_mask")
def sw_course_step(n_q, n_k, window):
    from course_attn.in_numpy.masks import causal_mask

    i, j = np.indices((n_q, n_k))
    return causal_mask(n_q, n_k) & (j > i + n_k - n_q - window)


@right("grouped_attention_torch")
def ga_groups(Q, K, V):
    """Give the queries an axis for the groups, and let K and V broadcast along it."""
    n_kv = K.shape[-3]
    q = Q.unflatten(-3, (n_kv, -1))
    s = q @ K.unsqueeze(-3).transpose(-1, -2) * Q.shape[-1] ** -0.5
    return (s.softmax(-1) @ V.unsqueeze(-3)).flatten(-4, -3)


@right("grouped_attention_torch")
def ga_heads_one_by_one(Q, K, V):
    import torch

    r = Q.size(-3) // K.size(-3)
    heads = []
    for h in range(Q.size(-3)):
        k, v = K[..., h // r, :, :], V[..., h // r, :, :]
        s = (
            torch.einsum("...id,...jd->...ij", Q[..., h, :, :], k)
            / k.size(-1) ** 0.5
        )
        e = torch.exp(s - s.max(-1, keepdim=True).values)
        heads.append(e / e.sum(-1, keepdim=True) @ v)
    return torch.stack(heads, dim=-3)


@right("grouped_attention_torch")
def ga_course_steps(Q, K, V):
    from course_attn.in_torch.fast import repeat_kv
    from course_attn.in_torch.qkv import attention

    r = Q.shape[-3] // K.shape[-3]
    return attention(Q, repeat_kv(K, r), repeat_kv(V, r))


@right("grouped_attention_torch")
def ga_expanded(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]

    def repeated(X):
        *batch, h, n, d = X.shape
        return X[..., :, None, :, :].expand(*batch, h, r, n, d).flatten(-4, -3)

    return (Q @ repeated(K).mT / Q.shape[-1] ** 0.5).softmax(-1) @ repeated(V)


@right("merge_partial")
def mp_case_by_case(m1, l1, o1, m2, l2, o2):
    """The smaller part shrinks by exp of the distance, and an infinite distance counts as 0."""
    gap = np.where(np.isneginf(np.maximum(m1, m2)), 0.0, m1 - m2)
    a, b = np.exp(np.minimum(gap, 0)), np.exp(np.minimum(-gap, 0))
    o = a[..., np.newaxis] * o1 + b[..., np.newaxis] * o2
    return np.fmax(m1, m2), a * l1 + b * l2, o


@right("sliding_window_mask")
def sw_bands(n_q, n_k, window):
    bands = [
        np.eye(n_q, n_k, n_k - n_q - d, dtype=bool) for d in range(min(window, n_k))
    ]
    return np.any(bands, axis=0)


@right("attention_flops")
def af_from_arrays(n_q, n_k, d_k, d_v, n_heads):
    products = [((n_q, d_k), (d_k, n_k)), ((n_q, n_k), (n_k, d_v))]
    return sum(2 * a * b * c for (a, b), (_, c) in products) * n_heads
