"""The scenes of the chapter `weighted_sum`."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_attn.drawing.animation import Animation, animate
from course_attn.drawing.graphs import graph
from course_attn.drawing.matrices import matrix
from course_attn.drawing.style import INK, canvas, role_color

__all__ = [
    "colored_squares",
    "photographs",
    "sum_assembled",
    "sum_computed",
    "three_reaches",
]


def colored_squares() -> Figure:
    """Draw a scalar, a vector and a matrix as colored squares."""
    fig, ax = canvas(7, 2.3, blank=True)
    matrix(ax, np.array([[0.5]]), corner=(0, 0), vmax=2, title="scalar")
    matrix(ax, np.array([1.0, 0.2, -2.0]), corner=(3, 0), vmax=2, title="vector")
    entries = np.array([[2.0, 0.4, -0.4], [-1.0, 0.0, 1.5]])
    matrix(ax, entries, corner=(8, 0), vmax=2, title="matrix")
    ax.set_ylim(-2.2, 1)
    return fig


def three_reaches(n: int = 7) -> Figure:
    """Draw how far one layer reaches: convolution, recurrence, weighted sum."""
    fig, axes = canvas(7, 2.4, columns=3, blank=True)
    titles = (
        "convolution:\nneighbors only",
        "recurrence:\none step at a time",
        "weighted sum:\neverything at once",
    )
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, fontsize=10)
        ax.scatter(range(n), np.zeros(n), s=70, color=role_color("value"), zorder=3)
        ax.scatter(
            n - 2, 1.6, s=90, color=role_color("output"), marker="s", zorder=3
        )
        ax.set_xlim(-0.6, n - 0.4)
        ax.set_ylim(-0.4, 2.0)
        ax.set_aspect("auto")
    for j in (n - 3, n - 2, n - 1):
        _line(axes[0], (j, 0), (n - 2, 1.6))
    axes[1].scatter(range(n - 1), np.full(n - 1, 0.8), s=25, color=INK, zorder=3)
    for j in range(n - 1):
        _line(axes[1], (j, 0), (j, 0.8))
        _line(axes[1], (j, 0.8), (j + 1, 0.8) if j < n - 2 else (n - 2, 1.6))
    for j in range(n):
        _line(axes[2], (j, 0), (n - 2, 1.6))
    return fig


def _line(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw an arrow along which information flows."""
    ax.annotate(
        "",
        end,
        start,
        arrowprops={
            "arrowstyle": "-|>",
            "color": INK,
            "linewidth": 0.9,
            "shrinkA": 4,
            "shrinkB": 5,
        },
    )


def sum_computed() -> Figure:
    """Draw the computation graph of one output."""
    fig, ax = canvas(7, 2.4, blank=True)
    nodes = {"y": (6.0, 0.0, "$y$", "output"), "+": (4.2, 0.0, "+", "output")}
    for j, height in ((1, 1.0), (2, 0.0), (3, -1.0)):
        nodes[f"x{j}"] = (0.0, height, f"$x_{j}$", "value")
        nodes[f"p{j}"] = (2.2, height, f"$a_{j}\\,x_{j}$", "weight")
    edges = [(f"x{j}", f"p{j}") for j in (1, 2, 3)] + [
        (f"p{j}", "+") for j in (1, 2, 3)
    ]
    graph(ax, nodes, [*edges, ("+", "y")])
    ax.set_aspect("auto")
    return fig


def sum_assembled(
    weights: np.ndarray, values: np.ndarray, names: Sequence[str]
) -> Animation:
    """Animate one output being assembled, a term a step.

    Parameters
    ----------
    weights : array, shape (n_k,)
        The weights of the output.
    values : array, shape (n_k, d)
        The vectors that are mixed.
    names : sequence of str
        What the vectors stand for.
    """
    fig, ax = canvas(7, 2.5, blank=True)
    n_k, d = values.shape
    partial = np.vstack([np.zeros(d), np.cumsum(weights[:, None] * values, axis=0)])
    vmax = float(np.abs(values).max())

    def draw(step: int) -> None:
        ax.clear()
        ax.set_axis_off()
        ax.set_aspect("equal")
        rows = [(j, 0) for j in range(step - 1, step) if step]
        matrix(ax, weights[:, None], role="weight", vmax=1, title="weights", rows=names,
               emphasis=rows)  # fmt: skip
        matrix(ax, values, corner=(2.0, 0), vmax=vmax, title="values $x_j$",
               emphasis=[(j, f) for j, _ in rows for f in range(d)])  # fmt: skip
        terms = np.where(
            np.arange(n_k)[:, None] < step, weights[:, None] * values, np.nan
        )
        matrix(ax, terms, corner=(3.5 + d, 0), vmax=vmax, title="terms $a_j x_j$",
               numbers="{:.2g}")  # fmt: skip
        matrix(ax, partial[step], role="output", corner=(5.0 + 2 * d, -(n_k - 1) / 2), vmax=vmax,
               title="sum so far", numbers="{:.2g}")  # fmt: skip
        ax.set_xlim(-2.2, 5.4 + 3 * d)
        ax.set_ylim(-n_k - 0.3, 1.2)

    steps = ["No term added yet: the sum is zero."] + [
        f"{weights[j]:g} of {names[j]} added: the sum is "
        f"({', '.join(f'{entry:.2g}' for entry in partial[j + 1])})."
        for j in range(n_k)
    ]
    return animate(
        fig,
        draw,
        steps,
        alt="A column of weights beside a matrix of values; term by term, weight times value is "
        "added to the row of the sum.",
        caption="One output, assembled term by term. Each step multiplies one value by its weight "
        "and adds the product to the sum.",
    )


def photographs(pictures: Mapping[str, np.ndarray]) -> Figure:
    """Draw pictures side by side, each under its title.

    Parameters
    ----------
    pictures : mapping from str to array, shape (height, width, 3)
        Colors between 0 and 1; what lies outside is cut off.
    """
    fig, axes = canvas(7, 1.3, columns=len(pictures))
    for ax, (title, picture) in zip(axes, pictures.items(), strict=True):
        ax.imshow(picture.clip(0, 1))
        ax.set_title(title, fontsize=9)
        ax.set_axis_off()
    return fig
