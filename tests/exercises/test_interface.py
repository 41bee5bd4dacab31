"""`check`, `hint`, `solution` and `progress`, as a notebook uses them."""

import importlib
import inspect
import json
import subprocess
import sys

import numpy as np
import pytest

from course_attn import costs, in_numpy, in_torch
from course_attn.exercises import (
    catalog,
    check,
    hint,
    progress,
    require,
    solution,
)
from tools.book import pages
from whywrong import NotRight, result


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def test_check_finds_the_exercise_by_the_functions_name():
    assert check(softmax).passed and check(softmax).name == "softmax"


def test_check_finds_the_exercise_by_a_given_name():
    assert check(lambda s: softmax(s), "softmax").passed
    assert check(softmax, name="softmax").passed


def test_check_suggests_the_exercise_that_is_nearly_named():
    def sofmax(scores):
        return scores

    result = check(sofmax)
    assert result.status == "wrong" and result.faults == ("unknown-exercise",)
    assert (
        "Did you mean `softmax`" in result.message
        and 'check(sofmax, "softmax")' in result.message
    )


def test_check_says_that_no_exercise_has_a_name_like_it():
    def xyz():
        return None

    assert "There is no exercise called `xyz`" in check(xyz).message


def test_check_asks_a_lambda_for_its_name():
    assert "`lambda` has no name" in check(lambda s: s).message


@pytest.mark.parametrize("value", [np.ones(3), 3.0, None, [softmax]])
def test_check_asks_for_the_function_and_not_its_value(value):
    result = check(value)
    assert not result.passed and "without parentheses" in result.message


def test_check_recognizes_a_name_that_was_overwritten(monkeypatch):
    value = np.ones(3)
    monkeypatch.setattr(sys.modules["__main__"], "softmax", value, raising=False)
    assert "`softmax` is not a function here but" in check(value).message


@pytest.mark.parametrize("value", ["softmax", "sofmax"])
def test_check_refuses_text_instead_of_a_function(value):
    assert not check(value).passed


def test_check_asks_for_a_name_in_quotes():
    assert "in quotes" in check(softmax, softmax).message


def test_check_does_not_raise_for_a_defect_of_the_engine(monkeypatch):
    monkeypatch.setattr("whywrong.course.judge", lambda *args: 1 / 0)
    result = check(softmax)
    assert result.status == "crashed" and "not your fault" in result.message
    monkeypatch.setenv("COURSE_ATTN_STRICT", "1")
    with pytest.raises(ZeroDivisionError):
        check(softmax)


@pytest.mark.parametrize("variable", ["COURSE_ATTN_STRICT", "NBGRADER_EXECUTION"])
@pytest.mark.parametrize(
    "answer", [lambda s: s, lambda s: None, 3, "softmax", lambda s: s @ s.T @ 1]
)
def test_strict_mode_raises_unless_right(monkeypatch, variable, answer):
    monkeypatch.setenv(variable, "1")
    with pytest.raises(NotRight) as caught:
        check(answer, "softmax")
    assert str(caught.value)[0] in "✗⚠○"


def test_strict_mode_raises_for_unknown_names_and_stubs(monkeypatch):
    def unknown():
        return None

    def softmax(scores):
        raise NotImplementedError

    monkeypatch.setenv("COURSE_ATTN_STRICT", "1")
    for answer in (unknown, softmax):
        with pytest.raises(NotRight):
            check(answer)


@pytest.mark.parametrize(
    "answer", [lambda s: s, lambda s: s @ s.T @ 1, 3, "softmax"]
)
def test_require_raises_unless_right_in_any_environment(monkeypatch, answer):
    monkeypatch.setattr("os.environ", {})
    with pytest.raises(NotRight):
        require(answer, "softmax")
    with pytest.raises(NotRight):
        require(answer, "softmax", seed=1)


def test_require_returns_nothing_and_records_nothing(monkeypatch, tmp_path):
    """A result, as a cell's last line, would give nbgrader points to read from it."""
    monkeypatch.setenv("COURSE_ATTN_PROGRESS", str(tmp_path / "progress.json"))
    assert require(softmax) is None and require(softmax, seed=1) is None
    assert list(tmp_path.iterdir()) == []


def test_strict_mode_passes_what_is_right_quietly(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setenv("COURSE_ATTN_PROGRESS", str(tmp_path / "progress.json"))
    assert check(softmax).passed
    assert capsys.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_nbgrader_gives_full_marks_for_right_and_none_for_wrong():
    determine_grade = pytest.importorskip("nbgrader.utils").determine_grade
    nbformat = pytest.importorskip("nbformat")
    from nbclient import NotebookClient

    setup = (
        "import os; os.environ['NBGRADER_EXECUTION'] = 'autograde'\n"
        "from course_attn.exercises import check\n"
        "from course_attn.in_numpy.softmax import log_softmax\nimport numpy as np\n"
        "def softmax(s):\n    return np.exp(log_softmax(s))"
    )
    graded = [
        nbformat.v4.new_code_cell(f"check(lambda s: {answer}, 'softmax')")
        for answer in ("softmax(s)", "s")
    ]
    for cell in graded:
        grading = {"grade": True, "solution": False, "points": 3, "grade_id": "x"}
        cell.metadata["nbgrader"] = grading
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(setup), *graded]
    )
    NotebookClient(notebook, kernel_name="python3", allow_errors=True).execute()

    right, wrong = graded
    assert determine_grade(right)[0] == 3
    assert [output.output_type for output in right.outputs] == ["display_data"]
    assert determine_grade(wrong)[0] == 0
    assert "NotRight" in wrong.outputs[-1].traceback[0]
    assert len(wrong.outputs[-1].traceback) == 1


