"""One color for each role, one look for every figure of the book."""

import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler

__all__ = [
    "DARK_ROLES",
    "INK",
    "ROLES",
    "canvas",
    "ink_on",
    "role_color",
    "shade",
    "use_style",
]

# Chosen to differ for every kind of color vision (CIE76 distance of at least 20 under simulated
# protanopia, deuteranopia and tritanopia) and to have a contrast of at least 4.5 on white.
ROLES: Mapping[str, str] = MappingProxyType(
    {
        "query": "#1746D1",
        "key": "#A95500",
        "value": "#0A5C36",
        "weight": "#7B0F6B",
        "output": "#6C6C75",
    }
)
# The same roles on a dark page; book/_static/book.css gives them to prose and formulas.
DARK_ROLES: Mapping[str, str] = MappingProxyType(
    {
        "query": "#8fa5ff",
        "key": "#f09a4a",
        "value": "#5cf2a8",
        "weight": "#f58cc0",
        "output": "#a3a0ab",
    }
)
INK = "#24242B"

# Matplotlib's stubs want each key to be known as the name of a setting.
_STYLE: dict[Any, Any] = {
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.prop_cycle": cycler(color=list(ROLES.values())),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "white",
    "font.size": 10.5,
    "grid.alpha": 0.25,
    "hatch.linewidth": 0.8,
    "legend.frameon": False,
    "savefig.facecolor": "white",
    "svg.hashsalt": "course_attn",
    "text.color": INK,
}


def use_style() -> None:
    """Draw all figures of this session in the book's look, as SVG in a notebook."""
    plt.rcParams.update(_STYLE)
    if (
        "IPython" in sys.modules
        and sys.modules["IPython"].get_ipython() is not None
    ):
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("svg", metadata={"Date": None})


def canvas(
    width: float = 7.0,
    height: float = 3.0,
    *,
    columns: int = 1,
    blank: bool = False,
) -> tuple[Figure, Any]:
    """Make a figure that a notebook shows only where a cell ends with it.

    Parameters
    ----------
    width, height : float
        Size in inches; the page is 7 inches wide.
    columns : int
        Number of axes side by side.
    blank : bool
        Whether to leave out ticks, grid and frame, with equal units on both axes, for drawings.

    Returns
    -------
    fig, axes
        The figure, and its axes (an array of them if `columns` is greater than 1).

    Examples
    --------
    >>> fig, ax = canvas(4, 2)
    >>> fig.get_size_inches().tolist()
    [4.0, 2.0]
    """
    with plt.rc_context(_STYLE):
        fig, axes = plt.subplots(1, columns, figsize=(width, height))
    plt.close(fig)
    if blank:
        for ax in fig.axes:
            ax.set_axis_off()
            ax.set_aspect("equal")
    return fig, axes


def role_color(role: str) -> str:
    """Return the color of a role.

    Raises
    ------
    ValueError
        If there is no such role.

    Examples
    --------
    >>> role_color("query")
    '#1746D1'
    """
    if role not in ROLES:
        raise ValueError(f"role must be one of {', '.join(ROLES)}, got {role!r}")
    return ROLES[role]


def shade(role: str, strength: float) -> tuple[float, float, float]:
    """Mix a role's color with white: 0 gives white, 1 the full color.

    Examples
    --------
    >>> shade("query", 0.0)
    (1.0, 1.0, 1.0)
    """
    full = to_rgb(role_color(role))
    red, green, blue = (1 - strength * (1 - part) for part in full)
    return red, green, blue


def ink_on(fill: tuple[float, float, float]) -> str:
    """Return the color of a text that is best read on a fill.

    Examples
    --------
    >>> ink_on(shade("query", 0.9))
    'white'
    """
    red, green, blue = fill
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.49 else INK
