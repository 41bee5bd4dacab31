"""Question `can_tell_order` of chapter 8."""

from course_attn.checking import Question, Reason, as_letters

__all__ = ["exercise"]


def can_tell_order():
    """Name the models that can tell a sentence from the same words in another order."""
    return {"c", "d", "f"}


def _wrongly(letter: str, message: str) -> Reason:
    return Reason(letter, lambda letters: letter in letters, message)


def _missing(letter: str, message: str) -> Reason:
    return Reason(
        f"{letter}-missing", lambda letters: letter not in letters, message
    )


exercise = Question(
    solution=can_tell_order,
    place=40,
    section="Who can tell the order?",
    task="""
Six models read a sentence. Each looks up a learned vector for every word, which depends on the word
alone; each ends in *one* vector for the sentence, the mean of its outputs over all positions. Which
of them **can** tell "Mary gave Susan flowers" from "Susan gave Mary flowers", that is, give
different vectors for the two, if their weights are right for it? Let `can_tell_order()` return the
set of their letters, for example `{"a", "b"}`.

- **a** One layer of self-attention, without mask and without positions.
- **b** Twelve layers as in **a**, one after the other, with different weights.
- **c** As **a**, but with a causal mask.
- **d** As **a**, but the sinusoidal encoding of its position is added to each word's vector first.
- **e** As **a**, but the sinusoidal encoding of its position is added to each *output* of the
  layer, right before the mean is taken.
- **f** As **a**, but queries and keys are rotated according to their positions.
""",
    read=as_letters,
    reasons=(
        Reason(
            "unknown-letter",
            lambda letters: not letters <= set("abcdef"),
            "The models have the letters a to f.",
        ),
        _wrongly(
            "a",
            "a cannot. Swap two words, and the outputs are swapped likewise, nothing more "
            "(equivariance); the mean over all positions does not see that. The two sentences get "
            "exactly the same vector, whatever the weights.",
        ),
        _wrongly(
            "b",
            "b cannot. Depth does not help: each layer hands a swap on as a swap, so twelve do, "
            "and the mean at the end takes it away. What no layer sees, no stack sees.",
        ),
        _wrongly(
            "e",
            "e adds positions too late. The mean of (output + encoding) is the mean of the outputs "
            "plus the mean of the encodings, and neither depends on the order of the words. "
            "Positions have to come in before words are compared.",
        ),
        _missing(
            "c",
            "c can. With a causal mask the first word sees only itself and the last one sees all: "
            "in one sentence Mary is mixed from Mary alone, in the other from all words up to her. "
            "The last output by itself would not tell, but the mean takes in the early ones, too. "
            "The mask breaks the symmetry, and order leaks in without any encoding.",
        ),
        _missing(
            "d",
            'd can. "Mary at 0" and "Mary at 2" enter as different vectors, so their scores and '
            "values differ, and not only their places.",
        ),
        _missing(
            "f",
            "f can. The score between Mary and another word depends on how far apart they stand, "
            "and in which direction: a verb can look at the word before it. So the weights, and "
            "with them the mean, change when words change places.",
        ),
    ),
    hints=(
        "For each model ask: if two words change places, do the same outputs come in other places, "
        "or do other outputs come?",
        "A mean over positions does not care in which places its terms stand. What has to happen "
        "before it, so that the terms themselves differ?",
        "Three of the six can. Of two models with positions, one adds them where nothing is "
        "compared any more; and one model without positions treats early and late words "
        "differently.",
    ),
)
