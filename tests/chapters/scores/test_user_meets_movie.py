"""`user_meets_movie`: what it holds without its script, and refusals."""

import numpy as np
import pytest

from course_attn.chapters.scores.widgets.user_meets_movie import user_meets_movie
from tests.support.output import Reader, numbers

FEATURES = ["action", "romance", "humor"]
USER, MOVIE = [-0.8, 0.9, 0.5], [-0.7, 0.8, -0.4]

EXAMPLES = {"user_meets_movie": lambda: user_meets_movie(USER, MOVIE, FEATURES)}


def test_user_meets_movie_without_its_script_is_a_table_of_products_and_their_sum():
    _, *rows = Reader(user_meets_movie(USER, MOVIE, FEATURES)).table
    found = numbers(rows[2][1:])
    products = np.multiply(USER, MOVIE)
    np.testing.assert_allclose(found, [*products, products.sum()], atol=0.005)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: user_meets_movie([1, 1], MOVIE, FEATURES), r"user must have shape \(3,\)"),
        (lambda: user_meets_movie(USER, "abc", FEATURES), "movie must be numbers of shape"),
        (lambda: user_meets_movie(USER, [0, 2, 0], FEATURES), "movie must lie from -1 to 1"),
        (lambda: user_meets_movie(USER, MOVIE, ["action"]), "features must have length 3"),
    ],
)  # fmt: skip
def test_user_meets_movie_names_an_argument_that_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
