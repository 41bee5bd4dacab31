"""The scenes of the chapter `scores`."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from course_attn.drawing.animation import Animation, animate
from course_attn.drawing.matrices import matrix
from course_attn.drawing.style import INK, canvas, role_color, shade
from course_attn.in_numpy.scores import gaussian_scores, nadaraya_watson
from course_attn.in_numpy.softmax import softmax

__all__ = [
    "angle_and_length",
    "diabetes",
    "pairs_filling",
    "where_pixels_look",
]


def angle_and_length() -> Figure:
    """Draw the dot product with a unit vector against the angle, for keys of several lengths."""
    fig, ax = canvas(7, 3.1)
    angle = np.linspace(0, 180, 181)
    for length, style in ((1, "-"), (4, "--"), (16, "-."), (100, ":")):
        score = length * np.cos(np.radians(angle))
        ax.plot(
            angle,
            score,
            style,
            color=role_color("key"),
            label=f"key of length {length}",
        )
    ax.axhline(0, color=INK, linewidth=0.8)
    far = 100 * np.cos(np.radians(80))
    ax.plot([0, 80], [1, far], "o", color=role_color("query"), zorder=4)
    _point_out(ax, "same direction, length 1:\nscore 1", (0, 1), (12, -4))
    _point_out(ax, f"80° away, length 100:\nscore {far:.1f}", (80, far), (96, 30))
    ax.set(
        xlabel="angle between query and key (degrees)",
        ylabel="dot product",
    )
    ax.set_yscale("symlog", linthresh=1)
    ax.set_yticks(
        [-100, -10, -1, 0, 1, 10, 100], ["−100", "−10", "−1", "0", "1", "10", "100"]
    )
    ax.set_xticks(range(0, 181, 30))
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9.5)
    return fig


def _point_out(
    ax: Axes, text: str, point: tuple[float, float], place: tuple[float, float]
) -> None:
    """Write a text beside a point, with a thin line to it."""
    line = {"arrowstyle": "-", "color": role_color("query"), "linewidth": 0.8}
    ax.annotate(text, point, place, fontsize=9.5, va="center", arrowprops=line)


def pairs_filling(Q: np.ndarray, K: np.ndarray) -> Animation:
    """Animate the score matrix being filled, a pair of query and key a step.

    Parameters
    ----------
    Q : array, shape (n_q, d_k)
        The queries.
    K : array, shape (n_k, d_k)
        The keys.
    """
    fig, ax = canvas(7, 3.4, blank=True)
    (n_q, d), n_k = Q.shape, len(K)
    scores = Q @ K.T

    def draw(step: int) -> None:
        ax.clear()
        ax.set_axis_off()
        ax.set_aspect("equal")
        shown = np.where(
            np.arange(n_q * n_k).reshape(n_q, n_k) < step, scores, np.nan
        )
        i, j = divmod(step - 1, n_k) if step else (-1, -1)
        matrix(ax, Q, role="query", corner=(0, 0), title="$Q$", vmax=3,
               rows=[f"$q_{k + 1}$" for k in range(n_q)],
               emphasis=[(i, f) for f in range(d)])  # fmt: skip
        matrix(ax, K.T, role="key", corner=(d + 1, d + 0.6), title="$K^\\top$", vmax=3,
               emphasis=[(f, j) for f in range(d)])  # fmt: skip
        matrix(
            ax, shown, role="weight", corner=(d + 1, 0), vmax=6, emphasis=[(i, j)]
        )
        ax.text(d + 1 + n_k + 0.3, -n_q / 2, "$S = Q K^\\top$", va="center")
        ax.set_xlim(-1.2, d + n_k + 4)
        ax.set_ylim(-n_q - 0.3, d + 1.6)

    steps = ["No pair scored yet."] + [
        f"Query {i + 1} meets key {j + 1}: "
        + " + ".join(f"({q:g})({k:g})" for q, k in zip(Q[i], K[j], strict=True))
        + f" = {scores[i, j]:g}."
        for i in range(n_q)
        for j in range(n_k)
    ]
    return animate(
        fig,
        draw,
        steps,
        alt="The queries as rows at the left, the keys as columns above, and between them a grid "
        "that fills with one score for each pair.",
        caption="Every query meets every key. Row i of the grid holds the scores of query i, "
        "column j those of key j.",
        interval=1000,
    )


def diabetes(
    bmi: np.ndarray,
    progression: np.ndarray,
    bandwidths: Sequence[float],
    errors: Sequence[float],
    best: float,
) -> Figure:
    """Draw three kernel regressions, the held-out errors, and the best one's weights."""
    fig, (ax, middle, right) = canvas(7, 2.6, columns=3)
    ax.scatter(bmi, progression, 6, role_color("value"), alpha=0.4)
    grid = np.linspace(bmi.min(), bmi.max(), 300)
    for h, style in ((0.2, ":"), (best, "-"), (20.0, "--")):
        curve = nadaraya_watson(grid, bmi, progression, bandwidth=h)
        ax.plot(grid, curve, style, color=role_color("query"), label=f"h = {h:g}")
    ax.set(xlabel="body mass index", ylabel="progression")
    ax.legend(
        fontsize=9,
        ncols=3,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        handlelength=1.2,
        columnspacing=0.8,
    )
    middle.semilogx(bandwidths, errors, "o-", color=INK)
    middle.set(xlabel="bandwidth h", ylabel="held-out error")
    known = np.sort(bmi)[::6, None]
    weights = softmax(gaussian_scores(known, known, bandwidth=best))
    right.imshow(weights, cmap=_purples(), vmax=np.quantile(weights, 0.98))
    right.set(
        xlabel="keys, by index", ylabel="queries, by index", xticks=[], yticks=[]
    )
    return fig


