"""`follow` in Chromium from disk: steps, numbers, links, keys; and in Firefox."""

import re
from functools import cache

import pytest

from course_attn.chapters.follow.widgets.follow import SECTIONS
from course_attn.chapters.follow.widgets.follow_steps import Step, Table, steps_of
from course_attn.chapters.follow.widgets.follow_sums import finer
from tests.chapters.follow.test_follow import numbers_read
from tests.chapters.follow.test_follow import page as widget
from tests.site.soundness import accessibility_violations, page_errors
from tests.site.visits import DISK, VIEWS, visit
from tests.support.gestures import is_painted
from tests.support.sampled import every
from tests.support.tiny_gpt import CHARACTERS, TEXT, drawn
from tests.support.widget_page import (
    PHONE,
    WidgetPage,
    expect,
    page_of_widgets,
)

# Picks every number that a step writes: what is said then, and what is lit.
PICK_ALL = """() => {
  const stage = document.querySelector(".attn-stage"), found = [];
  const parts = stage.querySelectorAll(".part");
  const tables = parts[1].querySelectorAll("table");
  tables.forEach((table, t) => [...table.tBodies[0].rows].forEach((row, i) =>
    [...row.querySelectorAll("button")].forEach((cell, j) => {
      cell.click();
      const lit = [...parts[0].querySelectorAll("td.lit")].map((td) => td.textContent);
      const pressed = parts[1].querySelectorAll("[aria-pressed=true]").length;
      found.push([t, i, j, cell.textContent, stage.querySelector(".attn-said").textContent, lit,
        pressed, cell.getAttribute("aria-pressed")]);
    })));
  return found;
}"""
VIEW = {"viewport": {"width": 800, "height": 700}}
FILLER = '<div style="height: 3000px"></div>'


class Opened(WidgetPage):
    """The steps of a drawn model as a reader finds them on a page of their own."""

    def go(self, step: int) -> None:
        """Set the slider to a step, counted from 1."""
        self.set("step", step)

    def next(self):
        return self.button("Next")

    def back_one(self):
        return self.button("Back")

    def cell(self, title: str, row: str, column: str):
        return self.button(f"^{re.escape(f'{title}, {row}, {column}: ')}")


@cache
def followed() -> tuple[dict[str, Table], list[Step]]:
    return steps_of(TEXT, drawn(1), n_heads=2, characters=CHARACTERS)


@pytest.mark.parametrize(
    "view",
    every(
        2,
        [
            {"theme": "dark"} | PHONE,
            {"theme": "light", "viewport": {"width": 900, "height": 900}},
        ],
    ),
    ids=["phone in the dark", "desktop"],
)
def test_every_step_is_sound_and_fits_the_page(opened, view):
    page = opened(**view)
    assert page.root.locator(".attn-plain").is_hidden()
    for k, step in enumerate(followed()[1], 1):
        page.go(k)
        shown = page.root.inner_text()
        assert step.says in shown and step.shapes in shown
        assert "undefined" not in shown and "NaN" not in shown
        wide = "(e) => e.scrollWidth > e.clientWidth + 1"
        tables = page.root.locator(".attn-scroll").all()
        assert not any(table.evaluate(wide) for table in tables), step.name
        assert (
            page.page.evaluate("document.documentElement.scrollWidth")
            <= (view["viewport"]["width"])
        )
        if k in (2, 3, 12, 18):
            assert page_errors(page.page) == [], step.name
            assert accessibility_violations(page.page) == [], step.name


def written(x: float, table: Table) -> str:
    if table.role == "weight" and x == 0:
        return "0"
    return f"{x:z.2f}".replace("-", "−").replace("inf", "∞")


def test_every_number_opens_into_its_sum_and_lights_what_it_comes_from(opened):
    page, (tables, steps) = opened(), followed()
    for k, step in enumerate(steps, 1):
        page.go(k)
        found = page.page.evaluate(PICK_ALL)
        sizes = [tables[target.table].values.size for target in step.targets]
        assert len(found) == sum(sizes)
        for t, i, j, text, said, lights, pressed, own in found:
            target, table = step.targets[t], tables[step.targets[t].table]
            assert text == written(table.values[i, j], table)
            words = target.words.format(row=table.rows[i], column=table.columns[j])
            sum_ = target.sums[i][j]
            more = " (with more decimals)" if finer(sum_) else ""
            assert said == f"{words}{more}:\n{sum_}"
            wanted = [
                written(x, tables[read.table])
                for read in target.reads
                for x in numbers_read(read, tables, i, j)
            ]
            assert lights == wanted and (pressed, own) == (1, "true")