def test_progress_records_and_shows_a_pass(monkeypatch, tmp_path):
    path = tmp_path / "progress.json"
    monkeypatch.setenv("COURSE_ATTN_PROGRESS", str(path))
    check(lambda s: s, "softmax")
    assert not path.exists()
    assert check(softmax).remarks == ()
    assert list(json.loads(path.read_text())["passed"]) == ["softmax"]
    assert progress().done == 1 and "✓ softmax " in repr(progress())


def test_progress_makes_a_remark_of_trouble_with_its_file(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(
        "COURSE_ATTN_PROGRESS", str(tmp_path / "file" / "progress.json")
    )
    result = check(softmax)
    assert result.passed and "could not be saved" in result.remarks[0]
    assert "could not be read" in progress().message


def test_hints_come_one_by_one(monkeypatch):
    monkeypatch.setattr(result, "_asked", {})
    shown = [hint("softmax") for _ in range(4)]
    assert [len(hints.shown) for hints in shown] == [1, 2, 3, 3]
    assert 'hint("softmax")' in repr(shown[0]) and 'solution("softmax")' in repr(
        shown[3]
    )
    assert "<ol" in shown[0]._repr_html_()
    assert len(hint(softmax).shown) == 3


def test_solution_is_source_that_a_notebook_highlights():
    shown = solution("softmax")
    assert repr(shown).startswith("def softmax(scores):")
    assert shown._repr_markdown_().startswith("```python\ndef softmax")


def test_solutions_can_be_switched_off(monkeypatch):
    monkeypatch.setattr(result, "_asked", {})
    monkeypatch.setenv("COURSE_ATTN_SOLUTIONS", "off")
    assert "switched off" in solution("softmax").message
    shown = [hint("softmax") for _ in range(3)][-1]
    assert "last one" in repr(shown) and "solution" not in repr(shown)
    assert "solution" not in shown._repr_html_()


@pytest.mark.parametrize("ask", [hint, solution])
def test_hint_and_solution_suggest_a_name_for_an_unknown_one(ask):
    assert "Did you mean `softmax`" in ask("sofmax").message


CODE = """
import sys
import numpy as np
from course_attn.exercises import check, hint, solution, progress

def weighted_sum(weights, values):
    return {answer}

assert check(weighted_sum).passed is {passed}
hint("weighted_sum"), solution("weighted_sum"), progress()
heavy = ("torch", "matplotlib", "scipy", "IPython", "pygments")
print(sorted(name for name in sys.modules
             if name.split(".")[0] in heavy or name.startswith("course_attn.chapters")))
"""


@pytest.mark.parametrize(
    ("answer", "passed"), [("weights @ values", True), ("values", False)]
)
def test_check_imports_nothing_it_does_not_need(answer, passed):
    code = CODE.format(answer=answer, passed=passed)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    parts = "course_attn.chapters.weighted_sum.exercises.weighted_sum".split(".")
    own = [".".join(parts[:depth]) for depth in (2, 3, 4, 5)]
    needed = sorted([*own, "course_attn.chapters.built_ins"])
    assert done.stdout.strip() == str(needed)


def test_progress_names_a_file_in_the_home_of_nobody():
    shown = progress("~nobody-of-this-name/x.json").message
    assert shown.startswith("~nobody-of-this-name/x.json could not be read (")


def test_catalog_is_what_the_modules_declare():
    for name, module in catalog.modules.items():
        declared = importlib.import_module(module).exercise
        assert (declared.name, f".{declared.chapter}." in module) == (name, True)


def test_catalog_has_the_chapters_with_exercises_in_the_order_of_the_book():
    """A wheel has no _toc.yml, so they stand in both."""
    book = [path.stem for path in pages() if path.parent.name == "exercises"]
    assert list(catalog.chapters) == book


def test_exercises_with_a_name_of_the_package_take_its_arguments():
    """A learner who imports what they have just written gets what they wrote."""
    for name in catalog.modules:
        own = inspect.signature(catalog.find(name).solution)
        for library in (in_numpy, in_torch, costs):
            function = getattr(library, name, None)
            if inspect.isfunction(function):
                theirs = list(inspect.signature(function).parameters)
                assert [n for n in theirs if n in own.parameters] == list(
                    own.parameters
                )


def test_exercise_solved_under_its_former_name_stays_solved(monkeypatch, tmp_path):
    path = tmp_path / "progress.json"
    path.write_text('{"version": 1, "passed": {"attention": "2026-01-01"}}')
    monkeypatch.setenv("COURSE_ATTN_PROGRESS", str(path))
    assert progress().done == 1 and "✓ unscaled_attention" in repr(progress())


def test_check_says_which_library_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(
        sys.modules,
        "course_attn.chapters.softmax.exercises.softmax_torch",
        raising=False,
    )

    def softmax_torch(scores):
        return scores

    assert "needs `torch`" in check(softmax_torch).message
