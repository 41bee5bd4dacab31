"""The whole book as one PDF: ``python -m tools.pdf`` writes ``_build/attention.pdf``.

Chromium prints every page of the built book, as its print styles make it. The pages are joined
behind a title page and a table of contents with page numbers; a link from one page of the book to
another leads within the file.
"""

import asyncio
import datetime
import html
import io
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

import yaml
from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    Fit,
    FloatObject,
    IndirectObject,
    NameObject,
    NullObject,
    TextStringObject,
)
from tqdm import tqdm

from course_attn import __version__
from tools import book, chromium
from tools.book import BookError
from tools.built import BUILD, built_pages, options, run
from whywrong.files import write_whole

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page, Route

__all__ = ["Heading", "Printed", "joined", "main", "print_pages", "write"]

NAME = "attention.pdf"
_MILLISECONDS_A_PAGE = 300_000
_SIDE = 20  # mm
_PAPER: dict[str, Any] = {
    "format": "A4",
    "scale": 0.86,
    "margin": {
        "top": "18mm",
        "bottom": "20mm",
        "left": f"{_SIDE}mm",
        "right": f"{_SIDE}mm",
    },
    "print_background": True,
    "tagged": False,  # tags do not survive the joining
}

# The title stands on each page that is printed alone above a table of contents without page
# numbers; in a book, the heading is enough.
_STYLE = """
@media print {
  #jb-print-docs-body { display: none !important; }
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
  ul.contents a { display: flex; align-items: baseline; gap: 0.5em; text-decoration: none; }
  ul.contents a i { flex: 1; border-bottom: 1px dotted #999; }
}
"""
# Chromium tells where something is if a link leads there: one does, unseen, to everything with a
# name.
_READY = """async () => {
  await globalThis.MathJax?.startup?.promise;
  await document.fonts.ready;
  const article = document.querySelector("article.bd-article");
  for (const picture of article.querySelectorAll("img")) picture.loading = "eager";
  await Promise.all([...article.querySelectorAll("img")].map((one) => one.decode()));
  // A section that is framed is not told: its heading takes its name.
  for (const heading of article.querySelectorAll("section[id] > :is(h1, h2, h3, h4, h5, h6)")) {
    const section = heading.parentElement;
    [heading.id, section.id] = [section.id, ""];
  }
  const links = document.createElement("div");
  links.hidden = true;
  for (const {id} of article.querySelectorAll("[id]:not([id=''])")) {
    const link = document.createElement("a");
    link.href = "#" + encodeURIComponent(id);
    links.append(link);
  }
  article.append(links);
  return [...article.querySelectorAll("h1, h2")].map((heading) => {
    const plain = heading.cloneNode(true);
    for (const extra of plain.querySelectorAll(".headerlink")) extra.remove();
    return {
      level: Number(heading.tagName[1]),
      text: plain.textContent.trim(),
      name: heading.id,
    };
  });
}"""


@dataclass(frozen=True)
class Heading:
    """A heading of the first or second level, and the name by which links lead to it."""

    level: int
    text: str
    name: str


@dataclass
class Printed:
    """A page of the book on paper: where it was, its PDF, and its headings."""

    page: Path
    pdf: Path
    headings: list[Heading]

    @cached_property
    def reader(self) -> PdfReader:
        """The PDF, to be read."""
        return PdfReader(self.pdf)

    @cached_property
    def places(self) -> dict[str, tuple[int, float]]:
        """On which sheet, from 0, and how far above its lower edge each name is."""
        return {
            name.removeprefix("/"): (
                self.reader.get_destination_page_number(found) or 0,
                float(found.top or 0),
            )
            for name, found in self.reader.named_destinations.items()
        }

    @property
    def n_sheets(self) -> int:
        """How many sheets of paper it takes."""
        return len(self.reader.pages)

    def place(self, name: str) -> tuple[int, float]:
        """Return where a name is; the top of the first sheet if it is nowhere."""
        top = float(self.reader.pages[0].mediabox.top)
        return self.places.get(name, (0, top))


# Printing


async def print_pages(
    pages: list[Path], folder: Path, chrome: str, tick: Callable[[], object]
) -> tuple[list[Printed], PdfReader]:
    """Print built pages, as many at a time as there are cores.

    Returned are title and contents and the pages, and as many sheets with nothing but numbers.

    Parameters
    ----------
    pages : list of Path
        The pages, in their order.
    folder : Path
        Where the PDF of each is written.
    chrome : str
        The browser.
    tick : callable
        Called after each page.
    """
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chrome, args=chromium.ARGUMENTS
        )
        free = asyncio.Semaphore(os.cpu_count() or 1)

        async def one(number: int, page: Path) -> Printed:
            async with free:
                printed = await _print_page(browser, page, folder / f"{number}.pdf")
            tick()
            return printed

        try:
            numbered = enumerate(pages, start=1)
            printed = await asyncio.gather(*(one(*item) for item in numbered))
            # The first time only to learn how many sheets title and contents take themselves.
            front = await _print_front(browser, folder / "front.pdf", printed, 0)
            pdf = folder / "numbered_front.pdf"
            front = await _print_front(browser, pdf, printed, front.n_sheets)
            printed = [front, *printed]
            n_sheets = sum(one.n_sheets for one in printed)
            return printed, await _print_numbers(browser, folder, n_sheets)
        finally:
            await browser.close()


