"""Answers to `causal_attention`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ca_minus_1e9(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    mask = np.tri(n_q, n_k, n_k - n_q, dtype=bool)
    s = np.einsum("...id,...jd->...ij", Q, K) / Q.shape[-1] ** 0.5
    s = np.where(mask, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask.any(-1, keepdims=True)
    return e @ V / np.maximum(e.sum(-1, keepdims=True), 1e-20)


@right()
def ca_course_steps(Q, K, V):
    from course_attn.in_numpy.masks import causal_mask, masked_softmax

    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1]).astype(Q.dtype)
    return masked_softmax(scores, causal_mask(Q.shape[-2], K.shape[-2])) @ V


@right()
def ca_scaled_query(Q, K, V):
    bias = np.triu(
        np.full((Q.shape[-2], K.shape[-2]), -np.inf), 1 + K.shape[-2] - Q.shape[-2]
    )
    s = (Q * Q.shape[-1] ** -0.5) @ K.swapaxes(-1, -2) + bias
    w = np.exp(s - s.max(-1, keepdims=True))
    w = w / w.sum(-1, keepdims=True)
    return np.nan_to_num(w) @ V


@right()
def ca_float64_inside(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    s = np.einsum("...ia,...ja->...ij", Q, K).astype(float) / np.sqrt(Q.shape[-1])
    s[..., ~np.tri(n_q, n_k, n_k - n_q, dtype=bool)] = -np.inf
    top = np.maximum(s.max(axis=-1, keepdims=True), -1e30)
    e = np.exp(s - top)
    return np.einsum("...ij,...jd->...id", e, V) / np.maximum(
        e.sum(-1, keepdims=True), 1e-30
    )


@right(author="fresh")
def fresh_ca_slices(Q, K, V):
    (n_q, d_k), n_k = Q.shape[-2:], K.shape[-2]
    Y = np.zeros(Q.shape[:-1] + (V.shape[-1],), dtype=Q.dtype)
    for i in range(max(n_q - n_k, 0), n_q):
        stop = i + n_k - n_q + 1
        s = np.einsum("...d,...kd->...k", Q[..., i, :], K[..., :stop, :])
        s = s / math.sqrt(d_k)
        a = np.exp(s - s.max(axis=-1, keepdims=True))
        y = np.einsum("...k,...kv->...v", a, V[..., :stop, :])
        Y[..., i, :] = y / a.sum(axis=-1, keepdims=True)
    return Y


@right(author="fresh")
def fresh_ca_without_the_blind(Q, K, V):
    """Compute only the queries that see something, and put zeros before them."""
    n_k = K.shape[-2]
    n_blind = max(Q.shape[-2] - n_k, 0)
    seeing = Q[..., n_blind:, :] * Q.shape[-1] ** -0.5
    s = seeing @ K.swapaxes(-1, -2)
    n = s.shape[-2]
    s[..., ~np.tri(n, n_k, n_k - n, dtype=bool)] = -np.inf
    a = np.exp(s - s.max(axis=-1)[..., None])
    y = (a / a.sum(axis=-1)[..., None]) @ V
    zeros = np.zeros((*y.shape[:-2], n_blind, y.shape[-1]), dtype=y.dtype)
    return np.concatenate([zeros, y], axis=-2)


@wrong("built-in")
def ca_handed_over(Q, K, V):
    from course_attn.in_numpy.qkv import attention

    return attention(Q, K, V, causal=True)


@wrong()
def ca_square_tril(Q, K, V):
    n = Q.shape[-2]
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    s = np.where(np.tri(n, dtype=bool), s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


@wrong()
def ca_masked_values(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    s = np.tril(s, K.shape[-2] - Q.shape[-2])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


@wrong()
def ca_dot_t(Q, K, V):
    s = Q @ K.T / np.sqrt(Q.shape[-1])
    mask = np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool)
    s = np.where(mask, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask.any(-1, keepdims=True)
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-9) @ V


@wrong()
def ca_scaled_by_values(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(V.shape[-1])
    mask = np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool)
    s = np.where(mask, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask.any(-1, keepdims=True)
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-9) @ V


@wrong()
def ca_masks_the_output(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.tril(e / e.sum(-1, keepdims=True) @ V)


def _scores_and_mask(Q, K):
    s = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
    return s, np.tri(*s.shape[-2:], s.shape[-1] - s.shape[-2], dtype=bool)


@wrong("no-shift")
def ca_no_shift(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(s) * mask
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-12) @ V


@wrong("no-shift", "empty-nan")
def ca_no_shift_unguarded(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(np.where(mask, s, -1e9))
    return e / e.sum(-1, keepdims=True) @ V


@wrong("renormalized-late")
def ca_renormalized_late(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True) * mask
    return w / w.sum(-1, keepdims=True) @ V


@wrong("shift-cut-at-0")
def ca_shift_cut_at_0(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
    mask = np.tri(*s.shape[-2:], max(0, s.shape[-1] - s.shape[-2]), dtype=bool)
    s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


# one maximum for the whole array
@wrong()
def ca_global_shift(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max())
    return e / np.maximum(e.sum(-1, keepdims=True), 1e-12) @ V


# the values are masked, too: wrong place
@wrong()
def ca_divides_weights(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    s = np.where(mask, s * Q.shape[-1] ** 0.5, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * mask
    w = e / np.maximum(e.sum(-1, keepdims=True), 1e-12)
    return (w / Q.shape[-1] ** 0.5) @ V


# forgets empty rows and adds -1e9 as a bias
@wrong()
def ca_bias_1e9(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    s = s + (1 - mask) * -1e9
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ V


# a fill of -1000 where scores lie below it
@wrong()
def ca_fill_minus_thousand(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    s = np.where(mask, s, -1000.0)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * mask.any(-1, keepdims=True) @ V


# fills with 0 and clears the weights afterward
@wrong()
def ca_fill_zero_cleared(Q, K, V):
    s, mask = _scores_and_mask(Q, K)
    s = s * mask
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * mask @ V


# the scores play no part
@wrong("uniform")
def ca_uniform(Q, K, V):
    mask = np.tri(Q.shape[-2], K.shape[-2], K.shape[-2] - Q.shape[-2])
    return mask / np.maximum(mask.sum(-1, keepdims=True), 1) @ V


# sets the scores of the future to 0 instead of minus infinity
@wrong(author="fresh")
def fresh_ca_tril_of_scores(Q, K, V):
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    past = K.shape[-2] - Q.shape[-2]
    scores = np.tril(scores, past)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    sees_any = np.arange(Q.shape[-2]) + past >= 0
    return weights @ V * sees_any[:, None]


# masks the weights after softmax and does not normalize again AND divides the scores by the root of
# the number of keys instead of d_k
@wrong(author="fresh")
def fresh_ca_mask_late_n_k(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    scores = Q @ np.moveaxis(K, -1, -2) / n_k**0.5
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights * np.tri(n_q, n_k, n_k - n_q) @ V


# a query does not see the key at its own position, only those before it AND the scores are divided
# by d_k, not by its root
@wrong(author="unseen")
def second_ma_not_itself_and_no_root(Q, K, V):
    n_q, d_k = Q.shape[-2:]
    n_k = K.shape[-2]
    rows = []
    for i in range(n_q):
        stop = max(0, i + n_k - n_q)
        if stop == 0:
            rows.append(np.zeros(V.shape[:-2] + V.shape[-1:]))
            continue
        q, keys, values = Q[..., i, :], K[..., :stop, :], V[..., :stop, :]
        s = np.einsum("...c,...jc->...j", q, keys) / d_k
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        a = e / e.sum(axis=-1, keepdims=True)
        rows.append(np.einsum("...j,...jv->...v", a, values))
    return np.stack(rows, axis=-2)


# for queries before the first key the end of the slice is negative and counts from the back, so
# that they see keys instead of getting zeros
@wrong(author="unseen")
def third_ma_negative_slice(Q, K, V):
    n_q, n_k, d_k = Q.shape[-2], K.shape[-2], Q.shape[-1]
    Y = np.zeros((*Q.shape[:-1], V.shape[-1]))
    for i in range(n_q):
        end = i + n_k - n_q + 1
        past_K, past_V = K[..., :end, :], V[..., :end, :]
        if past_K.shape[-2] == 0:
            continue
        s = np.einsum("...d,...jd->...j", Q[..., i, :], past_K) / np.sqrt(d_k)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        a = e / e.sum(axis=-1, keepdims=True)
        Y[..., i, :] = np.einsum("...j,...jv->...v", a, past_V)
    return Y


def _offset(Q, K):
    return Q.shape[-2] - K.shape[-2]


# the offset helper subtracts the wrong way round
@wrong("offset-sign", author="unseen")
def fourth_ma_offset_sign(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    ok = np.tri(n_q, n_k, _offset(Q, K), dtype=bool)
    S = np.where(ok, S, -np.inf)
    top = np.where(ok.any(-1, keepdims=True), S.max(-1, keepdims=True), 0)
    W = np.exp(S - top)
    L = W.sum(-1, keepdims=True)
    return W / np.where(L == 0, 1, L) @ V


# aligns the mask to the top left, so that query i sees the keys up to i only AND divides the scores
# by the root of d_v instead of d_k
@wrong(author="unseen")
def fourth_ma_einsum_two(Q, K, V):
    scores = np.einsum("...qd,...kd->...qk", Q, K) / V.shape[-1] ** 0.5
    n_q, n_k = scores.shape[-2:]
    scores = np.where(np.tri(n_q, n_k) > 0, scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum(
        "...qk,...kv,...q->...qv", exps, V, 1 / np.einsum("...qk->...q", exps)
    )


def my_softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# multiplies the weights by the mask after the softmax, and aligns the mask to the top left
@wrong("top-left", "after-softmax", said="First: Your mask", author="blind")
def b6_masks_7(Q, K, V):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    A = my_softmax(S)
    A = np.tril(A)
    return A @ V


# strictly lower triangle and no scaling
@wrong("not-itself", "unscaled", said="Second: The scores", author="blind")
def own_masks_3(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    S = Q @ K.swapaxes(-1, -2)
    allowed = np.tril(np.ones((n_q, n_k), dtype=bool), n_k - n_q - 1)
    S = np.where(allowed, S, -np.inf)
    top = S.max(axis=-1, keepdims=True)
    E = np.exp(S - np.where(np.isneginf(top), 0, top))
    total = E.sum(axis=-1, keepdims=True)
    return (E / np.where(total == 0, 1, total)) @ V


# (two) multiplies the scores with the mask, which makes them 0 and not -inf, and aligns the mask to
# the top left
@wrong("top-left", "fill-zero", author="blind")
def b7_masks_33(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    M = np.tril(np.ones((n_q, n_k)))
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    S = S * M
    S = S - S.max(axis=-1, keepdims=True)
    A = np.exp(S)
    A = A / A.sum(axis=-1, keepdims=True)
    return A @ V


# forbidden scores become 0 (scores times mask) instead of -inf
@wrong("fill-zero-guarded", author="blind")
def k16_times_mask(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    allowed = np.arange(n_k)[None, :] <= np.arange(n_q)[:, None] + n_k - n_q
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    S = S * allowed
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    A = E / E.sum(axis=-1, keepdims=True)
    A = np.where(allowed.any(axis=-1)[:, None], A, 0)
    return A @ V


# scaled by the square root of d_v (the width of the values) instead of d_k
@wrong("root-of-d_v", author="blind")
def p34_dv(Q, K, V):
    n_q, n_k, width = Q.shape[-2], K.shape[-2], V.shape[-1]
    i = np.arange(n_q)[:, None]
    j = np.arange(n_k)[None, :]
    allowed = j <= i + n_k - n_q
    s = np.where(allowed, Q @ np.swapaxes(K, -1, -2) / width**0.5, -np.inf)
    top = s.max(axis=-1, keepdims=True)
    top = np.where(np.isinf(top), 0, top)
    e = np.exp(s - top)
    total = e.sum(axis=-1, keepdims=True)
    total[total == 0] = 1
    return e / total @ V


# divides by d_k, not by its root AND masks after a softmax over all keys and
# renormalises (underflow where future scores are far larger)
@wrong("divided-by-d", "renormalized-late-guarded", author="blind")
def l06_dk_and_late_mask(Q, K, V):
    def softmax(x):
        x = np.exp(x - x.max(axis=-1, keepdims=True))
        return x / x.sum(axis=-1, keepdims=True)

    d_k = K.shape[-1]
    nq, nk = Q.shape[-2], K.shape[-2]
    A = softmax(Q @ K.swapaxes(-2, -1) / d_k)
    allowed = np.array([[j <= i + nk - nq for j in range(nk)] for i in range(nq)])
    A = A * allowed
    total = A.sum(axis=-1, keepdims=True)
    total = np.where(total > 0, total, 1)
    return (A / total) @ V
