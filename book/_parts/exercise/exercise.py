"""What makes exercises live: they are written and checked on the page.

On an exercise page the stub becomes a place to write in, with what the page's script needs to know
beside it; nbgrader's marks and the cells that only a notebook can run are left out. Where the book
was built without Python for the browser, the pages say where the exercises can be run.
"""

import json
import re
from functools import cache
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from book._parts.exercise.facts import facts_of
from book._parts.exercise.worked_example import worked_example
from course_attn.exercises import catalog
from tools import book
from whywrong.classroom.notebooks import NOTEBOOK_ONLY, stub

__all__ = ["ExercisePages", "setup"]

_PAGES = "book/exercises/"


class ExercisePages(SphinxTransform):
    """Turns the cells of an exercise notebook into what its page shows."""

    default_priority = 300

    def apply(self) -> None:
        """Replace the cells, if this is a page of exercises."""
        if not self.env.docname.startswith(_PAGES):
            return
        slug = self.env.docname.removeprefix(_PAGES)
        self.env.note_dependency(str(Path(__file__)))
        for section in list(self.document.findall(nodes.section)):
            name = section.next_node(nodes.title).astext()
            if name in catalog.chapters[slug]:
                self.env.note_dependency(str(_file_of(name)))
                _show_exercise(section, slug, name)
        for cell in list(self.document.findall(nodes.container)):
            if {"tag_check", "tag_imports"} & set(cell["classes"]):
                cell.parent.remove(cell)
        for paragraph in list(self.document.findall(nodes.paragraph)):
            if paragraph.astext().startswith(NOTEBOOK_ONLY):
                paragraph.parent.remove(paragraph)
        last = list(self.document.findall(nodes.section))[-1]
        last += _raw('<div class="attn-progress"></div>')


def _file_of(name: str) -> Path:
    return Path(find_spec(catalog.modules[name]).origin)


def _show_exercise(section: nodes.section, slug: str, name: str) -> None:
    """Put the stub and what belongs to it in the place of the answer's cell."""
    cell = next(
        part
        for part in section.findall(nodes.container)
        if "tag_exercise" in part["classes"]
    )
    given = _facts(name)
    code = nodes.literal_block(given["stub"], given["stub"], language="python")
    known = {
        key: given[key]
        for key in (
            "name", "chapter", "library", "stub", "hints", "solution", "parsons",
            "letters", "chosen", "fields",
        )
    }  # fmt: skip
    data = json.dumps(known, ensure_ascii=False).replace("<", "\\u003c")
    answer = nodes.container("", code, classes=["attn-answer"])
    ways = _raw(_elsewhere(slug, given["library"]))
    cell.replace_self(
        [
            _raw(worked_example(catalog.find(name))),
            _raw(f'<div class="attn-exercise" data-exercise="{name}">'),
            *([ways, answer] if given["library"] == "torch" else [answer, ways]),
            _raw(
                f'<script type="application/json" class="attn-data">{data}</script></div>'
            ),
        ]
    )
    section.insert(1, _raw(_meta(given)))


def _raw(html: str) -> nodes.raw:
    return nodes.raw("", html, format="html")


@cache
def _facts(name: str) -> dict[str, Any]:
    """Return what the page says and knows of an exercise."""
    task = catalog.find(name)
    marks = re.compile(r"^ *# (?:BEGIN|END) SOLUTION\n", re.M)
    given = marks.sub("", stub(task.solution)).strip()
    return facts_of(task, catalog) | {"stub": given}


def _meta(given: dict[str, Any]) -> str:
    """Say how hard an exercise is, how long it takes, and what it prepares."""
    said = [given["level"].capitalize(), f"about {given['minutes']} minutes"]
    if given["library"] == "torch":
        said.append("PyTorch")
    links = [_link_to(other, given["chapter"]) for other in given["prepares"][:3]]
    if links:
        said.append(f"prepares {' and '.join(links)}")
    solved = '<span class="attn-solved-at"></span>'
    return f'<p class="attn-meta">{" · ".join(said)}{solved}</p>'


def _link_to(name: str, here: str) -> str:
    slug = next(slug for slug, names in catalog.chapters.items() if name in names)
    page = "" if slug == here else f"{slug}.html"
    return f'<a href="{page}#{nodes.make_id(name)}"><code>{name}</code></a>'


def _elsewhere(slug: str, library: str) -> str:
    """Say where an exercise can be run and checked, with links that open its notebook."""
    address = yaml.safe_load((book.ROOT / "_config.yml").read_text("utf-8"))
    url, branch = address["repository"]["url"], address["repository"]["branch"]
    path = f"book/exercises/{slug}.ipynb"
    colab = (
        "https://colab.research.google.com/github/"
        f"{url.removeprefix('https://github.com/')}/blob/{branch}/{path}"
    )
    lab = f"http://localhost:8888/lab/tree/exercises/{slug}.ipynb"
    why = (
        "This exercise needs PyTorch, which does not run in a browser: hints, lines and the "
        "solution are here; write and check it"
        if library == "torch"
        else "Write and check this exercise in its notebook,"
    )
    return (
        f'<p class="attn-elsewhere">{why} in <a href="{escape(colab)}">Colab</a>, or in a copy of '
        f'the course: run <code>make lab</code>, then open <a href="{lab}">this notebook in '
        "JupyterLab</a>.</p>"
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Turn exercise pages live."""
    app.add_transform(ExercisePages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
