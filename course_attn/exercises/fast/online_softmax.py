"""Exercise `online_softmax` of chapter 10."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from course_attn.checking import (
    BuiltIn,
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    number,
)
from course_attn.exercises.fast._online import stepwise
from course_attn.exercises.fast._online_faults import FAULTS
from course_attn.exercises.fast._steps import known_here

__all__ = ["exercise"]


def online_softmax(scores, block):
    """Take the softmax of each row while looking at `block` scores at a time."""
    n = scores.shape[-1]
    m = np.full((*scores.shape[:-1], 1), -np.inf, dtype=scores.dtype)
    l = np.zeros_like(m)
    for start in range(0, n, block):
        part = scores[..., start : start + block]
        new_m = np.maximum(m, part.max(axis=-1, keepdims=True))
        shift = np.where(new_m == -np.inf, 0.0, new_m)  # −∞ − 0 is no NaN
        powers = np.exp(part - shift)
        l = l * np.exp(m - shift) + powers.sum(axis=-1, keepdims=True)
        m = new_m
    weights = np.empty_like(scores)
    for start in range(0, n, block):
        part = scores[..., start : start + block]
        weights[..., start : start + block] = np.exp(part - shift)
    return weights / np.where(l == 0, 1.0, l)


def _cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20261202)
    draw = rng.standard_normal
    rows = np.array([[0.0], [3000.0], [-2500.0], [40.0], [-7000.0]])
    columns = np.repeat([0.0, -900.0, 1200.0, 300.0], 3)[:11]
    hidden = 2 * draw((7, 11))
    hidden[rng.uniform(size=hidden.shape) < 0.3] = -np.inf
    hidden[[1, 4], :3], hidden[2, 8:], hidden[5] = -np.inf, -np.inf, -np.inf
    hidden[[0, 1, 2, 3, 4, 6], 4] = 1.5
    return (
        Case(
            (np.log([[1.0, 4.0, 2.0, 1.0, 8.0], [6.0, 1.0, 1.0, 1.0, 3.0]]), 2),
            "example",
        ),
        Case((2 * draw((5, 13)), 4)),
        Case((2 * draw((3, 12)), 3), "whole"),
        Case((2 * draw((7, 10)), 1), "one-by-one"),
        Case((2 * draw((5, 3)), 7), "one-block"),
        Case((2 * draw((2, 3, 5, 9)), 4), "batch"),
        Case((2 * draw(11), 4), "vector"),
        Case((draw((5, 11)) + rows, 3), "large"),
        Case((draw((5, 11)) + rows + columns, 3), "large"),
        Case((hidden, 3), "minus-infinity"),
        Case((3 * draw((11, 17)).astype("f4"), 5), "float32"),
    )


_LONGEST_PART = 5  # of a row, in any of the cases


def _takes_whole_rows(given: Mapping[str, Any]) -> bool:
    """Whether a softmax is given more of a row than any block holds, and nothing is hidden."""
    scores, axis = next(iter(given.values())), given.get("axis", -1)
    shape = np.shape(scores)
    if given.get("mask") is not None or not shape:
        return False
    return (np.size(scores) if axis is None else shape[axis]) > _LONGEST_PART


def _row_sums(c: Context) -> str | None:
    if c.got.shape != c.expected.shape:
        return None
    wanted, sums = c.expected.sum(axis=-1), c.got.sum(axis=-1)
    wrong = ~np.isclose(sums, wanted, atol=1e-3)
    if not wrong.any():
        return None
    first = tuple(np.argwhere(wrong)[0])
    at = f"Your row {', '.join(map(str, first))}" if first else "Your row"
    return (
        f"{at} sums to {number(sums[first])}, and it should sum to {number(wanted[first])}, "
        f"whatever the block (here {c.given['block']})."
    )


def _depends_on_block(c: Context) -> str | None:
    scores, block = c.given["scores"], c.given["block"]
    n = scores.shape[-1]
    other = c.call(scores, n)
    if block >= n or other is None or other.shape != c.expected.shape:
        return None
    if not np.allclose(other, c.expected, atol=1e-4):
        return None
    return (
        f"With all {n} scores in one block your result is right; with blocks of {block} it is not. "
        "What has to happen to m and l from one block to the next?"
    )


exercise = Exercise(
    solution=online_softmax,
    place=30,
    section="By hand: one score after the other",
    task="""
Write `online_softmax(scores, block)`: the softmax of every row (last axis), but look at no more
than `block` scores of a row at a time. Shape (…, n) in and out; a single row (n,) too. A first
pass over the blocks keeps only the largest score so far, m, and the sum $l = \\sum_j e^{s_j - m}$
over the scores so far; a second pass writes the weights $e^{s_j - m} / l$. The last block may be
shorter than the others, and `block` may exceed n. Scores may have any size: blocks and rows may
lie thousands apart. Entries may be −∞ (weight 0), whole blocks too; a row of −∞ alone gets zeros.
""",
    cases=_cases,
    variant=stepwise,
    kinds={
        "whole": Kind("where the blocks fit exactly"),
        "one-by-one": Kind(
            "with blocks of a single score",
            "Then each score is a block, and m may grow at each.",
        ),
        "one-block": Kind(
            "where one block is longer than the row",
            "A slice that reaches beyond the end stops at the end; a loop over `n // block` "
            "blocks does nothing at all.",
        ),
        "large": Kind(
            "where rows or blocks lie thousands apart",
            "m has to be each row's own and may only grow; then exp(m_old − m_new) is at most 1.",
        ),
        "minus-infinity": Kind(
            "where scores, blocks or whole rows are −∞",
            "As long as m is −∞, no score may have it subtracted: −∞ − (−∞) is NaN.",
        ),
    },
    faults=FAULTS,
    properties=(
        known_here(stepwise, FAULTS),
        Property("row-sums", _row_sums),
        Property("depends-on-block", _depends_on_block),
    ),
    hints=(
        "You have m = 2 and l = 1.5 from the first scores, and the next is 5. What is the new m, "
        "and by what does the old l have to be multiplied?",
        "For each block: the new maximum; shrink the old l by exp(m_old − m_new); add the block's "
        "exp(score − m_new). Which of these exponents is NaN while all scores so far are −∞?",
        "`for start in range(0, n, block): part = scores[..., start : start + block]`. In it, "
        "`l = l * np.exp(m - safe) + np.exp(part - safe).sum(axis=-1, keepdims=True)`, where "
        "`safe` is the new m, or 0 where that is −∞.",
    ),
    built_ins=(
        "course_attn.in_numpy.fast.online_softmax",
        *(
            BuiltIn(name, when=_takes_whole_rows)
            for name in (
                "scipy.special.softmax",
                "sklearn.utils.extmath.softmax",
                "course_attn.in_numpy.softmax.softmax",
                "course_attn.in_numpy.masks.masked_softmax",
            )
        ),
    ),
)
