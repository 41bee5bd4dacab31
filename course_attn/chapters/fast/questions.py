"""What the chapter `fast` asks."""

from collections.abc import Mapping

import numpy as np

from course_attn.drawing.questions import Question, listed, predict, predict_number

__all__ = [
    "intensity_of_explicit",
    "nothing_shrunk",
    "time_of_tiles",
    "two_halves",
    "weights_of_a_photograph",
]


def weights_of_a_photograph(n: int, n_before: int) -> Question:
    """Ask how many megabytes the weights of all pairs of n pixels take."""
    megabytes, times = 4 * n**2 / 1e6, n / n_before
    pictures = float(f"{4 * n**2 / (12 * n):.1g}")
    return predict_number(
        "weights-of-a-photograph",
        "How much memory does the matrix of weights take, with 4 bytes for each of them, in "
        "megabytes (MB, million bytes)?",
        0.1,
        1e6,
        megabytes,
        said=f"{n:,} × {n:,} weights of 4 bytes are {megabytes:,.0f} million bytes (MB), or "
        f"{4 * n**2 / 2**30:.1f} GiB of 2³⁰ bytes: about {pictures:,.0f} times as much as the "
        "picture.",
        too_low=f"There are {times:.0f} times as many pixels as before, but {times**2:.0f} "
        "times as many *pairs* of pixels, and each pair has its weight.",
        too_high="It is a single number of 4 bytes for each pair of pixels, whatever the "
        "pixels hold.",
        close=2,
        unit=" MB",
        log=True,
        covers=0,
    )


def intensity_of_explicit(intensity: Mapping[int, float]) -> Question:
    """Ask how operations per byte grow, given them for a short and a long sequence."""
    (short, few), (long, many) = sorted(intensity.items())
    growth, times = many / few, long // short
    return predict(
        "intensity-of-explicit",
        f"Take explicit attention, and {times} times as many positions: {long:,} in place of "
        f"{short:,}. What happens to the operations per byte?",
        [
            (
                f"{times} times as many",
                "So it would be if only inputs and outputs were moved, n rows of them. But "
                "explicit attention also moves n² scores and weights.",
                growth > times / 2,
            ),
            (
                "They hardly change",
                f"{few:.1f} with {short:,} positions, {many:.1f} with {long:,}. Operations and "
                "bytes both grow with n², and their quotient stays below 16.",
                0.8 < growth < 1.25,
            ),
            (
                f"A {times}th as many",
                "The bytes do grow with n², since all weights are stored. But operations per "
                "byte is a quotient: look at its other number as well.",
                growth < 2 / times,
            ),
        ],
    )


def two_halves(
    outputs: np.ndarray,
    by_number: np.ndarray,
    by_sum: np.ndarray,
    whole: np.ndarray,
) -> Question:
    """Ask what halves must leave, given both outputs and three ways to the whole one.

    That is, an average by the number of keys, one by the sum of exponentials, and the right one.
    """
    mean, first, second = outputs.mean(axis=0), *map(listed, outputs)
    whole, by_sum = whole.round(9), by_sum.round(9)
    enough = np.allclose(by_sum, whole)
    return predict(
        "two-halves",
        f"Cut the four keys into halves, each with a softmax of its own: the output is {first} "
        f"of one half and {second} of the other. What else must each half leave behind, so "
        "that the output of all four can be computed?",
        [
            (
                "Nothing: take the mean of the two",
                "Each half's weights sum to 1, even if its keys hardly matter beside the "
                "others.",
                np.allclose(mean, whole),
            ),
            (
                "How many keys it has",
                "Both have two, so this is the mean of the two outputs. But a half may have as "
                "many keys as the other and hardly matter beside it.",
                np.allclose(by_number, whole) and not np.allclose(mean, whole),
            ),
            (
                "All of its weights",
                "They sum to 1 in each half, whatever its scores are. They compare its keys "
                "with one another, and not the half with the other half.",
                not enough,
            ),
            (
                "The sum of its exponentials",
                "Weigh the two outputs with it (and keep the largest score beside it, so that "
                f"nothing overflows): {listed(by_sum)}, as with all four keys at once. The "
                f"plain mean would be {listed(mean)}.",
                enough
                and not np.allclose(mean, whole)
                and not np.allclose(by_number, whole),
            ),
        ],
        covers=0,
    )


def nothing_shrunk(right: np.ndarray, largest_first: np.ndarray) -> Question:
    """Ask when a sum is wrong that is never shrunk, for all orders of four different scores."""
    return predict(
        "nothing-shrunk",
        "Somebody keeps the maximum up to date, but forgets to shrink what was summed before. "
        "For which orders of four different scores is the sum wrong?",
        [
            (
                "For all",
                "The sum is wrong only if something had to be shrunk. There are orders in "
                "which nothing has to be.",
                not right.any(),
            ),
            (
                "For all in which the largest is not the first",
                f"That is {(~right).sum()} of the {len(right)} orders. Each time the maximum "
                "grows, what was summed before still counts in the old unit. Where the largest "
                "score comes first, nothing ever has to shrink.",
                np.array_equal(right, largest_first) and right.any(),
            ),
            (
                "For none: softmax does not see a shift",
                "It does not see a shift of *all* scores. Here the earlier ones are shifted "
                "by the old maximum, and the later ones by the new one.",
                right.all(),
            ),
        ],
    )


def time_of_tiles(times: Mapping[int, float], rescaled: float) -> Question:
    """Ask how long tiles take, given how many times as fast they are, by length.

    And how many times as long, at 4,096 positions, where scores are so large that sums have to be
    rescaled.
    """
    (least, few), *_, (most, many) = sorted(times.items())
    return predict(
        "time-of-tiles",
        "Tiled attention does both products of explicit attention, a small piece at a time. Did "
        "its quick version, `fused_attention`, take more time or less than explicit attention "
        f"in NumPy, with {most:,} positions?",
        [
            (
                "More, for all the rescaling",
                "These scores are so small that it leaves the rescaling out. With scores "
                "eight times as large it cannot, and at 4,096 positions it took "
                f"{100 * (rescaled - 1):.0f} % longer than with these.",
                many < 0.9,
            ),
            (
                "As much: the products are the same",
                "Where the bytes are what one waits for, equal products do not mean equal "
                "times.",
                0.9 <= many <= 1.1,
            ),
            (
                "Less",
                f"With {most:,} positions it was {many:.1f} times as fast as explicit "
                f"attention, with {least:,} it was {few:.1f} times as fast. Explicit attention "
                "stores and rereads every score, several times. `fused_attention` keeps a "
                "tile of them in fast memory. It also shares the exponentials among threads, and "
                "here it leaves the maximum out.",
                many > 1.1,
            ),
        ],
        covers=2,
    )
