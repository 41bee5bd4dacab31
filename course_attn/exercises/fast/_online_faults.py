"""Known mistakes in `online_softmax`."""

from typing import Any

import numpy as np

from course_attn.checking import Context, Fault, number
from course_attn.exercises.fast._online import (
    full_starts,
    in_blocks,
)
from course_attn.exercises.fast._steps import place, same

__all__ = ["FAULTS"]


def _row(c: Context) -> tuple[int, ...]:
    """Return the index of the first row that is wrong."""
    return place(c)[:-1]


def _listed(row: np.ndarray) -> str:
    shown = ", ".join(number(entry) for entry in row[:7]).replace("nan", "NaN")
    return f"[{shown}{', …' if len(row) > 7 else ''}]"


def _said(c: Context) -> str:
    """Quote the first wrong row: its scores, the weights and their sum."""
    if c.got.shape != c.expected.shape:
        return f"You return shape {c.got.shape}; asked for is {c.expected.shape}."
    row = _row(c)
    return (
        f"With blocks of {c.given['block']}, the scores {_listed(c.given['scores'][row])} became "
        f"{_listed(c.got[row])}; {_listed(c.expected[row])} is right."
    )


def _sum(c: Context) -> str:
    """Quote the sum of the first wrong row."""
    return f"Your weights of this row sum to {number(c.got[_row(c)].sum())}."


def _maxima(c: Context) -> str:
    """Quote the maxima of the blocks of the first wrong row."""
    scores, block = c.given["scores"][_row(c)], c.given["block"]
    tops = [scores[i : i + block].max() for i in range(0, len(scores), block)]
    return f"Here the blocks' maxima are {_listed(np.array(tops))}."


def _tail(c: Context) -> str:
    n, block = c.given["scores"].shape[-1], c.given["block"]
    if n < block:
        return f"a block of {block} is longer than the {n} scores of a row"
    left = n % block
    return (
        f"{n} scores make {n // block} blocks of {block}, and {left} "
        f"{'is' if left == 1 else 'are'} left over"
    )


def _divided_then(part: np.ndarray, m: Any, l: Any, then: Any) -> np.ndarray:
    return np.exp(part - then[0]) / np.where(then[1] == 0, 1.0, then[1])


