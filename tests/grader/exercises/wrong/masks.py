"""Wrong answers to the exercises of `masks` as learners write them. Each must be refused."""

import numpy as np

from tests.grader.exercises.answers import Answers

answers = Answers()


@answers("causal_mask")
def cm_triu_bool(n_q, n_k):
    return np.triu(np.ones((n_q, n_k)), k=1).astype(bool)


@answers("causal_mask")
def cm_tril_int(n_q, n_k):
    return np.tril(np.ones((n_q, n_k), dtype=int), k=n_k - n_q)


@answers("causal_mask")
def cm_tril_times_inf(n_q, n_k):
    return np.tril(np.ones((n_q, n_k)), k=n_k - n_q) * -np.inf


@answers("causal_mask")
def cm_minus_1e9(n_q, n_k):
    return np.triu(np.full((n_q, n_k), -1e9), k=n_k - n_q + 1)


@answers("causal_mask")
def cm_never_more_than_itself(n_q, n_k):
    return np.eye(n_q, n_k, n_k - n_q, dtype=bool)


@answers("causal_mask", "shift-cut-at-0")
def cm_aligned_unless_more_queries(n_q, n_k):
    return np.tri(n_q, n_k, max(n_k - n_q, 0), dtype=bool)


@answers("causal_mask")
def cm_n_k_square(n_q, n_k):
    return np.tri(n_k, dtype=bool)


@answers("causal_mask", "absolute-shift")
def cm_absolute_shift(n_q, n_k):
    return np.arange(n_k) <= np.arange(n_q)[:, None] + abs(n_k - n_q)


@answers("causal_mask")
def cm_list(n_q, n_k):
    return [[j <= i + n_k - n_q for j in range(n_k)] for i in range(n_q)]


@answers("causal_mask")
def cm_inverted_lower_off(n_q, n_k):
    return ~np.tril(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q - 1)


@answers("masked_softmax")
def msm_in_place(scores, mask):
    scores[~np.broadcast_to(mask, scores.shape)] = -np.inf
    top = scores.max(-1, keepdims=True)
    e = np.exp(scores - np.where(np.isinf(top), 0, top))
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-9)


@answers("masked_softmax")
def msm_no_broadcast(scores, mask):
    s = scores.copy()
    s[~mask] = -1e9
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * mask.any(-1, keepdims=True)


@answers("masked_softmax")
def msm_added_big_number(scores, mask):
    s = scores + (mask - 1) * 1e9
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@answers("masked_softmax")
def msm_times_mask_first(scores, mask):
    s = scores * mask
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@answers("masked_softmax")
def msm_no_shift(scores, mask):
    e = np.exp(scores) * mask
    return e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-12)


@answers("masked_softmax")
def msm_eps_minus_inf(scores, mask):
    s = np.where(mask, scores, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-9)


@answers("masked_softmax")
def msm_global_max(scores, mask):
    s = np.where(mask, scores, -np.inf)
    e = np.exp(s - np.max(s))
    return e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-12)


@answers("masked_softmax")
def msm_fill_minus_ten(scores, mask):
    s = np.where(mask, scores, -10)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@answers("masked_softmax")
def msm_zero_then_where(scores, mask):
    s = np.where(mask, scores, 0)
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.where(mask, e / e.sum(-1, keepdims=True), 0)


@answers("masked_softmax")
def msm_empty_one(scores, mask):
    s = np.where(mask, scores, -np.inf)
    top = s.max(-1, keepdims=True)
    top = np.where(np.isinf(top), 0, top)
    e = np.exp(s - top)
    return np.where(
        mask.any(-1, keepdims=True),
        e / np.maximum(e.sum(-1, keepdims=True), 1e-9),
        1.0,
    )


@answers("padding_mask")
def pm_two_axes_off(lengths, n_k):
    return np.arange(n_k) <= lengths[:, None]


@answers("padding_mask")
def pm_heads(lengths, n_k):
    return (np.arange(n_k) < lengths[:, None])[:, None, None, :]


@answers("padding_mask")
def pm_first_axis(lengths, n_k):
    return (np.arange(n_k) < lengths[:, None])[None]


@answers("padding_mask", "longest")
def pm_longest(lengths, n_k):
    return np.arange(lengths.max()) < lengths[:, None, None]


