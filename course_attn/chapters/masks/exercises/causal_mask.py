"""Exercise `causal_mask`."""

from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise", "seen_by"]


def causal_mask(n_q, n_k):
    """Let every query see the keys up to its own position; the last query sees all keys."""
    shift = n_k - n_q
    position = np.arange(n_q)[:, None] + shift
    mask = np.arange(n_k) <= position
    return mask


def _cases() -> tuple[Case, ...]:
    sizes = {
        "example": ((3, 5),),
        "plain": ((5, 7), (2, 11)),
        "square": ((5, 5), (13, 13), (1, 1)),
        "one-query": ((1, 7),),
        "more-queries": ((7, 3), (4, 1)),
    }
    return tuple(Case(size, kind) for kind in sizes for size in sizes[kind])


def seen_by(row: np.ndarray) -> str:
    """Name the keys that a row of a mask allows."""
    seen = ", ".join(map(str, np.flatnonzero(row == 0 if row.min() < 0 else row)))
    return f"key{'s' * (',' in seen)} {seen}" if seen else "no key"


def _wrong_entry(c: Context) -> str | None:
    if c.got.dtype.kind != "b" or not (c.got != c.expected).any():
        return None
    i, j = map(int, np.argwhere(c.got != c.expected)[0])
    key = i + c.given["n_k"] - c.given["n_q"]
    at = f"at key {key}" if key >= 0 else "before the first key"
    says = f"so it may see key {j}; your mask forbids it."
    if c.got[i, j]:
        says = f"but your mask lets it see key {j}: that is its future."
    return c.filled(
        f"With n_q = {{n_q}} and n_k = {{n_k}}, query {i} stands {at}, {says}"
    )


def _drawn(rng: Any) -> tuple[Case, ...]:
    return tuple(Case(tuple(size)) for size in rng.integers(2, 12, (4, 2)).tolist())


exercise = Exercise(
    causal_mask,
    place=10,
    minutes=8,
    level="easy",
    prepares=("causal_attention", "sliding_window_mask"),
    section="New queries, old keys: the rectangular mask",
    task="""
Write `causal_mask(n_q, n_k)`: a mask of dtype bool and shape (n_q, n_k), True where query i may
attend to key j. The queries are the *last* n_q positions of a sequence of n_k (aligned to the
bottom right), and each sees the keys up to and including its own position: $j \\le i + n_k - n_q$.
The last query sees every key; with more queries than keys, the first n_q − n_k queries see nothing.
""",
    drawn=_drawn,
    cases=_cases,
    terms={
        "shift": lambda c: c.given["n_k"] - c.given["n_q"],
        "last_key": lambda c: c.given["n_k"] - 1,
        "first_sees": lambda c: seen_by(c.got[0]),
        "last_sees": lambda c: seen_by(c.got[-1]),
    },
    kinds={
        "one-query": Kind(
            "for a single query, as in generating word by word",
            "It stands at the last key and sees them all.",
        ),
        "more-queries": Kind(
            "where there are more queries than keys",
            "The first n_q − n_k queries see nothing then: rows of False.",
        ),
    },
    faults=fault_list("""
not-itself: <= position → < position
    Off by one: no query sees its own position. Your last one, at key {last_key}, sees
    {last_sees}; `<=` includes it, `<` does not (with `tril`, look at `k`).
one-ahead: <= position → <= position + 1
    Off by one: every query sees one key of the future. The last but one sees key {last_key}, too:
    the very word that it has to guess.
upside-down: <= position → >= position
    Upside down: your queries see themselves and the *future*. The last one sees only {last_sees},
    and should see all {n_k}.
polarity: <= position → > position
    The polarity is flipped: True marks the keys that are *forbidden*, and here it means "may
    attend". `~` turns it around.
top-left: n_k - n_q → 0
    Your mask is aligned to the top left, which is right only for n_q = n_k. Here n_q = {n_q} and
    n_k = {n_k}: your last query sees only {last_sees}, and should see all {n_k}. Shift by
    n_k − n_q.
offset-sign: n_k - n_q → n_q - n_k
    Right for n_q = n_k, but your mask is shifted the wrong way: by n_q − n_k = {n_q} − {n_k}. Your
    last query sees only {last_sees}, and should see all {n_k}.
shift-cut-at-0: n_k - n_q → max(0, n_k - n_q)
    With more queries than keys the shift n_k − n_q is negative, here {shift}, and should stay so:
    the first queries see nothing. You cut it at 0, and so query 0 would see
    {first_sees}.
raised-to-0: mask = → position = np.maximum(position, 0) ⏎ mask =
    With more queries than keys, your first queries see key 0. Their position i + n_k − n_q is
    negative (is it raised to 0?): which keys come no later than that?
negative-slice: <= position → < np.where(position < -1, position + 1 + n_k, position + 1)
    With more queries than keys, the first queries should see nothing, and some see keys. A slice
    up to i + n_k − n_q + 1 does that: its end is negative there, and Python counts that from the
    right. Cut the end at 0 with `max(0, …)`.
float: return mask → return mask.astype(float)
    You return numbers 0 and 1 where truth values are asked for: `~mask` and `scores[mask]` do not
    work with them as they should. A comparison, or `np.tri(…, dtype=bool)`, gives a bool.
bias: return mask → return np.where(mask, 0.0, -np.inf)
    You return a *bias*, 0 and −∞, which is added to scores. Asked for is the mask: True and False.
large-bias: return mask → return np.where(mask, 0.0, -1e9)
    You return a *bias*, 0 and a large negative number. Asked for is the mask: True and False.
zero-times-infinity: return mask → return ~mask * -np.inf
    0·(−∞) is NaN: never multiply by infinity. And a mask of truth values needs none at all.
transposed: return mask → return mask.T
    Rows and columns are exchanged: you return shape {your.shape}, a row for each *key*. Which of
    the two should a row of the mask belong to?
square: np.arange(n_q)[:, None] + shift → np.arange(n_k)[:, None]
    You return shape {your.shape}, a row for each of the n_k = {n_k} positions. Only the last n_q
    of them ask here: which rows belong to these?
only-itself: <= position → == position
    Each of your queries sees its own position alone. What about the keys before it?
empty-rows-opened: return mask → return mask | ~mask.any(axis=-1, keepdims=True)
    With more queries than keys, you let those that see nothing see all keys. The task leaves
    their rows empty: does something treat them apart, against NaN?
"""),
    properties=(Property("wrong-entry", _wrong_entry),),
    hints=(
        "Draw the mask for n_q = 2 and n_k = 4. Where, among the keys, does query 0 stand?",
        "Query i stands at key i + (n_k − n_q). It may attend to j where j is not beyond that.",
        "Compare a column with a row: `np.arange(n_k) <= np.arange(n_q)[:, None] + …`.",
    ),
    built_ins=twins("masks.causal_mask"),
)
