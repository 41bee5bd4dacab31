"""Answers to `hides_the_future`."""

from tests.exercises.answers import right, wrong


@right()
def hf_text():
    return "a, c, f"


# a window is less than it may see
@wrong("f-missing")
def hf_without_the_window():
    return ["a", "c"]


@wrong("opposite")
def hf_those_that_leak():
    return "bdeg"
