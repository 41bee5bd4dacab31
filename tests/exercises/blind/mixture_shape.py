import numpy as np


def mixture_shape__1():
    # mistake: keeps the shape of the values
    return (2, 7, 3)


def mixture_shape__2():
    # mistake: leaves the batch axis out
    return (11, 3)


def mixture_shape__3():
    # mistake: keeps the summed axis as well
    return (2, 11, 7, 3)


def mixture_shape__7():
    # mistake: both batch axes are kept, as np.dot would do
    return (2, 11, 2, 3)


def mixture_shape__9():
    # mistakes: batch axis lost; last axes exchanged
    return (3, 11)
