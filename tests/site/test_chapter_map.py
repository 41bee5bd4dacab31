"""The map of the chapters on the first page shows what the chapters themselves say they need."""

import re

import numpy as np
import pytest

from tests.site.built_pages import article, page_of
from tests.site.sources import CHAPTERS, name
from tools.book import BOOK, markdown, parts, title

ORDER = [path.stem for path in CHAPTERS]
LINK = r"\[[^\]]*\]\((\w+)\.ipynb\)"

every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=name)


def opening(path) -> str:
    """Return what a chapter says before its first section."""
    return markdown(path).split("\n## ")[0]


def stated() -> set[tuple[str, str, bool]]:
    """Return what each chapter says it needs: (needed, by whom, in part only)."""
    return {
        (slug, path.stem, not sentence.startswith("You need"))
        for path in CHAPTERS
        for sentence in re.search(r"^You need.*$", opening(path), re.M)[0].split(
            ". "
        )
        for slug in re.findall(LINK, sentence)
        if slug in ORDER
    }


def rows(html) -> list:
    return article(page_of(BOOK / "index.md")).select(".chapter-map li")


@every_chapter
def test_the_chapter_states_what_it_needs_and_what_you_can_do_afterward(path):
    text = opening(path)
    outcome = text.split("**Afterward you can**")[1].split("\nYou need")[0]
    assert len(re.findall(r"^- .+[;.]$", outcome, re.M)) >= 3
    (need,) = re.findall(r"^You need .*\.$", text, re.M)
    needed = [slug for slug in re.findall(LINK, need) if slug in ORDER]
    earlier = ORDER[: ORDER.index(path.stem)]
    assert set(needed) <= set(earlier), "only an earlier chapter can be needed"
    assert needed or not earlier
    assert len(needed) == len(set(needed))


def test_the_map_lists_all_chapters_in_order(html):
    links = [row.select_one(".title a") for row in rows(html)]
    assert [link["href"] for link in links] == [f"{slug}.html" for slug in ORDER]
    assert [link.get_text() for link in links] == [*map(title, CHAPTERS)]


def test_the_cards_of_the_parts_add_up_to_the_chapters(html):
    page = article(page_of(BOOK / "index.md"))
    cards = [
        card for card in page.select(".sd-card") if card.select_one(".how-long")
    ]
    said = [card.select_one(".how-long").get_text() for card in cards]
    numbers = np.array([[*map(int, re.findall(r"\d+", text))] for text in said])
    whole = page.select_one("section > .how-long").get_text()
    minutes = [
        int(row.select_one(".needs").get_text().split()[0]) for row in rows(html)
    ]
    titles = [
        card.select_one(".sd-card-title").get_text(strip=True) for card in cards
    ]
    assert titles == [part.caption.replace("'", "’") for part in parts()]
    assert [card.select_one("a")["href"] for card in cards] == [
        f"{part.chapters[0]}.html" for part in parts()
    ]
    assert numbers[:, 1].sum() == sum(minutes)
    assert re.match(
        rf"{numbers[:, 0].sum()} chapters · .* · {numbers[:, 2].sum()} exer", whole
    )


def test_the_words_of_the_map_say_what_the_chapters_say(html):
    said = set()
    for slug, row in zip(ORDER, rows(html), strict=True):
        partly = False
        for piece in (
            piece for text in row.select(".needs p, p.needs") for piece in text
        ):
            if piece.name == "a":
                said.add((piece["href"].removesuffix(".html"), slug, partly))
                assert int(piece.get_text()) == 1 + ORDER.index(
                    piece["href"].removesuffix(".html")
                )
            else:
                partly = partly or "in part" in piece
    assert said == stated()


def test_the_arcs_of_the_map_say_what_the_chapters_say(html):
    arcs = article(page_of(BOOK / "index.md")).select(".chapter-map svg path")
    drawn = [
        (
            *(ORDER[int(c.split("-")[1]) - 1] for c in arc["class"] if "-" in c),
            "partly" in arc["class"],
        )
        for arc in arcs
    ]
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == stated()
