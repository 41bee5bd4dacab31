"""The book's search: what its page looks through, section by section.

Sphinx's own search ranks whole pages, mostly by name, and takes its excerpts from files that a
browser does not let it read where the book is opened from a folder. Here a list of all sections
lies beside the pages, each with its heading, its terms (the entries of the index that lead to it),
the names in its code, and its text; `search.js` ranks them in the page. The pages' frame,
`layout.html`, leaves out what the theme would load for Sphinx's search.
"""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from pylatexenc.latex2text import LatexNodes2Text
from sphinx import addnodes
from sphinx.application import Sphinx

from tools import book

__all__ = ["plain", "sections", "setup", "weight_of"]

_FOLDER = Path(__file__).parent
_TEXTS = (
    nodes.paragraph,
    nodes.caption,
    nodes.entry,
    nodes.rubric,
    nodes.definition,
)
# A name in code that says more than a variable of one section does.
_NAME = re.compile(r"\b[A-Za-z]\w*(?:\.\w+)+|\b[a-z]+_\w{3,}")
_FORMULAS = LatexNodes2Text(math_mode="text")


def plain(part: nodes.Node) -> str:
    """Return the text of a node as one line: formulas in Unicode, without raw HTML."""
    said = []
    for piece in part.findall():
        if isinstance(piece, nodes.Text) and not _is_no_word(piece.parent):
            said.append(piece.astext())
        elif isinstance(piece, nodes.math):
            said.append(_FORMULAS.latex_to_text(piece.astext()).strip())
    return " ".join("".join(said).split())


def weight_of(page: str) -> float:
    """Return how much a page counts beside others that answer as well: chapters first."""
    if page.startswith("book/exercises/"):
        return 0.5
    return 1.2 if page.removeprefix("book/") in book.chapters() else 1.0


def _is_no_word(part: nodes.Element) -> bool:
    """Say whether the text of a node is LaTeX, HTML or the label of an equation."""
    formula = (nodes.math, nodes.math_block, nodes.raw)
    return isinstance(part, formula) or "eq" in part.get("classes", ())


def sections(
    page: str, document: nodes.document
) -> Iterator[dict[str, str | float]]:
    """Yield what a page can be found by: each section, and each term of a glossary."""
    whole = document.next_node(nodes.section)
    title, weight = plain(whole[0]), weight_of(page)
    for section in filter(_has_heading, document.findall(nodes.section)):
        yield {
            "page": page,
            "weight": weight,
            "title": title,
            "heading": plain(section[0]),
            "anchor": "" if section is whole else section["ids"][0],
            "terms": ", ".join(_terms(section)),
            "code": " ".join(sorted(_names(section))),
            "text": " ".join(plain(part) for part in _texts(section)),
        }
    for item in document.findall(nodes.definition_list_item):
        if isinstance(item.parent.parent, addnodes.glossary):
            term = item.next_node(nodes.term)
            yield {
                "page": page,
                "weight": weight,
                "title": title,
                "heading": plain(term),
                "anchor": term["ids"][0],
                "terms": "",
                "code": "",
                "text": plain(item.next_node(nodes.definition)),
            }


def _has_heading(part: nodes.Element) -> bool:
    """Say whether this is a section of the page; what a theorem says is one without a heading."""
    return isinstance(part, nodes.section) and isinstance(part[0], nodes.title)


def _is_apart(part: nodes.Element) -> bool:
    return _has_heading(part) or isinstance(part, (nodes.title, addnodes.glossary))


def _own(section: nodes.Element) -> Iterator[nodes.Node]:
    """Yield what lies in a section, but not in one below it, or in a glossary."""
    for child in section.children:
        if not isinstance(child, nodes.Element) or _is_apart(child):
            continue
        yield child
        if not isinstance(child, _TEXTS):
            yield from _own(child)


def _texts(section: nodes.section) -> Iterator[nodes.Node]:
    return (part for part in _own(section) if isinstance(part, _TEXTS))


def _names(section: nodes.section) -> set[str]:
    """Return the names, with what they are names of, in the code of a section."""
    inputs = (
        part for part in _own(section) if "cell_input" in part.get("classes", ())
    )
    return {name for part in inputs for name in _NAME.findall(part.astext())}


def _terms(section: nodes.section) -> Iterator[str]:
    """Yield the entries of the index that lead to a section."""
    names = set(section["ids"])
    for index in section.document.findall(addnodes.index):
        for _, entry, target, *_ in index["entries"]:
            if target in names:
                yield " ".join(entry.split("; "))


def _without_sphinxs_own(app: Sphinx) -> None:
    app.builder.search = False


def _page(app: Sphinx) -> list[tuple[str, dict[str, Any], str]]:
    return [("search", {}, "search.html")]


def _write_files(app: Sphinx, error: Exception | None) -> None:
    """Put the list of sections, and the script that looks through it, beside the pages."""
    if error or app.builder.format != "html":
        return
    pages = [path.relative_to(book.ROOT) for path in book.pages()]
    found = [
        section
        for page in (path.with_suffix("").as_posix() for path in pages)
        for section in sections(page, app.env.get_doctree(page))
    ]
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    static = Path(app.outdir, "_static")
    (static / "sections.js").write_text(f"self.courseSections={text};\n", "utf-8")
    shutil.copy(_FOLDER / "search.bundle.js", static / "search.js")


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the page that searches."""
    app.connect("builder-inited", _without_sphinxs_own)
    app.connect("html-collect-pages", _page)
    app.connect("build-finished", _write_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
