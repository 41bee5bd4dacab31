"""What the chapter `perspective` asks."""

from collections.abc import Mapping, Sequence

import numpy as np

from course_attn.drawing.questions import Question, predict

__all__ = ["corner", "layers", "one_longer", "sharper", "ten_thousand"]


def one_longer(runs: Mapping[str, bool]) -> Question:
    """Ask which layers run when an element is added, given whether each does."""
    fail = [kind for kind, does in runs.items() if not does]
    return predict(
        "one-longer",
        "Four layers have been made for five elements. Now a sixth comes. Which of them cannot"
        " run?",
        [
            (
                "The dense layer alone",
                "Its 5 × 5 numbers have no row and no column for a sixth. The others have"
                " nothing that counts the elements.",
                fail == ["dense"],
            ),
            (
                "The dense layer and the convolution",
                "A convolution's numbers are fixed, too. But how many are there, and does that"
                " depend on how many elements come?",
                fail == ["dense", "convolution"],
            ),
            (
                "Attention: its table is 5 × 5",
                "The table is. Is anything in it learned?",
                fail == ["attention"],
            ),
            (
                "None of them",
                "A table of learned numbers has as many rows as it was made with. Look for a"
                " layer that learns such a table.",
                not fail,
            ),
        ],
        text=2,
    )


def corner(found: int) -> Question:
    """Ask how many heads find a neighbor for a pixel in the corner, given how many do."""
    return predict(
        "corner",
        "Pixel 0 is in the upper left corner. How many of the nine heads find something for it?",
        [
            ("9", "Where should the heads that mean *above* look?", found == 9),
            (
                "6",
                "A pixel at an edge has that many. This one has two edges.",
                found == 6,
            ),
            (
                "5",
                "Which of the nine shifts stay inside the picture? Count rows and columns apart.",
                found == 5,
            ),
            (
                "4",
                "Itself, and those to the right, below, and below to the right. The rows of"
                " the five other heads are 0: they bring nothing, as if zeros lay there.",
                found == 4,
            ),
        ],
    )


def sharper(left: np.ndarray) -> Question:
    """Ask what is left of an error when the sharpness doubles from 4, given the shares."""
    low, high = f"{1 / left.max():.0f}", f"{1 / left.min():.0f}"
    factors = low if low == high else f"{low} to {high}"
    return predict(
        "sharper",
        "Nine softmax heads of sharpness 4 miss the convolution with a continued border by some"
        " error. Make them twice as sharp. What is left of it?",
        [
            (
                "A half",
                "So it would be if the error fell like 1/α. But the scores stand in an"
                " exponent.",
                bool(((left > 0.4) & (left < 0.6)).all()),
            ),
            (
                "About a fiftieth",
                f"In the five draws it shrinks by a factor of {factors}: e⁴ is about 55.",
                bool(((left > 1 / 65) & (left < 1 / 40)).all()),
            ),
            (
                "A quarter",
                "That is what a square does. Which function turns scores into weights?",
                bool(((left > 0.2) & (left < 0.3)).all()),
            ),
            (
                "Nothing",
                "The formula of softmax never gives a weight of exactly 0, however sharp.",
                bool((left == 0).all()),
            ),
        ],
        covers=2,
    )


def ten_thousand(shares: Sequence[float]) -> Question:
    """Ask how many of 10,000 patterns one step restores, given the share by draw."""
    low = min(shares)
    return predict(
        "ten-thousand",
        "By the theory of large networks, a classical one of 64 signs keeps about nine random"
        " patterns, with a few wrong signs. Now attention stores 10,000, and one of them comes"
        " with 6 wrong signs. How often does *one* step put all of them right?",
        [
            (
                "Hardly ever: 10,000 patterns get in each other's way",
                "They do where all are added up in one matrix. Here each keeps a row of its"
                " own, and only its weight depends on the others.",
                max(shares) < 0.1,
            ),
            (
                "About half the time",
                "Is there often a wrong pattern as near as the right one? Compare the scores: 52"
                " for the right one, and for the others 0, give or take 8.",
                0.3 < np.mean(shares) < 0.7,
            ),
            (
                "Every time",
                f"In {len(shares)} draws with forty damaged patterns each, the least share is"
                f" {100 * low:.0f} %.",
                low == 1,
            ),
        ],
        covers=2,
        text=1,
    )


def layers(n_layers: int) -> Question:
    """Ask how many convolutions reach back over 15 positions, given how many do."""
    return predict(
        "layers",
        "A convolution that sees an element and the two before it, layer upon layer, no gaps."
        " How many layers until output 16 has heard of input 1?",
        [
            (
                "8",
                "Each layer reaches back two more, and 15 have to be bridged.",
                n_layers == 8,
            ),
            (
                "3",
                "Three layers are enough if the gaps grow threefold from layer to layer. Here"
                " they do not.",
                n_layers == 3,
            ),
            (
                "5 or 6: sixteen divided by the width",
                "The width is 3, but one of the three is the element itself.",
                n_layers in (5, 6),
            ),
            (
                "16",
                "So it would be, nearly, if each layer reached back by one.",
                n_layers in (15, 16),
            ),
        ],
        covers=2,
    )
