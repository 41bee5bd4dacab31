"""`attention_lab` in Chromium from disk: mouse, keys, touch, bad input."""

import re

import numpy as np
import pytest

from course_attn.in_numpy import attention, attention_weights
from tests.chapters.qkv import test_attention_lab as plain
from tests.chapters.qkv.test_attention_lab import CAUSAL, EXAMPLES
from tests.site.soundness import accessibility_violations
from tests.support.output import numbers
from tests.support.sampled import every
from tests.support.widget_page import BAD, PHONE, WidgetPage, expect

Q, K, V = (np.array(array) for array in (plain.Q, plain.K, plain.V))
FULL, SCORES = "attention_lab with all controls", "attention_lab of scores"
SCALED = "S = Q Kᵀ ÷ √d ÷ T"


class Opened(WidgetPage):
    """A lab as a reader finds it."""

    def tells(self, text: str) -> None:
        expect(self.said).to_have_text(text)

    def troubles(self, text: str) -> None:
        expect(self.root.locator(".attn-trouble")).to_have_text(text)

    def table(self, caption: str):
        exactly = self.page.locator(f"caption:text-is('{caption}')")
        return self.root.locator(".attn-stage table").filter(has=exactly)

    def cell(self, caption: str, i: int, j: int):
        return self.table(caption).locator("tbody tr").nth(i).locator("td").nth(j)

    def numbers(self, caption: str) -> np.ndarray:
        rows = self.table(caption).locator("tbody tr").all()
        texts = [row.locator("td:visible").all_inner_texts() for row in rows]
        return np.array([numbers(row) for row in texts])

    def shows(self, *, S="S = Q Kᵀ", q=Q, k=K, v=V, **options) -> None:
        """Compare weights and outputs with the package's."""
        options = {"scale": 1.0} | options
        for caption, wanted in (
            ("A = softmax(S)", attention_weights(q, k, **options)),
            ("Y = A V", attention(q, k, v, **options)),
        ):
            np.testing.assert_allclose(self.numbers(caption), wanted, atol=0.00501)
        assert self.table(S).count() == 1


def test_attention_lab__does_not_interfere_with_another_on_its_page(opened):
    shown = opened("attention_lab", "attention_lab", FULL)
    assert shown.page.locator(".attn-on").count() == 3
    shown.field("Q, him, 1").fill("5")
    second = shown.page.locator(".attn-live").nth(1)
    assert second.get_by_label("Q, him, 1", exact=True).input_value() == "2"


def test_attention_lab__stays_a_table_where_it_cannot_start(browser, tmp_path):
    html = EXAMPLES["attention_lab"]()._repr_html_()
    assert '"opened":["S",2,0]' in html
    html = html.replace('"opened":["S",2,0]', '"opened":null')
    page = browser.new_page()
    page.set_content(html)
    assert page.locator(".attn-plain table").first.is_visible()
    assert page.locator(".attn-on, .attn-stage").count() == 0
    page.close()


def test_attention_lab__starts_on_the_numbers_of_the_text_and_spells_one_out(
    opened,
):
    shown = opened()
    shown.tells("“him” asks, “prince” answers: 2·1 + 0·0 + 2·1 = 4.")
    shown.troubles("")
    shown.shows()


def test_attention_lab__a_changed_number_changes_all_that_follows_and_back_undoes_it(
    opened,
):
    shown = opened()
    shown.field("Q, him, 1").fill("-1,5")
    shown.field("K, prince, 3").fill("−0.25")
    shown.field("V, him, 2").fill("1e1")
    q, k, v = Q.copy(), K.copy(), V.copy()
    q[2, 0], k[0, 2], v[2, 1] = -1.5, -0.25, 10
    shown.shows(q=q, k=k, v=v)
    shown.tells(
        "“him” asks, “prince” answers: −1.5·1 + 0·0 + 2·(−0.25) = −2. This number stays; 3 that "
        "changed are marked."
    )
    shown.back()
    shown.shows()
    assert shown.field("Q, him, 1").input_value() == "2"


