"""Wrong answers to `scaling` by others who had not seen the known mistakes, either."""

import numpy as np
import torch

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "scaled_attention",
    mistake="divides both Q and K by the root of d_k, so that the scores are divided by d_k itself",
)
def second_sc_root_twice(Q, K, V):
    root = np.sqrt(Q.shape[-1])
    Q = Q / root
    K = K / root
    scores = Q @ K.swapaxes(-1, -2)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ V


@wrong(
    "scaled_attention",
    mistake="the search for the largest score of a row starts at 0, so in a row of very negative"
    " scores all exponentials become 0 and the result is 0/0",
)
def second_sc_max_from_zero(Q, K, V):
    if Q.ndim > 2:
        return np.array(
            [second_sc_max_from_zero(q, k, v) for q, k, v in zip(Q, K, V)]
        )
    n_q, d_k = Q.shape
    n_k, d_v = V.shape
    Y = np.zeros((n_q, d_v))
    for i in range(n_q):
        scores = []
        biggest = 0.0
        for j in range(n_k):
            s = 0.0
            for c in range(d_k):
                s += Q[i, c] * K[j, c]
            s /= d_k**0.5
            if s > biggest:
                biggest = s
            scores.append(s)
        exps = [np.exp(s - biggest) for s in scores]
        total = sum(exps)
        for j in range(n_k):
            Y[i] += exps[j] / total * V[j]
    return Y


@wrong(
    "init_projection",
    mistake="draws one number for each row and repeats it, so the entries of a row are all equal"
    " and not independent",
)
def second_sc_row_repeated(rng, d_in, d_out):
    return np.array([[rng.normal(0.0, d_in**-0.5)] * d_out for _ in range(d_in)])


@wrong(
    "score_variance",
    mistake="for k = q it returns the mean square of each product, E[z^4], without taking away the"
    " square of its mean",
)
def second_sc_no_mean_square(d_k, mean, shared):
    class Moments:
        def __init__(self, mu):
            self.mu = mu

        def second(self):
            return 1 + self.mu**2

        def fourth(self):
            return self.mu**4 + 6 * self.mu**2 + 3

    z = Moments(mean)
    if shared:
        return d_k * z.fourth()
    return d_k * (z.second() ** 2 - mean**4)


@wrong(
    "scaled_attention_torch",
    mistake="computes the weights under no_grad, so no gradient reaches Q and K",
)
def second_sc_weights_no_grad(Q, K, V):
    with torch.no_grad():
        scores = Q @ K.mT / Q.shape[-1] ** 0.5
        weights = torch.softmax(scores, dim=-1)
    return weights @ V


@wrong(
    "scaled_attention_torch",
    mistake="divides by the root of the values' width d_v, not of the queries' d_k AND takes the"
    " softmax over the queries, not over the keys",
)
def second_sc_dv_and_queries(Q, K, V):
    scores = torch.einsum("...qc,...kc->...kq", Q, K) * V.shape[-1] ** -0.5
    weights = torch.softmax(scores, dim=-1)
    return torch.einsum("...kq,...kv->...qv", weights, V)


@wrong(
    "scaled_attention",
    mistake="divides both Q and K by the root of d_k, so that the scores are divided by d_k",
)
def third_sc_both_divided(Q, K, V):
    root = np.sqrt(Q.shape[-1])
    scores = np.einsum("...id,...jd->...ij", Q / root, K / root)
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - top)
    return np.einsum("...ij,...jv->...iv", e / e.sum(axis=-1, keepdims=True), V)


@wrong(
    "scaled_attention",
    mistake="subtracts the score of the first key instead of the largest score of the row, so that "
    "exp still overflows",
)
def third_sc_first_not_largest(Q, K, V):
    if Q.ndim > 2:
        return np.stack(
            [third_sc_first_not_largest(q, k, v) for q, k, v in zip(Q, K, V)]
        )
    d = Q.shape[1]
    Y = np.zeros((Q.shape[0], V.shape[1]))
    for i in range(Q.shape[0]):
        s = []
        for j in range(K.shape[0]):
            s.append(sum(Q[i, c] * K[j, c] for c in range(d)) / d**0.5)
        start = s[0]
        e = [np.exp(x - start) for x in s]
        for j in range(K.shape[0]):
            Y[i] += e[j] / sum(e) * V[j]
    return Y


