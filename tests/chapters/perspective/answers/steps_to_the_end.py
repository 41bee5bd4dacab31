"""Answers to `steps_to_the_end`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def se_list():
    return [499, 250, 9, 1, 2]


@right()
def se_array():
    return np.array([499, 250, 9, 1, 2])


@right()
def se_math():
    import math

    n = 500
    return (
        n - 1,
        math.ceil((n - 1) / 2),
        math.ceil(math.log2(n)),
        1,
        2,
    )


@right()
def se_simulated():
    n, found = 500, [499]
    i = np.arange(n)
    apart = np.abs(i[:, None] - i)
    middle = (i == 250) | (i[:, None] == 250)
    steps = (
        lambda layer: apart <= 2,
        lambda layer: (apart == 0) | (apart == 2**layer),
        lambda layer: apart >= 0,
        lambda layer: (apart <= 2) | middle,
    )
    for sees in steps:
        known = i == n - 1
        layers = []
        while not known[0]:
            layers.append(sees(len(layers)))
            known = layers[-1][known].any(axis=0)
        found.append(len(layers))
    return found


# the chapter's formula for c
@wrong("c-6")
def se_log_3():
    return [499, 250, int(np.ceil(np.log(500) / np.log(3))), 1, 2]


# takes e for full attention
@wrong("e-1")
def se_e_at_once():
    return 499, 250, 9, 1, 1


# not rounded up
@wrong("b-other")
def se_not_rounded():
    return 499, 249.5, np.log2(500), 1, 2


# the logarithm to base 2 for b, too
@wrong("b-9", author="blind")
def blind_all_log():
    return 499, 9, 9, 1, 2


# distance 500
@wrong("e-250", author="blind")
def blind_distance():
    return [499, 250, 9, 1, 250]


# half of the way, from the middle
@wrong("c-8", author="blind")
def blind_middle():
    return [499, 250, 8, 1, 2]


# words
@wrong("form", author="blind")
def blind_words():
    return ["499", "250", "nine", "1", "2"]
