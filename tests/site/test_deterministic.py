"""Executed once more, by nbmake and as in Colab, a notebook shows what the built book shows.

It runs alone in an empty folder, with the wheel and what that brings along (see colab.py). Text,
pictures and animations are compared; of a cell with the tag "measured", which shows a picture of
times just taken, only the kinds of its outputs.
"""

import shutil
from pathlib import Path

import nbformat
import pytest
from jupyter_cache import get_cache
from nbmake.nb_run import NotebookRun

from book._extensions.plain_markdown import notebook_in_myst
from tests.site.built_pages import HTML
from tests.site.sources import CHAPTERS, NOTEBOOKS, name
from tests.support.sampled import sampled

SECONDS_A_CELL = 900


def in_the_book(path: Path) -> nbformat.NotebookNode:
    """Return a notebook with the outputs of its execution for the book."""
    cache = get_cache(HTML.parent / ".jupyter_cache")
    return cache.merge_match_into_notebook(nbformat.read(path, as_version=4))[1]


def executed(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Return a notebook with the outputs of an execution in a folder, where only it is."""
    copy = Path(shutil.copy(path, folder))
    result = NotebookRun(copy, SECONDS_A_CELL).execute()
    assert result.error is None, result.error.trace
    return result.nb


def outputs(notebook: nbformat.NotebookNode) -> list[list]:
    """Return what each code cell shows."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [
        [sorted(shown(output)) for output in cell.outputs]
        if "measured" in cell.metadata.get("tags", ())
        else merged([shown(output) for output in cell.outputs])
        for cell in code
    ]


def test_the_book_looks_for_results_by_what_they_were_stored_as():
    """Otherwise every notebook would be executed twice: for the cache, and again for the book."""
    key = get_cache(HTML.parent / ".jupyter_cache").create_hashed_notebook
    for path in NOTEBOOKS:
        text = path.read_text("utf-8")
        read = nbformat.reads(notebook_in_myst(text, path), as_version=4)
        assert key(read)[1] == key(nbformat.reads(text, as_version=4))[1]


def test_only_pictures_are_measured():
    """Numbers that differ each time may be drawn, never printed."""
    for path in CHAPTERS:
        for cell in nbformat.read(path, as_version=4).cells:
            if "measured" in cell.metadata.get("tags", ()):
                assert "figure" in cell.metadata["mystnb"]
                assert "print(" not in cell.source


def merged(outputs: list[dict]) -> list[dict]:
    """Join pieces of one stream: where the kernel cuts what is printed is up to its clock."""
    joined: list[dict] = []
    for output in outputs:
        (stream,) = output if len(output) == 1 else (None,)
        if (
            joined
            and stream in ("stdout", "stderr")
            and set(joined[-1]) == {stream}
        ):
            joined[-1] = {stream: joined[-1][stream] + output[stream]}
        else:
            joined.append(output)
    return joined


def shown(output: dict) -> dict:
    """Return what an output shows: a stream's text, or the data of a result by type."""
    return output["data"] if "data" in output else {output["name"]: output["text"]}


# The build has run every notebook, with all that it asserts: a second run has one notebook.
@pytest.mark.usefixtures("html")
@pytest.mark.parametrize(
    "path",
    sampled(NOTEBOOKS, lambda path: name(path) == "book/exercises/softmax.ipynb"),
    ids=name,
)
def test_in_colab_the_notebook_runs_and_shows_what_the_book_shows(path, colab):
    first, second = outputs(in_the_book(path)), outputs(executed(path, colab))
    assert any(first)
    for number, (one, other) in enumerate(zip(first, second, strict=True), start=1):
        assert one == other, f"code cell {number} shows something else each time"
