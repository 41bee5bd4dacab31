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


# takes the logarithm of weights that are 0
@wrong("log-of-weights")
def ls_two_steps(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    with np.errstate(divide="ignore"):
        return np.log(weights)


# adds a small number in the logarithm
@wrong("small-number-added")
def ls_epsilon(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return np.log(e / e.sum(-1, keepdims=True) + 1e-9)


# sums along axis 1, right only without a batch
@wrong()
def ls_axis_1(scores):
    s = scores - scores.max(axis=1, keepdims=True)
    return s - np.log(np.exp(s).sum(axis=1, keepdims=True))


# does not give the shift back
@wrong("shift-lost")
def ls_half_shift(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    return scores - np.log(np.sum(np.exp(scores - top), axis=-1, keepdims=True))


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


# the maximum is subtracted inside the logarithm of the sum but not outside, so the result is too
# large by the maximum
@wrong(author="unseen")
def third_sm_max_not_added_back(scores):
    shift = np.max(scores, axis=-1, keepdims=True)
    log_total = np.log(np.sum(np.exp(scores - shift), axis=-1, keepdims=True))
    return scores - log_total


# cuts the weights off at 1e-300 before the logarithm: small weights all become -690.8
@wrong(author="unseen")
def fifth_sm_clipped_log(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    a = np.exp(shifted)
    a = a / a.sum(axis=-1, keepdims=True)
    return np.log(np.maximum(a, 1e-300))


# adds a small number inside the log, so no logarithm goes below log(1e-12)
@wrong(
    said="Do you take the logarithm of a weight that has become 0?", author="blind"
)
def b6_softmax_2(scores):
    shifted = scores - np.max(scores, axis=-1, keepdims=True)
    p = np.exp(shifted)
    p = p / np.sum(p, axis=-1, keepdims=True)
    return np.log(p + 1e-12)


# the maximum is taken off inside the log-sum-exp but never added back (the scores stay unshifted
# outside)
@wrong("shift-lost", author="blind")
def b7_softmax_13(scores):
    biggest = scores.max(axis=-1, keepdims=True)
    log_total = np.log(np.exp(scores - biggest).sum(axis=-1, keepdims=True))
    return scores - log_total


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
