"""The picture of a learner's progress: a square for each exercise, and the same in words."""

import xml.etree.ElementTree as ET

from whywrong.picture import picture
from whywrong.result import Overview

CHAPTERS = {"one": ("a", "b"), "two_more": ("c",)}
SVG = "{http://www.w3.org/2000/svg}"


def drawn(passed):
    return ET.fromstring(picture(CHAPTERS, passed))


def squares(svg):
    return {
        group.attrib["data-exercise"]: group.attrib.get("class") == "done"
        for group in svg.iter(f"{SVG}g")
        if "data-exercise" in group.attrib
    }


def test_picture__marks_what_is_done():
    assert squares(drawn({"a", "gone"})) == {"a": True, "b": False, "c": False}
    titles = [title.text for title in drawn({"a"}).iter(f"{SVG}title")]
    assert titles == ["a: done", "b: open", "c: open"]


def test_picture__says_the_same_in_words():
    assert drawn({"a", "c"}).attrib["aria-label"] == (
        "2 of 3 exercises done: one 1 of 2, two more 1 of 1"
    )
    texts = [text.text for text in drawn({"a"}).iter(f"{SVG}text")]
    assert texts == ["one", "1/2", "two more", "0/1"]


def test_picture__keeps_squares_apart_and_within():
    svg = drawn(())
    _, _, width, height = map(int, svg.attrib["viewBox"].split())
    places = [
        (int(r.attrib["x"]), int(r.attrib["y"]), int(r.attrib["width"]))
        for r in svg.iter(f"{SVG}rect")
    ]
    assert all(
        0 <= x and x + w <= width and 0 <= y and y + w <= height
        for x, y, w in places
    )
    rows = {y for _, y, _ in places}
    assert len(rows) == 2 and places[1][0] > places[0][0] + places[0][2]


def test_picture__writes_names_as_text():
    svg = picture({"<b>": ('"x"&',)}, ())
    assert squares(ET.fromstring(svg)) == {'"x"&': False}


def test_picture__of_nothing_is_empty():
    assert squares(ET.fromstring(picture({}, ()))) == {}


def test_overview_is_a_picture_with_a_table_below():
    shown = Overview(CHAPTERS, {"a": "then"})._repr_html_()
    page = ET.fromstring(shown)
    assert [part.tag for part in page] == [f"{SVG}svg", "details"]
    assert squares(page[0])["a"] and page[1].find("table") is not None
    assert picture(CHAPTERS, {"a"}) in shown
