"""Answers to `runs_on_longer`."""

from tests.exercises.answers import right, wrong


@right()
def rl_list():
    return ["a", "d", "e", "g"]


@right()
def rl_text():
    return "adeg"


@right()
def rl_difference():
    return set("abcdefgh") - set("bcfh")


@right()
def rl_capitals():
    return ("G", "E", "D", "A")


# whatever has a convolution or attention runs
@wrong("f")
def rl_attention_and_convolution():
    return {"e", "f", "g", "h"}


# takes every attention to run
@wrong("c")
def rl_all_attention():
    return {"a", "c", "d", "e", "g"}


# five learned queries mean five elements
@wrong("e-missing")
def rl_queries_are_elements():
    return {"a", "d", "g"}


# the opposite
@wrong("b")
def rl_opposite():
    return set("bcfh")


# yes and no
@wrong("form")
def rl_booleans():
    return [True, False, False, True, True, False, True, False]


# thinks positions of any kind stop it
@wrong("g-missing", author="blind")
def blind_no_positions():
    return {"a", "d", "e"}


# all but the plain dense layer
@wrong("c", author="blind")
def blind_all_but_dense():
    return set("acdefgh")


# nothing dense
@wrong("a-missing", author="blind")
def blind_nothing_dense():
    return {"e", "g"}


# a table is only a matrix
@wrong("c", author="blind")
def blind_with_table():
    return "a c e g"
