"""The scenes of the page `how_fast`: times and memory, as multiples of the kernel's."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from course_attn.drawing.style import INK, canvas, role_color

__all__ = [
    "CONTENDERS",
    "FLEX",
    "QUESTIONS",
    "Ratio",
    "ratios",
    "side_by_side",
    "why_not",
]

FLEX = "FlexAttention, compiled"
# Of each group the first is what the others are divided by.
CONTENDERS: Mapping[str, Sequence[str]] = {
    "attention alone": (
        *("PyTorch fused", "ours, fused", FLEX),
        *("ours, tiled", "ours, explicit"),
    ),
    "with projections": (
        *("linear + fused + linear", "ours", "nn.MultiheadAttention"),
        *(FLEX, "x-transformers, flash", "per-head loop"),
    ),
    "one more token": (
        *(
            "linear + fused + linear",
            "ours",
            "ours, n_max",
            "nn.MultiheadAttention",
        ),
        *(FLEX, "x-transformers, flash", "per-head loop"),
    ),
}
# In which section of the results a group is, behind "cpu" or "gpu", and what is compared.
QUESTIONS: Mapping[str, tuple[Mapping[str, str], str]] = {
    "forward": ({"attention alone": "", "with projections": " forward"}, "seconds"),
    "forward and backward": (
        {
            "attention alone": " attention_and_backward",
            "with projections": " forward_and_backward",
        },
        "seconds",
    ),
    "decoding": ({"one more token": " one_token"}, "seconds"),
    "memory": (
        {"attention alone": "", "with projections": " forward"},
        "extra_bytes",
    ),
}
# The same as a character and as Matplotlib's marker, from the shortest to the longest.
_MARKERS = (("●", "o"), ("■", "s"), ("◆", "D"))


class Ratio(NamedTuple):
    """How many times as much as the first: the quartiles over the rounds."""

    low: float
    median: float
    high: float


def ratios(
    results: Mapping[str, Any], question: str, group: str, contender: str
) -> dict[int, Ratio]:
    """Return, for each length, how many times as much a contender takes as the first of its group.

    Times of one round are divided by each other. Memory was measured once, so that all three
    quartiles are the same. On a GPU these are the numbers in bfloat16, elsewhere in float32. Empty
    where nothing was measured.
    """
    sections, of = QUESTIONS[question]
    rows = list(_rows(results, sections[group]))
    taken = {
        (row["contender"], row["settings"]["n"]): _amounts(row, of)
        for row in rows
        if of in row
    }
    first = CONTENDERS[group][0]
    return {
        n: Ratio(
            *np.quantile(amounts / taken[first, n], (0.25, 0.5, 0.75)).tolist()
        )
        for (name, n), amounts in taken.items()
        if name == contender
    }


def _rows(results: Mapping[str, Any], section: str) -> Iterator[Mapping[str, Any]]:
    """Give the rows of a section of this machine, in one dtype."""
    place, dtype = (
        ("gpu", "bfloat16") if results["hardware"]["gpu"] else ("cpu", "float32")
    )
    for row in results["rows"]:
        if row["section"] == place + section and row["settings"]["dtype"] == dtype:
            yield row


def _amounts(row: Mapping[str, Any], of: str) -> np.ndarray:
    return np.array(row[of]["times"] if of == "seconds" else [row[of]], float)


def why_not(
    results: Mapping[str, Any], question: str, group: str, contender: str
) -> str:
    """Say that a contender was not measured, and why, where that is known."""
    if (
        contender.startswith("x-transformers")
        and results["versions"].get("x-transformers") == "not installed"
    ):
        return "not measured: not installed"
    for row in _rows(results, QUESTIONS[question][0][group]):
        if row["contender"] == contender and "not_measured" in row:
            return f"not measured: {row['not_measured'].split('. ')[0]}"
    return "not measured"


def side_by_side(question: str, machines: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw how many times as much each contender takes as the first of its group.

    Parameters
    ----------
    question : str
        One of `QUESTIONS`.
    machines : sequence of mappings
        What files of `benchmarks/results` hold, one for each plot.
    """
    rows = [
        (group, name)
        for group in QUESTIONS[question][0]
        for name in (None, *CONTENDERS[group])
    ]
    fig, axes = canvas(7, 0.27 * len(rows) + 1, columns=len(machines))
    for ax, results in zip(np.ravel(axes), machines, strict=True):
        _machine(ax, question, results, rows)
    for ax in np.ravel(axes)[1:]:
        ax.tick_params(left=False, labelleft=False)
    spread = "" if question == "memory" else "; lines: quartiles"
    fig.supxlabel(f"times the first of the group{spread}", fontsize=9)
    return fig


def _machine(
    ax: Axes,
    question: str,
    results: Mapping[str, Any],
    rows: Sequence[tuple[str, str | None]],
) -> None:
    """Draw a row for each contender: its ratios, or that there are none."""
    ax.axvline(1, color=INK, linewidth=1)
    ax.set_xscale("log")
    lengths: dict[int, str] = {}
    for place, (group, name) in enumerate(rows):
        if name is None:
            continue
        found = ratios(results, question, group, name)
        if not found:
            why = why_not(results, question, group, name)
            # in one line, or two of about the same length
            said = textwrap.fill(why, max(28, len(why) // 2 + 4))
            ax.text(1.15, place, said, va="center", fontsize=9, linespacing=1.05)
        color = role_color("query" if name.startswith("ours") else "output")
        shown = _some(found)
        for k, n in enumerate(shown):
            lengths[n], marker = _MARKERS[k]
            low, median, high = found[n]
            ax.errorbar(
                median, place + 0.22 * (k - (len(shown) - 1) / 2),
                xerr=[[median - low], [high - median]], color=color,
                marker=marker, markersize=4, linewidth=1.3, capsize=2,
            )  # fmt: skip
    hardware = results["hardware"]
    machine = hardware["gpu"] or f"{hardware['cpu']}, {hardware['cores']} cores"
    sizes = "   ".join(f"{sign} n = {n:,}" for n, sign in lengths.items())
    ax.set_title(f"{machine}\n{sizes}".strip(), fontsize=9)
    left, right = ax.get_xlim() if lengths else (1, 1)
    ax.set_xlim(min(left, 0.7), max(right, 7))
    few = ax.get_xlim()[1] > 300
    ax.xaxis.set_major_locator(LogLocator(subs=(1,) if few else (1, 2, 5)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_locator(NullLocator())
    ax.tick_params(axis="x", labelsize=9)
    labels = [f"{group}:" if name is None else name for group, name in rows]
    ax.set_yticks(range(len(rows)), labels, fontsize=9)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.grid(False, axis="y")


def _some(lengths: Mapping[int, Any]) -> list[int]:
    """Choose the shortest, the middle and the longest, where there are as many."""
    sizes = sorted(lengths)
    return sorted({sizes[0], sizes[len(sizes) // 2], sizes[-1]}) if sizes else []
