"""Exercise `sliding_window_mask` of chapter 10."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import Case, Context, Exercise, Fault, Kind, Property
from course_attn.exercises.fast._steps import same

__all__ = ["exercise"]


def sliding_window_mask(n_q, n_k, window):
    """Let every query see the last `window` keys up to its own position, itself included."""
    i = np.arange(n_q)[:, None]
    j = np.arange(n_k)
    back = i + n_k - n_q - j  # how many positions key j lies before query i
    return (back >= 0) & (back < window)


def _cases() -> tuple[Case, ...]:
    sizes = (
        (3, 5, 2, "example"),
        (5, 11, 3, "plain"),
        (3, 7, 4, "plain"),
        (7, 7, 3, "square"),
        (1, 7, 4, "one-query"),
        (5, 7, 1, "itself-only"),
        (5, 7, 11, "wide"),
        (7, 3, 2, "more-queries"),
    )
    return tuple(Case((n_q, n_k, w), kind) for n_q, n_k, w, kind in sizes)


def _reaches(back: np.ndarray, window: int) -> np.ndarray:
    return back < window


def _not_later(back: np.ndarray, window: int) -> np.ndarray:
    return back >= 0


def _drawn(
    n_q: int,
    n_k: int,
    window: int,
    *,
    shift: Callable[..., Any] = lambda n_q, n_k: n_k - n_q,
    turn: Callable[..., Any] = same,
    far: Callable[..., Any] = _reaches,
    near: Callable[..., Any] = _not_later,
    join: Callable[..., Any] = np.logical_and,
    finish: Callable[..., Any] = same,
) -> np.ndarray:
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    back = turn(i + shift(n_q, n_k) - j)
    return finish(join(far(back, window), near(back, window)))


def _blocks(n_q: int, n_k: int, window: int) -> np.ndarray:
    i, j = np.arange(n_q)[:, None] + n_k - n_q, np.arange(n_k)
    return (i // window == j // window) & (j <= i)


def _wrapped(n_q: int, n_k: int, window: int) -> np.ndarray:
    mask = np.zeros((n_q, n_k), dtype=bool)
    for i in range(n_q):
        position = i + n_k - n_q
        mask[i, position - window + 1 : position + 1] = True
    return mask


def _seen(row: np.ndarray) -> str:
    """Name the keys that a row of a mask allows."""
    keys = [str(j) for j in np.flatnonzero(row)]
    if not keys:
        return "no key"
    if len(keys) == 1:
        return f"key {keys[0]}"
    return f"keys {', '.join(keys[:8])}{', …' if len(keys) > 8 else ''}"


def _first_wrong(c: Context) -> str:
    """Quote the first row that is wrong, beside the right one."""
    n_q, n_k = c.given["n_q"], c.given["n_k"]
    if c.got.shape != c.expected.shape:
        return (
            f"Your mask has shape {c.got.shape}; asked for is {c.expected.shape}."
        )
    i = int(np.argwhere(c.got != c.expected)[0][0])
    at = i + n_k - n_q
    stands = f"stands at key {at}" if at >= 0 else "stands before the first key"
    return (
        f"With n_q = {n_q}, n_k = {n_k} and window = {c.given['window']}, query {i} {stands} and "
        f"should see {_seen(c.expected[i])}; yours sees {_seen(c.got[i])}."
    )


def _differs(c: Context) -> str | None:
    same_form = c.got.dtype.kind == "b" and c.got.shape == c.expected.shape
    return _first_wrong(c) if same_form else None


exercise = Exercise(
    solution=sliding_window_mask,
    place=60,
    section="Windows, and what happens when the first word leaves",
    task="""
