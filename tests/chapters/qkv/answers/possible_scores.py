"""Answers to `possible_scores`."""

from tests.exercises.answers import right, wrong


@right()
def ps_text():
    return "bcg"


@wrong()
def ps_symmetric_only():
    return {"c", "e"}


@wrong()
def ps_all():
    return "abcdefg"


@wrong()
def ps_h():
    return {"b", "h"}


# c is possible with a shared matrix
@wrong("c-missing")
def ps_without_c():
    return {"b", "g"}


# rank 5 with three features
@wrong("f")
def ps_identity():
    return {"b", "c", "f", "g"}


# e is not possible: with a shared matrix an element's score with itself is a squared length, never
# negative
@wrong("e", author="fresh")
def fresh_possible_negative_square():
    return {"b", "c", "e", "g"}


# f is not possible: the identity has rank 5, more than d_k = 3 AND g is possible: with two matrices
# the scores need not be symmetric
@wrong(author="fresh")
def fresh_possible_rank():
    return {"b", "c", "f"}
