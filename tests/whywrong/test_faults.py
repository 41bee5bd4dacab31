"""Which mistake a learner is told of: faults, relations to the right result, kinds of cases."""

import dataclasses

import numpy as np
import pytest

from tests.whywrong.cells import exercise_of, scaled, written
from whywrong import (
    Case,
    Context,
    Kind,
    Property,
    fault,
    judge,
    mend,
    observe,
)


def test_faults_are_named_alone_in_pairs_and_as_whole_functions(toy):
    assert judge(toy, lambda x, f: x / f).faults == ("divided",)
    shifted = judge(toy, lambda x, f: x * f + 1)
    assert shifted.faults == ("shifted",) and shifted.message == "Shifted: 4."
    assert judge(toy, lambda x, f: x * 0).faults == ("zeros",)
    both = judge(toy, lambda x, f: x / f + 1)
    assert both.faults == ("divided", "shifted") and "two mistakes" in both.message


def test_faults_in_a_pair_are_shown_on_cases_where_they_matter(toy):
    """The first case alone would make `divided` look right: there the factor is 1."""
    cases = (Case((np.array([1.0, 2.0]), 1.0), "example"), *toy.made_cases)
    said = fault("divided", "x * factor", "x / factor", says="factor {factor}")
    faults = (said, *toy.faults[1:])
    exercise = dataclasses.replace(toy, cases=lambda: cases, faults=faults)
    result = judge(exercise, lambda x, factor: x / factor + 1)
    assert (
        result.faults == ("divided", "shifted")
        and "First: factor 3" in result.message
    )


def test_kinds_of_cases_are_not_named_where_all_fail(toy):
    result = judge(toy, lambda x, factor: np.sin(x) if x.ndim < 3 else x * factor)
    assert "right otherwise" not in result.message


@pytest.mark.parametrize(
    ("expression", "fault", "said"),
    [
        ("-x * factor", "factor", "wrong sign"),
        ("x * factor * 2", "factor", "2 times"),
        ("x * factor / 7", "factor", "1/7 of"),
        ("(x * factor)[..., None]", "shape", "axis of length 1 too many"),
        ("(x * factor).sum(-1)", "shape", "missing"),
        ("np.full_like(x, np.nan)", "nan", "NaN"),
        ("np.full_like(x, np.inf)", "inf", "infinity"),
        ("(x * factor)[::-1]", "order", "in the wrong places"),
        ("x * factor * (1 + 1e-3 * np.cos(x))", "nearly", "nearly right"),
    ],
)
def test_relation_to_the_right_result_is_named_without_a_known_fault(
    unexplained, toy, expression, fault, said
):
    result = judge(toy, scaled(f"return {expression}"))
    assert result.status == "wrong" and fault in result.faults
    assert said in result.message


@pytest.mark.parametrize(
    ("formula", "faults", "said"),
    [("1.5", (), "you have 6"), ("-1.0", ("factor",), "The sign is wrong.")],
)
def test_relation_of_one_number_is_not_called_a_factor(
    unexplained, toy, formula, faults, said
):
    def square(x):
        return x * x

    numbers = (Case((2.0,), "example"), Case((3.0,)))
    exercise = exercise_of(square, *numbers)
    result = judge(
        exercise, written(f"def scaled(x):\n    return {formula} * x * x")
    )
    assert result.faults == faults and said in result.message
    assert "factor" not in result.message


def test_first_difference_has_as_many_digits_as_show_it(unexplained, toy):
    result = judge(toy, lambda x, factor: x * factor + 2e-5 * (x != 2))
    assert "you have 3.00002, 3 is right" in result.message


def test_worst_row_is_quoted_where_it_differs():
    def row(got, expected):
        return Context(
            {}, np.array(got), np.array(expected), "plain", print
        ).worst_row

    right = [[1.0, 2.0], [3.0, 4.0]]
    assert row([[1.0, 2.0], [3.0, 5.0]], right) == (
        "Your row 1 is [3, 5]; [3, 4] is right."
    )
    assert row([[1.0, 2.0], [3.0, 4.00001]], right) == (
        "Your row 1 is [3, 4.00001]; [3, 4] is right."
    )
    long = np.arange(9.0)
    assert row(long + (long == 7), long) == (
        "Your row is […, 3, 4, 5, 6, 8, 8]; […, 3, 4, 5, 6, 7, 8] is right."
    )
    assert row(long + (long == 1), long).startswith(
        "Your row is [0, 2, 2, 3, 4, 5, …];"
    )


