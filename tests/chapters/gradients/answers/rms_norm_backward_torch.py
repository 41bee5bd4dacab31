"""Answers to `rms_norm_backward`."""

import torch

from tests.exercises.answers import right, wrong


@right()
def rb_one_line(ctx, d_out):
    X, gain = ctx.saved_tensors
    r = torch.rsqrt(X.square().mean(-1, keepdim=True) + ctx.eps)
    z = X * r
    dz = d_out * gain
    d_gain = (d_out * z).sum(dim=tuple(range(X.dim() - 1)))
    return r * (dz - z * (dz * z).mean(-1, keepdim=True)), d_gain, None


@right()
def rb_chain(ctx, d_out):
    X, gain = ctx.saved_tensors
    n = X.size(-1)
    ms = X.pow(2).mean(-1, keepdim=True) + ctx.eps
    dz = d_out * gain
    inner = (dz * X).sum(-1, keepdim=True)
    dX = dz / ms**0.5 - X * inner / (n * ms**1.5)
    return (dX, (d_out * X / ms.sqrt()).flatten(0, -2).sum(0), None)


@right()
def rb_jacobian(ctx, d_out):
    X, gain = ctx.saved_tensors
    n = X.shape[-1]
    s = torch.sqrt((X * X).mean(dim=-1, keepdim=True) + ctx.eps)
    z = X / s
    eye = torch.eye(n, dtype=X.dtype)
    J = (eye - z[..., :, None] * z[..., None, :] / n) / s[..., None]
    dX = torch.einsum("...f,...fm->...m", gain * d_out, J)
    return [dX, torch.einsum("...f,...f->f", d_out, z), None]


