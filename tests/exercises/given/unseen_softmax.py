"""Wrong answers to `softmax` by others who had not seen the known mistakes, either."""

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "softmax",
    mistake="cuts large scores off at 500 against overflow, so different large scores get equal weights, instead of subtracting the row's maximum",
)
def second_sm_cuts_off_large_scores(scores):
    powers = np.exp(np.clip(scores, None, 500))
    low = powers.sum(axis=-1, keepdims=True) == 0
    if np.any(low):  # a row that is very low everywhere
        shifted = np.exp(scores - scores.max(axis=-1, keepdims=True))
        powers = np.where(low, shifted, powers)
    return powers / powers.sum(axis=-1, keepdims=True)


@wrong(
    "softmax_with_temperature",
    mistake="divides the exponentials by the temperature, not the scores, so it cancels and has no effect",
)
def second_sm_temperature_cancels(scores, temperature):
    class Softmax:
        def __init__(self, temperature):
            self.temperature = temperature

        def powers(self, scores):
            return (
                np.exp(scores - scores.max(axis=-1, keepdims=True))
                / self.temperature
            )

        def __call__(self, scores):
            p = self.powers(scores)
            return p / p.sum(axis=-1, keepdims=True)

    return Softmax(temperature)(scores)


@wrong(
    "entropy",
    mistake="divides by log n, so that equal weights give 1 instead of log n",
)
def second_sm_entropy_from_0_to_1(weights):
    weights = np.asarray(weights)
    if weights.ndim > 1:
        return np.array([second_sm_entropy_from_0_to_1(row) for row in weights])
    total = 0.0
    for a in weights:
        if a > 0:
            total -= a * np.log(a)
    return total / np.log(len(weights)) if len(weights) > 1 else total


@wrong(
    "softmax_jacobian",
    mistake="the entries off the diagonal have the wrong sign, plus instead of minus "
    "AND the diagonal lacks the factor a_j, being 1 - a_j instead of a_j (1 - a_j)",
)
def second_sm_jacobian_sign_and_diagonal(weights):
    n = weights.shape[-1]
    J = np.zeros(weights.shape + (n,))
    for row in np.ndindex(weights.shape[:-1]):
        a = weights[row]
        for j in range(n):
            for m in range(n):
                J[row + (j, m)] = 1 - a[j] if j == m else a[j] * a[m]
    return J


@wrong(
    "hide_the_axis_bug",
    mistake="takes any symmetric matrix, for which the wrong axis gives the transposed weights, not the same weights",
)
def second_sm_any_symmetric_matrix():
    half = np.array([[0.5, 2.0, 3.0], [0.0, 2.0, 5.0], [0.0, 0.0, 3.0]])
    return half + half.T


@wrong(
    "softmax_torch",
    mistake="takes the sum inside no_grad as if it were a constant, so the weights are right but the gradient lacks the sum's part",
)
def second_sm_sum_as_constant(scores):
    with torch.no_grad():  # only constants, to keep the numbers small
        largest = scores.max(dim=-1, keepdim=True).values
        total = torch.exp(scores - largest).sum(dim=-1, keepdim=True)
    return torch.exp(scores - largest) / total


@wrong(
    "softmax",
    mistake="when a new maximum appears, the sum collected so far is not rescaled to it",
)
def third_sm_running_sum_not_rescaled(scores):
    def weigh(scores):
        if scores.ndim > 1:
            return np.stack([weigh(row) for row in scores])
        largest = -np.inf
        total = 0.0
        for score in scores:
            if score == -np.inf:
                continue
            largest = max(largest, score)
            total += np.exp(score - largest)
        return np.exp(scores - largest) / total

    return weigh(scores)


@wrong(
    "log_softmax",
    mistake="the maximum is subtracted inside the logarithm of the sum but not outside, so the result is too large by the maximum",
)
def third_sm_max_not_added_back(scores):
    shift = np.max(scores, axis=-1, keepdims=True)
    log_total = np.log(np.sum(np.exp(scores - shift), axis=-1, keepdims=True))
    return scores - log_total


@wrong(
    "softmax_with_temperature",
    mistake="multiplies the scores by the temperature instead of dividing AND normalizes over the whole array instead of each row",
)
def third_sm_hot_and_whole_array(scores, temperature):
    heated = scores * temperature
    powers = np.exp(heated - heated.max(axis=-1, keepdims=True))
    return powers / powers.sum()


