"""Answers to the exercises of `fast` by somebody who had not seen the known mistakes."""

import math
from functools import reduce

import numpy as np
import torch

from tests.exercises.answers import Answers

right, wrong = Answers(), Answers()


# --- attention_flops ----------------------------------------------------------


@right("attention_flops")
def fresh_af_products(n_q, n_k, d_k, d_v, n_heads):
    products = [(n_q, d_k, n_k), (n_q, n_k, d_v)] * n_heads
    return sum(2 * a * b * c for a, b, c in products)


@right("attention_flops")
def fresh_af_per_pair(n_q, n_k, d_k, d_v, n_heads):
    pairs = n_q * n_k * n_heads
    per_pair = (d_k + d_v) << 1
    return pairs * per_pair


# --- merge_partial ------------------------------------------------------------


@right("merge_partial")
def fresh_mp_loops(m1, l1, o1, m2, l2, o2):
    m, l, o = m1.copy(), l1.copy(), o1.copy()
    for i in np.ndindex(*m.shape):
        if m2[i] == -np.inf:
            continue
        if m1[i] >= m2[i]:
            small = np.exp(m2[i] - m1[i])
            l[i] += small * l2[i]
            o[i] += small * o2[i]
        else:
            small = np.exp(m1[i] - m2[i])
            m[i] = m2[i]
            l[i] = small * l1[i] + l2[i]
            o[i] = small * o1[i] + o2[i]
    return m, l, o


@right("merge_partial")
def fresh_mp_stacked(m1, l1, o1, m2, l2, o2):
    M, L, O = np.stack([m1, m2]), np.stack([l1, l2]), np.stack([o1, o2])
    m = M.max(axis=0)
    alive = M > -np.inf
    C = np.exp(np.subtract(M, m, out=np.full_like(M, -np.inf), where=alive))
    return (
        m,
        np.einsum("p...,p...->...", C, L),
        np.einsum("p...i,p...iv->...iv", C, O),
    )


# --- online_softmax -----------------------------------------------------------


@right("online_softmax")
def fresh_os_row_by_row(scores, tile):
    out = np.zeros_like(scores)
    starts = range(0, scores.shape[-1], tile)
    for row in np.ndindex(*scores.shape[:-1]):
        m, l = -math.inf, 0.0
        for start in starts:
            for s in scores[(*row, slice(start, start + tile))].tolist():
                if s > m:
                    m, l = s, l * math.exp(m - s) + 1.0
                elif s > -math.inf:
                    l += math.exp(s - m)
        if m == -math.inf:
            continue
        for start in starts:
            place = (*row, slice(start, start + tile))
            out[place] = [math.exp(s - m) / l for s in scores[place].tolist()]
    return out


@right("online_softmax")
def fresh_os_reduce(scores, tile):
    n = scores.shape[-1]
    lowest = np.finfo(scores.dtype).min

    def cut(start):
        return scores[..., start : start + tile]

    def look(state, start):
        m, l = state
        part = cut(start)
        new = np.maximum(m, part.max(axis=-1))
        with np.errstate(over="ignore"):
            shrink = np.exp(m - new)
        return new, l * shrink + np.exp(part - new[..., None]).sum(axis=-1)

    blank = np.full(scores.shape[:-1], lowest, scores.dtype)
    m, l = reduce(look, range(0, n, tile), (blank, np.zeros_like(blank)))
    l = np.where(l > 0, l, 1).astype(scores.dtype)
    weights = np.empty_like(scores)
    for start in range(0, n, tile):
        exps = np.exp(cut(start) - m[..., None])
        weights[..., start : start + tile] = exps / l[..., None]
    return weights


# --- cached_step --------------------------------------------------------------


@right("cached_step")
def fresh_cs_einsum(q, k, v, K_cache, V_cache):
    K, V = (
        np.append(old, new, axis=-2) for old, new in ((K_cache, k), (V_cache, v))
    )
    s = np.einsum("...qd,...kd->...qk", q, K) / math.sqrt(q.shape[-1])
    e = np.exp(s - np.max(s, axis=-1, keepdims=True))
    out = np.einsum("...qk,...kv,...q->...qv", e, V, 1 / e.sum(axis=-1))
    return out, K, V


