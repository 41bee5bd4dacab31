"""The cards of the chapters: linked to their sections, gathered on one page, and packed for Anki.

A chapter shows its cards as the output of a cell (`course_attn/drawing/cards.py`). Here each card's
section becomes a link, ``:::{review-cards}`` shows the cards of all chapters once more, of which
`cards.js` asks those that are due, and when the book is built the same cards are written to a deck
for Anki, which a page can offer for download. Nothing is written twice: all of it is read
from what the cells showed.
"""

import hashlib
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import genanki
from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

from tools import book
from tools.reading_times import STAR

__all__ = ["ANKI", "Chapter", "anki_package", "linked", "setup"]

_LOGGER = getLogger(__name__)
_DECK = '<div class="attn-deck"'
_FROM = re.compile(r"(?<=From: )<span>(.*?)</span>")
_STARRED = re.compile(
    rf"<summary>(?=(?:(?!</details>).)*{STAR}</a></p></details>)", re.S
)
_BOOK = "course_attn"
# Where the deck for Anki lies, seen from the root of the built book.
ANKI = "_downloads/course_attn.apkg"


# Links to sections


class CardLinks(SphinxTransform):
    """Makes the section that a card comes from a link."""

    default_priority = 400

    def apply(self) -> None:
        """Link the cards of the page."""
        for deck in _decks_of(self.document):
            sections = {
                title.astext() + _star_from_around(title): title.parent["ids"][0]
                for title in self.document.findall(nodes.title)
                if isinstance(title.parent, nodes.section)
            }
            text, missing = linked(deck.astext(), sections)
            for title in missing:
                _LOGGER.warning(
                    "a card comes from a section that is not there: %r",
                    title,
                    location=self.env.docname,
                )
            deck.children[:] = [nodes.Text(text)]


def _star_from_around(title: nodes.title) -> str:
    """Return the star of a section around one that has none itself."""
    around, star = title.parent.parent, ""
    while isinstance(around, nodes.section):
        star = STAR if around[0].astext().endswith(STAR) else star
        around = around.parent
    return "" if title.astext().endswith(STAR) else star


def linked(deck: str, sections: dict[str, str]) -> tuple[str, list[str]]:
    """Return the HTML of a deck with its sections as links, and the titles that lead nowhere.

    A section that can wait keeps its star in the link; its cards have one before the question.
    """
    missing = []

    def link(found: re.Match[str]) -> str:
        title = html.unescape(found[1])
        as_printed = title + STAR if title + STAR in sections else title
        if as_printed not in sections:
            missing.append(title)
            return found[0]
        return f'<a href="#{sections[as_printed]}">{html.escape(as_printed)}</a>'

    return _STARRED.sub(f"<summary>{STAR.strip()} ", _FROM.sub(link, deck)), missing


def _decks_of(document: nodes.document) -> Iterator[nodes.raw]:
    """Yield what a document shows as decks of cards."""
    for raw in document.findall(nodes.raw):
        if raw.get("format") == "html" and _DECK in raw.astext():
            yield raw


# The page of the review


class _CardsOf(nodes.General, nodes.Element):
    """Stands where the cards of a chapter will be."""


class ReviewCards(SphinxDirective):
    """Show the cards of all chapters."""

    def run(self) -> list[nodes.Node]:
        """Leave a section for each chapter; the cards are there when all pages have been read."""
        self.env.note_dependency(str(Path(__file__)))
        self.env.note_dependency(str(book.ROOT / "_toc.yml"))
        sections = []
        for path in book.chapter_notebooks():
            self.env.note_dependency(str(path))
            section = nodes.section(ids=[path.stem], names=[path.stem])
            section += nodes.title("", book.title(path))
            section += _CardsOf(chapter=path.stem)
            sections.append(section)
        return sections


class Decks(SphinxPostTransform):
    """Puts the cards of the chapters into their places."""

    default_priority = 3

    def run(self, **kwargs: object) -> None:
        """Replace every placeholder of the page."""
        for place in list(self.document.findall(_CardsOf)):
            slug = place["chapter"]
            decks = _decks_of(self.env.get_doctree(f"book/{slug}"))
            here = [
                nodes.raw(
                    "",
                    deck.astext().replace('href="#', f'href="{slug}.html#'),
                    format="html",
                )
                for deck in decks
            ]
            if not here:
                _LOGGER.warning(
                    "book/%s.ipynb shows no cards", slug, location=place
                )
            place.replace_self(here)


def _with_formulas(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Let the page of the review load MathJax: its formulas are in the cards."""
    env.get_domain("math").data["has_equations"]["book/review"] = True
    return []


# The deck for Anki


@dataclass(frozen=True)
class Chapter:
    """A chapter's title, and the HTML of its cards."""

    slug: str
    title: str
    cards: str


# Ids that stay, so that a new edition of the book changes cards in place of adding some.
_MODEL = genanki.Model(
    1_604_512_877,
    "Attention, one weighted sum at a time",
    fields=[{"name": name} for name in ("Question", "Answer", "From")],
    templates=[
        {
            "name": "Card",
            "qfmt": "{{Question}}",
            "afmt": '{{FrontSide}}<hr id="answer">{{Answer}}<p class="from">{{From}}</p>',
        }
    ],
    css=(
        ".card { font: 20px/1.5 sans-serif; max-width: 40em; margin: 0 auto; }"
        " .from { font-size: 0.8em; opacity: 0.7; }"
    ),
)


def _id_of(slug: str) -> int:
    """Return a deck's id, which follows from its slug alone."""
    return int(hashlib.sha256(f"{_BOOK}:{slug}".encode()).hexdigest()[:8], 16)


def anki_package(title: str, chapters: Sequence[Chapter]) -> genanki.Package:
    """Return the cards of a book as a package for Anki, with a deck for each chapter.

    A card's id is made of its chapter and its name: Anki replaces the text of cards that it has,
    and keeps what it knows of when to ask them.
    """
    decks = []
    for chapter in chapters:
        deck = genanki.Deck(_id_of(chapter.slug), f"{title}::{chapter.title}")
        for card in BeautifulSoup(chapter.cards, "html.parser").select("details"):
            question, (answer, origin) = card.summary, card.find_all("p")
            section = origin.get_text().removeprefix("From: ")
            deck.add_note(
                genanki.Note(
                    _MODEL,
                    [
                        question.decode_contents(),
                        answer.decode_contents(),
                        html.escape(f"{chapter.title}, section “{section}”"),
                    ],
                    guid=genanki.guid_for(_BOOK, card["data-card"]),
                    tags=[chapter.slug],
                )
            )
        decks.append(deck)
    return genanki.Package(decks)


def _write_deck(app: Sphinx, error: Exception | None) -> None:
    """Write the deck to where the page of the review finds it."""
    if error or app.builder.format != "html":
        return
    chapters = [
        Chapter(
            path.stem,
            book.title(path),
            "".join(
                deck.astext()
                for deck in _decks_of(app.env.get_doctree(f"book/{path.stem}"))
            ),
        )
        for path in book.chapter_notebooks()
    ]
    file = Path(app.outdir, ANKI)
    file.parent.mkdir(exist_ok=True)
    anki_package(app.config.html_title, chapters).write_to_file(str(file))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive, the transforms, and what is written when the book is built."""
    app.add_node(_CardsOf)
    app.add_directive("review-cards", ReviewCards)
    app.add_transform(CardLinks)
    app.add_post_transform(Decks)
    app.connect("env-updated", _with_formulas)
    app.connect("build-finished", _write_deck)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