def test_steps_go_by_buttons_slider_and_arrow_keys_and_stop_at_the_ends(opened):
    page, names = opened(), [step.name for step in followed()[1]]
    slider = page.root.get_by_role("slider", name="step")

    def at(k: int) -> None:
        page.says(f"^Step {k}, {re.escape(names[k - 1])}\\. ")
        assert (
            slider.get_attribute("aria-valuetext") == f"{k} of 18: {names[k - 1]}"
        )
        assert slider.input_value() == str(k)
        ends = [
            one.get_attribute("aria-disabled")
            for one in (page.back_one(), page.next())
        ]
        assert ends == [str(k == 1).lower(), str(k == 18).lower()]

    at(1)
    page.back_one().click(force=True)
    at(1)
    page.next().click()
    page.next().click()
    at(3)
    page.back_one().click()
    at(2)
    for key, k in {
        "ArrowRight": 3,
        "ArrowUp": 4,
        "ArrowLeft": 3,
        "ArrowDown": 2,
    }.items():
        page.page.keyboard.press(key)
        at(k)
    slider.focus()
    for key, k in {"ArrowRight": 3, "End": 18, "ArrowLeft": 17}.items():
        page.page.keyboard.press(key)
        at(k)
    page.next().click()
    page.next().click(force=True)
    at(18)


def test_arrow_keys_pick_numbers_and_the_row_stays_from_step_to_step(opened):
    page = opened()
    page.go(4)
    page.says(r"^Step 4, scores\. Score of query p₃ and key h₀, head 1")
    page.cell("S, head 2", "a₁", "p₂").click()
    more = r"( \(with more decimals\))?"
    page.says(f"^Score of query a₁ and key p₂, head 2{more}:")
    for key, who in {
        "ArrowRight": "a₁ and key p₃",
        "ArrowDown": "p₂ and key p₃",
        "ArrowLeft": "p₂ and key p₂",
        "ArrowUp": "a₁ and key p₂",
    }.items():
        page.page.keyboard.press(key)
        page.says(f"^Score of query {who}, head 2{more}:")
    page.next().click()
    page.says(r"^Step 5, scaling\. Scaled score of query a₁ and key h₀, head 2")
    page.go(9)
    page.says(r"^Step 9, heads\. Feature 1 for a₁")
    page.go(7)
    page.says(r"^Step 7, softmax\. Weight that a₁ gives ")


def test_every_control_is_reached_by_tab_and_a_table_is_one_stop(opened):
    page = opened()
    page.go(3)
    page.next().focus()
    reached = []
    for _ in range(9):
        page.page.keyboard.press("Tab")
        reached.append(
            page.page.evaluate(
                "document.activeElement.getAttribute('aria-label')"
                " || document.activeElement.textContent || document.activeElement.type"
            )
        )
    assert reached[0] == "range"
    assert reached[1:3] == ["Queries, keys and values", "Its code"]
    assert [label.split(":")[0] for label in reached[3:6]] == [
        f"{letter}, p₃, 1" for letter in "QKV"
    ]


def page_with(folder, before: str = "", after: str = "") -> str:
    """Write the widget between other things; return the page's address."""
    return page_of_widgets(folder, before, widget(), after)


def page_outside(folder) -> str:
    """Write the widget as it is outside of the book; return the page's address."""
    address, file = page_with(folder), folder / "page.html"
    text = file.read_text("utf-8").replace('"bd-article"', '"jp"')
    file.write_text(text, "utf-8")
    return address


def test_an_address_that_ends_in_a_step_opens_it_and_shows_the_tables(
    open_tab, tmp_path
):
    after = f'{FILLER}<h2 id="step-softmax">Step: softmax</h2>{FILLER}'
    address = page_with(tmp_path, FILLER, after)
    page = open_tab(f"{address}#step-softmax", **VIEW)
    said = page.get_by_role("status")
    expect(said).to_have_text(re.compile(r"^Step 7, softmax\. "))
    is_painted(page)
    expect(page.locator(".attn-stage .controls")).to_be_in_viewport()
    # The page's own links lead to the code, and the tables go along.
    page.get_by_role("link", name="Its code").click()
    expect(page.locator("#step-softmax")).to_be_in_viewport()
    page.evaluate("location.hash = 'step-mask'")
    expect(said).to_have_text(re.compile(r"^Step 6, mask\. "))
    page.evaluate("location.hash = 'elsewhere'")
    is_painted(page)
    expect(said).to_have_text(re.compile(r"^Step 6, mask\. "))
    page = open_tab(f"{address}#nothing")
    expect(page.get_by_role("status")).to_have_text(
        re.compile(r"^Step 1, embedding\. ")
    )
    assert page.evaluate("scrollY") == 0


def section(slug: str, inside: str) -> str:
    return f'<section id="{slug}"><h2>{slug}</h2>{inside}</section>'


