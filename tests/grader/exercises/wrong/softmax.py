"""Wrong answers to the exercises of `softmax` as learners write them. Each must be refused."""

import numpy as np

from tests.grader.exercises.answers import Answers

answers = Answers()

# softmax


@answers("softmax")
def sm_naive(scores):
    return np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True)


@answers("softmax")
def sm_book_1d(scores):
    e = np.exp(scores - np.max(scores))
    return e / e.sum()


@answers("softmax")
def sm_axis_1(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@answers("softmax")
def sm_axis_0(scores):
    e = np.exp(scores - scores.max(axis=0))
    return e / e.sum(axis=0)


@answers("softmax")
def sm_clips(scores):
    e = np.exp(np.clip(scores, -500, 500))
    return e / e.sum(axis=-1, keepdims=True)


@answers("softmax")
def sm_nan_to_num(scores):
    with np.errstate(all="ignore"):
        e = np.exp(scores)
        return np.nan_to_num(e / e.sum(axis=-1, keepdims=True))


@answers("softmax")
def sm_mean_shift(scores):
    e = np.exp(scores - scores.mean(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@answers("softmax")
def sm_adds_the_max(scores):
    e = np.exp(scores + scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@answers("softmax")
def sm_divides_by_max(scores):
    e = np.exp(scores / np.abs(scores).max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@answers("softmax")
def sm_in_place(scores):
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


@answers("softmax")
def sm_sum_before_exp(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.exp(shifted) / np.exp(shifted.sum(axis=-1, keepdims=True))


@answers("softmax")
def sm_one_epsilon(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-2)


@answers("softmax")
def sm_random(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) + 1e-3 * np.random.rand(  # noqa: NPY002
        *scores.shape
    )
    return e / e.sum(axis=-1, keepdims=True)


@answers("softmax")
def sm_imports_it(scores):
    from scipy.special import softmax

    return softmax(scores, axis=-1)


@answers("softmax")
def sm_uses_the_course(scores):
    from course_attn.in_numpy.softmax import softmax as theirs

    return theirs(scores)


@answers("softmax")
def sm_squares(scores):
    e = scores**2
    return e / e.sum(axis=-1, keepdims=True)


@answers("softmax")
def sm_shift_after_exp(scores):
    e = np.exp(scores)
    e = e - e.max(axis=-1, keepdims=True)
    return e / e.sum(axis=-1, keepdims=True)


# softmax_with_temperature


@answers("softmax_with_temperature")
def st_default_one(scores, temperature=1.0):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@answers("softmax_with_temperature")
def st_shift_only_scaled(scores, temperature):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True) / temperature)
    return e / e.sum(axis=-1, keepdims=True)


@answers("softmax_with_temperature")
def st_exp_over_t(scores, temperature):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) / temperature
    return e / e.sum(axis=-1, keepdims=True)


@answers("softmax_with_temperature")
def st_power_twice(scores, temperature):
    e = np.exp(scores / temperature - (scores / temperature).max())
    return e / e.sum(axis=-1, keepdims=True)


@answers("softmax_with_temperature")
def st_subtracts(scores, temperature):
    e = np.exp(scores - temperature - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# entropy


@answers("entropy")
def en_naive(weights):
    return -np.sum(weights * np.log(weights), axis=-1)


@answers("entropy")
def en_nansum_all(weights):
    return -np.nansum(weights * np.log(weights))


@answers("entropy")
def en_epsilon(weights):
    return -np.sum(weights * np.log(weights + 0.01), axis=-1)


@answers("entropy")
def en_axis_1(weights):
    safe = np.where(weights > 0, weights, 1)
    return -np.sum(weights * np.log(safe), axis=1)


@answers("entropy")
def en_drops_zeros(weights):
    kept = weights[weights > 0]
    return -np.sum(kept * np.log(kept))


@answers("entropy")
def en_log1p(weights):
    return -np.sum(weights * np.log1p(weights), axis=-1)


@answers("entropy")
def en_loop_python_floats(weights):
    from math import log

    return [-sum(w * log(w) for w in row if w > 0) for row in weights]


# softmax_jacobian


@answers("softmax_jacobian")
def sj_np_diag(weights):
    return np.diag(weights) - np.outer(weights, weights)  # right for one row only


@answers("softmax_jacobian")
def sj_diag_minus_dot(weights):
    return np.diag(weights) - weights @ weights


@answers("softmax_jacobian")
def sj_kronecker_swapped(weights):
    n = weights.shape[-1]
    return weights[..., :, None] * (1 - np.eye(n) - weights[..., None, :])


@answers("softmax_jacobian")
def sj_column_form(weights):
    n = weights.shape[-1]
    return weights[..., :, None] * (np.eye(n) - weights[..., :, None])


@answers("softmax_jacobian")
def sj_loops_else_branch(weights):
    n = weights.shape[-1]
    J = np.zeros((*weights.shape, n))
    for i in range(n):
        for j in range(n):
            if i == j:
                J[..., i, j] = weights[..., i] * (1 - weights[..., i])
            else:
                J[..., i, j] = weights[..., i] * weights[..., j]
    return J


@answers("softmax_jacobian")
def sj_loops_half(weights):
    n = weights.shape[-1]
    J = np.zeros((*weights.shape, n))
    for i in range(n):
        for j in range(i, n):
            J[..., i, j] = weights[..., i] * ((i == j) - weights[..., j])
    return J


@answers("softmax_jacobian")
def sj_finite_differences_of_weights(weights):
    n, step = weights.shape[-1], 1e-6
    rows = [(weights + step * np.eye(n)[j] - weights) / step for j in range(n)]
    return np.stack(rows, axis=-1)


@answers("softmax_jacobian")
def sj_of_log_softmax(weights):
    n = weights.shape[-1]
    return np.eye(n) - np.broadcast_to(weights[..., None, :], (*weights.shape, n))


@answers("softmax_jacobian")
def sj_float32(weights):
    n = weights.shape[-1]
    w = weights.astype(np.float32)
    return w[..., :, None] * (np.eye(n, dtype=np.float32) - w[..., None, :])


# true_of_softmax


@answers("true_of_softmax")
def ts_a():
    return {"a", "b", "d", "e"}


@answers("true_of_softmax")
def ts_only_b():
    return "b"


@answers("true_of_softmax")
def ts_words():
    return {"first", "second"}


@answers("true_of_softmax")
def ts_number():
    return 3


# hide_the_axis_bug


@answers("hide_the_axis_bug")
def hb_symmetric():
    return np.array([[0.0, 1.0, 2.0], [1.0, 5.0, 1.5], [2.0, 1.5, 0.0]])


@answers("hide_the_axis_bug")
def hb_ones():
    return np.ones((3, 3))


@answers("hide_the_axis_bug")
def hb_range():
    return np.arange(9.0).reshape(3, 3)


# softmax_torch


@answers("softmax_torch")
def smt_functional(scores):
    import torch.nn.functional as F

    return F.softmax(scores, dim=-1)


@answers("softmax_torch")
def smt_method(scores):
    return scores.softmax(-1)


@answers("softmax_torch")
def smt_max_without_values(scores):
    e = (scores - scores.max(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


@answers("softmax_torch")
def smt_naive(scores):
    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


@answers("softmax_torch")
def smt_data(scores):
    e = (scores.data - scores.data.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


@answers("softmax_torch")
def smt_in_place(scores):
    scores -= scores.amax(dim=-1, keepdim=True)
    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)
