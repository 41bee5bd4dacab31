import numpy as np


def rising_scores__1():
    # mistake: f too many: the masked key, weight 0
    return {"b", "c", "f", "h"}


def rising_scores__2():
    # mistake: c missing, as it overshoots the goal
    return {"b", "h"}


def rising_scores__3():
    # mistake: h missing
    return {"b", "c"}


def rising_scores__9():
    # mistake: direction of the gradient, not of the descent (and the zeros with it)
    return {"a", "d", "e", "g"}


def rising_scores__12():
    # mistakes: f too many; h missing
    return {"b", "c", "f"}
