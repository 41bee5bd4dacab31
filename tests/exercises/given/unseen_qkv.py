"""Wrong answers to `qkv` by others who had not seen the known mistakes, either."""

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "project_qkv",
    mistake="X and Z have changed places: the queries are made from Z, and the keys and values from X",
)
def second_qkv_x_and_z_swapped(X, W_Q, W_K, W_V, Z):
    sources = {"Q": (Z, W_Q), "K": (X, W_K), "V": (X, W_V)}
    projected = {
        name: np.einsum("...nm,mk->...nk", A, W) for name, (A, W) in sources.items()
    }
    return projected["Q"], projected["K"], projected["V"]


@wrong(
    "unscaled_attention",
    mistake="when a larger score turns up, the sum of the weights is rescaled to the new maximum but the sum of the weighted values is not",
)
def second_qkv_running_values_not_rescaled(Q, K, V):
    Y = np.zeros(Q.shape[:-1] + V.shape[-1:])
    for place in np.ndindex(Q.shape[:-1]):
        batch = place[:-1]
        top, total, mixture = -np.inf, 0.0, np.zeros(V.shape[-1])
        for k, v in zip(K[batch], V[batch]):
            s = Q[place] @ k
            new_top = max(top, s)
            w = np.exp(s - new_top)
            total = total * np.exp(top - new_top) + w
            mixture = mixture + w * v
            top = new_top
        Y[place] = mixture / total
    return Y


@wrong(
    "unscaled_attention",
    mistake="the scores are divided by the square root of d_k, which was not asked for yet "
    "AND the softmax runs over the queries (axis -2) instead of over the keys",
)
def second_qkv_scaled_and_wrong_axis(Q, K, V):
    S = np.einsum("...qd,...kd->...qk", Q, K) / np.sqrt(Q.shape[-1])
    E = np.exp(S - S.max(axis=-2, keepdims=True))
    A = E / np.einsum("...qk->...k", E)[..., None, :]
    return np.einsum("...qk,...kv->...qv", A, V)


@wrong(
    "soft_lookup",
    mistake="subtracts the maximum of the scores before their division by the temperature, so low temperatures overflow or give 0 / 0",
)
def second_qkv_maximum_before_temperature(query, keys, values, temperature):
    scores = keys @ query
    powers = np.exp(scores / temperature - np.max(scores))
    weights = powers / powers.sum()
    return weights @ values


@wrong(
    "soft_lookup",
    mistake="at low temperatures it returns the value of the best key alone, though keys with equal or close scores still have to be mixed",
)
def second_qkv_hard_when_cold(query, keys, values, temperature):
    scores = [sum(a * b for a, b in zip(query, key)) for key in keys]
    best = max(scores)
    if temperature < 0.05:  # the exponentials would overflow
        return values[scores.index(best)]
    powers = [np.exp((s - best) / temperature) for s in scores]
    return sum(p * v for p, v in zip(powers, values)) / sum(powers)


@wrong(
    "SelfAttention",
    mistake="flattens the batch axes into one long sequence, so elements attend to those of other sequences in the batch",
)
class SecondQkvAttendsAcrossBatch(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.d_model, self.d_v = d_model, d_v
        self.W_Q = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_v, bias=False)

    def forward(self, X):
        flat = X.reshape(-1, self.d_model)
        Q, K, V = self.W_Q(flat), self.W_K(flat), self.W_V(flat)
        A = torch.softmax(Q @ K.T, dim=-1)
        return (A @ V).reshape(*X.shape[:-1], self.d_v)


@wrong(
    "project_qkv",
    mistake="splits the joint product of keys and values in the middle instead of after d_k columns, which is wrong if d_k and d_v differ",
)
def third_qkv_split_in_the_middle(X, W_Q, W_K, W_V, Z):
    both = Z @ np.concatenate([W_K, W_V], axis=1)
    middle = both.shape[-1] // 2
    return X @ W_Q, both[..., :middle], both[..., middle:]


@wrong(
    "unscaled_attention",
    mistake="subtracts the mean of each row of scores instead of its maximum, so exp overflows for large scores",
)
def third_qkv_shift_by_mean(Q, K, V):
    scores = np.einsum("...id,...jd->...ij", Q, K)
    powers = np.exp(scores - scores.mean(axis=-1, keepdims=True))
    totals = np.einsum("...ij->...i", powers)
    return np.einsum("...ij,...jd,...i->...id", powers, V, 1 / totals)


@wrong(
    "unscaled_attention",
    mistake="divides the output by the sum of its own entries, where the weights should be divided by their sum",
)
def third_qkv_output_normalized(Q, K, V):
    *batch, n_q, _ = Q.shape
    Y = np.zeros((*batch, n_q, V.shape[-1]))
    for b in np.ndindex(*batch):
        for i in range(n_q):
            scores = [q_dot_k for q_dot_k in (Q[b][i] @ k for k in K[b])]
            highest = max(scores)
            for score, value in zip(scores, V[b]):
                Y[b][i] += np.exp(score - highest) * value
            Y[b][i] /= Y[b][i].sum()
    return Y


