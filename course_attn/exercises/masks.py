"""Exercises of chapter 6, `masks`: who may see whom."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import (
    Case,
    Context,
    Exercise,
    Fault,
    Kind,
    Property,
    WrongForm,
    number,
    span,
)

__all__ = ["EXERCISES"]


def _same(array: Any, *unused: Any) -> Any:
    """Change nothing: the right version of a step that some mistakes add."""
    return array


def _seen_by(row: np.ndarray) -> str:
    """Name the keys that a row of a mask allows."""
    seen = [str(j) for j in np.flatnonzero(row)]
    if not seen:
        return "no key"
    return f"key {seen[0]}" if len(seen) == 1 else f"keys {', '.join(seen)}"


def _allows_too_much(c: Context) -> str | None:
    if c.got.dtype.kind != "b" or not (c.got & ~c.expected).any():
        return None
    *batch, i, j = map(int, np.argwhere(c.got & ~c.expected)[0])
    return f"Your mask is True at {(*batch, i, j)}, where it should be False."


def _allows_too_little(c: Context) -> str | None:
    if c.got.dtype.kind != "b" or not (~c.got & c.expected).any():
        return None
    *batch, i, j = map(int, np.argwhere(~c.got & c.expected)[0])
    return f"Your mask is False at {(*batch, i, j)}, where it should be True."


# --- causal_mask ----------------------------------------------------------------------------------


def causal_mask(n_q, n_k):
    """Let every query see the keys up to its own position; the last query sees all keys."""
    i = np.arange(n_q)[:, None]
    j = np.arange(n_k)
    return j <= i + n_k - n_q


def _causal_cases() -> tuple[Case, ...]:
    sizes = ((3, 5, "example"), (5, 7, "plain"), (2, 11, "plain"), (5, 5, "square"))
    more = ((1, 7, "one-query"), (7, 3, "more-queries"), (13, 13, "square"))
    return tuple(Case((n_q, n_k), kind) for n_q, n_k, kind in sizes + more)


def _drawn(
    n_q: int,
    n_k: int,
    *,
    shift: Callable[..., Any] = lambda n_q, n_k: n_k - n_q,
    compare: Callable[..., Any] = np.less_equal,
    finish: Callable[..., Any] = _same,
) -> np.ndarray:
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    return finish(compare(j, i + shift(n_q, n_k)))


def _last_key(c: Context) -> int:
    return int(c.given["n_k"]) - 1


_CAUSAL_MASK = Exercise(
    name="causal_mask",
    chapter="masks",
    task="""
Write `causal_mask(n_q, n_k)`: a mask of dtype bool and shape (n_q, n_k), True where query i may
attend to key j. The queries are the *last* n_q positions of a sequence of n_k (aligned to the
bottom right), and each sees the keys up to and including its own position: $j \\le i + n_k - n_q$.
The last query sees every key; with more queries than keys, the first n_q − n_k queries see nothing.
""",
    reference=causal_mask,
    cases=_causal_cases,
    variant=_drawn,
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
                f"{_last_key(c)} and sees only {_seen_by(c.got[-1])}; `<=` includes it, `<` does "
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
                f"{_seen_by(c.got[-1])}, and it should see all {_last_key(c) + 1}. (`tril` keeps "
                "what is below the diagonal, `triu` what is above.)"
            ),
        ),
        Fault(
            "polarity",
            {"compare": np.greater},
            lambda c: (
                "The polarity is flipped: True marks the keys that are *forbidden*. Here True "
                "means "
                f'"may attend"; as it stands, the last query sees {_seen_by(c.got[-1])}. `~` '
                "turns it round."
            ),
        ),
        Fault(
            "top-left",
            {"shift": lambda n_q, n_k: 0},
            lambda c: (
                "Your mask is aligned to the top left, which is right only for n_q = n_k. Here, "
                f"with n_q = {c.given['n_q']} and n_k = {c.given['n_k']}, your last query sees "
                f"{_seen_by(c.got[-1])}; it stands at key {_last_key(c)} and sees all up to it. "
                "Shift by n_k − n_q."
            ),
        ),
        Fault(
            "shifted-the-wrong-way",
            {"shift": lambda n_q, n_k: n_q - n_k},
            lambda c: (
                "The shift has the wrong sign: query i stands at key i + n_k − n_q, and you have "
                f"n_q − n_k. Your last query sees {_seen_by(c.got[-1])}; it should see all "
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
                f"nothing. You cut the shift at 0, and query 0 sees {_seen_by(c.got[0])}."
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
                f"the first key and see nothing, but yours sees {_seen_by(c.got[0])}."
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


# --- masked_softmax -------------------------------------------------------------------------------


def masked_softmax(scores, mask):
    """Turn the allowed scores of each row into weights that sum to 1; the others get 0."""
    hidden = np.where(mask, scores, -np.inf)
    largest = hidden.max(axis=-1, keepdims=True)
    powers = np.exp(hidden - np.where(np.isinf(largest), 0, largest))
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def _masked_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260601)
    draw = rng.standard_normal

    def some(*shape: int) -> np.ndarray:
        mask = rng.uniform(size=shape) < 0.6
        mask[..., 1] = True
        return mask

    holes = some(5, 7)
    holes[[1, 4]] = False
    rows = np.array([[-300.0], [2900.0], [-2500.0], [40.0], [-4800.0]])
    above = draw((5, 7)) + rows
    hides = some(5, 7)
    above[~hides] += 4000.0
    first = np.array([[True, True, False], [True, False, True]])
    return (
        Case((np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]]), first), "example"),
        Case((2 * draw((5, 7)), some(5, 7))),
        Case((draw((11, 3)), some(11, 3))),
        Case((draw((5, 5)), np.tri(5, dtype=bool)), "square"),
        Case((draw((2, 3, 5, 7)), some(2, 3, 5, 7)), "batch"),
        Case((draw((2, 5, 7)), some(2, 1, 7)), "broadcast"),
        Case((draw((5, 7)), holes), "empty"),
        Case((above, hides), "large"),
        Case((draw((11, 13)).astype("f4"), some(11, 13)), "float32"),
    )


def _row_max(scores: np.ndarray) -> np.ndarray:
    return scores.max(axis=-1, keepdims=True)


def _softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    """Weigh without a thought for empty rows: they become NaN."""
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def _softmax_or_zero(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    empty = np.isneginf(scores).all(axis=axis, keepdims=True)
    weights = _softmax(np.where(empty, 0.0, scores), axis)
    return np.where(empty, 0.0, weights).astype(scores.dtype)


def _minus_infinity(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.where(mask, scores, scores.dtype.type(-np.inf))


def _uniform_where_empty(scores: np.ndarray) -> np.ndarray:
    empty = np.isneginf(scores).all(axis=-1, keepdims=True)
    return _softmax(np.where(empty, 0.0, scores))


def _through(
    scores: np.ndarray,
    mask: np.ndarray,
    *,
    keep: Callable[..., Any] = _same,
    hide: Callable[..., Any] = _minus_infinity,
    weigh: Callable[..., Any] = _softmax_or_zero,
    finish: Callable[..., Any] = _same,
) -> np.ndarray:
    allowed = keep(mask)
    return finish(weigh(hide(scores, allowed)), allowed)


def _on_hidden(c: Context) -> str:
    hidden = np.abs(np.where(c.given["mask"], 0.0, c.got))
    return number(np.nanmax(hidden))


def _nan_rows(c: Context) -> str:
    bad = np.isnan(c.got).any(axis=-1)
    return f"{int(bad.sum())} of {bad.size} rows here are NaN"


def _empty_rows(c: Context) -> np.ndarray:
    allowed = np.broadcast_to(c.given["mask"], c.got.shape)
    return np.flatnonzero(~allowed.any(axis=-1).reshape(-1))


def _first_then_mask(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return _softmax(scores) * mask


def _first_then_renormalized(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    weights = _first_then_mask(scores, mask)
    return weights / weights.sum(axis=-1, keepdims=True)


_EMPTY = Kind(
    "where a row of the mask allows nothing",
    "Such a row gets zeros: what does your code divide by there?",
)

_MASKED_SOFTMAX = Exercise(
    name="masked_softmax",
    chapter="masks",
    task="""
