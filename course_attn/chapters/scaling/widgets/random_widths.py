"""Random queries and keys of a width that the reader picks, with and without the scale."""

import numpy as np

from course_attn.drawing.page import (
    Widget,
    checked_number,
    plain_table,
    widget,
)
from course_attn.in_numpy.scaling import scaled_scores, score_statistics

__all__ = ["random_widths"]

_N_Q, _N_K = 64, 16
_WIDTHS = [2**k for k in range(11)]
_CAPTION = (
    "Without the division the scores spread like √d, and at a large d one key takes nearly all the "
    "weight; with it, neither. Try: at d = 1024, draw new vectors a few times. Which key wins "
    "without √d, and what has it done to deserve that?"
)


def random_widths(*, width: int = 4, seed: int = 1) -> Widget:
    """Let the reader pick a width and draw random queries and keys, with and without the scale.

    Parameters
    ----------
    width : int
        The width at first: a power of 2, from 1 to 1024.
    seed : int
        Of the first draw, from 0 to 1,000,000; the next draw has the next one.

    Examples
    --------
    >>> print(str(random_widths())[:46])
    <random_widths: Without the division the score
    """
    if width not in _WIDTHS:
        raise ValueError(
            f"width must be a power of 2 from 1 to 1024, got {width!r}"
        )
    begin = int(checked_number("seed", seed, 0, 1_000_000))
    if begin != seed:
        raise ValueError(f"seed must be a whole number, got {seed!r}")
    numbers = _normal_numbers(begin, (_N_Q + _N_K) * _WIDTHS[-1])
    Q, K = np.split(numbers.reshape(_N_Q + _N_K, _WIDTHS[-1]), [_N_Q])
    cells = []
    for d in _WIDTHS[::2]:
        found = [
            score_statistics(scaled_scores(Q[:, :d], K[:, :d], scale=scale))
            for scale in (1.0, None)
        ]
        both = [
            *(one.variance**0.5 for one in found),
            *(one.largest_weight for one in found),
        ]
        cells.append([f"{number:.2f}" for number in both])
    return widget(
        __file__,
        {
            "seed": begin,
            "n_q": _N_Q,
            "n_k": _N_K,
            "widths": _WIDTHS,
            "start": width,
        },
        fallback=plain_table(
            f"One draw of {_N_Q} queries and {_N_K} keys, without √d and with it",
            [f"d = {d}" for d in _WIDTHS[::2]],
            ["spread without", "with", "mean largest weight without", "with"],
            cells,
        ),
        alt="A slider for the width; the distribution of all scores without and with the division "
        "by √d; and the weights of one query in both cases, as bars.",
        caption=_CAPTION,
    )


def _normal_numbers(seed: int, n: int) -> np.ndarray:
    """Return n standard normal numbers, n even, the same as the function of this name in the page.

    mulberry32 makes uniform numbers of the count of the draws, and Box and Muller's formula makes
    two normal numbers of two uniform ones.
    """
    counts = np.arange(1, n + 1, dtype=np.uint32)
    a = np.uint32(seed) + counts * np.uint32(0x6D2B79F5)
    t = (a ^ (a >> np.uint32(15))) * (a | np.uint32(1))
    t = (t + (t ^ (t >> np.uint32(7))) * (t | np.uint32(61))) ^ t
    u, v = ((t ^ (t >> np.uint32(14))) / 2**32).reshape(-1, 2).T
    radius, angle = np.sqrt(-2 * np.log(1 - u)), 2 * np.pi * v
    return np.stack(
        [radius * np.cos(angle), radius * np.sin(angle)], axis=1
    ).ravel()
