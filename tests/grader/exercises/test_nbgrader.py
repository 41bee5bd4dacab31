"""A class graded for real: nbgrader makes the assignment, takes two submissions, gives points."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from course_attn.exercises import catalog
from tests.grader.exercises.solutions import reference_source

pytest.importorskip("nbgrader")

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]

OVERFLOWS = """
def softmax(scores):
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)
"""
LOOPS = """
import time

def softmax_with_temperature(scores, temperature):
    while True:
        time.sleep(0.1)
"""
IN_BITS = """
def entropy(weights):
    return -(weights * np.log2(np.where(weights > 0, weights, 1))).sum(axis=-1)
"""
BOB = {"softmax": OVERFLOWS, "softmax_with_temperature": LOOPS, "entropy": IN_BITS}


def nbgrader(course: Path, *arguments: str) -> None:
    """Run nbgrader in the course's folder, with the environment's programs in reach."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", "nbgrader", *arguments, "--log-level=ERROR"]
    run = subprocess.run(
        command,
        cwd=course,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": path},
    )
    assert run.returncode == 0, run.stdout + run.stderr


def submit(course: Path, student: str, answers: dict[str, str]) -> None:
    """Hand in the released notebook with some stubs replaced."""
    notebook = nbformat.read(course / "release/week3/softmax.ipynb", as_version=4)
    for cell in notebook.cells:
        grading = cell["metadata"].get("nbgrader", {})
        name = grading.get("grade_id", "").removesuffix("-answer")
        if grading.get("solution") and name in answers:
            cell["source"] = answers[name]
    folder = course / f"submitted/{student}/week3"
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / "softmax.ipynb")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course with one assignment, the exercises on softmax, and two graded submissions."""
    folder = tmp_path_factory.mktemp("course")
    source = folder / "source/week3"
    source.mkdir(parents=True)
    notebook = (ROOT / "book/exercises/softmax.ipynb").read_text("utf-8")
    (source / "softmax.ipynb").write_text(notebook, "utf-8")
    (folder / "nbgrader_config.py").write_text("c = get_config()\n", "utf-8")
    nbgrader(folder, "generate_assignment", "week3", "--create")
    names = catalog.chapters["softmax"]
    submit(
        folder,
        "ada",
        {name: reference_source(catalog.find(name)) for name in names},
    )
    submit(
        folder,
        "bob",
        BOB
        | {"true_of_softmax": reference_source(catalog.find("true_of_softmax"))},
    )
    nbgrader(folder, "autograde", "week3", "--create")
    return folder


def points(course: Path, student: str) -> dict[str, float]:
    """Return the points that a student got for each exercise."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course}/gradebook.db") as book:
        submission = book.find_submission_notebook("softmax", "week3", student)
        return {
            g.name.removesuffix("-check"): g.auto_score for g in submission.grades
        }


def test_released_notebook_keeps_signatures_and_has_no_solution(course):
    notebook = nbformat.read(course / "release/week3/softmax.ipynb", as_version=4)
    answers = [
        c["source"]
        for c in notebook.cells
        if c["metadata"].get("tags") == ["exercise"]
    ]
    assert len(answers) == len(catalog.chapters["softmax"])
    for source in answers:
        assert source.startswith("def ") and "NotImplementedError" in source
        assert "SOLUTION" not in source


def test_right_answers_get_full_points(course):
    wanted = {n: float(catalog.find(n).points) for n in catalog.chapters["softmax"]}
    assert points(course, "ada") == wanted


def test_wrong_answers_get_no_points(course):
    wanted = dict.fromkeys(catalog.chapters["softmax"], 0.0) | {
        "true_of_softmax": 1.0
    }
    assert points(course, "bob") == wanted
