"""Answers to `entropy_collapse`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ec_by_logarithms():
    return np.array([2.37, 0.05, np.log(16), np.log(2), 2.4])


@right()
def ec_measured():
    rng = np.random.default_rng(1)

    def entropy(scores):
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        return -(weights * np.log(weights + 1e-300)).sum(-1).mean()

    Q, K = rng.normal(size=(100, 1, 4096)), rng.normal(size=(100, 16, 4096))
    c = 10 * rng.normal(size=4096)
    twice = K[:, [*range(8)] * 2]
    return tuple(
        entropy((Q * keys).sum(-1) / divisor)
        for keys, divisor in (
            (K, 64), (K, 1), (K, 4096), (twice, 1), (K + c, 64)
        )
    )  # fmt: skip


# takes scaled weights for equal ones
@wrong("a-2.77")
def ec_scaled_is_even():
    return [np.log(16), 0, np.log(16), np.log(2), np.log(16)]


# the scale makes no difference
@wrong("b-2.36")
def ec_no_difference():
    return [2.36] * 5


# takes more division for more certainty
@wrong("c-0")
def ec_over_d_collapses():
    return [2.36, 0.0, 0.0, 0.0, 0.0]


# measures in bits
@wrong("bits")
def ec_bits():
    return [3.4, 0, 4, 1, 3.4]


# a mean is one number each
@wrong(said="five numbers")
def ec_words():
    return ["as before", "none", "full", "half", "none"]
