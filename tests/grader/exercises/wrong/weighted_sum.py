"""Right answers to the exercises of `weighted_sum`. None may be refused."""

import numpy as np

from tests.grader.exercises.answers import Answers

answers = Answers()

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


# mixture_shape


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


# weighted_sum_torch


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