Write `masked_softmax(scores, mask)`: the softmax of each row (last axis) over the scores that the
mask allows; the others get weight 0. `scores` has shape (…, n), and `mask` is bool and broadcasts
to it, with True for allowed. A row with nothing allowed gets zeros, never NaN. All scores stay
below $10^4$ in size, and forbidden ones may be far larger than allowed ones.
""",
    reference=masked_softmax,
    cases=_masked_cases,
    variant=_through,
    kinds={
        "empty": _EMPTY,
        "broadcast": Kind(
            "where the mask has to be broadcast",
            "Here it has shape (2, 1, 7) and the scores (2, 5, 7): `np.where` and arithmetic "
            "stretch it by themselves, `scores[~mask] = …` does not.",
        ),
        "large": Kind(
            "where scores differ by thousands, between rows and between forbidden and allowed",
            "The shift has to be the largest *allowed* score of each row; otherwise powers "
            "overflow, or all allowed ones vanish.",
        ),
    },
    faults=(
        Fault(
            "after-softmax",
            _first_then_mask,
            lambda c: (
                "You mask *after* the softmax: the forbidden keys have already taken their share, "
                f"and your rows sum to {c.sums()}. Hide the scores before the softmax."
            ),
        ),
        Fault(
            "renormalized-late",
            _first_then_renormalized,
            lambda c: (
                "Masking after the softmax and dividing again is right on paper. But "
                + (
                    f"where nothing is allowed it divides 0 by 0: {_nan_rows(c)}."
                    if c.kind == "empty"
                    else f"a forbidden score that towers over the others leaves nothing: "
                    f"{_nan_rows(c)}."
                )
                + " Hide the scores before the softmax, and look after empty rows."
            ),
        ),
        Fault(
            "fill-zero",
            {"hide": lambda scores, mask: np.where(mask, scores, 0)},
            lambda c: (
                "You set forbidden scores to 0, but 0 is a score like any other, and exp(0) is 1: "
                f"forbidden keys get weights up to {_on_hidden(c)}. What has a power of 0?"
            ),
        ),
        Fault(
            "fill-zero-cleared",
            {
                "hide": lambda scores, mask: np.where(mask, scores, 0),
                "finish": lambda weights, mask: weights * mask,
            },
            lambda c: (
                "You set forbidden scores to 0 and clear their weights afterward. But exp(0) is "
                f"1: they have taken their share by then, and your rows sum to {c.sums()}."
            ),
        ),
        Fault(
            "added-mask",
            {"hide": lambda scores, mask: scores + mask},
            lambda c: (
                "You add the mask to the scores: True counts as 1, so allowed keys get a small "
                f"bonus and forbidden ones still weights up to {_on_hidden(c)}. What has to be "
                "added is 0 or −∞."
            ),
        ),
        Fault(
            "zero-times-infinity",
            {"hide": lambda scores, mask: scores + ~mask * -np.inf},
            lambda c: (
                f"0·(−∞) is NaN, and it spreads: {_nan_rows(c)}. `np.where(mask, scores, -np.inf)` "
                "picks without multiplying."
            ),
        ),
        Fault(
            "small-fill",
            {"hide": lambda scores, mask: np.where(mask, scores, -100.0)},
            lambda c: (
                "A fill of −100 is not always low: "
                + (
                    "where nothing is allowed, it is the largest score of its row, and the row "
                    f"becomes {c.row(int(_empty_rows(c)[0]))}."
                    if c.kind == "empty"
                    else f"allowed scores lie as low as {number(c.given['scores'].min())} here."
                )
                + " Use −∞, and treat empty rows by themselves."
            ),
        ),
        Fault(
            "polarity",
            {"keep": np.logical_not},
            lambda c: (
                "The polarity is flipped: all the weight falls on the forbidden keys (up to "
                f"{_on_hidden(c)}), and the allowed ones get 0. True means allowed."
            ),
        ),
        Fault(
            "empty-nan",
            {"weigh": _softmax},
            lambda c: (
                "Nearly. Where nothing is allowed, every score is −∞, and −∞ − (−∞) is NaN: "
                f"{_nan_rows(c)}. Such a row should get zeros."
            ),
        ),
        Fault(
            "empty-uniform",
            {"weigh": _uniform_where_empty},
            lambda c: (
                "Nearly. Where nothing is allowed, your row is uniform, "
                f"{c.row(int(_empty_rows(c)[0]))}: the fill is the same everywhere, so it wins "
                "everywhere. A query that may see nothing would get the mean of everything; such a "
                "row should get zeros."
                if len(_empty_rows(c))
                else "Rows without an allowed key become uniform; they should get zeros."
            ),
        ),
        Fault(
            "empty-unmasked",
            {
                "hide": lambda scores, mask: np.where(
                    mask.any(axis=-1, keepdims=True),
                    _minus_infinity(scores, mask),
                    scores,
                )
            },
            lambda c: (
                "Nearly. Where nothing is allowed, you lower all scores by the same amount, which "
                f"changes nothing: the row becomes {c.row(int(_empty_rows(c)[0]))}, as if nothing "
                "were forbidden. It should get zeros."
                if len(_empty_rows(c))
                else "Rows without an allowed key come out unmasked."
            ),
        ),
        Fault(
            "wrong-axis",
            {
                "weigh": lambda hidden: _softmax_or_zero(
                    hidden, max(-2, -hidden.ndim)
                )
            },
            lambda c: (
                f"Your columns sum to 1 (or 0), and your rows to {c.sums()}. Each row is one "
                "query: the softmax runs along the last axis."
            ),
        ),
        Fault(
            "not-normalized",
            {
                "weigh": lambda hidden: np.exp(
                    hidden
                    - np.where(np.isneginf(_row_max(hidden)), 0.0, _row_max(hidden))
                )
            },
            lambda c: (
                f"The powers are not divided by their sum yet: your rows sum to {c.sums()}."
            ),
        ),
        Fault(
            "ignored",
            {"hide": lambda scores, mask: scores + np.zeros(mask.shape)},
            lambda c: (
                "The mask plays no part: forbidden keys get weights up to "
                f"{_on_hidden(c)}."
            ),
        ),
    ),
    properties=(
        Property(
            "weight-on-forbidden",
            lambda c: (
                f"Forbidden keys get weights up to {_on_hidden(c)}; they should get exactly 0."
                if float(_on_hidden(c)) > 1e-6
                else None
            ),
        ),
        Property("row-sums", lambda c: _wrong_sums(c)),
    ),
    hints=(
        "Which score has the power 0? And what is the softmax of a row in which *every* score is "
        "that?",
        "Put −∞ where the mask is False, then take the softmax. For an empty row both the shift "
        "and the divisor need care: shift by 0 there, and divide by 1.",
        "`hidden = np.where(mask, scores, -np.inf)`; the row maximum, replaced by 0 where it is "
        "−∞; `np.exp`; the row sum, replaced by 1 where it is 0.",
    ),
    built_ins=("course_attn.in_numpy.masks.masked_softmax",),
)


def _wrong_sums(c: Context) -> str | None:
    wanted, sums = c.expected.sum(axis=-1), c.got.sum(axis=-1)
    wrong = ~np.isclose(sums, wanted, atol=1e-3)
    if not wrong.any():
        return None
    if not wanted[wrong].any():
        return f"Rows with nothing allowed sum to {span(sums[wrong])} and should sum to 0."
    return f"Your rows sum to {span(sums)}; each should sum to 1, or to 0 if nothing is allowed."


# --- padding_mask ---------------------------------------------------------------------------------


def padding_mask(lengths, n_k):
    """Let every query of a sequence see its real keys, and not the filling behind them."""
    return np.arange(n_k) < lengths[:, None, None]


def _padding_cases() -> tuple[Case, ...]:
    return (
        Case((np.array([3, 1]), 5), "example"),
        Case((np.array([5, 2, 7]), 7)),
        Case((np.array([4, 4, 1, 9, 11]), 11)),
        Case((np.array([1, 3, 2]), 3), "square"),
        Case((np.array([0, 2, 5]), 5), "empty"),
        Case((np.array([2]), 7), "one"),
    )


def _padded(
    lengths: np.ndarray,
    n_k: int,
    *,
    compare: Callable[..., Any] = np.less,
    count: Callable[..., Any] = lambda n_k, lengths: np.arange(n_k),
    finish: Callable[..., Any] = _same,
) -> np.ndarray:
    return finish(compare(count(n_k, lengths), lengths[:, None, None]))


_PADDING_MASK = Exercise(
    name="padding_mask",
    chapter="masks",
    task="""
