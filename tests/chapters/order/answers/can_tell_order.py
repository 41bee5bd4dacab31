"""Answers to `can_tell_order`."""

from tests.exercises.answers import right, wrong


@right()
def ct_text():
    return "cdf"


@right()
def ct_list():
    return ["F", "c", "d"]


# takes e for one that can, though the mean adds the same to both sentences, and misses the causal
# mask (c)
@wrong()
def ct_only_with_positions():
    return {"d", "e", "f"}


# believes that depth helps (b): a stack of equivariant layers is equivariant
@wrong()
def ct_deep():
    return {"b", "c", "d", "f"}


# overlooks that a causal mask shows the order (c)
@wrong("c-missing")
def ct_no_mask():
    return {"d", "f"}


# These are the models that cannot tell; the question is which can.
@wrong("opposite")
def ct_those_that_cannot():
    return "abe"


# Three of them can.
@wrong("none")
def ct_none():
    return set()
