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


# names the kinds that break
@wrong("opposite")
def rtm_the_broken_ones():
    return "adf"


# returns the row, not the letters
@wrong("form")
def rtm_the_row():
    a, b, t = np.array([0.5, 0.5, 0, 0]), np.array([0, 0, 0.5, 0.5]), 0.25
    return (1 - t) * a + t * b
