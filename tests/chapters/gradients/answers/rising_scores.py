"""Answers to `rising_scores`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def rs_computed():
    weights = np.array([0.25, 0.05, 0.05, 0.4, 0.05, 0, 0.15, 0.05])
    values = [(4, 0), (3, 3), (6, 5), (2, 1), (1, 1), (3, 3), (-2, 0), (0, 3)]
    values = np.array(values, dtype=float)
    y = weights @ values
    d_scores = weights * ((values - y) @ (y - [3, 3]))
    return {
        letter for letter, d in zip("abcdefgh", d_scores, strict=True) if d < -1e-9
    }


@right()
def rs_list():
    return ["b", "c", "h"]


@right()
def rs_text():
    return "h, c, b"


@right()
def rs_capitals():
    return ("B", "H", "C")


# follows the gradient up
@wrong("falling")
def rs_uphill():
    return {"e", "g"}


# numbers of keys
@wrong("form")
def rs_numbers():
    return [1, 2, 7]
