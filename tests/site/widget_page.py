"""Widgets on a bare page on disk, as the output of a notebook's cell has them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_PAGE = """<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>A widget</title>
<style>body {{ background: {paper}; margin: 8px; }}</style>
<main class="bd-article"><h1 hidden>A widget</h1>{body}</main></html>"""


def page_of_widgets(folder: Path, *widgets: Any, theme: str = "light") -> str:
    """Write a page of widgets, and return its address."""
    paper = "#14181e" if theme == "dark" else "#fff"
    body = "".join(widget._repr_html_() for widget in widgets)
    file = folder / "page.html"
    file.write_text(_PAGE.format(theme=theme, paper=paper, body=body), "utf-8")
    return file.as_uri()


class WidgetPage:
    """A page of widgets as a reader finds it, with what goes wrong and what is asked for noted."""

    def __init__(
        self,
        browser: "Browser",
        folder: Path,
        *widgets: Any,
        theme: str = "light",
        **view: Any,
    ) -> None:
        self.context = browser.new_context(**view)
        self.page = self.context.new_page()
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda line: self.problems.append(line.text))
        self.page.on("request", lambda asked: self.requests.append(asked.url))
        self.page.goto(page_of_widgets(folder, *widgets, theme=theme))
        self.root = self.page.locator(".attn-live").first

    def back(self) -> None:
        self.root.get_by_role("button", name="Back to the text’s numbers").click()


def opening(
    open_one: Callable[..., WidgetPage],
) -> Iterator[Callable[..., WidgetPage]]:
    """Give a function that opens pages; find no errors and no requests in the end."""
    pages: list[WidgetPage] = []

    def opened(*names: str, **options: Any) -> WidgetPage:
        pages.append(open_one(*names, **options))
        return pages[-1]

    yield opened
    for page in pages:
        assert page.problems == [] and len(page.requests) == 1
        page.context.close()
