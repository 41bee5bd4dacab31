"""All pictures that compute, in Firefox from disk: they start, and answer to the keys."""

from tests.site.firefox import needs_firefox
from tests.site.test_live_lab import WIDGETS
from tests.site.test_live_moves import MOVES
from tests.site.widget_page import page_of_widgets

pytestmark = needs_firefox

CHANGED = """(() => {
  const field = document.querySelector('[aria-label="Q, him, 1"]');
  field.value = "3";
  field.dispatchEvent(new Event("input"));
  return document.querySelector(".attn-said").textContent;
})()"""


def test_all_widgets_start_and_compute_in_firefox(firefox, tmp_path):
    made = [make() for make in (WIDGETS | MOVES).values()]
    firefox.open(page_of_widgets(tmp_path, *made))
    started = "document.querySelectorAll('.attn-on > .attn-stage').length"
    assert firefox.evaluate(started) == len(made) == 9
    shown = "[...document.querySelectorAll('.attn-plain')].some((e) => e.checkVisibility())"
    assert firefox.evaluate(shown) is False
    said = firefox.evaluate(CHANGED)
    assert said == "“him” asks, “prince” answers: 3·1 + 0·0 + 2·1 = 5."
    moved = """(() => {
      const handle = document.querySelector(".attn-handle");
      const before = handle.getAttribute("aria-valuetext");
      handle.focus();
      handle.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}));
      return before !== handle.getAttribute("aria-valuetext");
    })()"""
    assert firefox.evaluate(moved) is True
    assert firefox.errors() == []
