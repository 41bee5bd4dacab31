"""Answers to `head_from_torch`."""

import numpy as np
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


@wrong("columns-cut")
def hft_columns(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    parts = mha.in_proj_weight.chunk(3)
    return tuple(W[:, h * d_k : (h + 1) * d_k] for W in parts)


@wrong("not-transposed")
def hft_rows(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    return tuple(W[h * d_k : (h + 1) * d_k] for W in mha.in_proj_weight.chunk(3))


@wrong("one-result")
def hft_one_tensor(mha, h):
    d = mha.embed_dim
    return mha.in_proj_weight.view(3, mha.num_heads, -1, d)[:, h].mT


@wrong()
def hft_dictionary(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    parts = mha.in_proj_weight.chunk(3)
    block = slice(h * d_k, (h + 1) * d_k)
    return {k: W[block].T for k, W in zip("QKV", parts, strict=True)}


@wrong()
def hft_numpy(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    parts = mha.in_proj_weight.detach().numpy()
    return tuple(W[h * d_k : (h + 1) * d_k].T for W in np.split(parts, 3))


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


# the three matrices lie below each other
@wrong()
def hft_thirds_across(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    W_Q, W_K, W_V = mha.in_proj_weight.chunk(3, dim=-1)
    return tuple(W[h * d_k : h * d_k + d_k].T for W in (W_Q, W_K, W_V))


# returned in another order: values first
@wrong()
def hft_values_keys_queries(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    V, K, Q = (W[h * d_k : (h + 1) * d_k].T for W in mha.in_proj_weight.chunk(3))
    return Q, K, V


# view deals the rows out in turn
@wrong()
def hft_view_in_turn(mha, h):
    d = mha.embed_dim
    packed = mha.in_proj_weight.view(3, -1, mha.num_heads, d)
    return tuple(packed[:, :, h].mT)


# it takes the output's matrix for the values
@wrong()
def hft_output_for_values(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    W_Q, W_K, _ = (
        W[h * d_k : (h + 1) * d_k].T for W in mha.in_proj_weight.chunk(3)
    )
    return W_Q, W_K, mha.out_proj.weight[h * d_k : (h + 1) * d_k].T


# takes the rows to be grouped by head (q, k, v of head 0, then of head 1); they are grouped by
# matrix
@wrong(author="fresh")
def fresh_hft_grouped_by_head(mha, h):
    d_k = mha.embed_dim // mha.num_heads
    packed = mha.in_proj_weight.reshape(mha.num_heads, 3, d_k, mha.embed_dim)
    q, k, v = packed[h]
    return q.T, k.T, v.T


# takes every n_heads-th row, from h on; a head has d_k rows next to each other
@wrong(author="fresh")
def fresh_hft_strided(mha, h):
    chunks = torch.split(mha.in_proj_weight, mha.embed_dim)
    return tuple(W[h :: mha.num_heads].t() for W in chunks)


# cuts the head out of the columns, the input features; the head's features are rows of the stored
# matrix
@wrong(author="fresh")
def fresh_hft_columns(mha, h):
    d = mha.embed_dim
    d_k = d // mha.num_heads
    result = []
    for m in range(3):
        stored = mha.in_proj_weight[m * d : (m + 1) * d]
        result.append(stored[:, h * d_k : (h + 1) * d_k])
    return tuple(result)


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


# takes the rows to be packed head by head, each with its queries, keys and values, though all
# queries come first, then all keys, then all values
@wrong(author="unseen")
def second_mh_packed_by_head(mha, h):
    d_model, n_heads = mha.embed_dim, mha.num_heads
    packed = mha.in_proj_weight.view(n_heads, 3, d_model // n_heads, d_model)
    W_Q, W_K, W_V = packed[h]
    return W_Q.T, W_K.T, W_V.T


# takes the packed weight to be ordered by head (Q, K and V of head 0, then of head 1), but it holds
# all heads' W_Q first, then all W_K, then all W_V
@wrong(author="unseen")
def third_mh_packed_by_head(mha, h):
    d, n_heads = mha.embed_dim, mha.num_heads
    by_head = mha.in_proj_weight.reshape(n_heads, 3, d // n_heads, d)
    W_Q, W_K, W_V = by_head[h]
    return W_Q.T, W_K.T, W_V.T


# assumes the rows to be ordered by head first (q, k, v of head 0, then of head 1), instead of all
# of W_Q, then W_K, then W_V
@wrong("head-by-head", author="blind")
def b6_multi_head_6(mha, h):
    d_model = mha.embed_dim
    d_k = d_model // mha.num_heads
    W = mha.in_proj_weight.view(mha.num_heads, 3, d_k, d_model)
    return W[h, 0].T, W[h, 1].T, W[h, 2].T


# reads the packed rows as ordered by head first (q, k, v of head 0, then of head 1, ...) instead of
# all of W_Q, then W_K, then W_V
@wrong("head-by-head", author="blind")
def b7_multi_head_41(mha, h):
    d_model = mha.embed_dim
    d_k = d_model // mha.num_heads
    packed = mha.in_proj_weight.reshape(mha.num_heads, 3, d_k, d_model)
    q, k, v = packed[h]
    return q.T, k.T, v.T