@answers("padding_mask")
def pm_only_last_hidden(lengths, n_k):
    return np.arange(n_k) != lengths[:, None, None]


@answers("padding_mask", "one-too-few")
def pm_last_index(lengths, n_k):
    return np.arange(n_k) < lengths[:, None, None] - 1


@answers("padding_mask", "longest")
def pm_longest_loop(lengths, n_k):
    mask = np.zeros((len(lengths), 1, max(lengths)), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, 0, :length] = True
    return mask


@answers("causal_attention", "built-in")
def ca_handed_over(Q, K, V):
    from course_attn.in_numpy.qkv import attention

    return attention(Q, K, V, causal=True)


@answers("causal_attention")
def ca_rows_sum_over_all(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    mask = np.tri(Q.shape[-2], K.shape[-2], K.shape[-2] - Q.shape[-2])
    return (e * mask / e.sum(-1, keepdims=True)) @ V


@answers("causal_attention")
def ca_square_tril(Q, K, V):
    n = Q.shape[-2]
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    s = np.where(np.tri(n, dtype=bool), s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


@answers("causal_attention")
def ca_masked_values(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    s = np.tril(s, K.shape[-2] - Q.shape[-2])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


@answers("causal_attention")
def ca_dot_t(Q, K, V):
    s = Q @ K.T / np.sqrt(Q.shape[-1])
    mask = np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool)
    s = np.where(mask, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask.any(-1, keepdims=True)
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-9) @ V


@answers("causal_attention")
def ca_scaled_by_values(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(V.shape[-1])
    mask = np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool)
    s = np.where(mask, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask.any(-1, keepdims=True)
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-9) @ V


@answers("causal_attention")
def ca_returns_weights(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    mask = np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool)
    s = np.where(mask, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask.any(-1, keepdims=True)
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-9)


@answers("causal_attention")
def ca_masks_the_output(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.tril(e / e.sum(-1, keepdims=True) @ V)


@answers("causal_attention")
def ca_minus_1e9_everywhere(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    s = np.where(
        np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool), s, -1e9
    )
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


def _scores_and_mask(Q, K):
    s = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
    return s, np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool)


@answers("causal_attention", "no-shift")
def ca_no_shift(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(s) * mask
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-12) @ V


@answers("causal_attention", "no-shift")
def ca_no_shift_where(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(np.where(mask, s, -np.inf))
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ V


@answers("causal_attention", "no-shift-empty-nan")
def ca_no_shift_unguarded(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(np.where(mask, s, -1e9))
    return e / e.sum(-1, keepdims=True) @ V


@answers("causal_attention", "renormalized-late")
def ca_renormalized_late(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True) * mask
    return w / w.sum(-1, keepdims=True) @ V


@answers("causal_attention", "renormalized-late-guarded")
def ca_renormalized_late_guarded(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True) * mask
    return w / np.maximum(w.sum(-1, keepdims=True), 1e-12) @ V


@answers("causal_attention", "renormalized-late-guarded")
def ca_shifted_by_the_future(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ V


@answers("causal_attention", "renormalized-late-guarded")
def ca_renormalized_late_nan_to_num(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask
    return np.nan_to_num(e / e.sum(-1, keepdims=True)) @ V


@answers("causal_attention", "shift-cut-at-0")
def ca_shift_cut_at_0(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
    mask = np.tri(*s.shape[-2:], max(0, s.shape[-1] - s.shape[-2]), dtype=bool)
    s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


@answers("to_torch_mha_mask")
def tm_in_place(mask):
    np.logical_not(mask, out=mask)
    return mask


@answers("to_torch_mha_mask", "numbers", said="refuses")
def tm_one_minus(mask):
    return 1 - mask


@answers("to_torch_mha_mask", said="`~")
def tm_minus(mask):
    return -mask


@answers("to_torch_mha_mask", said="`np.logical_not(…)`")
def tm_not(mask):
    return not mask


@answers("to_torch_mha_mask", "inverted-integers")
def tm_invert_int(mask):
    return ~mask.astype(int)


@answers("to_torch_mha_mask", "numbers", said="is *added*")
def tm_one_minus_float(mask):
    return 1.0 - mask


@answers("to_torch_mha_mask", said="`np.logical_not(…)`")
def tm_true_minus(mask):
    return True - mask
