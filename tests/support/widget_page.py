"""Widgets on a bare page on disk, as the output of a notebook's cell has them."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from book._parts.writing.writing import scripts_of
from tests.support.gestures import drag, swipe
from tests.support.output import html_of, number
from tests.support.scripts import bundled, path_of

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

expect = pytest.importorskip(
    "playwright.sync_api", reason="needs playwright"
).expect

# What a field for a number refuses.
BAD = ("", "abc", "1e400", "2 3", "nan", "--1", "<b>1</b>")
PHONE = {"viewport": {"width": 360, "height": 740}}

_PAGE = """<!doctype html><html lang="en" data-content_root="./" data-theme="{theme}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>A widget</title>
<style>body {{ background: {paper}; margin: 8px; }}</style>
<main class="bd-article"><h1 hidden>A widget</h1>{body}</main></html>"""


def page_of_widgets(folder: Path, *outputs: Any, theme: str = "light") -> str:
    """Write a page of widgets, and of HTML between them; return its address."""
    paper = "#14181e" if theme == "dark" else "#fff"
    body = "".join(map(html_of, outputs))
    file = folder / "page.html"
    file.write_text(_PAGE.format(theme=theme, paper=paper, body=body), "utf-8")
    return file.as_uri()


def page_of_model(
    folder: Path,
    widget: str,
    shown: Any,
    *,
    theme: str = "light",
    missing: str = "",
) -> str:
    """Write a page with a widget whose model a reader loads, and what lies beside it."""
    live = folder / "_static" / "live"
    live.mkdir(parents=True)
    texts = {f"{name}.js": text for name, text in scripts_of(widget).items()}
    for name in texts.keys() - {missing}:
        (live / name).write_text(texts[name], "utf-8")
    size = round(sum(len(text.encode()) for text in texts.values()) / 1e6, 1)
    facts = {
        "python": False,
        "modelSizes": {widget: size},
        "chapters": [],
        "starters": {},
    }
    (folder / "_static" / "live.js").write_text(
        f"self.courseFacts={json.dumps(facts)};\n{bundled(path_of('writing.js'))}",
        "utf-8",
    )
    script = '<script src="_static/live.js"></script>'
    return page_of_widgets(folder, shown, script, theme=theme)


class WidgetPage:
    """A page as a reader finds it, with what goes wrong and what is asked for noted."""

    FIGURE = ".attn-live"

    def __init__(self, page: "Page", address: str = "") -> None:
        self.page = page
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", lambda line: self.problems.append(line.text))
        self.page.on("request", lambda asked: self.requests.append(asked.url))
        self.root = self.page.locator(self.FIGURE).first
        if address:
            self.page.goto(address)

    @property
    def said(self) -> "Locator":
        return self.root.locator(".attn-said")

    def says(self, pattern: str) -> None:
        expect(self.said).to_have_text(re.compile(pattern))

    def button(self, name: str) -> "Locator":
        return self.root.get_by_role("button", name=re.compile(name))

    def back(self) -> None:
        self.button("^Back to the text’s numbers$").click()

    def slider(self, name: str) -> "Locator":
        return self.root.get_by_role("slider", name=name)

    def set(self, slider: str, value: float) -> None:
        self.slider(slider).fill(str(value))

    def field(self, label: str) -> "Locator":
        return self.root.get_by_label(label, exact=True)

    def number_in(self, label: str) -> float:
        return number(self.field(label).input_value())

    def table(self, caption: str) -> "Locator":
        """Return the table whose caption begins so."""
        begins = re.compile(f"^{re.escape(caption)}")
        found = self.page.locator("caption", has_text=begins)
        return self.root.locator(".attn-stage table").filter(has=found)

    def cells(self, caption: str) -> list[list[str]]:
        """Return the texts of a table's body."""
        rows = self.table(caption).locator("tbody tr").all()
        return [row.locator("th, td").all_inner_texts() for row in rows]

    def squares(self) -> "Locator":
        """Return the squares that can be painted."""
        return self.root.locator(".attn-mask button")

    def handle(self, name: str) -> "Locator":
        return self.root.get_by_role("slider", name=name, exact=True)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def place(self, plane: str, x, y, point) -> tuple[float, float]:
        """Return where a point of a plane lies on the screen; x and y are its ranges."""
        box = self.root.locator(f"svg[aria-label='{plane}']").bounding_box()
        right = (point[0] - x[0]) / (x[1] - x[0]) * box["width"]
        down = (y[1] - point[1]) / (y[1] - y[0]) * box["height"]
        return box["x"] + right, box["y"] + down

    def drag(self, start, end) -> None:
        drag(self.page, start, end)

    def swipe(self, start, end) -> None:
        between = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
        swipe(self.page, start, between, end)


SAID = "document.querySelector('.attn-said').textContent"
