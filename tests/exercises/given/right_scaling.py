"""Right answers to the exercises of `scaling`, each written in another way. None may be refused."""

import numpy as np

from tests.exercises.answers import Answers

right = Answers()


@right("scaled_attention")
def sc_scaled_query(Q, K, V):
    s = (Q * Q.shape[-1] ** -0.5) @ K.swapaxes(-1, -2)
    e = np.exp(s - s.max(-1, keepdims=True))
    return e @ V / e.sum(-1, keepdims=True)


@right("scaled_attention")
def sc_both_by_the_fourth_root(Q, K, V):
    r = Q.shape[-1] ** 0.25
    s = np.einsum("...id,...jd->...ij", Q / r, K / r)
    e = np.exp(s - s.max(-1, keepdims=True))
    return np.einsum("...ij,...jv->...iv", e / e.sum(-1, keepdims=True), V)


@right("scaled_attention")
def sc_course_softmax_temperature(Q, K, V):
    from course_attn.in_numpy.softmax import softmax

    return (
        softmax(Q @ np.swapaxes(K, -1, -2), temperature=float(np.sqrt(K.shape[-1])))
        @ V
    )


@right("scaled_attention")
def sc_loops(Q, K, V):
    out = np.empty((*Q.shape[:-1], V.shape[-1]))
    for where in np.ndindex(Q.shape[:-1]):
        s = K[where[:-1]] @ Q[where] / Q.shape[-1] ** 0.5
        e = np.exp(s - s.max())
        out[where] = e / e.sum() @ V[where[:-1]]
    return out


@right("init_projection")
def ip_normal(rng, d_in, d_out):
    return rng.normal(0, np.sqrt(1 / d_in), size=(d_in, d_out))


@right("init_projection")
def ip_uniform(rng, d_in, d_out):
    a = np.sqrt(3 / d_in)
    return rng.uniform(-a, a, (d_in, d_out))


@right("init_projection")
def ip_signs(rng, d_in, d_out):
    return rng.choice([-1.0, 1.0], (d_in, d_out)) / d_in**0.5


@right("init_projection")
def ip_transposed_draw(rng, d_in, d_out):
    return rng.standard_normal((d_out, d_in), dtype="f4").T * d_in**-0.5


@right("init_projection")
def ip_shifted(rng, d_in, d_out):
    return (rng.random((d_in, d_out)) - 0.5) * np.sqrt(12 / d_in)


@right("init_projection")
def ip_skewed(rng, d_in, d_out):
    return (rng.standard_exponential((d_in, d_out)) - 1) / np.sqrt(d_in)


@right("score_variance")
def sv_moments(d_k, mean, shared):
    if shared:
        return d_k * (4 * mean**2 + 2)
    return d_k * ((1 + mean**2) ** 2 - mean**4)


@right("score_variance")
def sv_numpy(d_k, mean, shared):
    return np.float64(d_k) * np.where(shared, 2 + 4 * mean**2, 1 + 2 * mean**2)


@right("which_d")
def wd_root():
    return np.sqrt(432 / 12)


@right("scaled_attention_torch")
def sct_einsum(Q, K, V):
    import torch

    s = torch.einsum("...id,...jd->...ij", Q, K).div(Q.size(-1) ** 0.5)
    e = (s - s.amax(-1, keepdim=True)).exp()
    return e @ V / e.sum(-1, keepdim=True)


@right("scaled_attention_torch")
def sct_math(Q, K, V):
    import math

    return (Q @ K.mT * (1 / math.sqrt(K.size(-1)))).softmax(-1).matmul(V)


@right("scaled_attention")
def sc_in_place(Q, K, V):
    s = (Q @ np.swapaxes(K, -1, -2)) / np.float32(Q.shape[-1] ** 0.5)
    s = np.exp(s - s.max(-1)[..., None])
    return (s @ V) / s.sum(-1)[..., None]


@right("scaled_attention")
def sc_scipy(Q, K, V):
    from scipy.special import softmax

    return softmax(Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-1]), axis=-1) @ V


@right("init_projection")
def ip_lists(rng, d_in, d_out):
    rows = [rng.normal(scale=d_in**-0.5, size=d_out) for _ in range(d_in)]
    return np.array(rows)


@right("scaled_attention_torch")
def sct_matmul(Q, K, V):
    import torch

    d_k = torch.tensor(float(Q.shape[-1]), dtype=Q.dtype)
    scores = torch.matmul(Q, K.transpose(-2, -1)) / torch.sqrt(d_k)
    return torch.matmul(torch.nn.functional.softmax(scores, dim=-1), V)


@right("score_variance")
def sv_plain(d_k, mean, shared):
    return float(d_k + 2 * d_k * mean * mean) * (1 + shared)
