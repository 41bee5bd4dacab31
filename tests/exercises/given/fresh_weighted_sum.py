"""Answers to the exercises of `weighted_sum` by somebody who had not seen the known mistakes."""

import numpy as np
import torch

from tests.exercises.answers import Answers

right, wrong = Answers(), Answers()


@right("weighted_sum")
def fresh_ws_einsum(weights, values):
    letters = "j,...jf->...f" if weights.ndim == 1 else "...ij,...jf->...if"
    return np.einsum(letters, weights, values)


@right("weighted_sum")
def fresh_ws_one_value_at_a_time(weights, values):
    single = np.ndim(weights) == 1
    a = weights[None, :] if single else weights
    lead = np.broadcast_shapes(a.shape[:-2], values.shape[:-2])
    kind = np.result_type(a, values)
    y = np.zeros((*lead, a.shape[-2], values.shape[-1]), kind)
    for j in range(a.shape[-1]):
        y = y + a[..., :, j, None] * values[..., None, j, :]
    return y[..., 0, :] if single else y


@right("normalize_weights")
def fresh_nw_row_loop(weights):
    out = np.array(weights / 1)
    for place in np.ndindex(weights.shape[:-1]):
        total = weights[place].sum()
        out[place] = [entry / total for entry in weights[place]]
    return out


@right("normalize_weights")
def fresh_nw_axis_in_front(weights):
    columns = np.moveaxis(weights, -1, 0)
    return np.moveaxis(columns / columns.sum(axis=0), 0, -1)


@right("moving_average_weights")
def fresh_ma_convolved(n, window):
    boxes = [np.convolve(e, np.ones(window), "same") for e in np.eye(n)]
    return np.array([box / box.sum() for box in boxes])


@right("moving_average_weights")
def fresh_ma_plain_lists(n, window):
    reach = (window - 1) // 2
    table = []
    for i in range(n):
        first, last = max(0, i - reach), min(n - 1, i + reach)
        share = 1 / (last - first + 1)
        table.append([share * (first <= j <= last) for j in range(n)])
    return np.array(table)


@right("in_convex_hull")
def fresh_hull_turns(point, triangle):
    p = complex(*point)
    corners = [complex(*corner) for corner in triangle]
    nexts = corners[1:] + corners[:1]
    sides = zip(corners, nexts)
    turns = {((b - a).conjugate() * (p - a)).imag > 0 for a, b in sides}
    return len(turns) == 1


@right("in_convex_hull")
def fresh_hull_cramer(point, triangle):
    def area(corners):
        return np.linalg.det(np.column_stack([corners, np.ones(3)]))

    whole, found = area(triangle), []
    for c in range(3):
        moved = np.array(triangle, dtype=float)
        moved[c] = point
        found.append(area(moved) / whole)
    return bool(min(found) >= 0)


@right("weighted_sum_torch")
def fresh_wst_multiply_and_add(weights, values):
    return (weights.unsqueeze(-1) * values.unsqueeze(-3)).sum(dim=-2)


@right("weighted_sum_torch")
def fresh_wst_feature_by_feature(weights, values):
    features = values.unbind(-1)
    mixed = [(weights * feature[..., None, :]).sum(-1) for feature in features]
    return torch.stack(mixed, dim=-1)


@wrong(
    "weighted_sum",
    mistake="tensordot pairs every batch entry of the weights with every batch "
    "entry of the values, so batches get extra axes",
)
def fresh_ws_tensordot(weights, values):
    return np.tensordot(weights, values, axes=(-1, -2))


@wrong(
    "weighted_sum",
    mistake="normalizes the weights although they are to be used as given AND "
    "leaves out the last value (the loop stops one too early)",
)
def fresh_ws_normalizes_and_stops_early(weights, values):
    if weights.ndim > 2:
        again = fresh_ws_normalizes_and_stops_early
        return np.stack([again(a, x) for a, x in zip(weights, values)])
    if weights.ndim == 1:
        return fresh_ws_normalizes_and_stops_early(weights[None], values)[0]
    n_q, n_k = weights.shape
    y = np.zeros((n_q, values.shape[1]), dtype=values.dtype)
    for i in range(n_q):
        total = weights[i].sum()
        for j in range(n_k - 1):
            y[i] += weights[i, j] / total * values[j]
    return y


@wrong(
    "weighted_sum",
    mistake="takes the mean over the values where the sum is wanted, so that the "
    "result is too small by the factor n_k",
)
def fresh_ws_mean(weights, values):
    if weights.ndim == 1:
        return (weights[:, None] * values).mean(axis=-2)
    scaled = weights[..., None] * values[..., None, :, :]
    return scaled.mean(axis=-2)


@wrong(
    "weighted_sum",
    mistake="sums over the first index of the weights: a column instead of a row of"
    " weights belongs to each output",
)
def fresh_ws_einsum_columns(weights, values):
    if weights.ndim == 1:
        return np.einsum("j,jf->f", weights, values)
    return np.einsum("...ji,...jf->...if", weights, values)


@wrong(
    "normalize_weights",
    mistake="divides in place and so changes the argument",
)
def fresh_nw_in_place(weights):
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


@wrong(
    "normalize_weights",
    mistake="divides each row by its Euclidean length instead of its sum",
)
def fresh_nw_euclid(weights):
    def unit(row):
        return row / np.sqrt(sum(entry**2 for entry in row))

    return np.apply_along_axis(unit, -1, weights)


