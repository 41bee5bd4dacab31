"""Wrong answers to the exercises of `weighted_sum`. Each must be refused."""

import numpy as np

from tests.exercises.answers import Answers

wrong = Answers()

# weighted_sum


@wrong("weighted_sum")
def ws_loop_overwrites(weights, values):
    out = np.zeros((weights.shape[0], values.shape[1]))
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out[i] = weights[i, j] * values[j]
    return out


@wrong("weighted_sum")
def ws_loop_two_axes_only(weights, values):
    out = np.zeros((weights.shape[0], values.shape[1]))
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out[i] += weights[i, j] * values[j]
    return out


@wrong("weighted_sum")
def ws_np_dot(weights, values):
    return np.dot(weights, values)  # right in two dimensions, another thing in four


@wrong("weighted_sum")
def ws_np_average(weights, values):
    return np.stack([np.average(values, axis=0, weights=row) for row in weights])


@wrong("weighted_sum")
def ws_broadcast_sum_all(weights, values):
    return (weights[..., None] * values[..., None, :, :]).sum()


@wrong("weighted_sum")
def ws_einsum_transposed(weights, values):
    return np.einsum("...ji,...jd->...id", weights, values)


@wrong("weighted_sum")
def ws_hard_coded(weights, values):
    out = np.zeros((2, 4))
    for i in range(2):
        for j in range(3):
            out[i] += weights[i, j] * values[j]
    return out


@wrong("weighted_sum")
def ws_returns_in_loop(weights, values):
    out = np.zeros((weights.shape[0], values.shape[1]))
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out[i] += weights[i, j] * values[j]
        return out


@wrong("weighted_sum")
def ws_argmax(weights, values):
    return values[weights.argmax(axis=-1)]


@wrong("weighted_sum")
def ws_abs_weights(weights, values):
    return np.abs(weights) @ values


@wrong("weighted_sum")
def ws_rounds(weights, values):
    return np.round(weights @ values, 2)


@wrong("weighted_sum")
def ws_prints(weights, values):
    print(weights @ values)


@wrong("weighted_sum")
def ws_list(weights, values):
    return (weights @ values).tolist()


@wrong("weighted_sum")
def ws_int_output(weights, values):
    out = np.zeros((weights.shape[0], values.shape[1]), dtype=int)
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            out[i] += (weights[i, j] * values[j]).astype(int)
    return out


@wrong("weighted_sum", mistake="the negative weights are set to 0")
def ws_clips(weights, values):
    return np.clip(weights, 0, None) @ values


@wrong("weighted_sum", mistake="sums over i, where j is asked for")
def ws_sums_over_outputs(weights, values):
    return (weights[..., None] * values[..., None, :, :]).sum(axis=-3)


@wrong("weighted_sum", mistake="squeeze removes an axis of length 1")
def ws_squeezes(weights, values):
    return np.squeeze(weights @ values)


@wrong("weighted_sum", mistake="rounds to six decimals")
def ws_rounds_to_six(weights, values):
    return np.round(weights @ values, 6)


@wrong("weighted_sum", mistake="row 0 of the weights for all outputs")
def ws_index_forgotten(weights, values):
    out = np.zeros((len(weights), values.shape[1]))
    for i in range(len(weights)):
        for j in range(len(values)):
            out[i] += weights[0, j] * values[j]
    return out


@wrong(
    "weighted_sum", "built-in", mistake="handed over to the course's PyTorch twin"
)
def ws_torch_twin(weights, values):
    import torch

    from course_attn.in_torch.weighted_sum import weighted_sum

    return weighted_sum(torch.from_numpy(weights), torch.from_numpy(values)).numpy()


# normalize_weights


@wrong("normalize_weights", mistake="a constant in the denominator")
def nw_constant(weights):
    return weights / (weights.sum(axis=-1, keepdims=True) + 1e-3)


@wrong("normalize_weights", mistake="divides by the mean, not by the sum")
def nw_mean(weights):
    return weights / np.mean(weights, -1, keepdims=True)


