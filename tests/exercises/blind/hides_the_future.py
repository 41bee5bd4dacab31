import numpy as np


def hides_the_future__1():
    # mistake: a left out, as the maximum looks at the future
    return {"c", "f"}


def hides_the_future__2():
    # mistake: b is taken for safe, its sum sees the future
    return {"a", "b", "c", "f"}


def hides_the_future__3():
    # mistake: e is taken for safe, softmax along the wrong axis
    return {"a", "c", "e", "f"}


def hides_the_future__4():
    # mistake: g is taken for safe, though its values are mixtures of all
    return {"a", "c", "f", "g"}


def hides_the_future__6():
    # mistakes: c left out; b taken for safe
    return {"a", "b", "f"}
