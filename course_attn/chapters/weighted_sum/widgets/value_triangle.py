"""An average that the reader drags inside, and out of, the triangle of its values."""

import numpy as np
from numpy.typing import ArrayLike

from course_attn.drawing.page import (
    Widget,
    checked_array,
    plain_table,
    widget,
)
from course_attn.in_numpy.weighted_sum import weighted_sum

__all__ = ["value_triangle"]

_CAPTION = (
    "An average stays inside the triangle of its values. Try: drag y to a corner, then along an "
    "edge, then past it. Which weight is 0 on the edge, and what becomes of it outside?"
)


def value_triangle(values: ArrayLike, weights: ArrayLike | None = None) -> Widget:
    """Let the reader drag a weighted average, or its weights, over the triangle of three values.

    Parameters
    ----------
    values : array, shape (3, 2)
        The corners.
    weights : array, shape (3,), optional
        Where it begins: not negative, of sum 1; by default equal.

    Raises
    ------
    ValueError
        If the values lie on one line, or the weights are not those of an average.

    Examples
    --------
    >>> print(str(value_triangle([[0, 0], [4, 0], [1, 3]]))[:46])
    <value_triangle: An average stays inside the t
    """
    corners = checked_array("values", values, (3, 2), "(3, 2)")
    start = np.full(3, 1 / 3) if weights is None else weights
    start = checked_array("weights", start, (3,), "(3,)")
    if (start < 0).any() or not np.isclose(start.sum(), 1):
        raise ValueError(
            f"weights must be at least 0 and sum to 1, got {start.tolist()}"
        )
    first, *others = corners
    if abs(np.linalg.det(np.array(others) - first)) < 1e-6:
        raise ValueError(f"values must not lie on one line, got {corners.tolist()}")
    (left, low), (right, high) = corners.min(axis=0), corners.max(axis=0)
    data = {
        "values": corners.tolist(),
        "weights": start.tolist(),
        "x": [left - 1, right + 1],
        "y": [low - 1, high + 1],
    }
    return widget(
        __file__,
        data,
        fallback=_some_averages(corners),
        alt="A triangle with the three values at its corners, the output as a square that can be "
        "dragged, and the three weights as numbers and bars.",
        caption=_CAPTION,
    )


def _some_averages(corners: np.ndarray) -> str:
    """Return a table of outputs with their weights: inside, on the boundary and outside."""
    rows = {
        "equal weights": [1 / 3, 1 / 3, 1 / 3],
        "on the corner x₂": [0.0, 1.0, 0.0],
        "on an edge": [0.5, 0.5, 0.0],
        "inside": [0.25, 0.25, 0.5],
        "outside: not an average": [-0.25, 0.5, 0.75],
    }
    outputs = weighted_sum(np.array(list(rows.values())), corners)
    cells = [
        [*(f"{a:.2f}".replace("-", "−") for a in weights), f"({x:.2f}, {y:.2f})"]
        for weights, (x, y) in zip(rows.values(), outputs, strict=True)
    ]
    named = ", ".join(
        f"x{low} = ({x:g}, {y:g})"
        for low, (x, y) in zip("₁₂₃", corners, strict=True)
    )
    columns = ["a₁", "a₂", "a₃", "y"]
    return plain_table(f"Outputs of the values {named}", list(rows), columns, cells)