@wrong(
    "normalize_weights",
    mistake="takes the exponentials of the weights first (a softmax), which changes"
    " the proportions",
)
def fresh_nw_softmax(weights):
    exps = np.exp(weights - weights.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


@wrong(
    "normalize_weights",
    mistake="sums over axis 1, which is the last axis only without batch axes AND "
    "adds 0.001 to the sum, so that rows fall short of 1",
)
def fresh_nw_axis_one_and_eps(weights):
    total = np.add.reduce(weights, axis=1, keepdims=True)
    return weights / (total + 0.001)


@wrong(
    "moving_average_weights",
    mistake="the slice starts at a negative index near the left edge, which counts "
    "from the end, so those rows stay empty or wrong",
)
def fresh_ma_negative_slice(n, window):
    half = window // 2
    A = np.zeros((n, n))
    for i in range(n):
        A[i, i - half : i + half + 1] = 1
        A[i] = A[i] / max(A[i].sum(), 1)
    return A


@wrong(
    "moving_average_weights",
    mistake="wraps around at the edges instead of using the values that exist AND "
    "leaves out the last position on the right",
)
def fresh_ma_wrap_and_half_open(n, window):
    half = window // 2
    A = np.zeros((n, n))
    steps = range(-half, max(half, 1))
    for i in range(n):
        for step in steps:
            A[i, (i + step) % n] += 1 / len(steps)
    return A


@wrong(
    "moving_average_weights",
    mistake="the window ends at i instead of being centered on i",
)
def fresh_ma_trailing(n, window):
    def row(i):
        seen = [1.0 if i - window < j <= i else 0.0 for j in range(n)]
        return [s / sum(seen) for s in seen]

    return np.array([row(i) for i in range(n)])


@wrong(
    "moving_average_weights",
    mistake="positions beyond the edge are moved onto the edge, so that the first "
    "and the last value count several times",
)
def fresh_ma_clamped(n, window):
    half = window // 2
    offsets = np.arange(-half, half + 1)
    where = np.clip(np.arange(n)[:, None] + offsets, 0, n - 1)
    A = np.zeros((n, n))
    np.add.at(A, (np.arange(n)[:, None], where), 1 / window)
    return A


@wrong(
    "in_convex_hull",
    mistake="tests whether the point lies in the box around the triangle, which is "
    "larger than the triangle",
)
def fresh_hull_box(point, triangle):
    xs, ys = zip(*triangle)
    inside_x = min(xs) <= point[0] <= max(xs)
    return bool(inside_x and min(ys) <= point[1] <= max(ys))


@wrong(
    "in_convex_hull",
    mistake="asks that the point lie to the left of every side, which is right only"
    " if the corners run counterclockwise",
)
def fresh_hull_one_orientation(point, triangle):
    def left_of(a, b):
        along, toward = b - a, point - a
        return along[0] * toward[1] - along[1] * toward[0] > 0

    return all(bool(left_of(triangle[c - 1], triangle[c])) for c in range(3))


@wrong(
    "in_convex_hull",
    mistake="leaves out the equation that the weights sum to 1",
)
def fresh_hull_no_sum(point, triangle):
    weights, *_ = np.linalg.lstsq(triangle.T, point, rcond=None)
    return bool((weights >= -1e-12).all())


@wrong(
    "in_convex_hull",
    mistake="does not subtract the first corner from the point AND does not ask "
    "that the first corner's weight, 1 - u - v, be non-negative",
)
def fresh_hull_unshifted_and_unbounded(point, triangle):
    a, b, c = triangle
    sides = np.column_stack([b - a, c - a])
    u, v = np.linalg.inv(sides) @ point
    return bool(u >= 0 and v >= 0)


@wrong(
    "mixture_shape",
    mistake="gives the shape of the values; the result has a row for each output, "
    "not for each value",
)
def fresh_shape_of_values():
    return (2, 7, 3)


@wrong("mixture_shape", mistake="drops the batch axis")
def fresh_shape_without_batch():
    return (11, 3)


@wrong(
    "weighted_sum_torch",
    mistake="computes in NumPy on detached tensors, so no gradient flows back",
)
def fresh_wst_through_numpy(weights, values):
    a, x = weights.detach().numpy(), values.detach().numpy()
    return torch.from_numpy(np.matmul(a, x))


@wrong(
    "weighted_sum_torch",
    mistake="collects the result in torch.zeros of the default dtype, so that "
    "float64 arguments give a float32 result",
)
def fresh_wst_default_dtype(weights, values):
    y = torch.zeros(*weights.shape[:-1], values.shape[-1])
    for i in range(weights.shape[-2]):
        for j in range(weights.shape[-1]):
            y[..., i, :] += weights[..., i, j, None] * values[..., j, :]
    return y


@wrong(
    "weighted_sum_torch",
    mistake="sums over the outputs instead of the values, so that the result has "
    "n_k rows",
)
def fresh_wst_sums_over_outputs(weights, values):
    products = weights.unsqueeze(-1) * values.unsqueeze(-3)
    return products.sum(dim=-3)


@wrong(
    "weighted_sum_torch",
    mistake="detaches the weights, which get no gradient AND puts the weights "
    "through a softmax although they are to be used as given",
)
def fresh_wst_detached_softmax(weights, values):
    a = torch.softmax(weights.data, dim=-1)
    return torch.einsum("...ij,...jf->...if", a, values)
