import numpy as np


def keeps_the_output__1():
    # mistake: a is taken for true, but the rows of Y are reversed too
    return {"a", "b", "c", "e", "f"}


def keeps_the_output__2():
    # mistake: c is missing (same vector on all keys)
    return {"b", "e", "f"}


def keeps_the_output__3():
    # mistake: d is taken for true, queries confused with keys
    return {"b", "c", "d", "e", "f"}


def keeps_the_output__4():
    # mistake: g is taken for true
    return {"b", "c", "e", "f", "g"}


def keeps_the_output__7():
    # mistakes: d for c
    return {"b", "d", "e", "f"}
