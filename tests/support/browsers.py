"""Browsers and the built book for tests: a plugin that asks for either only where it is used."""

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

    from course_attn.drawing.page import Widget
    from tests.site.firefox import Firefox
    from tests.support.widget_page import WidgetPage

# Helpers whose failed assertions shall be explained as in the tests.
pytest.register_assert_rewrite("tests.support.output", "tests.support.widget_page")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what looks at pages: ``-m "not site"`` leaves it out."""
    if {"html", "browser", "firefox"} & set(getattr(item, "fixturenames", ())):
        item.add_marker("site")


@pytest.fixture(scope="session")
def html(request: pytest.FixtureRequest) -> Path:
    """Return the folder of the built book.

    Where that is missing or out of date, skip; with --book-required, fail.
    """
    from tests.site.built_pages import HTML, what_is_out_of_date

    out_of_date = what_is_out_of_date()
    if out_of_date and request.config.getoption("--book-required", default=False):
        pytest.fail(
            f"run `make book` first ({HTML}):\n" + "\n".join(out_of_date),
            pytrace=False,
        )
    if out_of_date:
        first, *others = out_of_date
        more = f", and {len(others)} more" if others else ""
        pytest.skip(f"run `make book` first: {first}{more}")
    return HTML


# Not for the whole session: as long as it runs, no other test can start an event loop.
@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Give a browser without a window."""
    from tests.site.chromium import running_browser

    with running_browser() as running:
        yield running


@pytest.fixture
def open_tab(browser: "Browser") -> "Iterator[Callable[..., Page]]":
    """Open pages from disk, each in a browser of its own; find no errors in the end.

    Nothing but files may be asked for. Without an address a page is there before it is opened.
    """
    contexts, problems = [], []

    def note(request: "Request") -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            problems.append(request.url)

    def open_it(address: str = "", **view: Any) -> "Page":
        contexts.append(browser.new_context(**view))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", note)
        if address:
            page.goto(address)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture(scope="session")
def firefox() -> "Iterator[Firefox]":
    """Give a Firefox without a window."""
    from tests.site.firefox import running_firefox

    with running_firefox() as running:
        yield running


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Serve the built book; give its address."""
    from tests.site.visits import serving

    with serving() as address:
        yield address


def examples_of(
    request: pytest.FixtureRequest,
) -> "dict[str, Callable[[], Widget]]":
    """Return the EXAMPLES of the test of what needs no page, which lies beside one that does."""
    return import_module(request.module.__name__.removesuffix("_on_page")).EXAMPLES


@pytest.fixture
def opened(
    request: pytest.FixtureRequest, browser: "Browser", tmp_path: Path
) -> "Iterator[Callable[..., WidgetPage]]":
    """Open widgets by their names in EXAMPLES, or the first; find no errors and no requests."""
    from tests.support.widget_page import WidgetPage, page_of_widgets

    examples, pages = examples_of(request), []
    kind = getattr(request.module, "Opened", WidgetPage)

    def open_them(*names: str, theme: str = "light", **view: Any) -> WidgetPage:
        shown = [examples[name]() for name in names or list(examples)[:1]]
        address = page_of_widgets(tmp_path, *shown, theme=theme)
        pages.append(kind(browser.new_context(**view).new_page(), address))
        return pages[-1]

    yield open_them
    for page in pages:
        assert page.problems == [] and len(page.requests) == 1
        page.page.context.close()


@pytest.fixture
def said_in_firefox(
    request: pytest.FixtureRequest, firefox: "Firefox", tmp_path: Path
) -> "Callable[..., str]":
    """Return what the first widget of EXAMPLES says in Firefox after something was done."""
    from tests.support.widget_page import SAID, page_of_widgets

    def said(act: "Callable[[Firefox], None]" = lambda _: None) -> str:
        make = next(iter(examples_of(request).values()))
        firefox.open(page_of_widgets(tmp_path, make()))
        assert firefox.evaluate(SAID)
        act(firefox)
        assert firefox.errors() == []
        return firefox.evaluate(SAID)

    return said
