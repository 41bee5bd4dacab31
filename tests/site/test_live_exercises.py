"""Exercise pages of the built book, opened from disk and used as a learner does."""

import json
import re

import pytest

from course_attn.exercises import catalog
from tests.site.page_python import needs_runtime
from tests.site.soundness import accessibility_violations, page_errors
from tests.site.visits import DISK, VIEWS, visit

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
expect = playwright.expect
pytestmark = [pytest.mark.usefixtures("html"), needs_runtime]

PAGE = "book/exercises/softmax.html"
HEAD = "def softmax(scores):\n"
WRONG = f"{HEAD}    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)\n"
RIGHT = f"""\
{HEAD}    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)
"""
N = sum(map(len, catalog.chapters.values()))


class Learner:
    """What a learner does with one exercise of an open page."""

    def __init__(self, page, name="softmax"):
        self.page = page
        self.block = page.locator(f".attn-exercise[data-exercise={name}]")
        self.verdict = self.block.locator(".attn-verdict")
        self.said = self.block.locator(".attn-said")
        self.editor = self.block.locator(".cm-content")

    def press(self, name):
        self.block.get_by_role("button", name=name, exact=True).click()

    def write(self, text):
        if not self.editor.count():
            self.press("Write your answer")
        self.editor.click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def is_told(self, words):
        expect(self.verdict).to_contain_text(words)


@pytest.fixture
def opened(browser):
    with visit(browser, DISK, PAGE, **VIEWS["desktop"]) as found:
        yield found
    assert found.problems == []


def test_an_answer_is_told_its_mistake_then_right_and_kept(opened):
    learner = Learner(opened.page)
    learner.write(WRONG)
    learner.press("Check")
    learner.is_told("Subtract")
    expect(learner.verdict).to_contain_text("Not yet")
    learner.write(RIGHT)
    opened.page.keyboard.press("Control+Enter")
    learner.is_told("Right")
    expect(learner.block.locator(".attn-next a")).to_have_text("log_softmax")
    heading = opened.page.locator("section#softmax")
    expect(heading).to_have_class(re.compile("attn-solved"))
    expect(opened.page.locator("nav .attn-tick").first).to_have_text("1/10")
    opened.page.reload()
    again = Learner(opened.page)
    expect(again.editor).to_contain_text("exps")
    expect(heading).to_have_class(re.compile("attn-solved"))


@pytest.mark.exhaustive
def test_crash_loop_and_print_are_told_as_they_are(opened):
    learner = Learner(opened.page)
    learner.write(f"{HEAD}    print('<i>here</i>')\n    return missing\n")
    learner.press("Check")
    learner.is_told("`missing` is not defined".replace("`", ""))
    expect(
        learner.block.locator(".live-editor-error, .cm-content").first
    ).to_be_visible()
    assert learner.verdict.locator("i").count() == 0
    learner.write("import nothing_here\n")
    learner.press("Check")
    learner.is_told("No module named 'nothing_here'")
    learner.write(f"while True:\n    pass\n{RIGHT}")
    learner.press("Check")
    learner.is_told("endless loop")
    # It can be stopped before it ends by itself; the next check starts Python anew.
    learner.press("Check")
    expect(learner.block).to_contain_text("Checking…")
    learner.press("Stop")
    expect(learner.block).to_contain_text(
        "Stopped. Change your text, then check again."
    )
    learner.write(RIGHT)
    learner.press("Check")
    learner.is_told("Right")


def test_letters_are_ticked_and_no_press_gives_one_away(opened):
    learner = Learner(opened.page, "true_of_softmax")
    box = learner.block.get_by_role("checkbox")
    expect(box).to_have_count(6)
    learner.press("Check")
    expect(learner.said).to_have_text("No box is ticked.")
    right = catalog.find("true_of_softmax").solution()
    wrong = min(set("abcdef") - right)
    for letter in {wrong} | right - {max(right)}:
        learner.block.get_by_label(letter, exact=True).check()
    learner.press("Check")
    expect(learner.said).to_have_text(
        "One box too many is ticked. One box that should be ticked is not."
    )
    card = learner.verdict.get_by_text(f"Look at {wrong} again")
    expect(card).to_be_hidden()
    learner.verdict.get_by_text("Which, and why").click()
    expect(card).to_be_visible()
    learner.block.get_by_label(wrong, exact=True).uncheck()
    last = learner.block.get_by_label(max(right), exact=True)
    last.focus()
    opened.page.keyboard.press("Space")
    opened.page.keyboard.press("Enter")
    learner.is_told("Right")
    opened.page.reload()
    expect(last).to_be_checked()
    expect(opened.page.locator("section#true-of-softmax")).to_have_class(
        re.compile("attn-solved")
    )


