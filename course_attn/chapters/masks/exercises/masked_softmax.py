"""Exercise `masked_softmax`."""

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import (
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
    number,
    span,
)

__all__ = ["exercise"]


def masked_softmax(scores, mask):
    """Turn the allowed scores of each row into weights that sum to 1; the others get 0."""
    masked_scores = np.where(mask, scores, -np.inf)
    row_maximum = masked_scores.max(axis=-1, keepdims=True)
    shift = np.where(np.isneginf(row_maximum), 0.0, row_maximum)
    exps = np.exp(masked_scores - shift)
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total == 0, 1.0, total)
    return weights


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260601)
    draw = rng.standard_normal

    def some(*shape: int) -> np.ndarray:
        mask = rng.uniform(size=shape) < 0.6
        mask[..., 1] = True
        return mask

    holes, hides = some(5, 7), some(5, 7)
    holes[[1, 4]] = False
    above = draw((5, 7)) + np.array([[-1500.0, 2900.0, -2500.0, 40.0, -4800.0]]).T
    above[~hides] += 4000.0
    level = draw((5, 7))
    level[2] = 0.0
    first = np.array([[True, True, False], [True, False, True]])
    # Above 89, exponentials are infinite in float32, and below -104 they are 0.
    rows = np.resize([0.0, 150.0, -150.0, 300.0, -300.0], (11, 1))
    high = (2 * draw((11, 13)) + rows).astype("f4")
    return (
        Case((np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]]), first), "example"),
        Case((2 * draw((5, 7)), some(5, 7))),
        Case((draw((11, 3)), some(11, 3))),
        Case((draw((5, 5)), np.tri(5, dtype=bool)), "square"),
        Case((draw((2, 3, 5, 7)), some(2, 3, 5, 7)), "batch"),
        Case((draw((2, 5, 7)), some(2, 1, 7)), "broadcast"),
        Case((draw((2, 5, 7)), some(5, 7)), "broadcast"),
        Case((draw((5, 7)), np.ones((5, 1), dtype=bool)), "broadcast"),
        Case((draw((5, 7)), holes), "empty"),
        Case((draw(7), some(7)), "vector"),
        Case((above, hides), "large"),
        Case((high, some(11, 13)), "float32"),
        Case((level, some(5, 7)), "zeros"),
        Case((draw((5, 7)) - 9995.0, some(5, 7)), "low"),
    )


def _allowed(c: Context) -> np.ndarray:
    return np.broadcast_to(c.given["mask"], c.got.shape)


def _on_hidden(c: Context) -> float:
    """Return how much weight a forbidden key of a row that allows some gets at most."""
    hidden = ~_allowed(c) & _allowed(c).any(axis=-1, keepdims=True)
    return np.abs(c.got[hidden]).max(initial=0.0)


def _only_whole(c: Context) -> str:
    found = c.call(np.zeros((2, 3)), np.zeros((2, 3), dtype=bool))
    whole = found is not None and not np.any(found)
    return (
        " You catch only a mask that is False everywhere; ask each *row*." * whole
    )


def _empty_row(c: Context) -> str:
    empty = np.flatnonzero(~_allowed(c).any(axis=-1).reshape(-1))
    return c.row(int(empty[0])) if len(empty) else "that of the scores"


def _weight_on_forbidden(c: Context) -> str | None:
    if not _on_hidden(c) > 1e-6:
        return None
    row = c.call(np.array([0.0, 5.0, -3.0]), np.array([True, False, False]))
    like = ""
    if row is not None and row.shape == (3,) and row.min() > 0 and row[1] == row[2]:
        like = f", as if their scores were {number(np.log(row[1] / row[0]))}"
    return c.filled(
        f"Forbidden keys get weights up to {{on_hidden}}{like}. They should get exactly 0, the "
        "exponential of −∞."
    )


def _wrong_sums(c: Context) -> str | None:
    wanted, sums = c.expected.sum(axis=-1), c.got.sum(axis=-1)
    wrong = ~np.isclose(sums, wanted, atol=1e-3)
    if not wrong.any():
        return None
    if not wanted[wrong].any():
        return f"Rows with nothing allowed sum to {span(sums[wrong])} and should sum to 0."
    return f"Your rows sum to {span(sums)}; each should sum to 1, or to 0 if nothing is allowed."


