"""Questions before a result, on a page from disk: choosing, guessing, and what is covered."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from course_attn.drawing.questions import Question, predict, predict_number
from tests.site.built_pages import article, page_of
from tests.site.soundness import accessibility_violations
from tests.site.sources import CHAPTERS, name
from tests.site.visits import DISK, VIEWS, visit
from tests.site.visits import address as address_of
from tests.support.sampled import every
from tests.support.scripts import bundled, path_of

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
expect = playwright.expect

PHONE = {"width": 360, "height": 740}
CHOICE = predict(
    "mean",
    "What is the mean of 1, 2 and 6?",
    [
        ("2", "That is the *median*, which splits them.", False),
        ("3", "Measured: `3.0`, a third of 9.", True),
        ("6", "That is <i>the</i> largest.", False),
        ("9", "That is the sum.", False),
    ],
    text=1,
)
NUMBER = predict_number(
    "share", "How much is a quarter?", 0, 100, 25, unit=" %", said="One of four.",
    too_low="It is more than a tenth.", too_high="It is less than a half.", covers=2,
)  # fmt: skip
FACTOR = predict_number(
    "bytes", "How many bytes?", 10, 1e9, 3.6e6, unit=" bytes", said="They are many.",
    too_low="One a pair.", too_high="Not so many.", log=True, covers=0,
)  # fmt: skip


def cell(output: str, **attributes: str) -> str:
    """Return a cell with an output as the book shows it."""
    given = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return (
        f'<div class="cell docutils container"{given}><div class="cell_input">code</div>'
        f'<div class="cell_output docutils container">{output}</div></div>'
    )


def asked(question: Question) -> str:
    return cell(f'<div class="output text_html">{question._repr_html_()}</div>')


def result(name: str) -> str:
    return cell(f"result {name}", id=name)


BODY = f"""
<section><h1>Questions</h1>
{asked(CHOICE)}
<p id="between">The cell computes it:</p>
<div class="cell docutils container" id="check">a check without an output</div>
{result("mean")}
<p id="caption"><strong>Figure.</strong> A finding.</p>
<div class="cell docutils container" id="after-check">another check</div>
<p id="told">Three, then.</p>
<p id="after">Text that goes on.</p>
{result("another")}
{asked(NUMBER)}
{result("first")}
<p id="middle">And now the second.</p>
{result("second")}
<p id="end">The end.</p>
<section><h2>Next</h2>
{asked(FACTOR)}
{result("uncovered")}
</section></section>"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write a page with three questions as the book has them, in the book's theme."""
    folder = tmp_path_factory.mktemp("questions")
    theme = files("pydata_sphinx_theme") / "theme/pydata_sphinx_theme/static/styles"
    styles = [
        Path(str(theme / "pydata-sphinx-theme.css")),
        path_of("questions.css"),
    ]
    (folder / "softmax.html").write_text(
        '<!DOCTYPE html><html lang="en" data-theme="light"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><title>Questions</title>'
        + "".join(
            f'<link rel="stylesheet" href="{path.as_uri()}">' for path in styles
        )
        + f'<body><main class="bd-article">{BODY}</main>'
        f"<script>{bundled(path_of('questions.js'))}</script></body></html>",
        "utf-8",
    )
    return (folder / "softmax.html").as_uri()


class Asked:
    """A question as a reader finds it: options or a bar, what is said, and the cover."""

    def __init__(self, page: "playwright.Page", name: str) -> None:
        self.page = page
        self.block = page.locator(f'[data-question="{name}"]')
        self.options = self.block.get_by_role("radio")
        self.bar = self.block.get_by_role("slider")
        self.said = self.block.get_by_role("status").locator("p")
        self.shortcut = self.block.locator(".attn-shortcut")

    def option(self, text: str) -> "playwright.Locator":
        return self.options.filter(has_text=re.compile(f"^{text}$"))

    def says(self, *lines: str | re.Pattern[str]) -> None:
        expect(self.said).to_have_text(list(lines))


@pytest.fixture
def page(open_tab, address):
    return open_tab(address, viewport={"width": 1280, "height": 900})


