"""Answers to the exercise `log_softmax`, right and wrong."""

import numpy as np

from tests.exercises.answers import Answers

right, wrong = Answers(), Answers()


@right("log_softmax")
def ls_logsumexp(scores):
    from scipy.special import logsumexp

    return scores - logsumexp(scores, axis=-1, keepdims=True)


@right("log_softmax")
def ls_logaddexp(scores):
    return scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True)


@right("log_softmax")
def ls_loops(scores):
    if scores.ndim > 1:
        return np.array([ls_loops(row) for row in scores])
    top = max(scores)
    total = sum(np.exp(s - top) for s in scores)
    return np.array([s - top - np.log(total) for s in scores])


@wrong(
    "log_softmax",
    "log-of-weights",
    mistake="takes the logarithm of weights that are 0",
)
def ls_two_steps(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    with np.errstate(divide="ignore"):
        return np.log(weights)


@wrong(
    "log_softmax",
    "small-number-added",
    mistake="adds a small number in the logarithm",
)
def ls_epsilon(scores):
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return np.log(e / e.sum(-1, keepdims=True) + 1e-9)


@wrong("log_softmax", mistake="sums along axis 1, right only without a batch")
def ls_axis_1(scores):
    s = scores - scores.max(axis=1, keepdims=True)
    return s - np.log(np.exp(s).sum(axis=1, keepdims=True))


@wrong("log_softmax", "shift-lost", mistake="does not give the shift back")
def ls_half_shift(scores):
    top = np.max(scores, axis=-1, keepdims=True)
    return scores - np.log(np.sum(np.exp(scores - top), axis=-1, keepdims=True))


@wrong("log_softmax", mistake="base 2")
def ls_bits(scores):
    s = scores - scores.max(axis=-1, keepdims=True)
    return s - np.log2(np.exp(s).sum(axis=-1, keepdims=True))


@wrong("log_softmax", "built-in", mistake="hands the exercise over to torch")
def ls_torch(scores):
    import torch

    return torch.log_softmax(torch.from_numpy(scores), dim=-1).numpy()