def where_pixels_look(
    photo: np.ndarray,
    smooth: np.ndarray,
    weights: np.ndarray,
    asking: Mapping[str, tuple[int, int]],
) -> Figure:
    """Draw a photograph, what attention makes of it, and around some pixels their weights.

    Parameters
    ----------
    photo, smooth : array, shape (height, width, 3)
    weights : array, shape (height * width, height * width)
        A row for each pixel.
    asking : mapping from str to pair of int
        Row and column of each pixel whose weights are drawn, by a title.
    """
    height, width, _ = photo.shape
    fig, whole = canvas(7, 3.3)
    whole.remove()
    axes = fig.subplots(2, 1 + len(asking), squeeze=False)
    for ax, picture, title in zip(
        axes[:, 0], (photo, smooth), ("noisy", "smoothed"), strict=True
    ):
        ax.imshow(picture.clip(0, 1))
        ax.set_title(title, fontsize=9)
    pairs = zip(axes[0, 1:], axes[1, 1:], asking.items(), strict=True)
    for near, looks, (title, (row, column)) in pairs:
        near.imshow(photo.clip(0, 1))
        near.set_title(title, fontsize=9)
        shown = weights[row * width + column].reshape(height, width)
        looks.imshow(shown, cmap=_purples())
        looks.set_title("its weights", fontsize=9)
        for ax in (near, looks):
            ax.set(xlim=(column - 5.5, column + 5.5), ylim=(row + 4, row - 4))
        for ax, size in ((axes[0, 0], 5), (near, 11), (looks, 11)):
            for edge, line in (("white", 3), (role_color("query"), 1)):
                ax.plot(column, row, "s", ms=size, mfc="none", mec=edge, mew=line)
    for ax in fig.axes:
        ax.set_axis_off()
    return fig


def _purples() -> ListedColormap:
    """Return the shades of a weight, from white for none to the role's full color."""
    return ListedColormap([shade("weight", s) for s in np.linspace(0, 1, 64)])
