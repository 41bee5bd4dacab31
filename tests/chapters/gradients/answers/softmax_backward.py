"""Answers to `softmax_backward`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def sb_jacobian(weights, d_weights):
    from course_attn.in_numpy import softmax_jacobian

    return np.einsum("...j,...jm->...m", d_weights, softmax_jacobian(weights))


@right()
def sb_one_line(weights, d_weights):
    return (
        weights * d_weights - weights * np.sum(weights * d_weights, -1)[..., None]
    )


@right()
def sb_einsum(weights, d_weights):
    r = np.einsum("...j,...j->...", weights, d_weights)
    return weights * (d_weights - np.expand_dims(r, -1))


@right()
def sb_loops(weights, d_weights):
    out = np.zeros(weights.shape)
    for row in np.ndindex(weights.shape[:-1]):
        a, da = weights[row], d_weights[row]
        for m in range(len(a)):
            out[(*row, m)] = sum(
                da[j] * a[j] * ((j == m) - a[m]) for j in range(len(a))
            )
    return out


@right()
def sb_differences(weights, d_weights):
    """Σ_j a_m a_j (da_m − da_j): weights sum to 1, or are all 0."""
    apart = d_weights[..., :, None] - d_weights[..., None, :]
    return weights * (apart * weights[..., None, :]).sum(axis=-1)


@right()
def sb_flat(weights, d_weights):
    a = weights.reshape(-1, weights.shape[-1])
    da = d_weights.reshape(a.shape)
    rows = [x * (g - x.dot(g)) for x, g in zip(a, da, strict=True)]
    return np.array(rows).reshape(weights.shape)


# divides the row term by the number of keys
@wrong("term-not-weighted", "mean-of-products")
def sb_centered_result(weights, d_weights):
    ds = weights * d_weights
    return ds - ds.mean(axis=-1, keepdims=True)


# divides by the weights: the gradient of log-softmax
@wrong("log-softmax")
def sb_log_softmax(weights, d_weights):
    return d_weights - weights * d_weights.sum(axis=-1, keepdims=True)


# a matrix product over the batch
@wrong()
def sb_matrix_product(weights, d_weights):
    r = np.diagonal(weights @ d_weights.swapaxes(-1, -2), axis1=-2, axis2=-1)
    return weights * (d_weights - r[..., None])


# only the off-diagonal part
@wrong()
def sb_others_only(weights, d_weights):
    r = (weights * d_weights).sum(axis=-1, keepdims=True)
    return -weights * (r - weights * d_weights)


# renormalizes by the sum of the weights: 0/0
@wrong()
def sb_divided_mean(weights, d_weights):
    total = weights.sum(axis=-1, keepdims=True)
    mean = (weights * d_weights).sum(axis=-1, keepdims=True) / total
    return weights * (d_weights - mean)


# the Jacobian of a single row
@wrong("only-one-row")
def sb_jacobian_of_a_row(weights, d_weights):
    J = np.diag(weights) - np.outer(weights, weights)
    return J @ d_weights


# the Jacobian of a single row, by broadcasting
@wrong("only-one-row")
def sb_jacobian_by_broadcasting(weights, d_weights):
    return (np.diag(weights) - weights[:, None] * weights[None, :]) @ d_weights


# the derivative of each weight by its own score
@wrong("sigmoid-like", author="blind")
def blind_own_score(weights, d_weights):
    return d_weights * weights * (1 - weights)


# divides the gradient by the weights
@wrong(author="blind")
def blind_divided(weights, d_weights):
    return (d_weights - (weights * d_weights).sum(-1, keepdims=True)) / weights


# the weights once more, at the end
@wrong(author="blind")
def blind_twice_weighted(weights, d_weights):
    s = (weights * d_weights).sum(axis=-1, keepdims=True)
    ds = weights * (d_weights - s)
    return ds * weights


# the outer factor weights is missing, and the sum is over the first axis
@wrong("not-multiplied", "axis-0", author="blind")
def u04_both(weights, d_weights):
    g = d_weights
    s = (g * weights).sum(axis=0, keepdims=True)
    return g - s


# the row term is added, not subtracted AND the sum is along axis 0, not the last
@wrong("row-term-added", "axis-0", author="blind")
def a31_plus_axis0(weights, d_weights):
    row = np.sum(weights * d_weights, axis=0, keepdims=True)
    return weights * (d_weights + row)


# the row term is a mean, not a sum AND the weights are normalized again, so that a row of zeros
# gives NaN
@wrong("normalized-again", "mean-of-products", author="blind")
def a32_mean_normalized(weights, d_weights):
    w = weights / weights.sum(-1)[..., None]
    product = w * d_weights
    return product - w * product.mean(-1, keepdims=True)


# the row term is the sum of g without the weights AND the weights are divided by their sum
# again: NaN in a row of zeros
@wrong("normalized-again", "plain-sum", author="blind")
def g24_plain_sum_normalized(weights, d_weights):
    a = weights / np.sum(weights, axis=-1, keepdims=True)
    s = np.sum(d_weights, axis=-1, keepdims=True)
    return a * (d_weights - s)


# the weights are put through a softmax once more AND the outer factor weights is forgotten
@wrong("softmax-again", "not-multiplied", author="blind")
def s36_softmax_again_no_factor(weights, d_weights):
    e = np.exp(weights - weights.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    row = np.sum(p * d_weights, axis=-1, keepdims=True)
    return d_weights - row


# the Jacobian has a, not a(1 - a), on its diagonal
@wrong("diagonal-of-weights", author="blind")
def d16_diagonal(weights, d_weights):
    a = weights[..., :, None]
    others = 1 - np.eye(weights.shape[-1])
    J = np.eye(weights.shape[-1]) * a - a * weights[..., None, :] * others
    return np.einsum("...ij,...j->...i", J, d_weights)
