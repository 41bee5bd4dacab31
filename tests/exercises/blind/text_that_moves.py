import numpy as np


def text_that_moves__1():
    # mistake: c missing: turning the values taken to break it always
    return {"a", "e"}


def text_that_moves__2():
    # mistake: e missing: layout not the trained one
    return {"a", "c"}


def text_that_moves__3():
    # mistake: b too many
    return {"a", "b", "c", "e"}


def text_that_moves__4():
    # mistake: d too many: turning X taken for turning Q and K
    return {"a", "c", "d", "e"}


def text_that_moves__12():
    # mistakes: c missing; d too many
    return {"a", "d", "e"}
