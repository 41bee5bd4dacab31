"""A chapter has a core that a newcomer finishes, and depth that can be left out."""

import ast
import builtins
import re

import nbformat
import pytest
from nbclient import NotebookClient

from tests.site.built_pages import article, page_of
from tests.site.sources import CHAPTERS, name
from tools import reading_times
from tools.book import markdown, read
from tools.reading_times import STAR, Passage, passages, reading_time

LONGEST_CORE, MOST_LINES, MOST_PITFALLS = 2000, 120, 5
LABEL = re.compile(r"# (?:Ask|Check|Draw|Recall|Set-up|Train): .{3,76}(?<!\.)$")
GENERATORS = {"default_rng", "Generator", "Random", "RandomState"}

every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=name)


def text_of(path, *, starred: bool) -> str:
    """Return the text of a chapter's core, or of its starred sections."""
    return "\n".join(
        passage.source
        for passage in passages(read(path))
        if passage.kind == "markdown" and passage.starred == starred
    )


@every_chapter
def test_the_core_is_short(path):
    core = reading_time(read(path), starred=False)
    assert core.words <= LONGEST_CORE
    assert core.lines <= MOST_LINES


@every_chapter
def test_the_reading_time_is_that_of_the_text(path):
    written = path.read_text("utf-8")
    assert reading_times.with_time(path) == written, (
        "run `python -m tools.reading_times`"
    )


@every_chapter
def test_a_folded_cell_begins_with_what_it_does(path):
    """The page shows this line as its label; where nothing folds, it is a comment."""
    folded = [p for p in passages(read(path)) if "hide-input" in p.tags]
    assert [
        first
        for passage in folded
        if not LABEL.fullmatch(first := passage.source.split("\n")[0])
    ] == []


@every_chapter
def test_the_page_shows_the_labels_and_marks_the_starred_sections(path, html):
    page = article(page_of(path))
    shown = [
        label.get_text().strip() for label in page.select("details.hide summary")
    ]
    labels = [
        passage.source.split("\n")[0].removeprefix("# ")
        for passage in passages(read(path))
        if "hide-input" in passage.tags
    ]
    # The code of a question would show its answer.
    assert shown == [label for label in labels if not label.startswith("Ask:")]
    marked = [
        section.find(re.compile("h[23]")) for section in page.select(".starred")
    ]
    assert len(marked) == len(re.findall(f"^##.*{STAR}$", markdown(path), re.M))
    assert all(STAR in heading.get_text() for heading in marked)


# The core needs nothing of the depth


def trees(path) -> list[tuple[ast.Module, bool]]:
    """Return the code cells of a chapter, parsed, and whether each is in a starred section."""
    return [
        (
            ast.parse(re.sub(r"^(\s*)[!%].*", r"\1pass", p.source, flags=re.M)),
            p.starred,
        )
        for p in passages(read(path))
        if p.kind == "code"
    ]


def bound(tree: ast.AST) -> set[str]:
    """Return the names that a cell gives a meaning to, outside of its functions."""
    names = set()
    for node in outside_of_functions(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
    return names


def outside_of_functions(tree: ast.AST):
    """Yield the nodes of a cell, but none within a function, class or comprehension."""
    for node in ast.iter_child_nodes(tree):
        yield node
        inner = (
            ast.FunctionDef, ast.ClassDef, ast.Lambda,
            ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
        )  # fmt: skip
        if not isinstance(node, inner):
            yield from outside_of_functions(node)


def used(tree: ast.AST) -> set[str]:
    """Return the names that a cell reads, wherever in it."""
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    } - set(dir(builtins))


def generators(tree: ast.AST) -> set[str]:
    """Return the names that a cell binds to a generator of random numbers."""
    return {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func).split(".")[-1] in GENERATORS
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def reaching_in(cells: list[tuple[ast.Module, bool]]) -> list[str]:
    """Say where the core's code depends on that of a starred section."""
    core, depth, drawing, found = set(), set(), set(), []
    for tree, starred in cells:
        if starred:
            if touched := used(tree) & drawing:
                found.append(
                    f"a starred section draws from the core's {sorted(touched)}"
                )
            depth |= bound(tree)
            continue
        if needed := (used(tree) - bound(tree)) & depth:
            found.append(f"the core uses {sorted(needed)} of a starred section")
        core |= bound(tree)
        drawing |= generators(tree)
        depth -= bound(tree)
    return found


