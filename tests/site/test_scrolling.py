"""What scrolls sideways shows it, on a bare page with the book's own style and script."""

import shutil

import pytest

from tests.site.soundness import page_errors
from tests.support.gestures import is_painted
from tools.book import BOOK

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

PICTURE = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='80'>"
    "<rect width='{width}' height='80' fill='teal'/></svg>"
)
WIDE = "x" * 200
# Each kind of box that may scroll: HTML with something wide in it, and where it scrolls.
BOXES = {
    "picture": (
        f'<div class="cell_output"><figure><img alt="A." src="{PICTURE.format(width=700)}">'
        "<figcaption>Its caption.</figcaption></figure></div>",
        ".attn-picture",
    ),
    "animation": (
        '<div class="cell_output"><div class="output text_html"><figure class="attn-animation">'
        f'<img alt="A." style="max-width: 100%" src="{PICTURE.format(width=700)}">'
        "<figcaption>Its caption.</figcaption></figure></div></div>",
        ".attn-picture",
    ),
    "output": (f'<div class="cell_output"><pre>{WIDE}</pre></div>', "pre"),
    "code": (
        f'<div class="highlight"><pre style="overflow: auto">{WIDE}</pre></div>',
        "pre",
    ),
    "table": (
        '<div class="pst-scrollable-table-container"><table><tr>'
        f"<td>{WIDE}</td></tr></table></div>",
        ".pst-scrollable-table-container",
    ),
    "formula": (
        '<div class="math"><mjx-container display="true" style="display: block">'
        f"{WIDE}</mjx-container></div>",
        "mjx-container",
    ),
    "tables to operate": (
        '<figure class="attn-live"><div class="attn-scroll" style="overflow-x: auto">'
        f"<table><tr><td>{WIDE}</td></tr></table></div></figure>",
        ".attn-scroll",
    ),
}
PAGE = """<!doctype html><html lang="en" data-theme="{theme}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Boxes</title>
<link rel="stylesheet" href="book.css"><script src="book.js" defer></script>
<style>:root {{ --pst-color-background: {paper}; --pst-color-text-base: {ink}; }}
div.math {{ display: flex; flex-direction: row-reverse; align-items: center; gap: 0.5em; }}
body {{ background: {paper}; color: {ink}; margin: 16px; }} figure {{ margin: 0; }}</style></head>
<body><main class="bd-article">{body}</main></body></html>"""
COLORS = {"light": ("#fff", "#222"), "dark": ("#14181e", "#ddd")}


@pytest.fixture
def opened(open_tab, tmp_path):
    """Open pages of boxes."""

    def open_one(body: str, width: int = 360, theme: str = "light"):
        for name in ("book.css", "book.js"):
            shutil.copy(BOOK / "_static" / name, tmp_path)
        paper, ink = COLORS[theme]
        file = tmp_path / "page.html"
        file.write_text(
            PAGE.format(theme=theme, paper=paper, ink=ink, body=body), "utf-8"
        )
        return open_tab(file.as_uri(), viewport={"width": width, "height": 700})

    return open_one


def enlarge(page) -> None:
    """Show pictures, which a phone shows whole, at a size whose text can be read."""
    is_painted(page)
    offered = page.get_by_role("button", name="Enlarge")
    while offered.count():
        offered.first.click()


def arrow(box) -> str:
    return box.evaluate("(e) => getComputedStyle(e, '::after').content.slice(0, 3)")


def fades(box) -> list[bool]:
    """Return whether the left and the right side fade."""
    names = ["--left", "--right"]
    return box.evaluate(
        "(e, names) => names.map((n) => getComputedStyle(e).getPropertyValue(n) === 'transparent')",
        names,
    )


@pytest.mark.parametrize("kind", BOXES)
def test_what_scrolls_shows_on_which_side_there_is_more(opened, kind):
    html, selector = BOXES[kind]
    page = opened(html)
    enlarge(page)
    box = page.locator(selector)
    playwright.expect(box).to_have_attribute("data-more", "right")
    assert arrow(box) == '"→"' and fades(box) == [False, True]
    assert box.evaluate("(e) => getComputedStyle(e).maskImage") != "none"
    box.evaluate("(e) => e.scrollTo(40, 0)")
    playwright.expect(box).to_have_attribute("data-more", "both")
    assert arrow(box) != '"→"' and fades(box) == [True, True]
    box.evaluate("(e) => e.scrollTo(10000, 0)")
    playwright.expect(box).to_have_attribute("data-more", "left")
    assert fades(box) == [True, False]
    # A reader who has moved it knows: the arrow does not come back.
    box.evaluate("(e) => e.scrollTo(0, 0)")
    playwright.expect(box).to_have_attribute("data-more", "right")
    assert arrow(box) != '"→"' and fades(box) == [False, True]
    assert page_errors(page) == []
    page.emulate_media(media="print")
    assert box.evaluate("(e) => getComputedStyle(e).maskImage") == "none"


@pytest.mark.parametrize("kind", BOXES)
def test_what_fits_shows_nothing_also_after_the_phone_is_turned(opened, kind):
    html, selector = BOXES[kind]
    page = opened(html.replace(WIDE, "x" * 50), width=900)
    box = page.locator(selector)
    is_painted(page)
    assert box.get_attribute("data-more") is None and arrow(box) != '"→"'
    page.set_viewport_size({"width": 200, "height": 700})
    enlarge(page)
    playwright.expect(box).to_have_attribute("data-more", "right")
    page.set_viewport_size({"width": 900, "height": 700})
    playwright.expect(box).not_to_have_attribute("data-more", "right")
    assert page_errors(page) == []


