"""Slips that nobody declared: named in the solution's terms, or found in the learner's own code."""

import ast
import gc
import sys

import numpy as np
import pytest

from tests.whywrong.cells import exercise_of, written
from whywrong import (
    Case,
    Kind,
    Property,
    fault,
    judge,
    mend,
    mistakes,
)
from whywrong.slips import slips_in, step_of


def standard(X, gain):
    """Give each row mean 0 and variance 1, then multiply."""
    mean = X.mean(axis=-1, keepdims=True)
    variance = X.var(axis=-1, keepdims=True)
    normal = (X - mean) / np.sqrt(variance + 0.5)
    return normal * gain


def cases():
    rng = np.random.default_rng(0)
    return (
        Case(
            (
                np.array([[1.0, 2.0, 6.0], [0.0, 4.0, 5.0]]),
                np.array([1.0, 2.0, 3.0]),
            ),
            "example",
        ),
        Case((rng.standard_normal((5, 7)), rng.standard_normal(7))),
        Case((rng.standard_normal((2, 3, 5, 7)), rng.standard_normal(7)), "batch"),
    )


@pytest.fixture
def exercise():
    return exercise_of(standard, *cases())


RIGHT = """
def standard(X, gain):
    mean = X.mean(axis=-1, keepdims=True)
    variance = X.var(axis=-1, keepdims=True)
    normal = (X - mean) / np.sqrt(variance + 0.5)
    return normal * gain
"""


@pytest.mark.parametrize(
    ("right", "wrong", "kind", "said"),
    [
        ("X.mean(axis=-1", "X.mean(axis=-2", "axis", "runs along axis -2"),
        ("X.var(axis=-1,", "X.var(axis=-1, ddof=1,", "variance", "n − 1"),
        ("np.sqrt(variance + 0.5)", "(variance + 0.5)", "left-out", "`sqrt` is left out"),
        (" / np.sqrt", " * np.sqrt", "operator", "`*` stands where `/` belongs"),
        (" / np.sqrt", " // np.sqrt", "rounding", "`//` stands where `/` belongs"),
        ("X - mean", "X", "left-out", "you do not subtract the mean"),
        ("X - mean", "X + mean", "operator", "`+` stands where `-` belongs"),
        ("X.mean", "X.max", "function", "`max` stands where `mean` belongs"),
        ("normal * gain", "normal * gain + X", "residual", "`X` is added to the result"),
        ("normal * gain", "2 * normal * gain", "factor", "you double the result"),
        ("0.5)", "1.0)", "constant", "`1` stands where `0.5` belongs"),
    ],
)  # fmt: skip
def test_slip_in_the_solution_explains_the_numbers(
    exercise, right, wrong, kind, said
):
    assert right in RIGHT
    # A function in other words: what is recognized are its numbers.
    result = judge(
        exercise,
        eval("lambda *a: f(*a)", {"f": written(RIGHT.replace(right, wrong))}),
    )
    assert f"slip-{kind}" in result.faults, result
    assert said in result.message


def test_slip_is_named_with_its_step(exercise):
    result = judge(
        exercise,
        lambda X, g: (X - X.mean()) / np.sqrt(X.var(-1, keepdims=True) + 0.5) * g,
    )
    assert "as if `mean` runs over everything" in result.message


def test_declared_fault_goes_before_a_slip():
    known = fault(
        "root",
        "np.sqrt(variance + 0.5)",
        "(variance + 0.5)",
        says="No square root.",
    )
    exercise = exercise_of(standard, *cases(), faults=(known,))
    result = judge(exercise, lambda *a: written(RIGHT.replace("np.sqrt", ""))(*a))
    assert result.faults == ("root",)


def test_new_axis_counted_from_the_front_is_found(exercise):
    source = """
def standard(X, gain):
    middle = X.mean(axis=-1)[:, None]
    return (X - middle) / np.sqrt(X.var(axis=-1, keepdims=True) + 0.5) * gain
"""
    result = judge(exercise, written(source))
    assert result.faults[-1] == "mend-kept-axis", result
    assert "line 3" in result.message and "counted from the front" in result.message