@wrong(
    "init_projection",
    mistake="draws uniformly between -1/sqrt(d_in) and 1/sqrt(d_in), which has a variance of only "
    "1/(3 d_in)",
)
def third_sc_uniform_bound(rng, d_in, d_out):
    bound = 1 / np.sqrt(d_in)
    return rng.uniform(-bound, bound, size=(d_in, d_out))


@wrong(
    "init_projection",
    mistake="draws one row outside the loop and puts it into every row, so that the entries of a "
    "column are all equal instead of independent",
)
def third_sc_same_row(rng, d_in, d_out):
    W = np.empty((d_in, d_out))
    row = rng.normal(0.0, d_in**-0.5, size=d_out)
    for i in range(d_in):
        W[i] = row
    return W


@wrong(
    "score_variance",
    mistake="for independent q and k counts the term with the mean once instead of twice (one for "
    "q, one for k) AND for k = q subtracts the mean to the fourth where the square of E[x^2], "
    "(1 + mean^2)^2, belongs",
)
def third_sc_two_variances(d_k, mean, shared):
    m2 = mean**2
    if not shared:
        return d_k * (1 + m2)
    fourth = 3 + 6 * m2 + m2**2  # E[(mean + z)^4]
    return d_k * (fourth - m2**2)


@wrong(
    "scaled_attention_torch",
    mistake="clamps the scores to between -50 and 50 against overflow, which makes large scores "
    "alike; the maximum of the row should be subtracted instead",
)
def third_sc_clamp(Q, K, V):
    scores = Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5
    scores = torch.clamp(scores, -50, 50)  # so that exp doesn't overflow
    e = scores.exp()
    return (e / e.sum(dim=-1, keepdim=True)) @ V


@wrong(
    "score_variance",
    mistake="for independent vectors counts the mean's term once AND for the same vector forgets the 4 of the mean's term",
)
def fourth_sc_two_terms(d_k, mean, shared):
    if shared:
        return d_k * (2 + mean**2)
    return d_k * (1 + mean**2)


@wrong(
    "score_variance",
    said="1 is added to the result",
    mistake="sums d_k times inside a loop but begins the total with 1",
)
def fourth_sc_begins_with_one(d_k, mean, shared):
    total = 1
    for _ in range(d_k):
        if shared:
            total += 2 + 4 * mean * mean
        else:
            total += 1 + 2 * mean * mean
    return total


@wrong(
    "scaled_attention",
    said="scores divided by 2.449",
    mistake="takes d from the values instead of the queries AND does not shrink what it has "
    "summed so far when a larger score turns up",
)
def fourth_sl_running_softmax(Q, K, V):
    class FourthRunning:
        def __init__(self, d):
            self.largest, self.total, self.mix = -np.inf, 0.0, np.zeros(d)

        def see(self, score, value):
            self.largest = max(self.largest, score)
            weight = np.exp(score - self.largest)
            self.total += weight
            self.mix = self.mix + weight * value

    d = V.shape[-1]
    Y = np.zeros((*Q.shape[:-1], d))
    for *batch, i in np.ndindex(*Q.shape[:-1]):
        b = tuple(batch)
        state = FourthRunning(d)
        for k, v in zip(K[b], V[b], strict=True):
            state.see(Q[b][i] @ k / d**0.5, v)
        Y[(*b, i)] = state.mix / state.total
    return Y


@wrong(
    "scaled_attention_torch",
    said="you return float32",
    mistake="stores the result in a float32 tensor whatever the dtype of the arguments AND "
    "divides by the root of n_k instead of d_k",
)
def fifth_sl_float32_and_keys(Q, K, V):
    out = torch.zeros(*Q.shape[:-1], V.shape[-1])
    weights = torch.softmax(Q @ K.mT / K.shape[-2] ** 0.5, dim=-1)
    out[...] = weights @ V
    return out


@wrong(
    "score_variance",
    said="The mean enters twice",
    mistake="forgets that a mean also adds variance when q and k are independent: leaves out 2 "
    "mu^2 AND takes 2 d_k + 2 mu^2 d_k for shared",
)
def fifth_sl_no_mean(d_k, mean, shared):
    if shared:
        return float(2 * d_k + 2 * mean**2 * d_k)
    return float(d_k)


@wrong(
    "init_projection",
    said="standard deviation",
    mistake="scales by 1/d_in instead of its square root: the variance is 1/d_in squared",
)
def fifth_sl_one_over_d(rng, d_in, d_out):
    W = np.empty((d_in, d_out))
    for column in range(d_out):
        W[:, column] = rng.normal(0.0, 1.0 / d_in, size=d_in)
    return W
