"""The editor for Python, from disk: CodeMirror, and a text area where that does not load."""

import gzip
import json
import re

import pytest

from tests.site.bare import PARTS, bare_page
from tests.support.sampled import every
from tools.book import ROOT

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

AROUND = '<button>Before</button><div id="place"></div><button>After</button>'
OPEN = """({text, readOnly}) => {
  globalThis.changes = []; globalThis.runs = 0; globalThis.stray = [];
  document.addEventListener("keydown", (event) => stray.push(event.key));
  globalThis.editor = openEditor(document.querySelector("#place"), {
    text, readOnly, label: "Your softmax",
    onChange: (text) => changes.push(text), onRun: () => ++runs,
  });
}"""
CODE = '''import numpy as np


@np.vectorize
def softmax(z, axis=-1):
    """Return the softmax."""
    if z is None:  # nothing
        raise ValueError(f"wrong: {z!r}")
    return np.exp(z) / np.exp(z).sum()
'''


class Opened:
    """An editor in a bare page."""

    def __init__(self, page: "playwright.Page") -> None:
        self.page = page
        self.box = page.get_by_role("textbox", name="Your softmax")
        self.keys = page.keyboard

    @property
    def text(self) -> str:
        return self.page.evaluate("editor.text()")

    def set(self, text: str) -> None:
        self.page.evaluate("(text) => editor.setText(text)", text)

    def at_end(self) -> None:
        self.box.focus()
        self.keys.press("Control+End")


@pytest.fixture
def opened(open_tab, tmp_path):
    """Open an editor."""

    def open_one(
        text="", *, vendor=True, read_only=False, theme="light", hold=None, **view
    ):
        address = bare_page(
            tmp_path,
            {"editor.js": "openEditor"},
            AROUND,
            theme=theme,
            vendor=vendor,
        )
        page = open_tab(**view)
        if hold:
            page.route("**/codemirror.js", hold)
        page.goto(address)
        page.evaluate(OPEN, {"text": text, "readOnly": read_only})
        assert hold or page.evaluate("editor.ready") == vendor
        return Opened(page)

    return open_one


both = pytest.mark.parametrize(
    "vendor", [True, False], ids=["codemirror", "textarea"]
)


@both
def test_editor_indents_as_python_wants(opened, vendor):
    editor = opened("def f(x):", vendor=vendor)
    editor.at_end()
    editor.keys.press("Enter")
    editor.keys.type("if x:")
    editor.keys.press("Enter")
    editor.keys.type("return 1")
    assert editor.text == "def f(x):\n    if x:\n        return 1"
    editor.keys.press("Enter")
    editor.keys.press("Shift+Tab")
    editor.keys.type("y =")
    editor.keys.press("Tab")
    editor.keys.type("2")
    # To the next stop of four, as a tab would.
    assert editor.text.endswith("return 1\n    y = 2")


def test_editor_moves_all_selected_lines(opened):
    editor = opened("a\nb\n")
    editor.box.focus()
    editor.keys.press("Control+a")
    editor.keys.press("Tab")
    assert editor.text == "    a\n    b\n"
    editor.keys.press("Shift+Tab")
    assert editor.text == "a\nb\n"


@both
def test_editor_tells_of_changes_by_the_reader_only(opened, vendor):
    editor = opened("a", vendor=vendor)
    editor.at_end()
    editor.keys.type("bc")
    assert editor.page.evaluate("changes") == ["ab", "abc"]
    editor.set("new")
    assert editor.text == "new"
    assert editor.page.evaluate("changes") == ["ab", "abc"]


def test_editor_undoes_a_reset(opened):
    editor = opened("stub")
    editor.at_end()
    editor.keys.type(" and my answer")
    editor.set("stub")
    editor.box.focus()
    editor.keys.press("Control+z")
    assert editor.text == "stub and my answer"
    assert editor.page.evaluate("changes.at(-1)") == "stub and my answer"
    editor.keys.press("Control+y")
    assert editor.text == "stub"


