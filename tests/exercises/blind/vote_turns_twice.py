import numpy as np


def vote_turns_twice__1():
    # mistake: 1 at every temperature
    return [3, 2, 1, 0, 0]


def vote_turns_twice__2():
    # mistake: 0 also at T = 0.1: the best key has label 0
    return [1.0, 2.0, 2.0, 0.0, 0.0]


def vote_turns_twice__9():
    # mistake: weights instead of scores
    return [0.35, 0.3, 0.3, 0.025, 0.025]


def vote_turns_twice__12():
    # mistakes: best key has label 0; the low ones too low for T = 100
    return [0.8, 1, 1, -1000, -1000]


def vote_turns_twice__13():
    # mistakes: gap too large for T = 1; four scores only
    return [3, 0, 0, -3]
