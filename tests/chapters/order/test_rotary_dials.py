"""`rotary_dials`: what it holds without its script, and refusals."""

import re

import numpy as np
import pytest

from course_attn import in_numpy
from course_attn.chapters.order.widgets.rotary_dials import rotary_dials
from tests.support.output import Reader, numbers

QUERY = [1.0, 0.7, 0.9, 0.3, 0.7, -0.2]
KEY = [0.4, 0.3, 0.5, -0.9, 0.9, 0.7]
EXAMPLES = {"rotary_dials": lambda: rotary_dials(QUERY, KEY)}


def test_rotary_dials_without_its_script_is_a_table_of_positions():
    _, *rows = Reader(rotary_dials(QUERY, KEY, positions=(5, 3))).table
    for name, distance, *texts in rows:
        i, j = map(
            int, re.fullmatch(r"query at (\d+), key at (\d+)", name).groups()
        )
        turned = [
            in_numpy.rotary(np.array([row]), np.array([at]), base=64.0)[0]
            for row, at in ((QUERY, i), (KEY, j))
        ]
        products = turned[0] * turned[1]
        wanted = [*(products[:3] + products[3:]), products.sum()]
        np.testing.assert_allclose(numbers(texts), wanted, atol=0.005)
        assert int(distance) == i - j
    scores = [row[-1] for row in rows]
    assert scores[0] == scores[1] == scores[2] and len(set(scores)) == 3


def test_rotary_dials_names_its_base_where_it_is_not_the_usual_one():
    assert "The base is 64:" in repr(rotary_dials(QUERY, KEY))
    assert "The base" not in repr(rotary_dials(QUERY, KEY, base=10_000))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rotary_dials([1.0, 2.0, 3.0], KEY), "key must have shape"),
        (lambda: rotary_dials([1.0] * 3, [1.0] * 3), "query must have length 2, 4, 6"),
        (lambda: rotary_dials([0.0, 1, 0, 1], [1.0] * 4), "query must have no pair of"),
        (lambda: rotary_dials(QUERY, KEY, positions=(1,)), "positions must be two whole"),
        (lambda: rotary_dials(QUERY, KEY, positions=(1.5, 0)), "positions must be two"),
        (lambda: rotary_dials(QUERY, KEY, positions=(21, 0)), "positions must be a number"),
        (lambda: rotary_dials(QUERY, KEY, base=0.5), "base must be a number from 1"),
    ],
)  # fmt: skip
def test_rotary_dials_names_an_argument_that_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
