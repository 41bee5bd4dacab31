"""Computation graphs, and arcs between the words of a sentence."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch

from course_attn.drawing.style import INK, role_color, shade

__all__ = ["arcs", "graph"]


def graph(
    ax: Axes,
    nodes: Mapping[str, tuple[float, float, str, str]],
    edges: Iterable[tuple[str, str] | tuple[str, str, str]],
    *,
    active: Iterable[str] | None = None,
) -> None:
    """Draw a computation as boxes with arrows between them.

    Parameters
    ----------
    ax : Axes
        Where to draw, in data units.
    nodes : mapping
        For each name its place, its text and its role: ``{"y": (3, 0, "$y_1$", "output")}``.
    edges : iterable of (from, to) or (from, to, text)
        The arrows, with what is written on them.
    active : iterable of str, optional
        Names of the nodes to draw in full color; the others are pale. By default all are.
    """
    active = set(nodes if active is None else active)
    for edge in edges:
        start, end = edge[:2]
        _arrow(
            ax,
            nodes[start][:2],
            nodes[end][:2],
            edge[2] if len(edge) > 2 else "",
            before=nodes[end][2],
            role="output",
        )
    for name, (x, y, text, role) in nodes.items():
        ax.text(
            x,
            y,
            text,
            ha="center",
            va="center",
            color=role_color(role) if name in active else "#9A9AA3",
            bbox={
                "boxstyle": "round,pad=0.45",
                "facecolor": shade(role, 0.12) if name in active else "white",
                "edgecolor": role_color(role) if name in active else "#C9C9D0",
                "linewidth": 1.4,
            },
            zorder=3,
        )
    places = np.array([node[:2] for node in nodes.values()])
    ax.set_xlim(places[:, 0].min() - 0.7, places[:, 0].max() + 0.7)
    ax.set_ylim(places[:, 1].min() - 0.5, places[:, 1].max() + 0.5)


def _arrow(
    ax: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    text: str,
    *,
    before: str,
    role: str,
) -> None:
    """Draw an arrow between two boxes, with a text at its middle; it ends before a box's text."""
    # Sideways, a box is half as wide as its words, whose characters take about 5.8 points each.
    is_sideways = "$" not in before and start[1] == end[1]
    widest = max(map(len, before.split("\n")))
    shrink = max(20, 8 + 2.9 * widest) if is_sideways else 20
    ax.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=11,
            shrinkA=20,
            shrinkB=shrink,
            color=role_color(role),
            linewidth=1.1,
        )
    )
    if text:
        x, y = (np.asarray(start) + np.asarray(end)) / 2
        ax.text(x, y, text, ha="center", va="center", fontsize=9.5, color=role_color("weight"),
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5}, zorder=2)  # fmt: skip


def arcs(
    ax: Axes, tokens: Sequence[str], weights: np.ndarray, *, query: int
) -> None:
    """Draw what one word of a sentence takes from every word, as arcs above the sentence.

    Parameters
    ----------
    ax : Axes
        Where to draw; its frame is removed.
    tokens : sequence of str
        The words.
    weights : array, shape (n,)
        The weight of every word for the query; an arc is as thick as its weight, which is written
        below the word.
    query : int
        The position of the word that asks.

    Raises
    ------
    ValueError
        If there is not one weight for each word.
    """
    if np.shape(weights) != (len(tokens),):
        raise ValueError(
            f"weights must have shape ({len(tokens)},), one for each token, got {np.shape(weights)}"
        )
    ax.set_axis_off()
    places = np.arange(len(tokens), dtype=float)
    for j, (token, weight) in enumerate(zip(tokens, weights, strict=True)):
        is_query = j == query
        ax.text(places[j], 0, token, ha="center", va="center", fontsize=11,
                color=role_color("query") if is_query else INK,
                fontweight="bold" if is_query else "normal")  # fmt: skip
        ax.text(places[j], -0.45, f"{weight:.2f}", ha="center", va="center", fontsize=9.5,
                color=role_color("weight"))  # fmt: skip
        if not is_query and weight >= 0.005:
            _arc(ax, places[query], places[j], float(weight))
    ax.set_xlim(-0.7, len(tokens) - 0.3)
    ax.set_ylim(-0.8, 0.6 + 0.32 * max(query, len(tokens) - 1 - query))


def _arc(ax: Axes, start: float, end: float, weight: float) -> None:
    """Draw half an ellipse from one place on the line to another."""
    angle = np.linspace(0, np.pi, 60)
    x = (start + end) / 2 + abs(start - end) / 2 * np.cos(angle)
    y = 0.3 + 0.32 * abs(start - end) * np.sin(angle)
    ax.plot(x, y, color=role_color("weight"), linewidth=0.8 + 9 * weight, alpha=0.75,
            solid_capstyle="round")  # fmt: skip
