"""Wrong answers to `multi_head` by others who had not seen the known mistakes, either."""

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "split_heads",
    mistake="checks whether n_heads divides the number of elements n, not the number of features d,"
    " and so refuses inputs that are fine",
)
def second_mh_checks_elements(X, n_heads):
    *batch, n, d = X.shape
    if n % n_heads != 0:
        raise ValueError(f"{n_heads} heads do not divide {n}")
    return X.reshape(*batch, n, n_heads, d // n_heads).swapaxes(-2, -3)


@wrong(
    "merge_heads",
    mistake="puts the heads side by side in the opposite order, the last head first",
)
def second_mh_last_head_first(X):
    first = X[..., 0, :, :]
    if X.shape[-3] == 1:
        return first
    rest = second_mh_last_head_first(X[..., 1:, :, :])
    return np.concatenate([rest, first], axis=-1)


@wrong(
    "multi_head_attention",
    mistake="takes the softmax over the heads, which are the last axis of its scores, not over the"
    " keys",
)
def second_mh_softmax_over_heads(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_model = X.shape[-1]
    d_k = d_model // n_heads
    Q, K, V = (
        (X @ W).reshape(*X.shape[:-1], n_heads, d_k) for W in (W_Q, W_K, W_V)
    )
    scores = np.einsum("...ihc,...jhc->...ijh", Q, K) / np.sqrt(d_k)
    scores = np.where(mask[:, :, None], scores, -1e9)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    heads = np.einsum("...ijh,...jhc->...ihc", weights, V)
    return heads.reshape(X.shape) @ W_O


@wrong(
    "n_parameters",
    mistake="counts W_O as a square matrix of d_model by d_model, though it has n_heads * d_v rows"
    " AND counts each bias of the queries, keys and values with d_model numbers, though it is as"
    " long as their width",
)
def second_mh_square_output_and_biases(d_model, n_heads, d_k, d_v, biases):
    shapes = {
        "W_Q": (d_model, n_heads * d_k),
        "W_K": (d_model, n_heads * d_k),
        "W_V": (d_model, n_heads * d_v),
        "W_O": (d_model, d_model),
    }
    total = sum(rows * columns for rows, columns in shapes.values())
    if biases:
        total += d_model * len(shapes)
    return total


@wrong(
    "head_from_torch",
    mistake="takes the rows to be packed head by head, each with its queries, keys and values,"
    " though all queries come first, then all keys, then all values",
)
def second_mh_packed_by_head(mha, h):
    d_model, n_heads = mha.embed_dim, mha.num_heads
    packed = mha.in_proj_weight.view(n_heads, 3, d_model // n_heads, d_model)
    W_Q, W_K, W_V = packed[h]
    return W_Q.T, W_K.T, W_V.T


@wrong(
    "MultiHeadAttention",
    mistake="ignores the mask it is given and always uses a causal one",
)
class SecondMhAlwaysCausal(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, torch.nn.Linear(d_model, d_model, bias=False))

    def _split(self, X):
        return X.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)

    def _merge(self, X):
        return X.transpose(-2, -3).flatten(-2)

    def forward(self, X, mask):
        Q, K, V = (
            self._split(layer(X)) for layer in (self.W_Q, self.W_K, self.W_V)
        )
        heads = torch.nn.functional.scaled_dot_product_attention(
            Q, K, V, is_causal=True
        )
        return self.W_O(self._merge(heads))


@wrong(
    "split_heads",
    mistake="puts the axis of the heads first of all, before the axes of the batch, instead of "
    "just before the elements",
)
def third_mh_heads_in_front(X, n_heads):
    d = X.shape[-1]
    if d % n_heads:
        raise ValueError("n_heads must divide d")
    w = d // n_heads
    return np.array([X[..., h * w : (h + 1) * w] for h in range(n_heads)])


@wrong(
    "multi_head_attention",
    mistake="divides the scores by the root of d_model instead of d_k, the width of a head AND "
    "multiplies by the transpose of W_O",
)
def third_mh_einsum_two(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d = X.shape[-1]
    Q, K, V = (
        np.einsum("...nd,dhk->...hnk", X, W.reshape(d, n_heads, d // n_heads))
        for W in (W_Q, W_K, W_V)
    )
    S = np.einsum("...hik,...hjk->...hij", Q, K) / np.sqrt(d)
    S = np.where(mask, S, -np.inf)
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    A /= A.sum(axis=-1, keepdims=True)
    O = W_O.reshape(d, n_heads, d // n_heads)
    return np.einsum("...hij,...hjk,dhk->...id", A, V, O)


@wrong(
    "n_parameters",
    mistake="makes the vector of biases as long as a row of the map's input, not of its result",
)
def third_mh_bias_of_input(d_model, n_heads, d_k, d_v, biases):
    class Linear:
        def __init__(self, d_in, d_out):
            self.weight = d_in * d_out
            self.bias = d_in if biases else 0

        def count(self):
            return self.weight + self.bias

    layers = [
        Linear(d_model, n_heads * d_k),
        Linear(d_model, n_heads * d_k),
        Linear(d_model, n_heads * d_v),
        Linear(n_heads * d_v, d_model),
    ]
    return sum(layer.count() for layer in layers)


@wrong(
    "multi_head_flops",
    mistake="counts the product with W_O as if its input were one head's d_k features wide, not "
    "all heads' d_model",
)
def third_mh_recursive_flops(n, d_model, n_heads):
    d_k = d_model // n_heads

    def product(a, b, c):
        return 2 * a * b * c

    def heads(left):
        if left == 0:
            return 0
        projections = 3 * product(n, d_model, d_k)
        scores = product(n, d_k, n)
        mixing = product(n, n, d_k)
        return projections + scores + mixing + heads(left - 1)

    return heads(n_heads) + product(n, d_k, d_model)


@wrong(
    "head_from_torch",
    mistake="takes the packed weight to be ordered by head (Q, K and V of head 0, then of head 1), "
    "but it holds all heads' W_Q first, then all W_K, then all W_V",
)
def third_mh_packed_by_head(mha, h):
    d, n_heads = mha.embed_dim, mha.num_heads
    by_head = mha.in_proj_weight.reshape(n_heads, 3, d // n_heads, d)
    W_Q, W_K, W_V = by_head[h]
    return W_Q.T, W_K.T, W_V.T


@wrong(
    "MultiHeadAttention",
    mistake="makes numbers of the mask, which scaled_dot_product_attention adds to the scores as 0 "
    "and 1, so that nothing is hidden",
)
class ThirdMhFloatMask(torch.nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_Q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_O = torch.nn.Linear(d_model, d_model, bias=False)

    def split(self, X):
        return X.unflatten(-1, (self.n_heads, -1)).transpose(-2, -3)

    def forward(self, X, mask):
        Q, K, V = (
            self.split(self.W_Q(X)),
            self.split(self.W_K(X)),
            self.split(self.W_V(X)),
        )
        Y = torch.nn.functional.scaled_dot_product_attention(
            Q, K, V, attn_mask=mask.to(X.dtype)
        )
        return self.W_O(Y.transpose(-2, -3).flatten(-2))


@wrong(
    "n_parameters",
    mistake="counts the key matrix with d_v columns AND counts a bias for the output for each head",
)
def fourth_mh_two_counts(d_model, n_heads, d_k, d_v, biases):
    total = 0
    for _ in range(n_heads):
        total += d_model * d_k + d_model * d_v + d_model * d_v + d_v * d_model
        if biases:
            total += 2 * d_k + d_v + d_model
    return total


@wrong(
    "multi_head_attention",
    said="nothing of 0, 1 reaches the output",
    mistake="overwrites the output with each head's share of W_O instead of adding the shares: "
    "only the last head counts",
)
def fifth_mh_last_head(X, W_Q, W_K, W_V, W_O, n_heads, mask):
    d_k = X.shape[-1] // n_heads
    for h in range(n_heads):
        cols = slice(h * d_k, (h + 1) * d_k)
        Q, K, V = X @ W_Q[:, cols], X @ W_K[:, cols], X @ W_V[:, cols]
        s = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(d_k), -np.inf)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        Y = (e / e.sum(axis=-1, keepdims=True)) @ V @ W_O[cols]
    return Y


@wrong(
    "split_heads",
    said="like cards",
    mistake="deals the features out in turn, feature c to head c mod n_heads, instead of cutting "
    "the row into blocks",
)
def fifth_mh_dealt_out(X, n_heads):
    if X.shape[-1] % n_heads != 0:
        raise ValueError("n_heads must divide d")
    return np.stack([X[..., h::n_heads] for h in range(n_heads)], axis=-3)