Write `sliding_window_mask(n_q, n_k, window)`: a mask of dtype bool and shape (n_q, n_k), True
where query i may attend to key j. The queries are the *last* n_q positions of a sequence of n_k
(aligned to the bottom right), so query i stands at key p = i + n_k − n_q. It sees no later key,
and of the others the last `window`, its own position counted: those with
p − window < j ≤ p. With window = 1 it sees itself alone, with a window of n_k or more all that a
causal mask allows. With more queries than keys, the first n_q − n_k queries see nothing.
""",
    cases=_cases,
    variant=_drawn,
    kinds={
        "one-query": Kind(
            "for a single query, as in generating word by word",
            "It stands at the last key and sees the last `window` of them.",
        ),
        "itself-only": Kind(
            "for window = 1", "Every query sees its own position, and no other."
        ),
        "wide": Kind(
            "where the window is longer than the sequence",
            "Then the mask is causal and nothing more.",
        ),
        "more-queries": Kind(
            "where there are more queries than keys",
            "The first n_q − n_k queries see nothing then: rows of False.",
        ),
        "square": Kind("where n_q = n_k"),
    },
    faults=(
        Fault(
            "one-too-far",
            {"far": lambda back, window: back <= window},
            lambda c: (
                "Off by one: your window holds one key too many. It counts the query's own "
                f"position: p − window itself lies outside. {_first_wrong(c)}"
            ),
        ),
        Fault(
            "one-too-near",
            {"far": lambda back, window: back < window - 1},
            lambda c: (
                "Off by one: your window holds one key too few. With the query's own position "
                f"there are `window` of them. {_first_wrong(c)}"
            ),
        ),
        Fault(
            "not-itself",
            {"near": lambda back, window: back > 0},
            lambda c: (
                "No query sees its own position. It belongs to the window, as its last key: "
                f"j ≤ p, not j < p. {_first_wrong(c)}"
            ),
        ),
        Fault(
            "before-itself",
            {
                "near": lambda back, window: back > 0,
                "far": lambda back, window: back <= window,
            },
            lambda c: (
                "Your window has the right length but ends one key too early: it holds the "
                "`window` keys *before* the query. Its own position is one of them. "
                f"{_first_wrong(c)}"
            ),
        ),
        Fault(
            "one-ahead",
            {"near": lambda back, window: back >= -1},
            lambda c: (
                "Every query sees one key of the future, the very word that it has to guess. "
                f"{_first_wrong(c)}"
            ),
        ),
        Fault(
            "both-sides",
            {"near": lambda back, window: back > -window},
            lambda c: (
                "Your window reaches to both sides, so that queries see the future. It ends at "
                f"the query's own position. {_first_wrong(c)}"
            ),
        ),
        Fault(
            "centered",
            lambda n_q, n_k, window: _drawn(
                n_q,
                n_k,
                window,
                far=lambda back, window: back <= window // 2,
                near=lambda back, window: back >= -(window // 2),
            ),
            lambda c: (
                "Your window is centered at the query, half of it in the future. It ends at the "
                f"query's own position and reaches back from there. {_first_wrong(c)}"
            ),
        ),
        Fault(
            "negative-start",
            _wrapped,
            lambda c: (
                "For the first queries of a sequence, p − window + 1 is negative, and a slice that "
                "starts at a negative number counts from the *end*. Start it at 0 there: "
                f"`max(p - window + 1, 0)`. {_first_wrong(c)}"
            ),
        ),
        Fault(
            "window-only",
            {"near": lambda back, window: np.ones_like(back, dtype=bool)},
            lambda c: (
                "Nothing stops your queries from seeing the whole future: only the far end of the "
                f"window is there. It has to be causal as well, j ≤ p. {_first_wrong(c)}"
            ),
        ),
        Fault(
            "causal-only",
            {"far": lambda back, window: np.ones_like(back, dtype=bool)},
            lambda c: (
                "Your mask is causal, and the window plays no part in it: nothing is ever too far "
                f"back. {_first_wrong(c)}"
            ),
        ),
        Fault(
            "either",
            {"join": np.logical_or},
            lambda c: (
                "Your mask is True everywhere. What lies in the window *or* is not later than the "
                f"query, that is everything: both have to hold, `&`. {_first_wrong(c)}"
            ),
        ),
        Fault(
            "forward",
            {"turn": np.negative},
            lambda c: (
                "Your window looks forward: each query sees itself and the keys *after* it. "
                f"{_first_wrong(c)}"
            ),
        ),
        Fault(
            "top-left",
            {"shift": lambda n_q, n_k: 0},
            lambda c: (
                "Your mask is aligned to the top left, which is right only for n_q = n_k. The "
                f"queries are the last positions: shift by n_k − n_q. {_first_wrong(c)}"
            ),
        ),
        Fault(
            "shifted-the-wrong-way",
            {"shift": lambda n_q, n_k: n_q - n_k},
            lambda c: (
                "The shift has the wrong sign: query i stands at key i + n_k − n_q, and you have "
                f"n_q − n_k. {_first_wrong(c)}"
            ),
        ),
        Fault(
            "polarity",
            {"finish": np.logical_not},
            lambda c: (
                "The polarity is flipped: True marks the keys that are *forbidden*. Here True "
                f'means "may attend"; `~` turns it round. {_first_wrong(c)}'
            ),
        ),
        Fault(
            "float",
            {"finish": lambda mask: mask.astype(float)},
            lambda c: (
                f"You return numbers 0 and 1 (dtype `{c.got.dtype}`), not truth values: added to "
                "scores a 1 hides nothing. A comparison, or `.astype(bool)`, gives a bool."
            ),
        ),
        Fault(
            "bias",
            {"finish": lambda mask: np.where(mask, 0.0, -np.inf)},
            "You return a *bias*, 0 and −∞, to be added to the scores. It does the same work, but "
            "asked for is the mask: True and False.",
        ),
        Fault(
            "blocks",
            _blocks,
            lambda c: (
                f"You cut the sequence into blocks of {c.given['window']}, and each query sees the "
                "part of its block that is not later. A *sliding* window moves on by one key with "
                f"every query. {_first_wrong(c)}"
            ),
        ),
        Fault(
            "first-keys",
            lambda n_q, n_k, window: (
                (np.arange(n_k) <= np.arange(n_q)[:, None] + n_k - n_q)
                & (np.arange(n_k) < window)
            ),
            lambda c: (
                f"You allow the *first* {c.given['window']} keys to everybody. The window moves "
                f"with the query. {_first_wrong(c)}"
            ),
        ),
        Fault(
            "queries-as-columns",
            lambda n_q, n_k, window: sliding_window_mask(n_q, n_k, window).T,
            lambda c: (
                f"Your mask has shape {c.got.shape}: queries are the rows and keys the columns, "
                f"({c.given['n_q']}, {c.given['n_k']})."
            ),
        ),
    ),
    properties=(Property("row", _differs),),
    hints=(
        "Take n_q = 3, n_k = 5 and window = 2. At which key does query 0 stand, and which two does "
        "it see?",
        "Two conditions, both comparisons of a row with a column: key j is not later than the "
        "query's position, and fewer than `window` steps before it.",
        "`back = np.arange(n_q)[:, None] + n_k - n_q - np.arange(n_k)` counts the steps; "
        "the mask is `(back >= 0) & (…)`.",
    ),
    built_ins=("course_attn.in_numpy.masks.sliding_window_mask",),
)
