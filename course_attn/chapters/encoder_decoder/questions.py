"""What the chapter `encoder_decoder` asks."""

from collections.abc import Mapping

import numpy as np

from course_attn.drawing.questions import Question, predict, predict_number

__all__ = ["given_what_it_is_asked", "padding_in_sight", "where_it_looks"]


def given_what_it_is_asked(mistakes: Mapping[str, np.ndarray]) -> Question:
    """Ask what a model does that is asked for the character it is given.

    Parameters
    ----------
    mistakes : mapping from str to array, shape (4,)
        For each mistake the loss and the shares told, free and single.
    """
    loss, told, free, _ = mistakes["targets not shifted"]
    sound = mistakes["none"]
    lower, copies = loss < sound[0], told > 0.99 and free < 0.01
    return predict(
        "given-what-it-is-asked",
        "The targets are not shifted: each row is asked for the character that it is given. What"
        " does the loss do in training, and what does the model write?",
        [
            (
                "The loss stays high, and nonsense is written",
                "A high loss would warn you. What does a row have to do here to be right?",
                not lower and not copies,
            ),
            (
                "The loss gets low, and dates are written as they should be",
                "It gets low. But what is there to copy when the model writes?",
                lower and not copies,
            ),
            (
                "The loss gets lower than that of the right model, and no date is right",
                f"Measured: a loss of {loss:.4f} against {sound[0]:.4f}; told, {told:.0%} of its"
                f" goals are met; free, {free:.0%} of the answers are right. It has learned to"
                " copy.",
                lower and copies,
            ),
        ],
    )


def padding_in_sight(mistakes: Mapping[str, np.ndarray]) -> Question:
    """Ask where a model fails that has always seen the padding of its sources.

    Parameters
    ----------
    mistakes : mapping from str to array, shape (4,)
        For each mistake the loss and the shares told, free and single.
    """
    _, _, batch, single = mistakes["the source's padding not masked"]
    right = mistakes["none"][2]
    return predict(
        "padding-in-sight",
        "The padding of the sources is never masked, in training and in writing. Where are more"
        " answers right: in batches like those it was trained on, or for one source alone, which"
        " has no padding?",
        [
            (
                "Alone: nothing disturbs it there",
                "Padding disturbs a model that has not met it. This one has read no short source"
                " alone.",
                single > batch + 0.05,
            ),
            (
                "In batches",
                f"Measured: {batch:.0%} in batches, {single:.0%} alone; with the mask {right:.0%}"
                " in batches. It has learned to read with padding, so padding is missing.",
                batch > single + 0.05,
            ),
            (
                "The same: padding tells nothing",
                "A padding token is a key and a value like any other, and it takes its share of"
                " the weight.",
                abs(single - batch) <= 0.05,
            ),
        ],
        text=3,
    )


def where_it_looks(hits: float, chance: float, accuracy: float) -> Question:
    """Ask how often the largest weight lies where the digit comes from.

    Parameters
    ----------
    hits, chance : float
        The share of digits whose largest weight lies there, and that of a place drawn at random.
    accuracy : float
        The share of whole answers that are right.
    """
    return predict_number(
        "where-it-looks",
        f"The model writes {100 * accuracy:.0f} % of the answers without a mistake. For how many "
        "of 100 digits does its largest weight lie on a character that says this digit?",
        0,
        100,
        100 * hits,
        step=1,
        close=7,
        unit=" of 100",
        said=f"A place drawn at random would hit {100 * chance:.0f} of 100.",
        too_low="Nobody told it where to look, but looking there pays.",
        too_high="The encoder may have carried what a character says to other places: a digit can "
        "be read there, too.",
        text=1,
    )
