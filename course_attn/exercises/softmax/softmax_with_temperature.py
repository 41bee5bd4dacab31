"""Exercise `softmax_with_temperature` of chapter 3."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_attn.checking import BuiltIn, Case, Exercise, Fault, Kind, number
from course_attn.exercises.softmax._steps import nan_rows, row_max, row_sum

__all__ = ["exercise"]


def softmax_with_temperature(scores, temperature):
    """Turn every row of scores into weights; a low temperature sharpens them."""
    scaled = scores / temperature
    powers = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def _temperature_cases() -> tuple[Case, ...]:
    rng = np.random.default_rng(20260302)
    draw = rng.standard_normal
    apart = draw((5, 7)) + np.array([[0.0], [1e4], [-9e3], [40.0], [-2e4]])
    return (
        Case((np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]]), 0.5), "example"),
        Case((draw((5, 7)), 0.7)),
        Case((draw((11, 3)), 3.0)),
        Case((draw((5, 5)), 1.7), "square"),
        Case((draw((2, 3, 5, 7)), 0.4), "batch"),
        Case((apart, 0.1), "large"),
        Case((draw((11, 13)).astype("f4"), 2.5), "float32"),
    )


def _tempered(
    scores: np.ndarray,
    temperature: float,
    *,
    scale: Callable[..., Any] = np.divide,
    shift: Callable[..., Any] = row_max,
    total: Callable[..., Any] = row_sum,
    finish: Callable[..., Any] = lambda weights, temperature: weights,
) -> np.ndarray:
    scaled = scale(scores, temperature)
    powers = np.exp(scaled - shift(scaled))
    return finish(powers / total(powers), temperature)


exercise = Exercise(
    solution=softmax_with_temperature,
    place=20,
    section="How sharp? The temperature",
    task="""
Write `softmax_with_temperature(scores, temperature)`: the softmax of `scores / temperature` along
the last axis. A temperature (a number above 0) below 1 sharpens the weights, one above 1 evens them
out. Shape (…, n) in and out; you may use your own `softmax`.
""",
    cases=_temperature_cases,
    variant=_tempered,
    kinds={
        "large": Kind(
            "for large scores at a low temperature",
            "Dividing by 0.1 makes scores ten times larger: shift *after* dividing.",
        ),
    },
    faults=(
        Fault(
            "multiplied",
            {"scale": np.multiply},
            lambda c: (
                "You multiply by the temperature where you should divide: at temperature "
                f"{number(c.given['temperature'])} your weights get "
                f"{'flatter' if c.given['temperature'] < 1 else 'sharper'}, and they should get "
                f"{'sharper' if c.given['temperature'] < 1 else 'flatter'}."
            ),
        ),
        Fault(
            "unused",
            {"scale": lambda scores, temperature: scores},
            "The temperature plays no part: your weights are those of temperature 1.",
        ),
        Fault(
            "after-softmax",
            {
                "scale": lambda scores, temperature: scores,
                "finish": lambda weights, temperature: weights / temperature,
            },
            lambda c: (
                "You divide the finished weights by the temperature, so your rows sum to "
                f"{c.sums()}. Divide the *scores*, before exp."
            ),
        ),
        Fault(
            "squared",
            {"scale": lambda scores, temperature: scores / temperature**2},
            "You divide by the temperature twice (or by its square): once is enough.",
        ),
        Fault(
            "root",
            {"scale": lambda scores, temperature: scores / np.sqrt(temperature)},
            "You divide by the square root of the temperature; divide by the temperature itself.",
        ),
        Fault(
            "no-shift",
            {"shift": lambda scaled: 0.0},
            lambda c: (
                "exp of a large score is infinite, and ∞/∞ is NaN: "
                f"{nan_rows(c)} of your rows here. Subtract each row's largest score first."
            ),
        ),
        Fault(
            "global-shift",
            {"shift": np.max},
            lambda c: (
                "You subtract one maximum for the whole array; rows far below it become 0/0: "
                f"{nan_rows(c)} of your rows here are NaN."
            ),
        ),
        Fault(
            "not-normalized",
            {"total": lambda powers: 1.0},
            lambda c: (
                f"The powers are not divided by their sum: your rows sum to {c.sums()}."
            ),
        ),
        Fault(
            "wrong-axis",
            {
                "shift": lambda scaled: scaled.max(axis=-2, keepdims=True),
                "total": lambda powers: powers.sum(axis=-2, keepdims=True),
            },
            lambda c: (
                f"Your columns sum to 1, and your rows to {c.sums()}: the axis is wrong."
            ),
        ),
        Fault(
            "whole-array",
            {"total": np.sum},
            lambda c: (
                f"You divide by the sum of the whole array: your rows sum to {c.sums()}."
            ),
        ),
    ),
    hints=(
        "At temperature 0.5, should the scores 1 and 2 end up closer together or farther apart "
        "before the softmax?",
        "Only the scores change; then everything is as before.",
        "`softmax(scores / temperature)`, with a softmax that subtracts each row's maximum.",
    ),
    built_ins=(
        BuiltIn(
            "course_attn.in_numpy.softmax.softmax",
            when=lambda given: given.get("temperature", 1.0) != 1.0,
        ),
    ),
)
