"""What a learner is told of an answer that raises an exception or ends the program."""

import numpy as np
import pytest

import course_attn.exercises  # noqa: F401 (the course tells where its functions are)
from tests.whywrong.cells import exercise_of, scaled, written
from whywrong import Case, judge


def test_crash_is_not_implemented_raised_by_a_library(toy):
    def library(x):
        raise NotImplementedError("no such dtype")

    body = "return library(x)"
    assert judge(toy, scaled(body, library=library)).status == "crashed"


def test_crash_shows_the_own_line_and_the_shapes(toy):
    result = judge(toy, scaled("y = x + 1\n    return y @ y.T @ zz"))
    assert result.status == "crashed"
    assert "NameError" in result.message and "in line 3" in result.message
    assert (
        "return y @ y.T @ zz" in result.message
        and "x (2,) float64, factor 3.0" in result.message
    )
    assert "Traceback" not in result.message and "checking" not in result.message


def test_crash_in_a_helper_of_the_notebook_shows_the_helper(toy):
    source = """
def scaled(x, factor):
    def helper(y):
        return y / "2"
    return helper(x)
"""
    assert "in line 3" in judge(toy, written(source)).message


def test_crash_inside_a_library_shows_the_own_line(toy):
    result = judge(toy, scaled("return np.concatenate([x, factor])"))
    assert "in line 2" in result.message and "np.concatenate" in result.message


def test_crash_in_a_library_written_in_python_shows_the_own_line(toy):
    result = judge(toy, scaled("return np.linalg.inv(x)"))
    assert (
        "in line 2" in result.message
        and "return np.linalg.inv(x)" in result.message
    )


def test_exception_text_is_escaped(toy):
    body = "raise ValueError('<script>alert(1)</script>')"
    html = judge(toy, scaled(body))._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html


def test_exception_that_cannot_be_shown_is_a_crash(toy):
    source = """
def scaled(x, factor):
    class Bad(Exception):
        def __str__(self):
            raise RuntimeError
    raise Bad
"""
    assert judge(toy, written(source)).status == "crashed"


def test_recursion_without_end_is_named(toy):
    result = judge(toy, scaled("return scaled(x, factor)"))
    assert (
        result.status == "crashed" and "calls itself without end" in result.message
    )


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("np.ones((2, 3)) / np.ones(2)", "`keepdims=True`"),
        ("np.ones((4, 2, 3)) - np.ones((4, 2))", "`keepdims=True`"),
        ("np.ones((2, 3)) * np.ones((3, 4))", "`A @ B`"),
        ("np.ones((2, 5)) @ np.ones((3, 5))", "lengths are 5 and 3"),
        ("np.ones(5) @ np.ones((3, 5))", "lengths are 5 and 3"),
        ("np.ones((2, 5)) @ np.ones(4)", "lengths are 5 and 4"),
        ("not np.array([True, False])", "`np.logical_not(…)`"),
        ("1.0 if np.ones(2) > 0 else 2.0", "an array has many"),
        ("-np.array([True, False])", "is `~`"),
        ("True - np.array([True, False])", "is `~`"),
    ],
)
def test_tip_follows_a_common_error(toy, expression, said):
    result = judge(toy, scaled(f"return {expression}"))
    assert result.status == "crashed" and said in result.message.split("\n\n")[-1]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("torch.ones(3, 5) @ torch.ones(2, 5)", "lengths are 5 and 2"),
        ("not torch.ones(2, dtype=torch.bool)", "`torch.logical_not(…)`"),
        ("-torch.ones(2, dtype=torch.bool)", "is `~`"),
        ("1 - torch.ones(2, dtype=torch.bool)", "is `~`"),
    ],
)
def test_tip_follows_a_common_error_of_torch(toy, expression, said):
    torch = pytest.importorskip("torch")
    body = f"return {expression}"
    result = judge(toy, scaled(body, torch=torch))
    assert result.status == "crashed" and said in result.message.split("\n\n")[-1]


