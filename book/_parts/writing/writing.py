"""The models that a reader can load: their numbers, and what runs them, as scripts."""

import base64
import json
from pathlib import Path
from typing import NamedTuple

from course_attn import chapters
from course_attn.weights import Kept, load

__all__ = ["LOADED", "Loaded", "model_script", "scripts_of", "widget_script"]


class Loaded(NamedTuple):
    """What a widget runs: a kept model, and the script and the name that it has in the page."""

    kept: str
    script: str
    name: str


# As in writing.js.
LOADED = {
    "writing_model": Loaded("gpt", "model", "courseModel"),
    "translator": Loaded("dates", "dates", "datesModel"),
}


def scripts_of(widget: str) -> dict[str, str]:
    """Return the scripts that a widget with a model needs, in the order of their loading."""
    kept, script, name = LOADED[widget]
    return {script: model_script(load(kept), name), widget: widget_script(widget)}


def model_script(kept: Kept, name: str = "courseModel") -> str:
    """Return a kept model as a script: its numbers in 16 bits each, as they are kept."""
    halves = {entry: array.astype("<f2") for entry, array in kept.params.items()}
    data = b"".join(array.tobytes() for array in halves.values())
    content = {
        "config": kept.config,
        "characters": kept.characters,
        "arrays": [[entry, list(array.shape)] for entry, array in halves.items()],
        "data": base64.b64encode(data).decode(),
    }
    if "target_characters" in kept.log:
        content["target_characters"] = kept.log["target_characters"]
    return f"self.{name}={json.dumps(content, separators=(',', ':'))};\n"


def widget_script(widget: str) -> str:
    """Return the script that runs a model on what a reader types."""
    (path,) = Path(chapters.__path__[0]).glob(f"*/widgets/{widget}.bundle.js")
    return path.read_text("utf-8")
