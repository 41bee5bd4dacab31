"""The scenes of the chapter `perspective`."""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_attn.drawing.animation import Animation, animate
from course_attn.drawing.matrices import matrix
from course_attn.drawing.style import INK, canvas, role_color, shade

__all__ = [
    "capacity",
    "denoised",
    "edges",
    "four_tables",
    "memory",
    "nine_heads",
    "reached",
    "sharpness_errors",
    "softmax_heads",
]

PALE = "#B4B4BC"
MINUS = "\N{MINUS SIGN}"


def four_tables(
    kinds: Mapping[
        str, tuple[str, Sequence[Sequence[str]], np.ndarray, np.ndarray]
    ],
) -> Figure:
    """Draw what four layers multiply their inputs by: as letters, and for two inputs.

    Parameters
    ----------
    kinds : mapping of str to (what is said of it, letters, first table, second table)
        For each kind of layer the n x n letters of its entries, and the numbers for two inputs.
    """
    fig, ax = canvas(7, 5.2, blank=True)
    n = len(next(iter(kinds.values()))[2])
    gap = 1.1
    for column, (kind, (said, letters, *tables)) in enumerate(kinds.items()):
        x = column * (n + gap)
        ax.text(x + n / 2, 1.2, kind, ha="center", fontsize=10.5, weight="bold")
        ax.text(x + n / 2, 0.35, said, ha="center", fontsize=9)
        _letters(ax, letters, x)
        role = "weight" if kind == "attention" else "output"
        for row, table in enumerate(tables, start=1):
            shown = np.where(table == 0, np.nan, table)
            corner = (x, -row * (n + gap))
            matrix(ax, shown, role=role, corner=corner, numbers=None, vmax=1.0)
            _frame(ax, corner, n)
    for row, text in enumerate(("entries", "for one\ninput", "for another")):
        ax.text(-0.6, -row * (n + gap) - n / 2, text, ha="right", va="center",
                fontsize=9.5)  # fmt: skip
    ax.set_xlim(-4.2, 4 * n + 3 * gap + 0.2)
    ax.set_ylim(-3 * n - 2 * gap - 0.3, 2.0)
    return fig


def _letters(ax: Axes, letters: Sequence[Sequence[str]], x: float) -> None:
    """Write the names of the entries into empty squares; equal names share a shade."""
    names = sorted({name for row in letters for name in row if name})
    shared = len(names) < len(letters) ** 2 / 2
    for i, row in enumerate(letters):
        for j, name in enumerate(row):
            tint = 0.62 - 0.5 * names.index(name) / len(names) if name else 0.0
            computed = name == "?"
            role = "weight" if computed else "output"
            fill = shade(role, tint if shared and not computed else 0.12)
            ax.add_patch(Rectangle((x + j, -i - 1), 1, 1, linewidth=0.8,
                                   facecolor=fill if name else "white",
                                   edgecolor=role_color(role) if name else PALE))  # fmt: skip
            ax.text(x + j + 0.5, -i - 0.52, name, ha="center", va="center", fontsize=9,
                    color=role_color(role) if computed else INK)  # fmt: skip


def _frame(ax: Axes, corner: tuple[float, float], n: int) -> None:
    """Draw a thin frame around a table, so that its empty places show."""
    ax.add_patch(Rectangle((corner[0], corner[1] - n), n, n, fill=False, edgecolor=PALE,
                           linewidth=0.9, zorder=1))  # fmt: skip