def kept(page) -> dict[str, str]:
    """Return what the browser keeps, by names without the book's."""
    entries = page.evaluate("Object.entries(localStorage)")
    return {key.removeprefix("course_attn:"): text for key, text in entries}


def keep(page, **ticks: str) -> None:
    """Let the browser keep ticks of questions before the page is opened."""
    for question, text in ticks.items():
        key = f"course_attn:predict:softmax:{question}"
        page.add_init_script(f"localStorage.setItem({key!r}, {text!r});")


WRONG = "Not so. That is the median, which splits them."
RIGHT = "Measured: 3.0, a third of 9."


# A choice


def test_choice__a_wrong_one_is_struck_out_and_answered_then_the_right_one(page):
    asked = Asked(page, "mean")
    expect(asked.block.get_by_role("radiogroup")).to_have_accessible_name(
        "What is the mean of 1, 2 and 6?"
    )
    asked.option("2").click()
    asked.says(WRONG, "Try once more.")
    expect(asked.option("2")).to_have_css("text-decoration-line", "line-through")
    expect(asked.option("2")).to_have_attribute("aria-disabled", "true")
    expect(asked.option("2")).to_have_accessible_description("wrong")
    expect(page.locator("#mean")).to_be_hidden()
    asked.option("2").click(force=True)
    asked.says(WRONG, "Try once more.")
    asked.option("3").click()
    asked.says(WRONG, f"Right. {RIGHT}")
    expect(asked.said.locator("em")).to_have_text("median")
    expect(asked.option("3")).to_have_accessible_description("right")
    expect(asked.options.and_(page.locator('[aria-checked="true"]'))).to_have_text(
        "3"
    )
    expect(page.locator("#mean")).to_be_visible()
    assert kept(page) == {"predict:softmax:mean": '{"tried":["2","3"],"done":true}'}


def test_choice__after_two_wrong_ones_the_answer_is_told(page):
    asked = Asked(page, "mean")
    asked.option("2").click()
    asked.option("6").click()
    asked.says(
        WRONG, "Not so. That is <i>the</i> largest.", f"The answer: 3. {RIGHT}"
    )
    expect(asked.option("3")).to_have_class(re.compile("attn-right"))
    expect(asked.option("3")).to_have_attribute("aria-checked", "false")
    expect(page.locator("#mean")).to_be_visible()
    asked.option("3").click(force=True)
    expect(asked.said).to_have_count(3)


def test_choice__once_the_answer_is_out_the_other_options_can_be_read(page):
    asked = Asked(page, "mean")
    asked.option("3").click()
    expect(asked.option("9")).to_have_attribute("aria-disabled", "false")
    asked.option("9").click()
    asked.option("9").click(force=True)
    asked.option("2").click()
    median = "Not “2”. That is the median, which splits them."
    lines = [f"Right. {RIGHT}", median, "Not “9”. That is the sum."]
    asked.says(*lines)
    expect(asked.option("9")).to_have_accessible_description("wrong")
    expect(asked.option("3")).to_have_attribute("aria-checked", "true")
    ticks = kept(page)["predict:softmax:mean"]
    assert ticks == '{"tried":["3"],"read":["9","2"],"done":true}'
    # Or else a reload might overtake what the browser stores.
    keep(page, mean=ticks)
    page.reload()
    asked.says(*lines)
    asked.shortcut.click()
    asked.says()
    asked.option("9").click()
    asked.says("Not so. That is the sum.", "Try once more.")


def test_choice__only_what_is_new_is_read_out(page):
    asked = Asked(page, "mean")
    asked.option("2").click()
    first = asked.said.first.element_handle()
    asked.option("6").click()
    expect(asked.said).to_have_count(3)
    assert first.evaluate("line => line.isConnected")


