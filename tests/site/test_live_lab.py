"""Attention in numbers and masks to paint, in Chromium from disk: mouse, keys, bad input."""

import re

import numpy as np
import pytest

from course_attn.chapters.masks.widgets.mask_painter import mask_painter
from course_attn.chapters.qkv.widgets.attention_lab import attention_lab
from course_attn.in_numpy import attention, attention_weights
from tests.site.chromium import needs_chromium
from tests.site.soundness import accessibility_violations, page_errors
from tests.site.visits import swipe
from tests.site.widget_page import WidgetPage, opening

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
pytestmark = needs_chromium

Q = np.array([[2.0, 0, 0], [0, 2, 2], [2, 0, 2]])
K = np.array([[1.0, 0, 1], [0, 1, 0], [1, 0, 0]])
V = np.array([[1.0, 2], [0, 0], [0, -1]])
WORDS = ["prince", "she", "him"]
S = [[2.0, 1, 0, 3], [1, 0, 2, 1], [0, 2, 1, 3], [1, 0, 2, 1]]
CAUSAL = np.tri(5, dtype=bool)
PLANS = {
    "causal": [CAUSAL] * 3,
    "no mask": [None] * 3,
    "layer 2 forgets": [CAUSAL, None, CAUSAL],
}
SENTENCE = "she looked at him again".split()
WIDGETS = {
    "lab": lambda: attention_lab(
        Q, K, V, tokens=WORDS, scaled=False, opened=("S", 2, 0), caption="Numbers."
    ),
    "full lab": lambda: attention_lab(
        Q, K, V, tokens=WORDS, mask=np.tri(3, dtype=bool), outputs=["name", "royal"],
        changes=("d", "scale", "T"), opened=("A", 2, 0), caption="Numbers."),
    "scores": lambda: attention_lab(
        scores=S, tokens="the cat sat down".split(), mask=np.tri(4, dtype=bool),
        opened=("S", 1, 2), caption="Scores."),
    "painter": lambda: mask_painter(SENTENCE, PLANS, changed=3, caption="Paint."),
}  # fmt: skip
every_widget = pytest.mark.parametrize("name", WIDGETS)
BAD = ("", "abc", "1e400", "1 2", "nan", "--1", "<b>1</b>")


class Opened(WidgetPage):
    """A page of widgets as a reader finds it."""

    def says(self, text: str) -> None:
        playwright.expect(self.root.locator(".attn-said")).to_have_text(text)

    def troubles(self, text: str | re.Pattern) -> None:
        playwright.expect(self.root.locator(".attn-trouble")).to_have_text(text)

    def field(self, name: str):
        return self.root.get_by_label(name, exact=True)

    def table(self, caption: str):
        found = self.root.locator(".attn-stage table")
        return found.filter(has=self.page.locator(f"caption:text-is('{caption}')"))

    def cell(self, caption: str, i: int, j: int):
        return self.table(caption).locator("tbody tr").nth(i).locator("td").nth(j)

    def numbers(self, caption: str) -> np.ndarray:
        rows = self.table(caption).locator("tbody tr").all()
        texts = [row.locator("td:visible").all_inner_texts() for row in rows]
        return np.array([[number(text) for text in row] for row in texts])

    def shows(self, *, S="S = Q Kᵀ", q=Q, k=K, v=V, **options) -> None:
        """Compare weights and outputs with the package's."""
        options = {"scale": 1.0} | options
        weights = attention_weights(q, k, **options)
        np.testing.assert_allclose(
            self.numbers("A = softmax(S)"), weights, atol=0.00501
        )
        outputs = attention(q, k, v, **options)
        np.testing.assert_allclose(self.numbers("Y = A V"), outputs, atol=0.00501)
        assert self.table(S).count() == 1

    def lamp(self) -> str:
        return self.root.locator(".attn-lamp").inner_text().split("\n")[-1]

    def squares(self):
        return self.root.locator(".attn-mask button")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf"))


