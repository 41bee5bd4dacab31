"""Right answers to the exercises of `softmax`. None may be refused."""

import numpy as np

from tests.exercises.answers import Answers

right = Answers()

# softmax


@right("softmax")
def sm_logsumexp(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    return np.exp(
        scores - (top + np.log(np.exp(scores - top).sum(axis=-1, keepdims=True)))
    )


@right("softmax")
def sm_scipy_logsumexp(scores):
    from scipy.special import logsumexp

    return np.exp(scores - logsumexp(scores, axis=-1, keepdims=True))


@right("softmax")
def sm_loops(scores):
    if scores.ndim > 1:
        return np.array([sm_loops(row) for row in scores])
    powers = [np.exp(s - max(scores)) for s in scores]
    return np.array([p / sum(powers) for p in powers])


@right("softmax")
def sm_pairwise(scores):
    with np.errstate(all="ignore"):
        differences = scores[..., None, :] - scores[..., :, None]
    differences[np.isnan(differences)] = 0  # -inf - -inf
    with np.errstate(over="ignore"):
        return np.where(
            np.isneginf(scores), 0, 1 / np.exp(differences).sum(axis=-1)
        )


@right("softmax")
def sm_own_copy(scores):
    out = np.array(scores)
    out -= out.max(-1)[..., None]
    np.exp(out, out)
    out /= out.sum(-1)[..., None]
    return out


@right("softmax")
def sm_float64_inside(scores):
    s = scores.astype(np.float64)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@right("softmax")
def sm_apply_along_axis(scores):
    def one(row):
        e = np.exp(row - row.max())
        return e / e.sum()

    return np.apply_along_axis(one, -1, scores)


@right("softmax")
def sm_base_two(scores):
    s = (scores - scores.max(axis=-1, keepdims=True)) * np.log2(np.e)
    return np.exp2(s) / np.exp2(s).sum(axis=-1, keepdims=True)


@right("softmax")
def sm_log_softmax_as_a_step(scores):
    from scipy.special import log_softmax

    return np.exp(log_softmax(scores, axis=-1))


@right("softmax")
def sm_flattened_rows(scores):
    rows = scores.reshape(-1, scores.shape[-1])
    e = np.exp(rows - rows.max(axis=1).reshape(-1, 1))
    return (e / e.sum(axis=1).reshape(-1, 1)).reshape(scores.shape)


# softmax_with_temperature


@right("softmax_with_temperature")
def st_course_softmax_as_a_step(scores, temperature):
    from course_attn.in_numpy.softmax import softmax

    return softmax(scores / temperature)


@right("softmax_with_temperature")
def st_scipy_as_a_step(scores, temperature):
    from scipy.special import softmax

    return softmax(scores / temperature, axis=-1)


@right("softmax_with_temperature")
def st_shift_before(scores, temperature):
    e = np.exp((scores - scores.max(axis=-1, keepdims=True)) / temperature)
    return e / e.sum(axis=-1, keepdims=True)


@right("softmax_with_temperature")
def st_torchs_as_a_step(scores, temperature):
    import torch

    return torch.softmax(torch.from_numpy(scores) / temperature, dim=-1).numpy()


@right("softmax_with_temperature")
def st_log_weights(scores, temperature):
    from scipy.special import logsumexp

    s = scores / temperature
    return np.exp(s - logsumexp(s, axis=-1, keepdims=True))


# entropy


@right("entropy")
def en_xlogy(weights):
    from scipy.special import xlogy

    return -xlogy(weights, weights).sum(axis=-1)


@right("entropy")
def en_nansum(weights):
    return -np.nansum(weights * np.log(weights), axis=-1)


@right("entropy")
def en_tiny_epsilon(weights):
    return -np.sum(weights * np.log(weights + 1e-12), axis=-1)


@right("entropy")
def en_loops(weights):
    if weights.ndim > 1:
        return np.array([en_loops(row) for row in weights])
    return -sum(w * np.log(w) for w in weights if w > 0)


@right("entropy")
def en_where(weights):
    log = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.einsum("...j,...j->...", weights, -log)


@right("entropy")
def en_common_epsilon(weights):
    return -np.sum(weights * np.log(weights + 1e-8), axis=-1)


@right("entropy")
def en_nan_to_num(weights):
    with np.errstate(all="ignore"):
        return -np.nan_to_num(weights * np.log(weights)).sum(axis=-1)


@right("entropy")
def en_entr(weights):
    from scipy.special import entr

    return entr(weights).sum(axis=-1)


# softmax_jacobian


@right("softmax_jacobian")
def sj_einsum(weights):
    n = weights.shape[-1]
    return np.einsum("...i,ij->...ij", weights, np.eye(n)) - np.einsum(
        "...i,...j->...ij", weights, weights
    )


@right("softmax_jacobian")
def sj_delta(weights):
    return weights[..., :, None] * (
        np.eye(weights.shape[-1]) - weights[..., None, :]
    )


@right("softmax_jacobian")
def sj_loops(weights):
    n = weights.shape[-1]
    J = np.empty((*weights.shape, n), dtype=weights.dtype)
    for i in range(n):
        for j in range(n):
            J[..., i, j] = weights[..., i] * (
                (1 if i == j else 0) - weights[..., j]
            )
    return J


@right("softmax_jacobian")
def sj_recursive(weights):
    if weights.ndim > 1:
        return np.stack([sj_recursive(row) for row in weights])
    return np.diag(weights) - np.outer(weights, weights)


@right("softmax_jacobian")
def sj_filled_diagonal(weights):
    J = -weights[..., :, None] @ weights[..., None, :]
    i = np.arange(weights.shape[-1])
    J[..., i, i] += weights
    return J


@right("softmax_jacobian")
def sj_batched_diag(weights):
    J = np.zeros((*weights.shape, weights.shape[-1]), weights.dtype)
    np.einsum("...ii->...i", J)[...] = weights
    return J - weights[..., :, None] @ weights[..., None, :]


@right("softmax_jacobian")
def sj_flattened_batch(weights):
    n = weights.shape[-1]
    rows = weights.reshape(-1, n)
    made = [np.diagflat(row) - np.multiply.outer(row, row) for row in rows]
    return np.array(made).reshape(*weights.shape, n)


# true_of_softmax


@right("true_of_softmax")
def ts_text():
    return "b, D, e"


# hide_the_axis_bug


@right("hide_the_axis_bug")
def hb_identity_like():
    return 3 * np.eye(3)


@right("hide_the_axis_bug")
def hb_not_symmetric():
    return [[0, 1, 2], [2, 0, 1], [1, 2, 0]]


@right("hide_the_axis_bug")
def hb_magic_powers():
    return np.log([[2.0, 7.0, 6.0], [9.0, 5.0, 1.0], [4.0, 3.0, 8.0]])


# softmax_torch


@right("softmax_torch")
def smt_detached_shift(scores):
    e = (scores - scores.detach().amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


@right("softmax_torch")
def smt_logsumexp(scores):
    import torch

    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))


@right("softmax_torch")
def smt_log_softmax_as_a_step(scores):
    import torch

    return torch.log_softmax(scores, dim=-1).exp()


@right("softmax_torch")
def smt_double_inside(scores):
    s = scores.double()
    e = (s - s.max(dim=-1, keepdim=True).values).exp()
    return (e / e.sum(-1, keepdim=True)).to(scores.dtype)


@right("softmax_torch")
def smt_max_of_pairs(scores):
    top, _ = scores.max(-1)
    e = (scores - top[..., None]).exp()
    return e.div(e.sum(-1).unsqueeze(-1))
