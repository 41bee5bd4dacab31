import numpy as np


def entropy_collapse__1():
    # mistake: a falls with the width as if the scale did not keep it
    return [1.9, 0.05, 2.77, 0.74, 2.36]


def entropy_collapse__2():
    # mistake: c, d_k in place of its root, is thought to give the same as a
    return [2.36, 0.05, 2.36, 0.74, 2.36]


def entropy_collapse__3():
    # mistake: in d the twins are forgotten
    return [2.36, 0.05, 2.77, 0.05, 2.36]


def entropy_collapse__4():
    # mistake: in e the added vector is thought to make the rows sharp
    return [2.36, 0.05, 2.77, 0.74, 0.05]


def entropy_collapse__7():
    # mistakes: a and b exchanged; e equal weights
    return [0.05, 2.36, 2.77, 0.74, 2.77]
