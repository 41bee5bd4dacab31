import torch


def head_from_torch__1(mha, h):
    # mistake: not transposed
    d = mha.embed_dim // mha.num_heads
    Q, K, V = mha.in_proj_weight.chunk(3)
    s = slice(h * d, (h + 1) * d)
    return Q[s], K[s], V[s]


def head_from_torch__2(mha, h):
    # mistake: columns of the stored matrices are cut instead of rows
    d = mha.embed_dim // mha.num_heads
    parts = mha.in_proj_weight.chunk(3, dim=0)
    return tuple(W[:, h * d : (h + 1) * d] for W in parts)


def head_from_torch__3(mha, h):
    # mistake: takes every num_heads-th row, as if the heads were interleaved
    Q, K, V = torch.chunk(mha.in_proj_weight, 3)
    n = mha.num_heads
    return Q[h::n].T, K[h::n].T, V[h::n].T


def head_from_torch__4(mha, h):
    # mistake: takes Q, K and V of a head to stand together (head by head)
    d_k = mha.embed_dim // mha.num_heads
    block = mha.in_proj_weight[3 * h * d_k : 3 * (h + 1) * d_k]
    a, b, c = block.split(d_k)
    return a.T, b.T, c.T


def head_from_torch__7(mha, h):
    # mistakes: keys and values exchanged; the queries are scaled by 1/sqrt(d_k)
    D = mha.embed_dim
    d = D // mha.num_heads
    W = mha.in_proj_weight.view(3, mha.num_heads, d, D)[:, h].transpose(1, 2)
    return W[0] / d**0.5, W[2], W[1]