Write `padding_mask(lengths, n_k)`: `lengths` is an array of integers (batch,), the number of real
keys of each sequence, which come first; the rest of its n_k keys is filling. Return a bool array of
shape (batch, 1, n_k), True where the key is real, so that it broadcasts over the queries: $m_{b1j}$
is True if $j < \\mathrm{length}_b$. A length may be 0.
""",
    reference=padding_mask,
    cases=_padding_cases,
    variant=_padded,
    kinds={
        "empty": Kind("where a sequence has length 0"),
        "one": Kind("for a batch of one sequence"),
        "square": Kind("where there are as many sequences as keys"),
    },
    faults=(
        Fault(
            "one-too-many",
            {"compare": np.less_equal},
            lambda c: (
                "Off by one: positions count from 0, so a sequence of length "
                f"{int(c.given['lengths'][0])} ends at position {int(c.given['lengths'][0]) - 1}. "
                f"Yours allows {_seen_by(c.got[0].ravel())}: `<`, not `<=`."
            ),
        ),
        Fault(
            "one-too-few",
            {"compare": lambda j, length: j < length - 1},
            lambda c: (
                f"Off by one: a sequence of length {int(c.given['lengths'][0])} has "
                f"{int(c.given['lengths'][0])} real keys, at the positions 0 to "
                f"{int(c.given['lengths'][0]) - 1}. Yours allows {_seen_by(c.got[0].ravel())}. `<` "
                "leaves out the length itself already: subtract nothing."
            ),
        ),
        Fault(
            "longest",
            {"count": lambda n_k, lengths: np.arange(lengths.max())},
            lambda c: (
                "Your mask is as wide as the longest sequence, "
                f"{int(c.given['lengths'].max())}; n_k plays no part in it. The keys number n_k = "
                f"{c.given['n_k']}, and all of them may be filling at the end, even in the longest "
                f"sequence: shape {c.expected.shape}."
            ),
        ),
        Fault(
            "polarity",
            {"compare": np.greater_equal},
            lambda c: (
                "The polarity is flipped: True marks the filling. The first sequence has "
                f"{int(c.given['lengths'][0])} real keys, and yours allows "
                f"{_seen_by(c.got[0].ravel())}."
            ),
        ),
        Fault(
            "filled-in-front",
            {"count": lambda n_k, lengths: np.arange(n_k)[::-1]},
            lambda c: (
                "You take the filling to come first. Here the real keys do: of length "
                f"{int(c.given['lengths'][0])}, yours allows {_seen_by(c.got[0].ravel())}."
            ),
        ),
        Fault(
            "no-query-axis",
            {"finish": lambda mask: mask[:, 0]},
            lambda c: (
                f"The truth values are right, but the shape is {c.got.shape}: beside scores "
                "(batch, n_q, n_k) that lines up the sequences with the *queries*. An axis of "
                'length 1 between them, `[:, None, :]`, says "for all queries".'
            ),
        ),
        Fault(
            "queries-masked",
            {"finish": lambda mask: np.swapaxes(mask, -1, -2)},
            lambda c: (
                f"Your shape is {c.got.shape}: broadcast over the scores, that masks *queries* "
                "(whole rows). Keys are the last axis."
            ),
        ),
        Fault(
            "float",
            {"finish": lambda mask: mask.astype(float)},
            lambda c: (
                f"You return numbers 0 and 1 (dtype `{c.got.dtype}`), not truth values. The "
                "comparison alone gives them."
            ),
        ),
        Fault(
            "bias",
            {"finish": lambda mask: np.where(mask, 0.0, -np.inf)},
            "You return a bias, 0 and −∞, to be added to the scores. Asked for is the mask: True "
            "and False.",
        ),
        Fault(
            "square-mask",
            {"finish": lambda mask: mask & np.swapaxes(mask, -1, -2)},
            lambda c: (
                f"Your shape is {c.got.shape}: you mask the filling among the queries too. A row "
                "of False for every padded query is one more empty row to look after; the mask is "
                "for the keys."
            ),
        ),
    ),
    properties=(
        Property("allows-filling", _allows_too_much),
        Property("hides-real", _allows_too_little),
    ),
    hints=(
        "Which positions of a sequence of length 3 are real?",
        "Compare the positions 0 … n_k − 1 with each sequence's length: a row against a column.",
        "`lengths[:, None, None]` has shape (batch, 1, 1), and `np.arange(n_k)` has shape (n_k,).",
    ),
    built_ins=("course_attn.in_numpy.masks.padding_mask",),
)


# --- causal_attention -----------------------------------------------------------------------------


def causal_attention(Q, K, V):
    """Give every query the mixture of the values up to its own position."""
    n_q, n_k = Q.shape[-2], K.shape[-2]
    scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
    mask = np.arange(n_k) <= np.arange(n_q)[:, None] + n_k - n_q
    hidden = np.where(mask, scores, -np.inf)
    largest = np.where(mask.any(axis=-1), hidden.max(axis=-1), 0.0)[..., None]
    powers = np.exp(hidden - largest)
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total) @ V


# Every query has an allowed score above 709, whose power is infinite; in three of five rows one of
# the future lies so far above the allowed ones that their powers, shifted by it, are rounded to 0.
_LARGE_SEED = 20260926


def _causal_attention_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260602)

    def triple(
        n_q: int, n_k: int, d_k: int, d_v: int, *batch: int, seed: int | None = None
    ) -> tuple[Any, ...]:
        draw = (np.random.default_rng(seed) if seed else rng).standard_normal
        sizes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
        return tuple(1.5 * draw((*batch, *size)) for size in sizes)

    wide = tuple(array.astype("f4") for array in triple(11, 13, 5, 3))
    Q, K, V = triple(5, 7, 3, 2, seed=_LARGE_SEED)
    return (
        Case(triple(3, 3, 5, 2), "example"),
        Case(triple(7, 7, 11, 3), "square"),
        Case(triple(5, 7, 3, 2)),
        Case(triple(5, 7, 11, 13, 2, 3), "batch"),
        Case(triple(1, 7, 5, 3), "one-query"),
        Case((30 * Q, 30 * K, V), "large"),
        Case(triple(7, 3, 5, 2), "more-queries"),
        Case(wide, "float32"),
    )


def _attended(
    Q: np.ndarray,
    K: np.ndarray,
    V: np.ndarray,
    *,
    scale: Callable[..., Any] = lambda scores, Q, V: scores / np.sqrt(Q.shape[-1]),
    allow: Callable[..., Any] = causal_mask,
    hide: Callable[..., Any] = _minus_infinity,
    weigh: Callable[..., Any] = _softmax_or_zero,
) -> np.ndarray:
    scores = scale(Q @ np.swapaxes(K, -1, -2), Q, V)
    mask = allow(Q.shape[-2], K.shape[-2])
    return weigh(hide(scores.astype(Q.dtype), mask)) @ V


def _late_weights(Q: np.ndarray, K: np.ndarray) -> np.ndarray:
    scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    return _softmax(scores) * causal_mask(Q.shape[-2], K.shape[-2])


def _renormalized(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> np.ndarray:
    weights = _late_weights(Q, K)
    return weights / weights.sum(axis=-1, keepdims=True) @ V


def _unshifted(hidden: np.ndarray) -> np.ndarray:
    powers = np.exp(hidden)
    return powers / powers.sum(axis=-1, keepdims=True)


def _unshifted_or_zero(hidden: np.ndarray) -> np.ndarray:
    powers = np.exp(hidden)
    total = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def _towering(c: Context) -> str:
    """Say how far above the allowed scores of a row one of the future lies, at most."""
    Q, K = c.given["Q"], c.given["K"]
    scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5
    mask = causal_mask(*scores.shape[-2:])
    allowed = np.where(mask, scores, -np.inf).max(axis=-1)
    gap = np.where(mask, -np.inf, scores).max(axis=-1) - allowed
    return number(gap[np.isfinite(allowed)].max())


def _moved_by_future(c: Context) -> str:
    """Say how far the first output moves when only the last key's value changes."""
    Q, K, V = (c.given[name].copy() for name in "QKV")
    if Q.shape[-2] < 2 or K.shape[-2] != Q.shape[-2]:
        return ""
    V[..., -1, :] += 10.0
    moved = c.call(Q, K, V)
    if moved is None or moved.shape != c.got.shape:
        return ""
    by = np.abs(moved - c.got)[..., 0, :].max()
    if not by > 1e-6:
        return ""
    return (
        f" Adding 10 to the last value moves your *first* output by {number(by)}."
    )


