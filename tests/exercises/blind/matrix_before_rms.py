import numpy as np


def matrix_before_rms__1(d):
    # mistake: the matrix of the mean, not the one that takes it away
    return np.full((d, d), 1 / d)


def matrix_before_rms__2(d):
    # mistake: subtracts the sum instead of the mean
    return np.eye(d) - np.ones((d, d))


def matrix_before_rms__4(d):
    # mistake: whole-number division, so nothing is subtracted
    return np.eye(d) - np.ones((d, d), dtype=int) // d


def matrix_before_rms__5(d):
    # mistake: the mean is subtracted from the first feature only
    C = np.eye(d)
    C[:, 0] -= 1 / d
    return C


def matrix_before_rms__8(d):
    # mistakes: centered matrix is doubled; the mean is taken off only below the diagonal
    return 2 * np.eye(d) - np.tri(d) / d
