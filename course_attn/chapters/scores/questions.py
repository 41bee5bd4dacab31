"""What the chapter `scores` asks."""

from collections.abc import Mapping

import numpy as np

from course_attn.drawing.questions import Question, predict, predict_number

__all__ = ["four_scores", "kernel_regression", "long_key", "roof", "toward_the_key"]


def long_key(short: float, long: float) -> Question:
    """Ask which dot product is larger: same direction and short, or almost sideways and long."""
    return predict(
        "long-key",
        "A query of length 1 meets two keys: one of length 1 in its own direction, one of length"
        " 100 at an angle of 80°. Which has the larger dot product?",
        [
            (
                "The long one, almost sideways",
                f"Measured: {long:.1f} against {short:.1f}. The cosine of 80° is small, but the"
                " length multiplies it by 100.",
                long > 1.1 * short,
            ),
            (
                "The one in its direction",
                "If the dot product measured similarity, it would. But it multiplies the cosine"
                " by both lengths.",
                short > 1.1 * long,
            ),
            (
                "Both have the same",
                "Direction and length would have to balance: the cosine of 80° would have to be"
                " 1/100.",
                short / 1.1 <= long <= 1.1 * short,
            ),
        ],
        text=1,
    )


def four_scores(winners: Mapping[str, str]) -> Question:
    """Ask how many keys are ranked highest by one of four scores, given which each ranks so."""
    n = len(set(winners.values()))
    told = ", ".join(f"{score} *{winner}*" for score, winner in winners.items())
    return predict(
        "four-scores",
        "Four scores (dot, cosine, Gaussian, general with W = −I) each pick a key. How many"
        " different keys are picked?",
        [
            (
                "One",
                "All four measure relevance, but they do not agree on what it is: a key's length,"
                " for one, counts in the dot product and not in the cosine.",
                n == 1,
            ),
            (
                "Two or three",
                "It is tempting to let dot product, cosine and Gaussian agree, and only −I"
                " differ. Ask on which of length, angle and distance each of them depends."
                "",
                n in (2, 3),
            ),
            (
                "Four",
                f"Measured: {told}. Each rewards something else.",
                n == 4,
            ),
        ],
        text=1,
    )


def kernel_regression(flat: float, line: float, near: float) -> Question:
    """Ask how kernel regression does on new patients, given three errors."""
    return predict(
        "kernel-regression",
        "How well does kernel regression predict new patients, compared with a straight line?",
        [
            (
                "Much better: it can follow any curve",
                "It can, but that helps only where there is a curve to follow, and it can follow"
                " noise as well.",
                near < 0.9 * line,
            ),
            (
                "About as well",
                f"Measured on new patients: an error of {near:.1f} for kernel regression,"
                f" {line:.1f} for the line and {flat:.1f} for the mean of all. The line was told"
                " that the relation is a line; kernel regression was not.",
                abs(near / line - 1) < 0.05,
            ),
            (
                "Hardly better than the mean of all",
                "It is an average of known patients, but those with a similar body mass index"
                " count more, and that index says something.",
                near > 0.97 * flat,
            ),
        ],
    )


def toward_the_key(before: float, after: float) -> Question:
    """Ask what a small step straight toward a key does to the score."""
    return predict(
        "toward-the-key",
        "The query (3, 0) takes a small step straight toward the key (1, 0). What becomes of their"
        " dot product?",
        [
            (
                "It grows, as they come closer",
                "It would if the score rewarded nearness. The dot product"
                " depends on lengths and the angle, not on the distance alone.",
                after > before,
            ),
            (
                "It shrinks",
                f"Measured: from {before:.1f} to {after:.1f} after a tenth of the way. The query"
                " gets shorter. What raises a dot product is a step in the key's *direction*.",
                after < before and not np.isclose(after, before),
            ),
            (
                "It stays, as the angle does",
                "That is true of the cosine. The dot product contains the query's length, too.",
                np.isclose(after, before),
            ),
        ],
        covers=0,
        text=1,
    )


def roof(above: float) -> Question:
    """Ask how much weight a pixel at the edge of a roof gives to what lies above it."""
    return predict_number(
        "roof",
        "A pixel stands at the dark edge of a roof, under a lighter strip of it and the sky. Of the"
        " weight it gives to other rows of the picture, how much goes to those above?",
        0,
        100,
        100 * above,
        step=1,
        close=5,
        unit=" %",
        said="It goes to dark pixels of the roof, not to the lit ones or the sky.",
        too_low="Some dark roof lies above the pixel, too.",
        too_high="By nearness alone, half would lie above. But the less a pixel's color is like"
        " its own, the smaller its weight.",
    )
