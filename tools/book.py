"""The book's table of contents and its notebooks: what needs either asks here.

Sphinx's extensions, the tools and the tests do. Where one is broken, a `BookError` names the file.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

__all__ = [
    "BOOK",
    "ROOT",
    "BookError",
    "Part",
    "as_text",
    "cells",
    "chapter_notebooks",
    "chapters",
    "markdown",
    "notebooks",
    "pages",
    "parse",
    "parts",
    "read",
    "title",
]

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"


class BookError(ValueError):
    """The table of contents, or a notebook, is not what it should be."""


# The table of contents


@dataclass(frozen=True)
class Part:
    """A numbered part of the book, with the slugs of its chapters."""

    caption: str
    chapters: tuple[str, ...]


def parts(root: Path = ROOT) -> list[Part]:
    """Return the numbered parts, in their order."""
    try:
        found = [
            Part(
                part["caption"],
                tuple(_slug(entry["file"]) for entry in part["chapters"]),
            )
            for part in _contents(root)["parts"]
            if part.get("numbered")
        ]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BookError(
            f"{root / '_toc.yml'}: expected `parts`, each with a `caption` and `chapters`,"
            f" of which those of a numbered part are `file: book/<slug>`; found {error!r}"
        ) from error
    slugs = [slug for part in found for slug in part.chapters]
    if repeated := {slug for slug in slugs if slugs.count(slug) > 1}:
        raise BookError(f"{root / '_toc.yml'}: twice a chapter: {sorted(repeated)}")
    return found


def chapters(root: Path = ROOT) -> list[str]:
    """Return the slugs of the chapters, in their order."""
    return [slug for part in parts(root) for slug in part.chapters]


def chapter_notebooks(root: Path = ROOT) -> list[Path]:
    """Return the notebooks of the chapters, in their order."""
    return [root / "book" / f"{slug}.ipynb" for slug in chapters(root)]


def pages(root: Path = ROOT) -> list[Path]:
    """Return the source of every page, notebook or markdown, in the order of the contents."""
    return [_source(root, file) for file in _files(_contents(root))]


def _contents(root: Path) -> Any:
    path = root / "_toc.yml"
    try:
        return yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise BookError(f"{path}: {error}") from error


def _slug(file: str) -> str:
    folder, slug = file.split("/")
    if folder != "book":
        raise ValueError(file)
    return slug


def _files(entry: object) -> Iterator[str]:
    """Yield what a piece of the table of contents names as root or file, at any depth."""
    if isinstance(entry, list):
        for item in entry:
            yield from _files(item)
    elif isinstance(entry, dict):
        yield from (entry[key] for key in ("root", "file") if key in entry)
        for value in entry.values():
            yield from _files(value)


def _source(root: Path, file: str) -> Path:
    for suffix in (".ipynb", ".md"):
        if (path := root / f"{file}{suffix}").exists():
            return path
    raise BookError(
        f"{root / '_toc.yml'}: there is no {file}.ipynb and no {file}.md"
    )


# Notebooks


def notebooks(root: Path = ROOT) -> list[Path]:
    """Return all notebooks of the book, by name."""
    found = sorted((root / "book").rglob("*.ipynb"))
    return [path for path in found if ".ipynb_checkpoints" not in path.parts]


def read(path: Path) -> dict[str, Any]:
    """Return a notebook, the source of each cell as one string."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BookError(f"{path}: {error}") from error
    return parse(text, path)


def parse(text: str, origin: object) -> dict[str, Any]:
    """Return the notebook that a text holds, as `read` does; the origin is named in errors."""
    try:
        notebook = json.loads(text)
        return notebook | {"cells": [_whole(cell) for cell in notebook["cells"]]}
    except (KeyError, TypeError, ValueError) as error:
        raise BookError(f"{origin} is not a notebook: {error!r}") from error


def _whole(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell with its source as one string, if it has what every cell has."""
    return cell | {
        "cell_type": cell["cell_type"],
        "metadata": cell["metadata"],
        "source": "".join(cell["source"]),
    }


def as_text(notebook: dict[str, Any]) -> str:
    """Write a notebook as Jupyter does: the source of each cell as a list of lines."""
    written = [
        cell | {"source": cell["source"].splitlines(keepends=True)}
        for cell in notebook["cells"]
    ]
    return (
        json.dumps(notebook | {"cells": written}, indent=1, ensure_ascii=False)
        + "\n"
    )


def cells(path: Path, kind: str = "") -> list[dict[str, Any]]:
    """Return a notebook's cells, all or those of one kind, each source as one string."""
    return [cell for cell in read(path)["cells"] if kind in ("", cell["cell_type"])]


def markdown(path: Path) -> str:
    """Return the markdown of a page, be it a notebook or a markdown file."""
    if path.suffix == ".md":
        return path.read_text("utf-8")
    return "\n\n".join(cell["source"] for cell in cells(path, "markdown"))


def title(path: Path) -> str:
    """Return the title of a page: its first heading."""
    heading = re.search(r"^# (.+)$", markdown(path), re.M)
    if heading is None:
        raise BookError(f"{path} has no title: no line begins with `# `")
    return heading[1].strip()
