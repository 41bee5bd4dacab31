"""Pairs of a query and a key that turn with their positions, on dials to be dragged."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from course_attn.drawing.page import (
    Widget,
    checked_array,
    checked_number,
    plain_table,
    widget,
)
from course_attn.in_numpy.order import rotary

__all__ = ["rotary_dials"]

# The positions that can be picked; both move by up to 100 more.
_FAR = 20
_CAPTION = (
    "Each pair turns at its own speed, the first one fast, the last one slowly."
)

_SLOWER = " (The base is {base:g}: with the usual 10,000 the last pair would hardly turn.)"
_TRY = (
    " Try: move both by "
    "any number of positions, and watch the score. Then find the distance with the largest score: "
    "does it matter where the query stands?"
)


def rotary_dials(
    query: ArrayLike,
    key: ArrayLike,
    *,
    positions: Sequence[int] = (2, 0),
    base: float = 64.0,
) -> Widget:
    """Let the reader move a query and a key, and see their pairs turn and their score.

    Parameters
    ----------
    query, key : array, shape (d,)
        Before they are turned: 2, 4, 6 or 8 features, paired f with f + d / 2.
    positions : two ints
        Where the query and the key stand at first, from 0 to 20.
    base : float
        As in `rotary`: pair f turns by base^(-2f / d) for each position; from 1 to 10,000.

    Examples
    --------
    >>> print(str(rotary_dials([1.0, 0.3], [0.4, -0.9]))[:44])
    <rotary_dials: Each pair turns at its own sp
    """
    q = checked_array("query", query, (None,), "(d,)")
    k = checked_array("key", key, (len(q),), f"({len(q)},)")
    if len(q) not in (2, 4, 6, 8):
        raise ValueError(f"query must have length 2, 4, 6 or 8, got {len(q)}")
    for name, row in (("query", q), ("key", k)):
        if not np.hypot(*np.split(row, 2)).all():
            raise ValueError(
                f"{name} must have no pair of zeros, got {row.tolist()}"
            )
    start = [int(checked_number("positions", at, 0, _FAR)) for at in positions]
    if len(start) != 2 or start != list(positions):
        raise ValueError(f"positions must be two whole numbers, got {positions!r}")
    base = checked_number("base", base, 1, 10_000)
    return widget(
        __file__,
        {
            "query": q.tolist(),
            "key": k.tolist(),
            "positions": start,
            "base": base,
            "far": _FAR,
        },
        fallback=_some_positions(q, k, start, base),
        alt="Dials side by side, one for each pair of features, each with an arrow for the query "
        "and a dashed one for the key; below them the curve of the score over the distance, with "
        "a dot at the present one.",
        caption=_CAPTION + _SLOWER.format(base=base) * (base < 10_000) + _TRY,
    )


def _some_positions(
    q: np.ndarray, k: np.ndarray, start: list[int], base: float
) -> str:
    """Return a table of scores at several positions, two with the distance of the first."""
    i, j = start
    rows = {}
    for a, b in (
        (i, j),
        (i + 1, j + 1),
        (i + 100, j + 100),
        (i + 1, j),
        (i + 4, j),
    ):
        turned_q = rotary(q[None], np.array([a]), base=base)[0]
        turned_k = rotary(k[None], np.array([b]), base=base)[0]
        adds = np.add(*np.split(turned_q * turned_k, 2))
        numbers = [f"{number:.2f}" for number in (*adds, adds.sum())]
        cells = [str(a - b), *numbers]
        rows[f"query at {a}, key at {b}"] = [
            cell.replace("-", "−") for cell in cells
        ]
    pairs = [f"pair {f} adds" for f in range(len(q) // 2)]
    return plain_table(
        "Scores of a query and a key, turned by their positions",
        list(rows),
        ["distance", *pairs, "score"],
        rows.values(),
    )
