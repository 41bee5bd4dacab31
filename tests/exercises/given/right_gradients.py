"""Right answers to the exercises of `gradients`, each written in another way."""

import numpy as np

from tests.exercises.answers import Answers

right = Answers()


@right("rising_scores")
def rs_computed():
    weights = np.array([0.25, 0.05, 0.05, 0.4, 0.05, 0, 0.15, 0.05])
    values = [(4, 0), (3, 3), (6, 5), (2, 1), (1, 1), (3, 3), (-2, 0), (0, 3)]
    values = np.array(values, dtype=float)
    y = weights @ values
    d_scores = weights * ((values - y) @ (y - [3, 3]))
    return {
        letter for letter, d in zip("abcdefgh", d_scores, strict=True) if d < -1e-9
    }


@right("rising_scores")
def rs_list():
    return ["b", "c", "h"]


@right("rising_scores")
def rs_text():
    return "h, c, b"


@right("rising_scores")
def rs_capitals():
    return ("B", "H", "C")


@right("softmax_backward")
def sb_jacobian(weights, d_weights):
    from course_attn.in_numpy import softmax_jacobian

    return np.einsum("...j,...jm->...m", d_weights, softmax_jacobian(weights))


@right("softmax_backward")
def sb_one_line(weights, d_weights):
    return (
        weights * d_weights - weights * np.sum(weights * d_weights, -1)[..., None]
    )


@right("softmax_backward")
def sb_einsum(weights, d_weights):
    r = np.einsum("...j,...j->...", weights, d_weights)
    return weights * (d_weights - np.expand_dims(r, -1))


@right("softmax_backward")
def sb_loops(weights, d_weights):
    out = np.zeros(weights.shape)
    for row in np.ndindex(weights.shape[:-1]):
        a, da = weights[row], d_weights[row]
        for m in range(len(a)):
            out[(*row, m)] = sum(
                da[j] * a[j] * ((j == m) - a[m]) for j in range(len(a))
            )
    return out


@right("softmax_backward")
def sb_differences(weights, d_weights):
    """Σ_j a_m a_j (da_m − da_j): weights sum to 1, or are all 0."""
    apart = d_weights[..., :, None] - d_weights[..., None, :]
    return weights * (apart * weights[..., None, :]).sum(axis=-1)


@right("softmax_backward")
def sb_flat(weights, d_weights):
    a = weights.reshape(-1, weights.shape[-1])
    da = d_weights.reshape(a.shape)
    rows = [x * (g - x.dot(g)) for x, g in zip(a, da, strict=True)]
    return np.array(rows).reshape(weights.shape)


@right("attention_backward")
def ab_steps(Q, K, V, d_out, mask):
    from course_attn.in_numpy import softmax, softmax_backward

    scale = 1 / np.sqrt(Q.shape[-1])
    S = np.where(mask, np.einsum("...id,...jd->...ij", Q, K) * scale, -1e9)
    A = softmax(S)
    dV = np.einsum("...ij,...ic->...jc", A, d_out)
    dA = np.einsum("...ic,...jc->...ij", d_out, V)
    dS = softmax_backward(A, dA) * scale
    return (
        np.einsum("...ij,...jd->...id", dS, K),
        np.einsum("...ij,...id->...jd", dS, Q),
        dV,
    )


@right("attention_backward")
def ab_weights(Q, K, V, d_out, mask):
    from course_attn.in_numpy import attention_weights

    A = attention_weights(Q, K, mask=mask)
    Y = A @ V
    dS = A * (d_out @ np.swapaxes(V, -1, -2) - (d_out * Y).sum(-1, keepdims=True))
    dS = dS / np.sqrt(Q.shape[-1])
    return [dS @ K, np.swapaxes(dS, -1, -2) @ Q, np.swapaxes(A, -1, -2) @ d_out]


@right("attention_backward")
def ab_sequence_by_sequence(Q, K, V, d_out, mask):
    if Q.ndim > 2:
        parts = zip(Q, K, V, d_out, strict=True)
        found = [ab_sequence_by_sequence(*part, mask) for part in parts]
        return tuple(np.stack(each) for each in zip(*found, strict=True))
    root = Q.shape[1] ** 0.5
    dQ, dK, dV = np.zeros_like(Q), np.zeros_like(K), np.zeros_like(V)
    for i in range(len(Q)):
        see = np.flatnonzero(mask[i])
        s = K[see] @ Q[i] / root
        a = np.exp(s - s.max())
        a = a / a.sum()
        y = a @ V[see]
        ds = a * ((V[see] - y) @ d_out[i]) / root
        dQ[i] = ds @ K[see]
        dK[see] += np.outer(ds, Q[i])
        dV[see] += np.outer(a, d_out[i])
    return dQ, dK, dV


