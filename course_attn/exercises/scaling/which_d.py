"""Question `which_d` of chapter 5."""

from collections.abc import Callable

import numpy as np

from course_attn.checking import Question, Reason, as_number, number

__all__ = ["exercise"]


def which_d():
    """Name the number by which the scores of this layer are divided."""
    return 6


def _is(value: float) -> Callable[[float], bool]:
    return lambda answer: bool(np.isclose(answer, value, atol=0.02))


exercise = Question(
    solution=which_d,
    place=40,
    section="Which d?",
    task="""
A layer of a transformer has d_model = 432 and 12 heads. In each head queries and keys have d_k = 36
features, and values d_v = 25. It runs on a batch of 16 texts: 49 queries look at 81 keys. By which
number are the scores of one head divided? Let `which_d()` return it.
""",
    read=as_number,
    reasons=(
        Reason(
            "d-k",
            _is(36),
            "36 is d_k itself; the scores are divided by its *root*.",
        ),
        Reason(
            "d-model",
            _is(np.sqrt(432)),
            "√432 is √d_model. But a score of one head is a sum over its own 36 features only, so "
            "that its spread is √36.",
        ),
        Reason("d-v", _is(5), "5 is √d_v. The values play no part in the scores."),
        Reason(
            "n-q",
            _is(7),
            "7 is √49, from the number of queries. A score is a sum over features.",
        ),
        Reason(
            "n-k",
            _is(9),
            "9 is √81, from the number of keys. A score is a sum over features.",
        ),
        Reason(
            "batch",
            _is(4),
            "4 is √16, from the batch. A score is a sum over features.",
        ),
        Reason(
            "n-heads",
            _is(np.sqrt(12)),
            "√12 comes from the number of heads. Each head divides by the root of its own width.",
        ),
        Reason(
            "factor",
            _is(1 / 6),
            "1/6 is what the scores are *multiplied* by. What are they divided by?",
        ),
        Reason(
            "other",
            lambda answer: not np.isclose(answer, 6, atol=1e-6),
            lambda answer: (
                f"Not {number(answer)}. Over how many products does one score sum? It is divided "
                "by the root of that number."
            ),
        ),
    ),
    hints=(
        "One score is q · k. How many products does that sum have, in one head?",
        "Of all these numbers only one is the length of a query.",
        "It is the root of that length.",
    ),
)
