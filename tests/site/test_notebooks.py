"""The hygiene of the notebooks and pages: what a reader, a diff and a screen reader rely on."""

import re
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from pybtex.database import parse_file
from pybtex.richtext import Text

from book._extensions.plain_markdown import slug
from course_attn.drawing.style import DARK_ROLES, ROLES
from course_attn.exercises import catalog
from tests.site.sources import (
    CAPTION,
    CHAPTERS,
    NOTEBOOKS,
    figures,
    name,
    repository,
)
from tools import setup_cells
from tools.book import BOOK, ROOT, cells, markdown, pages

KERNEL = {
    "kernelspec": {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}
CELL_METADATA = {"tags", "mystnb", "nbgrader"}
SECTIONS = [
    r"\*\*The question of this chapter\.\*\* .*\?$",
    r"\*\*Afterward you can\*\*$",
    r"## By hand",
    r"## In one line",
    r"## What goes wrong( ★)?$",
    r"## In PyTorch( ★)?$",
    r"## (On real data|Put to work)",
    r"## Summary$",
    r"## Review$",
    r"## What to read next$",
]
LONGEST_CELL, LONGEST_LINE = 12, 84
TEXT_FILES = {".css", ".html", ".ipynb", ".js", ".md", ".py"}

CHAPTER_NUMBER = re.compile(r"\bchapters? \d+|\[\d+\]\(\w+\.ipynb\)", re.I)

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=name)
every_text = pytest.mark.parametrize(
    "path", sorted({*NOTEBOOKS, *pages()}), ids=name
)


# The file


@every_notebook
def test_the_notebook_is_valid(path):
    nbformat.validate(nbformat.read(path, as_version=nbformat.NO_CONVERT))


@every_notebook
def test_cells_have_ids_that_are_stable_and_unique(path):
    ids = [
        cell.get("id")
        for kind in ("code", "markdown", "raw")
        for cell in cells(path, kind)
    ]
    assert all(ids)
    assert len(ids) == len(set(ids))


@every_notebook
def test_metadata_say_no_more_than_needed(path):
    assert nbformat.read(path, as_version=4).metadata == KERNEL
    for kind in ("code", "markdown"):
        for cell in cells(path, kind):
            assert set(cell["metadata"]) <= CELL_METADATA, cell["source"]


@every_notebook
def test_the_first_code_cell_is_the_setup_cell(path):
    expected = setup_cells.with_setup(path)
    assert path.read_text("utf-8") == expected, "run `python -m tools.setup_cells`"
    assert cells(path, "code")[0]["metadata"] == {"tags": ["remove-cell"]}


# The code


@every_notebook
def test_code_cells_are_short(path):
    for cell in cells(path, "code")[1:]:
        lines = cell["source"].splitlines()
        assert len(lines) <= LONGEST_CELL, cell["source"]
        assert max(map(len, lines)) <= LONGEST_LINE, max(lines, key=len)


@every_notebook
def test_a_figure_is_shown_by_ending_a_cell_with_it(path):
    assert not any("plt.show" in cell["source"] for cell in cells(path, "code"))


@every_notebook
def test_every_figure_says_what_it_finds_and_what_is_seen(path):
    names = []
    for entry in figures(path):
        caption, alt = entry["caption"], entry["image"]["alt"]
        names.append(entry["figure"]["name"])
        assert len(caption.split()) >= 8, caption
        assert len(alt.split()) >= 8, alt
        assert caption != alt
    assert all(re.fullmatch(r"fig-[a-z0-9-]+", label) for label in names)
    assert len(names) == len(set(names))


@every_chapter
def test_a_caption_is_text_right_below_its_figure_which_is_shown_everywhere(path):
    book = nbformat.read(path, as_version=4).cells
    for cell, below in pairwise(book):
        figure = cell.metadata.get("mystnb", {}).get("figure")
        assert below.source.startswith(CAPTION) == (figure is not None)
        if figure is not None:
            assert set(figure) == {"name"}
            assert below.id == f"{figure['name']}-caption"


