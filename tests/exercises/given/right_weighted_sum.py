"""Right answers to the exercises of `weighted_sum`. None may be refused."""

import numpy as np

from tests.exercises.answers import Answers

right = Answers()

# weighted_sum


@right("weighted_sum")
def ws_einsum(weights, values):
    return np.einsum("...j,...jd->...d", weights, values[..., None, :, :])


@right("weighted_sum")
def ws_matmul(weights, values):
    return np.matmul(weights, values)


@right("weighted_sum")
def ws_accumulated(weights, values):
    out = 0.0
    for j in range(values.shape[-2]):
        out = out + weights[..., j, None] * values[..., None, j, :]
    return out


@right("weighted_sum")
def ws_loops_over_everything(weights, values):
    if weights.ndim > 2:
        return np.stack(
            [
                ws_loops_over_everything(w, v)
                for w, v in zip(weights, values, strict=True)
            ]
        )
    out = np.zeros((len(weights), values.shape[1]))
    for i in range(len(weights)):
        for j in range(len(values)):
            out[i] += weights[i, j] * values[j]
    return out


@right("weighted_sum")
def ws_transposed_twice(weights, values):
    return np.swapaxes(
        np.swapaxes(values, -1, -2) @ np.swapaxes(weights, -1, -2), -1, -2
    )


@right("weighted_sum")
def ws_broadcast(weights, values):
    return (weights[..., None] * values[..., None, :, :]).sum(axis=-2)


@right("weighted_sum")
def ws_chatty_with_other_names(w, v, debug=False):
    print("shapes", w.shape, v.shape)
    return w @ v


@right("weighted_sum")
def ws_tensordot(weights, values):
    if weights.ndim == 2:
        return np.tensordot(weights, values, axes=1)
    return np.stack(
        [ws_tensordot(w, v) for w, v in zip(weights, values, strict=True)]
    )


# normalize_weights


@right("normalize_weights")
def nw_guarded(weights):
    return weights / (weights.sum(axis=-1, keepdims=True) + 1e-9)


@right("normalize_weights")
def nw_logarithms(weights):
    with np.errstate(divide="ignore"):
        logs = np.log(weights)
    return np.exp(logs - np.logaddexp.reduce(logs, axis=-1, keepdims=True))


@right("normalize_weights")
def nw_einsum(weights):
    return weights / np.einsum("...j->...", weights)[..., None]


@right("normalize_weights")
def nw_copy_then_in_place(weights):
    out = weights.copy()
    out /= np.expand_dims(out.sum(-1), -1)
    return out


@right("normalize_weights")
def nw_matmul_with_ones(weights):
    return weights / (weights @ np.ones((weights.shape[-1], 1)))


@right("normalize_weights")
def nw_by_maximum_first(weights):
    w = weights / weights.max(axis=-1, keepdims=True)
    return w / (w.sum(axis=-1, keepdims=True) + 1e-12)


# moving_average_weights


@right("moving_average_weights")
def ma_loops(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        low, high = max(0, i - window // 2), min(n, i + window // 2 + 1)
        out[i, low:high] = 1 / (high - low)
    return out


@right("moving_average_weights")
def ma_eyes(n, window):
    half = (window - 1) // 2
    band = sum(np.eye(n, k=k) for k in range(-half, half + 1))
    return band / band.sum(1)[:, None]


@right("moving_average_weights")
def ma_tri(n, window):
    band = np.tri(n, k=window // 2) - np.tri(n, k=-(window // 2) - 1)
    return band / band.sum(1, keepdims=True)


@right("moving_average_weights")
def ma_convolve(n, window):
    band = np.stack(
        [np.convolve(row, np.ones(window), mode="same") for row in np.eye(n)]
    )
    return band / band.sum(axis=1, keepdims=True)


# in_convex_hull


@right("in_convex_hull")
def ch_same_side(point, triangle):
    edges, arms = np.roll(triangle, -1, axis=0) - triangle, point - triangle
    sides = np.sign(edges[:, 0] * arms[:, 1] - edges[:, 1] * arms[:, 0])
    return abs(sides.sum()) == 3


@right("in_convex_hull")
def ch_areas(point, triangle):
    def area(a, b, c):
        return abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))

    a, b, c = triangle
    parts = area(point, b, c) + area(a, point, c) + area(a, b, point)
    return np.isclose(parts, area(a, b, c))


@right("in_convex_hull")
def ch_two_unknowns(point, triangle):
    a, b, c = triangle
    u, w = np.linalg.solve(np.column_stack([b - a, c - a]), point - a)
    return np.array(u >= 0 and w >= 0 and u + w <= 1)


@right("in_convex_hull")
def ch_angles(point, triangle):
    arms = triangle - point
    turn = np.angle((arms @ [1, 1j]) / (np.roll(arms, 1, axis=0) @ [1, 1j]))
    return bool(abs(turn.sum()) > 3)


@right("in_convex_hull")
def ch_crossings(point, triangle):
    inside, (x, y) = False, point
    for k in range(3):
        (ax, ay), (bx, by) = triangle[k], triangle[k - 1]
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return bool(inside)


# mixture_shape


@right("mixture_shape")
def ms_list():
    return [np.int64(2), 11, 3]


# weighted_sum_torch


@right("weighted_sum_torch")
def wst_einsum(weights, values):
    import torch

    return torch.einsum("...ij,...jd->...id", weights, values)


@right("weighted_sum_torch")
def wst_zeros_of_the_right_dtype(weights, values):
    out = values.new_zeros(*weights.shape[:-1], values.shape[-1])
    for j in range(weights.shape[-1]):
        out = out + weights[..., j, None] * values[..., j, None, :]
    return out


# rows_that_mix


@right("rows_that_mix")
def rtm_text():
    return "B, C, E, G"


@right("rows_that_mix")
def rtm_tried_on_extreme_rows():
    half = [[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], [0.5, 0, 0.5, 0]]
    steps = [[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25, 0.25, 0.25, 0.25]]
    rows = {
        "a": (np.eye(4), lambda c: c.max() == 1),
        "b": (half, lambda c: c.max() <= 0.5),
        "c": ([[2, -1, 0, 0], [0, 3, -1, -1]], lambda c: c.sum() == 1),
        "d": (np.eye(4), lambda c: (c**2).sum() == 1),
        "e": (np.vstack([np.eye(4), np.zeros(4)]), lambda c: c.sum() <= 1),
        "f": (half, lambda c: (c > 0).sum() <= 2),
        "g": (steps, lambda c: (np.diff(c) <= 0).all()),
    }
    return [
        letter
        for letter, (kind, holds) in rows.items()
        if all(
            holds(0.5 * np.array(a) + 0.5 * np.array(b)) for a in kind for b in kind
        )
    ]