def test_slip_in_a_batch_is_named_beside_the_fault_of_all_other_cases(exercise):
    known = fault(
        "root", "np.sqrt(variance + 0.5)", "(variance + 0.5)", says="No root."
    )
    exercise = exercise_of(standard, *cases(), faults=(known,))
    source = RIGHT.replace("np.sqrt", "").replace("X.mean(axis=-1", "X.mean(axis=1")
    result = judge(exercise, written(source))
    assert result.faults == ("root", "slip-axis"), result
    assert "`mean` runs along axis 1 instead of" in result.message


def test_steps_that_the_learner_does_not_have_are_not_named(exercise):
    source = """
def standard(X, gain):
    middle = np.einsum("...nd->...d", X)[..., None, :] / X.shape[-2]
    return (X - middle) / (X.var(axis=-1, keepdims=True) + 0.5) ** 0.5 * gain
"""
    result = judge(exercise, written(source))
    assert "`mean`" not in result.message
    assert "one of your steps runs along axis -2 instead of" in result.message, (
        result
    )


def test_line_is_told_alone_where_a_slip_speaks_of_another_sign():
    def allowed(n_q, n_k):
        """Let a query see as many keys as are left before it."""
        return np.arange(n_k) <= np.arange(n_q)[:, None] + (n_k - n_q)

    source = """
def allowed(n_q, n_k):
    return np.arange(n_k) <= np.arange(n_q)[:, None] + (n_q - n_k)
"""
    exercise = exercise_of(allowed, Case((2, 4), "example"), Case((3, 5)))
    result = judge(exercise, written(source))
    assert "stands where" not in result.message
    assert "Look at line 2" in result.message, result


def test_dtype_of_a_call_is_asked_about_and_not_the_call(exercise):
    source = RIGHT.replace("(X - mean)", "np.array(X - mean, dtype=int)")
    result = judge(exercise, written(source))
    assert "is `dtype=int` needed here?" in result.message, result


def test_line_comes_before_what_is_only_seen_in_the_numbers(exercise, monkeypatch):
    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    result = judge(exercise, written(RIGHT.replace("* gain", "* gain * 3")))
    assert (
        result.faults == ("mend-left-out",) and "Every number" not in result.message
    )
    assert result.message.startswith("One small change"), result


def test_slip_is_named_with_the_one_of_several_results_that_it_spoils():
    def both(x):
        """Return the mean and the sum of squares."""
        return x.mean(axis=-1), (x**2).sum(axis=-1)

    rows = np.array([[1.0, 2.0, 6.0]])
    exercise = exercise_of(
        both, Case((rows,), "example"), results=("first", "second")
    )
    result = judge(exercise, lambda x: (x.mean(-1), sum(x.T**2) / 3))
    assert (
        "It looks as if `mean` stands where `sum` belongs, in `second`."
        in result.message
    )


LOOPS = """
def standard(X, gain):
    if X.ndim > 2:
        return np.stack([standard(part, gain) for part in X])
    rows = []
    for x in X:
        centered = [value - sum(x) / len(x) for value in x]
        spread = sum(c ** 2 for c in centered) / len(x)
        rows.append([g * c / (spread + 0.5) ** 0.5 for g, c in zip(gain, centered)])
    return np.array(rows)
"""


def test_right_answer_in_loops_is_right(exercise):
    assert judge(exercise, written(LOOPS)).passed


@pytest.mark.parametrize(
    ("right", "wrong", "line", "kind"),
    [
        ("- sum(x) / len(x)", "- sum(x) // len(x)", 6, "rounding"),
        ("g * c /", "g * c *", 8, "operator"),
        ("** 0.5 for", "** 2 for", 8, "constant"),
        ("c ** 2 for c", "c * 2 for c", 7, "operator"),
        ("value - sum", "value + sum", 6, "operator"),
        ("(spread + 0.5)", "(spread - 0.5)", 8, "operator"),
        ("return np.array(rows)", "    return np.array(rows)", 9, None),
    ],
)
def test_small_change_of_the_learners_code_is_found(
    monkeypatch, exercise, right, wrong, line, kind
):
    """In code that is nothing like the solution, whose slips are not tried here."""
    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    assert right in LOOPS
    result = judge(exercise, written(LOOPS.replace(right, wrong)))
    assert result.status in ("wrong", "crashed")
    assert any(id.startswith("mend-") for id in result.faults), result
    if kind:
        assert f"mend-{kind}" in result.faults
        assert f"Look at line {line}" in result.message


