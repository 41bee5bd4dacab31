"""The map of the chapters: what each asks, how long it takes, and which earlier chapters it needs.

Each chapter says in a paragraph that begins with "You need" which chapters it builds on, as links.
What its first sentence names is needed throughout, what a later one names in one section. The
directive `chapter-map` draws this: a list of the chapters, and an arc for each link. The arcs are
as in the book's figures: the lower end takes from the upper one. The directive `how-long` says in a
line how much there is to read and to do, in the whole book or in the part that it names.
"""

import re
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from course_attn.exercises import catalog
from tools import book, reading_times

__all__ = ["Chapter", "chapters_of_parts", "setup"]

_LINK = re.compile(r"\]\((\w+)\.ipynb\)")
# The width of the drawing in its own units; its height is one unit a chapter.
_WIDTH = 100


@dataclass(frozen=True)
class Chapter:
    """What the map says about a chapter; `first_of` names the part that it opens."""

    slug: str
    title: str
    question: str
    needs: tuple[str, ...]
    needs_partly: tuple[str, ...]
    first_of: str
    minutes: int


def chapters_of_parts(root: Path) -> list[Chapter]:
    """Return the chapters in the order of the table of contents."""
    opened = {part.chapters[0]: part.caption for part in book.parts(root)}
    slugs = book.chapters(root)
    return [
        _chapter(path, opened.get(path.stem, ""), slugs)
        for path in book.chapter_notebooks(root)
    ]


def _linked(text: str, among: list[str]) -> list[str]:
    """Return the chapters that a text links, each once; it may link other pages, too."""
    return [slug for slug in dict.fromkeys(_LINK.findall(text)) if slug in among]


def _chapter(path: Path, first_of: str, slugs: list[str]) -> Chapter:
    """Read what a chapter says about itself."""
    text = book.markdown(path)
    question = re.search(
        r"^\*\*The question of this chapter\.\*\* (.+)$", text, re.M
    )
    need = re.search(r"^You need .+$", text, re.M)[0]
    throughout, *later = re.split(r"(?<=\.) (?=[A-Z])", need)
    needs = tuple(_linked(throughout, among=slugs))
    partly = _linked(" ".join(later), among=slugs)
    return Chapter(
        path.stem,
        book.title(path),
        question[1],
        needs,
        tuple(slug for slug in partly if slug not in needs),
        first_of,
        reading_times.reading_time(book.read(path), starred=False).minutes,
    )


class _OfAllChapters(SphinxDirective):
    """Says something of all chapters, and says it anew when one of them changes."""

    def chapters(self) -> list[Chapter]:
        """Return the chapters in the order of the table of contents."""
        root = Path(self.env.srcdir)
        for file in [
            root / "_toc.yml",
            Path(__file__),
            Path(book.__file__),
            Path(reading_times.__file__),
            *book.chapter_notebooks(root),
        ]:
            self.env.note_dependency(str(file))
        return chapters_of_parts(root)


class HowLong(_OfAllChapters):
    """Say how many chapters there are, how long they take and how many exercises they have."""

    optional_arguments = 1  # the title of a part
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Make a line of three numbers; the book's hours are rounded up to the half."""
        found = self.chapters()
        if self.arguments:
            slugs = {
                slug
                for part in book.parts(Path(self.env.srcdir))
                for slug in part.chapters
                if part.caption == self.arguments[0]
            }
            found = [chapter for chapter in found if chapter.slug in slugs]
        if not found:
            raise self.error(f"there is no part {self.arguments[0]!r} in _toc.yml")
        minutes = sum(chapter.minutes for chapter in found)
        halves = ceil(minutes / 30)
        hours = f"{halves // 2}½" if halves % 2 else f"{halves // 2}"
        exercises = sum(len(catalog.chapters[chapter.slug]) for chapter in found)
        said = [
            f"{len(found)} chapter{'s' * (len(found) > 1)}",
            f"{minutes} minutes"
            if self.arguments
            else f"{hours} hours for their core",
            f"{exercises} exercises",
        ]
        return [nodes.paragraph("", " · ".join(said), classes=["how-long"])]


