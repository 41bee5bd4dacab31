"""Answers to `scaled_attention_torch`."""

import math

import torch
import torch.nn.functional as F

from tests.exercises.answers import right, wrong


@right()
def sct_einsum(Q, K, V):
    s = torch.einsum("...id,...jd->...ij", Q, K).div(Q.size(-1) ** 0.5)
    e = (s - s.amax(-1, keepdim=True)).exp()
    return e @ V / e.sum(-1, keepdim=True)


@right()
def sct_math(Q, K, V):
    import math

    return (Q @ K.mT * (1 / math.sqrt(K.size(-1)))).softmax(-1).matmul(V)


@right()
def sct_matmul(Q, K, V):
    d_k = torch.tensor(float(Q.shape[-1]), dtype=Q.dtype)
    scores = torch.matmul(Q, K.transpose(-2, -1)) / torch.sqrt(d_k)
    return torch.matmul(torch.nn.functional.softmax(scores, dim=-1), V)


@right(author="fresh")
def fresh_sat_logsumexp(Q, K, V):
    s = torch.einsum("...id,...jd->...ij", Q / math.sqrt(Q.size(-1)), K)
    log_a = s - torch.logsumexp(s, dim=-1, keepdim=True)
    return torch.einsum("...ij,...jv->...iv", torch.exp(log_a), V)


@right(author="fresh")
def fresh_sat_query_by_query(Q, K, V):
    scale, rows = Q.shape[-1] ** -0.5, []
    for q in Q.unbind(dim=-2):
        s = (K * q.unsqueeze(-2)).sum(-1) * scale
        a = torch.softmax(s, dim=-1)
        rows.append((a.unsqueeze(-1) * V).sum(dim=-2))
    return torch.stack(rows, dim=-2)


@wrong()
def sct_fused(Q, K, V):
    return torch.nn.functional.scaled_dot_product_attention(Q, K, V)


@wrong()
def sct_len(Q, K, V):
    return (Q @ K.mT / len(Q) ** 0.5).softmax(-1) @ V


@wrong()
def sct_t(Q, K, V):
    return (Q @ K.T / Q.shape[-1] ** 0.5).softmax(-1) @ V


@wrong("no-shift")
def sct_no_shift(Q, K, V):
    e = (Q @ K.mT / Q.shape[-1] ** 0.5).exp()
    return e / e.sum(-1, keepdim=True) @ V


# `dim=1` is not the keys in a batch
@wrong()
def sct_dim_1(Q, K, V):
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(1) @ V


# normalizes Q and K
@wrong("cosine-stretched")
def sct_qk_norm(Q, K, V):
    from torch.nn.functional import normalize

    s = normalize(Q, dim=-1) @ normalize(K, dim=-1).mT
    return (s * Q.shape[-1] ** 0.5).softmax(-1) @ V


# rounds the root of d_k down to a whole number
@wrong(author="fresh")
def fresh_sat_whole_root(Q, K, V):
    root = math.isqrt(Q.size(-1))
    return torch.matmul(torch.softmax(torch.matmul(Q, K.mT) / root, dim=-1), V)


# takes softmax over axis 1, which is the keys only if there is no batch axis
@wrong(author="fresh")
def fresh_sat_axis_one(Q, K, V):
    scores = Q @ K.transpose(-2, -1) * Q.shape[-1] ** -0.5
    return scores.softmax(dim=1) @ V


# computes the weights under no_grad, so no gradient reaches Q and K
@wrong(author="unseen")
def second_sc_weights_no_grad(Q, K, V):
    with torch.no_grad():
        scores = Q @ K.mT / Q.shape[-1] ** 0.5
        weights = torch.softmax(scores, dim=-1)
    return weights @ V


# divides by the root of the values' width d_v, not of the queries' d_k AND takes the softmax over
# the queries, not over the keys
@wrong(author="unseen")
def second_sc_dv_and_queries(Q, K, V):
    scores = torch.einsum("...qc,...kc->...kq", Q, K) * V.shape[-1] ** -0.5
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("...kq,...kv->...qv", weights, V)


# clamps the scores to between -50 and 50 against overflow, which makes large scores alike; the
# maximum of the row should be subtracted instead
@wrong(author="unseen")
def third_sc_clamp(Q, K, V):
    scores = Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5
    scores = torch.clamp(scores, -50, 50)  # so that exp doesn't overflow
    e = scores.exp()
    return (e / e.sum(dim=-1, keepdim=True)) @ V


# stores the result in a float32 tensor whatever the dtype of the arguments AND divides by the root
# of n_k instead of d_k
@wrong(said="you return float32", author="unseen")
def fifth_sl_float32_and_keys(Q, K, V):
    out = torch.zeros(*Q.shape[:-1], V.shape[-1])
    weights = torch.softmax(Q @ K.mT / K.shape[-2] ** 0.5, dim=-1)
    out[...] = weights @ V
    return out


# divides the weights by sqrt(d_k), after the softmax, not the scores
@wrong("scaled-after-softmax", author="blind")
def b6_scaling_6(Q, K, V):
    d_k = Q.size(-1)
    scores = torch.matmul(Q, K.transpose(-2, -1))
    weights = torch.softmax(scores, dim=-1) / math.sqrt(d_k)
    return torch.matmul(weights, V)


# scales Q and K both, and the softmax runs over the queries
@wrong("divided-by-d", "wrong-axis", author="blind")
def own_scaling_4(Q, K, V):
    d = Q.shape[-1] ** 0.5
    scores = (Q / d) @ (K / d).transpose(-2, -1)
    w = F.softmax(scores, dim=-2)
    return w @ V


# (two) Q and K are both divided by sqrt(d_k), so the scores by d_k, and the softmax has no shift
# and overflows
@wrong("divided-by-d", "no-shift", author="blind")
def b7_scaling_30(Q, K, V):
    root = Q.shape[-1] ** 0.5
    scores = (Q / root) @ (K / root).transpose(-1, -2)
    powers = torch.exp(scores)
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return weights @ V


# the root of n_k AND the output is divided once more
@wrong("root-of-n-k", "scaled-again", author="blind")
def d22_sat(Q, K, V):
    n_k, d_k = K.shape[-2:]
    w = (torch.einsum("...qd,...kd->...qk", Q, K) / n_k**0.5).softmax(-1)
    return (w @ V) / d_k**0.5
