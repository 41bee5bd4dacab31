import numpy as np


def true_of_softmax__1():
    # mistake: c too many: exactly 0 as in a computer
    return {"b", "c", "d", "e"}


def true_of_softmax__5():
    # mistake: b missing, a in its place
    return {"a", "d", "e"}


def true_of_softmax__7():
    # mistake: the false ones
    return {"a", "c", "f"}


def true_of_softmax__12():
    # mistakes: c too many; d missing
    return {"b", "c", "e"}


def true_of_softmax__13():
    # mistakes: f too many; e missing
    return {"b", "d", "f"}
