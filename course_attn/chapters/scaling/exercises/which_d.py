"""Question `which_d`."""

from functools import partial

import numpy as np

from whywrong import Question, Reason, as_number

__all__ = ["exercise"]


def which_d():
    """Name the number by which the scores of this layer are divided."""
    return 6


_NUMBERS = (
    ("d-k", 36, "36 is d_k itself; divide by its *square root*."),
    (
        "d-model",
        432**0.5,
        "√432 is √d_model; a head's score sums over its own features.",
    ),
    ("d-v", 5, "5 is √d_v. The values play no part in the scores."),
    ("n-q", 7, "7 is √49, from the queries. A score is a sum over features."),
    ("n-k", 9, "9 is √81, from the keys. A score is a sum over features."),
    (
        "half",
        18,
        "18 is half of 36, which `36 ** 1 / 2` gives; the square root is `36 ** 0.5`.",
    ),
    (
        "famous",
        8,
        "8 is √64, for the d_k of the famous paper. This layer has another.",
    ),
    (
        "no-root-model",
        432,
        "432 is d_model. How many products does a head's score sum?",
    ),
    ("no-root", 25, "25 is d_v. The values play no part in the scores."),
)


def _is(value: float, answer: float) -> bool:
    return bool(np.isclose(answer, value, atol=0.02))


def _one_over(answer: float) -> str:
    """Say that a factor is given, and of which other number."""
    why = [why for _, value, why in _NUMBERS if answer and _is(value, 1 / answer)]
    said = "That is one over a divisor: what the scores are *multiplied* by."
    return " ".join([said, *why[:1]])


exercise = Question(
    which_d,
    place=10,
    minutes=3,
    level="easy",
    prepares=("scaled_attention",),
    section="Which d?",
    task="""
A layer of a transformer has d_model = 432 and 12 heads. In each head queries and keys have d_k = 36
features, and values d_v = 25. It runs on a batch of 16 texts: 49 queries look at 81 keys. What
number are the scores of one head divided by?
""",
    read=as_number,
    fields=("number",),
    reasons=(
        *(Reason(id, partial(_is, value), why) for id, value, why in _NUMBERS),
        Reason(
            "one-over",
            lambda answer: (
                answer
                and any(
                    _is(v, 1 / answer) for v in (6, *(v for _, v, _ in _NUMBERS))
                )
            ),
            _one_over,
        ),
        Reason(
            "other",
            lambda answer: not np.isclose(answer, 6, atol=1e-6),
            "Over how many products does one score sum? It is divided by the square root of that "
            "number, and yours is another.",
        ),
    ),
    hints=(
        "One score is q · k. How many products does that sum have, in one head?",
        "Of all these numbers only one is the length of a query.",
        "It is the square root of that length.",
    ),
)
