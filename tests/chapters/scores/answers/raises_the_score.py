"""Answers to `raises_the_score`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def rts_list_in_another_order():
    return ["g", "F", "d", "a"]


@right()
def rts_computed():
    q, k = np.array([4.0, 3.0]), np.array([2.0, 1.0])
    scores = {
        "dot": lambda q: q @ k,
        "cosine": lambda q: round(q @ k / np.linalg.norm(q) / np.linalg.norm(k), 9),
        "Gaussian": lambda q: -((q - k) ** 2).sum() / 2,
    }
    moves = {
        "along": k,
        "toward": k - q,
        "across": np.array([1, -2]),
        "twice": 10 * q,
    }
    pairs = "dot along,Gaussian along,dot toward,Gaussian toward,dot across,cosine across"
    pairs += ",dot twice,cosine twice"
    found = set()
    for letter, pair in zip("abcdefgh", pairs.split(",")):
        score, move = pair.split()
        if scores[score](q + 0.1 * moves[move]) > scores[score](q):
            found.add(letter)
    return found


# a smaller angle alone does not do it
@wrong("e")
def rts_angle_decides():
    return ["a", "d", "e", "f", "g"]


# there is no move i
@wrong("form")
def rts_letter_too_many():
    return {"a", "d", "f", "g", "i"}
