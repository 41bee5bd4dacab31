"""Question `steps_to_the_end`."""

from typing import Any

import numpy as np

from whywrong import Question, Reason

__all__ = ["exercise"]


def steps_to_the_end():
    """Give the numbers of steps until the last of 500 positions can know of the first."""
    recurrence = 500 - 1
    convolution = -(-(500 - 1) // 2)
    dilated = int(np.ceil(np.log2(500)))  # gaps of 1, 2, 4, … add up to 2**L - 1
    attention = 1
    local_and_global = 2
    return recurrence, convolution, dilated, attention, local_and_global


def _read(value: Any) -> tuple[float, ...]:
    try:
        found = np.asarray(value, dtype=float).ravel()
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.size != 5 or not np.isfinite(found).all():
        raise ValueError(
            "Return five numbers, in the order of the five layers, a to e."
        )
    return tuple(found.tolist())


def _slip(id: str, i: int, wrong: float, why: str) -> Reason:
    letter = "abcde"[i]
    return Reason(
        id,
        lambda found: abs(found[i] - wrong) < 0.5,
        f"{letter} is not {wrong:g}: {why}",
    )


_RIGHT = (499, 250, 9, 1, 2)
_REMINDERS = (
    "The first position is 499 steps away from the last, and each step of a recurrence leads one "
    "position on.",
    "In one layer a position hears of what is at most 2 positions away. How many layers make 499?",
    "Add up how far each layer leads, 1, 2, 4, 8, …, until it is 499 or more.",
    "Which positions does a position attend to in the very first layer?",
    "Somebody hears of everybody after one layer, and everybody hears of that one.",
)

exercise = Question(
    steps_to_the_end,
    place=60,
    minutes=10,
    level="medium",
    section="How far in how many steps",
    task="""
In a text of 500 positions, after how many steps can the last position know of the *first*? A step
of a recurrence is a position; for all others it is a layer. Unlike those of the chapter, these
layers look **both ways**. Let `steps_to_the_end()` return five numbers, in this order:

- **a** a recurrence, which reads from the first position to the last and begins with the first one
  in its state;
- **b** convolutions of width 5: a position sees itself and two neighbors on each side;
- **c** dilated convolutions of width 3: in layer $l$, counted from 0, a position sees itself and
  the two positions that lie $2^l$ away, one on each side;
- **d** attention without a mask;
- **e** attention with a window, in which a position sees two neighbors on each side, but for one
  position in the middle, which sees all and is seen by all.
""",
    read=_read,
    reasons=(
        _slip(
            "a-500",
            0,
            500,
            "the state knows of the first position from the start, and 499 "
            "positions follow.",
        ),
        _slip(
            "a-one",
            0,
            1,
            "a recurrence has to go through every position, one after the other.",
        ),
        _slip(
            "b-looking-back",
            1,
            125,
            "that is 499 divided by 4, right for layers that look back, "
            "four positions in one layer. Those that look both ways see two on each side.",
        ),
        _slip(
            "b-by-width",
            1,
            100,
            "that is 500 divided by the width. Of its five positions only "
            "two lie on the way.",
        ),
        _slip(
            "b-as-recurrence",
            1,
            499,
            "a layer of width 5 leads two positions on, not one.",
        ),
        _slip(
            "b-rounded-down",
            1,
            249,
            "249 layers lead 498 positions far, and one is missing.",
        ),
        _slip(
            "b-both-sides",
            1,
            167,
            "that is 500 divided by 3. In one layer what is known moves "
            "two positions on.",
        ),
        _slip(
            "b-logarithm",
            1,
            9,
            "that is a logarithm of 500, right where the gaps grow. These layers have none.",
        ),
        _slip(
            "c-base-3",
            2,
            6,
            "that is the logarithm of 500 to base 3, the width. The gaps grow by "
            "a factor of 2, and six layers lead 1 + 2 + 4 + … + 32 = 63 positions on.",
        ),
        _slip(
            "c-one-less",
            2,
            8,
            "eight layers lead 1 + 2 + 4 + … + 128 = 255 positions on.",
        ),
        _slip(
            "c-one-more",
            2,
            10,
            "nine layers lead 1 + 2 + 4 + … + 256 = 511 positions on. That "
            "is enough.",
        ),
        _slip(
            "c-not-dilated",
            2,
            499,
            "that is without the gaps, one position in each layer.",
        ),
        _slip(
            "c-two-at-once",
            2,
            250,
            "that is two positions in each layer. Here the gaps grow.",
        ),
        _slip(
            "d-all",
            3,
            500,
            "nothing has to go from position to position: everyone sees everyone "
            "in the first layer.",
        ),
        _slip(
            "d-two",
            3,
            2,
            "a single layer is enough: the last position attends to the first "
            "itself.",
        ),
        _slip(
            "e-one",
            4,
            1,
            "in the first layer the last position sees the middle one, which does "
            "not know of the first yet.",
        ),
        _slip(
            "e-window",
            4,
            250,
            "that is the way through the windows. There is a shorter one, by "
            "way of the middle.",
        ),
        _slip(
            "e-half",
            4,
            125,
            "the middle position sees the first *directly*, not through windows.",
        ),
        _slip(
            "e-three",
            4,
            3,
            "the middle hears of the first in one layer, and the last hears of "
            "the middle in the next.",
        ),
        *(
            Reason(
                f"other-{'abcde'[i]}",
                lambda found, i=i: abs(found[i] - _RIGHT[i]) > 1e-6,  # type: ignore[misc]
                lambda found, i=i: (
                    f"{'abcde'[i]} is not {found[i]:g}. {_REMINDERS[i]}"
                ),  # type: ignore[misc]
            )
            for i in range(5)
        ),
    ),
    hints=(
        "How far does news travel in one step of each kind?",
        "It is 499 positions from the first to the last. Divide, or, where the gaps grow, add up "
        "until it is enough.",
        "The dilated convolutions lead 1, then 1 + 2 = 3, then 1 + 2 + 4 = 7 positions on. With "
        "one position that sees all, news needs two layers: to it, and from it.",
    ),
)
