"""The built book, as the tools read it that make something else of its pages."""

from pathlib import Path

from tools.book import ROOT, BookError, pages

__all__ = ["BUILD", "built_pages", "page_of"]

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
