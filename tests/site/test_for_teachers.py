"""The pages for teachers say of time what the chapters and the exercises say themselves."""

import json
import re

import pytest

from book._extensions.for_teachers import path_table, stages
from course_attn.exercises import catalog
from tests.site.built_pages import anchors, article, page_of
from tests.site.sources import CHAPTERS, name
from tools.book import BOOK, ROOT, markdown
from whywrong.classroom.copies import anchor

PAGE = BOOK / "for_teachers.md"
GRADING = BOOK / "grading.md"


def stated(slug):
    """Return the minutes that a chapter states: of its core, and of its starred sections."""
    said = re.search(
        r"^\*\*Reading time\.\*\* About (\d+) minutes\.(?: The sections marked ★ can wait; "
        r"they take another (\d+)\.)?$",
        markdown(BOOK / f"{slug}.ipynb"),
        re.M,
    )
    return int(said[1]), int(said[2] or 0)


def tables(html, page=PAGE):
    """Return the rows of each table on a page, with the cells of each."""
    return [
        [row.select("th, td") for row in table.select("tr")]
        for table in article(page_of(page)).select("table")
    ]


def paths(html):
    return [rows for rows in tables(html) if rows[0][1].get_text() == "Read"]


def number(cell):
    return int(re.sub(r"\D", "", cell.get_text()) or 0)


def test_paths_add_up_what_chapters_and_exercises_state(html):
    assert len(paths(html)) == 3
    for _, *rows, total in paths(html):
        for chapter, read, exercises, write in rows:
            slug = chapter.a["href"].removesuffix(".html")
            core, starred = stated(slug)
            is_core = "(core)" in chapter.get_text()
            assert number(read) == core + (0 if is_core else starred)
            names = [code.get_text() for code in exercises.select("code")]
            if "all" in exercises.get_text():
                names = catalog.chapters[slug]
            assert number(write) == sum(catalog.find(n).minutes for n in names)
        assert number(total[1]) == sum(number(row[1]) for row in rows)
        assert number(total[3]) == sum(number(row[3]) for row in rows)
        both = number(total[1]) + number(total[3])
        assert total[0].get_text().endswith(f": {both}")


@pytest.mark.parametrize("path", [1, 2], ids=["week", "term"])
def test_week_and_term_have_every_chapter(html, path):
    links = [row[0].a["href"] for row in paths(html)[path][1:-1]]
    assert links == [f"{path.stem}.html" for path in CHAPTERS]


def test_the_session_takes_the_minutes_of_its_heading(html):
    (rows,) = (rows for rows in tables(html) if rows[0][0].get_text() == "Minutes")
    total = sum(number(row[0]) for row in rows[1:])
    assert f"A session of {total} minutes" in article(page_of(PAGE)).get_text()
    named = {code.get_text() for row in rows for code in row[1].select("code")}
    assert named == {"softmax"} <= set(catalog.chapters["softmax"])


def test_list_has_every_exercise_with_its_level_and_minutes(html):
    (rows,) = (rows for rows in tables(html) if rows[0][0].get_text() == "Exercise")
    shown = {
        row[0].get_text(): (row[2].get_text(), number(row[3]))
        for row in rows[1:]
        if row[0].code
    }
    tasks = [catalog.find(n) for names in catalog.chapters.values() for n in names]
    assert shown == {task.name: (task.level, task.minutes) for task in tasks}


def test_times_are_those_that_were_measured(html):
    report = json.loads((ROOT / "benchmarks/results/classroom.json").read_text())
    (rows,) = (
        rows for rows in tables(html, GRADING) if "Seconds" in rows[0][1].get_text()
    )
    shown = [float(row[1].get_text()) for row in rows[1:]]
    assert shown == [round(row["seconds"], 1) for row in report["rows"]]
    text = article(page_of(GRADING)).get_text()
    assert report["date"] in text and report["hardware"]["cpu"] in text


def test_times_of_grading_apart_are_those_that_were_measured(html):
    report = json.loads((ROOT / "benchmarks/results/grading.json").read_text())
    (rows,) = (
        rows
        for rows in tables(html, GRADING)
        if rows[0][0].get_text() == "Handed in"
    )
    found = report["settings"]
    shown = [[number(cell) for cell in row[1:]] for row in rows[1:]]
    assert shown == [
        [one["exercises"], round(one["seconds"]), one["megabytes"]]
        for one in (found, found["solved"])
    ]


def test_what_is_measured_of_grading_apart_is_right():
    """No verdict was wrong, and a run that was killed came to the same."""
    report = json.loads((ROOT / "benchmarks/results/grading.json").read_text())
    found, solved = report["settings"], report["settings"]["solved"]
    assert found["wrong verdicts"] == found["differences after going on"] == 0
    assert 0 < found["done when killed"] < found["submissions"] == 200
    assert solved["right"] == solved["submissions"] * solved["exercises"]
    assert all(row["exercises right"] == row["deserved"] for row in report["rows"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nowhere", "expected a chapter"),
        ("softmax !", "expected a chapter"),
        ("softmax: rotary", "softmax has no exercise 'rotary'"),
    ],
)
def test_path_with_something_unknown_is_refused(line, said):
    with pytest.raises(ValueError, match=said):
        stages([line], ROOT)


def test_path_that_takes_too_long_is_refused():
    found = stages(["softmax: softmax"], ROOT)
    minutes = stated("softmax")[0] + catalog.find("softmax").minutes
    assert path_table(found, minutes)
    with pytest.raises(ValueError, match=f"takes {minutes} minutes, more than"):
        path_table(found, minutes - 1)


@pytest.mark.parametrize(
    "path", [p for p in CHAPTERS if p.stem in catalog.chapters], ids=name
)
def test_a_class_is_led_to_sections_that_the_page_has(path, html):
    practiced = {catalog.find(n).section for n in catalog.chapters[path.stem]}
    assert {anchor(heading) for heading in practiced} <= anchors(page_of(path))
