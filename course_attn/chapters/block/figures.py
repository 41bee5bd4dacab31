"""The scenes of the chapter `block`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_attn.drawing.animation import Animation, animate
from course_attn.drawing.graphs import graph
from course_attn.drawing.matrices import heatmap, matrix
from course_attn.drawing.style import INK, canvas, role_color

__all__ = [
    "block_steps",
    "hunt_weights",
    "norm_steps",
    "two_models",
    "two_orders",
]

Nodes = dict[str, tuple[float, float, str, str]]

_SIDE = 2.4  # how far the parts stand from the residual path
_TOP = 6.8
_FORK = 0.45  # a copy leaves the path so far above a sum
_PRE: Nodes = {
    "X": (0.0, 0.0, "$X$", "output"),
    "norm_1": (_SIDE, 0.95, "norm", "output"),
    "attention": (_SIDE, 2.0, "attention", "weight"),
    "H": (0.0, 2.8, "$+$", "output"),
    "norm_2": (_SIDE, 4.1, "norm", "output"),
    "feed_forward": (_SIDE, 5.1, "feed-forward", "value"),
    "Y": (0.0, 5.9, "$+$", "output"),
    "out": (0.0, _TOP, "$Y$", "output"),
}
_PRE_EDGES = [
    ("X", "norm_1"),
    ("norm_1", "attention"),
    ("attention", "H"),
    ("X", "H"),
    ("H", "norm_2"),
    ("norm_2", "feed_forward"),
    ("feed_forward", "Y"),
    ("H", "Y"),
    ("Y", "out"),
]
_POST: Nodes = {
    "X": (0.0, 0.0, "$X$", "output"),
    "attention": (_SIDE, 0.95, "attention", "weight"),
    "sum_1": (0.0, 1.9, "$+$", "output"),
    "norm_1": (0.0, 2.85, "norm", "output"),
    "feed_forward": (_SIDE, 3.8, "feed-forward", "value"),
    "sum_2": (0.0, 4.75, "$+$", "output"),
    "norm_2": (0.0, 5.7, "norm", "output"),
    "out": (0.0, _TOP, "$Y$", "output"),
}
_POST_EDGES = [
    ("X", "attention"),
    ("attention", "sum_1"),
    ("X", "sum_1"),
    ("sum_1", "norm_1"),
    ("norm_1", "feed_forward"),
    ("feed_forward", "sum_2"),
    ("norm_1", "sum_2"),
    ("sum_2", "norm_2"),
    ("norm_2", "out"),
]


def _wire(
    ax: Axes, nodes: Nodes, edges: Sequence[tuple[str, str]], alpha: float = 1.0
) -> None:
    """Draw arrows that run straight up, or around one corner beside the residual path."""
    for start, end in edges:
        (x0, y0), (x1, y1) = nodes[start][:2], nodes[end][:2]
        fork = y0 + (_FORK if x0 < x1 and nodes[start][2] == "$+$" else 0.0)
        corner = (_SIDE, fork if x0 < x1 else y1)
        path = [(x0, y0), (x0, fork), corner] if x0 < x1 else [(x0, y0)]
        path += [corner] if x0 > x1 else []
        style: dict[str, Any] = {
            "color": role_color("output"),
            "linewidth": 1.1,
            "alpha": alpha,
        }
        ax.plot(*zip(*path, strict=True), zorder=1, **style)
        arrow = {
            "arrowstyle": "-|>",
            "shrinkA": 0,
            "shrinkB": 11,
            "mutation_scale": 11,
        }
        ax.annotate("", (x1, y1), path[-1], arrowprops=arrow | style, zorder=1)


def _frame(ax: Axes) -> None:
    """Give the picture of a block its limits."""
    ax.set_aspect("auto")
    ax.set_xlim(-0.8, _SIDE + 1.2)
    ax.set_ylim(-0.45, _TOP + 0.45)


# For each step of the animation: the node reached, what is drawn beside it, and what is said.
_STEPS = [
    ("X", "X", "The elements come in, one per row."),
    (
        "norm_1",
        "norm_1",
        "A copy is normalized: every row gets mean 0 and variance 1, on its own.",
    ),
    (
        "attention",
        "attention",
        "Attention mixes the rows: the only step at which they see each other.",
    ),
    ("H", "H", "What attention found is added to X, which waited untouched."),
    ("norm_2", "norm_2", "A copy of the sum is normalized, row by row."),
    (
        "feed_forward",
        "hidden",
        "The feed-forward network expands each row, and sets what is negative to 0.",
    ),
    (
        "feed_forward",
        "feed_forward",
        "It narrows each row again, to the width that it had.",
    ),
    ("Y", "Y", "Its result is added, too."),
    (
        "out",
        "Y",
        "The output has the shape of the input. The next block can begin.",
    ),
]


def block_steps(parts: Mapping[str, np.ndarray], words: Sequence[str]) -> Animation:
    """Animate a pre-norm block: where the computation is, and the matrix that flows there.

    Parameters
    ----------
    parts : mapping of str to array, shape (n, width)
        The matrices called X, norm_1, attention, H, norm_2, hidden, feed_forward and Y.
    words : sequence of str
        The labels of the n rows.
    """
    fig, (left, right) = canvas(7, 4.6, columns=2, blank=True)
    left.get_gridspec().set_width_ratios([1, 1.35])
    n, d = parts["X"].shape

    def draw(step: int) -> None:
        for ax in (left, right):
            ax.clear()
            ax.set_axis_off()
        right.set_aspect("equal")
        reached = {node for node, _, _ in _STEPS[: step + 1]}
        drawn = [edge for edge in _PRE_EDGES if set(edge) <= reached]
        graph(left, _PRE, (), active=reached)
        _wire(left, _PRE, [e for e in _PRE_EDGES if e not in drawn], alpha=0.25)
        _wire(left, _PRE, drawn)
        for edge in drawn:
            (x0, y0), (x1, y1) = (_PRE[end][:2] for end in edge)
            place = ((x0 + x1) / 2, (y0 + y1) / 2 if x0 == x1 else max(y0, y1))
            _write_shape(left, place, f"{n} × {d}", edge)
        _frame(left)
        name = _STEPS[step][1]
        cell = d / parts[name].shape[1]
        role = {"attention": "weight", "hidden": "value", "feed_forward": "value"}
        matrix(right, parts[name], role=role.get(name, "output"), numbers=None, cell=cell,
               vmax=3.0, rows=() if cell < 1 else words, fontsize=9.5)  # fmt: skip
        title = f"{_TITLES[name]}, {n} × {parts[name].shape[1]}"
        right.text(d / 2, 0.4, title, ha="center", va="bottom", fontsize=10.5)
        right.set_xlim(-1.6, d + 0.3)
        right.set_ylim(-n - 1.5, 2.5)

    return animate(
        fig,
        draw,
        [text for _, _, text in _STEPS],
        alt="Left, a graph: from X a straight line leads up through two plus signs to Y; to its "
        "right, a norm and attention lead from X to the first plus sign, a norm and the "
        "feed-forward network from there to the second. Right, the matrix at the current place "
        "as colored squares, one row for each word.",
        caption="A transformer block. Left, the path of the elements, with the shapes of what has "
        "flowed; right, the numbers at the current place. Attention and the network read "
        "normalized copies, and what they find is added to the path that leads straight from "
        "X to Y.",
        interval=1700,
    )


_TITLES = {
    "X": "$X$",
    "norm_1": "normalized",
    "attention": "what attention adds",
    "H": "$H = X +$ attention",
    "norm_2": "normalized",
    "hidden": "hidden features",
    "feed_forward": "what the network adds",
    "Y": "$Y = H +$ network",
}


def _write_shape(
    ax: Axes, place: tuple[float, float], text: str, edge: tuple[str, str]
) -> None:
    """Write a shape on an arrow, where there is room for it."""
    if edge in {("X", "norm_1"), ("H", "norm_2"), ("Y", "out")}:
        return
    ax.text(*place, text, ha="center", va="center", fontsize=9.5, zorder=2,
            color=role_color("weight"),
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0})  # fmt: skip


def two_orders() -> Figure:
    """Draw a pre-norm and a post-norm block side by side."""
    fig, axes = canvas(7, 4.2, columns=2, blank=True)
    kinds = (
        ("pre-norm", _PRE, _PRE_EDGES),
        ("post-norm (2017)", _POST, _POST_EDGES),
    )
    for ax, (title, nodes, edges) in zip(axes, kinds, strict=True):
        graph(ax, nodes, ())
        _wire(ax, nodes, edges)
        ax.set_title(title, fontsize=11)
        _frame(ax)
    # A broad band marks the path on which nothing stands but sums.
    axes[0].plot([0, 0], [0, _TOP], color=role_color("output"), alpha=0.22, linewidth=13,
                 solid_capstyle="round", zorder=0)  # fmt: skip
    return fig


def hunt_weights(weights: Sequence[np.ndarray], names: Sequence[int]) -> Figure:
    """Draw the weights of each block on the cards of a hunt, in the order of its route.

    Parameters
    ----------
    weights : sequence of array, shape (n, n)
        For each block the weights of its head; a row for each card that looks.
    names : sequence of int
        The numbers of the n cards.
    """
    fig, axes = canvas(7, 3.4, columns=len(weights), blank=True)
    labels = [str(name) for name in names]
    for k, (ax, A) in enumerate(zip(axes, weights, strict=True), start=1):
        heatmap(ax, A, labels, labels, numbers=None)
        ax.set_title(f"block {k}: who looks (rows) at whom", fontsize=10.5)
    return fig


def two_models() -> Figure:
    """Draw a language model and a vision transformer, from input to output."""
    fig, axes = canvas(7, 4.6, columns=2, blank=True)
    language = [
        ("$n$ tokens", "output", "$n$ numbers"),
        ("embedding table", "value", "$n × d$"),
        ("+ positions", "output", "$n × d$"),
        ("blocks, causal mask", "weight", "$n × d$"),
        ("norm", "output", "$n × d$"),
        ("linear", "value", r"$n × n_{\mathrm{vocab}}$"),
        ("softmax: next tokens", "output", ""),
    ]
    vision = [
        ("image, cut into $n$ patches", "output", "$n × p$"),
        ("linear", "value", "$n × d$"),
        ("+ positions", "output", "$n × d$"),
        ("blocks, no mask", "weight", "$n × d$"),
        ("norm, mean of the rows", "output", "$1 × d$"),
        ("linear", "value", "$1 × c$"),
        ("softmax: class", "output", ""),
    ]
    models = (("language model", language), ("vision transformer", vision))
    for ax, (title, boxes) in zip(axes, models, strict=True):
        ax.set_aspect("auto")
        nodes = {
            str(k): (0.0, float(k), text, role)
            for k, (text, role, _) in enumerate(boxes)
        }
        graph(ax, nodes, ())
        _wire(ax, nodes, [(str(k), str(k + 1)) for k in range(len(boxes) - 1)])
        for k, (_, _, shape) in enumerate(boxes[:-1]):
            ax.text(0.12, k + 0.5, shape, ha="left", va="center", fontsize=9.5,
                    color=role_color("weight"))  # fmt: skip
        ax.set_title(title, fontsize=11)
        ax.set_xlim(-1, 1)
        ax.set_ylim(-0.5, len(boxes) - 0.5)
    return fig


def norm_steps(
    X: np.ndarray, gain: np.ndarray, bias: np.ndarray, names: Sequence[str]
) -> Animation:
    """Animate layer normalization of a few elements: center, divide, rescale.

    Parameters
    ----------
    X : array, shape (n, d)
        The elements.
    gain, bias : array, shape (d,)
        The learned numbers.
    names : sequence of str
        The labels of the n elements.
    """
    fig, axes = canvas(7, 2.7, columns=len(X))
    centered = X - X.mean(axis=-1, keepdims=True)
    normed = centered / X.std(axis=-1, keepdims=True)
    stages = [X, centered, normed, normed * gain, normed * gain + bias]

    def draw(step: int) -> None:
        for ax, row, name in zip(axes, stages[step], names, strict=True):
            ax.clear()
            ax.bar(
                range(1, len(row) + 1), row, color=role_color("output"), width=0.7
            )
            ax.axhline(row.mean(), color=INK, linestyle=":", linewidth=1.2)
            largest = max(abs(row.min()), abs(row.max())) * 1.3
            ax.set(ylim=(-largest, largest), xticks=range(1, len(row) + 1))
            ax.yaxis.set_major_formatter("{x:.1f}")  # as wide in every step
            ax.set_xlabel("feature")
            about = f"mean {_signed(row.mean())}, variance {row.var():.2f}"
            ax.set_title(f"{name}\n{about}", fontsize=9)

    steps = [
        "Three elements. Mind the scales: their features differ in place and size.",
        "From every element its own mean is taken away: each now has mean 0.",
        "Every element is divided by its own standard deviation: each has variance 1.",
        "Every feature is multiplied by its gain, the same for all elements.",
        "Every feature gets its bias, the same for all elements.",
    ]
    return animate(
        fig,
        draw,
        steps,
        alt="Three bar charts of five features each, whose spreads differ by a factor of 60 "
        "at first. After centering and dividing, the first two are equal and the "
        "third is a mirror image; gain and bias then change all alike.",
        caption="Layer normalization looks at one element at a time. The second element is the "
        "first one times a positive number, plus a number: after the division they are equal.",
        interval=1800,
    )


def _signed(number: float) -> str:
    """Write a number with a true minus sign, and no sign if it rounds to zero."""
    text = f"{number:.2f}"
    text = text.removeprefix("-") if float(text) == 0 else text
    return text.replace("-", "\N{MINUS SIGN}")
