"""The scenes of the chapter `softmax`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from course_attn.drawing.matrices import matrix
from course_attn.drawing.style import INK, canvas, role_color, shade
from course_attn.in_numpy.softmax import softmax, softmax_jacobian

__all__ = [
    "exponential_bars",
    "jacobians",
    "nearest_digits",
    "sharpness_on_digits",
    "weights_of_nearest",
]


def nearest_digits(
    query: np.ndarray,
    keys: np.ndarray,
    labels: Sequence[int],
    scores: Sequence[float],
) -> Figure:
    """Draw an unknown digit beside known ones.

    Parameters
    ----------
    query : array, shape (64,)
        The pixels of the unknown digit, from 0 to 1.
    keys : array, shape (n, 64)
        Those of the known ones, nearest first.
    labels, scores : sequences of length n
        Their digits and scores.
    """
    fig, axes = canvas(7, 1.35, columns=len(keys) + 1)
    for ax, pixels in zip(axes, [query, *keys], strict=True):
        ax.imshow(pixels.reshape(8, 8), cmap="gray_r", vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[])
        for spine in ax.spines.values():
            spine.set(visible=True, linewidth=2, color=role_color("key"))
    for spine in axes[0].spines.values():
        spine.set(linewidth=3, color=role_color("query"))
    axes[0].set_title("?", fontsize=12)
    for ax, label, score in zip(axes[1:], labels, scores, strict=True):
        ax.set_title(f"{label}", fontsize=12)
        ax.set_xlabel(
            f"{score:.2f}".replace("-", "\N{MINUS SIGN}"), fontsize=9, labelpad=3
        )
    return fig


def weights_of_nearest(
    rows: Mapping[float, np.ndarray], labels: Sequence[int]
) -> Figure:
    """Draw the weights of the nearest keys at several temperatures.

    Parameters
    ----------
    rows : mapping of float to array, shape (n,)
        The weights at each temperature, nearest first.
    labels : sequence of int, length n
        The digits of these keys; those like the nearest are drawn pale.
    """
    fig, axes = canvas(7, 2.2, columns=len(rows))
    places = np.arange(len(labels))
    for ax, (temperature, weights) in zip(axes, rows.items(), strict=True):
        bars = ax.bar(
            places, weights, color=shade("weight", 0.75), edgecolor="white"
        )
        for bar, label in zip(bars, labels, strict=True):
            if label == labels[0]:
                bar.set_facecolor(shade("weight", 0.3))
        ax.set_axisbelow(True)
        ax.set_xticks(places, [str(label) for label in labels], fontsize=9)
        ax.set(ylim=(0, 1.02), xlabel="digit, nearest first")
        ax.set_title(f"weights at T = {temperature:.2g}", fontsize=10)
    return fig


def sharpness_on_digits(
    curves: np.ndarray,
    reliability: Mapping[str, np.ndarray],
    chosen: float,
) -> Figure:
    """Draw what the temperature does to attention that reads digits.

    Parameters
    ----------
    curves : array, shape (n, 4)
        Temperature, keys in play, share of right answers and mean confidence.
    reliability : mapping of str to array, shape (n_bins, 2)
        Mean confidence and share of right answers of each bin, for each named temperature.
    chosen : float
        The temperature that is marked.
    """
    fig, (left, middle, right) = canvas(7, 2.7, columns=3)
    temperatures, in_play, accuracy, confidence = curves.T
    left.loglog(temperatures, in_play, color=INK)
    left.set_yticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
    left.set(ylabel="keys in play (median)")
    middle.semilogx(temperatures, accuracy, color=INK)
    middle.semilogx(
        temperatures,
        confidence,
        "--",
        color=role_color("weight"),
    )
    middle.text(18, 0.62, "right", color=INK, fontsize=9)
    middle.text(
        0.005, 0.45, "confidence", color=role_color("weight"), fontsize=9,
        zorder=3, bbox={"color": "white", "pad": 0.5},
    )  # fmt: skip
    for ax in (left, middle):
        ax.axvline(chosen, color=INK, linestyle=":", linewidth=1)
        ax.set_xticks([0.01, 0.1, 1, 10, 100], ["0.01", "0.1", "1", "10", "100"])
        ax.set(xlabel="temperature T")
    right.plot([0, 1], [0, 1], ":", color=INK)
    looks = (("s:", 0.6), ("o-", 1.0), ("^--", 0.4))
    for (name, points), (look, strength) in zip(
        reliability.items(), looks, strict=True
    ):
        color = shade("weight", strength)
        right.plot(*points.T, look, color=color, label=name, markersize=5)
    right.legend(loc="lower right", fontsize=9)
    right.set(xlabel="confidence", ylabel="right", xlim=(0, 1.04), ylim=(0, 1.04))
    return fig


def exponential_bars(scores: np.ndarray, names: Sequence[str]) -> Figure:
    """Draw scores, their exponentials and the weights side by side.

    Parameters
    ----------
    scores : array, shape (n,)
        The scores of one row.
    names : sequence of str
        What they belong to.
    """
    fig, axes = canvas(7, 2.4, columns=3)
    stages = (
        ("scores $s_j$", scores, 0.45),
        ("exponentials $e^{s_j}$", np.exp(scores), 0.7),
        ("divided by their sum: $a_j$", softmax(scores), 1.0),
    )
    for ax, (title, heights, strength) in zip(axes, stages, strict=True):
        bars = ax.bar(names, heights, color=shade("weight", strength))
        numbers = [
            f"{height:.2g}".replace("-", "\N{MINUS SIGN}") for height in heights
        ]
        ax.bar_label(bars, numbers, padding=2, fontsize=9.5)
        ax.set_axisbelow(True)
        ax.axhline(0, color=INK, linewidth=0.8)
        ax.set_title(title, fontsize=10)
        ax.margins(y=0.2)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
    return fig


def jacobians(scores: np.ndarray, factors: Sequence[float]) -> Figure:
    """Draw the weights of scaled scores, and below them their Jacobians.

    Parameters
    ----------
    scores : array, shape (n,)
        The scores of one row.
    factors : sequence of float
        By what the scores are multiplied, a drawing for each.
    """
    fig, ax = canvas(7, 3.1, blank=True)
    n = len(scores)
    for k, factor in enumerate(factors):
        row = softmax(factor * scores)
        jacobian = softmax_jacobian(row)
        x = k * (n + 1)
        style: dict[str, Any] = {"numbers": "{:.2f}", "fontsize": 9}
        matrix(
            ax,
            row,
            role="weight",
            vmax=1,
            corner=(x, 0),
            title=f"scores × {factor:g}",
            **style,
        )
        matrix(ax, jacobian, role="output", vmax=0.25, corner=(x, -1.5), **style)
    ax.text(-0.3, -0.5, "weights", ha="right", va="center")
    ax.text(-0.3, -1.5 - n / 2, "Jacobian", ha="right", va="center")
    ax.set_xlim(-2.2, len(factors) * (n + 1) - 0.7)
    ax.set_ylim(-1.7 - n, 1)
    return fig
