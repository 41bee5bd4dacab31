"""Question `leaking_norms`."""

from whywrong import Letters, Question, Reason, contains, lacks

__all__ = ["exercise"]


def leaking_norms():
    """Name the norms that let each output see only its own text, up to its own position."""
    return {"a", "e", "g"}


_LEAKS = {
    "b": "b leaks. Dividing is enough, no mean is needed: if a feature is 1 in the first row of a "
    "text and 1 in the second, the first becomes 1/1. Write 7 into the second row, and the first "
    "becomes 1/5.",
    "c": "c mixes the texts. Axis 0 of (batch, n, d_model) counts texts: with 3 in one text and 5 "
    "in the other, a feature becomes −1 and 1, and the first turns to 1 if the other text has 1 in "
    "place of 5.",
    "d": "d leaks. With a single text, axis 0 counts *positions*: with 3 in the first row and 5 in "
    "the second, a feature becomes −1 and 1, and the first turns to 1 if the second row has 1 in "
    "place of 5.",
    "f": "f leaks. One number for the whole text is made from all of its rows, the last included. "
    "With one feature and the rows 1 and 1 it is 1; write 7 into the second row, and the first is "
    "divided by 5.",
}
_SAFE = {
    "a": "a is safe: each row is divided by a number made from its own features, as in RMS norm.",
    "e": "e is safe. Axis 1 of one text, (n, d_model), counts its *features*: this is layer norm. "
    "(In a batch axis 1 would count the positions.)",
    "g": "g is safe. It does run over positions, but row i uses rows 0 to i only: nothing of what "
    "comes later enters.",
}

exercise = Question(
    leaking_norms,
    place=5,
    minutes=12,
    level="medium",
    prepares=("layer_norm",),
    section="What goes wrong",
    task="""
A language model has a norm before each attention layer. The layer has a causal mask, and treats
each text of a batch on its own. Which of these norms are *safe*: with which of them does each
output depend on **nothing but** its own text, up to and including its own position?

*Layer norm* subtracts a mean and divides by the square root of a variance; *RMS norm* only divides,
by the square root of a mean square. `axis` says over what these are computed, each time with
`keepdims=True`. X has shape (batch, n, d_model), unless something else is said.

- **a** RMS norm with `axis=-1`.
- **b** RMS norm with `axis=-2`.
- **c** Layer norm with `axis=0`.
- **d** Layer norm with `axis=0`, where X is a single text, of shape (n, d_model).
- **e** Layer norm with `axis=1`, where X is a single text, of shape (n, d_model).
- **f** RMS norm with `axis=(-2, -1)`: all rows of a text are divided by the same number.
- **g** In row i, each feature gets the mean and the variance that it has in rows 0 to i of its
  text.
""",
    read=Letters("abcdefg", "norms"),
    reasons=(
        Reason(
            "none",
            lambda letters: not letters,
            "Some of them are safe: what of a norm that never looks beyond one row?",
        ),
        Reason(
            "opposite",
            lambda letters: letters == set("bcdf"),
            "These are exactly the four that are *not* safe; the question is which ones are.",
        ),
        *(Reason(k, contains(k), _LEAKS[k]) for k in _LEAKS),
        *(Reason(f"{k}-missing", lacks(k), _SAFE[k]) for k in _SAFE),
    ),
    hints=(
        "Name the axes of X first. Over which of them does each norm take its mean?",
        "Pick one row, and mark all rows whose numbers enter its mean or mean square. Is one of "
        "them later, or in another text?",
        "Three of the seven are safe: in two of them a row uses its own features only, and in one "
        "it also uses rows, but no later ones.",
    ),
)
