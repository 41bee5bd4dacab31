"""`mask_painter` in Chromium from disk: mouse, keys, touch."""

import re

import numpy as np
import pytest

from course_attn.chapters.masks.widgets.mask_painter import mask_painter
from tests.chapters.masks.test_mask_painter import PLANS, SENTENCE
from tests.support.gestures import drag, middle, swipe
from tests.support.widget_page import PHONE, WidgetPage


class Opened(WidgetPage):
    """A painter as a reader finds it."""

    def lamp(self) -> str:
        return self.root.locator(".attn-lamp").inner_text().split("\n")[-1]

    def states(self) -> list[str]:
        """Return which squares of the first row are pressed."""
        squares = self.squares().all()[:5]
        return [square.get_attribute("aria-pressed") for square in squares]


OVER = ["true"] * 4 + ["false"]
NO_LEAK = (
    "^No leak: no output changes when a later word changes. "
    "When “him” is exchanged, the outputs at “him” and “again” change.$"
)


def test_mask_painter__starts_causal_and_its_lamp_is_off(opened):
    shown = opened()
    assert shown.lamp() == "no leak"
    shown.says(NO_LEAK)


def test_mask_painter__one_square_above_the_diagonal_is_a_leak(opened):
    shown = opened()
    shown.squares().nth(1 * 5 + 3).click()
    assert shown.lamp() == "leak"
    shown.says(
        "^Leak: the output at “looked” changes when the later “him” changes. 2 such pairs. When "
        "“him” is exchanged, the outputs at “looked”, “at”, “him” and “again” change.$"
    )
    assert shown.root.locator(".attn-early").count() == 2 + 2 + 1
    shown.squares().nth(1 * 5 + 3).click()
    assert shown.lamp() == "no leak"


@pytest.mark.parametrize("plan", list(PLANS))
def test_mask_painter__shows_what_the_package_computes(opened, plan):
    """Where JavaScript and NumPy find that vectors change, for each plan and word."""
    shown = opened()
    shown.button(f"^{plan}$").click()
    assert (shown.lamp() == "no leak") == (plan == "causal")
    for j, word in enumerate(SENTENCE):
        shown.button(f"^{word}$").click()
        rows = shown.table("which vectors change").locator("tbody tr").all()
        found = [
            [text != "stays" for text in row.locator("td").all_text_contents()]
            for row in rows
        ]
        table = mask_painter(SENTENCE, {plan: PLANS[plan]}, changed=j, caption="x")
        cells = re.findall(r"<td>([●·])</td>", table._repr_html_())
        wanted = np.array(cells).reshape(3, 5) == "●"
        assert found[:3] == wanted[::-1].tolist(), word
        assert found[3] == [i == j for i in range(5)]


def test_mask_painter__layers_are_painted_one_by_one_and_a_row_without_a_key_is_named(
    opened,
):
    shown = opened()
    shown.button("^layer 3$").click()
    assert shown.table("mask of layer 3").count() == 1
    shown.squares().nth(0).click()
    shown.says("The mask of layer 3 leaves “she” no key: its weights are 0.")
    shown.button("^layer 1$").click()
    assert shown.squares().nth(0).get_attribute("aria-pressed") == "true"
    pressed = shown.root.get_by_role("group", name="masks").locator(
        "[aria-pressed=true]"
    )
    assert pressed.count() == 0
    shown.back()
    assert pressed.all_inner_texts() == ["causal"]
    shown.says(NO_LEAK)


def test_mask_painter__the_mouse_paints_over_several_squares(opened):
    shown = opened()
    squares = shown.squares()
    drag(shown.page, *(middle(squares.nth(k)) for k in (1, 2, 3)))
    assert shown.states() == OVER
    shown.page.mouse.move(0, 0)
    squares.nth(4).focus()
    shown.press("Enter")
    assert squares.nth(4).get_attribute("aria-pressed") == "true"
    squares.nth(4).click()
    assert squares.nth(4).get_attribute("aria-pressed") == "false"


def test_mask_painter__by_keyboard_and_by_touch(opened):
    shown = opened(has_touch=True, **PHONE)
    shown.squares().nth(0).focus()
    shown.press("ArrowRight", "ArrowDown", "ArrowRight", " ")
    assert shown.squares().nth(7).get_attribute("aria-pressed") == "true"
    assert shown.lamp() == "leak"
    shown.squares().nth(7).tap()
    assert shown.lamp() == "no leak"


def test_mask_painter__a_finger_draws_along_a_row_and_scrolls_along_a_column(
    opened,
):
    phone = {"viewport": {"width": 390, "height": 500}, "has_touch": True}
    shown = opened(is_mobile=True, **phone)
    squares = shown.squares()
    squares.nth(1).scroll_into_view_if_needed()
    boxes = [squares.nth(k).bounding_box() for k in range(5)]
    assert all(min(box["width"], box["height"]) >= 36 for box in boxes)
    swipe(shown.page, *(middle(squares.nth(k)) for k in (1, 2, 3)))
    assert shown.states() == OVER
    x, y = middle(squares.nth(4))
    swipe(shown.page, (x, y), (x, y - 40), (x, y - 90), (x, y - 120))
    assert squares.nth(4).get_attribute("aria-pressed") == "false"
    assert shown.page.evaluate("scrollY") > 30
    squares.nth(4).tap()
    assert squares.nth(4).get_attribute("aria-pressed") == "true"


def test_mask_painter__a_plan_shows_the_layer_that_makes_the_difference(opened):
    shown = opened()
    shown.button("^layer 2 forgets$").click()
    assert shown.table("mask of layer 2").count() == 1
    assert shown.squares().nth(4).get_attribute("aria-pressed") == "true"
    shown.button("^layer 3$").click()
    shown.button("^no mask$").click()
    assert shown.table("mask of layer 3").count() == 1