@both
@pytest.mark.parametrize("key", ["Control+Enter", "Meta+Enter", "Shift+Enter"])
def test_editor_runs_and_changes_nothing(opened, vendor, key):
    editor = opened("a = 1", vendor=vendor)
    editor.at_end()
    editor.keys.press(key)
    assert editor.page.evaluate("runs") == 1
    assert editor.text == "a = 1"


@both
def test_editor_can_be_left_by_keyboard(opened, vendor):
    editor = opened("a", vendor=vendor)
    editor.page.clock.install()
    editor.page.get_by_text("Before").focus()
    editor.keys.press("Tab")
    playwright.expect(editor.box).to_be_focused()
    hint = editor.page.locator(".live-editor-hint")
    playwright.expect(hint).to_be_visible()
    playwright.expect(editor.box).to_have_accessible_description(
        "Ctrl+Enter runs the code. Tab indents; Escape, then Tab leaves the editor."
    )
    editor.keys.press("Tab")
    playwright.expect(editor.box).to_be_focused()
    # A letter after Escape, and Tab indents again.
    editor.keys.press("Escape")
    editor.keys.type("b")
    editor.keys.press("Tab")
    playwright.expect(editor.box).to_be_focused()
    editor.keys.press("Escape")
    editor.page.clock.run_for(60_000)  # no hurry
    editor.keys.press("Shift+Tab")
    playwright.expect(editor.page.get_by_text("Before")).to_be_focused()
    playwright.expect(hint).to_be_hidden()
    editor.keys.press("Tab")
    editor.keys.press("Escape")
    editor.keys.press("Tab")
    playwright.expect(editor.page.get_by_text("After")).to_be_focused()


@both
def test_editor_keeps_typed_keys_from_the_page(opened, vendor):
    editor = opened("", vendor=vendor)
    editor.box.focus()
    editor.keys.type("a / b")
    editor.keys.press("Control+k")
    assert set(editor.page.evaluate("stray")) <= {"Control", "k"}
    assert editor.text == "a / b"


@both
def test_editor_says_where_the_mistake_is_until_the_next_change(opened, vendor):
    editor = opened("a\nb\nc", vendor=vendor)
    sentence = "<b>name</b> 'b' is not defined"
    editor.page.evaluate("(sentence) => editor.showError(2, sentence)", sentence)
    said = editor.page.locator(".live-editor").get_by_role("status")
    playwright.expect(said).to_have_text(f"Line 2: {sentence}")
    marked = editor.page.locator(".live-editor-marked")
    # In CodeMirror the line and its number; a text area marks itself.
    playwright.expect(marked).to_have_count(2 if vendor else 1)
    if vendor:
        playwright.expect(marked.last).to_have_text("b")
    editor.at_end()
    editor.keys.type("d")
    playwright.expect(marked).to_have_count(0)
    playwright.expect(said).to_have_text("")
    # A line that is not there, as Python names one after the end, is the last one.
    editor.page.evaluate("editor.showError(99, 'no end')")
    playwright.expect(said).to_have_text("Line 99: no end")
    editor.page.evaluate("editor.showError(0)")
    playwright.expect(marked).to_have_count(0)


@both
def test_editor_to_read_only_can_be_read_and_passed(opened, vendor):
    editor = opened("a = 1", vendor=vendor, read_only=True)
    editor.page.get_by_text("Before").focus()
    editor.keys.press("Tab")
    playwright.expect(editor.box).to_be_focused()
    editor.keys.type("b")
    editor.keys.press("Enter")
    editor.keys.press("Tab")
    playwright.expect(editor.page.get_by_text("After")).to_be_focused()
    assert editor.text == "a = 1"


@pytest.mark.parametrize(
    "text",
    every(3, ["\r\n a", "", "\t\n", "é🙂\u2028", "x" * 1_000_000, "\n" * 9999]),
)
def test_editor_takes_any_text(opened, text):
    editor = opened(text)
    # One kind of line ending, as in a text area.
    assert editor.text == text.replace("\r\n", "\n")
    editor.at_end()
    editor.keys.type("1")
    assert editor.text.endswith("1")


