"""The course's own trained models, as arrays of NumPy."""

import hashlib
import io
import json
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray as Array

__all__ = ["Kept", "load"]


class Kept(NamedTuple):
    """A trained model: its sizes, its arrays, its vocabulary, and how it came to be."""

    config: dict[str, Any]
    params: dict[str, Array]
    characters: str
    log: dict[str, Any]


def load(name: str = "gpt", *, folder: str | Path | None = None) -> Kept:
    """Load trained weights: those of the course, or those that you have kept in a folder.

    `config` holds the arguments of `GPTConfig`, and `params` what ``GPT.load_state_dict`` and `gpt`
    take, in float32, though only 16 bits of each number were kept. `log` has the losses of all
    steps, the validation losses by step, texts that the model wrote on the way, the command that
    made it and the machine. ``python -m course_attn.train --keep FOLDER`` writes such a folder.

    The course has two: "gpt", and "dates", an `EncoderDecoder` for
    `course_attn.chapters.encoder_decoder.dates`, whose `characters` are those of the source. Its
    `log` has losses, command and machine, and how many unseen dates it gets right;
    ``python -m course_attn.train.translator --keep FOLDER`` makes it.

    Raises
    ------
    ValueError
        If there are no weights of this name, or they are not as they were written.

    Examples
    --------
    >>> kept = load("gpt")
    >>> kept.config["n_layers"], kept.params["embedding"].shape, len(kept.characters)
    (4, (96, 96), 96)
    """
    place = (
        resources.files("course_attn") / "kept" if folder is None else Path(folder)
    )
    found = [file.name for file in place.iterdir()] if place.is_dir() else []
    if f"{name}.json" not in found:
        there = sorted(
            file.removesuffix(".json") for file in found if file.endswith(".json")
        )
        raise ValueError(
            f"name must be that of weights in {place}, which are "
            f"{', '.join(there) or 'none'}; got {name!r}"
        )
    try:
        log = json.loads((place / f"{name}.json").read_text("utf-8"))
        packed = (place / f"{name}.npz").read_bytes()
        whole = hashlib.sha256(packed).hexdigest() == log["sha256"]
        config, characters = log["config"], log["characters"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        whole = False
    if not whole:
        raise ValueError(
            f"{name}.npz and {name}.json in {place} are damaged or do not belong together: "
            "the SHA-256 of the first must stand in the second; install or write both anew"
        )
    return Kept(config, _arrays(packed, place / f"{name}.npz"), characters, log)


def _arrays(packed: bytes, file: object) -> dict[str, Array]:
    """Return the arrays of an .npz; what is anything else has the right hash all the same."""
    try:
        with np.load(io.BytesIO(packed)) as arrays:
            params = {
                name: arrays[name].astype(np.float32) for name in arrays.files
            }
    except (
        Exception
    ) as reason:  # whatever a foreign file makes NumPy and zipfile raise
        raise ValueError(
            f"{file} must hold arrays of numbers, as numpy.savez writes them; "
            "install or write it anew"
        ) from reason
    if not params:
        raise ValueError(
            f"{file} must hold the arrays of a model and is empty; install or write it anew"
        )
    return params
