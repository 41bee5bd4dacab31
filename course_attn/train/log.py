"""What a run has measured: ``losses.csv``, ``losses.svg`` and ``samples.json``."""

import csv
import io
import json
import math
from dataclasses import dataclass, field
from pathlib import Path

from whywrong.files import write_whole

__all__ = ["Log", "Row"]

_HEADER = ["step", "loss", "learning_rate", "validation", "tokens_per_second"]


@dataclass
class Row:
    """What one step gave, as a line of the table; None where nothing was measured.

    The loss is that of the step's batch before the parameters change, the validation comes after.
    """

    step: int
    loss: float | None = None
    learning_rate: float | None = None
    validation: float | None = None
    tokens_per_second: float | None = None

    def cells(self) -> list[str]:
        """Return the numbers as text from which they can be read again exactly."""
        return ["" if v is None else repr(v) for v in vars(self).values()]

    @classmethod
    def of(cls, cells: list[str]) -> "Row":
        """Read a line."""
        if len(cells) != len(_HEADER):
            raise ValueError(f"a line must have {len(_HEADER)} cells, got {cells}")
        step, *numbers = cells
        return cls(int(step), *(float(n) if n else None for n in numbers))


@dataclass
class Log:
    """The table of losses, and what the model wrote at some steps, kept in a folder."""

    folder: Path
    rows: list[Row] = field(default_factory=list)
    samples: dict[int, str] = field(default_factory=dict)

    @classmethod
    def up_to(cls, folder: Path, step: int) -> "Log":
        """Read what a folder has up to a step; what came later, or was half written, is dropped."""
        log = cls(folder)
        if (folder / "losses.csv").exists():
            lines = (folder / "losses.csv").read_text("utf-8").splitlines(True)
            whole = [line for line in lines[1:] if line.endswith("\n")]
            rows = map(Row.of, csv.reader(whole))
            log.rows = [row for row in rows if row.step <= step and step]
        if (folder / "samples.json").exists():
            samples = json.loads((folder / "samples.json").read_text("utf-8"))
            log.samples = {int(s): t for s, t in samples.items() if int(s) <= step}
        log.flush()
        return log

    def flush(self) -> None:
        """Write all of it anew, and wait until the disk has it."""
        table = _as_csv(self.rows, header=True)
        write_whole(self.folder / "losses.csv", table.encode())
        text = json.dumps(self.samples, indent=1, ensure_ascii=False)
        write_whole(self.folder / "samples.json", text.encode())

    def add(self, rows: list[Row]) -> None:
        """Append rows to the table."""
        self.rows += rows
        with (self.folder / "losses.csv").open(
            "a", encoding="utf-8", newline=""
        ) as file:
            file.write(_as_csv(rows))

    def add_sample(self, step: int, text: str) -> None:
        """Keep what the model wrote after a step."""
        self.samples[step] = text

    def draw(self, n_vocab: int) -> str | None:
        """Draw the losses as losses.svg; return what is missing, if it cannot be done."""
        try:
            from matplotlib import rc_context

            from course_attn.drawing.style import INK, canvas, role_color
        except ImportError:
            return (
                "losses.svg was not drawn: it needs Matplotlib "
                "(pip install 'course_attn[train]'). The numbers are in losses.csv."
            )
        training = [(r.step, r.loss) for r in self.rows if r.loss is not None]
        validation = [
            (r.step, r.validation) for r in self.rows if r.validation is not None
        ]
        figure, axes = canvas(7, 4)
        axes.axhline(
            math.log(n_vocab),
            color=INK,
            linestyle=":",
            label="all characters alike",
        )
        for found, look in (
            (training, {"color": role_color("output"), "label": "each batch"}),
            (validation, {"color": role_color("key"), "label": "validation"}),
        ):
            if found:
                width = 0.6 if look["label"] == "each batch" else 2
                axes.plot(*zip(*found, strict=True), linewidth=width, **look)
        axes.set(xlabel="step", ylabel="loss (nats per character)")
        axes.legend()
        drawn = io.BytesIO()
        with rc_context({"svg.hashsalt": "course_attn"}):
            figure.savefig(drawn, format="svg", metadata={"Date": None})
        write_whole(self.folder / "losses.svg", drawn.getvalue())
        return None


def _as_csv(rows: list[Row], *, header: bool = False) -> str:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerows([_HEADER] * header)
    writer.writerows(row.cells() for row in rows)
    return lines.getvalue()