@pytest.fixture
def opened(browser, tmp_path):
    """Open widgets, and find no errors and no requests in the end."""
    yield from opening(
        lambda *names, **options: Opened(
            browser, tmp_path, *(WIDGETS[name]() for name in names), **options
        )
    )


# What all have in common


@every_widget
@pytest.mark.parametrize(
    "view",
    [
        {"theme": "light", "viewport": {"width": 900, "height": 900}},
        {"theme": "dark", "viewport": {"width": 900, "height": 900}},
        {"theme": "dark", "viewport": {"width": 360, "height": 740}},
    ],
    ids=["light", "dark", "phone"],
)
def test_a_widget_is_sound(opened, name, view):
    shown = opened(name, **view)
    assert page_errors(shown.page) == []
    assert accessibility_violations(shown.page) == []
    assert shown.root.locator(".attn-plain").is_hidden()
    small = shown.page.evaluate(
        """() => [...document.querySelectorAll(".attn-stage :is(button, input)")].filter((e) => {
        const {width, height} = e.getBoundingClientRect();
        return width && (width < 24 || height < 24) && e.type !== "checkbox";
        }).map((e) => e.outerHTML)"""
    )
    assert small == []


@every_widget
def test_without_javascript_a_widget_is_a_table(opened, name):
    shown = opened(name, java_script_enabled=False)
    assert shown.root.locator("table").first.is_visible()
    assert shown.root.locator("button, input, select").count() == 0
    assert shown.root.locator("figcaption").is_visible()


@every_widget
def test_on_paper_a_widget_is_a_table(opened, name):
    shown = opened(name)
    shown.page.emulate_media(media="print")
    assert shown.root.locator(".attn-plain table").first.is_visible()
    assert shown.root.locator(".attn-stage").is_hidden()


def test_several_widgets_on_a_page_do_not_interfere(opened):
    shown = opened("lab", "lab", "painter")
    assert shown.page.locator(".attn-on").count() == 3
    shown.field("Q, him, 1").fill("5")
    second = shown.page.locator(".attn-live").nth(1)
    assert second.get_by_label("Q, him, 1", exact=True).input_value() == "2"


def test_a_widget_that_cannot_start_stays_a_table(browser, tmp_path):
    html = WIDGETS["lab"]()._repr_html_()
    assert '"opened":["S",2,0]' in html
    html = html.replace('"opened":["S",2,0]', '"opened":null')
    page = browser.new_page()
    page.set_content(html)
    assert page.locator(".attn-plain table").first.is_visible()
    assert page.locator(".attn-on, .attn-stage").count() == 0
    page.close()


# attention_lab


def test_the_lab_starts_on_the_numbers_of_the_text_and_spells_one_out(opened):
    shown = opened("lab")
    shown.says("“him” asks, “prince” answers: 2·1 + 0·0 + 2·1 = 4.")
    shown.troubles("")
    shown.shows()


def test_a_changed_number_changes_all_that_follows_and_back_undoes_it(opened):
    shown = opened("lab")
    shown.field("Q, him, 1").fill("-1,5")
    shown.field("K, prince, 3").fill("−0.25")
    shown.field("V, him, 2").fill("1e1")
    q, k, v = Q.copy(), K.copy(), V.copy()
    q[2, 0], k[0, 2], v[2, 1] = -1.5, -0.25, 10
    shown.shows(q=q, k=k, v=v)
    shown.says("“him” asks, “prince” answers: −1.5·1 + 0·0 + 2·(−0.25) = −2.")
    shown.back()
    shown.shows()
    assert shown.field("Q, him, 1").input_value() == "2"