def test_attention_lab__each_result_opens_into_its_sum(opened):
    shown = opened()
    shown.cell("A = softmax(S)", 2, 0).click()
    e4, e2 = np.exp([4, 2])
    total = e4 + 1 + e2
    shown.tells(
        "“him” gives “prince” the weight e^4 ÷ (e^4 + e^0 + e^2) "
        f"≈ {e4:.3f} ÷ {total:.3f} ≈ {e4 / total:.2f}."
    )
    marked = shown.root.locator(".attn-from").all_inner_texts()
    assert marked == ["4.00", "0.00", "2.00"]
    shown.cell("Y = A V", 2, 1).click()
    shown.tells(
        "“him” gets, in column 2, 0.87·2 + 0.02·0 + 0.12·(−1) ≈ "
        f"{(2 * e4 - e2) / total:.2f}."
    )
    shown.cell("S = Q Kᵀ", 1, 1).click()
    shown.tells("“she” asks, “she” answers: 0·0 + 2·1 + 2·0 = 2.")
    pressed = shown.root.locator(".attn-stage [aria-pressed=true]")
    assert pressed.all_inner_texts() == ["2.00"]
    assert pressed.get_attribute("aria-label") == "S, she, she: 2.00"


def test_attention_lab__by_keyboard_alone(opened):
    shown = opened()
    shown.field("Q, prince, 1").focus()
    shown.press("ArrowUp", "ArrowUp", "ArrowDown", "Tab")
    assert shown.field("Q, prince, 1").input_value() == "2.5"
    # Past the other fields, then one stop for each table of results.
    shown.press(*["Tab"] * (8 + 9 + 6))
    expect(shown.cell("S = Q Kᵀ", 0, 0).locator("button")).to_be_focused()
    shown.press("ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown", "Enter")
    shown.tells("“him” asks, “she” answers: 2·0 + 0·1 + 2·0 = 0.")
    shown.press("Tab", "ArrowDown", " ")
    expect(shown.said).to_contain_text(
        "“she” gives “prince” the weight e^2 ÷ (e^2 + e^2 + e^0)"
    )
    shown.press("Shift+Tab")
    expect(shown.cell("S = Q Kᵀ", 2, 1).locator("button")).to_be_focused()
    shown.press("Tab", "Tab", "Tab", "Enter")
    assert shown.field("Q, prince, 1").input_value() == "2"


@pytest.mark.parametrize("text", every(4, BAD))
def test_attention_lab__a_bad_number_is_named_and_nothing_is_lost(opened, text):
    shown = opened()
    shown.field("K, she, 2").fill("3")
    shown.field("Q, him, 1").fill(text)
    what = (
        "is empty"
        if not text
        else "holds “1e400”, which is not from −100 to 100"
        if text == "1e400"
        else f"holds “{text}”, which is not a number"
    )
    shown.troubles(f"Q, him, 1 {what}. 2 is still used.")
    k = K.copy()
    k[1, 1] = 3
    shown.shows(k=k)
    assert shown.field("Q, him, 1").input_value() == text
    shown.field("V, him, 1").fill("x")
    shown.troubles(
        f"Q, him, 1 {what}. 2 is still used. "
        "V, him, 1 holds “x”, which is not a number. 0 is still used."
    )
    shown.field("Q, him, 1").press("Escape")
    assert shown.field("Q, him, 1").input_value() == "2"
    shown.field("V, him, 1").fill("0.5")
    shown.troubles("")
    assert accessibility_violations(shown.page) == []


def test_attention_lab__scale_temperature_and_width_change_the_scores(opened):
    shown = opened(FULL)
    shown.shows(S=SCALED, mask=CAUSAL, scale=None)
    shown.cell(SCALED, 2, 0).click()
    shown.tells("“him” asks, “prince” answers: 2·1 + 0·0 + 2·1 = 4, ÷ √3 ≈ 2.31.")
    shown.slider("width d").focus()
    shown.press("ArrowLeft")
    shown.tells("“him” asks, “prince” answers: 2·1 + 0·0 = 2, ÷ √2 ≈ 1.41.")
    shown.shows(S=SCALED, q=Q[:, :2], k=K[:, :2], mask=CAUSAL, scale=None)
    assert shown.table("Q").locator("input:visible").count() == 6
    shown.slider("temperature T").focus()
    shown.press(*["ArrowRight"] * 10)
    shown.tells(
        "“him” asks, “prince” answers: 2·1 + 0·0 = 2, ÷ √2 ≈ 1.41, ÷ 2 ≈ 0.71."
    )
    shown.root.get_by_label("divide by √d").uncheck()
    shown.tells("“him” asks, “prince” answers: 2·1 + 0·0 = 2, ÷ 2 = 1.")
    shown.shows(S="S = Q Kᵀ ÷ T", q=Q[:, :2], k=K[:, :2], mask=CAUSAL, scale=0.5)
    shown.back()
    shown.shows(S=SCALED, mask=CAUSAL, scale=None)
    assert shown.table("Q").locator("input:visible").count() == 9


