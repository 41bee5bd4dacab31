"""Wrong answers to the exercises of `softmax` as learners write them. Each must be refused."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()

# softmax


@wrong("softmax")
def sm_naive(scores):
    return np.exp(scores) / np.sum(np.exp(scores), axis=-1, keepdims=True)


@wrong("softmax")
def sm_book_1d(scores):
    e = np.exp(scores - np.max(scores))
    return e / e.sum()


@wrong("softmax")
def sm_axis_1(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@wrong("softmax")
def sm_axis_0(scores):
    e = np.exp(scores - scores.max(axis=0))
    return e / e.sum(axis=0)


@wrong("softmax")
def sm_clips(scores):
    e = np.exp(np.clip(scores, -500, 500))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax")
def sm_nan_to_num(scores):
    with np.errstate(all="ignore"):
        e = np.exp(scores)
        return np.nan_to_num(e / e.sum(axis=-1, keepdims=True))


@wrong("softmax")
def sm_mean_shift(scores):
    e = np.exp(scores - scores.mean(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax")
def sm_adds_the_max(scores):
    e = np.exp(scores + scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax")
def sm_divides_by_max(scores):
    e = np.exp(scores / np.abs(scores).max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax")
def sm_in_place(scores):
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


@wrong("softmax")
def sm_sum_before_exp(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.exp(shifted) / np.exp(shifted.sum(axis=-1, keepdims=True))


@wrong("softmax")
def sm_one_epsilon(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-2)


@wrong("softmax")
def sm_random(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) + 1e-3 * np.random.rand(  # noqa: NPY002
        *scores.shape
    )
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax")
def sm_imports_it(scores):
    from scipy.special import softmax

    return softmax(scores, axis=-1)


@wrong("softmax")
def sm_uses_the_course(scores):
    from course_attn.in_numpy.softmax import softmax as theirs

    return theirs(scores)


@wrong("softmax")
def sm_squares(scores):
    e = scores**2
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax")
def sm_shift_after_exp(scores):
    e = np.exp(scores)
    e = e - e.max(axis=-1, keepdims=True)
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax", mistake="shifts only where the whole array holds something large")
def sm_shift_if_large(scores):
    if scores.max() > 700:
        scores = scores - scores.max(axis=-1, keepdims=True)
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax", mistake="a float32 overflows at 89, not at 709")
def sm_shift_above_700(scores):
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.abs(top) > 700, top, 0))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "softmax",
    said="`min` stands where `max` belongs",
    mistake="subtracts the smallest score",
)
def sm_min(scores):
    e = np.exp(scores - np.min(scores, -1)[..., None])
    return e / e.sum(-1)[..., None]


@wrong("softmax", "argmax-shift", mistake="subtracts the index of the maximum")
def sm_argmax(scores):
    e = np.exp(scores - np.argmax(scores, axis=-1)[..., None])
    return e / e.sum(-1)[..., None]


@wrong("softmax", "sum-not-shifted", mistake="the denominator is not shifted")
def sm_half_shifted(scores):
    m = scores.max(axis=-1, keepdims=True)
    return np.exp(scores - m) / np.exp(scores).sum(axis=-1, keepdims=True)


@wrong(
    "softmax",
    said="`max` stands where `sum` belongs",
    mistake="divides by the largest power",
)
def sm_by_largest(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.max(axis=-1, keepdims=True)


@wrong(
    "softmax",
    said="`mean` stands where `sum` belongs",
    mistake="divides by the mean",
)
def sm_by_mean(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.mean(axis=-1, keepdims=True)


@wrong("softmax", said="the norm", mistake="divides by the norm")
def sm_by_norm(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / np.linalg.norm(e, axis=-1, keepdims=True)


@wrong("softmax", mistake="squeeze drops an axis of length 1")
def sm_squeeze(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.squeeze(e / e.sum(axis=-1, keepdims=True))


@wrong(
    "softmax", mistake="goes over the first axis only: rows of a batch are not rows"
)
def sm_loop_of_rows(scores):
    out = np.empty_like(scores)
    for i in range(scores.shape[0]):
        e = np.exp(scores[i] - scores[i].max())
        out[i] = e / e.sum()
    return out


@wrong(
    "softmax",
    "fails-minus-infinity",
    "infinity-weighed",
    mistake="−∞ is replaced by 0",
)
def sm_zero_for_infinity(scores):
    s = np.where(np.isinf(scores), 0.0, scores)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax", mistake="the largest score is divided by, not subtracted")
def sm_over_max(scores):
    e = np.exp(scores / scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax", mistake=".T turns all axes around")
def sm_with_t(scores):
    e = np.exp(scores.T - scores.max(axis=-1))
    return (e / e.sum(axis=0)).T


@wrong("softmax", "built-in", mistake="PyTorch's softmax does it all")
def sm_torchs(scores):
    import torch

    return torch.softmax(torch.from_numpy(scores), dim=-1).numpy()


@wrong("softmax", "built-in", mistake="the course's softmax in PyTorch does it all")
def sm_the_course_in_torch(scores):
    import torch

    from course_attn.in_torch.softmax import softmax

    return softmax(torch.from_numpy(scores)).numpy()


# softmax_with_temperature


@wrong("softmax_with_temperature")
def st_default_one(scores, temperature=1.0):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax_with_temperature")
def st_shift_only_scaled(scores, temperature):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True) / temperature)
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax_with_temperature")
def st_exp_over_t(scores, temperature):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) / temperature
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax_with_temperature")
def st_power_twice(scores, temperature):
    e = np.exp(scores / temperature - (scores / temperature).max())
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax_with_temperature")
def st_subtracts(scores, temperature):
    e = np.exp(scores - temperature - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "softmax_with_temperature", mistake="the power of the weights needs a new sum"
)
def st_power_of_weights(scores, temperature):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    w = e / e.sum(axis=-1, keepdims=True)
    return w ** (1 / temperature)


@wrong(
    "softmax_with_temperature",
    "power-of-weights-divided",
    mistake="powers that are 0 already stay 0, whatever the exponent",
)
def st_power(scores, temperature):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True)) ** (1 / temperature)
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax_with_temperature", mistake="the shift is not divided")
def st_shift_not_divided(scores, temperature):
    e = np.exp(scores / temperature - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax_with_temperature", mistake="only the numerator has the temperature")
def st_numerator_only(scores, temperature):
    s = scores - scores.max(axis=-1, keepdims=True)
    return np.exp(s / temperature) / np.exp(s).sum(axis=-1, keepdims=True)


@wrong("softmax_with_temperature", mistake="1 + T instead of T")
def st_one_plus(scores, temperature):
    s = scores / (1 + temperature)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax_with_temperature", mistake="shifts only where something is large")
def st_shift_if_large(scores, temperature):
    s = scores / temperature
    if s.max() > 700:
        s = s - s.max(axis=-1, keepdims=True)
    return np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)


@wrong(
    "softmax_with_temperature", mistake="axis 1 is the last one of matrices only"
)
def st_axis_1(scores, temperature):
    s = scores / temperature
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@wrong("softmax_with_temperature", mistake="rounds the temperature")
def st_integer(scores, temperature):
    s = scores / max(1, int(temperature))
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax_with_temperature", "built-in")
def st_course(scores, temperature):
    from course_attn.in_numpy.softmax import softmax

    return softmax(scores, temperature=temperature)


@wrong("softmax_with_temperature", "built-in")
def st_course_in_torch(scores, temperature):
    import torch

    from course_attn.in_torch.softmax import softmax

    return softmax(torch.from_numpy(scores), temperature=temperature).numpy()


# entropy


@wrong("entropy")
def en_naive(weights):
    return -np.sum(weights * np.log(weights), axis=-1)


@wrong("entropy")
def en_nansum_all(weights):
    return -np.nansum(weights * np.log(weights))


@wrong("entropy")
def en_epsilon(weights):
    return -np.sum(weights * np.log(weights + 0.01), axis=-1)


@wrong("entropy")
def en_axis_1(weights):
    safe = np.where(weights > 0, weights, 1)
    return -np.sum(weights * np.log(safe), axis=1)


@wrong("entropy")
def en_drops_zeros(weights):
    kept = weights[weights > 0]
    return -np.sum(kept * np.log(kept))


@wrong("entropy")
def en_log1p(weights):
    return -np.sum(weights * np.log1p(weights), axis=-1)


@wrong("entropy")
def en_loop_python_floats(weights):
    from math import log

    return [-sum(w * log(w) for w in row if w > 0) for row in weights]


@wrong("entropy", mistake="small weights are left out, not only zeros")
def en_threshold(weights):
    safe = np.where(weights > 1e-3, weights, 1)
    return -(weights * np.log(safe)).sum(axis=-1)


@wrong("entropy", mistake="clipping changes small weights")
def en_clip(weights):
    w = np.clip(weights, 1e-3, 1)
    return -(w * np.log(w)).sum(axis=-1)


@wrong("entropy", mistake="adds 1e-5 in the logarithm")
def en_epsilon_small(weights):
    return -np.sum(weights * np.log(weights + 1e-5), axis=-1)


@wrong("entropy", "zeros", "base-2", mistake="bits, and NaN for weights that are 0")
def en_naive_bits(weights):
    return -np.sum(weights * np.log2(weights), axis=-1)


@wrong("entropy", mistake="squeeze drops an axis of length 1")
def en_squeeze(weights):
    safe = np.where(weights > 0, weights, 1)
    return -np.squeeze((weights * np.log(safe)).sum(axis=-1))


@wrong("entropy", mistake="the mean of the rows, not one number for each")
def en_mean_of_rows(weights):
    safe = np.where(weights > 0, weights, 1)
    return -(weights * np.log(safe)).sum(axis=-1).mean()


@wrong(
    "entropy",
    mistake="log 0 is replaced by 0 in weights and logarithm: log 1e-9 stays",
)
def en_zeros_as_ones(weights):
    w = np.where(weights == 0, 1e-2, weights)
    return -(w * np.log(w)).sum(axis=-1)


@wrong("entropy", "built-in")
def en_torchs(weights):
    import torch

    given = torch.from_numpy(weights)
    return torch.distributions.Categorical(probs=given).entropy().numpy()


@wrong("entropy", "built-in")
def en_the_course_in_torch(weights):
    import torch

    from course_attn.in_torch.softmax import entropy

    return entropy(torch.from_numpy(weights)).numpy()


# softmax_jacobian


@wrong("softmax_jacobian")
def sj_np_diag(weights):
    return np.diag(weights) - np.outer(weights, weights)  # right for one row only


@wrong("softmax_jacobian")
def sj_diag_minus_dot(weights):
    return np.diag(weights) - weights @ weights


@wrong("softmax_jacobian")
def sj_kronecker_swapped(weights):
    n = weights.shape[-1]
    return weights[..., :, None] * (1 - np.eye(n) - weights[..., None, :])


@wrong("softmax_jacobian")
def sj_column_form(weights):
    n = weights.shape[-1]
    return weights[..., :, None] * (np.eye(n) - weights[..., :, None])


@wrong("softmax_jacobian")
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


@wrong("softmax_jacobian")
def sj_loops_half(weights):
    n = weights.shape[-1]
    J = np.zeros((*weights.shape, n))
    for i in range(n):
        for j in range(i, n):
            J[..., i, j] = weights[..., i] * ((i == j) - weights[..., j])
    return J


@wrong("softmax_jacobian")
def sj_finite_differences_of_weights(weights):
    n, step = weights.shape[-1], 1e-6
    rows = [(weights + step * np.eye(n)[j] - weights) / step for j in range(n)]
    return np.stack(rows, axis=-1)


@wrong("softmax_jacobian")
def sj_of_log_softmax(weights):
    n = weights.shape[-1]
    return np.eye(n) - np.broadcast_to(weights[..., None, :], (*weights.shape, n))


@wrong("softmax_jacobian")
def sj_float32(weights):
    n = weights.shape[-1]
    w = weights.astype(np.float32)
    return w[..., :, None] * (np.eye(n, dtype=np.float32) - w[..., None, :])


@wrong("softmax_jacobian", "dot", mistake="w @ w is a number")
def sj_einsum_dot(weights):
    n = weights.shape[-1]
    dots = np.einsum("...j,...j->...", weights, weights)
    return weights[..., None] * np.eye(n) - dots[..., None, None]


@wrong(
    "softmax_jacobian",
    "delta-everywhere",
    mistake="δ is 1 everywhere",
)
def sj_no_delta(weights):
    return weights[..., :, None] * (1 - weights[..., None, :])


@wrong("softmax_jacobian", "lower-half", mistake="only j ≥ m are filled")
def sj_lower(weights):
    n = weights.shape[-1]
    J = np.zeros((*weights.shape, n))
    for i in range(n):
        for j in range(i + 1):
            J[..., i, j] = weights[..., i] * ((i == j) - weights[..., j])
    return J


@wrong("softmax_jacobian", mistake="differences of the weights, not of the softmax")
def sj_divided_by_weights(weights):
    n = weights.shape[-1]
    outer = weights[..., :, None] * weights[..., None, :]
    return np.eye(n) - outer / weights[..., None, :]


@wrong("softmax_jacobian", mistake="the loop returns after the first row")
def sj_returns_early(weights):
    n = weights.shape[-1]
    J = np.zeros((*weights.shape, n), dtype=weights.dtype)
    for i in range(n):
        for j in range(n):
            J[..., i, j] = weights[..., i] * ((i == j) - weights[..., j])
        return J


@wrong("softmax_jacobian", mistake="np.outer flattens a batch")
def sj_outer_flattened(weights):
    n = weights.shape[-1]
    return weights[..., None] * np.eye(n) - np.outer(weights, weights)


@wrong("softmax_jacobian", "built-in")
def sj_autograd(weights):
    import torch

    def one(row):
        scores = torch.log(torch.from_numpy(row).clamp(min=1e-300))
        return torch.autograd.functional.jacobian(
            lambda s: torch.softmax(s, dim=-1), scores
        ).numpy()

    rows = weights.reshape(-1, weights.shape[-1])
    made = np.stack([one(row) for row in rows])
    return made.reshape(*weights.shape, weights.shape[-1])


@wrong("softmax_jacobian", "built-in")
def sj_the_course_in_torch(weights):
    import torch

    from course_attn.in_torch.softmax import softmax_jacobian

    return softmax_jacobian(torch.from_numpy(weights)).numpy()


# true_of_softmax


@wrong("true_of_softmax")
def ts_a():
    return {"a", "b", "d", "e"}


@wrong("true_of_softmax")
def ts_only_b():
    return "b"


@wrong("true_of_softmax")
def ts_words():
    return {"first", "second"}


@wrong("true_of_softmax")
def ts_number():
    return 3


@wrong("true_of_softmax", "b-missing", mistake="nothing is chosen")
def ts_none():
    return set()


@wrong("true_of_softmax", "a", mistake="everything is chosen")
def ts_all():
    return "abcdef"


@wrong("true_of_softmax", "c", mistake="exactly 0 is taken from rounding")
def ts_rounded():
    return ["b", "c", "d", "e"]


@wrong("true_of_softmax", "d-missing", mistake="temperature and entropy")
def ts_without_d():
    return ("b", "e")


# hide_the_axis_bug


@wrong("hide_the_axis_bug")
def hb_symmetric():
    return np.array([[0.0, 1.0, 2.0], [1.0, 5.0, 1.5], [2.0, 1.5, 0.0]])


@wrong("hide_the_axis_bug")
def hb_ones():
    return np.ones((3, 3))


@wrong("hide_the_axis_bug")
def hb_range():
    return np.arange(9.0).reshape(3, 3)


@wrong(
    "hide_the_axis_bug",
    "equal-sums-of-scores",
    mistake="sums of scores, not powers",
)
def hb_magic_square():
    return np.array([[2.0, 7.0, 6.0], [9.0, 5.0, 1.0], [4.0, 3.0, 8.0]])


@wrong("hide_the_axis_bug", "half-equal", mistake="only the rows share a sum")
def hb_rows_permuted():
    return np.array([[0.0, 1.0, 2.0], [0.0, 2.0, 1.0], [2.0, 0.0, 1.0]])


@wrong(
    "hide_the_axis_bug",
    "visible",
    mistake="hidden by saturation only, and not quite",
)
def hb_saturated():
    return np.diag([20.0, 19.0, 18.0])


@wrong("hide_the_axis_bug", "constant-line", mistake="one row is constant")
def hb_constant_row():
    return [[1, 1, 1], [0, 1, 2], [2, 1, 0]]


@wrong("hide_the_axis_bug", "form", mistake="four rows")
def hb_four():
    return np.eye(4)


# softmax_torch


@wrong("softmax_torch")
def smt_functional(scores):
    import torch.nn.functional as F

    return F.softmax(scores, dim=-1)


@wrong("softmax_torch")
def smt_method(scores):
    return scores.softmax(-1)


@wrong("softmax_torch")
def smt_max_without_values(scores):
    e = (scores - scores.max(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


@wrong("softmax_torch")
def smt_naive(scores):
    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


@wrong("softmax_torch")
def smt_data(scores):
    e = (scores.data - scores.data.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


@wrong("softmax_torch")
def smt_in_place(scores):
    scores -= scores.amax(dim=-1, keepdim=True)
    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


@wrong("softmax_torch", "dtype", mistake="float64 for float32")
def smt_double(scores):
    s = scores.double()
    e = torch_exp(s - s.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


@wrong("softmax_torch", "argmax-shift", mistake="[1] of max is the index")
def smt_index(scores):
    top = scores.max(dim=-1, keepdim=True)[1]
    e = torch_exp(scores - top)
    return e / e.sum(dim=-1, keepdim=True)


@wrong("softmax_torch", "one-row-only", mistake="max and sum of everything")
def smt_book_1d(scores):
    e = torch_exp(scores - scores.max())
    return e / e.sum()


@wrong("softmax_torch", "wrong-axis", mistake="the columns sum to 1")
def smt_dim_of_columns(scores):
    dim = -2 if scores.ndim > 1 else -1
    e = torch_exp(scores - scores.amax(dim=dim, keepdim=True))
    return e / e.sum(dim=dim, keepdim=True)


@wrong("softmax_torch", mistake="shifts only above 700")
def smt_shift_above_700(scores):
    top = scores.amax(dim=-1, keepdim=True)
    e = torch_exp(scores - top * (top.abs() > 700))
    return e / e.sum(dim=-1, keepdim=True)


@wrong("softmax_torch", mistake="the gradient through the sum is cut")
def smt_detached_sum(scores):
    e = torch_exp(scores - scores.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True).detach()


@wrong("softmax_torch", mistake="stays a tensor only in name: by way of NumPy")
def smt_scipys(scores):
    import torch
    from scipy.special import softmax

    return torch.from_numpy(softmax(scores.numpy(), axis=-1))


@wrong("softmax_torch", "built-in")
def smt_the_course(scores):
    from course_attn.in_torch.softmax import softmax

    return softmax(scores)


@wrong("softmax_torch", "built-in")
def smt_module(scores):
    from torch import nn

    return nn.Softmax(dim=-1)(scores)


def torch_exp(values):
    import torch

    return torch.exp(values)
