"""Exercise `sliding_window_mask`."""

from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Exercise, Kind, Property, fault_list

__all__ = ["exercise"]


def sliding_window_mask(n_q, n_k, window):
    """Let every query see the last `window` keys up to its own position, itself included."""
    positions = np.arange(n_q)[:, None] + n_k - n_q
    key = np.arange(n_k)
    distances = positions - key  # how many positions the key lies before the query
    mask = (distances >= 0) & (distances < window)
    return mask


def _cases() -> tuple[Case, ...]:
    sizes = (
        (3, 5, 2, "example"),
        (5, 11, 3, "plain"),
        (3, 7, 4, "plain"),
        (7, 7, 3, "square"),
        (1, 7, 4, "one-query"),
        (1, 1, 3, "one-query"),
        (5, 7, 1, "itself-only"),
        (5, 7, 11, "wide"),
        (7, 3, 2, "more-queries"),
        (9, 4, 6, "more-queries"),
    )
    return tuple(Case((n_q, n_k, w), kind) for n_q, n_k, w, kind in sizes)


def _first_wrong(c: Context) -> str:
    """Quote the wrong row that sees most, beside the right one, if there are rows."""
    if c.got.shape != c.expected.shape:
        return f"Shape {c.expected.shape} is asked for, and yours is {c.got.shape}."
    wrong = (c.got != c.expected).any(axis=1)
    i = int(np.where(wrong, c.got.sum(axis=1), -1).argmax())
    yours, right = (
        np.flatnonzero(mask[i]).tolist() for mask in (c.got, c.expected)
    )
    sizes = ", ".join(f"{name} = {value}" for name, value in c.given.items())
    should = f"the keys {right}" if right else "no key"
    return f"With {sizes}, query {i} should see {should}; yours sees {yours}."


def _drawn(rng: Any) -> tuple[Case, ...]:
    sizes = rng.integers((2, 0, 2), (6, 8, 6), size=(4, 3)).tolist()
    return tuple(Case((n_q, n_q + more, window)) for n_q, more, window in sizes)


