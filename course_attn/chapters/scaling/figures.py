"""The scenes of the chapter `scaling`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_attn.drawing.style import INK, canvas, role_color

__all__ = [
    "gradient_by_width",
    "jacobian_bounds",
    "learning_curves",
    "running_sums",
    "score_histograms",
    "spread_by_width",
]

# How the scores are scaled: the same line for the same factor in every figure of the chapter.
_LINES: dict[str, dict[str, Any]] = {
    "without": {"color": INK, "linestyle": "--", "marker": "s"},
    "with": {"color": role_color("weight"), "linestyle": "-", "marker": "o"},
}
_NAMES = {
    "without": "dot product",
    "with": "divided by $\\sqrt{d_k}$",
}


def running_sums(products: np.ndarray) -> Figure:
    """Draw dot products as walks: the sum of the first f products against f.

    Parameters
    ----------
    products : array, shape (n_pairs, d)
        The products q_f k_f of each pair.
    """
    fig, ax = canvas(7, 2.9)
    d = products.shape[1]
    counts = np.arange(d + 1)
    walks = np.pad(np.cumsum(products, axis=1), ((0, 0), (1, 0)))
    ax.plot(counts[::2], walks.T[::2], color=INK, linewidth=0.6, alpha=0.4)
    for sign in (-1, 1):
        ax.plot(counts, sign * np.sqrt(counts), color=INK, linewidth=2.5)
        ax.annotate("$+\\sqrt{f}$" if sign > 0 else "$-\\sqrt{f}$",
                    (d, sign * np.sqrt(d)), (6, 0), textcoords="offset points",
                    va="center")  # fmt: skip
    ax.set(xlabel="number f of products added", ylabel="sum so far", xlim=(0, d))
    return fig


def score_histograms(raw: Mapping[int, np.ndarray]) -> Figure:
    """Draw the distribution of dot products for several widths, as they are and scaled.

    Parameters
    ----------
    raw : mapping from int to array
        For each width d the dot products of many pairs.
    """
    fig, (left, right) = canvas(7, 2.9, columns=2)
    shades = (":", "--", "-")
    for (d, scores), style in zip(raw.items(), shades, strict=True):
        for ax, values, reach in (
            (left, scores, 75),
            (right, scores / np.sqrt(d), 5),
        ):
            height, edges = np.histogram(
                values, np.linspace(-reach, reach, 61), density=True
            )
            color = INK if ax is left else role_color("weight")
            middles = (edges[1:] + edges[:-1]) / 2
            ax.plot(
                middles, height / height.max(), style, color=color, label=f"d = {d}"
            )
    left.set_title("dot products", fontsize=10)
    right.set_title("divided by $\\sqrt{d}$", fontsize=10)
    for ax in (left, right):
        ax.set(xlabel="score", yticks=[])
        ax.spines["left"].set_visible(False)
        ax.legend(fontsize=9.5, loc="upper left", bbox_to_anchor=(-0.02, 1.0))
    return fig


def _by_width(ax: Axes, widths: Sequence[int]) -> None:
    """Give an axes a logarithmic axis of widths with plain numbers on it."""
    ax.set_xscale("log", base=2)
    shown = list(widths)[:: 1 if len(widths) < 7 else 2]
    ax.set_xticks(shown, [str(d) for d in shown])
    ax.minorticks_off()
    ax.set_xlabel("width $d_k$")


def spread_by_width(
    widths: Sequence[int],
    measured: Mapping[str, Sequence[float]],
    predicted: Mapping[str, Sequence[float]],
) -> Figure:
    """Draw the size of scaled scores against the width, measured and predicted.

    Parameters
    ----------
    widths : sequence of int
        The widths d_k.
    measured, predicted : mapping from str to sequence of float
        For each case, what was found and what the formula says, one number for each width.
    """
    fig, ax = canvas(7, 3.2)
    looks = zip("osD^v", ("-", "--", "-.", ":", "-"), strict=True)
    for name, (marker, line) in zip(predicted, looks, strict=False):
        ax.plot(widths, predicted[name], line, color=INK, linewidth=1.3)
        ax.plot(widths, measured[name], marker, color=INK, markersize=6, label=name)
    ax.set_yscale("log")
    ax.set_ylabel("scaled score")
    _by_width(ax, widths)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9.5)
    return fig


def jacobian_bounds(largest: np.ndarray, norms: np.ndarray) -> Figure:
    """Draw the norm of the Jacobian of many rows of weights between its two bounds.

    Parameters
    ----------
    largest : array, shape (n,)
        The largest weight of each row.
    norms : array, shape (n,)
        The spectral norm of its Jacobian.
    """
    fig, ax = canvas(7, 2.9)
    grid = np.linspace(0, 1, 201)
    ax.plot(largest, norms, ".", color=role_color("weight"), markersize=3, alpha=0.5,
            label="rows of weights")  # fmt: skip
    ax.plot(
        grid, 2 * grid * (1 - grid), color=INK, label="$2\\,a_{\\max}(1-a_{\\max})$"
    )
    ax.plot(
        grid, grid * (1 - grid), "--", color=INK, label="$a_{\\max}(1-a_{\\max})$"
    )
    ax.set(xlabel="largest weight $a_{\\max}$", ylabel="norm of the Jacobian")
    ax.set(xlim=(0, 1.0), ylim=(0, 0.54))
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9.5)
    return fig


def gradient_by_width(
    widths: Sequence[int],
    gradients: Mapping[int, Mapping[str, Sequence[Sequence[float]]]],
) -> Figure:
    """Draw the size of the derivative of the weights by the query against the width.

    Parameters
    ----------
    widths : sequence of int
        The widths d_k.
    gradients : mapping from int to mapping from "without" and "with" to sequence
        For each number of keys and way to scale, the sizes in many rows at each width.
    """
    fig, axes = canvas(7, 3.2, columns=len(gradients))
    for ax, (n_keys, found) in zip(axes, gradients.items(), strict=True):
        for kind, sizes in found.items():
            low, middle, high = np.quantile(sizes, [0.1, 0.5, 0.9], axis=1)
            color = _LINES[kind]["color"]
            ax.fill_between(widths, low, high, color=color, alpha=0.15, linewidth=0)
            ax.plot(
                widths, middle, markersize=5, label=_NAMES[kind], **_LINES[kind]
            )
        ax.set(ylim=(1e-8, 100), yscale="log")
        ax.set_title(f"size of the gradient, {n_keys} keys", fontsize=10)
        _by_width(ax, widths)
    axes[0].legend(loc="lower left", fontsize=9.5)
    return fig


def learning_curves(
    steps: Sequence[int], accuracies: Mapping[float, Mapping[str, np.ndarray]]
) -> Figure:
    """Draw the accuracy of several runs for each way to scale, one panel for each learning rate.

    Parameters
    ----------
    steps : sequence of int
        After how many steps the accuracies were measured.
    accuracies : mapping from rate to mapping from name to array, shape (n_steps, n_runs)
        The share of right answers; the names are "without" and "with".
    """
    fig, axes = canvas(7, 2.9, columns=len(accuracies))
    for ax, (rate, found) in zip(axes, accuracies.items(), strict=True):
        for kind, runs in found.items():
            color = _LINES[kind]["color"]
            low, high = runs.min(axis=1), runs.max(axis=1)
            ax.fill_between(steps, low, high, color=color, alpha=0.15, linewidth=0)
            ax.plot(
                steps,
                runs.mean(axis=1),
                markersize=4,
                label=_NAMES[kind],
                **_LINES[kind],
            )
        ax.set(xlabel="steps", ylim=(0, 1.05))
        ax.set_title(f"learning rate {rate:g}", fontsize=10)
        if ax is not axes[0]:
            ax.set_yticklabels([])
    axes[0].set_ylabel("share of right answers")
    axes[-1].legend(loc="lower right", fontsize=9.5)
    return fig
