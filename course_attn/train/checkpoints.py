"""Checkpoints: what a run has learned so far, on disk, whole or not at all.

A checkpoint is a folder, ``checkpoint-00000100`` after step 100. It is written under another name,
flushed to the disk, and only then renamed: whenever the power fails, what bears the name is whole.
Any number of processes can read what any number wrote. There are Python's pickles in it: load only
those that you trust.
"""

import hashlib
import json
import re
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict

from course_attn.train.processes import Group
from whywrong.files import flush_folder, write_whole

__all__ = ["CheckpointError", "load", "latest", "read_facts", "save"]

_NAME = re.compile(r"checkpoint-(\d{8,})")
_FACTS = "facts.json"
_FORMAT = "course_attn checkpoint 1"


class CheckpointError(Exception):
    """A checkpoint cannot be used; the message says what to do."""


def save(
    folder: Path,
    step: int,
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    facts: dict[str, Any],
    group: Group,
    *,
    n_kept: int = 2,
) -> None:
    """Write a checkpoint, then remove all but the last ones."""
    whole = folder / f"checkpoint-{step:08d}"
    part = whole.with_suffix(".part")
    if any(group.gather(whole.exists())):
        return

    def begin() -> None:
        for left in folder.glob("checkpoint-*.part"):
            shutil.rmtree(left)
        part.mkdir(parents=True)

    def finish() -> None:
        hashes[".metadata"] = _hash(part / ".metadata")
        all_facts = {"format": _FORMAT, "step": step, **facts, "files": hashes}
        write_whole(part / _FACTS, json.dumps(all_facts, indent=1).encode())
        part.rename(whole)
        flush_folder(folder)
        for old in _checkpoints(folder)[:-n_kept]:
            shutil.rmtree(old)

    group.together(begin)
    try:
        with _dcp_errors():
            dcp.state_dict_saver.save(_state(model, optimizer), checkpoint_id=part)
        # Each process knows the hashes of what it wrote.
        mine = {path.name: _hash(path) for path in part.glob(f"__{group.rank}_*")}
        hashes = {
            n: hash for each in group.gather(mine) for n, hash in each.items()
        }
        group.together(finish)
    except OSError:
        # Where the disk is full, half a checkpoint takes room for nothing.
        shutil.rmtree(part, ignore_errors=True)
        raise


def load(
    path: Path,
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    group: Group,
) -> None:
    """Put what a checkpoint holds into a model and its optimizer.

    Raises
    ------
    CheckpointError
        If it is damaged; then nothing was changed.
    """

    def check() -> None:
        for name, known in group.share(sorted(read_facts(path)["files"].items())):
            if not (path / name).is_file():
                raise CheckpointError(f"{path / name} is missing. {_advice(path)}")
            if _hash(path / name) != known:
                raise CheckpointError(
                    f"{path / name} is not as it was written: its SHA-256 differs. "
                    f"{_advice(path)}"
                )

    group.together(check, all_ranks=True)
    state = _state(model, optimizer)
    with _dcp_errors():
        dcp.state_dict_loader.load(state, checkpoint_id=path)
    set_state_dict(
        model,
        optimizer,
        model_state_dict=state["model"],
        optim_state_dict=state["optimizer"],
    )


def latest(folder: Path) -> Path | None:
    """Return the last whole checkpoint in a folder, or None."""
    found = _checkpoints(folder)
    return found[-1] if found else None


def read_facts(path: Path) -> dict[str, Any]:
    """Read what a checkpoint says about itself: its step, its settings, its text.

    Raises
    ------
    CheckpointError
        If it is unreadable, or not one of ours.
    """
    try:
        facts = json.loads((path / _FACTS).read_text("utf-8"))
        ours = facts["format"] == _FORMAT
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(
            f"{path} cannot be read as a checkpoint: {path / _FACTS} is missing or "
            f"damaged ({type(error).__name__}). {_advice(path)}"
        ) from None
    if not ours:
        raise CheckpointError(
            f"{path} is of another kind: {_FORMAT!r} is needed, got "
            f"{facts['format']!r}. {_advice(path)}"
        )
    return facts


def _state(
    model: torch.nn.Module, optimizer: torch.optim.Optimizer
) -> dict[str, Any]:
    parts = get_state_dict(model, optimizer)
    return dict(zip(("model", "optimizer"), parts, strict=True))


def _checkpoints(folder: Path) -> list[Path]:
    """Return the whole checkpoints in a folder, the oldest first."""
    found = [
        path for path in folder.glob("checkpoint-*") if _NAME.fullmatch(path.name)
    ]
    return sorted(found, key=lambda path: int(path.name.partition("-")[2]))


def _advice(path: Path) -> str:
    """Say how to go on without a checkpoint."""
    others = [other for other in _checkpoints(path.parent) if other != path]
    remove = f"Remove or rename the folder {path.name}"
    if others:
        return f"{remove} to go on from {others[-1].name}"
    return f"{remove}, and begin again: there is no earlier one"


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _dcp_errors() -> Iterator[None]:
    """Give errors of `torch.distributed.checkpoint` in words, those of the disk as they were."""
    try:
        with warnings.catch_warnings():
            # A single process needs no process group.
            warnings.filterwarnings("ignore", message=".*single process")
            yield
    except dcp.api.CheckpointException as error:
        causes = [cause for cause, _ in error.failures.values()]
        for cause in causes:
            if isinstance(cause, OSError):
                raise cause from None
        # All that PyTorch's own writer knows of a file that could not be written.
        if "unexpected pos" in str(causes[0]) or "writing file" in str(causes[0]):
            raise OSError(
                f"the checkpoint could not be written, is the disk full? ({causes[0]})"
            ) from None
        raise CheckpointError(
            f"the checkpoint cannot be used: {causes[0]}"
        ) from None
