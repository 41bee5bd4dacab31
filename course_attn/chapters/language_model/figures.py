"""The scenes of the chapter `language_model`."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course_attn.drawing.animation import Animation, animate
from course_attn.drawing.graphs import graph
from course_attn.drawing.matrices import matrix
from course_attn.drawing.saved import read
from course_attn.drawing.style import INK, canvas, role_color

__all__ = [
    "loss_curves",
    "model_steps",
    "next_characters",
    "results",
    "visible",
]


def results(name: str) -> dict[str, Any]:
    """Return the report that a command of the benchmarks has saved as ``<name>.json``.

    Raises
    ------
    FileNotFoundError
        If neither the repository nor the installed package has it.
    """
    return read(name, f"python -m benchmarks.{name}")


def visible(text: Iterable[str]) -> list[str]:
    """Return the characters of a text as one can see them: a space as ␣, a newline as ↵.

    Examples
    --------
    >>> visible("a b")
    ['a', '␣', 'b']
    """
    return [{" ": "␣", "\n": "↵"}.get(character, character) for character in text]


_SHOWN = 4  # features that are written out
_GUESSED = 6  # characters that may come next


def model_steps(
    text: str,
    tokens: np.ndarray,
    stages: Sequence[np.ndarray],
    logits: np.ndarray,
    characters: str,
) -> Animation:
    """Animate a language model: from the characters of a text to the one that comes next.

    Parameters
    ----------
    text : str
        The n characters that are read.
    tokens : array, shape (n,)
        Their numbers.
    stages : sequence of array, shape (n, d_model)
        The rows of the embedding; the same with positions; the stream after each block; and what
        the final norm makes of it.
    logits : array, shape (n_vocab,)
        Those of the last row.
    characters : str
        The vocabulary.
    """
    n, d = stages[0].shape
    n_blocks, n_vocab = len(stages) - 3, len(characters)
    probs = np.exp(logits - logits.max())
    probs /= probs.sum()
    best = np.argsort(-probs, kind="stable")[:_GUESSED]
    shown, last = visible(text), visible(text[-1])[0]
    chosen = visible(characters[best[0]])[0]
    boxes = [
        ("characters", "output", f"{n}"),
        ("embedding $E$", "value", f"{n} × {d}"),
        ("+ positions $P$", "output", f"{n} × {d}"),
        *[(f"block {k + 1}", "weight", f"{n} × {d}") for k in range(n_blocks)],
        ("final norm", "output", f"{n} × {d}"),
        ("times $E^T$", "value", f"{n} × {n_vocab}"),
        ("softmax", "weight", f"{n} × {n_vocab}"),
    ]
    nodes = {
        str(k): (0.0, float(k), words, role)
        for k, (words, role, _) in enumerate(boxes)
    }
    moved = [
        float(np.linalg.norm(after[-1] - before[-1]))
        for before, after in zip(stages[1:-2], stages[2:-1], strict=True)
    ]
    steps = [
        f"Each character is a token, a number: “{last}” is number {tokens[-1]} of {n_vocab}, "
        "counted from 0, as places are.",
        f"Row {tokens[-1]} of the embedding E is the vector of “{last}”: {d} learned numbers.",
        f"The vector of its place is added: row {n - 1} of P, since “{last}” stands at place "
        f"{n - 1}.",
        *[
            f"Block {k + 1} lets each row look back and work on what it found: the last row "
            f"moves by {move:.1f}."
            for k, move in enumerate(moved)
        ],
        "The final norm gives each row one mean and one spread, up to learned gains and biases.",
        f"The last row times each row of E: {n_vocab} logits, the largest is that of “{chosen}”.",
        f"Softmax: “{chosen}” follows with the probability {probs[best[0]]:.2f}.",
    ]
    # Narrow: a phone shows all of it.
    fig, (left, right) = canvas(4, 4.4, columns=2, blank=True)
    left.get_gridspec().set_width_ratios([1, 1.6])

    def draw(step: int) -> None:
        for ax in (left, right):
            ax.clear()
            ax.set_axis_off()
        graph(left, nodes, (), active=[str(k) for k in range(step + 1)])
        _chain(left, [shape for *_, shape in boxes], step)
        right.set_aspect("auto")
        if step == 0:
            _token_table(right, shown, tokens)
        elif step <= len(stages):
            _rows(right, stages[step - 1], shown)
        else:
            numbers = logits if step == len(boxes) - 2 else probs
            _bars(right, numbers[best], visible(characters[c] for c in best),
                  "logits" if step == len(boxes) - 2 else "probabilities")  # fmt: skip

    return animate(
        fig,
        draw,
        steps,
        alt=f"Left, a chain of boxes from bottom to top: characters, embedding, positions, "
        f"{n_blocks} blocks, final norm, times the transposed embedding, softmax, with shapes "
        f"between them. Right, the numbers at the present step, one row for each of {n} "
        "characters, and at the end bars for the most probable next characters.",
        caption="The whole model, from a text to the next character. Left, the shapes; right, "
        f"the first {_SHOWN} of {d} numbers of each row (hatched: negative). Blocks add to the "
        "rows and keep their shape. Only the last row is needed to go on writing; in training, "
        "every row guesses the character that comes next.",
        interval=1700,
    )


def _chain(ax: Axes, shapes: Sequence[str], step: int) -> None:
    """Draw the arrows between the boxes, and the shape of what flows there."""
    ax.set_aspect("auto")
    for k, shape in enumerate(shapes[:-1]):
        done = k < step
        color = role_color("output") if done else "#C9C9D0"
        arrow = {"arrowstyle": "-|>", "shrinkA": 10, "shrinkB": 10, "color": color}
        ax.annotate("", (0, k + 1), (0, k), arrowprops=arrow, zorder=1)
        if done:
            ax.text(0.72, k + 0.5, shape, ha="left", va="center", fontsize=9,
                    color=role_color("weight"))  # fmt: skip
    ax.set_xlim(-0.75, 1.3)
    ax.set_ylim(-0.6, len(shapes) - 0.4)


def _token_table(ax: Axes, shown: Sequence[str], tokens: np.ndarray) -> None:
    for i, (character, token) in enumerate(zip(shown, tokens, strict=True)):
        ax.text(0.35, -i, character, ha="center", va="center", fontsize=12)
        ax.text(0.55, -i, "→", ha="center", va="center")
        ax.text(0.75, -i, str(token), ha="center", va="center", fontsize=12)
    ax.set_xlim(0, 1.1)
    ax.set_ylim(-len(shown), 1)


def _rows(ax: Axes, X: np.ndarray, labels: Sequence[str]) -> None:
    n = len(labels)
    most = float(np.abs(X).max())
    matrix(ax, X[:, :_SHOWN], role="output", numbers="{:.1f}" if most > 1 else "{:.2f}",
           rows=labels, vmax=most, fontsize=9.5)  # fmt: skip
    for i in range(n):
        ax.text(_SHOWN + 0.25, -i - 0.5, "…", ha="left", va="center")
    ax.set_aspect("auto")
    ax.set_xlim(-0.6, _SHOWN + 0.7)
    ax.set_ylim(-n - 0.4, 0.6)


def _bars(ax: Axes, numbers: np.ndarray, labels: Sequence[str], title: str) -> None:
    """Draw bars with their numbers, the first one on top."""
    places = -np.arange(len(numbers), dtype=float)
    most = float(np.max(np.abs(numbers)))
    ax.barh(places, numbers / most, color=role_color("weight"), height=0.6)
    for place, number, label in zip(places, numbers, labels, strict=True):
        ax.text(-0.06, place, label, ha="right", va="center", fontsize=12)
        ax.text(max(number / most, 0) + 0.03, place, _signed(number), va="center",
                fontsize=9.5)  # fmt: skip
    ax.text(0, 0.75, title, ha="left", fontsize=10.5)
    ax.set_xlim(-0.25, 1.35)
    ax.set_ylim(-len(numbers), 1.2)


def _signed(number: float) -> str:
    return f"{number:.2f}".replace("-", "\N{MINUS SIGN}")


def next_characters(
    rules: Mapping[str, np.ndarray], characters: str, *, n_shown: int = 12
) -> Figure:
    """Draw what several rules make of one distribution, as rows of bars.

    Parameters
    ----------
    rules : mapping of str to array, shape (n_vocab,)
        For each rule its name and its probabilities; the first decides the order.
    characters : str
        The vocabulary.
    n_shown : int
        How many characters are shown, the most probable first.
    """
    first = next(iter(rules.values()))
    order = np.argsort(-first, kind="stable")[:n_shown]
    fig, axes = canvas(7, 0.78 * len(rules), columns=1)
    fig.clear()
    axes = fig.subplots(len(rules), 1, sharex=True)
    for ax, (name, probs) in zip(np.atleast_1d(axes), rules.items(), strict=True):
        kept = probs[order]
        ax.bar(range(n_shown), kept, color=role_color("weight"), width=0.7)
        ax.plot(range(n_shown), first[order], "_", color=INK, markersize=14)
        for place, prob in enumerate(kept):
            if prob == 0:
                ax.text(place, 0.06, "×", ha="center", va="bottom", color=INK)
        ax.set(ylim=(0, 1.02), yticks=(0, 1))
        ax.set_ylabel(name, rotation=0, ha="right", va="center", fontsize=9.5)
        ax.grid(visible=False)
        ax.tick_params(bottom=False)
    ax.set_xticks(range(n_shown), visible(characters[c] for c in order))
    return fig


def loss_curves(
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    marks: Mapping[str, float],
    *,
    points: Sequence[str] = (),
) -> Figure:
    """Draw losses against steps, on logarithmic steps, with horizontal lines to compare with.

    Parameters
    ----------
    curves : mapping of str to (steps, losses)
        The curves by name.
    marks : mapping of str to float
        Losses to compare with, by name.
    points : sequence of str
        Names of curves that are drawn as points joined by dashes.
    """
    fig, ax = canvas(7, 3.6)
    colors = [role_color(role) for role in ("output", "query", "key", "value")]
    for color, (name, (steps, losses)) in zip(colors, curves.items(), strict=False):
        style = "o--" if name in points else "-"
        ax.plot(steps, losses, style, color=color, label=name, markersize=4)
    for name, loss in marks.items():
        ax.axhline(loss, color=INK, linestyle=":", linewidth=1)
        ax.text(1.01, loss, name, va="center", fontsize=9.5,
                transform=ax.get_yaxis_transform())  # fmt: skip
    ax.set(xscale="log", xlabel="step", ylabel="loss (nats per character)")
    ax.legend(fontsize=9.5, loc="lower left")
    return fig
