"""What several exercises of `block` share."""

import numpy as np

from course_attn.checking import Context, number

__all__ = ["wrong_row"]


def wrong_row(c: Context) -> str:
    """Quote the first row of the result that is wrong beside the right one."""
    if c.got.shape != c.expected.shape or c.got.ndim < 1:
        return ""
    got, right = (a.reshape(-1, a.shape[-1]) for a in (c.got, c.expected))
    off = ~np.isclose(got, right, rtol=1e-3, atol=1e-3 * np.abs(right).max())
    i = int(off.any(axis=-1).argmax())
    which = "first row" if i == 0 else f"row {_index(i, c.got.shape[:-1])}"
    return f"Your {which} is {_listed(got[i])}; it should be {_listed(right[i])}."


def _index(i: int, shape: tuple[int, ...]) -> str:
    place = tuple(int(axis) for axis in np.unravel_index(i, shape))
    return str(place[0] if len(place) == 1 else place)


def _listed(row: np.ndarray) -> str:
    shown = ", ".join(number(entry) for entry in row[:6])
    return f"[{shown}{', …' if len(row) > 6 else ''}]"
