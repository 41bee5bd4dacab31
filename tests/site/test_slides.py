"""The chapters as slides: what they hold, and that a browser shows all of it from a folder."""

import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from tests.site.built_pages import HTML, article, page_of
from tests.site.chromium import needs_chromium
from tests.site.sources import CHAPTERS
from tests.support.sampled import sampled
from tools import slides
from tools.book import BOOK, ROOT, BookError, chapters

SLUGS = [path.stem for path in CHAPTERS]
# One chapter with animations, live pictures, questions and theorems always; the others at night.
some_chapters = pytest.mark.parametrize("slug", sampled(SLUGS, "qkv".__eq__))

PAGE = """<html><head><title>1. Test — The book</title>
<link rel="stylesheet" href="../_static/book.css?v=1"><script>window.MathJax = {}</script></head>
<body><article class="bd-article"><section id="test"><h1>1. Test<a class="headerlink">#</a></h1>
<p>The question of this chapter.</p><p><strong>Reading time.</strong> Long.</p>
<section id="core"><h2>1.1. Core</h2><p>See <a href="#thm">a theorem</a>, <a href="#deep">more</a>,
<a href="other.html">another page</a> and <a href="https://example.org">a site</a>.</p>
<div class="cell"><details class="hide above-input"><div class="cell_input">hidden</div></details>
<div class="cell_output"><img src="../_images/a.svg"></div></div>
<div class="cell"><details class="hide above-input"><div class="cell_input">check</div></details>
</div>
<div class="proof" id="thm"><section class="theorem-content"><p>So it is.</p></section></div>
<div class="attn-predict" data-covers="1" data-text="2"></div>
<section class="starred" id="deep"><h3>1.1.1. Deep ★</h3><p>Depth.</p></section></section>
<section id="empty"><h2>1.2. Two parts</h2><section id="part"><h3>1.2.1. A part</h3><p>Last.</p>
</section></section><section id="review"><h2>1.3. Review</h2><div class="cell">
<div class="attn-deck"><p>A card.</p></div></div></section></section></article>
<div class="extra_footer"><p>Under a license.</p></div></body></html>"""


@pytest.fixture
def made(tmp_path: Path) -> tuple[BeautifulSoup, list[str]]:
    """Return the slides of a small page, and the files that they show."""
    page = tmp_path / "html" / "book" / "test.html"
    page.parent.mkdir(parents=True)
    page.write_text(PAGE, "utf-8")
    text, files = slides.deck(page)
    return BeautifulSoup(text, "html.parser"), files


def test_the_core_is_there_in_its_order_and_nothing_starred(made):
    deck, _ = made
    headings = deck.select(".chapter > .topic > :is(h1, h2, h3)")
    assert [heading.get_text() for heading in headings] == [
        "1. Test",
        "1.1. Core",
        "1.2.1. A part",
    ]
    left_out = ("Depth", "Reading time", "Review", "A card")
    assert not any(words in deck.get_text() for words in left_out)


def test_folded_code_is_left_out_and_what_it_shows_stays(made):
    deck, files = made
    assert len(deck.select(".cell")) == 1 and not deck.select(".cell_input")
    assert deck.select_one(".cell_output img")["src"] == "_images/a.svg"
    assert files == ["_static/book.css", "_images/a.svg"]


def test_links_lead_to_slides_or_to_other_sites(made):
    deck, _ = made
    links = [link["href"] for link in deck.select(".chapter a[href]")]
    assert links == ["#thm", "https://example.org"]
    assert "another page" in deck.get_text()


def test_what_is_within_a_theorem_is_not_a_slide(made):
    deck, _ = made
    assert not deck.select(".chapter section section")
    assert deck.select_one("#thm .theorem-content").get_text() == "So it is."


def test_a_question_covers_nothing(made):
    deck, _ = made
    question = deck.select_one(".attn-predict")
    assert question["data-covers"] == question["data-text"] == "0"


def test_slides_say_whose_they_are(made):
    deck, _ = made
    assert deck.select_one("body > .credit").get_text().strip() == (
        "The book. Under a license."
    )


def test_an_unknown_chapter_and_a_missing_book_are_told(tmp_path):
    with pytest.raises(
        BookError, match="there is no chapter nope; the chapters are"
    ):
        slides.chosen(["softmax", "nope"])
    assert slides.chosen([]) == chapters()
    command = [sys.executable, "-m", "tools.slides", "--build", str(tmp_path)]
    for arguments, said in (
        (["nope"], "tools.slides: there is no chapter nope"),
        (["softmax"], "softmax.html: run `make book` first"),
    ):
        ended = subprocess.run(
            [*command, *arguments], capture_output=True, text=True, cwd=ROOT
        )
        assert ended.returncode == 1
        assert said in ended.stderr and "Traceback" not in ended.stderr
    assert not list(tmp_path.iterdir())


def test_reveal_comes_with_its_license():
    vendor = Path(slides.__file__).parent / "vendor"
    assert "MIT licensed" in (vendor / "reveal.js").read_text("utf-8")[:300]
    assert "Hakim El Hattab" in (vendor / "LICENSE").read_text("utf-8")


# In a browser

ON_SLIDES = """() => {
  const found = [];
  for (let k = 0; k < Reveal.getTotalSlides(); k++) {
    Reveal.slide(k);
    const slide = Reveal.getCurrentSlide(), body = slide.querySelector(".blocks");
    const edge = slide.getBoundingClientRect();
    const inside = (e) => {
      const box = e.getBoundingClientRect();
      return box.left > edge.left - 1 && box.right < edge.right + 1 && box.bottom < edge.bottom + 1;
    };
    found.push({
      heading: slide.querySelector(".heading").textContent,
      scrolls: body.classList.contains("scrolls"),
      live: body.querySelector(".attn-live, .attn-explorer") !== null,
      listing: body.querySelector(":scope > .cell > .cell_output .highlight") !== null,
      isEmpty: body.childElementCount === 0,
      fits: body.scrollHeight <= body.clientHeight + 1 && body.scrollWidth <= body.clientWidth + 1,
      inside: inside(body) && (body.matches(".scrolls") || [...body.children].every(inside)),
      asks: body.querySelector(".attn-predict") !== null,
      last: body.lastElementChild?.querySelector(".attn-predict") !== null,
    });
  }
  Reveal.slide(0);
  return found;
}"""


