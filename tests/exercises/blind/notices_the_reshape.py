import numpy as np


def notices_the_reshape__1():
    # mistake: misses e
    return {"c"}


def notices_the_reshape__2():
    # mistake: takes d in, though outputs still see earlier words only
    return {"c", "d", "e"}


def notices_the_reshape__3():
    # mistake: d in place of e
    return {"c", "d"}


def notices_the_reshape__4():
    # mistake: thinks that one head shows it as well
    return {"a", "c", "e"}


def notices_the_reshape__12():
    # mistakes: misses c; takes d in
    return {"d", "e"}
