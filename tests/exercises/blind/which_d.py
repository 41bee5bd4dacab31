import numpy as np


def which_d__9():
    # mistake: root of d_k divided by the heads
    return (36 / 12) ** 0.5


def which_d__10():
    # mistake: root of d_k + d_v
    return np.sqrt(36 + 25)


def which_d__12():
    # mistake: root of d_k times the heads' number
    return 12 * 6


def which_d__13():
    # mistakes: root forgotten; d_v instead of d_k
    return 25


def which_d__14():
    # mistakes: d_model instead of d_k; reciprocal
    return 1 / np.sqrt(432)
