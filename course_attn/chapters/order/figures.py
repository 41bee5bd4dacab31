"""The scenes of the chapter `order`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Rectangle

from course_attn.drawing.animation import Animation, animate
from course_attn.drawing.graphs import graph
from course_attn.drawing.matrices import heatmap, matrix
from course_attn.drawing.style import INK, canvas, ink_on, role_color, shade

__all__ = [
    "accuracy_by_position",
    "alibi_fan",
    "encoding_heatmap",
    "layouts",
    "shuffled_sentence",
    "three_maps",
    "three_places",
]

PALE = "#B4B4BC"
MINUS = "\N{MINUS SIGN}"


def shuffled_sentence(
    sentences: Sequence[Sequence[str]],
    weights: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
    *,
    query: str,
    key: str,
) -> Animation:
    """Animate what becomes of weights and outputs while the words of a sentence change places.

    Parameters
    ----------
    sentences : sequence of sequences of str
        The same words in one order after the other, each two words apart from the one before.
    weights : sequence of arrays, shape (n, n)
        For each order the weights that were computed for it.
    outputs : sequence of arrays, shape (n, d)
        For each order the outputs.
    query, key : str
        The two words whose weight is framed.
    """
    n, d = outputs[0].shape
    fig, ax = canvas(7, 3.0, blank=True)

    def draw(step: int) -> None:
        ax.clear()
        ax.set_axis_off()
        ax.set_aspect("equal")
        words = list(sentences[step])
        i, j = words.index(query), words.index(key)
        style: dict[str, Any] = {
            "numbers": "{:.2f}",
            "fontsize": 9,
            "rows": words,
        }
        matrix(
            ax, weights[step], role="weight", vmax=0.8, emphasis=[(i, j)], **style
        )
        for column, word in enumerate(words):
            ax.text(column + 0.5, 0.15, word, ha="center", va="bottom", fontsize=9.5,
                    rotation=35)  # fmt: skip
        frame = [(i, column) for column in range(d)]
        matrix(ax, outputs[step], role="output", vmax=2.0, corner=(n + 3.4, 0),
               emphasis=frame, **style)  # fmt: skip
        ax.text(n / 2, -n - 0.25, "weights", ha="center", va="top")
        ax.text(n + 3.4 + d / 2, -n - 0.25, "outputs", ha="center", va="top")
        ax.set_xlim(-1.8, n + d + 3.8)
        ax.set_ylim(-n - 1.0, 1.6)

    first = " ".join(sentences[0])
    steps = [f"In this order: {first}."]
    for before, after in zip(sentences, sentences[1:], strict=False):
        moved = [w for w, other in zip(before, after, strict=True) if w != other]
        swapped = " and ".join(moved)
        steps.append(
            f"{swapped} change places: {' '.join(after)}. Their rows and columns change places, "
            "and no number changes."
        )
    return animate(
        fig,
        draw,
        steps,
        alt="Left a square table of attention weights with the words as rows and columns, right "
        "a table with the first features of each word's output. When two words change places, "
        "their rows and columns do; the framed weight and the framed output keep their numbers.",
        caption="Shuffle the sentence, and every weight and every output travels with its words. "
        "Framed: the weight of one pair, and the output of the query.",
        interval=1700,
    )


def three_places() -> Figure:
    """Draw attention as a graph, with the three places where order can enter."""
    fig, ax = canvas(7, 2.75, blank=True)
    ax.set_aspect("auto")
    nodes = {
        "X": (0, 1, "$X$", "output"),
        "XP": (1.6, 1, "$X + P$", "output"),
        "Q": (3.2, 2, "$Q$", "query"),
        "K": (3.2, 1, "$K$", "key"),
        "V": (3.2, 0, "$V$", "value"),
        "QR": (4.9, 2, "turned $Q$", "query"),
        "KR": (4.9, 1, "turned $K$", "key"),
        "S": (6.6, 1.5, "$S$", "weight"),
        "SB": (7.9, 1.5, "$S + B$", "weight"),
        "A": (9.2, 1.5, "$A$", "weight"),
        "Y": (10.4, 0.75, "$Y$", "output"),
    }
    edges = [
        ("X", "XP"), ("XP", "Q"), ("XP", "K"), ("XP", "V"), ("Q", "QR"), ("K", "KR"),
        ("QR", "S"), ("KR", "S"), ("S", "SB"), ("SB", "A"), ("A", "Y"), ("V", "Y"),
    ]  # fmt: skip
    graph(ax, nodes, edges)
    notes = {
        1.6: "1  add a vector\nto each element:\nsinusoids, learned rows",
        4.9: "2  turn queries\nand keys: rotary",
        7.9: "3  lower scores\nby distance: ALiBi",
    }
    for x, text in notes.items():
        ax.text(x, 2.75, text, ha="center", va="bottom", fontsize=9.5, color=INK)
    ax.set_ylim(-0.45, 4.1)
    return fig


def encoding_heatmap(encoding: np.ndarray) -> Figure:
    """Draw an encoding as a table of shades, and some of its columns as waves.

    Parameters
    ----------
    encoding : array, shape (n, d)
        A row for each position.
    """
    fig, axes = canvas(7, 3.1, columns=2)
    left, right = axes
    n, d = encoding.shape
    # Matplotlib's stubs do not know that names and triples may be mixed.
    colors: list[Any] = ["white", shade("key", 0.5), role_color("key"), "#2B1500"]
    shades = LinearSegmentedColormap.from_list("waves", colors)
    left.grid(False)
    picture = left.imshow(
        encoding,
        cmap=shades,
        vmin=-1,
        vmax=1,
        aspect="auto",
        interpolation="nearest",
    )
    left.set(xlabel="feature", ylabel="position", title="the rows $p_i$")
    fig.colorbar(picture, ax=left, ticks=[-1, 0, 1], shrink=0.8)
    pairs = [f for f in (0, 2, 4, 8) if 2 * f < d]
    for place, f in enumerate(pairs):
        for feature, line in ((2 * f, "-"), (2 * f + 1, ":")):
            wave = encoding[:, feature] / 2.4 - place
            right.plot(range(n), wave, line, color=role_color("key"), linewidth=1.4)
    right.set(xlabel="position", title="sine (solid) and cosine (dotted)")
    right.set_yticks([-place for place in range(len(pairs))])
    right.set_yticklabels([f"pair {f}" for f in pairs])
    return fig


def layouts(d: int) -> Figure:
    """Draw which features form a pair: neighbors, or the two halves.

    Parameters
    ----------
    d : int
        The number of features, even.
    """
    fig, ax = canvas(7, 2.3, blank=True)
    half = d // 2
    ways = {
        "half-split": [(f, f + half) for f in range(half)],
        "interleaved": [(2 * f, 2 * f + 1) for f in range(half)],
    }
    for place, (name, pairs) in enumerate(ways.items()):
        left = place * (d + 2)
        for f, pair in enumerate(pairs):
            fill = shade("query", 0.1 + 0.22 * f)
            for feature in pair:
                ax.add_patch(
                    Rectangle((left + feature, 0), 0.9, 0.9, edgecolor=role_color("query"),
                              facecolor=fill)
                )  # fmt: skip
                ax.text(left + feature + 0.45, 0.45, f"{f}", ha="center", va="center",
                        color=ink_on(fill))  # fmt: skip
                ax.text(left + feature + 0.45, -0.15, f"$x_{feature}$", ha="center", va="top",
                        fontsize=10)  # fmt: skip
            a, b = (left + feature + 0.45 for feature in pair)
            arch = Arc(((a + b) / 2, 0.95), b - a, 0.9 + 0.35 * (b - a), theta1=0, theta2=180,
                       color=role_color("query"), linewidth=1.3)  # fmt: skip
            ax.add_patch(arch)
        ax.text(left + d / 2, -1.0, name, ha="center", va="top")
    ax.set_xlim(-0.3, 2 * d + 2.2)
    ax.set_ylim(-1.7, 2.4)
    return fig


def three_maps(
    maps: Mapping[str, np.ndarray], *, wanted: int | None = None
) -> Figure:
    """Draw weights side by side, without numbers.

    Parameters
    ----------
    maps : mapping from str to array, shape (n, n)
        The weights under their names.
    wanted : int, optional
        Put a dot on the keys this many positions before their query.
    """
    fig, axes = canvas(7, 2.6, columns=len(maps), blank=True)
    for ax, (name, weights) in zip(axes, maps.items(), strict=True):
        n = len(weights)
        heatmap(ax, weights, [""] * n, [""] * n, numbers=None, vmax=1.0)
        for i in range(n if wanted is None else wanted, n):
            ax.plot(i - (wanted or 0) + 0.5, -i - 0.5, "o", markersize=4,
                    markerfacecolor="white", markeredgecolor=INK)  # fmt: skip
        ax.set_title(name, fontsize=10.5)
        ax.text(n / 2, -n - 0.3, "key", ha="center", va="top", fontsize=9.5)
        ax.set_xlim(-1.3, n + 0.3)
        ax.set_ylim(-n - 1.3, 0.3)
    axes[0].text(
        -0.4, -n / 2, "query", rotation=90, ha="right", va="center", fontsize=9.5
    )
    return fig


def alibi_fan(bias: np.ndarray, weights: np.ndarray) -> Figure:
    """Draw what distance costs in every head, and what is left of equal weights.

    Parameters
    ----------
    bias : array, shape (n_heads, n)
        The bias of the last query.
    weights : array, shape (n_heads, n)
        Its weights if all scores are equal.
    """
    fig, axes = canvas(7, 3.4, columns=2)
    n_heads, n = bias.shape
    distance = np.arange(n)[::-1]
    for h in range(n_heads):
        color = shade("key", 1 - 0.75 * h / n_heads)
        axes[0].plot(distance, bias[h], color=color, linewidth=1.6)
        axes[1].plot(distance, weights[h], color=color, linewidth=1.6)
    for h in range(n_heads):
        inside = np.flatnonzero(bias[h] >= -7)[0]
        at = (distance[inside], bias[h, inside])
        shift = (0, -5) if distance[inside] < n - 1 else (4, 0)
        align = (
            ("center", "top") if distance[inside] < n - 1 else ("left", "center")
        )
        axes[0].annotate(f"{h + 1}", at, shift, textcoords="offset points",
                         ha=align[0], va=align[1], fontsize=9)  # fmt: skip
    axes[0].set(ylim=(-8, 0.3), xlim=(0, n + 4), xlabel="distance to the key",
                ylabel="bias", title="bias of each head")  # fmt: skip
    axes[1].set(xlim=(0, n), yscale="log", ylim=(1e-4, 1), xlabel="distance to the key",
                ylabel="weight", title="weights for equal scores")  # fmt: skip
    return fig


def accuracy_by_position(
    accuracies: Mapping[str, np.ndarray],
    *,
    trained: int,
    first: int = 0,
    smooth: int = 8,
) -> Figure:
    """Draw how often models are right at each position, within and beyond the trained length.

    Parameters
    ----------
    accuracies : mapping from str to array, shape (n_models, n)
        The accuracy of each model at each position, under the name of its scheme.
    trained : int
        The length that the models were trained on; a line marks it.
    first : int
        The first position to draw.
    smooth : int
        How many neighboring positions are averaged, in groups that begin at its multiples.
    """
    fig, ax = canvas(7, 3.1)
    looks = [
        (INK, ":"),
        (role_color("value"), "-."),
        (role_color("key"), "--"),
        (role_color("weight"), (0, (9, 2))),
        (role_color("query"), "-"),
    ]
    for (name, each), (color, line) in zip(
        accuracies.items(), looks[-len(accuracies) :], strict=True
    ):
        cuts = np.union1d([first], np.arange(smooth, each.shape[1], smooth))
        means = np.add.reduceat(each, cuts, axis=1)
        widths = np.diff(np.append(cuts, each.shape[1]))
        means, places = means / widths, cuts + (widths - 1) / 2
        ax.fill_between(places, means.min(axis=0), means.max(axis=0), color=color,
                        alpha=0.15, linewidth=0, step="mid")  # fmt: skip
        ax.plot(
            places,
            means.mean(axis=0),
            color=color,
            linestyle=line,
            label=name,
            linewidth=1.8,
            drawstyle="steps-mid",
        )
    ax.axvline(trained - 0.5, color=PALE, linewidth=1.2)
    ax.annotate("longer than in training", (trained, 1.04), (5, 0), ha="left", va="bottom",
                textcoords="offset points", fontsize=9, color=INK)  # fmt: skip
    ax.set(
        xlabel="position", ylabel="accuracy", ylim=(0, 1.12), xlim=(0, places[-1])
    )
    ax.legend(
        loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9
    )
    return fig