def nine_heads(image: np.ndarray, kernel: np.ndarray, out: np.ndarray) -> Animation:
    """Animate a convolution as heads that each fetch one neighbor of every pixel.

    Parameters
    ----------
    image : array, shape (height, width)
        The picture, of one channel.
    kernel : array, shape (3, 3)
        The kernel.
    out : array, shape (9, height, width)
        What each head brings, times its entry of the kernel, summed up to this head.
    """
    height, width = image.shape
    n = height * width
    shifts = [(a - 1, b - 1) for a, b in product(range(3), range(3))]
    weights = [_hits(height, width, shift) for shift in shifts]
    asking = (height // 2, width // 2)
    fig, ax = canvas(7, 3.5, blank=True)
    cell = 10 / n
    left, middle, right = 0.0, width + 2.0, width + 14.0

    def draw(step: int) -> None:
        ax.clear()
        ax.set_axis_off()
        ax.set_aspect("equal")
        head = step - 1
        top = 0.4
        matrix(ax, image, corner=(left, top), title="image", vmax=3.0, fontsize=9.0)
        _mark(ax, left, top, asking, role_color("query"))
        entry = [divmod(head, 3)] if 0 <= head < 9 else ()
        matrix(ax, kernel, role="key", corner=(left + 1, top - height - 2.0), title="kernel",
               emphasis=entry, vmax=8.0, fontsize=9.0)  # fmt: skip
        total = out[min(head, 8)] if step else np.zeros_like(image)
        matrix(ax, total, role="output", corner=(right, -4 + height / 2), title="sum so far",
               vmax=24.0, fontsize=9.0)  # fmt: skip
        _mark(ax, right, -4 + height / 2, asking, role_color("query"))
        shown = weights[head] if 0 <= head < 9 else np.zeros((n, n))
        matrix(ax, np.where(shown == 0, np.nan, shown), role="weight", corner=(middle, 1.0),
               cell=cell, numbers=None, vmax=1.0)  # fmt: skip
        ax.add_patch(Rectangle((middle, -9.0), 10, 10, fill=False, edgecolor=PALE))
        ax.text(middle + 5, 1.2, f"weights, {n} × {n}", ha="center", va="bottom")
        if 0 <= head < 9:
            shift = shifts[head]
            place = asking[0] + shift[0], asking[1] + shift[1]
            _mark(ax, left, top, place, role_color("key"), dashed=True)
            row = asking[0] * width + asking[1]
            band = Rectangle((middle, 1 - (row + 1) * cell), 10, cell, fill=False)
            band.set(edgecolor=role_color("query"), linewidth=1.4, zorder=5)
            ax.add_patch(band)
        ax.set_xlim(-0.3, right + width + 0.3)
        ax.set_ylim(-9.4, 2.2)

    return animate(
        fig,
        draw,
        _told(image, kernel, shifts, out, asking),
        alt="On the left an image of small numbers with one pixel framed, and below it the kernel. "
        "In the middle a square of weights with a slanted line of ones, which lies elsewhere for "
        "each head and has gaps where a neighbor is missing. On the right the sum so far.",
        caption="A convolution as nine heads of attention. Each head lets every pixel look at one "
        "neighbor, always in the same direction, and what it brings is multiplied by its entry of "
        "the kernel. Rows without a mark belong to pixels whose neighbor would lie outside.",
        interval=2200,
    )


def _hits(height: int, width: int, shift: tuple[int, int]) -> np.ndarray:
    """Return the weights of the head for a shift."""
    rows, columns = np.indices((height, width)).reshape(2, -1)
    down = rows[None, :] - rows[:, None] == shift[0]
    return (down & (columns[None, :] - columns[:, None] == shift[1])).astype(float)


def _mark(
    ax: Axes,
    x: float,
    y: float,
    place: tuple[int, int],
    color: str,
    *,
    dashed: bool = False,
) -> None:
    """Frame one square of a matrix drawn from this corner."""
    ax.add_patch(Rectangle((x + place[1], y - place[0] - 1), 1, 1, fill=False, edgecolor=color,
                           linewidth=2.6, zorder=6, linestyle="--" if dashed else "-"))  # fmt: skip


def _told(
    image: np.ndarray,
    kernel: np.ndarray,
    shifts: Sequence[tuple[int, int]],
    out: np.ndarray,
    asking: tuple[int, int],
) -> list[str]:
    """Say what each step shows."""
    vertical = {-1: "above", 0: "", 1: "below"}
    horizontal = {-1: "left", 0: "", 1: "right"}
    said = ["No head has looked yet. We follow the framed pixel."]
    for head, (down, right) in enumerate(shifts):
        where = (
            " ".join(filter(None, (vertical[down], horizontal[right]))) or "itself"
        )
        found = image[asking[0] + down, asking[1] + right]
        weight = kernel.ravel()[head]
        total = out[head][asking]
        numbers = f"{found:g} times {weight:g}; its sum is now {total + 0.0:g}."
        said.append(
            f"Head {head + 1}, {where}: the framed pixel gets {numbers}".replace(
                " -", f" {MINUS}"
            )
        )
    return [*said, "All nine heads are summed up: this is the convolution."]


def softmax_heads(
    maps: Mapping[str, np.ndarray],
    targets: Sequence[tuple[int, int]],
    asking: Sequence[tuple[int, int]],
) -> Figure:
    """Draw where one pixel looks, for several heads with softmax weights.

    Parameters
    ----------
    maps : mapping of str to array, shape (height, width)
        Under its title, the weights of one pixel for all pixels.
    targets, asking : sequence of (row, column)
        For each map the place that is meant, which may lie outside, and the pixel that asks.
    """
    fig, axes = canvas(7, 2.1, columns=len(maps), blank=True)
    for ax, (title, weights), target, pixel in zip(
        axes, maps.items(), targets, asking, strict=True
    ):
        height, width = weights.shape
        matrix(ax, weights, role="weight", numbers=None, vmax=0.5)
        _mark(ax, 0, 0, pixel, role_color("query"))
        _mark(ax, 0, 0, target, role_color("key"), dashed=True)
        ax.set_title(title, fontsize=10)
        ax.set_xlim(-1.2, width + 1.2)
        ax.set_ylim(-height - 0.3, 1.3)
    return fig


def sharpness_errors(
    sharpness: Sequence[float],
    errors: Mapping[str, np.ndarray],
    bound: Sequence[float],
) -> Figure:
    """Draw the errors of softmax heads against their sharpness, on a logarithmic axis.

    Parameters
    ----------
    sharpness : sequence of float
        The sharpness of all heads.
    errors : mapping of str to array, shape (n_draws, n_sharpness)
        For each convolution that is compared with, the largest error of each draw.
    bound : sequence of float
        The bound of the theorem, from a sharpness of 1; NaN below.
    """
    fig, ax = canvas(7, 3.1)
    ax.semilogy(sharpness, bound, color=INK, linewidth=1.4, label="bound")
    looks = (("weight", "-", "o"), ("key", "--", "s"))
    for (name, found), (role, line, marker) in zip(
        errors.items(), looks, strict=True
    ):
        for k, draw in enumerate(found):
            ax.semilogy(
                sharpness,
                draw,
                line,
                marker=marker,
                markersize=4,
                linewidth=0.9,
                color=role_color(role),
                label=name if k == 0 else None,
            )
    ax.set(xlabel="sharpness α", ylabel="largest error")
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9.5)
    return fig


