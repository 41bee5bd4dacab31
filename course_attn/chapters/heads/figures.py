"""The scenes of the chapter `heads`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_attn.chapters.language_model.figures import visible
from course_attn.drawing.animation import Animation, animate
from course_attn.drawing.matrices import heatmap
from course_attn.drawing.style import INK, canvas, role_color

__all__ = ["by_step", "damage", "head_maps", "lens", "two_heads_learn"]


def head_maps(
    weights: Sequence[np.ndarray], text: str, titles: Sequence[str]
) -> Figure:
    """Draw the attention maps of a few heads on one text, side by side.

    Parameters
    ----------
    weights : sequence of array, shape (n, n)
        The weights of each head; a row for each character that looks.
    text : str
        The n characters.
    titles : sequence of str
        What stands above each map.
    """
    fig, axes = canvas(7, 7.4 / len(weights), columns=len(weights), blank=True)
    size = 7 * 72 / len(weights) / (len(text) + 2)
    for ax, A, title in zip(np.atleast_1d(axes), weights, titles, strict=True):
        _map(ax, A, visible(text), size)
        ax.set_title(title, fontsize=10)
    return fig


def _map(ax: Axes, A: np.ndarray, shown: Sequence[str], size: float) -> None:
    """Draw the weights of one head between the characters that look and are looked at."""
    n = len(shown)
    ax.imshow(A, cmap=_ramp(), vmin=0, vmax=1)
    for i, character in enumerate(shown):
        ax.text(-0.9, i, character, ha="center", va="center", fontsize=size)
        ax.text(i, -0.9, character, ha="center", va="center", fontsize=size)
    ax.set_xlim(-1.5, n - 0.5)
    ax.set_ylim(n - 0.5, -1.5)


def two_heads_learn(maps: Mapping[int, Sequence[np.ndarray]]) -> Animation:
    """Draw a head of layer 1 and one of layer 2 while they learn, a frame for each step.

    Parameters
    ----------
    maps : mapping of int to two arrays, shape (n, n)
        By the step of training, the weights of the two heads on n/2 letters that come twice.
    """
    ((n, _), *_), *_ = [[A.shape for A in both] for both in maps.values()]
    fig, axes = canvas(7, 3.9, columns=2, blank=True)
    found = {
        step: (
            np.diagonal(first, -1)[: n // 2 - 1].mean(),
            np.diagonal(second, 1 - n // 2)[1:].mean(),
        )
        for step, (first, second) in maps.items()
    }
    heads = ("Layer 1, letter before", "Layer 2, letter to come")

    def draw(frame: int) -> None:
        step = [*maps][frame]
        for ax, A, head, share in zip(
            axes, maps[step], heads, found[step], strict=True
        ):
            ax.clear()
            ax.set_axis_off()
            ax.imshow(A, cmap=_ramp(), vmin=0, vmax=1)
            for at in (-0.5, n / 2 - 0.5, n - 0.5):
                ax.plot([-0.5, n - 0.5], [at, at], color=INK, linewidth=0.6)
                ax.plot([at, at], [-0.5, n - 0.5], color=INK, linewidth=0.6)
            for at, half in (
                (n / 4 - 0.5, "first time"),
                (3 * n / 4 - 0.5, "again"),
            ):
                ax.text(at, n, half, ha="center", va="top", fontsize=9.5)
                ax.text(
                    -1, at, half, ha="right", va="center", rotation=90, fontsize=9.5
                )
            ax.set_title(f"{head}: {share:.2f}", fontsize=10)

    return animate(
        fig,
        draw,
        [
            f"After {step} steps: in layer 1, letters of the first time put {first:.2f} of their "
            f"weight on the letter before; in layer 2, letters that come again put {second:.2f} on "
            "the letter to come."
            for step, (first, second) in found.items()
        ],
        alt="Two square maps of weights of a line of sixteen letters that comes twice. At first "
        "both are pale but for their first rows. Then, on the left, a dark line grows right below "
        "the diagonal of the upper left quarter, and on the right, in the lower left quarter, a "
        "dark line one place beside its diagonal.",
        caption="Two heads learn, on sixteen letters that come twice. Rows look, columns are "
        "looked at. Left, a head of layer 1: letters of the first time turn to the letter before. "
        "Right, one of layer 2: letters that come again turn to the letter to come, one place "
        "after their own first time. The numbers are the mean weights there.",
        interval=700,
    )


def _ramp() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(
        "weights", ["white", role_color("weight")]
    )


def lens(
    probabilities: np.ndarray, guesses: Sequence[Sequence[str]], text: str
) -> Figure:
    """Draw what is guessed after each stage of a model, for each character of a text.

    Parameters
    ----------
    probabilities : array, shape (n_stages, n)
        Of the character that truly comes next.
    guesses : sequence of sequence of str
        The most probable character, by stage and place.
    text : str
        The n characters that are read, and the one that follows them.
    """
    n_stages, n = probabilities.shape
    fig, ax = canvas(7, 0.9 + 0.42 * n_stages, blank=True)
    ax.set_aspect("auto")
    ax.imshow(probabilities[::-1], cmap=_ramp(), vmin=0, vmax=1, aspect="auto")
    for stage in range(n_stages):
        y = n_stages - 1 - stage
        for i, guess in enumerate(guesses[stage]):
            dark = probabilities[stage, i] > 0.5
            ax.text(i, y, visible(guess)[0], ha="center", va="center",
                    color="white" if dark else INK, fontsize=10)  # fmt: skip
        name = f"after block {stage}" if stage else "before block 1"
        ax.text(-0.8, y, name, ha="right", va="center", fontsize=9.5)
    shown = visible(text)
    rows = ("read", n_stages - 0.25, shown[:-1]), ("comes next", -0.75, shown[1:])
    for name, y, row in rows:
        at = {"va": "center", "color": role_color("query")}
        ax.text(-0.8, y, name, ha="right", fontsize=9.5, **at)
        for i, character in enumerate(row):
            ax.text(i, y, character, ha="center", fontsize=10, **at)
    ax.set_xlim(-4.6, n - 0.5)
    ax.set_ylim(n_stages, -1)
    return fig


def damage(costs: np.ndarray) -> Figure:
    """Draw what the loss rises by where a head is switched off, one square for each head.

    Parameters
    ----------
    costs : array, shape (n_layers, n_heads)
        In nats per character.
    """
    n_layers, n_heads = costs.shape
    fig, ax = canvas(0.6 + 0.85 * n_heads, 0.7 + 0.6 * n_layers, blank=True)
    rows = [f"block {k + 1}" for k in range(n_layers)]
    columns = [f"head {k + 1}" for k in range(n_heads)]
    heatmap(ax, costs, rows, columns, numbers="{:.3f}", vmax=None)
    return fig


def by_step(lines: Mapping[str, Mapping[int, float]]) -> Figure:
    """Draw shares against the steps of training, a line for each name.

    Parameters
    ----------
    lines : mapping of str to mapping of int to float
        For each name: the share, from 0 to 1, by step.
    """
    fig, ax = canvas(7, 3.2)
    looks = zip(("key", "output", "weight"), (":", "-", "--"), strict=True)
    for (role, style), (name, found) in zip(looks, lines.items(), strict=False):
        ax.plot(
            [*found], [*found.values()], style, color=role_color(role), label=name
        )
    ax.set(xlabel="step", ylabel="share", ylim=(0, 1.02))
    ax.legend(fontsize=9.5, loc="center right")
    return fig
