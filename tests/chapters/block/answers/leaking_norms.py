"""Answers to `leaking_norms`."""

from tests.exercises.answers import right, wrong


@right()
def lk_text():
    return "a, e, g"


@right()
def lk_list():
    return ["G", "E", "A"]


# a norm over the batch mixes texts
@wrong("c")
def lk_batch_is_harmless():
    return {"a", "c", "e", "g"}


# believes that only subtracting a mean can leak: so can dividing (b, f)
@wrong("b")
def lk_only_means_leak():
    return {"a", "b", "e", "f", "g"}


# takes g for a leak: it looks back only
@wrong("g-missing")
def lk_rows_alone():
    return {"a", "e"}


# believes that every norm leaks
@wrong("none")
def lk_nothing():
    return set()


# there is no h
@wrong("form")
def lk_another_letter():
    return {"a", "h"}
