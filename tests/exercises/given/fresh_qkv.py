"""Answers to the exercises of `qkv` by somebody who had not seen the known mistakes."""

import numpy as np
import torch

from tests.exercises.answers import Answers

right, wrong = Answers(), Answers()


@right("project_qkv")
def fresh_proj_joint(X, W_Q, W_K, W_V, Z):
    d_k = W_K.shape[1]
    both = np.einsum("...nd,dw->...nw", Z, np.hstack([W_K, W_V]))
    Q = np.tensordot(X, W_Q, axes=1)
    return Q, both[..., :d_k], both[..., d_k:]


@right("project_qkv")
def fresh_proj_loops(X, W_Q, W_K, W_V, Z):
    def project(source, W):
        Y = np.zeros(source.shape[:-1] + W.shape[1:], dtype=source.dtype)
        for d, row in enumerate(W):
            Y += source[..., d, None] * row
        return Y

    return tuple(project(s, W) for s, W in ((X, W_Q), (Z, W_K), (Z, W_V)))


@right("unscaled_attention")
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


@right("unscaled_attention")
def fresh_att_columns(Q, K, V):
    S = np.einsum("...qd,...kd->...kq", Q, K)
    powers = np.exp(S - S.max(axis=-2, keepdims=True))
    weights = powers / np.einsum("...kq->...q", powers)[..., None, :]
    return np.einsum("...kq,...kv->...qv", weights, V)


@right("soft_lookup")
def fresh_look_plain(query, keys, values, temperature):
    scores = [np.dot(key, query) for key in keys]
    best = max(scores)
    powers = [np.exp((s - best) / temperature) for s in scores]
    return sum(p * value for p, value in zip(powers, values)) / sum(powers)


@right("soft_lookup")
def fresh_look_pairs(query, keys, values, temperature):
    s = np.einsum("jd,d->j", keys, query)
    gaps = s[:, None] - s.max()
    e = np.exp(gaps / temperature)
    return np.ravel((e / e.sum()).T @ values)


