"""Answers to `notices_the_reshape`."""

from tests.exercises.answers import right, wrong


@right()
def nr_list():
    return ["c", "e"]


# a swap of words shows it, too
@wrong("c-missing")
def nr_only_the_past():
    return {"e"}


@wrong("opposite")
def nr_blind():
    return {"a", "b", "d", "f"}
