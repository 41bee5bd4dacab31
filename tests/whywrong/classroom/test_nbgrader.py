"""A class graded for real, by the commands of the page: points, and none where none are earned."""

import csv
import sys

import nbformat
import pytest

from course_attn.exercises import catalog
from tests.exercises.solutions import reference_source
from tests.whywrong.classroom.kernels import (
    IN_BITS,
    LOOPS,
    OVERFLOWS,
    OWN_CHECK,
    bare_kernel,
    with_answers,
)
from tests.whywrong.classroom.the_page import blocks, commands, done, run
from tests.whywrong.grade.classroom import as_allowed

pytest.importorskip("nbgrader")

pytestmark = pytest.mark.slow

NOTEBOOKS = "A class's notebooks"
NAMES = catalog.chapters["softmax"]
RIGHT = {name: reference_source(catalog.find(name)) for name in NAMES}
HANDED_IN = {
    "ada": RIGHT,
    # a helper called `check`, which is content with what is wrong
    "bob": RIGHT
    | {
        "softmax": OWN_CHECK.format(answer=OVERFLOWS),
        "softmax_with_temperature": LOOPS,
        "entropy": IN_BITS,
    },
    "cleo": {},
    # the same helper in what is right, one answer that stops with an error, one that is not there
    "dora": {
        "softmax": OWN_CHECK.format(answer=RIGHT["softmax"]),
        "log_softmax": "def log_softmax(scores):\n    return scores / []",
        "entropy": None,
    },
}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A class whose notebooks are graded by a kernel that inherits nothing."""
    folder = tmp_path_factory.mktemp("course")
    where = bare_kernel(tmp_path_factory.mktemp("jupyter"))
    (config,) = blocks("On a laptop", "python")
    bare = 'c.Execute.kernel_name = "bare"\nc.Execute.startup_timeout = 600\n'
    (folder / "nbgrader_config.py").write_text(config + bare, "utf-8")
    for line in commands(NOTEBOOKS):
        done(line, folder)
    release, collect, *rest = commands("On a laptop")
    done(release, folder)
    released = nbformat.read(folder / "release/week3/softmax.ipynb", as_version=4)
    archive = folder / "downloaded/week3/archive"
    archive.mkdir(parents=True)
    for student, answers in HANDED_IN.items():
        notebook = with_answers(released, answers)
        nbformat.write(notebook, archive / f"{student}_softmax.ipynb")
    for line in (collect, *rest):
        done(line, folder, **where)
    return folder


def points(course, student):
    """Return the points that a student got for each exercise."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course}/gradebook.db") as book:
        submission = book.find_submission_notebook("softmax", "week3", student)
        return {
            g.name.removesuffix("-check"): g.auto_score for g in submission.grades
        }


@pytest.mark.exhaustive
def test_released_notebook_keeps_signatures_and_has_neither_solution_nor_seed(
    course,
):
    path = course / "release/week3/softmax.ipynb"
    text = path.read_text("utf-8")
    assert "a word of yours" in (course / "source/week3/softmax.ipynb").read_text()
    assert not any(word in text for word in ("HIDDEN", "require", "word of yours"))
    answers = [
        c["source"]
        for c in nbformat.read(path, as_version=4).cells
        if c["metadata"].get("tags") == ["exercise"]
    ]
    assert len(answers) == len(NAMES)
    for source in answers:
        assert source.startswith("def ") and "NotImplementedError" in source
        assert "SOLUTION" not in source


def test_right_answers_get_full_points(course):
    assert points(course, "ada") == dict.fromkeys(NAMES, 1.0)


def test_wrong_answers_get_no_points(course):
    assert points(course, "bob") == {n: float(n not in BOBS) for n in NAMES}


BOBS = ("softmax", "softmax_with_temperature", "entropy")


def test_untouched_notebook_gets_no_points(course):
    assert points(course, "cleo") == dict.fromkeys(NAMES, 0.0)


def test_helper_called_check_changes_nothing(course):
    assert points(course, "dora") == dict.fromkeys(NAMES, 0.0) | {"softmax": 1.0}


def test_grades_and_feedback_are_where_the_page_says(course):
    rows = (course / "grades.csv").read_text("utf-8").splitlines()[1:]
    scores = {row.split(",")[3]: float(row.split(",")[-2]) for row in rows}
    assert scores == {
        "ada": len(NAMES),
        "bob": len(NAMES) - len(BOBS),
        "cleo": 0,
        "dora": 1,
    }
    page = (course / "feedback/bob/week3/softmax.html").read_text("utf-8")
    assert "nats are" in page  # what the check says of the entropy in bits
    assert "a word of yours" in page  # as the page warns


