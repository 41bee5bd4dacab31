"""Exercise `sinusoidal_encoding` of chapter 8."""

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
)
from course_attn.exercises.order._steps import frequencies, unchanged

__all__ = ["exercise"]


def sinusoidal_encoding(n, d_model):
    """Describe each position by sines and cosines of d_model / 2 frequencies."""
    if d_model % 2:
        raise ValueError(f"d_model must be even, and is {d_model}")
    frequency = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    angles = np.arange(n)[:, None] * frequency
    encoding = np.empty((n, d_model))
    encoding[:, 0::2] = np.sin(angles)
    encoding[:, 1::2] = np.cos(angles)
    return encoding


def _cases() -> tuple[Case, ...]:
    return (
        Case((3, 4), "example"),
        Case((5, 6)),
        Case((7, 10)),
        Case((11, 8)),
        Case((6, 6), "square"),
        Case((61, 14), "long"),
        Case((5, 2), "narrow"),
        Case((5, 7), "odd"),
        Case((3, 9), "odd"),
    )


def _refuse_odd(d: int) -> None:
    if d % 2:
        raise ValueError("d_model must be even")


def _interleaved(angles: np.ndarray, d: int) -> np.ndarray:
    waves = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return waves.reshape(len(angles), -1)


def _cosine_first(angles: np.ndarray, d: int) -> np.ndarray:
    waves = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    return waves.reshape(len(angles), -1)


def _blocks(angles: np.ndarray, d: int) -> np.ndarray:
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


def _twice(wave: Callable[..., Any]) -> Callable[..., Any]:
    return lambda angles, d: np.repeat(wave(angles), 2, axis=-1)


