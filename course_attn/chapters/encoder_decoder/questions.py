"""What the chapter `encoder_decoder` asks."""

from course_attn.drawing.questions import Question, predict_number

__all__ = ["where_it_looks"]


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
        too_high="The encoder has carried what a character says to its neighbors: a digit can be "
        "read at other places, too.",
        text=1,
    )
