"""Answers to `normalize_weights`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def nw_guarded(weights):
    return weights / (weights.sum(axis=-1, keepdims=True) + 1e-9)


@right()
def nw_logarithms(weights):
    with np.errstate(divide="ignore"):
        logs = np.log(weights)
    return np.exp(logs - np.logaddexp.reduce(logs, axis=-1, keepdims=True))


@right()
def nw_einsum(weights):
    return weights / np.einsum("...j->...", weights)[..., None]


@right()
def nw_copy_then_in_place(weights):
    out = weights.copy()
    out /= np.expand_dims(out.sum(-1), -1)
    return out


@right()
def nw_matmul_with_ones(weights):
    return weights / (weights @ np.ones((weights.shape[-1], 1)))


@right(author="fresh")
def fresh_nw_row_loop(weights):
    out = np.array(weights / 1)
    for place in np.ndindex(weights.shape[:-1]):
        total = weights[place].sum()
        out[place] = [entry / total for entry in weights[place]]
    return out


@right(author="fresh")
def fresh_nw_axis_in_front(weights):
    columns = np.moveaxis(weights, -1, 0)
    return np.moveaxis(columns / columns.sum(axis=0), 0, -1)


# divides by the mean, not by the sum
@wrong()
def nw_mean(weights):
    return weights / np.mean(weights, -1, keepdims=True)


# the powers of e change the proportions
@wrong()
def nw_softmax(weights):
    powers = np.exp(weights - weights.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


# handed over to PyTorch's normalize
@wrong("built-in")
def nw_torch(weights):
    import torch

    given = torch.from_numpy(weights)
    return torch.nn.functional.normalize(given, p=1, dim=-1).numpy()


@wrong()
def nw_axis_1(weights):
    return weights / weights.sum(axis=1, keepdims=True)  # right without a batch


@wrong()
def nw_min_max(weights):
    low = weights.min(axis=-1, keepdims=True)
    return (weights - low) / (weights.max(axis=-1, keepdims=True) - low)


@wrong()
def nw_first_row_sum(weights):
    return weights / weights[0].sum()


@wrong()
def nw_loop_changes_total(weights):
    out = weights.copy()
    for i in range(len(out)):
        for j in range(len(out[i])):
            out[i, j] = out[i, j] / out[i].sum()  # the sum changes on the way
    return out


# divides each row by its Euclidean length instead of its sum
@wrong(author="fresh")
def fresh_nw_euclid(weights):
    def unit(row):
        return row / np.sqrt(sum(entry**2 for entry in row))

    return np.apply_along_axis(unit, -1, weights)


# sums over axis 1, which is the last axis only without batch axes AND adds 0.001 to the sum, so
# that rows fall short of 1
@wrong(author="fresh")
def fresh_nw_axis_one_and_eps(weights):
    total = np.add.reduce(weights, axis=1, keepdims=True)
    return weights / (total + 0.001)


def _share(row):
    total = 1.0
    for w in row:
        total += w
    return row / total


# the total in the helper starts at 1, not 0
@wrong(author="unseen")
def fourth_ws_total_from_one(weights):
    return np.apply_along_axis(_share, -1, weights)


# accumulates the row sums over the rows before: the sum begins once and not anew for each row
@wrong("row-sums", author="unseen")
def fifth_ws_running_sum(weights):
    result = np.zeros(weights.shape)
    total = 0.0
    for place in np.ndindex(*weights.shape[:-1]):
        for w in weights[place]:
            total += w
        result[place] = weights[place] / total
    return result


# divides in place, so that the argument itself is changed
@wrong("in-place", author="blind")
def b6_weighted_sum_1(weights):
    totals = np.sum(weights, axis=-1, keepdims=True)
    weights /= totals
    return weights


# adds a number to the sum in the divisor
@wrong("row-sums", said="is `0.01` to be added here", author="blind")
def own_weighted_sum_1(weights):
    s = weights.sum(axis=-1, keepdims=True)
    return weights / (s + 0.01)


# takes the excess of a row's sum off every weight alike (a shift) instead of dividing by the sum,
# so the proportions change
@wrong("excess-taken-off", author="blind")
def b7_weighted_sum_1(weights):
    n_k = weights.shape[-1]
    excess = weights.sum(axis=-1, keepdims=True) - 1
    return weights - excess / n_k


# min-max: the smallest weight of the row is subtracted first, which changes the proportions
@wrong("proportions", said="[1, 1, 2] became", author="blind")
def z20_minmax(weights):
    low = weights.min(axis=-1, keepdims=True)
    shifted = weights - low
    s = shifted.sum(axis=-1, keepdims=True)
    return np.where(s > 0, shifted / np.where(s > 0, s, 1), 1 / weights.shape[-1])


# divides by the row's maximum instead of its sum, and in place
@wrong("largest", "in-place", author="blind")
def t29_max_inplace(weights):
    weights /= weights.max(axis=-1, keepdims=True)
    return weights


# the sum leaves out the last weight AND is that of the squares, of which the root is taken
@wrong("length", "last-left-out", author="blind")
def length_without_the_last(weights):
    total = 0
    for j in range(weights.shape[-1] - 1):
        total = total + weights[..., j] ** 2
    return weights / np.sqrt(total)[..., None]