def _per_column(n: int, d: int) -> np.ndarray:
    _refuse_odd(d)
    angles = np.arange(n)[:, None] * 10000.0 ** (-np.arange(d) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


def _doubled_per_column(n: int, d: int) -> np.ndarray:
    _refuse_odd(d)
    angles = np.arange(n)[:, None] * 10000.0 ** (-2 * np.arange(d) / d)
    return np.where(np.arange(d) % 2, np.cos(angles), np.sin(angles))


def _plain_angles(n: int, d: int) -> np.ndarray:
    _refuse_odd(d)
    return np.repeat(np.arange(n)[:, None] * frequencies(d), 2, axis=-1)


def _cut_off(n: int, d: int) -> np.ndarray:
    return _interleaved(np.arange(n)[:, None] * frequencies(d), d)[:, :d]


def _encoded(
    n: int,
    d_model: int,
    *,
    refuse: Callable[..., Any] = _refuse_odd,
    position: Callable[..., Any] = np.arange,
    frequency: Callable[..., Any] = frequencies,
    wave: Callable[..., Any] = _interleaved,
    finish: Callable[..., Any] = unchanged,
) -> np.ndarray:
    refuse(d_model)
    angles = position(n)[:, None] * frequency(d_model)
    return finish(wave(angles, d_model))


def _even(d: int) -> np.ndarray:
    return np.arange(0, d, 2)


def _angles(c: Context) -> str:
    """Say which angle pair 1 has at position 1, in the result and in truth."""
    right = number(frequencies(c.given["d_model"])[1])
    if c.got.shape != c.expected.shape:
        return f"The angle of pair 1 at position 1 should be {right}."
    own = number(np.arctan2(c.got[1, 2], c.got[1, 3]))
    return f"The angle of pair 1 at position 1 is {own}, and should be {right}."


def _rows(c: Context, i: int) -> str:
    """Say what a row should be, and what it is if there is such a row."""
    right = f"Row {i} should be {c.row(i, 'expected')}"
    same = c.got.shape == c.expected.shape
    return f"{right}; yours is {c.row(i)}." if same else f"{right}."


def _unpaired(c: Context) -> str:
    d = c.given["d_model"]
    if d % 2 == 0:
        return "For an odd d_model one feature is left without a partner"
    return (
        f"For d_model = {d} one feature is left without a partner, and you return shape "
        f"{c.got.shape} all the same"
    )


def _other_base(c: Context) -> str | None:
    d = c.given["d_model"]
    if c.got.shape != c.expected.shape or d < 4 or len(c.got) < 2:
        return None
    frequency = float(np.arctan2(c.got[1, 2], c.got[1, 3]))
    if not frequency > 0:
        return None
    base = frequency ** (-d / 2)
    with np.errstate(all="ignore"):
        same = _encoded(*c.given.values(), frequency=lambda d: frequencies(d, base))
    if not np.allclose(same, c.got, atol=1e-3):
        return None
    return (
        f"Your base is {base:.6g}; asked for is 10000. The layout and all the rest are right. "
        f"{_angles(c)}"
    )


def _not_a_wave(c: Context) -> str | None:
    if c.got.shape != c.expected.shape or not np.abs(c.got).max() > 1 + 1e-6:
        return None
    return (
        f"An entry of yours is {number(c.got.flat[np.abs(c.got).argmax()])}. Sines and "
        "cosines lie between −1 and 1."
    )


def _first_position(c: Context) -> str | None:
    if c.got.shape != c.expected.shape or np.allclose(
        c.got[0], c.expected[0], 1e-3
    ):
        return None
    return (
        f"Position 0 has the angle 0 in every pair, so its row is {c.row(of='expected')} "
        f"(sin 0, cos 0, …). Yours is {c.row()}."
    )


def _odd_passes(d: int) -> None:
    """Let an odd width pass."""


exercise = Exercise(
    solution=sinusoidal_encoding,
    place=10,
    section="Sinusoids",
    task="""
Write `sinusoidal_encoding(n, d_model)`: an array of shape (n, d_model) whose row i describes
position i = 0, 1, …, n − 1. The features come in pairs f = 0, 1, …, d_model/2 − 1, and pair f has
the frequency $\\omega_f = 10000^{-2f / d_\\text{model}}$. The two entries of a pair stand side by
side: column 2f holds $\\sin(i\\,\\omega_f)$ and column 2f + 1 holds $\\cos(i\\,\\omega_f)$. An odd
`d_model` cannot be paired: raise a `ValueError`.
""",
    cases=_cases,
    variant=_encoded,
    kinds={
        "odd": Kind(
            "for an odd d_model",
            "It cannot be split into pairs: `raise ValueError(…)` before anything is computed.",
        ),
        "long": Kind("for a long sequence"),
        "narrow": Kind("for d_model = 2, a single pair"),
        "square": Kind("where n = d_model"),
    },
    faults=(
        Fault(
            "blocks",
            {"wave": _blocks},
            lambda c: (
                f"You put all {c.given['d_model'] // 2} sines first and all cosines after them. "
                "Many programs do; asked for is the interleaved order, sin and cos of one pair "
                f"side by side. {_rows(c, 1)} "
                "`P[:, 0::2] = …` and `P[:, 1::2] = …` fill every second column."
            ),
        ),
        Fault(
            "cosine-first",
            {"wave": _cosine_first},
            lambda c: (
                "Sine and cosine are swapped: even columns hold the sines, odd ones the cosines. "
                f"{_rows(c, 0)}"
            ),
        ),
        Fault(
            "sines-only",
            {"wave": _twice(np.sin)},
            lambda c: (
                "Both entries of a pair are the sine. The second, column 2f + 1, is the "
                "*cosine*: only the two together say where on the circle an angle lies. "
                f"{_rows(c, 0)}"
            ),
        ),
        Fault(
            "cosines-only",
            {"wave": _twice(np.cos)},
            lambda c: (
                "Both entries of a pair are the cosine. The first, column 2f, is the *sine*. "
                f"{_rows(c, 0)}"
            ),
        ),
        Fault(
            "one-frequency-per-column",
            _per_column,
            lambda c: (
                "Each of your columns has a frequency of its own, 10000 to the power −k/d_model "
                "for column k. The two columns of a pair share one: column 1 is the cosine of "
                "the same angle as column 0. Without that, a shift is no rotation of the pair. "
                f"{_rows(c, 1)}"
            ),
        ),
        Fault(
            "counter-doubled",
            _doubled_per_column,
            lambda c: (
                "Your exponent is −2k/d_model with k the number of the *column*. In −2f/d_model "
                "the number of the *pair* is doubled: both columns of pair f, 2f and 2f + 1, have "
                f"the same frequency. {_rows(c, 1)}"
            ),
        ),
        Fault(
            "half-exponent",
            {"frequency": lambda d: 10000.0 ** (-_even(d) / 2 / d)},
            lambda c: (
                "Your exponent is −f/d_model; it should be −2f/d_model. The pairs f count only "
                "to d_model/2, so yours stop near 1/100 instead of 1/10000. "
                f"{_angles(c)}"
            ),
        ),
        Fault(
            "double-exponent",
            {"frequency": lambda d: 10000.0 ** (-2 * _even(d) / d)},
            lambda c: (
                "Your exponent is −4f/d_model, twice the right one. `np.arange(0, d_model, 2)` "
                "counts 0, 2, 4, …, which is 2f already: do not double it again. "
                f"{_angles(c)}"
            ),
        ),
        Fault(
            "growing",
            {"frequency": lambda d: 10000.0 ** (_even(d) / d)},
            lambda c: (
                "Your frequencies grow from pair to pair: 10000 to the power *plus* 2f/d_model. "
                "Each pair should turn more slowly than the one before: divide the position by "
                f"that power, or make the exponent negative. {_rows(c, 1)}"
            ),
        ),
        Fault(
            "not-divided",
            {"frequency": lambda d: 10000.0 ** -_even(d).astype(float)},
            lambda c: (
                "Your exponent is −2f, not divided by d_model: from pair 1 on, every angle is "
                f"practically 0, and all positions look alike. {_angles(c)}"
            ),
        ),
        Fault(
            "precedence",
            {"frequency": lambda d: 10000.0**-2 * _even(d) / 2 / d},
            lambda c: (
                "All your angles are practically 0, so that all positions look alike. "
                "`10000 ** 2 * f / d_model` is read as (10000²) · f / d_model: `**` binds first. "
                f"Put the exponent in parentheses. {_angles(c)}"
            ),
        ),
        Fault(
            "no-waves",
            _plain_angles,
            lambda c: (
                "You return the angles themselves: the sine (even columns) and the cosine (odd "
                f"columns) are missing. {_rows(c, 1)}"
            ),
        ),
        Fault(
            "whole-exponent",
            {"frequency": lambda d: 10000.0 ** -(_even(d) // d).astype(float)},
            lambda c: (
                "All your pairs have the frequency 1: the exponent comes out as 0 for each of "
                "them. `//` cuts 2f/d_model down to a whole number; write `/`."
            ),
        ),
        Fault(
            "down-to-the-base",
            {"frequency": lambda d: 10000.0 ** (-_even(d) / max(d - 2, 1))},
            lambda c: (
                "Your frequencies run from 1 down to exactly 1/10000: the exponent is "
                "−2f/(d_model − 2). Some programs do that; asked for is −2f/d_model, which stops "
                f"one step before. {_angles(c)}"
            ),
        ),
        Fault(
            "pairs-backward",
            {"frequency": lambda d: frequencies(d)[::-1]},
            lambda c: (
                "Your pairs run backward: the slowest comes first, and the fastest, of frequency "
                f"1, last. Pair 0 has the frequency 1. {_rows(c, 1)}"
            ),
        ),
        Fault(
            "from-one",
            {"position": lambda n: np.arange(1, n + 1)},
            lambda c: (
                "Your positions count from 1. The first position is 0, where every angle is 0. "
                f"{_rows(c, 0)}"
            ),
        ),
        Fault(
            "relative",
            {"position": lambda n: np.arange(n) / n},
            lambda c: (
                "You divide the position by n, so that it runs from 0 to 1. Then the same "
                "position gets another encoding in a longer sentence, and neighbors lie closer "
                f"together there. {_rows(c, 1)}"
            ),
        ),
        Fault(
            "degrees",
            {"position": lambda n: np.deg2rad(np.arange(n))},
            lambda c: (
                "You turn the angles from degrees into radians first. They are radians already: "
                f"the sine of pair 0 at position 1 is sin 1 = {number(np.sin(1))}. {_rows(c, 1)}"
            ),
        ),
        Fault(
            "transposed",
            {"finish": np.transpose},
            lambda c: (
                f"You return shape {c.got.shape}, one *column* for each position. A position is "
                f"a row here, as elements are everywhere in this course: {c.expected.shape}."
            ),
        ),
        Fault(
            "odd-allowed",
            {"refuse": _odd_passes},
            lambda c: (
                f"{_unpaired(c)}. Asked for is an error: "
                "`if d_model % 2: raise ValueError(…)`, as the first line."
            ),
        ),
        Fault(
            "odd-cut-off",
            _cut_off,
            lambda c: (
                f"{_unpaired(c)}: a sine without its cosine. Asked for is an error: "
                "`if d_model % 2: raise ValueError(…)`, as the first line."
            ),
        ),
    ),
    properties=(
        Property("base", _other_base),
        Property("first-position", _first_position),
        Property("beyond-one", _not_a_wave),
    ),
    hints=(
        "Make the d_model/2 frequencies first, as an array. Which number is 2f for f = 0, 1, 2, …?",
        "All angles at once are a table: a column of positions times a row of frequencies, shape "
        "(n, d_model/2). Its sines fill the even columns, its cosines the odd ones.",
        "`angles = np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d_model, 2) / d_model)`; then "
        "`P[:, 0::2] = np.sin(angles)`, and the same for the cosines from column 1 on.",
    ),
    built_ins=("course_attn.in_numpy.order.sinusoidal_encoding",),
)
