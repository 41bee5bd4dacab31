"""Wrong answers to the exercises of `scaling` as learners write them. Each must be refused."""

import numpy as np

from .wrong_answers import answers


def _softmax(s, axis=-1):
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _dots(Q, K):
    return Q @ np.swapaxes(K, -1, -2)


@answers("scaled_attention")
def sc_precedence(Q, K, V):
    return _softmax(_dots(Q, K) / Q.shape[-1] ** 1 / 2) @ V


@answers("scaled_attention")
def sc_after_mixing(Q, K, V):
    return _softmax(_dots(Q, K)) @ V / np.sqrt(Q.shape[-1])


@answers("scaled_attention")
def sc_both_by_the_root(Q, K, V):
    r = np.sqrt(Q.shape[-1])
    return _softmax(_dots(Q / r, K / r)) @ V


@answers("scaled_attention")
def sc_root_of_len(Q, K, V):
    return _softmax(_dots(Q, K) / np.sqrt(len(K))) @ V


@answers("scaled_attention")
def sc_shape_1(Q, K, V):
    return _softmax(_dots(Q, K) / np.sqrt(Q.shape[1])) @ V


@answers("scaled_attention")
def sc_root_of_scores(Q, K, V):
    return _softmax(np.sqrt(np.abs(_dots(Q, K)))) @ V


@answers("scaled_attention")
def sc_example_width(Q, K, V):
    return _softmax(_dots(Q, K) / np.sqrt(5)) @ V


@answers("scaled_attention")
def sc_by_length(Q, K, V):
    return _softmax(_dots(Q, K) / np.linalg.norm(Q, axis=-1, keepdims=True)) @ V


@answers("scaled_attention")
def sc_by_n_and_wrong_axis(Q, K, V):
    return _softmax(_dots(Q, K) / np.sqrt(K.shape[-2]), axis=-2) @ V


@answers("init_projection")
def ip_randn(rng, d_in, d_out):
    return np.random.randn(d_in, d_out) / np.sqrt(d_in)  # noqa: NPY002


@answers("init_projection")
def ip_small(rng, d_in, d_out):
    return 0.02 * rng.standard_normal((d_in, d_out))


@answers("init_projection")
def ip_random(rng, d_in, d_out):
    return rng.random((d_in, d_out)) / np.sqrt(d_in)


@answers("init_projection")
def ip_out_first(rng, d_in, d_out):
    return rng.standard_normal((d_out, d_in)) / np.sqrt(d_in)


@answers("init_projection")
def ip_variance_as_scale(rng, d_in, d_out):
    return rng.normal(0, 1 / d_in, (d_in, d_out))


@answers("init_projection")
def ip_identity(rng, d_in, d_out):
    return np.eye(d_in, d_out)


@answers("init_projection")
def ip_zeros(rng, d_in, d_out):
    return np.zeros((d_in, d_out))


@answers("score_variance")
def sv_only_d(d_k, mean, shared):
    return d_k


@answers("score_variance")
def sv_mean_of_shared(d_k, mean, shared):
    return d_k * (1 + mean**2) if shared else d_k * (1 + 2 * mean**2)


@answers("score_variance")
def sv_shared_without_mean(d_k, mean, shared):
    return 2 * d_k if shared else d_k * (1 + 2 * mean**2)


@answers("score_variance")
def sv_drawn(d_k, mean, shared):
    rng = np.random.default_rng(0)
    q = rng.normal(mean, 1, (1000, d_k))
    k = q if shared else rng.normal(mean, 1, (1000, d_k))
    return (q * k).sum(-1).var()


@answers("score_variance")
def sv_four(d_k, mean, shared):
    return d_k * (1 + 2 * mean**2) * (4 if shared else 1)


@answers("which_d")
def wd_d_k():
    return 36


@answers("which_d")
def wd_d_model():
    return np.sqrt(432)


@answers("which_d")
def wd_text():
    return "sqrt(36)"


@answers("which_d")
def wd_per_head():
    return 432 / 12 / 2


@answers("scaled_attention_torch")
def sct_fused(Q, K, V):
    import torch

    return torch.nn.functional.scaled_dot_product_attention(Q, K, V)


@answers("scaled_attention_torch")
def sct_len(Q, K, V):
    return (Q @ K.mT / len(Q) ** 0.5).softmax(-1) @ V


@answers("scaled_attention_torch")
def sct_t(Q, K, V):
    return (Q @ K.T / Q.shape[-1] ** 0.5).softmax(-1) @ V


@answers("scaled_attention_torch")
def sct_no_grad(Q, K, V):
    import torch

    with torch.no_grad():
        weights = (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1)
    return weights @ V
