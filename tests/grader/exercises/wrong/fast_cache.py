"""Wrong answers to the exercises of `fast` on caches, heads, costs and windows."""

import numpy as np

from tests.grader.exercises.answers import Answers

answers = Answers()

# cached_step


def _attend(q, K, V):
    s = q @ np.swapaxes(K, -1, -2) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


@answers("cached_step", "along-axis-0")
def cs_vstack(q, k, v, K_cache, V_cache):
    K, V = np.vstack([K_cache, k]), np.vstack([V_cache, v])
    return _attend(q, K, V), K, V


@answers("cached_step")
def cs_axis_1(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], axis=1)
    V = np.concatenate([V_cache, v], axis=1)
    return _attend(q, K, V), K, V


@answers("cached_step", "known-here", "in-place")
def cs_overwritten_in_place(q, k, v, K_cache, V_cache):
    K_cache[..., -1:, :] = k
    V_cache[..., -1:, :] = v
    return _attend(q, K_cache, V_cache), K_cache, V_cache


@answers("cached_step", "does-not-see-itself")
def cs_old_cache(q, k, v, K_cache, V_cache):
    out = _attend(q, K_cache, V_cache)
    return out, np.concatenate([K_cache, k], -2), np.concatenate([V_cache, v], -2)


@answers("cached_step", "prepended")
def cs_prepended(q, k, v, K_cache, V_cache):
    K, V = np.concatenate([k, K_cache], -2), np.concatenate([v, V_cache], -2)
    return _attend(q, K, V), K, V


