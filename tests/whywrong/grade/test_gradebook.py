"""Points in a gradebook of nbgrader's, beside those that are there already."""

import shutil
import sqlite3
from dataclasses import replace

import pytest

from whywrong.grade.gradebook import write_to_gradebook
from whywrong.grade.results import GradedSubmission, Mark

api = pytest.importorskip("nbgrader.api")


def result(
    student: str, *points: float, assignment: str = "week3"
) -> GradedSubmission:
    """Return what was found for a notebook with some exercises of two points each."""
    names = ("softmax", "entropy")
    marks = tuple(
        Mark(name, "right" if mine else "wrong", mine, 2.0)
        for name, mine in zip(names, points, strict=True)
    )
    return GradedSubmission(
        "key", f"{student}.ipynb", student, assignment, "softmax", "", marks
    )


def scores(url: str, student: str) -> dict[str, tuple[float | None, float | None]]:
    """Return the automatic and the manual score of each cell."""
    with api.Gradebook(url) as book:
        notebook = book.find_submission_notebook("softmax", "week3", student)
        return {g.name: (g.auto_score, g.manual_score) for g in notebook.grades}


@pytest.fixture(scope="module")
def new_gradebook(tmp_path_factory):
    """Return a new gradebook, made by our own command."""
    path = tmp_path_factory.mktemp("new") / "gradebook.db"
    assert write_to_gradebook(f"sqlite:///{path}", [], "") == []
    return path


@pytest.fixture
def url(tmp_path, new_gradebook):
    """Return the address of a copy of it."""
    shutil.copy(new_gradebook, tmp_path)
    return f"sqlite:///{tmp_path}/gradebook.db"


def test_points_are_written_into_a_new_gradebook_and_written_again(url):
    assert (
        write_to_gradebook(url, [result("ada", 2, 0), result("bob", 0, 2)], "")
        == []
    )
    assert scores(url, "ada") == {
        "softmax-check": (2, None),
        "entropy-check": (0, None),
    }
    assert write_to_gradebook(url, [result("ada", 2, 2)], "") == []
    assert scores(url, "ada") == {
        "softmax-check": (2, None),
        "entropy-check": (2, None),
    }
    assert scores(url, "bob") == {
        "softmax-check": (0, None),
        "entropy-check": (2, None),
    }
    with api.Gradebook(url) as book:
        assert book.find_submission("week3", "ada").score == 4
        assert not book.find_submission("week3", "ada").needs_manual_grade


@pytest.mark.filterwarnings("ignore:Object of type")  # nbgrader's own
def test_gradebook_of_the_teacher_keeps_its_points_and_what_was_written_by_hand(
    url,
):
    with api.Gradebook(url) as book:
        book.add_assignment("week3")
        book.add_notebook("softmax", "week3")
        book.add_grade_cell(
            "softmax-check", "softmax", "week3", max_score=10, cell_type="code"
        )
        book.add_student("ada")
        book.add_submission("week3", "ada")
        book.find_grade(
            "softmax-check", "softmax", "week3", "ada"
        ).manual_score = 7.5
        book.db.commit()
    assert write_to_gradebook(url, [result("ada", 1, 2)], "softmax") == []
    assert scores(url, "ada") == {
        "softmax-check": (5, 7.5),
        "entropy-check": (2, None),
    }


def test_assignment_that_no_folder_names_is_asked_for(url):
    nameless = result("ada", 2, 2, assignment="")
    (line,) = write_to_gradebook(url, [nameless], "")
    assert "pass --assignment" in line and "ada.ipynb" in line


@pytest.mark.parametrize("release", ["", "softmax"])
def test_notebook_that_was_not_given_out_changes_nothing_for_the_class(
    url, release
):
    assert write_to_gradebook(url, [result("ada", 2, 0)], release) == []
    extra = replace(result("bob", 2, 2), notebook="softmax-copy")
    (line,) = write_to_gradebook(url, [result("bob", 0, 2), extra], release)
    assert "week3 has no softmax-check in softmax-copy" in line
    with api.Gradebook(url) as book:
        assert book.find_assignment("week3").max_score == 4
        assert book.find_submission("week3", "bob").score == 2


def test_files_that_are_called_as_their_students_are_one_notebook(url):
    named = [replace(result(who, 2, 0), notebook="") for who in ("ada", "bob")]
    assert write_to_gradebook(url, named, "") == []
    with api.Gradebook(url) as book:
        assert [n.name for n in book.find_assignment("week3").notebooks] == [
            "week3"
        ]


def test_file_that_is_called_as_its_student_adds_nothing_that_nobody_asked_for(url):
    ada = replace(result("ada", 2, 0), notebook="")
    assert write_to_gradebook(url, [ada], "") == []
    more = (*ada.marks, Mark("log_softmax", "right", 1, 1))
    (line,) = write_to_gradebook(url, [replace(ada, student="ben", marks=more)], "")
    assert "week3 has no log_softmax-check in week3" in line
    with api.Gradebook(url) as book:
        assert book.find_assignment("week3").max_score == 4


@pytest.mark.filterwarnings("ignore:Object of type")  # nbgrader's own
def test_what_could_not_be_graded_leaves_earlier_points_and_asks_for_a_look(url):
    assert write_to_gradebook(url, [result("ada", 2, 2)], "") == []
    failed = replace(result("ada", 0, 0), trouble="is a link")
    assert (
        write_to_gradebook(url, [failed, replace(failed, student="bob")], "") == []
    )
    assert scores(url, "ada")["softmax-check"] == (2, None)
    assert scores(url, "bob")["softmax-check"] == (None, None)
    with api.Gradebook(url) as book:
        for student in ("ada", "bob"):
            assert book.find_submission("week3", student).needs_manual_grade


def test_locked_gradebook_is_said_and_nothing_is_lost(url, tmp_path):
    assert write_to_gradebook(url, [result("ada", 2, 0)], "") == []
    lock = sqlite3.connect(tmp_path / "gradebook.db")
    lock.execute("BEGIN EXCLUSIVE")
    (line,) = write_to_gradebook(f"{url}?timeout=0", [result("ada", 0, 0)], "")
    assert "database is locked" in line
    lock.rollback()
    lock.close()
    assert scores(url, "ada")["softmax-check"] == (2, None)


def test_address_that_is_none_is_said(tmp_path):
    (line,) = write_to_gradebook("gradebook.db", [result("ada", 2, 0)], "")
    assert line.startswith("gradebook.db: ")
    (line,) = write_to_gradebook(
        f"sqlite:///{tmp_path}/none/gradebook.db", [result("ada", 2, 0)], ""
    )
    assert "unable to open database file" in line