def test_choice__by_keyboard_arrows_move_and_enter_chooses(page):
    asked = Asked(page, "mean")
    page.keyboard.press("Tab")
    expect(asked.option("2")).to_be_focused()
    for key, at in {"ArrowRight": "3", "ArrowDown": "6", "End": "9"}.items():
        page.keyboard.press(key)
        expect(asked.option(at)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(asked.option("2")).to_be_focused()
    asked.says()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    asked.says("Not so. That is the sum.", "Try once more.")
    expect(asked.option("9")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Skip the guess").first).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Space")
    asked.says("Not so. That is the sum.", f"Right. {RIGHT}")


def test_choice__can_be_answered_again(page):
    asked = Asked(page, "mean")
    asked.option("3").click()
    expect(asked.shortcut).to_have_text("Ask me again")
    asked.shortcut.click()
    asked.says()
    expect(asked.option("3")).to_have_attribute("aria-disabled", "false")
    expect(page.locator("#mean")).to_be_hidden()
    assert kept(page) == {"predict:softmax:mean": ""}
    asked.option("3").click()
    asked.says(f"Right. {RIGHT}")


# What the reader did is kept


@pytest.mark.parametrize(
    ("ticks", "lines"),
    [
        ('{"tried":["2"],"done":false}', [WRONG, "Try once more."]),
        ('{"tried":["2","9"]}', [WRONG, "Not so. That is the sum.", f"The answer: 3. {RIGHT}"]),
        ("<b>damaged", []),
    ],
)  # fmt: skip
def test_choice__goes_on_where_the_reader_left_off(open_tab, address, ticks, lines):
    page = open_tab()
    keep(page, mean=ticks, share=ticks)
    page.goto(address)
    Asked(page, "mean").says(*lines)
    done = lines and lines[-1] != "Try once more."
    expect(page.locator("#mean")).to_be_visible(visible=bool(done))
    expect(Asked(page, "bytes").bar).to_be_enabled()


def test_trouble_with_keeping_is_said_and_hinders_nothing(page):
    page.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new DOMException('no'); }; }"
    )
    trouble = re.compile("^This browser keeps nothing here")
    asked = Asked(page, "mean")
    asked.option("2").click()
    asked.says(WRONG, "Try once more.", trouble)
    asked.option("3").click()
    asked.says(WRONG, f"Right. {RIGHT}", trouble)


# A number


def test_number__the_guess_is_compared_with_what_was_measured(page):
    asked = Asked(page, "share")
    expect(asked.bar).to_have_accessible_name(re.compile("How much is a quarter"))
    expect(asked.bar).to_have_attribute("aria-valuetext", "50\xa0%")
    guess = asked.block.get_by_role("button", name="That is my guess")
    expect(guess).to_be_disabled()
    expect(asked.block.locator("output")).to_have_text("Move the bar")
    expect(asked.block.locator(".attn-ends span")).to_have_text(
        ["0 %", "", "100 %"]
    )
    asked.bar.press("Enter")
    asked.says()
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    expect(asked.bar).to_have_attribute("aria-valuetext", "40\xa0%")
    expect(asked.block.locator(".attn-mark")).to_be_hidden()
    guess.click()
    asked.says(
        "You guessed 40 %, 15 points too high. It is less than a half.",
        "The answer: 25 %. One of four.",
    )
    expect(asked.bar).to_be_disabled()
    bar, mark = (
        asked.block.locator(selector).bounding_box()
        for selector in ("input", ".attn-mark")
    )
    place = (mark["x"] + mark["width"] / 2 - bar["x"]) / bar["width"]
    assert abs(place - 0.25) < 0.02
    assert kept(page) == {
        "predict:softmax:share": '{"tried":[],"done":true,"guess":40}'
    }
    expect(asked.block.locator("output")).to_have_text("40 %")
    asked.shortcut.click()
    expect(asked.bar).to_be_enabled()
    expect(guess).to_be_disabled()
    expect(asked.block.locator(".attn-mark")).to_be_hidden()
    asked.says()


