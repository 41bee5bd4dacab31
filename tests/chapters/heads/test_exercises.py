"""Exercises of `heads`: they mean what the package means, and say what is true."""

import numpy as np

from course_attn.exercises import check
from course_attn.in_numpy import heads as package
from tests.exercises.same import assert_solution_is


def test_solution_is_the_packages_function():
    assert_solution_is(package.induction_score, "induction_score")


def test_induction_score_says_which_entries_are_read():
    def odd(weights, period):
        rows = np.arange(period, weights.shape[-1])
        return weights[..., rows, rows % 2].mean(axis=-1)

    message = check(odd, "induction_score").message
    assert (
        "you read the entries (row, column) (3, 1), (4, 0), (5, 1), (6, 0);"
        in message
    )
    assert "(3, 1), (4, 2), (5, 3), (6, 4) are right." in message
