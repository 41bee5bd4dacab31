"""Exercise `causal_mask` of chapter 6."""

import numpy as np

from course_attn.checking import Case, Context, Exercise, Fault, Kind, Property
from course_attn.exercises.masks._steps import drawn, seen_by

__all__ = ["exercise", "causal_mask"]


def causal_mask(n_q, n_k):
    """Let every query see the keys up to its own position; the last query sees all keys."""
    i = np.arange(n_q)[:, None]
    j = np.arange(n_k)
    return j <= i + n_k - n_q


def _causal_cases() -> tuple[Case, ...]:
    sizes = ((3, 5, "example"), (5, 7, "plain"), (2, 11, "plain"), (5, 5, "square"))
    more = ((1, 7, "one-query"), (7, 3, "more-queries"), (13, 13, "square"))
    return tuple(Case((n_q, n_k), kind) for n_q, n_k, kind in sizes + more)


def _last_key(c: Context) -> int:
    return int(c.given["n_k"]) - 1


exercise = Exercise(
    solution=causal_mask,
    place=10,
    section="The same, entry by entry",
    task="""
Write `causal_mask(n_q, n_k)`: a mask of dtype bool and shape (n_q, n_k), True where query i may
attend to key j. The queries are the *last* n_q positions of a sequence of n_k (aligned to the
bottom right), and each sees the keys up to and including its own position: $j \\le i + n_k - n_q$.
The last query sees every key; with more queries than keys, the first n_q − n_k queries see nothing.
""",
    cases=_causal_cases,
    variant=drawn,
    kinds={
        "one-query": Kind(
            "for a single query, as in generating word by word",
            "It stands at the last key and sees them all.",
        ),
        "more-queries": Kind(
            "where there are more queries than keys",
            "The first n_q − n_k queries see nothing then: rows of False.",
        ),
        "square": Kind("where n_q = n_k"),
    },
    faults=(
        Fault(
            "not-itself",
            {"compare": np.less},
            lambda c: (
                "Off by one: no query sees its own position. Your last query stands at key "
                f"{_last_key(c)} and sees only {seen_by(c.got[-1])}; `<=` includes it, `<` does "
                "not (with `tril`, look at `k`)."
            ),
        ),
        Fault(
            "one-ahead",
            {"compare": lambda j, i: j <= i + 1},
            lambda c: (
                "Off by one: every query sees one key of the future. The last query but one, at "
                f"key {_last_key(c) - 1}, sees key {_last_key(c)} too: the very word that it has "
                "to guess."
                if len(c.got) > 1
                else "Off by one: every query sees one key too many."
            ),
        ),
        Fault(
            "upside-down",
            {"compare": np.greater_equal},
            lambda c: (
                "Upside down: your queries see themselves and the *future*. The last query sees "
                f"{seen_by(c.got[-1])}, and it should see all {_last_key(c) + 1}. (`tril` keeps "
                "what is below the diagonal, `triu` what is above.)"
            ),
        ),
        Fault(
            "polarity",
            {"compare": np.greater},
            lambda c: (
                "The polarity is flipped: True marks the keys that are *forbidden*. Here True "
                "means "
                f'"may attend"; as it stands, the last query sees {seen_by(c.got[-1])}. `~` '
                "turns it round."
            ),
        ),
        Fault(
            "top-left",
            {"shift": lambda n_q, n_k: 0},
            lambda c: (
                "Your mask is aligned to the top left, which is right only for n_q = n_k. Here, "
                f"with n_q = {c.given['n_q']} and n_k = {c.given['n_k']}, your last query sees "
                f"{seen_by(c.got[-1])}; it stands at key {_last_key(c)} and sees all up to it. "
                "Shift by n_k − n_q."
            ),
        ),
        Fault(
            "shifted-the-wrong-way",
            {"shift": lambda n_q, n_k: n_q - n_k},
            lambda c: (
                "The shift has the wrong sign: query i stands at key i + n_k − n_q, and you have "
                f"n_q − n_k. Your last query sees {seen_by(c.got[-1])}; it should see all "
                f"{_last_key(c) + 1}."
            ),
        ),
        Fault(
            "shift-cut-at-0",
            {"shift": lambda n_q, n_k: max(0, n_k - n_q)},
            lambda c: (
                f"With more queries than keys the shift n_k − n_q is negative, here "
                f"{c.given['n_k'] - c.given['n_q']}, and should stay so: the first "
                f"{c.given['n_q'] - c.given['n_k']} queries stand before the first key and see "
                f"nothing. You cut the shift at 0, and query 0 sees {seen_by(c.got[0])}."
                if c.given["n_q"] > c.given["n_k"]
                else "With more queries than keys the shift n_k − n_q is negative and should stay "
                "so; you cut it at 0."
            ),
        ),
        Fault(
            "absolute-shift",
            {"shift": lambda n_q, n_k: abs(n_k - n_q)},
            lambda c: (
                "You take the shift without its sign. With more queries than keys n_k − n_q is "
                f"negative, here {c.given['n_k'] - c.given['n_q']}: the first queries stand before "
                f"the first key and see nothing, but yours sees {seen_by(c.got[0])}."
                if c.given["n_q"] > c.given["n_k"]
                else "You take the shift n_k − n_q without its sign; with more queries than keys "
                "it is negative."
            ),
        ),
        Fault(
            "float",
            {"finish": lambda mask: mask.astype(float)},
            lambda c: (
                f"You return numbers 0 and 1 (dtype `{c.got.dtype}`), not truth values. `~` and "
                "`np.where` treat them differently, and added to scores a 1 hides nothing. A "
                "comparison, or `np.tri(…, dtype=bool)`, gives a bool."
            ),
        ),
        Fault(
            "bias",
            {"finish": lambda mask: np.where(mask, 0.0, -np.inf)},
            "You return a *bias*, 0 and −∞, to be added to the scores. It does the same work, but "
            "asked for is the mask: True and False.",
        ),
        Fault(
            "large-bias",
            {"finish": lambda mask: np.where(mask, 0.0, -1e9)},
            "You return a *bias*, 0 and a large negative number, to be added to the scores. Asked "
            "for is the mask: True and False.",
        ),
        Fault(
            "zero-times-infinity",
            {"finish": lambda mask: ~mask * -np.inf},
            lambda c: (
                f"0·(−∞) is NaN: {int(np.isnan(c.got).sum())} of your {c.got.size} entries are "
                "NaN. Never multiply by infinity; `np.where` picks without computing. And a mask "
                "of truth values needs no infinity at all."
            ),
        ),
        Fault(
            "n-q-only",
            lambda n_q, n_k: np.tri(n_q, dtype=bool),
            lambda c: (
                f"Your mask is {c.got.shape[0]} × {c.got.shape[1]}, and n_k plays no part in it: "
                f"there are {c.given['n_q']} queries (rows) and {c.given['n_k']} keys (columns)."
            ),
        ),
        Fault(
            "queries-as-columns",
            lambda n_q, n_k: causal_mask(n_q, n_k).T,
            lambda c: (
                f"Your mask has shape {c.got.shape}: queries are the rows and keys the columns, "
                f"({c.given['n_q']}, {c.given['n_k']})."
            ),
        ),
        Fault(
            "all",
            lambda n_q, n_k: np.ones((n_q, n_k), dtype=bool),
            "Your mask is True everywhere: every query sees the whole future.",
        ),
    ),
    properties=(
        Property("sees-the-future", lambda c: _sees_future(c)),
        Property("sees-too-little", lambda c: _sees_too_little(c)),
    ),
    hints=(
        "Draw the mask for n_q = 2 and n_k = 4 on paper. Where, among the keys, does query 0 "
        "stand? And the last query?",
        "Query i stands at key i + (n_k − n_q). It may attend to j where j is not beyond that.",
        "Compare a column with a row: `np.arange(n_k) <= np.arange(n_q)[:, None] + …` gives a "
        "table of truth values at once.",
    ),
    built_ins=("course_attn.in_numpy.masks.causal_mask",),
)


def _sees_future(c: Context) -> str | None:
    if c.got.dtype.kind != "b" or not (c.got & ~c.expected).any():
        return None
    i, j = map(int, np.argwhere(c.got & ~c.expected)[0])
    at = i + c.given["n_k"] - c.given["n_q"]
    stands = f"stands at key {at}" if at >= 0 else "stands before the first key"
    return (
        f"With n_q = {c.given['n_q']} and n_k = {c.given['n_k']}, query {i} {stands}, but your "
        f"mask lets it see key {j}: that is its future."
    )


def _sees_too_little(c: Context) -> str | None:
    if c.got.dtype.kind != "b" or not (~c.got & c.expected).any():
        return None
    i, j = map(int, np.argwhere(~c.got & c.expected)[0])
    at = i + c.given["n_k"] - c.given["n_q"]
    return (
        f"With n_q = {c.given['n_q']} and n_k = {c.given['n_k']}, query {i} stands at key {at}, so "
        f"it may see key {j}; your mask forbids it."
    )
