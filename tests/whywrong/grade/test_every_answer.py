"""Every answer that the exercises' own tests know, right and wrong, run by the grader."""

import pytest

from course_attn.exercises import catalog
from tests.exercises.answers import answers_that_are
from tests.exercises.solutions import TASKS, reference_source
from tests.whywrong.grade.classroom import (
    IMPORTS,
    graded,
    imported,
    outside,
    with_fault,
)
from whywrong import Exercise

RIGHT = answers_that_are("right")
WRONG = answers_that_are("wrong")
# What cannot be seen from outside: who did the work, and how, and what NumPy happens to sort. The
# check in the answer's process sees it, and takes the point away.
INSIDE_ONLY = ("built-in", "whole-rows", "best-first")

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize("name", TASKS)
def test_right_answers_pass_with_any_seed(kept, name):
    seeds = [f"seed {number}" for number in range(3)]
    cells = {"solution": IMPORTS + reference_source(TASKS[name])}
    cells |= {n: imported(given, name) for n, given in RIGHT[name].items()}
    results = {
        n: outside(kept, name, cell, seeds=seeds) for n, cell in cells.items()
    }
    refused = [
        f"{n}: {result!r}" for n, result in results.items() if not result.passed
    ]
    assert not refused, "\n\n".join(refused)


@pytest.mark.parametrize("name", TASKS)
def test_right_answers_pass_in_both_checks(kept, name):
    results = {
        n: graded(kept, name, imported(g, name)) for n, g in RIGHT[name].items()
    }
    refused = [
        f"{n}: {result!r}" for n, result in results.items() if not result.passed
    ]
    assert not refused, "\n\n".join(refused)


@pytest.mark.parametrize("name", TASKS)
def test_wrong_answers_are_refused_by_their_values(kept, name):
    passed = []
    for n, given in WRONG[name].items():
        cell = imported(given, name)
        if outside(kept, name, cell).passed:
            faults = graded(kept, name, cell).faults
            if not set(faults) & set(INSIDE_ONLY):
                passed.append(n)
    assert not passed


@pytest.mark.parametrize("name", TASKS)
def test_wrong_answers_get_no_points(kept, name):
    passed = [
        n for n, given in WRONG[name].items()
        if graded(kept, name, imported(given, name)).passed
    ]  # fmt: skip
    assert not passed


@pytest.mark.parametrize(
    "name", [n for n, t in TASKS.items() if isinstance(t, Exercise)]
)
def test_faults_are_refused_by_their_values(kept, name):
    faults = catalog.find(name).faults
    passed = [
        fault.id
        for i, fault in enumerate(faults)
        if outside(kept, name, with_fault(name, i)).passed
    ]
    assert not passed
