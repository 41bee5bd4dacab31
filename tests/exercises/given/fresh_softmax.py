"""Answers to the exercises of `softmax` by somebody who had not seen the known mistakes."""

import math
from functools import reduce

import numpy as np
import torch

from tests.exercises.answers import Answers

right, wrong = Answers(), Answers()


@right("softmax")
def fresh_sm_row_by_row(scores):
    result = np.zeros(scores.shape, dtype=scores.dtype)
    for where in np.ndindex(scores.shape[:-1]):
        row = [float(s) for s in scores[where]]
        top = max(row)
        powers = [math.exp(s - top) for s in row]
        total = math.fsum(powers)
        result[where] = [p / total for p in powers]
    return result


@right("softmax")
def fresh_sm_sorted(scores):
    p = np.exp(scores - np.sort(scores, axis=-1)[..., -1:])
    return np.einsum("...j,...->...j", p, 1 / np.einsum("...j->...", p))


@right("softmax_with_temperature")
def fresh_temp_columns(scores, temperature):
    columns = np.moveaxis(scores, -1, 0)
    beta = 1 / temperature
    top = reduce(np.maximum, columns)
    powers = [np.exp((column - top) * beta) for column in columns]
    total = sum(powers)
    return np.stack([p / total for p in powers], axis=-1)


@right("softmax_with_temperature")
def fresh_temp_helper(scores, temperature):
    def normalized(positive):
        return np.divide(positive, positive.sum(axis=-1)[..., None])

    gap = np.subtract(scores, np.maximum.reduce(scores, axis=-1, keepdims=True))
    return normalized(np.exp(np.divide(gap, temperature)))


@right("entropy")
def fresh_ent_loop(weights):
    result = np.zeros(weights.shape[:-1], dtype=weights.dtype)
    for where in np.ndindex(weights.shape[:-1]):
        terms = [float(a) * math.log(a) for a in weights[where] if a > 0]
        result[where] = -math.fsum(terms)
    return result


@right("entropy")
def fresh_ent_einsum(weights):
    surprise = np.zeros_like(weights)
    np.log(weights, out=surprise, where=weights != 0)
    return np.einsum("...j,...j->...", weights, -surprise)


@right("softmax_jacobian")
def fresh_jac_diagonal_view(weights):
    J = np.einsum("...j,...m->...jm", -weights, weights)
    diagonal = np.einsum("...jj->...j", J)
    diagonal += weights
    return J


@right("softmax_jacobian")
def fresh_jac_columns(weights):
    n = weights.shape[-1]
    columns = []
    for m in range(n):
        a_m = weights[..., m : m + 1]
        delta = (np.arange(n) == m).astype(weights.dtype)
        columns.append(weights * (delta - a_m))
    return np.stack(columns, axis=-1)


@right("hide_the_axis_bug")
def fresh_axis_rolled():
    row = [0.5, -1.0, 3.0]
    return np.array([row[-k:] + row[:-k] for k in range(3)])


@right("hide_the_axis_bug")
def fresh_axis_logarithms():
    weights = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]])
    return np.log(weights)


@right("softmax_torch")
def fresh_smt_columns(scores):
    columns = scores.movedim(-1, 0)
    powers = torch.exp(columns - reduce(torch.maximum, columns))
    return (powers / reduce(torch.add, powers)).movedim(0, -1)


@right("softmax_torch")
def fresh_smt_sorted_einsum(scores):
    top = scores.detach().sort(dim=-1, descending=True).values[..., :1]
    e = (scores - top).exp()
    return e * torch.einsum("...j->...", e).reciprocal().unsqueeze(-1)


# softmax


@wrong(
    "softmax",
    mistake="the search for the largest score starts at 0, so a row that lies far"
    " below 0 is not shifted and underflows",
)
def fresh_sm_running_max_from_zero(scores):
    result = np.zeros(scores.shape, dtype=scores.dtype)
    for where in np.ndindex(scores.shape[:-1]):
        biggest = 0.0
        for s in scores[where]:
            if s > biggest:
                biggest = s
        total = 0.0
        for s in scores[where]:
            total = total + math.exp(s - biggest)
        for j, s in enumerate(scores[where]):
            result[where + (j,)] = np.float64(math.exp(s - biggest)) / total
    return result


@wrong(
    "softmax",
    mistake="a score of minus infinity is replaced by 0 and so gets a weight "
    "above 0",
)
def fresh_sm_infinity_becomes_zero(scores):
    cleaned = np.where(np.isinf(scores), 0, scores).astype(scores.dtype)
    cleaned = cleaned - np.max(cleaned, axis=-1, keepdims=True)
    e = np.exp(cleaned)
    return e / np.sum(e, axis=-1, keepdims=True)