exercise = Exercise(
    sliding_window_mask,
    place=60,
    minutes=10,
    level="medium",
    section="Windows, and what happens when the first word leaves",
    task="""
Write `sliding_window_mask(n_q, n_k, window)`: a mask of dtype bool and shape (n_q, n_k), True
where query i may attend to key j. The queries are the *last* n_q positions of a sequence of n_k
(aligned to the bottom right), so query i stands at key p = i + n_k − n_q. It sees no later key,
and of the others the last `window`, its own position counted: those with
p − window < j ≤ p. With window = 1 it sees itself alone, with a window of n_k or more all that a
causal mask allows. With more queries than keys, the first n_q − n_k queries see nothing.
""",
    drawn=_drawn,
    cases=_cases,
    terms={"first_wrong": _first_wrong},
    kinds={
        "one-query": Kind("for a single query, which stands at the last key"),
        "itself-only": Kind("for window = 1"),
        "wide": Kind(
            "where the window is longer than the sequence",
            "Then the mask is causal and nothing more.",
        ),
        "more-queries": Kind(
            "where there are more queries than keys",
            "The first n_q − n_k queries see nothing then: rows of False.",
        ),
    },
    faults=fault_list("""
one-too-far: distances < window → distances <= window
    Your window holds one key too many. The query's own position is one of the `window` keys, so
    that p − window lies outside. {first_wrong}
one-too-near: distances < window → distances < window - 1
    Your window holds one key too few. With the query's own position there are `window` of them.
    {first_wrong}
not-itself: mask = → mask = (distances != 0) &
    No query sees its own position. It belongs to the window, as its last key: j ≤ p, not j < p.
    {first_wrong}
both-sides: distances >= 0 → distances > -window
    Your window reaches to both sides, so that queries see the future. It ends at the query's
    own position. {first_wrong}
centered: distances >= 0 → distances >= -(window // 2)
        and distances < window → distances <= window // 2
    Your window is centered at the query, half of it in the future. It ends at the query's own
    position and reaches back from there. {first_wrong}
negative-start: distances < window
            → np.array([np.isin(key, key[p - window + 1 :]) for p in positions[:, 0]])
    Near the start, queries see too little. There p − window + 1 is negative: does a slice begin at
    it? A negative start counts from the *end*. {first_wrong}
clamped: positions = np.arange(n_q)[:, None] + n_k - n_q
            → positions = np.maximum(np.arange(n_q)[:, None] + n_k - n_q, 0)
    With more queries than keys, your first queries see key 0, as if they all stood there. Their p
    is negative (is it raised to 0?): which keys come no later than that? {first_wrong}
negative-end: distances >= 0
            → np.array([np.isin(key, key[: p + 1]) for p in positions[:, 0]])
    With more queries than keys, p + 1 is negative for the first ones, and a slice that stops at a
    negative number counts from the *end*. What are those queries to see? {first_wrong}
blocks: distances < window → positions // window == key // window
    Your windows are blocks that stand still, each of {window} keys, and a query sees its own block
    only. A window moves along: it reaches back from the query over any border. {first_wrong}
always-full: distances >= 0
            → (positions >= 0) & (key - np.maximum(positions - window + 1, 0) < window)
    Near the start your window still holds `window` keys, and reaches past the query's own position
    into the future. It ends at p, `start : p + 1`, however few keys that leaves. {first_wrong}
window-only: (distances >= 0) & → (nothing)
    Only the far end of the window is there, and queries see the whole future. The mask has to be
    causal as well, j ≤ p. {first_wrong}
inverted: return mask → return ~mask
    True and False are interchanged in your mask: True has to stand where a query *may* attend.
    {first_wrong}
float: return mask → return mask.astype(float)
    You return numbers, 0 and 1; a mask of dtype bool is asked for. A comparison gives one, and so
    does `.astype(bool)`.
top-left:  + n_k - n_q → (nothing)
    Your mask is aligned to the top left, which is right only for n_q = n_k. The queries are the
    last positions: shift by n_k − n_q. {first_wrong}
wrong-way: + n_k - n_q → + n_q - n_k
    You shift the queries the wrong way, by n_q − n_k. They are the *last* positions of the
    sequence: at which key does the last query stand? {first_wrong}
far-end-top-left: distances < window → np.arange(n_q)[:, None] - key < window
    The far end of your window is counted from i, not from the query's position p = i + n_k − n_q.
    (`tri`, `tril` and `triu` take their diagonal from the top left corner: add n_k − n_q.)
    {first_wrong}
last-keys-of-all: distances < window → key >= n_k - window
    The far end of your window stands still: every query sees only the last {window} keys of the
    whole sequence. It moves along with the query, from p − window + 1 to p. {first_wrong}
far-end-top-left-and-one-too-far: distances < window → np.arange(n_q)[:, None] - key <= window
    The far end of your window is off in two ways: it is counted from i, not from p = i + n_k −
    n_q, and it lets in one key too many. (With `triu`, both are in its diagonal.) {first_wrong}
looks-ahead: positions - key → key - positions
    Your window begins at the query and reaches into the future. On which side of p do the keys lie
    that came before? {first_wrong}
one-earlier: positions - key → positions - 1 - key
    Your whole window stands one key too early. It ends with the query's own position: does your
    `range` or slice stop before p? {first_wrong}
one-later: distances >= 0 → distances >= -1
    Your window ends one key too late: each query sees the key after its own. {first_wrong}
"""),
    properties=(
        Property("row", lambda c: _first_wrong(c) if c.got.dtype == bool else None),
    ),
    hints=(
        "Take n_q = 3, n_k = 5 and window = 2. At which key does query 0 stand, and which two does "
        "it see?",
        "Two conditions, both comparisons of a row with a column: key j is not later than the "
        "query's position, and fewer than `window` steps before it.",
        "`back = np.arange(n_q)[:, None] + n_k - n_q - np.arange(n_k)` counts the steps; "
        "the mask is `(back >= 0) & (…)`.",
    ),
    built_ins=twins("masks.sliding_window_mask"),
)