def test_one_axis_wrong_in_several_steps_is_one_mistake(exercise, monkeypatch):
    wrong = RIGHT.replace("X.mean(axis=-1", "X.mean(axis=0").replace(
        "X.var(axis=-1", "X.var(axis=0"
    )
    result = judge(exercise, written(wrong))
    assert result.faults == ("slip-axis",)
    said = "`mean` and `var` run along axis 0 instead of along axis -1"
    assert said in result.message
    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    result = judge(exercise, written(wrong))
    assert result.faults == ("mend-axis",)
    assert (
        "Along which axis do `mean` and `var` run in this function?"
        in result.message
    )
    assert "axis=-1" not in result.message.replace(
        "Count axes from the end: `axis=-1`", ""
    )


def test_two_small_changes_are_found_where_one_stands_within_the_other(monkeypatch):
    monkeypatch.setattr(mistakes, "_SLIPS", 0)

    def less(x):
        """Subtract 3."""
        return x - 3.0

    cases = Case((np.array([1.0, 5.0]),), "example"), Case((np.ones(7),))
    answer = written("def less(x):\n    return np.abs(x - 6.0)")
    result = judge(exercise_of(less, *cases), answer)
    assert {*result.faults} == {"mend-left-out", "mend-constant"}, result
    assert "Two small changes" in result.message


def test_two_different_places_are_both_named(monkeypatch):
    """Neither is *the* mistake where each of two changes would do."""
    monkeypatch.setattr(mistakes, "_SLIPS", 0)

    def less(x):
        """Subtract 3."""
        return x - 3.0

    exercise = exercise_of(
        less, Case((np.array([1.0, 5.0]),), "example"), Case((np.ones(7),))
    )
    result = judge(
        exercise,
        written("def less(x):\n    y = x - 1.0\n    z = y - 1.0\n    return z"),
    )
    assert "Either of two small changes" in result.message
    assert "line 2" in result.message and "line 3" in result.message


def test_no_change_is_named_where_none_helps(exercise):
    result = judge(
        exercise,
        written("def standard(X, gain):\n    return np.sin(X) * np.cos(gain)"),
    )
    assert not any(id.startswith(("mend-", "slip-")) for id in result.faults)


def test_no_change_is_sought_for_an_error_that_is_asked_for(toy):
    def root(x):
        """Take the square root."""
        if (x < 0).any():
            raise ValueError("negative")
        return np.sqrt(x)

    exercise = exercise_of(
        root, Case((np.array([4.0, 9.0]),), "example"), Case((-np.ones(3),), "odd")
    )
    source = "def root(x):\n    assert (x >= 0).all()\n    return np.sqrt(x)"
    result = judge(exercise, written(source))
    assert result.status == "crashed" and not any(
        id.startswith("mend") for id in result.faults
    )


def test_code_that_reaches_out_of_itself_is_not_run_again_and_again(
    exercise, tmp_path, monkeypatch
):
    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    path = tmp_path / "calls"
    source = (
        "def standard(X, gain):\n"
        f"    open({str(path)!r}, 'a').write('x')\n"
        "    return X * gain"
    )
    assert judge(exercise, written(source)).status == "wrong"
    assert len(path.read_text()) < 20


def test_changed_code_that_never_ends_is_ended(exercise, monkeypatch):
    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    source = (
        "def standard(X, gain):\n"
        "    i = 0\n"
        "    while i < 3:\n"
        "        i = i + 1\n"
        "    return X * i * 0"
    )
    assert judge(exercise, written(source)).status == "wrong"


