"""Answers to `hides_the_future`."""

from tests.exercises.answers import right, wrong


@right()
def hf_text():
    return "a, c, f"


# triangular weights whose sums run over the queries
@wrong("e")
def hf_triangular_weights():
    return {"a", "c", "e", "f"}


# takes a weight of 0 for the whole cure
@wrong("b")
def hf_weights_of_zero():
    return "b, c, e, f"


# a shift cancels, wherever it comes from
@wrong("a-missing")
def hf_without_the_shift():
    return {"f"}


# a window is less than it may see
@wrong("f-missing")
def hf_without_the_window():
    return ["a", "c"]


@wrong("opposite")
def hf_those_that_leak():
    return "bdeg"
