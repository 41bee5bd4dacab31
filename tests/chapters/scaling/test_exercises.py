"""Exercises of `scaling`: what `entropy_collapse` predicts is what one measures."""

import numpy as np
import pytest

from course_attn.exercises import catalog
from course_attn.in_numpy.scaling import score_statistics

D = 4096


@pytest.fixture(scope="module")
def measured():
    """Return the mean entropy of two hundred rows of each kind."""
    rng = np.random.default_rng(0)
    q = rng.standard_normal((200, 1, D), dtype="f4")
    keys = rng.standard_normal((200, 16, D), dtype="f4")
    c = 10 * rng.standard_normal(D, dtype="f4")
    dots = np.vecdot(q, keys).astype(float)
    shifted = np.vecdot(q, keys + c).astype(float)
    scores = {
        "a": dots / D**0.5,
        "b": dots,
        "c": dots / D,
        "d": np.tile(dots[:, :8], 2),
        "e": shifted / D**0.5,
    }
    return {
        letter: score_statistics(rows[:, None]).entropy.mean()
        for letter, rows in scores.items()
    }


@pytest.mark.parametrize("i", range(5), ids="abcde")
def test_entropy_collapse_predicts_what_is_measured(i, measured):
    predicted = catalog.find("entropy_collapse").solution()[i]
    assert abs(predicted - measured["abcde"[i]]) < 0.06
