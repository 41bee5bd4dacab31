"""Exercise `merge_partial`."""

from typing import Any

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
)
from whywrong.arrays import different

__all__ = ["exercise"]


def merge_partial(m1, l1, o1, m2, l2, o2):
    """Combine two partial results of attention, over different keys, into one."""
    m = np.maximum(m1, m2)
    shift = np.where(m == -np.inf, 0.0, m)  # −∞ − 0 is −∞; −∞ − (−∞) is NaN
    first_factor = np.exp(m1 - shift)
    second_factor = np.exp(m2 - shift)
    l = first_factor * l1 + second_factor * l2
    o = first_factor[..., None] * o1 + second_factor[..., None] * o2
    return m, l, o


def _part(scores: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, ...]:
    m = scores.max(axis=-1)
    exps = np.exp(scores - m[..., None])
    return m, exps.sum(axis=-1), exps @ V


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
    ties = two(11, 3)
    ties[3][[2, 7]] = ties[0][[2, 7]]
    rows = [3000.0, 1500.0, -2500.0, 40.0, -2500.0, 1500.0, -70000.0]
    empty = two(7, 2)
    for part, without in ((0, [1, 4]), (1, [2, 4])):
        m, l, o = empty[3 * part : 3 * part + 3]
        m[without], l[without], o[without] = -np.inf, 0.0, 0.0
    float32 = two(13, 11, rows=np.resize([0.0, 150.0, -150.0, 97.0], (13, 1)))
    return (
        Case(example, "example"),
        Case(tuple(two(5, 7))),
        Case(tuple(ties)),
        Case(tuple(two(1, 4))),
        Case(tuple(two(6, 1))),
        Case(tuple(two(5, 5)), "square"),
        Case(tuple(two(5, 3, 2, 7)), "batch"),
        Case(tuple(two(7, 3, rows=np.array(rows)[:, None])), "large"),
        Case(tuple(empty), "empty"),
        Case(tuple(array.astype("f4") for array in float32), "float32"),
    )


def _by_hand(c: Context) -> str:
    """Compute the first wrong number from the case's own numbers."""
    *given, result = c.given.values()
    if c.got.shape != c.expected.shape:
        return c.worst_row
    where = tuple(np.argwhere(different(c.got, c.expected, c.rtol))[0].tolist())
    query = where[: given[0].ndim]
    m1, m2 = given[0][query], given[3][query]
    have, want = number(c.got[where]), number(c.expected[where])
    said = f"For query {', '.join(map(str, query))}, m1 = {number(m1)} and m2 = {number(m2)}"
    if result == "m":
        return f"{said}: your m is {have}; {want} is right."
    x1, x2 = (number(c.given[f"{result}{part}"][where]) for part in (1, 2))
    top = max(m1, m2) if max(m1, m2) > -np.inf else 0.0
    f1, f2 = (number(np.exp(m - top)) for m in (m1, m2))
    which = f"{result}[…, {where[-1]}]" if result == "o" else result
    return (
        f"{said}: `{which}` is {f1} · {x1} + {f2} · {x2} = {want}; you have {have}."
    )


def _not_empty(c: Context) -> str | None:
    wrong = np.isneginf(c.expected) & ~np.isneginf(c.got)
    if not wrong.any():
        return None
    return (
        "Where both parts are empty, m1 = m2 = −∞, m should stay −∞, the sign that no key has "
        f"been seen; yours is {number(c.got[wrong][0])}."
    )


_RESULTS = ("m", "l", "o")