@right("cached_step")
def fresh_cs_loops(q, k, v, K_cache, V_cache):
    *batch, n, d_k = K_cache.shape
    K = np.empty((*batch, n + 1, d_k), K_cache.dtype)
    V = np.empty((*batch, n + 1, v.shape[-1]), V_cache.dtype)
    K[..., :n, :], V[..., :n, :] = K_cache, V_cache
    K[..., n:, :], V[..., n:, :] = k, v
    out = np.empty_like(v)
    for b in np.ndindex(*batch):
        s = [float(row @ q[b][0]) / d_k**0.5 for row in K[b]]
        top = max(s)
        e = [math.exp(t - top) for t in s]
        out[b][0] = sum(w * row for w, row in zip(e, V[b])) / sum(e)
    return out, K, V


# --- repeat_kv ----------------------------------------------------------------


@right("repeat_kv")
def fresh_rk_owner(K, n_rep):
    owner = [g for g in range(K.shape[-3]) for _ in range(n_rep)]
    return K[..., owner, :, :]


@right("repeat_kv")
def fresh_rk_strides(K, n_rep):
    *batch, g, n, d = K.shape
    out = np.empty((*batch, g * n_rep, n, d), K.dtype)
    for r in range(n_rep):
        out[..., r::n_rep, :, :] = K
    return out


# --- sliding_window_mask ------------------------------------------------------


@right("sliding_window_mask")
def fresh_sw_slices(n_q, n_k, window):
    seen = np.zeros((n_q, n_k), bool)
    for i, p in enumerate(range(n_k - n_q, n_k)):
        seen[i, max(p - window + 1, 0) : max(p + 1, 0)] = True
    return seen


@right("sliding_window_mask")
def fresh_sw_two_triangles(n_q, n_k, window):
    shift = n_k - n_q
    return np.tri(n_q, n_k, shift, bool) ^ np.tri(n_q, n_k, shift - window, bool)


# --- grouped_attention_torch --------------------------------------------------


@right("grouped_attention_torch")
def fresh_ga_unflatten(Q, K, V):
    g, r = K.shape[-3], Q.shape[-3] // K.shape[-3]
    grouped = Q.unflatten(-3, (g, r))
    s = torch.einsum("...grqd,...gkd->...grqk", grouped, K) / math.sqrt(Q.shape[-1])
    e = torch.exp(s - s.amax(dim=-1, keepdim=True))
    out = torch.einsum("...grqk,...gkv->...grqv", e / e.sum(-1, keepdim=True), V)
    return out.flatten(-4, -3)


