"""Answers to `keeps_the_output`."""

from tests.exercises.answers import right, wrong


@right()
def ko_list():
    return ["e", "c", "f", "b"]


# c is missing: softmax ignores what a row shares
@wrong()
def ko_nothing_added():
    return {"b", "e", "f"}


# a vector added to all queries shows
@wrong("d")
def ko_queries_like_keys():
    return {"b", "c", "d", "e", "f"}


# the values are not in the softmax
@wrong("h")
def ko_values_like_keys():
    return "bcefh"


# the order of X is the order of Y
@wrong("a")
def ko_order_of_all():
    return {"a", "b", "c", "e", "f"}


# a key that comes twice weighs more
@wrong("g")
def ko_repeats():
    return {"b", "c", "e", "f", "g"}


@wrong(said="The changes have the letters a to h.")
def ko_another_letter():
    return {"b", "c", "e", "f", "x"}
