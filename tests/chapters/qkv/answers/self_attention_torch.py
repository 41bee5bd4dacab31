"""Answers to `SelfAttention`."""

import torch
import torch.nn.functional as F
from torch import nn

from tests.exercises.answers import right, wrong


@right()
def sa_parameters(d_model, d_k, d_v):
    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.W_Q = torch.nn.Parameter(torch.randn(d_model, d_k))
            self.W_K = torch.nn.Parameter(torch.randn(d_model, d_k))
            self.W_V = torch.nn.Parameter(torch.randn(d_model, d_v))

        def forward(self, X):
            scores = (X @ self.W_Q) @ (X @ self.W_K).mT
            return scores.softmax(-1) @ (X @ self.W_V)

    return Mine()


@right()
def sa_fused(d_model, d_k, d_v):
    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.W_Q = torch.nn.Linear(d_model, d_k, bias=False)
            self.W_K = torch.nn.Linear(d_model, d_k, False)
            self.W_V = torch.nn.Linear(d_model, d_v, bias=None)
            self.norm = torch.nn.LayerNorm(d_model)  # not used

        def forward(self, X):
            s = torch.einsum("...id,...jd->...ij", self.W_Q(X), self.W_K(X))
            e = torch.exp(s - s.amax(-1, keepdim=True))
            return torch.einsum(
                "...ij,...jv->...iv", e / e.sum(-1, keepdim=True), self.W_V(X)
            )

    return Mine()


@right()
def sa_two_names(d_model, d_k, d_v):
    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            sizes = {"q": d_k, "k": d_k, "v": d_v}
            self.maps = torch.nn.ModuleDict(
                {
                    m: torch.nn.Linear(d_model, n, bias=False)
                    for m, n in sizes.items()
                }
            )
            self.W_Q, self.W_K, self.W_V = self.maps.values()
            self.unused = torch.nn.Linear(d_model, d_k)
            self.unused_too = self.unused

        def forward(self, X):
            Q, K, V = (layer(X) for layer in self.maps.values())
            return torch.softmax(Q @ K.transpose(-2, -1), -1) @ V

    return Mine()


