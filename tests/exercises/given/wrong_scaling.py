"""Wrong answers to the exercises of `scaling` as learners write them. Each must be refused."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


def _softmax(s, axis=-1):
    e = np.exp(s - s.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _dots(Q, K):
    return Q @ np.swapaxes(K, -1, -2)


@wrong("scaled_attention")
def sc_precedence(Q, K, V):
    return _softmax(_dots(Q, K) / Q.shape[-1] ** 1 / 2) @ V


@wrong("scaled_attention")
def sc_after_mixing(Q, K, V):
    return _softmax(_dots(Q, K)) @ V / np.sqrt(Q.shape[-1])


@wrong("scaled_attention")
def sc_both_by_the_root(Q, K, V):
    r = np.sqrt(Q.shape[-1])
    return _softmax(_dots(Q / r, K / r)) @ V


@wrong("scaled_attention")
def sc_root_of_len(Q, K, V):
    return _softmax(_dots(Q, K) / np.sqrt(len(K))) @ V


@wrong("scaled_attention")
def sc_shape_1(Q, K, V):
    return _softmax(_dots(Q, K) / np.sqrt(Q.shape[1])) @ V


@wrong("scaled_attention")
def sc_root_of_scores(Q, K, V):
    return _softmax(np.sqrt(np.abs(_dots(Q, K)))) @ V


@wrong("scaled_attention")
def sc_example_width(Q, K, V):
    return _softmax(_dots(Q, K) / np.sqrt(5)) @ V


@wrong("scaled_attention", "by-length")
def sc_by_length(Q, K, V):
    return _softmax(_dots(Q, K) / np.linalg.norm(Q, axis=-1, keepdims=True)) @ V


@wrong("scaled_attention")
def sc_by_n_and_wrong_axis(Q, K, V):
    return _softmax(_dots(Q, K) / np.sqrt(K.shape[-2]), axis=-2) @ V


@wrong("scaled_attention", "swapped")
def sc_swapped(Q, K, V):
    return _softmax(K @ np.swapaxes(Q, -1, -2) / Q.shape[-1] ** 0.5) @ V


@wrong("scaled_attention", "cosine-scaled")
def sc_unit_vectors(Q, K, V):
    Q, K = (A / np.linalg.norm(A, axis=-1, keepdims=True) for A in (Q, K))
    return _softmax(_dots(Q, K) / np.sqrt(Q.shape[-1])) @ V


@wrong("scaled_attention", "cosine")
def sc_cosine(Q, K, V):
    Q, K = (A / np.linalg.norm(A, axis=-1, keepdims=True) for A in (Q, K))
    return _softmax(_dots(Q, K)) @ V


@wrong("scaled_attention", "cosine-stretched")
def sc_qk_norm(Q, K, V):
    Q, K = (A / np.linalg.norm(A, axis=-1, keepdims=True) for A in (Q, K))
    return _softmax(_dots(Q, K) * Q.shape[-1] ** 0.5) @ V


@wrong("init_projection")
def ip_randn(rng, d_in, d_out):
    return np.random.randn(d_in, d_out) / np.sqrt(d_in)  # noqa: NPY002


@wrong("init_projection")
def ip_small(rng, d_in, d_out):
    return 0.02 * rng.standard_normal((d_in, d_out))


@wrong("init_projection", "random")
def ip_random(rng, d_in, d_out):
    return rng.random((d_in, d_out)) / np.sqrt(d_in)


@wrong("init_projection")
def ip_out_first(rng, d_in, d_out):
    return rng.standard_normal((d_out, d_in)) / np.sqrt(d_in)


@wrong("init_projection")
def ip_variance_as_scale(rng, d_in, d_out):
    return rng.normal(0, 1 / d_in, (d_in, d_out))


@wrong("init_projection")
def ip_identity(rng, d_in, d_out):
    return np.eye(d_in, d_out)


@wrong("init_projection")
def ip_zeros(rng, d_in, d_out):
    return np.zeros((d_in, d_out))


@wrong("init_projection", "variance-1", "random")
def ip_random_unscaled(rng, d_in, d_out):
    return rng.random((d_in, d_out))


@wrong("init_projection", said="mean")
def ip_integers(rng, d_in, d_out):
    return rng.integers(0, 2, (d_in, d_out)) / np.sqrt(d_in)


@wrong("init_projection", "repeated")
def ip_one_row(rng, d_in, d_out):
    return np.tile(rng.standard_normal(d_out), (d_in, 1)) / np.sqrt(d_in)


@wrong("init_projection", "repeated")
def ip_one_column(rng, d_in, d_out):
    return np.tile(rng.standard_normal((d_in, 1)), d_out) / np.sqrt(d_in)


@wrong("init_projection", "repeated")
def ip_half_and_half(rng, d_in, d_out):
    half = rng.standard_normal((d_in, -(-d_out // 2)))
    return np.hstack([half, half])[:, :d_out] / np.sqrt(d_in)


@wrong("init_projection", "repeated")
def ip_outer(rng, d_in, d_out):
    signs = rng.choice([-1.0, 1.0], (d_in, 1)), rng.choice([-1.0, 1.0], d_out)
    return signs[0] * signs[1] / np.sqrt(d_in)


@wrong("score_variance")
def sv_only_d(d_k, mean, shared):
    return d_k


@wrong("score_variance")
def sv_mean_of_shared(d_k, mean, shared):
    return d_k * (1 + mean**2) if shared else d_k * (1 + 2 * mean**2)


@wrong("score_variance")
def sv_shared_without_mean(d_k, mean, shared):
    return 2 * d_k if shared else d_k * (1 + 2 * mean**2)


@wrong("score_variance", "nearly", said="formula")
def sv_drawn(d_k, mean, shared):
    rng = np.random.default_rng(0)
    q = rng.normal(mean, 1, (1000, d_k))
    k = q if shared else rng.normal(mean, 1, (1000, d_k))
    return (q * k).sum(-1).var()


@wrong("score_variance")
def sv_four(d_k, mean, shared):
    return d_k * (1 + 2 * mean**2) * (4 if shared else 1)


@wrong("score_variance", "kurtosis")
def sv_fourth_moment(d_k, mean, shared):
    return d_k * (3 + 4 * mean**2 if shared else 1 + 2 * mean**2)


@wrong("score_variance", "second-moment-shared")
def sv_second_moment_shared(d_k, mean, shared):
    return d_k * (3 + 6 * mean**2 + mean**4 if shared else 1 + 2 * mean**2)


@wrong("score_variance", "second-moment-alone")
def sv_second_moment_alone(d_k, mean, shared):
    return d_k * (2 + 4 * mean**2 if shared else (1 + mean**2) ** 2)


@wrong("score_variance", "second-moment-alone", "doubled-second-moment-shared")
def sv_second_moment_doubled(d_k, mean, shared):
    return d_k * (1 + mean**2) ** 2 * (2 if shared else 1)


@wrong("score_variance", "doubled-second-moment-shared")
def sv_doubled_shared(d_k, mean, shared):
    return d_k * (2 * (1 + mean**2) ** 2 if shared else 1 + 2 * mean**2)


@wrong("which_d")
def wd_d_k():
    return 36


@wrong("which_d")
def wd_d_model():
    return np.sqrt(432)


@wrong("which_d")
def wd_text():
    return "sqrt(36)"


@wrong("which_d")
def wd_per_head():
    return 432 / 12 / 2


@wrong("which_d", "prints", said="`return …`")
def wd_printed():
    print(6)


@wrong("which_d", "returns-none")
def wd_forgotten():
    d_k = 432 / 12
    d_k**0.5


@wrong("scaled_attention_torch")
def sct_fused(Q, K, V):
    import torch

    return torch.nn.functional.scaled_dot_product_attention(Q, K, V)


@wrong("scaled_attention_torch")
def sct_len(Q, K, V):
    return (Q @ K.mT / len(Q) ** 0.5).softmax(-1) @ V


@wrong("scaled_attention_torch")
def sct_t(Q, K, V):
    return (Q @ K.T / Q.shape[-1] ** 0.5).softmax(-1) @ V


@wrong("scaled_attention_torch")
def sct_no_grad(Q, K, V):
    import torch

    with torch.no_grad():
        weights = (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1)
    return weights @ V


@wrong("scaled_attention_torch", "no-shift")
def sct_no_shift(Q, K, V):
    e = (Q @ K.mT / Q.shape[-1] ** 0.5).exp()
    return e / e.sum(-1, keepdim=True) @ V


@wrong("scaled_attention", mistake="divides by 10, a number from nowhere")
def sc_by_ten(Q, K, V):
    return _softmax(_dots(Q, K) / 10) @ V


@wrong("scaled_attention", mistake="divides by √(d_k + 1)")
def sc_one_more(Q, K, V):
    return _softmax(_dots(Q, K) / np.sqrt(Q.shape[-1] + 1)) @ V


@wrong(
    "scaled_attention", mistake="takes d_k from the number of keys plus features"
)
def sc_both_sizes(Q, K, V):
    return _softmax(_dots(Q, K) / (K.shape[-1] + K.shape[-2]) ** 0.5) @ V


@wrong("scaled_attention", mistake="float32 overflows above 88, not above 709")
def sc_shifts_above_700(Q, K, V):
    s = _dots(Q, K) / Q.shape[-1] ** 0.5
    if np.abs(s).max() > 700:
        s = s - s.max(axis=-1, keepdims=True)
    e = np.exp(s)
    return e / e.sum(axis=-1, keepdims=True) @ V


@wrong("scaled_attention", mistake="`squeeze` drops axes of length 1")
def sc_squeezes(Q, K, V):
    return (_softmax(_dots(Q, K) / Q.shape[-1] ** 0.5) @ V).squeeze()


@wrong("scaled_attention", "scaled-again", mistake="scales the output, too")
def sc_twice_scaled(Q, K, V):
    r = Q.shape[-1] ** 0.5
    return _softmax(_dots(Q, K) / r) @ V / r


@wrong("scaled_attention", "built-in", mistake="PyTorch's function does it all")
def sc_fused(Q, K, V):
    import torch

    Q, K, V = map(torch.from_numpy, (Q, K, V))
    return torch.nn.functional.scaled_dot_product_attention(Q, K, V).numpy()


@wrong("scaled_attention_torch", "built-in", mistake="NumPy's version does it all")
def sct_course_in_numpy(Q, K, V):
    import torch

    from course_attn.in_numpy.qkv import attention

    class Through(torch.autograd.Function):
        @staticmethod
        def forward(ctx, Q, K, V):
            ctx.save_for_backward(Q, K, V)
            return torch.from_numpy(attention(*(A.numpy() for A in (Q, K, V))))

        @staticmethod
        def backward(ctx, grad):
            with torch.enable_grad():
                given = [A.detach().requires_grad_() for A in ctx.saved_tensors]
                Q, K, V = given
                out = (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V
                return torch.autograd.grad(out, given, grad)

    return Through.apply(Q, K, V)


@wrong("scaled_attention_torch", "dtype", mistake="returns float64 for float32")
def sct_double(Q, K, V):
    Q, K, V = Q.double(), K.double(), V.double()
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V


@wrong(
    "scaled_attention_torch", mistake="float32 overflows above 88, not above 709"
)
def sct_shifts_above_700(Q, K, V):
    s = Q @ K.mT / Q.shape[-1] ** 0.5
    if s.abs().max() > 700:
        s = s - s.amax(-1, keepdim=True)
    return s.exp() / s.exp().sum(-1, keepdim=True) @ V


@wrong("scaled_attention_torch", mistake="`dim=1` is not the keys in a batch")
def sct_dim_1(Q, K, V):
    return (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(1) @ V


@wrong("scaled_attention_torch", "cosine-stretched", mistake="normalizes Q and K")
def sct_qk_norm(Q, K, V):
    from torch.nn.functional import normalize

    s = normalize(Q, dim=-1) @ normalize(K, dim=-1).mT
    return (s * Q.shape[-1] ** 0.5).softmax(-1) @ V


@wrong("init_projection", said="variance", mistake="d_in + 1 in place of d_in")
def ip_one_more(rng, d_in, d_out):
    return rng.standard_normal((d_in, d_out)) / (d_in + 1) ** 0.5


@wrong("init_projection", mistake="the standard deviation is 1/√(d_in − 1)")
def ip_one_less(rng, d_in, d_out):
    return rng.standard_normal((d_in, d_out)) / (d_in - 1) ** 0.5


@wrong("init_projection", mistake="Laplace numbers have variance 2, not 1")
def ip_laplace(rng, d_in, d_out):
    return rng.laplace(size=(d_in, d_out)) * 3 / d_in**0.5


@wrong(
    "init_projection",
    "same-again",
    mistake="the generator is reset: two calls agree",
)
def ip_keeps_the_generator(rng, d_in, d_out):
    import copy

    return copy.deepcopy(rng).standard_normal((d_in, d_out)) / d_in**0.5


@wrong("score_variance", "mean-ignored-shared", mistake="no mean where k = q")
def sv_two(d_k, mean, shared):
    return 2 * d_k if shared else d_k + 2 * d_k * mean**2


@wrong(
    "score_variance", mistake="the mean of the score is left in: d_k μ² too much"
)
def sv_mean_added(d_k, mean, shared):
    one = 2 + 4 * mean**2 if shared else 1 + 2 * mean**2
    return d_k * one + d_k * mean**2


@wrong("score_variance", mistake="the branches of `shared` are exchanged")
def sv_branches(d_k, mean, shared):
    return d_k * (1 + 2 * mean**2 if shared else 2 + 4 * mean**2)


@wrong("score_variance", mistake="integer division loses half a unit")
def sv_whole(d_k, mean, shared):
    return int(d_k * (2 + 4 * mean**2 if shared else 1 + 2 * mean**2))


@wrong("which_d", "no-root", mistake="d_v, and no square root")
def wd_d_v():
    return 25


@wrong("which_d", "half", mistake="`36 ** 1 / 2` is half of 36")
def wd_precedence():
    return 36**1 / 2


@wrong("which_d", "famous", mistake="8 belongs to another model")
def wd_famous():
    return 8
