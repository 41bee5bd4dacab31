"""The command: what it writes, what it says, and that a second run goes on where one stopped."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import nbformat
import pytest

from course_attn.exercises import catalog
from course_attn.grade.__main__ import main
from course_attn.grade.results import Store
from tests.grader.exercises.solutions import reference_source
from tests.grader.grade.classroom import ROOT, notebook
from tests.grader.grade.generated import ASKED, hand_in

COMMAND = [sys.executable, "-m", "course_attn.grade"]
ENTROPY = "import numpy as np\n" + reference_source(catalog.find("entropy"))


def put(folder, student: str, text: str, ending: str = "py") -> None:
    """Hand in a file."""
    folder.mkdir(exist_ok=True)
    (folder / f"{student}.{ending}").write_text(text, "utf-8")


def statuses(folder) -> dict[str, dict[str, str]]:
    """Return what each student's exercises came to."""
    found = {}
    for one in json.loads((folder / "grades.json").read_text("utf-8")):
        marks = {mark["exercise"]: mark["status"] for mark in one["marks"]}
        found[one["student"]] = marks
    return found


@pytest.fixture(scope="module")
def small_class(tmp_path_factory):
    """Return a folder with one submission of each kind, what is right, and the graded folder."""
    folder = tmp_path_factory.mktemp("class")
    right = hand_in(folder / "submitted", 6)
    command = [
        *COMMAND,
        "submitted",
        "-o",
        "graded",
        "--exercises",
        ",".join(ASKED),
    ]
    run = subprocess.run(
        [*command, "--workers", "1", "--seed", "7"],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    return folder, right, run


def test_each_kind_of_submission_gets_what_it_deserves(small_class):
    folder, right, run = small_class
    assert run.returncode == 0, run.stderr
    found = statuses(folder / "graded")
    assert {
        student: tuple(name for name, status in marks.items() if status == "right")
        for student, marks in found.items()
    } == right
    assert found["stub-002"] == dict.fromkeys(ASKED, "todo")
    assert (
        "3 submissions" not in run.stdout
        and "6 submissions graded, 0 not" in run.stdout
    )


def test_tables_have_a_line_for_each_exercise(small_class):
    folder, right, _ = small_class
    with open(folder / "graded/grades.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6 * len(ASKED)
    points = {(row["student"], row["exercise"]): row["points"] for row in rows}
    assert all(
        points[student, name] == ("1" if name in good else "0")
        for student, good in right.items()
        for name in ASKED
    )
    assert {row["assignment"] for row in rows} == {"week3"}


def test_feedback_has_the_cards_and_nothing_that_runs(small_class):
    folder, _, _ = small_class
    page = (folder / "graded/feedback/wrong-001/week3-softmax.html").read_text(
        "utf-8"
    )
    assert "0 of 3 points" in page and "Not yet" in page
    assert "default-src 'none'" in page and "<script" not in page


def test_second_run_finds_all_done_and_gives_the_same(
    small_class, capsys, monkeypatch
):
    folder, _, _ = small_class
    monkeypatch.chdir(folder)
    before = (folder / "graded/grades.json").read_text("utf-8")
    assert main(["submitted", "-o", "graded", "--exercises", ",".join(ASKED)]) == 0
    assert "6 of 6 submissions are graded already" in capsys.readouterr().out
    assert (folder / "graded/grades.json").read_text("utf-8") == before


# It is asked for where a class is graded again: nothing of it is waited for.
QUICK = "softmax_with_temperature"


def quick_marks(folder) -> dict[str, str]:
    """Return what this exercise came to."""
    return {student: marks[QUICK] for student, marks in statuses(folder).items()}


def test_killed_run_goes_on_and_gives_the_same(small_class):
    folder, _, _ = small_class
    command = [*COMMAND, "submitted", "-o", "again", "--exercises", QUICK]
    options = ["--workers", "1", "--seed", "7"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    run = subprocess.Popen([*command, *options], cwd=folder, env=environment)
    done = folder / "again/submissions"
    until = time.monotonic() + 120
    while len(list(done.glob("*.json"))) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    run.send_signal(signal.SIGKILL)
    run.wait()
    before = {path: path.stat().st_mtime_ns for path in done.glob("*.json")}
    assert 2 <= len(before) < 6
    subprocess.run([*command, *options], cwd=folder, env=environment, check=True)
    assert quick_marks(folder / "again") == quick_marks(folder / "graded")
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_shards_are_apart_and_merge_to_the_whole(small_class, capsys, monkeypatch):
    folder, _, _ = small_class
    monkeypatch.chdir(folder)
    common = ["submitted", "-o", "parts", "--exercises", QUICK, "--workers", "1"]
    assert main([*common, "--shard", "1/2"]) == 0
    first = {path.name for path in (folder / "parts/submissions").iterdir()}
    assert 0 < len(first) < 6 and not (folder / "parts/grades.csv").exists()
    assert main([*common, "--merge"]) == 1
    assert capsys.readouterr().err.count("there is no result yet") == 6 - len(first)
    assert main([*common, "--shard", "2/2"]) == 0
    assert main([*common, "--merge"]) == 0
    assert quick_marks(folder / "parts") == quick_marks(folder / "graded")


def test_what_cannot_be_graded_has_its_line_and_the_rest_its_points(
    tmp_path, capsys
):
    folder = tmp_path / "submitted"
    put(folder, "ada", ENTROPY)
    put(folder, "bob", "no notebook", "ipynb")
    put(folder, "eve", "")
    put(folder, "dan", "def k_means(points): ...")
    (folder / "fay").mkdir()
    (folder / "gus.ipynb").symlink_to("/dev/zero")
    document = notebook("softmax", {"entropy": ENTROPY})
    document.cells = [
        c for c in document.cells if "softmax-answer" not in str(c.metadata)
    ]
    nbformat.write(document, folder / "hal.ipynb")
    arguments = [
        str(folder),
        "-o",
        str(tmp_path / "graded"),
        "--exercises",
        "entropy,softmax",
    ]
    assert main([*arguments, "--workers", "1", "--isolation", "limits"]) == 1
    said = capsys.readouterr().err
    for name, why in {
        "bob.ipynb": "is not a notebook",
        "fay": "holds neither a notebook nor a .py file",
        "gus.ipynb": "is a link",
        "hal.ipynb": "the cell `softmax-answer` is missing",
    }.items():
        assert f"course_attn.grade: {folder / name}: {why}" in said
    assert statuses(tmp_path / "graded") == {
        "ada": {"entropy": "right", "softmax": "todo"},
        "bob": {"entropy": "crashed", "softmax": "crashed"},
        "dan": {"entropy": "todo", "softmax": "todo"},
        "eve": {"entropy": "todo", "softmax": "todo"},
        "gus": {"entropy": "crashed", "softmax": "crashed"},
        "hal": {"entropy": "right", "softmax": "todo"},
    }


@pytest.mark.parametrize(
    "arguments, said",
    [
        ([], "which submissions?"),
        (["x", "--container", "docker"], "--container needs --image"),
        (["x", "--exercises", "k_means"], "there is no exercise 'k_means'"),
        (["x", "--release", "none.ipynb"], "none.ipynb: cannot be read"),
        (["x", "--course", "math"], "--course math"),
    ],
)
def test_what_cannot_begin_is_said_in_one_line(
    arguments, said, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    line = capsys.readouterr().err
    assert (
        line.startswith("course_attn.grade: ")
        and said in line
        and line.count("\n") == 1
    )


def test_results_that_cannot_be_kept_are_said(tmp_path, capsys, monkeypatch):
    put(tmp_path / "submitted", "ada", ENTROPY)

    def full(store, graded):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Store, "write", full)
    arguments = [
        str(tmp_path / "submitted"),
        "-o",
        str(tmp_path / "graded"),
        "--workers",
        "1",
    ]
    assert main([*arguments, "--isolation", "limits"]) == 1
    assert "ada.py: not kept (No space left on device)" in capsys.readouterr().err


def test_folder_that_cannot_be_made_is_said(tmp_path, capsys):
    put(tmp_path / "submitted", "ada", ENTROPY)
    (tmp_path / "file").write_text("", "utf-8")
    output = tmp_path / "file" / "graded"
    assert main([str(tmp_path / "submitted"), "-o", str(output)]) == 2
    assert f"{output}: " in capsys.readouterr().err


def test_release_gives_the_points(tmp_path):
    released = notebook("softmax", {})
    for cell in released.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "entropy-check":
            cell.metadata.nbgrader["points"] = 5
    keep = ("entropy-answer", "entropy-check")
    released.cells = [
        cell for cell in released.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id", keep[0]) in keep
    ]  # fmt: skip
    nbformat.write(released, tmp_path / "released.ipynb")
    put(tmp_path / "submitted", "ada", ENTROPY)
    arguments = [
        str(tmp_path / "submitted"),
        "-o",
        str(tmp_path / "graded"),
        "--workers",
        "1",
    ]
    options = [
        "--release",
        str(tmp_path / "released.ipynb"),
        "--isolation",
        "limits",
    ]
    assert main([*arguments, *options]) == 0
    (one,) = json.loads((tmp_path / "graded/grades.json").read_text("utf-8"))
    assert [(mark["points"], mark["of"]) for mark in one["marks"]] == [(5.0, 5.0)]


@pytest.mark.parametrize("name", ["containerfile", "slurm", "kubernetes"])
def test_recipes_are_printed_and_call_options_that_exist(name, capsys):
    assert main(["--recipe", name]) == 0
    recipe = capsys.readouterr().out
    assert "course_attn" in recipe
    with pytest.raises(SystemExit):
        main(["--help"])
    known = capsys.readouterr().out
    command = recipe.replace("\\\n", " ")
    lines = [
        line for line in command.splitlines() if "-m course_attn.grade" in line
    ]
    used = {
        word for line in lines for word in line.split() if word.startswith("--")
    }
    assert used and all(option in known for option in used)


OWN_COURSE = {
    "__init__.py": """
from pathlib import Path
from course_attn.checking import Catalog, Course
course = Course(Catalog(__name__, Path(__file__).parent, ["means"]))
""",
    "means/__init__.py": '"""Means."""',
    "means/middle.py": """
import numpy as np
from course_attn.checking import Case, Exercise

def middle(points):
    return points.mean(axis=0)

def cases():
    rng = np.random.default_rng(3)
    return tuple(Case((rng.normal(size=(n, 3)),)) for n in (2, 5, 7))

exercise = Exercise(
    middle,
    place=10,
    minutes=5,
    level="easy",
    section="Means",
    task="Write `middle(points)`.",
    cases=cases,
    hints=("One.", "Two.", "Three."),
)
""",
}


def test_exercises_of_another_course_are_graded_from_its_folder(tmp_path):
    for name, text in OWN_COURSE.items():
        path = tmp_path / "own_course" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    put(
        tmp_path / "submitted",
        "ada",
        "def middle(points):\n    return sum(points) / len(points)\n",
    )
    put(
        tmp_path / "submitted", "bob", "def middle(points):\n    return points[0]\n"
    )
    arguments = [
        "submitted",
        "-o",
        "graded",
        "--course",
        "own_course",
        "--workers",
        "1",
    ]
    run = subprocess.run(
        [*COMMAND, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert run.returncode == 0, run.stderr
    assert statuses(tmp_path / "graded") == {
        "ada": {"middle": "right"},
        "bob": {"middle": "wrong"},
    }