@wrong("normalize_weights", mistake="the powers of e change the proportions")
def nw_softmax(weights):
    powers = np.exp(weights - weights.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@wrong(
    "normalize_weights", "built-in", mistake="handed over to PyTorch's normalize"
)
def nw_torch(weights):
    import torch

    given = torch.from_numpy(weights)
    return torch.nn.functional.normalize(given, p=1, dim=-1).numpy()


@wrong("normalize_weights")
def nw_axis_0(weights):
    return weights / weights.sum(axis=0)


@wrong("normalize_weights")
def nw_in_place(weights):
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


@wrong("normalize_weights")
def nw_axis_1(weights):
    return weights / weights.sum(axis=1, keepdims=True)  # right without a batch


@wrong("normalize_weights")
def nw_min_max(weights):
    low = weights.min(axis=-1, keepdims=True)
    return (weights - low) / (weights.max(axis=-1, keepdims=True) - low)


@wrong("normalize_weights")
def nw_first_row_sum(weights):
    return weights / weights[0].sum()


@wrong("normalize_weights")
def nw_loop_changes_total(weights):
    out = weights.copy()
    for i in range(len(out)):
        for j in range(len(out[i])):
            out[i, j] = out[i, j] / out[i].sum()  # the sum changes on the way
    return out


# moving_average_weights


@wrong("moving_average_weights")
def ma_negative_slice(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        out[i, i - window // 2 : i + window // 2 + 1] = 1
        out[i] /= max(out[i].sum(), 1)
    return out


@wrong("moving_average_weights")
def ma_stops_early(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        low, high = max(0, i - window // 2), min(n - 1, i + window // 2)
        out[i, low:high] = 1 / max(high - low, 1)
    return out


@wrong("moving_average_weights")
def ma_banded(n, window):
    return (
        sum(np.eye(n, k=k) for k in range(-(window // 2), window // 2 + 1)) / window
    )


@wrong("moving_average_weights")
def ma_true_false(n, window):
    i = np.arange(n)
    return np.abs(i[:, None] - i) <= window // 2


@wrong("moving_average_weights")
def ma_window_three(n, window):
    band = np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    return band / band.sum(axis=1, keepdims=True)


@wrong("moving_average_weights", mistake="the value at the edge is repeated")
def ma_padded_with_the_edge(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(i - window // 2, i + window // 2 + 1):
            out[i, min(max(j, 0), n - 1)] += 1 / window
    return out


@wrong("moving_average_weights", mistake="at the edges the window is moved inward")
def ma_full_windows(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        start = min(max(i - window // 2, 0), n - window)
        out[i, start : start + window] = 1 / window
    return out


@wrong("moving_average_weights", mistake="the right end of the slice is excluded")
def ma_one_short(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        low, high = max(0, i - window // 2), min(n, i + window // 2)
        out[i, low:high] = 1 / (high - low)
    return out


@wrong(
    "moving_average_weights", mistake="rows should be divided as columns: keepdims"
)
def ma_no_keepdims(n, window):
    i = np.arange(n)
    band = np.abs(i[:, None] - i) <= window // 2
    return band / band.sum(axis=1)


@wrong(
    "moving_average_weights", mistake="negative start, and NaN from an empty mean"
)
def ma_empty_slices(n, window):
    out = np.zeros((n, n))
    for i in range(n):
        out[i, i - window // 2 : i + window // 2 + 1] = 1
    return out / out.sum(axis=1, keepdims=True)


# in_convex_hull


@wrong("in_convex_hull", mistake="areas compared with ==: rounding")
def ch_areas_exactly(point, triangle):
    def area(a, b, c):
        return (
            abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2
        )

    a, b, c = triangle
    return bool(
        area(point, b, c) + area(a, point, c) + area(a, b, point) == area(a, b, c)
    )


@wrong(
    "in_convex_hull",
    mistake="weights by distance are not the weights of the mixture",
)
def ch_nearer_than_the_others(point, triangle):
    center = triangle.mean(axis=0)
    return bool(
        np.linalg.norm(point - center)
        <= np.linalg.norm(triangle - center, axis=1).min()
    )


@wrong("in_convex_hull", mistake="only two of the three edges are tested")
def ch_two_edges(point, triangle):
    edges, arms = np.roll(triangle, -1, axis=0) - triangle, point - triangle
    cross = edges[:, 0] * arms[:, 1] - edges[:, 1] * arms[:, 0]
    return bool(cross[0] * cross[1] > 0)


@wrong(
    "in_convex_hull", mistake="an absolute tolerance larger than small triangles"
)
def ch_absolute_tolerance(point, triangle):
    def area(a, b, c):
        return (
            abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2
        )

    a, b, c = triangle
    parts = area(point, b, c) + area(a, point, c) + area(a, b, point)
    return bool(abs(parts - area(a, b, c)) < 1e-3)


@wrong("in_convex_hull", mistake="the corners must be columns of the equations")
def ch_not_transposed(point, triangle):
    equations = np.hstack([triangle, np.ones((3, 1))])
    return bool((np.linalg.solve(equations, np.append(point, 1)) >= 0).all())


@wrong("in_convex_hull")
def ch_area_with_sign(point, triangle):
    def area(a, b, c):
        return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))

    a, b, c = triangle
    parts = area(point, b, c) + area(a, point, c) + area(a, b, point)
    return bool(np.isclose(parts, area(a, b, c)))  # always true: signs cancel


@wrong("in_convex_hull")
def ch_nearest_corner(point, triangle):
    sides = np.linalg.norm(triangle - np.roll(triangle, 1, axis=0), axis=1)
    return bool(np.linalg.norm(triangle - point, axis=1).max() <= sides.max())


@wrong("in_convex_hull")
def ch_wrong_orientation(point, triangle):
    edges, arms = np.roll(triangle, -1, axis=0) - triangle, point - triangle
    return bool(np.all(edges[:, 0] * arms[:, 1] - edges[:, 1] * arms[:, 0] <= 0))


@wrong("in_convex_hull")
def ch_least_squares_without_sum(point, triangle):
    weights = np.linalg.lstsq(triangle.T, point, rcond=None)[0]
    return bool((weights >= 0).all())


@wrong("in_convex_hull")
def ch_returns_weights(point, triangle):
    return np.linalg.solve(np.vstack([triangle.T, np.ones(3)]), np.append(point, 1))


@wrong("in_convex_hull")
def ch_returns_zero_or_one(point, triangle):
    weights = np.linalg.solve(
        np.vstack([triangle.T, np.ones(3)]), np.append(point, 1)
    )
    return int(weights.min() >= 0)


@wrong("in_convex_hull", "built-in", mistake="handed over to matplotlib")
def ch_matplotlib(point, triangle):
    from matplotlib.path import Path

    return bool(Path(triangle).contains_point(point))


# mixture_shape


@wrong("mixture_shape")
def ms_seven():
    return (2, 11, 7)


@wrong("mixture_shape")
def ms_text():
    return "2, 11, 3"


@wrong("mixture_shape")
def ms_four():
    return (2, 2, 11, 3)


@wrong("mixture_shape")
def ms_array():
    return np.ones((2, 11, 3))


@wrong("mixture_shape")
def ms_swapped():
    return (11, 2, 3)


@wrong("mixture_shape", "features-missing")
def ms_one_number_each():
    return (2, 11)


@wrong("mixture_shape", "concatenated")
def ms_side_by_side():
    return (2, 11, 10)


@wrong("mixture_shape", "not-summed")
def ms_all_products():
    return (2, 11, 7, 3)


# weighted_sum_torch


@wrong("weighted_sum_torch", mistake="the mean over j, not the sum")
def wst_mean(weights, values):
    return (weights[..., None] * values[..., None, :, :]).mean(dim=-2)


@wrong("weighted_sum_torch", mistake="the last value never enters")
def wst_stops_early(weights, values):
    return sum(
        weights[..., j, None] * values[..., j, None, :]
        for j in range(weights.shape[-1] - 1)
    )


@wrong("weighted_sum_torch", "built-in", mistake="handed over to the NumPy twin")
def wst_course(weights, values):
    from course_attn.in_torch.weighted_sum import weighted_sum

    return weighted_sum(weights, values)


@wrong("weighted_sum_torch")
def wst_numpy_inside(weights, values):
    import torch

    return torch.from_numpy(weights.numpy() @ values.numpy())


@wrong("weighted_sum_torch")
def wst_returns_numpy(weights, values):
    return weights.detach().numpy() @ values.detach().numpy()


@wrong("weighted_sum_torch")
def wst_detaches_weights(weights, values):
    return weights.detach() @ values


@wrong("weighted_sum_torch")
def wst_zeros_float32(weights, values):
    import torch

    out = torch.zeros(*weights.shape[:-1], values.shape[-1])
    for j in range(weights.shape[-1]):
        out = out + (weights[..., j, None] * values[..., j, None, :]).float()
    return out


@wrong("weighted_sum_torch")
def wst_item(weights, values):
    import torch

    rows = [
        [sum(w.item() * v for w, v in zip(r, c, strict=True)) for c in values.T]
        for r in weights
    ]
    return torch.stack([torch.stack(row) for row in rows])


@wrong("weighted_sum_torch")
def wst_mm(weights, values):
    import torch

    return torch.mm(weights, values)


# rows_that_mix


@wrong(
    "rows_that_mix", "a", mistake="one-hot rows are averages, but not a convex set"
)
def rtm_all_averages():
    return {"a", "b", "f", "g"}


@wrong("rows_that_mix", "f", mistake="two weights and two others make four")
def rtm_two_weights_stay_two():
    return "bcefg"


@wrong("rows_that_mix", "d", mistake="squares do not add up like the weights do")
def rtm_sums_of_anything():
    return ["b", "c", "d", "e", "g"]


@wrong("rows_that_mix", "c-missing", mistake="only averages are thought to mix")
def rtm_averages_only():
    return {"b", "g"}


@wrong("rows_that_mix", "opposite", mistake="names the kinds that break")
def rtm_the_broken_ones():
    return "adf"


@wrong("rows_that_mix", "form", mistake="returns the row, not the letters")
def rtm_the_row():
    a, b, t = np.array([0.5, 0.5, 0, 0]), np.array([0, 0, 0.5, 0.5]), 0.25
    return (1 - t) * a + t * b
