"""Question `text_that_moves`."""

from whywrong import Letters, Question, Reason

__all__ = ["exercise"]


def text_that_moves():
    """Name the models whose outputs stay when the whole text moves."""
    return {"a", "c", "e"}


_WHY = {
    "b": "each value is turned by its own position, and in a sum of values nothing turns it back: "
    "the outputs turn along with the text. In scores two turns meet and leave their difference.",
    "d": "between the two turns stand the projections: a score is x R_i M R_jᵀ zᵀ with M = W_Q "
    "W_Kᵀ. Only if nothing stands between them do R_i R_jᵀ join to R_(i−j).",
    "f": "the two turns pair different features, so they do not join to one turn by i − j.",
    "g": "each query is turned by its place in this call and each key by its true position. When "
    "the text moves, only the keys turn on.",
    "a": "each score is q R_(i−j) kᵀ, and the values do not turn at all.",
    "c": "a value turned by j and turned back by i is turned by j − i, its distance. (Geometry-"
    "aware attention does this on purpose.)",
    "e": "queries and keys agree on their pairs, so the scores are relative. They are the wrong "
    "scores for this model, though, so moving the text is not the only test that you need.",
}


def _reason(letter: str) -> Reason:
    stays = letter in text_that_moves()
    message = (
        f"{letter}: the outputs {'stay' if stays else 'change'}: {_WHY[letter]}"
    )
    return Reason(
        f"{letter}-missing" if stays else letter,
        lambda letters: (letter in letters) != stays,
        message,
    )


exercise = Question(
    text_that_moves,
    place=80,
    minutes=20,
    level="hard",
    section="Why not the values?",
    task="""
A test for rotary positions: move the whole text from the positions 0, 1, 2, … to 100, 101, 102, …,
and see whether the outputs stay, up to rounding. Here are seven ways to write self-attention
without a mask. Which of them pass the test, whatever the matrices are?

- **a** `rotary` turns the rows of Q and K by their positions; V is left as it is.
- **b** As **a**, but `rotary` turns the rows of V by their positions as well.
- **c** As **b**, and at the end each output is turned back, by minus the position of its query.
- **d** `rotary` turns the rows of X, and Q and K are computed from these. V is computed from X.
- **e** As **a**, but Q and K are turned in the interleaved layout, though the matrices $W_Q$ and
  $W_K$ were trained with halves.
- **f** As **a**, but K is turned in the interleaved layout, and Q in halves.
- **g** As **a**, but the rows of Q are turned by 0, 1, 2, …, wherever the text stands, as in code
  that counts new words from 0 beside a cache of turned keys.
""",
    read=Letters("abcdefg", "ways"),
    reasons=(*map(_reason, _WHY),),
    hints=(
        "Write each score, and each term of an output, with the turns R_i and R_j in it. Where do "
        "two of them stand side by side?",
        "R_i R_jᵀ is R_(i−j) if both turn the same pairs of features and nothing stands between "
        "them. A turn that is alone, or in another layout, sees where the text begins.",
        "Three of the seven pass the test. One of these three is the wrong model all the same.",
    ),
)
