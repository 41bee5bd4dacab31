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


# the far keys are too far
@wrong("hot")
def vt_too_far():
    return [1.0, 0.8, 0.8, -500, -500]
