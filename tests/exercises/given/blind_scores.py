"""Wrong answers to the exercises of `scores`, written blind in three rounds, and what they are told."""

import numpy as np
import torch
import torch.nn.functional as F

from tests.exercises.answers import Answers

wrong = Answers()


@wrong(
    "dot_scores",
    "fails-batch",
    "shape",
    said="what does this product do with leading axes",
    mistake="np.inner combines every batch entry of Q with every one of K",
)
def b6_scores_1(Q, K):
    return np.inner(Q, K)


@wrong(
    "cosine_scores",
    "root-missing",
    mistake="divides by the squared lengths (no square root)",
)
def b6_scores_2(Q, K):
    q_len = np.sum(Q * Q, axis=-1)[..., :, None]
    k_len = np.sum(K * K, axis=-1)[..., None, :]
    prod = Q @ np.swapaxes(K, -1, -2)
    denom = q_len * k_len
    return np.divide(prod, denom, out=np.zeros_like(prod), where=denom > 0)


@wrong(
    "additive_scores",
    "tanh-before-sum",
    mistake="tanh of each part by itself, added afterwards, instead of tanh of the sum",
)
def b6_scores_3(Q, K, W_Q, W_K, v):
    hq = np.tanh(Q @ W_Q)
    hk = np.tanh(K @ W_K)
    hidden = hq[..., :, None, :] + hk[..., None, :, :]
    return hidden @ v


@wrong(
    "nadaraya_watson",
    said="is `*` right here",
    mistake="'/ 2 * b**2' multiplies by the squared bandwidth (precedence)",
)
def b6_scores_4(x_query, x, y, bandwidth):
    diff = x_query[:, None] - x[None, :]
    expo = -(diff**2) / 2 * bandwidth**2
    w = np.exp(expo - expo.max(axis=1, keepdims=True))
    w = w / w.sum(axis=1, keepdims=True)
    return w @ y


@wrong(
    "cosine_scores_torch",
    "above-one",
    said="`norm` runs along axis 1 instead of along axis -1",
    mistake="F.normalize goes along dim=1 unless told, which is the positions in a batch",
)
def b6_scores_5(Q, K):
    Qn = F.normalize(Q)
    Kn = F.normalize(K)
    return Qn @ Kn.transpose(-2, -1)


@wrong(
    "fooled_by_length",
    "lengths-apart",
    mistake="the long key is more than twice as long as the short one (2.69 against 1.00)",
)
def b6_scores_6():
    q = np.array([1.0, 0.0])
    keys = np.array([[1.0, 0.1], [2.5, 1.0]])
    return q, keys


@wrong(
    "cosine_scores",
    "above-one",
    said="look again at what happens for a zero vector",
    mistake="keys divided by the norm of each feature's column (axis=-2), and a zero query gives NaN (0/0)",
)
def b6_scores_7(Q, K):
    with np.errstate(all="ignore"):
        Q_unit = Q / np.linalg.norm(Q, axis=-1, keepdims=True)
        K_unit = K / np.linalg.norm(K, axis=-2, keepdims=True)
    return np.einsum("...id,...jd->...ij", Q_unit, K_unit)


@wrong(
    "nadaraya_watson",
    "two-missing",
    "columns",
    mistake="the factor 2 in the exponent is missing, and the weights are normalized over the queries instead of over the data",
)
def b6_scores_8(x_query, x, y, bandwidth):
    kernel = np.exp(-(((x_query.reshape(-1, 1) - x) / bandwidth) ** 2))
    kernel = kernel / kernel.sum(axis=0)
    return (kernel * y).sum(axis=1)


@wrong(
    "cosine_scores",
    "constant",
    mistake="small number in the divisor instead of treating the zero vector, far too large",
)
def own_scores_1(Q, K):
    q = np.sqrt((Q * Q).sum(-1))[..., :, None]
    k = np.sqrt((K * K).sum(-1))[..., None, :]
    return (Q @ np.swapaxes(K, -1, -2)) / (q * k + 0.1)


@wrong(
    "additive_scores",
    "factor",
    said="it is divided by the length of the last axis of `np.tanh(pairs)`",
    mistake="averages over the hidden units instead of summing",
)
def own_scores_2(Q, K, W_Q, W_K, v):
    a = (Q @ W_Q)[..., :, None, :]
    b = (K @ W_K)[..., None, :, :]
    return (np.tanh(a + b) * v).mean(-1)


