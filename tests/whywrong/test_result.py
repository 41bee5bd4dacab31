"""How a verdict, a hint and the progress look, as text and in a notebook."""

import re
import xml.etree.ElementTree as ET

import pytest

from whywrong import NotRight, Result
from whywrong.result import Overview, rich_text

STATES = {
    "right": "Right",
    "wrong": "Not yet",
    "crashed": "Stopped",
    "todo": "Not attempted",
}


def everything_shown(status="wrong"):
    return Result(
        status,
        "First `code` & <b>.\n\n    y = a < b\n\nLast.",
        "softmax",
        ("some",),
        "printed <i>\n",
        ("remark <u>",),
    )


@pytest.mark.parametrize("status", STATES)
def test_result_has_a_word_and_a_symbol_for_every_state(status):
    result = everything_shown(status)
    text, html = repr(result), result._repr_html_()
    assert STATES[status] in text and STATES[status] in html
    assert text[0] in "✓✗⚠○" and text[0] in html
    assert result.passed == (status == "right")


def test_card_is_well_formed_and_escaped():
    html = everything_shown()._repr_html_()
    card = ET.fromstring(html)
    assert card.attrib["role"] == "status"
    assert "<b>" not in html and "<i>" not in html and "<u>" not in html
    assert card.find(".//pre").text == "y = a < b"
    assert [code.text for code in card.iter("code")] == ["softmax", "code"]


def test_card_is_legible_on_dark_and_light_pages():
    html = everything_shown()._repr_html_()
    assert set(re.findall(r"(?<![-\w])color:([^;\"']+)", html)) == {"inherit"}
    assert set(re.findall(r"background:([^;\"']+)", html)) == {"transparent"}


def test_result_cuts_long_output():
    assert len(repr(Result("right", "", printed="x" * 100_000))) < 5000


def test_rich_text_turns_backticks_into_code_after_escaping():
    assert rich_text("`a<b`") == "<p style='margin:.4em 0'><code>a&lt;b</code></p>"


def test_result_gives_a_notebook_display_data_and_no_result_of_the_cell(
    monkeypatch,
):
    shown = []
    monkeypatch.setattr(
        "IPython.display.display", lambda data, raw: shown.append(data)
    )
    everything_shown()._ipython_display_()
    assert set(shown[0]) == {"text/plain", "text/html"}


def test_not_right_shows_only_the_verdict():
    assert NotRight("✗ Not yet")._render_traceback_() == ["NotRight: ✗ Not yet"]


def test_overview_counts_and_marks():
    overview = Overview(
        {"one": ("a", "b"), "two": ("c",)}, {"a": "then", "gone": "then"}
    )
    assert (overview.done, overview.total) == (1, 3)
    text = repr(overview)
    assert "1/2" in text and "✓ a" in text and "· b" in text and "1 of 3" in text
    table = ET.fromstring(overview._repr_html_())
    bars = [
        (bar.attrib["value"], bar.attrib["max"]) for bar in table.iter("progress")
    ]
    assert bars == [("1", "2"), ("0", "1")]
    assert [
        mark.attrib["aria-label"] for mark in table.iterfind(".//span[@role]")
    ] == [
        "done",
        "open",
        "open",
    ]


def test_overview_says_trouble():
    overview = Overview({"one": ("a",)}, {}, "Broken `file`.")
    assert "Broken file." in repr(overview) and "Broken" in overview._repr_html_()


def test_message_marks_code_and_emphasis():
    html = Result(
        "wrong", "The *last* axis: `a * b` and `*c*`, 2 * 3 * 4."
    )._repr_html_()
    assert "<em>last</em>" in html and "<code>a * b</code>" in html
    assert (
        "<code>*c*</code>" in html
        and "2 * 3 * 4." in html
        and html.count("<em>") == 1
    )
