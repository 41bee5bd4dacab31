import numpy as np


def hide_the_axis_bug__1():
    # mistake: symmetric, but rows and columns have different sums of exponentials
    return np.array([[1.0, 2, 3], [2, 5, 1], [3, 1, 4]])


def hide_the_axis_bug__2():
    # mistake: constant everywhere
    return np.ones((3, 3))


def hide_the_axis_bug__3():
    # mistake: magic square, equal sums of the scores and not of their exponentials
    return np.array([[8.0, 1, 6], [3, 5, 7], [4, 9, 2]])


def hide_the_axis_bug__6():
    # mistake: random scores
    return np.random.default_rng(0).normal(size=(3, 3))


def hide_the_axis_bug__7():
    # mistakes: one row is constant; sums of exponentials of rows and columns differ
    return np.array([[0.0, 0, 0], [1, 2, 3], [3, 2, 1]])
