"""Wrong answers to the exercises of `masks` as learners write them. Each must be refused."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


@wrong("causal_mask")
def cm_triu_bool(n_q, n_k):
    return np.triu(np.ones((n_q, n_k)), k=1).astype(bool)


@wrong("causal_mask")
def cm_tril_int(n_q, n_k):
    return np.tril(np.ones((n_q, n_k), dtype=int), k=n_k - n_q)


@wrong("causal_mask")
def cm_tril_times_inf(n_q, n_k):
    return np.tril(np.ones((n_q, n_k)), k=n_k - n_q) * -np.inf


@wrong("causal_mask")
def cm_minus_1e9(n_q, n_k):
    return np.triu(np.full((n_q, n_k), -1e9), k=n_k - n_q + 1)


@wrong("causal_mask")
def cm_never_more_than_itself(n_q, n_k):
    return np.eye(n_q, n_k, n_k - n_q, dtype=bool)


@wrong("causal_mask", "shift-cut-at-0")
def cm_aligned_unless_more_queries(n_q, n_k):
    return np.tri(n_q, n_k, max(n_k - n_q, 0), dtype=bool)


@wrong("causal_mask")
def cm_n_k_square(n_q, n_k):
    return np.tri(n_k, dtype=bool)


@wrong("causal_mask", said="`abs`")
def cm_absolute_shift(n_q, n_k):
    return np.arange(n_k) <= np.arange(n_q)[:, None] + abs(n_k - n_q)


@wrong("causal_mask")
def cm_list(n_q, n_k):
    return [[j <= i + n_k - n_q for j in range(n_k)] for i in range(n_q)]


@wrong("causal_mask")
def cm_inverted_lower_off(n_q, n_k):
    return ~np.tril(np.ones((n_q, n_k), dtype=bool), k=n_k - n_q - 1)


@wrong("masked_softmax")
def msm_in_place(scores, mask):
    scores[~np.broadcast_to(mask, scores.shape)] = -np.inf
    top = scores.max(-1, keepdims=True)
    e = np.exp(scores - np.where(np.isinf(top), 0, top))
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-9)


@wrong("masked_softmax")
def msm_no_broadcast(scores, mask):
    s = scores.copy()
    s[~mask] = -1e9
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * mask.any(-1, keepdims=True)


@wrong("masked_softmax")
def msm_added_big_number(scores, mask):
    s = scores + (mask - 1) * 1e9
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@wrong("masked_softmax")
def msm_times_mask_first(scores, mask):
    s = scores * mask
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@wrong("masked_softmax")
def msm_no_shift(scores, mask):
    e = np.exp(scores) * mask
    return e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-12)


@wrong("masked_softmax")
def msm_eps_minus_inf(scores, mask):
    s = np.where(mask, scores, -np.inf)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-9)


@wrong("masked_softmax")
def msm_global_max(scores, mask):
    s = np.where(mask, scores, -np.inf)
    e = np.exp(s - np.max(s))
    return e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-12)


@wrong("masked_softmax")
def msm_fill_minus_ten(scores, mask):
    s = np.where(mask, scores, -10)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@wrong("masked_softmax")
def msm_zero_then_where(scores, mask):
    s = np.where(mask, scores, 0)
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.where(mask, e / e.sum(-1, keepdims=True), 0)


@wrong("masked_softmax")
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


@wrong("padding_mask")
def pm_two_axes_off(lengths, n_k):
    return np.arange(n_k) <= lengths[:, None]


@wrong("padding_mask")
def pm_heads(lengths, n_k):
    return (np.arange(n_k) < lengths[:, None])[:, None, None, :]


@wrong("padding_mask")
def pm_first_axis(lengths, n_k):
    return (np.arange(n_k) < lengths[:, None])[None]


@wrong("padding_mask", "longest")
def pm_longest(lengths, n_k):
    return np.arange(lengths.max()) < lengths[:, None, None]


@wrong("padding_mask")
def pm_only_last_hidden(lengths, n_k):
    return np.arange(n_k) != lengths[:, None, None]


@wrong("padding_mask", "one-too-few")
def pm_last_index(lengths, n_k):
    return np.arange(n_k) < lengths[:, None, None] - 1


@wrong("padding_mask", "longest")
def pm_longest_loop(lengths, n_k):
    mask = np.zeros((len(lengths), 1, max(lengths)), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, 0, :length] = True
    return mask


@wrong("causal_attention", "built-in")
def ca_handed_over(Q, K, V):
    from course_attn.in_numpy.qkv import attention

    return attention(Q, K, V, causal=True)


@wrong("causal_attention")
def ca_rows_sum_over_all(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    mask = np.tri(Q.shape[-2], K.shape[-2], K.shape[-2] - Q.shape[-2])
    return (e * mask / e.sum(-1, keepdims=True)) @ V


@wrong("causal_attention")
def ca_square_tril(Q, K, V):
    n = Q.shape[-2]
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    s = np.where(np.tri(n, dtype=bool), s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


@wrong("causal_attention")
def ca_masked_values(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    s = np.tril(s, K.shape[-2] - Q.shape[-2])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


@wrong("causal_attention")
def ca_dot_t(Q, K, V):
    s = Q @ K.T / np.sqrt(Q.shape[-1])
    mask = np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool)
    s = np.where(mask, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask.any(-1, keepdims=True)
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-9) @ V


@wrong("causal_attention")
def ca_scaled_by_values(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(V.shape[-1])
    mask = np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool)
    s = np.where(mask, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask.any(-1, keepdims=True)
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-9) @ V


@wrong("causal_attention")
def ca_returns_weights(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    mask = np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool)
    s = np.where(mask, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask.any(-1, keepdims=True)
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-9)


@wrong("causal_attention")
def ca_masks_the_output(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.tril(e / e.sum(-1, keepdims=True) @ V)


@wrong("causal_attention")
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


@wrong("causal_attention", "no-shift")
def ca_no_shift(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(s) * mask
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-12) @ V


@wrong("causal_attention", "no-shift")
def ca_no_shift_where(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(np.where(mask, s, -np.inf))
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ V


@wrong("causal_attention", "no-shift", "empty-nan")
def ca_no_shift_unguarded(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(np.where(mask, s, -1e9))
    return e / e.sum(-1, keepdims=True) @ V


@wrong("causal_attention", "renormalized-late")
def ca_renormalized_late(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True) * mask
    return w / w.sum(-1, keepdims=True) @ V


@wrong("causal_attention", "renormalized-late-guarded")
def ca_renormalized_late_guarded(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True) * mask
    return w / np.maximum(w.sum(-1, keepdims=True), 1e-12) @ V


@wrong("causal_attention", "renormalized-late-guarded")
def ca_shifted_by_the_future(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ V


@wrong("causal_attention", "renormalized-late-guarded")
def ca_renormalized_late_nan_to_num(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask
    return np.nan_to_num(e / e.sum(-1, keepdims=True)) @ V


@wrong("causal_attention", "shift-cut-at-0")
def ca_shift_cut_at_0(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
    mask = np.tri(*s.shape[-2:], max(0, s.shape[-1] - s.shape[-2]), dtype=bool)
    s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


@wrong("to_torch_mha_mask")
def tm_in_place(mask):
    np.logical_not(mask, out=mask)
    return mask


@wrong("to_torch_mha_mask", "numbers", said="refuses")
def tm_one_minus(mask):
    return 1 - mask


@wrong("to_torch_mha_mask", said="`~")
def tm_minus(mask):
    return -mask


@wrong("to_torch_mha_mask", said="`np.logical_not(…)`")
def tm_not(mask):
    return not mask


@wrong("to_torch_mha_mask", "inverted-integers")
def tm_invert_int(mask):
    return ~mask.astype(int)


@wrong("to_torch_mha_mask", "numbers", said="are *added*")
def tm_one_minus_float(mask):
    return 1.0 - mask


@wrong("to_torch_mha_mask", said="`np.logical_not(…)`")
def tm_true_minus(mask):
    return True - mask


@wrong("causal_mask", mistake="n_q and n_k swapped: rows are queries")
def cm_sizes_swapped(n_q, n_k):
    return np.arange(n_q) <= np.arange(n_k)[:, None] + n_q - n_k


@wrong("causal_mask", mistake="the tril runs from the other corner")
def cm_flipped_rows(n_q, n_k):
    return np.tri(n_q, n_k, n_k - n_q, dtype=bool)[::-1]


@wrong("causal_mask", mistake="more queries than keys: returns too few rows")
def cm_sliced_from_square(n_q, n_k):
    return np.tri(n_k, dtype=bool)[-n_q:]


@wrong("causal_mask", mistake="a loop that starts the keys at the query itself")
def cm_loop_only_diagonal(n_q, n_k):
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        mask[i, i + n_k - n_q] = True
    return mask


@wrong("causal_mask", "built-in", mistake="handed over to PyTorch's twin")
def cm_torch_built_in(n_q, n_k):
    from course_attn.in_torch.masks import causal_mask

    return causal_mask(n_q, n_k).numpy()


@wrong("masked_softmax", mistake="shift only where scores exceed 700: float32")
def msm_shift_above_700(scores, mask):
    s = np.where(mask, scores, -np.inf)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(top > 700, top, np.where(top < -700, top, 0)))
    return e / np.where(e.sum(-1, keepdims=True) == 0, 1, e.sum(-1, keepdims=True))


@wrong("masked_softmax", mistake="empty rows get 1/n instead of zeros")
def msm_empty_even(scores, mask):
    s = np.where(mask, scores, -np.inf)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(np.isinf(top), 0, top))
    total = e.sum(-1, keepdims=True)
    return np.where(total == 0, 1 / scores.shape[-1], e / np.maximum(total, 1e-9))


@wrong("masked_softmax", mistake="looks for one empty array, not for empty rows")
def msm_any_of_all(scores, mask):
    if not mask.any():
        return np.zeros_like(scores)
    s = np.where(mask, scores, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@wrong(
    "masked_softmax",
    said="0 is a score like any other",
    mistake="takes a row for empty if its allowed scores are all 0",
)
def msm_empty_by_scores(scores, mask):
    s = np.where(mask, scores, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * (scores * mask).any(-1, keepdims=True)


@wrong("masked_softmax", mistake="the mask of the first batch entry for all")
def msm_first_mask(scores, mask):
    m = mask if mask.ndim < 3 else mask.reshape(-1, *mask.shape[-2:])[0]
    s = np.where(m, scores, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * np.broadcast_to(m, scores.shape)


@wrong("masked_softmax", mistake="a fill of -1000 is not low enough for all scores")
def msm_fill_minus_thousand(scores, mask):
    s = np.where(mask, scores, -1000.0)
    e = np.exp(s - s.max(-1, keepdims=True))
    return (
        e
        / e.sum(-1, keepdims=True)
        * np.broadcast_to(mask, scores.shape).any(-1, keepdims=True)
    )


@wrong("masked_softmax", mistake="only the allowed weights, compressed")
def msm_compressed(scores, mask):
    s = scores[np.broadcast_to(mask, scores.shape)]
    e = np.exp(s - s.max())
    return e / e.sum()


@wrong("masked_softmax", "built-in", mistake="handed over to PyTorch's twin")
def msm_torch_built_in(scores, mask):
    import torch

    from course_attn.in_torch.masks import masked_softmax

    return masked_softmax(torch.from_numpy(scores), torch.from_numpy(mask)).numpy()


@wrong("padding_mask", mistake="polarity flipped and off by one: > for <")
def pm_greater(lengths, n_k):
    return np.arange(n_k) > lengths[:, None, None]


@wrong("padding_mask", mistake="the length of the first sequence for all")
def pm_first_length(lengths, n_k):
    row = np.arange(n_k) < lengths[0]
    return np.tile(row, (len(lengths), 1, 1))


@wrong("padding_mask", mistake="one row per query, as many as keys")
def pm_square(lengths, n_k):
    return np.broadcast_to(
        np.arange(n_k) < lengths[:, None, None], (len(lengths), n_k, n_k)
    )


@wrong("padding_mask", mistake="length 0 is taken for no padding (Python's -0)")
def pm_negative_slice(lengths, n_k):
    mask = np.ones((len(lengths), 1, n_k), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, 0, -(n_k - length) :] = False
    return mask


@wrong("padding_mask", mistake="batch last: keys and sequences swapped")
def pm_transposed(lengths, n_k):
    return np.arange(n_k)[:, None, None] < lengths


@wrong(
    "causal_attention", mistake="the mask is squared n_k x n_k, cut to the first"
)
def ca_first_rows(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    mask = np.tri(max(n_q, n_k), dtype=bool)[:n_q, :n_k]
    e = np.exp(
        np.where(mask, s, -np.inf) - np.where(mask, s, -np.inf).max(-1)[..., None]
    )
    return e / e.sum(-1, keepdims=True) @ V


@wrong("causal_attention", mistake="multiplied by the square root of d_k")
def ca_times_root(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    s = np.where(mask, s * Q.shape[-1], -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-12) @ V


@wrong("causal_attention", mistake="one maximum for the whole array")
def ca_global_shift(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max())
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-12) @ V


@wrong("causal_attention", mistake="float32 overflows at 89: the shift is clipped")
def ca_clipped(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(np.clip(s, -700, 700)) * mask
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, 1, total) @ V


@wrong("causal_attention", mistake="the values are masked, too: wrong place")
def ca_divides_weights(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    s = np.where(mask, s * Q.shape[-1] ** 0.5, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask
    w = e / np.maximum(e.sum(-1, keepdims=True), 1e-12)
    return (w / Q.shape[-1] ** 0.5) @ V


@wrong("causal_attention", mistake="forgets empty rows and adds -1e9 as a bias")
def ca_bias_1e9(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    s = s + (1 - mask) * -1e9
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


@wrong("causal_attention", mistake="squeezes the result")
def ca_squeezed(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    s = np.where(mask, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask
    return np.squeeze(e / np.maximum(e.sum(-1, keepdims=True), 1e-12) @ V)


@wrong("causal_attention", "built-in", mistake="handed over to PyTorch")
def ca_torch_built_in(Q, K, V):
    import torch

    Q, K, V = (torch.from_numpy(x) for x in (Q, K, V))
    n_q, n_k = Q.shape[-2], K.shape[-2]
    mask = torch.ones(n_q, n_k, dtype=torch.bool).tril(n_k - n_q)
    return torch.nn.functional.scaled_dot_product_attention(
        Q, K, V, attn_mask=mask
    ).numpy()


@wrong("to_torch_mha_mask", mistake="a bias of -1e9 where bool is asked for")
def tm_large_bias(mask):
    return np.where(mask, 0.0, -1e9)


@wrong("to_torch_mha_mask", mistake="a float bias in the wrong polarity, too")
def tm_flipped_bias(mask):
    return np.where(mask, -np.inf, 0.0)


@wrong("to_torch_mha_mask", mistake="the rows are reversed, not the truth values")
def tm_rows_reversed(mask):
    return mask[::-1]


@wrong("to_torch_mha_mask", mistake="the future instead of what the mask says")
def tm_triu(mask):
    return np.triu(np.ones(mask.shape, dtype=bool), k=1)


@wrong("causal_attention", mistake="a fill of -1000 where scores lie below it")
def ca_fill_minus_thousand(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    s = np.where(mask, s, -1000.0)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * mask.any(-1, keepdims=True) @ V


@wrong("causal_attention", mistake="fills with 0 and clears the weights afterward")
def ca_fill_zero_cleared(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    s = s * mask
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * mask @ V


@wrong("causal_attention", "uniform", mistake="the scores play no part")
def ca_uniform(Q, K, V):
    mask = np.tri(Q.shape[-2], K.shape[-2], K.shape[-2] - Q.shape[-2])
    return mask / np.maximum(mask.sum(-1, keepdims=True), 1) @ V


@wrong("causal_attention", "negative-slice", mistake="slices that end below 0")
def ca_slices(Q, K, V):
    out = np.zeros((*Q.shape[:-1], V.shape[-1]))
    for i in range(Q.shape[-2]):
        n = i + K.shape[-2] - Q.shape[-2] + 1
        s = Q[..., i : i + 1, :] @ np.swapaxes(K[..., :n, :], -1, -2)
        s = s / Q.shape[-1] ** 0.5
        if s.shape[-1]:
            e = np.exp(s - s.max(-1, keepdims=True))
            out[..., i, :] = (e / e.sum(-1, keepdims=True) @ V[..., :n, :])[
                ..., 0, :
            ]
    return out


@wrong(
    "hides_the_future",
    "e",
    mistake="triangular weights whose sums run over the queries",
)
def hf_triangular_weights():
    return {"a", "c", "e", "f"}


@wrong("hides_the_future", "b", mistake="takes a weight of 0 for the whole cure")
def hf_weights_of_zero():
    return "b, c, e, f"


@wrong(
    "hides_the_future",
    "a-missing",
    mistake="a shift cancels, wherever it comes from",
)
def hf_without_the_shift():
    return {"f"}


@wrong("hides_the_future", "f-missing", mistake="a window is less than it may see")
def hf_without_the_window():
    return ["a", "c"]


@wrong("hides_the_future", "opposite")
def hf_those_that_leak():
    return "bdeg"


@wrong("from_torch_masks", "or")
def ftm_both_drop(attn_mask, key_padding_mask, is_causal):
    mask = ~(attn_mask & key_padding_mask[:, None, :])
    return np.tril(mask) if is_causal else mask


@wrong("from_torch_masks", "dropped")
def ftm_dropped(attn_mask, key_padding_mask, is_causal):
    dropped = attn_mask | key_padding_mask[:, None, :]
    if is_causal:
        dropped = dropped | np.triu(np.ones(attn_mask.shape, dtype=bool), 1)
    return dropped


@wrong("from_torch_masks", "bottom-right", mistake="the causal mask of this book")
def ftm_our_causal_mask(attn_mask, key_padding_mask, is_causal):
    from course_attn.in_numpy.masks import causal_mask

    mask = ~(attn_mask | key_padding_mask[:, None])
    return mask & causal_mask(*attn_mask.shape) if is_causal else mask


@wrong(
    "from_torch_masks",
    "no-padding",
    mistake="a shape of the batch, and no padding in it",
)
def ftm_no_padding(attn_mask, key_padding_mask, is_causal):
    mask = np.tril(~attn_mask) if is_causal else ~attn_mask
    return np.repeat(mask[None], len(key_padding_mask), axis=0)


@wrong("from_torch_masks", "unchanged", "never-causal")
def ftm_as_given(attn_mask, key_padding_mask, is_causal):
    return attn_mask & key_padding_mask[:, None, :]


@wrong(
    "from_torch_masks",
    mistake="keeps the future with triu, where tril keeps the past",
)
def ftm_upper_triangle(attn_mask, key_padding_mask, is_causal):
    mask = ~attn_mask & ~key_padding_mask[:, None, :]
    return np.triu(mask) if is_causal else mask


@wrong("from_torch_masks", mistake="`is_causal` hides a query from itself, too")
def ftm_not_itself(attn_mask, key_padding_mask, is_causal):
    mask = ~attn_mask & ~key_padding_mask[:, None, :]
    return np.tril(mask, -1) if is_causal else mask


@wrong(
    "from_torch_masks",
    mistake="no axis for the queries: padding meets the wrong axis",
)
def ftm_no_axis(attn_mask, key_padding_mask, is_causal):
    mask = ~attn_mask & ~key_padding_mask
    return np.tril(mask) if is_causal else mask


@wrong("from_torch_masks", mistake="as a bias of 0 and a large negative number")
def ftm_large_bias(attn_mask, key_padding_mask, is_causal):
    hidden = attn_mask | key_padding_mask[:, None]
    if is_causal:
        hidden = hidden | ~np.tri(*attn_mask.shape, dtype=bool)
    return np.where(hidden, -1e9, 0.0)