def test_negated_answer_is_named_before_any_property(unexplained, toy):
    law = Property("law", lambda c: "It breaks a law.")
    exercise = dataclasses.replace(toy, properties=(law,))
    result = judge(exercise, lambda x, factor: -x * factor)
    assert result.faults == ("factor",) and "the wrong sign" in result.message
    result = judge(exercise, lambda x, factor: -x * abs(factor))
    assert "law" in result.faults


def test_answer_for_one_row_is_named():
    def squares(x):
        return x * x.sum(axis=-1, keepdims=True)

    draw = np.random.default_rng(0).standard_normal
    exercise = exercise_of(
        squares,
        Case((draw(3),), "example"),
        Case((draw(5),), "vector"),
        Case((draw((2, 3)),)),
        Case((np.zeros((1, 1)),), "one"),
        kinds={"one": Kind("for a single number")},
    )
    result = judge(
        exercise,
        written(
            "def squares(x):\n    return np.outer(x, x).sum(0, keepdims=x.ndim > 1)"
        ),
    )
    assert result.status == "wrong" and "only-one-row" in result.faults
    assert "right for a single row" in result.message


def test_fixed_number_is_said_to_come_from_the_arguments():
    def table(height, width):
        return np.arange(height * width).reshape(height, width)

    cases = [Case((3, 4), "example"), Case((2, 5)), Case((3, 3), "square")]
    result = judge(
        exercise_of(table, *cases),
        lambda height, width: np.arange(12).reshape(3, 4),
    )
    assert "only-example" in result.faults
    assert "come from `height` or `width`" in result.message


def test_first_difference_is_shown_where_nothing_else_fits(unexplained, toy):
    result = judge(toy, lambda x, factor: np.sin(x) + factor)
    assert result.faults == () and "index (0,): you have" in result.message


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("return x * factor if x.ndim < 3 else x.sum(0)", "fails-batch"),
        ("return x * factor if x.ndim < 3 else x[9]", "fails-batch"),
        ("return x * factor if x.shape == (2,) else np.zeros(2)", "only-example"),
        ("return x * factor if x.dtype != 'f4' else x + 1", "fails-float32"),
        ("return np.abs(x) * factor", "only-example"),
    ],
)
def test_kinds_of_cases_that_fail_are_named(unexplained, toy, source, fault):
    result = judge(toy, scaled(source))
    assert not result.passed and fault in result.faults
    assert "example" not in result.message  # the tasks show none


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("return x * factor if x.ndim < 3 else x.sum(axis=1)", "`axis=-1`"),
        ("return x * factor if x.ndim < 3 else x.T", "`.T` turns all axes around"),
        ("return x * factor if len(x.shape) < 3 else x + len(x)", "`len(x)`"),
        (
            "return x * factor if x.ndim < 3 else x.sum(axis=-1)",
            "which axis of the",
        ),
        (
            "return x * factor if x.ndim < 3 else np.einsum('...', x)",
            "in `einsum`",
        ),
    ],
)
def test_advice_for_batches_is_of_what_the_code_has(unexplained, toy, source, said):
    assert said in judge(toy, scaled(source)).message


def test_cases_that_have_nothing_in_common_are_not_listed(
    unexplained, toy, monkeypatch
):
    source = "return x * factor if x.shape[-1] < 4 and x.ndim < 2 else np.sin(x)"
    assert "right otherwise" not in judge(toy, scaled(source)).message
    some = "return np.sin(x) if x.ndim > 2 or x.dtype == 'f4' else x * factor"
    assert "axes and for float32 input" in judge(toy, scaled(some)).message
    monkeypatch.setattr(observe, "_MOST_KINDS", 1)
    assert "right otherwise" not in judge(toy, scaled(some)).message


