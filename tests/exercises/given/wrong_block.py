"""Wrong answers to the exercises of `block` as learners write them. Each must be refused."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


@wrong("layer_norm")
def ln_axis_0(X, gain, bias):
    return gain * (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-5) + bias


@wrong("layer_norm")
def ln_no_axis(X, gain, bias):
    return gain * (X - X.mean()) / np.sqrt(X.var() + 1e-5) + bias


@wrong("layer_norm")
def ln_axis_1(X, gain, bias):
    mean, var = X.mean(axis=1, keepdims=True), X.var(axis=1, keepdims=True)
    return gain * (X - mean) / np.sqrt(var + 1e-5) + bias


@wrong("layer_norm")
def ln_no_keepdims(X, gain, bias):
    return gain * (X - X.mean(-1)) / np.sqrt(X.var(-1) + 1e-5) + bias


@wrong("layer_norm")
def ln_ddof(X, gain, bias):
    mean = X.mean(axis=-1, keepdims=True)
    return gain * (X - mean) / (X.std(axis=-1, keepdims=True, ddof=1) + 1e-5) + bias


@wrong("layer_norm")
def ln_eps_1e_6(X, gain, bias):
    mean, var = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    return gain * (X - mean) / np.sqrt(var + 1e-6) + bias


@wrong("layer_norm")
def ln_eps_1e_3(X, gain, bias):
    mean, var = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    return gain * (X - mean) / np.sqrt(var + 1e-3) + bias


@wrong("layer_norm")
def ln_other_cancelling(X, gain, bias):
    d = X.shape[-1]
    mean = X.sum(-1, keepdims=True) / d
    var = ((X * X).sum(-1, keepdims=True) - d * mean * mean) / d
    return gain * (X - mean) / np.sqrt(var + 1e-5) + bias


@wrong("layer_norm")
def ln_in_place(X, gain, bias):
    X -= X.mean(-1, keepdims=True)
    X /= np.sqrt((X**2).mean(-1, keepdims=True) + 1e-5)
    return gain * X + bias


@wrong("layer_norm")
def ln_rms(X, gain, bias):
    return gain * X / np.sqrt((X**2).mean(-1, keepdims=True) + 1e-5) + bias


@wrong("layer_norm")
def ln_outer_gain(X, gain, bias):
    mean, var = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    return gain[:, None] * (X - mean) / np.sqrt(var + 1e-5) + bias[:, None]


@wrong("layer_norm")
def ln_min_max(X, gain, bias):
    low, high = X.min(-1, keepdims=True), X.max(-1, keepdims=True)
    return gain * (X - low) / (high - low + 1e-5) + bias


@wrong("layer_norm")
def ln_handed_over(X, gain, bias):
    from course_attn.in_numpy.block import layer_norm

    return layer_norm(X, gain, bias)


@wrong("layer_norm", mistake="eps outside, and too small")
def ln_std_plus_small(X, gain, bias):
    mean = X.mean(axis=-1, keepdims=True)
    return (X - mean) / (X.std(axis=-1, keepdims=True) + 1e-8) * gain + bias


@wrong(
    "layer_norm",
    said="`var` runs over everything",
    mistake="the variance needs an axis",
)
def ln_std_of_everything(X, gain, bias):
    return gain * (X - X.mean(-1, keepdims=True)) / (X.var() + 1e-5) ** 0.5 + bias


@wrong("layer_norm", "precedence", mistake="parentheses around the difference")
def ln_precedence(X, gain, bias):
    mu, var = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    return gain * (X - mu / np.sqrt(var + 1e-5)) + bias


@wrong("layer_norm", "eps-clamped", mistake="eps is added, not a lower bound")
def ln_lower_bound(X, gain, bias):
    C = X - X.mean(-1, keepdims=True)
    return (
        C / np.sqrt(np.clip((C * C).mean(-1, keepdims=True), 1e-5, None)) * gain
        + bias
    )


@wrong("layer_norm", "no-gain", mistake="the gain is missing")
def ln_gain_forgotten(X, gain, bias):
    C = X - X.mean(-1, keepdims=True)
    return C / np.sqrt((C * C).mean(-1, keepdims=True) + 1e-5) + bias


@wrong("layer_norm", mistake="squeeze")
def ln_squeezed(X, gain, bias):
    C = X - X.mean(-1, keepdims=True)
    return (
        gain * C / np.sqrt((C**2).mean(-1, keepdims=True) + 1e-5) + bias
    ).squeeze()


@wrong("layer_norm", "built-in", mistake="handed over to PyTorch")
def ln_by_torch(X, gain, bias):
    import torch

    X, gain, bias = map(torch.from_numpy, (X, gain, bias))
    return torch.nn.functional.layer_norm(X, gain.shape, gain, bias).numpy()


@wrong("feed_forward")
def ff_linear(X, W_1, b_1, W_2, b_2):
    return X @ W_1 @ W_2 + b_2


@wrong("feed_forward")
def ff_python_max(X, W_1, b_1, W_2, b_2):
    return max(X @ W_1 + b_1, 0) @ W_2 + b_2


@wrong("feed_forward")
def ff_np_max(X, W_1, b_1, W_2, b_2):
    return np.max(X @ W_1 + b_1, 0) @ W_2 + b_2


@wrong("feed_forward")
def ff_relu_on_output(X, W_1, b_1, W_2, b_2):
    return np.maximum((X @ W_1 + b_1) @ W_2 + b_2, 0)


@wrong("feed_forward")
def ff_w_1_twice(X, W_1, b_1, W_2, b_2):
    return np.maximum(X @ W_1 + b_1, 0) @ W_1.T + b_2


@wrong("feed_forward")
def ff_softmax(X, W_1, b_1, W_2, b_2):
    h = np.exp(X @ W_1 + b_1)
    return h / h.sum(-1, keepdims=True) @ W_2 + b_2


@wrong("feed_forward")
def ff_w_transposed(X, W_1, b_1, W_2, b_2):
    return np.maximum(X @ W_1.T + b_1, 0) @ W_2.T + b_2


@wrong("feed_forward")
def ff_sign_slip(X, W_1, b_1, W_2, b_2):
    return np.maximum(X @ W_1 - b_1, 0) @ W_2 - b_2


@wrong("feed_forward", mistake="ELU instead of ReLU")
def ff_elu(X, W_1, b_1, W_2, b_2):
    h = X @ W_1 + b_1
    return np.where(h > 0, h, np.exp(h) - 1) @ W_2 + b_2


@wrong("feed_forward", mistake="the hidden features are squared")
def ff_relu_squared(X, W_1, b_1, W_2, b_2):
    return np.maximum(X @ W_1 + b_1, 0) ** 2 @ W_2 + b_2


@wrong("feed_forward", "relu-at-the-end-only", mistake="ReLU belongs between")
def ff_relu_only_last(X, W_1, b_1, W_2, b_2):
    out = X @ W_1 + b_1
    out = out @ W_2 + b_2
    out[out < 0] = 0
    return out


@wrong("feed_forward", "matrices-swapped", mistake="W_2 is used first")
def ff_swapped(X, W_1, b_1, W_2, b_2):
    return np.maximum(X @ W_2 + b_1, 0) @ W_1 + b_2


@wrong("feed_forward", mistake="squeeze")
def ff_squeezed(X, W_1, b_1, W_2, b_2):
    return np.squeeze(np.maximum(X @ W_1 + b_1, 0) @ W_2 + b_2)


@wrong("feed_forward", "built-in", mistake="handed over to the course's PyTorch")
def ff_by_torch(X, W_1, b_1, W_2, b_2):
    import torch

    from course_attn.in_torch.block import feed_forward

    return feed_forward(*map(torch.from_numpy, (X, W_1, b_1, W_2, b_2))).numpy()


@wrong("masked_block")
def tb_no_mask(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X))
    return H + process(norm_2(H))


@wrong("masked_block")
def tb_overwritten(X, attend, process, norm_1, norm_2, mask):
    X = norm_1(X)
    X = X + attend(X, mask)
    X = norm_2(X)
    return X + process(X)


@wrong("masked_block")
def tb_in_place(X, attend, process, norm_1, norm_2, mask):
    X += attend(norm_1(X), mask)
    X += process(norm_2(X))
    return X


@wrong("masked_block")
def tb_post_norm(X, attend, process, norm_1, norm_2, mask):
    X = norm_1(X + attend(X, mask))
    return norm_2(X + process(X))


@wrong("masked_block")
def tb_second_half_from_x(X, attend, process, norm_1, norm_2, mask):
    H = attend(norm_1(X), mask)
    return X + process(norm_2(H))


@wrong("masked_block")
def tb_norm_1_twice_and_no_mask(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X))
    return H + process(norm_1(H))


@wrong("masked_block")
def tb_mask_as_multiplied(X, attend, process, norm_1, norm_2, mask):
    H = X + mask @ attend(norm_1(X))
    return H + process(norm_2(H))


@wrong("masked_block")
def tb_two_results(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X), mask)
    return H, process(norm_2(H))


@wrong("masked_block")
def tb_norms_swapped(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_2(X), mask)
    return H + process(norm_1(H))


@wrong("masked_block")
def tb_mask_to_process(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X), mask)
    return H + process(norm_2(H), mask)


@wrong("masked_block")
def tb_dropped_residuals_halved(X, attend, process, norm_1, norm_2, mask):
    H = (X + attend(norm_1(X), mask)) / 2
    return (H + process(norm_2(H))) / 2


@wrong("masked_block", mistake="attention gets the raw X, and its result is normed")
def mb_norms_behind_both(X, attend, process, norm_1, norm_2, mask):
    H = X + norm_1(attend(X, mask))
    return H + norm_2(process(H))


@wrong(
    "masked_block",
    said="attention output for `H`",
    mistake="the network has to read H",
)
def mb_network_reads_mixed(X, attend, process, norm_1, norm_2, mask):
    mixed = attend(norm_1(X), mask)
    return X + mixed + process(norm_2(mixed))


@wrong("masked_block", said="`X` is added", mistake="X is already in H")
def mb_skip_over_everything(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X), mask)
    return H + process(norm_2(H)) + X


@wrong("masked_block", mistake="the mask is transposed")
def mb_other_mask(X, attend, process, norm_1, norm_2, mask):
    H = X + attend(norm_1(X), mask.T)
    return H + process(norm_2(H))


@wrong("masked_block", "built-in", mistake="the wiring is handed over")
def mb_handed_over(X, attend, process, norm_1, norm_2, mask):
    from course_attn.in_numpy.block import pre_norm_block

    return pre_norm_block(X, lambda x: attend(x, mask), process, norm_1, norm_2)


@wrong("gpt_parameters")
def gp_constant(n_layers, d_model, n_vocab, n_ctx):
    return 124_439_808


@wrong("gpt_parameters")
def gp_rounded(n_layers, d_model, n_vocab, n_ctx):
    return 124e6


@wrong("gpt_parameters")
def gp_untied_no_bias(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return 2 * n_vocab * d + n_ctx * d + n_layers * (12 * d * d + 4 * d) + 2 * d


@wrong("gpt_parameters")
def gp_norm_per_layer_three(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return (n_vocab + n_ctx + 2) * d + n_layers * (12 * d * d + 15 * d)


@wrong("gpt_parameters")
def gp_heads_multiply(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return (n_vocab + n_ctx + 2) * d + n_layers * (
        12 * (4 * d * d + 4 * d) + 8 * d * d
    )


@wrong("gpt_parameters")
def gp_text(n_layers, d_model, n_vocab, n_ctx):
    return "124M"


@wrong("gpt_parameters", mistake="biases of attention outside of the loop")
def gp_attention_biases_once(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    block = 4 * d * d + (d * 4 * d + 4 * d) + (4 * d * d + d) + 2 * 2 * d
    return d * (n_vocab + n_ctx) + n_layers * block + 4 * d + 2 * d


@wrong("gpt_parameters", mistake="embeddings are not in every block")
def gp_embedding_in_each_layer(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    per_layer = 4 * (d * d + d) + 8 * d * d + 5 * d + 4 * d + n_vocab * d
    return n_layers * per_layer + n_ctx * d + 2 * d


@wrong("gpt_parameters", mistake="the last step has no bias")
def gp_output_bias(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    return (n_vocab + n_ctx + 2) * d + n_layers * (12 * d * d + 13 * d) + n_vocab


@wrong("gpt_parameters", "gains-only", mistake="a norm has a bias, too")
def gp_rms_norms(n_layers, d_model, n_vocab, n_ctx):
    d = d_model
    block = 4 * (d * d + d) + (4 * d * d + 4 * d) + (4 * d * d + d) + 2 * d
    return (n_vocab + n_ctx) * d + n_layers * block + d
