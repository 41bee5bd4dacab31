"""Right answers to the exercises of `qkv`, each written in another way. None may be refused."""

import numpy as np

from tests.exercises.answers import Answers

right = Answers()


@right("project_qkv")
def pq_list(X, W_Q, W_K, W_V, Z):
    return [np.matmul(X, W_Q), np.matmul(Z, W_K), np.matmul(Z, W_V)]


@right("project_qkv")
def pq_einsum(X, W_Q, W_K, W_V, Z):
    def times(A, W):
        return np.einsum("...nd,dk->...nk", A, W)

    return times(X, W_Q), times(Z, W_K), times(Z, W_V)


@right("project_qkv")
def pq_together(X, W_Q, W_K, W_V, Z):
    K, V = np.split(Z @ np.hstack([W_K, W_V]), [W_K.shape[1]], axis=-1)
    return X @ W_Q, K, V


@right("project_qkv")
def pq_columns(X, W_Q, W_K, W_V, Z):
    return tuple(
        np.swapaxes(W.T @ np.swapaxes(A, -1, -2), -1, -2)
        for A, W in ((X, W_Q), (Z, W_K), (Z, W_V))
    )


@right("unscaled_attention")
def at_einsum(Q, K, V):
    s = np.einsum("...id,...jd->...ij", Q, K)
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.einsum("...ij,...jv->...iv", e, V) / e.sum(-1)[..., None]


@right("unscaled_attention")
def at_scipy_softmax(Q, K, V):
    from scipy.special import softmax

    return softmax(Q @ K.swapaxes(-1, -2), axis=-1) @ V


@right("unscaled_attention")
def at_course_steps(Q, K, V):
    from course_attn.in_numpy.scores import dot_scores
    from course_attn.in_numpy.softmax import softmax

    return softmax(dot_scores(Q, K)) @ V


@right("unscaled_attention")
def at_query_by_query(Q, K, V):
    out = np.empty((*Q.shape[:-1], V.shape[-1]))
    for where in np.ndindex(Q.shape[:-1]):
        s = K[where[:-1]] @ Q[where]
        e = np.exp(s - max(s))
        out[where] = sum(
            w * v for w, v in zip(e / sum(e), V[where[:-1]], strict=True)
        )
    return out


@right("unscaled_attention")
def at_columns(Q, K, V):
    s = K @ np.swapaxes(Q, -1, -2)
    e = np.exp(s - s.max(-2, keepdims=True))
    return np.swapaxes(
        np.swapaxes(V, -1, -2) @ (e / e.sum(-2, keepdims=True)), -1, -2
    )


@right("soft_lookup")
def sl_row(query, keys, values, temperature):
    s = query[None] @ keys.T / temperature
    w = np.exp(s - s.max())
    return (w @ values / w.sum())[0]


@right("soft_lookup")
def sl_loop(query, keys, values, temperature):
    s = np.array([k @ query for k in keys]) / temperature
    s = s - s.max()
    w = np.exp(s) / np.sum(np.exp(s))
    return sum(a * v for a, v in zip(w, values, strict=True))


@right("soft_lookup")
def sl_scaled_query(query, keys, values, temperature):
    from scipy.special import softmax

    return softmax(keys @ (query / temperature)) @ values


@right("keeps_the_output")
def ko_list():
    return ["e", "c", "f", "b"]


@right("possible_looks")
def pl_text():
    return "B, C, E, H"


@right("possible_looks")
def pl_tuple():
    return "h", "e", "c", "b"


@right("possible_scores")
def ps_text():
    return "bcg"


@right("SelfAttention")
def sa_parameters(d_model, d_k, d_v):
    import torch

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


@right("SelfAttention")
def sa_fused(d_model, d_k, d_v):
    import torch

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


@right("SelfAttention")
def sa_two_names(d_model, d_k, d_v):
    import torch

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


@right("project_qkv")
def pq_stacked(X, W_Q, W_K, W_V, Z):
    W = np.concatenate([W_Q, W_K, W_V], axis=-1)
    d_k = W_Q.shape[-1]
    return (X @ W)[..., :d_k], (Z @ W)[..., d_k : 2 * d_k], (Z @ W)[..., 2 * d_k :]


@right("unscaled_attention")
def at_in_float32(Q, K, V):
    scores = np.matmul(Q, np.moveaxis(K, -1, -2))
    np.subtract(scores, scores.max(axis=-1)[..., None], out=scores)
    np.exp(scores, out=scores)
    return scores @ V / scores.sum(axis=-1)[..., None]


@right("unscaled_attention")
def at_log_sum_exp(Q, K, V):
    from scipy.special import logsumexp

    s = Q @ K.swapaxes(-1, -2)
    return np.exp(s - logsumexp(s, axis=-1, keepdims=True)) @ V


@right("soft_lookup")
def sl_guarded(query, keys, values, temperature):
    s = np.sum(keys * query, axis=1) / temperature
    w = np.exp(s - s.max())
    return np.average(values, axis=0, weights=w / (w.sum() + 1e-12))


@right("SelfAttention")
def sa_by_hand(d_model, d_k, d_v):
    import torch

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