def test_tolerance_allows_a_small_error_of_float32(toy):
    assert judge(toy, lambda x, f: x * f * (1 + (x.dtype == "f4") * 1e-6)).passed


def test_error_that_is_forgotten_beside_a_fault_is_asked_for():
    def halved(x):
        """Return the half of numbers that are not negative."""
        if (x < 0).any():
            raise ValueError
        return x / 2

    below = Kind("where a number is negative")
    exercise = exercise_of(
        halved,
        Case((np.array([1.0, 4.0]),), "example"),
        Case((np.array([-1.0, 4.0]),), "below"),
        faults=(fault("doubled", "x / 2", "x * 2", says="You double."),),
        kinds={"below": below},
    )
    result = judge(exercise, lambda x: 2 * x)
    assert result.faults == ("doubled",)
    asked = "Besides, a `ValueError` is to be raised where a number is negative."
    assert asked in result.message, result

    def asserts(x):
        assert (x >= 0).all()
        return 2 * x

    said = judge(exercise, asserts).message
    assert f"{asked[:-1]} (yours is `AssertionError`)." in said

    def returns(x):
        return 2 * x if (x >= 0).all() else ValueError("negative")

    said = judge(exercise, returns).message
    assert f"{asked[:-1]} (yours is *returned*: write `raise`" in said


def test_line_that_fails_beside_a_fault_is_named(toy):
    def answer(x, factor):
        total = np.flip(x, axis=0) if x.ndim > 2 else x
        return total / factor

    result = judge(toy, answer)
    assert result.faults == ("divided",)
    assert (
        "You divide.\n\nIt is also wrong with leading batch axes. Look at"
        in str(result)
    )
    assert "`total = np.flip(x, axis=0) if x.ndim > 2 else x`" in result.message


def test_line_that_stops_beside_a_fault_is_quoted(toy):
    def answer(x, factor):
        assert "3" not in f"{x.ndim}", "too deep"
        return x / factor

    result = judge(toy, answer)
    assert result.faults == ("divided",)
    said = "It also fails with leading batch axes. It stops with `AssertionError: too deep"
    assert said in result.message, result
    kinds = {"batch": Kind("with leading batch axes", "Mind the batch.")}
    toy = dataclasses.replace(toy, kinds=kinds)
    assert judge(toy, answer).message.endswith("`. Mind the batch.")


def test_each_of_two_faults_has_numbers_of_its_own(toy):
    result = judge(toy, lambda x, factor: x / factor + 1)
    assert result.faults == ("divided", "shifted")
    assert "Shifted: 4." in result.message  # 1 · 3 + 1, and not 1 / 3 + 1
    assert (
        "Second (the numbers are what this mistake alone would give): Shifted: 4."
        in str(result)
    )


def test_two_faults_are_named_beside_a_line_that_stops(toy):
    def answer(x, factor):
        assert "3" not in f"{x.ndim}", "too deep"
        return x / factor + 1

    result = judge(toy, answer)
    assert result.faults == ("divided", "shifted"), result
    stop = (
        "It also fails with leading batch axes. It stops with `AssertionError: too"
    )
    assert "First: You divide." in result.message and stop in result.message


def test_known_mistake_is_told_that_one_change_of_the_line_leaves(monkeypatch, toy):
    monkeypatch.setattr(mend, "_IN_PAIRS", 0)

    def answer(x, factor):
        moved = x * factor + 1
        return np.flip(moved, axis=-1)

    result = judge(toy, answer)
    assert result.faults == ("shifted", "mend-left-out"), result
    assert "`return np.flip(moved, axis=-1)`: is `flip` needed" in result.message


def test_mistake_is_told_behind_a_line_that_stops():
    def shares(x):
        """Divide each row by its sum."""
        sums = x.sum(axis=-1, keepdims=True)
        return x / sums

    multiplied = fault("multiplied", "x / sums", "x * sums", says="You multiply.")
    exercise = exercise_of(
        shares,
        *(Case((np.ones(s),)) for s in ((2, 3), (5, 4))),
        faults=(multiplied,),
    )

    def stops(x):
        return x * x.sum(axis=-1)

    result = judge(exercise, stops)
    assert (result.status, result.faults[0]) == ("crashed", "multiplied"), result
    assert "First: Your function stopped with `ValueError" in result.message
    said = (
        "Second (the numbers are what this mistake alone would give): You multiply."
    )
    assert result.message.endswith(said)


