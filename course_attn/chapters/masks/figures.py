"""The scenes of the chapter `masks`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_attn.drawing.matrices import matrix
from course_attn.drawing.style import INK, canvas, role_color, shade

__all__ = [
    "constructions",
    "dependence_maps",
    "mask_gallery",
    "padded_batch",
    "three_readers",
]

MINUS_INFINITY = "\N{MINUS SIGN}\N{INFINITY}"
PALE = "#B4B4BC"


def three_readers(words: Sequence[str]) -> Figure:
    """Draw what flows to each output: recurrence, attention, attention with a causal mask.

    Parameters
    ----------
    words : sequence of str
        The text. All but the last word are inputs; output i has to guess word i + 1.
    """
    fig, axes = canvas(7, 2.9, columns=3, blank=True)
    titles = ("recurrence", "attention, no mask", "attention, causal mask")
    n = len(words) - 1
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, fontsize=10.5)
        ax.set_aspect("auto")
        ax.set_xlim(-0.7, n - 0.3)
        ax.set_ylim(-0.75, 3.0)
        _dots(ax, 0, n, "value", words[:n], -0.35)
        _dots(ax, 2, n, "output", words[1:], 2.35, marker="s")
    _recurrence(axes[0], n)
    for i in range(n):
        for j in range(n):
            _flow(axes[1], (j, 0), (i, 2), forbidden=j > i)
            if j <= i:
                _flow(axes[2], (j, 0), (i, 2))
    return fig


def _dots(
    ax: Axes,
    y: float,
    n: int,
    role: str,
    words: Sequence[str],
    label_y: float,
    marker: str = "o",
) -> None:
    """Draw a row of n dots with their words above or below."""
    color = role_color(role)
    ax.scatter(range(n), np.full(n, y), s=70, color=color, marker=marker, zorder=3)
    for x, word in enumerate(words):
        ax.text(x, label_y, word, ha="center", va="center", fontsize=9.5)


def _recurrence(ax: Axes, n: int) -> None:
    """Draw the chain of states between inputs and outputs."""
    ax.scatter(range(n), np.ones(n), s=30, color=INK, zorder=3)
    for i in range(n):
        _flow(ax, (i, 0), (i, 1))
        _flow(ax, (i, 1), (i, 2))
        if i + 1 < n:
            _flow(ax, (i, 1), (i + 1, 1))


def _flow(
    ax: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    *,
    forbidden: bool = False,
) -> None:
    """Draw an arrow of information: thin if it may flow, dashed and bold if it is a leak."""
    style = {"color": role_color("key"), "linewidth": 1.6, "linestyle": (0, (4, 2))}
    allowed = {"color": INK, "linewidth": 0.8}
    arrow: dict[str, Any] = {"arrowstyle": "-|>", "shrinkA": 4, "shrinkB": 5}
    arrow |= style if forbidden else allowed
    ax.annotate("", end, start, arrowprops=arrow, zorder=2 if forbidden else 1)


def _write(
    ax: Axes,
    cells: Iterable[tuple[int, int]],
    text: str,
    *,
    corner: tuple[float, float] = (0.0, 0.0),
    color: str = INK,
    fontsize: float = 10.0,
) -> None:
    """Write a text into squares left blank, each with a thin frame."""
    x0, y0 = corner
    for i, j in cells:
        place = (x0 + j, y0 - i - 1)
        ax.add_patch(
            Rectangle(place, 1, 1, fill=False, edgecolor=PALE, linewidth=0.8)
        )
        ax.text(place[0] + 0.5, place[1] + 0.5, text, ha="center", va="center",
                fontsize=fontsize, color=color)  # fmt: skip


def mask_gallery(masks: Mapping[str, np.ndarray], *, columns: int = 3) -> Figure:
    """Draw masks side by side: a filled square where a query may attend.

    Parameters
    ----------
    masks : mapping from str to array of bool, shape (n_q, n_k)
        The masks under their names; None stands for a gap.
    columns : int
        How many stand side by side.
    """
    n_rows = -(-len(masks) // columns)
    fig, ax = canvas(7, 2.35 * n_rows, blank=True)
    width = max(mask.shape[1] for mask in masks.values()) + 3
    height = max(mask.shape[0] for mask in masks.values()) + 2.6
    for number, (name, mask) in enumerate(masks.items()):
        row, column = divmod(number, columns)
        corner = (column * width, -row * height)
        style: dict[str, Any] = {
            "role": "weight",
            "corner": corner,
            "vmax": 1.15,
            "numbers": None,
        }
        matrix(ax, mask.astype(float), **style)
        x = corner[0] + mask.shape[1] / 2
        ax.text(x, corner[1] + 0.35, name, ha="center", va="bottom", fontsize=10)
    ax.text(-0.4, -2, "queries", rotation=90, ha="right", va="center", fontsize=9)
    ax.text(2, -masks[next(iter(masks))].shape[0] - 0.15, "keys", ha="center", va="top",
            fontsize=9)  # fmt: skip
    ax.set_xlim(-1.5, columns * width - 2)
    ax.set_ylim(-n_rows * height + 1.2, 2)
    return fig


def constructions(tables: Mapping[str, np.ndarray]) -> Figure:
    """Draw additive masks with 0, minus infinity and NaN written into their squares.

    Parameters
    ----------
    tables : mapping from str to array, shape (n, n)
        The code that makes each, and what it makes: three right ones, then three wrong ones.
    """
    fig, ax = canvas(7, 3.9, blank=True)
    for number, (code, table) in enumerate(tables.items()):
        row, column = divmod(number, 3)
        n = len(table)
        corner = (column * (n + 3.4), -row * (n + 2.3))
        _write(ax, _where(table == 0), "0", corner=corner)
        _write(ax, _where(np.isneginf(table)), MINUS_INFINITY, corner=corner)
        for i, j in _where(np.isnan(table)):
            place = (corner[0] + j, corner[1] - i - 1)
            ax.add_patch(
                Rectangle(place, 1, 1, facecolor=shade("key", 0.9), linewidth=0)
            )
        _write(
            ax,
            _where(np.isnan(table)),
            "NaN",
            corner=corner,
            color="white",
            fontsize=9,
        )
        ax.text(corner[0] + n / 2, corner[1] + 0.25, code, ha="center", va="bottom",
                fontsize=9, family="monospace")  # fmt: skip
    for row, verdict in enumerate(("right", "wrong")):
        ax.text(
            -0.6,
            -row * (n + 2.3) - n / 2,
            verdict,
            rotation=90,
            ha="right",
            va="center",
        )
    ax.set_xlim(-1.6, 3 * (n + 3.4) - 1.8)
    ax.set_ylim(-2 * (n + 2.3) + 1.8, 1.9)
    return fig


def _where(condition: np.ndarray) -> list[tuple[int, int]]:
    """Return the places where a condition holds."""
    return list(zip(*np.nonzero(condition), strict=True))


def dependence_maps(maps: Mapping[str, np.ndarray]) -> Figure:
    """Draw how much each output moves with each input, for several models.

    Parameters
    ----------
    maps : mapping from str to array, shape (n, n)
        Entry (i, j): how far output i moves when input j changes.
    """
    fig, axes = canvas(7, 2.5, columns=len(maps), blank=True)
    for ax, (name, moved) in zip(np.atleast_1d(axes), maps.items(), strict=True):
        n = len(moved)
        leaks = [(i, j) for i, j in _where(moved > 1e-9) if j > i]
        matrix(ax, np.sqrt(moved / moved.max()), role="output", vmax=1, numbers=None,
               emphasis=leaks)  # fmt: skip
        ax.set_title(name, fontsize=10)
        ax.text(n / 2, -n - 0.3, "input", ha="center", va="top", fontsize=9.5)
        ax.set_xlim(-1.2, n + 0.4)
        ax.set_ylim(-n - 1.2, 0.3)
    axes[0].text(
        -0.3, -n / 2, "output", rotation=90, ha="right", va="center", fontsize=9.5
    )
    return fig


def padded_batch(sentences: Sequence[Sequence[str]]) -> Figure:
    """Draw a batch of sentences as rows of boxes, with the padding hatched.

    Parameters
    ----------
    sentences : sequence of sequences of str
        The words of each sentence.
    """
    longest = max(map(len, sentences))
    lengths = [
        max(len(s[j]) for s in sentences if j < len(s)) for j in range(longest)
    ]
    lefts = np.concatenate([[0.0], np.cumsum(np.maximum(lengths, 3) + 1.0)])
    fig, ax = canvas(7, 0.34 * len(sentences) + 0.2, blank=True)
    ax.set_aspect("auto")
    for row, sentence in enumerate(sentences):
        for j, left in enumerate(lefts[:-1]):
            real, width = j < len(sentence), lefts[j + 1] - left - 0.3
            ax.add_patch(
                Rectangle((left, -row), width, 0.86, linewidth=0.8,
                          facecolor=shade("value", 0.14) if real else "white",
                          edgecolor=role_color("value") if real else PALE,
                          hatch=None if real else "////")
            )  # fmt: skip
            if real:
                ax.text(left + width / 2, -row + 0.42, sentence[j], ha="center", va="center",
                        fontsize=9)  # fmt: skip
    ax.set_xlim(-0.5, lefts[-1] + 0.2)
    ax.set_ylim(-len(sentences) + 0.9, 1)
    return fig
