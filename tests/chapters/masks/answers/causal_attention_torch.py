"""Answers to `causal_attention_torch`."""

import math

import torch

from tests.exercises.answers import right, wrong


@right()
def cat_where(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    mask = torch.ones(n_q, n_k, dtype=torch.bool).tril(n_k - n_q)
    scores = torch.einsum("...id,...jd->...ij", Q, K) * Q.shape[-1] ** -0.5
    weights = torch.where(mask, scores, -1e9).softmax(dim=-1)
    return (weights * mask) @ V


@right()
def cat_powers(Q, K, V):
    n_q, n_k = Q.shape[-2:-1][0], K.shape[-2]
    mask = torch.arange(n_k) <= torch.arange(n_q).unsqueeze(-1) + (n_k - n_q)
    scores = Q @ K.mT / Q.shape[-1] ** 0.5
    top = torch.where(mask, scores, -1e9).amax(-1, keepdim=True)
    powers = torch.exp((scores - top).clamp(max=0)) * mask
    return powers @ V / powers.sum(-1, keepdim=True).clamp(min=1e-30)


@right()
def cat_nan_to_num(Q, K, V):
    s = Q @ K.mT / Q.shape[-1] ** 0.5
    mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril(
        s.shape[-1] - s.shape[-2]
    )
    return s.masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0.0) @ V