def test_each_result_opens_into_its_sum(opened):
    shown = opened("lab")
    shown.cell("A = softmax(S)", 2, 0).click()
    e4, e2 = np.exp([4, 2])
    total = e4 + 1 + e2
    shown.says(
        "“him” gives “prince” the weight e^4 ÷ (e^4 + e^0 + e^2) "
        f"≈ {e4:.3f} ÷ {total:.3f} ≈ {e4 / total:.2f}."
    )
    marked = shown.root.locator(".attn-from").all_inner_texts()
    assert marked == ["4.00", "0.00", "2.00"]
    shown.cell("Y = A V", 2, 1).click()
    shown.says(
        "“him” gets, in column 2, 0.87·2 + 0.02·0 + 0.12·(−1) ≈ "
        f"{(2 * e4 - e2) / total:.2f}."
    )
    shown.cell("S = Q Kᵀ", 1, 1).click()
    shown.says("“she” asks, “she” answers: 0·0 + 2·1 + 2·0 = 2.")
    pressed = shown.root.locator(".attn-stage [aria-pressed=true]")
    assert pressed.all_inner_texts() == ["2.00"]
    assert pressed.get_attribute("aria-label") == "S, she, she: 2.00"


def test_the_lab_by_keyboard_alone(opened):
    shown = opened("lab")
    shown.field("Q, prince, 1").focus()
    shown.press("ArrowUp", "ArrowUp", "ArrowDown", "Tab")
    assert shown.field("Q, prince, 1").input_value() == "2.5"
    # Past the other fields, then one stop for each table of results.
    shown.press(*["Tab"] * (8 + 9 + 6))
    playwright.expect(
        shown.cell("S = Q Kᵀ", 0, 0).locator("button")
    ).to_be_focused()
    shown.press("ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown", "Enter")
    shown.says("“him” asks, “she” answers: 2·0 + 0·1 + 2·0 = 0.")
    shown.press("Tab", "ArrowDown", " ")
    playwright.expect(shown.root.locator(".attn-said")).to_contain_text(
        "“she” gives “prince” the weight e^2 ÷ (e^2 + e^2 + e^0)"
    )
    shown.press("Shift+Tab")
    playwright.expect(
        shown.cell("S = Q Kᵀ", 2, 1).locator("button")
    ).to_be_focused()
    shown.press("Tab", "Tab", "Tab", "Enter")
    assert shown.field("Q, prince, 1").input_value() == "2"


@pytest.mark.parametrize("text", BAD)
def test_a_bad_number_is_named_and_nothing_is_lost(opened, text):
    shown = opened("lab")
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


def test_scale_temperature_and_width_change_the_scores(opened):
    shown = opened("full lab")
    mask = np.tri(3, dtype=bool)
    both = "S = Q Kᵀ ÷ √d ÷ T"
    shown.shows(S=both, mask=mask, scale=None)
    shown.cell(both, 2, 0).click()
    shown.says("“him” asks, “prince” answers: 2·1 + 0·0 + 2·1 = 4, ÷ √3 ≈ 2.31.")
    shown.root.get_by_role("slider", name="width d").focus()
    shown.press("ArrowLeft")
    shown.says("“him” asks, “prince” answers: 2·1 + 0·0 = 2, ÷ √2 ≈ 1.41.")
    shown.shows(S=both, q=Q[:, :2], k=K[:, :2], mask=mask, scale=None)
    assert shown.table("Q").locator("input:visible").count() == 6
    shown.root.get_by_role("slider", name="temperature T").focus()
    shown.press(*["ArrowRight"] * 10)
    shown.says(
        "“him” asks, “prince” answers: 2·1 + 0·0 = 2, ÷ √2 ≈ 1.41, ÷ 2 ≈ 0.71."
    )
    shown.root.get_by_label("divide by √d").uncheck()
    shown.says("“him” asks, “prince” answers: 2·1 + 0·0 = 2, ÷ 2 = 1.")
    shown.shows(S="S = Q Kᵀ ÷ T", q=Q[:, :2], k=K[:, :2], mask=mask, scale=0.5)
    shown.back()
    shown.shows(S=both, mask=mask, scale=None)
    assert shown.table("Q").locator("input:visible").count() == 9


