"""`user_meets_movie` in Chromium from disk: numbers typed and by keys, bad input, and back."""

import numpy as np

from tests.support.output import numbers
from tests.support.widget_page import BAD

FEATURES = ("action", "romance", "humor")


def tells(move, user, movie) -> None:
    fields = [
        [move.number_in(f"{role}, {feature}") for feature in FEATURES]
        for role in ("user", "movie")
    ]
    np.testing.assert_allclose(fields, [user, movie], atol=1e-3)
    products = np.multiply(user, movie)
    found = numbers(move.cells("A user meets a movie")[2][1:])
    np.testing.assert_allclose(found, [*products, products.sum()], atol=0.00501)


def test_user_meets_movie_takes_numbers_and_goes_back(opened):
    move = opened()
    user, movie = [-0.8, 0.9, 0.5], [-0.7, 0.8, -0.4]
    tells(move, user, movie)
    move.says(r"^The movie scores 0\.56 \+ 0\.72 − 0\.20 = 1\.08\.$")
    move.field("movie, humor").fill("0,4")
    tells(move, user, [-0.7, 0.8, 0.4])
    move.field("user, action").focus()
    move.press("ArrowDown", "ArrowDown")
    tells(move, [-1, 0.9, 0.5], [-0.7, 0.8, 0.4])
    move.back()
    tells(move, user, movie)


def test_user_meets_movie_names_what_is_no_number_from_minus_one_to_one(opened):
    move = opened()
    field = move.field("movie, romance")
    for text in (*BAD, "1.1"):
        field.fill(text)
        move.says(r"^movie, romance (holds|is empty).*0\.8 is still used")
    field.press("Escape")
    tells(move, [-0.8, 0.9, 0.5], [-0.7, 0.8, -0.4])
