"""Answers of each kind, run by the grader: functions, modules, gradients, callables, questions.

All answers that are known, right and wrong, are tried in `test_every_answer`.
"""

import time
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from course_attn.exercises import catalog
from tests.exercises.solutions import EXERCISES, TASKS, reference_source
from tests.whywrong.grade.classroom import (
    COURSE,
    IMPORTS,
    code_of,
    graded,
    outside,
    why_no_sandbox,
    with_fault,
)
from whywrong import Exercise
from whywrong.declare import Case
from whywrong.grade import verdicts
from whywrong.grade.__main__ import _report_fixed_inputs
from whywrong.grade.launch import Sandboxes, Trusted
from whywrong.grade.limits import Limits
from whywrong.grade.submissions import PointScheme, Submission
from whywrong.grade.verdicts import (
    PATIENCE,
    Grader,
    has_other_inputs,
    with_fresh_cases,
)
from whywrong.grade.workers import Job, Settings, _Judge, grade_one
from whywrong.inputs import with_other_inputs
from whywrong.result import Result

# Each is judged in a way of its own.
KINDS = {
    "softmax": "an array comes back",
    "project_qkv": "several results",
    "find_leak": "a function is passed, and called back",
    "gpt_from_parts": "a list of functions is passed",
    "init_projection": "a random generator is passed, and comes back changed",
    "measured_variance": "numbers are drawn from the judge",
    "gpt_parameters": "a whole number comes back",
    "softmax_torch": "gradients are compared",
    "head_from_torch": "a layer of PyTorch is passed",
    "SelfAttention": "a module gets its parameters, and gradients are compared",
    "LearnedPositions": "an exception is right",
    "Stack": "a module is made of others",
    "TransformerBlock": "a module has parts of PyTorch",
    "true_of_softmax": "a question",
}


@pytest.mark.parametrize("name", KINDS)
def test_solution_passes(kept, name):
    source = reference_source(TASKS[name])
    result = graded(kept, name, IMPORTS, source)
    assert result.passed and result.remarks == ()


@pytest.mark.parametrize("name", [name for name in KINDS if name in EXERCISES])
def test_wrong_version_is_refused_by_its_values(kept, name):
    assert not outside(kept, name, with_fault(name, 0)).passed


def test_verdict_is_explained_as_in_a_notebook(kept):
    task = catalog.find("softmax")
    fault = next(fault for fault in task.faults if fault.patches)
    result = graded(kept, "softmax", IMPORTS, task.wrong_source(fault))
    assert (result.status, result.faults) == ("wrong", (fault.id,))
    assert result.message


DETACHED = IMPORTS + (
    "def softmax_torch(scores):\n"
    "    exps = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)\n"
    "    return (exps / exps.sum(dim=-1, keepdim=True)).detach()\n"
)
HALF = IMPORTS + (
    "def softmax_torch(scores):\n"
    "    shift = scores.max(dim=-1, keepdim=True).values\n"
    "    exps = torch.exp(scores - shift)\n"
    "    return exps / exps.sum(dim=-1, keepdim=True).detach()\n"
)
IN_PLACE = IMPORTS + (
    "def softmax(scores):\n"
    "    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
    "    weights /= weights.sum(axis=-1, keepdims=True)\n"
    "    scores += 1\n"
    "    return weights\n"
)
UNSTEADY = IMPORTS + (
    "calls = [0]\n"
    "def softmax(scores):\n"
    "    calls[0] += 1\n"
    "    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
    "    weights /= weights.sum(axis=-1, keepdims=True)\n"
    "    return weights * (1 + (calls[0] > 26))\n"
)


@pytest.mark.parametrize(
    "name, cell, fault",
    [
        ("softmax_torch", DETACHED, "detached"),
        ("softmax_torch", HALF, "gradient"),
        ("softmax", IN_PLACE, "in-place"),
        ("softmax", UNSTEADY, "not-repeatable"),
    ],
)
def test_what_values_and_gradients_tell_is_seen_from_outside(
    kept, name, cell, fault
):
    assert outside(kept, name, cell).faults == (fault,)


def test_built_in_is_refused_although_its_values_are_right(kept):
    cell = (
        IMPORTS
        + "def softmax_torch(scores):\n    return torch.softmax(scores, dim=-1)\n"
    )
    assert outside(kept, "softmax_torch", cell).passed
    assert graded(kept, "softmax_torch", cell).faults == ("built-in",)


