"""Answers to the exercises of `scaling` by somebody who had not seen the known mistakes."""

import math

import numpy as np
import torch

from tests.exercises.answers import Answers

right, wrong = Answers(), Answers()


@right("scaled_attention")
def fresh_sa_online_over_keys(Q, K, V):
    """Go through the keys one at a time, with a running maximum."""
    root = math.sqrt(Q.shape[-1])
    top = np.full(Q.shape[:-1], -np.inf, dtype=Q.dtype)
    total = np.zeros_like(top)
    out = np.zeros(Q.shape[:-1] + V.shape[-1:], dtype=Q.dtype)
    for j in range(K.shape[-2]):
        s = np.einsum("...id,...d->...i", Q, K[..., j, :]) / root
        new = np.maximum(top, s)
        fade, e = np.exp(top - new), np.exp(s - new)
        total = total * fade + e
        out = out * fade[..., None] + e[..., None] * V[..., j, None, :]
        top = new
    return out / total[..., None]


@right("scaled_attention")
def fresh_sa_recursive_batch(Q, K, V):
    if Q.ndim > 2:
        parts = [fresh_sa_recursive_batch(q, k, v) for q, k, v in zip(Q, K, V)]
        shape = Q.shape[:-1] + V.shape[-1:]
        return np.array(parts, dtype=Q.dtype).reshape(shape)
    rows = []
    for q in Q:
        s = [float(q @ k) * Q.shape[1] ** -0.5 for k in K]
        e = [math.exp(x - max(s)) for x in s]
        rows.append(sum((x / sum(e)) * v for x, v in zip(e, V)))
    return np.array(rows, dtype=Q.dtype)


@right("init_projection")
def fresh_ip_triangular(rng, d_in, d_out):
    tent = rng.random((d_in, d_out)) - rng.random((d_in, d_out))
    return tent * (6 / d_in) ** 0.5


@right("init_projection")
def fresh_ip_entry_by_entry(rng, d_in, d_out):
    W = np.empty((d_in, d_out))
    for f, g in np.ndindex(d_in, d_out):
        W[f, g] = rng.uniform(-math.sqrt(3), math.sqrt(3)) / math.sqrt(d_in)
    return W


@right("score_variance")
def fresh_sv_by_moments(d_k, mean, shared):
    def gauss_moment(p):
        """Mean of x^p for x = mean + z, by the binomial formula."""
        z = (1, 0, 1, 0, 3)
        return sum(math.comb(p, r) * mean ** (p - r) * z[r] for r in range(p + 1))

    if shared:
        return sum(gauss_moment(4) - gauss_moment(2) ** 2 for _ in range(d_k))
    return sum(gauss_moment(2) ** 2 - gauss_moment(1) ** 4 for _ in range(d_k))


@right("score_variance")
def fresh_sv_by_matrices(d_k, mean, shared):
    mu, C = np.full(d_k, mean, dtype=float), np.identity(d_k)
    if shared:
        return 2 * np.trace(C @ C) + 4 * (mu @ C @ mu)
    return np.trace(C @ C) + mu @ C @ mu + mu @ C @ mu


@right("scaled_attention_torch")
def fresh_sat_logsumexp(Q, K, V):
    s = torch.einsum("...id,...jd->...ij", Q / math.sqrt(Q.size(-1)), K)
    log_a = s - torch.logsumexp(s, dim=-1, keepdim=True)
    return torch.einsum("...ij,...jv->...iv", torch.exp(log_a), V)


@right("scaled_attention_torch")
def fresh_sat_query_by_query(Q, K, V):
    scale, rows = Q.shape[-1] ** -0.5, []
    for q in Q.unbind(dim=-2):
        s = (K * q.unsqueeze(-2)).sum(-1) * scale
        a = torch.softmax(s, dim=-1)
        rows.append((a.unsqueeze(-1) * V).sum(dim=-2))
    return torch.stack(rows, dim=-2)


def fresh_rowwise(S):
    """A right softmax over the last axis."""
    E = np.exp(S - S.max(axis=-1, keepdims=True))
    return E / E.sum(axis=-1, keepdims=True)


@wrong(
    "scaled_attention",
    mistake="divides by the root of the width of the values instead of the queries",
)
def fresh_sa_width_of_values(Q, K, V):
    d = V.shape[-1]
    scores = Q @ np.swapaxes(K, -1, -2) / d**0.5
    return fresh_rowwise(scores) @ V


@wrong(
    "scaled_attention",
    mistake="normalizes over the queries instead of over the keys",
)
def fresh_sa_einsum_columns(Q, K, V):
    s = np.einsum("...qd,...kd->...qk", Q, K) / math.sqrt(Q.shape[-1])
    s = s - s.max(axis=-2, keepdims=True)
    a = np.exp(s)
    a = a / np.einsum("...qk->...k", a)[..., None, :]
    return np.einsum("...qk,...kv->...qv", a, V)


@wrong(
    "scaled_attention",
    mistake="divides the weights by the root after softmax, not the scores"
    " before it",
)
def fresh_sa_scale_too_late(Q, K, V):
    weights = fresh_rowwise(Q @ K.swapaxes(-1, -2))
    return weights / Q.shape[-1] ** 0.5 @ V


