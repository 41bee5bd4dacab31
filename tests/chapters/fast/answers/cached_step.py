"""Answers to `cached_step`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def cs_course_attention(q, k, v, K_cache, V_cache):
    from course_attn.in_numpy.qkv import attention

    K, V = np.append(K_cache, k, -2), np.append(V_cache, v, -2)
    return attention(q, K, V), K, V


@right()
def cs_einsum(q, k, v, K_cache, V_cache):
    n = K_cache.shape[-2]
    K = np.empty((*k.shape[:-2], n + 1, k.shape[-1]), k.dtype)
    V = np.empty((*v.shape[:-2], n + 1, v.shape[-1]), v.dtype)
    K[..., :n, :], K[..., n:, :] = K_cache, k
    V[..., :n, :], V[..., n:, :] = V_cache, v
    s = np.einsum("...id,...jd->...ij", q, K) * q.shape[-1] ** -0.5
    e = np.exp(s - s.max(-1, keepdims=True))
    return [np.einsum("...ij,...jv->...iv", e / e.sum(-1)[..., None], V), K, V]


@right()
def cs_cache_object(q, k, v, K_cache, V_cache):
    from course_attn.in_numpy.fast import tiled_attention
    from course_attn.in_numpy.language_model import KVCache

    cache = KVCache()
    cache.append(K_cache, V_cache)
    K, V = cache.append(k, v)
    return tiled_attention(q, K, V, causal=True), K, V


@right()
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


@right(author="fresh")
def fresh_cs_einsum(q, k, v, K_cache, V_cache):
    K, V = (
        np.append(old, new, axis=-2) for old, new in ((K_cache, k), (V_cache, v))
    )
    s = np.einsum("...qd,...kd->...qk", q, K) / math.sqrt(q.shape[-1])
    e = np.exp(s - np.max(s, axis=-1, keepdims=True))
    out = np.einsum("...qk,...kv,...q->...qv", e, V, 1 / e.sum(axis=-1))
    return out, K, V


@right(author="fresh")
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


def _attend(q, K, V):
    s = q @ np.swapaxes(K, -1, -2) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


@wrong("along-axis-0")
def cs_vstack(q, k, v, K_cache, V_cache):
    K, V = np.vstack([K_cache, k]), np.vstack([V_cache, v])
    return _attend(q, K, V), K, V


@wrong("last-overwritten", "in-place")
def cs_overwritten_in_place(q, k, v, K_cache, V_cache):
    K_cache[..., -1:, :] = k
    V_cache[..., -1:, :] = v
    return _attend(q, K_cache, V_cache), K_cache, V_cache


@wrong("one-result")
def cs_output_only(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    V = np.concatenate([V_cache, v], -2)
    return _attend(q, K, V)


@wrong()
def cs_value_forgotten(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    return _attend(q, K, V_cache), K, V_cache


@wrong(said="You return shape (3,)")
def cs_squeezed(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    V = np.concatenate([V_cache, v], -2)
    return _attend(q, K, V)[..., 0, :], K, V


@wrong()
def cs_all_positions(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    V = np.concatenate([V_cache, v], -2)
    return _attend(K, K, V), K, V


@wrong("not-repeatable")
def cs_global_cache(q, k, v, K_cache, V_cache, kept=[]):  # noqa: B006
    kept.append(k)
    K = np.concatenate([K_cache, *kept], -2)
    V = np.concatenate([V_cache, *([v] * len(kept))], -2)
    return _attend(q, K, V), K, V


# divides by √d_k after the softmax
@wrong()
def cs_scaled_late(q, k, v, K_cache, V_cache):
    K, V = (
        np.concatenate([K_cache, k], axis=-2),
        np.concatenate([V_cache, v], axis=-2),
    )
    e = np.exp(q @ np.swapaxes(K, -1, -2))
    return e / e.sum(-1, keepdims=True) / q.shape[-1] ** 0.5 @ V, K, V


# one sum for the whole batch
@wrong()
def cs_one_sum(q, k, v, K_cache, V_cache):
    K, V = (
        np.concatenate([K_cache, k], axis=-2),
        np.concatenate([V_cache, v], axis=-2),
    )
    s = np.einsum("...qd,...kd->...qk", q, K) / q.shape[-1] ** 0.5
    e = np.exp(s - s.max())
    return np.einsum("...qk,...kd->...qd", e / e.sum(), V), K, V


# K.T turns all axes of a batch around
@wrong()
def cs_transpose_all(q, k, v, K_cache, V_cache):
    K, V = np.append(K_cache, k, axis=-2), np.append(V_cache, v, axis=-2)
    s = q @ K.T / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V, K, V


# an empty cache is returned untouched, not grown
@wrong()
def cs_special_first(q, k, v, K_cache, V_cache):
    if K_cache.shape[-2] == 0:
        return v, K_cache, V_cache
    K, V = (
        np.concatenate([K_cache, k], axis=-2),
        np.concatenate([V_cache, v], axis=-2),
    )
    return _attend(q, K, V), K, V


# puts the new key and value first, not last AND divides the scores by d_k, not by its root
@wrong(author="fresh")
def fresh_cs_first_and_d_k(q, k, v, K_cache, V_cache):
    K = np.concatenate([k, K_cache], axis=-2)
    V = np.concatenate([v, V_cache], axis=-2)
    scores = (K @ q.swapaxes(-1, -2)).swapaxes(-1, -2) / q.shape[-1]
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return weights @ V, K, V


# puts the new key and value before the cached ones instead of after them AND divides the scores by
# the square root of the number of keys instead of d_k
@wrong(author="unseen")
def second_fst_cache_einsum(q, k, v, K_cache, V_cache):
    K = np.concatenate([k, K_cache], axis=-2)
    V = np.concatenate([v, V_cache], axis=-2)
    scores = np.einsum("...qd,...kd->...qk", q, K) / np.sqrt(K.shape[-2])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= np.einsum("...qk->...q", weights)[..., None]
    return np.einsum("...qk,...kv->...qv", weights, V), K, V


# puts the new key and value before the cached ones, as first rows instead of last ones AND divides
# the scores by the square root of d_v instead of d_k
@wrong(author="unseen")
def third_fa_front_and_width(q, k, v, K_cache, V_cache):
    K = np.concatenate([k, K_cache], axis=-2)
    V = np.concatenate([v, V_cache], axis=-2)
    scores = np.einsum("...qd,...kd->...qk", q, K) / V.shape[-1] ** 0.5
    scores = scores - scores.max(axis=-1, keepdims=True)
    A = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return np.einsum("...qk,...kd->...qd", A, V), K, V


# takes the scores of the cached keys only for the row maximum and the sum, so that the new
# position's own weight is not in the denominator
@wrong(said="is this index needed?", author="unseen")
def fifth_fa_sum_over_cache(q, k, v, K_cache, V_cache):
    K = np.concatenate((K_cache, k), axis=-2)
    V = np.concatenate((V_cache, v), axis=-2)
    s = np.einsum("...id,...jd->...ij", q, K) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    below = e[..., :-1].sum(axis=-1, keepdims=True)
    return (e / np.where(below == 0, 1, below)) @ V, K, V


def my_softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# a causal mask aligned to the top left lets the new query see the first key only
@wrong("mask-top-left", author="blind")
def b6_fast_4(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], axis=-2)
    V = np.concatenate([V_cache, v], axis=-2)
    S = q @ np.swapaxes(K, -1, -2) / np.sqrt(q.shape[-1])
    causal = np.tri(S.shape[-2], S.shape[-1], dtype=bool)
    A = my_softmax(np.where(causal, S, -np.inf))
    return A @ V, K, V


# scaled by the number of keys
@wrong("root-of-n", author="blind")
def own_fast_1(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], axis=-2)
    V = np.concatenate([V_cache, v], axis=-2)
    s = q @ K.swapaxes(-1, -2) / np.sqrt(K.shape[-2])
    return my_softmax(s) @ V, K, V


# the oldest position is dropped, so that the cache does not grow
@wrong("oldest-dropped", author="blind")
def blind_drops_oldest(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache[..., 1:, :], k], axis=-2)
    V = np.concatenate([V_cache[..., 1:, :], v], axis=-2)
    return _attend(q, K, V), K, V


# the new key is divided by √d_k before it is stored
@wrong("new-key-divided", author="blind")
def blind_scaled_key(q, k, v, K_cache, V_cache):
    d_k = k.shape[-1]
    k = k / d_k**0.5
    K = np.concatenate([K_cache, k], axis=-2)
    V = np.concatenate([V_cache, v], axis=-2)
    scores = q @ np.swapaxes(K, -1, -2) / d_k**0.5
    return my_softmax(scores) @ V, K, V


# scaled by sqrt(d_v) instead of sqrt(d_k)
@wrong("root-of-d_v", author="blind")
def o44_dv(q, k, v, K_cache, V_cache):
    K = np.concatenate((K_cache, k), axis=-2)
    V = np.concatenate((V_cache, v), axis=-2)
    weights = np.exp(q @ K.swapaxes(-1, -2) / V.shape[-1] ** 0.5)
    out = weights / weights.sum(axis=-1, keepdims=True) @ V
    return out, K, V


# the query attends to the old cache only, not to its own key AND the scores are divided by d_k,
# not its root
@wrong("sees-itself-at-first", "divided-by-d", author="blind")
def g26_old_cache_and_d_k(q, k, v, K_cache, V_cache):
    if K_cache.shape[-2] == 0:
        out = v.copy()
    else:
        s = np.einsum("...id,...jd->...ij", q, K_cache) / q.shape[-1]
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        att = e / e.sum(axis=-1, keepdims=True)
        out = att @ V_cache
    return out, np.concatenate((K_cache, k), -2), np.concatenate((V_cache, v), -2)


# the query attends to the old cache only, which fails where that is empty
@wrong("does-not-see-itself")
def old_cache_fails_at_first(q, k, v, K_cache, V_cache):
    scores = q @ K_cache.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    out = exps / exps.sum(axis=-1, keepdims=True) @ V_cache
    return out, np.concatenate([K_cache, k], -2), np.concatenate([V_cache, v], -2)
