"""What the chapter `heads` asks."""

from collections.abc import Mapping

import numpy as np

from course_attn.drawing.questions import Question, predict, predict_number

__all__ = ["needed_block", "one_or_two", "without_a_head"]


def needed_block(costs: np.ndarray) -> Question:
    """Ask which block has the head that is missed most, given the rise of the loss by head."""
    layer, head = np.unravel_index(costs.argmax(), costs.shape)
    last = len(costs) - 1
    return predict(
        "needed-block",
        "Switch off one of the sixteen heads. In which block does that cost the model most?",
        [
            (
                "In the first",
                f"Head {head + 1} of block {layer + 1} costs {costs.max():.2f} nats, and no head "
                f"of a later block more than {costs[1:].max():.2f}.",
                bool(layer == 0),
            ),
            (
                "In the last, nearest to the answer",
                "Its heads write last. But the others have written to the same stream, and what "
                "they wrote reaches the answer, too.",
                bool(layer == last),
            ),
            (
                "Hardly any matters: fifteen are left",
                "So it would be if others could do the work of each.",
                bool(costs.max() < 0.1),
            ),
        ],
        covers=1,
        text=1,
    )


def one_or_two(right: Mapping[int, float]) -> Question:
    """Ask how many next letters one layer gets right where two get nearly all."""
    return predict_number(
        "one-or-two",
        "Two layers learn it: nearly all the next letters are right. How many does one layer "
        "get right?",
        0,
        100,
        100 * right[1],
        step=1,
        close=10,
        unit=" %",
        said=f"Two layers: {100 * right[2]:.0f} %. Chance among the sixteen letters is 6 %.",
        too_low="Until a line jumps, the answer stands fifteen places back, and one layer can look "
        "there.",
        too_high="It sees the earlier letter, but a key does not tell what stands before it, and "
        "that is what the query would have to ask for.",
        text=1,
    )


def without_a_head(without: Mapping[str, float], full: float) -> Question:
    """Ask what is lost without the clearest induction head, given the shares that stay right."""
    left = without["one induction head"]
    return predict(
        "without-a-head",
        "Switch off the head of layer 2 whose map shows induction most clearly. How many of the "
        "next letters are still right?",
        [
            (
                "About three quarters",
                "So it would be if each of the four heads had letters of its own to care for.",
                0.6 < left < 0.85,
            ),
            (
                f"About {100 * full:.0f} %, as before",
                f"{100 * left:.1f} % stay right: the other three heads do the same. Without all "
                f"four it is {100 * without['all of layer 2']:.0f} %.",
                left > full - 0.05,
            ),
            (
                "Hardly any",
                "So it would be if the answer depended on the map that you saw. Others may show "
                "the same.",
                left < 0.2,
            ),
        ],
        covers=1,
        text=1,
    )
