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
def wd_d_model():
    return np.sqrt(432)


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


# d_v, and no square root
@wrong("no-root")
def wd_d_v():
    return 25


# `36 ** 1 / 2` is half of 36
@wrong("half")
def wd_precedence():
    return 36**1 / 2


# 8 belongs to another model
@wrong("famous")
def wd_famous():
    return 8


# divides by the root of d_model, not of d_k of one head
@wrong(author="fresh")
def fresh_wd_model():
    return 432**0.5


# takes the width of the model for the width of a head
@wrong("d-model", author="blind")
def b6_scaling_1():
    d = 432
    return np.sqrt(d)
