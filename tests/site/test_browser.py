"""The built book in a browser: from a server and from disk, on a desktop and on a phone.

Needs Chromium; skipped without it.
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.site.chromium import PATIENCE
from tests.site.soundness import accessibility_violations, page_errors
from tests.site.visits import (
    CHAPTER_PAGES,
    DESKTOP,
    DISK,
    VIEWS,
    Visit,
    address,
    visit,
)
from tests.support.sampled import sampled
from tools.book import pages

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

# The last two are made by Sphinx and its extensions, without a source of ours.
PAGES = [*map(address, pages()), "search.html", "prf-prf.html"]
# What works from disk works from a server: one page of each kind shows it.
SERVED = [PAGES[0], CHAPTER_PAGES[3], "book/exercises/qkv.html", "search.html"]
# Axe takes a third of a page's time. These pages, of each kind one or two, always have it; the
# others have it in `make exhaustive`.
WITH_AXE = [
    PAGES[0],
    CHAPTER_PAGES[0],
    CHAPTER_PAGES[-1],
    *(
        "book/exercises/masks.html",
        "book/review.html",
        "book/for_teachers.html",
        "book/grading.html",
    ),
    *("book/follow.html", "book/glossary.html", "search.html"),
]
pytestmark = pytest.mark.usefixtures("html")
# One or two pages of each kind, and every fifth chapter, in the ordinary run.
every_page = pytest.mark.parametrize(
    "page", sampled(PAGES, {*CHAPTER_PAGES[::5], *WITH_AXE}.__contains__)
)


# A page is opened once, from disk, where a browser forbids most: on a phone in the dark theme, for
# a reader who does not want motion. The rest follows in the open page, as opening it costs most.


@every_page
def test_the_page_from_disk(browser, page):
    with visit(
        browser,
        DISK,
        page,
        covered=True,
        **VIEWS["phone"],
        reduced_motion="reduce",
    ) as opened:
        with_axe = page in WITH_AXE
        it_is_sound_in_both_themes(opened, "dark", "light", with_axe=with_axe)
        opened.uncover()
        opened.page.set_viewport_size(DESKTOP)
        opened.is_laid_out()
        it_is_sound_in_both_themes(
            opened,
            "light",
            "dark",
            with_axe=with_axe and page not in CHAPTER_PAGES,
        )
        if page in CHAPTER_PAGES:
            assert opened.page.locator("mjx-container").count() > 20
    assert opened.problems == []


# All animations have one player: a chapter with three of them always shows that it works.
@pytest.mark.parametrize(
    "page",
    sampled(CHAPTER_PAGES, "book/qkv.html".__eq__),
)
def test_animations_of_a_chapter_play_and_obey(browser, page):
    with visit(
        browser, DISK, page, **VIEWS["phone"], reduced_motion="reduce"
    ) as opened:
        with stopped_clock(opened) as clock:
            animations_move_one_step_at_a_time(opened, clock)
            opened.page.emulate_media(reduced_motion="no-preference")
            animations_obey_the_keyboard(opened)
        opened.page.set_viewport_size(DESKTOP)
        opened.is_laid_out()
        with stopped_clock(opened) as clock:
            animations_play_and_pause(opened, clock)
    assert opened.problems == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("page", [page for page in PAGES if page not in WITH_AXE])
def test_the_page_by_axe(browser, page):
    with visit(browser, DISK, page, covered=True, **VIEWS["phone"]) as opened:
        assert accessibility_violations(opened.page) == []
        opened.page.emulate_media(color_scheme="light")
        opened.page.set_viewport_size(DESKTOP)
        opened.is_laid_out()
        the_theme_is(opened, "light")
        if page not in CHAPTER_PAGES:  # these have a test of their own, below
            assert accessibility_violations(opened.page) == []


# These take a fifth of a chapter's time.
@pytest.mark.parametrize("page", sampled(CHAPTER_PAGES, CHAPTER_PAGES[0].__eq__))
def test_the_chapter_on_a_desktop_by_axe_and_on_paper(browser, page):
    with visit(browser, DISK, page, covered=True, **VIEWS["desktop"]) as opened:
        it_is_sound_in_both_themes(opened, "light", "dark")
        on_paper_there_is_the_article_alone(opened)
    assert opened.problems == []


@pytest.mark.parametrize("page", sampled(SERVED, SERVED[2].__eq__))
def test_the_page_from_a_server(browser, server, page):
    with visit(browser, server, page, **VIEWS["desktop"]) as opened:
        it_is_sound_in_both_themes(opened, "light", "dark")
    assert opened.problems == []


def it_is_sound_in_both_themes(
    opened: Visit, first: str, second: str, with_axe: bool = True
) -> None:
    """Look for errors in both; axe looks at the first, with the pointer on nothing."""
    opened.page.mouse.move(0, 0)
    opened.page.emulate_media(color_scheme=first)
    the_theme_is(opened, first)
    it_settles_without_errors(opened)
    if with_axe:
        assert accessibility_violations(opened.page) == []
    opened.page.emulate_media(color_scheme=second)
    the_theme_is(opened, second)
    it_settles_without_errors(opened)


def it_settles_without_errors(opened: Visit) -> None:
    """Look for errors; a page on a busy machine may need a moment to answer to its new size."""
    until = time.monotonic() + PATIENCE / 1000
    while errors := page_errors(opened.page):
        assert time.monotonic() < until, errors
        opened.page.wait_for_timeout(100)


def the_theme_is(opened: Visit, theme: str) -> None:
    """Wait until the page has a theme."""
    root = opened.page.locator("html")
    playwright.expect(root).to_have_attribute("data-theme", theme)


@pytest.mark.exhaustive
def test_nothing_on_the_cheat_sheet_is_cut_off(browser):
    with visit(
        browser, DISK, "book/cheat_sheet.html", **VIEWS["desktop"]
    ) as opened:
        blocks = opened.page.locator(
            ".bd-article :is(pre, dd, mjx-container[display=true])"
        )
        assert blocks.count() > 200
        wide = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent)"
        for width in (1280, 360):
            opened.page.set_viewport_size({"width": width, "height": 800})
            assert blocks.evaluate_all(wide) == [], f"{width} pixels"


# Animations


class Player:
    """An animation as a reader finds it: picture, button, slider and a sentence for each step."""

    def __init__(self, figure: "playwright.Locator") -> None:
        self.picture, self.button = (
            figure.locator("img").first,
            figure.locator(".attn-controls button"),
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


@contextmanager
def stopped_clock(opened: Visit) -> "Iterator[playwright.Clock]":
    """Let time pass in the page only while somebody waits, and then again as ever."""
    clock = opened.page.clock
    clock.install()
    clock.pause_at(opened.page.evaluate("Date.now()") / 1000 + 3600)
    yield clock
    clock.resume()


def animations_play_and_pause(opened: Visit, clock: "playwright.Clock") -> None:
    paused = {}
    for player in players(opened):
        player.slider.press("Home")
        player.shows("1")
        first = player.frame()
        player.says("Play")
        player.button.click()
        player.says("Pause")
        for _ in range(50):
            if player.frame() == first:
                clock.run_for(100)
        player.shows("2")
        player.button.click()
        player.says("Play")
        paused[player] = player.frame()
        assert paused[player] != first
    clock.run_for(5_000)
    for player, frame in paused.items():
        assert player.frame() == frame


def animations_move_one_step_at_a_time(
    opened: Visit, clock: "playwright.Clock"
) -> None:
    """With reduced motion they do."""
    found = players(opened)
    for player in found:
        player.shows("1")
        player.says("Next step")
        player.button.press("Enter")
    clock.run_for(5_000)
    for player in found:
        player.shows("2")


def animations_obey_the_keyboard(opened: Visit) -> None:
    for player in players(opened):
        player.button.focus()
        opened.page.keyboard.press("Tab")
        playwright.expect(player.slider).to_be_focused()
        opened.page.keyboard.press("Home")
        player.shows("1")
        first = player.frame()
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


# Print


ON_PAPER = """() => {
  const seen = (e) => e.checkVisibility() && e.getBoundingClientRect().height > 0;
  const all = (selector, part = document) => [...part.querySelectorAll(selector)].filter(seen);
  return {
    around: all(".bd-sidebar-primary, .bd-sidebar-secondary, .bd-header-article, .bd-footer, "
      + ".prev-next-footer, article button, article .headerlink, article input").length,
    article: document.querySelector(".bd-article").clientWidth / document.body.clientWidth,
    figures: all(".bd-article figure:not(.attn-animation) img").length,
    frames: all(".attn-animation").map((e) =>
      all("img", e).filter((picture) => picture.naturalWidth > 0).map((picture) => picture.src)),
    cutOff: all(".bd-article pre").filter((e) => e.scrollWidth > e.clientWidth + 1).length,
    theme: document.documentElement.dataset.theme,
  };
}"""


def on_paper_there_is_the_article_alone(opened: Visit) -> None:
    opened.page.emulate_media(color_scheme="dark")
    the_theme_is(opened, "dark")
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
    the_theme_is(opened, "dark")
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


# Search


@pytest.mark.parametrize("place", ["server", "disk"])
def test_searching_for_softmax_finds_its_chapter(browser, server, place):
    home = server if place == "server" else DISK
    with visit(browser, home, PAGES[0], **VIEWS["desktop"]) as opened:
        for words in ("softmax", "softmax axis"):
            opened.page.get_by_role("button", name="Search").first.click()
            opened.page.keyboard.type(words)
            opened.page.keyboard.press("Enter")
            asked = words.replace(" ", "+")
            opened.page.wait_for_url(f"**/search.html?q={asked}*")
            found = opened.page.locator(
                "#search-results li a[href*='softmax.html']"
            )
            playwright.expect(found.first).to_be_visible()
    assert opened.problems == []
