"""The fonts of the book: they are there from disk; what they lack is taken from one that has it."""

import pytest

from tests.site.built_pages import HTML
from tests.site.visits import DISK, VIEWS, visit

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

# Pictures of a text, as headings have it, in the book's font and in the one that follows it.
PICTURES = """async (text) => {
  await document.fonts.load('40px "Source Serif 4"', text);
  return ['"Source Serif 4", "DejaVu Sans", serif', '"DejaVu Sans", serif'].map((family) => {
    const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
    pen.font = `600 40px ${family}`;
    pen.fillText(text, 10, 60);
    return canvas.toDataURL();
  });
}"""


def test_text_has_the_books_font_and_a_transpose_is_a_raised_t(browser):
    with visit(browser, DISK, "book/scores.html", **VIEWS["desktop"]) as opened:
        own, other = opened.page.evaluate(PICTURES, "Attention é ²")
        assert own != other
        # DejaVu Serif Bold, which would come next on many systems, draws it as an S.
        own, other = opened.page.evaluate(PICTURES, "ᵀ")
        assert own == other
        family = "(e) => getComputedStyle(e).fontFamily"
        article = opened.page.locator(".bd-article p").first
        assert article.evaluate(family).startswith('"Source Serif 4"')
        code = opened.page.locator(".bd-article pre").first
        assert code.evaluate(family).startswith('"Source Code Pro"')
    assert opened.problems == []


def test_every_icon_is_drawn_though_the_script_has_few(browser):
    with visit(browser, DISK, "book/softmax.html", **VIEWS["desktop"]) as opened:
        icons = opened.page.locator("svg.svg-inline--fa")
        icons.first.wait_for(state="attached")
        marks = "(all) => all.map((one) => one.querySelector('.missing') ? '' : one.dataset.icon)"
        shown = icons.evaluate_all(marks)
    assert all(shown) and {"magnifying-glass", "github", "moon"} <= set(shown)
    script = HTML / "_static/scripts/fontawesome.js"
    assert script.stat().st_size < 200_000  # 1.5 MB with all icons


def test_what_tab_reaches_shows_that_it_has_the_focus(browser):
    look = """() => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(document.activeElement);
      const outlined = outlineStyle !== "none" && outlineWidth !== "0px";
      return [document.activeElement.outerHTML.slice(0, 99), outlined || boxShadow !== "none"];
    }"""
    page = "book/exercises/softmax.html"
    with visit(browser, DISK, page, **VIEWS["desktop"]) as opened:
        reached = {}
        for _ in range(90):
            opened.page.keyboard.press("Tab")
            start, shows = opened.page.evaluate(look)
            reached[start] = shows
        assert all(reached.values()), [one for one in reached if not reached[one]]
        assert any("dropdown-toggle" in one for one in reached)
