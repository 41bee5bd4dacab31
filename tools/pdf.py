"""The whole book as one PDF: ``python -m tools.pdf`` writes ``_build/attention.pdf``.

The pages of the built book become one page, which Chromium prints as its print styles make it, with
its tags; a link from one page of the book to another leads within the file. The bookmarks are made
here: Chromium's own repeated some titles and lost spaces at the ends of lines.
"""

import datetime
import html
import io
import json
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urljoin

import yaml
from bs4 import BeautifulSoup, Tag
from pypdf import PdfReader, PdfWriter
from pypdf.generic import Fit, IndirectObject

from course_attn import __version__
from tools import book, chromium
from tools.book import BookError
from tools.built import BUILD, built_pages, options, run
from whywrong.files import write_whole

__all__ = ["bookmarked", "main", "print_page", "whole", "write"]

NAME = "attention.pdf"
_MILLISECONDS = 600_000
_PAPER: dict[str, Any] = {
    "format": "A4",
    "scale": 0.86,
    "print_background": True,
    "tagged": True,
}
# The title stands on each page that is printed alone above a table of contents; in a book, the
# heading is enough.
_STYLE = """
@page {
  margin: 18mm 20mm 20mm; font: 9px Helvetica, Arial, sans-serif; color: #555;
  @bottom-right { content: counter(page); }
}
@page :first { @bottom-right { content: none; } }
@media print {
  .bd-main .bd-content .bd-article h1:first-of-type { display: block; margin-top: 0; }
  .front { box-sizing: border-box; height: 245mm; padding-top: 70mm; text-align: center; }
  .front { break-after: page; }
  .attn-progress { display: none; }
  .bd-article .chapter-map { padding-top: 0.6em; }
  ul.contents { list-style: none; margin: 0; padding: 0; }
  ul.contents li { margin: 0; padding: 0; break-inside: avoid; }
  ul.contents .part { margin-top: 1.2em; font-size: 0.9em; color: #555; break-after: avoid; }
  ul.contents .level1 { margin-top: 0.5em; font-weight: 600; break-after: avoid; }
  ul.contents .level2 { padding-left: 1.5em; }
}
"""
_READY = """async () => {
  await globalThis.MathJax?.startup?.promise;
  await document.fonts.ready;
  for (const picture of document.images) picture.loading = "eager";
  await Promise.all([...document.images].map((one) => one.decode()));
}"""


Bookmark = tuple[int, str, str]


def whole(pages: list[Path]) -> tuple[str, list[Bookmark]]:
    """Return built pages as one page, behind a title and a table of contents, and its bookmarks.

    A bookmark is a level, a text, and the name that it leads to.

    Parameters
    ----------
    pages : list of Path
        The pages, in their order.
    """
    config = yaml.safe_load((book.ROOT / "_config.yml").read_text("utf-8"))
    articles: dict[Path, Tag] = {}
    head: dict[str, None] = {}
    for page in pages:
        soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
        article = soup.select_one("article.bd-article")
        if article is None or article.h1 is None:
            raise BookError(f"{page} has no heading")
        articles[page] = article
        _make_absolute(soup, page)
        parts = soup.head.select("link[rel=stylesheet], script")
        head |= dict.fromkeys(map(str, parts))
    _lead_within(articles)
    opened = {part.chapters[0]: part.caption for part in book.parts()}
    style, contents, body = _STYLE, "", ""
    bookmarks: list[Bookmark] = []
    for number, (page, article) in enumerate(articles.items()):
        is_chapter = page.parent.name == "book" and page.stem in book.chapters()
        if is_chapter and page.stem in opened:
            bookmarks.append((0, opened[page.stem], article.h1["id"]))
            contents += f'<li class="part">{html.escape(opened[page.stem])}</li>'
        for heading in article.select("h1, h2"):
            level, text = int(heading.name[1]), _text(heading)
            bookmarks.append((level, text, heading["id"]))
            hidden = "" if level == 1 or is_chapter else " hidden"
            contents += (
                f'<li class="level{level}"{hidden}><a href="#{quote(heading["id"])}">'
                f"{html.escape(text)}</a></li>"
            )
        # The foot of a sheet names the page of the book that it is from.
        foot = json.dumps(_text(article.h1), ensure_ascii=False)
        style += f"@page p{number} {{ @bottom-left {{ content: {foot}; }} }}\n"
        body += f'<div style="page: p{number}">{article}</div>'
    title = html.escape(config["title"])
    text = f"""<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<title>{title}</title>
{"".join(head)}<style>{style}</style></head><body>
<main class="bd-main"><div class="bd-content"><div class="bd-article-container">
<article class="bd-article"><div class="front"><h1>{title}</h1>
<p>{html.escape(config["author"])}</p>
<p>Version {__version__}, {datetime.date.today().isoformat()}</p>
{config["html"]["extra_footer"]}<p>{html.escape(config["repository"]["url"])}</p></div>
<h2>Contents</h2><ul class="contents">{contents}</ul></article>
{body}</div></div></main></body></html>"""
    return text, bookmarks