def test_editor_keeps_what_is_typed_before_codemirror_is_there(opened):
    held = []
    editor = opened("a\n", hold=lambda route: held.append(route))
    editor.at_end()
    editor.keys.type("bd")
    editor.keys.press("ArrowLeft")
    assert editor.page.locator("textarea").count() == 1
    held[0].continue_()
    assert editor.page.evaluate("editor.ready") is True
    assert editor.page.locator("textarea").count() == 0
    playwright.expect(editor.box).to_be_focused()
    editor.keys.type("c")
    assert editor.text == "a\nbcd"
    assert editor.page.evaluate("changes") == ["a\nb", "a\nbd", "a\nbcd"]


PHONE = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}


@both
def test_editor_suits_a_phone(opened, vendor):
    editor = opened(CODE + "# " + "long " * 40, vendor=vendor, **PHONE)
    editor.box.tap()
    playwright.expect(editor.box).to_be_focused()
    for name in ("autocorrect", "autocapitalize"):
        playwright.expect(editor.box).to_have_attribute(name, "off")
    playwright.expect(editor.box).to_have_attribute("spellcheck", "false")
    # There is no Ctrl and no Tab.
    playwright.expect(editor.page.locator(".live-editor-hint")).to_be_hidden()
    size = editor.box.evaluate(
        "(box) => parseFloat(getComputedStyle(box).fontSize)"
    )
    assert size >= 16  # or iOS zooms in
    wide = "document.documentElement.scrollWidth - innerWidth"
    assert editor.page.evaluate(wide) <= 0
    inside = ".cm-scroller" if vendor else "textarea"
    assert (
        editor.page.locator(inside).evaluate(
            "(box) => box.scrollWidth - box.clientWidth"
        )
        <= 0
    )


CONTRAST = """() => {
  const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: 1});
  const pen = canvas.getContext("2d", {willReadFrequently: true});
  function luminance(color) {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = color;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((part) =>
      part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  function ground(element) {
    const {backgroundColor} = getComputedStyle(element);
    return backgroundColor === "rgba(0, 0, 0, 0)" ? ground(element.parentElement) : backgroundColor;
  }
  return [...document.querySelectorAll(".live-editor *")].filter((element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) &&
    element.checkVisibility({visibilityProperty: true})).map((element) => {
      const pair = [getComputedStyle(element).color, ground(element)].map(luminance).sort();
      return [element.className + " " + element.textContent, (pair[1] + 0.05) / (pair[0] + 0.05)];
    });
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("marked", [0, 5, 7, 8])
def test_editor_has_enough_contrast(opened, theme, marked):
    editor = opened(CODE, theme=theme)
    editor.box.focus()
    editor.page.evaluate("(line) => editor.showError(line, 'because')", marked)
    for kind in ("keyword", "string", "number", "comment", "name", "operator"):
        # A busy machine colors the text a little later.
        playwright.expect(
            editor.page.locator(f".live-code-{kind}").first
        ).to_be_visible()
    found = editor.page.evaluate(CONTRAST)
    assert [pair for pair in found if pair[1] < 4.5] == []


@both
def test_editor_has_no_faults_that_axe_finds(opened, vendor):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    editor = opened(CODE, vendor=vendor)
    editor.box.focus()
    found = axe.run(editor.page, "#place").response["violations"]
    assert [(one["id"], one["nodes"]) for one in found] == []


def test_editor_file_says_what_it_is_made_of():
    script = (PARTS / "exercise/vendor" / "codemirror.js").read_text("utf-8")
    head = script[: script.index("*/")]
    lock = (ROOT / "tools" / "editor" / "package-lock.json").read_text("utf-8")
    assert "resolved" not in lock  # no registry's address
    locked = {
        path.removeprefix("node_modules/"): package["version"]
        for path, package in json.loads(lock)["packages"].items()
        if path
    }
    named = dict(re.findall(r"^ \* (\S+) ([\d.]+)$", head, re.M))
    assert {"@codemirror/view", "@lezer/python", "style-mod"} <= set(named)
    assert named == {name: locked[name] for name in named}
    licenses = (PARTS / "exercise/vendor" / "LICENSES.txt").read_text("utf-8")
    assert all(f"{name} {version}" in licenses for name, version in named.items())
    assert len(gzip.compress(script.encode(), mtime=0)) < 125_000
