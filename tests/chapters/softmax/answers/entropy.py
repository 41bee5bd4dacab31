"""Answers to `entropy`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def en_xlogy(weights):
    from scipy.special import xlogy

    return -xlogy(weights, weights).sum(axis=-1)


@right()
def en_nansum(weights):
    return -np.nansum(weights * np.log(weights), axis=-1)


@right()
def en_tiny_epsilon(weights):
    return -np.sum(weights * np.log(weights + 1e-12), axis=-1)


@right()
def en_loops(weights):
    if weights.ndim > 1:
        return np.array([en_loops(row) for row in weights])
    return -sum(w * np.log(w) for w in weights if w > 0)


@right()
def en_common_epsilon(weights):
    return -np.sum(weights * np.log(weights + 1e-8), axis=-1)


@right()
def en_nan_to_num(weights):
    with np.errstate(all="ignore"):
        return -np.nan_to_num(weights * np.log(weights)).sum(axis=-1)


@right()
def en_entr(weights):
    from scipy.special import entr

    return entr(weights).sum(axis=-1)


@right(author="fresh")
def fresh_ent_loop(weights):
    result = np.zeros(weights.shape[:-1], dtype=weights.dtype)
    for where in np.ndindex(weights.shape[:-1]):
        terms = [float(a) * math.log(a) for a in weights[where] if a > 0]
        result[where] = -math.fsum(terms)
    return result


@right(author="fresh")
def fresh_ent_einsum(weights):
    surprise = np.zeros_like(weights)
    np.log(weights, out=surprise, where=weights != 0)
    return np.einsum("...j,...j->...", weights, -surprise)


@wrong()
def en_epsilon(weights):
    return -np.sum(weights * np.log(weights + 0.01), axis=-1)


@wrong()
def en_log1p(weights):
    return -np.sum(weights * np.log1p(weights), axis=-1)


@wrong()
def en_loop_python_floats(weights):
    from math import log

    return [-sum(w * log(w) for w in row if w > 0) for row in weights]


# small weights are left out, not only zeros
@wrong()
def en_threshold(weights):
    safe = np.where(weights > 1e-3, weights, 1)
    return -(weights * np.log(safe)).sum(axis=-1)


# bits, and NaN for weights that are 0
@wrong("zeros", "base-2")
def en_naive_bits(weights):
    return -np.sum(weights * np.log2(weights), axis=-1)


# the mean of the rows, not one number for each
@wrong()
def en_mean_of_rows(weights):
    safe = np.where(weights > 0, weights, 1)
    return -(weights * np.log(safe)).sum(axis=-1).mean()


# log 0 is replaced by 0 in weights and logarithm: log 1e-9 stays
@wrong()
def en_zeros_as_ones(weights):
    w = np.where(weights == 0, 1e-2, weights)
    return -(w * np.log(w)).sum(axis=-1)


@wrong("built-in")
def en_torchs(weights):
    import torch

    given = torch.from_numpy(weights)
    return torch.distributions.Categorical(probs=given).entropy().numpy()


# divides by log n, so that equal weights give 1 instead of log n
@wrong(author="unseen")
def second_sm_entropy_from_0_to_1(weights):
    weights = np.asarray(weights)
    if weights.ndim > 1:
        return np.array([second_sm_entropy_from_0_to_1(row) for row in weights])
    total = 0.0
    for a in weights:
        if a > 0:
            total -= a * np.log(a)
    return total / np.log(len(weights)) if len(weights) > 1 else total


# overwrites the sum in each round: only the last weight counts
@wrong(said="which rounds does `total` hold", author="unseen")
def fifth_sm_entropy_last(weights):
    for j in range(weights.shape[-1]):
        a = weights[..., j]
        total = -np.where(a > 0, a * np.log(np.where(a > 0, a, 1)), 0.0)
    return total


# one zero weight makes all entropies 0
@wrong("zeroed-rows", author="blind")
def own_softmax_102(weights):
    if np.any(weights == 0):
        return np.zeros(weights.shape[:-1])
    return -(weights * np.log(weights)).sum(axis=-1)


# takes the weights for scores and applies softmax to them first
@wrong("softmaxed-first", author="blind")
def b8_softmax_first(weights):
    e = np.exp(weights - weights.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    return -(p * np.log(p)).sum(axis=-1)


# averages the terms over the n weights instead of summing them
@wrong("mean-of-terms", author="blind")
def b8_mean(weights):
    positive = weights > 0
    terms = np.where(
        positive, weights * np.log(np.where(positive, weights, 1.0)), 0.0
    )
    return -np.mean(terms, axis=-1)


# divides by log n, so that equal weights give 1 (normalized entropy) instead of log n
@wrong("normalized", author="blind")
def y01_normalized(weights):
    n = weights.shape[-1]
    safe = np.where(weights > 0, weights, 1.0)
    h = -np.sum(weights * np.log(safe), axis=-1)
    return h / np.log(n)


# the minus sign is missing AND the mean over all rows is returned
@wrong("sign", "averaged", author="blind")
def f04_sign_mean(weights):
    logs = np.log(np.where(weights == 0, 1, weights))
    per_row = np.einsum("...j,...j->...", weights, logs)
    return per_row.mean()
