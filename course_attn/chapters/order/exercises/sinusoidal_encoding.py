"""Exercise `sinusoidal_encoding`."""

from typing import Any

import numpy as np

from course_attn.chapters.built_ins import twins
from whywrong import Case, Context, Exercise, Kind, Property, fault_list
from whywrong.context import listed

__all__ = ["exercise"]


def sinusoidal_encoding(n, d_model):
    """Describe each position by sines and cosines of d_model / 2 frequencies."""
    if d_model % 2:
        raise ValueError(f"d_model must be even, and is {d_model}")
    positions = np.arange(n)
    pairs = np.arange(d_model // 2)
    base = 10000.0
    frequencies = base ** (-2 * pairs / d_model)
    angles = positions[:, None] * frequencies
    encoding = np.empty((n, d_model))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return encoding


def _cases() -> tuple[Case, ...]:
    sizes = {
        "example": [(3, 4)],
        "plain": [(5, 6), (7, 10), (11, 8)],
        "square": [(6, 6)],
        "long": [(61, 14)],
        "narrow": [(5, 2)],
        "single": [(1, 6)],
        "odd": [(5, 7), (3, 9)],
    }
    return tuple(
        Case(args, kind) for kind, given in sizes.items() for args in given
    )


def _first_position(c: Context) -> str | None:
    if np.allclose(c.got[0], c.expected[0], 1e-3):
        return None
    return (
        f"Position 0 has the angle 0 in every pair, so its row is {c.row(of='expected')} "
        f"(sin 0, cos 0, …). Yours is {c.row()}."
    )


def _wrong_angles(c: Context) -> str | None:
    """Quote the angles where the sines and cosines stand in the right places."""
    if not np.allclose(c.got[:, 0::2] ** 2 + c.got[:, 1::2] ** 2, 1, atol=1e-4):
        return None
    row = int(np.isclose(c.got, c.expected).all(axis=-1).argmin())
    own, right = (
        np.arctan2(P[row, 0::2], P[row, 1::2]).round(12) + 0.0
        for P in (c.got, c.expected)
    )
    step = own[:2][-1]
    if row == 1 and step > 5e-4 and np.allclose(own, step ** np.arange(len(own))):
        return f"Your base is {step ** -len(own):.6g}; 10000 is asked for. {c.worst_row}"
    return (
        "Sines and cosines stand in the right places, but their angles are not right: at position "
        f"{row} they are {listed(own)} (up to whole turns), and should be {listed(right)}."
    )


def _drawn(rng: Any) -> tuple[Case, ...]:
    sizes = rng.integers(2, 10, size=(4, 2)).tolist()
    return tuple(Case((n, 2 * pairs)) for n, pairs in sizes)


exercise = Exercise(
    sinusoidal_encoding,
    place=30,
    minutes=12,
    level="medium",
    prepares=("rotary",),
    section="Sinusoids",
    task="""
Write `sinusoidal_encoding(n, d_model)`: an array of shape (n, d_model) whose row i describes
position i = 0, 1, …, n − 1. The features come in pairs f = 0, 1, …, d_model/2 − 1, and pair f has
the frequency $\\omega_f = 10000^{-2f / d_\\text{model}}$. The two entries of a pair stand side by
side: column 2f holds $\\sin(i\\,\\omega_f)$ and column 2f + 1 holds $\\cos(i\\,\\omega_f)$. An odd
`d_model` cannot be paired: raise a `ValueError`.
""",
    drawn=_drawn,
    cases=_cases,
    kinds={
        "odd": Kind(
            "for an odd d_model",
            "It cannot be split into pairs: `raise ValueError(…)` before anything is computed.",
        ),
        "long": Kind("for a long sequence"),
        "narrow": Kind("for d_model = 2, a single pair"),
        "single": Kind(
            "for n = 1, a single position", "Its shape is (1, d_model)."
        ),
    },
    faults=fault_list("""
blocks: encoding[:, 0::2] → encoding[:, : len(pairs)]
        and encoding[:, 1::2] → encoding[:, len(pairs) :]
    You put all sines first and all cosines after them. Many programs do; here sin and cos of one
    pair stand side by side: `P[:, 0::2] = …` and `P[:, 1::2] = …`. {worst_row}
one-frequency-per-column: np.cos(angles)
            → np.cos(positions[:, None] * base ** (-(2 * pairs + 1) / d_model))
    Each of your columns has a frequency of its own. The two columns of a pair share one: columns
    0 and 1 are the sine and the cosine of the same angle. {worst_row}
counter-doubled: -2 * pairs / d_model → -4 * pairs / d_model
        and np.cos(angles) → np.cos(positions[:, None] * base ** (-(4 * pairs + 2) / d_model))
    Your exponent is −2k/d_model with k the number of the *column*. In −2f/d_model the number of
    the *pair* is doubled: columns 2f and 2f + 1 have the same frequency. {worst_row}
half-exponent: -2 * pairs → -pairs
    Your exponent is −f/d_model: the 2 of −2f/d_model is missing. {worst_row}
double-exponent: -2 * pairs → -4 * pairs
    Your exponent is −4f/d_model, twice the right one. `np.arange(0, d_model, 2)` is 2f already:
    do not double it again. {worst_row}
growing: 10000.0 → 1e-4
    Your frequencies *grow* from pair to pair, from 1 on: 10000 stands there to the power
    +2f/d_model. Is a minus lost, or do you multiply where you should divide? {worst_row}
precedence: base ** (-2 * pairs / d_model) → base**-2 * pairs / d_model
    All your angles are practically 0. `10000 ** 2 * f / d_model` is read as (10000²) · f /
    d_model: `**` binds first. Put the exponent in parentheses. {worst_row}
no-waves: np.sin(angles) → angles
        and np.cos(angles) → angles
    You return the angles themselves: the sine (even columns) and the cosine (odd columns) are
    missing. {worst_row}
whole-exponent: -2 * pairs / d_model → -(2 * pairs // d_model)
    All your pairs have the frequency 1: the exponent comes out as 0 for each of them. `//` cuts
    2f/d_model down to a whole number; write `/`.
down-to-the-base: -2 * pairs / d_model → -pairs / max(len(pairs) - 1, 1)
    Your frequencies run from 1 down to exactly 1/10000. Some programs do that; here the exponent
    is −2f/d_model, which stops one step before. {worst_row}
exchanged: np.sin → np.cos
        and np.cos → np.sin
    Your sines and cosines are exchanged: the sine belongs in column 2f and the cosine behind it, so
    that the row of position 0 is [0, 1, …]. {worst_row}
from-one: np.arange(n) → np.arange(1, n + 1)
    Your positions count from 1. The first position is 0, where every angle is 0. {worst_row}
half-as-many: return encoding → return np.sin(angles)
    You return shape {your.shape}, the sines alone. Each frequency gives two columns: {right.shape}.
transposed: return encoding → return encoding.T
    Your result has shape {your.shape}, a column for each position. Which of n and d_model counts
    the rows?
stacked-in-front: return encoding
            → return np.stack([np.sin(angles), np.cos(angles)]).reshape(n, d_model)
    `np.stack([…, …])` puts its new axis in *front*, so that `reshape` reads all sines of all
    positions before the first cosine. With `axis=-1` they stand side by side. {worst_row}
odd-allowed: if d_model % 2: → if False:
        and np.arange(d_model // 2) → np.arange((d_model + 1) // 2)
        and np.empty((n, d_model)) → np.empty((n, 2 * len(pairs)))
    For d_model = {d_model} one feature has no partner, and you return shape {your.shape} all the
    same. The task asks for an error: `if d_model % 2: raise ValueError(…)`.
odd-left-empty: if d_model % 2: → if False:
        and np.empty((n, d_model)) → np.zeros((n, d_model))
        and encoding[:, 0::2] → encoding[:, 0 : 2 * len(pairs) : 2]
    For d_model = {d_model} one feature has no partner, and its column stays 0. The task asks for
    an error: `if d_model % 2: raise ValueError(…)`.
pairs-from-one: np.arange(d_model // 2) → np.arange(1, d_model // 2 + 1)
    Your pairs count from 1. Which frequency has pair 0, with 10000 to the power 0? {worst_row}
base-1000: 10000.0 → 1000.0
    Your base is 1000. Which number is raised to a power in ω_f, and how many zeros has it?
    {worst_row}
sines-only: np.cos(angles) → np.sin(angles)
    Both columns of a pair hold the sine. What belongs in column 2f + 1? {worst_row}
"""),
    properties=(
        Property("first-position", _first_position),
        Property("angles", _wrong_angles),
    ),
    hints=(
        "Make the d_model/2 frequencies first, as an array. Which number is 2f for f = 0, 1, 2, …?",
        "All angles at once are a table: a column of positions times a row of frequencies, shape "
        "(n, d_model/2). Its sines fill the even columns, its cosines the odd ones.",
        "`angles = np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d_model, 2) / d_model)`; then "
        "`P[:, 0::2] = np.sin(angles)`, and the same for the cosines from column 1 on.",
    ),
    built_ins=twins("order.sinusoidal_encoding"),
)
