"""The scenes of the chapter `gradients`."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch
from matplotlib.patheffects import withStroke

from course_attn.drawing.animation import Animation, animate
from course_attn.drawing.graphs import graph
from course_attn.drawing.matrices import heatmap, matrix
from course_attn.drawing.style import INK, canvas, role_color, shade

__all__ = [
    "balance",
    "difference_errors",
    "gradient_flow",
    "pair_weights",
    "query_path",
    "score_gradients",
    "two_runs",
]

_SIGNS = ("stays", "rises ↑", "falls ↓")


def balance(
    weights: np.ndarray, values: np.ndarray, target: float, d_scores: np.ndarray
) -> Figure:
    """Draw values on a line, as heavy as their weights, and what a step does to their scores.

    Parameters
    ----------
    weights, values, d_scores : array, shape (n,)
        The weights, the values, and the gradients of the scores.
    target : float
        Where the output should lie.
    """
    fig, ax = canvas(7, 2.3)
    mean = float(weights @ values)
    ax.axhline(0, color=INK, linewidth=1.2, zorder=1)
    ax.scatter(
        values,
        0 * values,
        s=3600 * weights,
        color=role_color("value"),
        edgecolor="white",
        zorder=3,
    )
    for a, v, g in zip(weights, values, -d_scores, strict=True):
        ax.text(v, 0, f"{a:g}", color="white", ha="center", va="center", zorder=4)
        ax.text(v, 0.62, f"score {_SIGNS[int(np.sign(g))]}", ha="center", va="center",
                color=role_color("weight"))  # fmt: skip
    ax.plot([mean], [-0.52], "^", color=role_color("output"), markersize=11)
    ax.text(mean, -0.95, f"output {mean:g}", ha="center", va="center",
            color=role_color("output"))  # fmt: skip
    ax.plot([target, target], [-0.62, 0.32], ":", color=INK, linewidth=1.8)
    ax.text(target + 0.15, -0.62, f"wanted {target:g}", ha="left", va="center")
    ax.set(xlim=(-1, 9), ylim=(-1.2, 0.95), yticks=[], xlabel="value")
    ax.set_xticks(np.unique(values))
    ax.grid(visible=False)
    ax.spines[["left", "bottom"]].set_visible(False)
    return fig


# The graph of attention, in the units of the matrices below it: place, letter, role.
_PLACES: dict[str, tuple[float, float, str]] = {
    "X": (2.0, 4.6, "output"),
    "Q": (7.5, 7.6, "query"),
    "K": (7.5, 4.6, "key"),
    "V": (7.5, 1.6, "value"),
    "S": (12.5, 6.1, "weight"),
    "A": (16.8, 6.1, "weight"),
    "Y": (20.8, 3.8, "output"),
    "loss": (24.6, 3.8, "output"),
}
_EDGES = [
    ("X", "Q"),
    ("X", "K"),
    ("X", "V"),
    ("Q", "S"),
    ("K", "S"),
    ("S", "A"),
    ("A", "Y"),
    ("V", "Y"),
    ("Y", "loss"),
]
_MATRICES = {("X", "Q"): "$W_Q$", ("X", "K"): "$W_K$", ("X", "V"): "$W_V$"}
_UNITS = (26.5, -6.9, 8.9)  # the width of the picture, its bottom and its top

# For each step: the arrows that the gradient takes, the matrices shown with the signs between
# them, and what is said. A term is (name in `parts` or `gradients`, its title, its role).
_D = r"\mathrm{d}"
_FLOW: list[tuple[list[tuple[str, str]], list[str | tuple[str, str, str]], str]] = [
    (
        [],
        [("Y", "$Y$", "output"), "−", ("T", "wanted", "output"), "=", ("dY", f"${_D}Y$", "output")],
        "Forward, everything has been computed, up to the loss: half the squared distance of Y "
        "from what is wanted. Its gradient with respect to Y is the difference.",
    ),
    (
        [("Y", "loss")],
        [("dY", f"${_D}Y$", "output")],
        "The gradient arrives at Y: one number for each entry of Y, in the same shape.",
    ),
    (
        [("V", "Y")],
        [("A^T", r"$A^\top$", "weight"), "·", ("dY", f"${_D}Y$", "output"), "=",
         ("dV", f"${_D}V$", "value")],
        "To the values: each value hears from every output, as loudly as it was heard there.",
    ),
    (
        [("A", "Y")],
        [("dY", f"${_D}Y$", "output"), "·", ("V^T", r"$V^\top$", "value"), "=",
         ("dA", f"${_D}A$", "weight")],
        "To the weights: how well each value fits what each output is told.",
    ),
    (
        [("S", "A")],
        [("A", "$A$", "weight"), "∘", ("above", f"${_D}A -$ its mean", "weight"), "=",
         ("dS", f"${_D}S$", "weight")],
        "Through softmax, row by row: minus the mean under the weights, times the weight. "
        "Every row now sums to 0.",
    ),
    (
        [("Q", "S")],
        [("dS", f"${_D}S$", "weight"), "·", ("K/", r"$K / \sqrt{d_k}$", "key"), "=",
         ("dQ", f"${_D}Q$", "query")],
        "To the queries: a sum of keys, each times the gradient of its score.",
    ),
    (
        [("K", "S")],
        [("dS^T", f"${_D}S^\\top$", "weight"), "·", ("Q/", r"$Q / \sqrt{d_k}$", "query"), "=",
         ("dK", f"${_D}K$", "key")],
        "To the keys: a sum of queries. The matrix stands transposed, since keys are its columns.",
    ),
    (
        [],
        [("X^T", r"$X^\top$", "output"), "·", ("dQ", f"${_D}Q$", "query"), "=",
         ("dW_Q", f"${_D}W_Q$", "query")],
        "To the learned matrices, here W_Q: this is what training needs. W_K and W_V alike.",
    ),
    (
        [("X", "Q"), ("X", "K"), ("X", "V")],
        [("X_Q", f"${_D}Q\\,W_Q^\\top$", "query"), "+", ("X_K", f"${_D}K\\,W_K^\\top$", "key"), "+",
         ("X_V", f"${_D}V\\,W_V^\\top$", "value"), "=", ("dX", f"${_D}X$", "output")],
        "X was used three times, so three gradients meet there, and add up.",
    ),
]  # fmt: skip


def gradient_flow(arrays: Mapping[str, np.ndarray]) -> Animation:
    """Animate a gradient on its way back through attention, with the matrices of each step.

    Parameters
    ----------
    arrays : mapping of str to array
        What the steps show, under their names: X, Q, K, V, A, Y, T, what is wanted of Y, their
        gradients dY, dV, dA, dS, dQ, dK, dW_Q and dX, and W_Q, W_K, W_V.
    """
    shown = dict(arrays)
    root = arrays["Q"].shape[-1] ** 0.5
    shown |= {f"{name}^T": shown[name].T for name in ("A", "V", "dS", "X")}
    shown |= {"K/": shown["K"] / root, "Q/": shown["Q"] / root}
    mean = (shown["A"] * shown["dA"]).sum(axis=-1, keepdims=True)
    shown["above"] = shown["dA"] - mean
    shown |= {f"X_{x}": shown[f"d{x}"] @ shown[f"W_{x}"].T for x in "QKV"}
    fig, ax = canvas(7, 4.2, blank=True)

    def draw(step: int) -> None:
        ax.clear()
        ax.set_axis_off()
        taken = [edge for edges, _, _ in _FLOW[: step + 1] for edge in edges]
        _draw_graph(ax, taken, now=_FLOW[step][0], matrices=step >= 7)
        _draw_equation(ax, _FLOW[step][1], shown)
        ax.set_aspect("equal")
        ax.set_xlim(0, _UNITS[0])
        ax.set_ylim(*_UNITS[1:])

    return animate(
        fig,
        draw,
        [said for _, _, said in _FLOW],
        alt="Above, the graph of attention: X leads to Q, K and V by three learned matrices, Q and "
        "K to S, S to A, A and V to Y, Y to the loss. Thick arrows lead back, more from step "
        "to step. Below, the matrices of the step as colored squares, with the signs between them.",
        caption="A gradient on its way back through attention (four words; widths 5 for X, 3 for "
        "queries and keys, 2 for values). Each box turns the gradient of what came out of it into "
        "the gradient of what went in, which has the shape of what went in. The farther a "
        "number is from 0, the darker its square; a hatched square is negative.",
        interval=2600,
    )


def _draw_graph(
    ax: Axes,
    taken: Sequence[tuple[str, str]],
    *,
    now: Sequence[tuple[str, str]],
    matrices: bool,
) -> None:
    """Draw the graph forward in gray, and the ways back that the gradient has taken."""
    reached = {start for start, _ in taken}
    nodes = {}
    for name, (x, y, role) in _PLACES.items():
        text = "$\\ell$" if name == "loss" else f"${name}$"
        nodes[name] = (
            x,
            y,
            f"$\\mathrm{{d}}{name}$" if name in reached else text,
            role,
        )
    ahead = [edge for edge in _EDGES if edge not in taken]
    graph(ax, nodes, ahead, active=reached | {"loss"})
    for edge in taken:
        start, end = (_PLACES[name] for name in edge)
        ax.add_patch(
            FancyArrowPatch(
                end[:2],
                start[:2],
                arrowstyle="-|>",
                mutation_scale=17,
                shrinkA=17,
                shrinkB=17,
                linewidth=4.0 if edge in now else 2.4,
                color=role_color(start[2]),
                zorder=2.5,
            )
        )
    for edge, text in _MATRICES.items():
        (x0, y0, _), (x1, y1, role) = (_PLACES[name] for name in edge)
        x, y = x0 + 0.55 * (x1 - x0), y0 + 0.55 * (y1 - y0)
        ax.text(x, y, text, ha="center", va="center", fontsize=9.5, zorder=4,
                color=role_color(role) if matrices else "#6C6C75",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0})  # fmt: skip


def _draw_equation(
    ax: Axes,
    terms: Sequence[str | tuple[str, str, str]],
    shown: Mapping[str, np.ndarray],
) -> None:
    """Draw matrices with signs between them, in the middle of the lower half."""
    gap, middle = 1.25, -3.3
    width = sum(
        gap if isinstance(term, str) else shown[term[0]].shape[1] for term in terms
    )
    x = (_UNITS[0] - width) / 2
    for term in terms:
        if isinstance(term, str):
            size = 20 if term == "·" else 13
            ax.text(
                x + gap / 2, middle, term, ha="center", va="center", fontsize=size
            )
            x += gap
            continue
        name, title, role = term
        entries = shown[name]
        rows, columns = entries.shape
        top = middle + rows / 2
        matrix(ax, entries, role=role, corner=(x, top), numbers=None)
        ax.text(x + columns / 2, top + 0.25, title, ha="center", va="bottom",
                fontsize=10, color=role_color(role))  # fmt: skip
        ax.text(x + columns / 2, top - rows - 0.25, f"{rows} × {columns}", ha="center",
                va="top", fontsize=9)  # fmt: skip
        x += columns


def score_gradients(
    A: np.ndarray, d_A: np.ndarray, d_S: np.ndarray, words: Sequence[str]
) -> Figure:
    """Draw weights, their gradients and those of the scores side by side.

    The sums of rows stand beside the first and the last.

    Parameters
    ----------
    A, d_A, d_S : array, shape (n, n)
        The weights, the gradients of the weights, the gradients of the scores.
    words : sequence of str
        The labels of the n rows and columns.
    """
    fig, axes = canvas(7, 2.4, columns=3, blank=True)
    axes[0].get_gridspec().set_width_ratios([6, 4.1, 5])
    titles = ("weights $A$", r"$\mathrm{d}A$", r"$\mathrm{d}S$")
    n = len(words)
    for ax, entries, title in zip(axes, (A, d_A, d_S), titles, strict=True):
        labels = words if ax is axes[0] else [""] * n
        has_sums = ax is not axes[1]
        numbers = "{:.2f}" if has_sums else "{:.1f}"
        heatmap(ax, entries, labels, words, numbers=numbers, vmax=None, fontsize=9)
        for i, total in enumerate(entries.sum(axis=-1) if has_sums else ()):
            text = f"{total:.2f}" if abs(total) > 0.005 else "0"
            ax.text(n + 0.15, -i - 0.5, text, ha="left", va="center", fontsize=9.5)
        if has_sums:
            ax.text(n + 0.15, 0.12, "sum", ha="left", va="bottom", fontsize=9.5)
        ax.text(n / 2, 0.75, title, ha="center", va="bottom", fontsize=11)
        ax.set_xlim(
            -1.05 if ax is axes[0] else -0.05, n + (0.95 if has_sums else 0.05)
        )
        ax.set_ylim(-n - 0.1, 1.3)
    return fig


def query_path(
    K: np.ndarray,
    values: np.ndarray,
    help_: np.ndarray,
    path: np.ndarray,
    weights: np.ndarray,
) -> Figure:
    """Draw keys in the plane, and a query that moves along the direction that helps.

    Parameters
    ----------
    K : array, shape (n, 2)
        The keys.
    values : array, shape (n,)
        The value of each key, written beside it.
    help_ : array, shape (n,)
        How much the loss would fall if the key's weight grew: positive where its value helps.
    path : array, shape (n_steps, 2)
        The query before each step.
    weights : array, shape (n_steps, n)
        The weights at each of these queries.
    """
    fig, axes = canvas(7, 3.4, columns=2)
    steps = ((0, "at the start"), (len(path) - 1, f"after {len(path) - 1} steps"))
    seen = np.concatenate([K, path])
    low, high = seen.min(axis=0), seen.max(axis=0)
    low, high = low - 0.25 * (high - low), high + 0.25 * (high - low)
    for ax, (at, title) in zip(axes, steps, strict=True):
        a, q = weights[at], path[at]
        drawn = np.concatenate([path[: at + 1], np.linspace(0, q, 50)])
        for sign, marker in ((1, "o"), (-1, "X")):
            chosen = np.sign(help_) == sign
            ax.scatter(
                *K[chosen].T,
                s=30 + 1500 * a[chosen],
                marker=marker,
                facecolor=shade("key", 0.9 if sign > 0 else 0.25),
                edgecolor=role_color("key"),
                zorder=2,
            )
        for k, (key, value) in enumerate(zip(K, values, strict=True)):
            others = key - np.concatenate([np.delete(K, k, axis=0), drawn])
            away = others[np.argmin(np.linalg.norm(others, axis=-1))]
            away = away / np.linalg.norm(away) * (11 + 20 * a[k] ** 0.5)
            text = f"{value:.1f}".replace("-0.0", "0.0").replace(
                "-", "\N{MINUS SIGN}"
            )
            ax.annotate(text, key, away, textcoords="offset points", ha="center",
                        va="center", fontsize=9, zorder=6,
                        path_effects=[withStroke(linewidth=2.5, foreground="white")])  # fmt: skip
        mean = a @ K
        ax.plot(*mean, "+", color=INK, markersize=13, markeredgewidth=2.2, zorder=5)
        ax.plot(*path[: at + 1].T, ".-", color=role_color("query"), markersize=4,
                linewidth=1, zorder=3)  # fmt: skip
        ax.annotate("", q, (0, 0), zorder=4, arrowprops={
            "arrowstyle": "-|>", "color": role_color("query"), "linewidth": 2,
            "shrinkA": 0, "shrinkB": 0, "mutation_scale": 15})  # fmt: skip
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xticks=[], yticks=[])
        ax.set_aspect("equal")
        ax.set_title(title, fontsize=10.5)
        ax.axhline(0, color=INK, alpha=0.15, linewidth=0.8, zorder=0)
        ax.axvline(0, color=INK, alpha=0.15, linewidth=0.8, zorder=0)
    return fig


_LOOKS = (("-", "o"), ("--", "s"), (":", "^"))


def difference_errors(
    eps: Sequence[float], errors: Mapping[str, Sequence[float]]
) -> Figure:
    """Draw the relative error of measured gradients against the size of the nudge.

    Parameters
    ----------
    eps : sequence of float
        The nudges.
    errors : mapping of str to sequence of float
        For each way to measure, its error at each nudge.
    """
    fig, ax = canvas(7, 3.1)
    colors = (role_color("weight"), role_color("query"), INK)
    for (name, found), (line, marker), color in zip(
        errors.items(), _LOOKS, colors, strict=True
    ):
        ax.loglog(
            eps,
            found,
            line,
            marker=marker,
            markersize=4.5,
            color=color,
            label=name,
        )
    ax.invert_xaxis()
    ax.set(xlabel="nudge ε (smaller to the right)", ylabel="relative error")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9.5)
    return fig


def two_runs(ours: Sequence[float], other: Sequence[float]) -> Figure:
    """Draw the losses of two runs over each other, and how far they lie apart.

    Parameters
    ----------
    ours, other : sequence of float
        The loss before each step, by our gradients and by PyTorch's.
    """
    fig, (left, right) = canvas(7, 2.8, columns=2)
    first, second = np.asarray(ours), np.asarray(other)
    steps = np.arange(len(first))
    left.plot(steps, first, color=role_color("weight"), linewidth=4, alpha=0.45,
              label="NumPy, by hand")  # fmt: skip
    left.plot(
        steps, second, ":", color=INK, linewidth=1.8, label="PyTorch, autograd"
    )
    left.set(xlabel="step", ylabel="loss")
    left.legend(fontsize=9.5)
    apart = np.maximum(np.abs(first - second) / second, 1e-17)
    right.semilogy(steps, apart, ".", color=INK)
    right.set(xlabel="step", ylabel="relative difference", ylim=(5e-18, 1e-6))
    return fig


def pair_weights(pictures: np.ndarray, A: np.ndarray, twin: np.ndarray) -> Figure:
    """Draw the weights of cards on cards, with their pictures at the rows and columns.

    Parameters
    ----------
    pictures : array, shape (n, side, side)
        What is on the cards.
    A : array, shape (n, n)
        The weights, a row for each card that looks.
    twin : array, shape (n,)
        Which card shows the same number: these squares are framed.
    """
    n = len(pictures)
    fig, ax = canvas(5.2, 4.9, blank=True)
    framed = [(i, int(j)) for i, j in enumerate(twin)]
    matrix(
        ax,
        A,
        role="weight",
        numbers="{:.2f}",
        vmax=1.0,
        emphasis=framed,
        fontsize=9,
    )
    for i, picture in enumerate(pictures):
        for left, bottom in ((-1.12, -i - 0.95), (i + 0.05, 0.12)):
            ax.imshow(
                picture,
                cmap="gray_r",
                extent=(left, left + 0.9, bottom, bottom + 0.9),
                interpolation="nearest",
                zorder=3,
            )
    ax.set_xlim(-1.3, n + 0.1)
    ax.set_ylim(-n - 0.1, 1.2)
    ax.set_aspect("equal")
    return fig
