"""Wrong answers to the exercises of `block`, written blind in three rounds, and what they are told."""

import numpy as np
import torch
from torch import nn

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "layer_norm",
    "eps-outside",
    mistake="epsilon is added to the standard deviation, outside the root",
)
def b6_block_1(X, gain, bias):
    mu = np.mean(X, axis=-1, keepdims=True)
    sigma = np.std(X, axis=-1, keepdims=True)
    return gain * (X - mu) / (sigma + 1e-5) + bias


@wrong(
    "layer_norm",
    "squares-first",
    mistake="variance as E[x^2] - E[x]^2, which cancels to nothing at 1e8",
)
def b6_block_2(X, gain, bias):
    mean = X.mean(-1)[..., None]
    mean_sq = (X**2).mean(-1)[..., None]
    var = np.maximum(mean_sq - mean**2, 0)
    normed = (X - mean) / np.sqrt(var + 1e-5)
    return normed * gain + bias


@wrong(
    "matrix_before_rms",
    "sum",
    mistake="subtracts the sum of the features instead of their mean (1/d missing)",
)
def b6_block_3(d):
    C = np.eye(d)
    C -= np.ones((d, d))
    return C


@wrong("feed_forward", "b-1-late", mistake="the first bias is added after the ReLU")
def b6_block_4(X, W_1, b_1, W_2, b_2):
    hidden = np.maximum(X @ W_1, 0) + b_1
    return hidden @ W_2 + b_2


@wrong(
    "masked_block",
    "residual-2-from-x",
    mistake="the second part is added to X instead of to the result of the first part",
)
def b6_block_5(X, attend, process, norm_1, norm_2, mask):
    attended = X + attend(norm_1(X), mask)
    ff = process(norm_2(attended))
    return X + ff


@wrong(
    "Stack",
    "same-block",
    mistake="make_block is called once and the same block stands n_layers times in the list",
)
class B6Block6(torch.nn.Module):
    def __init__(self, make_block, n_layers):
        super().__init__()
        block = make_block()
        self.layers = torch.nn.ModuleList([block for _ in range(n_layers)])

    def forward(self, X):
        for layer in self.layers:
            X = layer(X)
        return X


@wrong(
    "gpt_parameters",
    "terms",
    mistake="the last step gets a matrix of its own (tokens counted twice), and the first feed-forward bias is given d_model entries instead of 4 d_model",
)
def b6_block_7(n_layers, d_model, n_vocab, n_ctx):
    embed = n_vocab * d_model + n_ctx * d_model
    attn = 4 * (d_model * d_model + d_model)
    d_ff = 4 * d_model
    ff = 2 * d_model * d_ff + 2 * d_model
    norms = 2 * 2 * d_model
    unembed = d_model * n_vocab
    return embed + n_layers * (attn + ff + norms) + 2 * d_model + unembed


@wrong(
    "TransformerBlock",
    "post-norm",
    "polarity",
    mistake="our mask is handed over as it is (True means drop there), and the norms come after the additions (post-norm)",
)
class B6Block8(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        self.attention = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.linear_1 = nn.Linear(d_model, d_ff)
        self.linear_2 = nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        a, _ = self.attention(X, X, X, attn_mask=mask)
        X = self.norm_1(X + a)
        f = self.linear_2(torch.relu(self.linear_1(X)))
        return self.norm_2(X + f)


@wrong("layer_norm", "eps", mistake="eps of 1e-3")
def own_block_1(X, gain, bias):
    mu = X.mean(axis=-1, keepdims=True)
    var = ((X - mu) ** 2).mean(axis=-1, keepdims=True)
    return gain * (X - mu) / np.sqrt(var + 1e-3) + bias


@wrong("feed_forward", "relu-at-the-end-too", mistake="ReLU at the end, too")
def own_block_2(X, W_1, b_1, W_2, b_2):
    h = np.maximum(X @ W_1 + b_1, 0)
    return np.maximum(h @ W_2 + b_2, 0)


@wrong(
    "masked_block",
    "norm-2-missing",
    "mask-lost",
    mistake="no second norm, mask not passed on",
)
def own_block_3(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X))
    return H + process(H)


@wrong(
    "gpt_parameters",
    "terms",
    said="you leave out the layer norm",
    mistake="forgets the final norm",
)
def own_block_4(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    block = 4 * (d * d + d) + (d * 4 * d + 4 * d) + (4 * d * d + d) + 4 * d
    return n_vocab * d + n_ctx * d + n_layers * block


@wrong(
    "layer_norm",
    "squares-first",
    mistake="the variance as mean of the squares minus square of the mean, which cancels to nothing for rows at 1e8",
)
def b7_block_49(X, gain, bias):
    mu = X.mean(axis=-1, keepdims=True)
    mean_sq = (X**2).mean(axis=-1, keepdims=True)
    var = np.maximum(mean_sq - mu**2, 0)
    return gain * (X - mu) / np.sqrt(var + 1e-5) + bias


@wrong(
    "matrix_before_rms",
    "only-mean",
    mistake="returns the matrix that replaces every feature by the mean instead of the one that subtracts it (I minus this)",
)
def b7_block_50(d):
    C = np.full((d, d), 1 / d)
    return C


@wrong(
    "masked_block",
    said="is the second `h` of this line the right one here",
    mistake="the attention's output is added to the normed X instead of to X itself (the residual path goes through the norm)",
)
def b7_block_51(X, attend, process, norm_1, norm_2, mask):
    h = norm_1(X)
    h = h + attend(h, mask)
    z = norm_2(h)
    return h + process(z)


@wrong(
    "gpt_parameters",
    "vectors-10",
    mistake="every one of the six biases is counted with d_model numbers, although the first of the feed-forward network has 4 d_model",
)
def b7_block_52(n_layers, d_model, n_vocab, n_ctx):
    emb = n_vocab * d_model + n_ctx * d_model
    attn = 4 * d_model**2
    ffn = 2 * d_model * (4 * d_model)
    bias = 6 * d_model
    norms = 2 * 2 * d_model
    block = attn + ffn + bias + norms
    final = 2 * d_model
    return emb + n_layers * block + final


@wrong(
    "TransformerBlock",
    "polarity",
    "axes-swapped",
    mistake="(two) batch_first is missing, so the layer takes the batch for the sequence, and the mask is not inverted",
)
class B7Block53(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(d_model, n_heads)
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        h = self.norm_1(X)
        y, _ = self.attention(h, h, h, attn_mask=mask)
        X = X + y
        h = self.linear_2(torch.relu(self.linear_1(self.norm_2(X))))
        return X + h


@wrong(
    "Stack",
    "same-block",
    mistake="make_block() is called once and the same block is put n_layers times into the list, so all layers share their parameters",
)
class B7Block54(torch.nn.Module):
    def __init__(self, make_block, n_layers):
        super().__init__()
        self.layers = torch.nn.ModuleList([make_block()] * n_layers)

    def forward(self, X):
        for layer in self.layers:
            X = layer(X)
        return X


@wrong(
    "layer_norm",
    "fails-equal",
    "not-normal",
    said="what is done where this holds comes out wrong. Is a way of its own needed there",
    mistake="one constant row makes all zero",
)
def own_block_111(X, gamma, beta, eps=1e-5):
    mean = X.mean(axis=-1, keepdims=True)
    var = X.var(axis=-1, keepdims=True)
    if (var == 0).any():
        return np.zeros_like(X) + beta
    return (X - mean) / np.sqrt(var + eps) * gamma + beta
