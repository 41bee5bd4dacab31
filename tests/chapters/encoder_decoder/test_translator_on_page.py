"""`translator` in Chromium from disk: typing, writing, pointing, switches; and in Firefox."""

import re
from pathlib import Path

import numpy as np
import pytest

from course_attn.chapters.encoder_decoder import dates
from tests.chapters.encoder_decoder.test_encoder_decoder_in_javascript import (
    N_HEADS,
    WIDE,
    answer_of,
    without,
)
from tests.chapters.encoder_decoder.test_translator import (
    ANSWER,
    OPENED,
    TEXT,
    shown,
)
from tests.site.visits import DISK, visit
from tests.support.output import Reader
from tests.support.sampled import every
from tests.support.widget_page import (
    PHONE,
    WidgetPage,
    expect,
    page_of_model,
)

SHORT = "3.5.1998"
STILL = {"reduced_motion": "reduce"}
LOAD = r"^Load the model \(\d\.\d MB\) and type your own date$"


class Opened(WidgetPage):
    """The model in a page as a reader finds it."""

    FIGURE = "figure.attn-live[data-widget='translator']"

    @property
    def text(self):
        return self.root.get_by_role("textbox", name="Your date")

    @property
    def answer(self) -> str:
        return "".join(self.cells("Answer")[0][1:])

    @property
    def characters(self):
        return self.root.locator(".attn-stage .attn-cell")

    @property
    def opened(self) -> int:
        pressed = self.characters.evaluate_all(
            "(all) => all.flatMap((e, i) => e.getAttribute('aria-pressed') === 'true' ? [i] : [])"
        )
        (place,) = pressed
        return place

    @property
    def source(self) -> str:
        return "".join(self.root.locator(".source span").all_text_contents())

    def shares(self) -> np.ndarray:
        """Return how much color each place of the source has, of 70."""
        found = self.root.locator(".source span").evaluate_all(
            "(all) => all.map((e) => parseFloat(e.style.getPropertyValue('--share')))"
        )
        return np.array(found)

    def switch(self, name: str):
        return self.root.get_by_role("checkbox", name=name, exact=True)

    def reads(self, text: str, answer: str) -> None:
        """Compare what stands there with a text and its answer."""
        assert self.source == f"{text.replace(' ', '␣'):_<{dates.N_SOURCE}}"
        assert self.answer == f"{answer:·<{dates.N_TARGET}}"


# --- where it begins ------------------------------------------------------------------------------


def test_it_begins_with_the_answer_and_the_digit_of_the_text(opened):
    page = opened()
    page.reads(TEXT, f"{ANSWER}>")
    assert page.text.input_value() == TEXT and page.opened == OPENED
    _, _, place, weight = Reader(shown()).table[1 + OPENED]
    page.says(
        r"^“7” at place 3 of the answer \(probability \d\.\d\d\) has read most of "
        rf"a space at place {place} \({weight}\), "
    )
    shares = page.shares()
    assert shares.argmax() == int(place)
    assert shares.max() == pytest.approx(70 * float(weight) ** 0.5, abs=1)


# --- writing --------------------------------------------------------------------------------------


def test_a_typed_date_is_written_character_by_character(opened):
    page = opened()
    page.page.clock.install(time=0)
    page.page.clock.pause_at(1)
    page.text.fill("May 3, 1998")
    page.reads("May 3, 1998", "")
    page.page.clock.run_for(400)
    page.reads("May 3, 1998", "")
    page.page.clock.run_for(150)
    for n in range(1, 5):
        page.reads("May 3, 1998", "1998-05-03>"[:n])
        assert page.opened == n - 1 and page.said.get_attribute("aria-busy")
        page.says(rf"^Writing: {n} of at most 11\.$")
        page.page.clock.run_for(250)
    page.button("^Stop$").click()
    page.reads("May 3, 1998", "1998-")
    page.says("^“-” at place 4 of the answer ")
    assert page.said.get_attribute("aria-busy") is None
    page.button("^Write it$").click()
    page.page.clock.run_for(3000)
    page.reads("May 3, 1998", "1998-05-03>")
    page.says(r"^“May 3, 1998” becomes 1998-05-03\.$")
    # Once more, from the beginning; a key ends it.
    page.button("^Write it$").click()
    page.page.clock.run_for(300)
    page.reads("May 3, 1998", "19")
    page.text.press("End")
    page.page.keyboard.insert_text("x")
    page.page.clock.run_for(300)
    page.reads("May 3, 1998x", "")


