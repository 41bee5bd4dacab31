"""`softmax_bars`: what it holds without its script, and refusals."""

import numpy as np
import pytest

from course_attn import in_numpy
from course_attn.chapters.softmax.widgets.softmax_bars import softmax_bars
from tests.support.output import Reader, numbers

SCORES, WORDS = [2.0, 1.0, -1.0], ["cat", "sat", "mat"]
EXAMPLES = {"softmax_bars": lambda: softmax_bars(SCORES, WORDS)}


def named(name):
    return softmax_bars(SCORES, ["x", name, "y"])


def test_softmax_bars_without_its_script_is_a_table_of_weights():
    scores = np.array([0.5, 3.0])
    head, *rows = Reader(softmax_bars(scores, ["<a>", "b"], temperature=2.0)).table
    assert head == ["", "<a>", "b", "entropy (nats)", "keys in play"]
    assert [row[0] for row in rows] == ["T = 0.1", "T = 1", "T = 2", "T = 10"]
    for name, *texts in rows:
        a = in_numpy.softmax(scores, temperature=float(name.removeprefix("T = ")))
        nats = in_numpy.entropy(a)
        wanted = [*a, nats, np.exp(nats)]
        np.testing.assert_allclose(numbers(texts), wanted, atol=0.005)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: softmax_bars([1], ["a"]), "scores must have length 2 to 5, got 1"),
        (lambda: softmax_bars([1, 6], ["a", "b"]), "scores must be a number from -5 to 5"),
        (lambda: softmax_bars([1, 2], ["a"]), "names must have length 2"),
        (lambda: softmax_bars([1, 2], "ab"), "names must be a sequence of str"),
        (lambda: softmax_bars([1, 2], ["a", "b"], temperature=0), "temperature must be"),
    ],
)  # fmt: skip
def test_softmax_bars_names_an_argument_that_does_not_fit(call, message):
    with pytest.raises(ValueError, match=message):
        call()
