"""What a learner's function may do, and what it is told."""

import dataclasses
import os
import random
import signal
import sys
import threading
import time
import warnings

import numpy as np
import pytest

from course_attn.checking import BuiltIn, Case, Exercise, Fault, judge
from course_attn.checking.time_limit import KeyPressed, TimesUp, run_limited

NAMESPACE = {"np": np, "os": os, "sys": sys, "random": random, "time": time}


def written(source, **names):
    """A function as a notebook cell would define it, with its source in Python's line cache."""
    import linecache

    lines = [line + "\n" for line in source.strip("\n").split("\n")]
    filename = f"<cell {abs(hash(source))}>"
    linecache.cache[filename] = (len(source), None, lines, filename)
    namespace = NAMESPACE | names
    exec(compile("".join(lines), filename, "exec"), namespace)
    return next(
        v for k, v in reversed(namespace.items()) if callable(v) and k not in names
    )


def test_a_right_answer_is_right_and_says_nothing_more(toy):
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
def test_a_stub_is_not_attempted(toy, body):
    result = judge(toy, written(f"def scaled(x, factor):\n    {body}"))
    assert result.status == "todo" and 'hint("scaled")' in result.message


def test_a_half_written_stub_is_not_attempted(toy):
    source = "def scaled(x, factor):\n    y = x + 1\n    raise NotImplementedError"
    assert judge(toy, written(source)).status == "todo"


def test_not_implemented_by_a_library_is_a_crash(toy):
    def library(x):
        raise NotImplementedError("no such dtype")

    source = "def scaled(x, factor):\n    return library(x)"
    assert judge(toy, written(source, library=library)).status == "crashed"


def test_returning_nothing(toy):
    result = judge(toy, written("def scaled(x, factor):\n    y = x * factor"))
    assert result.faults == ("returns-none",) and "`return" in result.message


def test_printing_instead_of_returning(toy, capsys):
    result = judge(toy, written("def scaled(x, factor):\n    print(x * factor)"))
    assert result.faults == ("prints",) and "[3. 6.]" in result.printed
    assert capsys.readouterr() == ("", "")


def test_printing_as_well_passes_and_is_captured(toy, capsys):
    source = "def scaled(x, factor):\n    print('hello')\n    return x * factor"
    result = judge(toy, written(source))
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
        ("[[1.0]]", "not-an-array", "You return a `list`"),
        ("iter(x)", "not-an-array", "an `iterator`"),
        ("'text'", "not-an-array", "a `str`"),
        ("3.0", "one-number", "You return one number, 3.0"),
        ("(x * factor).astype(object)", "object-array", "Python objects"),
        ("(x * factor).astype(int)", "dtype", "integers"),
        ("x > 0", "dtype", "truth values"),
        ("x * factor + 0j", "dtype", "complex"),
        ("(x * factor).astype('f4')", "dtype", "digits are lost"),
        ("(x * factor).astype('f2')", "dtype", "digits are lost"),
    ],
)
def test_the_wrong_kind_of_result(toy, expression, fault, said):
    result = judge(toy, written(f"def scaled(x, factor):\n    return {expression}"))
    assert (result.status, result.faults) == ("wrong", (fault,))
    assert said in result.message


def test_a_tensor_in_a_numpy_exercise(toy):
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


def test_a_crash_shows_the_own_line_and_the_shapes(toy):
    result = judge(
        toy,
        written("def scaled(x, factor):\n    y = x + 1\n    return y @ y.T @ zz"),
    )
    assert result.status == "crashed"
    assert "NameError" in result.message and "in line 3" in result.message
    assert (
        "return y @ y.T @ zz" in result.message
        and "x (2,) float64, factor 3.0" in result.message
    )
    assert "Traceback" not in result.message and "checking" not in result.message


def test_a_crash_in_a_helper_of_the_notebook_shows_the_helper(toy):
    source = """
def scaled(x, factor):
    def helper(y):
        return y / "2"
    return helper(x)
"""
    assert "in line 3" in judge(toy, written(source)).message