def denoised(pictures: Mapping[str, np.ndarray]) -> Figure:
    """Draw gray pictures side by side, each under its title.

    Parameters
    ----------
    pictures : mapping from str to array, shape (height, width)
        Brightness between 0 and 1; what lies outside is cut off.
    """
    fig, axes = canvas(7, 1.6, columns=len(pictures))
    for ax, (title, picture) in zip(axes, pictures.items(), strict=True):
        ax.imshow(picture, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
        ax.set_title(title, fontsize=9.5)
        ax.set_axis_off()
    return fig


def memory(rows: Mapping[str, np.ndarray]) -> Figure:
    """Draw patterns as small pictures, a row for each state of the memory.

    Parameters
    ----------
    rows : mapping of str to array, shape (n, side, side)
        Under its label, n patterns with entries between -1 (white) and 1 (black); 0 is gray.
    """
    n = len(next(iter(rows.values())))
    fig, ax = canvas(7, 0.62 * len(rows) + 0.1, blank=True)
    for y, (label, pictures) in enumerate(rows.items()):
        ax.text(-0.2, -y - 0.5, label, ha="right", va="center", fontsize=9.5)
        for x, picture in enumerate(pictures):
            box = (x + 0.06, x + 0.94, -y - 0.94, -y - 0.06)
            ax.imshow(picture, cmap="gray_r", vmin=-1, vmax=1, extent=box,
                      interpolation="nearest")  # fmt: skip
            ax.add_patch(Rectangle((box[0], box[2]), 0.88, 0.88, fill=False, linewidth=0.6,
                                   edgecolor=PALE))  # fmt: skip
    ax.set_xlim(-3.3, n)
    ax.set_ylim(-len(rows), 0)
    return fig


def capacity(
    counts: Sequence[int], shares: Mapping[str, np.ndarray], *, rule: float
) -> Figure:
    """Draw the share of patterns that a memory restores against how many it keeps.

    Parameters
    ----------
    counts : sequence of int
        Numbers of stored patterns.
    shares : mapping of str to array, shape (n_draws, n_counts)
        For each memory the share that is restored, by draw.
    rule : float
        A number of patterns to be marked.
    """
    fig, ax = canvas(7, 2.8)
    looks = (("weight", "-", "o"), ("output", "--", "s"), ("key", ":", "^"))
    for (name, found), (role, line, marker) in zip(
        shares.items(), looks, strict=False
    ):
        color = role_color(role)
        ax.fill_between(counts, 100 * found.min(axis=0), 100 * found.max(axis=0),
                        color=color, alpha=0.2, linewidth=0)  # fmt: skip
        ax.plot(counts, 100 * found.mean(axis=0), line, marker=marker, markersize=4.5,
                color=color, label=name)  # fmt: skip
    ax.axvline(rule, color=INK, linestyle=":", linewidth=1)
    ax.set(
        xscale="log",
        xlabel="stored patterns",
        ylabel="restored (%)",
        ylim=(-4, 104),
    )
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9.5)
    return fig