def test_where_motion_is_unwanted_the_answer_is_there_at_once(opened):
    page = opened(**STILL)
    page.text.fill("May 3, 1998")
    page.says(r"^“May 3, 1998” becomes 1998-05-03\.$")
    page.reads("May 3, 1998", "1998-05-03>")


def test_one_character_at_a_time(opened):
    page = opened()
    page.page.clock.install(time=0)
    page.page.clock.pause_at(1)
    one = page.button("^Write one character$")
    one.click(force=True)
    page.says("^The answer is written: there is no other character.$")
    page.text.fill(SHORT)
    for n in range(1, 12):
        one.click()
        page.reads(SHORT, "1998-05-03>"[:n])
        page.says(f"at place {n - 1} of the answer")
    assert one.get_attribute("aria-disabled") == "true"
    page.page.clock.run_for(5000)
    page.reads(SHORT, "1998-05-03>")


# --- pointing -------------------------------------------------------------------------------------


def test_a_digit_says_and_shows_what_it_has_read(opened):
    page = opened(has_touch=True)
    wanted = Reader(shown()).table[1:]
    for i, act in enumerate(("hover", "click", "tap", "focus") * 3):
        if i < len(wanted):
            getattr(page.characters.nth(i), act)()
            name = wanted[i][0].partition(",")[0]
            page.says(f"^“{name}”.* at place {i} .* at place {wanted[i][2]} ")
            assert page.opened == i
            assert page.shares().argmax() == int(wanted[i][2])


def test_arrow_keys_go_from_digit_to_digit(opened):
    page = opened()
    page.characters.nth(OPENED).focus()
    for key, place in (
        ("ArrowRight", 4),
        ("End", 10),
        ("ArrowLeft", 9),
        ("Home", 0),
    ):
        page.press(key)
        page.says(f" at place {place} of the answer")
        assert page.opened == place


def test_what_is_not_written_yet_is_said(opened):
    page = opened()
    page.page.clock.install(time=0)
    page.page.clock.pause_at(1)
    page.text.fill(SHORT)
    page.characters.nth(7).click()
    page.says("^Place 7 of the answer is not written yet.$")


# --- switches -------------------------------------------------------------------------------------


@pytest.mark.exhaustive
def test_each_part_can_be_switched_off_and_on(opened):
    page = opened(**STILL)
    page.text.fill(SHORT)
    page.says("^“3.5.1998” becomes")
    whole, _ = answer_of(SHORT, WIDE)
    cases = [
        ("mask on the source’s padding", "the mask", [], {"mask": False}),
        ("cross-attention", "cross-attention", range(2 * N_HEADS), {}),
    ]
    for n in range(2 * N_HEADS):
        block, head = 1 + n // N_HEADS, 1 + n % N_HEADS
        name = f"head {head} of block {block}"
        cases.append((f"block {block}, head {head}", name, [n], {}))
    changed = set()
    for switch, name, off, options in cases:
        answer, _ = answer_of(SHORT, without(WIDE, list(off), True), **options)
        page.switch(switch).uncheck()
        page.says(f"^Without {name}: “3.5.1998” ")
        page.reads(SHORT, answer)
        now = answer.removesuffix(">")
        if answer == whole:
            page.says(f" still becomes {now}")
        else:
            changed.add(name)
            page.says(f" becomes {now}; the whole model writes {whole[:-1]}")
        page.switch(switch).check()
        page.says(
            "^This is the trained model again. “3.5.1998” becomes 1998-05-03.$"
        )
    assert {"the mask", "cross-attention"} < changed


def test_without_the_mask_padding_is_read(opened):
    page = opened(**STILL)
    page.text.fill(SHORT)
    page.says("^“3.5.1998” becomes")
    n = len(SHORT)
    assert page.shares()[n:].max() == 0
    page.switch("mask on the source’s padding").uncheck()
    page.says(r"On average 0\.[1-9]\d of a character’s weight lies on padding\.$")
    assert page.shares()[n:].max() > 5


