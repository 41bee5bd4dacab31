"""Wrong answers to the exercises of `block` as learners write them. Each must be refused."""

import numpy as np

from tests.grader.exercises.answers import Answers

answers = Answers()


@answers("layer_norm")
def ln_axis_0(X, gain, bias):
    return gain * (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-5) + bias


@answers("layer_norm")
def ln_no_axis(X, gain, bias):
    return gain * (X - X.mean()) / np.sqrt(X.var() + 1e-5) + bias


@answers("layer_norm")
def ln_axis_1(X, gain, bias):
    mean, var = X.mean(axis=1, keepdims=True), X.var(axis=1, keepdims=True)
    return gain * (X - mean) / np.sqrt(var + 1e-5) + bias


@answers("layer_norm")
def ln_no_keepdims(X, gain, bias):
    return gain * (X - X.mean(-1)) / np.sqrt(X.var(-1) + 1e-5) + bias


@answers("layer_norm")
def ln_ddof(X, gain, bias):
    mean = X.mean(axis=-1, keepdims=True)
    return gain * (X - mean) / (X.std(axis=-1, keepdims=True, ddof=1) + 1e-5) + bias


@answers("layer_norm")
def ln_eps_1e_6(X, gain, bias):
    mean, var = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    return gain * (X - mean) / np.sqrt(var + 1e-6) + bias


@answers("layer_norm")
def ln_eps_1e_3(X, gain, bias):
    mean, var = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    return gain * (X - mean) / np.sqrt(var + 1e-3) + bias


@answers("layer_norm")
def ln_other_cancelling(X, gain, bias):
    d = X.shape[-1]
    mean = X.sum(-1, keepdims=True) / d
    var = ((X * X).sum(-1, keepdims=True) - d * mean * mean) / d
    return gain * (X - mean) / np.sqrt(var + 1e-5) + bias


@answers("layer_norm")
def ln_in_place(X, gain, bias):
    X -= X.mean(-1, keepdims=True)
    X /= np.sqrt((X**2).mean(-1, keepdims=True) + 1e-5)
    return gain * X + bias


@answers("layer_norm")
def ln_rms(X, gain, bias):
    return gain * X / np.sqrt((X**2).mean(-1, keepdims=True) + 1e-5) + bias


@answers("layer_norm")
def ln_outer_gain(X, gain, bias):
    mean, var = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    return gain[:, None] * (X - mean) / np.sqrt(var + 1e-5) + bias[:, None]


@answers("layer_norm")
def ln_min_max(X, gain, bias):
    low, high = X.min(-1, keepdims=True), X.max(-1, keepdims=True)
    return gain * (X - low) / (high - low + 1e-5) + bias


@answers("layer_norm")
def ln_handed_over(X, gain, bias):
    from course_attn.in_numpy.block import layer_norm

    return layer_norm(X, gain, bias)


@answers("feed_forward")
def ff_linear(X, W_1, b_1, W_2, b_2):
    return X @ W_1 @ W_2 + b_2


@answers("feed_forward")
def ff_python_max(X, W_1, b_1, W_2, b_2):
    return max(X @ W_1 + b_1, 0) @ W_2 + b_2


@answers("feed_forward")
def ff_np_max(X, W_1, b_1, W_2, b_2):
    return np.max(X @ W_1 + b_1, 0) @ W_2 + b_2


@answers("feed_forward")
def ff_relu_on_output(X, W_1, b_1, W_2, b_2):
    return np.maximum((X @ W_1 + b_1) @ W_2 + b_2, 0)


@answers("feed_forward")
def ff_w_1_twice(X, W_1, b_1, W_2, b_2):
    return np.maximum(X @ W_1 + b_1, 0) @ W_1.T + b_2


@answers("feed_forward")
def ff_softmax(X, W_1, b_1, W_2, b_2):
    h = np.exp(X @ W_1 + b_1)
    return h / h.sum(-1, keepdims=True) @ W_2 + b_2


@answers("feed_forward")
def ff_w_transposed(X, W_1, b_1, W_2, b_2):
    return np.maximum(X @ W_1.T + b_1, 0) @ W_2.T + b_2


@answers("feed_forward")
def ff_sign_slip(X, W_1, b_1, W_2, b_2):
    return np.maximum(X @ W_1 - b_1, 0) @ W_2 - b_2


@answers("transformer_block")
def tb_no_mask(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X))
    return H + process(norm_2(H))


@answers("transformer_block")
def tb_overwritten(X, attend, process, norm_1, norm_2, mask):
    X = norm_1(X)
    X = X + attend(X, mask)
    X = norm_2(X)
    return X + process(X)


@answers("transformer_block")
def tb_in_place(X, attend, process, norm_1, norm_2, mask):
    X += attend(norm_1(X), mask)
    X += process(norm_2(X))
    return X


@answers("transformer_block")
def tb_post_norm(X, attend, process, norm_1, norm_2, mask):
    X = norm_1(X + attend(X, mask))
    return norm_2(X + process(X))


@answers("transformer_block")
def tb_second_half_from_x(X, attend, process, norm_1, norm_2, mask):
    H = attend(norm_1(X), mask)
    return X + process(norm_2(H))


@answers("transformer_block")
def tb_norm_1_twice_and_no_mask(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X))
    return H + process(norm_1(H))


@answers("transformer_block")
def tb_mask_as_multiplied(X, attend, process, norm_1, norm_2, mask):
    H = X + mask @ attend(norm_1(X))
    return H + process(norm_2(H))


@answers("transformer_block")
def tb_two_results(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X), mask)
    return H, process(norm_2(H))


@answers("transformer_block")
def tb_norms_swapped(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_2(X), mask)
    return H + process(norm_1(H))


@answers("transformer_block")
def tb_mask_to_process(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X), mask)
    return H + process(norm_2(H), mask)


@answers("transformer_block")
def tb_dropped_residuals_halved(X, attend, process, norm_1, norm_2, mask):
    H = (X + attend(norm_1(X), mask)) / 2
    return (H + process(norm_2(H))) / 2


@answers("gpt_parameters")
def gp_constant(n_layers, d_model, n_vocab, n_ctx):
    return 124_439_808


@answers("gpt_parameters")
def gp_rounded(n_layers, d_model, n_vocab, n_ctx):
    return 124e6


@answers("gpt_parameters")
def gp_untied_no_bias(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return 2 * n_vocab * d + n_ctx * d + n_layers * (12 * d * d + 4 * d) + 2 * d


@answers("gpt_parameters")
def gp_norm_per_layer_three(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return (n_vocab + n_ctx + 2) * d + n_layers * (12 * d * d + 15 * d)


@answers("gpt_parameters")
def gp_heads_multiply(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return (n_vocab + n_ctx + 2) * d + n_layers * (
        12 * (4 * d * d + 4 * d) + 8 * d * d
    )


@answers("gpt_parameters")
def gp_text(n_layers, d_model, n_vocab, n_ctx):
    return "124M"
