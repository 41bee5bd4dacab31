"""Whatever comes back, a sentence can be said of it: none stops with an error of its own."""

import inspect
from itertools import product

import numpy as np
import pytest

from course_attn.exercises import check
from tests.exercises.solutions import EXERCISES
from whywrong import mend, mistakes
from whywrong.arrays import side_of

# What becomes of a right result, as an array of NumPy's.
ODD = (
    lambda right: 1e300 * right,
    lambda right: -right,
    lambda right: right - 1,
    lambda right: 0 * right,
    lambda right: np.nan * right,
    lambda right: np.inf + right,
    lambda right: (3 * right).astype(int),
    lambda right: right > 0,
    lambda right: right[..., ::-1],
    lambda right: np.cumsum(right, axis=-2),
    lambda right: np.swapaxes(right, -1, -2),
    lambda right: right[..., :-1, :],
    lambda right: right[..., :-1],
    lambda right: right[..., :0],
    lambda right: right[..., :0, :],
    lambda right: right[0],
    lambda right: right[..., None],
    lambda right: right.sum(),
)
FUNCTIONS = [
    name for name, task in EXERCISES.items() if inspect.isfunction(task.solution)
]


def odd(name, change, place):
    """Return the solution with a change of its result, or of one of its results."""
    task = EXERCISES[name]
    side = side_of(task.library)

    def changed(*args):
        right = task.solution(*args)
        results = [*right] if task.results else [right]
        one = np.asarray(change(side.as_numpy(results[place])))
        results[place] = side.native(one.copy())
        return tuple(results) if task.results else results[0]

    changed.__signature__ = inspect.signature(task.solution)
    return changed


@pytest.mark.parametrize("name", FUNCTIONS)
def test_any_result_can_be_spoken_of(name, monkeypatch):
    for searched in ("_PAIRS", "_SLIPS", "_FAULTS_WITH_SLIPS"):
        monkeypatch.setattr(mistakes, searched, 0)
    monkeypatch.setattr(mend, "_WORK", -1)
    places = range(len(EXERCISES[name].results) or 1)
    for k, place in product(range(len(ODD)), places):
        result = check(odd(name, ODD[k], place), name)
        assert "checker itself" not in result.message, (k, place, result)
