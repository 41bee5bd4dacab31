"""Wrong answers to the exercises of `qkv`, written blind in two rounds, and what they are told."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from tests.grader.exercises.answers import Answers

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
