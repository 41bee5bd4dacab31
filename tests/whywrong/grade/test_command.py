"""The command: what it writes, what it says, and that a second run goes on where one stopped."""

import csv
import json
import os
import signal
import subprocess
import sys
import threading
import tomllib
import types
from dataclasses import replace

import nbformat
import pytest

from course_attn.exercises import catalog
from course_attn.grade import main
from tests.exercises.solutions import reference_source
from tests.whywrong.grade.classroom import ROOT, as_allowed, notebook
from tests.whywrong.grade.generated import ASKED, hand_in
from whywrong.grade.results import GradedSubmission, Mark, Store
from whywrong.grade.submissions import CannotGrade, read_bytes

COMMAND = [sys.executable, "-m", "course_attn.grade"]
ENTROPY = "import numpy as np\n" + reference_source(catalog.find("entropy"))


def put(folder, student: str, text: str, ending: str = "py") -> None:
    """Hand in a file."""
    folder.mkdir(parents=True, exist_ok=True)
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
        *as_allowed(),
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
    page = (folder / "graded/feedback/wrong-001/week3/softmax.html").read_text(
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
    options = [*as_allowed(), "--exercises", ",".join(ASKED)]
    assert main(["submitted", "-o", "graded", *options]) == 0
    assert "6 of 6 submissions are graded already" in capsys.readouterr().out
    assert (folder / "graded/grades.json").read_text("utf-8") == before


# It is asked for where a class is graded again: nothing of it is waited for.
QUICK = "softmax_with_temperature"


def quick_marks(folder) -> dict[str, str]:
    """Return what this exercise came to."""
    return {student: marks[QUICK] for student, marks in statuses(folder).items()}


# The command, which is killed as soon as it has kept two results.
KILLED = """
import os, signal, sys
from whywrong.grade.__main__ import main
from whywrong.grade import results
keep, kept = results.Store.write, []

def write(store, graded):
    keep(store, graded)
    kept.append(graded)
    if len(kept) == 2:
        os.kill(os.getpid(), signal.SIGKILL)

results.Store.write = write
main(sys.argv[1:], course="course_attn.exercises")
"""


def test_killed_run_goes_on_and_gives_the_same(small_class):
    folder, _, _ = small_class
    options = ["submitted", "-o", "again", "--exercises", QUICK, *as_allowed()]
    options += ["--workers", "1", "--seed", "7"]
    where = {"cwd": folder, "env": os.environ | {"PYTHONPATH": str(ROOT)}}
    run = subprocess.run([sys.executable, "-c", KILLED, *options], **where)
    assert run.returncode == -signal.SIGKILL
    done = folder / "again/submissions"
    before = {path: path.stat().st_mtime_ns for path in done.glob("*.json")}
    assert len(before) == 2
    subprocess.run([*COMMAND, *options], check=True, **where)
    assert quick_marks(folder / "again") == quick_marks(folder / "graded")
    assert {path: path.stat().st_mtime_ns for path in before} == before


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
    nbformat.write(document, folder / "hal.IPYNB")
    arguments = [
        str(folder),
        "-o",
        str(tmp_path / "graded"),
        "--exercises",
        "entropy,softmax",
    ]
    assert main([*arguments, "--workers", "1", "--trust-answers"]) == 1
    said = capsys.readouterr().err
    for name, why in {
        "bob.ipynb": "is not a notebook",
        "fay": "holds neither a notebook nor a .py file",
        "gus.ipynb": "is a link",
        "hal.IPYNB": "the cell `softmax-answer` is missing",
    }.items():
        assert f"grade: {folder / name}: {why}" in said
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
        (
            ["x", "--course", "math"],
            "--course math: it has no `course = Course(…)`",
        ),
        (["x", "--course", "no_such_course"], "--course no_such_course: No module"),
        (["x", "--course", "odd_course"], "--course odd_course: it has no"),
        (["empty"], "there is no submission to be graded"),
        (["class", "--assignment", "week33"], "there is no submission of week33"),
        (["empty", "--merge"], "there is no submission to be graded"),
    ],
)
def test_what_cannot_begin_is_said_in_one_line(
    arguments, said, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    odd = types.SimpleNamespace(course=types.SimpleNamespace(catalog={}))
    monkeypatch.setitem(sys.modules, "odd_course", odd)
    (tmp_path / "empty").mkdir()
    put(tmp_path / "class/ada/week3", "softmax", ENTROPY)
    assert main(arguments) == 2
    line = capsys.readouterr().err
    assert line.startswith("grade: ") and said in line and line.count("\n") == 1


# --- what is kept, and what is made of it; nothing is run here ------------------------------------


def kept(folder, student: str, note: str = "", **more) -> GradedSubmission:
    """Keep a result, as if it had been graded, and return it."""
    notes = (note,) if note else ()
    names = {"assignment": "week3", "notebook": "softmax"} | more
    marks = (
        Mark("entropy", "wrong", 0.0, 1.0, f"Of {student}\ud800\x1b\0\u202e."),
    )
    one = GradedSubmission(
        f"key-{len(student)}-{hash(student)}", f"{student}.py", student,
        digest="digest", marks=marks, notes=notes, **names,
    )  # fmt: skip
    Store(folder).write(one)
    return one


def test_each_student_has_a_page_whatever_is_on_it(tmp_path, capsys):
    for student in ("ann lee", "ann_lee", "a/b", "a-b", "m\udcfcller", "bob"):
        kept(tmp_path, student)
    kept(tmp_path, "zoe", assignment="a/b")
    kept(tmp_path, "zoe ", assignment="a-b")
    (tmp_path / "feedback").mkdir()
    (tmp_path / "feedback/bob").write_text("in the way", "utf-8")
    assert main(["-o", str(tmp_path), "--merge"]) == 1
    assert "no page for bob.py" in capsys.readouterr().err
    pages = list((tmp_path / "feedback").rglob("*.html"))
    shown = [path.read_text("utf-8") for path in pages]
    assert len(pages) == 7 and (tmp_path / "feedback/ann_lee/week3").is_dir()
    for name in ("ann lee", "ann_lee", "a/b", "a-b", "m�ller", "zoe", "zoe "):
        assert sum(f"Of {name}����." in html for html in shown) == 1, name


def test_spreadsheet_gets_no_formula_and_no_more_columns(tmp_path):
    kept(tmp_path, "=1+1", note="x;=1+1", assignment="a;@b")
    assert main(["-o", str(tmp_path), "--merge"]) == 1
    text = (tmp_path / "grades.csv").read_text("utf-8")
    (row,) = csv.DictReader(text.splitlines())
    assert row["student"] == "'=1+1" and row["assignment"] == "a,@b"
    assert row["note"] == "x,=1+1" and ";" not in text


def test_merge_says_what_was_wrong_and_has_its_status(tmp_path, capsys):
    ada = kept(tmp_path, "ada")
    assert main(["-o", str(tmp_path), "--merge"]) == 0
    Store(tmp_path).write(replace(ada, trouble="is not a notebook"))
    kept(tmp_path, "bob", note="the cell `softmax-answer` is missing")
    assert main(["-o", str(tmp_path), "--merge"]) == 1
    said = capsys.readouterr().err
    assert "ada.py: is not a notebook\n" in said
    assert "bob.py: the cell `softmax-answer` is missing\n" in said


def test_table_that_cannot_be_written_is_not_named(tmp_path, capsys):
    kept(tmp_path, "ada")
    (tmp_path / "grades.csv").mkdir()
    assert main(["-o", str(tmp_path), "--merge"]) == 1
    out, err = capsys.readouterr()
    assert "1 submissions graded" in out and "See" not in out
    assert "Is a directory" in err


@pytest.fixture
def count(monkeypatch):
    """Let each file that can be read be right; return how many were graded."""
    graded = []

    def all_right(jobs, settings, workers):
        for job in jobs:
            one, trouble = job.submission, ""
            graded.append(one)
            try:
                read_bytes(one.path)
            except CannotGrade as why:
                trouble = str(why)
            yield GradedSubmission(
                one.key, str(one.path), one.student, one.assignment, one.notebook,
                "" if trouble else job.digest,
                (Mark("entropy", "wrong" if trouble else "right", not trouble, 1.0),),
                trouble=trouble,
            )  # fmt: skip

    monkeypatch.setattr("whywrong.grade.__main__.grade_all", all_right)
    return graded


def grade(tmp_path, *arguments: str) -> int:
    """Grade without a sandbox, into the same folder each time."""
    common = ["-o", str(tmp_path / "graded"), "--trust-answers"]
    return main([*arguments, *common])


def rows(tmp_path) -> list[tuple[str, str, str, str]]:
    """Return the table of all results, in part."""
    text = (tmp_path / "graded/grades.csv").read_text("utf-8")
    columns = ("student", "assignment", "notebook", "points")
    return sorted(
        tuple(row[name] for name in columns)
        for row in csv.DictReader(text.splitlines())
    )


def test_results_that_cannot_be_kept_are_said(tmp_path, capsys, monkeypatch, count):
    put(tmp_path / "class", "ada", ENTROPY)

    def full(store, graded):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Store, "write", full)
    assert grade(tmp_path, str(tmp_path / "class")) == 1
    assert "ada.py: not kept (No space left on device)" in capsys.readouterr().err


