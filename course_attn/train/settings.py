"""What a run is: what its losses depend on, and how it is carried out.

Each field is an option of the command line, declared in the words of `argparse`.
"""

from argparse import ArgumentTypeError, BooleanOptionalAction
from collections.abc import Callable
from dataclasses import MISSING, asdict, dataclass, field
from math import inf
from pathlib import Path
from re import fullmatch
from typing import Any

import torch

from course_attn.in_torch import GPTConfig
from course_attn.train.processes import pick_device

__all__ = ["Run", "Settings", "TrainingError", "name_option"]


class TrainingError(Exception):
    """Training cannot begin or go on; the message says why, and what to do."""


def _declare(default: Any, kind: dict[str, Any], about: str) -> Any:
    return field(default=default, metadata={"help": about, **kind})


def _read(
    kind: type[int | float | str], must: str, holds: Callable[[Any], object]
) -> dict[str, Any]:
    """Return how an option is read from the command line; what does not hold is refused."""

    def read(text: str) -> Any:
        try:
            if holds(value := kind(text)):
                return value
        except ValueError:
            pass
        raise ArgumentTypeError(f"must be {must}, got {text or 'nothing'}")

    return {"type": read, "metavar": {int: "N", float: "X", str: "NAME"}[kind]}


def _whole(least: int, most: int) -> dict[str, Any]:
    must = f"a whole number from {least} to {most:,}"
    return _read(int, must, lambda n: least <= n <= most)


_SIZE, _EVERY, _COUNT = _whole(1, 100_000), _whole(1, 10**8), _whole(0, 10**8)
_POSITIVE = _read(float, "a number above 0", lambda x: 0 < x < inf)
_DECAY = _read(float, "a number of at least 0", lambda x: 0 <= x < inf)
_SHARE = _read(float, "a number from 0 to 1", lambda x: 0 <= x <= 1)
_DROPOUT = _read(float, "at least 0 and less than 1", lambda x: 0 <= x < 1)
_SEED, _THREADS = _whole(0, 2**63 - 1), _whole(1, 1024)
_NAME = _read(
    str,
    "a name of letters, digits, '_', '.' and '-'",
    lambda name: fullmatch(r"\w[\w.-]*", name),
)
_FLAG, _FOLDER = {"action": "store_true"}, {"type": Path, "metavar": "FOLDER"}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is trained: this decides the losses.

    Two runs with equal settings on the same text have the same losses, up to rounding where the
    number of processes or the machine differs. The defaults are those of the course's own model.

    Examples
    --------
    >>> Settings(layers=2, steps=10).differences(Settings(layers=3, steps=10))
    ['--layers 2, not 3']
    """

    layers: int = _declare(4, _SIZE, "blocks")
    width: int = _declare(96, _SIZE, "width d_model of every element")
    heads: int = _declare(4, _SIZE, "heads of every block; they divide the width")
    context: int = _declare(128, _SIZE, "characters that the model sees at once")
    dropout: float = _declare(0.0, _DROPOUT, "share of features set to 0")
    steps: int = _declare(3000, _EVERY, "steps of training in all")
    batch: int = _declare(16, _SIZE, "sequences in a step, over all processes")
    lr: float = _declare(3e-3, _POSITIVE, "learning rate after the warm-up")
    warmup: int = _declare(100, _COUNT, "steps in which the learning rate grows")
    final_lr: float = _declare(0.1, _SHARE, "share of --lr left by the cosine")
    weight_decay: float = _declare(0.1, _DECAY, "of matrices and embeddings")
    clip: float = _declare(1.0, _POSITIVE, "longest gradient: others are shortened")
    seed: int = _declare(0, _SEED, "seed of parameters, batches and dropout")
    dtype: str = _declare(
        "float32",
        {"choices": ("float32", "bfloat16")},
        "of matrix products; bfloat16, mixed precision, is taken on a GPU that has it",
    )

    def __post_init__(self) -> None:
        """Refuse heads that do not divide the width."""
        if self.width % self.heads:
            raise ValueError(
                f"--width must be a multiple of --heads = {self.heads}, got {self.width}"
            )

    def config(self, n_vocab: int) -> GPTConfig:
        """Return the model's sizes."""
        return GPTConfig(
            n_vocab=n_vocab,
            n_context=self.context,
            n_layers=self.layers,
            d_model=self.width,
            n_heads=self.heads,
            dropout=self.dropout,
        )

    def differences(self, other: "Settings") -> list[str]:
        """Say what is not as in other settings."""
        theirs = asdict(other)
        return [
            f"{name_option(name)} {value}, not {theirs[name]}"
            for name, value in asdict(self).items()
            if value != theirs[name]
        ]


@dataclass(frozen=True, kw_only=True)
class Run:
    """How it is done: but for another text, nothing here is meant to change the losses."""

    out: Path = _declare(MISSING, _FOLDER, "folder of this run")
    text: str | None = _declare(None, {}, "a file in UTF-8, not the course's text")
    resume: bool = _declare(
        False, _FLAG, "go on from the last checkpoint in --out, with its settings"
    )
    resume_if_any: bool = _declare(
        False,
        _FLAG,
        "the same, but begin where there is none: for computers that come and go",
    )
    device: torch.device = _declare(
        "auto", {"type": pick_device}, "cpu, cuda …; auto is a GPU if there is one"
    )
    compile: bool | None = _declare(
        None,
        {"action": BooleanOptionalAction},
        "torch.compile, or not (otherwise on a GPU, for more than 1000 steps)",
    )
    threads: int | None = _declare(None, _THREADS, "threads of each process")
    log_every: int = _declare(10, _EVERY, "write losses every N steps")
    validate_every: int = _declare(
        100, _COUNT, "measure the validation loss every N steps, 0: never"
    )
    checkpoint_every: int = _declare(
        500, _COUNT, "save every N steps, 0: at the end only"
    )
    sample_at: tuple[int, ...] = _declare(
        (10, 100, 1000, 3000),
        {"nargs": "*", **_EVERY},
        "steps after which the model writes (default: 10 100 1000 3000)",
    )
    keep: Path | None = _declare(
        None, _FOLDER, "at the end, write the weights there for course_attn.weights"
    )
    keep_as: str = _declare("gpt", _NAME, "the name of the weights in --keep")


def name_option(name: str) -> str:
    """Return what a field is called on the command line."""
    return "--" + name.replace("_", "-")