def test_number__where_factors_count(page):
    asked = Asked(page, "bytes")
    expect(asked.bar).to_have_value("100")  # the middle of 200 places
    asked.bar.press("Home")
    expect(asked.bar).to_have_attribute("aria-valuetext", "10\xa0bytes")
    asked.bar.press("End")
    expect(asked.bar).to_have_attribute("aria-valuetext", "1,000,000,000\xa0bytes")
    ends = asked.block.locator(".attn-ends span")
    scale = "equal steps are equal factors (a logarithmic scale)"
    expect(ends).to_have_text(["10 bytes", scale, "1,000,000,000 bytes"])
    expect(asked.bar).to_have_accessible_description(scale)
    asked.bar.fill("100")
    expect(asked.bar).to_have_attribute("aria-valuetext", "100,000\xa0bytes")
    asked.bar.press("Enter")
    asked.says(
        "You guessed 100,000 bytes, too low by a factor of 36. One a pair.",
        "The answer: 3,600,000 bytes. They are many.",
    )
    asked.shortcut.click()
    asked.bar.fill("77")  # 10 to the power of 4.08
    asked.block.get_by_role("button", name="That is my guess").click()
    assert '"guess":12000' in kept(page)["predict:softmax:bytes"]


def test_number__goes_on_where_the_reader_left_off(open_tab, address):
    page = open_tab()
    keep(page, share='{"guess":21}', bytes='{"guess":1e12}')
    page.goto(address)
    asked = Asked(page, "share")
    asked.says(
        "Close. You guessed 21 %, 4 points too low.",
        "The answer: 25 %. One of four.",
    )
    expect(asked.bar).to_have_value("21")
    expect(Asked(page, "bytes").bar).to_be_enabled()


# What is covered


def test_what_gives_the_answer_away_is_covered_and_nothing_else(page):
    hidden = ["between", "check", "mean", "caption", "after-check", "told"]
    for part in [*hidden, "first", "middle", "second"]:
        expect(page.locator(f"#{part}")).to_be_hidden()
    for part in ("after", "another", "end", "uncovered"):
        expect(page.locator(f"#{part}")).to_be_visible()
    # A question has one such button: on the cover, or where it covers nothing, below it.
    expect(page.get_by_role("button", name="Skip the guess")).to_have_count(3)
    for question, own in {"mean": False, "share": False, "bytes": True}.items():
        expect(Asked(page, question).shortcut).to_be_visible(visible=own)


def test_the_result_is_shown_to_a_reader_who_asks(page):
    page.get_by_role("button", name="Skip the guess").first.press("Enter")
    expect(page.locator("#told")).to_be_visible()
    expect(page.locator("#second")).to_be_hidden()
    Asked(page, "mean").says(f"The answer: 3. {RIGHT}")
    expect(page.locator(".attn-covered").first).to_be_focused()
    page.get_by_role("button", name="Skip the guess").first.click()
    expect(page.locator("#second")).to_be_visible()
    Asked(page, "share").says("The answer: 25 %. One of four.")


def test_a_link_to_what_is_covered_opens_it(open_tab, address, page):
    page.evaluate("location.hash = '#second'")
    expect(page.locator("#second")).to_be_visible()
    expect(page.locator("#mean")).to_be_hidden()
    page.evaluate("location.hash = '#%E0%A4%A'")
    linked = open_tab(address + "#mean")
    expect(linked.locator("#mean")).to_be_visible()


def test_the_cover_takes_little_room_and_no_width(page):
    page.set_viewport_size(PHONE)
    closed = page.locator(".attn-closed").first.bounding_box()
    assert closed["height"] <= 8 * 16 + 2
    width = page.locator("#mean").bounding_box()["width"]
    Asked(page, "mean").option("3").click()
    assert page.locator("#mean").bounding_box()["width"] == width


# Other ways to read


def test_without_javascript_options_open_and_nothing_is_covered(open_tab, address):
    page = open_tab(address, java_script_enabled=False)
    block = page.locator('[data-question="mean"]')
    expect(block.get_by_text("What is the mean of 1, 2 and 6?")).to_be_visible()
    expect(block.locator("summary")).to_have_text(["2", "3", "6", "9"])
    expect(block.get_by_text(RIGHT)).to_be_hidden()
    block.locator("summary").nth(1).press("Enter")
    expect(block.locator("p").nth(2)).to_have_text(f"Right. {RIGHT}")
    expect(block.get_by_text(RIGHT)).to_be_visible()
    for part in ("between", "mean", "told", "first", "second"):
        expect(page.locator(f"#{part}")).to_be_visible()
    assert page.locator(":is(button, input)").count() == 0


