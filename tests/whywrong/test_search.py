"""What a search may spend, and that it names only what the learner's code has."""

import time

import numpy as np
import pytest

from course_attn.exercises import catalog, check
from tests.whywrong.cells import exercise_of, written
from whywrong import Case, judge, limits
from whywrong.running import Budget, names_used


def test_budget_counts_computing_and_not_waiting(monkeypatch):
    clocks = {"computed": 7.0, "passed": 9.0}
    monkeypatch.setattr(limits, "_processor_time", lambda: clocks["computed"])
    monkeypatch.setattr(time, "monotonic", lambda: clocks["passed"])
    budget = Budget(0.1)
    clocks["passed"] += 1.0
    assert not budget.is_over
    clocks["computed"] += 0.2
    assert budget.is_over and budget.left < 0 and budget.part(0.5).is_over


def test_two_mistakes_are_told_alike_before_and_after_versions_are_built():
    exercise = catalog.find("softmax")
    exercise.values_with_faults.clear()
    exercise.versions.clear()
    both = written(
        "def softmax(scores):\n    return np.exp(scores) / np.exp(scores).sum()"
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


def test_reading_that_looks_like_the_code_is_said(halved):
    """Swapped sides and a wrong sign could both give these numbers."""
    precedence = written(
        "def halved(x):\n    gap = x.max() - x\n    return gap ** 1 / 2"
    )
    result = judge(halved, precedence)
    assert result.faults[0] == "slip-inside", result
    product = written("def halved(x):\n    return (x.max() - x) * 0.5")
    assert "slip-operator" in judge(halved, product).faults


def test_small_number_that_shows_is_named_with_its_line():
    def logs(x):
        """Take the logarithm of the powers' shares."""
        shifted = x - x.max()
        return shifted - np.log(np.exp(shifted).sum())

    exercise = exercise_of(
        logs,
        Case((np.array([1.0, 2.0, 4.0]),), "example"),
        Case((np.array([0.0, -900.0, 3.0, -2000.0]),)),
    )
    source = (
        "def logs(x):\n    p = np.exp(x - x.max())\n    p = p / p.sum()\n"
        "    return np.log(p + 1e-15)"
    )
    result = judge(exercise, written(source))
    assert "small-number" in result.faults, result
    assert "line 4" in result.message and "log(1e-15) = -34.54" in result.message


def test_change_that_mends_most_cases_is_named_with_what_is_left():
    def shares(x):
        """Divide each row by its sum; a row of zeros stays."""
        total = x.sum(axis=-1, keepdims=True)
        return x / np.where(total == 0, 1.0, total)

    rng = np.random.default_rng(0)
    some_zeros = rng.uniform(1, 2, (4, 3))
    some_zeros[1] = 0
    exercise = exercise_of(
        shares,
        Case((np.array([[1.0, 3.0, 4.0], [2.0, 2.0, 1.0]]),), "example"),
        Case((rng.uniform(1, 2, (5, 3)),)),
        Case((rng.uniform(1, 2, (2, 4)),)),
        Case((some_zeros,), "zeros"),
    )
    source = (
        "def shares(x):\n    with np.errstate(all='ignore'):\n"
        "        return x / (x.sum(axis=-1, keepdims=True) + 3.0) / (x != 0)"
    )
    result = judge(exercise, written(source))
    assert "mend-most" in result.faults, result
    assert "would make most cases right" in result.message
    assert "Once that is right, look again at what happens" in result.message
