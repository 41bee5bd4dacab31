"""What a learner's function may do besides computing, what it may return, and what it is told."""

import logging
import random
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest

from tests.whywrong.cells import exercise_of, scaled, written
from whywrong import BuiltIn, Case, judge


def test_right_answer_is_right_and_says_nothing_more(toy):
    result = judge(toy, lambda x, factor: factor * x)
    assert (result.status, result.message, result.faults, result.remarks) == (
        "right",
        "",
        (),
        (),
    )


@pytest.mark.parametrize(
    "body",
    [
        "raise NotImplementedError",
        "raise NotImplementedError()",
        "...",
        "pass",
        '"""Doc."""',
    ],
)
def test_stub_is_not_attempted(toy, body):
    result = judge(toy, scaled(body))
    assert result.status == "todo" and 'hint("scaled")' in result.message


def test_stub_half_written_is_not_attempted(toy):
    body = "y = x + 1\n    raise NotImplementedError"
    assert judge(toy, scaled(body)).status == "todo"


def test_none_returned_is_named(toy):
    result = judge(toy, scaled("y = x * factor"))
    assert result.faults == ("returns-none",) and "`return" in result.message


def test_print_instead_of_return_is_named(toy, capsys):
    result = judge(toy, scaled("print(x * factor)"))
    assert result.faults == ("prints",) and "[3. 6.]" in result.printed
    assert capsys.readouterr() == ("", "")


def test_print_beside_return_passes_and_is_captured(toy, capsys):
    body = "print('hello')\n    return x * factor"
    result = judge(toy, scaled(body))
    assert result.passed and result.printed == "hello\n"
    assert capsys.readouterr() == ("", "")


def test_stderr_stays_quiet(toy, capsys):
    source = """
def scaled(x, factor):
    import warnings
    warnings.warn("careful")
    print("oops", file=sys.stderr)
    np.log(np.zeros(2))
    return x * factor
"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert judge(toy, written(source)).passed
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("expression", "fault", "said"),
    [
        (
            "(x * factor).tolist()",
            "not-an-array",
            "The numbers are right, but you return a `list`",
        ),
        ("tuple((x * factor).tolist())", "not-an-array", "a `tuple`"),
        ("[['1.0']]", "not-an-array", "You return a `list`"),
        ("iter(x)", "not-an-array", "an `iterator`"),
        ("'text'", "not-an-array", "a `str`"),
        ("3.0", "one-number", "You return one number, 3.0"),
        ("np.broadcast_to(1.0, (10**6, 10**6))", "too-many", "(1000000, 1000000)"),
        ("(x * factor).astype(object)", "object-array", "Python objects"),
        ("(x * factor).astype(int)", "dtype", "integers"),
        ("x > 0", "dtype", "truth values"),
        ("x * factor + 0j", "dtype", "complex"),
        ("(x * factor).astype('f4')", "dtype", "digits are lost"),
        ("(x * factor).astype('f2')", "dtype", "digits are lost"),
    ],
)
def test_form_of_the_result_that_is_wrong_is_named(toy, expression, fault, said):
    result = judge(toy, scaled(f"return {expression}"))
    assert (result.status, result.faults) == ("wrong", (fault,))
    assert said in result.message


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (".tolist()", "not-an-array"),
        (" * 1j", "dtype"),
        (".astype('f2')", "dtype"),
    ],
)
def test_mistake_beside_a_wrong_kind_is_named(toy, change, kind):
    result = judge(toy, scaled(f"return (x / factor){change}"))
    is_number = "j" not in change  # complex numbers are not turned to others
    assert result.faults == (("divided", kind) if is_number else (kind,))


def test_answer_that_is_repeatable_is_not_called_otherwise_for_its_kind(toy):
    """The numbers are turned to those asked for; a second call gives those that were not."""
    result = judge(toy, scaled("return (x - factor).tolist()"))
    assert (
        "not-repeatable" not in result.faults
        and result.faults[-1] == "not-an-array"
    )


def test_tensor_in_a_numpy_exercise_is_named(toy):
    torch = pytest.importorskip("torch")
    result = judge(toy, lambda x, factor: torch.from_numpy(x) * factor)
    assert result.faults == ("not-an-array",)
    assert (
        "numbers are right" in result.message and "PyTorch tensor" in result.message
    )


def test_float64_for_float32_passes_with_a_remark(toy):
    result = judge(toy, lambda x, factor: x.astype(float) * factor)
    assert result.passed and "float64" in result.remarks[0]


def test_float32_throughout_passes_without_a_remark(toy):
    assert judge(toy, lambda x, factor: x * x.dtype.type(factor)).remarks == ()


def test_argument_changed_in_place_is_named(toy):
    body = "x *= factor\n    return x"
    result = judge(toy, scaled(body))
    assert result.faults == ("in-place",) and "`x`" in result.message
    assert "puts it back" not in result.message


def test_argument_changed_in_place_leaves_the_cases_as_they_are(toy):
    before = [case.args[0].copy() for case in toy.made_cases]
    judge(toy, scaled("x[:] = 0\n    return x"))
    assert all(
        (b == c.args[0]).all() for b, c in zip(before, toy.made_cases, strict=True)
    )


def test_argument_changed_in_place_is_named_beside_a_fault(toy):
    result = judge(toy, scaled("x /= factor\n    return x"))
    assert result.faults == ("divided", "in-place") and "Besides" in result.message


def test_argument_changed_in_place_is_named_beside_a_result_of_another_kind(toy):
    result = judge(toy, scaled("x *= factor\n    return x.astype(str)"))
    assert result.faults[-1] == "in-place" and "Besides" in result.message, result


@pytest.mark.parametrize("noise", ["np.random.rand()", "random.random()"])
def test_random_result_is_named(toy, noise):
    result = judge(toy, scaled(f"return x * factor + {noise} * 1e-3"))
    assert result.faults == ("not-repeatable",)


def test_random_answer_is_judged_the_same_every_time(toy):
    noise = "(random.random() > 0.5) * np.random.rand()"
    function = scaled(f"return x * factor + {noise}")
    assert len({repr(judge(toy, function)) for _ in range(5)}) == 1


def test_result_that_depends_on_earlier_calls_is_named(toy):
    source = """