@right()
def cat_masked_powers(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    mask = torch.ones(n_q, n_k, dtype=torch.bool, device=Q.device).tril(n_k - n_q)
    scores = torch.matmul(Q, K.transpose(-2, -1)).div(Q.shape[-1] ** 0.5)
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    return torch.where(mask, weights, 0.0) @ V


@right(author="fresh")
def fresh_cat_slices(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]

    def answer(i):
        stop = max(i + n_k - n_q + 1, 0)
        keys, values = K[..., :stop, :], V[..., :stop, :]
        s = (keys @ Q[..., i, :, None]).squeeze(-1) * Q.shape[-1] ** -0.5
        return (s.softmax(dim=-1).unsqueeze(-1) * values).sum(dim=-2)

    return torch.stack([answer(i) for i in range(n_q)], dim=-2)


@right(author="fresh")
def fresh_cat_finite_fill(Q, K, V):
    """Large finite fill, and the weights of queries without keys removed."""
    (n_q, d_k), n_k = Q.shape[-2:], K.shape[-2]
    late = torch.ones(n_q, n_k, dtype=torch.bool, device=Q.device)
    late = late.triu(n_k - n_q + 1)
    s = torch.einsum("...id,...jd->...ij", Q, K) / math.sqrt(d_k)
    s = s.masked_fill(late, torch.finfo(s.dtype).min)
    a = torch.exp(s - s.logsumexp(dim=-1, keepdim=True)).masked_fill(late, 0.0)
    return torch.einsum("...ij,...jv->...iv", a, V)


@wrong("built-in")
def cat_handed_over(Q, K, V):
    from course_attn.in_torch.qkv import attention

    return attention(Q, K, V, causal=True)


@wrong()
def cat_fills_the_seen(Q, K, V):
    s = Q @ K.mT / Q.shape[-1] ** 0.5
    mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril(
        s.shape[-1] - s.shape[-2]
    )
    return s.masked_fill(mask, -1e9).softmax(-1) @ V


@wrong()
def cat_numpy_root_detached(Q, K, V):
    s = Q @ K.mT / Q.shape[-1] ** 0.5
    mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril(
        s.shape[-1] - s.shape[-2]
    )
    w = s.masked_fill(~mask, -1e9).softmax(-1) * mask
    return torch.tensor(w.tolist(), dtype=V.dtype) @ V


@wrong("no-shift", "empty-nan")
def cat_no_shift_unguarded(Q, K, V):
    s = Q @ K.mT / Q.shape[-1] ** 0.5
    e = s.exp().tril(s.shape[-1] - s.shape[-2])
    return e / e.sum(-1, keepdim=True) @ V


@wrong("renormalized-late")
def cat_renormalized_late(Q, K, V):
    w = (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1)
    w = w.tril(w.shape[-1] - w.shape[-2])
    return w / w.sum(-1, keepdim=True) @ V


@wrong("renormalized-late-guarded")
def cat_renormalized_late_guarded(Q, K, V):
    w = (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1)
    w = w.tril(w.shape[-1] - w.shape[-2])
    return w / w.sum(-1, keepdim=True).clamp(min=1e-9) @ V


@wrong("shift-cut-at-0")
def cat_shift_cut_at_0(Q, K, V):
    s = Q @ K.mT / Q.shape[-1] ** 0.5
    shift = max(0, s.shape[-1] - s.shape[-2])
    mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril(shift)
    return s.masked_fill(~mask, float("-inf")).softmax(-1) @ V


# shift computed outside of the row
@wrong()
def cat_global_shift(Q, K, V):
    s = Q @ K.mT / Q.shape[-1] ** 0.5
    mask = torch.ones(s.shape[-2:], dtype=torch.bool).tril(
        s.shape[-1] - s.shape[-2]
    )
    s = s.masked_fill(~mask, -torch.inf)
    e = (s - s.max()).exp()
    return e / e.sum(-1, keepdim=True).clamp(min=1e-20) @ V


# hides the key at the query's own position (the slice ends one too early) AND divides by d_k
# instead of its root
@wrong(author="fresh")
def fresh_cat_loop_one_short(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    rows = []
    for i in range(n_q):
        stop = max(i + n_k - n_q, 0)
        s = (Q[..., i : i + 1, :] @ K[..., :stop, :].mT) / Q.shape[-1]
        rows.append(torch.softmax(s, dim=-1) @ V[..., :stop, :])
    return torch.cat(rows, dim=-2)


# throws away the result of masked_fill, which does not work in place, so that the future is not
# hidden
@wrong(author="unseen")
def third_ma_masked_fill_lost(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    i = torch.arange(n_q, device=Q.device)[:, None]
    j = torch.arange(n_k, device=Q.device)
    mask = j <= i + n_k - n_q
    scores = Q @ K.mT / Q.shape[-1] ** 0.5
    scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    sees_something = mask.any(dim=-1, keepdim=True)
    return torch.where(sees_something, weights @ V, 0.0)


# lowers the scores of later keys by only 1000, which does not hide them where they are larger than
# the others by more than that
@wrong(said="how low may the scores be?", author="unseen")
def fourth_ma_thousand(Q, K, V):
    scores = Q @ K.transpose(-2, -1) / K.shape[-1] ** 0.5
    n_q, n_k = scores.shape[-2:]
    seen = torch.ones(n_q, n_k, device=Q.device).tril(n_k - n_q)
    scores = scores - 1000.0 * (1 - seen).to(Q.dtype)
    weights = scores.softmax(dim=-1)
    weights = weights * seen.any(dim=-1, keepdim=True).to(Q.dtype)
    return weights @ V


# adds -inf and turns the NaN of an empty row to 0 afterwards: the outputs are right, the gradients
# NaN
@wrong("gradient", said="that `where` or `nan_to_num` hides", author="blind")
def b6_masks_6(Q, K, V):
    n_q, n_k, d_k = Q.shape[-2], K.shape[-2], Q.shape[-1]
    scores = Q @ K.transpose(-2, -1) / math.sqrt(d_k)
    future = torch.ones(n_q, n_k, dtype=torch.bool).triu(1 + n_k - n_q)
    bias = torch.zeros(n_q, n_k, dtype=Q.dtype).masked_fill(future, float("-inf"))
    weights = torch.nan_to_num(torch.softmax(scores + bias, dim=-1), nan=0.0)
    return weights @ V


# hides wherever tril(scores) == 0, and so an allowed score that is exactly 0
@wrong("zero-hidden", author="blind")
def c6_tril_zero_h37(Q, K, V):
    s = Q @ K.transpose(-2, -1) / Q.shape[-1] ** 0.5
    n_q, n_k = s.shape[-2:]
    low = torch.tril(s, diagonal=n_k - n_q)
    hidden = low == 0
    dead = hidden.all(-1, keepdim=True)
    w = torch.softmax(low.masked_fill(hidden & ~dead, float("-inf")), dim=-1)
    return w.masked_fill(dead, 0.0) @ V
