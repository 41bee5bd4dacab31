"""Answers to `log_softmax`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ls_logsumexp(scores):
    from scipy.special import logsumexp

    return scores - logsumexp(scores, axis=-1, keepdims=True)


@right()
def ls_logaddexp(scores):
    return scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True)


@right()
def ls_loops(scores):
    if scores.ndim > 1:
        return np.array([ls_loops(row) for row in scores])
    top = max(scores)
    total = sum(np.exp(s - top) for s in scores)
    return np.array([s - top - np.log(total) for s in scores])


# adds a small number in the logarithm
@wrong("small-number-added")
def ls_epsilon(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return np.log(e / e.sum(-1, keepdims=True) + 1e-9)


# base 2
@wrong()
def ls_bits(scores):
    s = scores - scores.max(axis=-1, keepdims=True)
    return s - np.log2(np.exp(s).sum(axis=-1, keepdims=True))


# hands the exercise over to torch
@wrong("built-in")
def ls_torch(scores):
    import torch

    return torch.log_softmax(torch.from_numpy(scores), dim=-1).numpy()


# adds a small number inside the log, so no logarithm goes below log(1e-12)
@wrong(
    said="Do you take the logarithm of a weight that has become 0?", author="blind"
)
def b6_softmax_2(scores):
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    p = np.exp(shifted)
    p = p / np.sum(p, axis=-1, keepdims=True)
    return np.log(p + 1e-12)


# minimum against overflow
@wrong(
    "fails-far",
    "inf",
    said="all numbers beyond a bound become alike here, however far apart they are. Which step keeps exponents small and leaves the differences as they are",
    author="blind",
)
def own_softmax_106(scores):
    s = np.minimum(scores, 50)
    return s - np.log(np.exp(s).sum(axis=-1, keepdims=True))


# logarithm of the weights, clipped at 1e-300: finite, but -690 in place of -2000
@wrong("fails-far", "small-number-added", author="blind")
def b8_clipped(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    return np.log(np.clip(p, 1e-300, 1))


# log10 in place of the natural logarithm AND along axis 0 in place of the last axis
@wrong("wrong-axis", "base-10", author="blind")
def b8_both(scores):
    top = scores.max(axis=0, keepdims=True)
    s = scores - top
    return s - np.log10(np.exp(s).sum(axis=0, keepdims=True))


# log1p of the sum that contains the maximum's own 1 already: it counts twice
@wrong("one-too-much", author="blind")
def w44_log1p(scores):
    scores = np.asarray(scores, dtype=float)
    biggest = np.amax(scores, axis=-1, keepdims=True)
    rest = np.exp(scores - biggest).sum(axis=-1, keepdims=True)
    logsumexp = biggest + np.log1p(rest)
    return scores - logsumexp


# the sign is turned (surprise instead of log weight) AND log1p of the sum
@wrong("sign", "one-too-much", author="blind")
def e40_ls_neg_log1p(scores):
    z = scores - scores.max(-1)[..., None]
    lse = np.log1p(np.exp(z).sum(-1))[..., None]
    return lse - z


# the sum runs over the whole array instead of each row AND the logarithm is to base 2
@wrong("whole-sum", "base-2", author="blind")
def k17_whole_log2(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    total = np.exp(shifted).sum()
    return shifted - np.log2(total)


# the sign: the negative log is returned AND log(p + 1e-12), so that small weights are
# cut off
@wrong("small-number-added", said="what sign", author="blind")
def k18_nll_eps(scores):
    z = scores - np.max(scores, -1, keepdims=True)
    p = np.exp(z)
    p = p / np.sum(p, -1, keepdims=True)
    eps = 1e-12
    return -np.log(p + eps)


# one maximum for all rows AND the logarithm of the mean
@wrong("global-shift", "mean", author="blind")
def d10_ls(scores):
    z = scores - np.max(scores)
    return z - np.log(np.mean(np.exp(z), axis=-1, keepdims=True))