def test_answer_that_is_right_for_the_declared_inputs_only_is_told_so(kept):
    solution = catalog.find("softmax").source
    cell = IMPORTS + solution.replace("def softmax", "def real") + (
        "from course_attn.exercises import catalog\n"
        "known = {c.args[0].tobytes() for c in catalog.find('softmax').made_cases}\n"
        "def softmax(scores):\n"
        "    return real(scores) if scores.tobytes() in known else real(2 * scores)\n"
    )  # fmt: skip
    result = graded(kept, "softmax", cell)
    assert not result.passed
    assert "not for others" in " ".join(result.remarks)


def test_helpers_of_other_cells_and_magics_are_run(kept):
    cells = (
        "%matplotlib inline\n!pip install nothing\nimport numpy as np",
        "1 / 0",
        "def row_sums(exps):\n    return exps.sum(axis=-1, keepdims=True)",
        "def softmax(scores):\n"
        "    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))\n"
        "    return exps / row_sums(exps)",
    )
    assert graded(kept, "softmax", *cells).passed


def test_missing_function_names_the_cells_that_failed(kept):
    result = graded(
        kept, "softmax", "import numpy as np", "def softmax(scores:\n    pass"
    )
    assert (result.status, result.faults) == ("crashed", ("missing",))
    assert "Cell 2 stopped with `SyntaxError" in result.message


def key(case: Case) -> tuple[object, ...]:
    """Return what a table could know a case by: plain values, and of arrays their bytes."""
    return tuple(
        (arg.shape, arg.tobytes()) if isinstance(arg, np.ndarray) else repr(arg)
        for arg in case.args
        if not callable(arg) and not isinstance(arg, list | np.random.Generator)
    )


@pytest.mark.parametrize("name", EXERCISES)
def test_other_inputs_differ_from_the_declared_ones(name):
    """Else a table of the right results would pass. Of a generator only the state is new."""
    task = EXERCISES[name]
    declared = {key(case) for case in task.made_cases}
    other = with_other_inputs(task, "a seed")
    assert isinstance(other, Exercise)
    new = [case for case in other.made_cases if key(case) not in declared]
    draws = any(
        isinstance(arg, np.random.Generator)
        for case in task.made_cases
        for arg in case.args
    )
    assert len(new) >= 2 or draws


def middle(points):
    """Return the mean."""
    return points.mean(axis=0)


def drawn_points():
    """Draw a case."""
    return (Case((np.random.default_rng(3).normal(size=(2, 3)),)),)


def written_points():
    """Write a case out."""
    return (Case((np.ones((2, 3)),)),)


def more_points(rng):
    """Draw a case of its own."""
    return (Case((rng.normal(size=(2, 3)),)),)


def exercise_with(**options):
    """Return an exercise of a teacher's."""
    about = {"place": 1, "minutes": 5, "level": "easy", "section": "Means"}
    texts = {"task": "Write `middle(points)`.", "hints": ("One.", "Two.", "Three.")}
    return Exercise(middle, **about, **texts, **options)


@pytest.mark.parametrize(
    "options, has",
    [
        ({"cases": drawn_points}, True),
        ({"cases": written_points}, False),
        ({"cases": written_points, "drawn": more_points}, True),
    ],
)
def test_exercise_of_which_a_table_knows_all_inputs_is_known(options, has):
    assert has_other_inputs(exercise_with(**options)) is has


def test_command_names_the_exercises_that_a_table_passes(capsys):
    tasks = {
        "means": exercise_with(cases=written_points),
        "others": exercise_with(cases=drawn_points),
    }
    course = SimpleNamespace(modules=tasks, find=tasks.__getitem__)
    one = Submission(Path("ada.py"), "ada", "", "ada")
    for points, number in (({"means": 1.0}, 1), ({"others": 1.0}, 0), ({}, 1)):
        _report_fixed_inputs([Job(one, PointScheme(points), "")], course)
        assert (
            capsys.readouterr().out.count("means has no inputs but those") == number
        )


def test_every_exercise_of_the_book_has_other_inputs():
    assert all(map(has_other_inputs, TASKS.values()))


def test_order_of_the_inputs_depends_on_the_seed():
    task = catalog.find("softmax")
    orders = {
        tuple(key(case) for case in with_fresh_cases(task, seed).made_cases[:6])
        for seed in ("a", "b", "c")
    }
    assert len(orders) == 3


