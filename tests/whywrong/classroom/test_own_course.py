"""A course of one's own, from the files on the page: tried, checked, written, installed."""

import subprocess
import sys
import zipfile

import nbformat
import pytest
from nbclient import NotebookClient

from tests.whywrong.classroom.kernels import with_answers
from tests.whywrong.classroom.the_page import ROOT, blocks, commands, done, files

HEADING = "Exercises of your own"
RIGHT = """
def move_centers(points, labels, centers):
    moved = centers.copy()
    for k in set(labels):
        moved[k] = points[labels == k].mean(axis=0)
    return moved
"""
LARGEST = RIGHT.replace(".mean(axis=0)", ".max(axis=0)")


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """The files of the page, in a folder of their own."""
    folder = tmp_path_factory.mktemp("own")
    for name, text in files(HEADING).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def test_commands_print_what_stands_below_them(own):
    tried, asked, write = commands(HEADING)
    shown = blocks(HEADING, "text")
    assert [done(tried, own), done(asked, own)] == shown
    assert "kmeans.ipynb: 1 exercise" in done(write, own)


@pytest.mark.slow
def test_notebook_checks_answers_with_the_package_that_is_installed(own, tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"]
    subprocess.run(
        [*build, str(tmp_path)], cwd=own, check=True, capture_output=True
    )
    (wheel,) = tmp_path.glob("clustering-1.0-*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    done(commands(HEADING)[-1], own)
    source = nbformat.read(own / "source/kmeans/kmeans.ipynb", as_version=4)
    assert (
        "# %pip install course_attn https://example.org/clustering.zip"
        in source.cells[0]["source"]
    )
    right = with_answers(source, {"move_centers": RIGHT})
    wrong = with_answers(source, {"move_centers": LARGEST})
    # Both in one kernel, one after the other: to start it takes longer than to run one.
    for cell in wrong.cells:
        cell["id"] += "-wrong"
    right.cells += wrong.cells
    path = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(tmp_path / 'installed')!r}]"
    right.cells.insert(0, nbformat.v4.new_code_cell(path, id="path"))
    NotebookClient(
        right, timeout=600, allow_errors=True, resources={"metadata": {"path": "/"}}
    ).execute()
    errors = {
        cell["id"]: output["ename"]
        for cell in right.cells
        for output in cell.get("outputs", [])
        if output["output_type"] == "error"
    }
    assert errors == {"move_centers-check-wrong": "NotRight"}
