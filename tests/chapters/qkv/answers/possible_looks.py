"""Answers to `possible_looks`."""

from tests.exercises.answers import right, wrong


@right()
def pl_text():
    return "B, C, E, H"


@right()
def pl_tuple():
    return "h", "e", "c", "b"


# the longest looks at itself
@wrong("d")
def pl_around():
    return {"b", "c", "d", "e", "h"}


# symmetric scores cannot go around
@wrong("f")
def pl_symmetric_circle():
    return {"b", "c", "e", "f", "h"}


# one number points two ways
@wrong("h-missing")
def pl_nothing_on_a_line():
    return {"b", "c", "e"}


@wrong(said="letters")
def pl_words():
    return "1→2 and 2→1"