@pytest.mark.parametrize(
    "lines",
    [
        "rows.append(row)",
        "rows.append((row,))",
        "rows.append(np.asarray(np.r_[row]))",
    ],
    ids=["a list in itself", "deeper in itself", "what is no array"],
)
def test_nothing_is_tried_that_numpy_reads_without_end(monkeypatch, lines):
    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    monkeypatch.setattr(sys.modules["whywrong.judge"], "_PATIENCE", 5.0)

    def twice(x):
        """Double the rows."""
        return 2 * x

    source = (
        "def twice(x):\n    rows = []\n    for row in x:\n"
        f"        {lines}\n    return np.array(rows) ** 2 + np.cos(x)"
    )
    exercise = exercise_of(twice, Case((np.ones((3, 2)),), "example"))
    result = judge(exercise, written(source))
    assert result.status == "wrong" and "no-time" not in result.faults, result


def test_no_slip_puts_a_list_of_the_solution_into_itself(monkeypatch):
    monkeypatch.setattr(sys.modules["whywrong.judge"], "_PATIENCE", 5.0)

    def doubled(x):
        """Double the rows."""
        rows = []
        for row in x:
            rows.append(row)
        return 2 * np.array(rows)

    exercise = exercise_of(doubled, Case((np.ones((3, 2)),), "example"))
    result = judge(exercise, lambda x: x + np.cos(x) ** 3)
    assert "no-time" not in result.faults, result


def test_minus_of_an_axis_is_no_sign():
    code = "def f(x):\n    return np.swapaxes(x, -1, -2) * -1"
    slips = slips_in(ast.parse(code), torch=False)
    holders = [type(slip.holder) for slip in slips if slip.kind == "sign"]
    assert ast.BinOp in holders and ast.Call not in holders


def test_every_slip_can_be_compiled_and_taken_back():
    tree = ast.parse(RIGHT + LOOPS)
    before = ast.dump(tree, include_attributes=True)
    slips = slips_in(tree, torch=False)
    assert len(slips) > 200
    for slip in slips:
        slip.put()
        compile(tree, "slip", "exec")
        slip.take_back()
        assert slip.mistake and slip.look and slip.line
    assert ast.dump(tree, include_attributes=True) == before


def test_declared_fault_and_slip_are_both_named():
    known = fault(
        "root",
        "np.sqrt(variance + 0.5)",
        "(variance + 0.5)",
        says="No square root.",
    )
    exercise = exercise_of(standard, *cases(), faults=(known,))
    wrong = RIGHT.replace("np.sqrt", "").replace("X - mean", "X + mean")
    result = judge(exercise, lambda *a: written(wrong)(*a))
    assert result.faults == ("root", "slip-operator")
    assert "First: No square root." in result.message
    assert "Second: It looks as if" in result.message


def test_break_in_place_of_continue_is_found():
    def positives(x):
        """Keep the positive rows, and zeros for others."""
        return np.where(x.sum(axis=-1, keepdims=True) > 0, x, 0.0)

    source = """
def positives(x):
    out = np.zeros_like(x)
    for i in range(len(x)):
        if x[i].sum() <= 0:
            break
        out[i] = x[i]
    return out
"""
    given = np.array([[1.0, 2.0], [-3.0, 1.0], [4.0, 7.0]])
    exercise = exercise_of(positives, Case((given,), "example"), Case((-given,)))
    result = judge(exercise, written(source))
    assert "mend-return" in result.faults and "only this round" in result.message, (
        result
    )


def test_nan_alone_is_not_explained_by_a_slip():
    """Without the shift both are NaN; so are they after a hundred other mistakes."""

    def shares(x):
        """Share out the powers."""
        exps = np.exp(x - x.max())
        return exps / exps.sum()

    exercise = exercise_of(shares, Case((np.array([5000.0, 5001.0]),), "example"))
    result = judge(exercise, lambda x: x * np.nan)
    assert not any(id.startswith("slip") for id in result.faults), result


def test_slip_of_the_solution_that_never_ends_is_ended():
    """With the list in the place of the pair, the loop makes longer what it goes over."""

    def both(Q, K):
        """Add the halves of both."""
        halves, pair = [0 * Q], (Q, K)
        for A in pair:
            halves.append(A / 2)
        return halves[0] + halves[1] + halves[2]

    exercise = exercise_of(
        both, Case((np.array([1.0, 2.0]), np.array([3.0, 7.0])), "example")
    )
    assert judge(exercise, lambda Q, K: np.sin(Q) * K).status == "wrong"


