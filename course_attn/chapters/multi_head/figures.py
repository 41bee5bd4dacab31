"""The scenes of the chapter `multi_head`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_attn.drawing.animation import Animation, animate
from course_attn.drawing.matrices import matrix
from course_attn.drawing.style import INK, canvas, role_color

__all__ = [
    "readings",
    "split_and_merge",
    "sum_of_heads",
    "worked_example",
]

# Pale, so that no element takes the color of a role; the numbers say the same without color.
ELEMENTS = ("#A8DCF7", "#FFD58A", "#D3D3D8", "#B9E6C3")
TRACKED = ((0, 3), (1, 1), (2, 5))


def readings(
    words: Sequence[str], rows: Mapping[str, np.ndarray], *, query: int
) -> Figure:
    """Draw what one word takes from the others, once for each reader, as arcs.

    Parameters
    ----------
    words : sequence of str
        The sentence.
    rows : mapping of str to array of shape (n,)
        For each reader, such as "head 1", its weights of all words.
    query : int
        The position of the word that asks.
    """
    fig, ax = canvas(7, 1.15 * len(rows) + 0.15)
    ax.set_axis_off()
    lengths = np.array([len(word) + 2.2 for word in words]) * len(words)
    lengths /= sum(len(word) + 2.2 for word in words)
    centers = np.cumsum(lengths) - lengths / 2 - 0.5
    for row, (name, weights) in enumerate(rows.items()):
        y = -3.1 * row
        ax.text(-1.0, y + 1.1, name, ha="right", va="center", fontsize=10)
        for j, (word, weight) in enumerate(zip(words, weights, strict=True)):
            asks = j == query
            ax.text(centers[j], y, word, ha="center", va="center", fontsize=9.5,
                    color=role_color("query") if asks else INK,
                    fontweight="bold" if asks else "normal")  # fmt: skip
            if weight >= 0.05 and not asks:
                _arc(ax, centers[query], centers[j], y, float(weight))
    ax.set_xlim(-2.6, len(words) - 0.3)
    ax.set_ylim(-3.1 * len(rows) + 2.5, 2.5)
    return fig


def _arc(ax: Axes, start: float, end: float, y: float, weight: float) -> None:
    """Draw half an ellipse above a line of words, with its weight at the top."""
    angle, width = np.linspace(0, np.pi, 60), abs(start - end)
    height = 0.45 + 0.14 * width
    xs = (start + end) / 2 + width / 2 * np.cos(angle)
    ax.plot(xs, y + 0.45 + height * np.sin(angle), color=role_color("weight"),
            linewidth=0.8 + 6 * weight, alpha=0.75, solid_capstyle="round")  # fmt: skip
    ax.text((start + end) / 2, y + 0.45 + height, f"{weight:.2f}", ha="center", va="center",
            fontsize=9, color=role_color("weight"),
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.2})  # fmt: skip


def split_and_merge(n: int = 3, n_heads: int = 2, d_head: int = 3) -> Animation:
    """Animate where every number goes when heads are split and merged, rightly and wrongly.

    The number in a square says whose it is: 24 is the fourth feature of word 2.

    Parameters
    ----------
    n, n_heads, d_head : int
        The numbers of words and heads, and the width of a head; together at most four words and
        nine features.
    """
    fig, (right, wrong) = canvas(7, 4.3, columns=2, blank=True)
    d = n_heads * d_head
    places = {
        "right": _stations(n, n_heads, d_head, mixed=False),
        "wrong": _stations(n, n_heads, d_head, mixed=True),
    }
    titles = {
        "right": (
            "one row for each word",
            f"reshape({n}, {n_heads}, {d_head})",
            "then swap the first two axes",
            "swap back, reshape back",
        ),
        "wrong": (
            "one row for each word",
            f"reshape({n_heads}, {n}, {d_head})",
            "nothing else",
            "reshape back",
        ),
    }
    # Each frame lies between two stations, so far from the first to the second.
    moves = (1 / 3, 2 / 3, 1.0)
    frames = [(0, 0.0), *((0, t) for t in moves), *((1, t) for t in moves),
              *((2, t) for t in moves)]  # fmt: skip

    def draw(k: int) -> None:
        station, part = frames[k]
        for ax, kind in ((right, "right"), (wrong, "wrong")):
            ax.clear()
            ax.set_axis_off()
            ax.set_aspect("equal")
            here, there = places[kind][station : station + 2]
            _numbers(ax, (1 - part) * here + part * there, n, d)
            title = titles[kind][station + (part > 0)]
            ax.text((d + 1) / 2, 1.3, title, ha="center", fontsize=10, family="monospace"
                    if "(" in title else None)  # fmt: skip
            ax.text(
                (d + 1) / 2,
                2.3,
                f"{kind}",
                ha="center",
                fontsize=11.5,
                weight="bold",
            )
            _heads(ax, n, n_heads, d_head, at_heads=k == 6)
            ax.set_xlim(-1.6, d + 2.0)
            ax.set_ylim(-n * n_heads - 2.0, 3.0)

    return animate(
        fig,
        draw,
        _sentences(n, n_heads, d_head),
        alt="Two panels. Each starts with a table of three rows and six columns whose squares are "
        "numbered by word and feature and colored by word. On the left, each row is cut in two, "
        "and the first halves gather in an upper table, the second halves in a lower: every row "
        "is one word. On the right, the numbers flow in reading order into two tables, whose rows "
        "do not belong to the words.",
        caption="Where every number goes when heads are split and merged. Follow the framed "
        "squares 14, 22 and 36. The wrong way has the same shapes and a perfect round trip, but "
        "its head 1 has word 1 in two rows, half of word 2, and nothing of word 3.",
        interval=1100,
    )


def _stations(n: int, n_heads: int, d_head: int, *, mixed: bool) -> np.ndarray:
    """Return the places of all numbers at four stations: shape (4, n, d, 2)."""
    i, f = np.mgrid[:n, : n_heads * d_head]
    start = np.stack([f + 0.5, -i - 0.0], axis=-1).astype(float)
    head, row, column = f // d_head, i, f % d_head
    cut = start + np.stack([head * 0.9, 0 * i], axis=-1)
    if mixed:
        flat = i * n_heads * d_head + f
        head, rest = np.divmod(flat, n * d_head)
        row, column = np.divmod(rest, d_head)
    split = np.stack([column + 2.0, -(n + 1.0) * head - row], axis=-1).astype(float)
    cut = (start + split) / 2 if mixed else cut
    return np.stack([start, split if mixed else cut, split, start])


def _numbers(ax: Axes, places: np.ndarray, n: int, d: int) -> None:
    """Draw the squares, each with its word and feature."""
    for i in range(n):
        for f in range(d):
            x, y = places[i, f]
            tracked = (i, f) in TRACKED
            ax.add_patch(Rectangle((x, y - 1), 1, 1, facecolor=ELEMENTS[i], edgecolor=INK,
                         linewidth=2.6 if tracked else 0.5, zorder=2 + tracked))  # fmt: skip
            ax.text(x + 0.5, y - 0.5, f"{i + 1}{f + 1}", ha="center", va="center",
                    fontsize=10, zorder=4, weight="bold" if tracked else "normal")  # fmt: skip


def _heads(ax: Axes, n: int, n_heads: int, d_head: int, *, at_heads: bool) -> None:
    """Name the tables of the heads where they stand on their own."""
    for h in range(n_heads if at_heads else 0):
        y = -(n + 1.0) * h - n / 2
        ax.text(1.6, y, f"head {h + 1}", ha="right", va="center", fontsize=10)


def _sentences(n: int, n_heads: int, d_head: int) -> list[str]:
    """Say what each frame shows."""
    d = n_heads * d_head
    return [
        f"{n} rows of Q with {d} entries each, one for each word. The number 14 is entry 4 of word "
        "1's row.",
        f"Right: a gap opens after every {d_head} entries. Wrong: the numbers leave their rows.",
        "Right: the gap grows. Wrong: the numbers flow on, in reading order.",
        f"Right: each row is cut into {n_heads} parts. Wrong: row after row is filled with the "
        f"next {d_head} numbers.",
        "Right: the parts set out for their heads. Wrong: nothing more happens.",
        "Right: the first parts gather above, the second parts below.",
        "Right: head 1 has columns 1 to 3 of Q, head 2 has 4 to 6. Wrong: head 1 has all of word "
        "1's row, in two rows, and half of word 2's.",
        "Now merge. Both go back the way they came.",
        "Both go back the way they came.",
        "Both have the table they began with. A test of the round trip finds no difference.",
    ]


def worked_example(
    X: np.ndarray, W: Mapping[str, np.ndarray], found: Mapping[str, np.ndarray]
) -> Animation:
    """Animate two words on their way through two heads: 2 x 4, 2 x 6, 2 x 3.

    Parameters
    ----------
    X : array, shape (2, 4)
        The words.
    W : mapping of str to array
        "Q" of shape (4, 6), and "O" of shape (6, 3).
    found : mapping of str to array
        "Q", "K", "V" of shape (2, 6); "A" of shape (2, 2, 2), a matrix for each head; "heads" of
        shape (2, 6); "Y" of shape (2, 3).
    """
    fig, ax = canvas(7, 2.45, blank=True)
    (Q_1, Q_2), (K_1, K_2), (V_1, V_2) = (
        np.split(found[n], 2, axis=1) for n in "QKV"
    )
    A_1, A_2 = found["A"]
    gap, times, equals = (" ",), ("·",), ("=",)
    W_Q, W_O = ("$W_Q$", W["Q"], "query"), ("$W_O$", W["O"], "output")
    all_three = [(name, found[name], role)
                 for name, role in (("Q", "query"), ("K", "key"), ("V", "value"))]  # fmt: skip
    rows = [
        [("X", X, "output"), gap, W_Q],
        [("X", X, "output"), times, W_Q, equals, all_three[0]],
        [all_three[0], gap, all_three[1], gap, all_three[2]],
        [("$Q^1$", Q_1, "query"), ("$K^1$", K_1, "key"), gap,
         ("$Q^2$", Q_2, "query"), ("$K^2$", K_2, "key")],
        [("$Q^1$", Q_1, "query"), ("$K^1$", K_1, "key"), ("$A^1$", A_1, "weight"), gap,
         ("$Q^2$", Q_2, "query"), ("$K^2$", K_2, "key"), ("$A^2$", A_2, "weight")],
        [("$A^1$", A_1, "weight"), times, ("$V^1$", V_1, "value"), gap,
         ("$A^2$", A_2, "weight"), times, ("$V^2$", V_2, "value")],
        [("head 1, head 2", found["heads"], "output"), times, W_O, equals,
         ("Y", found["Y"], "output")],
    ]  # fmt: skip

    def draw(k: int) -> None:
        ax.clear()
        ax.set_axis_off()
        ax.set_aspect("equal")
        _row(ax, rows[k])

    return animate(
        fig,
        draw,
        [
            "Two words with 4 features. The matrices of both heads, 4 × 3, stand side by side.",
            "One product makes the queries of both heads: 2 × 6. The line shows where head 1 ends.",
            "Keys and values are made in the same way.",
            "Cut at the line: each head has queries and keys of its own, 2 × 3.",
            "Each head computes its own weights, 2 × 2, over the same two words.",
            "Each head mixes its own values by its own weights.",
            "The results stand side by side, 2 × 6. The output matrix, 6 × 3, mixes them: 2 × 3. "
            "Its rows above the line meet the columns of head 1.",
        ],
        alt="A row of matrices as colored squares with numbers: X of 2 by 4 times W_Q of 4 by 6 "
        "gives Q of 2 by 6; a line divides the columns of the two heads; then two matrices of "
        "weights of 2 by 2; at the end 2 by 6 times W_O of 6 by 3 gives Y of 2 by 3.",
        caption="Two words, two heads, all shapes. A line divides what two heads share: head 1 has "
        "the columns left of it, and in the output matrix the rows above it.",
        interval=1800,
    )


def _row(ax: Axes, parts: Sequence[tuple[Any, ...]], *, digits: int = 2) -> None:
    """Draw matrices in a row, with signs between them, and a line wherever two heads meet."""
    x, tallest = 0.0, max(len(part[1]) for part in parts if len(part) > 1)
    for part in parts:
        if len(part) == 1:
            ax.text(
                x + 0.4,
                -tallest / 2,
                part[0],
                ha="center",
                va="center",
                fontsize=14,
            )
            x += 1.0
            continue
        title, entries, role = part
        y, whole = -(tallest - len(entries)) / 2, (entries == entries.round()).all()
        width, height = matrix(ax, entries, role=role, corner=(x, y), title=title,
                               numbers="{:g}" if whole else f"{{:.{digits}f}}", fontsize=9,
                               vmax=1.0 if role == "weight" else 4.0)  # fmt: skip
        if width == 6:
            _line(ax, (x + 3, y + 0.08), (x + 3, y - height - 0.2))
        if height == 6:
            _line(ax, (x - 0.2, y - 3), (x + width + 0.2, y - 3))
        x += width + 0.4
    ax.set_xlim(x / 2 - 11.2, x / 2 + 10.8)
    ax.set_ylim(-tallest / 2 - 3.4, -tallest / 2 + 4.1)


def _line(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw the border between two heads."""
    ax.plot(*zip(start, end, strict=True), color=INK, linewidth=2.4, zorder=5)


def sum_of_heads(heads: np.ndarray, W_O: np.ndarray) -> Figure:
    """Draw that two heads side by side, times W_O, are the sum of each head times its rows.

    Parameters
    ----------
    heads : array, shape (2, 6)
        What the two heads found, side by side.
    W_O : array, shape (6, 3)
        The output matrix: three rows for each head.
    """
    fig, ax = canvas(7, 2.1, blank=True)
    (first, second), (above, below) = np.split(heads, 2, axis=1), np.split(W_O, 2)
    _row(ax, [("head 1, head 2", heads, "output"), ("$W_O$", W_O, "output"), ("=",),
              ("head 1", first, "output"), ("$W_O^1$", above, "output"), ("+",),
              ("head 2", second, "output"), ("$W_O^2$", below, "output")],
         digits=1)  # fmt: skip
    ax.set_xlim(-0.4, 25.4)
    ax.set_ylim(-6.4, 1.2)
    return fig
