"""Answers to `layer_norm_backward`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def lb_jacobian(X, gain, d_out):
    d = X.shape[-1]
    mu = X.mean(-1, keepdims=True)
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - mu) / s
    J = (np.eye(d) - 1 / d - z[..., :, None] * z[..., None, :] / d) / s[..., None]
    dX = np.einsum("...f,...fm->...m", gain * d_out, J)
    axes = tuple(range(X.ndim - 1))
    return dX, (d_out * z).sum(axis=axes), d_out.sum(axis=axes)


@right()
def lb_chain(X, gain, d_out):
    """Through variance and mean, as it is found in many repositories."""
    n = X.shape[-1]
    mean, var = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    inv = 1 / np.sqrt(var + 1e-5)
    z = (X - mean) * inv
    dz = d_out * gain
    dvar = np.sum(dz * (X - mean) * -0.5 * inv**3, axis=-1, keepdims=True)
    dmean = np.sum(-dz * inv, axis=-1, keepdims=True)
    dX = dz * inv + dvar * 2 * (X - mean) / n + dmean / n
    rows = (d_out * z).reshape(-1, n)
    return dX, np.ones(len(rows)) @ rows, d_out.reshape(-1, n).sum(0)


@right()
def lb_row_by_row(X, gain, d_out):
    flat, up = X.reshape(-1, X.shape[-1]), d_out.reshape(-1, X.shape[-1])
    dX, dg, db = [], 0, 0
    for x, dy in zip(flat, up, strict=True):
        s = np.sqrt(x.var() + 1e-5)
        z = (x - x.mean()) / s
        dz = gain * dy
        dX.append((dz - dz.mean() - z * np.mean(dz * z)) / s)
        dg, db = dg + dy * z, db + dy
    return np.reshape(dX, X.shape), dg, db


@right()
def lb_sums(X, gain, d_out):
    d = X.shape[-1]
    c = X - X.mean(axis=-1, keepdims=True)
    s2 = (c * c).sum(axis=-1, keepdims=True) / d + 1e-5
    g = d_out * gain
    total = g.sum(axis=-1, keepdims=True)
    inner = (g * c).sum(axis=-1, keepdims=True)
    dX = (d * g - total - c * inner / s2) / (d * s2**0.5)
    d_gain = (d_out * c / s2**0.5).reshape(-1, d)
    return dX, np.add.reduce(d_gain), np.add.reduce(d_out.reshape(-1, d))


# through the variance, not through the mean
@wrong("shift-missing")
def lb_no_mean(X, gain, d_out):
    mu, var = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    s = np.sqrt(var + 1e-5)
    z = (X - mu) / s
    dz = gain * d_out
    dvar = (dz * (X - mu)).sum(-1, keepdims=True) * -0.5 * s**-3
    dX = dz / s + dvar * 2 * (X - mu) / X.shape[-1]
    rows = (d_out * z).reshape(-1, X.shape[-1])
    return dX, rows.sum(0), d_out.reshape(-1, X.shape[-1]).sum(0)


# eps forgotten
@wrong("no-eps", said="Your row 1 is [0.204124, ")
def lb_no_eps(X, gain, d_out):
    s = np.sqrt(X.var(axis=-1, keepdims=True))
    z = (X - X.mean(axis=-1, keepdims=True)) / s
    dz = gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) / s
    axes = tuple(range(X.ndim - 1))
    return dX, (d_out * z).sum(axes), d_out.sum(axes)


# no gain on the way back, which the first row does not show
@wrong(
    "gain-forgotten",
    said="Row 1 of your `dX` is [0.1021, 0.1021, -0.2041]; [0.2041, ",
)
def lb_no_gain(X, gain, d_out):
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dX = d_out - d_out.mean(-1, keepdims=True)
    dX = (dX - z * (d_out * z).mean(-1, keepdims=True)) / s
    axes = tuple(range(X.ndim - 1))
    return dX, (d_out * z).sum(axes), d_out.sum(axes)


# the step, which goes against the gradients
@wrong("step-not-gradient")
def lb_step(X, gain, d_out):
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dz = -gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) / s
    axes = tuple(range(X.ndim - 1))
    return dX, -(d_out * z).sum(axes), -d_out.sum(axes)


# d_gain from the output with the gain
@wrong("gain-in-d_gain")
def lb_gain_from_output(X, gain, d_out):
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dz = gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) / s
    axes = tuple(range(X.ndim - 1))
    return dX, (d_out * gain * z).sum(axes), d_out.sum(axes)


def _normed(X):
    s = np.sqrt(X.var(axis=-1, keepdims=True) + 1e-5)
    return (X - X.mean(axis=-1, keepdims=True)) / s, s


# d_gain divided by the gain, d_bias as one number
@wrong(author="blind")
def blind_one_bias(X, gain, d_out):
    z, s = _normed(X)
    dz = gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) / s
    return dX, (d_out * z).reshape(-1, len(gain)).sum(0), d_out.sum()


# multiplies by s
@wrong(author="blind")
def blind_times_s(X, gain, d_out):
    z, s = _normed(X)
    dz = gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) * s
    return (
        dX,
        (d_out * z).reshape(-1, len(gain)).sum(0),
        d_out.reshape(-1, len(gain)).sum(0),
    )


# The gain is multiplied on at the end, after the two means are taken off; dz must be gain * d_out
# before; d_gain and d_bias are means over the rows instead of sums
@wrong("gain-last", "means-over-rows", author="blind")
def fc_49(X, gain, d_out):
    mu = X.mean(-1, keepdims=True)
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - mu) / s
    dz = d_out
    dX = (
        gain
        * (dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True))
        / s
    )
    axes = tuple(range(X.ndim - 1))
    return dX, (d_out * z).mean(axes), d_out.mean(axes)


# d_out is overwritten by gain · d_out before d_bias is made of it
@wrong("gain-in-d_bias", author="blind")
def blind_bias_with_gain(X, gain, d_out):
    d = X.shape[-1]
    centered = X - X.mean(axis=-1, keepdims=True)
    inv = 1 / np.sqrt((centered**2).mean(axis=-1, keepdims=True) + 1e-5)
    z = centered * inv
    d_gain = (d_out * z).reshape(-1, d).sum(0)
    d_out = d_out * gain
    d_bias = d_out.reshape(-1, d).sum(0)
    dX = (
        inv
        / d
        * (
            d * d_out
            - d_out.sum(-1, keepdims=True)
            - z * (d_out * z).sum(-1, keepdims=True)
        )
    )
    return dX, d_gain, d_bias


# d_gain and d_bias are summed over the first axis only
@wrong("first-axis", author="blind")
def blind_first_axis(X, gain, d_out):
    m = X.mean(axis=-1, keepdims=True)
    std = np.sqrt(X.var(axis=-1, keepdims=True) + 1e-5)
    z = (X - m) / std
    dz = gain * d_out
    dX = (
        dz
        - dz.mean(axis=-1, keepdims=True)
        - z * (dz * z).mean(axis=-1, keepdims=True)
    ) / std
    d_gain = np.sum(d_out * z, axis=0)
    d_bias = np.sum(d_out, axis=0)
    return dX, d_gain, d_bias


# eps is added to σ, outside of the root
@wrong("eps-outside", author="blind")
def blind_eps_outside(X, gain, d_out):
    s = X.std(axis=-1, keepdims=True) + 1e-5
    z = (X - X.mean(axis=-1, keepdims=True)) / s
    g = gain * d_out
    dX = (
        g - np.mean(g, -1, keepdims=True) - z * np.mean(g * z, -1, keepdims=True)
    ) / s
    d_gain = (d_out * z).reshape(-1, X.shape[-1]).sum(axis=0)
    d_bias = d_out.reshape(-1, X.shape[-1]).sum(axis=0)
    return dX, d_gain, d_bias


# d_gain multiplies d_out with the raw X instead of the normalized z
@wrong("raw-in-d_gain", author="blind")
def v09_gain_from_raw(X, gain, d_out):
    z, s = _normed(X)
    upstream = d_out * gain
    m1 = upstream.mean(-1, keepdims=True)
    m2 = np.mean(upstream * z, axis=-1, keepdims=True)
    dX = (upstream - m1 - z * m2) / s
    d_gain = np.einsum(
        "nd,nd->d", d_out.reshape(-1, X.shape[-1]), X.reshape(-1, X.shape[-1])
    )
    d_bias = d_out.reshape(-1, X.shape[-1]).sum(0)
    return dX, d_gain, d_bias


# the gain is forgotten in dX AND d_bias is the mean over the rows instead of the sum
@wrong("gain-forgotten", "mean-in-d_bias", author="blind")
def p23_no_gain_mean_bias(X, gain, d_out):
    mu = X.mean(axis=-1, keepdims=True)
    sigma = np.sqrt(((X - mu) ** 2).mean(axis=-1, keepdims=True) + 1e-5)
    xhat = (X - mu) / sigma
    dX = (
        d_out
        - d_out.mean(axis=-1, keepdims=True)
        - xhat * (d_out * xhat).mean(axis=-1, keepdims=True)
    ) / sigma
    others = tuple(range(X.ndim - 1))
    d_gain = (d_out * xhat).sum(axis=others)
    d_bias = d_out.mean(axis=others)
    return dX, d_gain, d_bias


# The term z * mean(dz z) of dX is missing (s treated as a constant) AND d_gain uses x - mu in
# place of z.
@wrong("stretch-missing", "centered-in-d_gain", author="blind")
def blind_const_s_and_centered(X, gain, d_out):
    centered = X - X.mean(axis=-1, keepdims=True)
    sigma = np.sqrt(np.var(X, axis=-1, keepdims=True) + 1e-5)
    g_in = gain * d_out
    dX = (g_in - g_in.mean(axis=-1, keepdims=True)) / sigma
    axes = tuple(range(d_out.ndim - 1))
    d_gain = np.sum(d_out * centered, axis=axes)
    d_bias = np.sum(d_out, axis=axes)
    return dX, d_gain, d_bias


# the variance with ddof=1 AND the last division of dX by s is forgotten
@wrong("not-divided", "sample-variance", author="blind")
def m09_ddof_no_division(X, gain, d_out):
    d = X.shape[-1]
    x2, g2 = X.reshape(-1, d), d_out.reshape(-1, d)
    sigma = np.sqrt(np.var(x2, axis=1, ddof=1) + 1e-5)
    xhat = (x2 - x2.mean(axis=1)[:, None]) / sigma[:, None]
    dgain = np.einsum("nd,nd->d", g2, xhat)
    dbias = g2.sum(axis=0)
    dxhat = g2 * gain
    dx = np.zeros_like(x2)
    for r in range(len(x2)):
        dx[r] = dxhat[r] - dxhat[r].mean() - xhat[r] * np.dot(dxhat[r], xhat[r]) / d
    return dx.reshape(X.shape), dgain, dbias


# the mean is not subtracted in dX AND z is missing in d_gain
@wrong("shift-missing", "z-missing-in-d_gain", author="blind")
def no_mean_and_no_z(X, gain, d_out):
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dz, axes = d_out * gain, tuple(range(X.ndim - 1))
    dX = (dz - z * (dz * z).mean(-1, keepdims=True)) / s
    return dX, d_out.sum(axes), d_out.sum(axes)
