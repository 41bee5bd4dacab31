"""Exercise `masked_softmax` of chapter 6."""

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
    number,
    span,
)
from course_attn.exercises.masks._steps import (
    minus_infinity,
    nan_rows,
    same,
    softmax,
    softmax_or_zero,
    uniform_where_empty,
)

__all__ = ["exercise"]


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


def _through(
    scores: np.ndarray,
    mask: np.ndarray,
    *,
    keep: Callable[..., Any] = same,
    hide: Callable[..., Any] = minus_infinity,
    weigh: Callable[..., Any] = softmax_or_zero,
    finish: Callable[..., Any] = same,
) -> np.ndarray:
    allowed = keep(mask)
    return finish(weigh(hide(scores, allowed)), allowed)


def _on_hidden(c: Context) -> str:
    hidden = np.abs(np.where(c.given["mask"], 0.0, c.got))
    return number(np.nanmax(hidden))


def _empty_rows(c: Context) -> np.ndarray:
    allowed = np.broadcast_to(c.given["mask"], c.got.shape)
    return np.flatnonzero(~allowed.any(axis=-1).reshape(-1))


def _first_then_mask(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return softmax(scores) * mask


def _first_then_renormalized(scores: np.ndarray, mask: np.ndarray) -> np.ndarray:
    weights = _first_then_mask(scores, mask)
    return weights / weights.sum(axis=-1, keepdims=True)


_EMPTY = Kind(
    "where a row of the mask allows nothing",
    "Such a row gets zeros: what does your code divide by there?",
)


exercise = Exercise(
    solution=masked_softmax,
    place=20,
    section="A row with nothing to see",
    task="""
Write `masked_softmax(scores, mask)`: the softmax of each row (last axis) over the scores that the
mask allows; the others get weight 0. `scores` has shape (…, n), and `mask` is bool and broadcasts
to it, with True for allowed. A row with nothing allowed gets zeros, never NaN. All scores stay
below $10^4$ in size, and forbidden ones may be far larger than allowed ones.
""",
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
                    f"where nothing is allowed it divides 0 by 0: {nan_rows(c)}."
                    if c.kind == "empty"
                    else f"a forbidden score that towers over the others leaves nothing: "
                    f"{nan_rows(c)}."
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
                f"0·(−∞) is NaN, and it spreads: {nan_rows(c)}. `np.where(mask, scores, -np.inf)` "
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
            {"weigh": softmax},
            lambda c: (
                "Nearly. Where nothing is allowed, every score is −∞, and −∞ − (−∞) is NaN: "
                f"{nan_rows(c)}. Such a row should get zeros."
            ),
        ),
        Fault(
            "empty-uniform",
            {"weigh": uniform_where_empty},
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
                    minus_infinity(scores, mask),
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
                "weigh": lambda hidden: softmax_or_zero(
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
