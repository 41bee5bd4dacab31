"""Visits to the built book in a browser: from a server or from disk, with what goes wrong noted."""

import functools
import http.server
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.site.built_pages import HTML, page_of
from tests.site.sources import CHAPTERS
from tests.support.gestures import is_painted

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
# A page is opened on a desktop in the light theme and on a phone in the dark one, as what axe finds
# comes with a theme or with a width.
VIEWS = {
    "desktop": {"viewport": DESKTOP, "color_scheme": "light"},
    "phone": {"viewport": PHONE, "color_scheme": "dark"},
}


def address(source: Path) -> str:
    """Return a page's address within the book."""
    return page_of(source).relative_to(HTML).as_posix()


# The address of the built book without a server.
DISK = HTML.as_uri() + "/"
CHAPTER_PAGES = [address(source) for source in CHAPTERS]
# What the theme writes to the console, and we cannot help.
NOISE = re.compile(
    # A margin note on a page without a second-level heading: the theme looks for one.
    r"Cannot read properties of null \(reading 'classList'\)"
)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line in the log for each."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[str]:
    """Serve the built book; give its address."""
    handler = functools.partial(Quiet, directory=HTML)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}/"
        running.shutdown()


@dataclass
class Visit:
    """An open page, and what went wrong in it so far."""

    page: "Page"
    home: str
    problems: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("pageerror", lambda error: self.note(f"error: {error}"))
        self.page.on(
            "console", lambda said: said.type == "error" and self.note(said.text)
        )
        self.page.on("request", lambda request: self.check(request.url))
        # What is still loading when a page is left is given up, which is no fault of the page.
        self.page.on(
            "requestfailed",
            lambda request: (
                request.failure == "net::ERR_ABORTED"
                or self.note(f"failed: {request.url}")
            ),
        )
        self.page.on(
            "response",
            lambda r: r.status >= 400 and self.note(f"{r.status}: {r.url}"),
        )

    def is_laid_out(self) -> None:
        """Wait until the page has answered to a change of its size."""
        is_painted(self.page)

    def uncover(self) -> None:
        """Ask for every result that a question covers."""
        self.page.evaluate(
            "() => document.querySelectorAll('.attn-closed > button').forEach((b) => b.click())"
        )

    def note(self, problem: str) -> None:
        if not NOISE.search(problem):
            self.problems.append(problem)

    def check(self, url: str) -> None:
        if not url.startswith((self.home, "data:", "blob:")):
            self.note(f"foreign: {url}")


@contextmanager
def visit(
    browser: "Browser",
    home: str,
    page: str,
    *,
    covered: bool = False,
    **settings: object,
) -> Iterator[Visit]:
    """Open a page as a reader does who comes for the first time, and wait for its formulas.

    What questions cover is opened, unless it shall stay `covered`.
    """
    context = browser.new_context(**settings)
    opened = Visit(context.new_page(), home)
    opened.watch()
    opened.page.goto(home + page)
    opened.page.evaluate(
        "async () => { await window.MathJax?.startup?.promise; return null; }"
    )
    if not covered:
        opened.uncover()
    yield opened
    context.close()
