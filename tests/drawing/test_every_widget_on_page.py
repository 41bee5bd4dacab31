"""What every widget of a chapter keeps to in a browser, from disk: themes, phones, paper, keys."""

import pytest

from tests.site.soundness import accessibility_violations, page_errors
from tests.support.sampled import every
from tests.support.widget_page import (
    PHONE,
    SAID,
    expect,
    page_of_widgets,
)
from tests.support.widgets import EXAMPLES

some_examples = pytest.mark.parametrize("example", every(4, EXAMPLES))
DESKTOP = {"viewport": {"width": 900, "height": 900}}
VIEWS = {
    "phone in the dark": {"theme": "dark"} | PHONE,
    "desktop": {"theme": "light"} | DESKTOP,
    "desktop in the dark": {"theme": "dark"} | DESKTOP,
}
# A table of results and a picture of squares are one stop each.
_STOPS = """[...document.querySelectorAll("a[href], input, button, [tabindex]")]
  .filter((e) => e.tabIndex >= 0 || !e.closest("table, svg"))"""
_SMALL = """() => [...document.querySelectorAll(".attn-stage :is(button, input)")].filter((e) => {
  const {width, height} = e.getBoundingClientRect();
  return width && (width < 24 || height < 24) && !["checkbox", "range"].includes(e.type);
}).map((e) => e.outerHTML)"""


@pytest.mark.parametrize("view", every(3, VIEWS))
@pytest.mark.parametrize("example", EXAMPLES)
def test_a_widget_is_sound(opened, example, view):
    shown = opened(example, **VIEWS[view])
    assert page_errors(shown.page) == []
    assert accessibility_violations(shown.page) == []
    assert shown.root.locator(".attn-plain").is_hidden()
    text = shown.root.inner_text()
    assert shown.said.inner_text() and "NaN" not in text and "undefined" not in text
    wide = "(all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).length"
    tables = shown.root.locator(".attn-scroll, table")
    assert tables.evaluate_all(wide) == 0
    assert shown.page.evaluate(_SMALL) == []


@some_examples
def test_what_a_widget_says_is_in_sight_on_a_phone_while_a_control_is_touched(
    opened, example
):
    shown = opened(example, **PHONE)
    controls = shown.root.locator(".attn-stage").locator(
        "button:visible, input:visible, .attn-handle:visible"
    )
    for at in {0, controls.count() // 2, controls.count() - 1}:
        controls.nth(at).evaluate(
            "(e) => e.scrollIntoView({block: 'center', behavior: 'instant'})"
        )
        expect(shown.said).to_be_in_viewport(ratio=0.9)


@some_examples
def test_every_control_of_a_widget_is_reached_by_tab(opened, example):
    shown = opened(example)
    count, reached = shown.page.evaluate(f"{_STOPS}.length"), set()
    for _ in range(count + 1):
        shown.press("Tab")
        reached.add(
            shown.page.evaluate(f"{_STOPS}.indexOf(document.activeElement)")
        )
    assert set(range(count)) <= reached
    assert count - shown.root.locator("table input").count() < 30


@some_examples
def test_a_widget_is_a_table_on_paper_and_without_javascript(
    open_tab, opened, example
):
    shown = opened(example)
    assert "Try: " in shown.root.locator(".attn-stage > .attn-todo").text_content()
    shown.page.emulate_media(media="print")
    assert shown.root.locator(".attn-plain table").first.is_visible()
    assert shown.root.locator(".attn-stage").first.is_hidden()
    assert shown.root.locator("input:visible, button:visible").count() == 0
    page = open_tab(shown.page.url, java_script_enabled=False, **PHONE)
    expect(page.locator(".attn-plain table").first).to_be_visible()
    assert page.locator("figcaption").is_visible()
    assert "Try: " not in page.locator(".attn-live").inner_text()
    assert page.locator("input, button, select").count() == 0
    assert page_errors(page) == []


@pytest.mark.parametrize(
    "example", ["value_triangle", "softmax_bars", "rotary_dials"]
)
def test_home_end_and_page_keys_move_a_handle_and_not_the_page(opened, example):
    shown = opened(example, viewport={"width": 390, "height": 300})
    handle = shown.root.locator(".attn-handle").first
    handle.focus()
    at, seen = shown.page.evaluate("scrollY"), set()
    for key in ("PageUp", "Home", "End", "PageDown"):
        shown.press(key)
        seen.add(handle.get_attribute("aria-valuetext"))
    assert len(seen) > 1 and shown.page.evaluate("scrollY") == at


_FILL = f"""(() => {{
  const field = document.querySelector('[aria-label="Q, him, 1"]');
  field.value = "3";
  field.dispatchEvent(new Event("input"));
  return {SAID};
}})()"""
_TURN = """(() => {
  const handle = document.querySelector(".attn-handle");
  const before = handle.getAttribute("aria-valuetext");
  handle.focus();
  handle.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
  return before !== handle.getAttribute("aria-valuetext");
})()"""


def test_all_widgets_of_the_book_start_on_one_page_in_firefox(firefox, tmp_path):
    # The lab is the first whose fields and sentence are found.
    labs = {name: EXAMPLES[name] for name in EXAMPLES if "attention_lab" in name}
    made = [make() for make in (labs | EXAMPLES).values()]
    firefox.open(page_of_widgets(tmp_path, *made))
    started = "document.querySelectorAll('.attn-on > .attn-stage').length"
    assert firefox.evaluate(started) == len(made) > 12
    shown = "[...document.querySelectorAll('.attn-plain')].some((e) => e.checkVisibility())"
    assert firefox.evaluate(shown) is False
    said = "“him” asks, “prince” answers: 3·1 + 0·0 + 2·1 = 5."
    assert firefox.evaluate(_FILL) == said
    assert firefox.evaluate(_TURN) is True
    assert firefox.errors() == []
