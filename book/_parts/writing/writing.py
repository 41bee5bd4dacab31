"""The model that writes: its numbers, and what runs it, as scripts that a reader asks for."""

import base64
import json
from pathlib import Path

from course_attn.chapters.language_model import widgets
from course_attn.weights import Kept

__all__ = ["model_script", "writing_script"]


def model_script(kept: Kept) -> str:
    """Return a kept language model as a script: its numbers in 16 bits each, as they are kept."""
    halves = {name: array.astype("<f2") for name, array in kept.params.items()}
    data = b"".join(array.tobytes() for array in halves.values())
    content = {
        "config": kept.config,
        "characters": kept.characters,
        "arrays": [[name, list(array.shape)] for name, array in halves.items()],
        "data": base64.b64encode(data).decode(),
    }
    return f"self.courseModel={json.dumps(content, separators=(',', ':'))};\n"


def writing_script() -> str:
    """Return the script that runs the language model on what a reader types."""
    return Path(widgets.__path__[0], "writing_model.bundle.js").read_text("utf-8")