FAULTS = (
    Fault(
        "not-rescaled",
        {"shrink": lambda m, new: 1.0},
        lambda c: (
            "The old sum is not rescaled when the maximum grows. What l holds was summed up "
            "against the old maximum; before the block's powers are added, it has to shrink by "
            f"exp(m_old − m_new). {_said(c)} {_sum(c)}"
        ),
    ),
    Fault(
        "sign",
        {"shrink": lambda m, new: np.where(np.isneginf(m), 0, np.exp(new - m))},
        lambda c: (
            "The old sum is rescaled with the wrong sign: exp(m_new − m_old) is above 1. When the "
            "maximum grows, everything summed up before has to *shrink*: exp(m_old − m_new). "
            f"{_said(c)} {_sum(c)}"
        ),
    ),
    Fault(
        "block-rescaled-too",
        {
            "sum_up": lambda l, shrink, powers: (
                (l + powers.sum(axis=-1, keepdims=True)) * shrink
            )
        },
        lambda c: (
            "You shrink the sum after the block has been added, and with it the block's own "
            "powers, which are taken against the new maximum already. Shrink the old sum first: "
            f"l · exp(m_old − m_new), then add. {_said(c)} {_sum(c)}"
        ),
    ),
    Fault(
        "old-sum-lost",
        {
            "sum_up": lambda l, shrink, powers: powers.sum(axis=-1, keepdims=True),
        },
        lambda c: (
            "Each block's sum replaces the one before: in the end l holds the last block only. It "
            f"is added to what was there (`l = l * … + …`). {_said(c)} {_sum(c)}"
        ),
    ),
    Fault(
        "maximum-of-the-block",
        {"larger": lambda m, top: top},
        lambda c: (
            "Your m is the maximum of the latest block, not of all so far, so it can fall again. "
            "As long as scores are close this does no harm; where an earlier block was higher by "
            f"800, exp(m_old − m_new) overflows. {_maxima(c)} m only ever grows: "
            "`np.maximum(m, …)`."
        ),
    ),
    Fault(
        "unshifted",
        {"larger": lambda m, top: np.zeros_like(top), "lowest": 0.0},
        lambda c: (
            "No maximum is subtracted: for small scores this does no harm, but the largest score "
            f"here is {number(c.given['scores'].max())}. exp of more than 709 is infinite, and "
            "of less than −745 it is 0. Keep a running maximum m beside the sum."
        ),
    ),
    Fault(
        "maximum-from-0",
        {"lowest": 0.0},
        lambda c: (
            "Your running maximum starts at 0, so for rows of negative scores it stays 0: all "
            "powers of scores far below vanish, and so does their sum. Let it start at −∞ (or at "
            f"the first block's maximum). {_said(c)}"
        ),
    ),
    Fault(
        "one-maximum-for-all-rows",
        {
            "top": lambda part: np.full(
                (*part.shape[:-1], 1), part.max(), part.dtype
            )
        },
        lambda c: (
            "You take one maximum over all rows. A row that lies 800 below it underflows: all its "
            "powers are 0. Each row needs its own maximum, `axis=-1, keepdims=True`. "
            f"{_said(c)}"
        ),
    ),
    Fault(
        "tail-dropped",
        {"starts": full_starts, "weighed": full_starts},
        lambda c: (
            f"The last block is dropped: {_tail(c)}, which you never look at. `n // block` "
            f"rounds down; `range(0, n, block)` reaches all. {_said(c)}"
        ),
    ),
    Fault(
        "tail-not-summed",
        {"starts": full_starts},
        lambda c: (
            f"The last block is missing in the sum: {_tail(c)}. They get weights, but l does not "
            f"count them. `n // block` rounds down; `range(0, n, block)` reaches all. {_said(c)} "
            f"{_sum(c)}"
        ),
    ),
    Fault(
        "infinity-minus-infinity",
        {"guard": same},
        lambda c: (
            "Where a row begins with a block of −∞, its running maximum is still −∞ after it, and "
            f"−∞ − (−∞) is NaN: {int(np.isnan(c.got).any(axis=-1).sum())} of your rows here. As "
            "long as m is −∞, subtract 0 in its place: exp(−∞ − 0) is 0, as it should be. A row "
            "of −∞ alone gets zeros."
        ),
    ),
    Fault(
        "empty-row",
        {"nonzero": same},
        lambda c: (
            "Rows in which every score is −∞ become NaN: there l is 0, and 0/0 is NaN. "
            "Such a row gets zeros, as in `masked_softmax`."
        ),
    ),
    Fault(
        "block-by-block",
        in_blocks,
        lambda c: (
            "You take the softmax of every block by itself, so that each block's weights sum to 1 "
            f"and those of the row to {number(c.got[_row(c)].sum())}. The blocks share one maximum "
            f"and one sum: run through all of them for m and l first. {_said(c)}"
        ),
    ),
    Fault(
        "too-early",
        {"weight": _divided_then},
        lambda c: (
            "The weights of a block are final too early: you use m and l as they are after this "
            "block, and what the later blocks add is missing. Go through the blocks a second time "
            f"once m and l are complete. {_said(c)} {_sum(c)}"
        ),
    ),
    Fault(
        "old-maximum",
        {"weight": lambda part, m, l, then: np.exp(part - then[0]) / l},
        lambda c: (
            "The powers of the earlier blocks still stand against the maximum of their time, while "
            "l counts in units of the last one. Either rescale them too, or compute "
            f"exp(score − m) afresh with the final m. {_said(c)} {_sum(c)}"
        ),
    ),
    Fault(
        "not-divided",
        {"weight": lambda part, m, l, then: np.exp(part - m)},
        lambda c: (
            "The powers exp(score − m) are not divided by l: your rows sum to "
            f"{c.sums()}, not to 1."
        ),
    ),
    Fault(
        "m-forgotten",
        {"weight": lambda part, m, l, then: np.exp(part) / l},
        lambda c: (
            "In the end you divide exp(score) by l. But l is the sum of exp(score − m), with the "
            f"final m: subtract it here too. {_said(c)}"
        ),
    ),
)
