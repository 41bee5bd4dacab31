"""Exercise `softmax_with_temperature`."""

import numpy as np

from course_attn.chapters.softmax.exercises.softmax import exercise as plain
from whywrong import (
    BuiltIn,
    Case,
    Context,
    Exercise,
    Kind,
    Property,
    fault_list,
)

__all__ = ["exercise"]


def softmax_with_temperature(scores, temperature):
    """Turn every row of scores into weights; a low temperature sharpens them."""
    scaled_scores = scores / temperature
    row_maximum = scaled_scores.max(axis=-1, keepdims=True)
    exps = np.exp(scaled_scores - row_maximum)
    row_sum = exps.sum(axis=-1, keepdims=True)
    weights = exps / row_sum
    return weights


def _cases() -> tuple[Case, ...]:
    draw = np.random.default_rng(20260302).standard_normal
    # e to 100 is finite, and e to 100 less ten times 100 is 0.
    apart = draw((5, 8)) + np.array([[0.0], [1e4], [-9e3], [100.0], [-2e4]])
    apart[1, 2] += 3e3  # far above the mean of its row
    return (
        Case((np.array([[0.0, 1.0, 2.0], [3.0, 1.0, 1.0]]), 0.5), "example"),
        Case((draw((5, 8)), 0.7)),
        Case((draw((11, 3)), 3.0)),
        Case((draw((5, 5)), 1.7), "square"),
        Case((draw((2, 3, 5, 8)), 0.4), "batch"),
        Case((draw(7), 1.3), "vector"),
        Case((apart, 0.1), "large"),
        Case((draw((3, 11)) - [[90.0], [150.0], [80.0]], 0.1), "low"),
        Case((draw((1, 6)), 2.2), "one"),
        Case((draw((5, 1)), 0.6), "one"),
        Case((draw((11, 13)).astype("f4"), 2.5), "float32"),
        Case((3000 * draw((5, 7)), 2500.0), "hot"),
        Case((0.01 * draw((3, 7)), 0.01), "cold"),
    )


def _other_temperature(c: Context) -> str | None:
    given = c.given["temperature"]
    weights = c.call(np.array([[0.0, 1.0, 3.0]]), given)
    if weights is None or weights.shape != (1, 3) or not (weights > 0).all():
        return None
    _, once, thrice = np.log(weights[0] / weights[0, 0])
    if not once or not np.isclose(thrice, 3 * once, rtol=1e-4):
        return None
    return (
        f"Called with the temperature {given:.4g}, you give the weights of temperature "
        f"{1 / once:.4g}: what do you divide the scores by?"
    )


exercise = Exercise(
    softmax_with_temperature,
    place=20,
    minutes=5,
    level="easy",
    prepares=("soft_lookup",),
    section="How sharp? The temperature",
    task="""
Write `softmax_with_temperature(scores, temperature)`: the softmax of `scores / temperature` along
the last axis. A temperature (a number above 0) below 1 sharpens the weights, one above 1 evens them
out. Scores may be of any size and lie thousands apart. Shape (…, n) in and out; you may use your
own `softmax`.
""",
    cases=_cases,
    kinds={
        **plain.kinds,
        "hot": Kind(
            "where scores lie thousands apart and the temperature is high",
            "Divided by it, they are close together: none of the weights is 0 then.",
        ),
        "cold": Kind(
            "where scores are close together and the temperature is near 0",
            "Divided by it, they are not close: several weights have a part then.",
        ),
    },
    faults=fault_list("""
multiplied: scores / temperature → scores * temperature
    Your temperature works the wrong way around: you give the weights of temperature 1/T, which
    is what you get when the scores are multiplied by T, or the weights raised to the power T. A
    temperature below 1 should sharpen the weights.
unused: scores / temperature → scores
    Whatever the temperature, your weights are those of temperature 1: it plays no part, or it
    cancels, as a divisor of all *exponentials* does. What is to be divided by it, before exp?
after-softmax: scores / temperature → scores
        and return weights → return weights / temperature
    You divide the finished weights by the temperature, so your rows sum to {your.sums}. Divide
    the *scores*, before exp.
divided-again: return weights → return weights / temperature
    You divide the finished weights by the temperature once more, after the scores: your rows sum to
    {your.sums}. Which of the two divisions is asked for?
power-of-weights: scores / temperature → scores
        and return weights → return weights ** (1 / temperature)
    You raise the finished weights to the power 1/temperature, which changes their sums: your
    rows sum to {your.sums}. Divide by their sum again, or the scores by the temperature before exp.
power-of-weights-divided: np.exp(scaled_scores - row_maximum)
            → np.exp(scores - scores.max(axis=-1, keepdims=True)) ** (1 / temperature)
    The softmax to the power 1/temperature, divided by its sum, is right on paper. But exp of
    a score that lies 800 below the largest is 0 already, and 0 to any power stays 0, even at
    temperature {temperature}. Divide the *scores* by the temperature, before exp. {worst_row}
sum-not-divided: exps.sum(axis=-1, keepdims=True)
            → np.exp(scores - scores.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True)
    Above the fraction bar the scores are divided by the temperature, below it they are not:
    your rows sum to {your.sums}. Divide the exponentials by their own sum.
no-shift: scaled_scores.max(axis=-1, keepdims=True) → 0.0
    exp of a large score is infinite, that of a low one 0, and ∞/∞ and 0/0 are NaN:
    {your.nan_rows} of your rows here. Subtract each row's largest score first.
shift-not-divided: scaled_scores.max( → scores.max(
    You divide the scores by the temperature, and not the maximum that you subtract from them: the
    largest exponent is no longer 0, and {your.nan_rows} of your rows here are NaN (0/0 or ∞/∞).
wrong-axis: scaled_scores.max(axis=-1, keepdims=True) → scaled_scores.max(axis=0, keepdims=True)
        and exps.sum(axis=-1, keepdims=True) → exps.sum(axis=0, keepdims=True)
    Your rows sum to {your.sums}: you normalize along axis 0. A row is the *last* axis, `axis=-1`.
global-shift: scaled_scores.max(axis=-1, keepdims=True) → scaled_scores.max()
    You subtract one maximum for the whole array; rows far below it become 0/0: {your.nan_rows}
    of your rows here are NaN.
squared: scores / temperature → scores / temperature**2
    Your scores are divided by the temperature twice: the exponents contain T². Where is the
    second division?
root: scores / temperature → scores / temperature**0.5
    You divide by the square root of the temperature. A root belongs to √d_k in attention; here the
    temperature is taken as it is.
one-more: exps / row_sum → exps / (1.0 + row_sum)
    You divide by 1 *more* than the sum of the exponentials. Does a running sum of yours begin at 1,
    or is something added to it?
over-everything: exps.sum(axis=-1, keepdims=True) → exps.sum()
    You divide by the sum over all rows together: your rows sum to {your.sums}. Each row has a sum
    of its own: along which axis?
"""),
    properties=(
        *(known for known in plain.properties if known.id == "row-sums"),
        Property("other-temperature", _other_temperature),
    ),
    wrong_lines=("multiplied", "unused", "global-shift"),
    hints=(
        "At temperature 0.5, should the scores 1 and 2 end up closer together or farther apart "
        "before the softmax?",
        "Only the scores change; then everything is as before.",
        "`softmax(scores / temperature)`, with a softmax that subtracts each row's maximum.",
    ),
    built_ins=tuple(
        BuiltIn(name, when=lambda given: given.get("temperature", 1.0) != 1.0)
        for name in map(str, plain.built_ins)
        if name.startswith("course_attn")
    ),
)
