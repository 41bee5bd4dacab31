"""Wrong answers to the exercises of `multi_head`, written blind in three rounds, and what they are told."""

import math

import numpy as np
import torch
from torch import nn

from tests.exercises.answers import Answers

wrong = Answers()


def my_softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "split_heads",
    "in-turn",
    mistake="deals the features out in turn (head h gets features h, h + n_heads, ...) instead of cutting the row into blocks",
)
def b6_multi_head_1(X, n_heads):
    if X.shape[-1] % n_heads != 0:
        raise ValueError("n_heads must divide d")
    heads = [X[..., h::n_heads] for h in range(n_heads)]
    return np.stack(heads, axis=-3)


@wrong(
    "merge_heads",
    "first-axis",
    mistake="goes through the first axis, which in a batch is the sequences and not the heads",
)
def b6_multi_head_2(X):
    pieces = []
    for head in X:
        pieces.append(head)
    return np.concatenate(pieces, axis=-1)


@wrong(
    "multi_head_attention",
    "root-of-d-model",
    mistake="scaled by the root of d_model instead of that of d_k",
)
def b6_multi_head_3(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_model = X.shape[-1]
    d_k = d_model // n_heads
    results = []
    for h in range(n_heads):
        cols = slice(h * d_k, (h + 1) * d_k)
        Q, K, V = X @ W_Q[:, cols], X @ W_K[:, cols], X @ W_V[:, cols]
        S = Q @ K.swapaxes(-1, -2) / np.sqrt(d_model)
        S = np.where(mask, S, -np.inf)
        results.append(my_softmax(S) @ V)
    return np.concatenate(results, axis=-1) @ W_O


@wrong(
    "n_parameters",
    "difference",
    said="you take the width of values for `d_model`",
    mistake="the bias of W_O is given the length of its input instead of its output",
)
def b6_multi_head_4(d_model, n_heads, d_k, d_v, biases):
    n_qk = d_model * n_heads * d_k
    n_v = d_model * n_heads * d_v
    total = 2 * n_qk + n_v + n_heads * d_v * d_model
    if biases:
        total += 2 * n_heads * d_k + n_heads * d_v + n_heads * d_v
    return total


@wrong(
    "multi_head_flops",
    "full-width-heads",
    mistake="each head's scores and mixing are counted with d_model features instead of d_k",
)
def b6_multi_head_5(n, d_model, n_heads):
    projections = 4 * 2 * n * d_model * d_model
    per_head = 2 * n * d_model * n + 2 * n * n * d_model
    return projections + n_heads * per_head


@wrong(
    "head_from_torch",
    "head-by-head",
    mistake="assumes the rows to be ordered by head first (q, k, v of head 0, then of head 1), instead of all of W_Q, then W_K, then W_V",
)
def b6_multi_head_6(mha, h):
    d_model = mha.embed_dim
    d_k = d_model // mha.num_heads
    W = mha.in_proj_weight.view(mha.num_heads, 3, d_k, d_model)
    return W[h, 0].T, W[h, 1].T, W[h, 2].T


@wrong(
    "MultiHeadAttention",
    "mask-inverted",
    "joined-by-reshape",
    mistake="fills where the mask is True (polarity), and merges the heads without moving the axis back",
)
class B6MultiHead7(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, d_model, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, mask):
        def heads(t):
            return t.reshape(*t.shape[:-1], self.n_heads, self.d_k).transpose(
                -3, -2
            )

        q, k, v = heads(self.W_Q(X)), heads(self.W_K(X)), heads(self.W_V(X))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.d_k)
        scores = scores.masked_fill(mask, -1e9)
        out = torch.softmax(scores, dim=-1) @ v
        return self.W_O(out.reshape(X.shape))