async def _print_page(browser: "Browser", path: Path, pdf: Path) -> Printed:
    """Print one page, and note its headings."""
    async with _opened(browser, path.as_uri()) as page:
        headings = [Heading(**found) for found in await page.evaluate(_READY)]
        if not headings:
            raise BookError(f"{path} has no heading")
        await page.pdf(path=pdf, **_PAPER, **_footer(html.escape(headings[0].text)))
    return Printed(path, pdf, headings)


async def _print_front(
    browser: "Browser", pdf: Path, printed: list[Printed], before: int
) -> Printed:
    """Print title and contents of a book whose pages have so many sheets before them."""
    # A page of the book, for its styles; by another address, as links to itself would be lost.
    address = f"{printed[0].page.as_uri()}?contents"
    async with _opened(browser, address) as page:
        put = "html => { document.querySelector('article.bd-article').innerHTML = html; }"
        await page.evaluate(put, _front(printed, before))
        await page.pdf(path=pdf, **_PAPER)
    return Printed(pdf, pdf, [])


async def _print_numbers(browser: "Browser", folder: Path, n: int) -> PdfReader:
    """Print empty sheets with their numbers."""
    page = await browser.new_page()
    sheet = '<p style="break-after: page; margin: 0">&nbsp;</p>'
    await page.set_content(sheet * (n - 1) + "<p>&nbsp;</p>")
    number = '<span style="margin-left: auto" class="pageNumber"></span>'
    pdf = folder / "numbers.pdf"
    await page.pdf(path=pdf, **_PAPER, **_footer(number))
    return PdfReader(pdf)


@asynccontextmanager
async def _opened(browser: "Browser", address: str) -> "AsyncIterator[Page]":
    """Open a page of the book in the light theme; it may ask no other host for anything."""
    context = await browser.new_context(color_scheme="light")
    try:
        page = await context.new_page()
        page.set_default_timeout(_MILLISECONDS_A_PAGE)
        await page.route("**/*", _only_files)
        await page.goto(address)
        await page.add_style_tag(content=_STYLE)
        yield page
    finally:
        await context.close()


async def _only_files(route: "Route") -> None:
    is_here = route.request.url.startswith(("file:", "data:", "blob:"))
    await (route.continue_() if is_here else route.abort())


def _footer(content: str) -> dict[str, Any]:
    """Return what puts a piece of HTML at the foot of each sheet."""
    style = (
        f"display: flex; width: 100%; margin: 0 {_SIDE}mm;"
        " font: 8px Helvetica, Arial, sans-serif; color: #555"
    )
    return {
        "display_header_footer": True,
        "header_template": "<span></span>",
        "footer_template": f'<div style="{style}">{content}</div>',
    }


def _front(printed: list[Printed], before: int) -> str:
    """Return title and contents as HTML."""
    config = yaml.safe_load((book.ROOT / "_config.yml").read_text("utf-8"))
    written = datetime.date.today().isoformat()
    opened = {part.chapters[0]: part.caption for part in book.parts()}
    lines = []
    for one in printed:
        is_chapter = _is_chapter(one)
        if is_chapter and one.page.stem in opened:
            caption = html.escape(opened[one.page.stem])
            lines.append(f'<li class="part">{caption}</li>')
        for heading in one.headings if is_chapter else one.headings[:1]:
            address = html.escape(f"{one.page.as_uri()}#{quote(heading.name)}")
            number = before + one.place(heading.name)[0] + 1
            lines.append(
                f'<li class="level{heading.level}"><a href="{address}">'
                f"<span>{html.escape(heading.text)}</span><i></i>{number}</a></li>"
            )
        before += one.n_sheets
    return (
        f'<div class="front"><h1>{html.escape(config["title"])}</h1>'
        f"<p>{html.escape(config['author'])}</p>"
        f"<p>Version {__version__}, {written}</p>"
        f"{config['html']['extra_footer']}"
        f"<p>{html.escape(config['repository']['url'])}</p></div>"
        f'<h2>Contents</h2><ul class="contents">{"".join(lines)}</ul>'
    )


def _is_chapter(printed: Printed) -> bool:
    return (
        printed.page.parent.name == "book" and printed.page.stem in book.chapters()
    )


# Joining

Place = tuple[int, float]


