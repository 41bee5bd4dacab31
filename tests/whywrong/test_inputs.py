"""Other inputs by a seed: as many, as large, of the same kinds, and in addition to the others."""

import dataclasses

import numpy as np
import pytest

from course_attn.exercises import catalog, check, require
from tests.exercises.answers import answers_that_are
from tests.exercises.solutions import EXERCISES, TASKS, pasted
from whywrong import Case, NotRight, course
from whywrong.inputs import with_other_inputs

RIGHT = answers_that_are("right")


def form(case):
    """Return what stays the same of a case."""
    shapes = [(np.shape(v), getattr(v, "dtype", type(v))) for v in case.args]
    return case.kind, shapes


def differ(one, other):
    return any(
        not np.array_equal(a, b)
        for a, b in zip(one.args, other.args, strict=True)
        if isinstance(a, np.ndarray)
    )


def test_inputs_of_a_seed_have_the_same_form_and_other_numbers():
    softmax = catalog.find("softmax")
    old = softmax.made_cases
    new = with_other_inputs(softmax, "a").made_cases
    assert [form(case) for case in new] == [form(case) for case in old]
    drawn = [case.kind != "example" for case in old]
    assert [*map(differ, old, new)] == drawn and sum(drawn) > 5


def test_inputs_of_equal_seeds_are_equal():
    softmax = catalog.find("softmax")
    one, same, other = (
        with_other_inputs(softmax, seed).made_cases for seed in (7, "7", 8)
    )
    assert not any(map(differ, one, same))
    assert any(map(differ, one, other))


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.random.default_rng(seed=3),
        lambda: np.random.default_rng(np.int64(3)),
    ],
    ids=["by keyword", "a number of NumPy's"],
)
def test_generator_of_any_whole_number_is_mixed_with_the_seed(make):
    softmax = catalog.find("softmax")
    task = dataclasses.replace(
        softmax, cases=lambda: (Case((make().normal(size=(2, 3)),)),)
    )
    (old,), (new,) = task.made_cases, with_other_inputs(task, "a").made_cases
    assert differ(old, new)


def test_question_stays_as_it_is():
    question = catalog.find("true_of_softmax")
    assert with_other_inputs(question, 1) is question


def test_numpy_draws_as_before_afterward_and_after_an_error():
    softmax, before = catalog.find("softmax"), np.random.default_rng

    def fails():
        raise ValueError

    for cases, error in ((softmax.cases, None), (fails, ValueError)):
        task = with_other_inputs(dataclasses.replace(softmax, cases=cases), 1)
        if error is None:
            assert task.made_cases
        else:
            with pytest.raises(error):
                assert task.made_cases
        assert np.random.default_rng is before


def recalled(exercise):
    """Return an answer that knows the inputs of the check, and what is right for each."""
    right = {
        args[0].tobytes(): exercise.solution(*args)
        for args in (case.args for case in exercise.made_cases)
    }
    return lambda scores: right.get(scores.tobytes(), np.zeros_like(scores))


def test_answers_that_are_recalled_do_not_pass_with_a_seed():
    answer = recalled(catalog.find("softmax"))
    assert check(answer, "softmax").passed
    require(answer, "softmax")
    with pytest.raises(NotRight):
        require(answer, "softmax", seed="a word")


def test_seed_adds_to_the_inputs_of_the_check_and_replaces_none(monkeypatch):
    """Inputs that tell nothing are drawn: what the check refuses is refused all the same."""

    def tell_nothing(task, seed):
        return dataclasses.replace(task, cases=lambda: (Case((np.zeros((1, 1)),)),))

    monkeypatch.setattr(course, "with_other_inputs", tell_nothing)
    with pytest.raises(NotRight):
        require(lambda scores: np.ones_like(scores), "softmax", seed=1)
    require(pasted(catalog.find("softmax")), seed=1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", TASKS)
def test_right_answers_pass_with_any_seed(name):
    answers = [pasted(TASKS[name]), *(a.function for a in RIGHT[name].values())]
    for seed in range(3):
        for answer in answers if name in EXERCISES else answers[:1]:
            require(answer, name, seed=seed)
