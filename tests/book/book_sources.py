"""The book's sources as these tests read them: the table of contents, notebooks, cells, prose."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import setup_cells
import verified_equations
import yaml

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"
NOTEBOOKS = setup_cells.notebooks()
CHAPTERS = verified_equations.chapters(ROOT)
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))


def name(path: Path) -> str:
    """Name a file by its path below the repository's root, for the ids of parametrized tests."""
    return path.relative_to(ROOT).as_posix()


def pages() -> list[Path]:
    """List the source of every page in the table of contents, in its order."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    found = [
        [ROOT / f"{file}{suffix}" for suffix in (".ipynb", ".md")]
        for file in _files(toc)
    ]
    return [notebook if notebook.exists() else text for notebook, text in found]


def _files(entry: object) -> Iterator[str]:
    """Yield what a piece of the table of contents names as root or file, at any depth."""
    if isinstance(entry, list):
        for item in entry:
            yield from _files(item)
    elif isinstance(entry, dict):
        yield from (entry[key] for key in ("root", "file") if key in entry)
        for value in entry.values():
            yield from _files(value)


def cells(path: Path, kind: str) -> list[dict]:
    """Return a notebook's cells of one kind, each with its source as one string."""
    found = [
        c
        for c in json.loads(path.read_text("utf-8"))["cells"]
        if c["cell_type"] == kind
    ]
    return [{**cell, "source": "".join(cell["source"])} for cell in found]


def markdown(path: Path) -> str:
    """Return the markdown of a page, be it a notebook or a markdown file."""
    if path.suffix == ".md":
        return path.read_text("utf-8")
    return "\n\n".join(cell["source"] for cell in cells(path, "markdown"))


def prose(text: str) -> str:
    """Return markdown without code, formulas and addresses: what a reader reads as sentences."""
    for what in (
        r"^```.*?^```",
        r"\$\$.*?\$\$",
        r"\$[^$\n]*\$",
        r"`[^`\n]*`",
        r"\]\([^)]*\)",
    ):
        text = re.sub(what, " ", text, flags=re.M | re.S)
    return text


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