@pytest.mark.exhaustive
def test_numbers_are_filled_in_with_a_sentence_for_each_slip(opened):
    learner = Learner(opened.page, "scores_behind")
    fields = learner.block.get_by_role("textbox")
    first, *others = catalog.find("scores_behind").fields
    for written, told in [
        ("", f"Fill in the field “{first}”."),
        ("1,2", f"Write the number in “{first}” with a point: 1.2."),
        ("one", "“one” is not a number"),
    ]:
        fields.first.fill(written)
        learner.press("Check")
        expect(learner.said).to_contain_text(told)
    for field, share in zip(fields.all(), (2, 3, 6), strict=True):
        field.fill(f"2*np.log(1/{share}) + 2*np.log(36)/3")
    learner.press("Check")
    learner.is_told("Right")
    opened.page.reload()
    expect(fields.last).to_have_value("2*np.log(1/6) + 2*np.log(36)/3")
    learner.press("Start over")
    expect(fields.last).to_have_value("")
    learner.press("Bring my text back")
    expect(fields.last).to_have_value("2*np.log(1/6) + 2*np.log(36)/3")


def test_hints_come_one_at_a_time_and_the_solution_line_by_line(opened):
    learner = Learner(opened.page)
    learner.press("Hint")
    hints = learner.block.get_by_role("region", name="Hint").locator("li")
    expect(hints).to_have_count(1)
    learner.press("Next hint")
    expect(hints).to_have_count(2)
    learner.press("Next hint")
    expect(hints).to_have_count(3)
    expect(learner.block.get_by_role("button", name="Next hint")).to_be_hidden()
    learner.press("Solution")
    solution = learner.block.get_by_role("region", name="Solution")
    expect(solution).to_contain_text("def softmax(scores):")
    expect(solution).not_to_contain_text("row_sum")
    learner.press("Show all")
    expect(solution).to_contain_text("row_sum")


@pytest.mark.exhaustive
def test_what_replaces_the_readers_text_can_be_taken_back(opened):
    learner = Learner(opened.page)
    learner.write(RIGHT)
    learner.press("Start over")
    expect(learner.editor).not_to_contain_text("exps")
    expect(learner.said).to_contain_text("back at its start")
    learner.press("Bring my text back")
    expect(learner.editor).to_contain_text("exps")
    expect(learner.said).to_contain_text("Your text is back")
    opened.page.reload()
    expect(Learner(opened.page).editor).to_contain_text("exps")


@pytest.mark.exhaustive
def test_writing_begins_where_the_stub_is_empty(opened):
    learner = Learner(opened.page)
    expect(learner.block.get_by_role("button", name="Check")).to_be_hidden()
    learner.press("Write your answer")
    expect(learner.editor).to_be_focused()
    expect(learner.editor).not_to_contain_text("NotImplementedError")
    learner.press("Check")
    learner.is_told("There is nothing to check yet")
    opened.page.keyboard.press("Escape")
    learner.write(WRONG)
    expect(learner.verdict).to_have_class(re.compile("attn-old"))


def test_one_panel_is_open_at_a_time(opened):
    learner = Learner(opened.page)
    learner.press("Hint")
    learner.press("Solution")
    expect(learner.block.get_by_role("region", name="Hint")).to_be_hidden()
    expect(learner.block.get_by_role("region", name="Solution")).to_be_in_viewport()
    learner.press("Solution")
    expect(learner.block.get_by_role("region", name="Solution")).to_be_hidden()


@pytest.mark.exhaustive
def test_lines_put_in_order_go_into_the_editor(opened):
    learner = Learner(opened.page)
    learner.write("mine")
    learner.press("Put lines in order")
    panel = learner.block.get_by_role("region", name="Put lines in order")
    facts = json.loads(learner.block.locator("script.attn-data").text_content())
    for line in facts["parsons"]["lines"]:
        if not line["fixed"]:
            panel.get_by_role(
                "button", name=line["text"].replace("\n", " ")
            ).first.click()
    panel.get_by_role("button", name="Check the order").click()
    panel.get_by_role("button", name="Copy into the editor").click()
    expect(learner.editor).to_contain_text("row_maximum")
    learner.press("Check")
    learner.is_told("Right")


