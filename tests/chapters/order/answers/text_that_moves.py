"""Answers to `text_that_moves`."""

from tests.exercises.answers import right, wrong


@right()
def tm_string():
    return "ace"


@right()
def tm_list():
    return ["e", "c", "a"]


# values do not cancel
@wrong("b")
def tm_values_too():
    return {"a", "b", "c", "e"}


# turning back cures turned values
@wrong("c-missing")
def tm_no_values_at_all():
    return {"a", "e"}


# takes the right scores for relative ones
@wrong("e-missing")
def tm_own_layout_only():
    return {"a", "c"}


# a matrix stands between the turns
@wrong("d")
def tm_elements():
    return {"a", "c", "d", "e"}


# two layouts do not join
@wrong("f")
def tm_any_layout():
    return {"a", "c", "e", "f"}


# only the keys turn on
@wrong("g")
def tm_offset():
    return {"a", "c", "e", "g"}


# there is no h
@wrong("unknown-letter")
def tm_other_letters():
    return {"a", "h"}
