"""Question `steps_to_the_end`."""

import numpy as np

from course_attn.chapters.several_numbers import Asked, reader, reasons_for
from whywrong import Question

__all__ = ["exercise"]


def steps_to_the_end():
    """Give the numbers of steps until the last of 500 positions can know of the first."""
    recurrence = 500 - 1
    convolution = -(-(500 - 1) // 2)
    dilated = int(np.ceil(np.log2(500)))  # gaps of 1, 2, 4, … add up to 2**L - 1
    attention = 1
    local_and_global = 2
    return recurrence, convolution, dilated, attention, local_and_global


_NUMBERS = (
    Asked(
        "a",
        "a",
        499,
        {
            500: "the state knows of the first position from the start, and 499 positions follow."
        },
        "The first position is 499 steps away from the last, and each step of a recurrence leads "
        "one position on.",
    ),
    Asked(
        "b",
        "b",
        250,
        {
            125: "that is 499 divided by 4, right for layers that look back, four positions in one "
            "layer. Those that look both ways see two on each side.",
            100: "that is 500 divided by the width. Of its five positions only two lie on the way.",
            249: "249 layers lead 498 positions far, and one is missing.",
            9: "that is a logarithm of 500, right where the gaps grow. These layers have none.",
        },
        "In one layer a position hears of what is at most 2 positions away. How many layers make "
        "499?",
    ),
    Asked(
        "c",
        "c",
        9,
        {
            6: "that is the logarithm of 500 to base 3, the width. The gaps grow by a factor of 2, "
            "and six layers lead 1 + 2 + 4 + … + 32 = 63 positions on.",
            8: "eight layers lead 1 + 2 + 4 + … + 128 = 255 positions on.",
        },
        "Add up how far each layer leads, 1, 2, 4, 8, …, until it is 499 or more.",
    ),
    Asked(
        "d",
        "d",
        1,
        {
            2: "a single layer is enough: the last position attends to the first itself."
        },
        "Which positions does a position attend to in the very first layer?",
    ),
    Asked(
        "e",
        "e",
        2,
        {
            1: "in the first layer the last position sees the middle one, which does not know of "
            "the first yet.",
            250: "that is the way through the windows. There is a shorter one, by way of the "
            "middle.",
        },
        "Somebody hears of everybody after one layer, and everybody hears of that one.",
    ),
)


def _is(found: float, value: float) -> bool:
    return abs(found - value) < 1e-6


exercise = Question(
    steps_to_the_end,
    place=60,
    minutes=10,
    level="medium",
    section="How far in how many steps",
    task="""
In a text of 500 positions, after how many steps can the last position know of the *first*? A step
of a recurrence is a position; for all others it is a layer. Unlike those of the chapter, these
layers look **both ways**. Give five numbers:

- **a** a recurrence, which reads from the first position to the last and begins with the first one
  in its state;
- **b** convolutions of width 5: a position sees itself and two neighbors on each side;
- **c** dilated convolutions of width 3: in layer $l$, counted from 0, a position sees itself and
  the two positions that lie $2^l$ away, one on each side;
- **d** attention without a mask;
- **e** attention with a window, in which a position sees two neighbors on each side, but for one
  position in the middle, which sees all and is seen by all.
""",
    read=reader(5, "Return five numbers, in the order of the five layers, a to e."),
    fields=tuple("abcde"),
    reasons=tuple(reasons_for(_NUMBERS, _is)),
    hints=(
        "How far does news travel in one step of each kind?",
        "It is 499 positions from the first to the last. Divide, or, where the gaps grow, add up "
        "until it is enough.",
        "The dilated convolutions lead 1, then 1 + 2 = 3, then 1 + 2 + 4 = 7 positions on. With "
        "one position that sees all, news needs two layers: to it, and from it.",
    ),
)
