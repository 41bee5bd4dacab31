"""Exercise `rotary`."""

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Exercise, Kind, Property, fault_list
from whywrong.context import listed, number

__all__ = ["exercise"]


def rotary(X, positions):
    """Turn each pair of features by an angle that grows with the position of its row."""
    d = X.shape[-1]
    pairs = np.arange(d // 2)
    frequencies = 10000.0 ** (-2 * pairs / d)
    angles = positions[:, None] * frequencies
    cos = np.cos(angles).astype(X.dtype)
    sin = np.sin(angles).astype(X.dtype)
    a = X[..., : d // 2]
    b = X[..., d // 2 :]
    first_half = a * cos - b * sin
    second_half = a * sin + b * cos
    return np.concatenate([first_half, second_half], axis=-1)


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260802).standard_normal
    first = np.array([[1.0, 2, 0, 0], [1, 2, 0, 0], [3, 0, 4, 1]])
    return (
        Case((first, np.array([0, 1, 2])), "example"),
        Case((draw((5, 8)), np.arange(5))),
        Case((draw((7, 6)), np.array([3, 0, 4, 1, 11, 2, 30])), "positions"),
        Case((draw((5, 10)), np.arange(7, 12)), "late"),
        Case((draw((6, 6)), np.arange(6)), "square"),
        Case((draw((2, 3, 5, 14)), np.array([4, 1, 2, 9, 5])), "batch"),
        Case((draw((3, 3, 4)), np.array([2, 3, 5])), "batch"),
        Case((draw((3, 2)), np.array([1, 4, 6])), "narrow"),
        Case((draw((1, 8)), np.array([17])), "single"),
        Case((draw((5, 12)), np.array([2000, 701, 4095, 701, 12])), "far"),
        Case((draw((7, 12)).astype("f4"), np.arange(2, 9)), "float32"),
    )


def _as_complex(array: np.ndarray) -> np.ndarray:
    """Return each pair (a, b) as a + ib, in rows."""
    half = array.shape[-1] // 2
    return (array[..., :half] + 1j * array[..., half:]).reshape(-1, half)


def _lengths(c: Context) -> str | None:
    before, after = (np.abs(_as_complex(array)) for array in (c.given["X"], c.got))
    off = np.argwhere(~np.isclose(before, after, rtol=1e-3, atol=1e-4))
    if not len(off):
        return None
    row, f = map(int, off[0])
    said = (
        f"the pair (x_{f}, x_{f + before.shape[1]}) of row {row} has length "
        f"{number(before[row, f])} before and {number(after[row, f])} afterward."
    )
    of_rows = np.linalg.norm(before, axis=-1), np.linalg.norm(after, axis=-1)
    if np.allclose(of_rows[0], of_rows[1], rtol=1e-3):
        return (
            f"Your rows keep their lengths, but their pairs do not: {said} Do you turn other "
            f"features together, or do they change places? {c.worst_row}"
        )
    return f"A rotation keeps lengths, and yours does not: {said} {c.worst_row}"


def _wrong_angles(c: Context) -> str | None:
    """Quote the angles by which the pairs of a row were turned, where lengths are kept."""
    before, after, right = map(_as_complex, (c.given["X"], c.got, c.expected))
    row = int(np.isclose(after, right, 1e-3, 1e-4).all(axis=-1).argmin())
    position = int(c.given["positions"][row % len(c.given["positions"])])
    with np.errstate(all="ignore"):
        own, wanted = (
            np.angle(z[row] / before[row]).round(12) + 0.0 for z in (after, right)
        )
    step = own[:2][-1]
    if (
        position == 1
        and 5e-4 < step < 0.99
        and np.allclose(own, step ** np.arange(len(own)))
    ):
        return f"Your base is {step ** -len(own):.6g}; 10000 is asked for. {c.worst_row}"
    return (
        f"In row {row}, at position {position}, your pairs turn by the angles {listed(own)}; they "
        f"should turn by {listed(wanted)} (in radians, between −π and π)."
    )


exercise = Exercise(
    rotary,
    place=40,
    minutes=15,
    level="medium",
    prepares=("text_that_moves",),
    section="The formula",
    task="""
Write `rotary(X, positions)` in the half-split layout: X has shape (…, n, d) with even d, and
`positions`, shape (n,), holds a whole number for each row of X, in any order and not always from 0.
Feature f and feature f + d/2 form a pair, for f = 0, 1, …, d/2 − 1. In the row at position i, turn
pair f by the angle $\\varphi = i\\,\\omega_f$ with $\\omega_f = 10000^{-2f/d}$: the pair $(a, b)$
becomes $(a \\cos\\varphi - b \\sin\\varphi,\\; a \\sin\\varphi + b \\cos\\varphi)$. Each feature
stays in its place, so that the result has the shape of X.
""",
    cases=_cases,
    kinds={
        "positions": Kind("where the positions are not 0, 1, 2, …"),
        "late": Kind("where the positions do not begin at 0"),
        "single": Kind("for a single row at a late position, as with a cache"),
        "far": Kind("where positions go into the thousands or occur twice"),
        "narrow": Kind("for d = 2, a single pair"),
    },
    faults=fault_list("""
interleaved: X[..., : d // 2] → X[..., 0::2]
        and X[..., d // 2 :] → X[..., 1::2]
        and np.concatenate([first_half, second_half], axis=-1)
            → np.stack([first_half, second_half], axis=-1).reshape(X.shape)
    You pair neighbors, features 2f and 2f + 1: the interleaved layout. Here the half-split one
    is asked for, where feature f and feature f + d/2 form a pair. {worst_row}
mirrored: X[..., d // 2 :] → X[..., : d // 2 - 1 : -1]
        and np.concatenate([first_half, second_half], axis=-1)
            → np.concatenate([first_half, second_half[..., ::-1]], axis=-1)
    You pair the first feature with the last, the second with the last but one: f and d − 1 − f.
    Here feature f and feature f + d/2 form a pair. {worst_row}
woven: np.concatenate([first_half, second_half], axis=-1)
            → np.stack([first_half, second_half], axis=-1).reshape(X.shape)
    You rotate the right pairs, but weave them together afterward, so that their entries become
    neighbors. Each stays in its place: `np.concatenate` along the last axis. {worst_row}
one-below-the-other: axis=-1 → axis=-2
    You return shape {your.shape}: the two halves stand one below the other. Put them side by
    side, `np.concatenate([…, …], axis=-1)`: features are the last axis.
two-layouts: a * cos - b * sin → a * cos[:, pairs // 2] - b * sin[:, pairs // 2]
        and a * sin + b * cos
            → a * sin[:, (pairs + d // 2) // 2] + b * cos[:, (pairs + d // 2) // 2]
    Two layouts are mixed: you split X into halves, but lay the angles out for neighbors, each
    twice in a row. For halves write `np.concatenate([angles, angles], axis=-1)`. {worst_row}
backward: np.sin(angles) → np.sin(-angles)
    You rotate the other way: both sines have the opposite sign. The minus belongs to the *first*
    entry, a cos φ − b sin φ. {worst_row}
both-plus: a * cos - b * sin → a * cos + b * sin
    A minus is missing: your first entry is a cos φ + b sin φ. With two plus signs lengths change,
    so it is not a rotation. {worst_row}
both-minus: a * sin + b * cos → b * cos - a * sin
    Your second entry is b cos φ − a sin φ, and there is a minus in the first as well. In a rotation
    just one of the two has it: which one here? {worst_row}
halves-exchanged: [first_half, second_half] → [second_half, first_half]
    Your halves have changed places: what is made in the place of b comes first. Each feature stays
    where it was. {worst_row}
cosine-only: a * cos - b * sin → a * cos
        and a * sin + b * cos → b * cos
    You multiply by the cosines and leave out the sines: in a rotation each entry of a pair gets a
    part of the other, a cos φ − b sin φ and a sin φ + b cos φ. {worst_row}
used-too-early: a * sin + b * cos → first_half * sin + b * cos
    Your second entries are computed from the new first ones: the old `a` was overwritten before
    it was used again. Compute both from the old pair. {worst_row}
angles-transposed: positions[:, None] * frequencies → positions * frequencies[:, None]
    Your table of angles has a row for each *pair*. X has its positions along the rows: write
    `positions[:, None] * frequencies`, shape (n, d/2). With yours, most shapes do not even fit.
by-index: positions[:, None] → np.arange(X.shape[-2])[:, None]
    You rotate each row by its *index*, 0, 1, 2, …, and `positions` plays no part. They may come in
    any order: here they are {positions}. {worst_row}
from-first: positions[:, None] → (positions - positions[0])[:, None]
    You turn each row by its distance from row 0, which itself is not turned: the first position is
    subtracted. The positions are {positions}, and each row turns by its own. {worst_row}
from-smallest: positions[:, None] → (positions - positions.min())[:, None]
    You turn each row by its distance from the smallest position, whose row is not turned at all.
    The positions are {positions}, and each row turns by its own. {worst_row}
from-1: pairs = np.arange(d // 2) → pairs = np.arange(1, d // 2 + 1)
    Your pairs are numbered from 1. The first one is pair 0, and 10000 to the power 0 is 1: by which
    angle does it turn at position i? {worst_row}
one-speed: positions[:, None] * frequencies → positions[:, None] * frequencies**0
    All your pairs turn by the same angle, the position. Pair f has a speed of its own: the angle is
    the position times 10000 to the power −2f/d. {worst_row}
double-exponent: -2 * pairs / d → -4 * pairs / d
    Your exponent is −4f/d, twice the right one: `np.arange(0, d, 2)` is 2f already. {worst_row}
half-exponent: -2 * pairs / d → -pairs / d
    Your exponent is −f/d; it should be −2f/d, since f numbers the d/2 pairs, and 2f runs
    to d − 2. {worst_row}
exponent-positive: (-2 * pairs / d) → (2 * pairs / d)
    The minus in the exponent is missing: your later pairs turn *faster*, and pair 0 is to be the
    fastest. {worst_row}
sine-for-cosine: np.cos(angles) → np.sin(angles)
        and np.sin(angles) → np.cos(angles)
    Sine and cosine have changed places. At position 0 the angle is 0, and the pair should stay as
    it is: which of the two is 0 there? {worst_row}
one-position-on: positions[:, None] → (positions + 1)[:, None]
    You turn each row as if it stood one position later, so that position 0 is turned, too. Which
    angle has position 0? {worst_row}
"""),
    properties=(Property("lengths", _lengths), Property("angles", _wrong_angles)),
    hints=(
        "Which two numbers of a row belong together? Which angle do they share, and what does it "
        "depend on?",
        "Make the angles as a table (n, d/2): a column of positions times a row of frequencies. "
        "Cut X into its two halves along the last axis, rotate, and put the halves side by side.",
        "`a, b = X[..., :d // 2], X[..., d // 2:]`, then `np.concatenate([a * cos - b * sin, "
        "a * sin + b * cos], axis=-1)`.",
    ),
    built_ins=twins("order.rotary"),
)