def test_the_address_goes_along_and_ways_lead_from_the_code_back_to_the_tables(
    open_tab, tmp_path
):
    link = '<a href="#tables">Back to the tables</a>'
    codes = section("step-softmax", link) + FILLER + section("step-mask", link)
    tables = f'{FILLER}<section id="tables">'
    address = page_with(tmp_path, tables, f"</section>{FILLER}{codes}")
    page = open_tab(address, **VIEW)
    said = page.get_by_role("status")
    assert page.evaluate("location.hash") == ""
    page.get_by_role("slider", name="step").fill("5")
    assert page.evaluate("location.hash") == "#step-scaling"
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Next").click()
    assert page.evaluate("location.hash") == "#step-softmax"
    assert page.evaluate("history.length") == 2  # the empty page, and this one
    # To the code and back again, with the browser's own button.
    page.get_by_role("link", name="Its code").click()
    expect(page.locator("#step-softmax h2")).to_be_in_viewport()
    page.go_back()
    expect(page.locator(".attn-stage .controls")).to_be_in_viewport()
    expect(said).to_have_text(re.compile(r"^Step 7, softmax\. "))
    # From the code of another step to the tables of that step.
    page.locator("#step-mask a").click()
    expect(page.locator(".attn-stage .controls")).to_be_in_viewport()
    expect(said).to_have_text(re.compile(r"^Step 6, mask\. "))
    expect(page.get_by_role("button", name="Next")).to_be_focused()
    assert page.evaluate("location.hash") == "#step-mask"


def test_outside_of_the_book_the_address_stays(open_tab, tmp_path):
    page = open_tab(page_outside(tmp_path))
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("status")).to_have_text(re.compile(r"^Step 2, "))
    assert page.evaluate("location.hash") == ""


def test_home_and_end_move_within_the_row_and_not_the_page(open_tab, tmp_path):
    page = open_tab(page_with(tmp_path, FILLER, FILLER) + "#step-softmax", **VIEW)
    is_painted(page)
    focused = "document.activeElement.getAttribute('aria-label').split(':')[0]"
    page.get_by_role("button", name=re.compile("^A, head 2, p₂, a₁: ")).focus()
    before = page.evaluate("scrollY")
    for key, column in {"End": "p₃", "Home": "h₀", "ArrowRight": "a₁"}.items():
        page.keyboard.press(key)
        assert page.evaluate(focused) == f"A, head 2, p₂, {column}"
    page.keyboard.press("Home")
    page.keyboard.press("Home")
    assert page.evaluate(focused) == "A, head 2, p₂, h₀"
    is_painted(page)
    assert abs(page.evaluate("scrollY") - before) < 200


def test_a_step_leads_to_its_chapter_and_its_code(open_tab, opened, tmp_path):
    page = opened()
    for k, step in enumerate(followed()[1], 1):
        page.go(k)
        links = page.root.locator(".about a")
        found = [link.get_attribute("href") for link in links.all()]
        section = SECTIONS.get(step.name)
        place = f"{step.chapter}.html" + (f"#{section}" if section else "")
        assert found == [place, f"#{step.slug}"]
    # Outside of the book chapters are notebooks.
    link = open_tab(page_outside(tmp_path)).locator(".about a").first
    expect(link).to_have_attribute("href", "order.ipynb")


def test_without_javascript_every_step_is_a_table(open_tab, opened):
    page = opened()
    plain = open_tab(page.page.url, java_script_enabled=False, **PHONE)
    shown = plain.locator(".attn-live").inner_text()
    for step in followed()[1]:
        assert f". {step.name.capitalize()}." in shown


def test_follow_steps_in_firefox(said_in_firefox):
    assert said_in_firefox().startswith("Step 1, embedding. ")
    second = "[...document.querySelectorAll('.controls button')][1].click()"
    said = said_in_firefox(lambda f: f.evaluate(second))
    assert said.startswith("Step 2, first norm. ")


@pytest.mark.usefixtures("html")
@pytest.mark.parametrize("step", ["step-queries-keys-values", "step-softmax"])
def test_sum_stays_in_sight_of_the_number_on_a_phone(browser, step):
    """On the built page: the theme's figures and outputs scroll, which would hold the sum back."""
    with visit(
        browser, DISK, f"book/follow.html#{step}", **VIEWS["phone"]
    ) as opened:
        stage = opened.page.locator(".attn-live[data-widget=follow] .attn-stage")
        last = stage.locator(".attn-cell").last
        last.scroll_into_view_if_needed()
        last.click()
        place = stage.get_by_role("status").bounding_box()
        header = opened.page.locator(".bd-header-article").bounding_box()
        assert place["y"] >= header["y"] + header["height"] - 1
        assert place["y"] + place["height"] <= last.bounding_box()["y"]
