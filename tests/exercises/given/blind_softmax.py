"""Wrong answers to the exercises of `softmax`, written blind in three rounds, and what they are told."""

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "softmax",
    "flattened",
    said="all numbers beyond a bound become alike here",
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


@wrong(
    "log_softmax",
    "shift-lost",
    mistake="the maximum is taken off inside the log-sum-exp but never added back (the scores stay unshifted outside)",
)
def b7_softmax_13(scores):
    biggest = scores.max(axis=-1, keepdims=True)
    log_total = np.log(np.exp(scores - biggest).sum(axis=-1, keepdims=True))
    return scores - log_total


@wrong(
    "softmax_with_temperature",
    "power-of-weights-divided",
    mistake="raises the finished weights to the power 1/T, so weights that underflowed to 0 at temperature 1 stay 0 at a high temperature",
)
def b7_softmax_14(scores, temperature):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    powered = weights ** (1 / temperature)
    return powered / powered.sum(axis=-1, keepdims=True)


@wrong(
    "entropy",
    "total",
    mistake="picking the positive weights with a boolean index flattens the array: the sum goes over all rows together",
)
def b7_softmax_15(weights):
    positive = weights[weights > 0]
    return -np.sum(positive * np.log(positive))


@wrong(
    "softmax_jacobian",
    "delta-everywhere",
    mistake="reads the delta as 1 everywhere: a_j (1 - a_m) also off the diagonal",
)
def b7_softmax_16(weights):
    a = weights[..., :, None]
    b = weights[..., None, :]
    return a * (1 - b)


@wrong(
    "hide_the_axis_bug",
    "symmetric",
    mistake="thinks that a symmetric matrix is enough (there the wrong axis gives the transposed weights, not the same ones)",
)
def b7_softmax_17():
    S = np.array([[1.0, 2.0, 3.0], [2.0, 5.0, 4.0], [3.0, 4.0, 0.0]])
    return S


@wrong(
    "softmax_torch",
    "row-sums",
    "dtype",
    said="along which axis does this `sum` run",
    mistake="(two) the sum goes along dim=1, right for two axes only, and the result comes back in float64",
)
def b7_softmax_18(scores):
    x = scores.double()
    x = x - x.amax(dim=-1, keepdim=True)
    e = torch.exp(x)
    return e / e.sum(dim=1, keepdim=True)


@wrong(
    "entropy",
    "zeroed-rows",
    mistake="one zero weight makes all entropies 0",
)
def own_softmax_102(weights):
    if np.any(weights == 0):
        return np.zeros(weights.shape[:-1])
    return -(weights * np.log(weights)).sum(axis=-1)


@wrong(
    "softmax_with_temperature",
    "fails-cold",
    said="what is done where this holds comes out wrong. Is a way of its own needed there",
    mistake="shortcut one-hot for low temperature",
)
def own_softmax_103(scores, temperature):
    if temperature <= 0.05:
        out = np.zeros_like(scores)
        np.put_along_axis(out, scores.argmax(axis=-1)[..., None], 1.0, axis=-1)
        return out
    z = scores / temperature
    z = z - z.max(axis=-1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "softmax",
    "nan",
    said="is 0 right to begin with, where everything may be smaller",
    mistake="loop maximum starts at 0",
)
def own_softmax_104(scores):
    flat = scores.reshape(-1, scores.shape[-1])
    out = np.zeros_like(flat)
    for r, row in enumerate(flat):
        top = 0
        for s in row:
            if s > top:
                top = s
        e = np.exp(row - top)
        out[r] = e / e.sum()
    return out.reshape(scores.shape)


@wrong(
    "softmax",
    "flattened",
    said="all numbers beyond a bound become alike here, however far apart they are. Which step keeps exponents small and leaves the differences as they are",
    mistake="clip against overflow",
)
def own_softmax_105(scores):
    e = np.exp(np.clip(scores, -100, 100))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "log_softmax",
    "fails-far",
    "inf",
    said="all numbers beyond a bound become alike here, however far apart they are. Which step keeps exponents small and leaves the differences as they are",
    mistake="minimum against overflow",
)
def own_softmax_106(scores):
    s = np.minimum(scores, 50)
    return s - np.log(np.exp(s).sum(axis=-1, keepdims=True))


@wrong(
    "softmax",
    "fails-vector",
    "row-sums",
    said="what is done where this holds comes out wrong. Is a way of its own needed there",
    mistake="rows of one sequence only where two axes",
)
def own_softmax_112(scores):
    if scores.ndim == 1:
        e = np.exp(scores - scores.max())
        return e / e.max()
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "softmax",
    "nan",
    said="is 0 right to begin with, where everything may be smaller",
    mistake="maximum with initial=0",
)
def own_softmax_115(scores):
    m = np.max(scores, axis=-1, keepdims=True, initial=0.0)
    e = np.exp(scores - m)
    return e / e.sum(axis=-1, keepdims=True)
