"""Wrong answers to the exercises of `scaling` as learners write them. Each must be refused."""

import numpy as np

from tests.grader.exercises.answers import Answers

answers = Answers()


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


@answers("scaled_attention", "by-length")
def sc_by_length(Q, K, V):
    return _softmax(_dots(Q, K) / np.linalg.norm(Q, axis=-1, keepdims=True)) @ V


@answers("scaled_attention")
def sc_by_n_and_wrong_axis(Q, K, V):
    return _softmax(_dots(Q, K) / np.sqrt(K.shape[-2]), axis=-2) @ V


@answers("scaled_attention", "swapped")
def sc_swapped(Q, K, V):
    return _softmax(K @ np.swapaxes(Q, -1, -2) / Q.shape[-1] ** 0.5) @ V


@answers("scaled_attention", "cosine-scaled")
def sc_unit_vectors(Q, K, V):
    Q, K = (A / np.linalg.norm(A, axis=-1, keepdims=True) for A in (Q, K))
    return _softmax(_dots(Q, K) / np.sqrt(Q.shape[-1])) @ V


@answers("scaled_attention", "cosine")
def sc_cosine(Q, K, V):
    Q, K = (A / np.linalg.norm(A, axis=-1, keepdims=True) for A in (Q, K))
    return _softmax(_dots(Q, K)) @ V


@answers("scaled_attention", "cosine-stretched")
def sc_qk_norm(Q, K, V):
    Q, K = (A / np.linalg.norm(A, axis=-1, keepdims=True) for A in (Q, K))
    return _softmax(_dots(Q, K) * Q.shape[-1] ** 0.5) @ V


@answers("init_projection")
def ip_randn(rng, d_in, d_out):
    return np.random.randn(d_in, d_out) / np.sqrt(d_in)  # noqa: NPY002


@answers("init_projection")
def ip_small(rng, d_in, d_out):
    return 0.02 * rng.standard_normal((d_in, d_out))


@answers("init_projection", "random")
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


@answers("init_projection", "variance-1", "random")
def ip_random_unscaled(rng, d_in, d_out):
    return rng.random((d_in, d_out))


@answers("init_projection", said="mean")
def ip_integers(rng, d_in, d_out):
    return rng.integers(0, 2, (d_in, d_out)) / np.sqrt(d_in)


@answers("init_projection", "repeated")
def ip_one_row(rng, d_in, d_out):
    return np.tile(rng.standard_normal(d_out), (d_in, 1)) / np.sqrt(d_in)


@answers("init_projection", "repeated")
def ip_one_column(rng, d_in, d_out):
    return np.tile(rng.standard_normal((d_in, 1)), d_out) / np.sqrt(d_in)


@answers("init_projection", "repeated")
def ip_half_and_half(rng, d_in, d_out):
    half = rng.standard_normal((d_in, -(-d_out // 2)))
    return np.hstack([half, half])[:, :d_out] / np.sqrt(d_in)


@answers("init_projection", "repeated")
def ip_outer(rng, d_in, d_out):
    signs = rng.choice([-1.0, 1.0], (d_in, 1)), rng.choice([-1.0, 1.0], d_out)
    return signs[0] * signs[1] / np.sqrt(d_in)


@answers("score_variance")
def sv_only_d(d_k, mean, shared):
    return d_k


@answers("score_variance")
def sv_mean_of_shared(d_k, mean, shared):
    return d_k * (1 + mean**2) if shared else d_k * (1 + 2 * mean**2)


@answers("score_variance")
def sv_shared_without_mean(d_k, mean, shared):
    return 2 * d_k if shared else d_k * (1 + 2 * mean**2)


@answers("score_variance", "nearly", said="formula")
def sv_drawn(d_k, mean, shared):
    rng = np.random.default_rng(0)
    q = rng.normal(mean, 1, (1000, d_k))
    k = q if shared else rng.normal(mean, 1, (1000, d_k))
    return (q * k).sum(-1).var()


@answers("score_variance")
def sv_four(d_k, mean, shared):
    return d_k * (1 + 2 * mean**2) * (4 if shared else 1)


@answers("score_variance", "kurtosis")
def sv_fourth_moment(d_k, mean, shared):
    return d_k * (3 + 4 * mean**2 if shared else 1 + 2 * mean**2)


@answers("score_variance", "second-moment-shared")
def sv_second_moment_shared(d_k, mean, shared):
    return d_k * (3 + 6 * mean**2 + mean**4 if shared else 1 + 2 * mean**2)


@answers("score_variance", "second-moment-alone")
def sv_second_moment_alone(d_k, mean, shared):
    return d_k * (2 + 4 * mean**2 if shared else (1 + mean**2) ** 2)


@answers("score_variance", "second-moment-doubled")
def sv_second_moment_doubled(d_k, mean, shared):
    return d_k * (1 + mean**2) ** 2 * (2 if shared else 1)


@answers("score_variance", "doubled-second-moment-shared")
def sv_doubled_shared(d_k, mean, shared):
    return d_k * (2 * (1 + mean**2) ** 2 if shared else 1 + 2 * mean**2)


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


@answers("which_d", "prints", said="`return …`")
def wd_printed():
    print(6)


@answers("which_d", "returns-none")
def wd_forgotten():
    d_k = 432 / 12
    d_k**0.5


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


@answers("scaled_attention_torch", "no-shift")
def sct_no_shift(Q, K, V):
    e = (Q @ K.mT / Q.shape[-1] ** 0.5).exp()
    return e / e.sum(-1, keepdim=True) @ V