@wrong(
    "multi_head_attention",
    "masked-after",
    "no-output-matrix",
    mistake="the result is not multiplied by W_O, and the mask is set to zero weights after the softmax",
)
def b6_multi_head_8(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    n, d = X.shape[-2:]
    d_k = d // n_heads

    def cut(Y):
        return np.moveaxis(Y.reshape(Y.shape[:-1] + (n_heads, d_k)), -2, -3)

    Q, K, V = cut(X @ W_Q), cut(X @ W_K), cut(X @ W_V)
    A = my_softmax(np.einsum("...id,...jd->...ij", Q, K) / d_k**0.5)
    A = A * mask
    Y = np.moveaxis(A @ V, -3, -2)
    return Y.reshape(X.shape)


@wrong("split_heads", "reshape-only", mistake="reshape straight to (heads, n, d_k)")
def own_multi_head_1(X, n_heads):
    *lead, n, d = X.shape
    if d % n_heads:
        raise ValueError("does not divide")
    return X.reshape(*lead, n_heads, n, d // n_heads)


@wrong(
    "merge_heads",
    "added",
    mistake="adds the heads instead of putting them side by side",
)
def own_multi_head_2(X):
    return X.sum(axis=-3)


@wrong(
    "multi_head_attention",
    "no-scale",
    "over-the-heads",
    mistake="softmax over the heads and no scaling",
)
def own_multi_head_3(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    def split(Y):
        return np.swapaxes(Y.reshape(*Y.shape[:-1], n_heads, -1), -2, -3)

    Q, K, V = split(X @ W_Q), split(X @ W_K), split(X @ W_V)
    S = np.where(mask, Q @ np.swapaxes(K, -1, -2), -1e30)
    E = np.exp(S - S.max(axis=-3, keepdims=True))
    A = E / E.sum(axis=-3, keepdims=True)
    Y = np.swapaxes(A @ V, -2, -3)
    return Y.reshape(X.shape) @ W_O


@wrong(
    "multi_head_flops",
    "additions-forgotten",
    mistake="forgets the factor 2 (counts multiplications only)",
)
def own_multi_head_4(n, d_model, n_heads):
    d_k = d_model // n_heads
    proj = 4 * n * d_model * d_model
    return proj + n_heads * 2 * n * n * d_k


@wrong(
    "split_heads",
    "in-turn",
    mistake="deals the features out like cards (head h gets h, h + n_heads, ...) instead of cutting the row into blocks",
)
def b7_multi_head_37(X, n_heads):
    if X.shape[-1] % n_heads != 0:
        raise ValueError("n_heads must divide d")
    heads = [X[..., h::n_heads] for h in range(n_heads)]
    return np.stack(heads, axis=-3)


@wrong(
    "multi_head_attention",
    "slices-of-x",
    mistake="cuts X into blocks of features before the projection, so each head sees only its own part of X (diagonal blocks of the matrices)",
)
def b7_multi_head_38(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_model = X.shape[-1]
    d_k = d_model // n_heads
    outs = []
    for h in range(n_heads):
        part = slice(h * d_k, (h + 1) * d_k)
        x = X[..., part]
        q = x @ W_Q[part, part]
        k = x @ W_K[part, part]
        v = x @ W_V[part, part]
        s = q @ np.swapaxes(k, -1, -2) / np.sqrt(d_k)
        s = np.where(mask, s, -np.inf)
        a = np.exp(s - s.max(axis=-1, keepdims=True))
        a = a / a.sum(axis=-1, keepdims=True)
        outs.append(a @ v)
    return np.concatenate(outs, axis=-1) @ W_O


@wrong(
    "n_parameters",
    "biases-of-width-d-model",
    mistake="every bias is counted with d_model numbers, also those of W_Q, W_K and W_V, whose results have n_heads d_k or n_heads d_v features",
)
def b7_multi_head_39(d_model, n_heads, d_k, d_v, biases):
    w_q = d_model * n_heads * d_k
    w_k = d_model * n_heads * d_k
    w_v = d_model * n_heads * d_v
    w_o = n_heads * d_v * d_model
    total = w_q + w_k + w_v + w_o
    if biases:
        total += 4 * d_model
    return total


@wrong(
    "multi_head_flops",
    "parts",
    said="is `d_model` right here, as it is",
    mistake="counts the projections to queries, keys and values with the full width once for every head",
)
def b7_multi_head_40(n, d_model, n_heads):
    d_k = d_model // n_heads
    per_head = 0
    per_head += 3 * 2 * n * d_model * d_model
    per_head += 2 * n * d_k * n
    per_head += 2 * n * n * d_k
    output = 2 * n * d_model * d_model
    return n_heads * per_head + output


@wrong(
    "head_from_torch",
    "head-by-head",
    mistake="reads the packed rows as ordered by head first (q, k, v of head 0, then of head 1, ...) instead of all of W_Q, then W_K, then W_V",
)
def b7_multi_head_41(mha, h):
    d_model = mha.embed_dim
    d_k = d_model // mha.num_heads
    packed = mha.in_proj_weight.reshape(mha.num_heads, 3, d_k, d_model)
    q, k, v = packed[h]
    return q.T, k.T, v.T


@wrong(
    "MultiHeadAttention",
    "mask-inverted",
    "joined-by-reshape",
    mistake="(two) fills with -inf where the mask is True (allowed), and merges the heads by reshape without swapping the axes back",
)
class B7MultiHead42(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, mask):
        *lead, n, d = X.shape
        d_k = d // self.n_heads
        q = self.W_Q(X).view(*lead, n, self.n_heads, d_k).transpose(-3, -2)
        k = self.W_K(X).view(*lead, n, self.n_heads, d_k).transpose(-3, -2)
        v = self.W_V(X).view(*lead, n, self.n_heads, d_k).transpose(-3, -2)
        s = q @ k.transpose(-1, -2) / d_k**0.5
        s = s.masked_fill(mask, -1e9)
        y = torch.softmax(s, dim=-1) @ v
        return self.W_O(y.reshape(X.shape))
