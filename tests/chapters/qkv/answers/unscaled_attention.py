"""Answers to `unscaled_attention`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def at_einsum(Q, K, V):
    s = np.einsum("...id,...jd->...ij", Q, K)
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.einsum("...ij,...jv->...iv", e, V) / e.sum(-1)[..., None]


@right()
def at_scipy_softmax(Q, K, V):
    from scipy.special import softmax

    return softmax(Q @ K.swapaxes(-1, -2), axis=-1) @ V


@right()
def at_course_steps(Q, K, V):
    from course_attn.in_numpy.scores import dot_scores
    from course_attn.in_numpy.softmax import softmax

    return softmax(dot_scores(Q, K)) @ V


@right()
def at_query_by_query(Q, K, V):
    out = np.empty((*Q.shape[:-1], V.shape[-1]))
    for where in np.ndindex(Q.shape[:-1]):
        s = K[where[:-1]] @ Q[where]
        e = np.exp(s - max(s))
        out[where] = sum(
            w * v for w, v in zip(e / sum(e), V[where[:-1]], strict=True)
        )
    return out


@right()
def at_columns(Q, K, V):
    s = K @ np.swapaxes(Q, -1, -2)
    e = np.exp(s - s.max(-2, keepdims=True))
    return np.swapaxes(
        np.swapaxes(V, -1, -2) @ (e / e.sum(-2, keepdims=True)), -1, -2
    )


@right()
def at_in_float32(Q, K, V):
    scores = np.matmul(Q, np.moveaxis(K, -1, -2))
    np.subtract(scores, scores.max(axis=-1)[..., None], out=scores)
    np.exp(scores, out=scores)
    return scores @ V / scores.sum(axis=-1)[..., None]


@right()
def at_log_sum_exp(Q, K, V):
    from scipy.special import logsumexp

    s = Q @ K.swapaxes(-1, -2)
    return np.exp(s - logsumexp(s, axis=-1, keepdims=True)) @ V


@right(author="fresh")
def fresh_att_key_by_key(Q, K, V):
    top = np.full(Q.shape[:-1] + (1,), -np.inf, dtype=Q.dtype)
    total = np.zeros_like(top)
    mixed = np.zeros(Q.shape[:-1] + V.shape[-1:], dtype=V.dtype)
    for j in range(K.shape[-2]):
        s = (Q * K[..., j : j + 1, :]).sum(axis=-1, keepdims=True)
        new_top = np.maximum(top, s)
        shrink, power = np.exp(top - new_top), np.exp(s - new_top)
        total = total * shrink + power
        mixed = mixed * shrink + power * V[..., j : j + 1, :]
        top = new_top
    return mixed / total


@right(author="fresh")
def fresh_att_columns(Q, K, V):
    S = np.einsum("...qd,...kd->...kq", Q, K)
    powers = np.exp(S - S.max(axis=-2, keepdims=True))
    weights = powers / np.einsum("...kq->...q", powers)[..., None, :]
    return np.einsum("...kq,...kv->...qv", weights, V)


def _softmax(s, axis=-1):
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@wrong()
def at_dot_t(Q, K, V):
    return _softmax(Q @ K.T) @ V


@wrong()
def at_axis_1(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2), axis=1) @ V


@wrong()
def at_divided_by_n(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2)) @ V / K.shape[-2]


@wrong()
def at_global_shift(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(s - s.max())
    return e / e.sum(-1, keepdims=True) @ V


@wrong(said="keepdims=True")
def at_no_keepdims(Q, K, V):
    e = np.exp(Q @ np.swapaxes(K, -1, -2))
    return (e / e.sum(-1)) @ V


@wrong()
def at_softmax_of_output(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2) @ V)


@wrong()
def at_linear(Q, K, V):
    s = np.abs(Q @ np.swapaxes(K, -1, -2))
    return s / s.sum(-1, keepdims=True) @ V


@wrong()
def at_both_returned(Q, K, V):
    weights = _softmax(Q @ np.swapaxes(K, -1, -2))
    return weights @ V, weights


@wrong("no-transpose")
def at_no_transpose(Q, K, V):
    return _softmax(Q @ K) @ V


@wrong(said="keepdims=True")
def at_no_keepdims_shifted(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e / e.sum(-1)) @ V


@wrong(said="keepdims=True")
def at_no_keepdims_at_all(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(s - s.max(-1))
    return (e / e.sum(-1)) @ V


@wrong(said="`@`")
def at_times_values(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2)) * V


@wrong("root-of-n-k")
def at_by_root_of_n(Q, K, V):
    return _softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-2])) @ V


@wrong("negative-scores")
def at_negative(Q, K, V):
    return _softmax(-Q @ np.swapaxes(K, -1, -2)) @ V


@wrong("gaussian")
def at_gaussian(Q, K, V):
    gap = Q[..., :, None, :] - K[..., None, :, :]
    return _softmax(-0.5 * (gap**2).sum(axis=-1)) @ V


@wrong("gaussian", "no-shift")
def at_gaussian_kernel(Q, K, V):
    gap = Q[..., :, None, :] - K[..., None, :, :]
    e = np.exp(-(gap**2).sum(axis=-1) / 2)
    return e / e.sum(axis=-1, keepdims=True) @ V


@wrong(said="squared distances")
def at_squared_distance(Q, K, V):
    gap = Q[..., :, None, :] - K[..., None, :, :]
    return _softmax(-(gap**2).sum(axis=-1)) @ V


# float32 overflows above 88, not above 709
@wrong()
def at_shifts_above_700(Q, K, V):
    s = Q @ np.swapaxes(K, -1, -2)
    if np.abs(s).max() > 700:
        s = s - s.max(axis=-1, keepdims=True)
    e = np.exp(s)
    return e / e.sum(axis=-1, keepdims=True) @ V


# the scores are clipped instead of shifted
@wrong()
def at_clips(Q, K, V):
    e = np.exp(np.clip(Q @ np.swapaxes(K, -1, -2), -700, 700))
    return e / e.sum(axis=-1, keepdims=True) @ V


# `squeeze` drops axes of length 1
@wrong()
def at_squeezes(Q, K, V):
    return (_softmax(Q @ np.swapaxes(K, -1, -2)) @ V).squeeze()


# one softmax over all scores
@wrong("whole-array")
def at_softmax_over_everything(Q, K, V):
    e = np.exp(Q @ np.swapaxes(K, -1, -2))
    return e / e.sum() @ V


# PyTorch's function does it all
@wrong("built-in")
def at_fused(Q, K, V):
    import torch

    Q, K, V = map(torch.from_numpy, (Q, K, V))
    return torch.nn.functional.scaled_dot_product_attention(
        Q, K, V, scale=1.0
    ).numpy()


# the scores are divided by the square root of d_k, which was not asked for yet AND the softmax runs
# over the queries (axis -2) instead of over the keys
@wrong(author="unseen")
def second_qkv_scaled_and_wrong_axis(Q, K, V):
    S = np.einsum("...qd,...kd->...qk", Q, K) / np.sqrt(Q.shape[-1])
    E = np.exp(S - S.max(axis=-2, keepdims=True))
    A = E / np.einsum("...qk->...k", E)[..., None, :]
    return np.einsum("...qk,...kv->...qv", A, V)


# subtracts the mean of each row of scores instead of its maximum, so exp overflows for large scores
@wrong(author="unseen")
def third_qkv_shift_by_mean(Q, K, V):
    scores = np.einsum("...id,...jd->...ij", Q, K)
    powers = np.exp(scores - scores.mean(axis=-1, keepdims=True))
    totals = np.einsum("...ij->...i", powers)
    return np.einsum("...ij,...jd,...i->...id", powers, V, 1 / totals)


# divides the output by the sum of its own entries, where the weights should be divided by their sum
@wrong(author="unseen")
def third_qkv_output_normalized(Q, K, V):
    *batch, n_q, _ = Q.shape
    Y = np.zeros((*batch, n_q, V.shape[-1]))
    for b in np.ndindex(*batch):
        for i in range(n_q):
            scores = [q_dot_k for q_dot_k in (Q[b][i] @ k for k in K[b])]
            highest = max(scores)
            for score, value in zip(scores, V[b]):
                Y[b][i] += np.exp(score - highest) * value
            Y[b][i] /= Y[b][i].sum()
    return Y


# rescales the running sum of the weights when a larger score comes, but not the running sum of the
# values
@wrong("outside-the-values", author="unseen")
def fourth_qkv_online_two(Q, K, V):
    S = Q @ np.swapaxes(K, -1, -2)
    m = np.full(S.shape[:-1], -np.inf)
    l = np.zeros(S.shape[:-1])
    o = np.zeros((*S.shape[:-1], V.shape[-1]))
    for j in range(S.shape[-1]):
        s = S[..., j]
        new = np.maximum(m, s)
        c = np.exp(m - new)
        p = np.exp(s - new)
        l = c * l + p
        o = o + p[..., None] * V[..., None, j, :]
        m = new
    return o / l[..., None]


# goes through the keys one by one and does not shrink what it has summed so far when a larger score
# turns up
@wrong(said="has to shrink", author="unseen")
def fifth_qk_no_shrinking(Q, K, V):
    shape = (*Q.shape[:-1], V.shape[-1])
    out = np.zeros(shape)
    for place in np.ndindex(*Q.shape[:-1]):
        batch = place[:-1]
        top, total = -np.inf, 0.0
        for j in range(K.shape[-2]):
            s = Q[place] @ K[batch][j]
            top = max(top, s)
            w = np.exp(s - top)
            total += w
            out[place] += w * V[batch][j]
        out[place] /= total
    return out


# reshapes K to (d_k, n_k) instead of transposing it, which mixes up the keys' numbers
@wrong(said="You *reshape* K", author="unseen")
def fifth_qkv_reshape_not_transpose(Q, K, V):
    n_k, d_k = K.shape[-2:]
    scores = np.matmul(Q, K.reshape(*K.shape[:-2], d_k, n_k))
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return np.matmul(weights, V)


# the shift takes off each column's maximum (over the queries), which is not constant along a row
# and changes the weights
@wrong(said="along which axis does this `max` run", author="blind")
def b7_qkv_20(Q, K, V):
    S = Q @ np.swapaxes(K, -1, -2)
    S = S - S.max(axis=-2, keepdims=True)
    A = np.exp(S)
    A = A / A.sum(axis=-1, keepdims=True)
    return A @ V


# the weights are transposed, where they meet the values
@wrong("transposed-weights", author="blind")
def blind_at_weights_turned(Q, K, V):
    S = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(S - S.max(-1, keepdims=True))
    A = e / e.sum(-1, keepdims=True)
    return np.swapaxes(A, -1, -2) @ V


# The scores are shifted by their mean, not their maximum (overflow) AND the weighted values are
# averaged in place of added.
@wrong("mean-shift", "divided-by-n", author="blind")
def blind_mean_mean(Q, K, V):
    s = np.matmul(Q, np.moveaxis(K, -1, -2))
    s = s - s.mean(axis=-1, keepdims=True)
    ex = np.exp(s)
    a = ex / ex.sum(axis=-1, keepdims=True)
    return (a[..., :, :, None] * V[..., None, :, :]).mean(axis=-2)


# exp without subtracting the maximum, and the outputs are divided by their own sum instead of the
# sum of the weights
@wrong("no-shift", "divided-by-output", author="blind")
def t10_h33_exp_wrong_sum(Q, K, V):
    e = np.exp(np.einsum("...id,...jd->...ij", Q, K))
    y = np.einsum("...ij,...jv->...iv", e, V)
    return y / y.sum(axis=-1, keepdims=True)


# one maximum for all scores, and the sums of the columns
@wrong("column-sums", "global-shift", author="blind")
def b15_qkv_one_maximum(Q, K, V):
    scores = np.matmul(Q, K.swapaxes(-2, -1))
    ex = np.exp(scores - scores.max())
    ex = ex / ex.sum(axis=-2, keepdims=True)
    return np.matmul(ex, V)


# a causal mask AND no shift before the exponential
@wrong("causal", "no-shift", author="blind")
def d16_masked(Q, K, V):
    s = np.einsum("...qd,...kd->...qk", Q, K)
    s = np.where(np.tri(*s.shape[-2:], dtype=bool), s, -np.inf)
    w = np.exp(s)
    return np.einsum("...qk,...kd->...qd", w / w.sum(-1, keepdims=True), V)


# the value of one key alone is taken AND it is that of the worst
@wrong("negative-scores", "hard", author="blind")
def d16_worst(Q, K, V):
    s = np.einsum("...id,...jd->...ij", Q, K)
    return np.take_along_axis(V, s.argmin(-1)[..., None], axis=-2)
