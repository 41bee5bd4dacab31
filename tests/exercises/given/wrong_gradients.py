"""Wrong answers to the exercises of `gradients`, none copied from the known mistakes."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "rising_scores",
    "a",
    mistake="the gradients of the weights: who points the right way",
)
def rs_without_row_term():
    return {"a", "b", "c", "e", "f", "h"}


@wrong(
    "rising_scores", "f", mistake="values above and to the right of the output only"
)
def rs_both_coordinates():
    return {"b", "c", "f"}


@wrong("rising_scores", "c-missing", mistake="leaves out what overshoots")
def rs_no_overshoot():
    return {"b", "h"}


@wrong("rising_scores", "falling", mistake="follows the gradient up")
def rs_uphill():
    return {"e", "g"}


@wrong("rising_scores", "form", mistake="numbers of keys")
def rs_numbers():
    return [1, 2, 7]


@wrong(
    "softmax_backward",
    "term-not-weighted",
    "mean-of-products",
    mistake="divides the row term by the number of keys",
)
def sb_centered_result(weights, d_weights):
    ds = weights * d_weights
    return ds - ds.mean(axis=-1, keepdims=True)


@wrong(
    "softmax_backward",
    "log-softmax",
    mistake="divides by the weights: the gradient of log-softmax",
)
def sb_log_softmax(weights, d_weights):
    return d_weights - weights * d_weights.sum(axis=-1, keepdims=True)


@wrong("softmax_backward", mistake="a matrix product over the batch")
def sb_matrix_product(weights, d_weights):
    r = np.diagonal(weights @ d_weights.swapaxes(-1, -2), axis1=-2, axis2=-1)
    return weights * (d_weights - r[..., None])


@wrong(
    "softmax_backward",
    "in-place",
    mistake="writes into the array that it was given",
)
def sb_in_place(weights, d_weights):
    d_weights -= (weights * d_weights).sum(axis=-1, keepdims=True)
    return weights * d_weights


@wrong(
    "softmax_backward", mistake="the whole Jacobian, not multiplied by the gradient"
)
def sb_only_jacobian(weights, d_weights):
    n = weights.shape[-1]
    return weights[..., :, None] * (np.eye(n) - weights[..., None, :])


@wrong("softmax_backward", mistake="only the off-diagonal part")
def sb_others_only(weights, d_weights):
    r = (weights * d_weights).sum(axis=-1, keepdims=True)
    return -weights * (r - weights * d_weights)


@wrong("softmax_backward", mistake="renormalizes by the sum of the weights: 0/0")
def sb_divided_mean(weights, d_weights):
    total = weights.sum(axis=-1, keepdims=True)
    mean = (weights * d_weights).sum(axis=-1, keepdims=True) / total
    return weights * (d_weights - mean)


@wrong(
    "softmax_backward",
    "only-one-row",
    said="`np.outer` flattens",
    mistake="the Jacobian of a single row",
)
def sb_jacobian_of_a_row(weights, d_weights):
    J = np.diag(weights) - np.outer(weights, weights)
    return J @ d_weights


@wrong(
    "softmax_backward",
    "only-one-row",
    said="*reads* the diagonal",
    mistake="the Jacobian of a single row, by broadcasting",
)
def sb_jacobian_by_broadcasting(weights, d_weights):
    return (np.diag(weights) - weights[:, None] * weights[None, :]) @ d_weights


@wrong("attention_backward", mistake="`.T` on batches")
def ab_capital_t(Q, K, V, d_out, mask):
    d = Q.shape[-1]
    S = np.where(mask, Q @ K.T / np.sqrt(d), -np.inf)
    A = np.exp(S - S.max(-1, keepdims=True))
    A = A / A.sum(-1, keepdims=True)
    dA = d_out @ V.T
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(d)
    return dS @ K, dS.T @ Q, A.T @ d_out


def _weights(Q, K, mask):
    S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), -np.inf)
    A = np.exp(S - S.max(-1, keepdims=True))
    return A / A.sum(-1, keepdims=True)


@wrong("attention_backward", mistake="stops before the queries and keys")
def ab_scores_for_queries(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True))
    return dS, dS.swapaxes(-1, -2), A.swapaxes(-1, -2) @ d_out


@wrong("attention_backward", mistake="dK from K")
def ab_dk_with_k(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    dQ = dS @ K
    return dQ, dS.swapaxes(-1, -2) @ dQ, A.swapaxes(-1, -2) @ d_out


@wrong(
    "attention_backward", mistake="the row term taken with the mask's mean of dA"
)
def ab_mean_of_allowed(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = np.where(mask, d_out @ V.swapaxes(-1, -2), 0)
    mean = dA.sum(-1, keepdims=True) / mask.sum(-1, keepdims=True)
    dS = A * (dA - mean) / np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


@wrong(
    "attention_backward",
    "infinite-dA",
    mistake="minus infinity in the gradient of the weights",
)
def ab_infinite_gradient(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = np.where(mask, d_out @ V.swapaxes(-1, -2), -np.inf)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


@wrong(
    "attention_backward",
    "infinite-dS",
    mistake="minus infinity in the gradient of the scores",
)
def ab_infinite_scores(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True))
    dS = np.where(mask, dS, -np.inf) / np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


@wrong(
    "attention_backward",
    "which",
    said="is this step needed?",
    mistake="a huge negative number in the gradient of the scores",
)
def ab_huge_scores(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    dS = np.where(mask, dS, -1e9)
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


@wrong(
    "attention_backward",
    "step-not-gradient",
    mistake="the step, which goes against the gradients",
)
def ab_step(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return -dS @ K, -dS.swapaxes(-1, -2) @ Q, -A.swapaxes(-1, -2) @ d_out


@wrong(
    "attention_backward",
    "results-order",
    said="in another order: dV, dQ, dK.",
    mistake="the values first",
)
def ab_values_first(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return A.swapaxes(-1, -2) @ d_out, dS @ K, dS.swapaxes(-1, -2) @ Q


@wrong(
    "attention_backward",
    "results-order",
    said="in another order: dK, dQ, dV.",
    mistake="names of dQ and dK exchanged",
)
def ab_names_exchanged(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    dQ = dS.swapaxes(-1, -2) @ Q
    dK = dS @ K
    return dQ, dK, A.swapaxes(-1, -2) @ d_out


@wrong(
    "attention_backward",
    "shape",
    said="the shapes of `dV`, `dQ`, `dK`, in this order",
    mistake="the values first, and a root forgotten",
)
def ab_values_first_without_a_root(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True))
    dK = dS.swapaxes(-1, -2) @ Q / np.sqrt(Q.shape[-1])
    return A.swapaxes(-1, -2) @ d_out, dS @ K, dK


@wrong(
    "attention_backward",
    "Q-and-K-exchanged",
    said="dQ is made of keys",
    mistake="dQ from queries, dK from keys",
)
def ab_each_from_itself(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return dS @ Q, dS.swapaxes(-1, -2) @ K, A.swapaxes(-1, -2) @ d_out


@wrong("attention_backward", "no-root-back", "mask-ignored", mistake="two at once")
def ab_no_mask_no_root(Q, K, V, d_out, mask):
    A = _weights(Q, K, True)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True))
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


@wrong("attention_backward", mistake="a loss of its own, half the squared outputs")
def ab_own_loss(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dY = A @ V - d_out
    dA = dY @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ dY


@wrong("attention_backward", "results", mistake="only two gradients")
def ab_two(Q, K, V, d_out, mask):
    A = _weights(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q


@wrong(
    "numerical_gradient", said="in place", mistake="the nudge is never taken back"
)
def ng_drifting(f, x, eps):
    grad = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        x[i] += eps
        up = f(x)
        x[i] -= 2 * eps
        grad[i] = (up - f(x)) / (2 * eps)
    return grad


@wrong(
    "numerical_gradient",
    "in-place",
    said="not exactly: adding and subtracting rounds",
    mistake="rounding is left in x",
)
def ng_not_exactly_restored(f, x, eps):
    grad = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        x[i] += eps
        up = f(x)
        x[i] -= 2 * eps
        down = f(x)
        x[i] += eps
        grad[i] = (up - down) / (2 * eps)
    return grad


@wrong("numerical_gradient", "same-array", "in-place", mistake="a slice is no copy")
def ng_slice_for_copy(f, x, eps):
    grad = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        above, below = x[:], x[:]
        above[i] = above[i] + eps
        below[i] = below[i] - eps
        grad[i] = (f(above) - f(below)) / (2 * eps)
    return grad


@wrong("numerical_gradient", mistake="f of a single number")
def ng_of_numbers(f, x, eps):
    return np.array([(f(v + eps) - f(v - eps)) / (2 * eps) for v in x.ravel()])


@wrong("numerical_gradient", mistake="np.gradient of the values")
def ng_np_gradient(f, x, eps):
    values = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        moved = x.copy()
        moved[i] += eps
        values[i] = f(moved)
    return np.gradient(values.ravel(), eps).reshape(x.shape)


@wrong("numerical_gradient", mistake="a vector only")
def ng_vector(f, x, eps):
    n = len(x)
    return np.array([
        (f(x + eps * np.eye(n)[i]) - f(x - eps * np.eye(n)[i])) / (2 * eps)
        for i in range(n)
    ])  # fmt: skip


@wrong(
    "numerical_gradient",
    "all-at-once",
    mistake="the same slope everywhere: along the diagonal",
)
def ng_directional(f, x, eps):
    return np.full(x.shape, (f(x + eps) - f(x - eps)) / (2 * eps))


@wrong(
    "layer_norm_backward",
    "shift-missing",
    mistake="through the variance, not through the mean",
)
def lb_no_mean(X, gain, d_out):
    mu, var = X.mean(-1, keepdims=True), X.var(-1, keepdims=True)
    s = np.sqrt(var + 1e-5)
    z = (X - mu) / s
    dz = gain * d_out
    dvar = (dz * (X - mu)).sum(-1, keepdims=True) * -0.5 * s**-3
    dX = dz / s + dvar * 2 * (X - mu) / X.shape[-1]
    rows = (d_out * z).reshape(-1, X.shape[-1])
    return dX, rows.sum(0), d_out.reshape(-1, X.shape[-1]).sum(0)


@wrong("layer_norm_backward", mistake="gain left out of one of the two means")
def lb_gain_in_one_mean(X, gain, d_out):
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dz = gain * d_out
    dX = (
        dz - d_out.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) / s
    axes = tuple(range(X.ndim - 1))
    return dX, (d_out * z).sum(axes), d_out.sum(axes)


@wrong(
    "layer_norm_backward",
    "no-eps",
    said="Row 2 of your `dX` is [-10.67, ",
    mistake="eps forgotten",
)
def lb_no_eps(X, gain, d_out):
    s = np.sqrt(X.var(axis=-1, keepdims=True))
    z = (X - X.mean(axis=-1, keepdims=True)) / s
    dz = gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) / s
    axes = tuple(range(X.ndim - 1))
    return dX, (d_out * z).sum(axes), d_out.sum(axes)


@wrong(
    "layer_norm_backward",
    "gain-forgotten",
    said="Row 1 of your `dX` is [0.1021, 0.1021, -0.2041]; [0.2041, ",
    mistake="no gain on the way back, which the first row does not show",
)
def lb_no_gain(X, gain, d_out):
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dX = d_out - d_out.mean(-1, keepdims=True)
    dX = (dX - z * (d_out * z).mean(-1, keepdims=True)) / s
    axes = tuple(range(X.ndim - 1))
    return dX, (d_out * z).sum(axes), d_out.sum(axes)


@wrong(
    "layer_norm_backward",
    "step-not-gradient",
    mistake="the step, which goes against the gradients",
)
def lb_step(X, gain, d_out):
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dz = -gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) / s
    axes = tuple(range(X.ndim - 1))
    return dX, -(d_out * z).sum(axes), -d_out.sum(axes)


@wrong("layer_norm_backward", mistake="gain and bias per row")
def lb_per_row(X, gain, d_out):
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dz = gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) / s
    return dX, d_out * z, d_out


@wrong("layer_norm_backward", mistake="sums over the features")
def lb_over_features(X, gain, d_out):
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dz = gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) / s
    return dX, (d_out * z).sum(-1), d_out.sum(-1)


@wrong("layer_norm_backward", mistake="a softmax-like row term")
def lb_row_term(X, gain, d_out):
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dz = gain * d_out
    dX = z * (dz - (z * dz).sum(-1, keepdims=True)) / s
    axes = tuple(range(X.ndim - 1))
    return dX, (d_out * z).sum(axes), d_out.sum(axes)


@wrong(
    "layer_norm_backward",
    "gain-in-d_gain",
    mistake="d_gain from the output with the gain",
)
def lb_gain_from_output(X, gain, d_out):
    s = np.sqrt(X.var(-1, keepdims=True) + 1e-5)
    z = (X - X.mean(-1, keepdims=True)) / s
    dz = gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) / s
    axes = tuple(range(X.ndim - 1))
    return dX, (d_out * gain * z).sum(axes), d_out.sum(axes)


@wrong("rms_norm_backward", "results", mistake="no None for eps")
def rb_two_results(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = (X.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
    z, dz = X / s, gain * d_out
    dX = (dz - z * (dz * z).mean(-1, keepdim=True)) / s
    return dX, (d_out * z).flatten(0, -2).sum(0)


@wrong(
    "rms_norm_backward",
    "saved-swapped",
    mistake="the saved tensors in the wrong order",
)
def rb_saved_swapped(ctx, d_out):
    gain, X = ctx.saved_tensors
    s = (X.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
    z, dz = X / s, gain * d_out
    dX = (dz - z * (dz * z).mean(-1, keepdim=True)) / s
    return dX, (d_out * z).flatten(0, -2).sum(0), None


@wrong("rms_norm_backward", "gradient-of-eps", mistake="a gradient for eps, too")
def rb_eps_learns(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = (X.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
    z, dz = X / s, gain * d_out
    dX = (dz - z * (dz * z).mean(-1, keepdim=True)) / s
    d_eps = (-0.5 * dz * z / s**2).sum()
    return dX, (d_out * z).flatten(0, -2).sum(0), d_eps


@wrong("rms_norm_backward", "stretch-missing", mistake="detaches the divisor")
def rb_constant(ctx, d_out):
    X, gain = ctx.saved_tensors
    r = (X.square().mean(-1, keepdim=True) + ctx.eps) ** -0.5
    return d_out * gain * r, (d_out * X * r).flatten(0, -2).sum(0), None


@wrong("rms_norm_backward", mistake="asks autograd, in a pass that keeps no record")
def rb_autograd(ctx, d_out):
    import torch

    X, gain = ctx.saved_tensors
    Y = gain * X / torch.sqrt(X.square().mean(-1, keepdim=True) + ctx.eps)
    return (*torch.autograd.grad(Y, (X, gain), d_out), None)


@wrong("rms_norm_backward", "built-in", mistake="asks autograd for it")
def rb_autograd_enabled(ctx, d_out):
    import torch

    with torch.enable_grad():
        X, gain = (t.detach().requires_grad_() for t in ctx.saved_tensors)
        Y = gain * X / torch.sqrt(X.square().mean(-1, keepdim=True) + ctx.eps)
        return (*torch.autograd.grad(Y, (X, gain), d_out), None)


@wrong("rms_norm_backward", mistake="the mean over all numbers")
def rb_one_mean(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = (X.square().mean() + ctx.eps).sqrt()
    z, dz = X / s, gain * d_out
    return (
        (dz - z * (dz * z).mean(-1, keepdim=True)) / s,
        (d_out * z).flatten(0, -2).sum(0),
        None,
    )


@wrong(
    "rms_norm_backward",
    "step-not-gradient",
    mistake="the step, which goes against the gradients",
)
def rb_step(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = (X.square().mean(-1, keepdim=True) + ctx.eps).sqrt()
    z, dz = X / s, -gain * d_out
    dX = (dz - z * (dz * z).mean(-1, keepdim=True)) / s
    return dX, -(d_out * z).flatten(0, -2).sum(0), None
