"""Exercise `rotary` of chapter 8."""

import numpy as np

from course_attn.checking import (
    Case,
    Context,
    Exercise,
    Fault,
    Kind,
    Property,
    number,
)
from course_attn.exercises.order._rotary_steps import (
    added,
    angle_per_feature,
    both_plus,
    exchanged,
    first_only,
    halves,
    neighbors,
    one_after_the_other,
    rotated,
    two_layouts,
    woven,
)
from course_attn.exercises.order._steps import frequencies

__all__ = ["exercise"]


def rotary(X, positions):
    """Turn each pair of features by an angle that grows with the position of its row."""
    half = X.shape[-1] // 2
    frequency = 10000.0 ** (-np.arange(half) / half)
    angles = positions[:, None] * frequency
    cos, sin = np.cos(angles).astype(X.dtype), np.sin(angles).astype(X.dtype)
    first, second = X[..., :half], X[..., half:]
    return np.concatenate(
        [first * cos - second * sin, first * sin + second * cos], axis=-1
    )


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260802).standard_normal
    first = np.array(
        [[1.0, 2.0, 0.0, 0.0], [1.0, 2.0, 0.0, 0.0], [3.0, 0.0, 4.0, 1.0]]
    )
    return (
        Case((first, np.array([0, 1, 2])), "example"),
        Case((draw((5, 8)), np.arange(5))),
        Case((draw((7, 6)), np.array([3, 0, 4, 1, 11, 2, 30])), "positions"),
        Case((draw((5, 10)), np.arange(7, 12)), "late"),
        Case((draw((6, 6)), np.arange(6)), "square"),
        Case((draw((2, 3, 5, 14)), np.array([4, 1, 2, 9, 5])), "batch"),
        Case((draw((3, 3, 4)), np.array([2, 3, 5])), "batch"),
        Case((draw((3, 2)), np.array([1, 4, 6])), "narrow"),
        Case((draw((7, 12)).astype("f4"), np.arange(2, 9)), "float32"),
    )


def _angles(c: Context) -> np.ndarray:
    """Return the angle by which each pair was turned, as the result shows it."""
    first, second = (a + 1j * b for a, b in (halves(c.given["X"]), halves(c.got)))
    with np.errstate(all="ignore"):
        return np.angle(second / first)


def _pair(array: np.ndarray, row: int, f: int = 0) -> str:
    d = array.shape[-1]
    flat = array.reshape(-1, d)
    return f"({number(flat[row, f])}, {number(flat[row, f + d // 2])})"