def _text(heading: Tag) -> str:
    return heading.get_text().removesuffix("#").strip()


def _make_absolute(soup: BeautifulSoup, page: Path) -> None:
    """Let everything that a page shows or leads to be named from the root of the disk."""
    for part in soup.select("[src], [href], object[data]"):
        for key in {"src", "href", "data"} & part.attrs.keys():
            part[key] = urljoin(page.as_uri(), part[key])


def _lead_within(articles: dict[Path, Tag]) -> None:
    """Give each name once, and let links lead to it; those to files of no page become words."""
    names: dict[str, str] = {}
    for number, (page, article) in enumerate(articles.items()):
        # Chromium does not find a section that is framed: its heading takes its name.
        for heading in article.select("section[id] > :is(h1, h2, h3, h4, h5, h6)"):
            heading["id"] = heading.parent["id"]
            del heading.parent["id"]
        taken = set(names.values())
        for part in article.select("[id]"):
            name = part["id"]
            if name in taken:
                part["id"] = f"{name}-{number}"
            names[f"{unquote(page.as_uri())}#{name}"] = part["id"]
        names[unquote(page.as_uri())] = article.h1["id"]
    for article in articles.values():
        for link in article.select("a[href^='file:']"):
            address = unquote(link["href"])
            address = address if address in names else address.partition("#")[0]
            if address in names:
                link["href"] = f"#{quote(names[address])}"
            else:
                del link["href"]


def print_page(text: str, file: Path, chrome: str) -> None:
    """Print a page, given as HTML, into a file; it may ask no other host for anything."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "whole.html")
        source.write_text(text, "utf-8")
        browser = playwright.chromium.launch(
            executable_path=chrome, args=chromium.ARGUMENTS
        )
        page = browser.new_page(color_scheme="light")
        page.set_default_timeout(_MILLISECONDS)
        page.route("http*://**", lambda route: route.abort())
        page.goto(source.as_uri())
        page.evaluate(_READY)
        page.pdf(path=file, **_PAPER)


def bookmarked(file: Path, bookmarks: list[Bookmark], author: str) -> PdfWriter:
    """Return a printed page with its bookmarks, each below the last one of a higher level."""
    reader = PdfReader(file)
    writer = PdfWriter(clone_from=reader)
    parents: dict[int, IndirectObject] = {}
    for level, text, name in bookmarks:
        found = reader.named_destinations[f"/{name}"]
        parents[level] = writer.add_outline_item(
            title=text,
            page_number=reader.get_destination_page_number(found),
            parent=parents.get(level - 1),
            is_open=False,
            fit=Fit.xyz(top=found.top),
        )
    writer.add_metadata({"/Author": author})
    writer.page_mode = "/UseOutlines"
    return writer


def main(arguments: list[str]) -> int:
    given = options("pdf", __doc__, NAME).parse_args(arguments)
    output = given.output or given.build / NAME

    def work() -> str:
        write(output, given.build)
        return f"{output}: {output.stat().st_size / 1e6:.1f} MB"

    return run("pdf", work)


def write(output: Path, build: Path = BUILD, root: Path = book.ROOT) -> None:
    """Print the built book into a file, which appears when it is whole."""
    chrome = chromium.needed()
    text, bookmarks = whole(built_pages(build, root))
    config = yaml.safe_load((book.ROOT / "_config.yml").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, NAME)
        print_page(text, file, chrome)
        content = io.BytesIO()
        bookmarked(file, bookmarks, config["author"]).write(content)
    output.parent.mkdir(parents=True, exist_ok=True)
    write_whole(output, content.getvalue())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