@right()
def rb_needs_input_grad(ctx, d_out):
    X, gain = ctx.saved_tensors
    divisor = (X.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
    normed = X / divisor
    dX = d_gain = None
    if ctx.needs_input_grad[0]:
        dz = gain * d_out
        dX = (dz - normed * (normed * dz).mean(-1, keepdim=True)) / divisor
    if ctx.needs_input_grad[1]:
        d_gain = (normed * d_out).reshape(-1, gain.numel()).sum(0)
    return dX, d_gain, None


# the saved tensors in the wrong order
@wrong("saved-swapped")
def rb_saved_swapped(ctx, d_out):
    gain, X = ctx.saved_tensors
    s = (X.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
    z, dz = X / s, gain * d_out
    dX = (dz - z * (dz * z).mean(-1, keepdim=True)) / s
    return dX, (d_out * z).flatten(0, -2).sum(0), None


# asks autograd, in a pass that keeps no record
@wrong()
def rb_autograd(ctx, d_out):
    X, gain = ctx.saved_tensors
    Y = gain * X / torch.sqrt(X.square().mean(-1, keepdim=True) + ctx.eps)
    return (*torch.autograd.grad(Y, (X, gain), d_out), None)


# asks autograd for it
@wrong("built-in")
def rb_autograd_enabled(ctx, d_out):
    with torch.enable_grad():
        X, gain = (t.detach().requires_grad_() for t in ctx.saved_tensors)
        Y = gain * X / torch.sqrt(X.square().mean(-1, keepdim=True) + ctx.eps)
        return (*torch.autograd.grad(Y, (X, gain), d_out), None)


# the mean over all numbers
@wrong()
def rb_one_mean(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = (X.square().mean() + ctx.eps).sqrt()
    z, dz = X / s, gain * d_out
    return (
        (dz - z * (dz * z).mean(-1, keepdim=True)) / s,
        (d_out * z).flatten(0, -2).sum(0),
        None,
    )


# the step, which goes against the gradients
@wrong("step-not-gradient")
def rb_step(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = (X.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
    z, dz = X / s, -gain * d_out
    dX = (dz - z * (dz * z).mean(-1, keepdim=True)) / s
    return dX, -(d_out * z).flatten(0, -2).sum(0), None


# returns only two of three AND takes the divisor for a constant
@wrong("stretch-missing", "results", author="blind")
def blind_rms_tuple(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = ((X**2).mean(-1, keepdim=True) + ctx.eps).sqrt()
    return [gain * d_out / s, (d_out * X / s).flatten(0, -2).sum(0)]


# d_out enters dX twice
@wrong("gain-last", author="blind")
def blind_rms_square(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = ((X**2).mean(-1, keepdim=True) + ctx.eps).sqrt()
    z = X / s
    dX = gain * (d_out - z * (d_out * z).mean(-1, keepdim=True)) / s
    return dX, (d_out * z).flatten(0, -2).sum(0), None


# std, as in a layer norm
@wrong("layer-norm", author="blind")
def blind_rms_std(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = (X.var(-1, keepdim=True, correction=0) + ctx.eps).sqrt()
    z = (X - X.mean(-1, keepdim=True)) / s
    dz = gain * d_out
    dX = (dz - dz.mean(-1, keepdim=True) - z * (dz * z).mean(-1, keepdim=True)) / s
    return dX, (d_out * z).flatten(0, -2).sum(0), None


# zeros for eps
@wrong("gradient-of-eps", author="blind")
def blind_rms_zero(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = ((X**2).mean(-1, keepdim=True) + ctx.eps).sqrt()
    z, dz = X / s, gain * d_out
    dX = (dz - z * (dz * z).mean(-1, keepdim=True)) / s
    return dX, (d_out * z).flatten(0, -2).sum(0), 0.0


# The mean of dz is subtracted as for a layer norm; RMS norm has no mean, so this term does not
# belong
@wrong("mean-subtracted", author="blind")
def fc_50(ctx, d_out):
    X, gain = ctx.saved_tensors
    r = torch.sqrt((X**2).mean(dim=-1, keepdim=True) + ctx.eps)
    z = X / r
    dz = d_out * gain
    dX = (
        dz - dz.mean(dim=-1, keepdim=True) - z * (dz * z).mean(dim=-1, keepdim=True)
    ) / r
    d_gain = (d_out * z).reshape(-1, X.shape[-1]).sum(dim=0)
    return dX, d_gain, None


# the gain is missing in the mean that is subtracted
@wrong("gain-missing-in-mean", author="blind")
def blind_gain_in_mean(ctx, d_out):
    X, gain = ctx.saved_tensors
    inv = torch.rsqrt(X.pow(2).mean(-1, keepdim=True) + ctx.eps)
    z = X * inv
    d_gain = (d_out * z).sum(dim=tuple(range(X.dim() - 1)))
    dX = (gain * d_out - z * (d_out * z).mean(-1, keepdim=True)) * inv
    return dX, d_gain, None


# eps is a constant in place of `ctx.eps`
@wrong("eps-1e-5", author="blind")
def blind_hard_eps(ctx, d_out):
    x, g = ctx.saved_tensors
    s = (x.square().mean(-1, True) + 1e-5).sqrt()
    n = x / s
    u = d_out * g
    dx = u / s - n * (u * n).mean(-1, True) / s
    dg = (d_out * n).flatten(0, -2).sum(0) if x.dim() > 1 else d_out * n
    return dx, dg, None


# d_gain is made of the output, with the gain in it
@wrong("gain-in-d_gain", author="blind")
def blind_gain_twice(ctx, d_out):
    X, gain = ctx.saved_tensors
    d_model = X.shape[-1]
    s = torch.sqrt((X**2).sum(dim=-1, keepdim=True) / d_model + ctx.eps)
    out = gain * X / s
    d_gain = (d_out * out).reshape(-1, d_model).sum(dim=0)
    dz = d_out * gain
    z = X / s
    dX = (dz - z * (dz * z).sum(dim=-1, keepdim=True) / d_model) / s
    return dX, d_gain, None


# the divisor is taken for a constant, and d_gain is a mean over the rows
@wrong("stretch-missing", "mean-of-rows", author="blind")
def blind_constant_mean(ctx, d_out):
    X, gain = ctx.saved_tensors
    r = torch.sqrt((X**2).mean(dim=-1, keepdim=True) + ctx.eps)
    dX = gain * d_out / r
    d_gain = (d_out * X / r).reshape(-1, X.shape[-1]).mean(dim=0)
    return dX, d_gain, None


# the row term is added, and d_gain takes X itself
@wrong("row-term-added", "raw-in-d_gain", author="blind")
def blind_sign_and_raw(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = ((X**2).mean(-1, keepdim=True) + ctx.eps) ** 0.5
    g = d_out * gain
    dX = g / s + X * (g * X).mean(-1, keepdim=True) / s**3
    d_gain = (d_out * X).flatten(0, -2).sum(0) if X.dim() > 1 else d_out * X
    return dX, d_gain, None


# eps is forgotten in the root
@wrong("no-eps", author="blind")
def blind_no_eps(ctx, d_out):
    X, gain = ctx.saved_tensors
    rms = X.pow(2).mean(dim=-1, keepdim=True).sqrt()
    Z = X / rms
    dZ = d_out * gain
    dX = (dZ - Z * (dZ * Z).mean(dim=-1, keepdim=True)) / rms
    dg = (d_out * Z).sum(dim=tuple(range(X.dim() - 1)))
    return dX, dg, None


# the second term is divided by s**2, not by s**3
@wrong("stretch-not-divided", author="blind")
def r18_power_of_s(ctx, d_out):
    X, gain = ctx.saved_tensors
    d_model = X.shape[-1]
    ms = (X * X).sum(-1, keepdim=True) / d_model + ctx.eps
    s = ms.sqrt()
    dz = gain * d_out
    first = dz / s
    second = X * (dz * X).sum(-1, keepdim=True) / (d_model * s**2)
    dX = first - second
    d_gain = d_out * X / s
    while d_gain.dim() > 1:
        d_gain = d_gain.sum(0)
    return dX, d_gain, None


# subtracts the mean of the gradient as in layer norm AND eps stands outside the root
@wrong("mean-subtracted", "eps-outside", author="blind")
def f36_layer_norm(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = torch.sqrt((X**2).mean(dim=-1, keepdim=True)) + ctx.eps
    Z = X / s
    dZ = d_out * gain
    a = dZ.mean(dim=-1, keepdim=True)
    b = (dZ * Z).mean(dim=-1, keepdim=True)
    dX = (dZ - a - Z * b) / s
    d_gain = (d_out * Z).flatten(0, -2).sum(dim=0) if X.dim() > 1 else d_out * Z
    return dX, d_gain, None


# eps is hard-coded as 1e-5 AND d_gain is summed over the first axis alone
@wrong("eps-1e-5", "first-axis", author="blind")
def o08_eps_and_first_axis(ctx, d_out):
    x, g = ctx.saved_tensors
    inv = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
    xhat = x * inv
    d_xhat = d_out * g
    dx = inv * (d_xhat - xhat * (d_xhat * xhat).mean(-1, keepdim=True))
    dg = (d_out * xhat).sum(0)
    return dx, dg, None
