"""Answers to `hide_the_axis_bug`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def hb_identity_like():
    return 3 * np.eye(3)


@right()
def hb_not_symmetric():
    return [[0, 1, 2], [2, 0, 1], [1, 2, 0]]


@right()
def hb_magic_powers():
    return np.log([[2.0, 7.0, 6.0], [9.0, 5.0, 1.0], [4.0, 3.0, 8.0]])


@right(author="fresh")
def fresh_axis_rolled():
    row = [0.5, -1.0, 3.0]
    return np.array([row[-k:] + row[:-k] for k in range(3)])


@right(author="fresh")
def fresh_axis_logarithms():
    weights = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]])
    return np.log(weights)


@wrong()
def hb_symmetric():
    return np.array([[0.0, 1.0, 2.0], [1.0, 5.0, 1.5], [2.0, 1.5, 0.0]])


@wrong()
def hb_ones():
    return np.ones((3, 3))


@wrong()
def hb_range():
    return np.arange(9.0).reshape(3, 3)


# sums of scores, not powers
@wrong("equal-sums-of-scores")
def hb_magic_square():
    return np.array([[2.0, 7.0, 6.0], [9.0, 5.0, 1.0], [4.0, 3.0, 8.0]])


# only the rows share a sum
@wrong("half-equal")
def hb_rows_permuted():
    return np.array([[0.0, 1.0, 2.0], [0.0, 2.0, 1.0], [2.0, 0.0, 1.0]])


# hidden by saturation only, and not quite
@wrong("visible")
def hb_saturated():
    return np.diag([20.0, 19.0, 18.0])


# one row is constant
@wrong("constant-line")
def hb_constant_row():
    return [[1, 1, 1], [0, 1, 2], [2, 1, 0]]


# four rows
@wrong("form")
def hb_four():
    return np.eye(4)


# in a magic square the scores of all rows and columns have the same sum, but their exponentials
# have not
@wrong(author="fresh")
def fresh_axis_magic_square():
    square = np.zeros((3, 3))
    i, j = 0, 1
    for number in range(1, 10):
        square[i, j] = number
        if square[(i - 1) % 3, (j + 1) % 3]:
            i = (i + 1) % 3
        else:
            i, j = (i - 1) % 3, (j + 1) % 3
    return square


# only the rows hold the same numbers in another order, the columns do not
@wrong(author="fresh")
def fresh_axis_only_rows():
    return np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0], [2.0, 1.0, 0.0]])


# returns weights whose rows and columns sum to 1; the scores would be their logarithms
@wrong(author="fresh")
def fresh_axis_weights_for_scores():
    return np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]])


# the array is 4 x 4, not 3 x 3 AND it is symmetric, which is not enough: its rows hold different
# numbers
@wrong(author="fresh")
def fresh_axis_symmetric_four():
    return np.array([[float(i + j) for j in range(4)] for i in range(4)])


# takes any symmetric matrix, for which the wrong axis gives the transposed weights, not the same
# weights
@wrong(author="unseen")
def second_sm_any_symmetric_matrix():
    half = np.array([[0.5, 2.0, 3.0], [0.0, 2.0, 5.0], [0.0, 0.0, 3.0]])
    return half + half.T


# thinks that a symmetric matrix is enough (there the wrong axis gives the transposed weights, not
# the same ones)
@wrong("symmetric", author="blind")
def b7_softmax_17():
    S = np.array([[1.0, 2.0, 3.0], [2.0, 5.0, 4.0], [3.0, 4.0, 0.0]])
    return S
