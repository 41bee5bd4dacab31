"""The scenes of chapter `fast`: roofline, tiles, shared heads."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_attn.drawing.animation import Animation, animate
from course_attn.drawing.matrices import matrix
from course_attn.drawing.style import INK, canvas, role_color, shade

__all__ = ["roofline", "running_sum", "shared_heads", "tile_by_tile"]

PALE = "#B4B4BC"
MARKERS = "osD^v*P"
MINUS = "\N{MINUS SIGN}"

# The tile (None before the first and after the last), the states of all tiles, m, l, o, and
# whether o is divided by l.
_Frame = tuple[Any, ...]


def roofline(
    operations: float, bandwidth: float, points: Mapping[str, tuple[float, float]]
) -> Figure:
    """Draw what a machine can do at best against arithmetic intensity, and what was reached.

    Parameters
    ----------
    operations : float
        The most floating-point operations a second.
    bandwidth : float
        The most bytes a second from and to memory.
    points : mapping from str to (intensity, rate)
        Operations per byte, and operations a second, of each computation.
    """
    fig, ax = canvas(7, 3.6)
    found = np.array(list(points.values()))
    ridge = operations / bandwidth
    ends = min(found[:, 0].min(), ridge) / 3, max(found[:, 0].max(), ridge) * 4
    x = np.geomspace(*ends, 200)
    roof = np.minimum(operations, x * bandwidth)
    ax.loglog(x, roof / 1e9, color=INK, linewidth=2)
    ax.axvline(ridge, color=INK, linestyle=":", linewidth=1)
    for place, side, text in (
        (0.8, "right", "memory-bound"),
        (1.25, "left", "compute-bound"),
    ):
        ax.text(ridge * place, operations / 1e9 * 1.6, text, ha=side, va="bottom",
                fontsize=9.5)  # fmt: skip
    # each smaller than those before: where two are at one place, both show
    for size, marker, (name, (intensity, rate)) in zip(
        range(14, 0, -2), MARKERS, points.items(), strict=False
    ):
        ax.plot(intensity, rate / 1e9, marker, color=role_color("weight"), markersize=size,
                linestyle="none", label=name, markeredgecolor="white")  # fmt: skip
    ax.set_ylim(top=operations / 1e9 * 4)
    ax.set(
        xlabel="operations per byte", ylabel="billions of operations\nper second"
    )
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=9.5)
    return fig


def running_sum(scores: Sequence[float]) -> Figure:
    """Draw the running sum of online softmax after every score, as a stack of its terms.

    Parameters
    ----------
    scores : sequence of float
        The scores in the order in which they come.
    """
    fig, ax = canvas(5.4, 2.9)
    for step in range(len(scores)):
        m, bottom = max(scores[: step + 1]), 0.0
        for j in range(step + 1):
            term = float(np.exp(scores[j] - m))
            strength = 0.15 + 0.7 * (j + 1) / len(scores)
            ax.bar(step, term, bottom=bottom, width=0.7, edgecolor="white",
                   facecolor=shade("weight", strength))  # fmt: skip
            light = strength > 0.5
            ax.text(step, bottom + term / 2, f"key {j + 1}: {term:g}", ha="center", va="center",
                    fontsize=9, color="white" if light else INK)  # fmt: skip
            bottom += term
        ax.text(
            step,
            bottom + 0.04,
            f"l = {bottom:g}",
            ha="center",
            va="bottom",
            fontsize=9,
        )
        if step and m > (before := max(scores[:step])):
            ax.text(step - 0.5, 1.0, f"\N{DIVISION SIGN} {np.exp(m - before):.0f}", ha="center",
                    fontsize=10)  # fmt: skip
    ax.set_xticks(
        range(len(scores)), [f"after $s_{j + 1}$" for j in range(len(scores))]
    )
    ax.set(ylabel="terms of the sum", ylim=(0, 2.2))
    ax.grid(False, axis="x")
    return fig


def tile_by_tile(
    scores: np.ndarray, values: np.ndarray, mask: np.ndarray, *, tile: int
) -> Animation:
    """Animate attention that looks at one square tile of scores at a time.

    Parameters
    ----------
    scores : array, shape (n_q, n_k)
        The scores, scaled.
    values : array, shape (n_k, d_v)
        The values.
    mask : array of bool, shape (n_q, n_k)
        True where the query may attend to the key. Tiles without any are skipped.
    tile : int
        The side of a tile; it divides n_q and n_k.
    """
    frames = _frames(scores, values, mask, tile)
    fig, ax = canvas(7, 3.3, blank=True)
    n_q, n_k = scores.shape

    def draw(step: int) -> None:
        ax.clear()
        ax.set_axis_off()
        ax.set_aspect("equal")
        current, states, m, l, o, divided = frames[step]
        _grid(ax, scores, mask, states, current, tile)
        x = n_k + 1.6
        for name, column, role, vmax, form in (
            ("m", m[:, None], "weight", 4, "{:.0f}"),
            ("l", l[:, None], "weight", 4, "{:.2f}"),
            ("o", o, "value", 6, "{:.2f}"),
        ):
            title = "y = o / l" if name == "o" and divided else name
            role = "output" if name == "o" and divided else role
            style: dict[str, Any] = {
                "role": role,
                "vmax": vmax,
                "numbers": form,
                "fontsize": 9,
            }
            matrix(ax, np.where(np.isneginf(column), np.nan, column), title=title,
                   corner=(x, 0), **style)  # fmt: skip
            for i in np.nonzero(np.isneginf(column))[0].tolist():
                _outline(ax, x, -i - 1)
                ax.text(x + 0.5, -i - 0.5, MINUS + "\N{INFINITY}", ha="center", va="center",
                        fontsize=9)  # fmt: skip
            x += column.shape[1] + 0.7
        ax.text(n_k / 2, 0.2, "scores", ha="center", va="bottom")
        ax.set_xlim(-0.3, x)
        ax.set_ylim(-n_q - 0.2, 1.2)

    return animate(
        fig,
        draw,
        _sentences(frames, n_k, tile),
        alt="A square of scores, cut into tiles, beside columns for the maximum m, the sum l and "
        "the weighted sums o of each query. One tile after the other shows its scores and then "
        "fades; tiles above the diagonal are crossed out; the columns change only in the rows of "
        "the tile.",
        caption="Attention tile by tile. At no time are there more scores than one tile holds. "
        "What remains of a tile is what it changed in m, l and o.",
        interval=1700,
    )


def _frames(
    scores: np.ndarray, values: np.ndarray, mask: np.ndarray, tile: int
) -> list[_Frame]:
    """Compute what each picture shows: the tile, the states of all tiles, m, l and o."""
    (n_q, n_k), d_v = scores.shape, values.shape[1]
    m, l, o = np.full(n_q, -np.inf), np.zeros(n_q), np.zeros((n_q, d_v))
    states = np.zeros((n_q // tile, n_k // tile), dtype=int)  # 1 done, 2 skipped
    frames: list[_Frame] = [
        (None, states.copy(), m.copy(), l.copy(), o.copy(), False)
    ]
    for a, b in np.ndindex(states.shape):
        rows = slice(a * tile, (a + 1) * tile)
        keys = slice(b * tile, (b + 1) * tile)
        if mask[rows, keys].any():
            S = np.where(mask[rows, keys], scores[rows, keys], -np.inf)
            larger = np.maximum(m[rows], S.max(axis=1))
            shrink, exps = np.exp(m[rows] - larger), np.exp(S - larger[:, None])
            l[rows] = shrink * l[rows] + exps.sum(axis=1)
            o[rows] = shrink[:, None] * o[rows] + exps @ values[keys]
            m[rows] = larger
        states[a, b] = 1 if mask[rows, keys].any() else 2
        frames.append(((a, b), states.copy(), m.copy(), l.copy(), o.copy(), False))
    frames.append((None, states.copy(), m.copy(), l.copy(), o / l[:, None], True))
    return frames


def _grid(
    ax: Axes,
    scores: np.ndarray,
    mask: np.ndarray,
    states: np.ndarray,
    current: tuple[int, int] | None,
    tile: int,
) -> None:
    """Draw all tiles: the current one with its scores, the others pale or crossed out."""
    for a, b in np.ndindex(states.shape):
        x, y = b * tile, -a * tile
        if (a, b) == current and states[a, b] == 1:
            rows, keys = (
                slice(a * tile, (a + 1) * tile),
                slice(b * tile, (b + 1) * tile),
            )
            shown = np.where(mask[rows, keys], scores[rows, keys], np.nan)
            matrix(ax, shown, role="weight", vmax=5, corner=(x, y), fontsize=9)
            for i, j in zip(*np.nonzero(~mask[rows, keys]), strict=True):
                _outline(ax, x + j, y - i - 1)
                ax.text(x + j + 0.5, y - i - 0.5, MINUS + "\N{INFINITY}", ha="center",
                        va="center", fontsize=9)  # fmt: skip
        elif states[a, b] == 2:
            for line in (
                (x + 0.3, x + tile - 0.3),
                (x + tile - 0.3, x + 0.3),
            ):
                ax.plot(line, (y - 0.3, y - tile + 0.3), color=PALE, linewidth=1.2)
        fill = shade("weight", 0.12) if states[a, b] == 1 else "white"
        ax.add_patch(
            Rectangle((x, y - tile), tile, tile, linewidth=2.2 if (a, b) == current else 0.9,
                      facecolor=fill, edgecolor=INK if (a, b) == current else PALE,
                      zorder=0 if (a, b) != current else 0.5)
        )  # fmt: skip
    if current is not None:
        a, b = current
        ax.add_patch(
            Rectangle((b * tile, -(a + 1) * tile), tile, tile, fill=False, linewidth=2.4,
                      edgecolor=INK, zorder=6)
        )  # fmt: skip


def _outline(ax: Axes, x: float, y: float) -> None:
    """Draw an empty square."""
    ax.add_patch(Rectangle((x, y), 1, 1, fill=False, edgecolor=PALE, linewidth=0.8))


def _sentences(frames: Sequence[_Frame], n_k: int, tile: int) -> list[str]:
    """Say what each picture shows."""
    said = [
        "Nothing has been read: every maximum is minus infinity, all sums are 0."
    ]
    before = frames[0][2]
    for (a, b), states, m, *_ in (
        frame for frame in frames[1:-1] if frame[0] is not None
    ):
        rows = f"queries {a * tile + 1} to {(a + 1) * tile}"
        keys = f"keys {b * tile + 1} to {(b + 1) * tile}"
        if states[a, b] == 2:
            said.append(
                f"For {rows}, {keys} are in the future: the tile is skipped."
            )
        else:
            part = slice(a * tile, (a + 1) * tile)
            grown = (m[part] > before[part]) & np.isfinite(before[part])
            more = (
                f" The maximum grows in {grown.sum()} row{'s' if grown.sum() > 1 else ''}, "
                "and the old sums shrink."
                if grown.any()
                else ""
            )
            said.append(f"{rows.capitalize()} meet {keys}.{more}")
        before = m
    return [*said, "All tiles are done. Each row of o is divided by its l."]


def shared_heads(n_heads: int, n_kv_heads: Mapping[str, int]) -> Figure:
    """Draw which heads of queries share which head of keys and values.

    Parameters
    ----------
    n_heads : int
        The number of heads of queries.
    n_kv_heads : mapping from str to int
        For each panel its name and its number of heads of keys and values.
    """
    fig, axes = canvas(7, 2.2, columns=len(n_kv_heads), blank=True)
    for ax, (name, n_kv) in zip(axes, n_kv_heads.items(), strict=True):
        ax.set_title(name, fontsize=10.5)
        ax.set_aspect("auto")
        width = n_heads / n_kv
        for h in range(n_heads):
            kv = h // (n_heads // n_kv)
            center = (kv + 0.5) * width
            ax.plot((h + 0.5, center), (1.9, 1.05), color=PALE, linewidth=1.2)
            _box(ax, h + 0.1, 1.9, "query", str(h))
        for kv in range(n_kv):
            center = (kv + 0.5) * width
            _box(ax, center - 0.4, 0.45, "key", str(kv))
            _box(ax, center - 0.4, -0.2, "value", str(kv))
        ax.set_xlim(-0.2, n_heads + 0.2)
        ax.set_ylim(-0.3, 2.6)
    for y, text in ((2.2, "Q"), (0.75, "K"), (0.1, "V")):
        axes[0].text(-0.35, y, text, ha="right", va="center", fontsize=10)
    axes[0].set_xlim(-1.3, n_heads + 0.2)
    return fig


def _box(ax: Axes, x: float, y: float, role: str, text: str) -> None:
    """Draw a head as a small box with its number."""
    ax.add_patch(
        Rectangle((x, y), 0.8, 0.6, facecolor=shade(role, 0.15), edgecolor=role_color(role),
                  linewidth=1.1)
    )  # fmt: skip
    ax.text(x + 0.4, y + 0.3, text, ha="center", va="center", fontsize=9,
            color=role_color(role))  # fmt: skip
