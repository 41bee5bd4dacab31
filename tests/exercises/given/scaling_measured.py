"""Answers to the exercises `measured_variance` and `entropy_collapse`, right and wrong."""

import math
import statistics

import numpy as np

from tests.exercises.answers import Answers

right, wrong = Answers(), Answers()


@right("measured_variance")
def mv_einsum(draw):
    Q, K = draw(10_000)
    return np.einsum("nd,nd->n", Q, K).var(ddof=1) / Q.shape[1]


@right("measured_variance")
def mv_pair_by_pair(draw):
    found = []
    for _ in range(2000):
        (q,), (k,) = draw(1)
        found.append(q @ k / math.sqrt(len(q)))
    return statistics.variance(found)


@right("measured_variance")
def mv_by_moments(draw):
    total = squares = 0
    for _ in range(40):
        Q, K = draw(100)
        scores = np.vecdot(Q / Q.shape[-1] ** 0.25, K / K.shape[-1] ** 0.25)
        total, squares = total + scores.sum(), squares + (scores**2).sum()
    return squares / 4000 - (total / 4000) ** 2


@right("measured_variance")
def mv_diagonal(draw):
    Q, K = draw(2000)
    return np.array([np.var(np.diag(Q @ K.T) / np.sqrt(K.shape[1]))])


@wrong("measured_variance", "too-few", mistake="a sample of one")
def mv_one_pair(draw):
    Q, K = draw(1)
    return ((Q * K).sum(axis=-1) / Q.shape[-1] ** 0.5).var()


@wrong("measured_variance", "too-few", said="no pairs", mistake="draws nothing")
def mv_from_the_book(draw):
    return 1.0


@wrong("measured_variance", "one-number", mistake="one variance for each pair")
def mv_wrong_axis(draw):
    Q, K = draw(5000)
    return (Q * K / Q.shape[1] ** 0.5).var(axis=1)


@wrong("measured_variance", "over-the-features", mistake="the wrong axis")
def mv_wrong_axis_then_mean(draw):
    Q, K = draw(5000)
    return np.mean([np.var(q * k) for q, k in zip(Q, K)])


@wrong("measured_variance", "divided-twice", mistake="divides by d_k twice")
def mv_scores_and_variance(draw):
    Q, K = draw(4000)
    scores = np.vecdot(Q, K) / np.sqrt(Q.shape[1])
    return np.var(scores) / Q.shape[1]


@wrong("measured_variance", "unscaled", mistake="does not scale")
def mv_plain(draw):
    Q, K = draw(4000)
    return np.var(np.vecdot(Q, K))


@wrong("measured_variance", "variance-over-root", mistake="Var[s/c] is Var[s]/c²")
def mv_variance_by_the_root(draw):
    Q, K = draw(4000)
    return np.var(np.vecdot(Q, K)) / np.sqrt(Q.shape[1])


@wrong("measured_variance", "spread", mistake="the spread, not the variance")
def mv_spread(draw):
    Q, K = draw(4000)
    return np.std(np.vecdot(Q, K) / np.sqrt(Q.shape[1]))


@wrong("measured_variance", "mean-square", mistake="the mean is not taken off")
def mv_second_moment(draw):
    Q, K = draw(4000)
    return np.mean(np.vecdot(Q, K) ** 2) / Q.shape[1]


@wrong("measured_variance", "pairs-apart", mistake="all queries with all keys")
def mv_all_pairs(draw):
    Q, K = draw(1000)
    return (Q @ K.T / Q.shape[1] ** 0.5).var()


@wrong("measured_variance", "pairs-apart", mistake="two calls of draw")
def mv_two_calls(draw):
    Q, _ = draw(4000)
    _, K = draw(4000)
    return (np.vecdot(Q, K) / Q.shape[1] ** 0.5).var()


@wrong("measured_variance", "products", mistake="no sum over the features")
def mv_no_sum(draw):
    Q, K = draw(4000)
    return (Q * K).var()


@wrong("measured_variance", "other", mistake="the root of the number of pairs")
def mv_root_of_the_number(draw):
    Q, K = draw(4000)
    return (np.vecdot(Q, K) / len(Q) ** 0.5).var()


@wrong("measured_variance", "other", mistake="the mean, not the variance")
def mv_mean(draw):
    Q, K = draw(4000)
    return (np.vecdot(Q, K) / Q.shape[1] ** 0.5).mean()


@right("entropy_collapse")
def ec_by_logarithms():
    return np.array([2.37, 0.05, np.log(16), np.log(2), 2.4])


@right("entropy_collapse")
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


@wrong("entropy_collapse", "a-2.77", mistake="takes scaled weights for equal ones")
def ec_scaled_is_even():
    return [np.log(16), 0, np.log(16), np.log(2), np.log(16)]


@wrong("entropy_collapse", "a-other", mistake="width eats entropy in spite of it")
def ec_width_eats():
    return [2.0, 0, 2.77, 0.69, 2.36]


@wrong("entropy_collapse", "b-2.36", mistake="the scale makes no difference")
def ec_no_difference():
    return [2.36] * 5


@wrong(
    "entropy_collapse", "c-0.0", mistake="takes more division for more certainty"
)
def ec_over_d_collapses():
    return [2.36, 0.0, 0.0, 0.0, 0.0]


@wrong("entropy_collapse", "d-0.0", mistake="two equal winners share")
def ec_one_winner():
    return [2.36, 0, 2.77, 0, 2.36]


@wrong(
    "entropy_collapse", "e-0.0", mistake="large scores, all alike, collapse nothing"
)
def ec_large_scores():
    return [2.36, 0, 2.77, 0.69, 0]


@wrong("entropy_collapse", "bits", mistake="measures in bits")
def ec_bits():
    return [3.4, 0, 4, 1, 3.4]


@wrong("entropy_collapse", said="five numbers", mistake="a mean is one number each")
def ec_words():
    return ["as before", "none", "full", "half", "none"]
