import numpy as np


def true_of_average__1():
    # mistake: a too many: the mean taken for each head
    return {"a", "b", "c", "f", "g"}


def true_of_average__2():
    # mistake: b missing
    return {"c", "f", "g"}


def true_of_average__3():
    # mistake: d too many
    return {"b", "c", "d", "f", "g"}


def true_of_average__8():
    # mistake: those which are not certain
    return {"a", "d", "e"}


def true_of_average__12():
    # mistakes: a too many; g missing
    return {"a", "b", "c", "f"}
