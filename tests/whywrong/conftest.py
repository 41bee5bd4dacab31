import numpy as np
import pytest

from tests.whywrong.cells import exercise_of
from whywrong import Case, fault, mend, mistakes


def scaled(x, factor):
    """Multiply every entry by a factor."""
    product = x * factor
    return product


@pytest.fixture
def toy():
    """A small exercise, with two faults that compose and one that stands alone."""
    rng = np.random.default_rng(0)
    return exercise_of(
        scaled,
        Case((np.array([1.0, 2.0]), 3.0), "example"),
        Case((rng.standard_normal((5, 7)), 2.0)),
        Case((rng.standard_normal((3, 3)), -1.5), "square"),
        Case((rng.standard_normal((2, 5, 7)), 2.5), "batch"),
        Case((rng.standard_normal((5, 3)).astype("f4"), 1.5), "float32"),
        faults=(
            fault("divided", "x * factor", "x / factor", says="You divide."),
            fault(
                "shifted",
                "return product",
                "return product + 1",
                says=lambda c: f"Shifted: {c.got.flat[0]:g}.",
            ),
            fault("zeros", "return np.zeros_like(x)", says="All zeros."),
        ),
        seconds=20.0,
    )


@pytest.fixture
def unexplained(monkeypatch):
    """No slip is tried: what is said is what can be seen in the numbers."""
    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    monkeypatch.setattr(mistakes, "_WITH_FAULTS", 0)
    monkeypatch.setattr(mend, "_WORK", -1)
