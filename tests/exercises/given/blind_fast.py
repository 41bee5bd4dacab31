"""Wrong answers to the exercises of `fast`, written blind in three rounds, and what they are told."""

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


def my_softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "attention_flops",
    "values-as-wide-as-keys",
    mistake="the mixing is counted with d_k features too, instead of d_v",
)
def b6_fast_1(n_q, n_k, d_k, d_v, n_heads):
    scores = 2 * n_q * d_k * n_k
    mixing = 2 * n_q * n_k * d_k
    return n_heads * (scores + mixing)


@wrong(
    "merge_partial",
    "o-not-rescaled",
    mistake="the sums l are shrunk to the new maximum, the sums of values o are not",
)
def b6_fast_2(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    safe = np.where(np.isinf(m), 0.0, m)
    l = l1 * np.exp(m1 - safe) + l2 * np.exp(m2 - safe)
    o = o1 + o2
    return m, l, o


@wrong(
    "online_softmax",
    "last-tile",
    mistake="the loop over tiles leaves out a last tile that is shorter than the others",
)
def b6_fast_3(scores, tile):
    n = scores.shape[-1]
    tile = min(tile, n)
    m = np.full(scores.shape[:-1] + (1,), -np.inf)
    l = np.zeros(scores.shape[:-1] + (1,))
    for t in range(n // tile):
        part = scores[..., t * tile : (t + 1) * tile]
        m_new = np.maximum(m, part.max(axis=-1, keepdims=True))
        ref = np.where(np.isneginf(m_new), 0.0, m_new)
        l = l * np.exp(m - ref) + np.exp(part - ref).sum(axis=-1, keepdims=True)
        m = m_new
    out = np.zeros(scores.shape)
    ref = np.where(np.isneginf(m), 0.0, m)
    for t in range(n // tile):
        sl = slice(t * tile, (t + 1) * tile)
        out[..., sl] = np.exp(scores[..., sl] - ref) / np.where(l > 0, l, 1.0)
    return out


@wrong(
    "cached_step",
    "mask-top-left",
    mistake="a causal mask aligned to the top left lets the new query see the first key only",
)
def b6_fast_4(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], axis=-2)
    V = np.concatenate([V_cache, v], axis=-2)
    S = q @ np.swapaxes(K, -1, -2) / np.sqrt(q.shape[-1])
    causal = np.tri(S.shape[-2], S.shape[-1], dtype=bool)
    A = my_softmax(np.where(causal, S, -np.inf))
    return A @ V, K, V


@wrong(
    "repeat_kv",
    "tiled",
    mistake="the whole row of heads is repeated (0 1 0 1) instead of each head (0 0 1 1)",
)
def b6_fast_5(K, n_rep):
    return np.concatenate([K] * n_rep, axis=-3)


@wrong(
    "sliding_window_mask",
    "both-sides",
    mistake="the window goes to both sides, so later keys are seen too",
)
def b6_fast_6(n_q, n_k, window):
    p = np.arange(n_q)[:, None] + n_k - n_q
    j = np.arange(n_k)[None, :]
    return np.abs(p - j) < window


@wrong(
    "grouped_attention_torch",
    "in-turn",
    said="you take the size of `V` for `Q`",
    mistake="query head h uses head h mod n_kv_heads, and the scores are divided by the root of d_v",
)
def b6_fast_7(Q, K, V):
    h_q, h_kv = Q.shape[-3], K.shape[-3]
    outs = []
    for h in range(h_q):
        g = h % h_kv
        q, k, v = Q[..., h, :, :], K[..., g, :, :], V[..., g, :, :]
        s = torch.einsum("...id,...jd->...ij", q, k) / v.shape[-1] ** 0.5
        outs.append(torch.softmax(s, dim=-1) @ v)
    return torch.stack(outs, dim=-3)


@wrong(
    "online_softmax",
    "not-rescaled",
    "one-maximum-for-all-rows",
    mistake="what was summed before is not shrunk when the maximum grows, and one maximum is kept for all rows",
)
def b6_fast_8(scores, tile):
    n = scores.shape[-1]
    m = -np.inf
    l = np.zeros(scores.shape[:-1])
    for start in range(0, n, tile):
        block = scores[..., start : start + tile]
        m = max(m, block.max())
        l = l + np.exp(block - m).sum(axis=-1)
    weights = np.empty_like(scores, dtype=float)
    for start in range(0, n, tile):
        block = scores[..., start : start + tile]
        with np.errstate(all="ignore"):
            weights[..., start : start + tile] = np.exp(block - m) / l[..., None]
    return weights


@wrong("cached_step", "root-of-n", mistake="scaled by the number of keys")
def own_fast_1(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], axis=-2)
    V = np.concatenate([V_cache, v], axis=-2)
    s = q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-2])
    return my_softmax(s) @ V, K, V


