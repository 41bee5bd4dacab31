"""Question `possible_looks`."""

from whywrong import Letters, Question, Reason, contains, lacks

__all__ = ["exercise"]


def possible_looks():
    """Name the patterns of looks that are possible under the stated conditions."""
    return {"b", "c", "e", "h"}


_NOT = {
    "a": "a is not possible. It needs s_12 > s_11 and s_21 > s_22; but with one matrix "
    "s_12 = s_21 is at most (s_11 + s_22)/2, and so at most the larger of the two.",
    "d": "d is not possible. The element with the longest query looks at itself: no other dot "
    "product in its row is larger than that length squared.",
    "f": "f is not possible. The largest scores of the rows would go around in a circle, "
    "s_12 > s_13 = s_31 > s_32 = s_23 > s_21 = s_12, and nothing is larger than itself.",
    "g": "g is not possible. Scores are products of two numbers, q_i k_j: an element with "
    "q_i > 0 looks at the largest key, one with q_i < 0 at the smallest. That is two elements, "
    "not three.",
}
_YES = {
    "b": "b is possible. Take 1 and 2 as queries and keys at once: the rows of scores are (1, 2) "
    "and (2, 4).",
    "c": "c is possible. Let each be longer than the one before and turned away from the last but "
    "one: (1, 0), (2, 2), (0, 5).",
    "e": "e is possible. Symmetric is less than shared: with M = ((0, 1), (1, 0)) the elements "
    "(1, 0) and (0, 1) score each other with 1 and themselves with 0.",
    "h": "h is possible. One number is enough: queries 1 and −1, keys −1 and 1.",
}

exercise = Question(
    possible_looks,
    place=50,
    minutes=25,
    level="hard",
    section="Why it works: what two matrices can express",
    task="""
Write 1→2 if in a layer of self-attention element 1 gives its largest weight to element 2, and a
smaller one to each of the others, itself included. X and the matrices may hold any real numbers.
Which of these patterns are possible? Find an example for each, or the line that proves that there
is none.

With one shared matrix $W_Q = W_K$, and any $d_k$:

- **a** 1→2 and 2→1,
- **b** 1→2 and 2→2,
- **c** 1→2, 2→3 and 3→3,
- **d** 1→2, 2→3 and 3→1.

With two matrices whose product $M = W_Q W_K^\\top$ is symmetric, and any $d_k$:

- **e** 1→2 and 2→1,
- **f** 1→2, 2→3 and 3→1.

With two matrices and $d_k = 1$:

- **g** 1→2, 2→3 and 3→1,
- **h** 1→2 and 2→1.
""",
    read=Letters("abcdefgh", "patterns"),
    reasons=(
        *(Reason(k, contains(k), _NOT[k]) for k in _NOT),
        *(Reason(f"{k}-missing", lacks(k), _YES[k]) for k in _YES),
    ),
    hints=(
        "A larger score is a larger weight: 1→2 says that s_12 is the largest score of row 1. "
        "Write each pattern as inequalities between scores.",
        "With one matrix, s_ij = s_ji and s_ij ≤ (s_ii + s_jj)/2. With a symmetric M only the "
        "first is certain. With d_k = 1, s_ij is a product of two numbers.",
        "Four of the eight are possible. No symmetric matrix lets looks go around three elements: "
        "chain the inequalities.",
    ),
)
