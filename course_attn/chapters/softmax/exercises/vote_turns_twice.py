"""Question `vote_turns_twice`."""

import numpy as np

from course_attn.chapters.several_numbers import reader
from whywrong import Question, Reason
from whywrong.context import number

__all__ = ["exercise"]


def vote_turns_twice():
    """Give scores for keys with the labels 1, 0, 0, 1, 1 whose vote is 1 cold, 0 warm, 1 hot."""
    nearest, near, far = 1.0, 0.8, -5.0
    return np.array([nearest, near, near, far, far])


_SHOWS_ONE = np.array([True, False, False, True, True])
_COLD, _WARM, _HOT = 0.1, 1.0, 100.0


def _ones(scores: np.ndarray, temperature: float) -> float:
    """Return the share of the weight that the keys with the label 1 have."""
    exps = np.exp((scores - scores.max()) / temperature)
    return float(exps[_SHOWS_ONE].sum() / exps.sum())


def _said(temperature: float, share: float) -> str:
    return f"At T = {temperature:g} the label 1 has a share of {number(share)}"


exercise = Question(
    vote_turns_twice,
    place=80,
    minutes=12,
    level="hard",
    section="How sharp? The temperature",
    task="""
The order of the weights is the order of the scores, at every temperature. So can the temperature
change an *answer*? Five keys have the labels 1, 0, 0, 1, 1, in this order, and the answer is the
label with more than half of the weight. Find five scores for which the
answer is 1 at T = 0.1, then 0 at T = 1, and 1 again at T = 100.
""",
    read=reader(5, "Return five finite numbers, one for each key."),
    fields=tuple(f"score of a key with label {label}" for label in (1, 0, 0, 1, 1)),
    reasons=(
        Reason(
            "cold-zero-first",
            lambda s: not _SHOWS_ONE[s.argmax()],
            "Cold, the largest score takes nearly everything. Yours belongs to a key with the "
            "label 0.",
        ),
        Reason(
            "cold",
            lambda s: _ones(s, _COLD) <= 0.5,
            lambda s: (
                f"{_said(_COLD, _ones(s, _COLD))}: its best key leads by too little, and two "
                "keys follow. A lead of d is worth a factor of e^(d/T), here e^(10 d)."
            ),
        ),
        Reason(
            "warm",
            lambda s: _ones(s, _WARM) >= 0.5,
            lambda s: (
                f"{_said(_WARM, _ones(s, _WARM))}. There the two keys with the label 0 should "
                "together outweigh the others: let the best key lead by less than log 2, and put "
                "the last two keys far below."
            ),
        ),
        Reason(
            "hot",
            lambda s: _ones(s, _HOT) <= 0.5,
            lambda s: (
                f"{_said(_HOT, _ones(s, _HOT))}. Hot, every key should count nearly alike, and "
                "three of the five say 1. Your last two keys are so low that even a hundredth of "
                "the distance matters."
            ),
        ),
    ),
    hints=(
        "Who decides when it is cold, and who when it is hot? What can happen in between, where a "
        "few keys are in play?",
        "Let a key with the label 1 come first, the two with the label 0 close behind it, and the "
        "other two far off. How close is close?",
        "A lead of 0.2 is worth e² ≈ 7.4 at T = 0.1, more than two keys. At T = 1 it is worth "
        "1.2, less than two. Put the last two keys 6 below the first.",
    ),
)
