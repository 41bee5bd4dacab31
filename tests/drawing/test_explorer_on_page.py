"""Weights to explore in the built pages: with the keyboard, the pointer, and without JavaScript."""

import json
import re

import pytest

from course_attn.drawing import explore_weights
from tests.site.visits import DISK, VIEWS, Visit, visit
from tests.support.sampled import every

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")

pytestmark = pytest.mark.usefixtures("html")
every_explored = pytest.mark.parametrize(
    "page", every(2, ["book/qkv.html", "book/multi_head.html"])
)


class Explorer:
    """Weights to explore as a reader finds them: heads, tokens with their numbers, a sentence."""

    def __init__(self, page: "playwright.Page", number: int = 0) -> None:
        figure = page.locator(".attn-explorer").nth(number)
        self.heads = figure.get_by_label("Weights of").get_by_role("radio")
        self.tokens = figure.get_by_label("The token that asks").get_by_role(
            "radio"
        )
        self.numbers, self.rows = (
            figure.locator(".attn-number"),
            figure.locator("tr"),
        )
        self.said = figure.get_by_role("status")
        self.all_weights = figure.get_by_text("All weights of")
        data = figure.locator("script[type='application/json']").text_content()
        self.data = json.loads(data)

    def tells(self, head: int, query: int) -> None:
        """Wait until all numbers of a row are shown, and the sentence tells the largest."""
        row = self.data["weights"][head][query]
        # Half a hundredth is rounded up.
        shown = [f"{weight / 1e5 + 1e-9:.2f}" if weight else "0" for weight in row]
        playwright.expect(self.numbers).to_have_text(shown)
        keys = self.data["keys"] or self.data["queries"]
        largest = max(range(len(row)), key=row.__getitem__)
        names = self.data["heads"][head], self.data["queries"][query], keys[largest]
        name, asks, key = map(re.escape, names)
        label = f"{name}: " if len(self.data["heads"]) > 1 else ""
        said = rf"^{label}“{asks}”.* looks at “{key}”.* with {shown[largest]}\b"
        playwright.expect(self.said).to_have_text(re.compile(said))


@every_explored
def test_explored_weights_obey_the_pointer_and_the_keyboard(browser, page):
    with visit(browser, DISK, page, **VIEWS["phone"]) as opened:
        obey_the_keyboard(opened, Explorer(opened.page))
        obey_the_pointer(Explorer(opened.page))
    assert opened.problems == []


def obey_the_keyboard(opened: Visit, explorer: Explorer) -> None:
    query, n = explorer.data["query"], len(explorer.data["queries"])
    explorer.tells(0, query)
    explorer.tokens.nth(query).focus()
    # Or else JupyterLab takes the keys; it looks at the element itself, not at those around.
    playwright.expect(explorer.tokens.nth(query)).to_have_attribute(
        "data-lm-suppress-shortcuts", "true"
    )
    down = explorer.data["width"] or 1
    keys = {
        "ArrowRight": query + 1,
        "ArrowDown": query + 1 + down,
        "ArrowUp": query + 1,
        "End": n - 1,
    }
    for key, expected in (keys | {"Home": 0}).items():
        opened.page.keyboard.press(key)
        explorer.tells(0, expected)
        playwright.expect(explorer.tokens.nth(expected)).to_be_focused()
        playwright.expect(explorer.tokens.nth(expected)).to_be_checked()
    opened.page.keyboard.press("Shift+Tab")
    opened.page.keyboard.press("ArrowRight")
    explorer.tells(1, 0)


def obey_the_pointer(explorer: Explorer) -> None:
    query = explorer.data["query"]
    explorer.tokens.nth(query).click()
    for head in reversed(range(explorer.heads.count())):
        explorer.heads.nth(head).click()
        explorer.tells(head, query)
    explorer.tokens.nth(2).hover()
    explorer.tells(0, 2)
    explorer.heads.first.hover()
    explorer.tells(0, query)
    explorer.tokens.nth(2).click()
    explorer.heads.last.click()
    explorer.tells(explorer.heads.count() - 1, 2)
    playwright.expect(explorer.rows.first).to_be_hidden()
    explorer.all_weights.click()
    explorer.rows.nth(1 + 4).click()
    explorer.heads.last.hover()
    explorer.tells(explorer.heads.count() - 1, 4)


@every_explored
def test_without_javascript_explored_weights_are_a_table(browser, page):
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(DISK + page)
    cells = opened.locator(".attn-explorer td:visible")
    playwright.expect(cells.last).to_have_text(re.compile(r"^[01]\.\d\d$"))
    assert opened.locator(".attn-explorer input").count() == 0
    context.close()


def shown(browser, *explorers) -> "playwright.Page":
    """Open a page that holds nothing but these."""
    page = browser.new_page()
    page.set_content("".join(explorer._repr_html_() for explorer in explorers))
    return page


def test_several_explorers_on_a_page_do_not_interfere(browser):
    weights = [[[0.9, 0.1], [0.3, 0.7]], [[0.6, 0.4], [0.2, 0.8]]]
    words = {"alt": "Two words.", "caption": "Who looks at whom."}
    same = explore_weights(weights, ["she", "him"], **words)
    longer = [[0.5, 0.3, 0.2], [0.1, 0.3, 0.6]]
    other = explore_weights(
        longer, ["il", "dort"], keys=["he", "is", "asleep"], **words
    )
    page = shown(browser, same, same, other)
    first, second, third = (Explorer(page, number) for number in range(3))
    second.heads.last.click()
    second.tokens.last.click()
    third.tokens.last.click()
    for explorer, place in ((first, (0, 0)), (second, (1, 1)), (third, (0, 1))):
        explorer.tells(*place)
    assert page.evaluate("[typeof Explorer, typeof number]") == ["undefined"] * 2
    page.close()
