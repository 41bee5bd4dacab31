"""Cards: what makes one, and that each chapter leaves its reader with its own."""

import ast
import re
from pathlib import Path

import pytest

import course_attn.chapters
from course_attn.drawing.cards import Card, card, deck
from tests.site.sources import CHAPTERS, name
from tests.support.output import Reader
from tools import book
from tools.reading_times import STAR

every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=name)
ROOMS = Path(course_attn.chapters.__file__).parent


def made(called="mean", question="What is it?", answer="It is 3.", **given):
    return card(
        called, question, answer, **{"section": "Sums", "holds": [True]} | given
    )


# A card


def test_card__keeps_its_texts():
    assert made() == Card("mean", "What is it?", "It is 3.", "Sums")


@pytest.mark.parametrize("called", ["", "Mean", "the mean", "mean-", "a--b", "ä"])
def test_card__refuses_a_name_under_which_nothing_can_be_kept(called):
    with pytest.raises(ValueError, match="lowercase words joined by hyphens"):
        made(called)


@pytest.mark.parametrize("what", ["question", "answer", "section"])
def test_card__refuses_a_text_that_says_nothing(what):
    with pytest.raises(ValueError, match=f"its {what} must say something"):
        made(**{what: " "})


def test_card__refuses_a_formula_that_does_not_end():
    with pytest.raises(ValueError, match="a formula in its answer does not end"):
        made(answer="It is $x.")


@pytest.mark.parametrize(
    ("holds", "said"),
    [
        ([], "no fact is given"),
        ([True, False], "'mean': fact 2 does not hold"),
        ([1], "fact 1 must be a bool, got 1"),
        ([True, None], "fact 2 must be a bool, got None"),
    ],
)
def test_card__refuses_facts_that_are_none_or_do_not_hold(holds, said):
    with pytest.raises(ValueError, match=said):
        made(holds=holds)


# A deck


def test_deck__shows_questions_that_open():
    read = Reader(deck("sums", made(), made("median")))
    names = [given["data-card"] for tag, given in read.tags if tag == "details"]
    assert names == ["sums/mean", "sums/median"]
    assert read.text.count("What is it?") == 2 and "From: Sums" in read.text
    assert repr(deck("sums", made())) == "1. What is it?\n   It is 3."


def test_deck__refuses_to_be_empty_or_to_have_a_name_twice():
    with pytest.raises(ValueError, match="sums: a deck needs cards"):
        deck("sums")
    with pytest.raises(ValueError, match="two cards are called 'mean'"):
        deck("sums", made(), made())


@pytest.mark.parametrize("text", ["<b>", "</script>", '"', "&amp;", "<!--"])
def test_deck__shows_texts_as_text_and_never_as_markup(text):
    read = Reader(deck("sums", made(question=text, answer=text, section=text)))
    assert read.names == Reader(deck("sums", made())).names
    assert read.text.count(text) == 3


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a *b c* d", "a <em>b c</em> d"),
        ("`a * b`", "<code>a * b</code>"),
        ("$a_i < b$ and *c*", r"\(a_i &lt; b\) and <em>c</em>"),
        ("$*$ or `$` no", None),
    ],
)
def test_deck__sets_code_italics_and_formulas(text, written):
    if written is None:
        with pytest.raises(ValueError, match="does not end"):
            made(answer=text)
    else:
        assert f"<p>{written}</p>" in deck("s", made(answer=text))._repr_html_()


def test_a_deck_asks_nothing_from_any_other_place_and_has_no_ids():
    page = deck("sums", made())._repr_html_()
    assert not re.search(r"https?:|url\(|@import|<script|\bid=", page)


# The cards of the chapters


def cards_in(chapter: str) -> list[ast.Call]:
    """Return the calls of `card` in the module of a chapter."""
    tree = ast.parse((ROOMS / chapter / "cards.py").read_text("utf-8"))
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "card"
    ]


def typed(node: ast.expr) -> str:
    """Return what is typed of a text, without what is computed, code and formulas."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    text = "".join(
        part.value if isinstance(part, ast.Constant) else "…" for part in parts
    )
    return re.sub(r"`[^`]*`|\$[^$]*\$", "", text)


def headings(path: Path) -> list[str]:
    found = re.findall(r"^#{2,4} (.+)$", book.markdown(path), re.M)
    return [re.sub("[*`]", "", title).removesuffix(STAR) for title in found]


@every_chapter
def test_a_chapter_has_eight_to_ten_cards_with_names_of_their_own(path):
    names = [call.args[0].value for call in cards_in(path.stem)]
    assert 8 <= len(names) <= 10
    assert len(names) == len(set(names))


@every_chapter
def test_every_card_comes_from_a_section_of_its_chapter(path):
    for call in cards_in(path.stem):
        (section,) = (k.value.value for k in call.keywords if k.arg == "section")
        assert section in headings(path), section


@pytest.mark.parametrize(
    "chapter", sorted(path.parent.name for path in ROOMS.glob("*/cards.py"))
)
def test_no_answer_has_a_number_that_nothing_computes(chapter):
    """But 0 and 1; and what is given stands in brackets, as (3, 0), or as a = 1."""
    for call in cards_in(chapter):
        text = re.sub(
            r"\([\d, ]+\)|\b[a-z] = \d+\b|float\d+", "", typed(call.args[2])
        )
        found = {number.rstrip(".,") for number in re.findall(r"\d[\d.,]*", text)}
        assert found <= {"0", "1"}, text


@every_chapter
def test_a_chapter_shows_its_cards_once_at_its_end(path):
    cells = book.read(path)["cells"]
    (at,) = (k for k, c in enumerate(cells) if c["source"].startswith("# Recall: "))
    assert cells[at]["metadata"] == {"tags": ["hide-input"]}
    assert cells[at - 1]["source"] == "## Review"
    assert cells[at + 1]["source"].startswith("## What to read next")
    last = ast.parse(cells[at]["source"]).body[-1]
    assert ast.unparse(last).startswith("recalled.cards(")
    imported = f"from course_attn.chapters.{path.stem} import cards as recalled"
    assert imported in cells[at]["source"]