def test_a_crash_inside_a_library_shows_the_own_line(toy):
    result = judge(
        toy,
        written("def scaled(x, factor):\n    return np.concatenate([x, factor])"),
    )
    assert "in line 2" in result.message and "np.concatenate" in result.message


def test_a_crash_in_a_library_written_in_python_shows_the_own_line(toy):
    result = judge(
        toy, written("def scaled(x, factor):\n    return np.linalg.inv(x)")
    )
    assert (
        "in line 2" in result.message
        and "return np.linalg.inv(x)" in result.message
    )


def test_the_text_of_an_exception_is_escaped(toy):
    source = (
        "def scaled(x, factor):\n    raise ValueError('<script>alert(1)</script>')"
    )
    html = judge(toy, written(source))._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html


def test_an_exception_that_cannot_be_shown(toy):
    source = """
def scaled(x, factor):
    class Bad(Exception):
        def __str__(self):
            raise RuntimeError
    raise Bad
"""
    assert judge(toy, written(source)).status == "crashed"


def test_modifying_an_argument_is_named(toy):
    source = "def scaled(x, factor):\n    x *= factor\n    return x"
    result = judge(toy, written(source))
    assert result.faults == ("in-place",) and "`x`" in result.message


def test_modifying_an_argument_does_not_touch_the_cases(toy):
    before = [case.args[0].copy() for case in toy.made_cases]
    judge(toy, written("def scaled(x, factor):\n    x[:] = 0\n    return x"))
    assert all(
        (b == c.args[0]).all() for b, c in zip(before, toy.made_cases, strict=True)
    )


def test_wrong_and_in_place_says_both(toy):
    result = judge(
        toy, written("def scaled(x, factor):\n    x /= factor\n    return x")
    )
    assert result.faults == ("divided", "in-place") and "Besides" in result.message


@pytest.mark.parametrize("noise", ["np.random.rand()", "random.random()"])
def test_random_results_are_named(toy, noise):
    result = judge(
        toy,
        written(f"def scaled(x, factor):\n    return x * factor + {noise} * 1e-3"),
    )
    assert result.faults == ("not-repeatable",)


def test_random_answers_are_judged_the_same_every_time(toy):
    noise = "(random.random() > 0.5) * np.random.rand()"
    function = written(f"def scaled(x, factor):\n    return x * factor + {noise}")
    assert len({repr(judge(toy, function)) for _ in range(5)}) == 1


def test_results_that_depend_on_earlier_calls_are_named(toy):
    source = """
def scaled(x, factor, seen=[]):
    seen.append(1)
    return x * factor + (len(seen) > 5)
"""
    assert judge(toy, written(source)).faults == ("not-repeatable",)


def test_the_global_generators_are_given_back(toy):
    np.random.seed(7)  # noqa: NPY002
    random.seed(7)
    expected = np.random.rand(), random.random()  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    random.seed(7)
    judge(
        toy,
        written(
            "def scaled(x, factor):\n    np.random.seed(0)\n    random.seed(0)\n    return x"
        ),
    )
    assert (np.random.rand(), random.random()) == expected  # noqa: NPY002


def test_numpy_error_settings_are_given_back(toy):
    before = np.geterr()
    judge(
        toy,
        written(
            "def scaled(x, factor):\n    np.seterr(all='raise')\n    return x * factor"
        ),
    )
    assert np.geterr() == before


LOOPS = {
    "plain": "    while True:\n        pass",
    "bare except": "    while 1:\n        try:\n            x + 1\n        except:\n            0",
    "base exception": "    while True:\n        try:\n            x.sum()\n"
    "        except BaseException:\n            continue",
    "nested": "    while True:\n        try:\n            while True:\n                try:\n"
    "                    x.sum()\n                except:\n                    x.sum()\n"
    "        except:\n            x.sum()",
    "helper": "    def f():\n        return 1\n    while True:\n        try:\n            f()\n"
    "        except:\n            pass",
    "sleep": "    time.sleep(60)",
    "for": "    import itertools\n    for i in itertools.count():\n        x = x + 1",
}


