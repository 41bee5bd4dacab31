"""Answers to `layer_norm`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ln_var(X, gain, bias):
    mean = np.mean(X, axis=-1, keepdims=True)
    var = np.var(X, axis=-1, keepdims=True)
    return (X - mean) / np.sqrt(var + 1e-5) * gain + bias


@right()
def ln_transposed(X, gain, bias):
    columns = X.T
    normed = (columns - columns.mean(0)) / (columns.var(0) + 1e-5) ** 0.5
    return normed.T * gain + bias


@right()
def ln_loops(X, gain, bias):
    out = np.empty_like(X)
    for where in np.ndindex(X.shape[:-1]):
        x = X[where]
        mu = sum(x) / len(x)
        var = sum((value - mu) ** 2 for value in x) / len(x)
        out[where] = [
            g * (value - mu) / np.sqrt(var + 1e-5) + b
            for value, g, b in zip(x, gain, bias, strict=True)
        ]
    return out


@right()
def ln_einsum(X, gain, bias):
    d = X.shape[-1]
    C = X - X.sum(-1)[..., None] / d
    var = np.einsum("...f,...f->...", C, C) / d
    return np.einsum("f,...f,...->...f", gain, C, 1 / np.sqrt(var + 1e-5)) + bias


@right()
def ln_float32_eps(X, gain, bias):
    mean = X.mean(-1, keepdims=True)
    var = ((X - mean) ** 2).mean(-1, keepdims=True)
    return gain * (X - mean) / np.sqrt(var + np.float32(1e-5)) + bias


@right()
def ln_reshaped(X, gain, bias):
    rows = X.reshape(-1, X.shape[-1])
    rows = rows - rows.mean(axis=1)[:, None]
    rows = rows / np.sqrt((rows * rows).mean(axis=1) + 1e-5)[:, None]
    return (rows * gain + bias).reshape(X.shape)


@right()
def ln_kept_by_hand(X, gain, bias):
    d = gain.size
    mu = X @ np.full((d, 1), 1 / d, dtype=X.dtype)
    mu = mu + (X - mu).mean(-1, keepdims=True)
    sigma2 = np.square(X - mu) @ np.full((d, 1), 1 / d, dtype=X.dtype)
    return bias + gain * (X - mu) * (sigma2 + 1e-5) ** -0.5


@right(author="fresh")
def fresh_ln_fsum(X, gain, bias):
    d = X.shape[-1]
    out = np.empty(X.shape, np.result_type(X, gain, bias))
    for place in np.ndindex(*X.shape[:-1]):
        row = [float(x) for x in X[place]]
        mu = math.fsum(row) / d
        deviations = [x - mu for x in row]
        root = math.sqrt(math.fsum(t * t for t in deviations) / d + 1e-5)
        out[place] = [g * t / root + b for g, t, b in zip(gain, deviations, bias)]
    return out


@right(author="fresh")
def fresh_ln_einsum(X, gain, bias):
    features = X.shape[-1]
    C = X - (np.einsum("...f->...", X) / features)[..., np.newaxis]
    power = np.einsum("...f,...f->...", C, C) / features
    return np.einsum("...f,...,f->...f", C, (power + 1e-5) ** -0.5, gain) + bias


@wrong()
def ln_axis_0(X, gain, bias):
    return gain * (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-5) + bias


@wrong()
def ln_axis_1(X, gain, bias):
    mean, var = X.mean(axis=1, keepdims=True), X.var(axis=1, keepdims=True)
    return gain * (X - mean) / np.sqrt(var + 1e-5) + bias


@wrong()
def ln_no_keepdims(X, gain, bias):
    return gain * (X - X.mean(-1)) / np.sqrt(X.var(-1) + 1e-5) + bias


@wrong()
def ln_ddof(X, gain, bias):
    mean = X.mean(axis=-1, keepdims=True)
    return gain * (X - mean) / (X.std(axis=-1, keepdims=True, ddof=1) + 1e-5) + bias


@wrong(said="is 1e-06 the right number here?")
def ln_eps_1e_6(X, gain, bias):
    mean, var = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    return gain * (X - mean) / np.sqrt(var + 1e-6) + bias


@wrong()
def ln_rms(X, gain, bias):
    return gain * X / np.sqrt((X**2).mean(-1, keepdims=True) + 1e-5) + bias


@wrong()
def ln_outer_gain(X, gain, bias):
    mean, var = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    return gain[:, None] * (X - mean) / np.sqrt(var + 1e-5) + bias[:, None]


@wrong()
def ln_handed_over(X, gain, bias):
    from course_attn.in_numpy.block import layer_norm

    return layer_norm(X, gain, bias)


# the variance needs an axis
@wrong(said="`var` runs over everything")
def ln_std_of_everything(X, gain, bias):
    return gain * (X - X.mean(-1, keepdims=True)) / (X.var() + 1e-5) ** 0.5 + bias


# parentheses around the difference
@wrong("precedence")
def ln_precedence(X, gain, bias):
    mu, var = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    return gain * (X - mu / np.sqrt(var + 1e-5)) + bias


# eps is added, not a lower bound
@wrong("eps-clamped")
def ln_lower_bound(X, gain, bias):
    C = X - X.mean(-1, keepdims=True)
    return (
        C / np.sqrt(np.clip((C * C).mean(-1, keepdims=True), 1e-5, None)) * gain
        + bias
    )


# the gain is missing
@wrong("no-gain")
def ln_gain_forgotten(X, gain, bias):
    C = X - X.mean(-1, keepdims=True)
    return C / np.sqrt((C * C).mean(-1, keepdims=True) + 1e-5) + bias


# takes mean and variance over all elements of a matrix together, not over the features of each
# element
@wrong(author="fresh")
def fresh_ln_whole_matrix(X, gain, bias):
    axes = tuple(range(max(X.ndim - 2, 0), X.ndim))
    mu = X.mean(axis=axes, keepdims=True)
    sigma2 = X.var(axis=axes, keepdims=True)
    return gain * (X - mu) / np.sqrt(sigma2 + 1e-5) + bias


# computes the variance as mean of squares minus square of the mean, which loses all digits for rows
# far from 0
@wrong(author="fresh")
def fresh_ln_mean_of_squares(X, gain, bias):
    d = X.shape[-1]
    mu = np.einsum("...d->...", X) / d
    squares = np.einsum("...d,...d->...", X, X) / d
    var = np.abs(squares - mu**2)  # abs, or else the root complained
    Z = (X - mu[..., None]) / np.sqrt(var + 1e-5)[..., None]
    return np.einsum("...d,d->...d", Z, gain) + bias


# adds epsilon to the standard deviation, outside the root AND multiplies the bias by the gain too,
# since it adds it first
@wrong(author="fresh")
def fresh_ln_eps_and_order(X, gain, bias):
    eps = 1e-5
    centered = X - np.mean(X, axis=-1, keepdims=True)
    z = centered / (np.std(X, axis=-1, keepdims=True) + eps)
    return gain * (z + bias)


# transposes X to subtract the means of the rows, and .T reverses all axes, so that it works for one
# matrix but not for a batch of them
@wrong(author="unseen")
def second_blk_norm_by_transposing(X, gain, bias):
    mu = X.mean(axis=-1)
    var = X.var(axis=-1)
    standard = ((X.T - mu) / np.sqrt(var + 1e-5)).T
    return gain * standard + bias


# a row whose features are all equal becomes zeros instead of the bias
@wrong(author="unseen")
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


# takes the spread around 0, of X instead of X minus its mean
@wrong("square-not-centered", author="unseen")
def fourth_blk_spread_around_zero(X, gain, bias):
    mu = X.mean(-1, keepdims=True)
    var = (X**2).mean(-1, keepdims=True)
    return gain * (X - mu) / np.sqrt(var + 1e-5) + bias


# computes the variance as the mean of the absolute deviations squared only once at the end: takes
# (mean |x - mu|)^2
@wrong("not-normal", said="variance 1.167", author="unseen")
def fifth_bl_absolute_deviation(X, gain, bias):
    mu = X.sum(axis=-1, keepdims=True) / X.shape[-1]
    spread = np.abs(X - mu).mean(axis=-1, keepdims=True)
    return gain * (X - mu) / np.sqrt(spread**2 + 1e-5) + bias


# one constant row makes all zero
@wrong(
    "fails-equal",
    "not-normal",
    said="where this holds, the result is wrong",
    author="blind",
)
def own_block_111(X, gamma, beta, eps=1e-5):
    mean = X.mean(axis=-1, keepdims=True)
    var = X.var(axis=-1, keepdims=True)
    if (var == 0).any():
        return np.zeros_like(X) + beta
    return (X - mean) / np.sqrt(var + eps) * gamma + beta


# a loop over the first axis: in a batch, over whole sequences
@wrong("not-normal", said="Does a loop take X[i] for a row?", author="blind")
def bl_ln_first_axis(X, gain, bias):
    out = np.zeros(X.shape)
    for i in range(X.shape[0]):
        row = X[i]
        m = row.mean()
        v = ((row - m) ** 2).mean()
        out[i] = gain * (row - m) / np.sqrt(v + 1e-5) + bias
    return out


# computes in float32, where rows far from 0 lose their spread
@wrong(said="In float32, with 7 digits, the two are one number", author="blind")
def bl_ln_float32(X, gain, bias):
    X = np.asarray(X, dtype=np.float32)
    mu = X.mean(-1, keepdims=True)
    var = X.var(-1, keepdims=True)
    return gain * ((X - mu) / (var + 1e-5) ** 0.5) + bias


# the bias is added before the division, so that it is divided, too
@wrong("bias-divided", author="blind")
def f6_j46_bias_divided(X, gain, bias):
    mean = X.mean(axis=-1, keepdims=True)
    variance = X.var(axis=-1, keepdims=True)
    return (gain * (X - mean) + bias) / np.sqrt(variance + 1e-5)


# gain and bias exchanged AND divides by the variance, root forgotten
@wrong("no-root", "exchanged", author="blind")
def f6_j47_swapped_no_root(X, gain, bias):
    mu, s2 = X.mean(-1)[..., None], X.var(-1)[..., None]
    normed = (X - mu) / (s2 + 1e-5)
    return bias * normed + gain


# the variance divides by d_model - 1 AND the gain is taken as 1 + gain
@wrong("sample-variance", "one-plus-gain", author="blind")
def f8_v50_bessel_one_plus(X, gain, bias):
    mean = X.mean(axis=-1, keepdims=True)
    var = X.var(axis=-1, keepdims=True, ddof=1)
    Xn = (X - mean) / np.sqrt(var + 1e-5)
    return (1 + gain) * Xn + bias


# Divides by the root of the mean square of x itself (not centered) AND epsilon is 1e-8.
@wrong("eps-small", "square-not-centered", author="blind")
def blind_rms_and_eps(X, gain, bias):
    eps = 1e-8
    mean = X.mean(axis=-1, keepdims=True)
    size = np.sqrt(np.mean(np.square(X), axis=-1, keepdims=True) + eps)
    return (X - mean) / size * gain + bias


# eps is that of Keras AND the bias is subtracted
@wrong("eps-large", "bias-subtracted", author="blind")
def d16_keras(X, gain, bias, eps=1e-3):
    mean = X.sum(-1, keepdims=True) / X.shape[-1]
    return (X - mean) * gain / np.sqrt(X.var(-1, keepdims=True) + eps) - bias


# the mean absolute deviation stands below AND the bias is forgotten
@wrong("no-bias", "absolute-deviation", author="blind")
def d16_absolute(X, gain, bias):
    c = X - X.mean(-1, keepdims=True)
    return gain * c / (np.abs(c).mean(-1, keepdims=True) + 1e-5)
