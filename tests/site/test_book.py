"""The table of contents and notebooks, as everything that needs them is given them."""

import json

import pytest

from tools import book

CONTENTS = """\
root: book/index
parts:
  - caption: First
    numbered: true
    chapters:
      - file: book/softmax
        sections:
          - file: book/exercises/softmax
      - file: book/scores
  - caption: Look it up
    chapters:
      - file: book/glossary
"""
CELLS = [
    {
        "cell_type": "markdown",
        "metadata": {},
        "source": ["# Sums\n", "\n", "Text."],
    },
    {"cell_type": "code", "metadata": {}, "source": ["# Not this\n", "1 + 1"]},
    {"cell_type": "markdown", "metadata": {}, "source": "## Whole"},
]


@pytest.fixture
def root(tmp_path):
    """Return the root of a small book."""
    (tmp_path / "_toc.yml").write_text(CONTENTS, "utf-8")
    (tmp_path / "book" / "exercises" / ".ipynb_checkpoints").mkdir(parents=True)
    for name in ("index.md", "glossary.md"):
        (tmp_path / "book" / name).write_text("# Words\n", "utf-8")
    for name in ("softmax", "scores", "exercises/softmax"):
        path = tmp_path / "book" / f"{name}.ipynb"
        path.write_text(json.dumps({"cells": CELLS}), "utf-8")
    left_behind = "exercises/.ipynb_checkpoints/softmax-checkpoint.ipynb"
    (tmp_path / "book" / left_behind).write_text("{}", "utf-8")
    return tmp_path


# The table of contents


def test_parts__are_the_numbered_ones_with_their_chapters_in_order(root):
    assert book.parts(root) == [book.Part("First", ("softmax", "scores"))]
    assert book.chapters(root) == ["softmax", "scores"]
    paths = book.chapter_notebooks(root)
    assert paths == [root / "book/softmax.ipynb", root / "book/scores.ipynb"]


def test_pages__are_all_sources_in_order(root):
    assert [path.relative_to(root).as_posix() for path in book.pages(root)] == [
        "book/index.md",
        "book/softmax.ipynb",
        "book/exercises/softmax.ipynb",
        "book/scores.ipynb",
        "book/glossary.md",
    ]


def test_notebooks__are_all_but_those_that_jupyter_left_behind(root):
    found = [
        path.relative_to(root / "book").as_posix() for path in book.notebooks(root)
    ]
    assert found == ["exercises/softmax.ipynb", "scores.ipynb", "softmax.ipynb"]


@pytest.mark.parametrize(
    ("written", "said"),
    {
        "": "expected `parts`",
        "parts: [{numbered: true, chapters: []}]": "KeyError('caption')",
        "parts: [{caption: A, numbered: true, chapters: [{}]}]": "KeyError('file')",
        "parts: [{caption: A, numbered: true, chapters: [{file: a}]}]": "ValueError",
        "parts: [{caption: A, numbered: true, chapters: [{file: a/b}]}]": "'a/b'",
        "parts: 3": "expected `parts`",
        "parts: [a": "while parsing",
        CONTENTS.replace("scores", "softmax"): "twice a chapter: ['softmax']",
    }.items(),
)
def test_chapters__of_a_broken_table_of_contents_name_its_file(root, written, said):
    (root / "_toc.yml").write_text(written, "utf-8")
    with pytest.raises(book.BookError) as refused:
        book.chapters(root)
    assert str(root / "_toc.yml") in str(refused.value)
    assert said in str(refused.value)


def test_pages__of_a_table_of_contents_that_is_missing_or_names_a_missing_page(
    root,
):
    (root / "book/glossary.md").unlink()
    with pytest.raises(book.BookError, match=r"_toc\.yml: .* book/glossary\.md"):
        book.pages(root)
    (root / "_toc.yml").unlink()
    with pytest.raises(book.BookError, match=r"_toc\.yml"):
        book.pages(root)


# Notebooks


def test_cells__have_their_source_as_one_string(root):
    path = root / "book/softmax.ipynb"
    sources = [cell["source"] for cell in book.cells(path)]
    assert sources == ["# Sums\n\nText.", "# Not this\n1 + 1", "## Whole"]
    assert [cell["source"] for cell in book.cells(path, "code")] == sources[1:2]


def test_markdown__is_that_of_a_notebook_or_of_a_file(root):
    assert (
        book.markdown(root / "book/softmax.ipynb") == "# Sums\n\nText.\n\n## Whole"
    )
    assert book.markdown(root / "book/index.md") == "# Words\n"


def test_title__is_the_first_heading_of_the_text(root):
    path = root / "book/softmax.ipynb"
    assert book.title(path) == "Sums"
    path.write_text(json.dumps({"cells": CELLS[1:]}), "utf-8")
    with pytest.raises(book.BookError, match=r"softmax\.ipynb has no title"):
        book.title(path)


@pytest.mark.parametrize(
    "written",
    ["", "{", "[]", "{}", '{"cells": [{"cell_type": "code", "metadata": {}}]}']
    + [json.dumps({"cells": [{**CELLS[0], "source": None}]}), '{"cells": [1]}']
    + ['{"cells": [{"cell_type": "code", "source": ""}]}'],
)
def test_read__refuses_what_is_not_a_notebook_and_names_it(root, written):
    path = root / "book/softmax.ipynb"
    path.write_text(written, "utf-8")
    with pytest.raises(book.BookError, match=r"softmax\.ipynb is not a notebook"):
        book.read(path)


def test_read__names_a_notebook_that_is_missing(root):
    with pytest.raises(book.BookError, match=r"order\.ipynb"):
        book.read(root / "book/order.ipynb")


@pytest.mark.parametrize("path", book.notebooks(), ids=lambda path: path.stem)
def test_as_text__gives_back_the_notebook_as_it_is_committed(path):
    assert book.as_text(book.read(path)) == path.read_text("utf-8")
