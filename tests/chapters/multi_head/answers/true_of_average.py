"""Answers to `true_of_average`."""

from tests.exercises.answers import right, wrong


@right()
def toa_text():
    return "b, c, f, g"


@wrong()
def toa_half():
    return {"b", "f"}


@wrong()
def toa_with_e():
    return {"b", "c", "e", "f", "g"}


# g follows as well: what one head leaves, the other takes
@wrong()
def toa_without_g():
    return {"b", "c", "f"}