def test_own_line_is_told_in_place_of_a_slip_beside_a_fault():
    def scores(q, k):
        """Double the scores."""
        products = q @ np.swapaxes(k, -1, -2)
        return 2 * products

    draw = np.random.default_rng(0).standard_normal
    shapes = ((3, 4), (5, 4)), ((2, 3), (7, 3)), ((2, 3, 4), (2, 5, 4))
    cases = (Case(tuple(map(draw, pair))) for pair in shapes)
    not_doubled = fault("not-doubled", "2 * products", "products", says="Double.")

    def answer(q, k):
        return q @ k.T

    said = judge(exercise_of(scores, *cases, faults=(not_doubled,)), answer).message
    assert "First: Double." in said
    assert "Second: Look at line" in said and "what does `.T` do with more" in said


def test_whole_numbers_do_not_hide_a_mistake(toy):
    def answer(x, factor):
        out = np.zeros(x.shape, dtype=int)
        out[...] = x / factor
        return out

    result = judge(toy, answer)
    assert result.faults == ("divided", "dtype"), result
    assert "Second: You return integers" in result.message

    def makes_three(x, factor):
        return (x / factor + 1).tolist()

    result = judge(toy, makes_three)
    assert result.faults == ("divided", "shifted", "not-an-array"), result
    assert result.message.count("mistakes at once") == 1
    assert result.message.startswith("There are three mistakes at once.")
    assert "\n\nThird: You return" in result.message


def test_what_is_returned_besides_does_not_hide_a_mistake(toy):
    result = judge(toy, lambda x, factor: (x / factor, factor))
    assert result.faults == ("divided", "not-an-array"), result
    assert "Second: You return a `tuple`" in result.message
    assert judge(toy, lambda x, factor: ()).faults == ("not-an-array",)


def test_shape_does_not_hide_a_mistake(toy):
    result = judge(toy, lambda x, factor: (x / factor)[None])
    assert result.faults == ("divided", "shape"), result
    assert "Second: You return shape (1, 2)" in result.message
    assert judge(toy, lambda x, factor: (x * factor)[None]).faults[-1] == "shape"


def test_argument_changed_in_place_does_not_hide_an_axis():
    def shares(x):
        """Divide each row by its sum."""
        return x / x.sum(axis=-1, keepdims=True)

    square = np.arange(1.0, 10).reshape(3, 3)
    exercise = exercise_of(
        shares, Case((square,), "example"), Case((square[::-1],))
    )

    def answer(x):
        x /= x.sum(axis=-2, keepdims=True)
        return x

    result = judge(exercise, answer)
    assert result.faults == ("slip-axis", "in-place"), result


def test_axis_that_stops_does_not_hide_a_second_line():
    def centered(x):
        """Subtract the mean of each row."""
        return x - x.mean(axis=-1, keepdims=True)

    rows = np.arange(12.0).reshape(3, 4) ** 2
    exercise = exercise_of(centered, Case((rows[1],), "example"), Case((rows,)))

    def answer(x):
        middle = x.mean(axis=1, keepdims=True)
        return x + middle

    result = judge(exercise, answer)
    assert result.status == "crashed"
    assert result.faults == ("mend-axis", "mend-operator"), result


def test_zeros_alone_do_not_show_that_batches_are_right():
    def off_diagonal(x):
        """Return minus the products of different entries, and 0 between them."""
        square = -x[..., :, None] * x[..., None, :]
        return square * (1 - np.eye(x.shape[-1]))

    vector = np.array([1.0, 2.0])
    cases = Case((vector,), "example"), Case((np.zeros((3, 2)),), "batch")
    answer = exercise_of(off_diagonal, *cases)

    def flat(x):
        rows = x.reshape(-1, 2)
        return rows[:, :, None] * rows[:, None, :] * (1 - np.eye(2))

    assert "only-batch" not in judge(answer, flat).faults


