"""Answers to `measured_variance`."""

import math
import statistics

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def mv_einsum(draw):
    Q, K = draw(10_000)
    return np.einsum("nd,nd->n", Q, K).var(ddof=1) / Q.shape[1]


@right()
def mv_pair_by_pair(draw):
    found = []
    for _ in range(2000):
        (q,), (k,) = draw(1)
        found.append(q @ k / math.sqrt(len(q)))
    return statistics.variance(found)


@right()
def mv_by_moments(draw):
    total = squares = 0
    for _ in range(40):
        Q, K = draw(100)
        scores = np.vecdot(Q / Q.shape[-1] ** 0.25, K / K.shape[-1] ** 0.25)
        total, squares = total + scores.sum(), squares + (scores**2).sum()
    return squares / 4000 - (total / 4000) ** 2


@right()
def mv_diagonal(draw):
    Q, K = draw(2000)
    return np.array([np.var(np.diag(Q @ K.T) / np.sqrt(K.shape[1]))])


# draws nothing
@wrong("too-few", said="no pairs")
def mv_from_the_book(draw):
    return 1.0


# one variance for each pair
@wrong("one-number")
def mv_wrong_axis(draw):
    Q, K = draw(5000)
    return (Q * K / Q.shape[1] ** 0.5).var(axis=1)


# the wrong axis
@wrong("over-the-features")
def mv_wrong_axis_then_mean(draw):
    Q, K = draw(5000)
    return np.mean([np.var(q * k) for q, k in zip(Q, K)])


# divides by d_k twice
@wrong("divided-twice")
def mv_scores_and_variance(draw):
    Q, K = draw(4000)
    scores = np.vecdot(Q, K) / np.sqrt(Q.shape[1])
    return np.var(scores) / Q.shape[1]


# the mean is not taken off
@wrong("mean-square")
def mv_second_moment(draw):
    Q, K = draw(4000)
    return np.mean(np.vecdot(Q, K) ** 2) / Q.shape[1]


# no sum over the features
@wrong("products")
def mv_no_sum(draw):
    Q, K = draw(4000)
    return (Q * K).var()


# no sum over the features, but the division
@wrong("products-divided", author="blind")
def blind_products_over_the_root(draw):
    Q, K = draw(2000)
    return (Q * K / np.sqrt(Q.shape[-1])).var()


# the mean over the features in place of the sum
@wrong("mean-for-sum", author="blind")
def blind_mean_of_the_products(draw):
    Q, K = draw(2000)
    return ((Q * K).mean(axis=-1) / np.sqrt(Q.shape[-1])).var()


# the root of the number of pairs
@wrong("other")
def mv_root_of_the_number(draw):
    Q, K = draw(4000)
    return (np.vecdot(Q, K) / len(Q) ** 0.5).var()


# takes the standard deviation
@wrong("spread", author="blind")
def own_scaling_2(draw):
    Q, K = draw(4000)
    s = (Q * K).sum(axis=-1) / math.sqrt(Q.shape[-1])
    return s.std()


# divides by the root of the number of pairs, not of d_k
@wrong(said="number of *pairs*", author="blind")
def c6_sqrt_n_k14(draw):
    q, k = draw(10_000)
    score = (q * k).sum(axis=1) / np.sqrt(len(q))
    return score.var()


# the standard deviation is returned AND d_k is taken from the number of pairs
@wrong(
    "other",
    said="is a standard deviation, and the variance is its square. Besides",
    author="blind",
)
def f12_std_n(draw):
    Q, K = draw(4000)
    d_k = len(Q)
    scaled = np.sum(Q * K, axis=-1) / d_k**0.5
    return np.std(scaled)


# mean of squares without subtracting the mean AND the root is returned (standard deviation)
@wrong("spread", "mean-square", author="blind")
def t30_rms(draw):
    n = 10_000
    queries, keys = draw(n)
    total = 0.0
    for q, k in zip(queries, keys):
        score = np.dot(q, k) / math.sqrt(len(q))
        total += score**2
    return math.sqrt(total / n)
