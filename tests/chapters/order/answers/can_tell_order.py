"""Answers to `can_tell_order`."""

from tests.exercises.answers import right, wrong


@right()
def ct_text():
    return "cdf"


@right()
def ct_list():
    return ["F", "c", "d"]


# These are the models that cannot tell; the question is which can.
@wrong("opposite")
def ct_those_that_cannot():
    return "abe"


# Three of them can.
@wrong("none")
def ct_none():
    return set()
