"""Answers to `two_losses`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def tl_array():
    p_a = np.full(64, 1 / 64)
    p_b = np.array([0.5, 0.125])
    rows = [
        [-np.log(p).mean(), -np.log2(p).mean(), np.exp(-np.log(p).mean())]
        for p in (p_a, p_b)
    ]
    return np.array(rows)


@right()
def tl_rounded():
    return [4.16, 6, 64, 1.39, 2, 4]


@right()
def tl_by_entropy():
    nats = np.log(2) * np.array([6, 2])
    return tuple(np.stack([nats, nats / np.log(2), np.exp(nats)], axis=1).ravel())


@right()
def tl_math():
    import math

    b = (math.log(2) + math.log(8)) / 2
    return math.log(64), math.log2(64), 64.0, b, b / math.log(2), math.e**b


# log10
@wrong("a-nats-1.806")
def tl_log10():
    return np.log10(64), np.log2(64), 64, np.log10(4), 2, 4


# mean before the logarithm
@wrong("b-nats-1.163")
def tl_mean_first():
    p = (0.5 + 0.125) / 2
    return np.log(64), 6, 64, -np.log(p), -np.log2(p), 1 / p


@wrong("negative")
def tl_negative():
    return -4.159, -6, 64, -1.386, -2, 4


@wrong("by-kind")
def tl_by_kind():
    return np.log(64), np.log(4), 6, 2, 64, 4


@wrong("b-perplexity-5")
def tl_mean_of_perplexities():
    return np.log(64), 6, 64, np.log(4), 2, 5


@wrong(said="six finite numbers")
def tl_three_numbers():
    return np.log(64), 6, 64


# B's bits with nats' factor the wrong way
@wrong("b-nats-2.885", author="blind")
def blind_tl_factor():
    return np.log(64), 6, 64, 2 / np.log(2), 2, 4


# accuracy in mind
@wrong("a-nats-other", author="blind")
def blind_tl_accuracy():
    return 1 - 1 / 64, 6, 64, 0.5, 2, 4