_CAUSAL_ATTENTION = Exercise(
    name="causal_attention",
    chapter="masks",
    task="""
Write `causal_attention(Q, K, V)`: $Y = \\mathrm{softmax}(Q K^T / \\sqrt{d_k})\\, V$ in which query
i sees only the keys $j \\le i + n_k - n_q$ (the last query stands at the last key). Q is (…, n_q,
d_k), K (…, n_k, d_k), V (…, n_k, d_v); the result is (…, n_q, d_v). A query that sees no key, as
the first ones do where n_q > n_k, gets zeros. Scores may be in the thousands, those of the future
far larger than the allowed ones. You may use your own functions from before.
""",
    reference=causal_attention,
    cases=_causal_attention_cases,
    variant=_attended,
    kinds={
        "one-query": Kind(
            "for a single query, as in generating word by word",
            "It stands at the last key and sees them all: shift the mask by n_k − n_q.",
        ),
        "more-queries": Kind(
            "where there are more queries than keys",
            "The first n_q − n_k queries see nothing: their outputs are zeros.",
        ),
        "plain": Kind(
            "where n_q and n_k differ", "The queries are the *last* n_q positions."
        ),
        "square": Kind("where n_q = n_k"),
        "large": Kind(
            "for large scores",
            "They lie thousands apart here: hide the future first, then subtract each row's "
            "largest *allowed* score before `exp`.",
        ),
    },
    faults=(
        Fault(
            "no-mask",
            {"allow": lambda n_q, n_k: np.ones((n_q, n_k), dtype=bool)},
            lambda c: (
                "Nothing is masked: every query sees the whole future."
                f"{_moved_by_future(c)} Good attention, but a model trained with it cheats."
            ),
        ),
        Fault(
            "future-only",
            {"allow": lambda n_q, n_k: ~causal_mask(n_q, n_k)},
            lambda c: (
                "The polarity is flipped somewhere: your queries see *only* the future."
                f"{_moved_by_future(c)} `np.where(mask, scores, -np.inf)` keeps where True."
            ),
        ),
        Fault(
            "not-itself",
            {"allow": lambda n_q, n_k: _drawn(n_q, n_k, compare=np.less)},
            "Off by one: no query sees its own position. The first of n queries sees nothing at "
            "all then, though it may see key 0.",
        ),
        Fault(
            "one-ahead",
            {
                "allow": lambda n_q, n_k: _drawn(
                    n_q, n_k, compare=lambda j, i: j <= i + 1
                )
            },
            lambda c: (
                "Off by one: every query sees one key of the future, the very one that it has to "
                f"guess. The first output should be the first value, {c.row(of='V')}, and is "
                f"{c.row()}."
                if c.given["Q"].shape[-2] == c.given["K"].shape[-2]
                else "Off by one: every query sees one key of the future."
            ),
        ),
        Fault(
            "upside-down",
            {"allow": lambda n_q, n_k: _drawn(n_q, n_k, compare=np.greater_equal)},
            lambda c: (
                "The mask is upside down: each query sees itself and what comes *after* it."
                f"{_moved_by_future(c)} (`tril`, not `triu`.)"
            ),
        ),
        Fault(
            "top-left",
            {"allow": lambda n_q, n_k: _drawn(n_q, n_k, shift=lambda n_q, n_k: 0)},
            lambda c: (
                "Right for n_q = n_k, but your mask is aligned to the top left: with "
                f"n_q = {c.given['Q'].shape[-2]} and n_k = {c.given['K'].shape[-2]} your last "
                f"query sees {c.given['Q'].shape[-2]} keys at most, where it should see all "
                f"{c.given['K'].shape[-2]}. Shift by n_k − n_q."
            ),
        ),
        Fault(
            "shift-cut-at-0",
            {
                "allow": lambda n_q, n_k: _drawn(
                    n_q, n_k, shift=lambda n_q, n_k: max(0, n_k - n_q)
                )
            },
            lambda c: (
                "With more queries than keys the shift of the mask, n_k − n_q, is negative and "
                "should stay so; you cut it at 0. The first queries stand before the first key and "
                "get zeros, but yours see keys."
            ),
        ),
        Fault(
            "unscaled",
            {"scale": lambda scores, Q, V: scores},
            lambda c: (
                "The mask is right, and the scores are not divided by √d_k = "
                f"√{c.given['Q'].shape[-1]}."
            ),
        ),
        Fault(
            "root-of-d-v",
            {"scale": lambda scores, Q, V: scores / np.sqrt(V.shape[-1])},
            lambda c: (
                f"You divide by √d_v = √{c.given['V'].shape[-1]}, the width of the values. The "
                f"scores are sums over the d_k = {c.given['Q'].shape[-1]} components of a query."
            ),
        ),
        Fault(
            "divided-by-d",
            {"scale": lambda scores, Q, V: scores / Q.shape[-1]},
            lambda c: (
                f"You divide by d_k = {c.given['Q'].shape[-1]}; divide by its root, "
                f"{number(np.sqrt(c.given['Q'].shape[-1]))}."
            ),
        ),
        Fault(
            "after-softmax",
            lambda Q, K, V: _late_weights(Q, K) @ V,
            "You mask *after* the softmax: the future no longer enters the mixture, but it has "
            "taken its share of the weight, so that the rest sums to less than 1, and your outputs "
            "are too small. Hide the scores before the softmax.",
        ),
        Fault(
            "renormalized-late",
            _renormalized,
            lambda c: (
                "Masking after the softmax and dividing again is right on paper. But here a score "
                f"of the future lies {_towering(c)} above the allowed ones, whose weights are then "
                "rounded to 0, and 0/0 is NaN; so it is for queries that see no key. Hide the "
                "future *before* the softmax, so that the shift is the largest allowed score."
            ),
        ),
        Fault(
            "renormalized-late-guarded",
            lambda Q, K, V: np.nan_to_num(_renormalized(Q, K, V)),
            lambda c: (
                "You let the future take part in the softmax, or in its shift, and remove it "
                "afterward. On paper that is right, but here a score of the future lies "
                f"{_towering(c)} above the allowed ones: shifted by it, all allowed powers are "
                "rounded to 0, and the output becomes "
                f"{c.row()} instead of {c.row(of='expected')}. Hide the future first, then shift "
                "by the largest *allowed* score."
            ),
        ),
        Fault(
            "no-shift",
            {"weigh": _unshifted_or_zero},
            lambda c: (
                "Right for small scores. Here exp of some is infinite: "
                f"{_nan_rows(c)}. Subtract each row's largest allowed score before `exp`."
            ),
        ),
        Fault(
            "no-shift-empty-nan",
            {"weigh": _unshifted},
            lambda c: (
                f"{_nan_rows(c)}, for one of two reasons. Where scores are in the "
                "hundreds or thousands, their powers are infinite: subtract each row's largest "
                "allowed score before `exp`. And a query that sees no key has only powers of 0: "
                "0/0 is NaN, and its output should be zeros."
            ),
        ),
        Fault(
            "fill-zero",
            {"hide": lambda scores, mask: np.where(mask, scores, 0)},
            lambda c: (
                "You set the future's scores to 0, but exp(0) is 1: the future keeps weight."
                f"{_moved_by_future(c)} Use −∞."
            ),
        ),
        Fault(
            "added-mask",
            {"hide": lambda scores, mask: scores + mask},
            lambda c: (
                "You add the mask to the scores, where True counts as 1: allowed keys get a small "
                f"bonus, and nothing is hidden.{_moved_by_future(c)}"
            ),
        ),
        Fault(
            "empty-nan",
            {"weigh": _softmax},
            lambda c: (
                "Nearly. Queries that see no key become NaN (−∞ − (−∞)): "
                f"{_nan_rows(c)}. They should get zeros."
            ),
        ),
        Fault(
            "empty-uniform",
            {"weigh": _uniform_where_empty},
            lambda c: (
                "Nearly. A query that sees no key gets the mean of all values, "
                f"{c.row()}: with the same fill everywhere the softmax is uniform. It should get "
                "zeros."
            ),
        ),
        Fault(
            "wrong-axis",
            {"weigh": lambda hidden: _softmax_or_zero(hidden, -2)},
            "The softmax runs down the columns. Each *query* (row) shares out one unit of weight "
            "among the keys: use the last axis.",
        ),
    ),
    properties=(Property("sees-the-future", lambda c: _sees_later(c)),),
    hints=(
        "You have every part: scores with their scale, a mask, a softmax that respects it, a "
        "mixture. In which order do they come?",
        "The mask needs n_q and n_k, which are `Q.shape[-2]` and `K.shape[-2]`. It acts on the "
        "scores, before the softmax.",
        "`scores = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1] ** 0.5`, then "
        "`masked_softmax(scores, causal_mask(n_q, n_k)) @ V`.",
    ),
    built_ins=("course_attn.in_numpy.masks.causal_attention",),
)


