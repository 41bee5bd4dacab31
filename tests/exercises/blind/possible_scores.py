import numpy as np


def possible_scores__1():
    # mistake: takes a full-rank matrix as possible at d_k = 1
    return {"a", "b", "c", "g"}


def possible_scores__2():
    # mistake: c missing
    return {"b", "g"}


def possible_scores__3():
    # mistake: a negative entry on the diagonal is accepted with a shared matrix
    return {"b", "c", "e", "g"}


def possible_scores__8():
    # mistake: gives the impossible ones
    return {"a", "d", "e", "f"}


def possible_scores__11():
    # mistakes: a too many; g missing
    return {"a", "b", "c"}
