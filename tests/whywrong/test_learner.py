"""What is read from a learner's code."""

import pytest

from tests.whywrong.cells import written
from whywrong.learner import axes_of


@pytest.mark.parametrize(
    ("line", "axes"),
    [
        ("x.sum(axis=-1)", [-1]),
        ("x.unsqueeze(-1).sum(dim=-2)", [-2, -1]),
        ("x.reshape(3, 5).sum(-1)", [-1]),
        ("x.sum(axis=1) + x.sum(axis=-1)", [1, -1]),
        ("x.transpose(1, 2)", [1, 2]),
        ("x + 1", []),
    ],
)
def test_axes_that_code_names(line, axes):
    assert axes_of(written(f"def scaled(x):\n    return {line}")) == axes