def test_without_cross_attention_every_date_has_the_same_answer(opened):
    page = opened(**STILL)
    page.switch("cross-attention").uncheck()
    page.says(
        "Nothing of the source is read: the answer is the same for every date.$"
    )
    answer = page.answer
    assert page.shares().max() == 0
    page.characters.first.click()
    page.says("has read nothing of the source.$")
    page.text.fill(SHORT)
    page.says("^Without cross-attention: “3.5.1998” becomes ")
    assert page.answer == answer
    page.button("^Back to the trained model$").click()
    page.says("^This is the trained model again. “3.5.1998” becomes 1998-05-03.$")
    assert page.switch("cross-attention").is_checked()


def test_there_is_a_way_back_to_the_texts_date(opened):
    page = opened(**STILL)
    page.text.fill("what?")
    page.switch("block 2, head 2").uncheck()
    page.button("^Back to the text’s date$").click()
    page.reads(TEXT, f"{ANSWER}>")
    page.says("^“7” at place 3 ")
    assert page.text.input_value() == TEXT and page.opened == OPENED
    assert page.text.get_attribute("aria-invalid") is None
    assert page.root.locator("input[type=checkbox]:not(:checked)").count() == 0


# --- texts that do not fit ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    every(4, [
        ("<b>3</b>", "^The model does not know “<” .* and 2 other characters"),
        ("3/5/1998", r"^The model does not know “/” \(place 1\): its 50 characters are "),
        ("", "^There is no text: write a date in words."),
        ("1" * 37, "^The model reads at most 36 characters, and these are 37."),
    ]),
)  # fmt: skip
def test_a_text_that_the_model_cannot_read_is_explained(opened, text, said):
    page = opened(**STILL)
    page.text.fill(text)
    page.says(said)
    page.says(f" Source and answer are still those of “{TEXT}”.$")
    page.reads(TEXT, f"{ANSWER}>")
    assert page.text.get_attribute("aria-invalid") == "true"
    for name in ("^Write it$", "^Write one character$"):
        assert page.button(name).get_attribute("aria-disabled") == "true"
        page.characters.first.focus()
        page.button(name).click(force=True)
        page.says(said)
    assert page.root.locator(".attn-stage b").count() == 0
    page.text.fill(SHORT)
    page.says(r"^“3\.5\.1998” becomes 1998-05-03\.$")
    assert page.text.get_attribute("aria-invalid") is None


# --- loading --------------------------------------------------------------------------------------


def test_nothing_is_loaded_before_the_reader_asks(browser, tmp_path):
    address = page_of_model(tmp_path, "translator", shown(opened=OPENED))
    page = Opened(browser.new_context(**PHONE).new_page(), address)
    assert [Path(url).name for url in page.requests] == ["page.html", "live.js"]
    assert page.root.locator(".attn-plain table").is_visible()
    page.button(LOAD).click()
    expect(page.text).to_be_visible()
    loaded = [Path(url).name for url in page.requests[2:]]
    assert loaded == ["dates.js", "translator.js"]
    page.reads(TEXT, f"{ANSWER}>")
    assert page.root.locator(".attn-plain").is_hidden()
    assert page.root.locator("figcaption").is_hidden()
    assert page.root.locator(".attn-offer").count() == 0
    assert page.page.evaluate("document.activeElement.className") == "attn-stage"
    assert page.problems == []
    page.page.context.close()


@pytest.mark.parametrize("missing", ["dates.js", "translator.js"])
def test_a_file_that_is_not_there_is_told(open_tab, tmp_path, missing):
    address = page_of_model(tmp_path, "translator", shown(), missing=missing)
    page = Opened(open_tab(), address)
    page.button(LOAD).click()
    page.says("^The model cannot be used here: .*is not beside .*above stays")
    assert page.root.locator(".attn-plain table").is_visible()


@pytest.mark.exhaustive
def test_the_model_runs_in_firefox(said_in_firefox):
    assert said_in_firefox().startswith("“7” at place 3 of the answer ")
    said = said_in_firefox(lambda firefox: firefox.click(".switch"))
    assert re.match(f"Without the mask: “{TEXT}” (still )?becomes ", said)


@pytest.mark.usefixtures("html")
def test_the_chapter_of_the_built_book_runs_the_model(browser):
    with visit(browser, DISK, "book/encoder_decoder.html") as built:
        page = Opened(built.page)
        page.button(LOAD).click()
        page.says("^“7” at place 3 of the answer ")
        page.reads(TEXT, f"{ANSWER}>")
        built.is_laid_out()
    assert built.problems == []
