import numpy as np


def raises_the_score__1():
    # mistake: c too many: moving toward the key taken to raise the dot product
    return {"a", "c", "d", "f", "g"}


def raises_the_score__2():
    # mistake: f missing: at right angles to the key taken to change nothing
    return {"a", "d", "g"}


def raises_the_score__3():
    # mistake: b too many: a step along k taken to come nearer
    return {"a", "b", "d", "f", "g"}


def raises_the_score__4():
    # mistake: h too many: twice as long taken to raise the cosine
    return {"a", "d", "f", "g", "h"}


def raises_the_score__12():
    # mistakes: c too many; f missing
    return {"a", "c", "d", "g"}
