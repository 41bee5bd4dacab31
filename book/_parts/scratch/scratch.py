"""Lines to try beside a chapter: what the page's own place for Python begins with."""

import json
from pathlib import Path

__all__ = ["starters"]


def starters() -> dict[str, str]:
    """Return the first lines that each chapter offers."""
    file = Path(__file__).with_name("starters.json")
    lines: dict[str, str] = json.loads(file.read_text("utf-8"))
    return lines
