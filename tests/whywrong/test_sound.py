"""A declaration is tried: what is wrong with it is said before a learner meets it."""

import dataclasses

import numpy as np

from whywrong import Case, Question, Reason, fault
from whywrong.sound import problems_of


def with_faults(toy, *faults):
    return dataclasses.replace(toy, faults=faults)


def test_sound_declaration_has_no_problems(toy):
    assert problems_of(toy) == []


def test_solution_that_is_refused_is_said(toy):
    def changing(x, factor):
        x *= factor
        return x

    told = dataclasses.replace(
        toy, solution=changing, task="Keep changing.", faults=()
    )
    (problem,) = problems_of(told)
    assert problem.startswith("the solution is refused: Your function changes its")


def test_fault_that_no_input_shows_is_said(toy):
    alike = dataclasses.replace(toy, cases=lambda: (Case((np.ones(3), 1.0)),))
    (problem,) = problems_of(with_faults(alike, toy.faults[0]))
    assert problem == "the fault 'divided' passes: no input shows the difference"


def test_fault_that_is_taken_for_another_is_said(toy):
    again = fault("again", "x * factor", "x / factor", says="You divide, again.")
    (problem,) = problems_of(with_faults(toy, toy.faults[0], again))
    assert problem == "the fault 'again' is taken for divided: You divide."


def test_fault_with_the_sentence_of_another_is_said(toy):
    same = fault("doubled", "x * factor", "x * factor * 2", says="You divide.")
    (problem,) = problems_of(with_faults(toy, toy.faults[0], same))
    assert problem == "the fault 'doubled' is told the sentence of 'divided'"


def test_texts_that_a_learner_cannot_use_are_said(toy):
    costly = fault("costly", "x * factor", "x / factor", says="You pay $2$.")
    told = dataclasses.replace(
        toy, task="Scale it.", hints=("One", "two?", "two?"), faults=(costly,)
    )
    assert problems_of(told) == [
        "the task does not name the function: `scaled`",
        "three different hints are needed",
        "the hint 'One' must end in a question mark or a full stop",
        "the sentence 'You pay $2$.' has a formula, which would be shown raw",
    ]


def answer_of_one():
    """Give one."""
    return 2


def test_sentence_that_calls_the_same_number_right_is_said(toy):
    says = "You have 1; 1 is right."
    alike = fault("alike", "return product", "return product + 1e-3", says=says)
    (problem,) = problems_of(with_faults(toy, alike))
    assert problem == (
        f"the fault 'alike' is told that what it has is right: {says}"
    )


QUESTION = Question(
    answer_of_one,
    place=1,
    minutes=1,
    level="easy",
    section="One",
    task="Return one from `answer_of_one`.",
    hints=("A?", "B?", "C?"),
    read=float,
    reasons=(Reason("two", lambda value: value == 2, "That is two."),),
)


def test_question_whose_solution_is_refused_is_said():
    assert problems_of(QUESTION) == ["the solution is refused: That is two."]


def test_two_reasons_of_one_name_are_said():
    twice = dataclasses.replace(QUESTION, reasons=2 * QUESTION.reasons)
    assert problems_of(twice)[1:] == ["two reasons are called 'two'"]