@right("SelfAttention")
class FreshLoopOverQueries(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        for name, width in {"W_Q": d_k, "W_K": d_k, "W_V": d_v}.items():
            setattr(self, name, torch.nn.Linear(d_model, width, bias=False))

    def forward(self, X):
        q, k, v = self.W_Q(X), self.W_K(X), self.W_V(X)
        outputs = []
        for one in q.unbind(dim=-2):
            s = (k * one.unsqueeze(-2)).sum(dim=-1)
            e = torch.exp(s - s.amax(dim=-1, keepdim=True))
            mixed = (e.unsqueeze(-1) * v).sum(dim=-2)
            outputs.append(mixed / e.sum(dim=-1, keepdim=True))
        return torch.stack(outputs, dim=-2)


@right("SelfAttention")
class FreshEinsumWeights(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()

        def matrix(width):
            return torch.nn.Linear(d_model, width, bias=False)

        self.W_Q, self.W_K, self.W_V = matrix(d_k), matrix(d_k), matrix(d_v)

    def forward(self, X):
        Q, K, V = (
            torch.einsum("...nd,kd->...nk", X, layer.weight)
            for layer in (self.W_Q, self.W_K, self.W_V)
        )
        S = torch.einsum("...qd,...kd->...qk", Q, K)
        return torch.einsum("...qk,...kv->...qv", S.softmax(dim=-1), V)


def fresh_rows_to_weights(S):
    """Turn each row of scores into weights (this helper is right)."""
    e = np.exp(S - S.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# project_qkv


@wrong(
    "project_qkv",
    mistake="multiplies by the transposes of the matrices, as torch.nn.Linear does",
)
def fresh_proj_transposed(X, W_Q, W_K, W_V, Z):
    def linear(x, W):
        return np.einsum("...nd,kd->...nk", x, W)

    return linear(X, W_Q), linear(Z, W_K), linear(Z, W_V)


@wrong(
    "project_qkv",
    mistake="cuts the joint projection of Z in the middle, as if d_k and d_v were"
    " always equal",
)
def fresh_proj_cut_in_the_middle(X, W_Q, W_K, W_V, Z):
    both = Z @ np.concatenate([W_K, W_V], axis=1)
    half = both.shape[-1] // 2
    return X @ W_Q, both[..., :half], both[..., half:]


@wrong(
    "project_qkv",
    mistake="the elements of Z ask and those of X answer: X and Z are the wrong "
    "way round",
)
def fresh_proj_roles_exchanged(X, W_Q, W_K, W_V, Z):
    out = []
    for source, W in zip([Z, X, X], [W_Q, W_K, W_V]):
        Y = np.zeros(source.shape[:-1] + (W.shape[1],), dtype=source.dtype)
        for d in range(W.shape[0]):
            for k in range(W.shape[1]):
                Y[..., k] += source[..., d] * W[d, k]
        out.append(Y)
    return tuple(out)


@wrong(
    "project_qkv",
    mistake="makes the keys with W_Q in place of W_K AND makes the values from X "
    "in place of Z",
)
def fresh_proj_shared_and_own_values(X, W_Q, W_K, W_V, Z):
    Q = np.matmul(X, W_Q)
    K = np.matmul(Z, W_Q)
    V = np.matmul(X, W_V)
    return Q, K, V


# unscaled_attention


@wrong(
    "unscaled_attention",
    mistake="reshapes K in place of transposing it, which mixes up its entries",
)
def fresh_att_reshape(Q, K, V):
    n_k, d_k = K.shape[-2:]
    K_T = K.reshape(K.shape[:-2] + (d_k, n_k))
    return fresh_rows_to_weights(Q @ K_T) @ V


@wrong(
    "unscaled_attention",
    mistake="divides the outputs by their own sum over the columns of V, in place"
    " of dividing the powers by their sum over the keys",
)
def fresh_att_normalizes_outputs(Q, K, V):
    S = np.einsum("...qd,...kd->...qk", Q, K)
    powers = np.exp(S - S.max(axis=-1, keepdims=True))
    Y = np.einsum("...qk,...kv->...qv", powers, V)
    return Y / np.einsum("...qv->...q", Y)[..., None]


@wrong(
    "unscaled_attention",
    mistake="takes the softmax over the queries, so that the weights of each key,"
    " not of each query, sum to 1",
)
def fresh_att_over_queries(Q, K, V):
    n_q, n_k = Q.shape[-2], K.shape[-2]
    Y = np.zeros(Q.shape[:-1] + V.shape[-1:], dtype=V.dtype)
    for j in range(n_k):
        s = [(Q[..., i, :] * K[..., j, :]).sum(-1) for i in range(n_q)]
        top = np.max(s, axis=0)
        total = sum(np.exp(x - top) for x in s)
        for i in range(n_q):
            a = np.exp(s[i] - top) / total
            Y[..., i, :] += a[..., None] * V[..., j, :]
    return Y


@wrong(
    "unscaled_attention",
    mistake="clips the scores at 50 in place of subtracting the maximum, so that "
    "all larger ones count alike AND mixes the keys in place of the "
    "values",
)
def fresh_att_clip_and_keys(Q, K, V):
    S = Q @ np.swapaxes(K, -1, -2)
    e = np.exp(np.clip(S, -50, 50))
    A = e / e.sum(axis=-1, keepdims=True)
    return A @ K


# soft_lookup


@wrong(
    "soft_lookup",
    mistake="divides the dot products by the lengths of query and keys (the "
    "cosine)",
)
def fresh_look_cosine(query, keys, values, temperature):
    lengths = np.sqrt(np.einsum("jd,jd->j", keys, keys) * (query @ query))
    s = np.einsum("d,jd->j", query, keys) / np.where(lengths > 0, lengths, 1)
    return np.einsum("j,jv->v", fresh_rows_to_weights(s / temperature), values)


@wrong(
    "soft_lookup",
    mistake="takes the mean of the weighted values in place of their sum, so the "
    "answer is n_k times too small",
)
def fresh_look_mean(query, keys, values, temperature):
    s = np.array([sum(q * k for q, k in zip(query, key)) for key in keys])
    a = fresh_rows_to_weights(s / temperature)
    return np.mean([a_j * v_j for a_j, v_j in zip(a, values)], axis=0)


@wrong(
    "soft_lookup",
    mistake="adds 0.01 to the temperature against division by zero, which changes"
    " the weights at low temperatures",
)
def fresh_look_guarded_temperature(query, keys, values, temperature):
    eps = 1e-2
    scores = keys @ query / (temperature + eps)
    scores = scores - scores.max()
    w = np.exp(scores)
    w = w / w.sum()
    return w @ values


@wrong(
    "soft_lookup",
    mistake="scores by the negative squared distance in place of the dot product "
    "AND multiplies by the temperature in place of dividing by it",
)
def fresh_look_distance_times_temperature(query, keys, values, temperature):
    def closeness(key):
        return -np.sum((key - query) ** 2)

    s = np.array([closeness(key) for key in keys]) * temperature
    return fresh_rows_to_weights(s) @ values


# possible_scores


@wrong(
    "possible_scores",
    mistake="e is not possible: with a shared matrix an element's score with "
    "itself is a squared length, never negative",
)
def fresh_possible_negative_square():
    return {"b", "c", "e", "g"}


@wrong(
    "possible_scores",
    mistake="f is not possible: the identity has rank 5, more than d_k = 3 AND g "
    "is possible: with two matrices the scores need not be symmetric",
)
def fresh_possible_rank():
    return {"b", "c", "f"}


# SelfAttention


@wrong(
    "SelfAttention",
    mistake="exponentiates the scores without subtracting the largest of each "
    "row, so that large scores overflow",
)
class FreshOverflows(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        for name, width in {"W_Q": d_k, "W_K": d_k, "W_V": d_v}.items():
            setattr(self, name, torch.nn.Linear(d_model, width, bias=False))

    def forward(self, X):
        q, k, v = self.W_Q(X), self.W_K(X), self.W_V(X)
        outputs = []
        for i in range(X.shape[-2]):
            powers = torch.einsum("...d,...jd->...j", q[..., i, :], k).exp()
            mixed = torch.einsum("...j,...jv->...v", powers, v)
            outputs.append(mixed / powers.sum(-1, keepdim=True))
        return torch.stack(outputs, dim=-2)


@wrong(
    "SelfAttention",
    mistake="multiplies by the weight of each Linear without transposing it",
)
class FreshWeightNotTransposed(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_v, bias=False)

    def forward(self, X):
        Q = X @ self.W_Q.weight
        K = X @ self.W_K.weight
        V = X @ self.W_V.weight
        return torch.softmax(Q @ K.transpose(-2, -1), dim=-1) @ V


@wrong(
    "SelfAttention",
    mistake="compares keys with keys: the queries are never used",
)
class FreshKeysWithKeys(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_v, bias=False)

    def forward(self, X):
        q, k, v = (layer(X) for layer in (self.W_Q, self.W_K, self.W_V))
        scores = torch.einsum("...id,...jd->...ij", k, k)
        return torch.einsum("...ij,...jv->...iv", scores.softmax(-1), v)


@wrong(
    "SelfAttention",
    mistake="leaves the bias of the three Linear layers in AND divides the scores"
    " by the square root of d_model",
)
class FreshBiasAndScale(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.scale = d_model**0.5
        self.W_Q = torch.nn.Linear(d_model, d_k)
        self.W_K = torch.nn.Linear(d_model, d_k)
        self.W_V = torch.nn.Linear(d_model, d_v)

    def forward(self, X):
        scores = self.W_Q(X) @ self.W_K(X).mT / self.scale
        return scores.softmax(dim=-1) @ self.W_V(X)
