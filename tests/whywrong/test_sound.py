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

    (problem,) = problems_of(dataclasses.replace(toy, solution=changing, faults=()))
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


def answer_of_one():
    """Give one."""
    return 2


def test_question_whose_solution_is_refused_is_said():
    question = Question(
        answer_of_one,
        place=1,
        minutes=1,
        level="easy",
        section="One",
        task="Return one.",
        hints=("A?", "B?", "C?"),
        read=float,
        reasons=(Reason("two", lambda value: value == 2, "That is two."),),
    )
    assert problems_of(question) == ["the solution is refused: That is two."]