exercise = Exercise(
    merge_partial,
    place=20,
    minutes=20,
    level="hard",
    prepares=("online_softmax",),
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
    results=_RESULTS,
    terms={"by_hand": _by_hand},
    kinds={
        "large": Kind(
            "where scores are thousands, or thousands apart",
            "exp of a difference from the *larger* maximum is at most 1; exp of anything else may "
            "overflow.",
        ),
        "empty": Kind(
            "where a query sees no key in one part or in both",
            "There m is −∞. exp(−∞) is 0, as it should be; −∞ − (−∞) is NaN.",
            apart=True,
        ),
    },
    faults=fault_list("""
not-rescaled: np.exp(m1 - shift) → np.ones_like(m1)
        and np.exp(m2 - shift) → np.ones_like(m2)
    You add the two parts as they are. l1 and o1 count in units of exp(m1), the others in units of
    exp(m2): bring both to the unit of m, by exp(m1 − m) and exp(m2 − m). {by_hand}
second-not-rescaled: np.exp(m2 - shift) → np.ones_like(m2)
    The second part is not rescaled, which is right only where its maximum is the larger one: l2
    and o2 need the factor exp(m2 − m). {by_hand}
l-forgotten: first_factor * l1 + second_factor * l2 → first_factor + second_factor
    Your l adds the factors exp(m1 − m) and exp(m2 − m) alone, so that each part counts as a single
    key. Multiply l1 and l2 by them. {by_hand}
l-not-rescaled: first_factor * l1 + second_factor * l2 → l1 + l2
    You add l1 and l2 as they are. In l1 every exponential is taken against m1, in l2 against m2: by
    what has each sum to be multiplied so that both stand against m? {by_hand}
l2-not-rescaled: second_factor * l2 → l2
    You add l2 as it is, which is right only where m2 is the larger maximum. In l2 every exponential
    is taken against m2: what brings it to m? {by_hand}
o-not-rescaled: first_factor[..., None] * o1 + second_factor[..., None] * o2 → o1 + o2
    You add the weighted sums o without the factors, unlike the l. Each term of o has the same
    exponential in it as in l. {by_hand}
sign: np.exp(m1 - shift) → np.exp(shift - m1)
        and np.exp(m2 - shift) → np.exp(shift - m2)
    The sign in the exponents is wrong: exp(m − m1) is 1 or more. A sum taken against a smaller
    maximum has to *shrink*: exp(m1 − m). {by_hand}
sign-guarded: np.exp(m1 - shift) → np.exp(np.where(m1 == -np.inf, m1, shift - m1))
        and np.exp(m2 - shift) → np.exp(np.where(m2 == -np.inf, m2, shift - m2))
    The sign in the exponents is wrong: exp(m − m1) is 1 or more. Does a sum taken against a smaller
    maximum have to grow or to shrink? {by_hand}
factors-swapped: np.exp(m1 - shift) → np.exp(m2 - shift)
        and np.exp(m2 - shift) → np.exp(m1 - shift)
    The factors are swapped: each part shrinks by its own maximum, the first by exp(m1 − m).
    {by_hand}
factors-swapped-in-o: first_factor[..., None] * o1 + second_factor[..., None] * o2
            → second_factor[..., None] * o1 + first_factor[..., None] * o2
    In o the two factors are swapped. Each part shrinks by its own maximum: to which of the two does
    exp(m1 − m) belong? {by_hand}
first-by-the-factor-of-the-second: np.exp(m1 - shift) → np.exp(m2 - shift)
        and np.exp(m2 - shift) → np.ones_like(m2)
    You multiply the first part by exp(m2 − m), the factor of the second, and leave the second as
    it is. Each part shrinks by its own maximum. {by_hand}
powers-of-2: np.exp(m1 - shift) → np.exp2(m1 - shift)
        and np.exp(m2 - shift) → np.exp2(m2 - shift)
    Your factors are powers of 2, but l and o are sums of powers of *e*: which function takes e to
    the power of m1 − m? {by_hand}
sum-for-the-maximum: np.maximum(m1, m2) → np.logaddexp(m1, m2)
    Your m is log(e^m1 + e^m2), which is above both (`np.logaddexp`). The task asks for the largest
    *score* of all keys: which of m1 and m2 is it? {by_hand}
m1-for-the-maximum: np.maximum(m1, m2) → m1
    You keep m1 as the maximum. Where the second part holds a larger score, exp(m2 − m1) is above 1
    and may overflow: take the larger of m1 and m2, query by query. {by_hand}
one-winner: np.maximum(m1, m2) → m1 if np.max(m1) >= np.max(m2) else m2
    You decide once which part has the larger maximum. Each query has its own: the first part may
    win for one of them and the second for another. Compare entry by entry.
one-maximum-for-all: np.maximum(m1, m2) → np.max([m1, m2])
    You take one maximum over all queries; one whose scores lie 800 below the others' would
    underflow to l = 0. `np.maximum(m1, m2)` compares query by query. {by_hand}
same-maximum-for-all: np.maximum(m1, m2) → np.full_like(m1, np.max([m1, m2]))
    Your m is the same for all queries, the largest of all; one whose scores lie 800 below the
    others' would underflow to l = 0. Which maximum does a query need? {by_hand}
infinity-minus-infinity: np.where(m == -np.inf, 0.0, m) → m
    Where a query sees no key in either part, m1, m2 and m are −∞, and −∞ − (−∞) is NaN. Subtract 0
    in place of m there: exp(−∞ − 0) is 0, as it should be.
divided: first_factor[..., None] * o1 + second_factor[..., None] * o2
            → (first_factor[..., None] * o1 + second_factor[..., None] * o2) / l[..., None]
    You divide o by l, which is too early: this result may be merged again with more keys, and o
    must still be a plain sum then. Divide once, at the very end. {by_hand}
divided-safely: first_factor[..., None] * o1 + second_factor[..., None] * o2
    → (first_factor[..., None] * o1 + second_factor[..., None] * o2) / np.where(l, l, 1)[..., None]
    You divide o by l already. This result may be merged again with more keys, and o must still be a
    plain sum then: divide once, at the very end. {by_hand}
averaged: first_factor[..., None] * o1 + second_factor[..., None] * o2
    → ((first_factor * l1)[..., None] * o1 + (second_factor * l2)[..., None] * o2) / l[..., None]
    You treat o1 and o2 as outputs that have been divided by l1 and l2. Here they are plain sums:
    they are rescaled and added, as l is. {by_hand}
o-times-l: first_factor[..., None] * o1 + second_factor[..., None] * o2
            → (first_factor * l1)[..., None] * o1 + (second_factor * l2)[..., None] * o2
    You multiply o1 by l1 as well, and o2 by l2, as if they had been divided by it before. Are they
    averages of the values, or plain sums? {by_hand}
down-the-columns: first_factor[..., None] * o1 + second_factor[..., None] * o2
            → first_factor * o1 + second_factor * o2
    Your factors have one number for each query, shape {m1.shape}, and o1 has one *row* for each:
    turn them into a column, `factor[..., None] * o1`.
zero-for-an-empty-query: return m, l, o → return shift, l, o
    Where a query sees no key in either part, you return m = 0, the number that stands for −∞ in
    the exponents; a later merge would take it for a score. The m that you return stays −∞.
lowest-number: return m, l, o → return np.nan_to_num(m), l, o
    Where a query sees no key in either part, your m is the lowest number that there is:
    `np.nan_to_num` makes it of −∞. The m that you return stays −∞, the sign of no key.
one-empty-query-for-all: shift = → if np.isneginf(m1).any(): return m2, l2, o2 ⏎ shift =
        and first_factor = → if np.isneginf(m2).any(): return m1, l1, o1 ⏎ first_factor =
    Where *any* query saw no key in a part, you drop that part for *all* queries, and with it what
    the others saw there. Decide for each query by itself; exp(−∞ − m) is 0 anyway. {by_hand}
first-not-rescaled: np.exp(m1 - shift) → np.ones_like(m1)
    The first part is not rescaled, which is right only where its maximum is the larger one: l1
    and o1 need a factor of their own. {by_hand}
minimum: np.maximum(m1, m2) → np.minimum(m1, m2)
    Your m is the smaller of the two maxima. Of all keys together, which is the largest score?
    {by_hand}
log-of-the-sum: return m, l, o → return m + np.log(l), l, o
    Your m is m + log l, which some programs keep in place of both. Here l is returned beside it:
    which number has m to be? {by_hand}
o2-not-rescaled: second_factor[..., None] * o2 → o2
    You add o2 as it is, which is right only where m2 is the larger maximum. Against which maximum
    do its exponentials stand? {by_hand}
"""),
    properties=(
        Property("not-empty", _not_empty),
        Property("by-hand", _by_hand),
    ),
    hints=(
        "Write out l for two keys in each part, $e^{s_1 - m_1} + e^{s_2 - m_1}$. By which factor "
        "do you get $e^{s_1 - m} + e^{s_2 - m}$ from it?",
        "Everything summed against m1 is multiplied by exp(m1 − m), everything against m2 by "
        "exp(m2 − m). Which exponent is NaN if both maxima are −∞?",
        "With `shift = np.where(np.isneginf(m), 0, m)` the factors are `np.exp(m1 - shift)` and "
        "`np.exp(m2 - shift)`; for o they need `[..., None]`.",
    ),
    built_ins=twins("fast.merge_partial"),
)