def _sees_later(c: Context) -> str | None:
    moved = _moved_by_future(c)
    return f"Your outputs depend on the future.{moved}" if moved else None


# --- to_torch_mha_mask ----------------------------------------------------------------------------


def to_torch_mha_mask(mask):
    """Say in the convention of `nn.MultiheadAttention`, True = drop, what our mask says."""
    return ~mask


def _mha_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260603)
    return (
        Case((np.array([[True, False, False], [True, True, False]]),), "example"),
        Case((rng.uniform(size=(5, 7)) < 0.6,)),
        Case((rng.uniform(size=(11, 3)) < 0.3,)),
        Case((np.tri(5, dtype=bool),), "square"),
        Case((rng.uniform(size=(6, 5, 7)) < 0.5,), "batch"),
    )


_TO_TORCH = Exercise(
    name="to_torch_mha_mask",
    chapter="masks",
    task="""
PyTorch's `nn.MultiheadAttention` takes an `attn_mask` in which True means *drop this key*, the
opposite of ours and of `scaled_dot_product_attention`. Write `to_torch_mha_mask(mask)`: from our
mask, a NumPy array of bool and any shape with True for "may attend", make the one to hand over, a
NumPy array of bool and the same shape. Leave the argument itself as it is.
""",
    reference=to_torch_mha_mask,
    cases=_mha_cases,
    faults=(
        Fault(
            "unchanged",
            lambda mask: mask.copy(),
            lambda c: (
                "You hand the mask over as it is, "
                f"{c.row()}: `nn.MultiheadAttention` would drop exactly the keys that we allow. "
                "It raises no error, and a causal model then sees only its future."
            ),
        ),
        Fault(
            "bias",
            lambda mask: np.where(mask, 0.0, -np.inf),
            "A float mask of 0 and −∞ works in `nn.MultiheadAttention` too, but asked for is the "
            "bool one: True = drop.",
        ),
        Fault(
            "numbers",
            lambda mask: 1.0 - mask,
            lambda c: (
                f"You return numbers (dtype `{c.got.dtype}`), not truth values. "
                + (
                    "A float mask is *added* to the scores there: your 1 for a key to be dropped "
                    "would make it weigh e times more."
                    if c.got.dtype.kind == "f"
                    else "`nn.MultiheadAttention` refuses integers: it takes bool, or floats to be "
                    "added to the scores."
                )
                + " Stay with truth values: `~mask`, which is short for `np.logical_not(mask)`."
            ),
        ),
        Fault(
            "inverted-integers",
            lambda mask: ~mask.astype(int),
            lambda c: (
                "`~` turns round truth values, but of an *integer* it flips all bits: `~0` is −1 "
                f"and `~1` is −2. Your first row is {c.row()}. Leave the mask as bool: `~mask`."
            ),
        ),
        Fault(
            "transposed",
            lambda mask: np.swapaxes(~mask, -1, -2),
            "Flipped rightly, but transposed too: queries stay rows, keys stay columns. Only the "
            "polarity differs.",
        ),
        Fault(
            "turned-not-flipped",
            lambda mask: mask[..., ::-1],
            "You reverse the order of the keys. What has to be turned round is the meaning of each "
            "entry: True becomes False.",
        ),
        Fault(
            "always-causal",
            lambda mask: np.broadcast_to(
                ~causal_mask(*mask.shape[-2:]), mask.shape
            ).copy(),
            "You return the causal mask in PyTorch's polarity whatever the argument is. Convert "
            "the mask that you are given.",
        ),
    ),
    properties=(
        Property("drops-too-much", _allows_too_much),
        Property("drops-too-little", _allows_too_little),
    ),
    hints=(
        "What should the entry be for a key that our mask allows?",
        "Every truth value becomes its opposite; the shape stays.",
        'For NumPy arrays `~` is "not"; so is `np.logical_not`. Python\'s own `not` takes '
        "one value only.",
    ),
)