def test_the_mask_of_the_lab_is_painted_and_a_row_without_a_key_is_named(opened):
    shown = opened("full lab")
    both = "S = Q Kᵀ ÷ √d ÷ T"
    shown.cell(both, 0, 1).click()
    shown.says(
        "“prince” asks, “she” answers: 2·0 + 0·1 + 0·0 = 0, ÷ √3 = 0, "
        "but the mask forbids it: −∞."
    )
    shown.squares().nth(0).click()
    shown.troubles(
        "The mask leaves “prince” no key: its weights are 0, and its output, too."
    )
    mask = np.tri(3, dtype=bool)
    mask[0, 0] = False
    shown.shows(S=both, mask=mask, scale=None)
    shown.cell("A = softmax(S)", 0, 1).click()
    shown.says(
        "“prince” gives “she” the weight 0: nothing is allowed, and 0 ÷ 0 is not computed."
    )
    shown.squares().nth(2).focus()
    shown.press("Enter")
    shown.troubles("")
    mask[0, 2] = True
    shown.shows(S=both, mask=mask, scale=None)


def test_scores_alone_can_be_changed(opened):
    shown = opened("scores")
    shown.says("“cat” asks, “sat” answers: 2, but the mask forbids it: −∞.")
    row = shown.numbers("A = softmax(S)")[1]
    assert row.tolist() == [0.73, 0.27, 0, 0]
    shown.field("scores, cat, cat").fill("1")
    assert shown.numbers("A = softmax(S)")[1].tolist() == [0.5, 0.5, 0, 0]
    shown.cell("A = softmax(S)", 1, 2).click()
    shown.says(
        "“cat” gives “sat” the weight e^(−∞) ÷ (e^1 + e^1 + e^(−∞) + e^(−∞)) "
        "≈ 0 ÷ 5.437 = 0. A forbidden key gets exactly 0."
    )


def test_the_lab_by_touch(opened):
    shown = opened(
        "full lab", viewport={"width": 360, "height": 740}, has_touch=True
    )
    shown.cell("Y = A V", 1, 0).tap()
    shown.says("“she” gets, in column name, 0.5·1 + 0.5·0 + 0·0 ≈ 0.5.")
    shown.squares().nth(3).tap()
    assert shown.numbers("A = softmax(S)")[1].tolist() == [0, 1, 0]


# mask_painter


def test_the_painter_starts_causal_and_its_lamp_is_off(opened):
    shown = opened("painter")
    assert shown.lamp() == "no leak"
    shown.says(
        "No leak: no output changes when a later word changes. "
        "When “him” is exchanged, the outputs at “him” and “again” change."
    )


def test_one_square_above_the_diagonal_is_a_leak(opened):
    shown = opened("painter")
    shown.squares().nth(1 * 5 + 3).click()
    assert shown.lamp() == "leak"
    shown.says(
        "Leak: the output at “looked” changes when the later “him” changes. 2 such pairs. When "
        "“him” is exchanged, the outputs at “looked”, “at”, “him” and “again” change."
    )
    assert shown.root.locator(".attn-early").count() == 2 + 2 + 1
    shown.squares().nth(1 * 5 + 3).click()
    assert shown.lamp() == "no leak"


@pytest.mark.parametrize("plan", list(PLANS))
def test_the_picture_of_the_painter_is_what_the_package_computes(opened, plan):
    """Where JavaScript and NumPy find that vectors change, for each plan and word."""
    shown = opened("painter")
    shown.root.get_by_role("button", name=plan, exact=True).click()
    assert (shown.lamp() == "no leak") == (plan == "causal")
    for j, word in enumerate(SENTENCE):
        shown.root.get_by_role("button", name=word, exact=True).click()
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


def test_layers_are_painted_one_by_one_and_a_row_without_a_key_is_named(opened):
    shown = opened("painter")
    shown.root.get_by_role("button", name="layer 3", exact=True).click()
    assert shown.table("mask of layer 3").count() == 1
    shown.squares().nth(0).click()
    playwright.expect(shown.root.locator(".attn-said")).to_contain_text(
        "The mask of layer 3 leaves “she” no key: its weights are 0."
    )
    shown.root.get_by_role("button", name="layer 1", exact=True).click()
    assert shown.squares().nth(0).get_attribute("aria-pressed") == "true"
    pressed = shown.root.get_by_role("group", name="masks").locator(
        "[aria-pressed=true]"
    )
    assert pressed.count() == 0
    shown.back()
    assert pressed.all_inner_texts() == ["causal"]
    shown.says(
        "No leak: no output changes when a later word changes. "
        "When “him” is exchanged, the outputs at “him” and “again” change."
    )


