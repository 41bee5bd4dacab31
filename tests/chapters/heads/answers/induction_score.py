"""Answers to `induction_score`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def is_diagonal(weights, period):
    diagonal = np.diagonal(weights, offset=1 - period, axis1=-2, axis2=-1)
    return diagonal[..., 1:].mean(axis=-1)


@right()
def is_loop(weights, period):
    n = weights.shape[-1]
    total = np.zeros(weights.shape[:-2])
    for i in range(period, n):
        total = total + weights[..., i, i - period + 1]
    return total / (n - period)


@right()
def is_mask(weights, period):
    i, j = np.indices(weights.shape[-2:])
    wanted = (i - j == period - 1) & (i >= period)
    return np.where(wanted, weights, 0).sum(axis=(-2, -1)) / wanted.sum()


@right()
def is_einsum(weights, period):
    n = weights.shape[-1]
    part = weights[..., period:, 1 : n - period + 1]
    return np.einsum("...ii->...", part) / (n - period)


@right()
def is_from_transpose(weights, period):
    columns = np.moveaxis(weights, (-2, -1), (0, 1))
    j = np.arange(1, columns.shape[0] - period + 1)
    return np.mean(columns[j + period - 1, j], axis=0)


# upper diagonal: the sign of the offset
@wrong("transposed")
def is_upper(weights, period):
    return np.diagonal(weights, period - 1, -2, -1)[..., 1:].mean(-1)


# the sum of all rows' weights on all earlier occurrences' next
@wrong("entries", said="Too many are (6, 1)")
def is_all_earlier(weights, period):
    n = weights.shape[-1]
    total = np.zeros(weights.shape[:-2])
    for i in range(period, n):
        for j in range(i - period, -1, -period):
            total = total + weights[..., i, j + 1]
    return total / (n - period)


# counts periods: i - 2 period + 1
@wrong(author="blind")
def blind_is_two_periods(weights, period):
    i = np.arange(period, weights.shape[-1])
    return weights[..., i, np.maximum(i - 2 * period + 1, 0)].mean(-1)


# the mean over the batch's first axis
@wrong(author="blind")
def blind_is_axis_0(weights, period):
    i = np.arange(period, weights.shape[-1])
    return weights[..., i, i - period + 1].mean(axis=0)


# the first row looks only at itself where the map is causal
@wrong("fails-no-mask")
def is_first_weight(weights, period):
    diagonal = np.diagonal(weights, 1 - period, -2, -1)[..., 1:]
    return diagonal.mean(axis=-1) / weights[..., 0, 0]


# what is left below the diagonal sums to 1 only where the map is causal
@wrong("up-to-itself")
def is_normalized_below(weights, period):
    below = np.tril(weights)
    below = below / below.sum(axis=-1, keepdims=True)
    return np.diagonal(below, 1 - period, -2, -1)[..., 1:].mean(axis=-1)


# adds up the weights on the tokens after ALL earlier occurrences, not only after the last one
@wrong("entries", said="after the *last* occurrence", author="blind")
def k46_all_occurrences(weights, period):
    n = weights.shape[-1]
    total = 0
    for i in range(period, n):
        j = i - period + 1
        while j >= 0:
            total = total + weights[..., i, j]
            j -= period
    return total / (n - period)


# finds where the largest weight lies and counts hits (argmax) instead of averaging the weight
@wrong("hits", author="blind")
def k50_counts_hits(weights, period):
    n = weights.shape[-2]
    looks = weights.argmax(axis=-1)
    target = np.arange(n) - period + 1
    return (looks == target)[..., period:].mean(axis=-1)


# looks at the token BEFORE the last occurrence (i-period-1) AND starts one token late (i > period)
@wrong("entries", said="you read column i − 4; i − 2 is right", author="blind")
def k63_before_and_late(weights, period):
    n = weights.shape[-1]
    s = np.zeros(weights.shape[:-2])
    count = 0
    for i in range(period + 1, n):
        s = s + weights[..., i, i - period - 1]
        count += 1
    return s / max(count, 1)


# rows and columns swapped (reads weights[target, i]) AND the sum instead of the mean
@wrong("transposed", "sum", author="blind")
def y50_swapped_sum(weights, period):
    n = weights.shape[-2]
    score = 0
    for i in range(period, n):
        target = i - period + 1
        score = score + weights[..., target, i]
    return score


# row and column are swapped AND starts at i = period + 1
@wrong(
    said="The first token that counts is 4 in yours; 3 is the first", author="blind"
)
def f51_swapped_late(weights, period):
    n = weights.shape[-1]
    found = [weights[..., i + 1 - period, i] for i in range(period + 1, n)]
    return np.mean(found, axis=0)


# divides by n instead of by n - period AND works for a single map only (indexes the first
# axes)
@wrong("first-axes", "divided-by-n", author="blind")
def u29_ind(weights, period):
    n = weights.shape[-1]
    total = 0.0
    for i in range(period, n):
        total = total + weights[i, i - period + 1]
    return total / n


# begins one row too late AND takes the token before the last occurrence
@wrong("token-before", "one-row-too-few", author="blind")
def b70_before_and_late(weights, period):
    i = np.arange(period + 1, weights.shape[-1])
    return weights[..., i, i - period - 1].mean(-1)
