"""The lines of a solution: what they are, which must come before which, all their right orders."""

import inspect
import random

import pytest

from book._parts.parsons.lines import (
    Need,
    lines_of,
    needs_of,
    orders,
    solution_steps,
    written,
)

SOURCE = '''
def shares(x, names):
    """Say what it does."""
    total = 0.0  # to begin with
    # A comment of its own.
    for name in names:
        part = x[name]
        total += part
    listed = (
        total,  # inside
        names,
    )
    return listed
'''.lstrip()


def function(*body):
    return "\n    ".join(["def f(x, rng):", *body]) + "\n"


def needed(*body):
    """Which lines of a body must come before which, counted from 0, and why."""
    lines = lines_of(function(*body))
    return {(need.first - 1, need.then - 1): need.says for need in needs_of(lines)}


def test_lines_have_their_indentation_and_block_and_no_comments():
    lines = lines_of(SOURCE)
    assert [(line.text, line.indent, line.parent) for line in lines] == [
        ("def shares(x, names):", 0, None),
        ("total = 0.0", 4, 0),
        ("for name in names:", 4, 0),
        ("part = x[name]", 8, 2),
        ("total += part", 8, 2),
        ("listed = (\n    total,\n    names,\n)", 4, 0),
        ("return listed", 4, 0),
    ]
    assert [line.text for line in lines if line.fixed] == ["def shares(x, names):"]
    assert [line.text for line in lines if line.is_head] == [
        "def shares(x, names):",
        "for name in names:",
    ]


def test_lines_of_a_class_have_its_methods_heads_and_super_given():
    lines = lines_of(
        "class A(B):\n"
        '    """Do."""\n\n'
        "    def __init__(self, n):\n"
        "        super().__init__()\n"
        "        self.n = n\n\n"
        "    def forward(self, x):\n"
        "        return x + self.n\n"
    )
    assert [line.fixed for line in lines] == [True, True, True, False, True, False]
    assert [line.parent for line in lines] == [None, 0, 1, 1, 0, 4]


def test_lines_put_together_are_the_solution():
    assert lines_of(written(lines_of(SOURCE))) == lines_of(SOURCE)


@pytest.mark.parametrize(
    "body", ["if x: return x", "if x:\n        y = 1\n    else:\n        y = 2"]
)
def test_lines_of_a_block_beside_its_head_or_of_an_else_are_refused(body):
    with pytest.raises(ValueError, match="line 2: a head has one block below it"):
        lines_of(function(body, "return y"))


def sums(x):
    """Sum up."""
    # A comment above.
    first = x[0]  # beside it
    for row in x:
        first += row
    return first


def test_steps_of_a_solution_keep_comments_and_leave_out_docstrings():
    assert solution_steps(inspect.getsource(sums)) == [
        "def sums(x):",
        "    # A comment above.\n    first = x[0]  # beside it",
        "    for row in x:",
        "        first += row",
        "    return first",
    ]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (("a = x", "b = a + 1"), "`a` is used before it is computed."),
        (("a = 0", "a += x"), "`a` is used before it is computed."),
        (("a, (b, *c) = x", "d = c"), "`c` is used before it is computed."),
        (
            ("x[x == 0] = 1", "a = x"),
            "`x` is used before `x[x == 0] = 1` has changed it.",
        ),
        (
            ("x.append(1)", "a = x"),
            "`x` is used before `x.append(1)` has changed it.",
        ),
        (("x.add_(1)", "a = x"), "`x` is used before `x.add_(1)` has changed it."),
        (
            ("np.add(x, 1, out=x)", "a = x"),
            "`x` is used before `np.add(x, 1, out=x)` has changed it.",
        ),
        (
            ("a = x", "x = 1"),
            "`x = 1` gives `x` another value before `a = x` has used it.",
        ),
        (("a = 1", "a = 2"), "`a` is overwritten here before it is used."),
        (("x[0] = 1", "x[:] = 2"), "`x` is used before `x[0] = 1` has changed it."),
        (("a = 1", "return x"), "Nothing below `return x` is run: it comes last."),
        (
            ("if x:\n        raise ValueError", "a = 1"),
            "`if x:` comes first: what stands below is not for such input.",
        ),
        (
            ("a = 0", "for i in x:\n        b = a"),
            "`a` is used before it is computed.",
        ),
        (("b = 1", "for i in range(b):\n        pass"), "`b` is used"),
    ],
)
def test_need_of_two_lines_is_told_in_the_words_of_the_code(body, says):
    ((pair, said),) = needed(*body).items()
    assert said.startswith(says) and pair[0] == 0


@pytest.mark.parametrize(
    "body",
    [
        ("a = x", "b = x"),
        ("a = np.append(x, 1)", "b = np.sort(x)"),
        ("x[:, 0::2] = 1", "x[:, 1::2] = 2"),
        ("a = [i for i in x]", "b = [i for i in x]"),
        ("a = rng(1)", "b = x.sum()"),
    ],
)
def test_lines_that_do_not_meddle_with_each_other_may_stand_in_any_order(body):
    assert not needed(*body)


def test_need_says_what_is_lacking_where_the_first_line_is_missing():
    lines = lines_of(function("a = x", "a[a == 0] = 1", "b = a"))
    lacks = {(n.first, n.then): n.lacks for n in needs_of(lines)}
    assert lacks == {
        (1, 2): "`a` is used, and no line computes it.",
        (1, 3): "`a` is used, and no line computes it.",
        (2, 3): "",
    }


def test_orders_keep_blocks_together_below_their_heads():
    lines = lines_of(
        function(
            "a = 0", "for i in x:", "    b = i", "    c = i", "d = 1", "return a"
        )
    )
    found = [
        [line.number for line in order] for order in orders(lines, needs_of(lines))
    ]
    assert len(found) == 12 == len(set(map(tuple, found)))
    for order in found:
        at = order.index(2)
        assert (
            order[0] == 0
            and order[-1] == 6
            and set(order[at + 1 : at + 3]) == {3, 4}
        )


def test_orders_keep_heads_of_methods_and_super_in_their_place():
    lines = lines_of(
        "class A(B):\n"
        "    def __init__(self, n):\n"
        "        super().__init__()\n"
        "        self.n = n\n"
        "        self.m = n\n"
        "    def forward(self, x):\n"
        "        return x + self.n\n"
    )
    found = [[line.number for line in o] for o in orders(lines, needs_of(lines))]
    assert found == [[0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 4, 3, 5, 6]]


def test_orders_at_random_are_orders():
    lines = lines_of(function("a = 0", "b = 1", "c = a", "d = b"))
    every = set(orders(lines, needs_of(lines)))
    rng = random.Random(0)
    some = {next(orders(lines, needs_of(lines), rng)) for _ in range(100)}
    assert some == every and len(every) == 6


def test_orders_of_needs_in_a_circle_are_none():
    lines = lines_of(function("a = 0", "b = 1"))
    assert not list(orders(lines, [Need(1, 2, ""), Need(2, 1, "")]))
