"""Answers to `grouped_attention_torch`."""

import math

import torch

from tests.exercises.answers import right, wrong


@right()
def ga_groups(Q, K, V):
    """Give the queries an axis for the groups, and let K and V broadcast along it."""
    n_kv = K.shape[-3]
    q = Q.unflatten(-3, (n_kv, -1))
    s = q @ K.unsqueeze(-3).transpose(-1, -2) * Q.shape[-1] ** -0.5
    return (s.softmax(-1) @ V.unsqueeze(-3)).flatten(-4, -3)


@right()
def ga_heads_one_by_one(Q, K, V):
    r = Q.size(-3) // K.size(-3)
    heads = []
    for h in range(Q.size(-3)):
        k, v = K[..., h // r, :, :], V[..., h // r, :, :]
        s = (
            torch.einsum("...id,...jd->...ij", Q[..., h, :, :], k)
            / k.size(-1) ** 0.5
        )
        e = torch.exp(s - s.max(-1, keepdim=True).values)
        heads.append(e / e.sum(-1, keepdim=True) @ v)
    return torch.stack(heads, dim=-3)


@right()
def ga_course_steps(Q, K, V):
    from course_attn.in_torch.fast import repeat_kv
    from course_attn.in_torch.qkv import attention

    r = Q.shape[-3] // K.shape[-3]
    return attention(Q, repeat_kv(K, r), repeat_kv(V, r))


@right()
def ga_expanded(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]

    def repeated(X):
        *batch, h, n, d = X.shape
        return X[..., :, None, :, :].expand(*batch, h, r, n, d).flatten(-4, -3)

    return (Q @ repeated(K).mT / Q.shape[-1] ** 0.5).softmax(-1) @ repeated(V)


@right(author="fresh")
def fresh_ga_unflatten(Q, K, V):
    g, r = K.shape[-3], Q.shape[-3] // K.shape[-3]
    grouped = Q.unflatten(-3, (g, r))
    s = torch.einsum("...grqd,...gkd->...grqk", grouped, K) / math.sqrt(Q.shape[-1])
    e = torch.exp(s - s.amax(dim=-1, keepdim=True))
    out = torch.einsum("...grqk,...gkv->...grqv", e / e.sum(-1, keepdim=True), V)
    return out.flatten(-4, -3)


@right(author="fresh")
def fresh_ga_heads(Q, K, V):
    kv_heads = list(zip(K.unbind(-3), V.unbind(-3)))
    r = Q.shape[-3] // len(kv_heads)

    def one(h, q):
        k, v = kv_heads[h // r]
        return (q @ k.mT * q.shape[-1] ** -0.5).softmax(-1) @ v

    return torch.stack([one(h, q) for h, q in enumerate(Q.unbind(-3))], -3)


@wrong()
def ga_dim_0(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K, V = K.repeat_interleave(r, 0), V.repeat_interleave(r, 0)
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V


@wrong("built-in")
def ga_built_in(Q, K, V):
    from torch.nn.functional import scaled_dot_product_attention

    return scaled_dot_product_attention(Q, K, V, enable_gqa=True)


@wrong("detached")
def ga_detached(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K, V = (X.detach().repeat_interleave(r, -3) for X in (K, V))
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V


@wrong("unscaled", "wrong-axis")
def ga_softmax_over_queries(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K, V = K.repeat_interleave(r, -3), V.repeat_interleave(r, -3)
    return (Q @ K.mT).softmax(-2) @ V


# hides the future, though no mask is asked for
@wrong()
def ga_causal(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K, V = K.repeat_interleave(r, -3), V.repeat_interleave(r, -3)
    s = Q @ K.mT / Q.shape[-1] ** 0.5
    i = s.new_ones(s.shape[-2:]).cumsum(-2) - s.shape[-2]
    j = s.new_ones(s.shape[-2:]).cumsum(-1) - s.shape[-1]
    return s.masked_fill(j > i, float("-inf")).softmax(-1) @ V


# averages over the query heads of a group
@wrong()
def ga_group_mean(Q, K, V):
    q = Q.unflatten(-3, (K.shape[-3], -1)).mean(-3)
    return (q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V


# the softmax goes over the queries, not over the keys
@wrong(author="fresh")
def fresh_ga_softmax_queries(Q, K, V):
    g = K.shape[-3]
    grouped = Q.unflatten(-3, (g, Q.shape[-3] // g))
    s = torch.einsum("...grqd,...gkd->...grqk", grouped, K) * Q.shape[-1] ** -0.5
    a = s.softmax(dim=-2)
    return torch.einsum("...grqk,...gkv->...grqv", a, V).flatten(-4, -3)


# divides the weights after the softmax by the root of d_k, not the scores before it
@wrong(author="fresh")
def fresh_ga_scaled_weights(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    owner = [h // r for h in range(Q.shape[-3])]
    K, V = K[..., owner, :, :], V[..., owner, :, :]
    weights = (Q @ K.transpose(-2, -1)).softmax(-1) / Q.shape[-1] ** 0.5
    return weights @ V


# finds the head of the keys and values by dividing h by the number of their heads instead of by the
# number r of query heads that share one
@wrong(author="unseen")
def second_fst_divides_by_kv_heads(Q, K, V):
    n_heads, n_kv_heads = Q.shape[-3], K.shape[-3]

    def head(h):
        g = h // n_kv_heads
        scores = (
            Q[..., h, :, :] @ K[..., g, :, :].transpose(-1, -2) / Q.shape[-1] ** 0.5
        )
        return torch.softmax(scores, dim=-1) @ V[..., g, :, :]

    return torch.stack([head(h) for h in range(n_heads)], dim=-3)


# the heads come out in the wrong order, because the axes of group and place in the group are
# swapped before they are joined to one
@wrong(author="unseen")
def third_fa_heads_come_out_swapped(Q, K, V):
    *batch, n_heads, n_q, d_k = Q.shape
    n_groups = K.shape[-3]
    Q = Q.reshape(*batch, n_groups, n_heads // n_groups, n_q, d_k)
    scores = torch.einsum("...grqd,...gkd->...grqk", Q, K) / d_k**0.5
    A = torch.softmax(scores, dim=-1)
    Y = torch.einsum("...grqk,...gkv->...rgqv", A, V)
    return Y.reshape(*batch, n_heads, n_q, V.shape[-1])


# query head h uses head h mod n_kv_heads, and the scores are divided by the root of d_v
@wrong("in-turn", "root-of-d-v", author="blind")
def b6_fast_7(Q, K, V):
    h_q, h_kv = Q.shape[-3], K.shape[-3]
    outs = []
    for h in range(h_q):
        g = h % h_kv
        q, k, v = Q[..., h, :, :], K[..., g, :, :], V[..., g, :, :]
        s = torch.einsum("...id,...jd->...ij", q, k) / v.shape[-1] ** 0.5
        outs.append(torch.softmax(s, dim=-1) @ v)
    return torch.stack(outs, dim=-3)


# Axis 1 is hard-coded as the heads' axis (should be -3): right only with exactly one batch axis
@wrong(said="along which axis does this `repeat_interleave` run", author="blind")
def fd_grouped_1(Q, K, V):
    r = Q.shape[-3] // K.shape[-3]
    K = K.repeat_interleave(r, dim=1)
    V = V.repeat_interleave(r, dim=1)
    scores = Q @ K.transpose(-2, -1) / Q.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ V


# scaled by sqrt(n_heads * d_k), the width of the model, instead of sqrt(d_k)
@wrong("root-of-all-heads", author="blind")
def p50_model_width(Q, K, V):
    n_heads, _, d_k = Q.shape[-3:]
    r = n_heads // K.shape[-3]
    keys = K.repeat_interleave(r, dim=-3)
    vals = V.repeat_interleave(r, dim=-3)
    scores = torch.matmul(Q, keys.mT) / math.sqrt(n_heads * d_k)
    return torch.matmul(scores.softmax(-1), vals)


# Divided by sqrt(n_heads * d_k), as if that were d_k, AND the heads are put side by side in the
# result.
@wrong("root-of-all-heads", "heads-merged", author="blind")
def blind_d_model_merged(Q, K, V):
    *batch, H, n_q, d_k = Q.shape
    G = K.shape[-3]
    Qg = Q.reshape(*batch, G, H // G, n_q, d_k)
    scores = Qg @ K.unsqueeze(-3).transpose(-2, -1)
    scores = scores / math.sqrt(H * d_k)
    out = torch.softmax(scores, -1) @ V.unsqueeze(-3)
    out = out.reshape(*batch, H, n_q, V.shape[-1])
    return out.transpose(-3, -2).flatten(-2)


# Divided by sqrt(d_k) twice AND the values' heads are tiled (h mod n_kv_heads) though the keys'
# are right.
@wrong("values-in-turn", "divided-by-d", author="blind")
def blind_twice_v_tiled(Q, K, V):
    n_heads, d_k = Q.shape[-3], Q.shape[-1]
    n_kv = K.shape[-3]
    owner_k = torch.arange(n_heads) // (n_heads // n_kv)
    owner_v = torch.arange(n_heads) % n_kv
    q = Q / d_k**0.5
    scores = q @ K[..., owner_k, :, :].mT / d_k**0.5
    return scores.softmax(-1) @ V[..., owner_v, :, :]


# a causal mask that nobody asked for AND only V's heads are tiled
@wrong("values-in-turn", "masked-from-the-first", author="blind")
def i12_causal_tiled_v(Q, K, V):
    groups = Q.size(-3) // K.size(-3)
    K = torch.repeat_interleave(K, groups, dim=-3)
    V = torch.cat([V] * groups, dim=-3)
    scores = (Q @ K.mT) / Q.size(-1) ** 0.5
    n_q, n_k = scores.shape[-2:]
    future = torch.triu(torch.ones(n_q, n_k, dtype=torch.bool), diagonal=1)
    scores = scores.masked_fill(future, float("-inf"))
    return torch.softmax(scores, dim=-1) @ V


# all heads of queries use the first head of K (V is right) AND the softmax runs over the queries
@wrong("keys-of-head-0", "wrong-axis", author="blind")
def s12_first_key_head_softmax_queries(Q, K, V):
    n_heads, n_kv = Q.shape[-3], V.shape[-3]
    V = torch.repeat_interleave(V, n_heads // n_kv, dim=-3)
    K = K[..., :1, :, :]
    S = torch.matmul(Q, K.mT) * K.shape[-1] ** -0.5
    P = torch.softmax(S, dim=-2)
    return torch.matmul(P, V)


# all heads use head 0 of K and V AND the scale is that of the values
@wrong("first-head-alone", "root-of-d-v", author="blind")
def b79_first_head_root_of_values(Q, K, V):
    k, v = K[..., :1, :, :], V[..., :1, :, :]
    s = Q @ k.transpose(-1, -2) / V.shape[-1] ** 0.5
    return torch.softmax(s, -1) @ v
