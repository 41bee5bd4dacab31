"""Question `hide_the_axis_bug` of chapter 3."""

from typing import Any

import numpy as np

from course_attn.checking import Question, Reason, number
from course_attn.exercises.softmax._steps import weighed

__all__ = ["exercise"]


def hide_the_axis_bug():
    """Give scores for which a softmax over the wrong axis goes unnoticed."""
    return np.array([[2.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 1.0]])


def _read_scores(value: Any) -> np.ndarray:
    try:
        scores = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError("Return a 3 × 3 array of scores.") from None
    if scores.shape != (3, 3):
        raise ValueError(
            f"Return a 3 × 3 array of scores; yours has shape {scores.shape}."
        )
    if not np.isfinite(scores).all():
        raise ValueError("Use finite scores only.")
    return scores


def _off_by(scores: np.ndarray) -> float:
    """Return the largest difference between the softmax over the wrong and the right axis."""
    right = weighed(scores)
    return float(np.abs(weighed(scores.T).T - right).max())


exercise = Question(
    solution=hide_the_axis_bug,
    place=60,
    section="What goes wrong",
    task="""
A colleague wrote this, and their test passes:

```python
def weights_from(scores):
    powers = np.exp(scores - scores.max(axis=0, keepdims=True))
    return powers / powers.sum(axis=0, keepdims=True)   # should be axis=-1
```

How could a test miss that? Return from `hide_the_axis_bug()` a 3 × 3 array of scores, not constant
along any row or column, for which the wrong axis gives exactly the same weights as the right one.
""",
    read=_read_scores,
    reasons=(
        Reason(
            "constant",
            lambda scores: np.ptp(scores) < 1e-3,
            "With all scores equal every weight is 1/3, whichever axis: true, but too easy. Let "
            "the scores differ in every row and column.",
        ),
        Reason(
            "constant-line",
            lambda scores: (
                min(np.ptp(scores, axis=0).min(), np.ptp(scores, axis=1).min())
                < 1e-3
            ),
            "One of your rows or columns holds the same number three times. Let the scores differ "
            "in every row and in every column.",
        ),
        Reason(
            "symmetric",
            lambda scores: np.allclose(scores, scores.T) and _off_by(scores) > 1e-6,
            lambda scores: (
                "Close: with symmetric scores the wrong result is the *transpose* of the right "
                f"one, which is still another matrix (here by up to {number(_off_by(scores))}). "
                "What must hold for the sums of the powers in addition?"
            ),
        ),
        Reason(
            "visible",
            lambda scores: _off_by(scores) > 1e-6,
            lambda scores: (
                "The bug shows on your scores: the two results differ by up to "
                f"{number(_off_by(scores))}. Where do the two formulas differ at all? Only in what "
                "they divide by."
            ),
        ),
    ),
    hints=(
        "Both versions divide e^s by a sum: one by the sum of its row, the other by the sum of its "
        "column. When do these agree for every entry?",
        "All six sums, of three rows and three columns, have to be the same number.",
        "Use the same three numbers in every row, in another order each time, so that every column "
        "holds all three as well (as in a sudoku).",
    ),
)