def test_points_stay_where_a_file_cannot_be_graded_again(tmp_path, capsys, count):
    put(tmp_path / "class", "ada", ENTROPY)
    put(tmp_path / "class", "bob", ENTROPY)
    assert grade(tmp_path, str(tmp_path / "class")) == 0
    file = tmp_path / "class/ada.py"
    file.unlink()
    file.symlink_to("bob.py")
    for _ in range(2):
        assert grade(tmp_path, str(tmp_path / "class")) == 1
        assert rows(tmp_path) == [("ada", "", "", "1"), ("bob", "", "", "1")]
        note = f"{file}: is a link; the points are those of an earlier time\n"
        assert capsys.readouterr().err.count(note) == 1
    file.unlink()
    put(tmp_path / "class", "ada", ENTROPY)
    assert grade(tmp_path, str(tmp_path / "class")) == 0
    assert [one.student for one in count] == ["ada", "bob", "ada", "ada", "ada"]


def test_shards_are_apart_and_merge_to_the_whole(tmp_path, capsys, count):
    for student in "abcdef":
        put(tmp_path / "class", student, ENTROPY)
    place, parts = str(tmp_path / "class"), tmp_path / "graded"
    assert grade(tmp_path, place, "--shard", "1/2") == 0
    first = {path.name for path in (parts / "submissions").iterdir()}
    assert 0 < len(first) < 6 and not (parts / "grades.csv").exists()
    assert grade(tmp_path, place, "--merge") == 1
    assert capsys.readouterr().err.count("there is no result yet") == 6 - len(first)
    assert grade(tmp_path, place, "--shard", "2/2") == 0
    assert grade(tmp_path, place, "--merge") == 0
    assert rows(tmp_path) == [(student, "", "", "1") for student in "abcdef"]
    assert len(count) == 6