# The text


@every_chapter
def test_the_chapter_has_the_sections_of_the_skeleton_in_order(path):
    text = markdown(path)
    found = [re.search("^" + section, text, re.M) for section in SECTIONS]
    assert [
        s for s, match in zip(SECTIONS, found, strict=True) if match is None
    ] == []
    starts = [match.start() for match in found]
    assert starts == sorted(starts)


@pytest.mark.parametrize(
    ("path", "following"), list(pairwise(CHAPTERS)), ids=lambda path: path.stem
)
def test_the_chapter_ends_with_a_link_to_the_next(path, following):
    assert (
        f"]({following.name})"
        in markdown(path).split("\n## What to read next\n")[1]
    )


@every_chapter
def test_the_chapter_ends_with_a_link_to_its_exercises(path):
    assert (
        f"](exercises/{path.name})"
        in markdown(path).split("\n## What to read next\n")[1]
    )


@every_text
def test_directives_are_colon_fences(path):
    """Backtick directives turn into raw code where MyST is not rendered, as in Colab."""
    assert not re.findall(r"^\s*(?:`{3,}|~{3,})\{.*", markdown(path), re.M)


@every_text
def test_formulas_define_no_macros(path):
    """JupyterLab and Colab would not know them."""
    macros = r"\\(?:(?:re)?newcommand|providecommand|def|let|DeclareMathOperator|require)\b.*"
    assert not re.findall(macros, markdown(path))


@every_text
def test_text_and_formulas_have_no_color_but_those_of_the_roles(path):
    text = markdown(path)
    colors = re.findall(r"\\(?:text)?color\{([^}]*)\}", text)
    colors += re.findall(r"""style=["'][^"']*color:\s*([^;"']*)""", text)
    assert set(colors) <= set(ROLES.values())
    assert len(colors) == len(re.findall(r"\\(?:text)?color\b|color:", text)), (
        "in another form"
    )


@pytest.mark.parametrize("role", ROLES)
def test_the_dark_theme_has_a_color_of_its_own_for_the_role(role):
    """Formulas carry their colors as rgb(), prose as hexadecimal numbers."""
    css = (BOOK / "_static" / "book.css").read_text("utf-8")
    rule = rf'^html\[data-theme="dark"\] ([^{{]*)\{{\s*color: {DARK_ROLES[role]} !important'
    selectors = re.findall(rule, css, re.M)
    parts = ", ".join(str(int(ROLES[role][k : k + 2], 16)) for k in (1, 3, 5))
    for form in (ROLES[role], f"rgb({parts})"):
        assert (
            sum(f'[style*="{form}"]' in selector for selector in selectors) == 1
        ), form


def test_no_text_types_the_number_of_a_chapter():
    """The table of contents gives it, and may give another one tomorrow."""
    files = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    for folder in (BOOK, ROOT / "course_attn"):
        files += [
            path for path in sorted(folder.rglob("*")) if path.suffix in TEXT_FILES
        ]
    assert [
        f"{name(path)}:{number}: {match.group()}"
        for path in files
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        for match in CHAPTER_NUMBER.finditer(line)
    ] == []


# What the text refers to


CITATION = r"\[([^]]*)\]\((?:\.\./)?bibliography\.md#([^)]*)\)"
REFERENCES = parse_file(str(BOOK / "references.bib")).entries


def test_every_citation_is_in_the_bibliography_and_every_entry_is_cited():
    cited = [re.findall(CITATION, markdown(path)) for path in pages()]
    assert {key for found in cited for _, key in found} == set(REFERENCES)


def authors(key: str) -> tuple[str, str]:
    """Return the surnames of a reference's authors in short, as a link has them, and in full."""
    persons = REFERENCES[key].persons["author"]
    *others, last = [
        str(Text.from_latex(" ".join([*person.prelast_names, *person.last_names])))
        for person in persons
    ]
    full = f"{', '.join(others)} and {last}" if others else last
    return f"{others[0]} and others" if len(others) > 1 else full, full


