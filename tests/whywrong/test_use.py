"""Answers that are not judged by the one array that a call of theirs returns."""

import dataclasses

import numpy as np
import pytest

from tests.whywrong.cells import exercise_of
from whywrong import Case, WrongForm, fault, judge


def both(x):
    """Return the double and the square."""
    return 2 * x, x**2


TWO = exercise_of(
    both,
    Case((np.array([1.0, 3.0, 5.0]),), "example"),
    faults=(fault("cube", "x**2", "x**3", says="{result}: cubed."),),
    results=("double", "square"),
)


@pytest.mark.parametrize(
    ("answer", "status", "faults"),
    [
        (lambda x: (x + x, x * x), "right", ()),
        (lambda x: [x + x, x * x], "right", ()),
        (lambda x: (2 * x, x**3), "wrong", ("cube",)),
        (lambda x: 2 * x, "wrong", ("one-result",)),
        (lambda x: (2 * x, x, x), "wrong", ("results",)),
        (lambda x: None if x.size else 1, "wrong", ("returns-none",)),
    ],
)
def test_results_are_judged_one_by_one(answer, status, faults):
    result = judge(TWO, answer)
    assert (result.status, result.faults) == (status, faults)


def test_message_says_of_which_result_it_speaks():
    assert (
        "About the result `square`" in judge(TWO, lambda x: (2 * x, x + 1)).message
    )
    assert judge(TWO, lambda x: (2 * x, x**3)).message == "square: cubed."


def three(x):
    """Return the double, the square and the sum."""
    return 2 * x, x**2, x.sum(axis=-1)


THREE = exercise_of(
    three,
    Case((np.array([[1.0, 3.0, 5.0]]),), "example"),
    Case((np.arange(1.0, 9.0).reshape(2, 4),)),
    faults=(fault("cube", "x**2", "x**3", says="{result}: cubed."),),
    results=("double", "square", "total"),
)


def two_shapes(x):
    """Return the double and the sum."""
    return 2 * x, x.sum(axis=-1)


TWO_SHAPES = exercise_of(
    two_shapes,
    Case((np.array([[1.0, 3.0, 5.0]]),), "example"),
    faults=(fault("triple", "2 * x", "3 * x", says="{result}: tripled."),),
    results=("double", "total"),
)


def test_results_in_another_order_are_told():
    result = judge(THREE, lambda x: (x**2, x.sum(axis=-1), 2 * x))
    assert result.faults == ("other-order",)
    assert "you return `square, total, double`" in result.message
    wrong = judge(THREE, lambda x: (x**2, x.sum(axis=-1), 3 * x))
    assert "other-order" not in wrong.faults


def test_results_of_other_shapes_in_another_order_are_told_though_wrong():
    result = judge(TWO_SHAPES, lambda x: (x.sum(axis=-1), 4 * x))
    assert result.faults == ("other-order",)
    assert "By shape, you return `total, double`" in result.message


def test_known_mistake_is_told_beside_the_order():
    result = judge(TWO_SHAPES, lambda x: (x.sum(axis=-1), 3 * x))
    assert result.faults == ("other-order", "triple")
    assert "Second: double: tripled." in result.message


def test_order_that_only_a_known_mistake_shows_is_told():
    result = judge(TWO, lambda x: (x**3, 2 * x))
    assert result.faults == ("other-order", "cube")
    assert "First: You return `square, double`" in result.message


class Adder:
    """Add a number."""

    def __init__(self, number):
        self.number = number

    def add(self, x):
        """Return the sum."""
        return x + self.number


def _added(make, number, x):
    made = make(number)
    if not hasattr(made, "add"):
        raise WrongForm("It has no `add`.", "no-method")
    return made.add(x)


MADE = exercise_of(
    Adder,
    Case((3.0, np.array([1.0, 2.0])), "example"),
    use=_added,
    arguments=("_number", "x"),
)


def test_class_is_put_to_use():
    class Mine:
        def __init__(self, number):
            self.offset = number

        def add(self, x):
            return self.offset + x

    assert judge(MADE, Mine).passed
    assert judge(MADE, Adder).faults == ("built-in",)
    assert judge(MADE, lambda number: 3).faults == ("no-method",)


def test_what_else_is_wrong_is_told_where_the_form_can_be_put_right():
    def added(make, number, x):
        made = make(number)
        if hasattr(made, "color"):
            raise WrongForm("It has a color.", "color", made.add(x))
        return made.add(x)

    less = fault("less", "x + self", "x - self", says="You subtract.")
    exercise = dataclasses.replace(MADE, use=added, faults=(less,))

    class Red(Adder):
        color = "red"

    class Blue:
        color = "blue"

        def __init__(self, number):
            self.number = number

        def add(self, x):
            return x - self.number

    assert judge(exercise, Red).faults == ("color",)
    assert judge(exercise, Blue).faults == ("less", "color")


def test_class_not_written_yet_is_not_attempted():
    class Mine:
        def __init__(self, number):
            raise NotImplementedError

    assert judge(MADE, Mine).status == "todo"


def test_class_that_crashes_shows_its_own_line():
    class Mine:
        def __init__(self, number):
            self.number = number

        def add(self, x):
            return x + self.missing

    result = judge(MADE, Mine)
    assert result.status == "crashed" and "self.missing" in result.message
    assert "Your class stopped" in result.message
    # What an exercise's own use is given (`_number`) is not the learner's to know.
    assert "It was made and called with x (2,) float64." in result.message


def near(x):
    """Return about one half."""
    return x / 2


def test_tolerance_may_be_the_exercises_own():
    loose = exercise_of(
        near,
        Case((np.array([2.0]),), "example"),
        tolerance=0.1,
    )
    assert judge(loose, lambda x: x * 0.51).passed
    assert not judge(loose, lambda x: x * 0.7).passed


def test_truth_values_are_not_taken_for_numbers():
    def positive(x):
        """Say where."""
        return x > 0

    task = exercise_of(
        positive,
        Case((np.array([2.0, -1.0]),), "example"),
        faults=(fault("numbers", "x > 0", "1.0 * (x > 0)", says="Numbers."),),
    )
    assert judge(task, lambda x: x >= 1).passed
    assert judge(task, lambda x: 1 * (x > 0)).faults == ("numbers",)
    assert judge(task, lambda x: x).faults == ("dtype",)
