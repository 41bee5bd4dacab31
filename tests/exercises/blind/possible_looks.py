import numpy as np


def possible_looks__1():
    # mistake: a taken as possible with a shared matrix
    return {"a", "b", "c", "e", "h"}


def possible_looks__2():
    # mistake: c missing
    return {"b", "e", "h"}


def possible_looks__3():
    # mistake: a symmetric M is treated like a shared matrix, e missing
    return {"b", "c", "h"}


def possible_looks__7():
    # mistake: answers those which are impossible
    return {"a", "d", "f", "g"}


def possible_looks__12():
    # mistakes: c missing; g too many
    return {"b", "e", "g", "h"}
