"""Wrong answers to the exercises of `qkv`, written blind in three rounds, and what they are told."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from tests.exercises.answers import Answers

wrong = Answers()


def my_softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "project_qkv",
    "x-and-z-swapped",
    mistake="who asks and who answers are swapped: queries from Z, keys and values from X",
)
def b6_qkv_1(X, W_Q, W_K, W_V, Z):
    Q = Z @ W_Q
    K = X @ W_K
    V = X @ W_V
    return Q, K, V


@wrong("unscaled_attention", "scaled", mistake="divides by sqrt(d_k) out of habit")
def b6_qkv_2(Q, K, V):
    d = Q.shape[-1]
    s = np.einsum("...qd,...kd->...qk", Q, K) / np.sqrt(d)
    A = my_softmax(s)
    return np.einsum("...qk,...kv->...qv", A, V)


@wrong(
    "soft_lookup",
    "power",
    mistake="sharpens the finished weights (a ** (1/T)); at low temperatures all underflow: 0/0",
)
def b6_qkv_3(query, keys, values, temperature):
    a = my_softmax(keys @ query)
    a = a ** (1 / temperature)
    with np.errstate(all="ignore"):
        a = a / a.sum()
    return a @ values


@wrong(
    "SelfAttention",
    "one-matrix",
    mistake="queries and keys share one and the same linear layer",
)
class B6Qkv4(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = self.W_K = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_v, bias=False)

    def forward(self, X):
        scores = self.W_Q(X) @ self.W_K(X).transpose(-2, -1)
        return torch.softmax(scores, dim=-1) @ self.W_V(X)


@wrong(
    "possible_scores",
    "e",
    mistake="takes symmetry to be enough for a shared matrix (e has a negative diagonal entry, which is no squared length)",
)
def b6_qkv_5():
    return {"b", "c", "e", "g"}


@wrong(
    "unscaled_attention",
    "wrong-axis",
    mistake="softmax runs over the queries of each key (scores made as keys x queries, then turned around after the softmax)",
)
def b6_qkv_6(Q, K, V):
    S = K @ np.swapaxes(Q, -2, -1)
    W = my_softmax(S)
    return np.swapaxes(W, -2, -1) @ V


@wrong(
    "SelfAttention",
    "scaled",
    mistake="scaled by sqrt(d_k) though the task says not to, and softmax over dim=1, which in a batch is the queries",
)
class B6Qkv7(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, X):
        q, k, v = self.W_Q(X), self.W_K(X), self.W_V(X)
        att = q @ k.mT / self.d_k**0.5
        att = F.softmax(att, dim=1)
        return att @ v


@wrong(
    "project_qkv",
    "keys-from-x",
    "values-second",
    mistake="keys are made from X instead of Z, and values and keys are returned in the wrong order",
)
def b6_qkv_8(X, W_Q, W_K, W_V, Z):
    queries = np.matmul(X, W_Q)
    keys = np.matmul(X, W_K)
    values = np.matmul(Z, W_V)
    return queries, values, keys


@wrong("project_qkv", "values-from-x", mistake="values are made from X")
def own_qkv_1(X, W_Q, W_K, W_V, Z):
    Q = X @ W_Q
    K = Z @ W_K
    V = X @ W_V
    return Q, K, V


@wrong(
    "soft_lookup",
    "no-exp",
    mistake="weights not normalized by a softmax but by their sum of plain scores",
)
def own_qkv_2(query, keys, values, temperature):
    s = (keys @ query) / temperature
    a = s / s.sum()
    return a @ values


@wrong(
    "unscaled_attention",
    "wrong-axis",
    mistake="one maximum for all rows, powers summed over the queries",
)
def own_qkv_3(Q, K, V):
    s = Q @ K.swapaxes(-1, -2)
    e = np.exp(s - s.max())
    a = e / e.sum(axis=-2, keepdims=True)
    return a @ V


@wrong(
    "SelfAttention",
    said="is `relu` needed here",
    mistake="relu on the scores before the softmax",
)
class OwnQkv4(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, X):
        S = torch.relu(self.W_Q(X) @ self.W_K(X).transpose(-1, -2))
        return torch.softmax(S, dim=-1) @ self.W_V(X)


@wrong(
    "project_qkv",
    "x-and-z-swapped",
    mistake="the roles are swapped: queries from Z, keys and values from X",
)
def b7_qkv_19(X, W_Q, W_K, W_V, Z):
    Q = np.einsum("...nd,dk->...nk", Z, W_Q)
    K = np.einsum("...nd,dk->...nk", X, W_K)
    V = np.einsum("...nd,dv->...nv", X, W_V)
    return Q, K, V


@wrong(
    "unscaled_attention",
    said="along which axis does this `max` run",
    mistake="the shift takes off each column's maximum (over the queries), which is not constant along a row and changes the weights",
)
def b7_qkv_20(Q, K, V):
    S = Q @ np.swapaxes(K, -1, -2)
    S = S - S.max(axis=-2, keepdims=True)
    A = np.exp(S)
    A = A / A.sum(axis=-1, keepdims=True)
    return A @ V


@wrong(
    "soft_lookup",
    "fails-cold",
    said="what is done where this holds comes out wrong. Is a way of its own needed there",
    mistake="for low temperatures it takes a shortcut, the value of the best key alone, also where two keys score almost alike",
)
def b7_qkv_21(query, keys, values, temperature):
    s = keys @ query
    if temperature < 0.1:
        return values[np.argmax(s)]
    s = s / temperature
    w = np.exp(s - s.max())
    return (w / w.sum()) @ values


@wrong(
    "SelfAttention",
    "fails-batch",
    "outside-the-values",
    said="along which axis does this `softmax` run",
    mistake="softmax along dim=1, which with a batch axis is the axis of the queries",
)
class B7Qkv22(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_v, bias=False)

    def forward(self, X):
        q, k, v = self.W_Q(X), self.W_K(X), self.W_V(X)
        scores = q @ k.transpose(-2, -1)
        return torch.softmax(scores, dim=1) @ v


@wrong(
    "SelfAttention",
    "bias",
    mistake="(two) the layers keep their biases, and the scores are divided by sqrt(d_k)",
)
class B7Qkv23(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.W_Q = torch.nn.Linear(d_model, d_k)
        self.W_K = torch.nn.Linear(d_model, d_k)
        self.W_V = torch.nn.Linear(d_model, d_v)

    def forward(self, X):
        Q = self.W_Q(X)
        K = self.W_K(X)
        V = self.W_V(X)
        A = torch.softmax(
            torch.einsum("...id,...jd->...ij", Q, K) / self.d_k**0.5, dim=-1
        )
        return torch.einsum("...ij,...jd->...id", A, V)


@wrong(
    "possible_scores",
    "e",
    mistake="thinks that with one shared matrix symmetry is enough, and forgets that the diagonal holds squared lengths, so e (-1 there) is listed",
)
def b7_qkv_24():
    return {"b", "c", "e", "g"}


@wrong(
    "soft_lookup",
    "fails-cold",
    said="what is done where this does not hold comes out wrong. Is a way of its own needed there",
    mistake="IfExp",
)
def own_qkv_109(query, keys, values, temperature):
    s = keys @ query / temperature
    w = np.exp(s - s.max()) if temperature > 0.01 else (s == s.max()).astype(float)
    return (w / w.sum()) @ values


@wrong(
    "soft_lookup",
    "fails-cold",
    "nan",
    said="is 0 right to begin with, where everything may be smaller",
    mistake="running max over keys starts at 0",
)
def own_qkv_116(query, keys, values, temperature):
    best = 0.0
    for k in keys:
        best = max(best, (k @ query) / temperature)
    total, out = 0.0, np.zeros(values.shape[-1])
    for k, v in zip(keys, values):
        p = np.exp((k @ query) / temperature - best)
        total += p
        out = out + p * v
    return out / total