def test_the_mouse_paints_over_several_squares(opened):
    shown = opened("painter")
    squares = shown.squares()
    boxes = [squares.nth(k).bounding_box() for k in (1, 3)]
    start, end = (
        (b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes
    )
    shown.page.mouse.move(*start)
    shown.page.mouse.down()
    shown.page.mouse.move(*end, steps=12)
    shown.page.mouse.up()
    states = [squares.nth(k).get_attribute("aria-pressed") for k in range(5)]
    assert states == ["true", "true", "true", "true", "false"]
    shown.page.mouse.move(0, 0)
    squares.nth(4).focus()
    shown.press("Enter")
    assert squares.nth(4).get_attribute("aria-pressed") == "true"
    squares.nth(4).click()
    assert squares.nth(4).get_attribute("aria-pressed") == "false"


def test_the_painter_by_keyboard_and_by_touch(opened):
    shown = opened(
        "painter", viewport={"width": 360, "height": 740}, has_touch=True
    )
    shown.squares().nth(0).focus()
    shown.press("ArrowRight", "ArrowDown", "ArrowRight", " ")
    assert shown.squares().nth(7).get_attribute("aria-pressed") == "true"
    assert shown.lamp() == "leak"
    shown.squares().nth(7).tap()
    assert shown.lamp() == "no leak"


def test_a_finger_draws_along_a_row_and_scrolls_along_a_column(opened):
    phone = {"viewport": {"width": 390, "height": 500}, "has_touch": True}
    shown = opened("painter", is_mobile=True, **phone)
    squares = shown.squares()
    squares.nth(1).scroll_into_view_if_needed()
    boxes = [squares.nth(k).bounding_box() for k in range(5)]
    assert all(min(box["width"], box["height"]) >= 36 for box in boxes)
    path = [(b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes]
    swipe(shown.page, *path[1:4])
    states = [squares.nth(k).get_attribute("aria-pressed") for k in range(5)]
    assert states == ["true", "true", "true", "true", "false"]
    x, y = path[4]
    swipe(shown.page, (x, y), (x, y - 40), (x, y - 90), (x, y - 120))
    assert squares.nth(4).get_attribute("aria-pressed") == "false"
    assert shown.page.evaluate("scrollY") > 30
    squares.nth(4).tap()
    assert squares.nth(4).get_attribute("aria-pressed") == "true"


def test_a_plan_shows_the_layer_that_makes_the_difference(opened):
    shown = opened("painter")
    shown.root.get_by_role("button", name="layer 2 forgets", exact=True).click()
    assert shown.table("mask of layer 2").count() == 1
    assert shown.squares().nth(4).get_attribute("aria-pressed") == "true"
    shown.root.get_by_role("button", name="layer 3", exact=True).click()
    shown.root.get_by_role("button", name="no mask", exact=True).click()
    assert shown.table("mask of layer 3").count() == 1


def test_on_a_phone_the_sum_stays_in_sight_and_queries_stand_beside_keys(opened):
    shown = opened("full lab", viewport={"width": 390, "height": 500})
    tops = [shown.table(name).bounding_box()["y"] for name in "QK"]
    assert tops[0] == tops[1]
    shown.cell("Y = A V", 2, 1).locator("button").click()
    said = shown.root.locator(".attn-said").bounding_box()
    assert shown.page.evaluate("scrollY") > 100 and 0 <= said["y"] < 100
    playwright.expect(shown.root.locator(".attn-said")).to_contain_text("gets")


def test_the_squares_of_a_mask_stand_in_the_columns_of_the_scores(opened):
    for width in (390, 900):
        shown = opened("scores", viewport={"width": width, "height": 900})
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
