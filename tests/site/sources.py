"""The book's sources as these tests read them: chapters, prose, figures, the configuration."""

from pathlib import Path

import yaml

from tools import book
from tools.book import ROOT, cells

NOTEBOOKS = book.notebooks()
CHAPTERS = book.chapter_notebooks()
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))


def name(path: Path) -> str:
    """Name a file by its path below the repository's root, for the ids of parametrized tests."""
    return path.relative_to(ROOT).as_posix()


CAPTION = "**Figure.** "


def figures(path: Path) -> list[dict]:
    """Return the figure metadata of a notebook's cells, with the captions below them."""
    captions = {
        cell["id"].removesuffix("-caption"): cell["source"].removeprefix(CAPTION)
        for cell in cells(path, "markdown")
        if cell["source"].startswith(CAPTION)
    }
    found = [cell["metadata"].get("mystnb", {}) for cell in cells(path, "code")]
    return [
        entry | {"caption": captions.get(entry["figure"]["name"], "")}
        for entry in found
        if entry
    ]


def repository() -> tuple[str, str, str]:
    """Return the repository's address, its path on its host ("owner/name"), and its branch."""
    url = CONFIG["repository"]["url"].rstrip("/")
    return url, url.split("/", 3)[3], CONFIG["repository"]["branch"]
