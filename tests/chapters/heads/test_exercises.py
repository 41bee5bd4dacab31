"""Exercises of `heads`: they mean what the package means, and say what is true."""

import numpy as np

from course_attn.exercises import catalog, check
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


def test_read_on_is_what_a_map_with_an_induction_score_of_1_brings():
    """Where a piece repeats, the guess is the token that such a head looks at."""
    tokens, period = np.tile([5, 2, 7, 3], 3), 4
    weights = np.eye(12, k=1 - period)
    assert package.induction_score(weights, period) == 1
    guesses = catalog.find("read_on").solution(tokens)
    np.testing.assert_array_equal(guesses[period:], (weights @ tokens)[period:])


def test_without_head_and_the_head_alone_add_up_to_attention():
    rng = np.random.default_rng(0)
    weights, V = np.tri(5) / 3 * rng.random((3, 5, 5)), rng.normal(size=(3, 5, 2))
    W_O = rng.normal(size=(6, 7))
    left = catalog.find("without_head").solution(weights, V, W_O, 1)
    alone = weights[1] @ V[1] @ W_O[2:4]
    merged = np.concatenate(list(weights @ V), axis=-1)
    np.testing.assert_allclose(left + alone, merged @ W_O, rtol=1e-12)