@wrong("merge_partial", "divided", mistake="divides o by l already")
def own_fast_2(m1, l1, o1, m2, l2, o2):
    m = np.maximum(m1, m2)
    a = np.where(np.isneginf(m1), 0.0, np.exp(m1 - m))
    b = np.where(np.isneginf(m2), 0.0, np.exp(m2 - m))
    l = l1 * a + l2 * b
    o = (o1 * a[..., None] + o2 * b[..., None]) / np.where(l > 0, l, 1)[..., None]
    return m, l, o


@wrong(
    "online_softmax",
    "not-rescaled",
    "tail-not-summed",
    mistake="a last shorter tile is left out of the sum, and the old sum is not rescaled",
)
def own_fast_3(scores, tile):
    n = scores.shape[-1]
    m = np.full(scores.shape[:-1], -np.inf)
    l = np.zeros(scores.shape[:-1])
    for k in range(n // tile):
        part = scores[..., k * tile : (k + 1) * tile]
        m = np.maximum(m, part.max(axis=-1))
        safe = np.where(np.isneginf(m), 0, m)
        l = l + np.exp(part - safe[..., None]).sum(axis=-1)
    safe = np.where(np.isneginf(m), 0, m)
    with np.errstate(all="ignore"):
        return np.exp(scores - safe[..., None]) / l[..., None]


@wrong("sliding_window_mask", "one-too-far", mistake="window one too wide")
def own_fast_4(n_q, n_k, window):
    i = np.arange(n_q)[:, None] + (n_k - n_q)
    j = np.arange(n_k)
    return (j <= i) & (j >= i - window)


@wrong(
    "merge_partial",
    "infinity-minus-infinity",
    mistake="the case of no keys is caught for whole parts only; a single query that sees none in either part gives -inf - (-inf) = NaN",
)
def b7_fast_55(m1, l1, o1, m2, l2, o2):
    if np.all(np.isneginf(m1)):
        return m2, l2, o2
    if np.all(np.isneginf(m2)):
        return m1, l1, o1
    m = np.maximum(m1, m2)
    c1 = np.exp(m1 - m)
    c2 = np.exp(m2 - m)
    l = c1 * l1 + c2 * l2
    o = c1[..., None] * o1 + c2[..., None] * o2
    return m, l, o


@wrong(
    "online_softmax",
    "maximum-from-0",
    mistake="the running maximum starts at 0 instead of at -inf, so rows far below 0 underflow to zeros",
)
def b7_fast_56(scores, tile):
    n = scores.shape[-1]
    m = np.zeros(scores.shape[:-1])
    l = np.zeros(scores.shape[:-1])
    for start in range(0, n, tile):
        block = scores[..., start : start + tile]
        m_new = np.maximum(m, block.max(axis=-1))
        l = l * np.exp(m - m_new) + np.exp(block - m_new[..., None]).sum(axis=-1)
        m = m_new
    out = np.zeros(scores.shape)
    safe = np.where(l > 0, l, 1.0)
    for start in range(0, n, tile):
        block = scores[..., start : start + tile]
        out[..., start : start + tile] = (
            np.exp(block - m[..., None]) / safe[..., None]
        )
    return out


@wrong(
    "cached_step",
    "prepended",
    mistake="the new key and value are put before the cache, as first rows, instead of after it",
)
def b7_fast_57(q, k, v, K_cache, V_cache):
    K = np.concatenate((k, K_cache), axis=-2)
    V = np.concatenate((v, V_cache), axis=-2)
    scores = np.einsum("...qd,...kd->...qk", q, K) / np.sqrt(q.shape[-1])
    scores -= scores.max(axis=-1, keepdims=True)
    w = np.exp(scores)
    w /= w.sum(axis=-1, keepdims=True)
    return w @ V, K, V


@wrong(
    "repeat_kv",
    "first-axis",
    mistake="repeats along axis 0, which is the axis of the heads only where there is no batch axis",
)
def b7_fast_58(K, n_rep):
    return np.repeat(K, n_rep, axis=0)


@wrong(
    "sliding_window_mask",
    "one-too-far",
    "top-left",
    mistake="(two) the window is one key too wide (p - window itself counted), and it is aligned to the top left",
)
def b7_fast_59(n_q, n_k, window):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        for j in range(n_k):
            if j <= i and i - j <= window:
                mask[i, j] = True
    return mask


@wrong(
    "grouped_attention_torch",
    "in-turn",
    mistake="the query heads are grouped the other way around, so head h uses the keys and values of head h mod n_kv_heads",
)
def b7_fast_60(Q, K, V):
    *lead, n_heads, n_q, d_k = Q.shape
    n_kv = K.shape[-3]
    r = n_heads // n_kv
    grouped = Q.reshape(*lead, r, n_kv, n_q, d_k)
    s = grouped @ K.unsqueeze(-4).transpose(-1, -2) / d_k**0.5
    y = torch.softmax(s, dim=-1) @ V.unsqueeze(-4)
    return y.reshape(*lead, n_heads, n_q, V.shape[-1])


@wrong(
    "online_softmax",
    "maximum-from-0",
    mistake="m starts at zeros_like, in the dtype of the scores",
)
def own_fast_107(scores, tile):
    n = scores.shape[-1]
    m = np.zeros(scores.shape[:-1] + (1,), dtype=scores.dtype)
    l = np.zeros_like(m)
    for a in range(0, n, tile):
        b = scores[..., a : a + tile]
        new = np.maximum(m, b.max(axis=-1, keepdims=True))
        l = l * np.exp(m - new) + np.exp(b - new).sum(axis=-1, keepdims=True)
        m = new
    out = np.empty_like(scores)
    for a in range(0, n, tile):
        out[..., a : a + tile] = np.exp(scores[..., a : a + tile] - m) / np.where(
            l == 0, 1, l
        )
    return out


@wrong(
    "merge_partial",
    "down-the-columns",
    "one-empty-query-for-all",
    mistake="shortcut where any is empty",
)
def own_fast_108(m1, l1, o1, m2, l2, o2):
    if np.isneginf(m1).any():
        return m2, l2, o2
    if np.isneginf(m2).any():
        return m1, l1, o1
    m = np.maximum(m1, m2)
    a, b = np.exp(m1 - m), np.exp(m2 - m)
    return m, l1 * a + l2 * b, o1 * a + o2 * b


@wrong(
    "sliding_window_mask",
    "row",
    said="what is done where this holds comes out wrong. Is a way of its own needed there",
    mistake="wide window returns all True",
)
def own_fast_114(n_q, n_k, window):
    if window >= n_k:
        return np.ones((n_q, n_k), dtype=bool)
    p = np.arange(n_q)[:, None] + n_k - n_q
    j = np.arange(n_k)
    return (j <= p) & (j > p - window)
