"""How the known mistakes are compared with an answer."""

from dataclasses import replace

import numpy as np

from whywrong import fault, judge
from whywrong.observe import pattern


def test_fault_is_computed_once_however_often_answers_are_checked(unexplained, toy):
    calls = []

    def negated(x, factor):
        calls.append(x.shape)
        return -x * factor

    exercise = replace(toy, faults=(fault("negated", negated, says="You negate."),))
    assert judge(exercise, lambda x, factor: np.sin(x)).faults == ()
    assert len(calls) == 1  # it differs in the first case already
    for _ in range(3):
        assert judge(exercise, lambda x, factor: -(x * factor)).faults == (
            "negated",
        )
    assert len(calls) == len(exercise.made_cases)


def test_fault_that_raises_fits_an_answer_that_raises_in_the_same_cases(
    toy,
):
    def zeros(x, factor):
        if x.shape == (3, 3):
            raise ValueError("not square")
        return np.zeros_like(x)

    exercise = replace(
        toy, faults=(fault("zeros", zeros, says="Zeros, at times."),)
    )

    def crashes_too(x, factor):
        return zeros(x, factor)

    for _ in range(2):
        assert judge(exercise, crashes_too).faults == ("zeros",)
        assert judge(exercise, lambda x, factor: np.zeros_like(x)).faults == ()


def test_columns_are_named_only_where_they_are_wrong_from_top_to_bottom():
    right = np.arange(1.0, 13.0).reshape(3, 4)
    whole, part = right.copy(), right.copy()
    whole[:, 1] += 1
    part[:2, 1] += 1
    part[2, 2] += 1
    assert "Only column 1 (of 4)" in pattern(whole, right, 1e-6).message
    assert pattern(part, right, 1e-6) is None
