"""Right answers, each written in another way. None may be refused."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

RIGHT: dict[str, list[Callable[..., Any]]] = defaultdict(list)


def answers(exercise: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        RIGHT[exercise].append(function)
        return function

    return register


# weighted_sum


@answers("weighted_sum")
def ws_einsum(weights, values):
    return np.einsum(
        "...j,...jd->...d",
        weights,
        values[..., None, :, :] if weights.ndim > 1 else values,
    )


@answers("weighted_sum")
def ws_matmul(weights, values):
    return np.matmul(weights, values)


@answers("weighted_sum")
def ws_accumulated(weights, values):
    out = 0.0
    for j in range(values.shape[-2]):
        out = out + weights[..., j, None] * (
            values[..., None, j, :] if weights.ndim > 1 else values[j]
        )
    return out


@answers("weighted_sum")
def ws_loops_over_everything(weights, values):
    if weights.ndim > 2:
        return np.stack(
            [
                ws_loops_over_everything(w, v)
                for w, v in zip(weights, values, strict=True)
            ]
        )
    rows = np.atleast_2d(weights)
    out = np.zeros((len(rows), values.shape[1]))
    for i in range(len(rows)):
        for j in range(len(values)):
            out[i] += rows[i, j] * values[j]
    return out[0] if weights.ndim == 1 else out


@answers("weighted_sum")
def ws_transposed_twice(weights, values):
    if weights.ndim == 1:
        return values.T @ weights
    return np.swapaxes(
        np.swapaxes(values, -1, -2) @ np.swapaxes(weights, -1, -2), -1, -2
    )


@answers("weighted_sum")
def ws_broadcast(weights, values):
    if weights.ndim == 1:
        return (weights[:, None] * values).sum(0)
    return (weights[..., None] * values[..., None, :, :]).sum(axis=-2)


@answers("weighted_sum")
def ws_chatty_with_other_names(w, v, debug=False):
    print("shapes", w.shape, v.shape)
    return w @ v


# normalize_weights


@answers("normalize_weights")
def nw_einsum(weights):
    return weights / np.einsum("...j->...", weights)[..., None]


@answers("normalize_weights")
def nw_copy_then_in_place(weights):
    out = weights.copy()
    out /= np.expand_dims(out.sum(-1), -1)
    return out


@answers("normalize_weights")
def nw_matmul_with_ones(weights):
    return weights / (weights @ np.ones((weights.shape[-1], 1)))


@answers("normalize_weights")
def nw_by_maximum_first(weights):
    w = weights / weights.max(axis=-1, keepdims=True)
    return w / (w.sum(axis=-1, keepdims=True) + 1e-12)


# moving_average_weights


@answers("moving_average_weights")
def ma_loops(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        low, high = max(0, i - window // 2), min(n, i + window // 2 + 1)
        out[i, low:high] = 1 / (high - low)
    return out


@answers("moving_average_weights")
def ma_eyes(n, window):
    half = (window - 1) // 2
    band = sum(np.eye(n, k=k) for k in range(-half, half + 1))
    return band / band.sum(1)[:, None]


@answers("moving_average_weights")
def ma_tri(n, window):
    band = np.tri(n, k=window // 2) - np.tri(n, k=-(window // 2) - 1)
    return band / band.sum(1, keepdims=True)


@answers("moving_average_weights")
def ma_convolve(n, window):
    band = np.stack(
        [np.convolve(row, np.ones(window), mode="same") for row in np.eye(n)]
    )
    return band / band.sum(axis=1, keepdims=True)


# in_convex_hull


@answers("in_convex_hull")
def ch_same_side(point, triangle):
    edges, arms = np.roll(triangle, -1, axis=0) - triangle, point - triangle
    sides = np.sign(edges[:, 0] * arms[:, 1] - edges[:, 1] * arms[:, 0])
    return abs(sides.sum()) == 3


@answers("in_convex_hull")
def ch_areas(point, triangle):
    def area(a, b, c):
        return abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))

    a, b, c = triangle
    parts = area(point, b, c) + area(a, point, c) + area(a, b, point)
    return np.isclose(parts, area(a, b, c))


@answers("in_convex_hull")
def ch_two_unknowns(point, triangle):
    a, b, c = triangle
    u, w = np.linalg.solve(np.column_stack([b - a, c - a]), point - a)
    return np.array(u >= 0 and w >= 0 and u + w <= 1)


@answers("in_convex_hull")
def ch_angles(point, triangle):
    arms = triangle - point
    turn = np.angle((arms @ [1, 1j]) / (np.roll(arms, 1, axis=0) @ [1, 1j]))
    return bool(abs(turn.sum()) > 3)


# dot_scores


@answers("dot_scores")
def ds_einsum(Q, K):
    return np.einsum("...id,...jd->...ij", Q, K)


@answers("dot_scores")
def ds_mt(Q, K):
    return Q @ np.moveaxis(K, -1, -2)


@answers("dot_scores")
def ds_broadcast(Q, K):
    return (Q[..., :, None, :] * K[..., None, :, :]).sum(-1)


@answers("dot_scores")
def ds_loop_over_keys(Q, K):
    return np.stack(
        [(Q * K[..., j, None, :]).sum(-1) for j in range(K.shape[-2])], axis=-1
    )


# cosine_scores


@answers("cosine_scores")
def cs_maximum(Q, K):
    q = np.maximum(np.linalg.norm(Q, axis=-1, keepdims=True), 1e-12)
    k = np.maximum(np.linalg.norm(K, axis=-1, keepdims=True), 1e-12)
    return (Q / q) @ np.swapaxes(K / k, -1, -2)


@answers("cosine_scores")
def cs_small_epsilon(Q, K):
    q = np.sqrt((Q**2).sum(axis=-1, keepdims=True)) + 1e-8
    k = np.sqrt((K**2).sum(axis=-1, keepdims=True)) + 1e-8
    return np.einsum("...id,...jd->...ij", Q / q, K / k)


@answers("cosine_scores")
def cs_dots_over_lengths(Q, K):
    lengths = (
        np.linalg.norm(Q, axis=-1)[..., :, None]
        * np.linalg.norm(K, axis=-1)[..., None, :]
    )
    dots = Q @ np.swapaxes(K, -1, -2)
    return np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)


@answers("cosine_scores")
def cs_nan_to_num(Q, K):
    q, k = (
        np.linalg.norm(Q, axis=-1, keepdims=True),
        np.linalg.norm(K, axis=-1, keepdims=True),
    )
    return np.nan_to_num(Q / q) @ np.swapaxes(np.nan_to_num(K / k), -1, -2)


@answers("cosine_scores")
def cs_loops(Q, K):
    if Q.ndim > 2:
        return np.stack([cs_loops(q, k) for q, k in zip(Q, K, strict=True)])
    out = np.zeros((len(Q), len(K)), dtype=Q.dtype)
    for i, q in enumerate(Q):
        for j, k in enumerate(K):
            length = np.sqrt(q @ q) * np.sqrt(k @ k)
            if length > 0:
                out[i, j] = q @ k / length
    return out


@answers("cosine_scores")
def cs_own_copy_written_into(Q, K):
    Q, K = Q.copy(), K.copy()
    for X in (Q, K):
        n = np.linalg.norm(X, axis=-1, keepdims=True)
        n[n == 0] = 1
        X /= n
    return Q @ np.swapaxes(K, -1, -2)


# additive_scores


@answers("additive_scores")
def as_loops(Q, K, W_q, W_k, v):
    if Q.ndim > 2:
        return np.stack(
            [as_loops(q, k, W_q, W_k, v) for q, k in zip(Q, K, strict=True)]
        )
    return np.array([[v @ np.tanh(q @ W_q + k @ W_k) for k in K] for q in Q])


@answers("additive_scores")
def as_expand_dims(Q, K, W_q, W_k, v):
    hidden = np.expand_dims(Q @ W_q, -2) + np.expand_dims(K @ W_k, -3)
    return (np.tanh(hidden) * v).sum(axis=-1)


@answers("additive_scores")
def as_einsum(Q, K, W_q, W_k, v):
    q, k = (
        np.einsum("...id,dh->...ih", Q, W_q),
        np.einsum("...jd,dh->...jh", K, W_k),
    )
    return np.einsum(
        "...ijh,h->...ij", np.tanh(q[..., None, :] + k[..., None, :, :]), v
    )


@answers("additive_scores")
def as_sigmoid_form_of_tanh(Q, K, W_q, W_k, v):
    x = (Q @ W_q)[..., :, None, :] + (K @ W_k)[..., None, :, :]
    return (2 / (1 + np.exp(-2 * x)) - 1) @ v


# nadaraya_watson


@answers("nadaraya_watson")
def nwr_softmax(x_query, x, y, bandwidth):
    scores = -0.5 * ((x_query[:, None] - x) / bandwidth) ** 2
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (powers * y).sum(1) / powers.sum(1)


@answers("nadaraya_watson")
def nwr_loop(x_query, x, y, bandwidth):
    out = np.empty(len(x_query))
    for i, query in enumerate(x_query):
        k = np.exp(-((query - x) ** 2) / 2 / bandwidth**2)
        out[i] = np.average(y, weights=k)
    return out


@answers("nadaraya_watson")
def nwr_density(x_query, x, y, bandwidth):
    u = np.subtract.outer(x_query, x) / bandwidth
    k = np.exp(-(u**2) / 2) / (bandwidth * np.sqrt(2 * np.pi))
    return k @ y / k.sum(axis=1)


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


# the PyTorch exercises


@answers("weighted_sum_torch")
def wst_einsum(weights, values):
    import torch

    return torch.einsum("...ij,...jd->...id", weights, values)


@answers("weighted_sum_torch")
def wst_zeros_of_the_right_dtype(weights, values):
    out = values.new_zeros(*weights.shape[:-1], values.shape[-1])
    for j in range(weights.shape[-1]):
        out = out + weights[..., j, None] * values[..., j, None, :]
    return out


@answers("cosine_scores_torch")
def cst_torch_function(Q, K):
    import torch

    return torch.cosine_similarity(Q[..., :, None, :], K[..., None, :, :], dim=-1)


@answers("cosine_scores_torch")
def cst_norms(Q, K):
    q, k = Q.norm(dim=-1, keepdim=True), K.norm(dim=-1, keepdim=True)
    return (Q @ K.mT) / (q @ k.mT)


@answers("softmax_torch")
def smt_detached_shift(scores):
    e = (scores - scores.detach().amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


@answers("softmax_torch")
def smt_logsumexp(scores):
    import torch

    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))


# the questions


@answers("mixture_shape")
def ms_list():
    return [np.int64(2), 11, 3]


@answers("fooled_by_length")
def fl_three_dimensions():
    return [0, 0, 1.0], [[0, 0, 1.0], [3, 4, 5.0], [0, 0, -9]]


@answers("true_of_softmax")
def ts_text():
    return "b, D, e"


@answers("hide_the_axis_bug")
def hb_identity_like():
    return 3 * np.eye(3)


@answers("hide_the_axis_bug")
def hb_not_symmetric():
    return [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