@pytest.mark.parametrize("loop", LOOPS)
def test_an_endless_loop_ends(toy, loop):
    started = time.monotonic()
    result = judge(
        toy, written(f"def scaled(x, factor):\n{LOOPS[loop]}\n    return x")
    )
    assert result.status == "crashed" and result.faults == ("endless",)
    assert time.monotonic() - started < 3 and "in line" in result.message


@pytest.mark.parametrize("loop", [name for name in LOOPS if name != "sleep"])
def test_an_endless_loop_ends_in_another_thread(toy, loop):
    results = []
    function = written(f"def scaled(x, factor):\n{LOOPS[loop]}\n    return x")
    thread = threading.Thread(
        target=lambda: results.append(judge(toy, function)), daemon=True
    )
    thread.start()
    thread.join(10)
    assert results and results[0].faults == ("endless",)


def test_a_right_answer_passes_in_another_thread(toy):
    results = []
    thread = threading.Thread(
        target=lambda: results.append(judge(toy, lambda x, f: x * f))
    )
    thread.start()
    thread.join(10)
    assert results[0].passed


def test_a_time_limit_that_is_swallowed_is_still_reported():
    def stubborn():
        try:
            time.sleep(5)
        except BaseException:
            return 1

    with pytest.raises(TimesUp):
        run_limited(stubborn, 0.05)


def test_the_alarm_of_somebody_else_is_given_back():
    rung = []
    old = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        run_limited(lambda: time.sleep(0.05), 1.0)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] < 0.2
        time.sleep(0.3)
        assert rung == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_no_alarm_is_left_behind(toy):
    judge(toy, lambda x, factor: x * factor)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_key_press_ends_the_call_at_once():
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    started = time.monotonic()
    with pytest.raises(KeyPressed):
        run_limited(lambda: time.sleep(5), 10.0)
    assert time.monotonic() - started < 3


def test_deep_recursion(toy):
    result = judge(
        toy, written("def scaled(x, factor):\n    return scaled(x, factor)")
    )
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
def test_common_errors_get_a_tip(toy, expression, said):
    result = judge(toy, written(f"def scaled(x, factor):\n    return {expression}"))
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
def test_common_errors_of_torch_get_a_tip(toy, expression, said):
    torch = pytest.importorskip("torch")
    source = f"def scaled(x, factor):\n    return {expression}"
    result = judge(toy, written(source, torch=torch))
    assert result.status == "crashed" and said in result.message.split("\n\n")[-1]


def test_other_errors_get_no_tip(toy):
    source = (
        "def scaled(x, factor):\n    raise ValueError('matmul: no numbers here')"
    )
    message = judge(toy, written(source)).message
    assert message.split("\n\n")[-1].startswith("It was called with")


@pytest.mark.parametrize("ending", ["sys.exit(1)", "raise SystemExit", "exit()"])
def test_leaving_the_program(toy, ending):
    result = judge(toy, written(f"def scaled(x, factor):\n    {ending}"))
    assert result.status == "crashed" and "ends the whole program" in result.message


def test_a_keyboard_interrupt_of_its_own(toy):
    result = judge(
        toy, written("def scaled(x, factor):\n    raise KeyboardInterrupt")
    )
    assert result.status == "crashed" and "KeyboardInterrupt" in result.message


@pytest.mark.parametrize(
    "body", ["time.sleep(5)", "\n    try:\n        time.sleep(5)\n    except: pass"]
)
def test_a_real_key_press_gets_through(toy, body):
    before = signal.getsignal(signal.SIGINT)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyPressed):
        judge(toy, written(f"def scaled(x, factor):\n    {body}"))
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def scaled(x):\n    return x", "has no argument `factor`"),
        ("def scaled():\n    return 1", "has no argument `x` and `factor`"),
        ("def scaled(x, factor, extra):\n    return x", "asks for `extra`"),
        ("def scaled(x, factor, *, extra):\n    return x", "asks for `extra`"),
        ("def scaled(a, b, c, d):\n    return a", "asks for"),
    ],
)
def test_a_wrong_signature_is_named(toy, source, said):
    result = judge(toy, written(source))
    assert result.faults == ("signature",) and said in result.message
    assert "def scaled(x, factor)" in result.message


