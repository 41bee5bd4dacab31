"""What a search may spend, and that it names only what the learner's code has."""

import numpy as np
import pytest

from course_attn.exercises import catalog, check
from tests.whywrong.cells import exercise_of, written
from whywrong import Case
from whywrong.learner import names_used


def test_two_mistakes_are_told_alike_before_and_after_versions_are_built():
    exercise = catalog.find("softmax")
    exercise.values_with_faults.clear()
    both = written(
        "def softmax(scores):\n    return np.exp(scores) / np.exp(scores).sum(axis=0)"
    )
    first, again = check(both), check(both)
    assert first.faults == ("no-shift", "slip-axis"), first
    assert repr(first) == repr(again)


def test_names_used_are_those_of_the_code_and_its_helpers():
    function = written(
        "def helper(x):\n    return np.nan_to_num(x)\n"
        "def answer(x):\n    return [helper(row).sum(axis=0) for row in x]"
    )
    used = names_used(function)
    assert {"helper", "nan_to_num", "sum", "axis", "x"} <= used
    assert "where" not in used


@pytest.fixture
def halved():
    def halved(x):
        """Take the square root of the distance from the largest."""
        gap = x.max() - x
        return gap**0.5

    return exercise_of(
        halved,
        Case((np.array([1.0, 5.0, 8.0]),), "example"),
        Case((np.array([2.5, 7.0, 3.0, 11.0]),)),
    )
