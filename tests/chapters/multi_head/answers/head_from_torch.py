"""Answers to `head_from_torch`."""

import torch

from tests.exercises.answers import right, wrong


@right()
def hft_four_axes(mha, h):
    d, n = mha.embed_dim, mha.num_heads
    packed = mha.in_proj_weight.detach().view(3, n, d // n, d)
    return tuple(packed[:, h].mT)


@right()
def hft_transposed_first(mha, h):
    d, d_k = mha.embed_dim, mha.head_dim
    W = mha.in_proj_weight.T
    return [W[:, t * d + h * d_k : t * d + (h + 1) * d_k] for t in range(3)]


@right()
def hft_clone_without_gradient(mha, h):
    with torch.no_grad():
        thirds = mha.in_proj_weight.split(mha.embed_dim)
        return tuple(t.chunk(mha.num_heads)[h].t().clone() for t in thirds)


@right()
def hft_one_by_one(mha, h):
    d, d_k = mha.embed_dim, mha.embed_dim // mha.num_heads
    out = []
    for part in range(3):
        W = torch.zeros(d, d_k, dtype=mha.in_proj_weight.dtype)
        for c in range(d_k):
            W[:, c] = mha.in_proj_weight.data[part * d + h * d_k + c]
        out.append(W)
    return out


@right(author="fresh")
def fresh_hft_unflatten(mha, h):
    four = mha.in_proj_weight.unflatten(0, (3, mha.num_heads, -1))
    return four[:, h].mT.unbind(0)


@right(author="fresh")
def fresh_hft_by_column(mha, h):
    d = mha.embed_dim
    d_k = d // mha.num_heads
    rows = range(h * d_k, (h + 1) * d_k)
    W = mha.in_proj_weight.detach()
    return tuple(
        torch.stack([W[start + r] for r in rows], dim=1) for start in (0, d, 2 * d)
    )


@wrong("one-result")
def hft_one_tensor(mha, h):
    d = mha.embed_dim
    return mha.in_proj_weight.view(3, mha.num_heads, -1, d)[:, h].mT


@wrong()
def hft_q_proj_weight(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    block = slice(h * d_k, (h + 1) * d_k)
    return (
        mha.q_proj_weight[block].T,
        mha.k_proj_weight[block].T,
        mha.v_proj_weight[block].T,
    )


@wrong("one-before")
def hft_from_one(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    parts = mha.in_proj_weight.chunk(3)
    return tuple(W[(h - 1) * d_k : h * d_k].T for W in parts)


@wrong("wrong-side-in-three")
def hft_transposed_then_chunked(mha, h):
    parts = mha.in_proj_weight.T.chunk(3)
    d_k = mha.embed_dim // mha.num_heads
    return tuple(W[:, h * d_k : (h + 1) * d_k] for W in parts)


@wrong("built-in")
def hft_the_course_s(mha, h):
    from course_attn.in_torch import head_weights

    W_Q, W_K, W_V, _ = head_weights(mha)
    return W_Q[h], W_K[h], W_V[h]


# returned in another order: values first
@wrong("other-order", said="you return `W_V, W_K, W_Q`")
def hft_values_keys_queries(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    V, K, Q = (W[h * d_k : (h + 1) * d_k].T for W in mha.in_proj_weight.chunk(3))
    return Q, K, V


# counts the heads from 1 and so returns the head before AND returns the matrices in the order of
# keys, queries, values
@wrong(author="fresh")
def fresh_hft_from_one(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    W_K, W_Q, W_V = (
        list(W.split(d_k))[h - 1].transpose(0, 1)
        for W in mha.in_proj_weight.chunk(3)
    )
    return W_Q.clone(), W_K.clone(), W_V.clone()


# a reshape in place of the transpose
@wrong("reshaped", author="blind")
def bl_hft_reshape(mha, h):
    d = mha.embed_dim
    d_k = d // mha.num_heads
    W = mha.in_proj_weight.detach().clone()
    a, b = h * d_k, (h + 1) * d_k
    W_Q = W[0 * d : 1 * d][a:b].reshape(d, d_k)
    W_K = W[1 * d : 2 * d][a:b].reshape(d, d_k)
    W_V = W[2 * d : 3 * d][a:b].reshape(d, d_k)
    return W_Q, W_K, W_V


# every n_heads-th row; the order keys, queries, values
@wrong("in-turn", "keys-first", author="blind")
def bl_hft_interleaved_kqv(mha, h):
    W = mha.in_proj_weight
    n = mha.embed_dim
    K, Q, V = W[:n], W[n : 2 * n], W[2 * n :]
    pick = range(h, n, mha.num_heads)
    return Q[list(pick)].T, K[list(pick)].T, V[list(pick)].T


# A head gets every num_heads-th feature in place of d_k neighboring ones AND W_Q is divided by
# sqrt(d_k).
@wrong("in-turn", "scaled", author="blind")
def blind_strided_scaled(mha, h):
    n_heads = mha.num_heads
    d_k = mha.embed_dim // n_heads
    full = [m.T for m in torch.split(mha.in_proj_weight, mha.embed_dim, dim=0)]
    q, k, v = [m[:, h::n_heads] for m in full]
    q = q / d_k**0.5
    return q, k, v


# the number of heads is taken for the width of one AND W_Q is divided by its root
@wrong("scaled", "heads-for-width", author="blind")
def d24_dk(mha, h):
    dk = mha.num_heads
    q, k, v = mha.in_proj_weight.chunk(3)
    s = slice(h * dk, h * dk + dk)
    return q[s].T / dk**0.5, k[s].T, v[s].T


# heads are counted from 1, in the whole of the packed weight AND nothing is transposed
@wrong("not-transposed", "one-before-in-all", author="blind")
def b13_one(mha, h):
    d = mha.embed_dim
    k = d // mha.num_heads
    start = (h - 1) * k
    return tuple(
        mha.in_proj_weight[p * d + start : p * d + start + k] for p in range(3)
    )