def test_an_exercise_in_pytorch_leads_to_notebooks(opened):
    learner = Learner(opened.page, "softmax_torch")
    expect(learner.block.locator(".attn-elsewhere")).to_contain_text(
        "needs PyTorch"
    )
    assert not learner.block.get_by_role("button", name="Check").count()
    learner.press("Hint")
    expect(learner.block.get_by_role("region", name="Hint")).to_be_visible()


def test_what_is_kept_can_be_saved_forgotten_and_taken_over(opened, tmp_path):
    page = opened.page
    panel = page.locator(".attn-progress")
    page.evaluate(
        """() => { localStorage.setItem("course_attn:passed:softmax", "2026-01-02");
                   localStorage.setItem("course_attn:answer:softmax", "def softmax(s): 1"); }"""
    )
    page.reload()
    expect(panel).to_contain_text(f"1 of {N} exercises solved")
    with page.expect_download() as download:
        panel.get_by_role("button", name="Save to a file").click()
    saved = tmp_path / "saved.json"
    download.value.save_as(saved)
    content = json.loads(saved.read_text())
    assert (
        content["passed"] == {"softmax": "2026-01-02"} and content["version"] == 2
    )
    panel.get_by_role("button", name="Forget all").click()
    expect(panel).to_contain_text(f"1 of {N}")
    panel.get_by_role("button", name="Press again").click()
    expect(panel).to_contain_text(f"0 of {N}")
    panel.locator("input[type=file]").set_input_files(saved)
    expect(panel).to_contain_text("1 solved exercise and 1 answer")
    expect(panel).to_contain_text(f"1 of {N}")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "kind",
    [
        "SecurityError",
        "QuotaExceededError",
    ],
)
def test_a_browser_that_keeps_nothing_is_said_and_all_else_works(browser, kind):
    refuse = f"""Object.defineProperty(Storage.prototype, "setItem", {{value() {{
        throw new DOMException("no", "{kind}"); }}}});"""
    # The theme's own script, which keeps its mode, ends with an error here.
    page = browser.new_page(**VIEWS["desktop"])
    page.add_init_script(refuse)
    page.goto(DISK + PAGE)
    learner = Learner(page)
    learner.write(RIGHT)
    words = "keeps nothing here" if kind == "SecurityError" else "is full"
    expect(learner.said).to_contain_text(words)
    learner.press("Check")
    learner.is_told("Right")
    expect(page.locator("section#softmax")).to_have_class(re.compile("attn-solved"))
    page.close()


def test_where_python_does_not_start_the_other_ways_are_shown(browser):
    with visit(browser, DISK, PAGE, **VIEWS["desktop"]) as found:
        found.page.evaluate("() => { delete window.DecompressionStream; }")
        learner = Learner(found.page)
        learner.write(RIGHT)
        learner.press("Check")
        expect(learner.said).to_contain_text("does not start")
        expect(learner.block.locator(".attn-elsewhere")).to_be_visible()


def test_without_javascript_the_page_shows_the_stub_and_where_to_run_it(open_tab):
    page = open_tab(DISK + PAGE, java_script_enabled=False)
    block = page.locator(".attn-exercise[data-exercise=softmax]")
    expect(block.locator("pre")).to_contain_text("NotImplementedError")
    expect(block.locator(".attn-elsewhere")).to_be_visible()
    assert not block.locator("button:visible").count()


@pytest.mark.exhaustive
def test_on_a_phone_with_the_keyboard_alone(browser):
    with visit(
        browser, DISK, PAGE, **VIEWS["phone"], reduced_motion="reduce"
    ) as opened:
        learner = Learner(opened.page)
        learner.block.get_by_role("button", name="Write your answer").focus()
        opened.page.keyboard.press("Enter")
        expect(learner.editor).to_be_focused()
        opened.page.keyboard.press("Control+A")
        opened.page.keyboard.insert_text(WRONG)
        opened.page.keyboard.press("Escape")
        opened.page.keyboard.press("Tab")
        expect(learner.block.get_by_role("button", name="Check")).to_be_focused()
        opened.page.keyboard.press("Enter")
        learner.is_told("Not yet")
        learner.press("Hint")
        learner.press("Put lines in order")
        learner.press("Solution")
        opened.is_laid_out()
        assert page_errors(opened.page) == []
        assert accessibility_violations(opened.page) == []
        opened.page.emulate_media(color_scheme="light")
        expect(opened.page.locator("html")).to_have_attribute("data-theme", "light")
        assert accessibility_violations(opened.page) == []
    assert opened.problems == []