@pytest.mark.parametrize(
    "head",
    [
        "(x, factor, extra=1)",
        "(*args)",
        "(a, b)",
        "(x, *rest)",
        "(x, factor, **options)",
        "(x, /, factor)",
    ],
)
def test_signatures_that_fit_are_accepted(toy, head):
    body = "return args[0] * args[1]" if "args" in head else "return x * factor"
    body = "return a * b" if head == "(a, b)" else body
    body = "return x * rest[0]" if "rest" in head else body
    assert judge(toy, written(f"def scaled{head}:\n    {body}")).passed


def test_a_method_and_an_object_that_can_be_called(toy):
    class Scaler:
        def __call__(self, x, factor):
            return x * factor

        def method(self, x, factor):
            return x * factor

    assert judge(toy, Scaler()).passed and judge(toy, Scaler().method).passed


def test_a_ufunc_without_a_signature(toy):
    assert judge(toy, np.multiply).passed


def test_a_class_instead_of_a_function(toy):
    class Scaled:
        pass

    result = judge(toy, Scaled)
    assert result.faults == ("class",) and "asks for a function" in result.message


@pytest.mark.parametrize("value", [3, np.ones(2), None, "scaled", [1]])
def test_something_that_cannot_be_called(toy, value):
    result = judge(toy, value)
    assert result.faults == ("not-callable",) and "check(scaled)" in result.message


def test_a_hidden_name_of_python_is_named(toy):
    source = "def scaled(x, factor):\n    return sum([x * factor])"
    result = judge(toy, written(source, sum=3.0))
    assert result.status == "crashed" and "hides Python's `sum`" in result.message


def test_single_faults_pairs_and_standalone_ones(toy):
    assert judge(toy, lambda x, f: x / f).faults == ("divided",)
    shifted = judge(toy, lambda x, f: x * f + 1)
    assert shifted.faults == ("shifted",) and shifted.message == "Shifted: 4."
    assert judge(toy, lambda x, f: x * 0).faults == ("zeros",)
    both = judge(toy, lambda x, f: x / f + 1)
    assert both.faults == ("divided", "shifted") and "two mistakes" in both.message


def test_each_of_two_faults_is_shown_on_a_case_where_it_matters(toy):
    """The first case alone would make `divided` look right: there the factor is 1."""
    cases = (Case((np.array([1.0, 2.0]), 1.0), "example"), *toy.made_cases)
    said = Fault(
        "divided", {"times": np.divide}, lambda c: f"factor {c.given['factor']:g}"
    )
    faults = (said, *toy.faults[1:])
    exercise = dataclasses.replace(toy, cases=lambda: cases, faults=faults)
    result = judge(exercise, lambda x, factor: x / factor + 1)
    assert (
        result.faults == ("divided", "shifted")
        and "First: factor 3" in result.message
    )


def test_where_all_kinds_fail_none_is_singled_out(toy):
    result = judge(toy, lambda x, factor: np.sin(x) if x.ndim < 3 else x * factor)
    assert "It is right in other cases" not in result.message


@pytest.mark.parametrize(
    ("expression", "fault", "said"),
    [
        ("-x * factor", "factor", "wrong sign"),
        ("x * factor * 2", "factor", "2 times"),
        ("x * factor / 7", "factor", "1/7 of"),
        ("x * factor - 5", "offset", "too small by the same 5"),
        ("(x * factor)[..., None]", "shape", "axis of length 1 too many"),
        ("(x * factor).sum(-1)", "shape", "missing"),
        ("np.full_like(x, np.nan)", "nan", "NaN"),
        ("np.full_like(x, np.inf)", "inf", "infinity"),
        ("(x * factor)[::-1]", "order", "backwards"),
        ("x * factor * (1 + 1e-3 * np.cos(x))", "nearly", "nearly right"),
    ],
)
def test_relations_without_a_known_fault(toy, expression, fault, said):
    result = judge(toy, written(f"def scaled(x, factor):\n    return {expression}"))
    assert result.status == "wrong" and fault in result.faults
    assert said in result.message


