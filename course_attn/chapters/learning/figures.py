"""The scenes of the page `learning`."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from course_attn.drawing.style import INK, canvas, role_color

__all__ = ["descents", "held_out"]


def descents(losses: Mapping[float, Sequence[float]]) -> Figure:
    """Draw the loss against the number of steps, one line for each learning rate."""
    fig, ax = canvas(6.5, 2.9)
    looks = [(":", "output", 14, 7), ("-", "weight", 7, 7), ("--", "key", 3, -7)]
    for (rate, found), (line, role, at, up) in zip(
        losses.items(), looks, strict=True
    ):
        color = role_color(role)
        ax.semilogy(found, linestyle=line, color=color, linewidth=2)
        ax.annotate(f"rate {rate:g}", (at, found[at]), (9, up),
                    textcoords="offset points", color=color)  # fmt: skip
    ax.set(xlabel="steps", ylabel="loss", ylim=(3e-3, 1e3), xlim=(0, 29))
    return fig


def held_out(histories: np.ndarray) -> Figure:
    """Draw the loss on training data and on held-out data against the number of steps.

    Parameters
    ----------
    histories : array, shape (n_runs, n_steps, 2)
        The two losses before each step of each run.
    """
    fig, ax = canvas(6.5, 3.1)
    steps = np.arange(histories.shape[1])
    for k, (name, color, line) in enumerate(
        [("training data", INK, "--"), ("held-out data", role_color("weight"), "-")]
    ):
        ax.plot(steps, histories[..., k].T, color=color, linewidth=0.5, alpha=0.3)
        mean = histories[..., k].mean(axis=0)
        ax.plot(steps, mean, color=color, linestyle=line, linewidth=2.5)
        ax.annotate(name, (steps[-1], mean[-1]), (6, 0), textcoords="offset points",
                    va="center", color=color)  # fmt: skip
    ax.set_xscale("symlog", linthresh=1, linscale=0.3)
    ax.set(xlabel="steps", ylabel="loss", xlim=(0, steps[-1]), ylim=(0, 3))
    ax.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    return fig
