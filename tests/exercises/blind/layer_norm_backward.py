import numpy as np


def layer_norm_backward__1(X, gain, d_out):
    # mistake: mean and deviation are treated as constants
    mu = X.mean(-1, keepdims=True)
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - mu) / s
    lead = tuple(range(X.ndim - 1))
    return gain * d_out / s, (d_out * z).sum(axis=lead), d_out.sum(axis=lead)


def layer_norm_backward__2(X, gain, d_out):
    # mistake: the path through the deviation is forgotten
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dz = d_out * gain
    dX = (dz - dz.mean(-1, keepdims=True)) / s
    d = X.shape[-1]
    return dX, (d_out * z).reshape(-1, d).sum(0), d_out.reshape(-1, d).sum(0)


def layer_norm_backward__3(X, gain, d_out):
    # mistake: gain and bias are summed over axis 0 only, wrong with several batch axes
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dz = d_out * gain
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) / s
    return dX, (d_out * z).sum(axis=0), d_out.sum(axis=0)


def layer_norm_backward__6(X, gain, d_out):
    # mistake: d_gain from X itself instead of the normalized z
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dz = d_out * gain
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) / s
    return dX, np.einsum("...d,...d->d", d_out, X), np.einsum("...d->d", d_out)


def layer_norm_backward__8(X, gain, d_out):
    # mistakes: sums in place of the two means; d_gain and d_bias exchanged
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dz = d_out * gain
    dX = (dz - dz.sum(-1, keepdims=True) - z * (dz * z).sum(-1, keepdims=True)) / s
    lead = tuple(range(X.ndim - 1))
    return dX, d_out.sum(axis=lead), (d_out * z).sum(axis=lead)
