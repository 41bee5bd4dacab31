import numpy as np


def scores_behind__6():
    # mistake: base 10
    a = 2 * np.log10(np.array([3, 2, 1]))
    return list(a - a.mean())


def scores_behind__7():
    # mistake: scores proportional to the weights, without logarithm
    w = np.array([1 / 2, 1 / 3, 1 / 6])
    return 2 * (w - w.mean())


def scores_behind__9():
    # mistake: order from the smallest to the largest
    return [-1.195, 0.192, 1.003]


def scores_behind__13():
    # mistake: rounded to one digit only
    return [1.0, 0.2, -1.2]


def scores_behind__14():
    # mistakes: temperature ignored; mean not subtracted
    return np.log([1 / 2, 1 / 3, 1 / 6])


def scores_behind__15():
    # mistakes: divided by the temperature; last score set to 0
    return [np.log(3) / 2, np.log(2) / 2, 0]
