"""The Parsons problems of the course: every accepted order is right, every wrong line is wrong."""

import json
import random
import re
import sys
from functools import cache
from itertools import combinations, islice, permutations

import numpy as np
import pytest
import torch

from book._parts.exercise.facts import facts_of
from book._parts.parsons.lines import lines_of, orders, written
from book._parts.parsons.parsons import parsons_of, passes
from course_attn.exercises import catalog, check
from tests.exercises.solutions import EXERCISES, TASKS
from tests.support.sampled import every

# A single step, and its result: there is nothing to put in order.
TOO_SHORT = {"weighted_sum", "weighted_sum_torch", "to_torch_mha_mask", "repeat_kv"}
PROBLEMS = [name for name in EXERCISES if name not in TOO_SHORT]

problem_of = cache(lambda name: parsons_of(EXERCISES[name]))


def made_of(lines, name):
    """What a learner has who copies these lines into a cell."""
    namespace = {"np": np, "torch": torch}
    exec(written(lines), namespace)
    return namespace[name]


def put_in(problem, *wrong):
    """The lines of the solution with some wrong ones in place of the right ones."""
    put = {one.line.number: one.line for one in wrong}
    return [put.get(line.number, line) for line in problem.lines]


def test_exercises_of_a_single_step_have_no_problem():
    assert all(parsons_of(EXERCISES[name]) is None for name in TOO_SHORT)


@pytest.mark.parametrize("name", every(3, PROBLEMS))
def test_accepted_orders_pass(name):
    problem, rng = problem_of(name), random.Random(0)
    some = {
        *islice(orders(problem.lines, problem.needs), 8),
        *(next(orders(problem.lines, problem.needs, rng)) for _ in range(8)),
    }
    refused = [
        written(order) for order in some if not check(made_of(order, name)).passed
    ]
    assert not refused, "\n\n".join(refused)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", PROBLEMS)
def test_all_accepted_orders_pass(name):
    problem = problem_of(name)
    for order in islice(orders(problem.lines, problem.needs), 3000):
        assert check(made_of(order, name)).passed, written(order)


def in_any_order(problem):
    """Every order of the lines below the head."""
    head, *lines = problem.lines
    for order in permutations(lines):
        yield head, *order


def size_of(name):
    """How many lines there are to put in order, if they are one block; else many."""
    lines = lines_of(EXERCISES[name].source)
    return len(lines) - 1 if all(line.parent in (None, 0) for line in lines) else 99


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if size_of(name) > 4 else ())
        for name in PROBLEMS
        if size_of(name) <= 5
    ],
)
def test_orders_that_are_not_accepted_are_wrong(name):
    """So that nobody is told that a right order is none."""
    problem = problem_of(name)
    accepted = set(orders(problem.lines, problem.needs))
    right = [
        written(order)
        for order in in_any_order(problem)
        if order not in accepted and passes(EXERCISES[name], written(order))
    ]
    assert not right, "\n\n".join(right)


@pytest.mark.parametrize("name", PROBLEMS)
def test_wrong_line_in_its_place_is_refused_with_its_fault(name):
    found = {
        wrong.fault: check(made_of(put_in(problem_of(name), wrong), name)).faults
        for wrong in problem_of(name).wrong
    }
    assert found == {fault: (fault,) for fault in found}


@pytest.mark.parametrize("name", PROBLEMS)
def test_wrong_lines_together_are_wrong(name):
    problem = problem_of(name)
    for size in range(2, len(problem.wrong) + 1):
        for some in combinations(problem.wrong, size):
            assert not passes(EXERCISES[name], written(put_in(problem, *some))), (
                some
            )


@pytest.mark.parametrize("name", PROBLEMS)
def test_wrong_lines_are_two_or_three_and_not_among_the_right_ones(name):
    problem = problem_of(name)
    assert 2 <= len(problem.wrong) <= 3
    right = {line.text for line in problem.lines}
    wrong = [one.line.text for one in problem.wrong]
    assert len({*wrong}) == len(wrong) and not right & {*wrong}
    for one in problem.wrong:
        assert 20 < len(one.says) < 500 and one.says.endswith((".", "?", "`", ")"))


@pytest.mark.parametrize("name", every(3, TASKS))
def test_facts_can_be_written_into_a_page(name):
    facts = facts_of(TASKS[name], catalog)
    assert json.loads(json.dumps(facts)) == facts
    assert facts["solution"][0].startswith(("def ", "class "))
    if facts["parsons"]:
        place = facts["parsons"]["pool"].index
        needs = facts["parsons"]["before"]
        assert not needs or any(place(n["first"]) > place(n["then"]) for n in needs)


@pytest.mark.parametrize("name", every(3, EXERCISES))
def test_exercise_that_names_an_earlier_one_is_prepared_by_it(name):
    task = TASKS[name]
    text = " ".join((task.task, *task.hints))
    named = {*re.findall(r"`(\w+)", text)} & {*TASKS} - {name}
    in_numpy = getattr(sys.modules[task.solution.__module__], "in_numpy", None)
    if in_numpy is not None:
        named.add(in_numpy.name)
    known = [*catalog.modules]
    earlier = {other for other in named if known.index(other) < known.index(name)}
    assert earlier <= {*facts_of(task, catalog)["prepared_by"]}


@pytest.mark.parametrize("chapter", catalog.chapters)
def test_facts_of_a_chapter_ask_for_an_hour_or_two_and_some_are_easy(chapter):
    tasks = [TASKS[name] for name in catalog.chapters[chapter]]
    assert any(task.level == "easy" for task in tasks)
    assert 40 <= sum(task.minutes for task in tasks) <= 120
    for task in tasks:
        low, high = {"easy": (2, 10), "medium": (8, 20), "hard": (12, 30)}[
            task.level
        ]
        assert low <= task.minutes <= high, task.name
