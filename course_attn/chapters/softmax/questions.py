"""What the chapter `softmax` asks."""

import numpy as np

from course_attn.drawing.questions import Question, listed, predict, predict_number

__all__ = [
    "half_the_keys",
    "nothing_learned",
    "overflow",
    "steps_to_close_a_gap",
    "ten_times_hotter",
]


def overflow(weight: float) -> Question:
    """Ask for a weight as a computer gets it, of the score 710 next to 0."""
    return predict(
        "overflow",
        "Two scores, 710 and 0, in double precision; the largest number it has is about"
        " 1.8e308. Which weight does the line"
        " `A = np.exp(S) / np.exp(S).sum(axis=-1, keepdims=True)` give the first?",
        [
            (
                "1, or nearly",
                "On paper it does. But the computer takes the exponential of 710 first, and that"
                " is beyond the largest number it can hold.",
                weight > 0.5,
            ),
            (
                "Infinity",
                "The exponential does overflow to infinity. But that is not the weight yet: it is"
                " divided by the sum.",
                np.isposinf(weight),
            ),
            (
                "None: it is not a number",
                "Measured: NaN. The sum is infinite, too; infinity divided by infinity is NaN, and"
                " no error stops the program.",
                np.isnan(weight),
            ),
        ],
    )


def ten_times_hotter(
    scores: np.ndarray, hot: np.ndarray, cold: np.ndarray
) -> Question:
    """Ask for the weights at T = 10, given those at T = 10 and at T = 0.1."""
    even = np.full(len(scores), 1 / len(scores))
    return predict(
        "ten-times-hotter",
        f"The scores {listed(scores)} at T = 10: which weights?",
        [
            (
                listed(cold),
                "That is *cold*: you multiplied by T, or expected a large T to sharpen. Dividing"
                " by 10 makes the differences of the scores small.",
                np.allclose(cold, hot, atol=0.01),
            ),
            (
                listed(hot),
                "Measured: dividing by 10 leaves differences of 0.1 and 0.2, so the weights are"
                " nearly even. Their order stays.",
                True,
            ),
            (
                listed(even),
                "That is the limit for T → ∞. At every finite T the larger score keeps the larger"
                " weight.",
                np.allclose(even, hot, atol=0.01),
            ),
            (
                listed(scores / 10),
                "That is where it begins: scores divided by T. Softmax still has to make positive"
                " weights of them.",
                np.allclose(scores / 10, hot, atol=0.01),
            ),
        ],
    )


def steps_to_close_a_gap(squared: int, surprise: int) -> Question:
    """Ask how many steps the squared error takes to close a gap of 10."""
    return predict_number(
        "steps-to-close-a-gap",
        "The first score leads by 10. How many steps does the squared error take until the second"
        " key wins?",
        1,
        100_000,
        squared,
        unit=" steps",
        log=True,
        close=2,
        said=f"At first the weights hardly respond, so each step is tiny. The surprise takes"
        f" {surprise} steps from the same start.",
        too_low="A gap of 10 looks like a matter of tens of steps. But softmax is"
        " saturated, and nothing in the squared error makes up for it.",
        too_high="The derivative is nearly 0, but it is not 0, and at first it grows.",
        text=1,
    )


def half_the_keys(in_play: float, n_keys: int, right: float) -> Question:
    """Ask how many digits are read with so many keys in play."""
    return predict_number(
        "half-the-keys",
        f"At T = 1, {in_play:.0f} of the {n_keys:,} known digits are in play for a typical query,"
        " most of them of other classes. What share of the new digits is still read right?",
        0,
        100,
        100 * right,
        step=1,
        close=5,
        unit=" %",
        said="The right class only needs to be ahead of each of the others. What suffers is the"
        " confidence.",
        too_low="You would expect hundreds of far keys to drown the near ones. But they are"
        " spread over all ten digits, and the largest share wins.",
        too_high="Some digits do drown: at a lower temperature more are read right.",
        text=1,
    )


def nothing_learned(attention: np.ndarray, regression: np.ndarray) -> Question:
    """Ask which is more often right, given the shares of both in each split."""
    ahead = attention > regression
    return predict(
        "nothing-learned",
        "Attention compares raw pixels and has one number fitted; logistic regression has learned"
        " a vector for each digit. Which is more often right?",
        [
            (
                "Attention, in every split",
                f"Measured: {100 * attention.mean():.1f} % against {100 * regression.mean():.1f} %,"
                f" on average, and ahead in {ahead.sum()} of {len(ahead)} splits.",
                ahead.all(),
            ),
            (
                "Logistic regression, as it has learned",
                "It has learned one vector for each digit, and so it has one idea of a *7*."
                " Attention has every known *7* to compare with.",
                not ahead.any(),
            ),
            (
                "Sometimes one, sometimes the other",
                "The splits differ, but for both methods: attention is ahead in each, by at least"
                f" {100 * (attention - regression).min():.1f} percentage points.",
                ahead.any() and not ahead.all(),
            ),
        ],
    )