@wrong("softmax", mistake="uses powers of 2 in place of powers of e")
def fresh_sm_powers_of_two(scores):
    top = np.max(scores, axis=-1)[..., None]
    p = np.exp2(scores - top)
    return np.einsum("...j,...->...j", p, 1 / np.einsum("...j->...", p))


@wrong(
    "softmax",
    mistake="clips the scores to a range in place of subtracting each row's "
    "maximum AND sums over the first axis, not over the last",
)
def fresh_sm_clip_and_first_axis(scores):
    limit = 80.0
    e = np.exp(np.clip(scores, -limit, limit))
    return e / e.sum(0, keepdims=True)


# softmax_with_temperature


@wrong(
    "softmax_with_temperature",
    mistake="divides by the temperature with //, which rounds every quotient down",
)
def fresh_temp_floor_division(scores, temperature):
    def one_row(row):
        colder = [s // temperature for s in row]
        hottest = max(colder)
        powers = [math.exp(c - hottest) for c in colder]
        return [p / sum(powers) for p in powers]

    flat = scores.reshape(-1, scores.shape[-1])
    rows = np.array([one_row(row) for row in flat], dtype=scores.dtype)
    return rows.reshape(scores.shape)


@wrong(
    "softmax_with_temperature",
    mistake="subtracts the largest score undivided, after the scores were divided"
    " by the temperature, so that exp overflows or underflows",
)
def fresh_temp_shift_undivided(scores, temperature):
    exponent = scores / temperature - scores.max(axis=-1, keepdims=True)
    e = np.exp(exponent)
    return e / e.sum(axis=-1, keepdims=True)


@wrong("softmax_with_temperature", mistake="changes the caller's scores in place")
def fresh_temp_in_place(scores, temperature):
    scores -= scores.max(axis=-1, keepdims=True)
    scores /= temperature
    e = np.exp(scores)
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "softmax_with_temperature",
    mistake="raises the weights to the power T in place of 1/T, which multiplies "
    "the scores by T AND normalizes the powers over the first axis",
)
def fresh_temp_power_and_first_axis(scores, temperature):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    w = e / e.sum(axis=-1, keepdims=True)
    sharpened = w**temperature
    return sharpened / sharpened.sum(axis=0)


# entropy


@wrong(
    "entropy",
    mistake="adds up all rows, so that one number comes out in place of one per "
    "row",
)
def fresh_ent_total(weights):
    safe = np.where(weights > 0, weights, 1)
    return -np.einsum("k,k->", np.ravel(weights), np.ravel(np.log(safe)))


@wrong(
    "entropy",
    mistake="divides by log n, so that equal weights get 1 and not log n",
)
def fresh_ent_normalized(weights):
    n = weights.shape[-1]
    h = np.zeros(weights.shape[:-1], dtype=weights.dtype)
    for j in range(n):
        a = weights[..., j]
        h = h - np.where(a > 0, a * np.log(np.where(a > 0, a, 1)), 0)
    return h / np.log(n) if n > 1 else h


@wrong(
    "entropy",
    mistake="also adds the terms -(1 - a) log(1 - a), as if every weight were a "
    "coin",
)
def fresh_ent_coins(weights):
    def term(p):
        return 0.0 if p <= 0 else -p * math.log(p)

    def row(ws):
        return sum(term(float(w)) + term(1.0 - float(w)) for w in ws)

    flat = weights.reshape(-1, weights.shape[-1])
    h = np.array([row(ws) for ws in flat], dtype=weights.dtype)
    return h.reshape(weights.shape[:-1])


@wrong(
    "entropy",
    mistake="takes the mean over the weights in place of the sum AND keeps the "
    "last axis",
)
def fresh_ent_mean_keepdims(weights):
    log_a = np.zeros_like(weights)
    np.log(weights, out=log_a, where=weights > 0)
    return -np.mean(weights * log_a, axis=-1, keepdims=True)


# softmax_jacobian


@wrong(
    "softmax_jacobian",
    mistake="np.diag makes a diagonal matrix of a single row only; of several "
    "rows it takes the diagonal out, which is then broadcast",
)
def fresh_jac_np_diag(weights):
    outer = weights[..., :, None] * weights[..., None, :]
    return np.diag(weights) - outer


