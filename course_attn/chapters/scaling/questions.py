"""What the chapter `scaling` asks."""

import numpy as np
from numpy.typing import ArrayLike

from course_attn.drawing.questions import Question, predict, predict_number

__all__ = [
    "four_times_the_terms",
    "largest_of_eight",
    "matrices_from_randn",
    "middle_gradient",
    "what_is_left_of_entropy",
]


def largest_of_eight(largest: ArrayLike) -> Question:
    """Ask how large the largest of eight weights is, given it for many draws at width 1024."""
    largest = np.asarray(largest)
    middle = float(np.median(largest))
    return predict(
        "largest-of-eight",
        "A random query of width 1024 and eight random keys: how large is the largest weight,"
        " typically?",
        [
            (
                "About 1/8: chance favors none",
                "Chance favors none *on average*. In each single draw the eight scores differ, and"
                " softmax turns differences into ratios.",
                middle < 0.25,
            ),
            (
                "About a half",
                "So it is at width 4, on average. Here each score is a sum of 1024 products, not"
                " of four.",
                0.35 < middle < 0.65,
            ),
            (
                "Nearly 1",
                f"Measured: in half of {len(largest):,} draws it is above"
                f" {np.floor(1000 * middle) / 1000:.3f}. Which key wins is chance; that one wins"
                " is the width.",
                middle > 0.95,
            ),
        ],
        text=1,
    )


def four_times_the_terms(ratio: float) -> Question:
    """Ask how much farther from 0 a dot product is that has four times as many terms."""
    return predict(
        "four-times-the-terms",
        "Forty dot products of random vectors, added up product by product. After 256 products,"
        " how far from 0 are they, compared with after 64?",
        [
            (
                "As far: plus and minus cancel",
                "They cancel on average over many sums. Each single sum wanders, and has had more"
                " time to.",
                ratio < 1.3,
            ),
            (
                "Twice as far",
                f"Measured: {ratio:.2f} times, over 20,000 sums. Four times the terms, twice the"
                " distance: it grows like the square root.",
                1.8 < ratio < 2.2,
            ),
            (
                "Four times as far",
                "That would be so if all steps went the same way. About half of them go back.",
                ratio > 3.5,
            ),
        ],
    )


def matrices_from_randn(deviation: float) -> Question:
    """Ask for the standard deviation of scaled scores at width 256 with matrices from randn."""
    return predict(
        "matrices-from-randn",
        "Elements of width 256 and mean square 1, both matrices (256 × 256) from `randn`, scores"
        " divided by the square root of d_k, 16. What is the standard deviation of the scores?",
        [
            (
                "About 1",
                "The division repairs queries and keys of variance 1. These have more: each of"
                " their components is a sum over 256 features.",
                0.5 < deviation < 2,
            ),
            (
                "About 16",
                "√256 is by how much the components of a *query* are too large. A score has more"
                " in it than a query.",
                10 < deviation < 25,
            ),
            (
                "About 256",
                f"Measured: {deviation:.1f}. Queries are 16 times too large and keys as well: the"
                " matrices undo the division, and more.",
                200 < deviation < 320,
            ),
        ],
    )


def what_is_left_of_entropy(without: float, scaled: float) -> Question:
    """Ask for the entropy of rows of sixteen random scores that are not divided."""
    return predict_number(
        "what-is-left-of-entropy",
        "Sixteen random keys of width 1024, scores not divided by √d: how much entropy is left"
        " of log 16 = 2.77 nats, on average?",
        0,
        2.77,
        without,
        step=0.01,
        close=0.15,
        unit=" nats",
        said=f"That is {np.exp(without):.1f} keys in play. With scores divided by √1024 = 32,"
        f" it is {scaled:.2f} nats: {np.exp(scaled):.1f} keys.",
        too_low="A row is certain if one score leads by far, and in some rows two keys are close.",
        too_high="The scores have a standard deviation of 32. Among sixteen of them, the two"
        " largest are mostly far apart.",
    )


def middle_gradient(without: ArrayLike, scaled: ArrayLike) -> Question:
    """Ask which rows move more at width 64, given the sizes of gradients in many rows."""
    ratio = float(np.median(np.asarray(without)) / np.median(np.asarray(scaled)))
    return predict(
        "middle-gradient",
        "Sixteen random keys of width 64, and a random query is nudged. How far do the weights of"
        " the median row move without the division by √64, compared with how far they move with"
        " it?",
        [
            (
                "Farther",
                "Measured: more than twice as far. The missing factor 1/√64 outweighs the"
                " certainty, in the median row.",
                ratio > 2,
            ),
            (
                "Hardly at all: the gradient vanishes",
                "So it is at width 1024. At 64 most rows are not certain enough for that.",
                ratio < 0.3,
            ),
            (
                "About as far",
                "Certainty makes the gradient smaller, and the missing 1/√64 makes it larger. Why"
                " should the two balance at just this width?",
                1 / 1.5 < ratio < 1.5,
            ),
        ],
        covers=2,
        text=1,
    )
