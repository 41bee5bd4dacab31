"""Question `rows_that_mix`."""

from whywrong import Letters, Question, Reason, contains, lacks

__all__ = ["exercise"]


def rows_that_mix():
    """Name the kinds of rows of which c = (1 − t) a + t b is one, whenever a and b are."""
    return {"b", "c", "e", "g"}


_LOST = {
    "a": "a does not carry over: halfway between (1, 0, 0, 0) and (0, 1, 0, 0) is (½, ½, 0, 0), "
    "which copies nothing.",
    "d": "d does not carry over: halfway between (1, 0, 0, 0) and (0, 1, 0, 0) is (½, ½, 0, 0), "
    "and its squares sum to ½. A square is not linear.",
    "f": "f does not carry over: halfway between (½, ½, 0, 0) and (0, 0, ½, ½) all four weights "
    "are ¼.",
}
_KEPT = {
    "b": "b carries over. Put the limit into c: (1 − t) a_j + t b_j is at most (1 − t)/2 + t/2.",
    "c": "c carries over: c sums to (1 − t) · 1 + t · 1, whatever the signs.",
    "e": "e carries over: no weight becomes negative, and a limit on the sums of a and b is a "
    "limit on (1 − t) times the one plus t times the other.",
    "g": "g carries over: a_j ≥ a_{j+1} and b_j ≥ b_{j+1} may be multiplied by 1 − t and t, which "
    "are not negative, and added.",
}

exercise = Question(
    rows_that_mix,
    place=80,
    minutes=15,
    level="hard",
    section="What an average cannot do: leave its values",
    task="""
The averages of some values form a convex set, because an average of two averages is an average
again. Write down the line of the proof that is missing here: if the rows of weights $a$ and $b$
give the outputs $y$ and $z$, which row $c$ gives the point $(1-t)\\,y + t\\,z$ between them, with
$0 \\le t \\le 1$, whatever the values are? Then see how much your line proves. For which of these
kinds of rows is $c$ always of the same kind as $a$ and $b$? Every row has four weights.

- **a** One-hot rows.
- **b** Averages (no weight is negative, and their sum is 1) with no weight above 1/2.
- **c** Rows with sum 1 and weights of any sign.
- **d** Rows without negative weights whose *squares* sum to 1.
- **e** Rows without negative weights whose sum is at most 1.
- **f** Averages with at most two weights that are not 0.
- **g** Averages in which no weight is larger than the one before it.
""",
    read=Letters("abcdefg", "kinds of rows"),
    reasons=(
        Reason(
            "opposite",
            lambda letters: letters == set("adf"),
            "These are exactly the three kinds that do *not* carry over to c.",
        ),
        *(Reason(k, contains(k), _LOST[k]) for k in _LOST),
        *(Reason(f"{k}-missing", lacks(k), _KEPT[k]) for k in _KEPT),
    ),
    hints=(
        "Insert y = Σ a_j x_j and z = Σ b_j x_j, and collect what x_j is multiplied by.",
        "The missing line is c_j = (1 − t) a_j + t b_j. Put each condition on a and on b into it. "
        "Where you doubt that it holds for c, try t = 1/2 and two rows that are far apart.",
        "Four of the seven carry over: those that are linear equations or inequalities in the "
        "weights. For each of the other three a pair of rows made of 0, ½ and 1 breaks it.",
    ),
)
