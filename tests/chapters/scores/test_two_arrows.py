"""`two_arrows`: what it holds without its script, and refusals."""

import numpy as np
import pytest

from course_attn import in_numpy
from course_attn.chapters.scores.widgets.two_arrows import two_arrows
from tests.support.output import Reader, numbers

EXAMPLES = {"two_arrows": lambda: two_arrows([1.0, 0.5], [1.0, 4.0])}


def test_two_arrows_without_its_script_is_a_table_of_three_sums():
    q, k = np.array([[1.0, 0.5]]), np.array([[-1.5, 2.0]])
    _, *rows = Reader(two_arrows(q[0], k[0])).table
    found = numbers(row[2] for row in rows)
    dot, cosine = in_numpy.dot_scores(q, k), in_numpy.cosine_scores(q, k)
    wanted = [dot.item(), cosine.item(), np.linalg.norm(q - k)]
    np.testing.assert_allclose(found, wanted, atol=0.005)
    assert rows[0][1] == "1·(−1.5) + 0.5·2"
    assert rows[2][1] == "√((1 − (−1.5))² + (0.5 − 2)²)"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: two_arrows([1, 2, 3], [1, 2]), r"query must have shape \(2,\)"),
        (lambda: two_arrows([1, 2], "ab"), "key must be numbers of shape"),
        (lambda: two_arrows([1, 2], [1, 5]), "key must lie from .* got"),
        (lambda: two_arrows([-3, 2], [1, 2]), "query must lie from .* got"),
    ],
)  # fmt: skip
def test_two_arrows_names_an_argument_that_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
