"""Answers to `scores_behind`."""

import math

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def sb_by_hand():
    return [1.003, 0.192, -1.195]


@right()
def sb_ratios():
    second = 0.0
    first = second + 2 * math.log(3 / 2)
    third = second - 2 * math.log(2)
    mean = (first + second + third) / 3
    return first - mean, second - mean, third - mean


@right()
def sb_by_descent():
    scores, wanted = np.zeros(3), np.array([3.0, 2.0, 1.0]) / 6
    for _ in range(3000):
        powers = np.exp(scores / 2)
        scores = scores - (powers / powers.sum() - wanted)
    return scores


# gives back the weights
@wrong("weights")
def sb_weights():
    return np.array([1 / 2, 1 / 3, 1 / 6])


# does not use the freedom to shift
@wrong("shifted")
def sb_not_centered():
    return 2 * np.log([1 / 2, 1 / 3, 1 / 6])


# surprises, not scores
@wrong("upside-down")
def sb_surprises():
    s = -2 * np.log([1 / 2, 1 / 3, 1 / 6])
    return s - s.mean()


# base 2
@wrong("bits")
def sb_base_2():
    s = 2 * np.log2([3.0, 2.0, 1.0])
    return s - s.mean()


# one score only
@wrong("form")
def sb_one():
    return 1.003


# logarithm to base 10 instead of natural; scores not shifted so that their sum is 0
@wrong("base-ten", author="blind")
def fa_28():
    T = 2
    return [round(T * math.log10(w), 3) for w in (1 / 2, 1 / 3, 1 / 6)]
