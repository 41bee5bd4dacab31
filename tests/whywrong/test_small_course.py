"""A course of another subject, from its first exercise to its grades, where no attention is."""

import csv
import re

import nbformat
import pytest

from tests.whywrong.cells import written
from tests.whywrong.classroom.kernels import with_answers
from tests.whywrong.classroom.the_page import done, run
from tests.whywrong.elsewhere import installed
from tests.whywrong.small_course import course
from whywrong import judge

TASKS = {name: course.catalog.find(name) for name in course.catalog.modules}
FAULTS = [
    pytest.param(task, known, id=f"{name}-{known.id}")
    for name, task in TASKS.items()
    for known in task.faults
]

RIGHT = {
    "stopping_distance": """
def stopping_distance(speed, reaction_time, deceleration):
    return speed * (reaction_time + speed / deceleration / 2)
""",
    "sample_variance": """
def sample_variance(x):
    n = x.shape[-1]
    return (n * (x * x).sum(-1) - x.sum(-1) ** 2) / (n * (n - 1))
""",
    "count_words": """
def count_words(text, words):
    counts = dict.fromkeys(words, 0)
    for sentence in text.split("."):
        for word in sentence.lower().split(" "):
            if word in counts:
                counts[word] += 1
    return np.array([counts[word] for word in words])
""",
}
WRONG = {
    "no-reaction": """
def stopping_distance(speed, reaction_time, deceleration):
    return 0.5 * speed * (speed / deceleration)
""",
    "population": """
def sample_variance(x):
    return (x * x).mean(axis=-1) - x.mean(axis=-1) ** 2
""",
    "built-in": """
def sample_variance(x):
    return np.var(x, axis=-1, ddof=1)
""",
    "parts": """
def count_words(text, words):
    text = text.lower()
    return np.array([len(text.split(word)) - 1 for word in words])
""",
}


def name_of(answer):
    return answer.split("(")[0].removeprefix("\ndef ")


@pytest.mark.parametrize("name", TASKS)
def test_solution_and_another_right_answer_pass(name):
    task = TASKS[name]
    for source in (task.source, RIGHT[name]):
        result = judge(task, written(source))
        assert result.passed and not result.remarks


@pytest.mark.parametrize(("task", "known"), FAULTS)
def test_fault_is_named_with_its_own_sentence(task, known):
    result = judge(task, written(task.wrong_source(known)))
    assert (result.status, result.faults) == ("wrong", (known.id,))
    said = re.sub(r"\\{.+?\\}", ".+", re.escape(known.message))
    assert re.fullmatch(said, result.message)


@pytest.mark.parametrize("fault", WRONG)
def test_wrong_answer_in_other_words_is_recognized(fault):
    answer = WRONG[fault]
    assert judge(TASKS[name_of(answer)], written(answer)).faults == (fault,)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder, and the environment in which the engine and the small course are installed."""
    folder = tmp_path_factory.mktemp("place")
    return folder, installed(folder)


def test_attention_is_nowhere(place):
    folder, where = place
    ran = run("python -c 'import small_course, course_attn'", folder, **where)
    assert "No module named 'course_attn'" in ran.stderr


def test_list_and_try_show_the_course(place):
    folder, where = place
    shown = done(
        "python -m whywrong.classroom list --course small_course", folder, **where
    )
    assert [line.split()[0] for line in shown.splitlines()] == [
        "motion:", "stopping_distance", "data:", "sample_variance", "count_words",
    ]  # fmt: skip
    assert shown.startswith("motion: Motion on a line (5 minutes)\n")
    tried = done(
        "python -m whywrong.classroom try --course small_course", folder, **where
    )
    assert tried.splitlines() == [
        f"✓ {name}: the solution is right; {len(task.faults)} known mistakes refused"
        for name, task in TASKS.items()
    ]


def test_try_ends_with_an_error_where_a_fault_is_not_seen(tmp_path):
    where = installed(tmp_path)
    file = tmp_path / "installed/small_course/data/count_words.py"
    blind = file.read_text("utf-8").replace(
        'Case(("Salt. The salt sea.", ["salt", "sea"]), "stops"),', ""
    )
    file.write_text(blind, "utf-8")
    ran = run(
        "python -m whywrong.classroom try data:count_words --course small_course",
        tmp_path,
        **where,
    )
    assert ran.returncode == 1
    assert "✗ count_words: the fault 'full-stops' passes" in ran.stdout


@pytest.mark.slow
def test_notebooks_that_are_written_are_graded(place):
    """Three students: all right, one mistake, and nothing done."""
    folder, where = place
    written_as = "write motion data --course small_course --to source --seed word"
    done(f"python -m whywrong.classroom {written_as}", folder, **where)
    handed_in = {
        "ada": RIGHT,
        "bob": RIGHT | {"sample_variance": WRONG["population"]},
        "cleo": {},
    }
    for student, answers in handed_in.items():
        for chapter in ("motion", "data"):
            path = folder / f"submitted/{student}/week1/{chapter}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            source = nbformat.read(folder / f"source/{chapter}.ipynb", as_version=4)
            nbformat.write(with_answers(source, answers), path)
    options = "submitted -o graded --course small_course --trust-answers --seed 7"
    done(f"python -m whywrong.grade {options}", folder, **where)
    with open(folder / "graded/grades.csv", encoding="utf-8", newline="") as file:
        rows = {
            (row["student"], row["exercise"]): (row["status"], row["faults"])
            for row in csv.DictReader(file)
        }
    right = {
        (student, name): ("right", "")
        for student in ("ada", "bob")
        for name in TASKS
    }
    stubs = {("cleo", name): ("todo", "") for name in TASKS}
    assert rows == right | stubs | {
        ("bob", "sample_variance"): ("wrong", "population")
    }


def test_progress_is_kept_apart_from_that_of_other_courses(place):
    folder, where = place
    (folder / "p.json").write_text(
        '{"version": 1, "passed": {"count_words": "2026-01-01"}}'
    )
    (folder / "passes.py").write_text(
        "import small_course\n"
        f"import numpy as np\n{RIGHT['count_words']}\n"
        "print(small_course.progress().done)\n"
        "assert small_course.check(count_words).passed\n"
        "print(small_course.progress().done)\n"
    )
    assert done("python passes.py", folder, **where).split() == ["0", "1"]
    assert '"count_words": "2026-01-01"' in (folder / "p.json").read_text()
