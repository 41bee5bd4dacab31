import numpy as np


def can_tell_order__1():
    # mistake: b is taken for true (many layers do not help)
    return {"b", "c", "d", "f"}


def can_tell_order__2():
    # mistake: e is taken for true (positions after the mixing)
    return {"c", "d", "e", "f"}


def can_tell_order__3():
    # mistake: the causal mask c is forgotten
    return {"d", "f"}


def can_tell_order__4():
    # mistake: rotation of queries and keys f is left out
    return set("cd")


def can_tell_order__6():
    # mistakes: c is missing; e is taken for true
    return {"d", "e", "f"}
