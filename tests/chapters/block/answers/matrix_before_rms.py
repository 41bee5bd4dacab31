"""Answers to `matrix_before_rms`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def mr_broadcast(d):
    return np.eye(d) - 1 / d


@right()
def mr_loops(d):
    C = [[-1 / d for _ in range(d)] for _ in range(d)]
    for f in range(d):
        C[f][f] += 1
    return np.array(C)


@right()
def mr_projection(d):
    u = np.full((d, 1), d**-0.5)
    return np.identity(d) - u @ u.T


@right()
def mr_what_becomes_of_unit_rows(d):
    rows = np.eye(d)
    return rows - rows.mean(axis=1, keepdims=True)


@right()
def mr_filled(d):
    C = np.full((d, d), -1 / d)
    np.fill_diagonal(C, 1 - 1 / d)
    return C


@right()
def mr_from_a_basis(d):
    rng = np.random.default_rng(0)
    B = np.linalg.qr(np.column_stack([np.ones(d), rng.normal(size=(d, d - 1))]))[0]
    return B[:, 1:] @ B[:, 1:].T


# leaves 1 on the diagonal, where 1 - 1/d belongs
@wrong("others-only")
def mr_diagonal_of_ones(d):
    C = np.full((d, d), -1 / d)
    np.fill_diagonal(C, 1)
    return C


# takes 1/d from the diagonal only, as if the mean were made of one feature
@wrong("left-out")
def mr_scaled_identity(d):
    return np.diag(np.ones(d) - 1 / d)


# divides by d - 1, as for a sample
@wrong("one-less")
def mr_sample_mean(d):
    return np.eye(d) - np.ones((d, d)) / (d - 1 or 1)


# differences of neighbors: they have mean 0, but another mean square
@wrong("left-out", said="variance of x")
def mr_differences(d):
    return np.eye(d) - np.roll(np.eye(d), 1, axis=0)


# divides by the spread of 1 … d, as if C had to scale as well
@wrong(said="variance of x")
def mr_scaled(d):
    return (np.eye(d) - 1 / d) / max(np.std(np.arange(d)), 1)


# works for d = 4 only: the 4 is typed in
@wrong()
def mr_four(d):
    return np.eye(d) - 1 / 4


# subtracts from each feature the mean of the others, not of all, which makes the result too large
# by d/(d - 1)
@wrong(said="the mean of the d − 1 *others*", author="unseen")
def fifth_bl_mean_of_others(d):
    return np.array(
        [
            [float(d > 1) if r == c else -1 / (d - 1) for c in range(d)]
            for r in range(d)
        ]
    )


# the mean of the others, and 1 for a single feature
@wrong("mean-of-the-others", author="blind")
def bl_mr_others(d):
    C = np.zeros((d, d))
    for i in range(d):
        for j in range(d):
            C[i, j] = 1 if i == j else -1 / (d - 1)
    return C


# the vector of ones is divided by d, not by its length
@wrong("part-of-the-mean", author="blind")
def bl_mr_projector(d):
    u = np.ones(d) / d
    return np.identity(d) - np.outer(u, u)


# a factor √((d − 1)/d), from the unbiased variance
@wrong("unbiased", author="blind")
def n36_unbiased(d):
    center = np.identity(d) - 1.0 / d
    return center * np.sqrt((d - 1) / d)


# The diagonal stays 1 (should be 1 - 1/d) AND only the entries above the diagonal get -1/d.
@wrong("only-above", "others-only", author="blind")
def blind_diag_and_upper(d):
    C = np.eye(d)
    for i in range(d):
        for j in range(i + 1, d):
            C[i, j] = -1 / d
    return C


# takes away the sum instead of the mean AND divides the matrix by the root of d
@wrong("sum", "root-of-d", author="blind")
def n12_sum_and_root(d):
    identity = np.identity(d)
    ones = np.ones((d, d))
    centered = identity - ones
    return centered / np.sqrt(d)


# only the entries below the diagonal are filled AND they are -1/(d-1) instead of -1/d
@wrong("only-below", "one-less-beside", author="blind")
def r32_triangle(d):
    C = np.zeros((d, d))
    for i in range(d):
        C[i, i] = 1 - 1 / d
        for j in range(i):
            C[i, j] = -1 / (d - 1)
    return C


# the sign is reversed (mean minus x) AND it is d times too large
@wrong("d-times", "sign", author="blind")
def r33_scaled(d):
    return np.ones((d, d)) - d * np.identity(d)


# the diagonal stays 1 instead of 1 - 1/d AND the columns are normalized to length 1
@wrong("others-only", "unit-columns", author="blind")
def v03_diag_and_unit_columns(d):
    C = np.zeros((d, d))
    for i in range(d):
        for j in range(d):
            if i == j:
                C[i, j] = 1.0
            else:
                C[i, j] = -1.0 / d
    return C / np.linalg.norm(C, axis=0)
