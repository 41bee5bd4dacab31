"""Wrong answers to `block` by others who had not seen the known mistakes, either."""

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "layer_norm",
    mistake="transposes X to subtract the means of the rows, and .T reverses all axes, so that it works for one matrix"
    " but not for a batch of them",
)
def second_blk_norm_by_transposing(X, gain, bias):
    mu = X.mean(axis=-1)
    var = X.var(axis=-1)
    standard = ((X.T - mu) / np.sqrt(var + 1e-5)).T
    return gain * standard + bias


@wrong(
    "feed_forward",
    mistake="writes np.max(H, 0), which takes the largest number along axis 0, where np.maximum(H, 0) is needed",
)
def second_blk_max_along_axis(X, W_1, b_1, W_2, b_2):
    hidden = X @ W_1 + b_1
    hidden = np.max(hidden, 0)
    return hidden @ W_2 + b_2


@wrong(
    "masked_block",
    mistake="both steps run the feed-forward network with norm_2 and attention is never called, because the lambdas"
    " look their part and norm up only after the comprehension has ended",
)
def second_blk_late_lambdas(X, attend, process, norm_1, norm_2, mask):
    parts = [(lambda H: attend(H, mask), norm_1), (process, norm_2)]
    steps = [lambda H: H + part(norm(H)) for part, norm in parts]
    for step in steps:
        X = step(X)
    return X


@wrong(
    "gpt_parameters",
    mistake="gives the first matrix of the feed-forward network a bias of width d_model instead of 4 d_model AND counts"
    " the token vectors a second time for the last step",
)
def second_blk_counter(n_layers, d_model, n_vocab, n_ctx):
    class Counter:
        def __init__(self):
            self.total = 0

        def table(self, rows):
            self.total += rows * d_model

        def linear(self, width_in, width_out):
            self.total += width_in * width_out + d_model

        def norm(self):
            self.total += 2 * d_model

        def block(self):
            self.norm()
            for _ in "QKVO":
                self.linear(d_model, d_model)
            self.norm()
            self.linear(d_model, 4 * d_model)
            self.linear(4 * d_model, d_model)

    count = Counter()
    count.table(n_vocab)
    count.table(n_ctx)
    for _ in range(n_layers):
        count.block()
    count.norm()
    count.table(n_vocab)
    return count.total


