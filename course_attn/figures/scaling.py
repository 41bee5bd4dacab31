"""The scenes of the chapter `scaling`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_attn.figures.animation import Animation, animate
from course_attn.figures.style import INK, canvas, role_color
from course_attn.in_numpy.softmax import entropy, softmax

__all__ = [
    "entropy_and_slope",
    "gradient_by_width",
    "head_spreads",
    "jacobian_bounds",
    "learning_curves",
    "running_sums",
    "score_histograms",
    "spread_by_width",
    "width_growing",
]

# How the scores are scaled: the same line for the same factor in every figure of the chapter.
_LINES: dict[str, dict[str, Any]] = {
    "without": {"color": INK, "linestyle": "--", "marker": "s"},
    "with": {"color": role_color("weight"), "linestyle": "-", "marker": "o"},
    "over d": {"color": role_color("output"), "linestyle": ":", "marker": "^"},
}
_NAMES = {
    "without": "dot product",
    "with": "divided by $\\sqrt{d_k}$",
    "over d": "divided by $d_k$",
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
    ax.plot(counts[::2], walks.T[::2], color=INK, linewidth=0.6, alpha=0.45)
    for sign in (-1, 1):
        ax.plot(
            counts, sign * np.sqrt(counts), color=role_color("weight"), linewidth=2
        )
    ax.annotate("$+\\sqrt{f}$", (d, np.sqrt(d)), (6, 0), textcoords="offset points",
                va="center", color=role_color("weight"))  # fmt: skip
    ax.annotate("$-\\sqrt{f}$", (d, -np.sqrt(d)), (6, 0), textcoords="offset points",
                va="center", color=role_color("weight"))  # fmt: skip
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


def width_growing(n_keys: int = 16, steps: int = 11, seed: int = 0) -> Animation:
    """Animate scores and weights while d doubles, from 1 on, with and without the scale.

    The vectors stay the same; each step shows more of their components.

    Parameters
    ----------
    n_keys : int
        Number of keys in the row of weights.
    steps : int
        Number of doublings plus one.
    seed : int
        Of the standard normal components.
    """
    widths = [2**k for k in range(steps)]
    rng = np.random.default_rng(seed)
    queries = rng.normal(size=(250, 1, widths[-1]))
    products = queries * rng.normal(size=(250, n_keys, widths[-1]))
    sums = [products[..., :d].sum(axis=-1) for d in widths]
    fig, (left, middle, right) = canvas(7, 2.7, columns=3)
    steps_said, rows, entropies = [], [], []
    for d, scores in zip(widths, sums, strict=True):
        weights = {
            "without": softmax(scores),
            "with": softmax(scores / np.sqrt(d)),
        }
        rows.append({kind: found[0] for kind, found in weights.items()})
        entropies.append(
            {kind: entropy(found).mean() for kind, found in weights.items()}
        )
        steps_said.append(
            f"d = {d}: the dot products have a standard deviation of {scores.std():.1f}, the "
            f"scaled scores of {(scores / np.sqrt(d)).std():.2f}. Mean entropy without the scale "
            f"{entropies[-1]['without']:.2f} nats, with it {entropies[-1]['with']:.2f}, "
            f"of at most {np.log(n_keys):.2f}."
        )

    def draw(step: int) -> None:
        left.clear()
        d, scores = widths[step], sums[step]
        for kind, values in (("without", scores), ("with", scores / np.sqrt(d))):
            style = {k: v for k, v in _LINES[kind].items() if k != "marker"}
            height, edges = np.histogram(values, np.linspace(-10, 10, 41))
            share = height / values.size / 0.5
            left.plot(
                (edges[1:] + edges[:-1]) / 2, share, label=_NAMES[kind], **style
            )
        left.set(xlabel="score", ylim=(0, 0.95), xlim=(-10, 10), yticks=[])
        left.set_title(f"scores at d = {d}", fontsize=10)
        left.legend(fontsize=9, loc="upper center", handlelength=1.6)
        for ax, kind in ((middle, "without"), (right, "with")):
            ax.clear()
            ax.bar(
                range(1, n_keys + 1), rows[step][kind], color=_LINES[kind]["color"]
            )
            ax.set(ylim=(0, 1.05), xlabel="key", xticks=[1, n_keys // 2, n_keys])
            name = "without" if kind == "without" else "with scale"
            found = entropy(rows[step][kind])
            ax.set_title(f"weights {name}\nentropy {found:.2f} nats", fontsize=10)

    return animate(
        fig,
        draw,
        steps_said,
        alt="Three panels. Left, two distributions of scores: that of the dot products widens with "
        "d until it is flat, that of the scaled scores stays. Middle, a row of weights without the "
        "scale, which becomes one-hot; right, with the scale, which stays spread out.",
        caption="The same query and keys, with more and more components. Without the scale the "
        "scores spread like √d and a single key takes all the weight; with it, nothing of the kind "
        "happens.",
        interval=900,
    )


def _by_width(ax: Axes, widths: Sequence[int]) -> None:
    """Give an axes a logarithmic axis of widths with plain numbers on it."""
    ax.set_xscale("log", base=2)
    shown = list(widths)[:: 1 if len(widths) < 7 else 2]
    ax.set_xticks(shown, [str(d) for d in shown])
    ax.minorticks_off()
    ax.set_xlabel("width $d_k$")


def _median_and_band(
    ax: Axes,
    widths: Sequence[int],
    found: Sequence[np.ndarray],
    kind: str,
    label: str | None = None,
) -> None:
    """Draw the median of many rows at each width, and a band with the middle half of them."""
    low, middle, high = np.quantile(found, [0.25, 0.5, 0.75], axis=1)
    color = _LINES[kind]["color"]
    ax.fill_between(widths, low, high, color=color, alpha=0.15, linewidth=0)
    ax.plot(widths, middle, markersize=5, label=label, **_LINES[kind])


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
    colors = [INK, *(role_color(r) for r in ("value", "key", "query", "weight"))]
    looks = zip(colors, "osD^v", ("-", "--", "-.", ":", "-"), strict=True)
    for name, (color, marker, line) in zip(predicted, looks, strict=False):
        ax.plot(widths, predicted[name], line, color=color, linewidth=1.3)
        ax.plot(
            widths, measured[name], marker, color=color, markersize=6, label=name
        )
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


def entropy_and_slope(
    widths: Sequence[int],
    entropies: Mapping[str, Sequence[np.ndarray]],
    norms: Mapping[str, Sequence[np.ndarray]],
    n_keys: int,
) -> Figure:
    """Draw entropy of the weights and norm of their Jacobian against the width.

    Parameters
    ----------
    widths : sequence of int
        The widths d_k.
    entropies : mapping from "without" and "with" to sequence of array
        The entropies of all rows at each width.
    norms : mapping from "without" and "with" to sequence of array
        The norms of all rows at each width.
    n_keys : int
        Number of keys, for the largest possible entropy.
    """
    fig, (left, right) = canvas(7, 3.1, columns=2)
    for kind in ("without", "with"):
        means = [rows.mean() for rows in entropies[kind]]
        left.plot(widths, means, label=_NAMES[kind], markersize=5, **_LINES[kind])
        _median_and_band(right, widths, norms[kind], kind)
    left.axhline(np.log(n_keys), color=INK, linewidth=0.8, linestyle=":")
    left.text(widths[0], np.log(n_keys) + 0.05, f"log {n_keys}", fontsize=9.5)
    left.set(ylim=(0, np.log(n_keys) + 0.4))
    left.set_title("entropy (nats)", fontsize=10)
    right.set_yscale("log")
    right.set_ylim(1e-8, 1)
    right.set_title("norm of the Jacobian", fontsize=10)
    left.legend(loc="lower left", fontsize=9.5)
    for ax in (left, right):
        _by_width(ax, widths)
    return fig


def gradient_by_width(
    widths: Sequence[int], gradients: Mapping[str, Sequence[np.ndarray]]
) -> Figure:
    """Draw the norm of the derivative of the weights by the query against the width.

    Parameters
    ----------
    widths : sequence of int
        The widths d_k.
    gradients : mapping from "without" and "with" to sequence of array
        The norms of all rows at each width.
    """
    fig, ax = canvas(7, 3.1)
    for kind, found in gradients.items():
        _median_and_band(ax, widths, found, kind, label=f"{_NAMES[kind]}, median")
        means = [rows.mean() for rows in found]
        ax.plot(
            widths,
            means,
            "x",
            color=_LINES[kind]["color"],
            markersize=7,
            label=f"{_NAMES[kind]}, mean",
        )
    ax.set(ylim=(1e-8, 30), yscale="log", ylabel="norm of the gradient")
    _by_width(ax, widths)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9.5)
    return fig


def learning_curves(
    accuracies: Mapping[float, Mapping[str, np.ndarray]], baseline: float
) -> Figure:
    """Draw the test accuracy of several runs for each way to scale, a panel a learning rate.

    Parameters
    ----------
    accuracies : mapping from rate to mapping from name to array, shape (n_passes, n_runs)
        The share of right answers after each pass through the data; the names are "without",
        "with" and "over d".
    baseline : float
        That of the model to compare with.
    """
    fig, axes = canvas(7, 3.2, columns=len(accuracies))
    for ax, (rate, found) in zip(axes, accuracies.items(), strict=True):
        for kind, runs in found.items():
            passes = np.arange(1, len(runs) + 1)
            color = _LINES[kind]["color"]
            low, high = runs.min(axis=1), runs.max(axis=1)
            ax.fill_between(passes, low, high, color=color, alpha=0.15, linewidth=0)
            middle = runs.mean(axis=1)
            ax.plot(
                passes, middle, markersize=5, label=_NAMES[kind], **_LINES[kind]
            )
        ax.axhline(baseline, color=INK, linewidth=0.8, linestyle=":")
        ax.text(
            1, baseline + 0.01, "logistic regression", fontsize=9.5, va="bottom"
        )
        ax.set(
            xlabel="passes through the images", ylim=(0, 1.1), xticks=passes[::3]
        )
        ax.set_title(f"test accuracy, learning rate {rate:g}", fontsize=10)
    axes[-1].legend(loc="lower right", fontsize=9.5)
    return fig


def head_spreads(
    before: Mapping[str, np.ndarray], after: Mapping[str, np.ndarray]
) -> Figure:
    """Draw the spread of the scores of every head, before and after training.

    Parameters
    ----------
    before, after : mapping from "without", "with" and "over d" to array, shape (n_heads,)
        The standard deviation of the scores that each head hands to softmax.
    """
    fig, ax = canvas(7, 2.6)
    for place, kind in enumerate(before):
        offsets = place + np.linspace(-0.22, 0.22, len(before[kind]))
        color, marker = _LINES[kind]["color"], _LINES[kind]["marker"]
        for x, start, end in zip(offsets, before[kind], after[kind], strict=True):
            ax.annotate("", (x, end), (x, start),
                        arrowprops={"arrowstyle": "-|>", "color": color, "linewidth": 1,
                                    "shrinkA": 3, "shrinkB": 0})  # fmt: skip
        ax.plot(offsets, before[kind], marker, color=color, markersize=5)
    ax.axhline(1, color=INK, linewidth=0.8, linestyle=":")
    ax.set_yscale("log")
    ax.set_yticks([0.1, 1, 10, 100], ["0.1", "1", "10", "100"])
    ax.minorticks_off()
    ax.set_ylim(0.07, 200)
    ax.set_xticks(range(len(before)), [_NAMES[kind] for kind in before])
    ax.set_xlim(-0.5, len(before) - 0.5)
    ax.set_ylabel("spread of scores")
    return fig