class Deck:
    """Slides that are open in a browser, and what went wrong in them."""

    def __init__(self, browser, path: Path) -> None:
        self.problems = []
        self.page = browser.new_page(
            viewport={"width": 1280, "height": 720}, color_scheme="light"
        )
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("requestfailed", lambda asked: self.problems.append(asked.url))
        self.page.on("request", self.check)
        self.open(path)

    def check(self, request) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.problems.append(request.url)

    def open(self, path: Path) -> None:
        self.page.goto(path.as_uri())
        self.page.wait_for_function("window.Reveal?.isReady()")

    def current(self) -> int:
        return self.page.evaluate("Reveal.getIndices().h")

    def go_to(self, selector: str):
        """Show the slide that holds something, and return it."""
        found = self.page.locator(f".slides {selector}").first
        found.evaluate(
            "e => Reveal.slide(Reveal.getIndices(e.closest('.slides > section')).h)"
        )
        return found


@pytest.fixture(scope="module")
def folder(html: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of slides, away from the book."""
    return tmp_path_factory.mktemp("slides")


def written(folder: Path, slug: str) -> Path:
    """Return the slides of a chapter."""
    path = folder / f"{slug}.html"
    if not path.exists():
        assert list(slides.write([slug], HTML.parent, folder)) == [path]
    return path


@needs_chromium
@some_chapters
def test_all_of_the_core_is_on_slides_and_fits(browser, folder, slug):
    deck = Deck(browser, written(folder, slug))
    found = deck.page.evaluate(ON_SLIDES)
    assert [slide for slide in found if slide["isEmpty"]] == []
    assert [s for s in found if not (s["fits"] or s["scrolls"])] == []
    assert [slide for slide in found if not slide["inside"]] == []
    # What is too large for a slide: a live picture, or the listing of one long function.
    tall = [slide for slide in found if slide["scrolls"] and not slide["live"]]
    assert [slide for slide in tall if not slide["listing"]] == []
    assert len(tall) <= 1
    assert [s for s in found if s["asks"] and not s["last"]] == []
    core = article(page_of(BOOK / f"{slug}.ipynb"))
    for kind in (
        "figure > img",
        ".attn-animation",
        ".attn-live",
        ".attn-explorer",
        ".attn-predict",
        "div.math",
        ".proof",
        ".cell_output",
    ):
        expected = [
            e
            for e in core.select(kind)
            if not e.find_parent(class_="starred") and not e.select(".attn-deck")
        ]
        assert deck.page.locator(f".slides {kind}").count() == len(expected), kind
    headings = {slide["heading"] for slide in found}
    for heading in core.select("h2, h3"):
        starred = heading.find_parent(class_="starred") is not None
        text = heading.get_text().removesuffix("#")
        assert not (starred and text in headings)
    assert deck.page.locator(".slides mjx-merror").count() == 0
    assert deck.problems == []
    deck.page.close()


@needs_chromium
def test_slides_are_turned_and_tried(browser, folder):
    path = written(folder, "qkv")
    deck = Deck(browser, path)
    page = deck.page
    page.keyboard.press("ArrowRight")
    assert deck.current() == 1

    # The arrow keys move a slider that has the focus, and turn slides after it was pulled.
    slider = deck.go_to(".attn-animation input[type=range]")
    before = deck.current()
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert deck.current() == before and slider.input_value() == "1"
    slider.click()
    page.wait_for_function("document.activeElement === document.body")
    page.keyboard.press("ArrowRight")
    assert deck.current() == before + 1

    # A question is answered, and is new when the slides are opened again.
    asked = deck.go_to(".attn-predict")
    before = deck.current()
    asked.get_by_role("button", name="Skip the guess").click()
    assert "The answer:" in asked.inner_text()
    page.keyboard.press("PageDown")
    assert deck.current() == before + 1
    page.reload()
    page.wait_for_function("window.Reveal?.isReady()")
    again = page.locator(".slides .attn-predict").first
    assert "The answer:" not in again.text_content()

    # A link leads to the slide of an equation.
    link = deck.go_to("a[href^='#equation-']")
    target = link.get_attribute("href")[1:]
    link.click()
    shown = "id => Reveal.getCurrentSlide().contains(document.getElementById(id))"
    assert page.evaluate(shown, target)

    # Light and dark: paper and ink change.
    colors = """() => ["backgroundColor", "color"].map((key) =>
      getComputedStyle(key === "color" ? Reveal.getCurrentSlide() : document.body)[key])"""
    light = page.evaluate(colors)
    page.keyboard.press("d")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    dark = page.evaluate(colors)
    assert dark[0] != light[0] and dark[1] != light[1]
    page.keyboard.press("d")
    assert page.evaluate(colors) == light
    assert deck.problems == []
    page.close()


@needs_chromium
@pytest.mark.exhaustive
def test_a_model_that_writes_is_loaded_from_the_slides(browser, folder):
    deck = Deck(browser, written(folder, "language_model"))
    button = deck.go_to("[data-widget=writing_model] button")
    button.click()
    deck.page.locator("[data-widget=writing_model].attn-on").wait_for()
    assert deck.problems == []
    deck.page.close()
