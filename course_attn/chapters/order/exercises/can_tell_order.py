"""Question `can_tell_order`."""

from whywrong import Letters, Question, Reason, contains, lacks

__all__ = ["exercise"]


def can_tell_order():
    """Name the models that can tell a sentence from the same words in another order."""
    return {"c", "d", "f"}


_CANNOT = {
    "a": "a cannot. Swap two words, and the outputs are swapped likewise, nothing more; their mean "
    "does not see that: the same vector, whatever the weights.",
    "b": "b cannot. Depth does not help: each layer hands a swap on as a swap, so twelve do, and "
    "the mean at the end takes it away.",
    "e": "e adds positions too late. The mean of (output + encoding) is the mean of the outputs "
    "plus the mean of the encodings, and neither depends on the order of the words.",
}
_CAN = {
    "c": "c can. With a causal mask the first word sees only itself and the last one sees all: "
    "Mary is mixed from Mary alone, or from all words up to her. The mask breaks the symmetry, and "
    "order leaks in without any encoding.",
    "d": 'd can. "Mary at 0" and "Mary at 2" enter as different vectors, so their scores and '
    "values differ, and not only their places.",
    "f": "f can. The score between Mary and another word depends on how far apart they stand, and "
    "in which direction: the weights change when words change places.",
}

exercise = Question(
    can_tell_order,
    place=10,
    minutes=10,
    level="medium",
    prepares=("is_equivariant",),
    section="Who can tell the order?",
    task="""
Six models read a sentence. Each looks up a learned vector for every word, which depends on the word
alone; each ends in *one* vector for the sentence, the mean of its outputs over all positions. Which
of them **can** tell "Mary gave Susan flowers" from "Susan gave Mary flowers", that is, give
different vectors for the two, if their weights are right for it?

- **a** One layer of self-attention, without mask and without positions.
- **b** Twelve layers as in **a**, one after the other, with different weights.
- **c** As **a**, but with a causal mask.
- **d** As **a**, but the sinusoidal encoding of its position is added to each word's vector first.
- **e** As **a**, but the sinusoidal encoding of its position is added to each *output* of the
  layer, right before the mean is taken.
- **f** As **a**, but queries and keys are rotated according to their positions.
""",
    read=Letters("abcdef", "models"),
    reasons=(
        Reason(
            "none",
            lambda letters: not letters,
            "Some of them can. Is there a model, even without any encoding, in which a word at the "
            "beginning is treated differently from one at the end?",
        ),
        Reason(
            "opposite",
            lambda letters: letters == set("abe"),
            "These are exactly the three that can *not*; the question is which models can.",
        ),
        *(Reason(k, contains(k), _CANNOT[k]) for k in _CANNOT),
        *(Reason(f"{k}-missing", lacks(k), _CAN[k]) for k in _CAN),
    ),
    hints=(
        "For each model ask: if two words change places, do the same outputs come in other places, "
        "or do other outputs come?",
        "A mean over positions does not care in which places its terms stand. What has to happen "
        "before it, so that the terms themselves differ?",
        "Three of the six can. Of the three with positions, one adds them where nothing is "
        "compared any more; and one model without positions treats early and late words "
        "differently.",
    ),
)