def _shown(c: Context) -> str:
    """Quote the first wrong pair: what it was, is and should be."""
    if c.got.shape != c.expected.shape:
        return ""
    d = c.got.shape[-1]
    off = np.abs(c.got - c.expected) > 1e-3 * np.abs(c.expected).max()
    off = off.reshape(-1, d)
    row, f = np.argwhere(off[:, : d // 2] | off[:, d // 2 :])[0]
    position = c.given["positions"][row % len(c.given["positions"])]
    return (
        f"The pair (x_{f}, x_{f + d // 2}) = {_pair(c.given['X'], row, f)} at position "
        f"{position} becomes {_pair(c.got, row, f)} in yours, and should become "
        f"{_pair(c.expected, row, f)}."
    )


def _lengths(c: Context) -> str | None:
    if c.got.shape != c.expected.shape:
        return None
    before, after = (
        np.hypot(*halves(array)).reshape(-1, array.shape[-1] // 2)
        for array in (c.given["X"], c.got)
    )
    off = ~np.isclose(before, after, rtol=1e-3, atol=1e-4)
    if not off.any():
        return None
    row, f = np.argwhere(off)[0]
    return (
        "A rotation keeps lengths, yours does not: the pair "
        f"(x_{f}, x_{f + c.got.shape[-1] // 2}) of row {row} has length "
        f"{number(before[row, f])} before and {number(after[row, f])} afterward. {_shown(c)}"
    )


def _at_zero(c: Context) -> str | None:
    still = np.flatnonzero(c.given["positions"] == 0)
    if c.got.shape != c.expected.shape or not len(still) or c.got.ndim > 2:
        return None
    row = int(still[0])
    if np.allclose(c.got[row], c.given["X"][row], atol=1e-4):
        return None
    return (
        f"Row {row} stands at position 0, where every angle is 0: it should stay as it is, "
        f"{c.row(row, 'X')}. Yours becomes {c.row(row)}."
    )


def _other_base(c: Context) -> str | None:
    d = c.given["X"].shape[-1]
    if c.got.shape != c.expected.shape or d < 4 or c.kind != "example":
        return None
    frequency = float(_angles(c)[1, 1])
    if not frequency > 0:
        return None
    base = frequency ** (-d / 2)
    same = rotated(
        c.given["X"], c.given["positions"], frequency=lambda d: frequencies(d, base)
    )
    if not np.allclose(same, c.got, atol=1e-3):
        return None
    return f"Your base is {base:.6g}; asked for is 10000. {_shown(c)}"


def _not_relative(c: Context) -> str | None:
    X, positions = c.given["X"], c.given["positions"]
    moved = c.call(X, positions + 3)
    if moved is None or moved.shape != c.got.shape:
        return None
    before, after = (np.asarray(Y @ np.swapaxes(Y, -1, -2)) for Y in (c.got, moved))
    off = np.abs(before - after)
    if not off.max() > 1e-3 * np.abs(before).max():
        return None
    return (
        "If all positions move by 3, dot products between the rotated rows must not change: "
        f"only differences of positions count. Yours change by up to {number(off.max())}."
    )


exercise = Exercise(
    solution=rotary,
    place=20,
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
    variant=rotated,
    kinds={
        "positions": Kind(
            "where the positions are not 0, 1, 2, …",
            "Use the numbers in `positions`, not the indices of the rows.",
        ),
        "late": Kind(
            "where the positions do not begin at 0",
            "Use the numbers in `positions` as they are.",
        ),
        "narrow": Kind("for d = 2, a single pair"),
        "square": Kind("where n = d"),
    },
    faults=(
        Fault(
            "interleaved",
            {"part": neighbors, "join": woven},
            lambda c: (
                "You pair neighbors, features 2f and 2f + 1: the interleaved layout. Asked for is "
                f"the half-split one, where x_0 and x_{c.given['X'].shape[-1] // 2} form pair 0. "
                f"A model trained with one layout speaks nonsense with the other. {_shown(c)}"
            ),
        ),
        Fault(
            "woven",
            {"join": woven},
            lambda c: (
                "You rotate the right pairs, but weave them together afterward, so that the two "
                "entries of a pair become neighbors. Each stays in its place: `np.concatenate` "
                f"along the last axis. {_shown(c)}"
            ),
        ),
        Fault(
            "one-below-the-other",
            {
                "join": lambda first, second: np.concatenate(
                    [first, second], axis=-2
                )
            },
            lambda c: (
                f"You return shape {c.got.shape}: the two halves stand one below the other. Put "
                "them side by side, `np.concatenate([…, …], axis=-1)`: features are the last axis."
            ),
        ),
        Fault(
            "two-layouts",
            two_layouts,
            lambda c: (
                "Two layouts are mixed. You split X into halves, but lay the angles out for "
                "neighbors, each twice in a row (`np.repeat`): the two entries of a pair are "
                "turned by different angles. For halves the whole row of angles comes twice, "
                f"`np.concatenate([angles, angles], axis=-1)`. {_shown(c)}"
            ),
        ),
        Fault(
            "angle-per-feature",
            angle_per_feature,
            lambda c: (
                "You give each of the d features an angle of its own. The two features of a pair "
                "turn together, by one angle: there are d/2 frequencies. Otherwise it is no "
                f"rotation. {_shown(c)}"
            ),
        ),
        Fault(
            "backward",
            {"place": lambda positions, X: -positions},
            lambda c: (
                "You rotate the other way: the signs of your two sines are swapped. The minus "
                f"belongs to the *first* entry, a cos φ − b sin φ. {_shown(c)}"
            ),
        ),
        Fault(
            "both-plus",
            {"turn": both_plus},
            lambda c: (
                "A minus is missing: your first entry is a cos φ + b sin φ. With two plus signs "
                f"lengths change, so it is no rotation. {_shown(c)}"
            ),
        ),
        Fault(
            "used-too-early",
            {"turn": one_after_the_other},
            lambda c: (
                "Your first entries are right, and the second ones are computed from them: the "
                "old `a` was overwritten before it was used again. Compute both from the old "
                f"pair. {_shown(c)}"
            ),
        ),
        Fault(
            "exchanged",
            {"turn": exchanged},
            lambda c: (
                "You return the two halves in exchanged places: a cos φ − b sin φ belongs into "
                f"the first half. {_shown(c)}"
            ),
        ),
        Fault(
            "first-half-only",
            {"turn": first_only},
            lambda c: (
                "You rotate the first half only and hand the second one on as it was: it should "
                f"become a sin φ + b cos φ. {_shown(c)}"
            ),
        ),
        Fault(
            "by-index",
            {"place": lambda positions, X: np.arange(X.shape[-2])},
            lambda c: (
                "You rotate by the *index* of the row, and `positions` plays no part. With a "
                "cache, or words that were left out, a row's position is not its index: here the "
                f"positions are {c.given['positions'].tolist()}. {_shown(c)}"
            ),
        ),
        Fault(
            "from-zero",
            {"place": lambda positions, X: positions - positions[0]},
            lambda c: (
                "You subtract the first position from all. Scores *among* these rows do not "
                "change by that, but keys from a cache were rotated by their full positions. "
                f"{_shown(c)}"
            ),
        ),
        Fault(
            "from-one",
            {"place": lambda positions, X: positions + 1},
            lambda c: (
                "You rotate by position + 1. Take the positions as they are: the row at 0 stays "
                f"as it was. {_shown(c)}"
            ),
        ),
        Fault(
            "half-exponent",
            {"frequency": lambda d: 10000.0 ** (-np.arange(d // 2) / d)},
            lambda c: (
                "Your exponent is −f/d; it should be −2f/d, since the pairs f count only to d/2. "
                f"Your slowest pairs turn too fast. {_shown(c)}"
            ),
        ),
        Fault(
            "double-exponent",
            {"frequency": lambda d: 10000.0 ** (-4 * np.arange(d // 2) / d)},
            lambda c: (
                "Your exponent is −4f/d, twice the right one. In −2f/d the 2 is there once: "
                "`np.arange(0, d, 2) / d`, or `np.arange(d // 2) / (d // 2)`. "
                f"{_shown(c)}"
            ),
        ),
        Fault(
            "growing",
            {"frequency": lambda d: 1 / frequencies(d)},
            lambda c: (
                "Your frequencies grow with f: the exponent needs a minus. Pair 0 turns by 1 from "
                f"one position to the next, and every further pair more slowly. {_shown(c)}"
            ),
        ),
        Fault(
            "one-frequency",
            {"frequency": lambda d: np.ones(d // 2)},
            lambda c: (
                "All your pairs turn by the same angle, the position itself. Pair f has the "
                "frequency 10000 to the power −2f/d (written with `//`, the exponent would be "
                f"cut down to 0). {_shown(c)}"
            ),
        ),
        Fault(
            "degrees",
            {"place": lambda positions, X: np.deg2rad(positions)},
            lambda c: (
                "You turn the angles from degrees into radians. They are radians already. "
                f"{_shown(c)}"
            ),
        ),
        Fault(
            "added",
            added,
            lambda c: (
                "You *add* the sinusoidal encoding. Rotary encoding multiplies: each pair is "
                f"turned and keeps its length. {_shown(c)}"
            ),
        ),
    ),
    properties=(
        Property("base", _other_base),
        Property("at-zero", _at_zero),
        Property("lengths", _lengths),
        Property("not-relative", _not_relative),
    ),
    hints=(
        "Which two numbers of a row belong together? Which angle do they share, and what does it "
        "depend on?",
        "Make the angles as a table (n, d/2): a column of positions times a row of frequencies. "
        "Cut X into its two halves along the last axis, rotate, and put the halves side by side.",
        "`a, b = X[..., :d // 2], X[..., d // 2:]`, then `np.concatenate([a * cos - b * sin, "
        "a * sin + b * cos], axis=-1)`.",
    ),
    built_ins=("course_attn.in_numpy.order.rotary",),
)
