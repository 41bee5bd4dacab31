import numpy as np


def rows_that_mix__1():
    # mistake: a too many: one-hot rows mix to one-hot rows
    return {"a", "b", "c", "e", "g"}


def rows_that_mix__2():
    # mistake: c missing: weights must not be negative
    return {"b", "e", "g"}


def rows_that_mix__3():
    # mistake: d too many: squares taken to behave like sums
    return {"b", "c", "d", "e", "g"}


def rows_that_mix__4():
    # mistake: e missing: the sum has to be 1
    return {"b", "c", "g"}


def rows_that_mix__12():
    # mistakes: c missing; f too many
    return {"b", "e", "f", "g"}
