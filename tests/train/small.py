"""A model so small that a run takes a moment, and what a run leaves behind."""

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from course_attn.train.__main__ import main

STEPS = 8
SETTINGS = {
    "layers": 1,
    "width": 8,
    "heads": 2,
    "context": 7,
    "steps": STEPS,
    "batch": 4,
    "warmup": 2,
    "lr": 0.01,
}
# Written at 3, 4, 6 and 8, validated and saved at 4 and 8.
EVERY = [
    "--log-every=3",
    "--validate-every=4",
    "--checkpoint-every=4",
    "--sample-at",
    "4",
]


class Step(NamedTuple):
    """What a run has on one step; how quick it was is left out."""

    step: int
    loss: float | None
    learning_rate: float | None
    validation: float | None


def write_text(folder: Path) -> Path:
    """Write a text of a few words that come again and again."""
    words = np.random.default_rng(0).choice(
        ["to", "be", "or", "not", "that\n"], 400
    )
    path = folder / "text.txt"
    path.write_text(" ".join(words), "utf-8")
    return path


def arguments(text: Path, out: Path, **settings: object) -> list[str]:
    """Return the command line of a small run."""
    options = [
        f"--{k.replace('_', '-')}={v}" for k, v in (SETTINGS | settings).items()
    ]
    return [f"--text={text}", f"--out={out}", "--device=cpu", *options, *EVERY]


def train(text: Path, out: Path, **settings: object) -> Path:
    """Run to the end, in this process; return the folder."""
    assert main(arguments(text, out, **settings)) == 0
    return out


def resume(out: Path) -> int:
    """Go on, with nothing said again but how often to write."""
    return main([f"--out={out}", "--device=cpu", "--resume", *EVERY])


def measured(out: Path) -> list[Step]:
    """Read the table of a run."""
    header, *lines = csv.reader(
        (out / "losses.csv").read_text("utf-8").splitlines()
    )
    assert header[:4] == list(Step._fields)
    return [
        Step(int(step), *(float(cell) if cell else None for cell in cells[:3]))
        for step, *cells in lines
    ]


def checkpoints(out: Path) -> list[str]:
    """Return the names of the checkpoints, and of what is half written."""
    return sorted(path.name for path in out.glob("checkpoint-*"))


def files(folder: Path) -> dict[str, bytes]:
    """Return all files of a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def assert_close(found: Path, wanted: Path) -> None:
    """Compare two tables, up to the rounding of sums."""
    rows, others = measured(found), measured(wanted)
    assert [row.step for row in rows] == [row.step for row in others]
    for row, other in zip(rows, others, strict=True):
        for number, expected in zip(row, other, strict=True):
            if expected is None:
                assert number is None
            else:
                assert number == pytest.approx(expected, abs=1e-5), row
