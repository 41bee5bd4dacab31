"""The exercise notebooks: as declared, solvable as they stand, and refusing what is wrong."""

import inspect
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from course_attn.exercises import catalog
from tests.exercises.solutions import reference_source
from whywrong.declare import Exercise

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = list(catalog.chapters)


def test_notebooks_are_what_the_declarations_make():
    tool = ROOT / "tools/exercise_notebooks.py"
    run = subprocess.run(
        [sys.executable, tool, "--check"], capture_output=True, text=True, cwd=ROOT
    )
    assert run.returncode == 0, run.stdout + run.stderr


def answered(chapter, answer):
    """Return a chapter's notebook with each stub replaced by ``answer(task)``."""
    notebook = nbformat.read(ROOT / f"book/exercises/{chapter}.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell["metadata"].get("tags") == ["exercise"]:
            cell["source"] = answer(
                catalog.find(cell["id"].removesuffix("-answer"))
            )
    return notebook


def failures(notebook):
    """Run a notebook to its end; return the ids of the cells that raised, with what they raised."""
    NotebookClient(notebook, timeout=600, allow_errors=True).execute()
    return {
        cell["id"]: output["ename"]
        for cell in notebook.cells
        if cell["cell_type"] == "code"
        for output in cell["outputs"]
        if output["output_type"] == "error"
    }


def fault(task):
    """Return a cell that defines the answer with the first known mistake; questions stay stubs."""
    if not isinstance(task, Exercise):
        return f"def {task.name}():\n    raise NotImplementedError"
    names = ", ".join(inspect.signature(task.solution).parameters)
    return (
        "from course_attn.exercises import catalog\n"
        f"task = catalog.find({task.name!r})\n"
        f"wrong_{task.name} = task.wrong_version(task.faults[0])\n"
        f"def {task.name}({names}):\n    return wrong_{task.name}({names})"
    )


@pytest.fixture
def strict(monkeypatch):
    monkeypatch.setenv("COURSE_ATTN_STRICT", "1")


@pytest.mark.slow
def test_notebooks_are_solved_by_references_and_not_by_known_mistakes(strict):
    """All in one kernel, one after the other: to start it takes longer than to run one."""
    together = nbformat.v4.new_notebook()
    for chapter in CHAPTERS:
        for answer in (reference_source, fault):
            cells = answered(chapter, answer).cells
            for cell in cells:
                cell["id"] = f"{chapter}-{answer.__name__}-{cell['id']}"
            together.cells += cells
    assert failures(together) == {
        f"{chapter}-fault-{name}-check": "NotRight"
        for chapter in CHAPTERS
        for name in catalog.chapters[chapter]
    }


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nothing_hard_stands_before_something_easy(chapter):
    levels = [catalog.find(name).level for name in catalog.chapters[chapter]]
    after_hard = levels[levels.index("hard") :] if "hard" in levels else []
    assert "easy" not in after_hard