@pytest.mark.parametrize(
    ("formula", "faults", "said"),
    [("1.5", (), "you have 6"), ("-1.0", ("factor",), "The sign is wrong.")],
)
def test_one_number_says_nothing_of_a_factor(toy, formula, faults, said):
    def square(x):
        return x * x

    numbers = (Case((2.0,), "example"), Case((3.0,)))
    exercise = dataclasses.replace(
        toy, reference=square, cases=lambda: numbers, faults=(), variant=None
    )
    result = judge(
        exercise, written(f"def scaled(x):\n    return {formula} * x * x")
    )
    assert result.faults == faults and said in result.message
    assert "factor" not in result.message


def test_the_first_difference_comes_last(toy):
    result = judge(toy, lambda x, factor: np.sin(x) + factor)
    assert result.faults == () and "index (0,): you have" in result.message


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("return x * factor if x.ndim < 3 else x.sum(0)", "fails-batch"),
        ("return x * factor if x.ndim < 3 else x[9]", "fails-batch"),
        ("return x * factor if x.shape == (2,) else np.zeros(2)", "only-example"),
        (
            "return x * factor if len(set(x.shape)) == 1 and x.ndim < 3 else x[..., 0]",
            "only-square",
        ),
        ("return x * factor if x.dtype != 'f4' else x + 1", "fails-float32"),
        ("return np.abs(x) * factor", "only-example"),
    ],
)
def test_kinds_of_cases_that_fail_are_named(toy, source, fault):
    result = judge(toy, written(f"def scaled(x, factor):\n    {source}"))
    assert not result.passed and fault in result.faults
    assert "example" not in result.message  # the tasks show none


def test_a_small_error_of_float32_is_no_error(toy):
    assert judge(toy, lambda x, f: x * f * (1 + (x.dtype == "f4") * 1e-6)).passed


def test_a_fault_seen_on_single_arrays_is_named_although_batches_crash(toy):
    def divided(x, factor):
        if x.ndim > 2:
            raise IndexError
        return x / factor

    result = judge(toy, divided)
    assert (
        result.faults == ("divided",)
        and "with leading batch axes" in result.message
    )


def test_where_the_reference_raises_so_must_the_answer():
    def halves(n):
        """Split an even number."""
        if n % 2:
            raise ValueError("odd")
        return np.array([n / 2, n / 2])

    exercise = Exercise(
        "halves", "toy", "", halves, lambda: (Case((4,)), Case((3,), "odd")), ("", "", ""),
        (Fault("rounds", lambda n: np.array([n // 2 * 1.0] * 2), "You round."),),
    )  # fmt: skip
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


def test_built_ins_are_noticed_whatever_they_are_called(toy):
    import textwrap as module

    def whole(x, factor):
        return x * factor

    module.whole_exercise = whole
    try:
        exercise = Exercise(
            "scaled", "toy", "", toy.reference, toy.cases, ("", "", ""),
            built_ins=(BuiltIn("textwrap.whole_exercise", lambda given: given["factor"] != 2),),
        )  # fmt: skip
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


def test_an_own_function_of_the_same_name_is_no_built_in(toy):
    source = """
def scaled(x, factor):
    def scaled(a, b):
        return a * b
    return scaled(x, factor)
"""
    assert judge(toy, written(source)).passed


def test_the_profiler_is_given_back(toy):
    calls = []

    def profiler(*args):
        calls.append(args)

    sys.setprofile(profiler)
    try:
        judge(toy, lambda x, factor: x * factor)
        assert sys.getprofile() is profiler
    finally:
        sys.setprofile(None)