class ChapterMap(_OfAllChapters):
    """Draw the map of the chapters."""

    def run(self) -> list[nodes.Node]:
        """Make a picture of arcs and beside it the list of the chapters."""
        found = self.chapters()
        numbers = {chapter.slug: k for k, chapter in enumerate(found, start=1)}
        items = [self._item(chapter, numbers) for chapter in found]
        return [
            nodes.container(
                "",
                nodes.raw("", _picture(found, numbers), format="html"),
                nodes.enumerated_list("", *items, enumtype="arabic"),
                classes=["chapter-map"],
            )
        ]

    def _item(self, chapter: Chapter, numbers: dict[str, int]) -> nodes.list_item:
        """Say what a chapter is called, what it needs and what it asks."""
        item = nodes.list_item("", classes=["opens-part"] * bool(chapter.first_of))
        for kind, text in {
            "part": chapter.first_of,
            "title": f"[{chapter.title}]({chapter.slug}.ipynb)",
            "needs": _needs(chapter, numbers),
            "question": chapter.question,
        }.items():
            if text:
                before = len(item)
                self.state.nested_parse(StringList([text], "chapter-map"), 0, item)
                item[before]["classes"].append(kind)
        return item


def _needs(chapter: Chapter, numbers: dict[str, int]) -> str:
    """Say in words how long a chapter takes, and which chapters it needs."""
    needs, partly = (
        ", ".join(f"[{numbers[slug]}]({slug}.ipynb)" for slug in slugs)
        for slugs in (chapter.needs, chapter.needs_partly)
    )
    said = [f"{chapter.minutes} minutes"] + [f"needs {needs}"] * bool(needs)
    return "; ".join(said + [f"in part {partly}"] * bool(partly))


def _picture(found: list[Chapter], numbers: dict[str, int]) -> str:
    """Draw an arc from each chapter to each that needs it; all but those that others imply, darker.

    It is stretched to the height of the list, whose rows are equally high.
    """
    arcs, highlights, reached = [], [], {}
    for chapter in found:
        end = numbers[chapter.slug]
        below = [reached[slug] for slug in chapter.needs]
        reached[chapter.slug] = {chapter.slug}.union(*below)
        for slug in chapter.needs + chapter.needs_partly:
            kind = "partly" if slug in chapter.needs_partly else "needed"
            others = [reached[other] for other in chapter.needs if other != slug]
            if kind == "needed" and any(slug in other for other in others):
                kind += " implied"
            arcs.append(_arc(numbers[slug], end, len(found), kind))
        row = f".chapter-map:has(li:nth-child({end}):is(:hover, :focus-within))"
        for arcs_of, color in (("to", "primary"), ("from", "secondary")):
            highlights.append(
                f"{row} .{arcs_of}-{end} {{ stroke: var(--pst-color-{color});"
                " stroke-width: 2.5; opacity: 1 }"
            )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {len(found)}" preserveAspectRatio="none" role="img"'
        ' aria-label="An arc leads from each chapter down to every chapter that needs it; the list'
        f' beside it says the same in words."><style>{" ".join(highlights)}</style>'
        + "".join(arcs)
        + "</svg>"
    )


def _arc(start: int, end: int, n: int, kind: str) -> str:
    """Draw the arc between two chapters; the more lie between them, the wider it swings."""
    reach = _WIDTH * (1 - 1.3 * ((end - start) / n) ** 0.6)
    top, bottom = start - 0.5, end - 0.5
    return (
        f'<path class="{kind} from-{start} to-{end}" vector-effect="non-scaling-stroke"'
        f' d="M{_WIDTH} {top} C{reach:.0f} {top} {reach:.0f} {bottom} {_WIDTH} {bottom}"/>'
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives with Sphinx."""
    app.add_directive("chapter-map", ChapterMap)
    app.add_directive("how-long", HowLong)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