# --- find_leak ------------------------------------------------------------------------------------


def find_leak(model, X):
    """Return the first position whose output depends on a later input, or None."""
    before = model(X)
    for i in range(len(X) - 1):
        changed = X.copy()
        changed[i + 1 :] += np.arange(1, len(X) - i)[:, None]
        if not np.allclose(model(changed)[i], before[i]):
            return i
    return None


def _mixing(weights: np.ndarray, name: str) -> Callable[[np.ndarray], np.ndarray]:
    """Return a model that mixes its inputs by fixed weights, and then bends each output."""

    def model(X: np.ndarray) -> np.ndarray:
        return np.tanh(0.3 * weights[: len(X), : len(X)] @ X) + X

    model.__name__ = name
    return model


def _running_sum_model(X: np.ndarray) -> np.ndarray:
    """Add up all inputs so far."""
    return np.cumsum(X, axis=0)


def _causal_model(X: np.ndarray) -> np.ndarray:
    """Attention as it should be."""
    scores = X @ X.T / np.sqrt(X.shape[-1])
    return (
        _softmax_or_zero(_minus_infinity(scores, causal_mask(len(X), len(X)))) @ X
    )


def _open_model(X: np.ndarray) -> np.ndarray:
    """Attention that forgot its mask."""
    return _softmax(X @ X.T / np.sqrt(X.shape[-1])) @ X


def _late_model(X: np.ndarray) -> np.ndarray:
    """Attention that masks after the softmax: the future still takes its share."""
    scores = X @ X.T / np.sqrt(X.shape[-1])
    return (_softmax(scores) * causal_mask(len(X), len(X))) @ X


def _neighbor(n: int, i: int, j: int) -> np.ndarray:
    """Return causal weights but for one entry: position i sees position j."""
    weights = np.tri(n) / np.arange(1, n + 1)[:, None]
    weights[i, j] = 0.7
    return weights


def _rounding_model(X: np.ndarray) -> np.ndarray:
    """Add the sum of all inputs and take it away again: no leak, but it rounds."""
    return (X + X.sum(axis=0)) - X.sum(axis=0)


