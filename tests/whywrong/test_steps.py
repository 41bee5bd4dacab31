"""The engine counts steps and looks at no clock; what it changes it puts back."""

import ast
import inspect
import time

import numpy as np
import pytest

from course_attn.exercises import check
from tests.exercises.answers import answers_that_are
from tests.support.sampled import every
from tests.whywrong.cells import written
from whywrong import explain, mend, mistakes, slips, steps, versions
from whywrong.limits import KeyPressed
from whywrong.slips import slips_in
from whywrong.steps import Steps, TooManySteps, countable, counting, put_in

CODE = """
def f(n):
    total = [i for i in range(n)]
    while n > 0:
        n = n - 1
        for i in range(3):
            total = total + [i]
    return total
"""


def made(code: str, left: int):
    """Return the function of a code, and the counter of its steps."""
    tree, counter = ast.parse(code), Steps(left)
    names = {"np": np, **counter.names}
    with counting(countable(tree)):
        exec(compile(tree, "<made>", "exec"), names)
    return names["f"], counter


def test_each_call_and_each_round_is_a_step():
    function, counter = made(CODE, 1000)
    function(5)
    # The call, the list's 5 rounds, the test of `while` 6 times, and 3 rounds in each of its 5.
    assert 1000 - counter.left == 1 + 5 + 6 + 15


def test_code_that_uses_up_its_steps_is_ended_even_where_it_catches_everything():
    function, _ = made(
        "def f(n):\n    while True:\n        try:\n            n = abs(n)\n"
        "        except BaseException:\n            pass",
        200,
    )
    with pytest.raises(TooManySteps):
        function(1)


@pytest.mark.parametrize(
    ("line", "begun"),
    [
        ("x = x * x", 3),
        ("x = x + x", [1] * 9),
        ("x = np.concatenate([x, x])", np.ones(9)),
    ],
)
def test_what_grows_without_end_is_ended_long_before_its_steps(line, begun):
    function, counter = made(f"def f(x):\n    while True:\n        {line}", 3000)
    with pytest.raises(TooManySteps):
        function(begun)
    assert counter.left > 2900


@pytest.mark.parametrize("stops", [KeyPressed, TooManySteps, ValueError])
def test_a_tree_is_as_before_however_a_search_ends(stops):
    tree = ast.parse(CODE)
    before = ast.dump(tree, include_attributes=True)
    first, *_, last = slips_in(tree, torch=False)
    with pytest.raises(stops), put_in(first, last), counting(countable(tree)):
        assert ast.dump(tree, include_attributes=True) != before
        raise stops
    assert ast.dump(tree, include_attributes=True) == before


def test_no_part_of_a_search_looks_at_a_clock():
    for part in (explain, mend, mistakes, slips, steps, versions):
        names = {
            getattr(node, "id", getattr(node, "attr", ""))
            for node in ast.walk(ast.parse(inspect.getsource(part)))
        }
        assert not names & {"time", "monotonic", "perf_counter", "process_time"}


# Each is told by another search.
@pytest.mark.parametrize(
    ("exercise", "n"),
    every(3, [("attention_flops", 3), ("softmax", 5), ("masked_softmax", 7)]),
)
def test_a_slow_machine_says_the_same(monkeypatch, exercise, n):
    answers = list(answers_that_are("wrong")[exercise].values())[:n]
    quick = [check(answer.function, exercise).message for answer in answers]
    count = Steps.step

    def slowly(self, callers=1):
        time.sleep(0.002)
        return count(self, callers + 1)

    monkeypatch.setattr(Steps, "step", slowly)
    assert [check(a.function, exercise).message for a in answers] == quick


def test_an_answer_is_judged_in_inference_mode():
    import torch

    right = written(
        "def softmax_torch(scores):\n"
        "    exps = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)\n"
        "    return exps / exps.sum(dim=-1, keepdim=True)",
        torch=torch,
    )
    with torch.inference_mode():
        result = check(right)
    assert result.passed, result
