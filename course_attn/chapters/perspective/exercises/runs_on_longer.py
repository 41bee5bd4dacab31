"""Question `runs_on_longer`."""

from whywrong import Letters, Question, Reason, contains, lacks

__all__ = ["exercise"]


def runs_on_longer():
    """Name the models that were made for five elements and run on six."""
    return {"a", "d", "e", "g"}


_NOT = {
    "b": "b does not run. It has a weight for each of the 5 · 4 numbers: with six elements there "
    "are 24, and the last four have none.",
    "c": "c does not run. Its table is computed from nothing: it *is* parameters, 25 of them, and "
    "there is no row for a sixth element. It is a dense layer with a softmax.",
    "f": "f does not run. The convolution would, but what follows is a dense layer over all of its "
    "outputs, and there are 24 of them now.",
    "h": "h does not run. The attention would, but there is no sixth row of P to be added.",
}
_YES = {
    "a": "a runs. Its matrix has a size of d_model × d_ff: it acts on the features of one element, "
    "and a sixth element is taken like the others.",
    "d": "d runs. The mean over the elements has 4 features, however many elements there are.",
    "e": "e runs. The five *queries* are learned, and there are five outputs, for any number of "
    "keys: the weights are computed.",
    "g": "g runs. The encoding is a formula, sines and cosines of the position: it has a sixth "
    "row, too. (Whether the model is any good there is another question.)",
}

exercise = Question(
    runs_on_longer,
    place=10,
    minutes=8,
    level="medium",
    section="One word more",
    task="""
These models were made for inputs X of five elements with four features, shape (5, 4). Which of them
also **run on six** elements, shape (6, 4), with the parameters they have?

- **a** A feed-forward network, for each element by itself.
- **b** A dense layer over the whole input, its 20 numbers in a row.
- **c** Attention whose scores are a learned table of 5 × 5 numbers, in place of $Q K^\\top$.
- **d** The mean over the elements, then a dense layer.
- **e** Attention of five learned queries to all elements: keys and values come from X.
- **f** A convolution of width 3 (with zeros beyond the ends), then a dense layer over its 20
  outputs in a row.
- **g** Self-attention, after a sinusoidal encoding of the positions is added.
- **h** Self-attention, after a learned P of five rows, one for each position, is added.
""",
    read=Letters("abcdefgh", "models"),
    reasons=(
        *(Reason(k, contains(k), _NOT[k]) for k in _NOT),
        *(Reason(f"{k}-missing", lacks(k), _YES[k]) for k in _YES),
    ),
    hints=(
        "Go through the arrays of parameters of each model. Does one of them have a side whose "
        "length has to change with the number of elements?",
        "A table that is learned entry by entry has a size. One that is computed from elements, or "
        "by a formula, or shared by all positions, does not.",
        "Four of the eight run. A model is stopped by a single step that does not.",
    ),
)