@right("grouped_attention_torch")
def fresh_ga_heads(Q, K, V):
    kv_heads = list(zip(K.unbind(-3), V.unbind(-3)))
    r = Q.shape[-3] // len(kv_heads)

    def one(h, q):
        k, v = kv_heads[h // r]
        return (q @ k.mT * q.shape[-1] ** -0.5).softmax(-1) @ v

    return torch.stack([one(h, q) for h, q in enumerate(Q.unbind(-3))], -3)


# --- attention_flops ----------------------------------------------------------


@wrong(
    "attention_flops",
    mistake="counts the mixing for one head only: n_heads multiplies the scores",
)
def fresh_af_heads_once(n_q, n_k, d_k, d_v, n_heads):
    return n_heads * 2 * n_q * d_k * n_k + 2 * n_q * n_k * d_v


@wrong("attention_flops", mistake="uses d_k for the mixing too, where it is d_v")
def fresh_af_only_d_k(n_q, n_k, d_k, d_v, n_heads):
    per_head = sum(2 * math.prod(abc) for abc in [(n_q, d_k, n_k), (n_q, n_k, d_k)])
    return per_head * n_heads


@wrong(
    "attention_flops",
    mistake="counts 1 operation for each term, not 2 "
    "AND divides the widths among the heads, though they are per head already",
)
def fresh_af_split_widths(n_q, n_k, d_k, d_v, n_heads):
    head_k = d_k // n_heads
    head_v = d_v // n_heads
    return n_heads * (n_q * n_k * head_k + n_q * n_k * head_v)


@wrong(
    "attention_flops",
    mistake="counts one addition less than terms in each sum: 2b - 1 and not 2b",
)
def fresh_af_one_less(n_q, n_k, d_k, d_v, n_heads):
    def product(a, b, c):
        multiplications = a * b * c
        additions = a * (b - 1) * c
        return multiplications + additions

    total = 0
    for _ in range(n_heads):
        total += product(n_q, d_k, n_k)
        total += product(n_q, n_k, d_v)
    return total


# --- merge_partial ------------------------------------------------------------


@wrong(
    "merge_partial",
    mistake="the factors are exchanged: each part is shrunk by that of the other",
)
def fresh_mp_exchanged(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    safe = np.where(m == -np.inf, 0, m)
    c = np.exp(np.stack([m2 - safe, m1 - safe]))
    l = np.einsum("p...,p...->...", c, np.stack([l1, l2]))
    o = np.einsum("p...,p...v->...v", c, np.stack([o1, o2]))
    return m, l, o


@wrong(
    "merge_partial",
    mistake="takes the log of the sum of exps as the new m, not the larger m",
)
def fresh_mp_logaddexp(m1, l1, o1, m2, l2, o2):
    m, l, o = np.empty_like(m1), np.empty_like(l1), np.empty_like(o1)
    for i in np.ndindex(*m1.shape):
        m[i] = np.logaddexp(m1[i], m2[i])
        if np.isneginf(m[i]):
            l[i], o[i] = 0, 0
        else:
            f1, f2 = np.exp(m1[i] - m[i]), np.exp(m2[i] - m[i])
            l[i] = f1 * l1[i] + f2 * l2[i]
            o[i] = f1 * o1[i] + f2 * o2[i]
    return m, l, o


@wrong(
    "merge_partial",
    mistake="adds l1 and l2 without shrinking them to the common maximum "
    "AND divides o by l",
)
def fresh_mp_plain_l_divided(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    base = np.where(np.isneginf(m), 0.0, m)
    a, b = np.exp(m1 - base), np.exp(m2 - base)
    l = l1 + l2
    o = a[..., None] * o1 + b[..., None] * o2
    return m, l, o / np.where(l == 0, 1, l)[..., None]


@wrong(
    "merge_partial",
    mistake="a query that sees no key gets a finite m, the lowest number",
)
def fresh_mp_nan_to_num(m1, l1, o1, m2, l2, o2):
    m1, m2 = np.nan_to_num(m1), np.nan_to_num(m2)  # no infinities, no trouble
    top = np.where(m1 > m2, m1, m2)
    with np.errstate(over="ignore"):
        shrink = [np.exp(m - top) for m in (m1, m2)]
    l = sum(s * l for s, l in zip(shrink, (l1, l2)))
    o = sum(s[..., None] * o for s, o in zip(shrink, (o1, o2)))
    return top, l, o


# --- online_softmax -----------------------------------------------------------


@wrong(
    "online_softmax",
    mistake="when the maximum grows, l is multiplied by exp(new - old), "
    "so it grows where it should shrink",
)
def fresh_os_grows(scores, tile):
    n = scores.shape[-1]
    m = np.full(scores.shape[:-1] + (1,), -np.inf, scores.dtype)
    l = np.zeros_like(m)
    for start in range(0, n, tile):
        part = scores[..., start : start + tile]
        new = np.maximum(m, part.max(axis=-1, keepdims=True))
        base = np.where(np.isneginf(new), 0, new)
        old = np.where(np.isneginf(m), base, m)
        with np.errstate(over="ignore", invalid="ignore"):
            l = l * np.exp(base - old) + np.exp(part - base).sum(-1, keepdims=True)
        m = new
    base = np.where(np.isneginf(m), 0, m)
    out = np.empty_like(scores)
    for start in range(0, n, tile):
        part = scores[..., start : start + tile]
        out[..., start : start + tile] = np.exp(part - base) / np.where(
            l == 0, 1, l
        )
    return out


@wrong(
    "online_softmax",
    mistake="n // tile leaves out the last, shorter tile",
)
def fresh_os_no_rest(scores, tile):
    n_tiles = max(scores.shape[-1] // tile, 1)
    places = [slice(t * tile, (t + 1) * tile) for t in range(n_tiles)]
    out = np.zeros_like(scores)
    for row in np.ndindex(*scores.shape[:-1]):
        m, l = -math.inf, 0.0
        for place in places:
            part = scores[row][place]
            bigger = max(m, part.max())
            if bigger == -math.inf:
                continue
            l = l * math.exp(m - bigger) + np.exp(part - bigger).sum()
            m = bigger
        if l > 0:
            for place in places:
                out[row][place] = np.exp(scores[row][place] - m) / l
    return out


@wrong(
    "online_softmax",
    mistake="takes one maximum for all rows together, so rows far below it vanish "
    "AND rows or tiles of minus infinity alone give NaN",
)
def fresh_os_global_max(scores, tile):
    m = -np.inf
    l = np.zeros((*scores.shape[:-1], 1), scores.dtype)
    cuts = range(tile, scores.shape[-1], tile)
    parts = np.split(scores, cuts, axis=-1)
    with np.errstate(all="ignore"):
        for part in parts:
            bigger = max(m, part.max())
            l = l * np.exp(m - bigger) + np.exp(part - bigger).sum(
                -1, keepdims=True
            )
            m = bigger
        weights = [np.exp(part - m) / l for part in parts]
    return np.concatenate(weights, axis=-1).astype(scores.dtype)


@wrong(
    "online_softmax",
    mistake="writes weights with the maximum known at that time, "
    "not with the final one",
)
def fresh_os_stale_exps(scores, tile):
    def guarded(m):
        return np.where(m > -np.inf, m, 0)

    largest = np.full_like(scores[..., :1], -np.inf)
    total, exps = np.zeros_like(largest), []
    for j in range(0, scores.shape[-1], tile):
        s = scores[..., j : j + tile]
        before, largest = largest, np.maximum(largest, s.max(-1, keepdims=True))
        exps += [np.exp(s - guarded(largest))]
        total = total * np.exp(before - guarded(largest))
        total = total + exps[-1].sum(-1, keepdims=True)
    total[total == 0] = 1
    return np.concatenate([e / total for e in exps], axis=-1)


# --- cached_step --------------------------------------------------------------


@wrong(
    "cached_step",
    mistake="the query attends to the old cache only, not to its own key and value",
)
def fresh_cs_old_cache(q, k, v, K_cache, V_cache):
    scores = q @ np.swapaxes(K_cache, -1, -2) / np.sqrt(q.shape[-1]).astype(q.dtype)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True, initial=-1e9))
    total = weights.sum(axis=-1, keepdims=True)
    out = (weights / np.where(total == 0, 1, total)) @ V_cache
    K = np.concatenate([K_cache, k], axis=-2)
    V = np.concatenate([V_cache, v], axis=-2)
    return out, K, V


@wrong(
    "cached_step",
    mistake="divides the scores by the root of the number of keys, not of d_k",
)
def fresh_cs_root_of_n(q, k, v, K_cache, V_cache):
    K, V = (
        np.append(old, new, axis=-2) for old, new in ((K_cache, k), (V_cache, v))
    )
    s = np.einsum("...qd,...kd->...qk", q, K) / math.sqrt(K.shape[-2])
    e = np.exp(s - np.max(s, axis=-1, keepdims=True))
    out = (
        np.einsum("...qk,...kv->...qv", e, V)
        / np.einsum("...qk->...q", e)[..., None]
    )
    return out, K, V


@wrong(
    "cached_step",
    mistake="a mask aligned to the top left: the query sees the first key only",
)
def fresh_cs_top_left(q, k, v, K_cache, V_cache):
    K = np.concatenate((K_cache, k), axis=-2)
    V = np.concatenate((V_cache, v), axis=-2)
    out = np.empty_like(v)
    n_q, n_k = q.shape[-2], K.shape[-2]
    for b in np.ndindex(*q.shape[:-2]):
        for i in range(n_q):
            s = []
            for j in range(n_k):
                visible = j <= i
                dot = float(q[b][i] @ K[b][j]) / math.sqrt(q.shape[-1])
                s.append(dot if visible else -math.inf)
            top = max(s)
            e = [math.exp(t - top) for t in s]
            out[b][i] = sum(e[j] / sum(e) * V[b][j] for j in range(n_k))
    return out, K, V


@wrong(
    "cached_step",
    mistake="puts the new key and value first, not last "
    "AND divides the scores by d_k, not by its root",
)
def fresh_cs_first_and_d_k(q, k, v, K_cache, V_cache):
    K = np.concatenate([k, K_cache], axis=-2)
    V = np.concatenate([v, V_cache], axis=-2)
    scores = (K @ q.swapaxes(-1, -2)).swapaxes(-1, -2) / q.shape[-1]
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return weights @ V, K, V


# --- repeat_kv ----------------------------------------------------------------


@wrong(
    "repeat_kv",
    mistake="repeats the whole list of heads, 0, 1, 0, 1, where it is 0, 0, 1, 1",
)
def fresh_rk_whole_list(K, n_rep):
    return np.concatenate([K for _ in range(n_rep)], axis=-3)


@wrong(
    "repeat_kv",
    mistake="repeats along axis 0, which holds the heads only without a batch",
)
def fresh_rk_axis_0(K, n_rep):
    repeated = []
    for head in K:
        repeated += [head] * n_rep
    return np.stack(repeated)


@wrong(
    "repeat_kv",
    mistake="puts the copies behind the positions, so that reshape mixes positions "
    "and heads",
)
def fresh_rk_einsum(K, n_rep):
    *batch, g, n, d = K.shape
    copies = np.einsum("...gnd,r->...gnrd", K, np.ones(n_rep, K.dtype))
    return copies.reshape(*batch, g * n_rep, n, d)


@wrong(
    "repeat_kv",
    mistake="head h is taken from (h - 1) // n_rep, as if counted from 1 "
    "AND the heads are looked for on the first axis, not the third from last",
)
def fresh_rk_from_one(K, n_rep):
    n_heads = K.shape[0] * n_rep
    return np.array([K[(h - 1) // n_rep] for h in range(n_heads)])


# --- sliding_window_mask ------------------------------------------------------


@wrong(
    "sliding_window_mask",
    mistake="the window is one too wide: it lets through j = p - window",
)
def fresh_sw_one_too_wide(n_q, n_k, window):
    full = np.ones((n_q, n_k), dtype=bool)
    shift = n_k - n_q
    return np.tril(full, shift) & np.triu(full, shift - window)


@wrong(
    "sliding_window_mask",
    mistake="aligned to the top left: query i stands at key i "
    "AND the mask holds integers, not bools",
)
def fresh_sw_top_left_int(n_q, n_k, window):
    return np.array(
        [[1 if i - window < j <= i else 0 for j in range(n_k)] for i in range(n_q)]
    ).reshape(n_q, n_k)


@wrong(
    "sliding_window_mask",
    mistake="the window reaches to both sides, so later keys are seen too",
)
def fresh_sw_both_sides(n_q, n_k, window):
    seen = np.zeros((n_q, n_k), bool)
    for i in range(n_q):
        p = i + n_k - n_q
        for j in range(n_k):
            if abs(p - j) < window:
                seen[i, j] = True
    return seen


@wrong(
    "sliding_window_mask",
    mistake="queries that stand before the first key are moved to it, "
    "so they see key 0 where they should see nothing",
)
def fresh_sw_clamped(n_q, n_k, window):
    p = np.clip(np.arange(n_q) + n_k - n_q, 0, None)[:, None]
    back = p - np.arange(n_k)[None, :]
    return np.isin(back, range(window))


# --- grouped_attention_torch --------------------------------------------------


@wrong(
    "grouped_attention_torch",
    mistake="head h uses head h // n_kv_heads of K and V, where it is h // r",
)
def fresh_ga_wrong_divisor(Q, K, V):
    n_heads, n_kv = Q.shape[-3], K.shape[-3]
    outs = []
    for h in range(n_heads):
        g = h // n_kv
        q, k, v = Q[..., h, :, :], K[..., g, :, :], V[..., g, :, :]
        w = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(Q.shape[-1]), dim=-1)
        outs.append(w @ v)
    return torch.stack(outs, dim=-3)


@wrong(
    "grouped_attention_torch",
    mistake="the softmax goes over the queries, not over the keys",
)
def fresh_ga_softmax_queries(Q, K, V):
    g = K.shape[-3]
    grouped = Q.unflatten(-3, (g, Q.shape[-3] // g))
    s = torch.einsum("...grqd,...gkd->...grqk", grouped, K) * Q.shape[-1] ** -0.5
    a = s.softmax(dim=-2)
    return torch.einsum("...grqk,...gkv->...grqv", a, V).flatten(-4, -3)


@wrong(
    "grouped_attention_torch",
    mistake="divides the scores by d_k, not by its root "
    "AND repeats the values as a whole list (0, 1, 0, 1), not each head in a row",
)
def fresh_ga_d_k_and_tiled_values(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K_all = K.repeat_interleave(r, dim=-3)
    V_all = torch.cat([V] * r, dim=-3)
    scores = torch.matmul(Q, K_all.mT).div(Q.size(-1))
    return torch.nn.functional.softmax(scores, -1) @ V_all


@wrong(
    "grouped_attention_torch",
    mistake="divides the weights after the softmax by the root of d_k, "
    "not the scores before it",
)
def fresh_ga_scaled_weights(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    owner = [h // r for h in range(Q.shape[-3])]
    K, V = K[..., owner, :, :], V[..., owner, :, :]
    weights = (Q @ K.transpose(-2, -1)).softmax(-1) / Q.shape[-1] ** 0.5
    return weights @ V
