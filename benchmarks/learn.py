"""How the experiments train, and how their results are kept.

A report is a JSON object in `benchmarks/results`, named after its command: `date`, `machine`,
`hardware`, `versions`, `threads`, `command`, `seconds` (the processor's time for the whole run,
which others on a busy machine do not lengthen), `settings` and `rows`.
"""

import json
import math
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

from benchmarks import results
from course_attn.text import PLAIN, course_text, split

Row = dict[str, Any]
Batch = tuple[torch.Tensor, torch.Tensor]


def train(
    model: torch.nn.Module,
    draw: Callable[[], Batch],
    *,
    steps: int,
    rate: float,
    warmup: int = 50,
) -> list[float]:
    """Train with AdamW on drawn tokens and targets; return the loss of every step.

    The rate rises for `warmup` steps and falls along a cosine to nothing; a gradient longer than 1
    is shortened to 1. Targets of -100 do not count.
    """
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.95))
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate * schedule(step, steps, warmup)
        tokens, targets = draw()
        loss = F.cross_entropy(model(tokens).flatten(0, -2), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def schedule(step: int, steps: int, warmup: int) -> float:
    """Return the share of the rate at this step, counted from 0."""
    done = step / max(1, steps)
    return min(1.0, (step + 1) / warmup) * (1 + math.cos(math.pi * done)) / 2


@cache
def texts() -> tuple[torch.Tensor, torch.Tensor]:
    """Return the course's text as tokens: for training, and for validation."""
    training, validation = (PLAIN.encode(part) for part in split(course_text()))
    return torch.from_numpy(training), torch.from_numpy(validation)


def windows(
    text: torch.Tensor, n: int, batch: int, generator: torch.Generator
) -> Batch:
    """Draw n characters from as many places of a text, and the characters that follow each."""
    starts = torch.randint(len(text) - n, (batch, 1), generator=generator)
    drawn = text[starts + torch.arange(n + 1)]
    return drawn[:, :-1], drawn[:, 1:]


def all_windows(text: torch.Tensor, n: int, most: int) -> Batch:
    """Cut a text into pieces of n characters, not more than `most`, spread evenly over it."""
    pieces = (len(text) - 1) // n
    starts = torch.linspace(0, pieces - 1, min(most, pieces)).long()[:, None] * n
    drawn = text[starts + torch.arange(n + 1)]
    return drawn[:, :-1], drawn[:, 1:]


# --- reports --------------------------------------------------------------------------------------


def save(
    name: str,
    rows: list[Row],
    settings: dict[str, Any],
    seconds: float | None,
    folder: Path = results.FOLDER,
    arguments: Iterable[str] | None = None,
) -> Path:
    """Write a report: what was found, by which command, on what machine.

    The command has the `arguments` that the user gave, unless others are named.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    found = results.hardware()
    head = {
        "date": results.today(),
        "machine": results.machine(found),
        "hardware": found,
        "versions": results.versions(),
        "threads": torch.get_num_threads(),
        "command": command(name.removesuffix("_gpu"), arguments),
        **({} if seconds is None else {"seconds": round(seconds)}),
        "settings": settings,
    }
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    text = json.dumps(head, indent=1)[:-2] + f',\n "rows": [\n{lines}\n ]\n}}\n'
    path = folder / f"{name}.json"
    path.write_text(text, encoding="utf-8")
    return path


def command(name: str, arguments: Iterable[str]) -> str:
    """Return the command of these arguments."""
    return shlex.join(["python", "-m", f"benchmarks.{name}", *arguments])


def load(path: Path) -> dict[str, Any]:
    """Read a report."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def groups(
    rows: Iterable[Row], *keys: str
) -> Iterator[tuple[tuple[Any, ...], list[Row]]]:
    """Yield rows that agree in these entries together, in the order in which they come first."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    yield from found.items()


def spread(values: Iterable[float]) -> str:
    """Write the mean, and the least and the largest."""
    numbers = list(values)
    mean = statistics.fmean(numbers)
    return f"{mean:6.3f}  ({min(numbers):.3f} to {max(numbers):.3f})"


class Clock:
    """Seconds that the processor has worked for this process since the clock was made."""

    def __init__(self) -> None:
        self.start = time.process_time()

    def __call__(self) -> float:
        return time.process_time() - self.start