def _peeking(
    i: int, j: int, reads: np.ndarray, writes: np.ndarray, name: str
) -> Callable[[np.ndarray], np.ndarray]:
    """Return a model whose output i sees input j through some features only."""

    def model(X: np.ndarray) -> np.ndarray:
        outputs = np.tanh(np.cumsum(X, axis=0))
        if j < len(X):
            outputs[i] += X[j] @ reads * writes
        return outputs

    model.__name__ = name
    return model


def _leak_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260604)
    draw = rng.standard_normal
    faint = _neighbor(7, 3, 5)
    faint[3, 5] = 1e-3
    all_3, last_3 = np.ones(3), np.array([0.0, 0.0, 1.0])
    balanced = _peeking(2, 3, np.ones(2), np.array([0.6, -0.6]), "balanced_model")
    return (
        Case((_open_model, draw((5, 3))), "example"),
        Case((_causal_model, draw((7, 3))), "no-leak"),
        Case((_late_model, draw((5, 2))), "example"),
        Case(
            (_mixing(_neighbor(7, 2, 3), "next_word_model"), draw((7, 5))),
            "middle",
        ),
        Case(
            (_mixing(_neighbor(11, 4, 10), "last_word_model"), draw((11, 3))),
            "middle",
        ),
        Case(
            (_mixing(_neighbor(7, 0, 4), "first_only_model"), draw((7, 3))),
            "first",
        ),
        Case((_mixing(faint, "faint_model"), draw((7, 3))), "faint"),
        Case((_mixing(_neighbor(5, 3, 4), "end_model"), draw((5, 2))), "middle"),
        Case(
            (_mixing(_neighbor(7, 0, 1), "second_too_model"), draw((7, 3))),
            "first",
        ),
        Case((_running_sum_model, draw((11, 3))), "no-leak"),
        Case((_rounding_model, draw((7, 3))), "rounding"),
        Case((balanced, draw((7, 2))), "balanced"),
        Case(
            (_peeking(3, 4, last_3, all_3, "last_feature_model"), draw((5, 3))),
            "last-in",
        ),
        Case(
            (_peeking(1, 2, all_3, last_3, "last_output_model"), draw((5, 3))),
            "last-out",
        ),
    )


def _position(find: Callable[..., Any], model: Any, X: np.ndarray) -> np.ndarray:
    """Read a position as a whole number, and None as -1."""
    found = find(model, X)
    if found is None:
        return np.array(-1)
    if isinstance(found, bool | np.bool_):
        raise WrongForm(
            f"You return {bool(found)}. Asked for is *where* it leaks: the first position, a whole "
            "number, or `None` if there is no leak.",
            "truth-value",
        )
    found = (
        found.item() if isinstance(found, np.ndarray) and found.size == 1 else found
    )
    if not isinstance(found, int | np.integer) or found < 0:
        raise WrongForm(
            f"You return {repr(found)[:30]}; return one whole number of 0 or more, or `None` if "
            "there is no leak.",
            "not-a-position",
        )
    return np.array(int(found))


def _said(position: Any) -> str:
    return "`None`" if int(position) < 0 else f"position {int(position)}"


def _searched(
    model: Any,
    X: np.ndarray,
    *,
    changes: Callable[..., Any] = lambda n, i: slice(i + 1, n),
    positions: Callable[..., Any] = lambda n: range(n - 1),
    alarm: Callable[..., Any] = lambda old, new: not np.allclose(new, old),
    probe: Callable[..., Any] = lambda d: 1.5 * np.arange(1, d + 1),
) -> int | None:
    before = model(X)
    for i in positions(len(X)):
        changed = X.copy()
        changed[changes(len(X), i)] += probe(X.shape[1])
        if alarm(before[i], model(changed)[i]):
            return i
    return None


def _first_seen(model: Any, X: np.ndarray) -> int | None:
    """Return the position that is seen too early, where the one that sees it is asked for."""
    found = [
        _searched(
            model,
            X,
            changes=lambda n, i, j=j: slice(j, j + 1),
            positions=lambda n, j=j: range(j),
        )
        for j in range(1, len(X))
    ]
    leaks = [j for j, i in enumerate(found, 1) if i is not None]
    return leaks[0] if leaks else None


def _changes_made(c: Context) -> list[np.ndarray]:
    """Call the learner's function with a model that notes by how much each input was changed."""
    model, X = c.given["model"], c.given["X"]
    noted: list[np.ndarray] = []

    def spy(changed: np.ndarray) -> np.ndarray:
        noted.append(np.array(changed, dtype=float))
        return model(changed)

    c.call(spy, X)
    return [np.abs(made - X) for made in noted if made.shape == X.shape]


def _bad_probe(c: Context) -> str:
    infinite = any(np.isinf(change).any() for change in _changes_made(c))
    name, sign = ("Infinity", "∞") if infinite else ("NaN", "NaN")
    return (
        f"{name} makes a bad probe: 0·{sign} is NaN, so that even a weight of exactly 0 lets it "
        "through."
    )


def _too_small(c: Context) -> str:
    """Say that the inputs are changed by little; nothing where the change is large enough."""
    largest = max((change.max() for change in _changes_made(c)), default=0.0)
    if not 0 < largest < 0.05:
        return ""
    return (
        f"you change the inputs by {number(largest)} at most, and what arrives through a small "
        "weight is lost in your tolerance. Nothing forces a small change: take about 1, or more."
    )


def _dependence(c: Context) -> str:
    """Say which later inputs the first leaking output sees."""
    model, X, i = c.given["model"], c.given["X"], int(c.expected)
    if i < 0:
        return "no output depends on a later input"
    seen = [
        str(j)
        for j in range(i + 1, len(X))
        if _searched(model, X, changes=lambda n, i, j=j: j, positions=lambda n: [i])
        is not None
    ]
    noun = "input" if len(seen) == 1 else "inputs"
    return f"output {i} depends on {noun} {', '.join(seen)} (of 0 to {len(X) - 1})"


# Models to write in one line, and what is right for each.
_TO_TRY = (
    ("lambda X: X.cumsum(axis=0)", lambda X: X.cumsum(axis=0), None),
    ("lambda X: X + X[-1]", lambda X: X + X[-1], 0),
    ("lambda X: X + X[3]", lambda X: X + X[3], 0),
    ("lambda X: np.roll(X, -1, axis=0)", lambda X: np.roll(X, -1, axis=0), 0),
)


def _try_on(c: Context) -> str:
    """Suggest a simple model on which the learner's function fails too."""
    for source, model, right in _TO_TRY:
        got = c.call(model, np.eye(7))
        if got is not None and int(got) != (-1 if right is None else right):
            wanted = "None" if right is None else right
            return (
                f" Try `find_leak({source}, np.eye(7))`: it should give `{wanted}`, and yours "
                f"gives {_said(got)}."
            )
    return ""