def joined(
    printed: list[Printed], numbers: PdfReader, title: str, author: str
) -> PdfWriter:
    """Join printed pages to one file, with page numbers, an outline, and links that lead within it.

    Parameters
    ----------
    printed : list of Printed
        What `print_pages` returned: title and contents, then the pages of the book.
    numbers : PdfReader
        As many sheets, with nothing but their numbers.
    title, author : str
        What the file says of itself.
    """
    writer = PdfWriter()
    starts: dict[Path, int] = {}
    for one in printed:
        starts[one.page] = len(writer.pages)
        for sheet in one.reader.pages:
            writer.add_page(sheet)
    by_page = {one.page: one for one in printed}

    def place(page: Path, name: str) -> Place | None:
        if page not in by_page:
            return None
        sheet, top = by_page[page].place(name)
        return starts[page] + sheet, top

    for one in printed:
        for number in range(starts[one.page], starts[one.page] + one.n_sheets):
            _lead_within(writer, writer.pages[number], one.page, place)
    # All but the title have their number at the foot.
    for sheet, number in zip(writer.pages[1:], numbers.pages[1:], strict=True):
        sheet.merge_page(number)
        sheet.compress_content_streams()
    _add_outline(writer, printed, place)
    writer.add_metadata({"/Title": title, "/Author": author})
    writer.page_mode = "/UseOutlines"
    writer.root_object[NameObject("/Lang")] = TextStringObject("en")
    writer.create_viewer_preferences().display_doctitle = True
    writer.compress_identical_objects()
    return writer


def _lead_within(
    writer: PdfWriter,
    sheet: PageObject,
    page: Path,
    place: Callable[[Path, str], Place | None],
) -> None:
    """Let the links of a sheet lead to sheets; those to files that the book is not made of go."""
    kept = ArrayObject()
    for reference in sheet.get("/Annots", ()):
        link = reference.get_object()
        found: Place | None
        if "/Dest" in link:
            found = place(page, str(link["/Dest"]).removeprefix("/"))
        else:
            address = urlsplit(str(link["/A"].get_object().get("/URI", "")))
            if address.scheme != "file":
                kept.append(reference)
                continue
            found = place(Path(unquote(address.path)), unquote(address.fragment))
        if found is not None:
            for key in {"/A", "/Dest"} & set(link):
                del link[key]
            link[NameObject("/Dest")] = _destination(writer, *found)
            kept.append(reference)
    if "/Annots" in sheet:
        sheet[NameObject("/Annots")] = kept


def _destination(writer: PdfWriter, number: int, top: float) -> ArrayObject:
    return ArrayObject(
        [
            writer.pages[number].indirect_reference,
            *(NameObject("/XYZ"), NullObject(), FloatObject(top), NullObject()),
        ]
    )


def _add_outline(
    writer: PdfWriter, printed: list[Printed], place: Callable[[Path, str], Place]
) -> None:
    """List the book's pages and their sections beside the file, under the parts of the book."""
    opened = {part.chapters[0]: part.caption for part in book.parts()}
    part = None
    for one in printed[1:]:
        is_chapter = _is_chapter(one)
        if is_chapter and one.page.stem in opened:
            caption = opened[one.page.stem]
            number = place(one.page, "")[0]
            part = writer.add_outline_item(title=caption, page_number=number)
        title, *sections = one.headings
        item = _add_item(writer, title, place(one.page, title.name), part)
        for section in sections:
            _add_item(writer, section, place(one.page, section.name), item)


def _add_item(
    writer: PdfWriter, heading: Heading, at: Place, parent: object | None
) -> IndirectObject:
    number, top = at
    return writer.add_outline_item(
        title=heading.text,
        page_number=number,
        parent=parent,
        is_open=False,
        fit=Fit.xyz(left=None, top=top),
    )


# The command


def main(arguments: list[str]) -> int:
    given = options("pdf", __doc__, NAME).parse_args(arguments)
    output = given.output or given.build / NAME

    def work() -> str:
        n_sheets = write(output, given.build)
        return f"{output}: {n_sheets} pages, {output.stat().st_size / 1e6:.1f} MB"

    return run("pdf", work)


def write(output: Path, build: Path = BUILD, root: Path = book.ROOT) -> int:
    """Print the built book into a file, which appears when it is whole; return its pages."""
    chrome = chromium.needed()
    pages = built_pages(build, root)
    config = yaml.safe_load((book.ROOT / "_config.yml").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        with tqdm(total=len(pages), unit="page", disable=None) as bar:
            printed, numbers = asyncio.run(
                print_pages(pages, Path(folder), chrome, bar.update)
            )
        whole = joined(printed, numbers, config["title"], config["author"])
        content = io.BytesIO()
        whole.write(content)
    output.parent.mkdir(parents=True, exist_ok=True)
    write_whole(output, content.getvalue())
    return len(whole.pages)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
