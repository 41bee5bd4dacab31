"""Question `mixture_shape` of chapter 1."""

from course_attn.checking import Question, Reason, as_shape

__all__ = ["exercise"]


def mixture_shape():
    """Give the shape of `weighted_sum(weights, values)`: batch, queries, features."""
    return (2, 11, 3)


exercise = Question(
    solution=mixture_shape,
    place=50,
    section="In one line: a matrix product",
    task="""
Before you run anything: `weights` has shape (2, 11, 7) and `values` has shape (2, 7, 3). Which
shape has `weighted_sum(weights, values)`? Return it as a tuple from `mixture_shape()`.
""",
    read=as_shape,
    reasons=(
        Reason(
            "shape-of-values",
            lambda shape: shape == (2, 7, 3),
            "That is the shape of `values`. There is one output for each row of *weights*, and "
            "their number need not be the number of values.",
        ),
        Reason(
            "shape-of-weights",
            lambda shape: shape == (2, 11, 7),
            "That is the shape of `weights`. The sum over j removes the axis of length 7: what "
            "does each output consist of, once the values are added up?",
        ),
        Reason(
            "transposed",
            lambda shape: shape == (2, 3, 11),
            "The right lengths, but rows are vectors in this book: one row an output, one column a "
            "feature.",
        ),
        Reason(
            "batch-missing",
            lambda shape: shape == (11, 3),
            "Right for one pair of matrices. Here there are two pairs, side by side: what becomes "
            "of the leading axis?",
        ),
        Reason(
            "batch-merged",
            lambda shape: shape in ((22, 3), (4, 11, 3), (2, 2, 11, 3)),
            "The leading axis only counts the pairs; pair 0 is mixed with pair 0, pair 1 with pair "
            "1. It comes through unchanged.",
        ),
        Reason(
            "not-summed",
            lambda shape: shape in ((2, 11, 7, 3), (2, 7, 11, 3), (11, 7, 3)),
            "You keep an axis for j, of length 7. The sum runs over j: afterward it is gone.",
        ),
        Reason(
            "axes",
            lambda shape: len(shape) != 3,
            lambda shape: (
                f"Your shape has {len(shape)} axes. Each argument has 3: a batch, rows, columns; "
                "so has the result."
            ),
        ),
        Reason(
            "batch-size",
            lambda shape: shape[0] != 2,
            "The leading axis counts pairs of matrices. There are two pairs.",
        ),
        Reason(
            "summed-axis-left",
            lambda shape: 7 in shape,
            "An axis of length 7 is left. j runs over it, and the sum over j removes it.",
        ),
        Reason(
            "sizes",
            lambda shape: shape != (2, 11, 3),
            "How many outputs are there (one for each row of weights)? And how long is each (as "
            "long as the vectors that are mixed)?",
        ),
    ),
    hints=(
        "Forget the leading 2 for a moment: which shape does (11, 7) times (7, 3) give?",
        "One output for each row of weights; each output is a vector like the values.",
        "The axis over which j runs stands in both shapes, and in the result no more. Leading axes "
        "stay.",
    ),
)
