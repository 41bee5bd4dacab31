"""The chapters as slides: ``python -m tools.slides`` writes ``_build/slides/<slug>.html``.

The slides are made of the built book, so that formulas, references, animations, live pictures and
questions are what they are there. Starred sections and cards are left out, and so is folded code;
what it shows stays. reveal.js shows the slides, and `slides.js` breaks each section into as many as
it needs. A folder of slides asks nothing of any other place.
nbconvert makes of `softmax` one slide of 24,500 pixels, and at one slide for each heading, without
code, 7 of 22 are higher than the 700 that a slide has; it loads reveal.js and MathJax from other
hosts, too.
"""

import shutil
from collections.abc import Iterator
from html import escape
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag

from tools.book import BOOK, BookError, chapters
from tools.built import page_of
from whywrong.files import write_whole

__all__ = ["FOLDER", "chosen", "deck", "write"]

FOLDER = "slides"
_HERE = Path(__file__).parent
# What the slides take from the book's folder of files: its look, its formulas, what makes it live.
_STYLES = (
    *("theme", "pydata-sphinx-theme", "sphinx-book-theme", "pygments", "mystnb"),
    *("proof", "live", "sphinx-design", "book"),
)
_STATIC = (
    *("basic.css", "vendor/fontawesome", "logo.svg"),
    *("mathjax/tex-chtml.js", "mathjax/input/tex", "mathjax/output/chtml"),
    *("live.js", "live/model.js", "live/writing_model.js"),
    *("live/dates.js", "live/translator.js"),
)

_PAGE = """<!doctype html>
<html lang="en" data-content_root="./" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: slides</title>
<link rel="icon" href="_static/logo.svg">
{styles}
<script>
// Slides keep nothing: a question that one class has answered is new to the next.
Object.defineProperty(window, "localStorage", {{value: {{
  length: 0, key: () => null, getItem: () => null, setItem() {{}}, removeItem() {{}},
}}}});
</script>
<script>{math}</script>
<script defer src="_static/live.js"></script>
<script defer src="_static/mathjax/tex-chtml.js"></script>
<script defer src="_static/reveal/reveal.js"></script>
<script defer src="_static/slides.js"></script>
</head>
<body>
<div class="reveal"><div class="slides"></div></div>
<main class="chapter tex2jax_ignore mathjax_ignore">
{topics}
</main>
<p class="credit">{credit}</p>
</body>
</html>
"""


def chosen(slugs: list[str]) -> list[str]:
    """Return the chapters that are named, or all; a `BookError` says which are unknown."""
    known = chapters()
    if unknown := [slug for slug in slugs if slug not in known]:
        raise BookError(
            f"there is no chapter {', '.join(unknown)}; the chapters are {', '.join(known)}"
        )
    return slugs or known


def write(slugs: list[str], build: Path, folder: Path) -> Iterator[Path]:
    """Write the slides of chapters, and what they share, into a folder; yield each file."""
    static = build / "html" / "_static"
    pages = {slug: page_of(BOOK / f"{slug}.ipynb", build) for slug in slugs}
    for name in _STATIC:
        _copy(static / name, folder / "_static" / name)
    for name in ("reveal.js", "reveal.css", "LICENSE"):
        _copy(_HERE / "vendor" / name, folder / "_static" / "reveal" / name)
    for name in ("slides.js", "slides.css"):
        _copy(_HERE / name, folder / "_static" / name)
    for slug, page in pages.items():
        text, files = deck(page)
        for name in files:
            _copy(build / "html" / name, folder / name)
        path = folder / f"{slug}.html"
        write_whole(path, text)
        yield path


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copy2(source, target)


# One chapter


