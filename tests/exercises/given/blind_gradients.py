"""Wrong answers to `gradients`, written from the tasks alone."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()


@wrong("rising_scores", "f", mistake="nearest to the goal")
def blind_nearest():
    return {"b", "f"}


@wrong(
    "rising_scores",
    "a",
    mistake="the product with the goal, not with the difference",
)
def blind_toward_goal_vector():
    return {"a", "b", "c", "d", "e", "h"}


@wrong("rising_scores", "f", mistake="forgets that a masked key gets nothing")
def blind_masked_too():
    return set("bcfh")


@wrong("rising_scores", "a", mistake="thinks that heavy keys move")
def blind_heavy():
    return "adg"


@wrong(
    "softmax_backward",
    "sigmoid-like",
    mistake="the derivative of each weight by its own score",
)
def blind_own_score(weights, d_weights):
    return d_weights * weights * (1 - weights)


@wrong("softmax_backward", mistake="divides the gradient by the weights")
def blind_divided(weights, d_weights):
    return (d_weights - (weights * d_weights).sum(-1, keepdims=True)) / weights


@wrong("softmax_backward", mistake="the Jacobian of the first row for all")
def blind_first_row(weights, d_weights):
    a = weights.reshape(-1, weights.shape[-1])[0]
    return d_weights @ (np.diag(a) - np.outer(a, a))


@wrong("softmax_backward", mistake="np.outer of whole arrays")
def blind_outer(weights, d_weights):
    return (np.diag(weights) - np.outer(weights, weights)) @ d_weights


@wrong("softmax_backward", mistake="plus for minus in the Jacobian")
def blind_plus(weights, d_weights):
    total = np.sum(d_weights * weights, axis=-1, keepdims=True)
    return d_weights * weights + weights * total


@wrong("softmax_backward", mistake="the row term with maxima")
def blind_max(weights, d_weights):
    return weights * (d_weights - d_weights.max(axis=-1, keepdims=True))


@wrong("softmax_backward", mistake="the weights once more, at the end")
def blind_twice_weighted(weights, d_weights):
    s = (weights * d_weights).sum(axis=-1, keepdims=True)
    ds = weights * (d_weights - s)
    return ds * weights


def _attend(Q, K, mask):
    S = np.where(mask, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), -np.inf)
    A = np.exp(S - S.max(axis=-1, keepdims=True))
    return A / A.sum(axis=-1, keepdims=True)


@wrong("attention_backward", mistake="multiplies by the root on the way back")
def blind_times_root(Q, K, V, d_out, mask):
    A = _attend(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) * np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


@wrong("attention_backward", mistake="divides dV by the root as well")
def blind_root_in_dv(Q, K, V, d_out, mask):
    A, root = _attend(Q, K, mask), np.sqrt(Q.shape[-1])
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / root
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out / root


@wrong(
    "attention_backward",
    "softmax-left-out",
    mistake="the gradient of the scores is that of the weights",
)
def blind_no_softmax(Q, K, V, d_out, mask):
    A = _attend(Q, K, mask)
    dS = d_out @ V.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


@wrong("attention_backward", mistake="the softmax of the gradient")
def blind_softmax_of_gradient(Q, K, V, d_out, mask):
    A = _attend(Q, K, mask)
    dA = np.where(mask, d_out @ V.swapaxes(-1, -2), -np.inf)
    dS = np.exp(dA - dA.max(-1, keepdims=True))
    dS = dS / dS.sum(-1, keepdims=True) / np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


@wrong("attention_backward", mistake="a causal mask, whatever is given")
def blind_causal(Q, K, V, d_out, mask):
    A = _attend(Q, K, np.tri(Q.shape[-2], K.shape[-2], dtype=bool))
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return dS @ K, dS.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


@wrong("attention_backward", mistake="forgets the gradient that arrives, in dV")
def blind_dv_of_ones(Q, K, V, d_out, mask):
    A = _attend(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    dV = A.swapaxes(-1, -2) @ np.ones_like(d_out)
    return dS @ K, dS.swapaxes(-1, -2) @ Q, dV


@wrong("attention_backward", mistake="dK is dQ transposed, as it were")
def blind_dk_of_queries_mean(Q, K, V, d_out, mask):
    A = _attend(Q, K, mask)
    dA = d_out @ V.swapaxes(-1, -2)
    dS = A * (dA - (A * dA).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])
    return dS @ K, A.swapaxes(-1, -2) @ Q, A.swapaxes(-1, -2) @ d_out


@wrong("numerical_gradient", mistake="eps times a random direction")
def blind_random(f, x, eps):
    e = np.random.default_rng(0).standard_normal(x.shape)
    return (f(x + eps * e) - f(x - eps * e)) / (2 * eps) * e


@wrong("numerical_gradient", mistake="loops over two axes only")
def blind_two_axes(f, x, eps):
    g = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            up, down = x.copy(), x.copy()
            up[i, j] += eps
            down[i, j] -= eps
            g[i, j] = (f(up) - f(down)) / (2 * eps)
    return g


@wrong("numerical_gradient", "flat", mistake="flattens and forgets to reshape")
def blind_flat(f, x, eps):
    g = []
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += eps
        down[i] -= eps
        g.append((f(up) - f(down)) / (2 * eps))
    return np.array(g)


@wrong("numerical_gradient", mistake="flat copies are handed to f")
def blind_flat_calls(f, x, eps):
    g = np.zeros(x.size)
    for k in range(x.size):
        up, down = x.flatten(), x.flatten()
        up[k] += eps
        down[k] -= eps
        g[k] = (f(up) - f(down)) / (2 * eps)
    return g.reshape(x.shape)


@wrong("numerical_gradient", mistake="the return is inside the loop")
def blind_return_in_loop(f, x, eps):
    g = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += eps
        down[i] -= eps
        g[i] = (f(up) - f(down)) / (2 * eps)
        return g


@wrong(
    "numerical_gradient",
    "last-only",
    mistake="the whole gradient is overwritten each time",
)
def blind_overwritten(f, x, eps):
    for i in np.ndindex(x.shape):
        g = np.zeros_like(x)
        up, down = x.copy(), x.copy()
        up[i] += eps
        down[i] -= eps
        g[i] = (f(up) - f(down)) / (2 * eps)
    return g


@wrong(
    "numerical_gradient",
    "one-sided-halved",
    mistake="nudges once up, then once back",
)
def blind_up_and_back(f, x, eps):
    g = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        moved = x.copy()
        moved[i] += eps
        up = f(moved)
        moved[i] -= eps
        g[i] = (up - f(moved)) / (2 * eps)
    return g


def _normed(X):
    s = np.sqrt(X.var(axis=-1, keepdims=True) + 1e-5)
    return (X - X.mean(axis=-1, keepdims=True)) / s, s


@wrong("layer_norm_backward", mistake="normalizes the gradient as if it were data")
def blind_norm_of_gradient(X, gain, d_out):
    z, _ = _normed(X)
    dz, _ = _normed(gain * d_out)
    return (
        dz,
        (d_out * z).reshape(-1, len(gain)).sum(0),
        d_out.reshape(-1, len(gain)).sum(0),
    )


@wrong("layer_norm_backward", mistake="the variance's part without its factor 2")
def blind_half_variance(X, gain, d_out):
    z, s = _normed(X)
    dz = gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True) / 2
    ) / s
    return (
        dX,
        (d_out * z).reshape(-1, len(gain)).sum(0),
        d_out.reshape(-1, len(gain)).sum(0),
    )


@wrong("layer_norm_backward", mistake="squares z in the last mean")
def blind_squares(X, gain, d_out):
    z, s = _normed(X)
    dz = gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) - dz * (z * z).mean(-1, keepdims=True)
    ) / s
    return (
        dX,
        (d_out * z).reshape(-1, len(gain)).sum(0),
        d_out.reshape(-1, len(gain)).sum(0),
    )


@wrong(
    "layer_norm_backward",
    mistake="d_gain divided by the gain, d_bias as one number",
)
def blind_one_bias(X, gain, d_out):
    z, s = _normed(X)
    dz = gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) - z * (dz * z).mean(-1, keepdims=True)
    ) / s
    return dX, (d_out * z).reshape(-1, len(gain)).sum(0), d_out.sum()


@wrong("layer_norm_backward", mistake="plus in front of the last term")
def blind_plus_stretch(X, gain, d_out):
    z, s = _normed(X)
    dz = gain * d_out
    dX = (
        dz - dz.mean(-1, keepdims=True) + z * (dz * z).mean(-1, keepdims=True)
    ) / s
    return (
        dX,
        (d_out * z).reshape(-1, len(gain)).sum(0),
        d_out.reshape(-1, len(gain)).sum(0),
    )


@wrong("layer_norm_backward", mistake="multiplies by s")
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


@wrong("rms_norm_backward", mistake="the output in place of z")
def blind_rms_output(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = ((X**2).mean(-1, keepdim=True) + ctx.eps).sqrt()
    Y = gain * X / s
    dz = gain * d_out
    dX = (dz - Y * (dz * Y).mean(-1, keepdim=True)) / s
    return dX, (d_out * Y).flatten(0, -2).sum(0), None


@wrong("rms_norm_backward", "results", mistake="returns only two of three")
def blind_rms_tuple(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = ((X**2).mean(-1, keepdim=True) + ctx.eps).sqrt()
    return [gain * d_out / s, (d_out * X / s).flatten(0, -2).sum(0)]


@wrong("rms_norm_backward", "gain-last", mistake="d_out enters dX twice")
def blind_rms_square(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = ((X**2).mean(-1, keepdim=True) + ctx.eps).sqrt()
    z = X / s
    dX = gain * (d_out - z * (d_out * z).mean(-1, keepdim=True)) / s
    return dX, (d_out * z).flatten(0, -2).sum(0), None


@wrong("rms_norm_backward", "layer-norm", mistake="std, as in a layer norm")
def blind_rms_std(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = (X.var(-1, keepdim=True, correction=0) + ctx.eps).sqrt()
    z = (X - X.mean(-1, keepdim=True)) / s
    dz = gain * d_out
    dX = (dz - dz.mean(-1, keepdim=True) - z * (dz * z).mean(-1, keepdim=True)) / s
    return dX, (d_out * z).flatten(0, -2).sum(0), None


@wrong("rms_norm_backward", "gradient-of-eps", mistake="zeros for eps")
def blind_rms_zero(ctx, d_out):
    X, gain = ctx.saved_tensors
    s = ((X**2).mean(-1, keepdim=True) + ctx.eps).sqrt()
    z, dz = X / s, gain * d_out
    dX = (dz - z * (dz * z).mean(-1, keepdim=True)) / s
    return dX, (d_out * z).flatten(0, -2).sum(0), 0.0