@pytest.mark.parametrize("line", ["b, n, d = x.shape", "(n,) = x.shape"])
def test_shape_with_other_sizes_is_told_to_be_counted_from_the_end(toy, line):
    result = judge(toy, scaled(f"{line}\n    return x * factor"))
    assert "`n, d = x.shape[-2:]`" in result.message, result


def test_tip_that_only_asks_is_left_out_where_a_change_is_named():
    def products(Q, K):
        """Return the dot product of every row of Q with every row of K."""
        return Q @ np.swapaxes(K, -1, -2)

    rng = np.random.default_rng(0).standard_normal
    given = Case((rng((2, 3)), rng((4, 3))), "example")
    batch = Case((rng((2, 5, 3)), rng((2, 4, 3))), "batch")
    source = "def products(Q, K):\n    return Q @ K.T"
    result = judge(exercise_of(products, given, batch), written(source))
    assert result.faults == ("fails-batch", "mend-transposition")
    assert "does another matrix belong here" not in result.message
    assert "what does `.T` do with more than two axes?" in result.message


def test_answer_for_one_batch_axis_only_is_told_so(toy):
    result = judge(toy, scaled("b, n, d = x.shape\n    return x * factor"))
    assert result.faults[0] == "only-batch", result


def test_tip_is_not_given_for_other_errors(toy):
    body = "raise ValueError('matmul: no numbers here')"
    message = judge(toy, scaled(body)).message
    assert message.split("\n\n")[-1].startswith("It was called with")


@pytest.mark.parametrize("ending", ["sys.exit(1)", "raise SystemExit", "exit()"])
def test_exit_from_the_program_is_a_crash(toy, ending):
    result = judge(toy, scaled(ending))
    assert result.status == "crashed" and "ends the whole program" in result.message


def test_keyboard_interrupt_raised_by_the_answer_is_a_crash(toy):
    result = judge(toy, scaled("raise KeyboardInterrupt"))
    assert result.status == "crashed" and "KeyboardInterrupt" in result.message


def test_crash_names_the_builtin_that_a_variable_hides(toy):
    body = "return sum([x * factor])"
    result = judge(toy, scaled(body, sum=3.0))
    assert result.status == "crashed" and "hides Python's `sum`" in result.message


@pytest.mark.parametrize(
    ("expression", "home"),
    [
        ("softmax(x)", "course_attn.in_numpy"),
        ("softmax(torch.ones(2))", "course_attn.in_torch"),
        ("GPT(np.ones(2))", "course_attn.in_torch"),  # PyTorch alone has it
    ],
)
def test_function_of_the_course_that_is_not_imported_is_told_how(
    toy, expression, home
):
    torch = pytest.importorskip("torch")
    name = expression.split("(", 1)[0]
    result = judge(toy, scaled(f"return {expression}", torch=torch))
    advice = (
        f"`{name}` is not imported here: write `from {home} import {name}` above"
    )
    assert result.status == "crashed" and advice in result.message
    assert "run that cell again" in result.message


def test_name_that_the_course_does_not_know_is_told_nothing_of_it(toy):
    message = judge(toy, scaled("return softmaxx(x)")).message
    assert "`softmaxx` is not defined here" in message
    assert "course_attn" not in message


@pytest.mark.parametrize(
    ("expression", "meant"),
    [("exp(x)", "np.exp"), ("exp(torch.ones(2))", "torch.exp")],
)
def test_function_of_a_library_that_is_called_without_it_is_told_its_whole_name(
    toy, expression, meant
):
    torch = pytest.importorskip("torch")
    message = judge(toy, scaled(f"return {expression}", torch=torch)).message
    assert f"`exp` alone is not defined here. Do you mean `{meant}`?" in message


def test_library_that_is_not_there_is_said_to_be_unneeded(toy):
    message = judge(toy, scaled("import scipyy.special\n    return x")).message
    assert (
        "There is no `scipyy` here, and this exercise does not need it." in message
    )
