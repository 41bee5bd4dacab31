"""Exercises of `scores`: the numbers of its question are those that the package computes."""

import numpy as np
import pytest

from course_attn.exercises import catalog, check
from course_attn.in_numpy.scores import cosine_scores, dot_scores, gaussian_scores

TASK = catalog.find("raises_the_score")
ANSWER = TASK.solution()
Q, K = np.array([[4.0, 3.0]]), np.array([[2.0, 1.0]])
ALONG, TOWARD, ACROSS = (Q + s / 10 for s in (K, K - Q, np.array([[1.0, -2.0]])))
MOVES = {
    "a": (dot_scores, ALONG),
    "b": (gaussian_scores, ALONG),
    "c": (dot_scores, TOWARD),
    "d": (gaussian_scores, TOWARD),
    "e": (dot_scores, ACROSS),
    "f": (cosine_scores, ACROSS),
    "g": (dot_scores, 2 * Q),
    "h": (cosine_scores, 2 * Q),
}


@pytest.mark.parametrize("letter", MOVES)
def test_raises_the_score_names_the_moves_that_do(letter):
    score, moved = MOVES[letter]
    gain = (score(moved, K) - score(Q, K)).item()
    assert gain > 1e-3 if letter in ANSWER else gain < 1e-12
    found = check(lambda: ANSWER ^ {letter}, "raises_the_score").faults
    assert found == (letter + "-missing" * (letter in ANSWER),)


def test_raises_the_score_says_true_numbers():
    dots = [dot_scores(q, K).item() for q in (Q, ALONG, TOWARD, ACROSS, 2 * Q)]
    assert np.allclose(dots, [11, 11.5, 10.4, 11, 22])
    apart = [((q - K) ** 2).sum() for q in (Q, ALONG)]
    assert np.allclose(apart, [8, 9.25])
    degrees = [np.degrees(np.arctan2(*v[0, ::-1])) for v in (Q, ACROSS, K)]
    assert np.round(degrees).tolist() == [37, 34, 27]