def scaled(x, factor, seen=[]):
    seen.append(1)
    return x * factor + (len(seen) > 5)
"""
    assert judge(toy, written(source)).faults == ("not-repeatable",)


def test_global_generators_are_given_back(toy):
    np.random.seed(7)  # noqa: NPY002
    random.seed(7)
    expected = np.random.rand(), random.random()  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    random.seed(7)
    judge(toy, scaled("np.random.seed(0)\n    random.seed(0)\n    return x"))
    assert (np.random.rand(), random.random()) == expected  # noqa: NPY002


def test_numpy_error_settings_are_given_back(toy):
    before = np.geterr()
    judge(toy, scaled("np.seterr(all='raise')\n    return x * factor"))
    assert np.geterr() == before


def test_built_in_is_noticed_whatever_it_is_called(toy):
    import textwrap as module

    def whole(x, factor):
        return x * factor

    module.whole_exercise = whole
    try:
        exercise = replace(
            toy,
            built_ins=(
                BuiltIn(
                    "textwrap.whole_exercise", lambda given: given["factor"] != 2
                ),
            ),
        )
        result = judge(exercise, lambda x, factor: whole(x, factor))
        assert (
            result.faults == ("built-in",)
            and "textwrap.whole_exercise" in result.message
        )
        assert judge(exercise, whole).faults == ("built-in",)
        assert judge(exercise, lambda x, factor: whole(x, 2) * factor / 2).passed
        assert judge(exercise, lambda x, factor: whole(x, factor) + 9).faults != (
            "built-in",
        )
    finally:
        del module.whole_exercise


def test_built_in_is_not_an_own_function_of_the_same_name(toy):
    source = """
def scaled(x, factor):
    def scaled(a, b):
        return a * b
    return scaled(x, factor)
"""
    assert judge(toy, written(source)).passed


def test_profiler_is_given_back(toy):
    calls = []

    def profiler(*args):
        calls.append(args)

    sys.setprofile(profiler)
    try:
        judge(toy, lambda x, factor: x * factor)
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)


def test_right_answer_that_logs_writes_nothing(toy, capfd):
    logger = logging.getLogger("learner")
    handler = logging.StreamHandler(sys.__stderr__)
    logger.addHandler(handler)
    try:
        answer = scaled("log.warning('here')\n    return x * factor", log=logger)
        assert judge(toy, answer).passed
    finally:
        logger.removeHandler(handler)
    assert capfd.readouterr().err == ""
    assert logging.root.manager.disable == 0


def test_step_that_is_still_a_stub_is_named():
    def twice(x):
        """Double."""
        return 2 * x

    exercise = exercise_of(twice, Case((np.ones(3),), "example"))
    namespace = {}
    exec(
        "def step(x):\n    raise NotImplementedError\n\n"
        "def twice(x):\n    return step(x) + step(x)\n\n"
        "def own(x):\n    def inner():\n        raise NotImplementedError\n    return inner()",
        namespace,
    )
    result = judge(exercise, namespace["twice"])
    assert (
        result.faults == ("stub",)
        and "`step`, which your function calls" in result.message
    )
    assert judge(exercise, namespace["own"]).status == "todo"


def test_what_is_printed_is_kept_as_far_as_anybody_reads_it(toy):
    """Also where the end comes in the middle of a text, and most of them after it."""
    source = (
        "for i in range(30):\n        print('x' * 9_998)\n    return x * factor"
    )
    result = judge(replace(toy, seconds=60.0), scaled(source))
    assert result.passed and len(result.printed) == 100_000


def test_name_that_is_not_defined_is_explained(toy):
    result = judge(toy, scaled("return my_softmax(x)"))
    assert "run that cell again" in result.message


@pytest.mark.parametrize("text", ["\ud800", "\x1b[31mred", "\u202eback"])
def test_text_that_cannot_be_shown_is_shown_otherwise(toy, text):
    def answer(x, factor):
        print(text)
        raise ValueError(text)

    result = judge(toy, answer)
    shown = repr(result) + result._repr_html_()
    shown.encode("utf-8")
    assert text not in result.message
