"""Answers to `init_projection`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ip_normal(rng, d_in, d_out):
    return rng.normal(0, np.sqrt(1 / d_in), size=(d_in, d_out))


@right()
def ip_uniform(rng, d_in, d_out):
    a = np.sqrt(3 / d_in)
    return rng.uniform(-a, a, (d_in, d_out))


@right()
def ip_signs(rng, d_in, d_out):
    return rng.choice([-1.0, 1.0], (d_in, d_out)) / d_in**0.5


@right()
def ip_transposed_draw(rng, d_in, d_out):
    return rng.standard_normal((d_out, d_in), dtype="f4").T * d_in**-0.5


@right()
def ip_shifted(rng, d_in, d_out):
    return (rng.random((d_in, d_out)) - 0.5) * np.sqrt(12 / d_in)


@right()
def ip_skewed(rng, d_in, d_out):
    return (rng.standard_exponential((d_in, d_out)) - 1) / np.sqrt(d_in)


@right()
def ip_lists(rng, d_in, d_out):
    rows = [rng.normal(scale=d_in**-0.5, size=d_out) for _ in range(d_in)]
    return np.array(rows)


@right(author="fresh")
def fresh_ip_triangular(rng, d_in, d_out):
    tent = rng.random((d_in, d_out)) - rng.random((d_in, d_out))
    return tent * (6 / d_in) ** 0.5


@right(author="fresh")
def fresh_ip_entry_by_entry(rng, d_in, d_out):
    W = np.empty((d_in, d_out))
    for f, g in np.ndindex(d_in, d_out):
        W[f, g] = rng.uniform(-math.sqrt(3), math.sqrt(3)) / math.sqrt(d_in)
    return W


@wrong()
def ip_small(rng, d_in, d_out):
    return 0.02 * rng.standard_normal((d_in, d_out))


@wrong("random")
def ip_random(rng, d_in, d_out):
    return rng.random((d_in, d_out)) / np.sqrt(d_in)


@wrong()
def ip_identity(rng, d_in, d_out):
    return np.eye(d_in, d_out)


@wrong()
def ip_zeros(rng, d_in, d_out):
    return np.zeros((d_in, d_out))


@wrong("variance-1", "random")
def ip_random_unscaled(rng, d_in, d_out):
    return rng.random((d_in, d_out))


@wrong(said="mean")
def ip_integers(rng, d_in, d_out):
    return rng.integers(0, 2, (d_in, d_out)) / np.sqrt(d_in)


# d_in + 1 in place of d_in
@wrong(said="variance")
def ip_one_more(rng, d_in, d_out):
    return rng.standard_normal((d_in, d_out)) / (d_in + 1) ** 0.5


# draws from NumPy's global generator and ignores rng AND makes the matrix transposed, (d_out, d_in)
@wrong(author="fresh")
def fresh_ip_global_transposed(rng, d_in, d_out):
    return np.stack([np.random.randn(d_in) for _ in range(d_out)]) / np.sqrt(d_in)


# draws one number for each row and repeats it, so the entries of a row are all equal and not
# independent
@wrong(author="unseen")
def second_sc_row_repeated(rng, d_in, d_out):
    return np.array([[rng.normal(0.0, d_in**-0.5)] * d_out for _ in range(d_in)])


# scales by 1/d_in instead of its square root: the variance is 1/d_in squared
@wrong(said="standard deviation", author="unseen")
def fifth_sl_one_over_d(rng, d_in, d_out):
    W = np.empty((d_in, d_out))
    for column in range(d_out):
        W[:, column] = rng.normal(0.0, 1.0 / d_in, size=d_in)
    return W


# variance 2 / (d_in + d_out)
@wrong("xavier", author="blind")
def own_scaling_3(rng, d_in, d_out):
    W = rng.standard_normal((d_in, d_out))
    return W / np.sqrt(d_in + d_out) * np.sqrt(2)


# the uniform numbers are not centered: their mean is not 0
@wrong("random-stretched", author="blind")
def b8_not_centered(rng, d_in, d_out):
    # a uniform number in [0, 1) has variance 1/12
    return rng.random((d_in, d_out)) * np.sqrt(12 / d_in)


# He initialization: the variance is 2/d_in
@wrong("he", author="blind")
def b8_he(rng, d_in, d_out):
    W = np.empty((d_in, d_out))
    std = (2 / d_in) ** 0.5
    for i in range(d_in):
        for j in range(d_out):
            W[i, j] = std * rng.normal()
    return W


# every column is normalized to length 1: the entries are not independent
@wrong("columns-alike", author="blind")
def b8_unit_columns(rng, d_in, d_out):
    W = rng.normal(size=(d_in, d_out))
    W /= np.linalg.norm(W, axis=0, keepdims=True)
    return W


# uses a generator of its own with a fixed seed AND the variance is 1/d_out
@wrong("fan-out", "same-again", author="blind")
def n50_seed_and_d_out(rng, d_in, d_out):
    rng = np.random.default_rng(0)
    W = rng.normal(size=(d_in, d_out))
    return W / np.sqrt(d_out)


# shape (d_out, d_in) AND He's variance 2/d_in
@wrong("he", "matrix-shape", author="blind")
def f20_he_transposed(rng, d_in, d_out):
    return rng.standard_normal((d_out, d_in)) * np.sqrt(2.0 / d_in)


# 1/d_in is given as the standard deviation, not the variance AND the shape is (d_out, d_in)
@wrong("spread-1-over-d", "matrix-shape", author="blind")
def g20_spread_and_transposed(rng, d_in, d_out):
    return rng.normal(loc=0, scale=1 / d_in, size=(d_out, d_in))


# Glorot's limit sqrt(6/(d_in + d_out)) AND drawn from 0 to the limit, so the mean is not 0
@wrong("xavier", "one-sided", author="blind")
def g21_glorot_one_sided(rng, d_in, d_out):
    limit = np.sqrt(6 / (d_in + d_out))
    W = np.empty((d_in, d_out))
    for row in range(d_in):
        W[row] = rng.uniform(0, limit, d_out)
    return W
