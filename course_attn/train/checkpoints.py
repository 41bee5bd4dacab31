"""Checkpoints: what a run has learned so far, on disk, whole or not at all.

A checkpoint is one file, ``checkpoint-00000100.pt`` after step 100, which the first process writes
and any number of processes can go on with. There are tensors, numbers and texts in it: reading one
runs nothing that is in it.
"""

import io
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import torch

from course_attn.train.settings import TrainingError
from whywrong.files import write_whole

__all__ = ["find_latest", "load", "save"]

_NAME = re.compile(r"checkpoint-(\d{8,})\.pt")
_FORMAT = "course_attn checkpoint 2"


def save(
    folder: Path, step: int, state: dict[str, Any], *, n_kept: int = 2
) -> None:
    """Write a checkpoint, then remove all but the last ones."""
    for torn in folder.glob(".checkpoint-*"):
        torn.unlink()
    packed = io.BytesIO()
    torch.save({"format": _FORMAT, "step": step, **state}, packed)
    write_whole(folder / f"checkpoint-{step:08d}.pt", packed.getvalue())
    for old in _find_all(folder)[:-n_kept]:
        old.unlink()


def load(path: Path) -> dict[str, Any]:
    """Read a checkpoint.

    Raises
    ------
    TrainingError
        If it is damaged, or not one of ours.
    """
    try:
        with ZipFile(path) as packed:
            damaged = packed.testzip()  # PyTorch does not look at the checksums
        if damaged:
            raise ValueError(f"the checksum of {damaged} differs")
        state = torch.load(path, map_location="cpu", weights_only=True)
        kind = state["format"]
    except Exception as error:  # there is no list of what damaged bytes may raise
        raise TrainingError(
            f"{path} cannot be read as a checkpoint: it is damaged "
            f"({type(error).__name__}). {_advise(path)}"
        ) from None
    if kind != _FORMAT:
        raise TrainingError(
            f"{path} is of another kind: {_FORMAT!r} is needed, got {kind!r}. "
            f"{_advise(path)}"
        )
    return state


def find_latest(folder: Path) -> Path | None:
    """Return the last checkpoint in a folder, or None."""
    found = _find_all(folder)
    return found[-1] if found else None


def _find_all(folder: Path) -> list[Path]:
    """Return the checkpoints in a folder, the oldest first."""
    matches = [(_NAME.fullmatch(path.name), path) for path in folder.glob("*.pt")]
    return [
        path for _, path in sorted((int(m[1]), path) for m, path in matches if m)
    ]


def _advise(path: Path) -> str:
    """Say how to go on without a checkpoint."""
    others = [other for other in _find_all(path.parent) if other != path]
    remove = f"Remove or rename the file {path.name}"
    if others:
        return f"{remove} to go on from {others[-1].name}"
    return f"{remove}, and begin again: there is no earlier one"