@every_chapter
def test_the_core_runs_without_the_starred_sections(path):
    assert reaching_in(trees(path)) == []


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([("x = 1", False), ("y = x", True), ("z = x", False)], []),
        ([("y = 1", True), ("z = y", False)], ["the core uses ['y'] of a starred section"]),
        ([("x = 1", False), ("x = 2", True), ("x", False)],
         ["the core uses ['x'] of a starred section"]),
        ([("r = np.random.default_rng(0)", False), ("r.normal()", True)],
         ["a starred section draws from the core's ['r']"]),
        ([("y = 1", True), ("y = 2", False), ("y", False)], []),
        ([("[y for y in range(3)]", True), ("y = 2", False), ("y", False)], []),
    ],
)  # fmt: skip
def test_reaching_in__sees_what_the_core_takes_from_the_depth(cells, said):
    parsed = [(ast.parse(source), starred) for source, starred in cells]
    assert reaching_in(parsed) == said


@pytest.mark.exhaustive
@every_chapter
def test_the_core_runs_alone(path, tmp_path):
    """With all its checks, which would fail if a starred section had changed something."""
    core = [
        nbformat.v4.new_code_cell(passage.source)
        for passage in passages(read(path))
        if passage.kind == "code" and not passage.starred
    ]
    notebook = nbformat.v4.new_notebook(cells=core[1:])  # all but the setup cell
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=1_800, resources=where).execute()


@every_chapter
def test_the_core_refers_to_no_claim_of_a_starred_section(path):
    label = r"(?:\(|^:label: )((?:eq|thm|cor|lem)-[\w-]+)\)?$"
    inside = set(re.findall(label, text_of(path, starred=True), re.M))
    core = re.sub(label, "", text_of(path, starred=False), flags=re.M)
    assert {claim for claim in inside if re.search(rf"\b{claim}\b", core)} == set()


# Pitfalls


def pitfalls(path) -> list[str]:
    return re.findall(r"^:::\{admonition\} Pitfall: (.+)$", markdown(path), re.M)


@every_chapter
def test_a_chapter_has_few_pitfalls(path):
    assert len(pitfalls(path)) <= MOST_PITFALLS


def test_no_pitfall_is_told_twice():
    told = [title for path in CHAPTERS for title in pitfalls(path)]
    assert len(told) == len({title.lower() for title in told})


# How the text is cut and counted


def code(source: str, *tags: str) -> dict:
    return {"cell_type": "code", "metadata": {"tags": list(tags)}, "source": source}


def notebook(*sources: str) -> dict:
    return {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": source}
            for source in sources
        ]
    }


def test_passages__a_starred_section_ends_at_the_next_heading_of_its_level():
    text = f"# A\n\n## B{STAR}\n\n### C\n\nin it\n\n### D{STAR}\n\nin it\n\n## E\n\nout"
    found = [(p.source.split("\n")[0], p.starred) for p in passages(notebook(text))]
    assert found == [
        ("# A", False),
        (f"## B{STAR}", True),
        ("### C", True),
        (f"### D{STAR}", True),
        ("## E", False),
    ]


def test_passages__a_starred_section_reaches_over_cells():
    found = list(passages(notebook(f"## B{STAR}", "in it", "## C", "out")))
    assert [p.starred for p in found] == [True, True, False, False]
    assert isinstance(found[0], Passage)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Two words.", 2),
        ("A formula $a + b$ and `some code` are one each.", 8),
        ("A [link with words](somewhere.ipynb#far) and <b>tags</b>.", 6),
        ("$$\na = b\n$$ (eq-name)\n\n<!-- index: none -->\n\nWords.", 1),
        (":::{prf:theorem} A title\n:label: thm-name\n\nIt says.\n:::", 4),
    ],
)
def test_reading_time__counts_words_as_a_reader_does(text, words):
    assert reading_time(notebook(text), starred=False).words == words


def test_reading_time__counts_twenty_seconds_for_a_question():
    cells = [code("# Ask: how many\npredict()", "hide-input")] * 8
    checks = [code("# Check: none\nassert True", "hide-input")] * 8
    time = reading_time({"cells": cells + checks}, starred=False)
    assert (time.words, time.lines, time.questions) == (0, 0, 8)
    assert time.minutes == 3 and reading_times.ReadingTime(0, 0, 24).minutes == 8


def test_reading_time__counts_visible_lines_and_printed_sources():
    source = "from whywrong.source import Source, show_source\n\nshow_source(Source.__repr__)"
    cells = [code(source), code("folded = 1", "hide-input")]
    time = reading_time({"cells": cells}, starred=False)
    assert time.lines == 2 + 2


def test_reading_time__is_rounded_up():
    assert reading_time(notebook("word " * 1800), starred=False).minutes == 10
    assert reading_time(notebook("word " * 1801), starred=False).minutes == 11
    assert reading_times.ReadingTime(0, 16).minutes == 2