def test_attention_lab__the_mask_of_the_lab_is_painted_and_a_row_without_a_key_is_named(
    opened,
):
    shown = opened(FULL)
    shown.cell(SCALED, 0, 1).click()
    shown.tells(
        "“prince” asks, “she” answers: 2·0 + 0·1 + 0·0 = 0, ÷ √3 = 0, "
        "but the mask forbids it: −∞."
    )
    shown.squares().nth(0).click()
    shown.troubles(
        "The mask leaves “prince” no key: its weights are 0, and its output, too."
    )
    mask = CAUSAL.copy()
    mask[0, 0] = False
    shown.shows(S=SCALED, mask=mask, scale=None)
    shown.cell("A = softmax(S)", 0, 1).click()
    shown.tells(
        "“prince” gives “she” the weight 0: nothing is allowed, and 0 ÷ 0 is not computed."
    )
    shown.squares().nth(2).focus()
    shown.press("Enter")
    shown.troubles("")
    mask[0, 2] = True
    shown.shows(S=SCALED, mask=mask, scale=None)


def test_attention_lab__scores_alone_can_be_changed(opened):
    shown = opened(SCORES)
    shown.tells("“cat” asks, “sat” answers: 2, but the mask forbids it: −∞.")
    row = shown.numbers("A = softmax(S)")[1]
    assert row.tolist() == [0.73, 0.27, 0, 0]
    shown.field("scores, cat, cat").fill("1")
    assert shown.numbers("A = softmax(S)")[1].tolist() == [0.5, 0.5, 0, 0]
    shown.cell("A = softmax(S)", 1, 2).click()
    shown.tells(
        "“cat” gives “sat” the weight e^(−∞) ÷ (e^1 + e^1 + e^(−∞) + e^(−∞)) "
        "≈ 0 ÷ 5.437 = 0. A forbidden key gets exactly 0."
    )


def test_attention_lab__by_touch(opened):
    shown = opened(FULL, has_touch=True, **PHONE)
    shown.cell("Y = A V", 1, 0).tap()
    shown.tells("“she” gets, in column name, 0.5·1 + 0.5·0 + 0·0 ≈ 0.5.")
    shown.squares().nth(3).tap()
    assert shown.numbers("A = softmax(S)")[1].tolist() == [0, 1, 0]


def test_attention_lab__on_a_phone_the_sum_stays_in_sight_and_queries_stand_beside_keys(
    opened,
):
    shown = opened(FULL, viewport={"width": 390, "height": 500})
    tops = [shown.table(name).bounding_box()["y"] for name in "QK"]
    assert tops[0] == tops[1]
    shown.cell("Y = A V", 2, 1).locator("button").click()
    said = shown.root.locator(".attn-said").bounding_box()
    assert shown.page.evaluate("scrollY") > 100 and 0 <= said["y"] < 100
    expect(shown.said).to_contain_text("gets")


def test_attention_lab__the_squares_of_a_mask_stand_in_the_columns_of_the_scores(
    opened,
):
    for width in (390, 900):
        shown = opened(SCORES, viewport={"width": width, "height": 900})
        lefts = [
            [
                shown.cell(caption, 0, j).bounding_box()["x"]
                - shown.table(caption).bounding_box()["x"]
                for j in range(4)
            ]
            for caption in ("mask", "S, masked", "A = softmax(S)", "scores")
        ]
        np.testing.assert_allclose(lefts, [lefts[0]] * 4, atol=1.5)
        legend = shown.root.locator(".attn-legend").inner_text()
        assert re.fullmatch(r"may see\s+crossed out", legend.strip())


def test_attention_lab__marks_what_just_changed_and_says_when_it_is_elsewhere(
    opened,
):
    shown = opened()
    marked = shown.root.locator(".attn-changed")
    expect(marked).to_have_count(0)
    shown.field("K, she, 2").fill("3")
    k = K.copy()
    k[1, 1] = 3
    changed = [
        ("S = Q Kᵀ", Q @ k.T - Q @ K.T),
        (
            "A = softmax(S)",
            attention_weights(Q, k, scale=1) - attention_weights(Q, K, scale=1),
        ),
        ("Y = A V", attention(Q, k, V, scale=1) - attention(Q, K, V, scale=1)),
    ]
    for caption, by in changed:
        rows = shown.table(caption).locator("tbody tr").all()
        found = [
            [
                "attn-changed" in (cell.get_attribute("class") or "")
                for cell in row.locator("button").all()
            ]
            for row in rows
        ]
        assert np.array(found)[abs(by) > 0.01].all()
        assert not np.array(found)[by == 0].any()
    expect(shown.said).to_contain_text("This number stays;")
    shown.cell("A = softmax(S)", 1, 1).click()
    expect(marked).to_have_count(0)