_FIND_LEAK = Exercise(
    name="find_leak",
    chapter="masks",
    task="""
Write `find_leak(model, X)`: `model` is a function that takes X, shape (n, d), and returns one
output for each position, shape (n, d_out). Return the first position i (from 0) whose output
depends on an input *after* i, or `None` if there is none. Call the model as often as you like;
rounding (a relative change below $10^{-9}$) is no leak, but a change of $10^{-4}$ is one.
""",
    reference=find_leak,
    cases=_leak_cases,
    variant=_searched,
    use=_position,
    kinds={
        "example": Kind("for attention that forgot its mask"),
        "no-leak": Kind("for a model that does not leak"),
        "middle": Kind(
            "where one position in the middle sees one later input",
            "Try every position, and every input after it.",
        ),
        "first": Kind("where only the first position leaks"),
        "faint": Kind(
            "where the leak is faint",
            "Is your tolerance too generous, or your change to the inputs too small?",
        ),
        "rounding": Kind(
            "for a model that does not leak but rounds",
            "Differences in the 16th digit are no leak: compare with a tolerance.",
        ),
        "balanced": Kind(
            "where one feature of an output rises by as much as another falls",
            "Compare the outputs number by number.",
        ),
        "last-in": Kind(
            "where only the last feature of an input is looked at",
            "Change all features of the inputs.",
        ),
        "last-out": Kind(
            "where only the last feature of an output shows the leak",
            "Compare all features of the outputs.",
        ),
    },
    faults=(
        Fault(
            "itself",
            {"changes": lambda n, i: slice(i, n)},
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} is right: output i may "
                "well depend on input i. Change only the inputs *after* i, and compare only the "
                "output *at* i."
            ),
        ),
        Fault(
            "only-last",
            {"changes": lambda n, i: slice(n - 1, n)},
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} is right: you change the last "
                "input only. A position may peek at its neighbor and not at the last one."
            ),
        ),
        Fault(
            "only-next",
            {"changes": lambda n, i: slice(i + 1, i + 2)},
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} is right: you change the next "
                "input only. A position may peek further ahead; change all that come after it."
            ),
        ),
        Fault(
            "past",
            {
                "changes": lambda n, i: slice(0, i),
                "positions": lambda n: range(1, n),
            },
            lambda c: (
                f"You say {_said(c.got)}: you change the inputs *before* i, and those it is "
                "supposed to depend on."
            ),
        ),
        Fault(
            "last-position-first",
            {"positions": lambda n: range(n - 2, -1, -1)},
            lambda c: (
                f"You say {_said(c.got)}, which leaks indeed, but it is the last such position; "
                f"the first is {int(c.expected)}."
            ),
        ),
        Fault(
            "first-position-only",
            {"positions": lambda n: range(1)},
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} is right: you look at the "
                "output at position 0 only."
            ),
        ),
        Fault(
            "stops-too-early",
            {"positions": lambda n: range(n - 2)},
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} is right: your loop ends "
                "before the last position but one, which still has one input after it."
            ),
        ),
        Fault(
            "seen-not-seer",
            _first_seen,
            lambda c: (
                f"You say {_said(c.got)}: that is an *input* which is seen too early. Asked for is "
                f"the output that sees it, {_said(c.expected)}."
            ),
        ),
        Fault(
            "from-one",
            lambda model, X: None if (i := _searched(model, X)) is None else i + 1,
            lambda c: (
                f"You say {_said(c.got)}, one too many: positions count from 0 here, so it is "
                f"{_said(c.expected)}."
            ),
        ),
        Fault(
            "next-and-last",
            {"changes": lambda n, i: [i + 1, n - 1]},
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} is right: you change the next "
                f"and the last input only, and here {_dependence(c)}. Change all inputs after i."
            ),
        ),
        Fault(
            "exact",
            {"alarm": lambda old, new: (new != old).any()},
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} is right: you compare the "
                "outputs exactly, digit by digit. This model adds the sum of all inputs and takes "
                "it away again, so that a later input changes how an output is *rounded*, in the "
                "16th digit. Compare with a tolerance: `np.allclose`."
            ),
        ),
        Fault(
            "nan-probe",
            {"probe": lambda d: np.full(d, np.nan)},
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} is right. {_bad_probe(c)} "
                "Change the inputs to other finite numbers."
            ),
        ),
        Fault(
            "sums",
            {"alarm": lambda old, new: not np.isclose(new.sum(), old.sum())},
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} is right: you compare the sums "
                "(or means) of an output's features. Here one feature rises by as much as another "
                "falls, and the sum stays. Compare number by number: `np.allclose` does."
            ),
        ),
        Fault(
            "first-feature",
            {"probe": lambda d: 1.5 * (np.arange(d) == 0)},
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} is right: you change only "
                f"feature 0 of the later inputs, and this model looks at feature "
                f"{c.given['X'].shape[1] - 1}. Change all features."
            ),
        ),
        Fault(
            "first-output",
            {"alarm": lambda old, new: not np.allclose(new[0], old[0])},
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} is right: you compare only "
                "feature 0 of the outputs, and here the leak shows in another one. Compare all "
                "features of output i."
            ),
        ),
        Fault(
            "coarse",
            {"alarm": lambda old, new: not np.allclose(new, old, atol=0.05)},
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} leaks faintly: "
                f"{_too_small(c) or 'your tolerance is too generous.'} A model finds even a faint "
                "leak when it is trained."
            ),
        ),
        Fault(
            "never",
            lambda model, X: None,
            "You always say `None`: do you compare the outputs before a change with those after "
            "it, and `return i` at a difference? (`changed = X` is no copy.)",
        ),
    ),
    properties=(
        Property(
            "small-change",
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} is right: {_too_small(c)}"
                if _too_small(c) and int(c.expected) >= 0
                else None
            ),
        ),
        Property(
            "elsewhere",
            lambda c: (
                f"You say {_said(c.got)}, where {_said(c.expected)} is right: {_dependence(c)}."
                f"{_try_on(c)}"
            ),
        ),
    ),
    hints=(
        "If an output depends on an input, what happens to it when you change that input?",
        "For each position i in turn: change all inputs after i (in a copy), call the model again, "
        "and compare the outputs at i.",
        "`changed = X.copy(); changed[i + 1:] += …`, then `np.allclose(model(changed)[i], "
        "model(X)[i])`; `return i` at the first difference, and `return None` after the loop.",
    ),
)


EXERCISES = (
    _CAUSAL_MASK,
    _MASKED_SOFTMAX,
    _PADDING_MASK,
    _CAUSAL_ATTENTION,
    _TO_TORCH,
    _FIND_LEAK,
)
