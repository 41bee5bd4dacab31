import numpy as np
import pytest

from course_attn.checking import Case, Exercise, Fault


def scaled(x, factor):
    """Multiply every entry by a factor."""
    return x * factor


def _steps(x, factor, *, times=np.multiply, shift=0.0):
    return times(x, factor) + shift


@pytest.fixture
def toy():
    """A small exercise, with two faults that compose and one that stands alone."""
    rng = np.random.default_rng(0)
    return Exercise(
        name="scaled",
        chapter="toy",
        task="Write `scaled(x, factor)`.",
        reference=scaled,
        cases=lambda: (
            Case((np.array([1.0, 2.0]), 3.0), "example"),
            Case((rng.standard_normal((5, 7)), 2.0)),
            Case((rng.standard_normal((3, 3)), -1.5), "square"),
            Case((rng.standard_normal((2, 5, 7)), 2.5), "batch"),
            Case((rng.standard_normal((5, 3)).astype("f4"), 1.5), "float32"),
        ),
        faults=(
            Fault("divided", {"times": np.divide}, "You divide."),
            Fault(
                "shifted", {"shift": 1.0}, lambda c: f"Shifted: {c.got.flat[0]:g}."
            ),
            Fault("zeros", lambda x, factor: np.zeros_like(x), "All zeros."),
        ),
        hints=("one.", "two.", "three."),
        variant=_steps,
        seconds=0.3,
    )