def test_nothing_of_python_is_loaded_before_the_reader_writes(browser):
    with visit(browser, DISK, PAGE, **VIEWS["desktop"]) as opened:
        loaded = "[...document.scripts].map((script) => script.src).join()"
        assert "live/python.js" not in opened.page.evaluate(loaded)
        learner = Learner(opened.page)
        learner.write("#")
        opened.page.wait_for_function(f"{loaded}.includes('live/python.js')")


@pytest.mark.exhaustive
def test_lines_of_ones_own_beside_a_chapter(browser):
    with visit(browser, DISK, "book/softmax.html", **VIEWS["desktop"]) as opened:
        page = opened.page
        page.get_by_role("button", name="Try it in Python").click()
        drawer = page.get_by_role("region", name="Your own lines")
        expect(drawer.locator(".cm-content")).to_be_focused()
        drawer.get_by_role("button", name="Run").click()
        expect(drawer.locator("table").first).to_contain_text("0.665")
        page.keyboard.press("Tab")
        drawer.locator(".cm-content").click()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text("print('<u>said</u>')\n1 / 0\n")
        page.keyboard.press("Control+Enter")
        expect(drawer).to_contain_text("ZeroDivisionError")
        assert not drawer.locator("u").count()
        assert accessibility_violations(page) == []
        page.keyboard.press("Control+A")
        page.keyboard.insert_text("sum(range(10 ** 12))\n")
        drawer.get_by_role("button", name="Run").click()
        drawer.get_by_role("button", name="Stop").click()
        expect(drawer).to_contain_text("Stopped")
        page.keyboard.press("Control+A")
        drawer.locator(".cm-content").click()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text("np.ones((1, 2)) + 2\n")
        drawer.get_by_role("button", name="Run").click()
        expect(drawer.locator("td").first).to_have_text("3")
        drawer.get_by_role("button", name="Close").click()
        expect(drawer).to_be_hidden()
    assert opened.problems == []


@pytest.mark.exhaustive
def test_the_first_page_leads_back_and_shows_what_is_done(browser):
    with visit(browser, DISK, "book/softmax.html", **VIEWS["desktop"]) as opened:
        page = opened.page
        page.evaluate('localStorage.setItem("course_attn:passed:softmax", "2026")')
        page.evaluate(
            "document.querySelectorAll('.bd-article h2')[3].scrollIntoView({behavior: 'instant'})"
        )
        page.goto(DISK + "book/index.html")
        back = page.locator(".attn-continue a")
        expect(back).to_contain_text("From scores to weights, In one line")
        expect(
            page.locator(".chapter-map .attn-tick", has_text="1/10")
        ).to_be_visible()
        page.get_by_text("Your progress").click()
        expect(page.locator(".attn-progress")).to_contain_text(f"1 of {N}")
        back.click()
        page.wait_for_url("**/book/softmax.html#*")
    assert opened.problems == []


@pytest.mark.exhaustive
def test_an_answer_is_judged_in_firefox(firefox):
    firefox.open(DISK + PAGE)
    firefox.evaluate("localStorage.clear()")
    answer = json.dumps(WRONG)
    firefox.evaluate(
        f"localStorage.setItem('course_attn:answer:softmax', {answer})"
    )
    firefox.open(DISK + PAGE)
    block = '.attn-exercise[data-exercise="softmax"]'
    firefox.wait_for(f"document.querySelector('{block} .cm-content') !== null")
    firefox.click(f"{block} .attn-main:not([hidden])")
    verdict = f"document.querySelector('{block} .attn-verdict').textContent"
    firefox.wait_for(
        f"{verdict}.includes('Not yet') && {verdict}.includes('Subtract')"
    )
    firefox.evaluate("localStorage.clear()")
    # A font of the page that was left was given up: NS_BINDING_ABORTED.
    assert [e for e in firefox.errors() if "status=2152398850" not in e] == []
