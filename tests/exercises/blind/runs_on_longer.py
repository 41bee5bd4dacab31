import numpy as np


def runs_on_longer__1():
    # mistake: h too many: learned positions taken to run on
    return {"a", "d", "e", "g", "h"}


def runs_on_longer__2():
    # mistake: f too many: convolution, the dense layer behind it overlooked
    return {"a", "d", "e", "f", "g"}


def runs_on_longer__3():
    # mistake: e missing: five queries taken to need five elements
    return {"a", "d", "g"}


def runs_on_longer__7():
    # mistake: those which do not run
    return {"b", "c", "f", "h"}


def runs_on_longer__12():
    # mistakes: f too many; e missing
    return {"a", "d", "f", "g"}
