"""What the tests of several chapters' exercises share: solutions that are functions of ours."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.exercises import catalog


def inputs(name: str) -> list[tuple[Any, ...]]:
    """Return the arguments of every test of an exercise."""
    return [case.args for case in catalog.find(name).cases()]


def assert_solution_is(function: Callable[..., Any], name: str) -> None:
    """Compare an exercise's solution with a function on all its inputs, dtypes too."""
    for args in inputs(name):
        wanted, found = function(*args), catalog.find(name).solution(*args)
        if not isinstance(wanted, tuple):
            wanted, found = (wanted,), (found,)
        for one, other in zip(wanted, found, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-7)
            assert np.asarray(other).dtype == np.asarray(one).dtype
