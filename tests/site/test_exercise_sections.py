"""Every exercise leads back to the section of its chapter that it practices."""

import re

import pytest

from course_attn.exercises import catalog
from tests.site.built_pages import anchors, article, page_of, target
from tests.site.sources import CHAPTERS, name
from tools.book import BOOK, cells, markdown
from tools.reading_times import STAR

every_chapter = pytest.mark.parametrize(
    "path", [p for p in CHAPTERS if p.stem in catalog.chapters], ids=name
)


def sections(path):
    """Return the section that each exercise of a chapter practices."""
    return {
        name: catalog.find(name).section for name in catalog.chapters[path.stem]
    }


@every_chapter
def test_every_exercise_practices_a_section_of_its_chapter(path):
    headings = re.findall(r"^###? (.+)$", markdown(path), re.M)
    unmarked = {heading.removesuffix(STAR) for heading in headings}
    assert set(sections(path).values()) <= unmarked


@every_chapter
def test_every_task_links_to_its_section(path, html):
    notebook = BOOK / "exercises" / path.name
    tasks = [
        cell for cell in cells(notebook, "markdown") if cell["id"].endswith("-task")
    ]
    assert len(tasks) == len(catalog.chapters[path.stem])
    assert all(f"](../{path.name}#" in cell["source"] for cell in tasks)
    page = page_of(notebook)
    for task, heading in sections(path).items():
        links = article(page).find_all("a", string=[heading, f"{heading}{STAR}"])
        leads_to = {
            (target(page, a["href"]), a["href"].split("#")[1]) for a in links
        }
        assert len(leads_to) == 1, task
        ((chapter, anchor),) = leads_to
        assert chapter == page_of(path)
        assert anchor in anchors(chapter)
        section = article(chapter).find(id=anchor)
        assert heading in section.find(re.compile("h[23]")).get_text()
