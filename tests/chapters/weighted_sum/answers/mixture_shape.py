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


# computed with tensordot, which pairs every weights batch with every values batch (2, 11, 2, 3)
@wrong("batches-crossed", author="blind")
def fa_01():
    w = np.ones((2, 11, 7))
    v = np.ones((2, 7, 3))
    return np.tensordot(w, v, axes=([2], [1])).shape