@pytest.mark.exhaustive
def test_right_answer_on_a_busy_machine_gets_more_time(kept, monkeypatch):
    """Time is up in the check from outside, after the one inside has passed."""
    cell = reference_source(TASKS["softmax"]).replace(
        "def softmax(scores):",
        "def softmax(scores):\n    calls.append(0)\n    time.sleep(3 * (len(calls) == 40))",
    )
    cells = (IMPORTS, "import time\ncalls = []\n" + cell)
    assert graded(kept, "softmax", *cells, seconds=2).passed
    monkeypatch.setattr(verdicts, "PATIENCE", 2)
    late = "import time\ncalls = []\n" + cell.replace("sleep(3", "sleep(600")
    assert not graded(kept, "softmax", IMPORTS, late, seconds=2).passed


def test_answers_that_are_late_again_cost_one_repetition(monkeypatch):
    given = []

    def late(grader, code, name, hung, seconds):
        given.append(seconds)
        return Result("crashed", "late", name), True

    monkeypatch.setattr(Grader, "_result", late)
    launcher = SimpleNamespace(finish=lambda: None)
    grader = Grader(launcher, None, "a seed", 10)
    grader.results(code_of("pass"), ["softmax", "entropy", "project_qkv"])
    assert given == [10, 10 * PATIENCE, 10, 10]


def test_judge_has_the_time_for_all_repetitions():
    judge = object.__new__(_Judge)
    judge.connection = Pipe()[0]
    names = dict.fromkeys(("softmax", "entropy"), 1.0)
    one = Submission(Path("ada.py"), "ada", "", "ada")
    judge.take(
        Job(one, PointScheme(names), ""), Settings("", Limits(), "", 60, "trust")
    )
    assert judge.until - time.monotonic() >= 2 * (60 + PATIENCE * 60)


def test_error_of_the_judge_costs_one_submission():
    class Broken:
        def results(self, code, names):
            raise ZeroDivisionError("no reason")

    path = Path(__file__)
    job = Job(Submission(path, "ada", "", "ada"), PointScheme({"softmax": 1.0}), "")
    result = grade_one(job, Broken(), catalog)
    assert result.trouble == "could not be judged (ZeroDivisionError: no reason)"
    assert result.of == 1


def test_results_depend_on_how_answers_are_shut_in():
    plain = Settings(COURSE, Limits(), "seed", 60, "bubblewrap")
    others = [
        replace(plain, way="trust"),
        replace(plain, limits=Limits(files=8)),
        replace(plain, way="docker"),
        replace(plain, image="other"),
    ]
    assert len({plain.facts, *(one.facts for one in others)}) == 5


@pytest.fixture
def unused():
    """Return what starts processes, of which none waits with anything loaded."""
    processes = (Trusted if why_no_sandbox() else Sandboxes)(COURSE, Limits())
    yield processes
    processes.close()


def test_pytorch_is_loaded_for_exercises_that_need_it_only(unused):
    """A notebook imports it for the sake of some, and it takes a second."""
    softmax = reference_source(TASKS["softmax"])
    names = "import sys\ndef loaded():\n    return 'torch' in sys.modules\n"
    told = softmax.replace("return", "print(loaded())\n    return")
    cells = (IMPORTS + names, told)
    assert set(graded(unused, "softmax", *cells).printed.split()) == {"False"}
    other = reference_source(TASKS["softmax_torch"])
    grader = Grader(unused, catalog.find, "a seed", 60)
    results = grader.results(code_of(*cells, other), ["softmax", "softmax_torch"])
    assert all(result.passed for result in results.values())
    assert set(results["softmax"].printed.split()) == {"True"}


def test_pytorch_that_a_numpy_answer_uses_is_there(unused):
    cell = (
        "def softmax(scores):\n"
        "    exps = torch.exp(torch.tensor(scores - scores.max(-1, keepdims=True)))\n"
        "    return (exps / exps.sum(-1, keepdim=True)).numpy()\n"
    )
    assert graded(unused, "softmax", IMPORTS, cell).passed
    for line in ("import torch.nn as nn", "from torch import nn", "torch.zeros(1)"):
        grader = Grader(unused, catalog.find, "a seed", 60)
        right = reference_source(TASKS["softmax"])
        cells = (IMPORTS, line, right)
        assert grader.results(code_of(*cells), ["softmax"])["softmax"].passed
        assert grader._needs_torch()
