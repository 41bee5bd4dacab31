"""Right answers to the exercises of `softmax`. None may be refused."""

import numpy as np

from tests.grader.exercises.answers import Answers

answers = Answers()

# softmax


@answers("softmax")
def sm_logsumexp(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    return np.exp(
        scores - (top + np.log(np.exp(scores - top).sum(axis=-1, keepdims=True)))
    )


@answers("softmax")
def sm_scipy_logsumexp(scores):
    from scipy.special import logsumexp

    return np.exp(scores - logsumexp(scores, axis=-1, keepdims=True))


@answers("softmax")
def sm_loops(scores):
    if scores.ndim > 1:
        return np.array([sm_loops(row) for row in scores])
    powers = [np.exp(s - max(scores)) for s in scores]
    return np.array([p / sum(powers) for p in powers])


@answers("softmax")
def sm_pairwise(scores):
    with np.errstate(all="ignore"):
        differences = scores[..., None, :] - scores[..., :, None]
    differences[np.isnan(differences)] = 0  # -inf - -inf
    with np.errstate(over="ignore"):
        return np.where(
            np.isneginf(scores), 0, 1 / np.exp(differences).sum(axis=-1)
        )


@answers("softmax")
def sm_own_copy(scores):
    out = np.array(scores)
    out -= out.max(-1)[..., None]
    np.exp(out, out)
    out /= out.sum(-1)[..., None]
    return out


@answers("softmax")
def sm_float64_inside(scores):
    s = scores.astype(np.float64)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@answers("softmax")
def sm_apply_along_axis(scores):
    def one(row):
        e = np.exp(row - row.max())
        return e / e.sum()

    return np.apply_along_axis(one, -1, scores)


@answers("softmax")
def sm_base_two(scores):
    s = (scores - scores.max(axis=-1, keepdims=True)) * np.log2(np.e)
    return np.exp2(s) / np.exp2(s).sum(axis=-1, keepdims=True)


# softmax_with_temperature


@answers("softmax_with_temperature")
def st_course_softmax_as_a_step(scores, temperature):
    from course_attn.in_numpy.softmax import softmax

    return softmax(scores / temperature)


@answers("softmax_with_temperature")
def st_scipy_as_a_step(scores, temperature):
    from scipy.special import softmax

    return softmax(scores / temperature, axis=-1)


@answers("softmax_with_temperature")
def st_shift_before(scores, temperature):
    e = np.exp((scores - scores.max(axis=-1, keepdims=True)) / temperature)
    return e / e.sum(axis=-1, keepdims=True)


@answers("softmax_with_temperature")
def st_power(scores, temperature):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) ** (1 / temperature)
    return e / e.sum(axis=-1, keepdims=True)


# entropy


@answers("entropy")
def en_xlogy(weights):
    from scipy.special import xlogy

    return -xlogy(weights, weights).sum(axis=-1)


@answers("entropy")
def en_nansum(weights):
    return -np.nansum(weights * np.log(weights), axis=-1)


@answers("entropy")
def en_tiny_epsilon(weights):
    return -np.sum(weights * np.log(weights + 1e-12), axis=-1)


@answers("entropy")
def en_loops(weights):
    if weights.ndim > 1:
        return np.array([en_loops(row) for row in weights])
    return -sum(w * np.log(w) for w in weights if w > 0)


@answers("entropy")
def en_where(weights):
    log = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.einsum("...j,...j->...", weights, -log)


# softmax_jacobian


@answers("softmax_jacobian")
def sj_einsum(weights):
    n = weights.shape[-1]
    return np.einsum("...i,ij->...ij", weights, np.eye(n)) - np.einsum(
        "...i,...j->...ij", weights, weights
    )


@answers("softmax_jacobian")
def sj_delta(weights):
    return weights[..., :, None] * (
        np.eye(weights.shape[-1]) - weights[..., None, :]
    )


@answers("softmax_jacobian")
def sj_loops(weights):
    n = weights.shape[-1]
    J = np.empty((*weights.shape, n), dtype=weights.dtype)
    for i in range(n):
        for j in range(n):
            J[..., i, j] = weights[..., i] * (
                (1 if i == j else 0) - weights[..., j]
            )
    return J


@answers("softmax_jacobian")
def sj_recursive(weights):
    if weights.ndim > 1:
        return np.stack([sj_recursive(row) for row in weights])
    return np.diag(weights) - np.outer(weights, weights)


@answers("softmax_jacobian")
def sj_filled_diagonal(weights):
    J = -weights[..., :, None] @ weights[..., None, :]
    i = np.arange(weights.shape[-1])
    J[..., i, i] += weights
    return J


# true_of_softmax


@answers("true_of_softmax")
def ts_text():
    return "b, D, e"


# hide_the_axis_bug


@answers("hide_the_axis_bug")
def hb_identity_like():
    return 3 * np.eye(3)


@answers("hide_the_axis_bug")
def hb_not_symmetric():
    return [[0, 1, 2], [2, 0, 1], [1, 2, 0]]


# softmax_torch


@answers("softmax_torch")
def smt_detached_shift(scores):
    e = (scores - scores.detach().amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


@answers("softmax_torch")
def smt_logsumexp(scores):
    import torch

    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