def test_a_caption_stays_while_its_picture_scrolls_and_the_picture_is_a_stop(
    opened,
):
    page = opened(BOXES["picture"][0] + BOXES["animation"][0])
    enlarge(page)
    for figure in page.locator("figure").all():
        caption = figure.locator("figcaption")
        before = caption.bounding_box()
        box = figure.locator(".attn-picture")
        assert box.get_attribute("tabindex") == "0"
        box.focus()
        page.keyboard.press("ArrowRight")
        playwright.expect(box).to_have_attribute("data-more", "both")
        assert caption.bounding_box() == before
        assert before["width"] <= 328
        # A frame around what has the focus would be cut off by the mask.
        assert box.evaluate("(e) => getComputedStyle(e).maskImage") == "none"
    page.set_viewport_size({"width": 900, "height": 700})
    playwright.expect(box).not_to_have_attribute("tabindex", "0")


def width_of(picture) -> float:
    return picture.evaluate("(e) => e.getBoundingClientRect().width")


def test_a_picture_is_whole_on_a_phone_and_enlarged_as_wide_as_its_text_needs(
    opened,
):
    page = opened(BOXES["picture"][0] + BOXES["animation"][0])
    for figure in page.locator("figure").all():
        picture, box = figure.locator("img"), figure.locator(".attn-picture")
        playwright.expect(figure.get_by_role("button")).to_have_text("Enlarge")
        assert width_of(picture) == pytest.approx(328, abs=2)
        assert box.get_attribute("data-more") is None
        figure.get_by_role("button").click()
        assert width_of(picture) == pytest.approx(544, abs=4)
        figure.get_by_role("button", name="Show whole").click()
        assert width_of(picture) == pytest.approx(328, abs=2)
    page.set_viewport_size({"width": 900, "height": 700})
    playwright.expect(page.get_by_role("button")).to_have_count(0)


def test_a_picture_whose_text_can_be_read_is_not_enlarged(opened):
    narrow = BOXES["animation"][0].replace(
        "max-width", "--natural-width: 420px; max-width"
    )
    # The other, a figure of 4 inches, says nothing of its width, but has one.
    for html, width in (
        (narrow, 326),
        (BOXES["picture"][0].replace("700", "384"), 311),
    ):
        page = opened(html)
        page.wait_for_function(
            "(width) => Math.abs(document.querySelector('img').getBoundingClientRect().width"
            " - width) < 2",
            arg=width,
        )
        is_painted(page)
        playwright.expect(page.get_by_role("button")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_arrow_can_be_seen_on_any_picture(opened, theme):
    page = opened(BOXES["picture"][0], theme=theme)
    enlarge(page)
    box = page.locator(".attn-picture")
    playwright.expect(box).to_have_attribute("data-more", "right")
    found = box.evaluate(
        """(e) => {
          const {backgroundColor, color, right, pointerEvents} = getComputedStyle(e, "::after");
          return [backgroundColor, color, right, pointerEvents];
        }"""
    )
    rgb = {"#fff": "rgb(255, 255, 255)", "#222": "rgb(34, 34, 34)"}
    rgb |= {"#14181e": "rgb(20, 24, 30)", "#ddd": "rgb(221, 221, 221)"}
    paper, ink = COLORS[theme]
    assert found == [rgb[paper], rgb[ink], "0px", "none"]


def test_what_comes_later_is_watched_too(opened):
    """Formulas are typeset and tables made while the page is there already."""
    page = opened('<div id="later"></div>')
    html, selector = BOXES["tables to operate"]
    page.evaluate(
        "(html) => { document.querySelector('#later').innerHTML = html; }", html
    )
    playwright.expect(page.locator(selector)).to_have_attribute(
        "data-more", "right"
    )


def test_a_font_that_comes_late_may_make_code_too_wide(opened):
    page = opened(
        '<div class="highlight">'
        '<pre style="overflow: auto; height: 4em; font: 10px Late, monospace">'
        f"<span></span>{'x' * 40}</pre></div>"
    )
    box = page.locator("pre")
    is_painted(page)
    assert box.get_attribute("data-more") is None
    page.evaluate(
        """(font) => {
          const late = new FontFace("Late", `url(${font})`, { sizeAdjust: "300%" });
          document.fonts.add(late);
          return late.load().then(() => null);
        }""",
        next((BOOK / "_static/fonts").glob("source-code-pro*")).as_uri(),
    )
    playwright.expect(box).to_have_attribute("data-more", "right")


def test_the_number_of_a_formula_stands_beside_it_or_beneath_it(opened):
    short, long = (
        f'<div class="math" id="equation-{n}"><span class="eqno">(1)</span>'
        '<mjx-container display="true" style="display: block">'
        f"<span>{'x' * n}</span></mjx-container></div>"
        for n in (3, 200)
    )
    page = opened(short + long)
    for formula, beneath in zip(
        page.locator("div.math").all(), (False, True), strict=True
    ):
        number = formula.locator(".eqno").bounding_box()
        text = formula.locator("mjx-container").bounding_box()
        below = number["y"] >= text["y"] + text["height"] - 1
        assert below or number["x"] >= text["x"] + text["width"]
        assert below == beneath
        assert number["x"] + number["width"] == pytest.approx(344, abs=1)
        if beneath:
            assert text["width"] == pytest.approx(328, abs=1)
