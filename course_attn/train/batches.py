"""What a run reads: which stretches of the text make the batch of a step."""

import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from course_attn.text import PLAIN, Characters, course_text, read_text, split

__all__ = [
    "Corpus",
    "draw_starts",
    "place_windows",
    "read_corpus",
    "take_stretches",
]

_PROMPT = "The "


class Corpus(NamedTuple):
    """A text as tokens: one part to learn from, the other to validate on."""

    path: str | None
    characters: Characters
    training: Tensor
    validation: Tensor
    sha256: str

    @property
    def prompt(self) -> str:
        """What the model continues where it shows how it writes."""
        known = self.characters.characters
        return _PROMPT if set(_PROMPT) <= set(known) else known[0]


def read_corpus(path: str | None, context: int) -> Corpus:
    """Read a text file, or take the course's text, whose vocabulary is `PLAIN`.

    Raises
    ------
    ValueError
        If there is no such file, or a part of it is shorter than context + 1 characters.
    """
    if path is not None:
        if not Path(path).is_file():
            raise ValueError(
                f"--text must be a text file, and there is none: {path}"
            )
        path = str(Path(path).resolve())
    text = course_text() if path is None else read_text(path)
    characters = PLAIN if path is None else Characters.of(text)
    parts = split(text) if len(text) >= 10 else ("", "")
    if min(map(len, parts)) < context + 1:
        raise ValueError(
            f"--text must have at least {10 * (context + 1)} characters, ten times "
            f"--context + 1, as a tenth is for validation; got {len(text)} in "
            f"{path or 'the text'}"
        )
    training, validation = (torch.from_numpy(characters.encode(p)) for p in parts)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return Corpus(path, characters, training, validation, sha256)


def draw_starts(seed: int, step: int, batch: int, n_starts: int) -> np.ndarray:
    """Draw where the sequences of a step's batch start in the text.

    They depend on nothing else: not on earlier steps, so that a run can be resumed anywhere, and
    not on how many processes there are, each of which takes its part of the same batch.

    Examples
    --------
    >>> bool((draw_starts(0, 5, 3, 100) == draw_starts(0, 5, 3, 100)).all())
    True
    """
    rng = np.random.default_rng([seed, step])
    return rng.integers(n_starts, size=batch)


def place_windows(n_tokens: int, context: int, most: int) -> np.ndarray:
    """Return where stretches start that lie side by side, at most so many, evenly spread.

    Examples
    --------
    >>> place_windows(10, 3, most=5), place_windows(100, 3, most=3)
    (array([0, 3, 6]), array([ 0, 48, 96]))
    """
    n_windows = (n_tokens - 1) // context
    chosen = np.linspace(0, n_windows - 1, min(most, n_windows)).round()
    return chosen.astype(np.int64) * context


def take_stretches(tokens: Tensor, starts: np.ndarray, context: int) -> Tensor:
    """Take context + 1 tokens from each start on: what is read, and what comes next."""
    places = starts[:, None] + np.arange(context + 1)
    return tokens[torch.from_numpy(places).to(tokens.device)]