@wrong(
    "softmax_jacobian",
    mistake="the entries off the diagonal have the wrong sign",
)
def fresh_jac_sign_off_diagonal(weights):
    n = weights.shape[-1]
    J = np.zeros(weights.shape + (n,), dtype=weights.dtype)
    for j in range(n):
        for m in range(n):
            if j == m:
                J[..., j, m] = weights[..., j] * (1 - weights[..., j])
            else:
                J[..., j, m] = weights[..., j] * weights[..., m]
    return J


@wrong(
    "softmax_jacobian",
    mistake="subtracts a_j in place of a_m in the bracket, so that the squares of"
    " the weights stand where their products belong",
)
def fresh_jac_squares(weights):
    delta = np.identity(weights.shape[-1], dtype=weights.dtype)
    bracket = delta - weights[..., :, None]
    return np.einsum("...j,...jm->...jm", weights, bracket)


@wrong(
    "softmax_jacobian",
    mistake="takes the softmax of the weights, as if they were scores AND has 1 "
    "in place of a_j on the diagonal before the product is subtracted",
)
def fresh_jac_softmax_again(weights):
    e = np.exp(weights)
    a = e / e.sum(axis=-1, keepdims=True)
    delta = np.eye(a.shape[-1], dtype=a.dtype)
    return delta - a[..., :, None] * a[..., None, :]


# true_of_softmax


@wrong(
    "true_of_softmax",
    mistake="c is false: a finite score never gives exactly 0 on paper",
)
def fresh_true_with_c():
    return {"b", "c", "d", "e"}


@wrong(
    "true_of_softmax",
    mistake="a is false: doubling the scores sharpens the weights AND d is true: "
    "entropy grows with the temperature",
)
def fresh_true_a_for_d():
    return {"a", "b", "e"}


# hide_the_axis_bug


@wrong(
    "hide_the_axis_bug",
    mistake="in a magic square the scores of all rows and columns have the same "
    "sum, but their exponentials have not",
)
def fresh_axis_magic_square():
    square = np.zeros((3, 3))
    i, j = 0, 1
    for number in range(1, 10):
        square[i, j] = number
        if square[(i - 1) % 3, (j + 1) % 3]:
            i = (i + 1) % 3
        else:
            i, j = (i - 1) % 3, (j + 1) % 3
    return square


@wrong(
    "hide_the_axis_bug",
    mistake="only the rows hold the same numbers in another order, the columns do"
    " not",
)
def fresh_axis_only_rows():
    return np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0], [2.0, 1.0, 0.0]])


@wrong(
    "hide_the_axis_bug",
    mistake="returns weights whose rows and columns sum to 1; the scores would be"
    " their logarithms",
)
def fresh_axis_weights_for_scores():
    return np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]])


@wrong(
    "hide_the_axis_bug",
    mistake="the array is 4 x 4, not 3 x 3 AND it is symmetric, which is not "
    "enough: its rows hold different numbers",
)
def fresh_axis_symmetric_four():
    return np.array([[float(i + j) for j in range(4)] for i in range(4)])


# softmax_torch


@wrong(
    "softmax_torch",
    mistake="subtracts the largest absolute value of each row, so that rows far "
    "below 0 underflow",
)
def fresh_smt_absolute_maximum(scores):
    shift = scores.abs().amax(dim=-1, keepdim=True)
    e = torch.exp(scores - shift)
    return e / e.sum(dim=-1, keepdim=True)


@wrong(
    "softmax_torch",
    mistake="returns float32, whatever the dtype of the scores",
)
def fresh_smt_always_float32(scores):
    x = scores.float()
    x = x - x.max(-1, keepdim=True).values
    e = x.exp()
    return e.div(torch.einsum("...j->...", e).unsqueeze(-1))


@wrong(
    "softmax_torch",
    mistake="builds a new tensor from plain numbers, so that no gradient flows",
)
def fresh_smt_plain_numbers(scores):
    def recurse(part):
        if isinstance(part[0], list):
            return [recurse(p) for p in part]
        top = max(part)
        powers = [math.exp(s - top) for s in part]
        total = math.fsum(powers)
        return [p / total for p in powers]

    return torch.tensor(recurse(scores.tolist()), dtype=scores.dtype)


@wrong(
    "softmax_torch",
    mistake="subtracts one maximum for the whole tensor, so that rows far below "
    "it underflow AND sums over the first axis, not over the last",
)
def fresh_smt_one_max_first_axis(scores):
    e = torch.exp(scores - torch.max(scores))
    return e / torch.sum(e, dim=0)
