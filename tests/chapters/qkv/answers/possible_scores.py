"""Answers to `possible_scores`."""

from tests.exercises.answers import right, wrong


@right()
def ps_text():
    return "bcg"


@wrong()
def ps_h():
    return {"b", "h"}


# f is not possible: the identity has rank 5, more than d_k = 3 AND g is possible: with two matrices
# the scores need not be symmetric
@wrong(author="fresh")
def fresh_possible_rank():
    return {"b", "c", "f"}
