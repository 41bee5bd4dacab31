"""Cards on a page from disk: answered in the text, asked when due, kept and taken along."""

import json
import re
import shutil
from datetime import datetime, timedelta

import pydata_sphinx_theme
import pytest

from book._parts.pages import scripts_apart
from course_attn.drawing.cards import card, deck
from course_attn.exercises import catalog
from tests.site.soundness import accessibility_violations
from tests.support.sampled import every
from tests.support.scripts import bundled, path_of
from tools.book import BOOK
from whywrong.store import take_over

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
expect = playwright.expect

PHONE = {"width": 360, "height": 740}
NOON = datetime(2026, 3, 2, 12)


def cards_of(chapter: str, *names: str) -> str:
    made = [
        card(
            name,
            f"What is {name}?",
            f"It is *{name}*.",
            section="Sums",
            holds=[True],
        )
        for name in names
    ]
    return deck(chapter, *made)._repr_html_()


SUMS, MEANS = cards_of("sums", "one", "two", "three"), cards_of("means", "four")
PAGE = """<!doctype html><html lang="en" data-theme="light" data-content_root="./"><head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Cards</title>
<link rel="stylesheet" href="theme.css"><link rel="stylesheet" href="live.css">
<link rel="stylesheet" href="cards.css">
<script defer src="live.js"></script><script defer src="panel.js"></script>
<script defer src="cards.js"></script></head>
<body><main class="bd-article"><h1>Cards</h1>{body}</main></body></html>"""
CHAPTER = f"<section><h2>Review</h2>{SUMS}</section>"
REVIEW = f"""<div class="attn-session"></div><div class="attn-progress"></div>
<section id="sums"><h2>Sums</h2>{SUMS}</section>
<section id="means"><h2>Means</h2>{MEANS}</section>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory):
    """Write a chapter's page and the page of the review, with the book's scripts."""
    made = tmp_path_factory.mktemp("cards")
    chapters = [
        {"slug": slug, "title": slug, "exercises": list(names)}
        for slug, names in catalog.chapters.items()
    ]
    facts = json.dumps({"chapters": chapters, "starters": {}})
    live = f"self.courseFacts={facts};\n{bundled(path_of('store.js'))}"
    (made / "live.js").write_text(live, "utf-8")
    for name, text in scripts_apart().items():
        (made / f"{name}.js").write_text(text, "utf-8")
    shutil.copy(path_of("cards.css"), made)
    shutil.copy(path_of("exercise.css"), made / "live.css")
    theme = "theme/pydata_sphinx_theme/static/styles/pydata-sphinx-theme.css"
    shutil.copy(f"{pydata_sphinx_theme.__path__[0]}/{theme}", made / "theme.css")
    (made / "chapter.html").write_text(PAGE.format(body=CHAPTER), "utf-8")
    (made / "review.html").write_text(PAGE.format(body=REVIEW), "utf-8")
    return made


class Reader:
    """Somebody with a browser of their own, and a calendar."""

    def __init__(self, open_tab, folder, **settings):
        self.folder, self.page = folder, open_tab(**settings)
        self.day(0)

    def day(self, days: int) -> None:
        """Let it be so many days after the first one, at noon."""
        self.page.clock.set_fixed_time(NOON + timedelta(days=days))

    def opens(self, name: str, **kept: str) -> None:
        """Open a page, where the browser keeps this of cards already."""
        address = (self.folder / f"{name}.html").as_uri()
        if kept:
            self.page.goto(address)
            for card_name, state in kept.items():
                key = f"course_attn:card:{card_name.replace('__', '/')}"
                self.page.evaluate(
                    "([k, v]) => localStorage.setItem(k, v)", [key, state]
                )
        self.page.goto(address)

    def kept(self, name: str) -> str | None:
        key = f"course_attn:card:{name}"
        return self.page.evaluate("(key) => localStorage.getItem(key)", key)

    def card(self, name: str):
        return self.page.locator(f'.attn-deck [data-card="{name}"]')

    @property
    def asked(self):
        return self.page.locator(".attn-stage details")

    @property
    def said(self):
        return self.page.locator(".attn-session > [role=status]")

    def answers(self, shown, word: str) -> None:
        shown.locator("summary").click()
        shown.get_by_role("button", name=word).click()


@pytest.fixture
def reader(open_tab, folder):
    return Reader(open_tab, folder)


def date(days: int) -> str:
    return (NOON + timedelta(days=days)).strftime("%Y-%m-%d")


# In the text


def test_without_javascript_cards_are_questions_that_open(open_tab, folder):
    reader = Reader(open_tab, folder, java_script_enabled=False)
    reader.opens("chapter")
    one = reader.card("sums/one")
    expect(one.get_by_text("It is one.")).to_be_hidden()
    one.locator("summary").press("Enter")
    expect(one.get_by_text("It is one.")).to_be_visible()
    assert reader.page.locator("button").count() == 0


@pytest.mark.parametrize("script", [True, False])
def test_on_paper_all_answers_are_shown(open_tab, folder, script):
    reader = Reader(open_tab, folder, java_script_enabled=script)
    reader.opens("chapter")
    reader.page.emulate_media(media="print")
    for answer in reader.page.locator(".attn-card > p:not(.attn-when)").all():
        box = answer.bounding_box()
        assert box is not None and box["height"] > 10
    expect(reader.page.locator("button:visible")).to_have_count(0)


def test_an_answer_stays_in_sight_until_the_card_is_due_again(reader):
    reader.opens("chapter")
    one, two = reader.card("sums/one"), reader.card("sums/two")
    reader.answers(one, "I knew it")
    assert reader.kept("sums/one") == f"{date(0)} 1"
    for _ in range(2):
        expect(one.get_by_text("It is one.")).to_be_visible()
        expect(one).to_contain_text("Comes back tomorrow.")
        expect(one.get_by_role("button")).to_have_count(0)
        expect(two.get_by_text("It is two.")).to_be_hidden()
        reader.opens("chapter")
    reader.day(1)
    reader.opens("chapter")
    expect(one.get_by_text("It is one.")).to_be_hidden()
    reader.answers(one, "Not yet")
    assert reader.kept("sums/one") == f"{date(1)} 0"
    expect(reader.page.get_by_role("status")).to_have_text(
        "You will be asked again today. 1 of 3 answered."
    )
    expect(one.locator("summary")).to_be_focused()


# The review


def test_the_page_tells_after_which_days_a_card_comes_back():
    script, page = path_of("schedule.js"), BOOK / "review.md"
    days = re.search(r"DAYS = \[0, ([\d, ]+)\]", script.read_text("utf-8"))[1]
    told = re.search(
        r"after ([\d, and]+) days, then every (\d+)", page.read_text("utf-8")
    )
    assert [*re.findall(r"\d+", told[1]), told[2]] == days.split(", ")


def test_the_review_asks_what_is_due_and_what_was_missed_once_more(reader):
    reader.day(5)
    reader.opens(
        "review",
        sums__one=f"{date(0)} 2",  # due on day 3
        sums__two=f"{date(4)} 2",  # on day 7
        means__four=f"{date(4)} 1",  # on day 5
    )
    stage = reader.page.locator(".attn-stage")
    expect(stage).to_contain_text("2 cards due today.")
    # Opened in the list, and asked closed all the same.
    reader.card("sums/one").locator("summary").click()
    stage.get_by_role("button", name="Start", exact=True).click()
    expect(reader.asked.locator("summary")).to_have_text("What is one?")
    expect(reader.asked.locator("summary")).to_be_focused()
    expect(reader.asked.get_by_text("It is one.")).to_be_hidden()
    reader.answers(reader.asked, "Not yet")
    expect(reader.said).to_have_text(
        "You will be asked again before the end. 2 cards left."
    )
    reader.answers(reader.asked, "I knew it")
    expect(reader.said).to_have_text("Comes back on March 10. 1 card left.")
    expect(reader.asked.locator("summary")).to_have_text("What is one?")
    reader.answers(reader.asked, "I knew it")
    expect(reader.said).to_have_text(
        "Done: 2 cards, 1 of them asked more than once."
    )
    expect(stage).to_contain_text("The next card comes back tomorrow.")
    assert reader.kept("sums/one") == f"{date(5)} 1"
    assert reader.kept("means/four") == f"{date(5)} 2"
    assert reader.kept("sums/two") == f"{date(4)} 2"
    boxes = reader.page.locator(".attn-boxes li").all_text_contents()
    assert boxes[:3] == ["missed: 0", "1 day: 1", "3 days: 2"]


def test_a_review_that_was_broken_off_goes_on(reader):
    reader.opens("review", sums__one=f"{date(-9)} 1", sums__two=f"{date(-9)} 1")
    reader.page.get_by_role("button", name="Start", exact=True).click()
    reader.answers(reader.asked, "Not yet")
    reader.opens("review")
    expect(reader.page.locator(".attn-stage")).to_contain_text("2 cards due today.")


def test_new_cards_are_those_of_a_chapter_that_the_reader_chooses(reader):
    reader.opens("review", sums__one=f"{date(0)} 3")
    chapters = reader.page.get_by_role("combobox")
    assert chapters.locator("option").all_text_contents() == [
        "Sums: 2 new",
        "Means: 1 new",
    ]
    expect(reader.page.locator(".attn-stage")).to_contain_text(
        "comes back on March 9"
    )
    chapters.select_option("Means: 1 new")
    reader.page.get_by_role("button", name="Start with these").click()
    expect(reader.asked.locator("summary")).to_have_text("What is four?")
    reader.answers(reader.asked, "I knew it")
    expect(reader.said).to_have_text("Done: 1 card, all known at once.")
    assert chapters.locator("option").all_text_contents() == ["Sums: 2 new"]


def test_the_review_needs_no_mouse(reader):
    reader.opens("review", sums__one=f"{date(-9)} 1")
    reader.page.get_by_role("button", name="Start", exact=True).press("Enter")
    reader.page.keyboard.press("Enter")  # the card has the focus, and opens
    expect(reader.asked.get_by_text("It is one.")).to_be_visible()
    reader.page.keyboard.press("Tab")
    expect(reader.asked.get_by_role("button", name="I knew it")).to_be_focused()
    reader.page.keyboard.press("Enter")
    expect(reader.said).to_contain_text("Done: 1 card")


# What may go wrong


def test_a_clock_that_was_ahead_keeps_no_card_away(reader):
    reader.opens("review", sums__one="2031-01-01 2")
    expect(reader.page.locator(".attn-stage")).to_contain_text(
        "comes back on March 5"
    )
    assert reader.kept("sums/one") == f"{date(0)} 2"
    reader.day(3)
    reader.opens("review")
    expect(reader.page.locator(".attn-stage")).to_contain_text("1 card due today.")


def test_cards_that_are_no_more_are_kept_and_not_asked(reader):
    reader.opens("review", sums__gone=f"{date(-99)} 1")
    expect(reader.page.locator(".attn-stage")).to_contain_text("not begun")
    assert reader.kept("sums/gone") == f"{date(-99)} 1"
    saved = json.loads(reader.page.evaluate("courseStore.exported()"))
    assert saved["cards"] == {"sums/gone": f"{date(-99)} 1"}


@pytest.mark.parametrize(
    ("kind", "words"),
    [("SecurityError", "keeps nothing here"), ("QuotaExceededError", "is full")],
)
def test_a_browser_that_keeps_nothing_is_said_and_the_review_goes_on(
    open_tab, folder, kind, words
):
    reader = Reader(open_tab, folder)
    reader.page.add_init_script(
        f"""Object.defineProperty(Storage.prototype, "setItem", {{value() {{
        throw new DOMException("no", "{kind}"); }}}});"""
    )
    reader.opens("review")
    reader.page.get_by_role("button", name="Start with these").click()
    for left in (2, 1):
        reader.answers(reader.asked, "I knew it")
        expect(reader.said).to_contain_text(words)
        expect(reader.said).to_contain_text(f"{left} card")
    saved = json.loads(reader.page.evaluate("courseStore.exported()"))
    assert saved["cards"] == {
        "sums/one": f"{date(0)} 1",
        "sums/two": f"{date(0)} 1",
    }


# To take along


def test_a_saved_file_is_read_by_progress_and_by_another_browser(
    open_tab, folder, reader, tmp_path, monkeypatch
):
    reader.opens("review", sums__one=f"{date(0)} 1")
    reader.page.evaluate(
        "localStorage.setItem('course_attn:passed:softmax', '2026-01-02')"
    )
    reader.page.reload()
    with reader.page.expect_download() as download:
        reader.page.get_by_role("button", name="Save to a file").click()
    saved = tmp_path / "saved.json"
    download.value.save_as(saved)
    monkeypatch.setenv("COURSE_ATTN_PROGRESS", str(tmp_path / "progress.json"))
    assert "1 exercise that was not here yet" in take_over(saved)
    other = Reader(open_tab, folder)
    other.opens("review")
    other.page.locator("input[type=file]").set_input_files(saved)
    expect(other.page.locator(".attn-progress")).to_contain_text(
        "1 solved exercise and 0 answers, and 1 card that"
    )
    assert other.kept("sums/one") == f"{date(0)} 1"


def test_progress_is_a_list_of_chapters_with_a_square_for_each_exercise(reader):
    reader.opens("review")
    done = {"softmax", "entropy", "weighted_sum_torch"}
    for name in done:
        key = f"course_attn:passed:{name}"
        reader.page.evaluate(
            "(key) => localStorage.setItem(key, '2026-01-02')", key
        )
    reader.page.reload()
    rows = reader.page.locator(".attn-chapters li")
    expect(rows).to_have_count(len(catalog.chapters))
    for row, (slug, names) in zip(
        rows.all(), catalog.chapters.items(), strict=True
    ):
        assert (
            row.locator("a")
            .get_attribute("href")
            .endswith(f"exercises/{slug}.html")
        )
        told = [f"{name}: {'done' if name in done else 'open'}" for name in names]
        squares = row.locator(".attn-squares span")
        assert [one.get_attribute("title") for one in squares.all()] == told
        expect(row).to_contain_text(f"{len(done & set(names))}/{len(names)}")
    expect(reader.page.locator(".attn-squares .done")).to_have_count(len(done))


# Everybody


@pytest.mark.parametrize("theme", every(2, ["light", "dark"]))
def test_axe_finds_nothing_before_during_and_after_a_review(reader, theme):
    reader.opens("review", sums__one=f"{date(-9)} 1")
    reader.page.emulate_media(reduced_motion="reduce")
    reader.page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    assert accessibility_violations(reader.page) == []
    reader.page.get_by_role("button", name="Start", exact=True).click()
    reader.asked.locator("summary").click()
    assert accessibility_violations(reader.page) == []
    reader.asked.get_by_role("button", name="I knew it").click()
    assert accessibility_violations(reader.page) == []


def test_on_a_phone_nothing_is_wider_than_the_page_and_all_is_large_enough(reader):
    reader.page.set_viewport_size(PHONE)
    reader.opens("review", sums__one=f"{date(-9)} 1")
    reader.page.get_by_role("button", name="Start", exact=True).click()
    reader.asked.locator("summary").click()
    wide = reader.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= PHONE["width"]
    for part in reader.page.locator(
        ".attn-session :is(button, select, summary):visible"
    ).all():
        assert part.bounding_box()["height"] >= 44
