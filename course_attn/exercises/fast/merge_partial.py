"""Exercise `merge_partial` of chapter 10."""

from typing import Any

import numpy as np

from course_attn.checking import Case, Exercise, Kind
from course_attn.exercises.fast._merge import merged
from course_attn.exercises.fast._merge_faults import FAULTS, PROPERTIES
from course_attn.exercises.fast._steps import finite

__all__ = ["exercise"]

_Triple = tuple[np.ndarray, np.ndarray, np.ndarray]


def merge_partial(m1, l1, o1, m2, l2, o2):
    """Put two partial results of attention, over different keys, together to one."""
    m = np.maximum(m1, m2)
    finite_m = np.where(m == -np.inf, 0.0, m)  # −∞ − 0 is −∞; −∞ − (−∞) is NaN
    shrink1, shrink2 = np.exp(m1 - finite_m), np.exp(m2 - finite_m)
    l = shrink1 * l1 + shrink2 * l2
    o = shrink1[..., None] * o1 + shrink2[..., None] * o2
    return m, l, o


def _part(scores: np.ndarray, V: np.ndarray) -> _Triple:
    m = scores.max(axis=-1)
    powers = np.exp(scores - finite(m)[..., None])
    return m, powers.sum(axis=-1), powers @ V


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20261201).standard_normal

    def two(n_q: int, d_v: int, *batch: int, rows: Any = 0.0) -> list[np.ndarray]:
        first = _part(1.5 * draw((*batch, n_q, 4)) + rows, draw((*batch, 4, d_v)))
        rows = np.flip(rows) if np.ndim(rows) else rows
        second = _part(1.5 * draw((*batch, n_q, 9)) + rows, draw((*batch, 9, d_v)))
        return [*first, *second]

    one_fourth = np.array([[8.0, 0.0, 4.0], [1.0, 2.0, 0.0]])
    other = np.array([[1.0, 3.0, 2.0], [4.0, 8.0, 4.0]])
    example = (
        *(np.log([1.0, 8.0]), np.array([2.0, 1.0]), one_fourth),
        *(np.log([4.0, 2.0]), np.array([1.0, 3.0]), other),
    )
    rows = [3000.0, 1500.0, -2500.0, 40.0, -2500.0, 1500.0, -7000.0]
    large = two(7, 3, rows=np.array(rows)[:, None])
    empty = two(7, 2)
    for part, without in ((0, [1, 4]), (1, [2, 4])):
        m, l, o = empty[3 * part : 3 * part + 3]
        m[without], l[without], o[without] = -np.inf, 0.0, 0.0
    return (
        Case(example, "example"),
        Case(tuple(two(5, 7))),
        Case(tuple(two(11, 3))),
        Case(tuple(two(5, 5)), "square"),
        Case(tuple(two(5, 3, 2, 7)), "batch"),
        Case(tuple(large), "large"),
        Case(tuple(empty), "empty"),
        Case(tuple(array.astype("f4") for array in two(13, 11)), "float32"),
    )


exercise = Exercise(
    solution=merge_partial,
    place=20,
    section="In one line: merging two parts",
    task="""
Some keys have been looked at, and then some others. Of each part, three things are kept for every
query: its largest score m, shape (…, n_q); the sum $l = \\sum_j e^{s_j - m}$, shape (…, n_q); and
the sum of values $o = \\sum_j e^{s_j - m}\\, v_j$, shape (…, n_q, d_v), which is not divided by l.
Write `merge_partial(m1, l1, o1, m2, l2, o2)`: return three arrays, `m, l, o`, what all the keys
together give. Scores may be thousands, and thousands apart. A query that sees no key in a part
has m = −∞, l = 0 and o = 0 there; if it sees none in either part, so it is in the result (and no
NaN). In the first test the factors by which sums shrink are 1/4 and 1.
""",
    cases=_cases,
    variant=merged,
    results=("m", "l", "o"),
    kinds={
        "large": Kind(
            "where scores are thousands, or thousands apart",
            "exp of a difference to the *larger* maximum is at most 1; exp of anything else may "
            "overflow.",
        ),
        "empty": Kind(
            "where a query sees no key in one part or in both",
            "There m is −∞. exp(−∞) is 0, as it should be; −∞ − (−∞) is NaN.",
        ),
        "square": Kind("where n_q = d_v"),
    },
    faults=FAULTS,
    properties=PROPERTIES,
    hints=(
        "Write out l for two keys in each part, $e^{s_1 - m_1} + e^{s_2 - m_1}$. By which factor "
        "do you get $e^{s_1 - m} + e^{s_2 - m}$ from it?",
        "m is the larger maximum. Everything summed against m1 is multiplied by exp(m1 − m), "
        "everything summed against m2 by exp(m2 − m); then add. Which exponent is NaN if both "
        "maxima are −∞, and what could be subtracted instead?",
        "With `safe = np.where(np.isneginf(m), 0, m)` the factors are `np.exp(m1 - safe)` and "
        "`np.exp(m2 - safe)`; for o they need `[..., None]`.",
    ),
    built_ins=("course_attn.in_numpy.fast.merge_partial",),
)
