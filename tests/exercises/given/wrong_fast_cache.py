"""Wrong answers to the exercises of `fast` on caches, heads, costs and windows."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()

# cached_step


def _attend(q, K, V):
    s = q @ np.swapaxes(K, -1, -2) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


@wrong("cached_step", "along-axis-0")
def cs_vstack(q, k, v, K_cache, V_cache):
    K, V = np.vstack([K_cache, k]), np.vstack([V_cache, v])
    return _attend(q, K, V), K, V


@wrong("cached_step")
def cs_axis_1(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], axis=1)
    V = np.concatenate([V_cache, v], axis=1)
    return _attend(q, K, V), K, V


@wrong("cached_step", "last-overwritten", "in-place")
def cs_overwritten_in_place(q, k, v, K_cache, V_cache):
    K_cache[..., -1:, :] = k
    V_cache[..., -1:, :] = v
    return _attend(q, K_cache, V_cache), K_cache, V_cache


@wrong("cached_step", "does-not-see-itself")
def cs_old_cache(q, k, v, K_cache, V_cache):
    out = _attend(q, K_cache, V_cache)
    return out, np.concatenate([K_cache, k], -2), np.concatenate([V_cache, v], -2)


@wrong("cached_step", "prepended")
def cs_prepended(q, k, v, K_cache, V_cache):
    K, V = np.concatenate([k, K_cache], -2), np.concatenate([v, V_cache], -2)
    return _attend(q, K, V), K, V


@wrong("cached_step", "one-result")
def cs_output_only(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    V = np.concatenate([V_cache, v], -2)
    return _attend(q, K, V)


@wrong("cached_step")
def cs_value_forgotten(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    return _attend(q, K, V_cache), K, V_cache


@wrong("cached_step")
def cs_unscaled(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    V = np.concatenate([V_cache, v], -2)
    s = q @ np.swapaxes(K, -1, -2)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V, K, V


@wrong("cached_step", said="You return shape (3,)")
def cs_squeezed(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    V = np.concatenate([V_cache, v], -2)
    return _attend(q, K, V)[..., 0, :], K, V


@wrong("cached_step")
def cs_all_positions(q, k, v, K_cache, V_cache):
    K = np.concatenate([K_cache, k], -2)
    V = np.concatenate([V_cache, v], -2)
    return _attend(K, K, V), K, V


@wrong("cached_step", "not-repeatable")
def cs_global_cache(q, k, v, K_cache, V_cache, kept=[]):  # noqa: B006
    kept.append(k)
    K = np.concatenate([K_cache, *kept], -2)
    V = np.concatenate([V_cache, *([v] * len(kept))], -2)
    return _attend(q, K, V), K, V


# repeat_kv


@wrong("repeat_kv", "tiled")
def rk_tile(K, n_rep):
    return np.tile(K, (n_rep, 1, 1))


@wrong("repeat_kv")
def rk_no_axis(K, n_rep):
    return np.repeat(K, n_rep)


@wrong("repeat_kv")
def rk_axis_1(K, n_rep):
    return np.repeat(K, n_rep, axis=1)


@wrong("repeat_kv", "tiled")
def rk_broadcast_first(K, n_rep):
    *batch, h, n, d = K.shape
    copies = np.broadcast_to(K[..., None, :, :, :], (*batch, n_rep, h, n, d))
    return copies.reshape(*batch, n_rep * h, n, d)


@wrong("repeat_kv", "built-in")
def rk_built_in(K, n_rep):
    from course_attn.in_numpy.fast import repeat_kv

    return repeat_kv(K, n_rep)


@wrong("repeat_kv", "first-axis")
def rk_axis_0(K, n_rep):
    return np.repeat(K, n_rep, axis=0)


@wrong("repeat_kv")
def rk_list(K, n_rep):
    return [head for head in K for _ in range(n_rep)]


@wrong("repeat_kv", said="numbered [1, 1, 1, 0, 0, 0]")
def rk_mirrored(K, n_rep):
    return np.repeat(K[..., ::-1, :, :], n_rep, axis=-3)


# attention_flops


@wrong("attention_flops", "dtype")
def af_float(n_q, n_k, d_k, d_v, n_heads):
    return 2.0 * n_heads * n_q * n_k * (d_k + d_v)


@wrong("attention_flops")
def af_no_two(n_q, n_k, d_k, d_v, n_heads):
    return n_heads * n_q * n_k * (d_k + d_v)


@wrong("attention_flops", "values-as-wide-as-keys")
def af_same_width(n_q, n_k, d_k, d_v, n_heads):
    return 4 * n_heads * n_q * n_k * d_k


@wrong("attention_flops", said="3 · n_heads · n_q · n_k too many")
def af_with_softmax(n_q, n_k, d_k, d_v, n_heads):
    return n_heads * n_q * n_k * (2 * d_k + 2 * d_v + 3)


@wrong("attention_flops")
def af_causal(n_q, n_k, d_k, d_v, n_heads):
    return n_heads * n_q * n_k * (d_k + d_v)


@wrong("attention_flops")
def af_split_widths(n_q, n_k, d_k, d_v, n_heads):
    return 2 * n_q * n_k * (d_k + d_v) // n_heads


# sliding_window_mask


@wrong("sliding_window_mask")
def sw_triu(n_q, n_k, window):
    return np.triu(np.tri(n_q, n_k, n_k - n_q, dtype=bool), -window)


@wrong("sliding_window_mask", "top-left")
def sw_square_only(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    return (j <= i) & (i - j < window)


@wrong("sliding_window_mask", "both-sides")
def sw_distance(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    return np.abs(i + n_k - n_q - j) < window


@wrong("sliding_window_mask", "centered")
def sw_half_window(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    return np.abs(i + n_k - n_q - j) <= window // 2


@wrong("sliding_window_mask")
def sw_strict(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    p = i + n_k - n_q
    return (p - window < j) & (j < p)


@wrong("sliding_window_mask", "float")
def sw_integers(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    p = i + n_k - n_q
    return ((p - window < j) & (j <= p)).astype(int)


@wrong("sliding_window_mask", "negative-start")
def sw_negative_slice(n_q, n_k, window):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        at = i + n_k - n_q
        mask[i, at - window + 1 : at + 1] = True
    return mask


@wrong("sliding_window_mask")
def sw_wrong_and(n_q, n_k, window):
    i, j = np.indices((n_q, n_k))
    p = i + n_k - n_q
    return p - window < j <= p


@wrong("sliding_window_mask", "built-in")
def sw_built_in(n_q, n_k, window):
    from course_attn.in_numpy.masks import sliding_window_mask

    return sliding_window_mask(n_q, n_k, window=window)


# grouped_attention_torch


@wrong("grouped_attention_torch", "in-turn")
def ga_repeat(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    times = [1] * (K.ndim - 3) + [r, 1, 1]
    s = Q @ K.repeat(times).mT / Q.shape[-1] ** 0.5
    return s.softmax(-1) @ V.repeat(times)


@wrong("grouped_attention_torch")
def ga_not_repeated(Q, K, V):
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V


@wrong("grouped_attention_torch")
def ga_dim_0(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K, V = K.repeat_interleave(r, 0), V.repeat_interleave(r, 0)
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V


@wrong("grouped_attention_torch", "built-in")
def ga_built_in(Q, K, V):
    from torch.nn.functional import scaled_dot_product_attention

    return scaled_dot_product_attention(Q, K, V, enable_gqa=True)


@wrong("grouped_attention_torch", "detached")
def ga_detached(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K, V = (X.detach().repeat_interleave(r, -3) for X in (K, V))
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V


@wrong("grouped_attention_torch", "in-turn")
def ga_groups_the_other_way(Q, K, V):
    n_kv = K.shape[-3]
    q = Q.unflatten(-3, (-1, n_kv))
    s = q @ K.unsqueeze(-4).mT / Q.shape[-1] ** 0.5
    return (s.softmax(-1) @ V.unsqueeze(-4)).flatten(-4, -3)


@wrong("grouped_attention_torch", "unscaled", "wrong-axis")
def ga_softmax_over_queries(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K, V = K.repeat_interleave(r, -3), V.repeat_interleave(r, -3)
    return (Q @ K.mT).softmax(-2) @ V


# not declared: what a tutor would say of each


@wrong("cached_step", mistake="divides by √d_k after the softmax")
def cs_scaled_late(q, k, v, K_cache, V_cache):
    K, V = (
        np.concatenate([K_cache, k], axis=-2),
        np.concatenate([V_cache, v], axis=-2),
    )
    e = np.exp(q @ np.swapaxes(K, -1, -2))
    return e / e.sum(-1, keepdims=True) / q.shape[-1] ** 0.5 @ V, K, V


@wrong("cached_step", mistake="one sum for the whole batch")
def cs_one_sum(q, k, v, K_cache, V_cache):
    K, V = (
        np.concatenate([K_cache, k], axis=-2),
        np.concatenate([V_cache, v], axis=-2),
    )
    s = np.einsum("...qd,...kd->...qk", q, K) / q.shape[-1] ** 0.5
    e = np.exp(s - s.max())
    return np.einsum("...qk,...kd->...qd", e / e.sum(), V), K, V


@wrong("cached_step", mistake="K.T turns all axes of a batch around")
def cs_transpose_all(q, k, v, K_cache, V_cache):
    K, V = np.append(K_cache, k, axis=-2), np.append(V_cache, v, axis=-2)
    s = q @ K.T / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V, K, V


@wrong("cached_step", mistake="an empty cache is returned untouched, not grown")
def cs_special_first(q, k, v, K_cache, V_cache):
    if K_cache.shape[-2] == 0:
        return v, K_cache, V_cache
    K, V = (
        np.concatenate([K_cache, k], axis=-2),
        np.concatenate([V_cache, v], axis=-2),
    )
    return _attend(q, K, V), K, V


@wrong("repeat_kv", mistake="adds n_rep copies to the original")
def rk_plus_original(K, n_rep):
    return np.repeat(K, 1 + n_rep, axis=-3)


@wrong("repeat_kv", mistake="takes the heads in turn: % in place of //")
def rk_modulo(K, n_rep):
    h = K.shape[-3]
    return np.stack([K[..., i % h, :, :] for i in range(h * n_rep)], axis=-3)


@wrong("repeat_kv", mistake="divides by the number of heads, not by n_rep")
def rk_wrong_divisor(K, n_rep):
    h = K.shape[-3]
    return K[..., np.minimum(np.arange(h * n_rep) // h, h - 1), :, :]


@wrong("repeat_kv", mistake="indexes the first axis: wrong with a batch")
def rk_index_first(K, n_rep):
    return K[np.arange(K.shape[0] * n_rep) // n_rep]


@wrong("attention_flops", mistake="counts n_heads once too few in the mixing")
def af_precedence(n_q, n_k, d_k, d_v, n_heads):
    return n_heads * 2 * n_q * d_k * n_k + 2 * n_q * n_k * d_v


@wrong("attention_flops", mistake="counts the projections too")
def af_projections(n_q, n_k, d_k, d_v, n_heads):
    d = n_heads * d_k
    projections = 2 * n_heads * (n_q * d * d_k + n_k * d * d_k + n_k * d * d_v)
    return projections + 2 * n_heads * n_q * n_k * (d_k + d_v)


@wrong("attention_flops", mistake="the additions are missing in the scores")
def af_half_scores(n_q, n_k, d_k, d_v, n_heads):
    return n_heads * (n_q * d_k * n_k + 2 * n_q * n_k * d_v)


@wrong(
    "attention_flops", mistake="counts the numbers of Q, K and V, not operations"
)
def af_sizes(n_q, n_k, d_k, d_v, n_heads):
    return n_heads * (n_q * d_k + n_k * d_k + n_k * d_v)


@wrong("sliding_window_mask", mistake="the far end of the window is not shifted")
def sw_triu_unshifted(n_q, n_k, window):
    causal = np.tril(np.ones((n_q, n_k), bool), n_k - n_q)
    return np.triu(causal, 1 - window)


@wrong("sliding_window_mask", mistake="hides the window and shows what lies beyond")
def sw_inverted_distance(n_q, n_k, window):
    return np.array(
        [[0 <= i + n_k - n_q - j >= window for j in range(n_k)] for i in range(n_q)]
    )


@wrong(
    "sliding_window_mask",
    mistake="positions are clipped at 0, so early queries see key 0",
)
def sw_clipped(n_q, n_k, window):
    p = np.maximum(np.arange(n_q)[:, None] + n_k - n_q, 0)
    j = np.arange(n_k)
    return (j <= p) & (j > p - window)


@wrong(
    "sliding_window_mask",
    mistake="an overlap of two mistakes: not aligned, and one key too far",
)
def sw_two(n_q, n_k, window):
    return np.array(
        [[i - window <= j <= i for j in range(n_k)] for i in range(n_q)]
    )


@wrong("grouped_attention_torch", mistake="divides h by n_kv_heads, not by r")
def ga_wrong_group(Q, K, V):
    n_kv = K.shape[-3]
    index = [h // n_kv for h in range(Q.shape[-3])]
    K, V = K[..., index, :, :], V[..., index, :, :]
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V


@wrong("grouped_attention_torch", mistake="divides by √d_k after the softmax")
def ga_scaled_late(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K, V = K.repeat_interleave(r, -3), V.repeat_interleave(r, -3)
    return (Q @ K.mT).softmax(-1) / Q.shape[-1] ** 0.5 @ V


@wrong(
    "grouped_attention_torch",
    mistake="hides the future, though no mask is asked for",
)
def ga_causal(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K, V = K.repeat_interleave(r, -3), V.repeat_interleave(r, -3)
    s = Q @ K.mT / Q.shape[-1] ** 0.5
    i = s.new_ones(s.shape[-2:]).cumsum(-2) - s.shape[-2]
    j = s.new_ones(s.shape[-2:]).cumsum(-1) - s.shape[-1]
    return s.masked_fill(j > i, float("-inf")).softmax(-1) @ V


@wrong(
    "grouped_attention_torch", mistake="averages over the query heads of a group"
)
def ga_group_mean(Q, K, V):
    q = Q.unflatten(-3, (K.shape[-3], -1)).mean(-3)
    return (q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V
