"""Answers to the question `text_that_moves`, right and wrong."""

from tests.exercises.answers import Answers

right, wrong = Answers(), Answers()


@right("text_that_moves")
def tm_string():
    return "ace"


@right("text_that_moves")
def tm_list():
    return ["e", "c", "a"]


@wrong("text_that_moves", "b", mistake="values do not cancel")
def tm_values_too():
    return {"a", "b", "c", "e"}


@wrong("text_that_moves", "c-missing", mistake="turning back cures turned values")
def tm_no_values_at_all():
    return {"a", "e"}


@wrong(
    "text_that_moves",
    "e-missing",
    mistake="takes the right scores for relative ones",
)
def tm_own_layout_only():
    return {"a", "c"}


@wrong("text_that_moves", "d", mistake="a matrix stands between the turns")
def tm_elements():
    return {"a", "c", "d", "e"}


@wrong("text_that_moves", "f", mistake="two layouts do not join")
def tm_any_layout():
    return {"a", "c", "e", "f"}


@wrong("text_that_moves", "g", mistake="only the keys turn on")
def tm_offset():
    return {"a", "c", "e", "g"}


@wrong("text_that_moves", "unknown-letter", mistake="there is no h")
def tm_other_letters():
    return {"a", "h"}