HELPERS = """
def spread(x):
    return x.var(axis=0, keepdims=True)

def standard(X, gain):
    centered = X - X.mean(axis=-1, keepdims=True)
    return centered / np.sqrt(spread(X) + 0.5) * gain
"""


def test_mistake_in_a_helper_is_found_there(exercise, monkeypatch):
    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    result = judge(exercise, written(HELPERS))
    assert "mend-axis" in result.faults, result
    assert "Look at line 2 of `spread`, `return x.var(" in result.message


def test_helper_of_a_helper_and_a_class_are_looked_into(exercise, monkeypatch):
    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    source = """
class Row:
    def __init__(self, x):
        self.mean = x.mean(axis=0, keepdims=True)

def centered(x):
    return x - Row(x).mean

def standard(X, gain):
    return centered(X) / np.sqrt(X.var(axis=-1, keepdims=True) + 0.5) * gain
"""
    result = judge(exercise, written(source))
    assert "Look at line 3 of `Row`" in result.message, result


def test_helper_from_elsewhere_is_left_alone(exercise, monkeypatch):
    """What another module defines is not the learner's."""
    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    source = "def standard(X, gain):\n    return as_written(X, gain)"
    result = judge(exercise, written(source, as_written=written(HELPERS)))
    assert not any(id.startswith("mend") for id in result.faults), result


def gated(x, w, b):
    """Keep what is positive of a sum."""
    total = x * w + b
    return np.maximum(total, 0.0)


def gated_cases():
    given = np.random.default_rng(1).standard_normal((3, 7))
    return Case(tuple(given[:, :2]), "example"), Case(tuple(given))


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ("gate = x * w > 0\n    return gate * (x * w + b)", 2),
        ("y = x * w\n    gate = y > 0\n    return np.where(gate, y + b, 0.0)", 3),
    ],
)
def test_term_that_is_there_only_once_is_missed_at_the_other_place(
    monkeypatch, lines, line
):
    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    result = judge(
        exercise_of(gated, *gated_cases()),
        written(f"def gated(x, w, b):\n    {lines}"),
    )
    assert "mend-elsewhere" in result.faults, result
    assert (
        f"Look at line {line}" in result.message
        and "as elsewhere?" in result.message
    )


RUNNING = """
def largest_and_sum(x):
    top, total, mixture = {start}, 0.0, 0.0
    for v in x:
        new = max(top, v)
        factor = np.exp(top - new)
        total = {total} + np.exp(v - new)
        mixture = {mixture} + np.exp(v - new) * v
        top = new
    return np.array([top, total, mixture])
"""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"total": "total"}, "a factor `factor`. Is one missing"),
        ({"mixture": "mixture"}, "a factor `factor`. Is one missing"),
        ({"start": "0.0"}, "is 0 right here"),
    ],
)
def test_running_sum_that_is_not_rescaled_is_found(monkeypatch, change, said):
    def largest_and_sum(x):
        """Return the largest number, the sum of the exponentials below it and their mixture."""
        top = x.max()
        exps = np.exp(x - top)
        return np.array([top, exps.sum(), (exps * x).sum()])

    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    right = {
        "start": "-1e9",
        "total": "total * factor",
        "mixture": "mixture * factor",
    }
    cases = (
        Case((np.array([-3.0, -1.0, -2.0]),), "example"),
        Case((np.array([-5.0, 2.0, -4.0, -0.5]),)),
    )
    exercise = exercise_of(largest_and_sum, *cases)
    assert judge(exercise, written(RUNNING.format(**right))).passed
    result = judge(exercise, written(RUNNING.format(**right | change)))
    assert said in result.message, result


def counted(a, b, c):
    """Count two kinds of things."""
    rows = 2 * a * b
    columns = b * c + 3 * c
    return rows + columns


def counted_cases(*given):
    return tuple(
        Case(sizes, "example" if not i else "plain")
        for i, sizes in enumerate(given)
    )