def test_halves_do_not_hide_a_mistake():
    def middle(n):
        """Return the middle of n places, counted from 0."""
        return np.array([n // 2])

    before = fault("before", "n // 2", "n // 2 - 1", says="One too early.")
    exercise = exercise_of(
        middle, Case((4,), "example"), Case((7,)), faults=(before,)
    )

    def answer(n):
        return np.array([n / 2 - 1])

    def filled(n):
        out = np.zeros(1)
        out[0] = n / 2 - 1
        return out

    for halves in (answer, filled):
        result = judge(exercise, halves)
        assert result.faults == ("before", "dtype"), result


def test_empty_result_of_another_dtype_does_not_hide_a_mistake():
    def places(x):
        """Return where a number is positive."""
        return np.flatnonzero(x > 0)

    exercise = exercise_of(
        places,
        Case((np.array([-1.0, 4.0, 2.0]),), "example"),
        Case((np.array([-1.0]),)),
        faults=(
            fault("negative", "x > 0", "x < 0", says="You take the negative."),
        ),
    )

    def answer(x):
        return np.array([i for i in range(len(x)) if x[i] < 0 and len(x) > 1])

    assert "dtype" not in judge(exercise, answer).faults
    nearly = judge(
        exercise, lambda x: np.array([i for i, n in enumerate(x) if n > 0])
    )
    assert nearly.faults == ("dtype",)


def test_fault_that_explains_all_but_one_kind_is_named(unexplained, toy):
    """What else is wrong there no declared mistake explains."""
    kinds = {
        "square": Kind("for a square"),
        "batch": Kind("with leading batch axes"),
    }
    toy = dataclasses.replace(toy, kinds=kinds)

    def answer(x, factor):
        return np.sin(x) if x.shape == (3, 3) else x / factor

    result = judge(toy, answer)
    assert result.faults == ("divided",)
    assert "It is also wrong for a square" in result.message

    def partly(x, factor):
        rows = [x[:1] * factor, x[1:] / factor]
        return np.concatenate(rows) if x.shape == (3, 3) else x / factor

    # Rows that are right need no second mistake.
    assert judge(toy, partly).message == "You divide."
    both = judge(toy, lambda x, f: np.sin(x) if x.size in (9, 70) else x / f)
    assert "divided" not in both.faults


def test_fault_seen_on_single_arrays_is_named_although_batches_crash(toy):
    def divided(x, factor):
        if x.ndim > 2:
            raise IndexError
        return x / factor

    result = judge(toy, divided)
    assert (
        result.faults == ("divided",)
        and "with leading batch axes" in result.message
    )


def test_error_of_the_reference_must_be_raised_by_the_answer(unexplained):
    def halves(n):
        """Split an even number."""
        if n % 2:
            raise ValueError("odd")
        return np.array([n / 2, n / 2])

    exercise = exercise_of(
        halves,
        Case((4,)),
        Case((3,), "odd"),
        faults=(
            fault(
                "rounds", "return np.array([n // 2 * 1.0] * 2)", says="You round."
            ),
        ),
    )
    source = """
def halves(n):
    if n % 2:
        raise ValueError
    return np.array([n / 2, n / 2])
"""
    assert judge(exercise, written(source)).passed
    unguarded = judge(exercise, lambda n: np.array([n / 2, n / 2]))
    assert unguarded.faults == ("no-error",) and "ValueError" in unguarded.message
    assert (
        judge(exercise, written(source.replace("Value", "Type"))).status
        == "crashed"
    )


def test_a_relation_of_one_case_by_chance_is_not_told(unexplained, toy):
    # On [1, 2] and 3 these are the right numbers in the wrong places; elsewhere they are not.
    chance = "    if x.shape == (2,):\n        return np.array([6.0, 3.0])\n"
    result = judge(toy, written(f"def scaled(x, factor):\n{chance}    return x"))
    assert "order" not in result.faults and "wrong places" not in result.message
    always = "def scaled(x, factor):\n    return (x * factor)[..., ::-1].copy()"
    assert "order" in judge(toy, written(always)).faults
