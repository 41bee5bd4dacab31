"""The built book in a browser: from a server and from disk, on a desktop and on a phone.

Needs Chromium; skipped without it.
"""

import functools
import re
from importlib.resources import files

import pytest
from book_sources import pages
from built_pages import HTML
from chromium import needs_chromium
from visits import CHAPTER_PAGES, DESKTOP, VIEWS, Visit, address, visit

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

OTHER = {"light": "dark", "dark": "light"}


# The last two are made by Sphinx and its extensions, without a source of ours.
PAGES = [*map(address, pages()), "search.html", "prf-prf.html"]
# What axe finds in markup that is not ours: a rule, and the elements that may break it.
NOT_OURS = [
    # docutils gives a list of references the role "list", and its entries another than "listitem".
    {"rule": "aria-required-children", "selector": ".citation-list[role=list]"},
    # The theme's arrows that unfold a chapter's subpages in the sidebar have no name.
    {
        "rule": "summary-name",
        "selector": ".bd-sidebar-primary .has-children > details > summary",
    },
]

pytestmark = [pytest.mark.usefixtures("html"), needs_chromium]
every_chapter = pytest.mark.parametrize("page", CHAPTER_PAGES)


# What is asked of a page

FLAWS = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const short = (element) => element.outerHTML.slice(0, 120);
  const root = document.documentElement;
  return [
    ...all("mjx-merror, [data-mjx-error]").map((e) => "bad formula: " + e.textContent),
    ...all(".bd-article .math").filter((e) => !e.querySelector("mjx-container"))
      .map((e) => "formula not typeset: " + short(e)),
    ...all("img").filter((e) => !e.alt.trim()).map((e) => "no alt text: " + short(e)),
    ...all("img").filter((e) => e.complete && !e.naturalWidth).map((e) => "broken: " + short(e)),
    // A phone may scroll a long formula sideways; on a desktop every formula fits its column.
    ...all("mjx-container[display=true]")
      .filter((e) => root.clientWidth > 1000 && e.scrollWidth > e.clientWidth + 1)
      .map((e) => "formula cut off: " + e.textContent.slice(0, 80)),
    ...(root.scrollWidth > root.clientWidth ? [`${root.scrollWidth} pixels wide`] : []),
  ];
}"""

# Its preload would fetch style sheets anew, by wrong addresses. Most of its time would go into the
# contrast of the thousands of spans that color code: of each kind a block keeps one.
AXE = """async (notOurs) => {
  for (const block of document.querySelectorAll(".highlight pre")) {
    const seen = new Set();
    for (const token of block.querySelectorAll("span[class]")) {
      if (seen.has(token.className)) token.replaceWith(...token.childNodes);
      seen.add(token.className);
    }
  }
  const options = {resultTypes: ["violations"], preload: false, iframes: false};
  const excused = (rule, node) => notOurs.some((entry) =>
    entry.rule === rule && document.querySelector(node.target[0])?.matches(entry.selector));
  const {violations} = await axe.run(document, options);
  return violations
    .filter((violation) => ["critical", "serious"].includes(violation.impact))
    .flatMap((violation) => violation.nodes
      .filter((node) => !excused(violation.id, node))
      .map((node) => `${violation.id}: ${node.target}: ${node.failureSummary}`));
}"""


@functools.cache
def axe_script() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("page", PAGES)
def test_the_page_from_a_server_is_sound_and_accessible(
    browser, server, page, view
):
    theme = VIEWS[view]["color_scheme"]
    with visit(browser, server, page, **VIEWS[view]) as opened:
        assert (
            opened.page.evaluate("document.documentElement.dataset.theme") == theme
        )
        assert opened.page.evaluate(FLAWS) == []
        opened.page.evaluate(axe_script())
        assert opened.page.evaluate(AXE, NOT_OURS) == []
        opened.page.emulate_media(color_scheme=OTHER[theme])
        opened.page.wait_for_function(
            "theme => document.documentElement.dataset.theme === theme",
            arg=OTHER[theme],
        )
        assert opened.page.evaluate(FLAWS) == []
    assert opened.problems == []


@pytest.mark.parametrize("page", PAGES)
def test_the_page_from_disk_is_sound(browser, page):
    with visit(browser, HTML.as_uri() + "/", page, **VIEWS["desktop"]) as opened:
        assert opened.page.evaluate(FLAWS) == []
        assert (
            page not in CHAPTER_PAGES
            or opened.page.locator("mjx-container").count() > 20
        )
    assert opened.problems == []


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_on_the_cheat_sheet_is_cut_off(browser, width):
    size = {"width": width, "height": 800}
    with visit(
        browser, HTML.as_uri() + "/", "book/cheat_sheet.html", viewport=size
    ) as opened:
        blocks = opened.page.locator(
            ".bd-article :is(pre, dd, mjx-container[display=true])"
        )
        assert blocks.count() > 200
        wide = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
        assert blocks.evaluate_all(wide) == []


# Animations


class Player:
    """An animation as a reader finds it: picture, button, slider and a sentence for each step."""

    def __init__(self, figure: "playwright.Locator") -> None:
        self.picture, self.button = (
            figure.locator("> img"),
            figure.get_by_role("button"),
        )
        self.slider, self.said = (
            figure.get_by_role("slider"),
            figure.locator(".attn-step"),
        )

    def shows(self, step: str) -> None:
        """Wait until a step is shown, given as a pattern, in all parts of the player."""
        said = re.compile(rf"^Step {step} of \d+: \w")
        playwright.expect(self.said).to_have_text(said)
        playwright.expect(self.slider).to_have_attribute("aria-valuetext", said)

    def says(self, word: str) -> None:
        """Wait until the button offers something."""
        playwright.expect(self.button).to_have_text(re.compile(word))

    def frame(self) -> str:
        return self.picture.get_attribute("src")


def players(opened: Visit) -> list[Player]:
    return [
        Player(figure) for figure in opened.page.locator(".attn-animation").all()
    ]


@every_chapter
def test_animations_play_and_pause(browser, server, page):
    with visit(browser, server, page) as opened:
        for player in players(opened):
            player.shows("1")
            first = player.frame()
            player.says("Play")
            player.button.click()
            player.says("Pause")
            player.shows("([2-9]|[1-9][0-9])")
            player.button.click()
            player.says("Play")
            paused = player.frame()
            assert paused != first
            opened.page.wait_for_timeout(1_000)
            assert player.frame() == paused
    assert opened.problems == []


@every_chapter
def test_animations_obey_the_keyboard(browser, page):
    with visit(browser, HTML.as_uri() + "/", page) as opened:
        for player in players(opened):
            first = player.frame()
            player.button.focus()
            opened.page.keyboard.press("Tab")
            playwright.expect(player.slider).to_be_focused()
            opened.page.keyboard.press("ArrowRight")
            player.shows("2")
            assert player.frame() != first
            opened.page.keyboard.press("Home")
            player.shows("1")
            assert player.frame() == first
            opened.page.keyboard.press("Shift+Tab")
            opened.page.keyboard.press("Enter")
            player.says("Pause")
            opened.page.keyboard.press("Space")
            player.says("Play")
    assert opened.problems == []


@every_chapter
def test_with_reduced_motion_animations_move_one_step_at_a_time(
    browser, server, page
):
    with visit(browser, server, page, reduced_motion="reduce") as opened:
        for player in players(opened):
            player.says("Next step")
            player.button.click()
        opened.page.wait_for_timeout(1_500)
        for player in players(opened):
            player.shows("2")


# Print


ON_PAPER = """() => {
  const seen = (e) => e.checkVisibility() && e.getBoundingClientRect().height > 0;
  const all = (selector, part = document) => [...part.querySelectorAll(selector)].filter(seen);
  return {
    around: all(".bd-sidebar-primary, .bd-sidebar-secondary, .bd-header-article, .bd-footer, "
      + ".prev-next-footer, article button, article .headerlink, article input").length,
    article: document.querySelector(".bd-article").clientWidth / document.body.clientWidth,
    figures: all(".bd-article figure:not(.attn-animation) img").length,
    frames: all(".attn-animation").map((e) => all("img", e).map((picture) => picture.src)),
    cutOff: all(".bd-article pre").filter((e) => e.scrollWidth > e.clientWidth + 1).length,
    theme: document.documentElement.dataset.theme,
  };
}"""


@every_chapter
def test_on_paper_there_is_the_article_alone(browser, page):
    with visit(
        browser,
        HTML.as_uri() + "/",
        page,
        viewport={"width": 800, "height": 900},
        color_scheme="dark",
    ) as opened:
        figures = opened.page.locator(
            ".bd-article figure:not(.attn-animation) img"
        ).count()
        animations = len(players(opened))
        opened.page.evaluate(
            """ask => addEventListener("beforeprint", () => {
          window.onPaper = eval(ask)();
        })""",
            ON_PAPER,
        )
        pdf = opened.page.pdf(format="A4")
        assert (
            opened.page.evaluate("document.documentElement.dataset.theme") == "dark"
        )
        assert opened.page.evaluate("onPaper.theme") == "light"
        opened.page.emulate_media(media="print", color_scheme="dark")
        opened.page.set_viewport_size({"width": 480, "height": 700})  # A5
        assert opened.page.evaluate(ON_PAPER)["cutOff"] == 0
        opened.page.set_viewport_size(DESKTOP)
        on_paper = opened.page.evaluate(ON_PAPER)
        assert on_paper["around"] == 0
        assert on_paper["article"] > 0.95
        assert on_paper["figures"] == figures
        assert len(on_paper["frames"]) == animations
        assert all(len(set(frames)) == 2 for frames in on_paper["frames"])
        assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > 5
        assert len(re.findall(rb"/Subtype\s*/Image\b", pdf)) >= 2 * animations
    assert opened.problems == []


# Search


@pytest.mark.parametrize("words", ["softmax", "softmax axis"])
@pytest.mark.parametrize("place", ["server", "disk"])
def test_searching_for_softmax_finds_its_chapter(browser, server, place, words):
    """From disk the browser does not let Sphinx read the pages for excerpts: links have to do."""
    home = server if place == "server" else HTML.as_uri() + "/"
    with visit(browser, home, PAGES[0], **VIEWS["desktop"]) as opened:
        opened.page.get_by_role("button", name="Search").first.click()
        opened.page.keyboard.type(words)
        opened.page.keyboard.press("Enter")
        found = opened.page.locator("#search-results li a[href*='softmax.html']")
        playwright.expect(found.first).to_be_visible()
    assert [
        problem for problem in opened.problems if problem.startswith("foreign")
    ] == []
