"""Question `two_mistakes`."""

from whywrong import Letters, Question, Reason, contains, lacks

__all__ = ["exercise"]


def two_mistakes():
    """Name the two lines of the program that are wrong."""
    return {"b", "g"}


_SOUND = {
    "a": "Each token gets its vector and that of its position, padding as well: what "
    "the padding's rows hold matters only to those who read them.",
    "c": "A network and a norm work on each row by itself, so that the rows of the "
    "padding reach no other row here.",
    "d": "The inputs begin with the start and lack the end, the goals lack the start "
    "and close with the end: goal i is the token behind input i.",
    "e": "The target has vectors and positions of its own; all its rows are equally "
    "long here, so that it has no padding.",
    "f": "The target reads itself, each row up to its own place: this is where the "
    "causal mask belongs, and there is no padding in a target here.",
    "h": "A network after a norm, added to what there was: as in any other block, each "
    "row by itself.",
    "i": "The target's vectors serve at both ends, as in a model that writes alone.",
}
_WRONG = {
    "b": "A line that lets something in is missing from your choice. Go back to the second "
    "observation: which lines read rows of the source, and is its padding hidden in each of them?",
    "g": "A line that hides too much is missing from your choice. Take row 0 of the logits, about "
    "the first token that is written: go down the lines and count how much of the source it sees.",
}

exercise = Question(
    two_mistakes,
    place=70,
    minutes=12,
    level="hard",
    section="What goes wrong",
    task="""
This program is to compute the logits of an encoder and a decoder, and the goals they are compared
with. It runs without an error, but **two** of its nine lines are wrong. Two things were observed:
no row of the logits depends on a later token of `inputs`; and a source gets other logits in a batch
with longer sources than it gets alone. Which are the two lines?

`source` is (batch, n_source), short sources filled up; `source_mask`, of the same shape, is False
for this padding. `target` is (batch, n_target + 1), ten characters between a start and an end in
each row. `read_1(X, Z, mask=…)` and its like let the rows of X ask those of Z, as
$\\operatorname{cross}(X, Z)$ does: queries from X, keys and values from Z. In `mask`, True means
that it may be seen; without it, all may. `norm_3` and
`norm_7` are the final norms of the two stacks. The sizes are those that the arrays have, and
`seen = source_mask[:, None, :]`, of shape (batch, 1, n_source).

- **a** `Z = E_s[source] + P_s[:n_source]`
- **b** `Z = Z + read_1(norm_1(Z), norm_1(Z))`
- **c** `Z = norm_3(Z + network_1(norm_2(Z)))`
- **d** `inputs, goals = target[:, :-1], target[:, 1:]`
- **e** `X = E_t[inputs] + P_t[:n_target]`
- **f** `X = X + read_2(norm_4(X), norm_4(X), mask=np.tri(n_target, dtype=bool))`
- **g** `X = X + read_3(norm_5(X), Z, mask=seen & np.tri(n_target, n_source, dtype=bool))`
- **h** `X = X + network_2(norm_6(X))`
- **i** `logits = norm_7(X) @ E_t.T`
""",
    read=Letters("abcdefghi", "lines"),
    reasons=(
        *(
            Reason(k, contains(k), f"Line {k} is as it should be. {_SOUND[k]}")
            for k in _SOUND
        ),
        *(Reason(f"{k}-missing", lacks(k), _WRONG[k]) for k in _WRONG),
    ),
    hints=(
        "Three lines read something. For each of them: who asks, who answers, and what has to be "
        "hidden from whom?",
        "Padding has to be hidden wherever elements of the source are keys. The future has to be "
        "hidden wherever elements of the target are keys.",
        "Two of the three lines that read are wrong: in one nothing is hidden that should be, in "
        "the other something is hidden that nobody has to hide.",
    ),
)
