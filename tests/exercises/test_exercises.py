"""Every exercise: right answers pass, wrong ones are refused with the sentence that fits.

A test is one exercise; its failure lists every answer or fault that is not treated as it should be.
"""

import ast
import copy
import inspect

import numpy as np
import pytest

from course_attn.exercises import check
from tests.exercises.answers import CHAPTERS, answers_that_are, file_of
from tests.exercises.solutions import (
    EXERCISES,
    TASKS,
    pasted,
    reference_source,
)
from tests.support.sampled import every
from whywrong.sound import problems_of

RIGHT = answers_that_are("right")
WRONG = answers_that_are("wrong")
LIBRARY = {"np", "torch", "bool", "len", "range", "float", "super", "ValueError"}


@pytest.mark.parametrize("name", TASKS)
def test_reference_passes_when_pasted_without_a_remark(name):
    result = check(pasted(TASKS[name]))
    assert result.passed and result.remarks == (), result


@pytest.mark.parametrize("name", EXERCISES)
def test_solution_of_the_course_is_refused_as_built_in(name):
    assert check(EXERCISES[name].solution).faults == ("built-in",)


@pytest.mark.parametrize("name", TASKS)
def test_exercise_has_right_and_wrong_answers(name):
    kinds = {"right": RIGHT[name], "wrong": WRONG[name]}
    missing = [kind for kind, answers in kinds.items() if not answers]
    assert not missing, (
        f"`{name}` has no {' and no '.join(missing)} answer: {file_of(name)}"
    )


def test_answers_belong_to_an_exercise():
    files = set(CHAPTERS.glob("*/answers/[!_]*.py"))
    assert files - {file_of(name) for name in TASKS} == set()


@pytest.mark.parametrize("name", TASKS)
def test_right_answers_pass(name):
    results = {
        answer.name: check(answer.function, name) for answer in RIGHT[name].values()
    }
    refused = [
        f"{n}: {result}" for n, result in results.items() if not result.passed
    ]
    assert not refused, "\n\n".join(refused)


# Of every exercise a fourth of the answers in the ordinary run, all in `make exhaustive`.
@pytest.mark.parametrize("part", every(4, range(4)))
@pytest.mark.parametrize("name", TASKS)
def test_wrong_answers_are_refused_with_the_expected_diagnosis(name, part):
    mistold = []
    for answer in [*WRONG[name].values()][part::4]:
        result = check(answer.function, name)
        refused = result.status in ("wrong", "crashed") and len(result.message) > 20
        found = tuple(
            id for id in result.faults if not id.startswith(("slip-", "mend-"))
        )
        named = answer.expected_faults in ((), found)
        said = answer.expected_words in result.message
        by_us = "checker itself" in result.message
        if not (refused and named and said) or by_us:
            mistold.append(
                f"{answer} {answer.mistake}\nis told:\n{result!r} {result.faults}"
            )
    assert not mistold, "\n\n".join(mistold)


@pytest.mark.parametrize("name", TASKS)
def test_declaration_has_no_problems(name):
    assert problems_of(TASKS[name]) == []


@pytest.mark.parametrize("name", EXERCISES)
def test_exercise_has_faults(name):
    assert EXERCISES[name].faults


@pytest.mark.parametrize("name", TASKS)
def test_stub_is_not_attempted(name):
    count = len(inspect.signature(TASKS[name].solution).parameters)
    namespace = {}
    exec(
        f"def {name}({', '.join('abcdefg'[:count])}):\n"
        "    raise NotImplementedError",
        namespace,
    )
    assert check(namespace[name]).status == "todo"


@pytest.mark.parametrize("name", EXERCISES)
def test_reference_needs_only_its_library(name):
    source = ast.parse(reference_source(TASKS[name]))
    names = [node for node in ast.walk(source) if isinstance(node, ast.Name)]
    used = {node.id for node in names}
    assigned = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    parameters = {
        node.arg for node in ast.walk(source) if isinstance(node, ast.arg)
    }
    assert used - assigned - parameters <= LIBRARY


@pytest.mark.parametrize(
    "name", [n for n, e in EXERCISES.items() if e.library == "numpy"]
)
def test_whole_numbers_fit_where_numpy_counts_with_32_bits(name):
    """In a browser it does: a right answer that multiplies with NumPy would overflow."""
    exercise = EXERCISES[name]
    for case in exercise.made_cases:
        try:
            # A copy: what is drawn of a generator would be missing in all later tests.
            right = exercise.used(exercise.solution)(*copy.deepcopy(case.args))
        except ValueError:  # there is no right answer
            continue
        if (
            isinstance(right, int)
            or getattr(right, "dtype", np.dtype(float)).kind == "i"
        ):
            assert np.abs(right).max() < 2**31, case.args


@pytest.mark.parametrize(
    "name", [n for n, e in EXERCISES.items() if e.library == "numpy"]
)
def test_cases_have_sizes_that_separate_axes(name):
    """But for the cases called square, no two axes of the first array share a length.

    Maps of self-attention, which one exercise is given, are square; there the next array counts.
    """
    for case in EXERCISES[name].made_cases:
        arrays = [
            value
            for value in case.args
            if isinstance(value, np.ndarray) and value.ndim > 1
        ]
        if name == "without_head":
            arrays = arrays[1:]
        if case.kind == "plain" and arrays:
            assert arrays[0].shape[-1] != arrays[0].shape[-2]


@pytest.mark.parametrize("given", [(), ("SelfAttention",)])
def test_module_in_place_of_its_class_is_named(given):
    made = pasted(TASKS["SelfAttention"])(5, 2, 7)
    result = check(made, *given)
    assert result.faults == ("instance",)
    assert "check(SelfAttention)" in result.message


def test_positive_queries_are_not_called_nearly_right():
    relu = WRONG["SelfAttention"]["sa_relu_on_queries"].function
    assert "nearly" not in check(relu, "SelfAttention").faults