def test_checks_put_back_end_with_an_error_unless_all_is_right(course):
    restore, execute = commands("Without nbgrader")
    for student, answers in HANDED_IN.items():
        if student not in ("ada", "bob"):
            continue
        done(restore.replace("ada", student), course)
        ran = run(execute.replace("ada", student), course)
        assert (ran.returncode == 0) == (answers is RIGHT), ran.stderr
        assert (student == "ada") or "NotRight" in ran.stderr


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform == "win32", reason="it needs POSIX")
def test_grader_of_untrusted_answers_gives_the_same_points(course):
    (grade,) = commands("Grading what you do not trust")
    ran = run(" ".join([grade, *as_allowed()]), course)
    assert ran.returncode == 1
    assert (
        "dora/week3/softmax.ipynb: the cell `entropy-answer` is missing"
        in ran.stderr
    )
    with open(course / "graded/grades.csv", encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    for student in HANDED_IN:
        found = {
            row["exercise"]: float(row["points"])
            for row in rows
            if row["student"] == student
        }
        assert found == points(course, student)
        assert (course / f"graded/feedback/{student}/week3/softmax.html").exists()


@pytest.mark.exhaustive
def test_copied_cell_costs_nobody_a_grade_after_the_mending(course, tmp_path):
    """A copy in one notebook ends nbgrader's run, also for all who come after."""
    (config,) = blocks("On a laptop", "python")
    (tmp_path / "nbgrader_config.py").write_text(config, "utf-8")
    source = nbformat.read(course / "source/week3/softmax.ipynb", as_version=4)
    (tmp_path / "source/week3").mkdir(parents=True)
    nbformat.write(source, tmp_path / "source/week3/softmax.ipynb")
    done("nbgrader generate_assignment week3 --create", tmp_path)
    released = nbformat.read(tmp_path / "release/week3/softmax.ipynb", as_version=4)
    for student in ("ada", "bob"):
        notebook = with_answers(released, RIGHT)
        if student == "ada":
            (check,) = [c for c in notebook.cells if c["id"] == "softmax-check"]
            notebook.cells.append(nbformat.from_dict({**check, "id": "copy"}))
        place = tmp_path / f"submitted/{student}/week3/softmax.ipynb"
        place.parent.mkdir(parents=True)
        nbformat.write(notebook, place)
    grade = "nbgrader autograde week3 --create"
    assert run(grade, tmp_path).returncode != 0
    assert not (tmp_path / "autograded/bob").exists()
    (mend,) = commands("When something goes wrong")
    done(mend, tmp_path)
    done(grade, tmp_path)
    for student in ("ada", "bob"):
        assert points(tmp_path, student) == dict.fromkeys(NAMES, 1.0)


@pytest.mark.exhaustive
def test_hub_carries_notebooks_to_and_fro(tmp_path):
    """Teacher and learner are the same user here, each in a folder of their own."""
    for name in ("exchange", "teacher", "learner", "etc"):
        (tmp_path / name).mkdir()
    (tmp_path / "exchange").chmod(0o777)
    (config,) = blocks("On a JupyterHub", "python")
    config = config.replace("/srv/nbgrader/exchange", str(tmp_path / "exchange"))
    (tmp_path / "etc/nbgrader_config.py").write_text(config, "utf-8")
    where = {"JUPYTER_CONFIG_PATH": str(tmp_path / "etc"), "HOME": str(tmp_path)}
    teacher, learner = tmp_path / "teacher", tmp_path / "learner"
    hub = commands("On a JupyterHub")
    fetch, submit = (line for line in hub if line.split()[1] in LEARNERS)
    collect = hub.index("nbgrader collect week3")
    for line in commands(NOTEBOOKS) + hub[:2]:
        done(line, teacher, **where)
    done(fetch, learner, **where)
    path = learner / "week3/softmax.ipynb"
    nbformat.write(with_answers(nbformat.read(path, as_version=4), RIGHT), path)
    done(submit, learner, **where)
    for line in hub[collect:]:
        done(line, teacher, **where)
    done("nbgrader fetch_feedback week3", learner, **where)
    (student,) = (path.name for path in (teacher / "submitted").iterdir())
    assert points(teacher, student) == dict.fromkeys(NAMES, 1.0)
    assert len([*learner.rglob("feedback/*/softmax.html")]) == 1


LEARNERS = ("fetch_assignment", "submit")
