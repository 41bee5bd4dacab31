"""Answers to `keeps_the_output`."""

from tests.exercises.answers import right, wrong


@right()
def ko_list():
    return ["e", "c", "f", "b"]


# the values are not in the softmax
@wrong("h")
def ko_values_like_keys():
    return "bcefh"


@wrong(said="The changes have the letters a to h.")
def ko_another_letter():
    return {"b", "c", "e", "f", "x"}
