"""Answers to `mixture_shape`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def ms_list():
    return [np.int64(2), 11, 3]


@wrong()
def ms_seven():
    return (2, 11, 7)


@wrong()
def ms_text():
    return "2, 11, 3"


@wrong()
def ms_four():
    return (2, 2, 11, 3)


@wrong()
def ms_swapped():
    return (11, 2, 3)


@wrong("features-missing")
def ms_one_number_each():
    return (2, 11)


@wrong("concatenated")
def ms_side_by_side():
    return (2, 11, 10)