@wrong(
    "nadaraya_watson",
    "bandwidth-not-squared",
    "distance-not-squared",
    mistake="kernel of |x| in place of the square, and the bandwidth is not squared",
)
def own_scores_3(x_query, x, y, bandwidth):
    d = np.abs(x_query[:, None] - x[None, :])
    w = np.exp(-d / (2 * bandwidth))
    w = w / w.sum(axis=1, keepdims=True)
    return w @ y


@wrong(
    "cosine_scores_torch",
    said="`norm` runs over everything instead of along axis -1",
    mistake="norm of the whole tensor",
)
def own_scores_4(Q, K):
    return Q @ K.transpose(-1, -2) / (torch.norm(Q) * torch.norm(K))


@wrong(
    "fooled_by_length",
    "same-winner",
    mistake="confuses the smallest angle with the smallest distance: the key with the largest dot product is also the one with the smallest angle",
)
def b7_scores_7():
    q = np.array([1.0, 0.0])
    near = np.array([1.0, 0.2])
    far = np.array([1.9, 0.3])
    return q, np.stack([near, far])


@wrong(
    "dot_scores",
    "scaled",
    mistake="(two) np.inner pairs every sequence of the batch with every other one, and the scores are divided by sqrt(d), which is not asked for",
)
def b7_scores_8(Q, K):
    d = Q.shape[-1]
    return np.inner(Q, K) / np.sqrt(d)


@wrong(
    "cosine_scores",
    "fails-zero-vector",
    "branch",
    said="as soon as this holds, all numbers come from one branch. Those that are wrong now would be right without it",
    mistake="as soon as one vector is zero, all scores are 0, instead of those of that vector only",
)
def b7_scores_9(Q, K):
    q_len = np.sqrt((Q**2).sum(-1))[..., :, None]
    k_len = np.sqrt((K**2).sum(-1))[..., None, :]
    dots = np.einsum("...id,...jd->...ij", Q, K)
    lengths = q_len * k_len
    if np.any(lengths == 0):
        return np.zeros_like(dots)
    return dots / lengths


@wrong(
    "additive_scores",
    "transposed-result",
    mistake="the new axes are put in the wrong places, so that the result has keys as rows and queries as columns",
)
def b7_scores_10(Q, K, W_Q, W_K, v):
    q = Q @ W_Q
    k = K @ W_K
    hidden = np.tanh(q[..., None, :, :] + k[..., :, None, :])
    return (hidden * v).sum(axis=-1)


@wrong(
    "nadaraya_watson",
    "density-averaged",
    mistake="uses the height of the Gaussian density and averages over the points, instead of dividing by the sum of the weights",
)
def b7_scores_11(x_query, x, y, bandwidth):
    z = (x_query[:, None] - x[None, :]) / bandwidth
    kernel = np.exp(-0.5 * z**2) / (bandwidth * np.sqrt(2 * np.pi))
    return (kernel * y).mean(axis=1)


@wrong(
    "cosine_scores_torch",
    "above-one",
    said="where no `dim` is named, `normalize` runs along dim 1. Which one is that here",
    mistake="F.normalize goes along dim 1 when no dim is named: with a batch axis this is the axis of the queries and not the features",
)
def b7_scores_12(Q, K):
    Qn = torch.nn.functional.normalize(Q)
    Kn = torch.nn.functional.normalize(K)
    return Qn @ Kn.transpose(-1, -2)


@wrong(
    "cosine_scores",
    "fails-zero-vector",
    "branch",
    said="unless this holds, all numbers come from one branch. Those that are wrong now would be right in the other: which of them is it meant for?",
    mistake="one zero vector, continue for the pair is right but for whole loop break",
)
def own_scores_113(Q, K):
    dots = Q @ np.swapaxes(K, -1, -2)
    lq = np.linalg.norm(Q, axis=-1)[..., :, None]
    lk = np.linalg.norm(K, axis=-1)[..., None, :]
    out = (
        dots / (lq * lk)
        if (lq > 0).all() and (lk > 0).all()
        else np.zeros_like(dots)
    )
    return out
