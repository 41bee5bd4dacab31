"""Question `hide_the_axis_bug`."""

import numpy as np

from whywrong import Question, Reason
from whywrong.context import listed

__all__ = ["exercise"]


def hide_the_axis_bug():
    """Give scores for which a softmax over the wrong axis goes unnoticed."""
    return np.array([[2.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 1.0]])


def _read_scores(value: object) -> np.ndarray:
    try:
        scores = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        scores = np.empty(())
    if scores.shape != (3, 3) or not np.isfinite(scores).all():
        shape = f" Yours has shape {scores.shape}." * bool(scores.ndim)
        raise ValueError(f"Return a 3 × 3 array of finite scores.{shape}")
    return scores


def _weights(scores: np.ndarray, axis: int) -> np.ndarray:
    exps = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exps / exps.sum(axis=axis, keepdims=True)


def _off_by(scores: np.ndarray) -> float:
    """Return the largest difference between the softmax over the wrong and the right axis."""
    return float(np.abs(_weights(scores, 0) - _weights(scores, 1)).max())


def _shows(scores: np.ndarray) -> bool:
    """Whether the bug shows in any weight, however small, but for rounding."""
    return not np.allclose(_weights(scores, 0), _weights(scores, 1), 1e-6, 0)


def _sums(scores: np.ndarray, axis: int) -> np.ndarray:
    """Return the sums of the exponentials along an axis, relative to the largest."""
    sums = np.exp(scores - scores.max()).sum(axis=axis)
    return sums / sums.max()


exercise = Question(
    hide_the_axis_bug,
    place=60,
    minutes=10,
    level="medium",
    section="What goes wrong",
    task="""
A colleague wrote this, and their test passes:

```python
def weights_from(scores):
    exps = np.exp(scores - scores.max(axis=0, keepdims=True))
    return exps / exps.sum(axis=0, keepdims=True)   # should be axis=-1
```

How could a test miss that? Return from `hide_the_axis_bug()` a 3 × 3 array of scores, not constant
along any row or column, for which the wrong axis gives exactly the same weights as the right one.
""",
    read=_read_scores,
    reasons=(
        Reason(
            "constant-line",
            lambda s: min(np.ptp(s, axis=0).min(), np.ptp(s, axis=1).min()) < 1e-3,
            "A row or column of yours holds the same number three times: let all of them vary.",
        ),
        Reason(
            "symmetric",
            lambda s: np.allclose(s, s.T) and _off_by(s) > 1e-6,
            "Close: with symmetric scores the wrong result is the *transpose* of the right one, "
            "still another matrix. What must hold for the sums of the exponentials in addition?",
        ),
        Reason(
            "equal-sums-of-scores",
            lambda s: _shows(s) and np.allclose([s.sum(0), s.sum(1)], s.sum() / 3),
            "Your rows and columns have equal sums of *scores*. What the formulas divide by are "
            "sums of *exponentials*, e^s: these have to be equal.",
        ),
        Reason(
            "half-equal",
            lambda s: _shows(s) and min(np.ptp(_sums(s, a)) for a in (0, 1)) < 1e-6,
            lambda s: (
                f"Relative to the largest, the sums of the exponentials are {listed(_sums(s, 1))} "
                f"in your rows and {listed(_sums(s, 0))} in your columns: all six have to be equal."
            ),
        ),
        Reason(
            "visible",
            _shows,
            lambda s: (
                f"The bug shows on your scores: the two results differ by up to {_off_by(s):.4g}. "
                "Where do the two formulas differ at all? Only in what they divide by."
            ),
        ),
    ),
    hints=(
        "Both versions divide e^s by a sum, of its row or of its column. When do these agree?",
        "All six sums, of three rows and three columns, have to be the same number.",
        "Use the same three numbers in every row, in another order each time, so that every column "
        "holds all three as well (as in a sudoku).",
    ),
)
