"""The scenes of the chapter `encoder_decoder`."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from course_attn.drawing.graphs import graph
from course_attn.drawing.matrices import matrix
from course_attn.drawing.style import canvas, role_color

__all__ = ["alignment_map", "right_by_length", "text_asks_image", "two_towers"]


def two_towers() -> Figure:
    """Draw an encoder beside a decoder, whose blocks all read what the encoder returns."""
    fig, ax = canvas(7, 4.2, blank=True)
    ax.set_aspect("auto")
    nodes = {
        "source": (0.0, 0.0, "source", "key"),
        "E": (0.0, 1.0, "vectors + places", "key"),
        "self": (0.0, 2.0, "self-attention,\nnetwork", "key"),
        "Z": (0.0, 3.3, "$Z$", "key"),
        "target": (3.4, 0.0, "target so far", "query"),
        "D": (3.4, 1.0, "vectors + places", "query"),
        "causal": (3.4, 2.0, "causal self-attention", "query"),
        "cross": (3.4, 3.3, "cross-attention", "weight"),
        "network": (3.4, 4.3, "network", "output"),
        "logits": (6.2, 4.3, "next character", "output"),
    }
    edges: list[tuple[str, str] | tuple[str, str, str]] = [
        ("source", "E"), ("E", "self"), ("self", "Z"), ("Z", "cross", "keys, values"),
        ("target", "D"), ("D", "causal"), ("causal", "cross", "queries"),
        ("cross", "network"), ("network", "logits"),
    ]  # fmt: skip
    graph(ax, nodes, edges)
    for place in ((1.2, 2.0), (5.1, 3.3)):
        ax.text(*place, "× layers", ha="center", va="center", fontsize=9.5,
                color=role_color("output"))  # fmt: skip
    ax.set_xlim(-1.4, 7.2)
    ax.set_ylim(-0.5, 4.8)
    return fig


def right_by_length(
    found: Mapping[str, Mapping[int, Sequence[float]]], trained: int
) -> Figure:
    """Draw how many answers are right by the length of the source, for several models.

    Parameters
    ----------
    found : mapping
        For each model and each length the shares of right answers, one for each start.
    trained : int
        The longest source that was trained on; a line marks it.
    """
    fig, ax = canvas(7, 3.2)
    looks = zip(("weight", "key", "output"), ("o-", "s--", "^:"), strict=True)
    for (name, by_length), (role, line) in zip(found.items(), looks, strict=False):
        lengths = list(by_length)
        shares = np.array([by_length[length] for length in lengths])
        color = role_color(role)
        ax.plot(lengths, shares.mean(axis=1), line, color=color, label=name)
        ax.fill_between(lengths, shares.min(axis=1), shares.max(axis=1), color=color,
                        alpha=0.18, linewidth=0)  # fmt: skip
    ax.axvline(trained, color=role_color("output"), linestyle=(0, (1, 3)))
    ax.text(trained + 0.3, 0.5, "longest\ntrained on", va="center", fontsize=9.5)
    ax.set(xlabel="symbols of the source", ylabel="share of answers that are right",
           ylim=(-0.04, 1.04))  # fmt: skip
    ax.legend(fontsize=9.5, loc="center left", bbox_to_anchor=(0.02, 0.3))
    return fig


def alignment_map(
    source: str, target: str, weights: np.ndarray, known: np.ndarray
) -> Figure:
    """Draw which characters of the source each one of the target weighs, and the right ones.

    Parameters
    ----------
    source, target : str
        The two texts.
    weights : array, shape (n_target, n_source)
        One row for each character of the target.
    known : array, shape (n_target, n_source)
        True, and framed, where the character comes from.
    """
    n, m = weights.shape
    fig, ax = canvas(7, 0.9 + 6.2 * n / max(m, n), blank=True)
    places = [(int(i), int(j)) for i, j in np.argwhere(known)]
    matrix(ax, weights, role="weight", vmax=1.0, numbers=None, rows=list(target),
           columns=[character.replace(" ", "␣") for character in source],
           emphasis=places)  # fmt: skip
    return fig


def text_asks_image(photo: np.ndarray, size: int, words: Sequence[str]) -> Figure:
    """Draw an image cut into patches, and a word of a caption that asks them all.

    Parameters
    ----------
    photo : array, shape (height, width, 3)
        Colors between 0 and 1; the sides are multiples of `size`.
    size : int
        The side of a patch, in pixels.
    words : sequence of str
        The caption so far; the last one asks.
    """
    fig, ax = canvas(7, 2.9, blank=True)
    height, width, _ = photo.shape
    ax.imshow(photo.clip(0, 1), zorder=0)
    ax.hlines(np.arange(0, height + 1, size) - 0.5, -0.5, width - 0.5, "white")
    ax.vlines(np.arange(0, width + 1, size) - 0.5, -0.5, height - 0.5, "white")
    rows, asks = len(words), (1.45 * width, (1 - 0.5 / len(words)) * height)
    for x in np.arange(size / 2, width, size):
        for y in np.arange(size / 2, height, size):
            ax.plot(
                [x, asks[0]],
                [y, asks[1]],
                color=role_color("weight"),
                linewidth=0.8,
            )
            ax.plot(x, y, "o", color=role_color("key"), markeredgecolor="white")
    for row, word in enumerate(words, start=1):
        color = role_color("query" if row == rows else "output")
        ax.text(asks[0], (row - 0.5) / rows * height, word, ha="center", va="center",
                fontsize=11, color=color,
                bbox={"boxstyle": "round,pad=0.35", "facecolor": "white",
                      "edgecolor": color})  # fmt: skip
    ax.set_xlim(-2, width * 1.7)
    ax.set_ylim(height + 1, -2)
    return fig