@pytest.mark.parametrize("script", [True, False])
def test_on_paper_all_is_text(open_tab, address, script):
    page = open_tab(address, java_script_enabled=script)
    page.emulate_media(media="print")
    for part in ("between", "mean", "told", "first", "second"):
        expect(page.locator(f"#{part}")).to_be_visible()
    # Whether a closed answer is drawn is no property of its own: it takes room.
    for sentence in page.locator(".attn-predict details p").all():
        box = sentence.bounding_box()
        assert box is not None and box["height"] > 10
    expect(page.locator("button:visible, input:visible")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_before_and_after_an_answer(page, theme):
    page.emulate_media(
        reduced_motion="reduce"
    )  # or else something is half transparent
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    assert accessibility_violations(page) == []
    Asked(page, "mean").option("2").click()
    Asked(page, "share").bar.fill("30")
    page.get_by_role("button", name="That is my guess").first.click()
    assert accessibility_violations(page) == []
    Asked(page, "mean").option("3").click()
    page.mouse.move(0, 0)
    assert accessibility_violations(page) == []


def test_on_a_phone_nothing_is_wider_than_the_page_and_all_is_large_enough(page):
    page.set_viewport_size(PHONE)
    Asked(page, "mean").option("2").click()
    Asked(page, "share").bar.fill("30")
    Asked(page, "share").bar.press("Enter")
    root = "document.documentElement"
    assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")
    for target in page.locator(".attn-option:visible").all():
        box = target.bounding_box()
        assert box["height"] >= 44 and box["x"] + box["width"] <= PHONE["width"]


@pytest.mark.parametrize(
    ("motion", "animation"), [("reduce", "none"), ("no-preference", "attn-shown")]
)
def test_what_opens_does_not_move_for_who_wants_no_motion(page, motion, animation):
    page.emulate_media(reduced_motion=motion)
    page.get_by_role("button", name="Skip the guess").first.click()
    inside = page.locator(".attn-covered").first
    expect(inside).to_have_css("animation-name", animation)


# The built chapters


@pytest.mark.parametrize("path", CHAPTERS, ids=name)
def test_a_built_chapter_has_its_questions_and_right_options_in_several_places(
    path, html
):
    questions = article(page_of(path)).select(".attn-predict")
    assert 3 <= len(questions) <= 5
    names = [question["data-question"] for question in questions]
    assert len(names) == len({*names})
    right = [
        ["data-holds" in option.attrs for option in question.select("details")]
        for question in questions
        if question.select("details[data-holds]")
    ]
    assert all(sum(holds) == 1 for holds in right)
    assert len({holds.index(True) for holds in right}) > 1


# It is the same script in each chapter.
@pytest.mark.usefixtures("html")
@pytest.mark.parametrize("path", every(9, CHAPTERS), ids=name)
def test_questions_of_a_built_chapter_cover_their_results(browser, path):
    with visit(
        browser, DISK, address_of(path), covered=True, **VIEWS["phone"]
    ) as opened:
        questions = opened.page.locator(".attn-predict")
        covering = opened.page.locator('.attn-predict:not([data-covers="0"])')
        closed = opened.page.locator(".attn-closed")
        expect(closed).to_have_count(covering.count())
        headings = opened.page.locator(".attn-covered :is(h1, h2, h3)")
        expect(headings).to_have_count(0)
        for cover in closed.all():
            assert cover.locator(".cell_output").count() > 0
        first = questions.first
        opened.page.get_by_role("button", name="Skip the guess").first.click()
        expect(first.get_by_role("status").locator("p")).to_have_count(1)
        # The browser stores in a process of its own, which a reload may overtake on a busy machine.
        said = first.get_by_role("status").locator("p")
        for _ in range(100):
            opened.page.reload()
            opened.is_laid_out()
            if said.count():
                break
        expect(said).to_have_count(1)
        opened.uncover()
        expect(closed).to_have_count(0)
    assert opened.problems == []
