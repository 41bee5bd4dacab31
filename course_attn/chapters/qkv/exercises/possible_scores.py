"""Question `possible_scores`."""

from whywrong import Letters, Question, Reason

__all__ = ["exercise"]


def possible_scores():
    """Name the score matrices that are possible under the stated conditions."""
    return {"b", "c", "g"}


_WHY = {
    "a": "with d_k = 1 every key is one number, so all rows are multiples of one row; but (3, 4) "
    "is not a multiple of (1, 2).",
    "d": "with one shared matrix q_i = k_i, so the score of i for j equals that of j for i. Here "
    "they are 2 and 3.",
    "e": "it is symmetric, but with W_Q = W_K an element's score with itself is a squared length, "
    "q_i · q_i, and cannot be −1.",
    "f": "the rank of Q Kᵀ is at most d_k = 3, and the 5 × 5 identity has rank 5.",
    "b": "its rows are multiples of (1, 2). Take the queries 2 and 3, and the keys 1 and 2.",
    "c": "it is symmetric, and x S xᵀ = (x₁ + 2 x₂)² + x₂² is never negative. Take (1, 0) and "
    "(2, 1) as queries and keys at once.",
    "g": "scores need not be symmetric once queries and keys have their own matrices. Queries "
    "(1, 0), (0, 1) with keys (0, 1), (−1, 0) give it.",
}


def _reason(letter: str) -> Reason:
    possible = letter in possible_scores()
    return Reason(
        f"{letter}-missing" if possible else letter,
        lambda letters: (letter in letters) != possible,
        f"{letter} is {'' if possible else 'not '}possible: {_WHY[letter]}",
    )


exercise = Question(
    possible_scores,
    place=60,
    minutes=20,
    level="hard",
    section="Why it works: what two matrices can express",
    task="""
Scores are $S = Q K^\\top$ with $Q = X W_Q$ and $K = X W_K$ (self-attention). X and the matrices
may hold any real numbers. Which of these matrices are possible?

With $d_k = 1$:

- **a** $\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}$,
- **b** $\\begin{pmatrix}2&4\\\\3&6\\end{pmatrix}$.

With one shared matrix $W_Q = W_K$ and any $d_k$:

- **c** $\\begin{pmatrix}1&2\\\\2&5\\end{pmatrix}$,
- **d** $\\begin{pmatrix}1&2\\\\3&9\\end{pmatrix}$,
- **e** $\\begin{pmatrix}-1&2\\\\2&3\\end{pmatrix}$.

With different matrices:

- **f** the 5 × 5 identity matrix at $d_k = 3$,
- **g** $\\begin{pmatrix}0&-1\\\\1&0\\end{pmatrix}$ at $d_k = 2$.
""",
    read=Letters("abcdefg", "matrices"),
    reasons=(*map(_reason, _WHY),),
    hints=(
        "What is the rank of a product of an n × d_k and a d_k × n matrix, at most?",
        "With W_Q = W_K, q_i and k_i are equal. What does that say about s_ij and s_ji, and s_ii?",
        "Three of the seven are possible, and for each you can write down the queries and keys.",
    ),
)
