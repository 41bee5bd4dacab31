"""Animations that play in a static page: offline, scrubbable, and described in words."""

import base64
import hashlib
import html
import io
import json
from collections.abc import Callable, Sequence
from importlib.resources import files
from string import Template

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

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
    dpi: int = 100,
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
    dpi : int
        Pixels per inch.

    Returns
    -------
    Animation
        Shown as HTML where a cell ends with it.

    Raises
    ------
    ValueError
        If the page that it makes is larger than 400 kB: fewer steps, fewer dpi or a smaller figure.
    """
    fig.set_dpi(dpi)
    canvas = FigureCanvasAgg(fig)
    frames = []
    for k in range(len(steps)):
        draw(k)
        canvas.draw()
        fig.set_layout_engine("none")  # what the first step was given stays
        frames.append(_data_url(Image.fromarray(np.asarray(canvas.buffer_rgba()))))
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


def _data_url(picture: Image.Image) -> str:
    """Reduce a picture to 64 colors, and give it back as a data URL."""
    packed = io.BytesIO()
    # The pass of k-means keeps the colors of small things, such as one framed square.
    reduced = picture.convert("RGB").quantize(
        64, kmeans=1, dither=Image.Dither.NONE
    )
    reduced.save(packed, "png", optimize=True)
    return "data:image/png;base64," + base64.b64encode(packed.getvalue()).decode(
        "ascii"
    )


_PER_INCH = 100  # pixels of the page for an inch of a figure


def _page(
    frames: list[str],
    steps: list[str],
    *,
    width: float,
    alt: str,
    caption: str,
    interval: int,
) -> str:
    """Put the frames, so many inches wide, into the player's HTML."""
    template = Template(
        files(__package__).joinpath("player.html").read_text("utf-8")
    )
    script_safe = json.dumps(
        {"frames": frames, "steps": steps, "interval": interval}
    ).replace("</", "<\\/")
    return template.substitute(
        id="animation-" + hashlib.sha256("".join(frames).encode()).hexdigest()[:12],
        first=frames[0],
        width=round(_PER_INCH * width),
        last_index=len(frames) - 1,
        first_step=html.escape(steps[0]),
        n_steps=len(steps),
        alt=html.escape(alt),
        caption=html.escape(caption),
        data=script_safe,
    )