def deck(page: Path) -> tuple[str, list[str]]:
    """Return a chapter's slides as HTML, and the files of the book's folder that they show.

    Parameters
    ----------
    page : Path
        The chapter's page of the built book.
    """
    soup = BeautifulSoup(page.read_text("utf-8"), "html.parser")
    article = soup.select_one("article.bd-article")
    if article is None or article.section is None:
        raise BookError(f"{page} is not a page of the book")
    _leave_out(article)
    root = page.parents[1]
    sheets = [
        _seen_from(root, page, link["href"].split("?")[0])
        for link in soup.select('link[rel="stylesheet"]')
        if Path(link["href"]).name.startswith(_STYLES)
    ]
    pictures = _bring_pictures(article, root, page)
    _lead_within(article)
    styles = [*sheets, "_static/reveal/reveal.css", "_static/slides.css"]
    title = article.h1.get_text().strip()
    text = _PAGE.format(
        title=escape(title),
        styles="\n".join(
            f'<link rel="stylesheet" href="{name}">' for name in styles
        ),
        math=_math(soup),
        topics="\n".join(str(topic) for topic in _topics(soup, article.section)),
        credit=_credit(soup),
    )
    return text, [*sheets, *pictures]


def _leave_out(article: Tag) -> None:
    """Take away what slides do not show."""
    what = (
        "section.starred, .headerlink, .toctree-wrapper, details.hide.above-input,"
        " script[src]"
    )
    for part in article.select(what):
        part.decompose()
    for deck in article.select(".attn-deck"):
        deck.find_parent("section").decompose()
    for paragraph in article.select("section > p"):
        if paragraph.get_text().startswith("Reading time."):
            paragraph.decompose()
    for cell in article.select("div.cell"):
        if not cell.select_one(".cell_input, .cell_output"):
            cell.decompose()
    # The answer to a question begins on the next slide: nothing is to be covered.
    for question in article.select(".attn-predict"):
        question["data-covers"] = question["data-text"] = "0"


def _bring_pictures(article: Tag, root: Path, page: Path) -> list[str]:
    """Let pictures be found from the slides' folder, and return their files."""
    found = []
    for picture in article.select("img[src], object[data]"):
        key = "src" if picture.name == "img" else "data"
        if not picture[key].startswith("data:"):
            picture[key] = _seen_from(root, page, picture[key])
            found.append(picture[key])
    return found


def _seen_from(root: Path, page: Path, address: str) -> str:
    """Return where a file that a page names is, seen from the book's folder."""
    path = (page.parent / unquote(urlsplit(address).path)).resolve()
    return path.relative_to(root.resolve()).as_posix()


def _topics(soup: BeautifulSoup, section: Tag) -> Iterator[Tag]:
    """Yield a section without those below it, then each of those: its heading and what follows."""
    topic = soup.new_tag("section", attrs={"class": "topic"})
    parts = [part for part in section.children if isinstance(part, Tag)]
    if section.get("id"):
        topic["id"] = section["id"]
    for part in parts:
        # Theorems have sections within, which reveal.js would take for slides.
        for inner in part.select("section"):
            if part.name != "section":
                inner.name = "div"
    topic.extend(part for part in parts if part.name != "section")
    if len(topic.select(":scope > :not(span, h1, h2, h3, h4, h5, h6)")):
        yield topic
    for part in parts:
        if part.name == "section":
            yield from _topics(soup, part)


def _lead_within(article: Tag) -> None:
    """Leave links to what the slides show, and to other sites; the others become plain words."""
    names = {part["id"] for part in article.select("[id]")}
    for link in article.select("a[href]"):
        address = link["href"]
        if address.startswith(("https:", "http:")):
            link["target"], link["rel"] = "_blank", "noopener"
        elif not (address.startswith("#") and unquote(address[1:]) in names):
            link.name = "span"
            del link["href"]


def _math(soup: BeautifulSoup) -> str:
    """Return how the book sets up its formulas."""
    for script in soup.select("script:not([src])"):
        if "MathJax" in (text := script.get_text()):
            return text
    raise BookError("the page says nothing of MathJax")


def _credit(soup: BeautifulSoup) -> str:
    """Return the book's title and license, for the slide of the title."""
    book = soup.title.get_text().split(" — ")[-1].strip()
    license = soup.select_one(".extra_footer p")
    return f"{escape(book)}. {license.decode_contents() if license else ''}"
