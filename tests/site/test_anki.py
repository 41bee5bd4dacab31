"""The deck for Anki: as many notes as there are cards, nothing from elsewhere, ids that stay."""

import re
import sqlite3
import zipfile

import pytest

from book._parts.cards.cards import ANKI, Chapter, anki_package, linked
from course_attn.drawing.cards import card, deck
from tests.site.built_pages import HTML, soup
from tests.site.sources import CHAPTERS, CONFIG
from tools import book


def made(*answers):
    """Return a chapter with a card for each answer."""
    cards = [
        card(
            f"card-{k}",
            "Why *this* and $a < b$?",
            answer,
            section="Sums",
            holds=[True],
        )
        for k, answer in enumerate(answers)
    ]
    shown = deck("sums", *cards)._repr_html_()
    return Chapter("sums", "All sums", linked(shown, {"Sums": "sums"})[0])


def contents(file, folder):
    """Return the notes of a package, (guid, fields, deck ids), and all that is in its database."""
    with zipfile.ZipFile(file) as packed:
        names = packed.namelist()
        packed.extract("collection.anki2", folder)
    database = sqlite3.connect(folder / "collection.anki2")
    notes = database.execute(
        "select guid, flds, did, tags from notes join cards on cards.nid = notes.id"
    ).fetchall()
    everything = "\n".join(database.iterdump())
    database.close()
    return notes, everything, names


def written(chapters, folder, name):
    file = folder / name
    anki_package("A book", chapters).write_to_file(str(file))
    return contents(file, folder)


def test_a_note_has_question_answer_and_origin(tmp_path):
    ((_, fields, _, tags),), _, names = written(
        [made("It is `x`.")], tmp_path, "a.apkg"
    )
    question, answer, origin = fields.split("\x1f")
    assert question == r"Why <em>this</em> and \(a &lt; b\)?"
    assert answer == "It is <code>x</code>."
    assert origin == "All sums, section “Sums”"
    assert tags.split() == ["sums"] and "media" in names


def test_a_newer_edition_changes_cards_and_adds_none(tmp_path):
    old, _, _ = written([made("It is one.", "It is two.")], tmp_path, "old.apkg")
    new, _, _ = written([made("It is 1.", "It is two.")], tmp_path, "new.apkg")
    assert [guid for guid, *_ in old] == [guid for guid, *_ in new]
    assert [where for *_, where, _ in old] == [where for *_, where, _ in new]
    assert [a[1] == b[1] for a, b in zip(old, new, strict=True)] == [False, True]


def test_linked__leads_to_sections_and_names_what_is_missing():
    shown = deck(
        "sums",
        card("a", "Q?", "A.", section="A & B", holds=[True]),
        card("b", "R?", "B.", section="C", holds=[True]),
    )
    text, missing = linked(shown._repr_html_(), {"A & B": "a-b", "C": "c"})
    assert 'From: <a href="#a-b">A &amp; B</a>' in text and missing == []
    assert "<summary>Q?" in text
    text, missing = linked(shown._repr_html_(), {"A & B": "a-b", "C ★": "c"})
    assert 'From: <a href="#c">C ★</a>' in text and missing == []
    # The card of a section that can wait says so before it is turned.
    assert "<summary>Q?" in text and "<summary>★ R?" in text
    text, missing = linked(shown._repr_html_(), {"D": "d"})
    assert "<a" not in text and missing == ["A & B", "C"]


# The built book


@pytest.fixture(scope="module")
def packed(html, tmp_path_factory):
    return contents(HTML / ANKI, tmp_path_factory.mktemp("anki"))


def cards_on(page):
    return [one["data-card"] for one in soup(page).select(".attn-deck .attn-card")]


def test_the_review_has_the_cards_of_all_chapters_with_links(html):
    page = soup(HTML / "book/review.html")
    by_chapter = [cards_on(HTML / f"book/{path.stem}.html") for path in CHAPTERS]
    assert cards_on(HTML / "book/review.html") == sum(by_chapter, [])
    assert all(8 <= len(cards) <= 10 for cards in by_chapter)
    titles = [heading.get_text() for heading in page.select(".bd-article h2")]
    assert [title.rstrip("#") for title in titles] == [
        book.title(p) for p in CHAPTERS
    ]
    for one in page.select(".attn-card"):
        slug, anchor = one.select_one(".attn-from a")["href"].split(".html#")
        assert one["data-card"].startswith(f"{slug}/")
        assert soup(HTML / f"book/{slug}.html").find(id=anchor)


def test_the_deck_has_every_card_once_and_needs_nothing_from_elsewhere(packed):
    notes, everything, _ = packed
    assert len(notes) == len(cards_on(HTML / "book/review.html"))
    assert len({guid for guid, *_ in notes}) == len(notes)
    assert len({where for *_, where, _ in notes}) == len(CHAPTERS)
    fields = "\n".join(text for _, text, *_ in notes)
    assert not re.search(r"https?:|src=|href=|url\(|<script", fields)
    assert "http" not in everything
    assert f"{CONFIG['title']}::{book.title(CHAPTERS[0])}" in everything


def test_the_page_offers_the_deck(html):
    link = soup(HTML / "book/review.html").select_one("a[download]")
    assert (HTML / "book" / link["href"]).resolve() == HTML / ANKI