def test_points_of_two_weeks_stay_apart(tmp_path, count):
    for week, name in (("week3", "softmax"), ("week4", "qkv")):
        put(tmp_path / week / "ada", name, ENTROPY)
        put(tmp_path / week, "bob", ENTROPY)
        assert grade(tmp_path, str(tmp_path / week), "--assignment", week) == 0
    assert rows(tmp_path) == [
        ("ada", "week3", "softmax", "1"),
        ("ada", "week4", "qkv", "1"),
        ("bob", "week3", "", "1"),
        ("bob", "week4", "", "1"),
    ]


def test_file_that_gets_more_names_is_the_same_file(tmp_path, count):
    put(tmp_path / "class", "ada", ENTROPY)
    nbformat.write(notebook("softmax", {}), tmp_path / "softmax.ipynb")
    common = [str(tmp_path / "class"), "--exercises", "entropy"]
    assert grade(tmp_path, *common) == 0
    assert grade(tmp_path, *common, "--assignment", "week3") == 0
    assert rows(tmp_path) == [("ada", "week3", "", "1")]
    assert len(count) == 1
    release = ["--release", str(tmp_path / "softmax.ipynb")]
    assert grade(tmp_path, common[0], *release, "--assignment", "week3") == 0
    assert rows(tmp_path) == [("ada", "week3", "softmax", "1")]


def test_seed_is_that_of_the_first_without_hard_links(tmp_path, monkeypatch):
    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    seed = Store(tmp_path).seed(None)
    assert len(seed) == 16 and Store(tmp_path).seed(None) == seed


@pytest.mark.skipif(os.name != "posix", reason="no rights here")
@pytest.mark.parametrize("wanted", [None, "7"])
def test_seed_is_for_who_grades_together_and_nobody_else(tmp_path, wanted):
    before = os.umask(0o022)
    try:
        Store(tmp_path).seed(wanted)
    finally:
        os.umask(before)
    assert (tmp_path / "seed.txt").stat().st_mode & 0o777 == 0o640


def test_seed_that_another_machine_is_writing_is_waited_for(tmp_path, monkeypatch):
    path = tmp_path / "seed.txt"
    path.touch()
    writing = threading.Timer(0.2, path.write_text, ["of another\n"])
    writing.start()
    assert Store(tmp_path).seed(None) == "of another"
    writing.join()
    path.write_text("")
    monkeypatch.setattr("whywrong.grade.results._SEED_WITHIN", 0.0)
    with pytest.raises(OSError, match="seed.txt is empty"):
        Store(tmp_path).seed(None)


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
        "--trust-answers",
    ]
    assert main([*arguments, *options]) == 0
    (one,) = json.loads((tmp_path / "graded/grades.json").read_text("utf-8"))
    assert [(mark["points"], mark["of"]) for mark in one["marks"]] == [(5.0, 5.0)]


@pytest.mark.parametrize("name", ["nbformat", "psutil", "tqdm"])
def test_package_that_is_missing_is_said_in_one_line(name):
    code = f"import runpy, sys; sys.modules[{name!r}] = None; runpy.run_module"
    run = subprocess.run(
        [sys.executable, "-c", f"{code}('whywrong.grade', run_name='__main__')"],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    said = f"it needs {name}: pip install nbformat psutil tqdm"
    assert (run.returncode, run.stderr) == (1, f"grade: {said}\n")


def test_the_image_is_built_from_all_packages_of_the_wheel(capsys):
    assert main(["--recipe", "containerfile"]) == 0
    recipe = capsys.readouterr().out
    about = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    for package in about["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
        assert f"COPY {package} /course/{package}\n" in recipe


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
