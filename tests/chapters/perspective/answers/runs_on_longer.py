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