def test_no_two_slips_are_guessed_at_where_a_property_tells_all():
    law = Property("terms", lambda c: "Your count has no b.", tells_all=True)
    given = counted_cases((5, 7, 11), (2, 13, 3), (17, 3, 19))
    exercise = exercise_of(counted, *given, properties=(law,))
    result = judge(exercise, lambda a, b, c: a * b + b * c + 4 * c)
    assert result.faults == ("terms",), result


def test_two_mistakes_in_two_branches_complete_each_other(monkeypatch):
    """Each change mends the cases of its own branch."""

    def branched(x, flag):
        """Return one of two formulas."""
        one, two = 3 * x, x**2 + 1
        return one if flag else two

    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    cases = [
        Case((x, flag), str(flag))
        for x in (2.0, 5.0, -3.0)
        for flag in (True, False)
    ]
    source = "def branched(x, flag):\n    if flag:\n        return 4 * x\n    return x**2 - 1"
    result = judge(exercise_of(branched, *cases), written(source))
    assert "line 3" in result.message and "line 4" in result.message, result


def test_argument_changed_in_place_is_not_explained_by_a_slip():
    def added(x, y):
        """Add."""
        return x + y

    def used(answer, x, y):
        answer(x, y)
        return answer(x, y)

    given = np.arange(3.0), np.ones(3)
    exercise = exercise_of(added, Case(given, "example"), use=used)
    source = "def added(x, y):\n    x += y\n    return x"
    assert judge(exercise, written(source)).faults == ("in-place",)


def added_up(x, w):
    """Add up the columns, each with its weight."""
    return (x * w).sum(axis=-1)


@pytest.mark.parametrize(
    "lines",
    [
        "for column, weight in zip(x.T, w):\n        total = column * weight",
        "for i in range(len(w)):\n        part = x[:, i]\n        total = part * w[i]",
    ],
)
def test_sum_that_each_round_overwrites_is_found(monkeypatch, lines):
    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    given = np.random.default_rng(2).standard_normal((5, 4))
    cases = Case((given[:2], given[2]), "example"), Case((given[:3], given[4]))
    source = f"def added_up(x, w):\n    {lines}\n    return total"
    result = judge(exercise_of(added_up, *cases), written(source))
    assert "mend-accumulation" in result.faults, result
    assert "which rounds does `total` hold" in result.message


def shared_out(x, seen):
    """Share out one unit among what is seen."""
    hidden = np.where(seen, x, -np.inf)
    exps = np.exp(hidden - hidden.max())
    return exps / exps.sum()


def shared_out_cases():
    seen = np.array([True, False, True, True])
    small, large = (
        np.array([1.0, 3.0, 2.0, 0.5]),
        np.array([-950.0, 80.0, -951.0, -960]),
    )
    return Case((small, seen), "example"), Case((large, seen), "large")


FINITE = """
def shared_out(x, seen):
    hidden = {hidden}
    exps = np.exp(hidden - hidden.max())
    return exps / exps.sum()
"""
FINITE_FILLS = ["np.where(seen, x, -50)", "x + np.where(seen, 0.0, -1000)"]


@pytest.mark.parametrize("hidden", FINITE_FILLS)
def test_line_with_a_finite_number_is_found_and_no_other_mistake_named(
    monkeypatch, hidden
):
    monkeypatch.setattr(mistakes, "_SLIPS", 0)
    kinds = {"large": Kind("for large scores", "Is a shift missing?")}
    exercise = exercise_of(shared_out, *shared_out_cases(), kinds=kinds)
    result = judge(exercise, written(FINITE.format(hidden=hidden)))
    assert "mend-finite" in result.faults, result
    assert "how low may the scores be?" in result.message
    assert result.message.startswith(
        "Your answer is wrong for large scores, and right otherwise."
    )
    assert "Is a shift missing?" not in result.message
    assert "Or: " not in result.message


def test_logarithm_of_a_sum_in_place_of_the_largest_is_named():
    def larger(x, y):
        """Return the larger of two, entry by entry."""
        largest = np.maximum(x, y)
        return largest

    given = np.random.default_rng(3).standard_normal((4, 7))
    exercise = exercise_of(
        larger, Case((given[0], given[1]), "example"), Case((given[2], given[3]))
    )
    result = judge(exercise, lambda x, y: np.log(np.exp(x) + np.exp(y)))
    assert "slip-function" in result.faults, result
    assert "`logaddexp` stands where `maximum` belongs" in result.message


