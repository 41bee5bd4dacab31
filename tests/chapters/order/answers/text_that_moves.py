"""Answers to `text_that_moves`."""

from tests.exercises.answers import right, wrong


@right()
def tm_string():
    return "ace"


@right()
def tm_list():
    return ["e", "c", "a"]


# two layouts do not join
@wrong("f")
def tm_any_layout():
    return {"a", "c", "e", "f"}


# only the keys turn on
@wrong("g")
def tm_offset():
    return {"a", "c", "e", "g"}


# there is no h
@wrong("form")
def tm_other_letters():
    return {"a", "h"}
