"""Wrong answers to the exercises of `softmax`, written blind in two rounds, and what they are told."""

import numpy as np
import torch

from tests.grader.exercises.answers import Answers

wrong = Answers()


@wrong(
    "softmax",
    "flattened",
    said="is `clip` needed here",
    mistake="clips the scores against overflow instead of subtracting the row's maximum",
)
def b6_softmax_1(scores):
    s = np.clip(scores, -700, 700)
    e = np.exp(s)
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "log_softmax",
    "floor",
    "small-number",
    said="the small number `1e-12` inside the logarithm shows in the result. How",
    mistake="adds a small number inside the log, so no logarithm goes below log(1e-12)",
)
def b6_softmax_2(scores):
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    p = np.exp(shifted)
    p = p / np.sum(p, axis=-1, keepdims=True)
    return np.log(p + 1e-12)


@wrong(
    "softmax_with_temperature",
    "nan",
    said="you take `scores` for the scaled scores",
    mistake="shifts by the maximum of the undivided scores, so that exp still overflows or underflows",
)
def b6_softmax_3(scores, temperature):
    biggest = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores / temperature - biggest)
    return e / e.sum(axis=-1, keepdims=True)


@wrong("entropy", "base-2", mistake="logarithm to base 2 (bits) instead of nats")
def b6_softmax_4(weights):
    safe = np.where(weights > 0, weights, 1.0)
    return -(weights * np.log2(safe)).sum(axis=-1)


@wrong(
    "softmax_jacobian",
    "row-sums",
    said="you put `:` and `None` in the other order",
    mistake="the weight in front stands along the columns too: a_m (delta - a_m)",
)
def b6_softmax_5(weights):
    n = weights.shape[-1]
    a = weights[..., np.newaxis, :]
    return a * (np.eye(n) - a)


@wrong(
    "softmax_torch",
    "argmax-shift",
    mistake="subtracts the *position* of the maximum (argmax), not its value",
)
def b6_softmax_6(scores):
    top = scores.argmax(dim=-1, keepdim=True)
    e = torch.exp(scores - top)
    return e / e.sum(dim=-1, keepdim=True)


@wrong(
    "softmax",
    "row-sums",
    said="is `where` needed here",
    mistake="an entry of -inf is replaced by a score of 0, and the sum goes over the whole array",
)
def b6_softmax_7(scores):
    s = np.where(np.isinf(scores), 0.0, scores)
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum()


@wrong(
    "scores_behind",
    "divided",
    mistake="divides the logarithms by the temperature instead of multiplying, and does not shift them to sum 0",
)
def b6_softmax_8():
    w = np.array([1 / 2, 1 / 3, 1 / 6])
    return np.round(np.log(w) / 2, 3)


@wrong(
    "softmax",
    "no-shift",
    said="`sum` runs over everything instead of along axis -1",
    mistake="no shift and a sum over everything",
)
def own_softmax_1(scores):
    return np.exp(scores) / np.exp(scores).sum()


@wrong(
    "entropy",
    "certain",
    "small-number",
    said="the small number `0.001` shows in the result. Is it needed",
    mistake="clips at 1e-3 before the logarithm",
)
def own_softmax_2(weights):
    w = np.clip(weights, 1e-3, 1)
    return -(w * np.log(w)).sum(-1)


@wrong(
    "softmax_jacobian",
    "sigmoid-like",
    mistake="only the diagonal, a (1 - a), forgets the others",
)
def own_softmax_3(weights):
    n = weights.shape[-1]
    return np.eye(n) * (weights * (1 - weights))[..., None]


@wrong(
    "softmax_with_temperature",
    "multiplied",
    "global-shift",
    mistake="multiplies by the temperature, one maximum of the whole array",
)
def own_softmax_4(scores, temperature):
    z = scores * temperature
    e = np.exp(z - np.max(z))
    return e / np.sum(e, axis=-1, keepdims=True)
