"""Answers to the questions `scores_behind` and `vote_turns_twice`, right and wrong."""

import math

import numpy as np

from tests.exercises.answers import Answers

right, wrong = Answers(), Answers()


@right("scores_behind")
def sb_by_hand():
    return [1.003, 0.192, -1.195]


@right("scores_behind")
def sb_ratios():
    second = 0.0
    first = second + 2 * math.log(3 / 2)
    third = second - 2 * math.log(2)
    mean = (first + second + third) / 3
    return first - mean, second - mean, third - mean


@right("scores_behind")
def sb_by_descent():
    scores, wanted = np.zeros(3), np.array([3.0, 2.0, 1.0]) / 6
    for _ in range(3000):
        powers = np.exp(scores / 2)
        scores = scores - (powers / powers.sum() - wanted)
    return scores


@wrong("scores_behind", "weights", mistake="gives back the weights")
def sb_weights():
    return np.array([1 / 2, 1 / 3, 1 / 6])


@wrong("scores_behind", "cold", mistake="forgets the temperature")
def sb_plain_logarithm():
    return np.log([3.0, 2.0, 1.0])


@wrong("scores_behind", "divided", mistake="divides by the temperature again")
def sb_divided():
    s = np.log([1 / 2, 1 / 3, 1 / 6]) / 2
    return s - s.mean()


@wrong("scores_behind", "shifted", mistake="does not use the freedom to shift")
def sb_not_centered():
    return 2 * np.log([1 / 2, 1 / 3, 1 / 6])


@wrong("scores_behind", "upside-down", mistake="surprises, not scores")
def sb_surprises():
    s = -2 * np.log([1 / 2, 1 / 3, 1 / 6])
    return s - s.mean()


@wrong("scores_behind", "bits", mistake="base 2")
def sb_base_2():
    s = 2 * np.log2([3.0, 2.0, 1.0])
    return s - s.mean()


@wrong("scores_behind", "other", mistake="scores in the ratios of the weights")
def sb_ratios_of_weights():
    return np.array([1.0, 0.0, -1.0])


@wrong("scores_behind", "form", mistake="one score only")
def sb_one():
    return 1.003


@right("vote_turns_twice")
def vt_first_of_three():
    return [0.0, -0.3, -0.3, -4, -4]


@right("vote_turns_twice")
def vt_last_leads():
    return np.array([-9.0, 2.0, 2.0, -9.0, 2.1])


@right("vote_turns_twice")
def vt_by_search():
    draw = np.random.default_rng(0).normal
    while True:
        s = draw(size=5) * [1, 1, 1, 4, 4]
        shares = []
        for T in (0.1, 1, 100):
            e = np.exp((s - s.max()) / T)
            shares.append(e[[0, 3, 4]].sum() / e.sum())
        if shares[0] > 0.51 and shares[1] < 0.49 and shares[2] > 0.51:
            return s


@wrong("vote_turns_twice", "cold-zero-first", mistake="labels mixed up")
def vt_zero_leads():
    return [0.8, 1.0, 1.0, -5, -5]


@wrong("vote_turns_twice", "cold", mistake="leads by too little")
def vt_tiny_lead():
    return [1.0, 0.95, 0.95, -5, -5]


@wrong("vote_turns_twice", "warm", mistake="leads by too much")
def vt_large_lead():
    return [2.0, 1.0, 1.0, -5, -5]


@wrong("vote_turns_twice", "warm", mistake="the far keys are not far enough")
def vt_near_crowd():
    return [1.0, 0.8, 0.8, 0.7, 0.7]


@wrong("vote_turns_twice", "hot", mistake="the far keys are too far")
def vt_too_far():
    return [1.0, 0.8, 0.8, -500, -500]


@wrong("vote_turns_twice", "form", mistake="minus infinity for the far keys")
def vt_forbidden():
    return [1.0, 0.8, 0.8, -np.inf, -np.inf]


@wrong("vote_turns_twice", "form", mistake="three scores")
def vt_three():
    return [1.0, 0.8, 0.8]