def test_rows_in_the_opposite_order_are_named(exercise):
    result = judge(exercise, lambda X, gain: standard(X, gain)[..., ::-1, :])
    assert "slip-reversed" in result.faults, result


def mixed(x, y, z):
    """Standardize what is below a column's place and mix it."""
    n, m = len(x), len(y)
    allowed = np.arange(m) <= np.arange(n)[:, None] + (m - n)
    products = x @ y.T / len(x[0]) ** 0.5
    exps = np.where(allowed, np.exp(products), 0.0)
    return exps @ z / exps.sum(axis=1, keepdims=True)


def test_fault_and_slip_are_found_where_each_shows_alone():
    """The mask's fault does not show where n = m, nor the slip where all widths are equal."""
    draw = np.random.default_rng(4).standard_normal

    def case(kind, n, m, d, e):
        return Case((draw((n, d)), draw((m, d)), draw((m, e))), kind)

    cases = (
        case("example", 3, 3, 5, 2),
        case("plain", 3, 5, 4, 7),
        case("narrow", 2, 4, 3, 3),
    )
    known = fault("top-left", "(m - n)", "0", says="It is aligned to the top left.")

    def answer(x, y, z):
        exps = np.exp(x @ y.T / z.shape[1] ** 0.5) * np.tri(len(x), len(y))
        return exps @ z / exps.sum(axis=1, keepdims=True)

    result = judge(exercise_of(mixed, *cases, faults=(known,)), answer)
    assert result.faults == ("top-left", "slip-name"), result
    assert "you take `z` for `x`" in result.message


@pytest.mark.parametrize(
    ("answer", "faults"),
    [
        (lambda x: (x - x.min()).astype("f4"), ("lowest", "dtype")),
        (lambda x: (x - x.max()).astype("f4"), ("dtype",)),
        (lambda x: (x + x.max()).astype("f4"), ("slip-operator", "dtype")),
    ],
)
def test_digits_that_are_lost_do_not_hide_another_mistake(answer, faults):
    def below(x):
        """Say how far below the largest each is."""
        largest = x.max()
        return x - largest

    known = fault("lowest", "x.max()", "x.min()", says="That is the smallest.")
    exercise = exercise_of(
        below, Case((np.array([1.0, 2.0, 4.0]),), "example"), faults=(known,)
    )
    result = judge(exercise, answer)
    assert result.faults == faults, result


def test_no_garbage_is_collected_while_mistakes_are_sought(exercise, monkeypatch):
    seen = []
    monkeypatch.setattr(
        mend, "slips_in", lambda *a, **k: seen.append(gc.isenabled()) or []
    )
    judge(exercise, written(RIGHT.replace("X - mean", "np.sin(X)")))
    assert seen == [False] and gc.isenabled()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("weights", "the weights"),
        ("layer_norm", "the layer norm"),
        ("width_of_values", "the width of values"),
        ("variance_of_square", "`variance_of_square`"),
        ("is_passed", "`is_passed`"),
        ("of_targets", "`of_targets`"),
        ("d_gain", "`d_gain`"),
        ("local_and_global", "`local_and_global`"),
        ("below", "`below`"),
    ],
)
def test_step_of__a_name_is_told_in_words_where_they_make_a_noun(name, words):
    assert step_of(ast.parse(f"{name} = 1").body[0]) == words


def test_a_sum_of_tuples_is_not_scaled():
    """It would be repeated: an array of such a shape takes more memory than there is."""
    tree = ast.parse(
        "def standard(X):\n"
        "    m = np.zeros(X.shape[:-1] + (1,)) + X\n"
        "    return m / X.shape[-1]\n"
    )
    said = [slip.mistake for slip in slips_in(tree, torch=False)]
    assert any("by `X.shape[-1]`, too" in words for words in said)
    assert not any("`X.shape[:-1]` by" in words for words in said)
