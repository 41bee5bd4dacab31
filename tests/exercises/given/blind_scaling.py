"""Wrong answers to the exercises of `scaling`, written blind in three rounds, and what they are told."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from tests.exercises.answers import Answers

wrong = Answers()


def my_softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@wrong(
    "which_d",
    "d-model",
    mistake="takes the width of the model for the width of a head",
)
def b6_scaling_1():
    d = 432
    return np.sqrt(d)


@wrong(
    "scaled_attention",
    "other-divisor",
    said="`** 1 / 2`, which halves, stands where `** 0.5` belongs",
    mistake="'** 1 / 2' is (d_k ** 1) / 2: divides by d_k/2",
)
def b6_scaling_2(Q, K, V):
    scale = Q.shape[-1] ** 1 / 2
    weights = my_softmax(Q @ K.swapaxes(-1, -2) / scale)
    return weights @ V


@wrong(
    "measured_variance",
    "pairs-apart",
    mistake="takes all n x n pairs (Q @ K.T) instead of the rows that belong together",
)
def b6_scaling_3(draw):
    Q, K = draw(2000)
    d_k = Q.shape[1]
    scores = Q @ K.T / np.sqrt(d_k)
    return scores.var()


@wrong(
    "init_projection",
    "uniform",
    mistake="uniform between -1/sqrt(d_in) and 1/sqrt(d_in), whose variance is 1/(3 d_in)",
)
def b6_scaling_4(rng, d_in, d_out):
    bound = 1 / np.sqrt(d_in)
    return rng.uniform(-bound, bound, size=(d_in, d_out))


@wrong(
    "score_variance",
    "second-moment-shared",
    mistake="for k = q the second moment E[(q_i^2)^2] is taken for the variance (squared mean not subtracted)",
)
def b6_scaling_5(d_k, mean, shared):
    if shared:
        # E[(m+z)^4] = m^4 + 6 m^2 + 3
        return d_k * (mean**4 + 6 * mean**2 + 3)
    return d_k * ((1 + mean**2) ** 2 - mean**4)


@wrong(
    "scaled_attention_torch",
    "scaled-after-softmax",
    mistake="divides the weights by sqrt(d_k), after the softmax, not the scores",
)
def b6_scaling_6(Q, K, V):
    d_k = Q.size(-1)
    scores = torch.matmul(Q, K.transpose(-2, -1))
    weights = torch.softmax(scores, dim=-1) / math.sqrt(d_k)
    return torch.matmul(weights, V)


@wrong(
    "scaled_attention",
    "root-of-n-k",
    "wrong-axis",
    mistake="divides by the root of the number of keys, and the softmax runs over the queries",
)
def b6_scaling_7(Q, K, V):
    d_k = K.shape[-2]
    S = Q @ np.moveaxis(K, -1, -2) / np.sqrt(d_k)
    E = np.exp(S - S.max(axis=-2, keepdims=True))
    A = E / E.sum(axis=-2, keepdims=True)
    return A @ V


@wrong(
    "entropy_collapse",
    "d-0.0",
    said="Then look again at e.",
    mistake="(d) forgets that the winner and its copy share the weight (log 2), and (e) takes the added vector to collapse the row, though it moves all scores of a row alike",
)
def b6_scaling_8():
    return [2.36, 0.0, 2.77, 0.0, 0.0]


@wrong(
    "scaled_attention",
    "unscaled",
    said="does this division have to round",
    mistake="// in the root's exponent: d ** (1 // 2) is 1",
)
def own_scaling_1(Q, K, V):
    d = Q.shape[-1]
    s = Q @ K.swapaxes(-1, -2) / d ** (1 // 2)
    return my_softmax(s) @ V


@wrong("measured_variance", "spread", mistake="takes the standard deviation")
def own_scaling_2(draw):
    Q, K = draw(4000)
    s = (Q * K).sum(axis=-1) / math.sqrt(Q.shape[-1])
    return s.std()


@wrong("init_projection", "xavier", mistake="variance 2 / (d_in + d_out)")
def own_scaling_3(rng, d_in, d_out):
    W = rng.standard_normal((d_in, d_out))
    return W / np.sqrt(d_in + d_out) * np.sqrt(2)


@wrong(
    "scaled_attention_torch",
    "divided-by-d",
    "wrong-axis",
    mistake="scales Q and K both, and the softmax runs over the queries",
)
def own_scaling_4(Q, K, V):
    d = Q.shape[-1] ** 0.5
    scores = (Q / d) @ (K / d).transpose(-2, -1)
    w = F.softmax(scores, dim=-2)
    return w @ V


@wrong(
    "scaled_attention",
    "other-divisor",
    mistake="divides the scores by the standard deviation that they happen to have, instead of by sqrt(d_k)",
)
def b7_scaling_25(Q, K, V):
    S = Q @ np.swapaxes(K, -1, -2)
    S = S / S.std()
    S = S - S.max(axis=-1, keepdims=True)
    A = np.exp(S)
    A /= A.sum(axis=-1, keepdims=True)
    return A @ V


@wrong(
    "measured_variance",
    "pairs-apart",
    mistake="takes the scores of all queries with all keys, not only those of the pairs that belong together",
)
def b7_scaling_26(draw):
    Q, K = draw(2000)
    d_k = Q.shape[1]
    scores = Q @ K.T / np.sqrt(d_k)
    return float(np.var(scores))


@wrong(
    "init_projection",
    "uniform",
    mistake="uniform between -1/sqrt(d_in) and 1/sqrt(d_in) (as PyTorch does it) has the variance 1/(3 d_in), not 1/d_in",
)
def b7_scaling_27(rng, d_in, d_out):
    limit = 1 / np.sqrt(d_in)
    return rng.uniform(-limit, limit, size=(d_in, d_out))


@wrong(
    "entropy_collapse",
    "d-0.0",
    mistake="d overlooks that two equal keys share the weight, which leaves log 2 = 0.69, and says almost 0 as in b",
)
def b7_scaling_28():
    return [2.36, 0.03, 2.77, 0.03, 2.36]


@wrong(
    "score_variance",
    "second-moment-alone",
    mistake="for independent q and k it gives the second moment of a product, (1 + mu^2)^2, and forgets to subtract the squared mean mu^4",
)
def b7_scaling_29(d_k, mean, shared):
    if shared:
        fourth = 3 + 6 * mean**2 + mean**4
        second = 1 + mean**2
        return d_k * (fourth - second**2)
    e_q2 = 1 + mean**2
    e_k2 = 1 + mean**2
    return d_k * e_q2 * e_k2


@wrong(
    "scaled_attention_torch",
    "divided-by-d",
    "no-shift",
    mistake="(two) Q and K are both divided by sqrt(d_k), so the scores by d_k, and the softmax has no shift and overflows",
)
def b7_scaling_30(Q, K, V):
    root = Q.shape[-1] ** 0.5
    scores = (Q / root) @ (K / root).transpose(-1, -2)
    powers = torch.exp(scores)
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return weights @ V
