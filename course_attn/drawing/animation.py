"""Animations that play in a static page: offline, scrubbable, and described in words."""

import hashlib
import html
import io
import json
import re
from collections.abc import Callable, Sequence
from importlib.resources import files
from string import Template
from urllib.parse import quote

from matplotlib.figure import Figure

__all__ = ["Animation", "animate"]

MAX_BYTES = 400_000


class Animation:
    """A figure of frames with a play button and a slider; a notebook shows it as HTML."""

    def __init__(self, page: str, caption: str, n_frames: int) -> None:
        self._page, self._caption, self._n_frames = page, caption, n_frames

    def _repr_html_(self) -> str:
        return self._page

    def __repr__(self) -> str:
        """Say in one line what the animation is about."""
        return f"<animation of {self._n_frames} steps: {self._caption}>"


def animate(
    fig: Figure,
    draw: Callable[[int], object],
    steps: Sequence[str],
    *,
    alt: str,
    caption: str,
    interval: int = 900,
) -> Animation:
    """Turn a figure that is drawn anew for each step into an animation for notebook and page.

    It starts at rest. Where the reader's system asks for reduced motion, the play button moves one
    step at a time.

    Parameters
    ----------
    fig : Figure
        The figure on which `draw` draws.
    draw : callable
        ``draw(k)`` draws step k, from 0, on a clean or a cleared figure. The axes stay where they
        are in the first step, so that nothing jumps: its labels should be as wide as any.
    steps : sequence of str
        For each step one sentence that says what it shows: written below the picture, and what a
        screen reader says when the slider moves. Their number is the number of frames.
    alt : str
        What the picture shows as a whole, for those who cannot see it.
    caption : str
        What the animation says.
    interval : int
        Milliseconds from one step to the next.

    Returns
    -------
    Animation
        Shown as HTML where a cell ends with it.

    Raises
    ------
    ValueError
        If the page that it makes is larger than 400 kB: fewer steps, or a simpler figure.
    """
    frames = []
    for k in range(len(steps)):
        draw(k)
        frames.append(_svg(fig))
        fig.set_layout_engine("none")  # what the first step was given stays
    page = _page(
        frames,
        list(steps),
        width=fig.get_figwidth(),
        alt=alt,
        caption=caption,
        interval=interval,
    )
    if len(page) > MAX_BYTES:
        raise ValueError(
            f"the animation has {len(page)} bytes, more than {MAX_BYTES}"
        )
    return Animation(page, caption, len(steps))


_WITHOUT = dict.fromkeys(["Creator", "Date", "Format", "Type"])


def _svg(fig: Figure) -> list[str]:
    """Draw a figure, and return its SVG, cut between its elements."""
    drawn = io.StringIO()
    fig.savefig(drawn, format="svg", dpi=_DPI, metadata=_WITHOUT)
    svg = drawn.getvalue()
    parts = re.split(r"(?<=>)\s+(?=<)", svg[svg.index("<svg") :].strip())
    return [" ".join(part.split()) for part in parts]


_PER_INCH = 100  # pixels of the page for an inch of a figure
_DPI = 200  # of pictures within one


def _page(
    frames: list[list[str]],
    steps: list[str],
    *,
    width: float,
    alt: str,
    caption: str,
    interval: int,
) -> str:
    """Put the frames, so many inches wide, into the player's HTML.

    Most of a frame is that of the one before. So each part is there once, and a frame is a list of
    their numbers.
    """
    template = Template(
        files(__package__).joinpath("player.html").read_text("utf-8")
    )
    numbers = {
        part: k
        for k, part in enumerate(dict.fromkeys(p for f in frames for p in f))
    }
    data = {
        "parts": list(numbers),
        "frames": [[numbers[part] for part in frame] for frame in frames],
        "steps": steps,
        "interval": interval,
    }
    script_safe = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    return template.substitute(
        id="animation-" + hashlib.sha256(script_safe.encode()).hexdigest()[:12],
        first="data:image/svg+xml," + quote("".join(frames[0]), safe=" /:=;,"),
        width=round(_PER_INCH * width),
        last_index=len(frames) - 1,
        first_step=html.escape(steps[0]),
        n_steps=len(steps),
        alt=html.escape(alt),
        caption=html.escape(caption),
        data=script_safe,
    )
