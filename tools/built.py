"""The built book, as the tools read it that make something else of its pages."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from tools.book import ROOT, BookError, pages

__all__ = ["BUILD", "built_pages", "options", "page_of", "run"]

BUILD = ROOT / "_build"


def page_of(source: Path, build: Path = BUILD, root: Path = ROOT) -> Path:
    """Return the built page of a source; a `BookError` says that there is none."""
    page = (build / "html" / source.relative_to(root)).with_suffix(".html")
    if not page.is_file():
        raise BookError(f"there is no {page}: run `make book` first")
    return page.resolve()


def built_pages(build: Path = BUILD, root: Path = ROOT) -> list[Path]:
    """Return all pages of the table of contents, in its order."""
    return [page_of(source, build, root) for source in pages(root)]


def options(name: str, about: str, output: str) -> argparse.ArgumentParser:
    """Return the options of a tool: where the book is, and where the result goes."""
    parser = argparse.ArgumentParser(
        prog=f"python -m tools.{name}", description=about
    )
    parser.add_argument(
        "--build", type=Path, default=BUILD, help="the folder of the built book"
    )
    parser.add_argument(
        "--output", type=Path, help=f"default: {output} in that folder"
    )
    return parser


def run(name: str, work: Callable[[], str]) -> int:
    """Do a tool's work and print what it says, or why it could not be done."""
    try:
        said = work()
    except (BookError, OSError) as error:
        print(f"tools.{name}: {error}", file=sys.stderr)
        return 1
    print(said)
    return 0