@wrong(
    "scaled_attention",
    mistake="divides by the root of the number of keys instead of the width of"
    " a query"
    " AND takes exp of the scores without subtracting the maximum, so it"
    " overflows",
)
def fresh_sa_loops_n_keys(Q, K, V):
    Y = np.zeros(Q.shape[:-1] + V.shape[-1:], dtype=Q.dtype)
    for row in np.ndindex(*Q.shape[:-1]):
        batch = row[:-1]
        keys, values = K[batch], V[batch]
        total = 0.0
        for key, value in zip(keys, values):
            e = np.exp(np.dot(Q[row], key) / len(keys) ** 0.5)
            Y[row] += e * value
            total += e
        Y[row] /= total
    return Y


@wrong(
    "init_projection",
    mistake="uses the number of outputs instead of the number of inputs",
)
def fresh_ip_fan_out(rng, d_in, d_out):
    return rng.normal(loc=0.0, scale=d_out**-0.5, size=(d_in, d_out))


@wrong(
    "init_projection",
    mistake="gives the generator the variance 1/d_in where it wants the"
    " standard deviation",
)
def fresh_ip_variance_as_scale(rng, d_in, d_out):
    variance = 1 / d_in
    return rng.normal(0, variance, (d_in, d_out))


@wrong(
    "init_projection",
    mistake="draws uniform numbers from -1/sqrt(d_in) to 1/sqrt(d_in), whose"
    " variance is 1/(3 d_in), a third of what is needed",
)
def fresh_ip_uniform_loops(rng, d_in, d_out):
    limit = 1 / math.sqrt(d_in)
    rows = []
    for _ in range(d_in):
        rows.append([rng.uniform(-limit, limit) for _ in range(d_out)])
    return np.array(rows)


@wrong(
    "init_projection",
    mistake="draws from NumPy's global generator and ignores rng"
    " AND makes the matrix transposed, (d_out, d_in)",
)
def fresh_ip_global_transposed(rng, d_in, d_out):
    return np.stack([np.random.randn(d_in) for _ in range(d_out)]) / np.sqrt(d_in)


@wrong("score_variance", mistake="ignores the mean of the components")
def fresh_sv_no_mean(d_k, mean, shared):
    return 2 * d_k if shared else d_k


@wrong(
    "score_variance",
    mistake="counts the term with the squared mean once instead of twice",
)
def fresh_sv_one_mean_term(d_k, mean, shared):
    one = 1 + mean**2
    return d_k * (2 * one if shared else one)


@wrong(
    "score_variance",
    mistake="gives the mean of the square of a product and does not subtract"
    " the square of its mean",
)
def fresh_sv_second_moment(d_k, mean, shared):
    def moment(p):
        return (1, mean, mean**2 + 1, None, mean**4 + 6 * mean**2 + 3)[p]

    return sum(moment(4) if shared else moment(2) * moment(2) for _ in range(d_k))


@wrong(
    "score_variance",
    mistake="gives the variance of the scaled score, divided by d_k"
    " AND treats k = q as if q and k were independent",
)
def fresh_sv_scaled_unshared(d_k, mean, shared):
    per_component = [1 + mean**2 + mean**2 for _ in range(d_k)]
    return sum(per_component) / d_k


@wrong(
    "which_d",
    mistake="divides by the root of d_model, not of d_k of one head",
)
def fresh_wd_model():
    return 432**0.5


@wrong("which_d", mistake="gives d_k itself, not its root")
def fresh_wd_no_root():
    return 36


@wrong(
    "scaled_attention_torch",
    mistake="rounds the root of d_k down to a whole number",
)
def fresh_sat_whole_root(Q, K, V):
    root = math.isqrt(Q.size(-1))
    return torch.matmul(torch.softmax(torch.matmul(Q, K.mT) / root, dim=-1), V)


@wrong(
    "scaled_attention_torch",
    mistake="takes softmax over axis 1, which is the keys only if there is no"
    " batch axis",
)
def fresh_sat_axis_one(Q, K, V):
    scores = Q @ K.transpose(-2, -1) * Q.shape[-1] ** -0.5
    return scores.softmax(dim=1) @ V


@wrong(
    "scaled_attention_torch",
    mistake="divides both queries and keys by the root of d_k, so the scores by"
    " d_k",
)
def fresh_sat_einsum_twice(Q, K, V):
    small_q, small_k = (M / M.shape[-1] ** 0.5 for M in (Q, K))
    a = torch.einsum("...id,...jd->...ij", small_q, small_k).softmax(-1)
    return torch.einsum("...ij,...jv->...iv", a, V)


@wrong(
    "scaled_attention_torch",
    mistake="goes through NumPy, so no gradient reaches the arguments"
    " AND returns float32 whatever the dtype of the arguments",
)
def fresh_sat_through_numpy(Q, K, V):
    q, k, v = [M.detach().cpu().numpy() for M in (Q, K, V)]
    a = fresh_rowwise(np.einsum("...id,...jd->...ij", q, k) / q.shape[-1] ** 0.5)
    return torch.tensor(np.einsum("...ij,...jv->...iv", a, v), dtype=torch.float32)
