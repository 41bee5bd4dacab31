import torch


def rms_norm_backward__1(ctx, d_out):
    # mistake: term of the row is missing
    X, gain = ctx.saved_tensors
    r = torch.sqrt((X**2).mean(-1, keepdim=True) + ctx.eps)
    d_gain = (d_out * X / r).reshape(-1, X.shape[-1]).sum(0)
    return d_out * gain / r, d_gain, None


def rms_norm_backward__2(ctx, d_out):
    # mistake: gain left out of dX
    X, gain = ctx.saved_tensors
    r = torch.sqrt((X**2).mean(-1, keepdim=True) + ctx.eps)
    z = X / r
    dX = (d_out - z * (d_out * z).mean(-1, keepdim=True)) / r
    return dX, (d_out * z).reshape(-1, X.shape[-1]).sum(0), None


def rms_norm_backward__3(ctx, d_out):
    # mistake: sum instead of mean in the row term
    X, gain = ctx.saved_tensors
    r = torch.sqrt((X**2).mean(-1, keepdim=True) + ctx.eps)
    z = X / r
    g = d_out * gain
    dX = (g - z * (g * z).sum(-1, keepdim=True)) / r
    return dX, (d_out * z).reshape(-1, X.shape[-1]).sum(0), None


def rms_norm_backward__4(ctx, d_out):
    # mistake: d_gain is not summed over the rows
    X, gain = ctx.saved_tensors
    r = torch.sqrt((X**2).mean(-1, keepdim=True) + ctx.eps)
    z = X / r
    g = d_out * gain
    return (g - z * (g * z).mean(-1, keepdim=True)) / r, d_out * z, None


def rms_norm_backward__14(ctx, d_out):
    # mistakes: row term missing; d_gain summed over the first axis only
    X, gain = ctx.saved_tensors
    r = torch.sqrt((X**2).mean(-1, keepdim=True) + ctx.eps)
    return gain * d_out / r, (d_out * X / r).sum(0), None
