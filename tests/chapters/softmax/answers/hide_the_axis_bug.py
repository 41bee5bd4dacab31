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


# only the rows hold the same numbers in another order, the columns do not
@wrong(author="fresh")
def fresh_axis_only_rows():
    return np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0], [2.0, 1.0, 0.0]])


# the array is 4 x 4, not 3 x 3 AND it is symmetric, which is not enough: its rows hold different
# numbers
@wrong(author="fresh")
def fresh_axis_symmetric_four():
    return np.array([[float(i + j) for j in range(4)] for i in range(4)])
