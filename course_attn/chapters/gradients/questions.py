"""What the chapter `gradients` asks."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from course_attn.drawing.questions import Question, predict

__all__ = ["best_nudge", "fifty_steps", "forgotten_root", "which_score"]


def which_score(d_scores: np.ndarray) -> Question:
    """Ask which of three scores rise, given the gradients of the loss with respect to them."""
    rises = (-np.sign(d_scores)).tolist()
    return predict(
        "which-score",
        "The weights 1/4, 1/2, 1/4, the values 8, 4, 0, the output 4. It should be 5. If each score"
        " could move on its own, which would a step downhill raise?",
        [
            (
                "The first and the second",
                "More of either value would raise a *sum*. But the weights sum to 1: what the"
                " second key gains, the two others lose.",
                rises == [1, 1, 0] or rises == [1, 1, -1],
            ),
            (
                "Mostly the second: it has the largest weight",
                "A weight is one factor of its score's gradient. It does not say which way the"
                " score should go.",
                rises[1] == 1 and abs(d_scores[1]) > abs(d_scores[0]),
            ),
            (
                "The first alone",
                f"The gradients of the three scores are {d_scores[0]:g}, {abs(d_scores[1]):g} and"
                f" {d_scores[2]:g}, and a step goes the other way: the first rises, the third"
                " falls, and the second, whose value is the output itself, stays.",
                rises[0] == 1 and rises[1] == 0 and rises[2] == -1,
            ),
        ],
        text=1,
    )


def best_nudge(errors: Mapping[float, float]) -> Question:
    """Ask which nudge measures a gradient best, given the error at each, in float64."""
    best = min(errors, key=lambda eps: errors[eps])
    return predict(
        "best-nudge",
        "float64 has sixteen digits. Which nudge gives the gradient with the smallest error?",
        [
            (
                "About 0.1",
                "There the loss is not yet straight: the line through two points is no tangent.",
                best > 3e-3,
            ),
            (
                "About 0.00001",
                f"Measured: {best:.0e}, with a relative error of {errors[best]:.0e}. Larger, and"
                " the curve shows; smaller, and the rounding.",
                3e-7 < best < 3e-4,
            ),
            (
                "As small as possible, 1e-14",
                "In the limit the quotient *is* the derivative. But a computer keeps sixteen"
                " digits of each loss, and nearly all of them are the same.",
                best < 3e-10,
            ),
        ],
        covers=2,
        text=1,
    )


def forgotten_root(
    first: ArrayLike, right: ArrayLike, wrong: ArrayLike
) -> Question:
    """Ask what forgetting √d does to a loss, given it at first and at last, for several starts."""
    first, right, wrong = map(np.asarray, (first, right, wrong))
    stays = bool((wrong > 0.9 * first[1]).all())
    worse = bool((wrong > right).all()) and not stays
    return predict(
        "forgotten-root",
        "Queries and keys of width 64 learn by small gradient steps. Somebody has forgotten to"
        " divide dQ and dK by √d. What does the loss show after a hundred steps?",
        [
            (
                "It falls, and further than with the division",
                f"In all {len(right)} starts: {wrong.mean():.2f} on average, and"
                f" {right.mean():.2f} with the division. The wrong gradients point the right way;"
                " they are eight times too long.",
                bool((wrong < right).all()),
            ),
            (
                "It does not fall: the gradient is wrong",
                "A step against a wrong gradient can still go downhill.",
                stays,
            ),
            (
                "It falls, but less far",
                "So it might if the *direction* were off. What does a constant factor change?",
                worse,
            ),
        ],
        text=1,
    )


def fifty_steps(apart: float) -> Question:
    """Ask how far the losses of two runs are apart, given the largest relative difference."""
    return predict(
        "fifty-steps",
        "Fifty steps with our gradients and our Adam in NumPy, and fifty with PyTorch's, from the"
        " same start on the same games, in float64. How far are the two losses apart at most,"
        " relative to their size?",
        [
            (
                "A few percent",
                "Every number is the same at first, and so is every formula.",
                1e-3 < apart < 1,
            ),
            (
                "About 1e-6",
                "float32 keeps about seven digits. Here are twice as many.",
                1e-8 < apart < 1e-4,
            ),
            (
                "Less than 1e-10",
                f"At most {apart:.0e}: the last digits of float64, after fifty steps that each"
                " build on the one before.",
                apart < 1e-10,
            ),
        ],
        covers=2,
    )
