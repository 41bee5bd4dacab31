"""`value_triangle`: what it holds without its script, and refusals."""

import numpy as np
import pytest

from course_attn import in_numpy
from course_attn.chapters.weighted_sum.widgets.value_triangle import value_triangle
from tests.support.output import Reader, data_of, numbers

CORNERS = [[0.0, 0.0], [4.0, 0.0], [1.0, 3.0]]
EXAMPLES = {"value_triangle": lambda: value_triangle(CORNERS)}


def test_value_triangle_without_its_script_is_a_table_of_averages():
    head, *rows = Reader(value_triangle(CORNERS, [0.2, 0.3, 0.5])).table
    assert head == ["", "a₁", "a₂", "a₃", "y"] and len(rows) == 5
    for name, *weights, output in rows:
        a = np.array(numbers(weights))
        assert (a.min() < 0) == name.startswith("outside") and abs(
            a.sum() - 1
        ) < 0.02
        point = numbers(output.strip("()").split(", "))
        wanted = in_numpy.weighted_sum(a, np.array(CORNERS))
        np.testing.assert_allclose(point, wanted, atol=0.03)


def test_value_triangle_begins_at_the_mean_or_at_given_weights():
    np.testing.assert_allclose(data_of(value_triangle(CORNERS))["weights"], 1 / 3)
    data = data_of(value_triangle(CORNERS, [0.25, 0.0, 0.75]))
    assert data["weights"] == [0.25, 0.0, 0.75] and data["values"] == CORNERS
    assert data["x"] == [-1, 5] and data["y"] == [-1, 4]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: value_triangle(CORNERS[:2]), r"values must have shape \(3, 2\)"),
        (lambda: value_triangle([[0, 0], [1, 1], [2, 2]]), "values must not lie on one"),
        (lambda: value_triangle([[0, 0], [1, 1], [0, np.nan]]), "values must have finite"),
        (lambda: value_triangle(CORNERS, [0.5, 0.5]), r"weights must have shape \(3,\)"),
        (lambda: value_triangle(CORNERS, [1.5, -0.5, 0]), "weights must be at least 0"),
        (lambda: value_triangle(CORNERS, [0.5, 0.5, 0.5]), "weights must be .* sum to 1"),
    ],
)  # fmt: skip
def test_value_triangle_names_an_argument_that_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
