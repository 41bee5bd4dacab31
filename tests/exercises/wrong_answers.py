"""Wrong answers as learners write them, made without looking at the declared faults.

Each must be refused. ``python -m tests.exercises masks qkv`` prints what each is told. Where it
matters, an answer says what has to be noticed: the ids of the faults, and words of the message.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

WRONG: dict[str, list[Callable[..., Any]]] = defaultdict(list)
NOTICED: dict[Callable[..., Any], tuple[tuple[str, ...], str]] = {}


def answers(
    exercise: str, *faults: str, said: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        WRONG[exercise].append(function)
        NOTICED[function] = faults, said
        return function

    return register


# weighted_sum


@answers("weighted_sum")
def ws_loop_overwrites(weights, values):
    out = np.zeros((weights.shape[0], values.shape[1]))
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out[i] = weights[i, j] * values[j]
    return out


@answers("weighted_sum")
def ws_loop_two_axes_only(weights, values):
    out = np.zeros((weights.shape[0], values.shape[1]))
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out[i] += weights[i, j] * values[j]
    return out


@answers("weighted_sum")
def ws_np_dot(weights, values):
    return np.dot(weights, values)  # right in two dimensions, another thing in four


@answers("weighted_sum")
def ws_np_average(weights, values):
    return np.stack([np.average(values, axis=0, weights=row) for row in weights])


@answers("weighted_sum")
def ws_broadcast_sum_all(weights, values):
    return (weights[..., None] * values[..., None, :, :]).sum()


@answers("weighted_sum")
def ws_einsum_transposed(weights, values):
    return np.einsum("...ji,...jd->...id", weights, values)


@answers("weighted_sum")
def ws_hard_coded(weights, values):
    out = np.zeros((2, 2))
    for i in range(2):
        for j in range(3):
            out[i] += weights[i, j] * values[j]
    return out


@answers("weighted_sum")
def ws_returns_in_loop(weights, values):
    out = np.zeros((weights.shape[0], values.shape[1]))
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out[i] += weights[i, j] * values[j]
        return out


@answers("weighted_sum")
def ws_argmax(weights, values):
    return values[weights.argmax(axis=-1)]


@answers("weighted_sum")
def ws_abs_weights(weights, values):
    return np.abs(weights) @ values


@answers("weighted_sum")
def ws_rounds(weights, values):
    return np.round(weights @ values, 2)


@answers("weighted_sum")
def ws_prints(weights, values):
    print(weights @ values)


@answers("weighted_sum")
def ws_list(weights, values):
    return (weights @ values).tolist()


@answers("weighted_sum")
def ws_int_output(weights, values):
    out = np.zeros((weights.shape[0], values.shape[1]), dtype=int)
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out[i] += (weights[i, j] * values[j]).astype(int)
    return out


# normalize_weights


@answers("normalize_weights")
def nw_axis_0(weights):
    return weights / weights.sum(axis=0)


@answers("normalize_weights")
def nw_in_place(weights):
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


@answers("normalize_weights")
def nw_axis_1(weights):
    return weights / weights.sum(axis=1, keepdims=True)  # right without a batch


@answers("normalize_weights")
def nw_min_max(weights):
    low = weights.min(axis=-1, keepdims=True)
    return (weights - low) / (weights.max(axis=-1, keepdims=True) - low)


@answers("normalize_weights")
def nw_first_row_sum(weights):
    return weights / weights[0].sum()


@answers("normalize_weights")
def nw_loop_changes_total(weights):
    out = weights.copy()
    for i in range(len(out)):
        for j in range(len(out[i])):
            out[i, j] = out[i, j] / out[i].sum()  # the sum changes on the way
    return out


# moving_average_weights


@answers("moving_average_weights")
def ma_negative_slice(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        out[i, i - window // 2 : i + window // 2 + 1] = 1
        out[i] /= max(out[i].sum(), 1)
    return out


@answers("moving_average_weights")
def ma_stops_early(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        low, high = max(0, i - window // 2), min(n - 1, i + window // 2)
        out[i, low:high] = 1 / max(high - low, 1)
    return out


@answers("moving_average_weights")
def ma_banded(n, window):
    return (
        sum(np.eye(n, k=k) for k in range(-(window // 2), window // 2 + 1)) / window
    )


@answers("moving_average_weights")
def ma_true_false(n, window):
    i = np.arange(n)
    return np.abs(i[:, None] - i) <= window // 2


@answers("moving_average_weights")
def ma_window_three(n, window):
    band = np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    return band / band.sum(axis=1, keepdims=True)


# in_convex_hull


@answers("in_convex_hull")
def ch_area_with_sign(point, triangle):
    def area(a, b, c):
        return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))

    a, b, c = triangle
    parts = area(point, b, c) + area(a, point, c) + area(a, b, point)
    return bool(np.isclose(parts, area(a, b, c)))  # always true: signs cancel


@answers("in_convex_hull")
def ch_nearest_corner(point, triangle):
    sides = np.linalg.norm(triangle - np.roll(triangle, 1, axis=0), axis=1)
    return bool(np.linalg.norm(triangle - point, axis=1).max() <= sides.max())


@answers("in_convex_hull")
def ch_wrong_orientation(point, triangle):
    edges, arms = np.roll(triangle, -1, axis=0) - triangle, point - triangle
    return bool(np.all(edges[:, 0] * arms[:, 1] - edges[:, 1] * arms[:, 0] <= 0))


@answers("in_convex_hull")
def ch_least_squares_without_sum(point, triangle):
    weights = np.linalg.lstsq(triangle.T, point, rcond=None)[0]
    return bool((weights >= 0).all())


@answers("in_convex_hull")
def ch_returns_weights(point, triangle):
    return np.linalg.solve(np.vstack([triangle.T, np.ones(3)]), np.append(point, 1))


@answers("in_convex_hull")
def ch_returns_zero_or_one(point, triangle):
    weights = np.linalg.solve(
        np.vstack([triangle.T, np.ones(3)]), np.append(point, 1)
    )
    return int(weights.min() >= 0)


# dot_scores


@answers("dot_scores")
def ds_plain_t(Q, K):
    return Q @ K.T


@answers("dot_scores")
def ds_inner(Q, K):
    return np.inner(Q, K)  # right in two dimensions only


@answers("dot_scores")
def ds_wrong_transpose(Q, K):
    return Q.T @ K


@answers("dot_scores")
def ds_cosine(Q, K):
    Q = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
    K = K / np.linalg.norm(K, axis=-1, keepdims=True)
    return Q @ np.swapaxes(K, -1, -2)


@answers("dot_scores")
def ds_reshape(Q, K):
    return Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])


@answers("dot_scores")
def ds_softmaxed(Q, K):
    scores = Q @ np.swapaxes(K, -1, -2)
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


# cosine_scores


@answers("cosine_scores")
def cs_no_axis(Q, K):
    return Q @ np.swapaxes(K, -1, -2) / (np.linalg.norm(Q) * np.linalg.norm(K))


@answers("cosine_scores")
def cs_nan_for_zero(Q, K):
    lengths = (
        np.linalg.norm(Q, axis=-1)[..., :, None]
        * np.linalg.norm(K, axis=-1)[..., None, :]
    )
    return (Q @ np.swapaxes(K, -1, -2)) / lengths


@answers("cosine_scores")
def cs_large_epsilon(Q, K):
    Q = Q / (np.linalg.norm(Q, axis=-1, keepdims=True) + 1e-2)
    K = K / (np.linalg.norm(K, axis=-1, keepdims=True) + 1e-2)
    return Q @ np.swapaxes(K, -1, -2)


@answers("cosine_scores")
def cs_axis_1(Q, K):
    q = np.linalg.norm(Q, axis=1, keepdims=True)
    k = np.linalg.norm(K, axis=1, keepdims=True)
    q[q == 0], k[k == 0] = 1, 1
    return (Q / q) @ np.swapaxes(K / k, -1, -2)  # right without a batch


@answers("cosine_scores")
def cs_nan_to_one(Q, K):
    with np.errstate(all="ignore"):
        lengths = (
            np.linalg.norm(Q, axis=-1)[..., :, None]
            * np.linalg.norm(K, axis=-1)[..., None, :]
        )
        return np.nan_to_num(Q @ np.swapaxes(K, -1, -2) / lengths, nan=1.0)


@answers("cosine_scores")
def cs_root_of_product_forgotten(Q, K):
    q, k = (Q**2).sum(-1, keepdims=True), (K**2).sum(-1, keepdims=True)
    norm = q @ np.swapaxes(k, -1, -2)
    return Q @ np.swapaxes(K, -1, -2) / np.where(norm == 0, 1, norm)


@answers("cosine_scores")
def cs_in_place(Q, K):
    Q /= np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    K /= np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return Q @ np.swapaxes(K, -1, -2)


@answers("cosine_scores")
def cs_centered(Q, K):
    Q = Q - Q.mean(axis=-1, keepdims=True)
    K = K - K.mean(axis=-1, keepdims=True)
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


@answers("cosine_scores")
def cs_clipped(Q, K):
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return np.clip((Q / q) @ np.swapaxes(K / k, -1, -2), 0, 1)


@answers("cosine_scores")
def cs_at_least_one(Q, K):
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1)  # meant to avoid 0
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1)
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


# additive_scores


@answers("additive_scores")
def as_no_outer(Q, K, W_q, W_k, v):
    return np.tanh(Q @ W_q + K @ W_k) @ v


@answers("additive_scores")
def as_weights_transposed(Q, K, W_q, W_k, v):
    return np.tanh((Q @ W_q.T)[..., :, None, :] + (K @ W_k.T)[..., None, :, :]) @ v


@answers("additive_scores")
def as_weights_swapped(Q, K, W_q, W_k, v):
    return np.tanh((Q @ W_k)[..., :, None, :] + (K @ W_q)[..., None, :, :]) @ v


@answers("additive_scores")
def as_no_batch(Q, K, W_q, W_k, v):
    out = np.zeros((len(Q), len(K)))
    for i in range(len(Q)):
        for j in range(len(K)):
            out[i, j] = v @ np.tanh(Q[i] @ W_q + K[j] @ W_k)
    return out


@answers("additive_scores")
def as_v_inside(Q, K, W_q, W_k, v):
    return np.tanh(
        ((Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :]) * v
    ).sum(-1)


@answers("additive_scores")
def as_softmaxed(Q, K, W_q, W_k, v):
    scores = np.tanh((Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :]) @ v
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


# nadaraya_watson


@answers("nadaraya_watson")
def nwr_softmax_of_distance(x_query, x, y, bandwidth):
    distance = np.abs(x_query[:, None] - x)
    weights = np.exp(-distance / bandwidth)
    return weights @ y / weights.sum(1)


@answers("nadaraya_watson")
def nwr_one_query(x_query, x, y, bandwidth):
    weights = np.exp(-((x_query[0] - x) ** 2) / (2 * bandwidth**2))
    return weights @ y / weights.sum()


@answers("nadaraya_watson")
def nwr_x_for_y(x_query, x, y, bandwidth):
    weights = np.exp(-((x_query[:, None] - x) ** 2) / (2 * bandwidth**2))
    return weights @ x / weights.sum(1)


@answers("nadaraya_watson")
def nwr_boxcar(x_query, x, y, bandwidth):
    weights = (np.abs(x_query[:, None] - x) <= bandwidth).astype(float)
    return weights @ y / np.maximum(weights.sum(1), 1)


@answers("nadaraya_watson")
def nwr_interpolates(x_query, x, y, bandwidth):
    return np.interp(x_query, x, y)


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


# the PyTorch exercises


@answers("weighted_sum_torch")
def wst_numpy_inside(weights, values):
    import torch

    return torch.from_numpy(weights.numpy() @ values.numpy())


@answers("weighted_sum_torch")
def wst_returns_numpy(weights, values):
    return weights.detach().numpy() @ values.detach().numpy()


@answers("weighted_sum_torch")
def wst_detaches_weights(weights, values):
    return weights.detach() @ values


@answers("weighted_sum_torch")
def wst_zeros_float32(weights, values):
    import torch

    out = torch.zeros(*weights.shape[:-1], values.shape[-1])
    for j in range(weights.shape[-1]):
        out = out + (weights[..., j, None] * values[..., j, None, :]).float()
    return out


@answers("weighted_sum_torch")
def wst_item(weights, values):
    import torch

    rows = [
        [sum(w.item() * v for w, v in zip(r, c, strict=True)) for c in values.T]
        for r in weights
    ]
    return torch.stack([torch.stack(row) for row in rows])


@answers("weighted_sum_torch")
def wst_mm(weights, values):
    import torch

    return torch.mm(weights, values)


@answers("cosine_scores_torch")
def cst_default_dim(Q, K):
    import torch.nn.functional as F

    return F.normalize(Q) @ F.normalize(K).transpose(-1, -2)


@answers("cosine_scores_torch")
def cst_t(Q, K):
    return (Q / Q.norm(dim=-1, keepdim=True)) @ (
        K / K.norm(dim=-1, keepdim=True)
    ).t()


@answers("cosine_scores_torch")
def cst_no_grad_lengths(Q, K):
    import torch

    with torch.no_grad():
        q, k = Q.norm(dim=-1, keepdim=True), K.norm(dim=-1, keepdim=True)
    return (Q / q) @ (K / k).transpose(-1, -2)


@answers("cosine_scores_torch")
def cst_no_keepdim(Q, K):
    return (Q / Q.norm(dim=-1)) @ (K / K.norm(dim=-1)).transpose(-1, -2)


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


# the questions


@answers("mixture_shape")
def ms_seven():
    return (2, 11, 7)


@answers("mixture_shape")
def ms_text():
    return "2, 11, 3"


@answers("mixture_shape")
def ms_four():
    return (2, 2, 11, 3)


@answers("mixture_shape")
def ms_array():
    return np.ones((2, 11, 3))


@answers("mixture_shape")
def ms_swapped():
    return (11, 2, 3)


@answers("fooled_by_length")
def fl_aligned():
    return np.array([1.0, 0.0]), np.array([[3.0, 0.0], [1.0, 1.0]])


@answers("fooled_by_length")
def fl_scaled():
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [5.0, 0.0]])


@answers("fooled_by_length")
def fl_unit():
    return np.array([1.0, 0.0]), np.array([[1.0, 0.0], [0.6, 0.8]])


@answers("fooled_by_length")
def fl_keys_only():
    return np.eye(2)


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


@answers("hide_the_axis_bug")
def hb_symmetric():
    return np.array([[0.0, 1.0, 2.0], [1.0, 5.0, 1.5], [2.0, 1.5, 0.0]])


@answers("hide_the_axis_bug")
def hb_ones():
    return np.ones((3, 3))


@answers("hide_the_axis_bug")
def hb_range():
    return np.arange(9.0).reshape(3, 3)


if __name__ == "__main__":
    from course_attn.exercises import check

    for name, functions in WRONG.items():
        for function in functions:
            print(f"[{function.__name__}]\n{check(function, name)}\n")