@answers("cached_step", "one-result")
def cs_output_only(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    V = np.concatenate([V_cache, v], -2)
    return _attend(q, K, V)


@answers("cached_step")
def cs_value_forgotten(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    return _attend(q, K, V_cache), K, V_cache


@answers("cached_step")
def cs_unscaled(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    V = np.concatenate([V_cache, v], -2)
    s = q @ np.swapaxes(K, -1, -2)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V, K, V


@answers("cached_step", "shape")
def cs_squeezed(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    V = np.concatenate([V_cache, v], -2)
    return _attend(q, K, V)[..., 0, :], K, V


@answers("cached_step")
def cs_all_positions(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    V = np.concatenate([V_cache, v], -2)
    return _attend(K, K, V), K, V


@answers("cached_step", "not-repeatable")
def cs_global_cache(q, k, v, K_cache, V_cache, kept=[]):  # noqa: B006
    kept.append(k)
    K = np.concatenate([K_cache, *kept], -2)
    V = np.concatenate([V_cache, *([v] * len(kept))], -2)
    return _attend(q, K, V), K, V


# repeat_kv


@answers("repeat_kv", "tiled")
def rk_tile(K, n_rep):
    return np.tile(K, (n_rep, 1, 1))


@answers("repeat_kv")
def rk_no_axis(K, n_rep):
    return np.repeat(K, n_rep)


@answers("repeat_kv")
def rk_axis_1(K, n_rep):
    return np.repeat(K, n_rep, axis=1)


@answers("repeat_kv", "tiled")
def rk_broadcast_first(K, n_rep):
    *batch, h, n, d = K.shape
    copies = np.broadcast_to(K[..., None, :, :, :], (*batch, n_rep, h, n, d))
    return copies.reshape(*batch, n_rep * h, n, d)


@answers("repeat_kv", "built-in")
def rk_built_in(K, n_rep):
    from course_attn.in_numpy.fast import repeat_kv

    return repeat_kv(K, n_rep)


@answers("repeat_kv", "first-axis")
def rk_axis_0(K, n_rep):
    return np.repeat(K, n_rep, axis=0)


@answers("repeat_kv")
def rk_list(K, n_rep):
    return [head for head in K for _ in range(n_rep)]


@answers("repeat_kv", "heads")
def rk_mirrored(K, n_rep):
    return np.repeat(K[..., ::-1, :, :], n_rep, axis=-3)


# attention_flops


@answers("attention_flops", "dtype")
def af_float(n_q, n_k, d_k, d_v, n_heads):
    return 2.0 * n_heads * n_q * n_k * (d_k + d_v)


@answers("attention_flops")
def af_no_two(n_q, n_k, d_k, d_v, n_heads):
    return n_heads * n_q * n_k * (d_k + d_v)


@answers("attention_flops", "values-as-wide-as-keys")
def af_same_width(n_q, n_k, d_k, d_v, n_heads):
    return 4 * n_heads * n_q * n_k * d_k


@answers("attention_flops", "parts")
def af_with_softmax(n_q, n_k, d_k, d_v, n_heads):
    return n_heads * n_q * n_k * (2 * d_k + 2 * d_v + 3)


@answers("attention_flops")
def af_causal(n_q, n_k, d_k, d_v, n_heads):
    return n_heads * n_q * n_k * (d_k + d_v)


@answers("attention_flops")
def af_split_widths(n_q, n_k, d_k, d_v, n_heads):
    return 2 * n_q * n_k * (d_k + d_v) // n_heads


# sliding_window_mask


@answers("sliding_window_mask")
def sw_triu(n_q, n_k, window):
    return np.triu(np.tri(n_q, n_k, n_k - n_q, dtype=bool), -window)


@answers("sliding_window_mask", "top-left")
def sw_square_only(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    return (j <= i) & (i - j < window)


@answers("sliding_window_mask", "both-sides")
def sw_distance(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    return np.abs(i + n_k - n_q - j) < window


@answers("sliding_window_mask", "centered")
def sw_half_window(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    return np.abs(i + n_k - n_q - j) <= window // 2


@answers("sliding_window_mask")
def sw_strict(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    p = i + n_k - n_q
    return (p - window < j) & (j < p)


@answers("sliding_window_mask", "float")
def sw_integers(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    p = i + n_k - n_q
    return ((p - window < j) & (j <= p)).astype(int)


@answers("sliding_window_mask", "negative-start")
def sw_negative_slice(n_q, n_k, window):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        at = i + n_k - n_q
        mask[i, at - window + 1 : at + 1] = True
    return mask


@answers("sliding_window_mask")
def sw_wrong_and(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    p = i + n_k - n_q
    return p - window < j <= p


@answers("sliding_window_mask", "built-in")
def sw_built_in(n_q, n_k, window):
    from course_attn.in_numpy.masks import sliding_window_mask

    return sliding_window_mask(n_q, n_k, window=window)


# grouped_attention_torch


@answers("grouped_attention_torch", "in-turn")
def ga_repeat(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    times = [1] * (K.ndim - 3) + [r, 1, 1]
    s = Q @ K.repeat(times).mT / Q.shape[-1] ** 0.5
    return s.softmax(-1) @ V.repeat(times)


@answers("grouped_attention_torch")
def ga_not_repeated(Q, K, V):
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V


@answers("grouped_attention_torch")
def ga_dim_0(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K, V = K.repeat_interleave(r, 0), V.repeat_interleave(r, 0)
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V


@answers("grouped_attention_torch", "built-in")
def ga_built_in(Q, K, V):
    from torch.nn.functional import scaled_dot_product_attention

    return scaled_dot_product_attention(Q, K, V, enable_gqa=True)


@answers("grouped_attention_torch", "detached")
def ga_detached(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K, V = (X.detach().repeat_interleave(r, -3) for X in (K, V))
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V


@answers("grouped_attention_torch", "in-turn")
def ga_groups_the_other_way(Q, K, V):
    n_kv = K.shape[-3]
    q = Q.unflatten(-3, (-1, n_kv))
    s = q @ K.unsqueeze(-4).mT / Q.shape[-1] ** 0.5
    return (s.softmax(-1) @ V.unsqueeze(-4)).flatten(-4, -3)


@answers("grouped_attention_torch", "unscaled", "wrong-axis")
def ga_softmax_over_queries(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K, V = K.repeat_interleave(r, -3), V.repeat_interleave(r, -3)
    return (Q @ K.mT).softmax(-2) @ V
