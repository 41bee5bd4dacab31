"""Answers to `rows_that_mix`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def rtm_text():
    return "B, C, E, G"


@right()
def rtm_tried_on_extreme_rows():
    half = [[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5], [0.5, 0, 0.5, 0]]
    steps = [[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25, 0.25, 0.25, 0.25]]
    rows = {
        "a": (np.eye(4), lambda c: c.max() == 1),
        "b": (half, lambda c: c.max() <= 0.5),
        "c": ([[2, -1, 0, 0], [0, 3, -1, -1]], lambda c: c.sum() == 1),
        "d": (np.eye(4), lambda c: (c**2).sum() == 1),
        "e": (np.vstack([np.eye(4), np.zeros(4)]), lambda c: c.sum() <= 1),
        "f": (half, lambda c: (c > 0).sum() <= 2),
        "g": (steps, lambda c: (np.diff(c) <= 0).all()),
    }
    return [
        letter
        for letter, (kind, holds) in rows.items()
        if all(
            holds(0.5 * np.array(a) + 0.5 * np.array(b)) for a in kind for b in kind
        )
    ]


# one-hot rows are averages, but not a convex set
@wrong("a")
def rtm_all_averages():
    return {"a", "b", "f", "g"}


# two weights and two others make four
@wrong("f")
def rtm_two_weights_stay_two():
    return "bcefg"


# squares do not add up like the weights do
@wrong("d")
def rtm_sums_of_anything():
    return ["b", "c", "d", "e", "g"]


# only averages are thought to mix
@wrong("c-missing")
def rtm_averages_only():
    return {"b", "g"}


# names the kinds that break
@wrong("opposite")
def rtm_the_broken_ones():
    return "adf"


# returns the row, not the letters
@wrong("form")
def rtm_the_row():
    a, b, t = np.array([0.5, 0.5, 0, 0]), np.array([0, 0, 0.5, 0.5]), 0.25
    return (1 - t) * a + t * b


# takes 'squares sum to 1' (d) to be kept by mixing, as the sum is
@wrong("d", author="blind")
def b6_weighted_sum_6():
    # c = (1-t) a + t b, so every linear condition survives
    return {"b", "c", "d", "e", "g"}
