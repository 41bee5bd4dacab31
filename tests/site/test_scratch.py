"""The button for lines of one's own: at hand on a phone, and not in the way of what is read."""

from pathlib import Path

import pytest

from tests.site.bare import bare_page
from tests.support.gestures import is_painted
from tests.support.scripts import bundled, path_of

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
_FACTS = (
    'self.courseFacts = {python: true, chapters: [], starters: {softmax: "1"}};\n'
)
_BODY = '<p style="height: 4000px">Much to read</p><p id="end">The end</p>'


def pill(open_tab, tmp_path: Path, **view):
    """Open a long chapter; return its page and the button, which is there from the start."""
    folder = tmp_path / "book"
    folder.mkdir()
    bare_page(folder, {"course.js": "course"}, _BODY, vendor=False)
    script = _FACTS + bundled(path_of("scratch.js"))
    (folder / "live.js").write_text(script, "utf-8")
    address = (folder / "light.html").rename(folder / "softmax.html").as_uri()
    page = open_tab(address, **view)
    button = page.get_by_role("button", name="Try it in Python")
    playwright.expect(button).to_be_in_viewport()
    return page, button


def scroll(page, by: int) -> None:
    page.evaluate(f"scrollBy(0, {by})")
    is_painted(page)


def test_on_a_phone_it_leaves_while_one_reads_on(open_tab, tmp_path):
    page, button = pill(open_tab, tmp_path, **PHONE)
    scroll(page, 300)
    playwright.expect(button).not_to_be_in_viewport()
    scroll(page, 300)
    playwright.expect(button).not_to_be_in_viewport()
    scroll(page, -100)
    playwright.expect(button).to_be_in_viewport()
    scroll(page, 200)
    playwright.expect(button).not_to_be_in_viewport()
    # At the end it is there again, below what is read.
    scroll(page, 5000)
    playwright.expect(button).to_be_in_viewport()
    end = page.locator("#end").bounding_box()
    assert button.bounding_box()["y"] >= end["y"] + end["height"]


def test_on_a_phone_the_keyboard_finds_it_anywhere(open_tab, tmp_path):
    page, button = pill(open_tab, tmp_path, **PHONE)
    scroll(page, 300)
    playwright.expect(button).not_to_be_in_viewport()
    page.keyboard.press("Tab")
    playwright.expect(button).to_be_focused()
    playwright.expect(button).to_be_in_viewport()
    page.keyboard.press("Enter")
    drawer = page.get_by_role("region", name="Your own lines")
    playwright.expect(drawer).to_be_visible()


def test_on_a_wide_screen_it_stays(open_tab, tmp_path):
    page, button = pill(open_tab, tmp_path, viewport={"width": 1280, "height": 900})
    scroll(page, 300)
    playwright.expect(button).to_be_in_viewport()
