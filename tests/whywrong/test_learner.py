"""What is read from a learner's code."""

import pytest

from tests.whywrong.cells import written
from whywrong.learner import counts_from_the_end


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x.sum(axis=-1)", True),
        ("x.unsqueeze(-1).sum(dim=-2)", True),
        ("x.reshape(3, 5).sum(-1)", True),
        ("x.sum(axis=1) + x.sum(axis=-1)", False),
        ("x.transpose(1, 2)", False),
        ("x.T.sum(axis=-1)", False),
        ("x + 1", False),
    ],
)
def test_axes_that_are_all_counted_from_the_end(line, expected):
    answer = written(f"def scaled(x):\n    return {line}")
    assert counts_from_the_end(answer) is expected