@every_text
def test_every_citation_gives_the_year_and_the_authors_unless_they_stand_before_it(
    path,
):
    """Name and others ([2017](…)) say it; it has been said ([Name and others, 2017](…))."""
    text = markdown(path)
    for link in re.finditer(CITATION, text):
        said, key = link.groups()
        year = REFERENCES[key].fields.get("year", "no date")
        short, full = authors(key)
        before = text[: link.start()]
        if said == year:
            names = f"(?:{re.escape(short)}|{re.escape(full)})(?:'s paper)?"
            assert re.search(rf"\b{names} \($", before), link[0]
        else:
            assert said == f"{short}, {year}"
            assert re.search(r"(?:\(|; )$", before), link[0]
            assert not before.endswith((f"{short} (", f"{full} (")), link[0]


def glossary() -> list[list[str]]:
    """Return the entries of the glossary, each as the list of its terms."""
    body = (
        (BOOK / "glossary.md")
        .read_text("utf-8")
        .split(":::{glossary}\n")[1]
        .split("\n:::")[0]
    )
    return [
        re.findall(r"^(?=\S).+$", entry, re.M)
        for entry in re.split(r"\n\n", body.strip())
    ]


def linked_terms(path: Path) -> set[str]:
    """Return what the links of a page to the glossary end with: [words](glossary.md#this)."""
    link = r"\]\((?:\.\./)?glossary\.md#([^)]*)\)"
    return set(re.findall(link, markdown(path)))


@every_text
def test_every_linked_term_is_in_the_glossary(path):
    terms = {slug(term) for entry in glossary() for term in entry}
    assert linked_terms(path) <= terms


def test_every_term_of_the_glossary_is_linked_from_the_book():
    linked = set().union(*(linked_terms(path) for path in pages()))
    assert [
        entry for entry in glossary() if linked.isdisjoint(map(slug, entry))
    ] == []


# One slug, every place; one address, one place


@every_chapter
def test_the_chapter_has_its_twins_and_its_tests(path):
    for place in (
        "course_attn/in_numpy/{}.py",
        "course_attn/in_torch/{}.py",
        "tests/chapters/{}/test_*.py",
    ):
        assert [*ROOT.glob(place.format(path.stem))], place.format(path.stem)


def slugs(folder: str, suffix: str) -> set[str]:
    """Return the slugs that a folder's files are named after, private ones aside."""
    found = {path.stem for path in (ROOT / folder).glob(f"*{suffix}")}
    parts = {n for n in found for other in found if n.startswith(f"{other}_")}
    return {slug for slug in found - parts if slug[0] != "_"}


@pytest.mark.parametrize("folder", ["course_attn/in_numpy", "course_attn/in_torch"])
def test_every_module_of_the_twins_has_its_chapter(folder):
    assert slugs(folder, ".py") == {path.stem for path in CHAPTERS}


def test_every_notebook_is_in_the_table_of_contents():
    assert set(NOTEBOOKS) <= set(pages())


def test_exercises_have_a_notebook_and_a_chapter():
    notebooks = slugs("book/exercises", ".ipynb")
    assert set(catalog.chapters) == notebooks
    assert notebooks <= {path.stem for path in CHAPTERS}


def test_the_address_of_the_repository_is_in_the_configuration_and_the_setup_cells_only():
    _, address, _ = repository()
    left_out = {".git", ".venv", "_build", "__pycache__", "dist"}
    files = [
        path
        for path in ROOT.rglob("*")
        if path.is_file()
        and not left_out & set(path.parts)
        and "_cache" not in str(path)
    ]
    found = {}
    for path in files:
        count = path.read_bytes().count(address.encode())
        if count:
            found[name(path)] = count
    assert found == {"_config.yml": 1} | {name(path): 1 for path in NOTEBOOKS}
