"""Question `mixture_shape`."""

from whywrong import Question, Reason, as_shape

__all__ = ["exercise"]


def mixture_shape():
    """Give the shape of `weighted_sum(weights, values)`: batch, queries, features."""
    return (2, 11, 3)


def _for(id: str, *shapes: tuple[int, ...], says: str) -> Reason:
    return Reason(id, lambda shape: shape in shapes, says)


exercise = Question(
    mixture_shape,
    place=10,
    minutes=3,
    level="easy",
    prepares=("weighted_sum",),
    section="In one line: a matrix product",
    task="""
Before you run anything: `weights` has shape (2, 11, 7) and `values` has shape (2, 7, 3). What
shape does `weighted_sum(weights, values)` have?
""",
    read=as_shape,
    fields=("shape",),
    reasons=(
        _for(
            "shape-of-values",
            (2, 7, 3),
            says="That is the shape of `values`. There is one output for each row of *weights*.",
        ),
        _for(
            "shape-of-weights",
            (2, 11, 7),
            says="That is the shape of `weights`. The sum over j removes the axis of length 7.",
        ),
        _for(
            "transposed",
            (2, 3, 11),
            says="The right lengths, but vectors are rows in this book: one row for each output.",
        ),
        _for(
            "batch-missing",
            (11, 3),
            says="Right for one pair of matrices; here are two. What becomes of the leading axis?",
        ),
        _for(
            "batch-merged",
            *((22, 3), (4, 11, 3), (2, 2, 11, 3)),
            says="The leading axis only counts the pairs of matrices: it comes through unchanged.",
        ),
        _for(
            "batches-crossed",
            (2, 11, 2, 3),
            says="You pair each matrix of weights with each matrix of values, which gives two axes "
            "of length 2. The first belongs to the first, the second to the second.",
        ),
        _for(
            "features-missing",
            (2, 11),
            says="That is one number for each output. Each output is a mixture of vectors.",
        ),
        _for(
            "batch-not-first",
            *((11, 2, 3), (11, 3, 2)),
            says="The right lengths, but the batch axis keeps its place: it stays the first.",
        ),
        _for(
            "concatenated",
            *((2, 11, 10), (2, 18, 3)),
            says="Nothing is put side by side: the 7 counts the terms of one sum, and is gone.",
        ),
        Reason(
            "not-summed",
            lambda shape: 7 in shape,
            "An axis of length 7 is left. j runs over it, and the sum over j removes it.",
        ),
        Reason(
            "sizes",
            lambda shape: shape != (2, 11, 3),
            "Two pairs of matrices: how many outputs has each (one for each row of weights)? And "
            "how long is an output (as long as the vectors that are mixed)?",
        ),
    ),
    hints=(
        "Forget the leading 2 for a moment: what shape does (11, 7) times (7, 3) give?",
        "One output for each row of weights; each output is a vector like the values.",
        "The axis over which j runs is in both shapes, and no longer in the result. Leading axes "
        "stay.",
    ),
)
