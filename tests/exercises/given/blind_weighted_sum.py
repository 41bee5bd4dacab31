"""Wrong answers to the exercises of `weighted_sum`, written blind in three rounds, and what they are told."""

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "normalize_weights",
    "in-place",
    mistake="divides in place, so that the argument itself is changed",
)
def b6_weighted_sum_1(weights):
    totals = np.sum(weights, axis=-1, keepdims=True)
    weights /= totals
    return weights


@wrong(
    "moving_average_weights",
    "edges-repeated",
    mistake="where the window leaves the data the edge value is counted again (clipped indices) instead of averaging over the values that exist",
)
def b6_weighted_sum_2(n, window):
    A = np.zeros((n, n))
    half = window // 2
    for i in range(n):
        for k in range(-half, half + 1):
            j = min(max(i + k, 0), n - 1)
            A[i, j] += 1 / window
    return A


@wrong(
    "in_convex_hull",
    "only-counterclockwise",
    mistake="the sign test holds for corners that run counterclockwise only",
)
def b6_weighted_sum_3(point, triangle):
    a, b, c = triangle

    def left_of(p, r, s):
        return (r[0] - p[0]) * (s[1] - p[1]) - (r[1] - p[1]) * (s[0] - p[0]) > 0

    return bool(
        left_of(a, b, point) and left_of(b, c, point) and left_of(c, a, point)
    )


@wrong(
    "weighted_sum",
    "renormalized",
    mistake="makes every row of weights sum to 1 first, although they are to be used as given",
)
def b6_weighted_sum_4(weights, values):
    total = weights.sum(axis=-1)[..., None]
    mixed = np.einsum("...ij,...jd->...id", weights, values)
    return mixed / total


@wrong(
    "weighted_sum_torch",
    "dtype",
    said="Here `float` makes it so",
    mistake="converts to float32, so the result is not in the dtype of the arguments",
)
def b6_weighted_sum_5(weights, values):
    w = weights.float()
    v = values.float()
    return torch.matmul(w, v)


@wrong(
    "rows_that_mix",
    "d",
    mistake="takes 'squares sum to 1' (d) to be kept by mixing, as the sum is",
)
def b6_weighted_sum_6():
    # c = (1-t) a + t b, so every linear condition survives
    return {"b", "c", "d", "e", "g"}


@wrong(
    "moving_average_weights",
    "edges",
    "right-end-missing",
    said="First: At the edges",
    mistake="the right end of the window is left out (range stops too early), and edge rows are divided by the full window",
)
def b6_weighted_sum_7(n, window):
    M = np.zeros((n, n))
    r = window // 2
    for row in range(n):
        start = max(0, row - r)
        stop = min(n, row + r)
        M[row, start:stop] = 1 / window
    return M


@wrong(
    "weighted_sum",
    "over-queries",
    said="`mean` stands where `sum` belongs",
    mistake="adds up over the axis of the queries instead of that of the keys, and averages (mean) instead of summing",
)
def b6_weighted_sum_8(weights, values):
    scaled = weights[..., :, :, None] * values[..., None, :, :]
    return scaled.mean(axis=-3)


@wrong(
    "normalize_weights",
    "row-sums",
    said="is all of this needed",
    mistake="adds a number to the sum in the divisor",
)
def own_weighted_sum_1(weights):
    s = weights.sum(axis=-1, keepdims=True)
    return weights / (s + 0.01)


@wrong(
    "moving_average_weights",
    "looks-ahead",
    mistake="forgets that the window is centered, begins at i",
)
def own_weighted_sum_2(n, window):
    A = np.zeros((n, n))
    for i in range(n):
        end = min(n, i + window)
        A[i, i:end] = 1 / (end - i)
    return A


@wrong(
    "in_convex_hull",
    "sum-forgotten",
    mistake="solves for the weights, but only asks that none is negative, not for the sum 1",
)
def own_weighted_sum_3(point, triangle):
    M = triangle.T
    w, *_ = np.linalg.lstsq(M, point, rcond=None)
    return bool((w >= 0).all())


@wrong(
    "weighted_sum",
    "mean",
    mistake="np.dot in a batch, and weights divided by the number of keys",
)
def own_weighted_sum_4(weights, values):
    n_k = weights.shape[-1]
    return np.dot(weights / n_k, values)


@wrong(
    "normalize_weights",
    "proportions",
    mistake="takes the excess of a row's sum off every weight alike (a shift) instead of dividing by the sum, so the proportions change",
)
def b7_weighted_sum_1(weights):
    n_k = weights.shape[-1]
    excess = weights.sum(axis=-1, keepdims=True) - 1
    return weights - excess / n_k


@wrong(
    "moving_average_weights",
    "edges-repeated",
    mistake='outside positions are clipped to the border ("replicate padding"), so the border value counts several times, instead of averaging over those that exist',
)
def b7_weighted_sum_2(n, window):
    half = window // 2
    W = np.zeros((n, n))
    for i in range(n):
        for step in range(-half, half + 1):
            j = min(max(i + step, 0), n - 1)
            W[i, j] += 1 / window
    return W


@wrong(
    "moving_average_weights",
    "columns",
    mistake="the band is divided by the sums of its columns instead of those of its rows",
)
def b7_weighted_sum_3(n, window):
    idx = np.arange(n)
    distance = np.abs(idx[:, None] - idx[None, :])
    band = (distance <= window // 2).astype(float)
    return band / band.sum(axis=0)


@wrong(
    "in_convex_hull",
    "untested",
    mistake="tests that the two edge coordinates lie between 0 and 1 each, but not that their sum is at most 1 (so it tests a parallelogram)",
)
def b7_weighted_sum_4(point, triangle):
    a, b, c = triangle
    edges = np.column_stack([b - a, c - a])
    s, t = np.linalg.solve(edges, point - a)
    return bool(0 <= s <= 1 and 0 <= t <= 1)


@wrong(
    "weighted_sum",
    said="is the last `i` of this line the right one here",
    mistake="the inner loop takes row i of the values where it should take row j",
)
def b7_weighted_sum_5(weights, values):
    n_q, n_k = weights.shape[-2:]
    out = np.zeros(weights.shape[:-1] + (values.shape[-1],))
    for i in range(min(n_q, n_k)):
        for j in range(n_k):
            out[..., i, :] += weights[..., i, j, None] * values[..., i, :]
    return out


@wrong(
    "weighted_sum_torch",
    "mean",
    "dtype",
    mistake="(two) takes the mean over the keys instead of the sum, and returns float32 whatever comes in",
)
def b7_weighted_sum_6(weights, values):
    terms = weights.unsqueeze(-1) * values.unsqueeze(-3)
    return terms.mean(dim=-2).float()


@wrong(
    "in_convex_hull",
    "untested",
    mistake="second corner as base",
)
def own_weighted_sum_110(point, triangle):
    a, b, c = triangle
    u, v = np.linalg.solve(np.array([a - b, c - b]).T, point - b)
    return bool(u > 0 and v > 0 and u < 1 and v < 1)
