"""The scenes of the chapter `fast`: measurements, drawn from a file of `benchmarks/results`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_attn.drawing.saved import read
from course_attn.drawing.style import INK, canvas, role_color

__all__ = [
    "benchmark_bars",
    "decoding_times",
    "growth_with_length",
    "saved_results",
]

# A look for each way of computing, the same in both libraries: color, marker, line.
_LOOKS = {
    "explicit": (role_color("key"), "o", "-"),
    "tiled": (role_color("query"), "v", "-."),
    "fused": (role_color("query"), "s", "-"),
    "PyTorch fused": (role_color("value"), "^", "--"),
    "linear": (role_color("weight"), "D", ":"),
}
_TIMES = "\N{MULTIPLICATION SIGN}"


def saved_results() -> dict[str, Any]:
    """Return the results that the chapter's sentences are about.

    They were measured without a GPU. Newer files in `benchmarks/results` do not change the chapter.
    """
    return read("2026-11-21-amd-epyc-2-cores")


def growth_with_length(
    results: Mapping[str, Any],
    *,
    library: str = "NumPy",
    ways: Sequence[str] = tuple(_LOOKS),
) -> Figure:
    """Draw time and extra memory against the length, with fitted exponents.

    Without the name of the library; only PyTorch's fused kernel is always drawn, and named.

    Parameters
    ----------
    results : mapping
        What a file of `benchmarks/results` holds; its rows of the section "growth".
    library : str
        Whose contenders to draw: those whose name starts with it, and PyTorch's fused kernel.
    ways : sequence of str
        Which ways of computing to draw, by the last words of their names.
    """
    fig, axes = canvas(7, 3.6, columns=2)
    rows = [row for row in results["rows"] if row["section"] == "growth"]
    names = [
        name
        for name in dict.fromkeys(row["contender"] for row in rows)
        if name.split()[-1] in ways
        and (name.startswith(library) or name == "PyTorch fused")
    ]
    for name in names:
        found = [row for row in rows if row["contender"] == name]
        n = np.array([row["settings"]["n"] for row in found])
        time = np.array([row["seconds"]["median"] for row in found])
        memory = np.array([row["extra_bytes"] for row in found]) / 2**20
        for ax, amount in ((axes[0], time), (axes[1], memory)):
            _power(ax, n, amount, name.removeprefix(f"{library} "))
    for ax in axes:
        _slopes_of_theory(ax)
    axes[0].set_ylabel("seconds")
    axes[1].set_ylabel("MiB beyond the inputs")
    for ax in axes:
        ax.set_xlabel("length n")
        ax.legend(
            title="exponents of n",
            fontsize=9,
            title_fontsize=9,
            ncols=2,
            columnspacing=1,
            frameon=False,
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
        )
        sizes = sorted({row["settings"]["n"] for row in rows})
        ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
        ax.minorticks_off()
    return fig


def _slopes_of_theory(ax: Axes) -> None:
    """Draw lines that grow as n squared and as n, above what was measured."""
    (left, right), top = ax.get_xlim(), ax.get_ylim()[1]
    n = np.array([1.1 * left, 1.1 * left * (right / left) ** 0.33])
    lowest, gray = top / 1.4 * (n[0] / n[1]) ** 2, role_color("output")
    for power, name in ((1, "$n$"), (2, "$n^2$")):
        rising = lowest * (n / n[0]) ** power
        ax.plot(n, rising, color=gray, linewidth=1)
        ax.annotate(
            name,
            (n[1], rising[1]),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            color=gray,
        )


def _power(ax: Axes, n: np.ndarray, amount: np.ndarray, way: str) -> None:
    """Draw a line on logarithmic axes and write its slope, for long sequences, in the legend."""
    long = n >= min(1024, np.sort(n)[-2])
    slope = np.polyfit(np.log(n[long]), np.log(amount[long]), 1)[0]
    color, marker, line = _LOOKS[way]
    ax.loglog(
        n,
        amount,
        color=color,
        marker=marker,
        linestyle=line,
        markersize=4.5,
        label=f"{way}: {slope:.2f}",
    )


def benchmark_bars(
    results: Mapping[str, Any],
    section: str,
    contenders: Sequence[str] = (),
    **settings: Any,
) -> Figure:
    """Draw the times of contenders side by side, each with its ratio to the first.

    Parameters
    ----------
    results : mapping
        What a file of `benchmarks/results` holds.
    section : str
        The section to draw.
    contenders : sequence of str
        Which of them, in this order; all, if none is named.
    **settings
        Which rows of the section, such as ``n=4096``; needed where there are several settings.
    """
    rows = [
        row
        for row in results["rows"]
        if row["section"] == section
        and "seconds" in row
        and settings.items() <= row["settings"].items()
    ]
    found = {row["contender"]: row["seconds"] for row in rows}
    names = list(contenders) or list(found)
    fig, ax = canvas(7, 0.42 * len(names) + 0.75)
    longest = max(1000 * max(found[name]["times"]) for name in names)
    for place, name in enumerate(names):
        median = 1000 * found[name]["median"]
        least, most = (1000 * end(found[name]["times"]) for end in (min, max))
        color = role_color("query" if _is_ours(name) else "output")
        ax.barh(
            place, median, height=0.62, color=color, ecolor=INK,
            xerr=[[median - least], [most - median]],
        )  # fmt: skip
        ratio = median / (1000 * found[names[0]]["median"])
        text = f"{median:,.0f} ms" + (f", {ratio:.2f}{_TIMES}" if place else "")
        ax.text(most + longest / 90, place, text, va="center", fontsize=9)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.32 * longest)
    ax.grid(False, axis="y")
    ax.set_xlabel(f"median of the rounds in ms, {_TIMES} the first; lines: fastest to slowest",
                  fontsize=9.5)  # fmt: skip
    return fig


def _is_ours(name: str) -> bool:
    """Tell our contenders from others'."""
    return name.startswith(("ours", "NumPy fused", "NumPy tiled", "with caches"))


def decoding_times(results: Mapping[str, Any]) -> Figure:
    """Draw the time of one more token against the number of those before it.

    Parameters
    ----------
    results : mapping
        What a file of `benchmarks/results` holds; its rows of the section "decoding".
    """
    fig, ax = canvas(6, 3.2)
    looks = {
        "with caches": (role_color("query"), "s"),
        "everything again": (role_color("key"), "o"),
    }
    sizes = []
    for name, (color, marker) in looks.items():
        rows = [
            row
            for row in results["rows"]
            if row["section"] == "decoding" and row["contender"] == name
        ]
        sizes = [row["settings"]["n"] for row in rows]
        medians = np.array([1000 * row["seconds"]["median"] for row in rows])
        ax.plot(sizes, medians, color=color, marker=marker, label=name)
        ax.annotate(name, (sizes[-1], medians[-1]), (-6, 8), textcoords="offset points",
                    ha="right", color=color)  # fmt: skip
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.margins(y=0.12)
    ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
    ax.minorticks_off()
    ax.set_xlabel("tokens before this one")
    ax.set_ylabel("milliseconds a token")
    return fig
