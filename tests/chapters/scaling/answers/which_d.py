"""Answers to `which_d`."""

import numpy as np

from tests.exercises.answers import right, wrong


@right()
def wd_root():
    return np.sqrt(432 / 12)


# gives d_k itself, not its root
@wrong()
def wd_d_k():
    return 36


@wrong()
def wd_text():
    return "sqrt(36)"


@wrong()
def wd_per_head():
    return 432 / 12 / 2


@wrong("prints", said="`return …`")
def wd_printed():
    print(6)


@wrong("returns-none")
def wd_forgotten():
    d_k = 432 / 12
    d_k**0.5


# 8 belongs to another model
@wrong("famous")
def wd_famous():
    return 8


# takes the width of the model for the width of a head
@wrong("d-model", author="blind")
def b6_scaling_1():
    d = 432
    return np.sqrt(d)


# takes d_v (25) instead of d_k; gives the reciprocal (what one multiplies by) instead of the
# divisor
@wrong("one-over", author="blind")
def fb_which_d_2():
    d_v = 25
    return 1 / d_v**0.5
