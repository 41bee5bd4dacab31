"""The scenes of the chapter `softmax`."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from course_attn.figures.animation import Animation, animate
from course_attn.figures.matrices import matrix
from course_attn.figures.style import INK, canvas, role_color, shade
from course_attn.in_numpy.softmax import entropy, softmax, softmax_jacobian

__all__ = ["exponential_bars", "jacobians", "slope_of_two", "temperature_slider"]


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
        ax.axhline(0, color=INK, linewidth=0.8)
        ax.set_title(title, fontsize=10)
        ax.margins(y=0.2)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
    return fig


def temperature_slider(scores: np.ndarray, names: Sequence[str]) -> Animation:
    """Animate the weights of one row of scores, and their entropy, as the temperature rises.

    Parameters
    ----------
    scores : array, shape (n,)
        The scores of one row.
    names : sequence of str
        What they belong to.
    """
    fig, (left, middle, right) = canvas(7, 2.9, columns=3)
    temperatures = np.geomspace(0.1, 20, 24)
    rows = np.stack([softmax(scores / t) for t in temperatures])
    entropies = np.asarray(entropy(rows))
    left.bar(names, scores, color=shade("weight", 0.45))
    left.axhline(0, color=INK, linewidth=0.8)
    left.set_title("scores", fontsize=10)

    def draw(step: int) -> None:
        middle.clear()
        bars = middle.bar(names, rows[step], color=role_color("weight"))
        middle.bar_label(bars, fmt="{:.2f}", padding=2, fontsize=9)
        middle.set(ylim=(0, 1.15))
        middle.set_title(f"weights at T = {temperatures[step]:.2g}", fontsize=10)
        right.clear()
        right.semilogx(temperatures, entropies, color=INK)
        right.axhline(np.log(len(scores)), color=INK, linewidth=0.8, linestyle=":")
        right.plot(
            temperatures[step],
            entropies[step],
            "o",
            color=role_color("weight"),
            ms=9,
        )
        right.set(ylim=(-0.05, 1.15 * np.log(len(scores))), xlabel="temperature T")
        right.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
        right.set_title("entropy (nats)", fontsize=10)

    steps = [
        f"T = {t:.2g}: the largest weight is {row.max():.2f}, the entropy {nats:.2f} "
        f"of at most {np.log(len(scores)):.2f} nats."
        for t, row, nats in zip(temperatures, rows, entropies, strict=True)
    ]
    return animate(
        fig,
        draw,
        steps,
        alt="Three panels: fixed bars of scores; bars of weights that go from one-hot to equal; "
        "the entropy curve rising with the temperature, with a dot at the current one.",
        caption="The same scores at rising temperature. Cold weights are nearly one-hot, hot ones "
        "nearly equal. Drag the slider.",
        interval=350,
    )


def slope_of_two() -> Figure:
    """Draw a weight of two and its slope against the gap between the two scores."""
    fig, ax = canvas(7, 2.5)
    gap = np.linspace(-12, 12, 241)
    weight = 1 / (1 + np.exp(-gap))
    ax.plot(gap, weight, color=role_color("weight"), label="weight $a_1$")
    slope = weight * (1 - weight)
    ax.plot(gap, slope, "--", color=INK, label="slope $a_1(1 - a_1)$")
    ax.set(xlabel="gap between the scores, $s_1 - s_2$")
    ax.legend(loc="center right")
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
