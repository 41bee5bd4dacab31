"""The scenes of the chapter `qkv`."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_attn.drawing.animation import Animation, animate
from course_attn.drawing.graphs import arcs, graph
from course_attn.drawing.style import INK, canvas, role_color
from course_attn.in_numpy.softmax import softmax

__all__ = [
    "matrix_graph",
    "pictures",
    "plain_graph",
    "roles_graph",
    "sentence_arcs",
    "soft_dictionary",
]


def roles_graph(words: Sequence[str] = ("prince", "she", "him")) -> Animation:
    """Animate one output being computed from queries, keys and values, a step at a time.

    Parameters
    ----------
    words : sequence of str
        Three elements; the last one asks.
    """
    fig, ax = canvas(7, 3.9, blank=True)
    heights = {1: 3.6, 2: 1.8, 3: 0.0}
    nodes: dict[str, tuple[float, float, str, str]] = {}
    for j, y in heights.items():
        nodes[f"x{j}"] = (0.0, y, f"$x_{j}$", "output")
        nodes[f"k{j}"] = (1.7, y + 0.42, f"$k_{j}$", "key")
        nodes[f"v{j}"] = (1.7, y - 0.42, f"$v_{j}$", "value")
        nodes[f"s{j}"] = (3.5, y + 0.42, f"$q_3 \\cdot k_{j}$", "weight")
        nodes[f"a{j}"] = (5.1, y + 0.42, f"$a_{{3{j}}}$", "weight")
        nodes[f"p{j}"] = (6.4, y, f"$a_{{3{j}}}\\, v_{j}$", "value")
    nodes["q3"] = (2.55, -1.45, "$q_3$", "query")
    nodes["y3"] = (8.0, 1.8, "$y_3$", "output")
    stages = [
        [f"x{j}" for j in heights],
        ["q3"],
        [f"k{j}" for j in heights],
        [f"s{j}" for j in heights],
        [f"a{j}" for j in heights],
        [f"v{j}" for j in heights],
        [f"p{j}" for j in heights],
        ["y3"],
    ]
    edges = [("x3", "q3")]
    for j in heights:
        edges += [(f"x{j}", f"k{j}"), (f"x{j}", f"v{j}"), (f"k{j}", f"s{j}")]
        edges += [("q3", f"s{j}"), (f"s{j}", f"a{j}")]
        edges += [(f"a{j}", f"p{j}"), (f"v{j}", f"p{j}"), (f"p{j}", "y3")]

    headings = {1.7: "three roles", 3.5: "score", 5.1: "softmax", 7.1: "mix"}

    def draw(step: int) -> None:
        ax.clear()
        ax.set_axis_off()
        _stage(ax, nodes, edges, stages[: step + 1])
        _label(ax, dict(zip(words, heights.values(), strict=True)), headings)
        ax.set_xlim(-1.9, 8.5)
        ax.set_ylim(-1.9, 5.1)

    asks = words[2]
    steps = [
        "Three elements, each a row of numbers.",
        f"{asks} asks: its query is x3 times W_Q, what it looks for.",
        "Every element offers a key, x times W_K, to be found by; so does the one that asks.",
        "The query meets every key: three dot products, three scores.",
        "Softmax turns the row of scores into weights that sum to 1.",
        "Every element gives a value: x times W_V. The scores played no part in it.",
        "Each value is multiplied by its weight.",
        f"Their sum is the output for {asks}. The others ask in the same way, at the same time.",
    ]
    return animate(
        fig,
        draw,
        steps,
        alt="A computation graph. The elements x1, x2, x3 each lead to a key and a value; x3 "
        "also leads to a query. The query meets each key in a score; scores become weights; "
        "each weight multiplies a value; the products meet in the output y3.",
        caption="One element asks, every element offers and gives. The query and the keys decide "
        "how much; the values are what is mixed.",
        interval=1500,
    )


def plain_graph(
    pixels: Sequence[str] = ("pixel 1", "pixel 2", "pixel 3"),
) -> Animation:
    """Animate one output being computed without roles: the elements play all parts themselves.

    Parameters
    ----------
    pixels : sequence of str
        Three elements; the last one asks.
    """
    fig, ax = canvas(7, 3.6, blank=True)
    heights = {1: 3.6, 2: 1.8, 3: 0.0}
    nodes: dict[str, tuple[float, float, str, str]] = {}
    for j, y in heights.items():
        nodes[f"x{j}"] = (0.0, y, f"$x_{j}$", "output")
        nodes[f"s{j}"] = (2.3, y + 0.42, f"$x_3 \\cdot x_{j}$", "weight")
        nodes[f"a{j}"] = (4.2, y + 0.42, f"$a_{{3{j}}}$", "weight")
        nodes[f"p{j}"] = (5.9, y - 0.25, f"$a_{{3{j}}}\\, x_{j}$", "output")
    nodes["y3"] = (7.8, 1.8, "$y_3$", "output")
    stages = [[f"{letter}{j}" for j in heights] for letter in "xsap"] + [["y3"]]
    edges = [(f"x{j}", f"s{j}") for j in heights]
    edges += [("x3", "s1"), ("x3", "s2")]
    for j in heights:
        edges += [(f"s{j}", f"a{j}"), (f"a{j}", f"p{j}"), (f"x{j}", f"p{j}")]
        edges += [(f"p{j}", "y3")]
    headings = {0.0: "elements", 2.3: "score", 4.2: "softmax", 6.9: "mix"}

    def draw(step: int) -> None:
        ax.clear()
        ax.set_axis_off()
        _stage(ax, nodes, edges, stages[: step + 1])
        _label(ax, dict(zip(pixels, heights.values(), strict=True)), headings)
        ax.set_xlim(-1.9, 8.4)
        ax.set_ylim(-0.8, 5.1)

    steps = [
        "Three elements, each a row of numbers. There are no matrices.",
        f"{pixels[2]} asks: its dot product with every element, itself included, is a score.",
        "Softmax turns the three scores into weights that sum to 1.",
        "Each element is multiplied by its weight.",
        f"Their sum is the output for {pixels[2]}. One vector asked, was found and was mixed.",
    ]
    return animate(
        fig,
        draw,
        steps,
        alt="A computation graph without roles. x3 meets x1, x2 and itself in "
        "three scores; the scores become weights; each weight multiplies its element; the "
        "products meet in the output y3.",
        caption="Attention without roles: one vector per element asks, is found and is handed "
        "over.",
        interval=1500,
    )


def _stage(
    ax: Axes,
    nodes: Mapping[str, tuple[float, float, str, str]],
    edges: Sequence[tuple[str, str]],
    stages: Sequence[Sequence[str]],
) -> None:
    """Draw a graph, of which these stages are computed already."""
    reached = {name for stage in stages for name in stage}
    drawn = [edge for edge in edges if set(edge) <= reached]
    graph(ax, nodes, drawn, active=reached)


def _label(
    ax: Axes, heights: Mapping[str, float], headings: Mapping[float, str]
) -> None:
    """Name the rows of a graph, the last of which asks, and its columns."""
    for word, y in heights.items():
        ax.text(-0.6, y, word, ha="right", va="center",
                color=role_color("query") if word == [*heights][-1] else INK)  # fmt: skip
    for x, heading in headings.items():
        ax.text(x, 4.7, heading, ha="center", fontsize=9.5)


def soft_dictionary(
    directions: Mapping[str, float], values: Sequence[float], query: float
) -> Animation:
    """Animate a lookup in a dictionary of directions, from hard to soft.

    Parameters
    ----------
    directions : mapping of str to float
        The keys: names, and the angles of vectors of length 1 in degrees from east.
    values : sequence of float
        A number for each key.
    query : float
        The angle of the query, a vector of length 1, in degrees from east.
    """
    fig, (compass, bars, line) = canvas(7, 2.9, columns=3)
    names, numbers = list(directions), np.asarray(values, float)
    keys = np.array([_unit(angle) for angle in directions.values()])
    scores = keys @ _unit(query)
    temperatures = np.geomspace(0.02, 20, 19)
    rows = np.stack([softmax(scores / t) for t in temperatures])
    answers = rows @ numbers

    def draw(step: int) -> None:
        for ax in (compass, bars, line):
            ax.clear()
        bars.set_axisbelow(True)
        _compass(compass, keys, names, _unit(query), rows[step])
        drawn = bars.bar(names, rows[step], color=role_color("weight"))
        bars.bar_label(drawn, fmt="{:.2f}", padding=2, fontsize=9)
        bars.set(ylim=(0, 1.15), yticks=[0, 0.5, 1])
        bars.tick_params(axis="x", labelsize=9)
        bars.set_title(f"weights at T = {temperatures[step]:.2g}", fontsize=10)
        line.semilogx(temperatures, answers, color=INK, linewidth=1)
        line.plot(
            temperatures[step], answers[step], "s", ms=9, color=role_color("output")
        )
        line.axhline(numbers.mean(), color=INK, linewidth=0.8, linestyle=":")
        line.set_xticks([0.1, 1, 10], ["0.1", "1", "10"])
        line.set(
            xlabel="temperature T", ylim=(answers.min() - 1, answers.max() + 2)
        )
        line.set_title(f"answer: {answers[step]:.1f} mm", fontsize=10)

    return animate(
        fig,
        draw,
        [
            f"T = {t:.2g}: {names[row.argmax()]} has the weight {row.max():.2f}, the answer is "
            f"{answer:.1f} mm."
            for t, row, answer in zip(temperatures, rows, answers, strict=True)
        ],
        alt="Left, a compass with four keys, drawn larger the larger their weight, and a query "
        "between two of them. Middle, bars of the four weights, from one-hot to equal. Right, the "
        "answer against the temperature, from one value to the dotted mean of all.",
        caption="One lookup, from hard to soft. At a low temperature it returns the value of the "
        "nearest key, where a dictionary would give up; at a high one, nearly the mean of all "
        "values; in between, a blend of what is near.",
        interval=450,
    )


def _unit(angle: float) -> np.ndarray:
    """Return the vector of length 1 at an angle in degrees."""
    return np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])


def _compass(
    ax: Axes,
    keys: np.ndarray,
    names: Sequence[str],
    query: np.ndarray,
    row: np.ndarray,
) -> None:
    """Draw keys and a query as directions; a key is as large as its weight."""
    angle = np.linspace(0, 2 * np.pi, 100)
    ax.plot(np.cos(angle), np.sin(angle), color=INK, linewidth=0.6, alpha=0.4)
    ax.scatter(
        keys[:, 0], keys[:, 1], s=30 + 260 * row, color=role_color("key"), zorder=3
    )
    for key, name in zip(keys, names, strict=True):
        ax.annotate(name, key, 19 * key, textcoords="offset points", ha="center",
                    va="center", fontsize=9, color=role_color("key"))  # fmt: skip
    ax.annotate("", tuple(query), (0, 0), arrowprops={"arrowstyle": "-|>", "linewidth": 2,
                "color": role_color("query"), "shrinkA": 0, "shrinkB": 0})  # fmt: skip
    x, y = 0.35 * query + [0.08, -0.22]
    ax.text(x, y, "query", fontsize=9, color=role_color("query"))
    ax.set_axis_off()
    ax.set_aspect("equal")
    ax.set(xlim=(-1.6, 1.6), ylim=(-1.5, 1.5))


def matrix_graph() -> Figure:
    """Draw the computation of attention with matrices, and the shapes on its edges."""
    fig, ax = canvas(7, 3.5, blank=True)
    nodes = {
        "X": (0.0, 3.0, "$X$", "output"),
        "Z": (0.0, 0.6, "$Z$", "output"),
        "Q": (2.9, 3.0, "$Q$", "query"),
        "K": (2.9, 1.5, "$K$", "key"),
        "V": (2.9, 0.0, "$V$", "value"),
        "S": (5.6, 3.0, "$S$", "weight"),
        "A": (8.3, 3.0, "$A$", "weight"),
        "Y": (8.3, 0.0, "$Y$", "output"),
    }
    shapes = {
        ("X", "Q"): "$n_q \\times d_{model}$",
        ("Z", "K"): "$n_k \\times d_{model}$",
        ("Z", "V"): "$n_k \\times d_{model}$",
        ("Q", "S"): "$n_q \\times d_k$",
        ("K", "S"): "$n_k \\times d_k$",
        ("S", "A"): "$n_q \\times n_k$",
        ("A", "Y"): "$n_q \\times n_k$",
        ("V", "Y"): "$n_k \\times d_v$",
    }
    graph(ax, nodes, shapes)
    for (start, end), shape in shapes.items():
        middle = (np.array(nodes[start][:2]) + nodes[end][:2]) / 2
        ax.text(*middle, shape, ha="center", va="center", fontsize=9.5,
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5})  # fmt: skip
    formulas = {
        "Q": "$X W_Q$",
        "K": "$Z W_K$",
        "V": "$Z W_V$",
        "S": "$Q K^\\top$",
        "A": "softmax$(S)$",
        "Y": "$A V$:  $n_q \\times d_v$",
    }
    for name, formula in formulas.items():
        x, y, _, role = nodes[name]
        below = name in "VY"
        ax.text(x, y + (-0.42 if below else 0.42), formula, ha="center", fontsize=10,
                va="top" if below else "bottom", color=role_color(role))  # fmt: skip
    ax.set_aspect("auto")
    ax.set_xlim(-0.5, 9.4)
    ax.set_ylim(-0.9, 3.9)
    return fig


def pictures(shown: Mapping[str, np.ndarray]) -> Figure:
    """Draw small photographs side by side, every pixel a sharp square.

    Parameters
    ----------
    shown : mapping of str to array, shape (height, width, 3)
        Pictures with entries from 0 to 1, by their titles.
    """
    fig, axes = canvas(7, 2.2, columns=len(shown))
    for ax, (title, picture) in zip(
        np.atleast_1d(axes), shown.items(), strict=True
    ):
        ax.imshow(picture.clip(0, 1), interpolation="nearest")
        ax.set_title(title, fontsize=9.5)
        ax.set_axis_off()
    return fig


def sentence_arcs(words: Sequence[str], weights: np.ndarray, query: int) -> Figure:
    """Draw a row of weights as arcs over a long sentence, whose words are slanted.

    Parameters
    ----------
    words : sequence of str
        The words.
    weights : array, shape (n,)
        What the word that asks takes from each.
    query : int
        The place of the word that asks.
    """
    fig, ax = canvas(7, 3.1)
    arcs(ax, [""] * len(words), weights, query=query)
    for j, word in enumerate(words):
        asks = j == query
        ax.text(j + 0.3, -0.75, word, rotation=50, ha="right", va="top", fontsize=10.5,
                rotation_mode="anchor", color=role_color("query") if asks else INK,
                fontweight="bold" if asks else "normal")  # fmt: skip
    ax.set_xlim(-1.3, len(words) - 0.4)
    ax.set_ylim(-2.5, 3.1)
    return fig
