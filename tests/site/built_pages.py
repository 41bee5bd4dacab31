"""The built book as these tests read it.

It is taken from ``_build/html``, or from the folder that COURSE_ATTN_HTML names.
"""

import os
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from bs4 import BeautifulSoup

from tests.site.sources import name
from tools.book import BOOK, ROOT, pages

HTML = Path(
    os.environ.get("COURSE_ATTN_HTML") or ROOT / "_build" / "html"
).resolve()


def page_of(source: Path) -> Path:
    """Return the built page of a source."""
    return (HTML / source.relative_to(ROOT)).with_suffix(".html")


def what_is_out_of_date() -> list[str]:
    """Say which pages are missing or older than their source, and which style sheet differs."""
    missing = [name(source) for source in pages() if not page_of(source).exists()]
    older = [
        name(source)
        for source in pages()
        if page_of(source).exists()
        and page_of(source).stat().st_mtime < source.stat().st_mtime
    ]
    styles = BOOK / "_static" / "book.css"
    built = HTML / "_static" / "book.css"
    differs = built.exists() and built.read_bytes() != styles.read_bytes()
    return (
        [f"no page for {page}" for page in missing]
        + [f"the page is older than {page}" for page in older]
        + [f"{name(styles)} has changed"] * differs
    )


def built_pages() -> list[Path]:
    """List all built pages but those that only forward to another; ``_static`` holds no pages."""
    found = [
        path for path in sorted(HTML.rglob("*.html")) if "_static" not in path.parts
    ]
    return [path for path in found if forwards_to(path) is None]


def forwards_to(path: Path) -> str | None:
    """Return the address to which a page forwards, or None for a page of its own."""
    tag = soup(path).find("meta", attrs={"http-equiv": "Refresh"})
    return tag["content"].split("url=", 1)[1] if tag else None


@cache
def soup(path: Path) -> BeautifulSoup:
    """Parse a page, once."""
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


def article(path: Path) -> BeautifulSoup:
    """Return the part of a page that is the book's own."""
    return soup(path).select_one("article.bd-article")


def target(origin: Path, address: str) -> Path:
    """Return the file to which a relative address leads."""
    return Path(unquote(urlsplit(urljoin(origin.as_uri(), address)).path))


@cache
def anchors(path: Path) -> set[str]:
    """Return what a link can lead to within a page."""
    tags = soup(path).find_all(True)
    return {tag[key] for tag in tags for key in ("id", "name") if tag.get(key)}
