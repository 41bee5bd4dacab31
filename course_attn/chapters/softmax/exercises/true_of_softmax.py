"""Question `true_of_softmax`."""

from whywrong import Letters, Question, Reason, contains, lacks

__all__ = ["exercise"]


def true_of_softmax():
    """Name the true statements."""
    return {"b", "d", "e"}


_FALSE = {
    "a": "the scores (0, 1) have the weights 0.27 and 0.73, and (0, 2) have 0.12 and 0.88.",
    "c": "is there a finite s with e^s = 0? (A computer rounds e^−1000 to 0.)",
    "f": "nothing in the formula knows what is right. Double all scores, and weights get surer.",
}
_MISSING = {
    "b": "Which factor does e^(s+2) share with every other exponential in the row?",
    "e": "Can a larger score ever get a smaller weight?",
    "d": "At a very high temperature all weights are 1/n: how large is the entropy there?",
}

exercise = Question(
    true_of_softmax,
    place=50,
    minutes=8,
    level="medium",
    section="Summary",
    task="""
Which of these are true for every finite row of scores (n ≥ 2)?

- **a** Multiplying all scores by 2 leaves the weights as they are.
- **b** Adding 2 to all scores leaves the weights as they are.
- **c** In exact arithmetic, a score that is low enough gets exactly the weight 0.
- **d** The higher the temperature, the higher (or equal) the entropy.
- **e** The weights' order is the scores' order.
- **f** A weight of 0.9 means that the model is right with probability 0.9.
""",
    read=Letters("abcdef", "statements"),
    reasons=(
        *(
            Reason(
                letter,
                contains(letter),
                f"Look at {letter} again: {why}",
            )
            for letter, why in _FALSE.items()
        ),
        *(
            Reason(
                f"{letter}-missing",
                lacks(letter),
                f"Something is missing. {question}",
            )
            for letter, question in _MISSING.items()
        ),
    ),
    hints=(
        "Try each one on the scores (0, 1), where the weights are about 0.27 and 0.73.",
        "Write the weights as e^(s_j) over a sum: which changes of the scores cancel?",
        "Three of the six are true.",
    ),
)
