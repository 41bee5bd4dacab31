"""Question `true_of_average`."""

from whywrong import Letters, Question, Reason

__all__ = ["exercise"]


def true_of_average():
    """Name the statements that hold whatever the two heads are."""
    return {"b", "c", "f", "g"}


def _wrongly(letter: str, why: str) -> Reason:
    message = f"{letter} is not certain: {why}"
    return Reason(letter, lambda letters: letter in letters, message)


def _missing(letter: str, why: str) -> Reason:
    message = f"One that you left out is certain: {why}"
    return Reason(
        f"{letter}-missing", lambda letters: letter not in letters, message
    )


exercise = Question(
    true_of_average,
    place=40,
    minutes=12,
    level="medium",
    section="The map that no head has",
    task="""
`layer = nn.MultiheadAttention(64, 2, batch_first=True)` has two heads. `layer(X, X, X)[1]` returns
the *mean* of their weights. For the query *it* and the keys *animal*, *street*, *tired*, *it*, in
this order, that mean is (0.5, 0.5, 0, 0). Which of these statements are certain, whatever the two
heads are?

- **a** Each of the two heads gives *animal* a weight of 0.5.
- **b** Neither head gives *tired* any weight.
- **c** At least one head gives *animal* a weight of 0.5 or more.
- **d** At least one head gives a single word all its weight.
- **e** The layer's output for *it* is what you get if both heads mix their values with the weights
  (0.5, 0.5, 0, 0).
- **f** If the mean were (1, 0, 0, 0), both heads would give *animal* all their weight.
- **g** If one head gives *animal* all its weight, the other gives *street* all its weight.
""",
    read=Letters("abcdefg", "statements"),
    reasons=(
        _wrongly(
            "a",
            "the mean of (1, 0, 0, 0) and (0, 1, 0, 0) is (0.5, 0.5, 0, 0) too, with no head that "
            "hesitates.",
        ),
        _wrongly("d", "both heads may have the weights (0.5, 0.5, 0, 0)."),
        _wrongly(
            "e",
            "each head mixes its *own* values with its *own* weights. With (1, 0, 0, 0) and (0, 1, "
            "0, 0) the first head does not use its value of *street*; averaging first mixes it in.",
        ),
        _missing("b", "a mean of numbers ≥ 0 is 0 only if all of them are."),
        _missing("c", "the largest of some numbers is never below their mean."),
        _missing("f", "no weight exceeds 1, so a mean of 1 needs 1 from both."),
        _missing(
            "g",
            "a weight of 1 for *animal* in one head is the whole mean of 0.5 there. *tired* and "
            "*it* get 0 from both. What is left for the other head's unit of weight?",
        ),
    ),
    hints=(
        "Write down three different pairs of rows with this mean. What do they have in common?",
        "Each head's row has no negative number, and sums to 1. Call the first head's weights (x, "
        "1 − x, 0, 0): what are the second head's?",
        "The second head has (1 − x, x, 0, 0), for some x between 0 and 1. Go through the "
        "statements for x = 0.5 and for x = 1.",
    ),
)