def _compressed(c: Context) -> str | None:
    return c.filled(
        "You return shape {your.shape}: `scores[mask]` takes the allowed scores of *all* rows out "
        "into one list. Asked for is {right.shape}, with 0 where the mask is False: use `np.where`."
        if c.got.ndim == 1 < c.expected.ndim
        else ""
    )


exercise = Exercise(
    masked_softmax,
    place=20,
    minutes=15,
    level="medium",
    prepares=(
        "causal_attention",
        "multi_head_attention",
        "merge_partial",
        "online_softmax",
    ),
    section="A row with nothing to see",
    task="""
Write `masked_softmax(scores, mask)`: the softmax of each row (last axis) over the scores that the
mask allows; the others get weight 0. `scores` has shape (…, n), and `mask` is bool and broadcasts
to it, with True for allowed. A row with nothing allowed gets zeros, never NaN. All scores stay
below $10^4$ in size, and forbidden ones may be far larger than allowed ones.
""",
    cases=_cases,
    terms={
        "on_hidden": lambda c: number(_on_hidden(c)),
        "empty_row": _empty_row,
        "only_whole": _only_whole,
    },
    kinds={
        "empty": Kind(
            "where a row of the mask allows nothing",
            "Such a row gets zeros: what does your code divide by there?",
        ),
        "broadcast": Kind(
            "where the mask has to be broadcast",
            "It may have an axis of length 1, or one axis fewer than the scores: `np.where` and "
            "arithmetic stretch it by themselves, `scores[~mask] = …` does not.",
        ),
        "large": Kind(
            "where scores differ by thousands, between rows and between forbidden and allowed",
            "The shift has to be the largest *allowed* score of each row.",
        ),
        "low": Kind("where all scores lie near −10,000"),
        "zeros": Kind(
            "where all scores of a row are 0",
            "0 is a score like any other: whether a row is empty, only the mask can tell.",
        ),
    },
    faults=fault_list("""
no-shift: np.exp(masked_scores - shift) → np.exp(masked_scores)
    Right for small scores. Here allowed scores reach thousands, their exponential is infinite, and
    ∞/∞ is NaN; where all lie far below 0, it is 0/0. Subtract each row's largest allowed score.
empty-nan: np.where(total == 0, 1.0, total) → total
    Nearly. Where nothing is allowed, every score is −∞, and −∞ − (−∞) is NaN, as is 0/0:
    {your.nan_rows} of your rows here are NaN. Such a row should get zeros.{only_whole}
after-softmax: np.where(mask, scores, -np.inf) → scores
        and np.where(total == 0, 1.0, total) → total
        and return weights → return np.where(mask, weights, 0.0)
    You mask *after* the softmax (or only in the numerator): the forbidden keys still count in the
    sum you divide by, and your rows sum to {your.sums}. Hide the scores before the softmax.
renormalized-late: masked_scores.max(axis=-1, keepdims=True) → scores.max(axis=-1, keepdims=True)
        and np.where(total == 0, 1.0, total) → total
    Masking after the softmax and dividing again is right on paper. But {your.nan_rows} of your rows
    here are NaN: where nothing is allowed, or a forbidden score towers over the others, it is 0/0.
    Hide the scores *before* the softmax, and look after empty rows.
renormalized-late-guarded: masked_scores.max(axis=-1, keepdims=True)
        → scores.max(axis=-1, keepdims=True)
    Forbidden scores take part in your softmax, or in the maximum that is subtracted, and are
    removed only afterward. But here one lies thousands above the allowed ones, whose exponentials
    are then rounded to 0: your row is {your.row}. Hide them first, then shift by each row's largest
    *allowed* score.
fill-zero: np.where(mask, scores, -np.inf) → np.where(mask, scores, 0.0)
    You set forbidden scores to 0, but 0 is a score like any other, and exp(0) is 1: forbidden keys
    get weights up to {on_hidden}. Which score has an exponential of 0?
fill-zero-cleared: np.where(mask, scores, -np.inf) → np.where(mask, scores, 0.0)
        and return weights → return weights * mask
    You set forbidden scores to 0 and clear their weights afterward. But exp(0) is 1: they have
    taken their share by then, and your rows sum to {your.sums}.
polarity: np.where(mask, scores, -np.inf) → np.where(mask, -np.inf, scores)
    The polarity is flipped: your weights go to the keys where the mask is False. True is *allowed*.
shift-with-zeros: masked_scores.max(axis=-1, keepdims=True)
            → (scores * mask).max(axis=-1, keepdims=True)
    Forbidden scores count as 0 when you look for a row's largest: where all that are allowed lie
    below, 0 is subtracted, and far below all exponentials are rounded to 0. Among which scores has
    the largest to be found?
one-more: np.where(total == 0, 1.0, total) → (1.0 + total)
    1 is added to every sum of exponentials, and your rows sum to {your.sums}. Which are the only
    rows whose sum must not be divided by?
global-shift: masked_scores.max(axis=-1, keepdims=True) → masked_scores.max()
    You subtract one maximum, that of the whole array. All exponentials of a row that lies thousands
    below it are rounded to 0. {worst_row} Each row needs its own maximum.
over-everything: masked_scores.max(axis=-1, keepdims=True) → masked_scores.max()
        and exps.sum(axis=-1, keepdims=True) → exps.sum()
    The largest score and the sum are those of the whole array, and your rows sum to {your.sums}.
    Each row has a sum of its own: along which axis?
zero-times-infinity: np.where(mask, scores, -np.inf) → scores + ~mask * -np.inf
    0·(−∞) is NaN, and it spreads: {your.nan_rows} of your rows here are NaN. `np.where(mask,
    scores, -np.inf)` picks without multiplying.
no-shift-late: np.where(mask, scores, -np.inf) → scores
        and np.exp(masked_scores - shift) → np.exp(masked_scores) * mask
    Right for small scores. Here they reach up to {scores.max}, whose exponential is infinite, and
    ∞·0 and ∞/∞ are NaN. Hide forbidden scores with −∞ first, then subtract each row's largest
    allowed one.
empty-uniform: np.where(mask, scores, -np.inf) → np.where(mask, scores, -1e9)
    Nearly. Where nothing is allowed, your row is uniform, {empty_row}: where all scores are equal,
    even all −1e9, so are the weights. Such a row should get zeros.
empty-unmasked: np.where(mask, scores, -np.inf) → np.where(mask, scores, scores - 1e9)
    Nearly. Where nothing is allowed, you lower all scores by the same amount, which changes
    nothing: the row becomes {empty_row}. It should get zeros.
not-normalized: exps / np.where(total == 0, 1.0, total) → exps
    You do not divide the exponentials by their sum: your rows sum to {your.sums}.
sum-over-everything: exps.sum(axis=-1, keepdims=True) → exps.sum()
    You divide by the sum of the whole array, and your rows sum to {your.sums}. Each row has a sum
    of its own: along which axis?
sum-down: exps.sum(axis=-1, keepdims=True) → exps.sum(axis=0, keepdims=True)
    The sum you divide by runs along axis 0, down the columns: your rows sum to {your.sums}. Along
    which axis does a row lie?
columns: masked_scores.max(axis=-1, keepdims=True) → masked_scores.max(axis=0, keepdims=True)
        and exps.sum(axis=-1, keepdims=True) → exps.sum(axis=0, keepdims=True)
    You normalize along axis 0, and your rows sum to {your.sums}. A row lies along the *last* axis.
"""),
    properties=(
        Property("compressed", _compressed, any_shape=True),
        Property("weight-on-forbidden", _weight_on_forbidden),
        Property("row-sums", _wrong_sums),
    ),
    hints=(
        "Which score has the exponential 0? And what if *every* score of a row is that?",
        "Put −∞ where the mask is False, then take the softmax. For an empty row both the shift "
        "and the divisor need care: shift by 0 there, and divide by 1.",
        "`np.where(mask, scores, -np.inf)`; the row maximum, replaced by 0 where it is −∞; "
        "`np.exp`; the row sum, replaced by 1 where it is 0.",
    ),
    built_ins=twins("masks.masked_softmax"),
)
