"""What a run has measured: ``losses.csv``, ``losses.svg`` and ``samples.json``.

They are written for people. A run that goes on reads them from its checkpoint.
"""

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from whywrong.files import write_whole

__all__ = ["Log", "Row"]


class Row(NamedTuple):
    """What one step gave, as a line of the table; None where nothing was measured.

    The loss is that of the step's batch before the parameters change, the validation comes after.
    """

    step: int
    loss: float | None = None
    learning_rate: float | None = None
    validation: float | None = None
    tokens_per_second: float | None = None


@dataclass
class Log:
    """The table of losses, and what the model wrote at some steps, kept in a folder."""

    folder: Path
    rows: list[Row] = field(default_factory=list)
    samples: dict[int, str] = field(default_factory=dict)

    def flush(self) -> None:
        """Write all of it anew, and wait until the disk has it."""
        table = _write_csv([Row._fields, *self.rows])
        write_whole(self.folder / "losses.csv", table)
        text = json.dumps(self.samples, indent=1, ensure_ascii=False)
        write_whole(self.folder / "samples.json", text)

    def add(self, rows: list[Row]) -> None:
        """Append rows to the table."""
        self.rows += rows
        path = self.folder / "losses.csv"
        with path.open("a", encoding="utf-8", newline="") as file:
            file.write(_write_csv(rows))

    def draw(self, n_vocab: int) -> None:
        """Draw the losses as losses.svg, or say what that needs."""
        try:
            from matplotlib import rc_context

            from course_attn.drawing.style import INK, canvas, role_color
        except ImportError:
            print(
                "losses.svg was not drawn: it needs Matplotlib "
                "(pip install 'course_attn[train]'). The numbers are in losses.csv."
            )
            return
        figure, axes = canvas(7, 4)
        chance = math.log(n_vocab)
        axes.axhline(chance, color=INK, linestyle=":", label="all characters alike")
        for name, role, width, label in (
            ("loss", "output", 0.6, "each batch"),
            ("validation", "key", 2, "validation"),
        ):
            points = [(row.step, getattr(row, name)) for row in self.rows]
            if found := [point for point in points if point[1] is not None]:
                color = role_color(role)
                axes.plot(
                    *zip(*found, strict=True), color=color, lw=width, label=label
                )
        axes.set(xlabel="step", ylabel="loss (nats per character)")
        axes.legend()
        drawn = io.BytesIO()
        with rc_context({"svg.hashsalt": "course_attn"}):
            figure.savefig(drawn, format="svg", metadata={"Date": None})
        write_whole(self.folder / "losses.svg", drawn.getvalue())


def _write_csv(rows: Sequence[tuple[Any, ...]]) -> str:
    """Return rows as text from which the numbers can be read again exactly."""
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(rows)
    return lines.getvalue()
