"""Question `notices_the_reshape`."""

from whywrong import Letters, Question, Reason, contains, lacks

__all__ = ["exercise"]


def notices_the_reshape():
    """Name the tests that fail for heads split and merged by `reshape` alone."""
    return {"c", "e"}


_BLIND = {
    "a": "a passes. With one head there is nothing to swap: (n, d) and (1, n, d) hold the numbers "
    "in the same order.",
    "b": "b passes. One word is one row: cut in two, it gives each head the row that it "
    "should have.",
    "d": "d passes. `reshape` keeps the reading order, so no row of a wrong head holds a later "
    "word than a row below it.",
    "f": "f passes. The weights are made with W_Q and W_K alone, and whatever rows they mix, "
    "doubled values give doubled mixtures.",
}
_NOTICES = {
    "c": 'c fails, as it should. The first "head" holds the words 1 to 3 and the second one 4 to '
    "6: after the swap, word 2 is mixed with word 6 in place of word 1, and its output moves.",
    "e": 'e fails, as it should. Word 6 is in the second "head", with the words 4 and 5 only. It '
    "never meets word 1.",
}

exercise = Question(
    notices_the_reshape,
    place=65,
    minutes=15,
    level="hard",
    prepares=("MultiHeadAttention",),
    section="What goes wrong",
    task="""
A colleague forgot two swaps of axes in a self-attention with several heads:

```python
Q, K, V = ((X @ W).reshape(n_heads, n, -1) for W in (W_Q, W_K, W_V))
Y = attention(Q, K, V, mask=mask).reshape(n, -1) @ W_O
```

Which of these tests would *notice*, that is, fail for this code and pass for the right one? All
matrices are (12, 12) and drawn at random. Where a test does not say otherwise, there are six words,
two heads and no mask.

- **a** With one head, the result is `attention(X @ W_Q, X @ W_K, X @ W_V) @ W_O`.
- **b** With a single word, the result is `X @ W_V @ W_O`.
- **c** If the first and the last word change places, so do their outputs, and the others stay.
- **d** With a causal mask, no output moves when a later word is changed.
- **e** With a causal mask, the last output moves when the first word is changed.
- **f** If W_V is doubled, all outputs are doubled.
""",
    read=Letters("abcdef", "tests"),
    reasons=(
        Reason(
            "opposite",
            lambda letters: letters == set("abdf"),
            "These are exactly the four that pass; the question is which fail.",
        ),
        *(Reason(k, contains(k), _BLIND[k]) for k in _BLIND),
        *(Reason(f"{k}-missing", lacks(k), _NOTICES[k]) for k in _NOTICES),
    ),
    hints=(
        "Twelve features make two rows of six. Whose rows does the first wrong head hold?",
        'The first "head" holds both halves of the words 1 to 3, the second those of 4 to 6. Which '
        "words meet, and which never do?",
        "Two of the six notice. Both look at two words that ought to meet.",
    ),
)