@wrong(
    "soft_lookup",
    mistake="at low temperatures it returns the value of the best key alone, although keys with close scores still share the weight",
)
def third_qkv_hard_when_cold(query, keys, values, temperature):
    scores = keys @ query
    if temperature < 0.1:
        return values[np.argmax(scores)]
    powers = np.exp((scores - scores.max()) / temperature)
    return (powers / powers.sum()) @ values


@wrong(
    "SelfAttention",
    mistake="masks the elements that come later, although every element may look at all of them",
)
class ThirdQkvLooksBackOnly(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_v, bias=False)

    def scores(self, X):
        return self.W_Q(X) @ self.W_K(X).mT

    def hide_future(self, scores):
        n = scores.shape[-1]
        future = torch.ones(n, n, dtype=torch.bool, device=scores.device).triu(1)
        return scores.masked_fill(future, float("-inf"))

    def forward(self, X):
        weights = torch.softmax(self.hide_future(self.scores(X)), dim=-1)
        return weights @ self.W_V(X)


@wrong(
    "SelfAttention",
    mistake="the linear layer of the values keeps its bias AND the scores are K Q^T instead of Q K^T, so the keys ask and the queries answer",
)
class ThirdQkvBiasAndSwappedScores(torch.nn.Module):
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.W_Q = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_K = torch.nn.Linear(d_model, d_k, bias=False)
        self.W_V = torch.nn.Linear(d_model, d_v)

    def forward(self, X):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        weights = torch.softmax(K @ Q.transpose(-2, -1), dim=-1)
        return weights @ V


@wrong(
    "project_qkv",
    said="`cut = W_V.shape[1]`",
    mistake="takes the values' columns from d_v on, where d_k is the border of the packed product",
)
def fourth_qkv_cut_at_dv(X, W_Q, W_K, W_V, Z):
    KV = Z @ np.concatenate([W_K, W_V], axis=1)
    cut = W_V.shape[1]
    return X @ W_Q, KV[..., :cut], KV[..., cut:]


@wrong(
    "unscaled_attention",
    said="is one missing here",
    mistake="rescales the running sum of the weights when a larger score comes, but not the running sum of the values",
)
def fourth_qkv_online_two(Q, K, V):
    S = Q @ np.swapaxes(K, -1, -2)
    m = np.full(S.shape[:-1], -np.inf)
    l = np.zeros(S.shape[:-1])
    o = np.zeros((*S.shape[:-1], V.shape[-1]))
    for j in range(S.shape[-1]):
        s = S[..., j]
        new = np.maximum(m, s)
        c = np.exp(m - new)
        p = np.exp(s - new)
        l = c * l + p
        o = o + p[..., None] * V[..., None, j, :]
        m = new
    return o / l[..., None]


@wrong(
    "unscaled_attention",
    said="has to shrink",
    mistake="goes through the keys one by one and does not shrink what it has summed so far when "
    "a larger score turns up",
)
def fifth_qk_no_shrinking(Q, K, V):
    shape = (*Q.shape[:-1], V.shape[-1])
    out = np.zeros(shape)
    for place in np.ndindex(*Q.shape[:-1]):
        batch = place[:-1]
        top, total = -np.inf, 0.0
        for j in range(K.shape[-2]):
            s = Q[place] @ K[batch][j]
            top = max(top, s)
            w = np.exp(s - top)
            total += w
            out[place] += w * V[batch][j]
        out[place] /= total
    return out


@wrong(
    "project_qkv",
    said="values from X",
    mistake="computes the values from X, the asking elements, instead of from Z",
)
def fifth_qk_values_of_x(X, W_Q, W_K, W_V, Z):
    def project(elements, W):
        return np.einsum("...nd,de->...ne", elements, W)

    return project(X, W_Q), project(Z, W_K), project(X, W_V)


@wrong(
    "unscaled_attention",
    said="You *reshape* K",
    mistake="reshapes K to (d_k, n_k) instead of transposing it, which mixes up the keys' numbers",
)
def fifth_qkv_reshape_not_transpose(Q, K, V):
    n_k, d_k = K.shape[-2:]
    scores = np.matmul(Q, K.reshape(*K.shape[:-2], d_k, n_k))
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return np.matmul(weights, V)


@wrong(
    "soft_lookup",
    said="There are two mistakes at once",
    mistake="uses cosines instead of dot products AND multiplies by the temperature instead of "
    "dividing by it",
)
def fifth_qkv_cosine_times_t(query, keys, values, temperature):
    def unit(x):
        return x / np.linalg.norm(x, axis=-1, keepdims=True)

    scores = np.einsum("d,kd->k", unit(query), unit(keys)) * temperature
    powers = np.exp(scores - scores.max())
    return np.einsum("k,kv->v", powers / powers.sum(), values)
