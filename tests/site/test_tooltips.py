"""Links to terms and references say what they lead to when they are pointed at."""

import re

import pytest

from tests.site.built_pages import article, page_of
from tests.site.visits import DISK, VIEWS, visit
from tools.book import BOOK, markdown, pages

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
pytestmark = pytest.mark.usefixtures("html")


def words(tag) -> str:
    """Return the text of a part of a page on one line."""
    return " ".join(tag.get_text().split())


def links_to(page: str) -> list:
    """Return the links to something on one of the book's pages, in the text of the others."""
    sources = [source for source in pages() if source.stem != page]
    found = [
        tag
        for source in sources
        for tag in article(page_of(source)).select(
            f"a.internal[href*='{page}.html#']"
        )
    ]
    written = "\n".join(map(markdown, sources))
    assert len(found) == len(re.findall(rf"\]\((?:\.\./)?{page}\.md#", written)) > 0
    return found


def test_links_to_terms_have_what_the_glossary_says_before_its_first_formula():
    page = article(page_of(BOOK / "glossary.md"))
    titles = set()
    for link in links_to("glossary"):
        term = page.find(id=link["href"].split("#")[1])
        definition = term.find_next_sibling("dd")
        formula = definition.select_one(".math")
        title = link.get("title", "")
        titles.add(title)
        assert words(definition).startswith(title)
        if not formula:
            assert title == words(definition)
        else:
            rest = words(definition).removeprefix(title).split(words(formula))[0]
            assert not re.search(r"[.?!] ", rest)
            assert title == "" or title.endswith(".")
    assert any(title.count(". ") for title in titles)


def test_links_to_references_have_the_reference():
    page = article(page_of(BOOK / "bibliography.md"))
    for link in links_to("bibliography"):
        entry = page.find(id=link["href"].split("#")[1])
        assert link["title"] == words(entry.p)


def test_the_bibliography_has_all_references():
    entries = article(page_of(BOOK / "bibliography.md")).select(".citation")
    file = (BOOK / "references.bib").read_text("utf-8")
    assert {tag["id"] for tag in entries} == set(
        re.findall(r"^@\w+\{([^,]+)", file, re.M)
    )


PAGE, TERM = (
    "book/softmax.html",
    "a.internal[href*='glossary.html#term-expected-value']",
)


def test_a_term_is_explained_to_the_keyboard_and_escape_ends_it(browser):
    with visit(browser, DISK, PAGE, **VIEWS["desktop"]) as found:
        link = found.page.locator(TERM).first
        text = link.get_attribute("title") or link.get_attribute(
            "data-bs-original-title"
        )
        link.focus()
        tip = found.page.get_by_role("tooltip")
        playwright.expect(tip).to_have_text(text)
        assert link.get_attribute("aria-describedby") == tip.get_attribute("id")
        found.page.keyboard.press("Escape")
        playwright.expect(tip).to_have_count(0)
        assert found.problems == []


def test_the_first_tap_explains_a_term_and_the_second_leads_to_it(browser):
    with visit(browser, DISK, PAGE, **VIEWS["phone"], has_touch=True) as found:
        link = found.page.locator(TERM).first
        link.tap()
        playwright.expect(found.page.get_by_role("tooltip")).to_be_visible()
        assert found.page.url.endswith(PAGE)
        link.tap()
        found.page.wait_for_url("**/glossary.html#*")
