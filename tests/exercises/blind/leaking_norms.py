import numpy as np


def leaking_norms__1():
    # mistake: the letters of the norms that leak
    return {"b", "c", "d", "f"}


def leaking_norms__2():
    # mistake: d is taken for safe, axis 0 of a single text are its positions
    return {"a", "d", "e", "g"}


def leaking_norms__3():
    # mistake: e is left out, axis=1 here are the features
    return {"a", "g"}


def leaking_norms__4():
    # mistake: f is taken for safe, as it stays in its own text
    return {"a", "e", "f", "g"}


def leaking_norms__7():
    # mistakes: d for e
    return {"a", "d", "g"}