@wrong(
    "TransformerBlock",
    mistake="turns the mask into numbers 0 and 1, which nn.MultiheadAttention adds to the scores, so that nothing is"
    " hidden",
)
class SecondBlkFloatMask(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(
            d_model, n_heads, batch_first=True
        )
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        H = self.norm_1(X)
        mixed, _ = self.attention(H, H, H, attn_mask=mask.to(X.dtype))
        X = X + mixed
        return X + self.linear_2(torch.relu(self.linear_1(self.norm_2(X))))


@wrong(
    "Stack",
    mistake="runs the blocks in the reverse order, the one made last first",
)
class SecondBlkRussianDoll(torch.nn.Module):
    def __init__(self, make_block, n_layers):
        super().__init__()
        self.block = make_block() if n_layers > 0 else torch.nn.Identity()
        self.others = (
            type(self)(make_block, n_layers - 1)
            if n_layers > 1
            else torch.nn.Identity()
        )

    def forward(self, X):
        return self.block(self.others(X))


@wrong(
    "layer_norm",
    mistake="a row whose features are all equal becomes zeros instead of the bias",
)
def third_bl_skips_constant_rows(X, gain, bias):
    out = np.zeros(X.shape)
    for place in np.ndindex(X.shape[:-1]):
        x = X[place]
        centered = x - x.mean()
        variance = (centered**2).mean()
        if variance == 0:
            continue  # nothing to normalize
        out[place] = gain * centered / np.sqrt(variance + 1e-5) + bias
    return out


@wrong(
    "feed_forward",
    mistake="the ReLU decides what passes by the sign of x W_1, before b_1 is added, not by the "
    "sign of x W_1 + b_1",
)
def third_bl_gate_without_bias(X, W_1, b_1, W_2, b_2):
    product = np.einsum("...d,df->...f", X, W_1)
    active = (product > 0).astype(X.dtype)
    return np.einsum("...f,...f,fd->...d", active, product + b_1, W_2) + b_2


@wrong(
    "masked_block",
    mistake="both steps run norm_2 and the feed-forward network and attention never runs, because "
    "the lambdas look up the loop's variables only after the loop has ended",
)
def third_bl_late_binding(X, attend, process, norm_1, norm_2, mask):
    steps = []
    for norm, part in [(norm_1, lambda Z: attend(Z, mask)), (norm_2, process)]:
        steps.append(lambda Z: Z + part(norm(Z)))
    for step in steps:
        X = step(X)
    return X


@wrong(
    "gpt_parameters",
    mistake="gives the second layer of the feed-forward network a bias of 4 d_model numbers instead "
    "of d_model AND counts the position vectors once in every block instead of once in all",
)
def third_bl_biases_and_positions(n_layers, d_model, n_vocab, n_ctx):
    class Counter:
        total = 0

        def matrix(self, rows, columns):
            self.total += rows * columns

        def vector(self, width):
            self.total += width

    count = Counter()
    count.matrix(n_vocab, d_model)
    for _ in range(n_layers):
        count.matrix(n_ctx, d_model)
        for _ in "QKVO":
            count.matrix(d_model, d_model)
            count.vector(d_model)
        for rows, columns in [(d_model, 4 * d_model), (4 * d_model, d_model)]:
            count.matrix(rows, columns)
            count.vector(4 * d_model)
        for _ in ("gain 1", "bias 1", "gain 2", "bias 2"):
            count.vector(d_model)
    count.vector(2 * d_model)
    return count.total


@wrong(
    "TransformerBlock",
    mistake="only the queries are normed: attention gets its keys and values from X itself, not "
    "from norm_1(X)",
)
class ThirdBlRawKeys(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.norm_2 = torch.nn.LayerNorm(d_model)
        self.attention = torch.nn.MultiheadAttention(
            d_model, n_heads, batch_first=True
        )
        self.linear_1 = torch.nn.Linear(d_model, d_ff)
        self.linear_2 = torch.nn.Linear(d_ff, d_model)

    def forward(self, X, mask):
        mixed, _ = self.attention(
            self.norm_1(X), X, X, attn_mask=~mask, need_weights=False
        )
        H = X + mixed
        return H + self.linear_2(torch.relu(self.linear_1(self.norm_2(H))))


@wrong(
    "Stack",
    mistake="runs the blocks in the reverse order: the one made last comes first",
)
class ThirdBlRecursiveStack(torch.nn.Module):
    def __init__(self, make_block, n_layers):
        super().__init__()
        self.block = self.others = torch.nn.Identity()
        if n_layers > 0:
            self.block = make_block()
            self.others = type(self)(make_block, n_layers - 1)

    def forward(self, X):
        return self.block(self.others(X))


@wrong(
    "feed_forward",
    said="elsewhere you go on with `X @ W_1 + b_1`",
    mistake="the gate lacks the bias that the hidden features have",
)
def fourth_blk_gate(X, W_1, b_1, W_2, b_2):
    gate = (X @ W_1 > 0).astype(X.dtype)
    hidden = gate * (X @ W_1 + b_1)
    return hidden @ W_2 + b_2


@wrong(
    "layer_norm",
    said="elsewhere you go on with `X - mu`",
    mistake="takes the spread around 0, of X instead of X minus its mean",
)
def fourth_blk_spread_around_zero(X, gain, bias):
    mu = X.mean(-1, keepdims=True)
    var = (X**2).mean(-1, keepdims=True)
    return gain * (X - mu) / np.sqrt(var + 1e-5) + bias


@wrong(
    "gpt_parameters",
    said="11 × n_layers · d_model²",
    mistake="counts three matrices in attention instead of four AND one norm per block instead of two",
)
def fourth_blk_three_and_one(n_layers, d_model, n_vocab, n_ctx):
    def linear(a, b):
        return a * b + b

    block = (
        3 * linear(d_model, d_model)
        + linear(d_model, 4 * d_model)
        + linear(4 * d_model, d_model)
        + 2 * d_model
    )
    return (n_vocab + n_ctx) * d_model + n_layers * block + 2 * d_model


@wrong(
    "layer_norm",
    said="the mean of the deviations' sizes is squared",
    mistake="computes the variance as the mean of the absolute deviations squared only once at "
    "the end: takes (mean |x - mu|)^2",
)
def fifth_bl_absolute_deviation(X, gain, bias):
    mu = X.sum(axis=-1, keepdims=True) / X.shape[-1]
    spread = np.abs(X - mu).mean(axis=-1, keepdims=True)
    return gain * (X - mu) / np.sqrt(spread**2 + 1e-5) + bias


@wrong(
    "feed_forward",
    said="which rounds does `out` hold",
    mistake="overwrites the output with each hidden unit's share instead of adding it: only the "
    "last unit counts",
)
def fifth_bl_last_unit(X, W_1, b_1, W_2, b_2):
    hidden = np.maximum(X @ W_1 + b_1, 0)
    for unit in range(W_2.shape[0]):
        out = hidden[..., unit, None] * W_2[unit]
    return out + b_2


@wrong(
    "masked_block",
    said="Add H",
    mistake="the second part reads the normalized input of the first part's sum but its residual "
    "starts from X: the result of attention is lost",
)
def fifth_bl_residual_from_x(X, attend, process, norm_1, norm_2, mask):
    stream = [X]
    stream.append(stream[-1] + attend(norm_1(stream[-1]), mask))
    stream.append(stream[0] + process(norm_2(stream[-1])))
    return stream[-1]


@wrong(
    "matrix_before_rms",
    said="the mean of the d − 1 *others*",
    mistake="subtracts from each feature the mean of the others, not of all, which makes the "
    "result too large by d/(d - 1)",
)
def fifth_bl_mean_of_others(d):
    return np.array(
        [
            [float(d > 1) if r == c else -1 / (d - 1) for c in range(d)]
            for r in range(d)
        ]
    )
