"""Answers to `vote_turns_twice`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def vt_first_of_three():
    return [0.0, -0.3, -0.3, -4, -4]


@right()
def vt_last_leads():
    return np.array([-9.0, 2.0, 2.0, -9.0, 2.1])


@right()
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


# labels mixed up
@wrong("cold-zero-first")
def vt_zero_leads():
    return [0.8, 1.0, 1.0, -5, -5]


# leads by too little
@wrong("cold")
def vt_tiny_lead():
    return [1.0, 0.95, 0.95, -5, -5]


# leads by too much
@wrong("warm")
def vt_large_lead():
    return [2.0, 1.0, 1.0, -5, -5]


# the far keys are not far enough
@wrong("warm")
def vt_near_crowd():
    return [1.0, 0.8, 0.8, 0.7, 0.7]


# the far keys are too far
@wrong("hot")
def vt_too_far():
    return [1.0, 0.8, 0.8, -500, -500]


# minus infinity for the far keys
@wrong("form")
def vt_forbidden():
    return [1.0, 0.8, 0.8, -np.inf, -np.inf]


# three scores
@wrong("form")
def vt_three():
    return [1.0, 0.8, 0.8]