def reached(found: Mapping[str, np.ndarray]) -> Figure:
    """Draw which inputs have reached the last output, after each step.

    Parameters
    ----------
    found : mapping of str to array of bool, shape (n_steps, n)
        For each kind of layer, a row for each number of steps.
    """
    colors = ListedColormap([to_hex("white"), to_hex(shade("weight", 0.75))])
    fig, axes = canvas(7, 2.5, columns=len(found))
    for ax, (kind, table) in zip(axes, found.items(), strict=True):
        n_steps, n = table.shape
        ax.imshow(
            table, cmap=colors, aspect="auto",
            extent=(0.5, n + 0.5, n_steps + 0.5, 0.5), interpolation="nearest", vmin=0, vmax=1,
        )  # fmt: skip
        ax.set_xticks(np.arange(0.5, n + 1), minor=True)
        ax.set_yticks(np.arange(0.5, n_steps + 1), minor=True)
        ax.grid(False)
        ax.grid(which="minor", color="white", linewidth=0.7, alpha=1)
        ax.tick_params(which="minor", length=0)
        ax.set_xticks([1, n])
        ax.set_yticks([1, 5, 10, n_steps])
        ax.set_title(kind, fontsize=9.5)
        ax.spines[["left", "bottom"]].set_visible(False)
    axes[0].set_ylabel("steps")
    for ax in axes:
        ax.set_xlabel("input", fontsize=9.5)
    return fig


def edges(photo: np.ndarray, found: Mapping[str, np.ndarray]) -> Figure:
    """Draw a photograph beside what filters have found in it, the darker the more.

    Parameters
    ----------
    photo : array, shape (height, width, 3)
        The colors, between 0 and 1.
    found : mapping of str to array, shape (height, width)
        Under its title, the strength of the edges.
    """
    fig, axes = canvas(7, 1.9, columns=1 + len(found))
    axes[0].imshow(photo, interpolation="nearest")
    axes[0].set_title("photograph", fontsize=9.5)
    largest = max(float(strength.max()) for strength in found.values())
    for ax, (title, strength) in zip(axes[1:], found.items(), strict=True):
        ax.imshow(
            strength, cmap="gray_r", vmin=0, vmax=largest, interpolation="nearest"
        )
        ax.set_title(title, fontsize=9.5)
    for ax in axes:
        ax.set_axis_off()
    return fig