@right("attention_backward")
def ab_covariance(Q, K, V, d_out, mask):
    """The queries by the covariance of keys and help."""
    d = Q.shape[-1]
    scores = Q @ K.swapaxes(-1, -2) * d**-0.5 + np.where(mask, 0, -1e30)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    a = e / e.sum(-1, keepdims=True)
    help_ = d_out @ V.swapaxes(-1, -2)
    mean_help = (a * help_).sum(-1, keepdims=True)
    mean_key = a @ K
    both = (a * help_) @ K
    dQ = (both - mean_help * mean_key) / d**0.5
    dK = (a * (help_ - mean_help)).swapaxes(-1, -2) @ Q / d**0.5
    return dQ, dK, a.swapaxes(-1, -2) @ d_out


@right("attention_backward")
def ab_masked_array(Q, K, V, d_out, mask):
    S = (Q / Q.shape[-1] ** 0.25) @ (K / Q.shape[-1] ** 0.25).swapaxes(-1, -2)
    S[..., ~mask] = -np.inf
    A = np.exp(S - np.logaddexp.reduce(S, axis=-1)[..., None])
    dA = (d_out @ V.swapaxes(-1, -2)) * mask
    dS = A * dA - A * (A * dA).sum(axis=-1, keepdims=True)
    dS /= np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


@right("numerical_gradient")
def ng_put_back(f, x, eps):
    x = x.copy()
    slopes = np.empty_like(x)
    for i in np.ndindex(*x.shape):
        old = x[i]
        x[i] = old + eps
        up = f(x)
        x[i] = old - eps
        down = f(x)
        x[i] = old
        slopes[i] = (up - down) / 2 / eps
    return slopes


@right("numerical_gradient")
def ng_unit_arrays(f, x, eps):
    out = []
    for one in np.eye(x.size):
        e = one.reshape(x.shape) * eps
        out.append((f(x + e) - f(x - e)) / (2 * eps))
    return np.array(out).reshape(x.shape)


@right("numerical_gradient")
def ng_flat(f, x, eps):
    flat = x.ravel()
    grad = np.zeros(x.size)
    for k in range(x.size):
        step = np.zeros(x.size)
        step[k] = eps
        high, low = (flat + step).reshape(x.shape), (flat - step).reshape(x.shape)
        grad[k] = 0.5 * (f(high) - f(low)) / eps
    return grad.reshape(x.shape)


@right("numerical_gradient")
def ng_two_halves(f, x, eps):
    """The mean of the forward and the backward difference is the central one."""
    middle = f(x)
    grad = np.zeros_like(x)
    it = np.nditer(x, flags=["multi_index"])
    for _ in it:
        i = it.multi_index
        moved = x.copy()
        moved[i] += eps
        forward = (f(moved) - middle) / eps
        moved[i] = x[i] - eps
        backward = (middle - f(moved)) / eps
        grad[i] = (forward + backward) / 2
    return grad


@right("numerical_gradient")
def ng_in_the_array_itself(f, x, eps):
    grad = np.zeros(x.shape)
    for i, old in np.ndenumerate(x):
        x[i] = old + eps
        up = f(x)
        x[i] = old - eps
        grad[i] = (up - f(x)) / (2 * eps)
        x[i] = old
    return grad


@right("layer_norm_backward")
def lb_jacobian(X, gain, d_out):
    d = X.shape[-1]
    mu = X.mean(-1, keepdims=True)
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - mu) / s
    J = (np.eye(d) - 1 / d - z[..., :, None] * z[..., None, :] / d) / s[..., None]
    dX = np.einsum("...f,...fm->...m", gain * d_out, J)
    axes = tuple(range(X.ndim - 1))
    return dX, (d_out * z).sum(axis=axes), d_out.sum(axis=axes)


@right("layer_norm_backward")
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


@right("layer_norm_backward")
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


@right("layer_norm_backward")
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


@right("rms_norm_backward")
def rb_one_line(ctx, d_out):
    import torch

    X, gain = ctx.saved_tensors
    r = torch.rsqrt(X.square().mean(-1, keepdim=True) + ctx.eps)
    z = X * r
    dz = d_out * gain
    d_gain = (d_out * z).sum(dim=tuple(range(X.dim() - 1)))
    return r * (dz - z * (dz * z).mean(-1, keepdim=True)), d_gain, None


@right("rms_norm_backward")
def rb_chain(ctx, d_out):
    X, gain = ctx.saved_tensors
    n = X.size(-1)
    ms = X.pow(2).mean(-1, keepdim=True) + ctx.eps
    dz = d_out * gain
    inner = (dz * X).sum(-1, keepdim=True)
    dX = dz / ms**0.5 - X * inner / (n * ms**1.5)
    return (dX, (d_out * X / ms.sqrt()).flatten(0, -2).sum(0), None)


@right("rms_norm_backward")
def rb_jacobian(ctx, d_out):
    import torch

    X, gain = ctx.saved_tensors
    n = X.shape[-1]
    s = torch.sqrt((X * X).mean(dim=-1, keepdim=True) + ctx.eps)
    z = X / s
    eye = torch.eye(n, dtype=X.dtype)
    J = (eye - z[..., :, None] * z[..., None, :] / n) / s[..., None]
    dX = torch.einsum("...f,...fm->...m", gain * d_out, J)
    return [dX, torch.einsum("...f,...f->f", d_out, z), None]


@right("rms_norm_backward")
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
