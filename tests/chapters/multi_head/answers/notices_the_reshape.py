"""Answers to `notices_the_reshape`."""

from tests.exercises.answers import right, wrong


@right()
def nr_list():
    return ["c", "e"]


# expects a leak, and what is lost is the past
@wrong("d")
def nr_leak():
    return {"c", "d"}


# a swap of words shows it, too
@wrong("c-missing")
def nr_only_the_past():
    return {"e"}


# tests with one head, or one word, are blind
@wrong("a")
def nr_small_cases():
    return "abce"


@wrong("opposite")
def nr_blind():
    return {"a", "b", "d", "f"}
