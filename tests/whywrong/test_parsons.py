"""Parsons problems of small exercises: which lines are chosen, what they say, what is refused."""

import json

import numpy as np
import pytest

from book._parts.exercise.facts import facts_of
from book._parts.parsons.parsons import parsons_of, passes
from tests.whywrong.cells import exercise_of
from whywrong import BadDeclaration, Case, Letters, Question, fault


def scaled(x):
    """Halve, shift and scale."""
    half = x / 2
    moved = half + 1
    size = x.shape[-1]
    return moved * size


HALF = fault("doubled", "x / 2", "x * 2", says="You double: {your.row}.")
MOVED = fault("other-way", "half + 1", "half - 1", says="Add 1. {worst_row}")
SIZE = fault("rows", "shape[-1]", "shape[-2]", says="That is the number of rows.")
LAST = fault("unscaled", "moved * size", "moved", says="You do not scale.")
TWICE = fault(
    "two", ("x / 2", "x / 3"), ("half + 1", "half + 2"), says="Two lines."
)
BODY = fault("body", "return x", says="You return the argument.")
WHOLE = fault("whole", lambda x: 0 * x, says="All zeros.")


def declared(*faults, solution=scaled, **settings):
    rng = np.random.default_rng(0)
    cases = (
        Case((np.array([[2.0, 8.0, 1.0], [4.0, 6.0, 1.0]]),), "example"),
        Case((rng.standard_normal((5, 7)),)),
    )
    return exercise_of(solution, *cases, faults=faults, **settings)


def test_wrong_lines_are_those_that_faults_of_one_line_put_in():
    problem = parsons_of(declared(TWICE, BODY, WHOLE, HALF, LAST))
    assert {(w.fault, w.line.text, w.line.number) for w in problem.wrong} == {
        ("doubled", "half = x * 2", 1),
        ("unscaled", "return moved", 4),
    }


def test_wrong_lines_are_three_at_most_and_not_two_for_one_line_where_others_are_left():
    other = fault("thirds", "x / 2", "x / 3", says="You take thirds.")
    less = fault("quarters", "x / 2", "x / 4", says="You take quarters.")
    problem = parsons_of(declared(HALF, other, less, LAST))
    assert sorted(wrong.line.number for wrong in problem.wrong) == [1, 1, 4]
    fewer = parsons_of(declared(HALF, other))
    assert {wrong.fault for wrong in fewer.wrong} == {"doubled", "thirds"}


def test_wrong_line_is_told_in_its_fault_s_sentence_with_its_numbers():
    problem = parsons_of(declared(HALF, MOVED))
    says = {wrong.fault: wrong.says for wrong in problem.wrong}
    assert (
        says
        == {
            "doubled": "You double: [15, 51, 9].",
            "other-way": "Add 1.",  # the worst row of a case that nobody sees is left out
        }
    )


def test_wrong_lines_that_undo_each_other_are_not_both_chosen():
    plus = fault("minus", "half + 1", "half - 1", says="Add 1.")
    back = fault(
        "back", "moved * size", "(half + 1) * size + 0 * moved + 1", says="1."
    )
    undone = fault(
        "undone", "moved * size", "(moved + 2) * size", says="2 too many."
    )
    chosen = {w.fault for w in parsons_of(declared(plus, undone, back)).wrong}
    assert not {"minus", "undone"} <= chosen and len(chosen) == 2


def test_wrong_lines_can_be_named():
    problem = parsons_of(declared(HALF, MOVED, LAST, wrong_lines=("unscaled",)))
    assert [wrong.fault for wrong in problem.wrong] == ["unscaled"]


def test_wrong_lines_that_are_none_are_refused_with_their_names():
    with pytest.raises(
        BadDeclaration, match=r"wrong_lines=\['two', 'no'\] of 'scaled'"
    ):
        parsons_of(declared(HALF, TWICE, wrong_lines=("two", "doubled", "no")))


def test_exercise_without_a_fault_of_one_line_is_refused():
    with pytest.raises(
        BadDeclaration, match="no fault of 'scaled' changes one line"
    ):
        parsons_of(declared(TWICE, BODY))


def twins(x):
    """Add twice."""
    x = x + 1
    x = x + 1
    y = 2 * x
    return y


def test_solution_with_two_equal_lines_is_refused():
    with pytest.raises(BadDeclaration, match="two lines of 'twins' are equal"):
        parsons_of(declared(solution=twins))


def short(x):
    """Double."""
    y = 2 * x
    return y


def test_solution_of_two_lines_is_no_problem():
    assert parsons_of(declared(solution=short)) is None