@wrong(
    "entropy",
    mistake="picking out the positive weights flattens the array, so the entropies of all rows are added into one number",
)
def third_sm_entropy_all_rows(weights):
    positive = weights[weights > 0]
    return -np.sum(positive * np.log(positive))


@wrong(
    "softmax_jacobian",
    mistake="uses the weight of the row index twice, a_j (delta_jm - a_j), where the second one must be a_m",
)
def third_sm_jacobian_same_index(weights):
    delta = np.eye(weights.shape[-1])
    return np.einsum("...j,...jm->...jm", weights, delta - weights[..., :, None])


@wrong(
    "softmax_torch",
    mistake="clips large scores to avoid overflow instead of subtracting the maximum of each row",
)
def third_sm_clamped(scores):
    powers = torch.exp(torch.clamp(scores, min=-80, max=80))
    return powers / powers.sum(dim=-1, keepdim=True)


def _powers(x):
    return np.exp(x - x.max(axis=0, keepdims=True))


@wrong(
    "softmax",
    said="`max` runs along axis 0",
    mistake="its helper takes the largest of each column, not of each row",
)
def fourth_sm_helper_axis(scores):
    e = _powers(scores)
    return e / e.sum(axis=-1, keepdims=True)


def _row_softmax(row):
    total = 0.0
    powers = []
    for s in row:
        p = np.exp(s - max(row))
        powers.append(p)
        total = total + p * p
    return [p / total for p in powers]


@wrong(
    "softmax",
    said="of `_row_softmax`, `total = total + p * p`",
    mistake="its helper adds the squares of the powers of e instead of the powers",
)
def fourth_sm_squares_in_helper(scores):
    flat = scores.reshape(-1, scores.shape[-1])
    return np.array([_row_softmax(r) for r in flat]).reshape(scores.shape)


@wrong(
    "softmax_torch",
    said="you return float32",
    mistake="subtracts the largest absolute value, so a row of very negative scores becomes 0/0 "
    "AND stores the weights in a float32 tensor whatever the dtype of the scores",
)
def fourth_sm_absolute_float32(scores):
    n = scores.shape[-1]
    powers = torch.exp(scores - scores.abs().amax(dim=-1, keepdim=True))
    total = sum(powers[..., j] for j in range(n))
    weights = torch.zeros(scores.shape)
    for j in range(n):
        weights[..., j] = powers[..., j] / total
    return weights


@wrong(
    "log_softmax",
    said="the small number `1e-300` inside the logarithm shows",
    mistake="cuts the weights off at 1e-300 before the logarithm: small weights all become -690.8",
)
def fifth_sm_clipped_log(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    a = np.exp(shifted)
    a = a / a.sum(axis=-1, keepdims=True)
    return np.log(np.maximum(a, 1e-300))


@wrong(
    "softmax_jacobian",
    said="On the diagonal",
    mistake="has the wrong sign in front of the outer product AND leaves the diagonal without it",
)
def fifth_sm_jacobian_loops(weights):
    n = weights.shape[-1]
    J = np.zeros((*weights.shape, n))
    for j in range(n):
        for m in range(n):
            if j == m:
                J[..., j, m] = weights[..., j]
            else:
                J[..., j, m] = weights[..., j] * weights[..., m]
    return J


@wrong(
    "entropy",
    said="which rounds does `total` hold",
    mistake="overwrites the sum in each round: only the last weight counts",
)
def fifth_sm_entropy_last(weights):
    for j in range(weights.shape[-1]):
        a = weights[..., j]
        total = -np.where(a > 0, a * np.log(np.where(a > 0, a, 1)), 0.0)
    return total


@wrong(
    "softmax_with_temperature",
    said="to the power 1/temperature, divided by its sum",
    mistake="applies the temperature to the finished weights, as a power, so a weight that has "
    "already underflowed to 0 stays 0 at a high temperature",
)
def fifth_sm_power_of_weights(scores, temperature):
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    # e^(s/T) = (e^s)^(1/T)
    weights = weights ** (1 / temperature)
    return weights / weights.sum(axis=-1, keepdims=True)