@right()
def sa_by_hand(d_model, d_k, d_v):
    class Mine(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.W_Q, self.W_K, self.W_V = (
                torch.nn.Linear(d_model, d, bias=False) for d in (d_k, d_k, d_v)
            )

        def forward(self, X):
            s = self.W_Q(X) @ self.W_K(X).mT
            return (s - s.logsumexp(-1, keepdim=True)).exp() @ self.W_V(X)

    return Mine()


@right(author="fresh")
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


@right(author="fresh")
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


def _module(**parts):
    """Make a module class with a forward of its own."""

    def make(d_model, d_k, d_v):
        class Mine(torch.nn.Module):
            def __init__(self):
                super().__init__()
                bias = parts.get("bias", False)
                self.W_Q = torch.nn.Linear(d_model, d_k, bias=bias)
                self.W_K = torch.nn.Linear(d_model, d_k, bias=bias)
                if not parts.get("renamed"):
                    self.W_V = torch.nn.Linear(d_model, d_v, bias=bias)

            def forward(self, X):
                return parts["forward"](self, X)

        return Mine()

    return make


@wrong()
def sa_missing_matrix(d_model, d_k, d_v):
    return _module(renamed=True, forward=lambda m, X: X)(d_model, d_k, d_v)


@wrong()
def sa_detached(d_model, d_k, d_v):
    def forward(m, X):
        return (m.W_Q(X) @ m.W_K(X).mT).detach().softmax(-1) @ m.W_V(X)

    return _module(forward=forward)(d_model, d_k, d_v)


@wrong()
def sa_a_function(d_model, d_k, d_v):
    return lambda X: X


@wrong()
def sa_relu_on_queries(d_model, d_k, d_v):
    def forward(m, X):
        return (m.W_Q(X).relu() @ m.W_K(X).mT).softmax(-1) @ m.W_V(X)

    return _module(forward=forward)(d_model, d_k, d_v)


# the parameters cannot learn
@wrong("frozen")
def sa_frozen(d_model, d_k, d_v):
    layer = _module(
        forward=lambda m, X: (m.W_Q(X) @ m.W_K(X).mT).softmax(-1) @ m.W_V(X)
    )(d_model, d_k, d_v)
    layer.requires_grad_(requires_grad=False)
    return layer


# computes in float64, whatever X has
@wrong("dtype")
def sa_double(d_model, d_k, d_v):
    def forward(m, X):
        Q, K, V = (layer(X).double() for layer in (m.W_Q, m.W_K, m.W_V))
        return (Q @ K.mT).softmax(-1) @ V

    return _module(forward=forward)(d_model, d_k, d_v)


# dropout on the weights was not asked for
@wrong()
def sa_dropout(d_model, d_k, d_v):
    def forward(m, X):
        weights = (m.W_Q(X) @ m.W_K(X).mT).softmax(-1)
        return drop(weights) @ m.W_V(X)

    drop = torch.nn.Dropout(0.1)
    return _module(forward=forward)(d_model, d_k, d_v)


# the widths of W_K and W_V are mixed up
@wrong()
def sa_widths(d_model, d_k, d_v):
    layer = _module(forward=lambda m, X: X)(d_model, d_k, d_v)
    layer.W_V = torch.nn.Linear(d_model, d_k, bias=False)
    return layer


# mixes X, not the values
@wrong("unprojected-values")
def sa_mixes_x(d_model, d_k, d_v):
    def forward(m, X):
        return (m.W_Q(X) @ m.W_K(X).mT).softmax(-1) @ X

    return _module(forward=forward)(d_model, d_k, d_v)


# exponentiates the scores without subtracting the largest of each row, so that large scores
# overflow
@wrong(author="fresh")
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


# multiplies by the weight of each Linear without transposing it
@wrong(author="fresh")
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


# compares keys with keys: the queries are never used
@wrong(author="fresh")
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


# queries and keys share one and the same linear layer
@wrong("one-matrix", author="blind")
class B6Qkv4(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = self.W_K = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_v, bias=False)

    def forward(self, X):
        scores = self.W_Q(X) @ self.W_K(X).transpose(-2, -1)
        return torch.softmax(scores, dim=-1) @ self.W_V(X)


# scaled by sqrt(d_k) though the task says not to, and softmax over dim=1, which in a batch is the
# queries
@wrong("scaled", author="blind")
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


# relu on the scores before the softmax
@wrong(said="is `relu` needed here", author="blind")
class OwnQkv4(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, X):
        S = torch.relu(self.W_Q(X) @ self.W_K(X).transpose(-1, -2))
        return torch.softmax(S, dim=-1) @ self.W_V(X)


# softmax along dim=1, which with a batch axis is the axis of the queries
@wrong(said="along which axis does this `softmax` run", author="blind")
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


# (two) the layers keep their biases, and the scores are divided by sqrt(d_k)
@wrong("scaled", "bias", author="blind")
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


# Divides by sqrt(d_k); the task says without scaling; softmax along dim=1: with a batch axis that
# is the queries' axis, not the keys'
@wrong(said="along which axis", author="blind")
class fd_selfatt_1(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.d_k = d_k
        self.W_Q = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_v, bias=False)

    def forward(self, X):
        q, k, v = self.W_Q(X), self.W_K(X), self.W_V(X)
        att = q @ k.transpose(-2, -1) / self.d_k**0.5
        att = torch.softmax(att, dim=1)
        return att @ v


# each value is multiplied by the sum of a row of weights: nothing is mixed
@wrong("not-mixed", author="blind")
class c6_no_mix_i10(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = torch.nn.Parameter(torch.randn(d_model, d_k) / d_model**0.5)
        self.W_K = torch.nn.Parameter(torch.randn(d_model, d_k) / d_model**0.5)
        self.W_V = torch.nn.Parameter(torch.randn(d_model, d_v) / d_model**0.5)

    def forward(self, X):
        Q = X @ self.W_Q
        K = X @ self.W_K
        weights = torch.softmax(Q @ K.mT, dim=-1)
        V = X @ self.W_V
        return weights.sum(dim=-1, keepdim=True) * V


# copy-paste: the queries are made with W_K, W_Q is never used
@wrong("queries-from-W_K", author="blind")
class d06_paste(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = torch.nn.Parameter(torch.randn(d_model, d_k))
        self.W_K = torch.nn.Parameter(torch.randn(d_model, d_k))
        self.W_V = torch.nn.Parameter(torch.randn(d_model, d_v))

    def forward(self, X):
        Q = X @ self.W_K
        K = X @ self.W_K
        V = X @ self.W_V
        S = torch.einsum("...id,...jd->...ij", Q, K)
        A = torch.softmax(S, dim=-1)
        return torch.einsum("...ij,...jd->...id", A, V)


# scores are K Q^T instead of Q K^T AND the softmax is applied twice
@wrong("swapped", "softmax-twice", author="blind")
class d07_kq_twice(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_v, bias=False)

    def weights(self, X):
        scores = torch.matmul(self.W_K(X), self.W_Q(X).mT)
        return scores.softmax(-1)

    def forward(self, X):
        A = self.weights(X)
        return torch.softmax(A, -1) @ self.W_V(X)


# scores are divided by sqrt(d_model) though no scaling is wanted AND a causal mask hides the
# later elements
@wrong("causal", "root-of-d-model", author="blind")
class d08_scaled_causal(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.d_model = d_model
        self.W_Q = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_v, bias=False)

    def forward(self, X):
        T = X.shape[-2]
        s = self.W_Q(X) @ self.W_K(X).transpose(-1, -2) * self.d_model**-0.5
        s = s.masked_fill(
            torch.triu(torch.ones(T, T, dtype=torch.bool), 1), float("-inf")
        )
        return torch.softmax(s, dim=-1) @ self.W_V(X)


# the Linear layers have a bias AND softmax along the queries (dim=-2)
@wrong("wrong-axis", "bias", said="`W_Q`, `W_K`, `W_V`", author="blind")
class K26BiasDim(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = torch.nn.Linear(d_model, d_k)
        self.W_K = torch.nn.Linear(d_model, d_k)
        self.W_V = torch.nn.Linear(d_model, d_v)

    def forward(self, X):
        Q = self.W_Q(X)
        K = self.W_K(X)
        V = self.W_V(X)
        S = torch.einsum("...id,...jd->...ij", Q, K)
        return S.softmax(dim=-2) @ V


# scores over their sum, without exp AND the weights are transposed
@wrong("transposed-weights", "no-exponential", author="blind")
class D19Self(nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = nn.Linear(d_model, d_k, bias=False)
        self.W_K = nn.Linear(d_model, d_k, bias=False)
        self.W_V = nn.Linear(d_model, d_v, bias=False)

    def forward(self, X):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        S = Q @ K.transpose(-1, -2)
        W = S / S.sum(dim=-1, keepdim=True)
        return W.transpose(-1, -2) @ V
