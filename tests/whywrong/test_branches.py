"""What is said of an `if` that takes a wrong way, and of changes that can be misread."""

import numpy as np
import pytest

from course_attn.exercises import check
from tests.exercises.answers import answers_that_are
from tests.whywrong.cells import exercise_of, written
from whywrong import Case, fault_list, judge, mistakes
from whywrong.mistakes import _shared


def _shares(x):
    """Divide each row by its sum; a row of zeros stays."""
    totals = x.sum(axis=-1, keepdims=True)
    divisors = np.where(totals == 0, 1.0, totals)
    return x / divisors


_PLAIN = np.array([[1.0, 3.0, 4.0], [2.0, 5.0, 1.0]])
_EXERCISE = exercise_of(
    _shares,
    Case((_PLAIN,), "example"),
    Case((_PLAIN * 7 + 1,)),
    Case((np.array([[0.0, 0.0, 0.0], [2.0, 5.0, 1.0]]),)),
)


def test_branch_without_which_all_is_right_is_named_and_no_number_in_its_test():
    shortcut = written(
        "def _shares(x):\n    t = x.sum(axis=-1, keepdims=True)\n    if t.min() < 0.5:\n"
        "        return x / 3\n    t = np.where(t == 0, 1.0, t)\n    return x / t"
    )
    result = judge(_EXERCISE, shortcut)
    assert result.faults[0] == "mend-branch", result
    assert "right number" not in result.message


def test_recursion_without_its_end_is_stopped():
    halves = written(
        "def multi_head_flops(n, d_model, n_heads):\n"
        "    def heads(k):\n        if k == 1:\n            return n * d_model * 3\n"
        "        return heads(k // 2) + heads(k - k // 2)\n    return heads(n_heads)"
    )
    assert check(halves).status == "wrong"


# Each has a change that would hang: `powers.append(powers)`, and `n_layers ** 2` handed on.
@pytest.mark.parametrize(
    ("exercise", "name"),
    [
        ("softmax", "fourth_sm_squares_in_helper"),
        ("gpt_parameters", "fresh_gp_recursive"),
    ],
)
def test_search_comes_to_an_end(exercise, name):
    answer = answers_that_are("wrong")[exercise][name]
    assert check(answer.function, exercise).status == "wrong"


def test_place_of_a_name_that_a_line_has_twice_is_said(monkeypatch):
    monkeypatch.setattr(mistakes, "_SLIPS", 0)

    def gap(x, y):
        """Subtract x from the sum three times."""
        total = x + y
        return total - 3 * x

    cases = (np.array([1.0, 2.0]), 3.0), (np.array([5.0, 1.0, 4.0]), -2.0)
    exercise = exercise_of(gap, *(Case(given) for given in cases))
    twice = written("def gap(x, y):\n    t = x + y\n    return t - 3 * t")
    message = judge(exercise, twice).message
    assert "is the last `t` of this line the right one" in message


def test_fault_is_recognized_in_an_answer_that_computes_in_float64():
    def third(x):
        """Take the third power."""
        return x**3

    exercise = exercise_of(
        third,
        Case((np.array([1.0, 2.0, 5.0]),), "example"),
        Case((np.array([1e-15, 2e-15, 1e-14], dtype="f4"),)),
        faults=fault_list("\nsquare: x**3 → x**4\n    One power too many.\n"),
    )
    wide = written("def third(x):\n    return np.asarray(x, dtype=float) ** 4")
    assert "square" in judge(exercise, wide).faults


def test_example_that_belongs_to_both_mistakes_is_said_once():
    assert _shared("One. Here: 3.", "Two. Here: 3.") == ("One.", "Two.", "Here: 3.")
    assert _shared("One. Here: 3.", "Two. Here: 4.")[2] == ""
