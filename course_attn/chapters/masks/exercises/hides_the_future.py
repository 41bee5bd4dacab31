"""Question `hides_the_future`."""

from whywrong import Letters, Question, Reason, contains, lacks

__all__ = ["exercise"]


def hides_the_future():
    """Name the lines in which no output depends on a later input."""
    return {"a", "c", "f"}


_LEAKS = {
    "b": "b leaks. A weight on the future is set to 0, but row i was divided by a sum over *all* "
    "keys: raise a score of the future, and the weights of the past shrink.",
    "d": "d leaks. A score of 0 is a score like any other: e^0 = 1, so the future gets weight.",
    "e": "e leaks, though all weights on the future are 0. This softmax runs over the *queries*: "
    "the weights of row i are divided by sums in which the scores of later queries occur.",
    "g": "g leaks. The mask is in the second layer, and what it mixes, `softmax(S) @ V`, holds the "
    "future already. A mask hides positions, not what their vectors hold.",
}
_HIDES = {
    "a": "a hides the future. The shift contains scores of the future, but it is the same number "
    "for a whole row, and e^(s − shift) is divided by a sum with the same factor: it cancels.",
    "c": "c hides the future, in exact arithmetic. Row i of `softmax(S)` is e^s over a sum Z with "
    "the future in it, but dividing by the row sums again cancels Z.",
    "f": "f hides the future. Query i sees keys i − 2, i − 1 and i. That is less than it may see, "
    "and none of it is later.",
}

exercise = Question(
    hides_the_future,
    place=65,
    minutes=15,
    level="hard",
    prepares=("causal_attention_torch",),
    section="Why it works",
    task="""
Predict, before you run anything. The scores `S` have shape (n, n), the values `V` shape (n, d);
`S[i, j]` is computed from inputs i and j alone, `V[j]` from input j. `softmax` goes along the last
axis, and `M = np.tri(n, dtype=bool)`. For which of these outputs does row i depend on *no* input
after i, whatever the inputs are, if all is computed exactly, without rounding?

- **a** `softmax(np.where(M, S - S.max(axis=-1, keepdims=True), -np.inf)) @ V`
- **b** `(M * softmax(S)) @ V`
- **c** `(M * softmax(S)) / (M * softmax(S)).sum(axis=-1, keepdims=True) @ V`
- **d** `softmax(M * S) @ V`
- **e** `softmax(np.where(M, S, -np.inf).T).T @ V`
- **f** `softmax(np.where(M & ~np.tri(n, k=-3, dtype=bool), S, -np.inf)) @ V`
- **g** `softmax(np.where(M, S, -np.inf)) @ (softmax(S) @ V)`
""",
    read=Letters("abcdefg", "lines"),
    reasons=(
        Reason(
            "opposite",
            lambda letters: letters == set("bdeg"),
            "These are exactly the four that leak; the question is which do not.",
        ),
        *(Reason(k, contains(k), _LEAKS[k]) for k in _LEAKS),
        *(Reason(f"{k}-missing", lacks(k), _HIDES[k]) for k in _HIDES),
    ),
    hints=(
        "A weight of 0 on the future is not enough: what is each row divided by?",
        "Write row i of each as a fraction. Does a number that comes from a later input occur in "
        "it, and does it cancel?",
        "Three of the seven hide the future. In two of them, later scores come in and cancel.",
    ),
)
