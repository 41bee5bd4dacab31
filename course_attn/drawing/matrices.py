"""Matrices as colored squares."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from course_attn.drawing.style import INK, ink_on, role_color, shade

__all__ = ["heatmap", "matrix"]

NEGATIVE = "////"


def matrix(
    ax: Axes,
    entries: np.ndarray,
    *,
    role: str = "value",
    corner: tuple[float, float] = (0.0, 0.0),
    cell: float = 1.0,
    vmax: float | None = None,
    numbers: str | None = "{:g}",
    title: str | None = None,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    emphasis: Sequence[tuple[int, int]] = (),
    fontsize: float = 10.0,
) -> tuple[float, float]:
    """Draw a matrix as squares: the darker, the larger; hatched where negative.

    Parameters
    ----------
    ax : Axes
        Where to draw, in data units.
    entries : array, shape (n_rows, n_columns) or (n,)
        The numbers; a vector is drawn as a row. NaN entries are left blank.
    role : str
        Whose color to use.
    corner : (x, y)
        The upper left corner.
    cell : float
        The side of a square.
    vmax : float, optional
        The size that gets the full color; by default the largest in the matrix.
    numbers : str, optional
        Format of the numbers inside the squares; None leaves them out.
    title : str, optional
        Written above.
    rows, columns : sequence of str
        Labels left of the rows and above the columns.
    emphasis : sequence of (row, column)
        Squares with a thick frame.
    fontsize : float
        Size of the numbers in points.

    Returns
    -------
    width, height : float
        The size of the drawn matrix.
    """
    entries = np.atleast_2d(entries)
    vmax = vmax or float(np.nanmax(np.abs(entries), initial=0.0)) or 1.0
    x0, y0 = corner
    n_rows, n_columns = entries.shape
    for (i, j), entry in np.ndenumerate(entries):
        place = (x0 + j * cell, y0 - (i + 1) * cell)
        _square(
            ax,
            place,
            cell,
            entry,
            role,
            vmax,
            numbers,
            fontsize,
            (i, j) in emphasis,
        )
    for i, label in enumerate(rows):
        ax.text(
            x0 - 0.15,
            y0 - (i + 0.5) * cell,
            label,
            ha="right",
            va="center",
            fontsize=fontsize,
        )
    for j, label in enumerate(columns):
        ax.text(
            x0 + (j + 0.5) * cell,
            y0 + 0.12,
            label,
            ha="center",
            va="bottom",
            fontsize=fontsize,
        )
    if title:
        lift = 0.2 + (0.55 if columns else 0.0)
        ax.text(
            x0 + n_columns * cell / 2, y0 + lift, title, ha="center", va="bottom"
        )
    ax.update_datalim([(x0, y0), (x0 + n_columns * cell, y0 - n_rows * cell)])
    ax.autoscale_view()
    return n_columns * cell, n_rows * cell


def _square(
    ax: Axes,
    place: tuple[float, float],
    cell: float,
    entry: float,
    role: str,
    vmax: float,
    numbers: str | None,
    fontsize: float,
    emphasized: bool,
) -> None:
    """Draw one entry: shade for its size, hatching for a negative sign, its number in it."""
    if np.isnan(entry):
        return
    strength = min(abs(float(entry)) / vmax, 1.0)
    fill = shade(role, 0.06 + 0.84 * strength)
    ink = ink_on(fill)
    negative = entry < 0
    ax.add_patch(
        Rectangle(
            place,
            cell,
            cell,
            facecolor=fill,
            edgecolor="white" if negative and ink == "white" else role_color(role),
            hatch=NEGATIVE if negative else None,
            linewidth=0,
        )
    )
    ax.add_patch(
        Rectangle(
            place,
            cell,
            cell,
            fill=False,
            edgecolor=INK if emphasized else role_color(role),
            linewidth=2.5 if emphasized else 0.8,
            zorder=3 if emphasized else 2,
        )
    )
    if numbers:
        box = (
            {"facecolor": fill, "edgecolor": "none", "pad": 0.3}
            if negative
            else None
        )
        ax.text(
            place[0] + cell / 2,
            place[1] + cell / 2,
            _number(numbers, entry),
            ha="center",
            va="center",
            color=ink,
            fontsize=fontsize,
            bbox=box,
            zorder=4,
        )


def _number(form: str, entry: float) -> str:
    """Write a number with a true minus sign; what rounds to zero has no sign."""
    text = form.format(entry)
    text = text.removeprefix("-") if float(text) == 0 else text
    return text.replace("-", "\N{MINUS SIGN}")


def heatmap(
    ax: Axes,
    weights: np.ndarray,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    role: str = "weight",
    numbers: str | None = "{:.2f}",
    vmax: float | None = 1.0,
    fontsize: float = 10.0,
) -> None:
    """Draw weights (or scores) as a grid with the queries' labels left and the keys' above.

    Parameters
    ----------
    ax : Axes
        Where to draw; its ticks and frame are removed.
    weights : array, shape (n_q, n_k)
        One row for each query.
    queries, keys : sequence of str
        The labels, of length n_q and n_k.
    role : str
        Whose color to use.
    numbers : str, optional
        Format of the numbers; None leaves them out.
    vmax : float, optional
        What gets the full color; None takes the largest entry.
    fontsize : float
        Size of numbers and labels in points.

    Raises
    ------
    ValueError
        If the number of labels does not fit the weights.
    """
    if weights.shape != (len(queries), len(keys)):
        raise ValueError(
            f"weights must have shape ({len(queries)}, {len(keys)}) for {len(queries)} queries and "
            f"{len(keys)} keys, got {weights.shape}"
        )
    ax.set_axis_off()
    ax.set_aspect("equal")
    matrix(
        ax,
        weights,
        role=role,
        numbers=numbers,
        vmax=vmax,
        rows=queries,
        columns=keys,
        fontsize=fontsize,
    )
