"""Question `scores_behind`."""

from collections.abc import Callable

import numpy as np

from course_attn.chapters.several_numbers import reader
from whywrong import Question, Reason
from whywrong.context import listed, number

__all__ = ["exercise"]


def scores_behind():
    """Give the scores of sum 0 that have the weights 1/2, 1/3 and 1/6 at temperature 2."""
    logarithms = np.log([1 / 2, 1 / 3, 1 / 6])
    scores = 2 * logarithms
    return scores - scores.mean()


_WEIGHTS = np.array([1 / 2, 1 / 3, 1 / 6])
_NEAR = 2e-3  # three digits after the point are enough


def _at(scores: np.ndarray, temperature: float) -> np.ndarray:
    exps = np.exp((scores - scores.max()) / temperature)
    return exps / exps.sum()


def _apart(scores: np.ndarray, temperature: float) -> bool:
    """Whether the scores are as far apart as those with the weights at this temperature."""
    gaps = temperature * (np.log(_WEIGHTS) - np.log(_WEIGHTS).mean())
    return np.allclose(scores - scores.mean(), gaps, 0, _NEAR)


def _of_base(base: int) -> Callable[[np.ndarray], str]:
    """Say that the logarithms have this base, and the sum if it is wrong, too."""

    def said(scores: np.ndarray) -> str:
        total, also = scores.sum(), ""
        if abs(total) > 3 * _NEAR:
            also = f" And their sum is {number(total)}, not 0."
        return (
            f"You take logarithms to base {base}; softmax takes powers of e.{also}"
        )

    return said


exercise = Question(
    scores_behind,
    place=5,
    minutes=8,
    level="medium",
    prepares=("softmax_with_temperature",),
    section="How sharp? The temperature",
    task="""
Go backward. At temperature 2, three scores whose sum is 0 became the weights 1/2, 1/3 and 1/6.
Predict before you compute: how far does the first score lie above the second? Then give
the three scores, in this order, to three digits after the point.
""",
    read=reader(3, "Return three finite numbers, one for each key."),
    fields=("first score", "second score", "third score"),
    reasons=(
        Reason(
            "weights",
            lambda s: np.allclose(s, _WEIGHTS, 0, _NEAR),
            "These are the weights. Which scores does softmax turn into them? It takes powers of "
            "e, so go back by a logarithm.",
        ),
        Reason(
            "cold",
            lambda s: _apart(s, 1.0),
            "At temperature 1 your scores have these weights. At temperature 2 they are divided by "
            "2 before softmax, so they have to lie twice as far apart.",
        ),
        Reason(
            "divided",
            lambda s: _apart(s, 0.5),
            "You divide the logarithms by 2. But a/2 is what softmax sees of a score a at "
            "temperature 2: to undo that, multiply.",
        ),
        Reason(
            "upside-down",
            lambda s: _apart(-s, 2.0),
            "The signs are the wrong way around: your first score is the lowest, and its weight "
            "is to be the largest.",
        ),
        Reason("bits", lambda s: _apart(s * np.log(2), 2.0), _of_base(2)),
        Reason("base-ten", lambda s: _apart(s * np.log(10), 2.0), _of_base(10)),
        Reason(
            "shifted",
            lambda s: _apart(s, 2.0) and abs(s.sum()) > 3 * _NEAR,
            lambda s: (
                f"These scores do have the weights. But their sum is {number(s.sum())}: add one "
                "number to all three, which leaves the weights as they are, and make it 0."
            ),
        ),
        Reason(
            "other",
            lambda s: not _apart(s, 2.0),
            lambda s: (
                f"At temperature 2 your scores have the weights {listed(_at(s, 2.0))}."
            ),
        ),
    ),
    hints=(
        "What is the ratio of the first two weights, and how does it depend on their scores?",
        "At temperature 2 the ratio is e^((s₁ − s₂)/2), and it is 3/2. That gives s₁ − s₂; find "
        "s₂ − s₃ in the same way.",
        "2 log a_j, for the three weights, has the right distances. Subtract the mean of the three "
        "numbers, so that they sum to 0.",
    ),
)
