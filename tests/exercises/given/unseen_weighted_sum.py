"""Wrong answers to `weighted_sum` by others who had not seen the known mistakes, either."""

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "weighted_sum",
    mistake="the running total is not set back to zero for each row, so every row also holds the mixtures of the rows above it",
)
def second_ws_total_not_reset(weights, values):
    if weights.ndim > 2:
        return np.array(
            [second_ws_total_not_reset(w, v) for w, v in zip(weights, values)]
        )
    n_q, n_k = weights.shape
    result = np.zeros((n_q, values.shape[1]))
    total = np.zeros(values.shape[1])
    for i in range(n_q):
        for j in range(n_k):
            total = total + weights[i, j] * values[j]
        result[i] = total
    return result


@wrong(
    "normalize_weights",
    mistake="spreads what is missing to 1 evenly over the row by adding, instead of dividing by the sum, so the proportions change",
)
def second_ws_adds_the_missing(weights):
    missing = 1 - weights.sum(axis=-1, keepdims=True)
    return weights + missing / weights.shape[-1]


@wrong(
    "moving_average_weights",
    mistake="where the window sticks out at an edge it counts the edge value again, instead of averaging over the values that exist",
)
def second_ws_repeats_the_edge(n, window):
    half = window // 2
    W = np.zeros((n, n))
    for i in range(n):
        for step in range(-half, half + 1):
            j = min(max(i + step, 0), n - 1)
            W[i, j] += 1 / window
    return W


@wrong(
    "moving_average_weights",
    mistake="the window stops one short on the right, so it isn't centered "
    "AND every weight is 1 / window, so rows near the edges do not sum to 1",
)
def second_ws_short_window_and_fixed_weight(n, window):
    half = window // 2
    return np.array(
        [
            [
                1 / window if j in range(i - half, i + half) else 0.0
                for j in range(n)
            ]
            for i in range(n)
        ]
    )


@wrong(
    "in_convex_hull",
    mistake="looks for weights that give the point but never asks that they sum to 1",
)
def second_ws_weights_without_sum(point, triangle):
    weights, *_ = np.linalg.lstsq(
        np.asarray(triangle, float).T, np.asarray(point, float), rcond=None
    )
    return bool(np.all(weights >= 0))


@wrong(
    "weighted_sum_torch",
    mistake="detaches the weights, so no gradient reaches them",
)
def second_ws_detached_weights(weights, values):
    w = weights.clone().detach()  # so as not to change the argument
    parts = w.unsqueeze(-1) * values.unsqueeze(-3)  # (..., n_q, n_k, d)
    return torch.sum(parts, dim=-2)


@wrong(
    "weighted_sum",
    mistake="the running sum is not set back to zero between the outputs, so each row also contains the rows above it",
)
def third_ws_total_not_reset(weights, values):
    def mix(weights, values):
        if weights.ndim > 2:
            return np.array([mix(w, v) for w, v in zip(weights, values)])
        rows = []
        total = np.zeros(values.shape[-1])
        for row in weights:
            for weight, value in zip(row, values):
                total = total + weight * value
            rows.append(total)
        return np.array(rows)

    return mix(weights, values)


@wrong(
    "weighted_sum",
    mistake="np.average divides each mixture by the sum of its weights, but the weights are to be used as they are given",
)
def third_ws_np_average(weights, values):
    *batch, n_q, _ = weights.shape
    result = np.empty((*batch, n_q, values.shape[-1]))
    for index in np.ndindex(*batch):
        for i in range(n_q):
            result[index][i] = np.average(
                values[index], axis=0, weights=weights[index][i]
            )
    return result


@wrong(
    "normalize_weights",
    mistake="makes each row sum to 1 by adding the same amount to every weight instead of dividing, which changes the proportions",
)
def third_ws_shift_to_one(weights):
    n_k = weights.shape[-1]
    missing = 1 - weights.sum(axis=-1, keepdims=True)
    return weights + missing / n_k


@wrong(
    "moving_average_weights",
    mistake="near the edges it slides the window inward so that it always holds `window` values, instead of keeping it centered with fewer values",
)
def third_ws_window_slides_inward(n, window):
    half = window // 2

    def start(i):
        return min(max(i - half, 0), n - window)

    return np.array(
        [
            [
                1 / window if start(i) <= j < start(i) + window else 0.0
                for j in range(n)
            ]
            for i in range(n)
        ]
    )


@wrong(
    "in_convex_hull",
    mistake="checks that two of the weights are non-negative but not the third, so points beyond the opposite side count as inside",
)
def third_ws_third_weight_unchecked(point, triangle):
    a, b, c = triangle
    sides = np.column_stack([b - a, c - a])
    u, v = np.linalg.solve(sides, point - a)
    return bool(u >= 0 and v >= 0)


@wrong(
    "weighted_sum_torch",
    mistake="the result is collected in a float32 tensor whatever the dtype of the arguments AND the weights are detached, so no gradient reaches them",
)
def third_ws_float_buffer_detached(weights, values):
    coefficients = weights.detach()
    out = torch.zeros(*weights.shape[:-1], values.shape[-1])
    for j in range(values.shape[-2]):
        out += coefficients[..., :, j, None] * values[..., None, j, :]
    return out


def _share(row):
    total = 1.0
    for w in row:
        total += w
    return row / total


@wrong("normalize_weights", mistake="the total in the helper starts at 1, not 0")
def fourth_ws_total_from_one(weights):
    return np.apply_along_axis(_share, -1, weights)


def _near(i, n, reach):
    return [j for j in range(n) if -reach - 1 <= j - i <= reach]


@wrong(
    "moving_average_weights",
    said="of `_near`",
    mistake="the helper for the window reaches one too far to the left",
)
def fourth_ws_window_left(n, window):
    W = np.zeros((n, n))
    for i in range(n):
        js = _near(i, n, window // 2)
        for j in js:
            W[i, j] = 1 / len(js)
    return W


@wrong(
    "moving_average_weights",
    said="you move the window inward",
    mistake="near the edges it shifts the window inside, so that the window keeps its full "
    "length, instead of averaging over the values that exist",
)
def fifth_ws_window_pushed_inside(n, window):
    W = np.zeros((n, n))
    for i in range(n):
        start = min(max(i - window // 2, 0), n - window)
        W[i, start : start + window] = 1 / window
    return W


@wrong(
    "normalize_weights",
    said="with which value does `total` begin",
    mistake="accumulates the row sums over the rows before: the sum begins once and not anew for "
    "each row",
)
def fifth_ws_running_sum(weights):
    result = np.zeros(weights.shape)
    total = 0.0
    for place in np.ndindex(*weights.shape[:-1]):
        for w in weights[place]:
            total += w
        result[place] = weights[place] / total
    return result


@wrong(
    "weighted_sum",
    said="the last term of the sum only",
    mistake="adds with = instead of +=: each key's share replaces what was there, and only the "
    "last key counts",
)
def fifth_ws_only_last_key(weights, values):
    n_k = values.shape[-2]
    j = 0
    while j < n_k:
        y = weights[..., :, j, None] * values[..., None, j, :]
        j += 1
    return y


@wrong(
    "weighted_sum",
    said="the values of the first batch element",
    mistake="mixes the values of the first batch element for all elements of the batch",
)
def fifth_ws_first_batch_values(weights, values):
    if weights.ndim == 2:
        while values.ndim > 2:
            values = values[0]
        return np.einsum("qk,kd->qd", weights, values)
    return np.stack([fifth_ws_first_batch_values(part, values) for part in weights])