def clipped(x):
    """Clip from both sides."""
    low = np.maximum(x, -1)
    low = low + 0.0
    low = np.minimum(low, 1)
    return low


def test_need_without_which_it_is_right_as_well_is_left_out():
    high = fault("higher", "(low, 1)", "(low, 2)", says="Up to 1.")
    problem = parsons_of(declared(high, solution=clipped))
    assert {(need.first, need.then) for need in problem.needs} == {
        (1, 2),
        (1, 3),
        (1, 4),
        (2, 4),
        (3, 4),
    }


def test_order_that_is_wrong_does_not_pass():
    exercise = declared(HALF)
    body = exercise.source.split("\n")
    assert passes(exercise, exercise.source)
    assert not passes(exercise, "\n".join([*body[:2], *body[3:], body[2]]))


def test_data_are_the_lines_the_wrong_ones_and_a_shuffled_pool():
    data = parsons_of(declared(HALF, MOVED)).as_data("scaled")
    assert data == json.loads(json.dumps(data))
    assert [line["text"] for line in data["lines"]] == [
        "def scaled(x):",
        "half = x / 2",
        "moved = half + 1",
        "size = x.shape[-1]",
        "return moved * size",
    ]
    wrong = {line["id"]: line for line in data["wrong"]}
    assert set(wrong) == {5, 6}
    assert {line["instead"]: line["fault"] for line in wrong.values()} == {
        1: "doubled",
        2: "other-way",
    }
    assert sorted(data["pool"]) == [1, 2, 3, 4, 5, 6]
    place = data["pool"].index
    assert any(
        place(need["first"]) > place(need["then"]) for need in data["before"]
    )
    assert data == parsons_of(declared(HALF, MOVED)).as_data("scaled")


# --- facts ----------------------------------------------------------------------------------------


class Known:
    """A catalog of three exercises."""

    def __init__(self, *tasks):
        self.tasks = {task.name: task for task in tasks}
        self.modules = dict.fromkeys(self.tasks)

    def find(self, name):
        return self.tasks[name]


def test_facts_of_an_exercise_say_what_prepares_it_and_what_it_prepares():
    first = declared(HALF, prepares=("twins", "short"), minutes=7, level="hard")
    known = Known(first, declared(solution=short), declared(solution=twins))
    facts = facts_of(first, known)
    assert facts["prepares"] == ["short", "twins"] and facts["prepared_by"] == []
    assert (facts["minutes"], facts["level"], facts["kind"]) == (
        7,
        "hard",
        "exercise",
    )
    assert facts["parsons"]["lines"][1]["text"] == "half = x / 2"
    later = facts_of(known.find("short"), known)
    assert later["prepared_by"] == ["scaled"] and later["parsons"] is None
    assert later["solution"] == ["def short(x):", "    y = 2 * x", "    return y"]


def test_facts_of_a_question_have_no_lines_to_put_in_order():
    def letters():
        """Name them."""
        return {"a"}

    question = Question(
        letters,
        10,
        "",
        "\nWhich?\n",
        ("one.", "two.", "three."),
        minutes=3,
        level="easy",
        read=Letters("abcd", "letters"),
        reasons=(),
    )
    facts = facts_of(question, Known(question))
    assert facts["kind"] == "question" and facts["parsons"] is None
    assert facts["task"] == "Which?" and facts["hints"] == [
        "one.",
        "two.",
        "three.",
    ]


@pytest.mark.parametrize(
    ("name", "trouble"), [("half", "does not exist"), ("short", "comes earlier")]
)
def test_facts_refuse_to_prepare_what_is_not_or_comes_earlier(name, trouble):
    exercise = declared(HALF, prepares=(name,))
    with pytest.raises(
        BadDeclaration, match=f"'scaled' prepares '{name}', .*{trouble}"
    ):
        facts_of(exercise, Known(declared(solution=short), exercise))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"minutes": 0}, "minutes=0 is not a whole number from 1 to 60"),
        ({"minutes": 2.5}, "minutes=2.5 is not a whole number"),
        ({"minutes": True}, "minutes=True is not a whole number"),
        ({"level": "tough"}, "level='tough' is not one of easy, medium, hard"),
        ({"prepares": "softmax"}, "prepares='softmax' is not a tuple of names"),
        ({"prepares": ("a", "a")}, "names an exercise twice, or itself"),
        ({"prepares": ("scaled",)}, "names an exercise twice, or itself"),
    ],
)
def test_facts_that_are_none_are_refused_with_the_exercise(settings, said):
    with pytest.raises(BadDeclaration) as refused:
        declared(HALF, **settings)
    assert said in str(refused.value) and "test_parsons: 'scaled'" in str(
        refused.value
    )
