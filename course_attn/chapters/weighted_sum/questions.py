"""What the chapter `weighted_sum` asks."""

import numpy as np

from course_attn.drawing.questions import Question, listed, predict, predict_number

__all__ = ["blur", "near_and_alike", "one_hot_row", "one_value"]


def one_hot_row(weights: np.ndarray, values: np.ndarray) -> Question:
    """Ask for the output of a one-hot row; there are as many values as features."""
    output, one = weights @ values, int(np.argmax(weights))
    column = values[:, one]
    return predict(
        "one-hot-row",
        f"The second row of weights is {listed(weights)}. What is the second output?",
        [
            (
                listed(column),
                "That is the last feature of each word. A weight belongs to a word, so it takes"
                " or leaves all features of it.",
                np.allclose(column, output),
            ),
            (
                listed(output),
                f"Measured: {listed(output)}, the value of the third word, unchanged. A weight of"
                " 1 copies, and weights of 0 take nothing.",
                np.allclose(values[one], output),
            ),
            (
                listed(weights),
                "Those are the weights, and not what they mix. Each of them multiplies the value"
                " of one word.",
                np.allclose(weights, output),
            ),
        ],
    )


def one_value(weights: np.ndarray, value: np.ndarray) -> Question:
    """Ask what weights make of a single value that NumPy stretches to fit."""
    output = (weights[:, None] * value).sum(axis=0)
    once = weights[0] * value[0]
    return predict(
        "one-value",
        f"Seven weights of 1/7 meet a single value, {listed(value[0])}. What is"
        " `(weights[:, None] * value).sum(axis=0)`? (`None` adds an axis of length 1, and"
        " one of length 1 is repeated to fit.)",
        [
            (
                listed(7 * value[0]),
                "The value is copied seven times. But each copy is multiplied by its weight"
                " before they are added.",
                np.allclose(7 * value[0], output),
            ),
            (
                listed(once),
                "That is one seventh of the value. But the one value is repeated for each of the"
                " seven weights.",
                np.allclose(once, output),
            ),
            (
                listed(value[0]),
                f"Measured: {listed(output)}. NumPy makes seven copies of the value, and their"
                " average is the value. It looks right, and six values are missing.",
                np.allclose(value[0], output),
            ),
        ],
    )


def blur(noisy: float, blurred: float) -> Question:
    """Ask whether averaging over neighbors brings a noisy photograph nearer to the clean one."""
    ratio = blurred / noisy
    return predict(
        "blur",
        "How near to the clean photograph is the average of width 1.5, compared with the noisy"
        " one? (The distance is the root mean square difference of their colors.)",
        [
            (
                "Farther away",
                f"Measured: the distance is {blurred:.3f}, and it was {noisy:.3f} with the noise."
                " Most of the noise is gone, but the outlines are blurred.",
                ratio > 1.1,
            ),
            (
                "Much nearer",
                "Averaging does cancel noise. But it averages across outlines as well, and what"
                " was sharp is lost.",
                ratio < 0.7,
            ),
            (
                "About as near",
                "The noise that goes and the outlines that are lost would have to balance. Why"
                " should they at just this width?",
                0.9 <= ratio <= 1.1,
            ),
        ],
        text=1,
    )


def near_and_alike(noisy: float, narrow: float, alike: float) -> Question:
    """Ask how near to the clean photograph weights come that look at colors, too."""
    return predict_number(
        "near-and-alike",
        f"The noisy photograph is {noisy:.3f} away from the clean one, a narrow average by"
        f" nearness alone {narrow:.3f}. How far is the average by nearness *and* color?",
        0,
        0.1,
        alike,
        step=0.001,
        close=0.008,
        said=f"It takes away {100 * (1 - alike / noisy):.0f} % of the distance; the narrow one"
        f" takes away {100 * (1 - narrow / noisy):.0f} %.",
        too_low="Some noise stays, and true colors that differ a little are averaged, too.",
        too_high="These weights skip pixels of other colors. So they can reach farther without"
        " averaging across an outline.",
        covers=2,
    )
